"""Readers called by themselves: named encodings, separators, durations, packed and protected files, empty runs."""

from __future__ import annotations

import gzip
import json
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest

from scoresheet.cli.input import loading
from scoresheet.cli.input.discover import ModelInput, Source
from scoresheet.cli.input.formats import csv_files
from scoresheet.cli.input.formats.by_extension import read_file
from scoresheet.cli.input.formats.cells import as_text
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.limits import MIB, Limits
from scoresheet.metrics.problems import InputError
from tests.helpers.files import write_book, write_bytes


def refusal(path: Path, rules: ReadRules) -> tuple[str, str]:
    """Kind and message of the problem that reading a file comes to."""
    with pytest.raises(InputError) as refused:
        read_file(path, rules)
    return refused.value.problem.kind, refused.value.problem.message


@pytest.mark.parametrize("name", ["m.json", "m.jsonl"])
def test_json_in_an_encoding_that_was_named_has_its_letters(tmp_path: Path, name: str) -> None:
    line = json.dumps({"text": "café"}, ensure_ascii=False)
    path = write_bytes(tmp_path / name, (f"[{line}]" if name == "m.json" else line).encode("cp1252"))
    (table,) = read_file(path, ReadRules(encoding="cp1252")).tables
    assert list(table.grid.cells("text")) == ["café"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("m.csv", 'id,text\n1,"a"\n2,é\n'), ("m.jsonl", '{"id": 1}\n{"id": 2}\n{"id": "é"}\n')],
    ids=["csv", "jsonl"],
)
def test_a_text_that_is_in_neither_encoding_is_refused_by_its_line(tmp_path: Path, name: str, text: str) -> None:
    path = write_bytes(tmp_path / name, text.encode("cp1252"))
    message = "line 3 is neither UTF-8 nor ascii; name another encoding"
    assert refusal(path, ReadRules(encoding="ascii")) == ("encoding", message)


def test_a_long_first_line_need_not_end_for_its_separator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_files, "_ENOUGH", 3)
    assert csv_files._separator("a;b;c;d;e,f,g,h,i,j,k", ".csv") == ";"
    monkeypatch.setattr(csv_files, "_ENOUGH", 5)
    assert csv_files._separator("a;b;c;d;e,f,g,h,i,j,k", ".csv") == ","


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (timedelta(hours=1, minutes=2, seconds=3), "1:02:03"),
        (timedelta(days=2, seconds=59.6), "48:01:00"),
        (timedelta(minutes=-90), "-1:30:00"),
        (timedelta(0), "0:00:00"),
    ],
)
def test_a_duration_is_hours_minutes_and_seconds(value: timedelta, text: str) -> None:
    assert as_text(value) == text


def test_a_packed_file_that_unpacks_to_too_much_is_refused_as_it_comes(tmp_path: Path) -> None:
    text = b"id,text\n" + b"1,a\n" * (2 * MIB // 4)
    path = write_bytes(tmp_path / "m.csv.gz", gzip.compress(text))
    kind, message = refusal(path, ReadRules(limits=Limits(expanded_mb=1)))
    assert (kind, "unpacked, the file has about" in message) == ("over-limit", True), message


def test_a_workbook_that_unpacks_to_too_much_is_refused_unread(tmp_path: Path) -> None:
    path = write_book(tmp_path / "m.xlsx", {"one": [("id", "text"), ("1", "a")]})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.bin", bytes(2 * MIB))
    kind, message = refusal(path, ReadRules(limits=Limits(expanded_mb=1)))
    assert (kind, "unpacked, the file has" in message) == ("over-limit", True), message


def test_a_workbook_whose_parts_are_encrypted_is_said_to_be_protected(tmp_path: Path) -> None:
    path = write_book(tmp_path / "m.xlsx", {"one": [("id", "text"), ("1", "a")]})
    data = bytearray(path.read_bytes())
    entry = data.find(b"PK\x01\x02")
    data[entry + 8] |= 1  # the flag of the first part in the directory
    kind, message = refusal(write_bytes(path, bytes(data)), ReadRules())
    assert (kind, "password" in message) == ("not-a-table", True), (kind, message)


def test_a_run_of_remarks_alone_has_no_rows_and_one_of_too_many_cells_is_refused(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "m.run", b"# a remark\n\n")
    assert refusal(path, ReadRules()) == ("no-rows", "the file has no lines")
    write_bytes(path, b"q1 Q0 d1 1 2.0 tag\nq1 Q0 d2 2 1.0 tag\n")
    assert refusal(path, ReadRules(limits=Limits(cells=11)))[0] == "over-limit"
    assert len(read_file(path, ReadRules(limits=Limits(cells=12))).tables[0].grid) == 2


def test_a_file_that_the_system_cannot_read_costs_itself_and_keeps_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_bytes(tmp_path / f"{name}.csv", b"id,text\n1,a\n") for name in "ab"]

    def failing(path: Path, rules: ReadRules) -> object:
        if path.stem == "a":
            raise OSError(5, "Input/output error")
        return read_file(path, rules)

    monkeypatch.setattr(loading, "read_file", failing)
    sources = tuple(Source(path, path.name) for path in files)
    loaded = loading.load_sheets(ModelInput("m", sources, folder=True), ReadRules())
    (problem,) = loaded.problems
    assert (problem.kind, problem.file, problem.effect) == ("not-a-table", "a.csv", "file skipped")
    assert problem.message == "cannot be read: Input/output error"
    assert [list(sheet.grid.cells("text")) for sheet in loaded.sheets] == [["a"]]
