"""Thousands of damaged workbooks and text tables, scored by whole runs: each has its exact values or a named problem.

A run reads many files, each of them a model, beside a good one that must not change. What the run itself read of a file
is held against a reader of another making (`other_readers.py`); of old .xls files, which no other reader here can read,
only that they cost nothing but themselves.
"""

from __future__ import annotations

import csv
import functools
import gzip
import json
import pickle
import shutil
import tempfile
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

from scoresheet.cli.input import loading
from scoresheet.cli.input.grid import Grid
from tests.helpers.files import Formula, digests, read_csv, table_text, write_book, write_bytes
from tests.helpers.hostile import ods, ods_row
from tests.helpers.runs import SAID, called_in, forked
from tests.soak.cases import CORRUPT, HANG, MEMORY, TRACEBACK, Fault, Row, Trials, case_name, rng_of
from tests.soak.mutations import NO_ARCHIVE, OF_ARCHIVES, OF_BYTES, OF_JSON, OF_TABLES, mutated
from tests.soak.other_readers import Read, decoded, ods_sheets, wrong_cells, wrong_in_lines, wrong_in_table, xlsx_sheets
from tests.soak.studies import COMMANDS, MODELS, OUTS, RES, words_of, write_study

MEMORY_MB = 1_024  # that a file of a few kilobytes may take
SECONDS = 60  # and its longest time, on a machine that is busy with others
BLOCK = 50  # files of one command that one run reads
PATIENCE = SECONDS * BLOCK
READ = "read"  # the folder in which a run leaves what it read
OLD_BOOK = Path(__file__).with_name("old_format.xls")
BY_KIND = {"internal-error": TRACEBACK, "timed-out": HANG, "out-of-memory": MEMORY, "worker-died": TRACEBACK}


class Damaged(NamedTuple):
    """A damaged file."""

    number: int
    file: str
    data: bytes


def damaged_book(command: str, number: int) -> Damaged:
    """A workbook of a command with something wrong with it."""
    rng = rng_of(BOOKS.name, number)
    kind = rng.choices(("xlsx", "xlsm", "ods", "xls"), (84, 4, 8, 4))[0]
    if kind == "xls":
        data, mutations = OLD_BOOK.read_bytes(), OF_BYTES
    else:
        data, mutations = (_ods(command) if kind == "ods" else _xlsx(command, rng.randrange(2))), OF_ARCHIVES
    return Damaged(number, f"c{number}.{kind}", mutated(data, mutations, rng))


def damaged_table(command: str, number: int) -> Damaged:
    """A CSV, TSV or JSON Lines file of a command with something wrong with it."""
    rng = rng_of(TABLES.name, number)
    kind = rng.choices(("csv", "tsv", "jsonl", "csv.gz"), (70, 14, 14, 2))[0]
    rows = [[str(cell) for cell in row] for row in MODELS[command]("Japan")]
    rows += [[*row[:-1], row[-1] + rng.choice(("", ' "so"', ", yes", "\nand", " ü"))] for row in rows[1:]]
    if kind == "jsonl":
        lines = (json.dumps(dict(zip(rows[0], row, strict=True)), ensure_ascii=False) for row in rows[1:])
        return Damaged(number, f"c{number}.jsonl", mutated("\n".join(lines).encode(), OF_JSON, rng))
    data = mutated(table_text(rows, "\t" if kind == "tsv" else ",").encode(), OF_TABLES, rng)
    packed = gzip.compress(data, mtime=0) if kind.endswith("gz") else data
    return Damaged(number, f"c{number}.{kind}", rng.choice(OF_BYTES)(packed, rng) if kind.endswith("gz") else packed)


@functools.cache
def _xlsx(command: str, variant: int) -> bytes:
    """A good workbook of a command: two sheets, with cells of every type beside the columns that are needed."""
    rows = [list(row) for row in MODELS[command]("Peru")]
    extra: list[object] = ["note", 12, 0.1, True, Formula("=1+1", 2), "_x0041_", "two\nlines", -1.5]
    beside = [[*row, extra[place % len(extra)]] for place, row in enumerate(rows)]
    beside[0][-1] = "note"
    options = {"constant_memory": True} if variant else None  # strings in their cells, not in a table of their own
    return _made(lambda path: write_book(path, {"perm1": beside, "perm2": rows}, options))


@functools.cache
def _ods(command: str) -> bytes:
    """A good ODS file of a command."""
    return _made(ods("".join(ods_row(*map(str, row)) for row in MODELS[command]("Peru"))))


def _made(make: Callable[[Path], object]) -> bytes:
    """What is in a file that is made so."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "made")
        return (Path(folder) / "made").read_bytes()


def command_of(number: int) -> str:
    """The command that a case's file is for."""
    return COMMANDS[number // BLOCK % len(COMMANDS)]


def _scored(make: Callable[[str, int], Damaged], row: str, folder: Path, numbers: Sequence[int]) -> Trials:
    for place, (block, group) in enumerate(groupby(numbers, lambda number: number // BLOCK)):
        command = command_of(block * BLOCK)
        files = [make(command, number) for number in group]
        root = folder / str(place)
        # writing workbooks is two thirds of a run, and hardly depends on what was damaged: few runs do it
        yield from score_damaged(root, command, files, row, workbooks=block % 20 == 19)
        shutil.rmtree(root)


def score_damaged(root: Path, command: str, files: Sequence[Damaged], row: str, *, workbooks: bool) -> Trials:
    """Score files of a command beside a good one, and say of each what is wrong with what came of it."""
    root.mkdir()
    write_study(root, command, "old")
    for path in sorted((root / OUTS).iterdir())[1:]:
        path.unlink()
    options = ["--no-compare", "-j", "1", *([] if workbooks else ["--no-workbooks"])]
    alone = called_in(root)(*words_of(command, *options, res="alone"))
    assert alone.code == 0, alone.err
    good = {name: digest for name, digest in digests(root / "alone").items() if name.startswith("changed")}
    for file in files:
        write_bytes(root / OUTS / file.file, file.data)
    limits = ["--timeout", str(SECONDS), "--max-memory", str(MEMORY_MB)]
    with forked(root, *words_of(command, *options, *limits), prepare=functools.partial(_watch, root / READ)) as run:
        run.join(PATIENCE)
        hangs = run.is_alive()
    said = (root / SAID[1]).read_text("utf-8", "replace")
    names = f"{case_name(row, files[0].number)} to {files[-1].number}"
    if hangs or run.exitcode not in (0, 3) or "Traceback" in said:
        yield Fault(HANG if hangs else TRACEBACK, names, f"exit {run.exitcode}: {said[-2000:]}")
        return
    after = digests(root / RES)
    if {name: after.get(name) for name in good} != good:
        yield Fault(CORRUPT, names, "the reports of the good model are others")
        return
    problems = read_csv(root / RES / "problems.csv")
    for file in files:
        own = [line for line in problems if line["file"] == file.file]
        yield _wrong(root, file, own, case_name(row, file.number))


def _watch(folder: Path) -> None:
    """Let a run write down what it reads of each file."""
    folder.mkdir()
    readers: Any = loading
    original = readers.read_file

    def read_file(path: Path, rules: Any) -> Any:
        content = original(path, rules)
        tables = [
            Read(each.name, each.header_row, list(each.grid.headers), list(each.grid.rows), _rows(each.grid))
            for each in content.tables
        ]
        (folder / path.name).write_bytes(pickle.dumps((tables, [problem.kind for problem in content.problems])))
        return content

    readers.read_file = read_file


def _rows(grid: Grid) -> list[list[str]]:
    return list(map(list, zip(*map(grid.cells, grid.headers), strict=True)))


def _wrong(root: Path, file: Damaged, problems: Sequence[dict[str, str]], case: str) -> Fault | None:
    for problem in problems:
        if problem["kind"] in BY_KIND:
            return Fault(BY_KIND[problem["kind"]], case, problem["message"])
    path = root / READ / file.file
    if not path.exists():
        return None if problems else Fault(CORRUPT, case, "neither read nor named")
    tables, kinds = pickle.loads(path.read_bytes())
    try:
        said = "; ".join(filter(None, (_differs(file, table) for table in tables)))
    except UNREADABLE as error:
        said = f"read by us alone: {type(error).__name__}: {error}"
    return Fault(CORRUPT, case, f"{said} {kinds or ''}") if said else None


UNREADABLE = (*NO_ARCHIVE, ParseError, UnicodeError, csv.Error)


def _differs(file: Damaged, table: Read) -> str:
    """How a table that was read differs from what another reader sees."""
    match file.file.partition(".")[2]:
        case "xls":
            return ""
        case "jsonl":
            return wrong_in_lines(table, decoded(file.data))
        case "csv" | "tsv" | "csv.gz" as kind:
            return wrong_in_table(table, decoded(file.data, packed=kind == "csv.gz"))
        case kind:
            sheets = (ods_sheets if kind == "ods" else xlsx_sheets)(file.data)
            found = [wrong_cells(table, cells) for cells in sheets.get(table.name, [])]
            return min(found, key=len) if found else f"no sheet is called {table.name!r}"


def scored_books(folder: Path, numbers: Sequence[int]) -> Trials:
    """Score damaged workbooks."""
    yield from _scored(damaged_book, BOOKS.name, folder, numbers)


def scored_tables(folder: Path, numbers: Sequence[int]) -> Trials:
    """Score damaged CSV, TSV and JSON Lines files."""
    yield from _scored(damaged_table, TABLES.name, folder, numbers)


EXACT = "exact values or a named problem; the model beside it unchanged"
BOOKS = Row("workbooks", "damaged workbooks (xlsx, xlsm, ods, xls)", EXACT, "files", 200, 10_000, 500, scored_books)
TABLES = Row("tables", "damaged CSV, TSV and JSON Lines files", EXACT, "files", 500, 50_000, 1_000, scored_tables)
