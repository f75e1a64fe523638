"""What are sheets and reports called when Excel or a file system refuses their name?"""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import openpyxl
import pytest

from tests.helpers.files import Table, read_csv, sheet_names, sheet_rows, sheet_text, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import ANSWERS, Place, answers

LONG = "an arrangement whose name is far too long for "
AWKWARD = [
    *("Summary", "problems", "ABOUT", "History", "history2"),
    *("'quoted'", "a[b]c", "what?", "x:y*z", "back\\slash"),
    *(f"{LONG}one", f"{LONG}two", "perm", "PERM", "😀" * 20, "😀" * 19 + "a", "x" * 31, "x" * 32),
]


def units(sheet: str) -> int:
    """A number of rows that tells the awkward sheets apart as far as three idioms go."""
    return AWKWARD.index(sheet) % 3 + 1


@pytest.fixture
def scored(place: Place) -> Place:
    """A model's folder whose files have awkward names."""
    place.references()
    for sheet in AWKWARD:
        write_csv(place.outs / "m" / f"{sheet}.csv", answers()[: units(sheet) + 1])
    assert place.score().code == 0
    return place


def test_every_sheet_name_is_one_excel_opens(scored: Place) -> None:
    names = sheet_names(scored.workbook())
    assert len(names) == len(AWKWARD) + 4
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert len(name.encode("utf-16-le")) // 2 <= 31
        assert not set(name) & set("[]:*?/\\")
        assert not name.startswith("'")
        assert not name.endswith("'")
        assert name.casefold() != "history"


def test_our_own_sheets_keep_their_names(scored: Place) -> None:
    names = sheet_names(scored.workbook())
    assert names[0] == "Summary"
    assert names[-2:] == ["Problems", "About"]
    assert sheet_rows(scored.workbook(), "Summary")[0][0] == "Sheet"
    assert "sinfo|rouge:" in sheet_text(scored.workbook(), "About")


def test_a_changed_sheet_name_is_mapped_in_about_and_its_rows_are_there(scored: Place) -> None:
    names = sheet_names(scored.workbook())
    about = sheet_rows(scored.workbook(), "About")
    for sheet in AWKWARD:
        if sheet in names[1:-2]:
            safe = sheet
        else:
            named = (row for row in about if any(sheet in str(cell) for cell in row))
            safe = next((str(cell) for row in named for cell in row if cell in names[1:-2]), "")
            assert safe, f"About does not say what became of {sheet}"
        assert len(sheet_rows(scored.workbook(), safe)) == units(sheet) + 1, (sheet, safe)


def test_the_csv_keeps_the_names_of_the_input(scored: Place) -> None:
    by_sheet = [unit["Sheet"] for unit in scored.detail()]
    assert {sheet: by_sheet.count(sheet) for sheet in by_sheet} == {sheet: units(sheet) for sheet in AWKWARD}


def test_the_summary_names_the_sheets_of_the_input(scored: Place) -> None:
    names = [row[0] for row in sheet_rows(scored.workbook(), "Summary")]
    assert set(AWKWARD) <= set(names)


def test_a_sheet_called_summary_in_a_workbook_keeps_its_rows(place: Place) -> None:
    place.references()
    place.book("m", {"Summary": answers(), "About": answers(), "Problems": answers()})
    assert place.score().code == 0
    assert {unit["Sheet"] for unit in place.detail()} == {"Summary", "About", "Problems"}
    assert len(sheet_names(place.workbook())) == 7


def test_a_sheet_called_overall_does_not_hide_the_overall_row(place: Place) -> None:
    place.references()
    place.book("m", {"Overall": answers({"break the ice": "zzz"}), "perm1": answers({"break the ice": "to begin"})})
    assert place.score().code == 0
    last = [row for row in sheet_rows(place.workbook(), "Summary") if row[0] is not None][-1]
    assert last[0] == "Overall"
    assert last[1] == pytest.approx(float(place.results()["m"]["S_Info"]))


def reports(place: Place) -> dict[str, Table]:
    """The units of each model report by file name."""
    return {path.name: read_csv(path) for path in place.res.glob("*_s_info.csv")}


def test_names_that_become_equal_when_made_safe_keep_separate_reports(place: Place) -> None:
    place.references()
    models = ["a:b", "a?b", "a_b"]
    for model, row in zip(models, ANSWERS.items(), strict=True):
        place.model(model, dict([row]))
    assert place.score().code == 0
    assert list(place.results()) == models
    found = [unit["Idiom"] for table in reports(place).values() for unit in table]
    assert sorted(found) == sorted(ANSWERS)
    assert [unit["Idiom"] for unit in place.detail("a_b")] == ["spill the beans"]


@pytest.mark.parametrize("character", ["m", "模", "😀"])
def test_over_long_model_names_are_cut_apart_and_mapped_in_about(place: Place, character: str) -> None:
    place.references()
    base = character * (244 // len(character.encode()))
    for end in "12":
        place.model(f"{base}{end}", dict(list(ANSWERS.items())[: int(end)]))
    assert place.score().code == 0
    assert list(place.results()) == [f"{base}1", f"{base}2"]
    assert sorted(len(table) for table in reports(place).values()) == [1, 2]
    for path in place.res.glob("*_s_info.xlsx"):
        abouts = sheet_text(path, "About") + sheet_text(place.res / "s_info_results.xlsx", "About")
        assert any(f"{base}{end}" in abouts for end in "12")


def test_the_reports_of_a_model_called_like_the_results_are_its_own(place: Place) -> None:
    place.references()
    for name in ("s_info_results", "problems", "metrics", "manifest"):
        place.model(name)
    assert place.score().code == 0
    assert len(place.results()) == 4
    assert len(reports(place)) == 4


GOOD = "Idiom,Prediction\na,one two\nb,four five\n"


@pytest.mark.parametrize("name", ["' 'x", "x' ' '", "'", " '' ", "a\u3000'"])
def test_no_name_of_a_sheet_ends_a_run(name: str, run: Run, folder: Path) -> None:
    rows = [["Sheet", "Idiom", "Prediction"], [name, "a", "one"], ["other", "a", "one"]]
    with (folder / "outs/odd.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_file_name_that_is_no_text_is_written_out(run: Run, folder: Path) -> None:
    (folder / "outs/m").mkdir()
    Path(os.fsdecode(os.fsencode(folder / "outs/m") + b"/p\xff.csv")).write_text(GOOD, encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0
    assert "S_Info: p\\udcff" in [
        cell.value for cell in openpyxl.load_workbook(folder / "res/s_info_results.xlsx")["Models"][1]
    ]
