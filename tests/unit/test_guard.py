"""The guard: what is no regular file is not opened, and what is too large is refused with the option that allows it."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

from scoresheet.cli.input.formats.by_extension import read_file
from scoresheet.cli.input.formats.csv_files import check_lines
from scoresheet.cli.input.formats.sheet_guard import check_ods, check_worksheet
from scoresheet.cli.input.formats.text_files import first_bytes
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.guard import open_regular, read_regular
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.limits import UNITS, Limits
from scoresheet.cli.input.manifests import LARGEST_MANIFEST, read_record
from scoresheet.cli.settings import Settings
from scoresheet.cli.shortages import shortage
from scoresheet.metrics.problems import InputError
from tests.helpers.files import Rows, write_book, write_bytes, write_csv
from tests.helpers.hostile import ods, ods_row

posix = pytest.mark.skipif(os.name != "posix", reason="no pipes with names here")


@posix
def test_a_pipe_is_opened_by_nothing_that_reads(tmp_path: Path) -> None:
    pipe = tmp_path / "manifest.json"
    os.mkfifo(pipe)
    for opened in (open_regular, sha256, lambda path: read_regular(path, 9)):
        with pytest.raises(OSError, match="regular"):
            opened(pipe)
    assert first_bytes(pipe) == b""
    assert read_record(pipe) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="files of the system")
def test_a_file_that_the_system_makes_up_is_not_read() -> None:
    for path in map(Path, ("/proc/kmsg", "/proc/self/mem")):
        assert first_bytes(path) == b""
        assert read_record(path) is None


def test_no_more_is_read_of_a_regular_file_than_was_asked_for(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "x", b"0123456789")
    assert read_regular(path, 10) == b"0123456789"
    with pytest.raises(OSError, match="more than 9 bytes"):
        read_regular(path, 9)


@pytest.mark.parametrize("content", [b'{"tool": "scoresheet", "a": [' + b"[]," * 1_000_001 + b"0]}", b"[" * 100_000])
def test_a_manifest_that_would_fill_the_memory_or_the_stack_is_none(content: bytes, tmp_path: Path) -> None:
    assert len(content) < LARGEST_MANIFEST
    assert read_record(write_bytes(tmp_path / "manifest.json", content)) is None


def test_every_limit_is_an_option_with_its_default() -> None:
    settings = Settings()
    assert {name: getattr(settings, f"max_{name}") for name in UNITS} == vars(Limits())


TABLE: Rows = [("a", "b"), ("1", "2"), ("3", "4")]


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(cells=3), "4 cells, and at most 3 are read; if it is what you mean, raise the limit: --max-cells 4"),
        (
            Limits(columns=1),
            "2 columns, and at most 1 are read; if it is what you mean, raise the limit: --max-columns 2",
        ),
        (Limits(line_chars=2), "line 1 has 3 characters, and at most 2"),
    ],
)
def test_a_refusal_names_the_limit_what_was_met_and_the_option_that_would_do(
    limits: Limits, said: str, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "m.csv", TABLE)
    with pytest.raises(InputError, match=r"--max-") as refusal:
        read_file(path, ReadRules(limits=limits))
    assert said in str(refusal.value)
    assert len(read_file(path, ReadRules(limits=Limits(cells=4, columns=2, line_chars=3))).tables[0].grid) == 2


@pytest.mark.parametrize(("cells", "refused"), [(5, True), (6, False)])
def test_a_worksheet_is_held_to_the_limit_of_cells_up_to_its_last(cells: int, refused: bool, tmp_path: Path) -> None:
    book = write_book(tmp_path / "m.xlsx", {"p": TABLE})
    with zipfile.ZipFile(book) as archive:
        xml = archive.read("xl/worksheets/sheet1.xml")
    if refused:
        with pytest.raises(InputError, match="has 6 cells, and at most 5"):
            check_worksheet(xml, "p", Limits(cells=cells))
    else:
        check_worksheet(xml, "p", Limits(cells=cells))


def test_addresses_are_found_however_they_are_spelled() -> None:
    for cell in (b'<c r="ZZ99999"/>', b"<c r='ZZ99999'/>", b'<c\nr = "zz99999"/>', b'<c t="s" r="ZZ99999"/>'):
        xml = b"<worksheet><sheetData><row>" + cell + b"</row></sheetData></worksheet>"
        with pytest.raises(InputError, match="70,199,298"):
            check_worksheet(xml, "p", Limits())


def test_empty_rows_and_columns_at_the_end_of_an_ods_table_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "m.ods"
    cells = '<table:table-cell table:number-columns-repeated="16384"/>'
    empty = f'<table:table-row table:number-rows-repeated="1048000">{cells}</table:table-row>'
    ods(ods_row("a", "b", repeated=3) + empty)(path)
    with zipfile.ZipFile(path) as archive:
        check_ods(archive, Limits(cells=6))
        with pytest.raises(InputError, match="6 cells, and at most 5"):
            check_ods(archive, Limits(cells=5))
    ods(ods_row("a") + empty + ods_row("b"))(path)
    with zipfile.ZipFile(path) as archive, pytest.raises(InputError, match="1,048,002 cells"):
        check_ods(archive, Limits(cells=6))


def test_long_lines_are_found_between_short_ones() -> None:
    check_lines("x" * 5 + "\n" + "y" * 5 + "\n" * 20, Limits(line_chars=5))
    with pytest.raises(InputError, match="line 3 has 6 characters"):
        check_lines("x" * 5 + "\n\n" + "y" * 6 + "\n" + "z" * 50, Limits(line_chars=5))
    with pytest.raises(InputError, match="4 lines"):
        check_lines("a\nb\nc\n", Limits(cells=3))


def test_a_shortage_is_known_also_as_the_cause_of_another_error() -> None:
    error = ValueError("could not do it")
    error.__cause__ = ImportError("x.so: failed to map segment from shared object")
    assert "memory" in shortage(error)
    assert shortage(ValueError("memory")) == ""
    assert shortage(FileNotFoundError(2, "No such file")) == ""
