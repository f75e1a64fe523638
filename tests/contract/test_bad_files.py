"""What does a damaged or hostile file cost?"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.files import digests, edit_sheet, edit_zip, write_book, write_bytes
from tests.helpers.runs import Result, Run, called_in, spawn
from tests.helpers.studies import Place, answers, statuses_in

KINDS = {
    *("not-a-table", "encoding", "bad-csv", "duplicate-header", "missing-column", "ambiguous-column"),
    *("formula-without-value", "error-cell", "empty-key", "empty-prediction", "no-reference", "no-rows"),
    *("hidden-sheet", "empty-sheet", "same-name", "worker-died", "short-rows", "trailing-fields"),
    *("several-references", "unused-references", "language", "unchecked-formulas", "not-read"),
    *("not-a-file", "empty-file", "missing-extra"),
}
SHEET = "xl/worksheets/sheet1.xml"


def book_bytes(path: Path) -> bytes:
    """A good workbook's content; the file itself is removed."""
    content = write_book(path, {"perm1": answers()}).read_bytes()
    path.unlink()
    return content


def garbage(path: Path) -> None:
    write_bytes(path, bytes(range(256)) * 40)


def no_bytes(path: Path) -> None:
    write_bytes(path, b"")


def truncated(path: Path) -> None:
    content = book_bytes(path)
    write_bytes(path, content[: len(content) // 2])


def zip_of_something_else(path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("hello.txt", "hello")
    write_bytes(path, content.getvalue())


def empty_zip(path: Path) -> None:
    write_bytes(path, b"PK\x05\x06" + b"\x00" * 18)


def encrypted(path: Path) -> None:
    write_bytes(path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 4088)


def csv_called_xlsx(path: Path) -> None:
    write_bytes(path, b"Idiom,Prediction\nbreak the ice,to talk\n")


def broken_xml(path: Path) -> None:
    write_book(path, {"perm1": answers()})
    edit_sheet(path, "</sheetData>", "</sheetDat")


def bad_checksum(path: Path) -> None:
    content = bytearray(book_bytes(path))
    with zipfile.ZipFile(io.BytesIO(bytes(content))) as archive:
        info = archive.getinfo(SHEET)
    start = info.header_offset + 30 + len(SHEET)
    for i in range(start + 20, start + info.compress_size - 20):
        content[i] ^= 0xFF
    write_bytes(path, bytes(content))


def entity_bomb(path: Path) -> None:
    write_book(path, {"perm1": answers()})
    entities = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(9))
    doctype = f'<!DOCTYPE sst [<!ENTITY e0 "lol">{entities}]><sst'
    edit_zip(path, "xl/sharedStrings.xml", b"<sst", doctype.encode())
    edit_zip(path, "xl/sharedStrings.xml", b"<t>Idiom</t>", b"<t>&e9;</t>")


def missing_sheet_part(path: Path) -> None:
    write_book(path, {"perm1": answers()})
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if name != SHEET}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def shared_string_out_of_range(path: Path) -> None:
    write_book(path, {"perm1": answers()})
    edit_sheet(path, '<c r="A2" t="s"><v>2</v>', '<c r="A2" t="s"><v>99999</v>')


def lost_tags(path: Path) -> None:
    """A piece is gone, from within a text to within a number: a reader that forgives it gives cells to others."""
    rows = [[*row, note] for row, note in zip(answers(), ["note", *range(9)], strict=False)]
    write_book(path, {"perm1": rows}, {"constant_memory": True})
    with zipfile.ZipFile(path) as archive:
        (piece,) = re.findall(rb"(?<=<t>)note</t>.*?<v>(?=0</v>)", archive.read(SHEET))
    edit_zip(path, SHEET, piece, b"")


def lost_tags_of_strings(path: Path) -> None:
    """Of the shared strings: the numbers of all that follow would be others, and a spare one at the end hides it."""
    write_book(path, {"perm1": answers()})
    edit_zip(path, "xl/sharedStrings.xml", b"</sst>", b"<si><t>spare</t></si></sst>")
    edit_zip(path, "xl/sharedStrings.xml", b"<t>Idiom</t></si>", b"<t>Idiom</x></si>")


def more_strings_than_memory(path: Path) -> None:
    write_book(path, {"perm1": answers()})
    with zipfile.ZipFile(path) as archive:
        (count,) = re.findall(rb' uniqueCount="[0-9]+"', archive.read("xl/sharedStrings.xml"))
    edit_zip(path, "xl/sharedStrings.xml", count, b' uniqueCount="999999999999"')


def more_strings_than_a_number_can_say(path: Path) -> None:
    more_strings_than_memory(path)
    edit_zip(path, "xl/sharedStrings.xml", b'"999999999999"', b'"+' + b"9" * 5_000 + b'"')


REFUSED: list[Callable[[Path], None]] = [
    *(garbage, no_bytes, truncated, zip_of_something_else, empty_zip, encrypted, csv_called_xlsx, broken_xml),
    *(bad_checksum, entity_bomb, missing_sheet_part, shared_string_out_of_range),
    *(lost_tags, lost_tags_of_strings, more_strings_than_memory, more_strings_than_a_number_can_say),
]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The digests of a good model's reports where there is no other."""
    root = tmp_path_factory.mktemp("alone")
    place = Place(root, called_in(root))
    place.references()
    place.model("good")
    assert place.score().code == 0
    return {name: digest for name, digest in digests(place.res).items() if name.startswith("good_s_info.")}


@pytest.mark.processes
@pytest.mark.parametrize("make", REFUSED, ids=lambda make: str(make.__name__))
def test_a_bad_workbook_is_named_and_costs_only_itself(
    place: Place, make: Callable[[Path], None], alone: dict[str, str]
) -> None:
    place.references()
    place.model("good")
    make(place.outs / "bad.xlsx")
    ended = place.score()
    assert ended.code == 3
    assert "bad.xlsx" in ended.err
    assert "Traceback" not in ended.err
    assert "bad.xlsx" in {line["file"] for line in place.problems()}
    assert {line["kind"] for line in place.problems()} <= KINDS
    assert place.results()["bad"]["Status"] == "failed"
    reports = digests(place.res)
    assert {name: reports[name] for name in ("good_s_info.csv", "good_s_info.xlsx")} == alone


def far_cell(path: Path, dimension: str) -> None:
    """A small legal workbook with one cell in the last corner of the sheet."""
    write_book(path, {"perm1": answers()})
    corner = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    edit_sheet(path, "</sheetData>", corner)
    edit_sheet(path, '<dimension ref="A1:B4"/>', dimension)


@pytest.mark.parametrize("dimension", ['<dimension ref="A1:XFD1048576"/>', '<dimension ref="A1:B4"/>', ""])
def test_a_cell_in_the_last_corner_costs_at_most_its_own_file(place: Place, dimension: str) -> None:
    place.references()
    place.model("good")
    far_cell(place.outs / "bad.xlsx", dimension)
    ended: Result = spawn(place.root, "-o", "res")
    assert ended.code in (0, 3)
    assert "Traceback" not in ended.err
    assert place.results()["good"]["Status"] == "ok"
    if ended.code == 3:
        assert "bad.xlsx" in {line["file"] for line in place.problems()}
    else:
        assert len(place.scores("bad")) == 3


@pytest.mark.parametrize("extension", ["xls", "xlsb", "ods", "xlsx", "jsonl", "csv", "tsv"])
def test_garbage_under_any_known_extension_is_named(place: Place, extension: str) -> None:
    place.references()
    place.model("good")
    garbage(place.outs / f"bad.{extension}")
    ended = place.score()
    assert ended.code == 3
    assert "Traceback" not in ended.err
    assert [line["file"] for line in place.problems()] == [f"bad.{extension}"]
    assert [line["effect"] for line in place.problems()] == ["file skipped"]


@pytest.mark.parametrize("extension", ["csv", "jsonl"])
@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b" \n\n"], ids=["nothing", "mark", "blank"])
def test_a_text_file_without_a_table_is_named(place: Place, extension: str, content: bytes) -> None:
    place.references()
    place.model("good")
    write_bytes(place.outs / f"bad.{extension}", content)
    ended = place.score()
    assert "Traceback" not in ended.err
    assert {line["file"] for line in place.problems()} == {f"bad.{extension}"}
    assert place.results()["bad"]["S_Info"] == ""
    assert place.results()["good"]["Status"] == "ok"


def test_a_file_larger_than_the_limit_is_refused_before_it_is_read(place: Place) -> None:
    place.references()
    place.model("good")
    path = write_bytes(place.outs / "bad.csv", b"Idiom,Prediction\n")
    with path.open("ab") as file:
        file.truncate(201 << 20)
    assert place.score().code == 3
    assert [line["file"] for line in place.problems()] == ["bad.csv"]


def test_a_folder_without_tables_is_no_model_and_listed_when_asked(place: Place) -> None:
    place.references()
    place.model("good")
    (place.outs / "bad.xlsx").mkdir()
    write_bytes(place.outs / "figures" / "one.png", b"")
    ended = place.score("-v")
    assert ended.code == 0
    assert list(place.results()) == ["good"]
    assert "bad.xlsx" in ended.err
    assert "figures" in ended.err


def test_a_file_that_cannot_be_opened_costs_only_itself(run: Run, folder: Path) -> None:
    (folder / "outs/bad.csv").symlink_to("/proc/self/mem")  # a regular file that no one can read from its start
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert done.code == 3
    assert statuses_in(folder) == {"bad": "failed", "good": "ok"}


@pytest.mark.parametrize("text", ["a" + "\n" * 12_000 + "b", "\n".join("word" * 30 for _ in range(3000))])
def test_an_answer_of_very_many_lines_is_scored(text: str, run: Run, folder: Path) -> None:
    with (folder / "outs/long.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["Idiom", "Prediction"], ["a", text]])
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0
