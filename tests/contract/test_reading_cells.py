"""What text does a cell become?"""

from __future__ import annotations

from datetime import date
from pathlib import Path

import openpyxl
import pytest

from tests.helpers.files import Formula, edit_sheet, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import ANSWERS, Place, answers

pytestmark = pytest.mark.usefixtures("no_workbooks")

READERS = ["calamine", "openpyxl"]
LITERAL = [
    "001",
    "1",
    "1e5",
    "100000",
    "TRUE",
    "True",
    "NA",
    "N/A",
    "#N/A",
    "null",
    "None",
    "nan",
    "NaN",
    "inf",
    "0x10",
    "1_000",
    "2024-01-31",
    "50%",
    "1,5",
    "１",
]
TYPED = [
    (12, "12"),
    (13.0, "13"),
    (0.1, "0.1"),
    (-3.5, "-3.5"),
    (1234567890123, "1234567890123"),
    (0.3333333333333333, "0.3333333333333333"),
    (date(2024, 1, 31), "2024-01-31"),
    (date(1999, 12, 1), "1999-12-01"),
    (True, "TRUE"),
    (False, "FALSE"),
]


def both_formats(place: Place, pairs: dict[str, str]) -> None:
    """References, and the same pairs as the answers of two models: a CSV and a workbook."""
    place.references(pairs)
    place.model("csv", pairs)
    place.book("xlsx", {"perm1": answers(pairs)})


def test_text_that_looks_like_another_type_is_a_key_as_it_stands(place: Place) -> None:
    both_formats(place, {text: f"meaning number {i} and no other" for i, text in enumerate(LITERAL)})
    assert place.score().code == 0
    for model in ("csv", "xlsx"):
        assert [unit["Idiom"] for unit in place.detail(model)] == LITERAL
        assert place.scores(model) == [1.0] * len(LITERAL)


def test_text_that_looks_like_another_type_is_a_prediction_as_it_stands(place: Place) -> None:
    both_formats(place, {f"idiom {i}": text for i, text in enumerate(LITERAL)})
    assert place.score().code == 0
    for model in ("csv", "xlsx"):
        assert place.scores(model) == [1.0] * len(LITERAL)


@pytest.mark.parametrize("reader", READERS)
def test_typed_cells_become_the_text_a_person_would_type(place: Place, reader: str) -> None:
    place.references({text: text for _, text in TYPED})
    place.book("m", {"perm1": [("Idiom", "Prediction"), *((value, value) for value, _ in TYPED)]})
    assert place.score("--reader", reader).code == 0
    assert [unit["Idiom"] for unit in place.detail()] == [text for _, text in TYPED]
    assert place.scores() == [1.0] * len(TYPED)


@pytest.mark.parametrize("reader", READERS)
def test_a_stored_number_is_read_for_its_value(place: Place, reader: str) -> None:
    stored = {"12.0": "12", "1E3": "1000", "0.30000000000000004": "0.30000000000000004"}
    place.references(dict.fromkeys(stored.values(), "a number"))
    path = place.book("m", {f"perm{n}": [("Idiom", "Prediction"), (77, "a number")] for n in range(len(stored))})
    for number, written in enumerate(stored, start=1):
        edit_sheet(path, "<v>77</v>", f"<v>{written}</v>", number)
    assert place.score("--reader", reader).code == 0
    assert [unit["Idiom"] for unit in place.detail()] == list(stored.values())
    assert place.scores() == [1.0] * len(stored)


@pytest.mark.parametrize("reader", READERS)
def test_a_date_counted_from_1904_is_the_same_day(place: Place, reader: str) -> None:
    place.references({"2024-01-31": "a day"})
    rows = [("Idiom", "Prediction"), (date(2024, 1, 31), "a day")]
    place.book("m", {"perm1": rows}, {"date_1904": True})
    assert place.score("--reader", reader).code == 0
    assert [unit["Idiom"] for unit in place.detail()] == ["2024-01-31"]


@pytest.mark.parametrize("reader", READERS)
def test_a_formula_counts_with_its_stored_value(place: Place, reader: str) -> None:
    place.references({"a": "very rarely", "12": "a number"})
    rows = [("Idiom", "Prediction"), ("a", Formula('="very "&"rarely"', "very rarely"))]
    place.book("m", {"perm1": [*rows, (Formula("=6+6", 12), "a number")]})
    assert place.score("--reader", reader).code == 0
    assert [unit["Idiom"] for unit in place.detail()] == ["a", "12"]
    assert place.scores() == [1.0, 1.0]


@pytest.mark.parametrize("reader", READERS)
def test_a_formula_without_a_stored_value_refuses_its_sheet_and_no_other(place: Place, reader: str) -> None:
    place.references()
    broken = [*answers(), ("break the ice", Formula("=B2"))]
    place.book("m", {"perm1": broken, "perm2": answers()})
    ended = place.score("--reader", reader)
    assert ended.code == 3
    assert "m.xlsx[perm1] row 5, column Prediction: " in ended.err
    (line,) = place.problems("formula-without-value")
    assert (line["file"], line["sheet"], line["row"]) == ("m.xlsx", "perm1", "5")
    assert line["effect"] == "sheet skipped"
    assert {unit["Sheet"] for unit in place.detail()} == {"perm2"}
    assert place.results()["m"]["Status"] == "partial"


def test_a_model_of_nothing_but_unsaved_formulas_fails_beside_a_good_one(place: Place) -> None:
    place.references()
    place.model("good")
    place.book("m", {"perm1": [("Idiom", "Prediction"), ("break the ice", Formula("=B1"))]})
    assert place.score().code == 3
    assert place.results()["m"]["Status"] == "failed"
    assert place.results()["good"]["Status"] == "ok"


def test_unsaved_formulas_in_the_only_model_leave_nothing_to_score(place: Place) -> None:
    place.references()
    place.book("m", {"perm1": [("Idiom", "Prediction"), ("break the ice", Formula("=B1"))]})
    ended = place.score()
    assert ended.code == 4
    assert "m.xlsx[perm1] row 2, column Prediction: " in ended.err


def test_a_formula_written_by_openpyxl_has_no_stored_value(place: Place) -> None:
    place.references()
    place.model("good")
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Idiom", "Prediction"])
    sheet.append(["break the ice", '="to "&"begin"'])
    book.save(place.outs / "m.xlsx")
    assert place.score().code == 3
    (line,) = place.problems("formula-without-value")
    assert (line["file"], line["row"]) == ("m.xlsx", "2")


def test_a_formula_with_an_empty_value_of_type_text_is_a_stored_empty_string(place: Place) -> None:
    place.references()
    path = place.book("m", {"perm1": [*answers(), ("break the ice", Formula('=""'))]})
    edit_sheet(path, '<c r="B5"><f>', '<c r="B5" t="str"><f>')
    assert place.score().code == 0
    assert not place.problems("formula-without-value")
    assert [line["row"] for line in place.problems("empty-prediction")] == ["5"]


@pytest.mark.parametrize("reader", READERS)
def test_an_unsaved_formula_is_addressed_where_the_spreadsheet_shows_it(place: Place, reader: str) -> None:
    place.references()
    place.model("good")
    broken = (None, "break the ice", Formula("=A1"))
    place.book("m", {"perm1": [(), (), (None, "Idiom", "Prediction"), broken]})
    assert place.score("--reader", reader).code == 3
    (line,) = place.problems("formula-without-value")
    assert (line["sheet"], line["row"]) == ("perm1", "4")


@pytest.mark.parametrize("reader", READERS)
def test_an_error_cell_costs_its_row_only(place: Place, reader: str) -> None:
    place.references()
    path = place.book("m", {"perm1": [*answers(), (77, "to talk")], "perm2": [*answers(), ("break the ice", 77)]})
    for number, column in enumerate("AB", start=1):
        edit_sheet(path, f'<c r="{column}5"><v>77</v>', f'<c r="{column}5" t="e"><v>#DIV/0!</v>', number)
    assert place.score("--reader", reader).code == 0
    listed = [(line["sheet"], line["row"], line["effect"]) for line in place.problems("error-cell")]
    assert listed == [(sheet, "5", "row not scored") for sheet in ("perm1", "perm2")]
    assert [unit["S_Info"] != "" for unit in place.detail() if unit["Row"] != "5"] == [True] * 6


@pytest.mark.parametrize("reader", READERS)
def test_a_formula_that_ended_in_an_error_is_an_error_cell(place: Place, reader: str) -> None:
    place.references()
    path = place.book("m", {"perm1": [*answers(), ("break the ice", Formula("=1/0", 77))]})
    edit_sheet(path, '<c r="B5"><f>1/0</f><v>77</v>', '<c r="B5" t="e"><f>1/0</f><v>#DIV/0!</v>')
    assert place.score("--reader", reader).code == 0
    assert [line["row"] for line in place.problems("error-cell")] == ["5"]


def test_the_text_of_an_error_value_is_text(place: Place) -> None:
    both_formats(place, {"a": "#DIV/0!", "#REF!": "b"})
    assert place.score().code == 0
    assert not place.problems("error-cell")
    assert place.scores("csv") == place.scores("xlsx") == [1.0, 1.0]


@pytest.mark.parametrize("reader", READERS)
def test_an_empty_key_below_a_merged_key_cell_is_a_row_problem_that_names_the_cell(place: Place, reader: str) -> None:
    place.references()
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in [("Idiom", "Prediction"), ("break the ice", "to talk"), (None, "to begin")]:
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    place.outs.mkdir()
    book.save(place.outs / "m.xlsx")
    assert place.score("--reader", reader).code == 0
    (line,) = place.problems("empty-key")
    assert (line["row"], line["effect"]) == ("3", "row not scored")
    assert "merged" in line["message"]
    assert "2" in line["message"]


def test_an_empty_key_is_a_row_problem(place: Place) -> None:
    place.references()
    write_csv(place.outs / "m.csv", [*answers(), ("", "to begin"), ("   ", "to begin")])
    assert place.score().code == 0
    listed = [(line["file"], line["sheet"], line["row"], line["effect"]) for line in place.problems("empty-key")]
    assert listed == [("m.csv", "Sheet1", row, "row not scored") for row in ("5", "6")]


def test_a_wordless_prediction_has_no_score_and_lowers_coverage(place: Place) -> None:
    place.references()
    wordless = {"empty": "", "blanks": "   ", "stop": ".", "stops": "...", "apart": " . . "}
    for model, text in wordless.items():
        place.model(model, ANSWERS | {"break the ice": text})
    assert place.score().code == 0
    listed = {line["file"]: (line["row"], line["effect"]) for line in place.problems("empty-prediction")}
    assert listed == {f"{model}.csv": ("2", "row not scored") for model in wordless}
    assert len(place.problems("empty-prediction")) == len(wordless)
    for model in wordless:
        assert place.detail(model)[0]["S_Info"] == ""
        result = place.results()[model]
        assert (result["Rows"], result["Scored"], result["Status"]) == ("3", "2", "ok")
        assert float(result["Coverage"]) == pytest.approx(2 / 3)


def test_an_idiom_without_reference_has_no_score_and_a_near_key_is_suggested(place: Place) -> None:
    place.references()
    place.model("m", {"Break The Ice": "x"} | ANSWERS)
    assert place.score().code == 0
    (line,) = place.problems("no-reference")
    assert (line["row"], line["effect"]) == ("2", "row not scored")
    assert "break the ice" in line["message"]
    assert place.detail()[0]["S_Info"] == ""


def test_both_readers_read_an_escaped_character_alike(run: Run, folder: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(folder / "outs/x.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Idiom", "Prediction"])
        sheet.write_row(1, 0, ["a", "one\rtwo"])
    texts = []
    for reader in ("calamine", "openpyxl"):
        assert run("sinfo", "outs", "refs", "-o", "res", "--reader", reader).code == 0
        texts.append((folder / "res/x_s_info.csv").read_text(encoding="utf-8"))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("reader", READERS)
def test_text_that_looks_like_an_escape_is_read_as_it_stands(place: Place, reader: str) -> None:
    texts = ["_x0041_", "fox005F_", "_x005F_", "a_x000D_b"]
    place.references(dict.fromkeys(texts, "the same"))
    place.book("m", {"perm1": answers(dict.fromkeys(texts, "the same"))})
    assert place.score("--reader", reader).code == 0
    assert [unit["Idiom"] for unit in place.detail()] == texts


MISREAD = {
    'two cells of one address, and one of them would be dropped': ('r="A3"', 'r="A2"', "row 2, column 1"),
    'the same in small letters': ('r="A3"', 'r="a2"', "row 2, column 1"),
    'a cell without an address before one that has its own': ('r="B2" t="s"', 't="s"', ""),
    'a cell where another is': ('<c r="B4"', '<c r="A3" t="s"><v>2</v></c><c r="B4"', "row 3, column 1"),
    'a row of 0': ('r="A3"', 'r="A0"', "no worksheet has"),
    'a row below the last': ('r="A3"', 'r="A1048577"', "no worksheet has"),
    'a column beyond the last': ('r="A3"', 'r="XFE3"', "no worksheet has"),
    'a digit of another script, which openpyxl takes for one': ('r="A3"', 'r="A٢"', "no worksheet has"),
    'a string whose number is none, for which calamine gives the first': ("<v>2</v>", "<v> 2</v>", "is no number"),
    'NUL': ("<v>2</v>", "<v>2\0</v>", "NUL"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), MISREAD.values(), ids=list(MISREAD))
def test_a_sheet_that_readers_would_misread_is_refused(place: Place, old: str, new: str, said: str) -> None:
    place.references()
    place.model("good")
    edit_sheet(place.book("m", {"perm1": answers()}), old, new)
    ended = place.score()
    if not said:
        assert (ended.code, place.scores()) == (0, place.scores("good"))
        return
    assert ended.code == 3
    (line,) = [line for line in place.problems("not-a-table") if line["file"] == "m.xlsx"]
    assert said in line["message"]


def test_rows_of_nothing_before_the_last_one_are_no_rows(place: Place) -> None:
    place.references()
    path = place.book("m", {"perm1": answers()})
    edit_sheet(path, "</sheetData>", '<row r="5000"><c r="A5000" t="s"><v>2</v></c></row></sheetData>')
    assert place.score("--missing", "zero").code == 0
    assert [line["row"] for line in place.problems() if line["effect"] == "row not scored"] == ["5000"]
