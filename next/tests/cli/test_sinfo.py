"""sinfo from the command line: the numbers, the options and the reports."""

import math

import pandas as pd
import pytest
from openpyxl import load_workbook

from scoresheet.cli.samples import sample_files
from scoresheet.metrics.sinfo import COMMAND

from .conftest import RESULTS, RUN, Study

REFERENCE = "the cat sat on the mat"
# The files of two references for one idiom.
REFERENCES = {
    "cell": [f"idiom,explanation\nx,{REFERENCE}||the cat sat"],
    "columns": [f"idiom,ref1,ref2\nx,{REFERENCE},the cat sat"],
    "rows": [f"idiom,explanation\nx,{REFERENCE}\nx,the cat sat"],
    "list": [f'[{{"idiom": "x", "references": ["{REFERENCE}", "the cat sat"]}}]'],
    "files": [f"idiom,explanation\nx,{text}" for text in (REFERENCE, "the cat sat")],
}


@pytest.fixture
def sample(study: Study) -> Study:
    """The sample tables that init writes, scored."""
    for path, content in sample_files(COMMAND).items():
        study.text(str(path), content)
    assert study.run("sinfo").code == 0
    return study


@pytest.mark.parametrize(
    ("prediction", "reference", "options", "p", "bp"),
    [
        ("the cat sat", REFERENCE, "", 1, 0.367879),
        (REFERENCE, "the cat sat", "", 0.6, 1),
        ("the the the cat", "the cat", "", 1, 1),
        ("A B C", "a b c", "", 0, 1),
        ("A, B C!", "a b c", "--normalize", 1, 1),
        ("a b c d", "a b. c d", "", 1, 0.866878),
        ("喜爱得不想放手", "喜爱得舍不得放手", "", 6 / 7, 0.866878),
        ("喜爱得不想放手", "喜爱得舍不得放手", "--tokenizer whitespace", 0, 0.866878),
        ("  the cat sat  ", REFERENCE, "", 1, 0.367879),
        ("the mat sat on", "the cat sat on a mat", "--rouge lin", 0.75, math.exp(1 - 20 / 14)),
        ("ab", "bc", "--rouge charset", 0.5, 1),
        ("one two", "one two three", "--length tokens", 1, math.exp(1 - 3 / 2)),
        ("same " * 1500, "same " * 1500, "", 1, 1),
    ],
)
def test_a_row_has_the_defined_precision_and_brevity(
    study: Study, prediction: str, reference: str, options: str, p: float, bp: float
) -> None:
    study.csv("out.csv", "Idiom,Prediction,Reference", [["x", prediction, reference]])
    study.run("sinfo", "out.csv", "--accept", "same-as-reference", *options.split())
    row = study.units("out").iloc[0]
    assert row["P_ROUGE"] == pytest.approx(p, abs=1e-9)
    assert row["BP"] == pytest.approx(bp, abs=1e-6)
    assert row["S_Info"] == pytest.approx(row["P_ROUGE"] * row["BP"], abs=1e-15)


@pytest.mark.parametrize(
    ("how", "expected"),
    [("max", 1.0), ("mean", (math.exp(1 - 22 / 11) + 1.0) / 2), ("first", math.exp(1 - 22 / 11))],
)
@pytest.mark.parametrize("layout", REFERENCES)
def test_several_references_are_combined_however_they_are_laid_out(
    study: Study, how: str, expected: float, layout: str
) -> None:
    study.csv("out.csv", "Idiom,Prediction", [["x", "the cat sat"]])
    for number, content in enumerate(REFERENCES[layout]):
        kind = "json" if layout == "list" else "csv"
        study.text(f"refs/{number}.{kind}", content)
    column = ["--column", "references.reference=ref1,ref2"] if layout == "columns" else []
    result = study.run("sinfo", "out.csv", "refs", *column, "--references-by", how)
    assert result.code == 0, result.err
    assert study.results().loc["out", "S_Info"] == pytest.approx(expected)


def test_an_empty_prediction_is_left_out_or_counts_as_zero(study: Study) -> None:
    rows = [["a", "the cat sat", REFERENCE], ["b", "...", REFERENCE], ["c", "", REFERENCE]]
    study.csv("out.csv", "Idiom,Prediction,Reference", rows)
    dropped = study.run("sinfo", "out.csv")
    scores = study.results().loc["out"]
    assert (dropped.code, scores["Scored"], scores["Rows"]) == (0, 1, 3)
    assert scores["S_Info"] == pytest.approx(math.exp(-1))
    assert "the prediction has no words" in dropped.text
    study.run("sinfo", "out.csv", "--unanswered", "zero")
    assert study.results().loc["out", "S_Info"] == pytest.approx(math.exp(-1) / 3)


def test_a_missing_reference_is_never_zero(study: Study) -> None:
    study.csv("refs.csv", "idiom,explanation", [["a", REFERENCE], ["b", " . "]])
    study.csv("out.csv", "Idiom,Prediction", [["a", "the cat sat"], ["b", ""], ["c", "a cat"]])
    result = study.run("sinfo", "out.csv", "refs.csv", "--unanswered", "zero")
    assert study.results().loc["out", "Scored"] == 1
    assert "no reference" in result.text


def test_keys_that_differ_only_in_case_and_spaces_have_a_command_to_type(study: Study) -> None:
    study.csv("refs.csv", "idiom,explanation", [["Let Go", REFERENCE], ["b", REFERENCE]])
    study.csv("out.csv", "Idiom,Prediction", [["letgo", "the cat sat"], ["b", "the cat"]])
    hint = study.run("sinfo", "out.csv", "refs.csv").err.partition("hint:")[2].splitlines()
    assert hint[1].endswith("--match loose")
    study.run("sinfo", "out.csv", "refs.csv", *hint[1].split()[-2:])
    assert study.results().loc["out", "Scored"] == 2


def test_the_reference_in_the_language_of_the_prediction_is_used(study: Study) -> None:
    study.csv("refs/english.csv", "idiom,explanation", [["x", "a cat sat on it"]])
    study.csv("refs/chinese.csv", "idiom,explanation", [["x", "喜爱得不想放手"]])
    study.csv("out/en.csv", "Idiom,Prediction", [["x", "a cat sat on mats"]])
    study.csv("out/zh.csv", "Idiom,Prediction", [["x", "喜爱得舍不得放手"]])
    assert study.run("sinfo", "out", "refs").code == 0
    assert study.units("en").loc[0, "Language"] == "en"
    assert study.units("zh")[["Language", "Reference"]].values.tolist() == [
        ["zh", "喜爱得不想放手"]
    ]
    asked = study.run("sinfo", "out", "refs", "--language", "zh")
    assert asked.code == 0
    assert study.units("en").loc[0, "Reference"] == "喜爱得不想放手"


def test_languages_that_share_a_script_use_all_references_and_say_so(study: Study) -> None:
    rows = [["x", "the cat sat", "en"], ["x", "die Katze sass", "de"]]
    study.csv("refs.csv", "idiom,explanation,language", rows)
    study.csv("out.csv", "Idiom,Prediction", [["x", "die Katze sass"]])
    result = study.run("sinfo", "out.csv", "refs.csv")
    assert study.results().loc["out", "S_Info"] == 1
    assert "references in de, en share a script" in result.text
    study.run("sinfo", "out.csv", "refs.csv", "--language", "en")
    assert study.results().loc["out", "S_Info"] == 0


def test_overall_is_the_mean_of_sheets_or_of_rows(study: Study) -> None:
    rows = [["a", "p1", "the cat sat", "the cat sat"]]
    rows += [[key, "p2", "a dog", "the cat sat"] for key in "abc"]
    study.csv("out.csv", "Idiom,Sheet,Prediction,Reference", rows)
    study.run("sinfo", "out.csv")
    assert study.results().loc["out", "S_Info"] == 0.5
    study.run("sinfo", "out.csv", "--aggregate", "rows")
    assert study.results().loc["out", "S_Info"] == 0.25


def test_runs_are_averaged_per_idiom_and_their_spread_is_shown(study: Study) -> None:
    rows = [
        [k, s, "the cat sat" if s == 1 else "a dog", "the cat sat"] for k in "ab" for s in (1, 2)
    ]
    study.csv("out.csv", "idiom,seed,prediction,reference", rows)
    refused = study.run("sinfo", "out.csv")
    assert refused.code == 2
    assert "seed tells them apart" in refused.text
    study.run("sinfo", "out.csv", "--column", "run=seed")
    row = study.results().loc["out"]
    assert (row["S_Info"], row["Runs"], row["Run_SD"]) == (0.5, 2, pytest.approx(math.sqrt(0.5)))


def test_clusters_are_the_units_of_the_interval(two_models: Study) -> None:
    rows = [[f"q{n}", f"p{n // 4}", f"some words {n}", "some words"] for n in range(32)]
    two_models.csv("out.csv", "idiom,passage,prediction,reference", rows)
    two_models.run("sinfo", "out.csv", "--column", "cluster=passage")
    assert two_models.results().loc["out", "Units"] == 8


def test_by_breaks_results_down_by_a_column(two_models: Study) -> None:
    frame = pd.read_csv(two_models.folder / "runs/close.csv")
    frame["topic"] = ["food", "work"] * 4
    frame.to_csv(two_models.folder / "close.csv", index=False)
    result = two_models.run("sinfo", "close.csv", "refs", "--by", "topic")
    assert "By topic (exploratory)" in result.out
    table = pd.read_csv(two_models.folder / RESULTS / "by.csv")
    assert table["Value"].tolist() == ["food", "work"]
    assert table["Units"].tolist() == [4, 4]
    halves = two_models.units("close")["S_Info"].groupby([0, 1] * 4).mean()
    assert table["S_Info"].tolist() == pytest.approx(halves.tolist())


def test_the_sample_tables_give_the_known_results(sample: Study) -> None:
    # computed once with pandas and the library rouge on the same tables
    assert sample.results()["S_Info"].tolist() == pytest.approx([0.7546617406, 0.2757069414])
    names = {path.name for path in (sample.folder / RESULTS).iterdir()}
    assert names >= {
        *("s_info_results.csv", "s_info_results.xlsx", "Model_A_s_info.csv", "Model_B_s_info.xlsx"),
        *("comparisons.csv", "problems.csv", "metrics.json", "manifest.json", ".scoresheet"),
    }


@pytest.mark.filterwarnings("ignore:.*extension is not supported")  # data bars
def test_workbooks_have_the_sheets_and_numbers_of_the_csv(sample: Study) -> None:
    compared = ["Comparison", "Largest differences"]
    pages = {
        "Model_B_s_info": ["Summary", "permutation1", "permutation2", "Problems", "About"],
        "s_info_results": ["Summary", *compared, "All measures", "Problems", "About"],
    }
    books = {name: load_workbook(sample.folder / RESULTS / f"{name}.xlsx") for name in pages}
    for name, book in books.items():
        assert [sheet.title for sheet in book if sheet.sheet_state == "visible"] == pages[name]
    rows = list(books["Model_B_s_info"]["permutation1"].values)
    labels = [str(label).replace("\n", " ") for label in rows[0]]
    first = ["Idiom", "Reference", "Prediction", "ROUGE-L precision", "Brevity penalty", "S_Info"]
    assert labels[:6] == first
    assert {"Row", "Band", "Component", "Language", "Problem"} <= {*labels[6:]}
    units = sample.units("Model_B")
    expected = units.loc[units["Sheet"] == "permutation1", "S_Info"].dropna().tolist()
    assert [row[5] for row in rows[1:] if row[5] is not None] == pytest.approx(expected)
    summary = {row[1]: row for row in books["Model_B_s_info"]["Summary"].values}
    assert (units["Component"] == "balanced").sum() in summary["Overall"]


def test_the_comparison_is_paired_over_shared_idioms(two_models: Study) -> None:
    result = two_models.run(*RUN)
    (row,) = pd.read_csv(two_models.folder / RESULTS / "comparisons.csv").to_dict("records")
    close, far = two_models.units("close")["S_Info"], two_models.units("far")["S_Info"]
    assert row["Difference"] == pytest.approx((close - far).mean())
    assert (row["Shared"], row["Wins"], row["Losses"]) == (8, 8, 0)
    assert row["CI_Low"] < row["Difference"] < row["CI_High"]
    assert "close scores highest" in result.out
    assert "On the 8 idioms both models answered it leads far by" in result.text


def test_metrics_and_manifest_have_what_programs_need(two_models: Study) -> None:
    two_models.run(*RUN, "--rouge", "lin")
    content = two_models.json(f"{RESULTS}/metrics.json")
    model = content["models"]["close"]
    assert (content["schema"], model["S_Info"]) == (1, two_models.results().loc["close", "S_Info"])
    assert model["sheets"]["close"]["Average_S_Info"] == pytest.approx(model["S_Info"])
    manifest = two_models.json(f"{RESULTS}/manifest.json")
    assert manifest["signature"].startswith("sinfo|rouge:lin|tok:auto|refs:max|len:chars|")
    assert manifest["mapping"]["prediction"] == ["Prediction"]
    assert [len(digest) for digest in manifest["inputs"].values()] == [64] * 3
    assert "close_s_info.xlsx" in manifest["outputs"]


def test_the_same_input_gives_the_same_bytes(
    two_models: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reports() -> dict[str, bytes]:
        files = [path for path in (two_models.folder / RESULTS).iterdir() if path.is_file()]
        hidden = (".scoresheet.lock", "manifest.json")
        return {path.name: path.read_bytes() for path in files if path.name not in hidden}

    two_models.run(*RUN, "-j", "1")
    first = reports()
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    two_models.run(*RUN, "-j", "2")
    assert reports() == first
