"""Loading: the files of one model, or of one side table, as sheets of text, with every refusal and its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from scoresheet.cli.input.discover import ModelInput, Source
from scoresheet.cli.input.formats.by_extension import read_file, reader_of
from scoresheet.cli.input.formats.csv_files import SHEET
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.formats.workbook import read_workbook
from scoresheet.cli.input.hashing import sha256
from scoresheet.metrics.problems import InputError, Problem, note

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class LoadedSheet:
    """One table as its file has it: every cell text, the index the row numbers a spreadsheet shows."""

    model: str
    name: str
    frame: pd.DataFrame
    source: str
    # cells that hold no usable value though they look filled, by (row, header): the error they show
    error_cells: Mapping[tuple[int, str], str] = field(default_factory=dict)
    merged: tuple[tuple[int, int, str], ...] = ()  # (first row, last row, header) of merged cells in one column


@dataclass
class LoadedFiles:
    """The sheets of some files, what is wrong with the files, and their hashes."""

    sheets: list[LoadedSheet] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)  # file → SHA-256


def load_sheets(model: ModelInput, rules: ReadRules, on_file: Callable[[str], None] = lambda _: None) -> LoadedFiles:
    """Return the sheets of a model's files; `on_file` hears which file is being read."""
    loaded = LoadedFiles()
    for source in model.files:
        on_file(source.shown)
        try:
            loaded.hashes |= _hash(source)
            content = read_file(source.path, replace(rules, prefix=_prefix(source, model)))
        except InputError as error:  # the hash of a file that is refused is kept
            loaded.problems.append(error.problem.at(file=source.shown))
            continue
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            loaded.problems.append(
                Problem(kind="not-a-table", message=message, effect="file skipped", file=source.shown)
            )
            continue
        for read in content.tables:
            name = _sheet_name(read.name, source, model)
            if rules.wants(name):
                frame = read.frame.head(rules.limit) if rules.limit else read.frame
                loaded.sheets.append(LoadedSheet(model.name, name, frame, source.shown, read.error_cells, read.merged))
        loaded.problems += [problem.at(file=source.shown) for problem in content.problems]
    if not loaded.sheets and not loaded.problems:
        message = (
            "no sheet of this model is left by --sheet and --skip-sheet; a --dry-run without them lists its sheets"
        )
        loaded.problems.append(note("no-rows", message).at(file=model.shown))
    return loaded


def _hash(source: Source) -> dict[str, str]:
    return {source.shown: sha256(source.path)} if source.path.is_file() else {}


def _prefix(source: Source, model: ModelInput) -> str:
    """Return what stands before the names of a file's sheets: nothing, or in a model's folder the file's name."""
    if not model.folder:
        return ""
    same = [other for other in model.files if other.path.stem == source.path.stem]
    file = source.path.name if len(same) > 1 else source.path.stem  # a.csv beside a.tsv: both keep their extension
    return f"{file}/"


def _sheet_name(table: str, source: Source, model: ModelInput) -> str:
    """Return a table's name as a sheet; a CSV of a model's folder has the file's name alone."""
    prefix = _prefix(source, model)
    lone = table == SHEET and not _is_workbook(source.path)
    return prefix.rstrip("/") if prefix and lone else prefix + table


def _is_workbook(path: Path) -> bool:
    return reader_of(path) is read_workbook
