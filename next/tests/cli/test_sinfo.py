"""sinfo from the command line: the numbers, the options and the reports."""

import math
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook

from scoresheet.cli.commands.init import sample_files
from scoresheet.metrics.sinfo.options import COMMAND

from .conftest import Study

REFERENCE = "the cat sat on the mat"


def one_row(study: Study, prediction: str, reference: str, *options: str) -> pd.Series:
    study.csv("out.csv", "Idiom,Prediction,Reference", [["x", prediction, reference]])
    result = study.run("sinfo", "out.csv", "--accept", "same-as-reference", *options)
    assert result.code == 0, result.err
    return study.units("out").iloc[0]


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
    row = one_row(study, prediction, reference, *options.split())
    assert row["P_ROUGE"] == pytest.approx(p, abs=1e-9)
    assert row["BP"] == pytest.approx(bp, abs=1e-6)
    assert row["S_Info"] == pytest.approx(row["P_ROUGE"] * row["BP"], abs=1e-15)


@pytest.mark.parametrize(
    ("how", "expected"),
    [("max", 1.0), ("mean", (math.exp(1 - 22 / 11) + 1.0) / 2), ("first", math.exp(1 - 22 / 11))],
)
@pytest.mark.parametrize("layout", ["cell", "columns", "rows", "list", "files"])
def test_several_references_are_combined_however_they_are_laid_out(
    study: Study, how: str, expected: float, layout: str
) -> None:
    first, second = REFERENCE, "the cat sat"
    study.csv("out.csv", "Idiom,Prediction", [["x", "the cat sat"]])
    options = ["refs"]
    if layout == "cell":
        study.csv("refs/r.csv", "idiom,explanation", [["x", f"{first}||{second}"]])
    elif layout == "columns":
        study.csv("refs/r.csv", "idiom,ref1,ref2", [["x", first, second]])
        options += ["--column", "references.reference=ref1,ref2"]
    elif layout == "rows":
        study.csv("refs/r.csv", "idiom,explanation", [["x", first], ["x", second]])
    elif layout == "list":
        study.text("refs/r.json", f'[{{"idiom": "x", "references": ["{first}", "{second}"]}}]')
    else:
        study.csv("refs/a.csv", "idiom,explanation", [["x", first]])
        study.csv("refs/b.csv", "idiom,explanation", [["x", second]])
    result = study.run("sinfo", "out.csv", *options, "--references-by", how)
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
    table = pd.read_csv(two_models.folder / "results/information_density/by.csv")
    assert table["Value"].tolist() == ["food", "work"]
    assert table["Units"].tolist() == [4, 4]
    halves = two_models.units("close")["S_Info"].groupby([0, 1] * 4).mean()
    assert table["S_Info"].tolist() == pytest.approx(halves.tolist())


def test_the_sample_tables_give_the_known_results(study: Study) -> None:
    for path, content in sample_files(COMMAND).items():
        study.text(str(path), content)
    result = study.run("sinfo")
    assert result.code == 0
    # computed once with pandas and the library rouge on the same tables
    assert study.results()["S_Info"].tolist() == pytest.approx([0.7546617406, 0.2757069414])
    assert "Model_A scores highest (S_Info 0.755)" in result.out
    names = {p.name for p in (study.folder / "results/information_density").iterdir()}
    assert names >= {
        *("s_info_results.csv", "s_info_results.xlsx", "Model_A_s_info.csv", "Model_B_s_info.xlsx"),
        *("comparisons.csv", "problems.csv", "metrics.json", "manifest.json", ".scoresheet"),
    }


@pytest.mark.filterwarnings("ignore:.*extension is not supported")  # data bars
def test_workbooks_have_the_sheets_and_numbers_of_the_csv(study: Study) -> None:
    for path, content in sample_files(COMMAND).items():
        study.text(str(path), content)
    study.run("sinfo")
    folder = study.folder / "results/information_density"
    book = load_workbook(folder / "Model_B_s_info.xlsx")
    pages = ["Summary", "permutation1", "permutation2", "Problems", "About"]
    assert [sheet.title for sheet in book if sheet.sheet_state == "visible"] == pages
    sheet = book["permutation1"]
    header = [str(cell.value).replace("\n", " ") for cell in sheet[1]]
    assert header[:6] == [
        *("Idiom", "Reference", "Prediction", "ROUGE-L precision", "Brevity penalty", "S_Info"),
    ]
    assert header[6:] == ["Row", "Band", "Component", "Language", "Problem"]
    units = study.units("Model_B")
    expected = units.loc[units["Sheet"] == "permutation1", "S_Info"].tolist()
    shown = [row[5].value for row in sheet.iter_rows(min_row=2)]
    assert [value for value in shown if value is not None] == pytest.approx(
        [value for value in expected if not math.isnan(value)]
    )
    counts = Counter(units["Component"].dropna())
    summary = {row[1].value: [c.value for c in row] for row in book["Summary"].iter_rows()}
    assert counts["balanced"] in summary["Overall"]
    results = load_workbook(folder / "s_info_results.xlsx")
    visible = [sheet.title for sheet in results if sheet.sheet_state == "visible"]
    assert visible == ["Summary", "Comparison", "All measures", "Problems", "About"]


def test_the_comparison_is_paired_over_shared_idioms(two_models: Study) -> None:
    result = two_models.run("sinfo", "runs", "refs")
    pairs = pd.read_csv(two_models.folder / "results/information_density/comparisons.csv")
    (row,) = pairs.to_dict("records")
    close, far = two_models.units("close")["S_Info"], two_models.units("far")["S_Info"]
    assert row["Difference"] == pytest.approx((close - far).mean())
    assert (row["Shared"], row["Wins"], row["Losses"]) == (8, 8, 0)
    assert row["CI_Low"] < row["Difference"] < row["CI_High"]
    assert "close scores highest" in result.out
    assert "On the 8 idioms both models answered it leads far by" in result.text


def test_metrics_json_has_one_number_per_model_and_sheet(two_models: Study) -> None:
    two_models.run("sinfo", "runs", "refs")
    content = two_models.json("results/information_density/metrics.json")
    assert content["schema"] == 1
    model = content["models"]["close"]
    assert model["S_Info"] == pytest.approx(two_models.results().loc["close", "S_Info"])
    assert model["sheets"]["close"]["Average_S_Info"] == pytest.approx(model["S_Info"])


def test_the_manifest_names_inputs_mapping_and_signature(two_models: Study) -> None:
    two_models.run("sinfo", "runs", "refs", "--rouge", "lin")
    manifest = two_models.json("results/information_density/manifest.json")
    assert manifest["signature"].startswith("sinfo|rouge:lin|tok:auto|refs:max|len:chars|")
    assert manifest["mapping"]["prediction"] == ["Prediction"]
    assert len(manifest["inputs"]) == 3
    assert all(len(digest) == 64 for digest in manifest["inputs"].values())
    assert "close_s_info.xlsx" in manifest["outputs"]


def reports(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.iterdir() if path.is_file()]
    hidden = (".scoresheet.lock", "manifest.json")
    return {path.name: path.read_bytes() for path in files if path.name not in hidden}


def test_the_same_input_gives_the_same_bytes(
    two_models: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = two_models.folder / "results/information_density"
    two_models.run("sinfo", "runs", "refs", "-j", "1")
    first = reports(folder)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    two_models.run("sinfo", "runs", "refs", "-j", "2")
    assert reports(folder) == first
