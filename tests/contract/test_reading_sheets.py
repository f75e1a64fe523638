"""Which sheets and rows of a workbook count, and under which number?"""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart

from tests.helpers.files import sheet_names, write_book, write_bytes, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import Place, answers, problems_in, problems_of

pytestmark = pytest.mark.usefixtures("no_workbooks")

READERS = ["calamine", "openpyxl"]


@pytest.mark.parametrize("reader", READERS)
def test_a_hidden_sheet_is_listed_and_left_out(place: Place, reader: str) -> None:
    place.references()
    path = place.book("m", {"perm1": answers(), "secret": answers(), "deeper": answers()})
    book = openpyxl.load_workbook(path)
    book["secret"].sheet_state = "hidden"
    book["deeper"].sheet_state = "veryHidden"
    book.save(path)
    assert place.score("--reader", reader).code == 0
    hidden = [(line["file"], line["sheet"]) for line in place.problems("hidden-sheet")]
    assert sorted(hidden) == [("m.xlsx", "deeper"), ("m.xlsx", "secret")]
    assert {unit["Sheet"] for unit in place.detail()} == {"perm1"}
    assert place.results()["m"]["Status"] == "ok"


@pytest.mark.parametrize("reader", READERS)
def test_a_chart_sheet_is_listed_and_left_out(place: Place, reader: str) -> None:
    place.references()
    path = place.book("m", {"perm1": answers()})
    book = openpyxl.load_workbook(path)
    book.create_chartsheet("Picture", 0).add_chart(BarChart())
    book.save(path)
    assert place.score("--reader", reader).code == 0
    assert "Picture" in [line["sheet"] for line in place.problems()]
    assert {unit["Sheet"] for unit in place.detail()} == {"perm1"}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.usefixtures("workbooks")
def test_a_sheet_with_no_cells_is_listed_and_left_out(place: Place, reader: str) -> None:
    place.references()
    place.book("m", {"perm1": answers(), "blank": []})
    assert place.score("--reader", reader).code == 0
    assert [line["sheet"] for line in place.problems("empty-sheet")] == ["blank"]
    assert {unit["Sheet"] for unit in place.detail()} == {"perm1"}
    assert "blank" not in sheet_names(place.workbook())


def test_a_hidden_sheet_of_references_is_left_out(place: Place) -> None:
    path = write_book(
        place.refs / "all.xlsx",
        {
            "seen": [("idiom", "explanation"), ("a", "one")],
            "secret": [("idiom", "explanation"), ("b", "two")],
        },
    )
    book = openpyxl.load_workbook(path)
    book["secret"].sheet_state = "hidden"
    book.save(path)
    place.model("m", {"a": "one", "b": "two"})
    assert place.score().code == 0
    assert [unit["S_Info"] != "" for unit in place.detail()] == [True, False]


def test_references_are_all_sheets_of_all_files_together(place: Place) -> None:
    head = ("idiom", "explanation")
    write_book(place.refs / "book.xlsx", {"one": [head, ("a", "first")], "two": [head, ("b", "second")]})
    write_csv(place.refs / "more.csv", [head, ("c", "third")])
    place.model("m", {"a": "first", "b": "second", "c": "third"})
    assert place.score().code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


def test_a_header_without_rows_is_listed_and_unscored(place: Place) -> None:
    place.references()
    place.model("good")
    write_csv(place.outs / "c.csv", [("Idiom", "Prediction")])
    place.book("x", {"perm1": [("Idiom", "Prediction")]})
    place.score()
    assert sorted(line["file"] for line in place.problems("no-rows")) == ["c.csv", "x.xlsx"]
    for model in ("c", "x"):
        assert place.results()[model]["Status"] == "unscored"
        assert place.results()[model]["S_Info"] == ""


def test_a_header_without_rows_as_the_only_model_leaves_nothing_to_score(place: Place) -> None:
    place.references()
    write_csv(place.outs / "m.csv", [("Idiom", "Prediction")])
    assert place.score().code == 4


@pytest.mark.parametrize("reader", READERS)
def test_rows_of_a_workbook_keep_their_numbers_around_blank_rows(place: Place, reader: str) -> None:
    place.references()
    head, first, second, third = answers()
    place.book("m", {"perm1": [head, (None, None), first, (None, None), ("", ""), second, third, (None, None)]})
    assert place.score("--reader", reader).code == 0
    assert [unit["Row"] for unit in place.detail()] == ["3", "6", "7"]
    assert place.results()["m"]["Rows"] == "3"
    assert not place.problems("empty-key")


@pytest.mark.parametrize("reader", READERS)
def test_rows_of_a_table_that_starts_lower_keep_the_spreadsheets_numbers(place: Place, reader: str) -> None:
    place.references()
    place.book("m", {"perm1": [(), (), *((None, *row) for row in answers())]})
    assert place.score("--reader", reader).code == 0
    assert [unit["Row"] for unit in place.detail()] == ["4", "5", "6"]


def test_records_of_a_csv_keep_their_numbers_around_blank_ones(place: Place) -> None:
    place.references()
    blanks = {"line": "\n", "comma": ",\n", "both": ",\n\n"}
    for name, blank in blanks.items():
        text = f"Idiom,Prediction\nbreak the ice,to talk\n{blank}spill the beans,to tell\n"
        write_bytes(place.outs / f"{name}.csv", text.encode())
    assert place.score().code == 0
    for name, blank in blanks.items():
        assert [unit["Row"] for unit in place.detail(name)] == ["2", str(3 + blank.count("\n"))]
        assert place.results()[name]["Rows"] == "2"
    assert not place.problems("empty-key")


@pytest.mark.parametrize("reader", READERS)
def test_columns_that_are_not_needed_may_hold_anything(place: Place, reader: str) -> None:
    place.references()
    head, *rows = answers()
    more = [(i, *row, None if i % 2 else 3.5) for i, row in enumerate(rows)]
    place.book("m", {"perm1": [("No", *head, "Note"), *more]})
    assert place.score("--reader", reader).code == 0
    assert len(place.scores()) == 3


def test_a_sheet_column_in_a_workbook_splits_as_in_a_csv(place: Place) -> None:
    place.references()
    rows = [("Sheet", "Idiom", "Prediction"), ("other", "break the ice", "to talk"), ("", "spill the beans", "to tell")]
    place.book("alone", {"perm1": rows})
    place.book("two", {"perm1": rows, "perm2": rows[:2]})
    assert place.score().code == 0
    assert [unit["Sheet"] for unit in place.detail("alone")] == ["other", "perm1"]
    assert [unit["Sheet"] for unit in place.detail("two")] == ["perm1/other", "perm1", "perm2/other"]
    assert place.score("--sheet-column", "").code == 0
    assert [unit["Sheet"] for unit in place.detail("two")] == ["perm1", "perm1", "perm2"]


def _scores(folder: Path, model: str = "good", out: str = "res") -> list[str]:
    return (folder / out / f"{model}_s_info.csv").read_text(encoding="utf-8").splitlines()[1:]


def test_a_limit_counts_for_each_sheet_of_a_csv_too(run: Run, folder: Path) -> None:
    rows = "".join(f"{sheet},a,one two\n" for sheet in "xxxyyy")
    (folder / "outs/good.csv").write_text("Sheet,Idiom,Prediction\n" + rows, encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res", "--limit", "2")
    assert [line.split(",")[:2] for line in _scores(folder)] == [["x", "2"], ["x", "3"], ["y", "5"], ["y", "6"]]
    assert "only the first 2 rows" in done.err


def test_a_header_alone_with_a_sheet_column_is_listed(run: Run, folder: Path) -> None:
    (folder / "outs/h.csv").write_text("Sheet,Idiom,Prediction\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0
    assert "no-rows" in {line["kind"] for line in problems_in(folder) if line["file"] == "h.csv"}


RANKED = [("query", "item", "rank"), ("q", "a", 1), (None, "b", 2), (None, "c", 3), ("p", "a", 1)]
JUDGED = [("query", "subtopic", "item", "relevance"), ("q", "x", "a", 1), ("q", "y", "c", 1), ("p", "x", "a", 1)]


def test_rows_below_a_merged_key_are_told_so_whatever_the_command(run: Run, tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in RANKED:
        sheet.append(list(row))
    sheet.merge_cells("A2:A4")
    (tmp_path / "outs").mkdir()
    book.save(tmp_path / "outs/m.xlsx")
    write_csv(tmp_path / "refs/r.csv", JUDGED)
    done = run("diversity", "outs", "refs", "-o", "res")
    assert done.code == 0
    assert "rows 2 to 4 are one merged cell; --fill-down gives each its value" in done.err
    assert [(line["row"], line["column"]) for line in problems_of(tmp_path / "res", "empty-key")] == [
        ("3", "query"),
        ("4", "query"),
    ]


def test_a_header_under_a_title_is_found_and_named(run: Run, tmp_path: Path) -> None:
    rows = [("Holiday experiment", None, None), (None, None, None), *RANKED]
    write_book(tmp_path / "outs/m.xlsx", {"Sheet1": rows})
    write_csv(tmp_path / "refs/r.csv", JUDGED)
    done = run("diversity", "outs", "refs", "-o", "res")
    assert done.code == 0
    (line,) = problems_of(tmp_path / "res", "header-row")
    assert (line["sheet"], line["effect"]) == ("Sheet1", "note")
    assert line["message"] == "row 3 is the header, the first with the needed columns; 1 row above it left out"
    assert [line["row"] for line in problems_of(tmp_path / "res", "empty-key")] == ["5", "6"]


def test_a_sheet_of_notes_can_be_left_out_as_its_message_says(run: Run, tmp_path: Path) -> None:
    filled = [RANKED[0], *((row[0] or "q", *row[1:]) for row in RANKED[1:])]
    write_book(tmp_path / "outs/m.xlsx", {"runs": filled, "My notes": [("Remember",), ("to ask Kim",)]})
    write_csv(tmp_path / "refs/r.csv", JUDGED)
    done = run("diversity", "outs", "refs", "-o", "res")
    assert done.code == 3
    assert "leave the sheet out with --skip-sheet 'My notes'" in done.err
    assert run("diversity", "outs", "refs", "-o", "res", "--skip-sheet", "My notes").code == 0
