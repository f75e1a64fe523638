"""What a reader is told, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from scoresheet.cli.input.limits import USUAL_LIMITS, Limits
from scoresheet.metrics.problems import Problem, note
from scoresheet.metrics.records import dataclass

if TYPE_CHECKING:
    from scoresheet.cli.input.grid import Grid


LEFT_OUT: Final = "the patterns for sheets leave it out (--sheet, --skip-sheet)"


class HeaderRule(Protocol):
    """Tells whether the cells of a row are the header of a sheet."""

    def has_needed_columns(self, sheet: str, cells: Sequence[str]) -> bool:
        """Return whether all needed columns of such a sheet are among the cells."""

    def key_headers(self, sheet: str, headers: Sequence[str]) -> list[str]:
        """Return the headers of the columns that say what a row is about."""


@dataclass(frozen=True, kw_only=True)
class ReadRules:
    """The reading options of a run."""

    sheets: tuple[str, ...] = ()  # globs; none means all
    skip_sheets: tuple[str, ...] = ()
    encoding: str | None = None
    reader: str = "calamine"
    limit: int | None = None
    prefix: str = ""  # of the names of this file's sheets
    pattern_prefix: str = ""  # the same, for patterns: it does not depend on how many files a model has
    file_name: str = ""  # that a pattern with a / in it may have before the name of a sheet
    header_row: int = 0  # as a spreadsheet counts; 0: the first that has the needed columns
    header: HeaderRule | None = None  # what tells a header from a title above it; None: the first filled row is it
    fill_down: bool = False  # whether an empty key cell has the value above it
    keeps_unnamed: bool = False  # whether patterns spare the one table of a file that has no name of its own
    paths: tuple[str, ...] = ()  # headers that were named, and may lead into lists of JSON: choices.0.text
    sheet_columns: tuple[str, ...] = ("Sheet",)  # headers that name the sheet of a row
    model_columns: tuple[str, ...] = ()  # headers that name the model of a row
    list_header: str = ""  # of the column that a plain list is; '' where a .txt is no list
    limits: Limits = USUAL_LIMITS  # how much of a file is read at most
    # hears, now and then, which share of the file is read
    on_share: Callable[[float], None] | None = field(default=None, compare=False)

    def for_references(self, header: HeaderRule, sheet_columns: tuple[str, ...], list_header: str = "") -> ReadRules:
        """Return the rules for references: every row, and the sheets that are not left out by name."""
        return replace(
            self,
            sheets=(),
            limit=None,
            model_columns=(),
            sheet_columns=sheet_columns,
            header=header,
            header_row=0,
            keeps_unnamed=True,
            list_header=list_header,
        )

    def wants(self, *names: str) -> bool:
        """Return whether a sheet is to be read that goes by these names: its own, and that of where it stands."""
        if self.leaves_out(*names):
            return False
        return not self.sheets or any(self._is_called(name, pattern) for name in names for pattern in self.sheets)

    def leaves_out(self, *names: str) -> bool:
        """Return whether a sheet that goes by these names is one not to read."""
        return any(self._is_called(name, pattern) for name in names for pattern in self.skip_sheets)

    def _is_called(self, name: str, pattern: str) -> bool:
        """Return whether a pattern means a sheet; without a / it cannot mean a file, however alike their names are."""
        whole = f"{self.file_name}/{name}" if self.file_name and "/" in pattern else name
        return fnmatchcase(name, pattern) or fnmatchcase(whole, pattern)


class NestedCell(NamedTuple):
    """A cell of JSON that holds a list or an object."""

    shape: str  # what it is, in words
    texts: tuple[str, ...]  # headers that lead to a text or number inside, of lists to the first


@dataclass(frozen=True)
class Table:
    """One table as read."""

    name: str
    grid: Grid
    error_cells: Mapping[tuple[int, str], str] = field(default_factory=dict)
    merged: tuple[tuple[int, int, str], ...] = ()
    nested_cells: dict[tuple[int, str], NestedCell] = field(default_factory=dict)  # of JSON, by (row, header)
    # formulas without a stored value, by (row, header): the address of the cell
    uncalculated: Mapping[tuple[int, str], str] = field(default_factory=dict)
    header_row: int = 0  # as a spreadsheet counts; 0 where there is none
    sheet_header: str = ""  # of the column that said which rows are of this sheet


@dataclass(frozen=True)
class Content:
    """What a file holds: tables, and what was wrong with it or with single sheets."""

    tables: list[Table]
    problems: list[Problem]


Reader = Callable[[Path, ReadRules], Content]


def left_out(sheet: str) -> Problem:
    """Return the note on a sheet that was found and not asked for."""
    return note("left-out", LEFT_OUT, sheet=sheet)


def is_parser_failure(error: BaseException) -> bool:
    """Return whether an error is a parser's: on damaged files they raise anything, even what is no Exception.

    That memory is short says nothing of the file, and is for whoever set the limit to say.
    """
    return not isinstance(error, MemoryError) and (isinstance(error, Exception) or "Panic" in type(error).__name__)
