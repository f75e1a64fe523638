"""Input files as the world sends them, and reports as a reader finds them."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

import openpyxl
import xlsxwriter

if TYPE_CHECKING:
    from pathlib import Path

Rows = Iterable[Sequence[object]]
Table = list[dict[str, str]]

REFERENCES = {
    "break the ice": "to begin to talk with people one does not know yet",
    "once in a blue moon": "very rarely",
    "spill the beans": "to tell a secret to somebody who should not know it",
}
ANSWERS = {
    "break the ice": "to start to talk with people nobody knows",
    "once in a blue moon": "very rarely",
    "spill the beans": "tell the secret",
}
LOCK = ".scoresheet.lock"
MANIFEST = "manifest.json"


class Result(Protocol):
    """How a run ended and what it printed."""

    @property
    def code(self) -> int: ...
    @property
    def out(self) -> str: ...
    @property
    def err(self) -> str: ...


class Run(Protocol):
    """The command line, called with its words."""

    def __call__(self, *words: str | Path) -> Result: ...


class Ended(NamedTuple):
    """How a run in a process of its own ended."""

    code: int
    out: str
    err: str


class Formula(NamedTuple):
    """A formula cell; a stored value of '' is written as an empty `<v>` without a type, that is, none."""

    text: str
    stored: str | float = ""


def answers(pairs: Mapping[str, str] = ANSWERS) -> list[tuple[str, str]]:
    """A model's table: header and one row per idiom."""
    return [("Idiom", "Prediction"), *pairs.items()]


def table_text(rows: Rows, sep: str = ",") -> str:
    """The rows as CSV text."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=sep, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_bytes(path: Path, content: bytes) -> Path:
    """A file with exactly this content, in a folder made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def write_csv(path: Path, rows: Rows, *, sep: str = ",", encoding: str = "utf-8") -> Path:
    """A CSV file."""
    return write_bytes(path, table_text(rows, sep).encode(encoding))


def write_book(path: Path, sheets: Mapping[str, Rows], options: Mapping[str, bool] | None = None) -> Path:
    """A workbook whose cells have the type of the Python value; None leaves the cell out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with xlsxwriter.Workbook(str(path), dict(options or {})) as book:
        book.set_properties({"created": datetime(2024, 1, 31)})  # equal cells, equal bytes
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, value in enumerate(row):
                    if isinstance(value, str):
                        sheet.write_string(i, j, value)
                    elif isinstance(value, Formula):
                        sheet.write_formula(i, j, value.text, None, value.stored)
                    elif isinstance(value, date):
                        sheet.write_datetime(i, j, value, day)
                    elif value is not None:
                        sheet.write(i, j, value)
    return path


def edit_zip(path: Path, member: str, old: bytes, new: bytes) -> None:
    """Replace bytes inside one part of a workbook."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    assert old in parts[member], f"{old!r} is not in {member}"
    parts[member] = parts[member].replace(old, new)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)


def edit_sheet(path: Path, old: str, new: str, number: int = 1) -> None:
    """Replace text inside the XML of one worksheet, counted from 1."""
    edit_zip(path, f"xl/worksheets/sheet{number}.xml", old.encode(), new.encode())


def read_csv(path: Path) -> Table:
    """A written CSV as one mapping per record."""
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def header(path: Path) -> list[str]:
    """The first record of a written CSV."""
    text = path.read_bytes().decode("utf-8-sig")
    return next(csv.reader(io.StringIO(text, newline="")))


def sheet_names(path: Path) -> list[str]:
    """The sheets of a workbook in order."""
    book = openpyxl.load_workbook(path)
    names = [str(name) for name in book.sheetnames]
    book.close()
    return names


def sheet_rows(path: Path, sheet: str) -> list[list[object]]:
    """The cell values of one sheet, row by row."""
    book = openpyxl.load_workbook(path)
    rows: list[list[object]] = [list(row) for row in book[sheet].iter_rows(values_only=True)]
    book.close()
    return rows


def sheet_text(path: Path, sheet: str) -> str:
    """Everything one sheet says, cells joined by tabs and line breaks."""
    return "\n".join("\t".join(str(v) for v in row if v is not None) for row in sheet_rows(path, sheet))


def sha256(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below a folder but the lock and the manifest, which holds times."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(p.relative_to(folder)): sha256(p) for p in files if p.name not in (LOCK, MANIFEST)}


@dataclass(frozen=True)
class Place:
    """A working directory with `outs` and `refs`, scored into `res`."""

    root: Path
    run: Run

    @property
    def outs(self) -> Path:
        return self.root / "outs"

    @property
    def refs(self) -> Path:
        return self.root / "refs"

    @property
    def res(self) -> Path:
        return self.root / "res"

    def model(self, name: str, pairs: Mapping[str, str] = ANSWERS) -> Path:
        """A lone CSV of answers."""
        return write_csv(self.outs / f"{name}.csv", answers(pairs))

    def book(self, name: str, sheets: Mapping[str, Rows], options: Mapping[str, bool] | None = None) -> Path:
        """A model's workbook."""
        return write_book(self.outs / f"{name}.xlsx", sheets, options)

    def references(self, pairs: Mapping[str, str] = REFERENCES) -> Path:
        """The reference explanations, in one CSV."""
        return write_csv(self.refs / "all.csv", [("idiom", "explanation"), *pairs.items()])

    def score(self, *options: str | Path, outs: str = "outs", refs: str = "refs", res: str = "res") -> Result:
        """Run `sinfo` in this process."""
        return self.run("sinfo", outs, refs, "-o", res, *options)

    def results(self) -> dict[str, dict[str, str]]:
        """The lines of the results table by model name."""
        return {line["Model Name"]: line for line in read_csv(self.res / "s_info_results.csv")}

    def detail(self, model: str = "m") -> Table:
        """The scored units of one model."""
        return read_csv(self.res / f"{model}_s_info.csv")

    def scores(self, model: str = "m") -> list[float]:
        """The S_Info of each unit of one model."""
        return [float(unit["S_Info"]) for unit in self.detail(model)]

    def workbook(self, model: str = "m") -> Path:
        """The path of one model's report workbook."""
        return self.res / f"{model}_s_info.xlsx"

    def problems(self, kind: str = "") -> Table:
        """The listed problems, all or of one kind."""
        return [line for line in read_csv(self.res / "problems.csv") if kind in ("", line["kind"])]


COMMAND = (sys.executable, "-m", "scoresheet.cli")


def environment(**changes: str | None) -> dict[str, str]:
    """This process's environment with some variables set, or removed where None."""
    env = {name: value for name, value in os.environ.items() if name not in changes}
    return env | {name: value for name, value in changes.items() if value is not None}


def spawn(root: Path, *options: str, **changes: str | None) -> Ended:
    """Score `outs` against `refs` in a process of its own."""
    words = [*COMMAND, "sinfo", "outs", "refs", *options]
    env, pipe = environment(**changes), subprocess.PIPE
    with subprocess.Popen(words, cwd=root, env=env, stdout=pipe, stderr=pipe, start_new_session=True) as run:
        try:
            streams = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            raise
    out, err = (stream.decode("utf-8", "backslashreplace") for stream in streams)
    return Ended(run.returncode, out, err)


HOLD = """
import sys, filelock
with filelock.FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def held_lock(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process holds the results folder until its stdin is closed."""
    folder.mkdir(exist_ok=True)
    words = [sys.executable, "-c", HOLD, str(folder / LOCK)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield holder
