"""Models compared as a run shows it: on the screen, in tables, for machines; one, two, ten and eleven models."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

from tests.helpers.charts import charts
from tests.helpers.files import header, read_csv, sheet_names, sheet_rows, sheet_text, write_csv
from tests.helpers.runs import Result, Run

pytestmark = pytest.mark.usefixtures("no_workbooks")

IDIOMS = [f"i{n}" for n in range(9)]
WORDS = 40
COLUMNS = [
    *("Measure", "Family", "Model", "Other_Model", "Shared", "Mean", "Other_Mean", "Difference", "CI_Low", "CI_High"),
    *("P_Value", "P_Holm", "Effect_Size", "Wins", "Ties", "Losses", "Detectable", "Finding"),
]


def scored(run: Run, folder: Path, models: int, *options: str) -> Result:
    """Run on so many models, each better than the one before by a word of forty."""
    for model in range(models):
        kept = [f"w{n:02}" for n in range(10 + model)] + [f"x{n:02}" for n in range(WORDS - 10 - model)]
        rows = [(idiom, " ".join(kept)) for idiom in IDIOMS]
        write_csv(folder / f"outs/m{model:02}.csv", [("Idiom", "Prediction"), *rows])
    reference = " ".join(f"w{n:02}" for n in range(WORDS))
    write_csv(folder / "refs/r.csv", [("idiom", "explanation"), *((idiom, reference) for idiom in IDIOMS)])
    ended = run("sinfo", "outs", "refs", "-o", "res", *options)
    assert ended.code == 0, ended.err
    return ended


@pytest.mark.usefixtures("workbooks")
def test_one_model_is_compared_with_nobody_and_has_a_sentence_of_its_own(run: Run, tmp_path: Path) -> None:
    ended = scored(run, tmp_path, 1)
    assert "Rank" not in ended.out
    assert "every two models" not in ended.out
    assert ended.out.splitlines()[-1] == "m00: S_Info 0.250 (95 % interval 0.250 to 0.250)."
    assert header(tmp_path / "res/comparisons.csv") == COLUMNS
    assert read_csv(tmp_path / "res/comparisons.csv") == []
    book = tmp_path / "res/s_info_results.xlsx"
    assert "Comparison" not in sheet_names(book)
    assert "m00: S_Info 0.250" in sheet_text(book, "About")
    line = read_csv(tmp_path / "res/s_info_results.csv")[0]
    assert [line[name] for name in ("Rank", "Shared", "On_Shared")] == ["", "", ""]


def test_one_model_of_few_idioms_says_why_it_has_no_interval(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", [("Idiom", "Prediction"), ("a", "one two"), ("b", "one")])
    write_csv(tmp_path / "refs/r.csv", [("idiom", "explanation"), ("a", "one two"), ("b", "one")])
    ended = run("sinfo", "outs", "refs", "-o", "res")
    assert ended.out.splitlines()[-1] == ("m: S_Info 1.000 (too few idioms for an interval: 2, at least 5 are needed).")


@pytest.mark.parametrize("models", [2, 10])
def test_two_to_ten_models_are_compared_on_the_screen(run: Run, tmp_path: Path, models: int) -> None:
    ended = scored(run, tmp_path, models)
    table, compared, sentence = ended.out.rstrip("\n").split("\n\n")
    ranked = [line.split()[0] for line in table.splitlines()[2:]]
    assert ranked == [f"m{model:02}" for model in reversed(range(models))]
    title, head, _, *lines = compared.splitlines()
    assert title == "S_Info, every two models on the idioms they share"
    assert head.split() == ["Model", "Other_Model", "Shared", "Difference", "CI_Low", "CI_High", "P_Holm", "Finding"]
    assert len(lines) == models * (models - 1) // 2
    assert sentence.startswith(f"m{models - 1:02} has the highest mean S_Info")
    # the same idioms for all: the means on shared idioms are the scores, and only ranks are worth a column
    assert "Rank" in table
    assert "On_Shared" not in table


def test_of_eleven_models_the_screen_says_where_the_pairs_are(run: Run, tmp_path: Path) -> None:
    ended = scored(run, tmp_path, 11)
    _, compared, sentence = ended.out.rstrip("\n").split("\n\n")
    assert compared == "55 pairs of models are compared: see comparisons.csv"
    # nine idioms are too few for 55 pairs: the smallest p-value is 1/256
    assert sentence.endswith("not shown to be higher than m09 and 9 more (difference 0.025; too few idioms to tell).")
    lines = read_csv(tmp_path / "res/comparisons.csv")
    assert len(lines) == 3 * 55
    assert {line["Finding"] for line in lines if line["Measure"] == "S_Info"} == {"too few idioms to tell"}
    assert scored(run, tmp_path, 11, "--dry-run").out.endswith("nothing was written\n")


def test_json_has_the_comparison_and_the_sentence(run: Run, tmp_path: Path) -> None:
    told = json.loads(scored(run, tmp_path, 3, "--json").out)
    assert [line["Model Name"] for line in told["models"]] == ["m02", "m01", "m00"]
    assert [line["Rank"] for line in told["models"]] == [1, 2, 3]
    assert [list(line) for line in told["comparison"]] == [COLUMNS] * 9
    assert told["answer"].startswith("m02 has the highest mean S_Info, 0.300, on the 9 idioms that all 3 models share")
    first = next(line for line in told["comparison"] if line["Measure"] == "S_Info")
    assert (first["Model"], first["Other_Model"], first["Wins"], first["Losses"]) == ("m00", "m01", 0, 9)
    assert first["P_Value"] == pytest.approx(2 / 2**9)
    assert first["P_Holm"] == pytest.approx(6 / 2**9)
    assert first["Effect_Size"] is None  # all differences are equal: nothing to divide by


@pytest.mark.usefixtures("workbooks")
def test_the_workbook_has_the_sentence_on_its_first_page_and_how_it_was_compared(run: Run, tmp_path: Path) -> None:
    scored(run, tmp_path, 3)
    book = tmp_path / "res/s_info_results.xlsx"
    assert sheet_names(book)[:2] == ["Summary", "Comparison"]
    assert sheet_rows(book, "Comparison")[0] == COLUMNS
    about = sheet_text(book, "About")
    assert "m02 has the highest mean S_Info" in about
    assert "3 hypotheses of S_Info together, 6 of all other measures together, which are exploratory" in about
    assert charts(book, "Summary")
    with zipfile.ZipFile(book) as parts:
        drawing = parts.read("xl/drawings/drawing1.xml").decode()
    places = sorted(map(int, re.findall(r"<xdr:row>(\d+)</xdr:row>", drawing)))
    table_ends, (box_from, box_to, chart_from, _) = 3, places
    assert table_ends < box_from < box_to < chart_from  # the sentence stands between the table and the chart
    assert "m02 has the highest mean S_Info" in drawing


def test_the_level_moves_intervals_and_findings_together(run: Run, tmp_path: Path) -> None:
    scored(run, tmp_path, 3)
    usual = read_csv(tmp_path / "res/comparisons.csv")
    scored(run, tmp_path, 3, "--ci", "0.99")
    strict = read_csv(tmp_path / "res/comparisons.csv")
    headline = [(line["P_Holm"], line["Finding"]) for line in usual if line["Measure"] == "S_Info"]
    stricter = [(line["P_Holm"], line["Finding"]) for line in strict if line["Measure"] == "S_Info"]
    assert [p for p, _ in headline] == [p for p, _ in stricter]
    assert {finding for _, finding in headline} == {"m01 is higher", "m02 is higher"}
    assert {finding for _, finding in stricter} == {"too few idioms to tell"}


@pytest.mark.parametrize("level", ["0.4", "1", "95", "nan"])
def test_a_level_that_is_none_is_refused(run: Run, tmp_path: Path, level: str) -> None:
    scored(run, tmp_path, 1)
    ended = run("sinfo", "outs", "refs", "-o", "res", "--ci", level)
    assert ended.code == 2
    assert "--ci" in ended.err


def test_a_model_that_failed_and_one_without_common_idioms_stand_after_the_ranked(run: Run, tmp_path: Path) -> None:
    scored(run, tmp_path, 2)
    write_csv(tmp_path / "outs/a_stray.csv", [("Idiom", "Prediction"), ("another", "w0 w1")])
    (tmp_path / "outs/a_bad.xlsx").write_bytes(b"not a workbook")
    with (tmp_path / "refs/r.csv").open("a", encoding="utf-8") as file:
        file.write("another,w0 w1\n")
    ended = run("sinfo", "outs", "refs", "-o", "res")
    assert ended.code == 3
    lines = {line["Model Name"]: line["Rank"] for line in read_csv(tmp_path / "res/s_info_results.csv")}
    assert list(lines.items()) == [("m01", "1"), ("m00", "2"), ("a_bad", ""), ("a_stray", "")]
    assert "on the 9 idioms that 2 of 3 models share; shown to be higher than m00." in ended.out
    assert "The higher S_Info of a_stray (1.000) is not over the same idioms." in ended.out


@pytest.mark.usefixtures("workbooks")
def test_each_model_can_be_compared_with_one_alone(run: Run, tmp_path: Path) -> None:
    ended = scored(run, tmp_path, 4, "--against", "m01")
    lines = [line for line in read_csv(tmp_path / "res/comparisons.csv") if line["Measure"] == "S_Info"]
    assert [(line["Model"], line["Other_Model"]) for line in lines] == [("m00", "m01"), ("m02", "m01"), ("m03", "m01")]
    assert "S_Info, each model against m01 on the idioms they share" in ended.out
    assert "Each model against m01 over the idioms" in sheet_text(tmp_path / "res/s_info_results.xlsx", "About")
    ended = run("sinfo", "outs", "refs", "-o", "other", "--against", "m09")
    assert ended.code == 2
    assert "--against m09: no model of this run is called so" in ended.err
    assert not (tmp_path / "other").exists()
    assert run("sinfo", "outs", "refs", "-o", "other", "--against", "m01", "--no-compare").code == 2


@pytest.mark.usefixtures("workbooks")
def test_without_comparisons_models_are_ranked_all_the_same(run: Run, tmp_path: Path) -> None:
    ended = scored(run, tmp_path, 3, "--no-compare")
    assert read_csv(tmp_path / "res/comparisons.csv") == []
    assert "Comparison" not in sheet_names(tmp_path / "res/s_info_results.xlsx")
    assert [line["Rank"] for line in read_csv(tmp_path / "res/s_info_results.csv")] == ["1", "2", "3"]
    assert (
        ended.out.splitlines()[-1] == "m02 has the highest mean S_Info, 0.300, on the 9 idioms that all 3 models share."
    )


@pytest.mark.usefixtures("workbooks")
def test_more_than_thirty_models_are_compared_with_the_best_and_that_is_said(run: Run, tmp_path: Path) -> None:
    ended = scored(run, tmp_path, 31, "-j", "1")
    _, compared, sentence = ended.out.rstrip("\n").split("\n\n")
    assert compared == (
        "30 models are compared with the best, m30, by p-values that know it was picked on these data: see "
        "comparisons.csv"
    )
    assert sentence.startswith("m30 has the highest mean S_Info")
    lines = read_csv(tmp_path / "res/comparisons.csv")
    assert len(lines) == 3 * 30
    assert {line["Other_Model"] for line in lines} == {"m30"}
    about = sheet_text(tmp_path / "res/s_info_results.xlsx", "About")
    assert "Each model against the best of them, m30 (more than 30 models) over the idioms that both have" in about
    assert "whenever signs are flipped it is picked again" in about
    told = json.loads(run("compare", "res", "--json").out)
    assert (told["against"], told["best_picked_on_these_data"]) == ("m30", True)
    rows = {(line["Measure"], line["Model"]): line["P_Value"] for line in told["comparison"]}
    assert rows == {(line["Measure"], line["Model"]): pytest.approx(float(line["P_Value"])) for line in lines}
