"""Can anything a model wrote become more than text?"""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell.cell import Cell

from tests.helpers.files import sheet_names, write_bytes
from tests.helpers.studies import ANSWERS, Place, answers

AS_THEY_STAND = [
    *("=1+1", '=HYPERLINK("http://example.com")', "=cmd|'/C calc'!A1", "+1+1", "-1-1", "@SUM(A1)", "{=1+1}"),
    *("http://example.com/a", "https://example.com", "ftp://example.com", "mailto:a@example.com"),
    *("internal:Summary!A1", "external:c:\\book.xlsx", "file:///etc/passwd"),
    "http://example.com/" + "x" * 3000,
    *("#N/A", "#DIV/0!", "#REF!", "TRUE", "001", "1e5", "12", "nan", "2024-01-31"),
    *("_x0041_", "<b>&amp;</b>", "]]>"),
    *("'quoted", '"', "a\nb", "😀", "\u200b\u202e", "[red]x"),
]
ESCAPED = {
    "a\x01b": r"a\x01b",
    "bell\x07": r"bell\x07",
    "\x1b[31mred": r"\x1b[31mred",
    "a\x00b": r"a\x00b",
    "a\ud800b": r"a\ud800b",
    "\udfff": r"\udfff",
    "a\ufffeb": r"a\ufffeb",
    "a\uffffb": r"a\uffffb",
}


def jsonl(path: Path, texts: list[str]) -> None:
    """Predictions in JSON lines, which can hold any code point."""
    lines = (json.dumps({"Idiom": f"idiom {i}", "Prediction": text}) for i, text in enumerate(texts))
    write_bytes(path, "\n".join(lines).encode())


def predictions(path: Path) -> list[Cell]:
    """The cells of the Prediction column of the only arrangement."""
    book = openpyxl.load_workbook(path)
    sheet = book[book.sheetnames[1]]
    column = next(cell.column for cell in sheet[1] if cell.value == "Prediction")
    return [cell for row in sheet.iter_rows(min_row=2) if isinstance(cell := row[column - 1], Cell)]


def shown(place: Place, texts: list[str]) -> list[Cell]:
    """Score these predictions and return their cells."""
    place.references({f"idiom {i}": "what it means" for i in range(len(texts))})
    jsonl(place.outs / "m.jsonl", texts)
    assert place.score().code == 0
    return predictions(place.workbook())


def test_formulas_links_errors_and_markup_are_shown_as_they_stand(place: Place) -> None:
    cells = shown(place, AS_THEY_STAND)
    assert [cell.value for cell in cells] == AS_THEY_STAND
    assert {cell.data_type for cell in cells} == {"s"}
    assert [cell.hyperlink for cell in cells] == [None] * len(cells)


def test_what_xml_cannot_hold_is_shown_escaped(place: Place) -> None:
    cells = shown(place, list(ESCAPED))
    assert [cell.value for cell in cells] == list(ESCAPED.values())
    assert {cell.data_type for cell in cells} == {"s"}


def test_no_sheet_holds_a_link_out_of_the_results(place: Place) -> None:
    shown(place, AS_THEY_STAND)
    for path in place.res.glob("*.xlsx"):
        with zipfile.ZipFile(path) as book:
            links = [name for name in book.namelist() if name.endswith(".rels") and "worksheets" in name]
            targets = [t for name in links for t in re.findall(r'Target="([^"]*)"', book.read(name).decode())]
        assert [t for t in targets if re.match(r"(?:[a-z]+:|/)", t)] == []


def test_keys_that_look_like_formulas_are_text_in_every_sheet(place: Place) -> None:
    keys = ["=1+1", "@x", "http://example.com", "=NOW()"]
    place.references(dict.fromkeys(keys[:3], "what it means"))
    place.book("m", {"perm1": answers(dict.fromkeys(keys, "what it means"))})
    assert place.score().code == 0
    for path in place.res.glob("*.xlsx"):
        book = openpyxl.load_workbook(path)
        for sheet in set(sheet_names(path)) - {"Summary"}:
            kinds = {cell.data_type for row in book[sheet].iter_rows() for cell in row}
            assert kinds <= {"s", "n", "b"}, (path.name, sheet)


@pytest.mark.parametrize("character", ["x", "字", "😀"])
def test_text_too_long_for_a_cell_is_scored_whole_and_cut_with_a_mark(place: Place, character: str) -> None:
    text = character * 40_000
    place.references({"a": text})
    write_bytes(place.outs / "m.csv", f"Idiom,Prediction\na,{text}\n".encode())
    assert place.score().code == 0
    assert place.scores() == [1.0]
    (cell,) = predictions(place.workbook())
    value = str(cell.value)
    assert len(value.encode("utf-16-le")) // 2 <= 32_767
    kept = len(value) - len(value.lstrip(character))
    assert kept > 10_000
    assert re.search(r"\d", value[kept:]), "the mark says how much was cut"


def test_text_of_exactly_the_longest_length_is_not_cut(place: Place) -> None:
    (cell,) = shown(place, ["x" * 32_767])
    assert cell.value == "x" * 32_767


def test_escapes_count_towards_the_longest_length(place: Place) -> None:
    (cell,) = shown(place, ["\x01" * 20_000])
    assert len(str(cell.value)) <= 32_767
    assert str(cell.value).startswith(r"\x01\x01")


GUARDED = ["=1+1", "+x", "-x", "@x"]
SPARED = ["-5", "-0.25", "a=b", "'x"]


def test_text_cells_of_a_csv_that_start_like_a_formula_get_an_apostrophe(place: Place) -> None:
    place.references(dict.fromkeys(GUARDED + SPARED, "x"))
    place.model("=m", dict.fromkeys(GUARDED + SPARED, "x"))
    assert place.score().code == 0
    assert list(place.results()) == ["'=m"]
    assert [unit["Idiom"] for unit in place.detail("=m")] == [f"'{text}" for text in GUARDED] + SPARED


def test_problems_are_guarded_too(place: Place) -> None:
    place.references()
    place.model("=m", ANSWERS | {"break the ice": ""})
    assert place.score().code == 0
    assert [line["file"] for line in place.problems("empty-prediction")] == ["'=m.csv"]


def test_raw_csv_leaves_the_apostrophes_out(place: Place) -> None:
    place.references(dict.fromkeys(GUARDED + SPARED, "x"))
    place.model("=m", dict.fromkeys(GUARDED + SPARED, "x"))
    assert place.score("--raw-csv").code == 0
    assert list(place.results()) == ["=m"]
    assert [unit["Idiom"] for unit in place.detail("=m")] == GUARDED + SPARED


def test_measures_are_never_guarded(place: Place) -> None:
    place.references()
    place.model("m", {"break the ice": "zzz", "spill the beans": "x y z"})
    assert place.score().code == 0
    assert place.scores() == [0.0, 0.0]
    assert [unit["S_Info"][0] for unit in place.detail()] == ["0", "0"]
