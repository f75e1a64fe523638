"""What is in the reports?"""

from __future__ import annotations

import json
import math
from pathlib import Path

import openpyxl
import pytest

from scoresheet.metrics import brevity_penalty, rouge_l_precision, s_info
from tests.helpers.files import header, sheet_names, sheet_rows, sheet_text, write_bytes, write_csv
from tests.helpers.json_values import leaves, nested, refuse
from tests.helpers.runs import Run
from tests.helpers.studies import ANSWERS, REFERENCES, Place, answers

SIGNATURE = "sinfo|rouge:1.0.1|tok:auto|refs:max|len:chars|missing:nan|agg:sheets|v:0.1.0"
ARRANGEMENT = [
    "Row",
    "Idiom",
    "Reference",
    "Prediction",
    "P_ROUGE",
    "BP",
    "S_Info",
    "Band",
    "Component",
    "Language",
    "References",
    "Problem",
]
MEASURES = ("P_ROUGE", "BP", "S_Info")


@pytest.fixture
def scored(place: Place) -> Place:
    """Two models scored: `m` with two sheets, `n` with a row that has no score."""
    place.references()
    place.book("m", {"perm1": answers(), "perm2": answers({"break the ice": "to begin to talk"})})
    place.model("n", ANSWERS | {"break the ice": ""})
    assert place.score().code == 0
    return place


def test_a_run_writes_these_files_and_no_others(scored: Place) -> None:
    names = {path.name for path in scored.res.iterdir() if path.is_file()} - {".scoresheet.lock"}
    reports = {f"{model}_s_info.{kind}" for model in "mn" for kind in ("csv", "xlsx")}
    shared = {"s_info_results.csv", "s_info_results.xlsx", "problems.csv", "metrics.json", "manifest.json"}
    assert names == reports | shared | {"comparisons.csv"}


def test_the_results_table_has_these_columns(scored: Place) -> None:
    assert header(scored.res / "s_info_results.csv") == [
        *("Model Name", "S_Info", "CI_Low", "CI_High", "CI_Note", "Answered", "Rank", "Shared", "On_Shared"),
        *("Rows", "Scored", "Coverage", "Status"),
    ]


def test_the_table_of_units_has_these_columns_and_no_free_text(scored: Place) -> None:
    assert header(scored.res / "m_s_info.csv") == ["Sheet", "Row", "Idiom", "P_ROUGE", "BP", "S_Info"]


def test_the_table_of_problems_has_these_columns(scored: Place) -> None:
    columns = ["file", "sheet", "row", "column", "kind", "message", "effect"]
    assert header(scored.res / "problems.csv") == columns


def test_a_models_workbook_has_its_sheets_between_summary_and_problems(scored: Place) -> None:
    assert sheet_names(scored.workbook("m")) == ["Summary", "perm1", "perm2", "Components", "Problems", "About"]
    assert sheet_names(scored.workbook("n")) == ["Summary", "Sheet1", "Components", "Problems", "About"]


def test_a_sheet_of_an_arrangement_has_these_columns_and_one_row_per_unit(scored: Place) -> None:
    head, *rows = sheet_rows(scored.workbook("m"), "perm1")
    assert head == ARRANGEMENT
    assert [row[1:4] for row in rows] == [[idiom, REFERENCES[idiom], ANSWERS[idiom]] for idiom in ANSWERS]
    assert [row[0] for row in rows] == [2, 3, 4]


def test_the_results_workbook_ends_with_problems_and_about(scored: Place) -> None:
    names = sheet_names(scored.res / "s_info_results.xlsx")
    assert names == ["Summary", "Comparison", "Models", "Problems", "About"]
    assert sheet_rows(scored.res / "s_info_results.xlsx", "Summary")[0][:2] == ["Model Name", "S_Info"]


def test_the_summary_ends_with_the_overall_mean_of_the_sheet_averages(scored: Place) -> None:
    head, *rows = sheet_rows(scored.workbook("m"), "Summary")
    assert head[:2] == ["Sheet", "Average_S_Info"]
    table = {row[0]: row[1] for row in rows if row[0] is not None}
    assert list(table) == ["perm1", "perm2", "Overall"]
    by_sheet = [
        [float(unit["S_Info"]) for unit in scored.detail("m") if unit["Sheet"] == sheet] for sheet in ("perm1", "perm2")
    ]
    averages = [math.fsum(values) / len(values) for values in by_sheet]
    overall = math.fsum(averages) / 2
    assert [table["perm1"], table["perm2"]] == pytest.approx(averages, rel=1e-12)
    assert table["Overall"] == pytest.approx(overall, rel=1e-12)
    assert float(scored.results()["m"]["S_Info"]) == pytest.approx(overall, rel=1e-12)


def test_units_hold_the_measures_of_the_library_at_full_precision(scored: Place) -> None:
    for unit in (unit for unit in scored.detail("m") if unit["Sheet"] == "perm1"):
        texts = ANSWERS[unit["Idiom"]], REFERENCES[unit["Idiom"]]
        expected = (rouge_l_precision(*texts), brevity_penalty(*texts), s_info(*texts))
        assert tuple(float(unit[measure]) for measure in MEASURES) == expected


def test_units_without_a_score_are_listed_with_empty_measures(scored: Place) -> None:
    first = scored.detail("n")[0]
    assert (first["Sheet"], first["Row"], first["Idiom"]) == ("Sheet1", "2", "break the ice")
    assert [first[measure] for measure in MEASURES] == ["", "", ""]
    assert len(scored.detail("n")) == 3


def test_a_row_without_a_score_says_why_in_the_workbook(scored: Place) -> None:
    row = dict(zip(*sheet_rows(scored.workbook("n"), "Sheet1")[:2], strict=True))
    assert row["Idiom"] == "break the ice"
    assert row["S_Info"] is None
    assert row["Problem"]


def test_coverage_is_the_fraction_of_rows_with_a_score(scored: Place) -> None:
    result = scored.results()["n"]
    assert (result["Rows"], result["Scored"]) == ("3", "2")
    assert float(result["Coverage"]) == pytest.approx(2 / 3)
    assert float(scored.results()["m"]["Coverage"]) == 1.0


def test_numbers_in_a_workbook_are_whole_and_shown_with_three_places(scored: Place) -> None:
    book = openpyxl.load_workbook(scored.workbook("m"))
    columns = [cell.value for cell in book["perm1"][1]]
    seen = 0
    for unit, row in zip(scored.detail("m"), book["perm1"].iter_rows(min_row=2), strict=False):
        for measure in MEASURES:
            cell = row[columns.index(measure)]
            assert isinstance(cell.value, int | float)
            assert cell.value == float(f"{float(unit[measure]):.16G}")
            assert cell.number_format == "0.000"
            seen += cell.value != round(cell.value, 3)
    assert seen >= 3
    assert book["Summary"]["B2"].number_format == "0.000"


def test_problems_of_a_model_are_in_its_workbook(scored: Place) -> None:
    text = sheet_text(scored.workbook("n"), "Problems")
    assert "empty-prediction" in text
    assert "empty-prediction" not in sheet_text(scored.workbook("m"), "Problems")
    assert "empty-prediction" in sheet_text(scored.res / "s_info_results.xlsx", "Problems")


@pytest.mark.parametrize("name", ["m_s_info.xlsx", "s_info_results.xlsx"])
def test_about_carries_the_signature(scored: Place, name: str) -> None:
    assert SIGNATURE in sheet_text(scored.res / name, "About")


def test_the_manifest_carries_the_signature_the_version_and_the_arguments(scored: Place) -> None:
    manifest = json.loads((scored.res / "manifest.json").read_text("utf-8"))
    assert manifest["signature"] == SIGNATURE
    assert manifest["version"] == "0.1.0"
    assert {"command", "arguments", "started", "seconds", "inputs", "outputs", "counts"} <= set(manifest)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--rouge", "lin"), "sinfo|rouge:lin|"),
        (("--tokenizer", "whitespace"), "|tok:whitespace|"),
        (("--references-by", "mean"), "|refs:mean|"),
        (("--length", "tokens"), "|len:tokens|"),
        (("--missing", "zero"), "|missing:zero|"),
        (("--aggregate", "rows"), "|agg:rows|"),
    ],
)
def test_the_signature_shows_each_option(place: Place, options: tuple[str, ...], part: str) -> None:
    place.references()
    place.model("m")
    assert place.score(*options).code == 0
    assert part in sheet_text(place.workbook(), "About")


def test_metrics_json_holds_nested_numbers_and_lines_of_pages(place: Place) -> None:
    place.references()
    place.model("m")
    place.model("none", {"break the ice": ""})
    write_bytes(place.outs / "bad.xlsx", b"not a workbook")
    assert place.score().code == 3
    metrics = json.loads((place.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)
    assert isinstance(metrics, dict)
    values = list(leaves(nested(metrics)))
    assert {type(value) for value in values} <= {int, float, type(None)}
    assert float(place.results()["m"]["S_Info"]) in values


def test_a_failed_model_has_a_line_with_empty_measures(place: Place) -> None:
    place.references()
    place.model("good")
    write_bytes(place.outs / "bad.xlsx", b"not a workbook")
    assert place.score().code == 3
    line = place.results()["bad"]
    assert (line["S_Info"], line["CI_Low"], line["CI_High"], line["Status"]) == ("", "", "", "failed")
    assert list(place.results()) == ["good", "bad"]  # the best first, what has no score after it


def test_a_model_without_any_score_is_unscored(place: Place) -> None:
    place.references()
    place.model("good")
    place.model("none", {"break the ice": "", "spill the beans": "..."})
    assert place.score().code == 0
    line = place.results()["none"]
    assert (line["S_Info"], line["Rows"], line["Scored"], line["Status"]) == ("", "2", "0", "unscored")
    assert float(line["Coverage"]) == 0


def test_the_table_of_results_is_on_stdout(place: Place) -> None:
    place.references()
    place.model("m")
    ended = place.score()
    assert "m" in ended.out
    assert f"{float(place.results()['m']['S_Info']):.3f}" in ended.out


def test_a_sheet_with_one_idiom_has_no_interval_of_its_own(run: Run, folder: Path) -> None:
    rows = [("Sheet", "Idiom", "Prediction"), *(("x", f"i{n}", "one two") for n in range(5)), ("y", "i0", "one")]
    write_csv(folder / "outs/good.csv", rows)
    write_csv(folder / "refs/explanations.csv", [("idiom", "explanation"), *((f"i{n}", "one two") for n in range(5))])
    run("sinfo", "outs", "refs", "-o", "res")
    sheets = json.loads((folder / "res/metrics.json").read_text(encoding="utf-8"))["good"]["Sheets"]
    assert sheets["y"]["CI_Low"] is None
    assert sheets["x"]["CI_Low"] is not None


def test_without_punctuation_texts_that_differ_in_nothing_else_are_equal(place: Place) -> None:
    place.references({"i": "to be (very) happy, at last!!"})
    place.model("m", {"i": "to be very happy at last"})
    assert place.score().code == 0
    assert place.scores()[0] < 1  # the marks make the reference longer
    assert place.score("--strip-punctuation").code == 0
    assert [place.detail()[0][name] for name in MEASURES] == ["1.0", "1.0", "1.0"]
    assert "|nopunct" in json.loads((place.res / "manifest.json").read_text("utf-8"))["signature"]


def test_a_prediction_in_a_script_that_no_reference_has_is_scored_or_not_as_was_asked(place: Place) -> None:
    place.references({"i": "to be happy", "j": "to be sad"})
    place.model("m", {"i": "быть счастливым", "j": "to be sad"})
    assert place.score().code == 0
    assert place.scores()[0] == 0.0
    assert place.score("--language-mismatch", "unscored").code == 0
    assert [unit["S_Info"] for unit in place.detail()] == ["", "1.0"]
    assert float(place.results()["m"]["S_Info"]) == 1.0
    (said,) = [line for line in place.problems() if line["effect"] == "row not scored"]
    assert (said["row"], "references only in" in said["message"]) == ("2", True), said
