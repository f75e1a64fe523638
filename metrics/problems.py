"""What can be wrong with an input, said in one form everywhere: where, what, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Generic, Literal, NamedTuple, NoReturn, TypeVar

from scoresheet.metrics.records import dataclass

Effect = Literal["file skipped", "sheet skipped", "row not scored", "note"]

SKIPPED: Final[tuple[Effect, ...]] = ("file skipped", "sheet skipped")


@dataclass(frozen=True)
class ProblemKind:
    """What a kind of problem means, and what a note of it is besides being written down."""

    about: str
    always_shown: bool = False  # said on the terminal too: what was meant may have been lost
    costly: bool = False  # no better than a part that was skipped: it is in doubt which model the numbers are of


# Kinds that readers raise, or several families; those of one family stand in its own problems.py. The docs' table is
# made from these declarations, and a run that meets a problem of any other kind stops as a bug.
KINDS: Final[Mapping[str, ProblemKind]] = {
    "ambiguous-column": ProblemKind("Two columns could be the one that is needed."),
    "bad-csv": ProblemKind("A record has more fields than the header, or its quotes do not close."),
    "bad-number": ProblemKind("A cell that should hold a number does not, and was left out."),
    "duplicate-header": ProblemKind("Two columns have the same name."),
    "empty-file": ProblemKind("The file has no bytes."),
    "empty-key": ProblemKind("The cell that says what the row is about is empty."),
    "empty-sheet": ProblemKind("The sheet has no cells."),
    "encoding": ProblemKind("The text is neither UTF-8 nor UTF-16 with a mark, and no encoding was named."),
    "error-cell": ProblemKind("A cell holds a spreadsheet error such as #DIV/0!."),
    "formula-without-value": ProblemKind("A formula was never calculated, so the file holds no value for it."),
    "hidden-sheet": ProblemKind("The sheet is hidden, or holds a chart and no cells."),
    "internal-error": ProblemKind(
        "A bug of scoresheet: the file was given up, the others went on, and the exit code is 1."
    ),
    "left-out": ProblemKind("The patterns for sheets leave the sheet out."),
    "missing-column": ProblemKind("A needed column is not there under its name or an alias."),
    "missing-extra": ProblemKind("The file's format needs a package that is not installed."),
    "given-up": ProblemKind("A file of a model that failed because of another of its files."),
    "header-row": ProblemKind("Rows above the header, such as a title, were left out."),
    "model-column": ProblemKind("A column says which model each row is of.", always_shown=True),
    "nested-cell": ProblemKind("A cell of a JSON file holds a list or an object instead of a text or a number."),
    "no-model": ProblemKind("A row or sheet without a model, where a column names the models of others."),
    "no-rows": ProblemKind("There is a header and nothing below it."),
    "no-sheet-left": ProblemKind("The patterns for sheets leave none of the file.", always_shown=True),
    "no-such-column": ProblemKind("A column that was asked for is not in this sheet.", always_shown=True),
    "not-a-file": ProblemKind(
        "A pipe, socket, device or circle of links with the name of a table, or a folder nobody may read."
    ),
    "not-a-table": ProblemKind("The file is damaged, or not what its extension says."),
    "not-read": ProblemKind(
        "A folder below a model's folder, or a link to nowhere, in a circle, or to what is read already."
    ),
    "not-separated": ProblemKind(
        "A column that tells models, systems, runs or sheets apart, by its name or because the same thing stands under "
        "several of its values, was not used: their rows were scored together.",
        always_shown=True,
        costly=True,
    ),
    "one-system": ProblemKind(
        "The files of the folder are the sheets of one model, by their names.", always_shown=True
    ),
    "only-column": ProblemKind("A table has one column, which was taken for what it must have.", always_shown=True),
    "other-columns": ProblemKind("Columns that were not used, or that were taken for scores."),
    "over-limit": ProblemKind(
        "The file, or what it holds, is larger than a limit; the message names the option that raises it."
    ),
    "out-of-memory": ProblemKind("The file took more memory than one model may take, or than there was."),
    "perhaps-separate": ProblemKind(
        "A column that was not used puts rows together that have no key; it may tell models apart.", always_shown=True
    ),
    "plain-list": ProblemKind("A text file was read as a list, one value a line.", always_shown=True),
    "pooled-files": ProblemKind(
        "The files of the only folder were taken for the sheets of one model, and their columns differ.",
        always_shown=True,
    ),
    "reader": ProblemKind("The fast reader failed on the file and the second reader was used."),
    "renaming": ProblemKind("A header that was named for a column is not in this sheet.", always_shown=True),
    "repeated-header": ProblemKind(
        "The header stands among the rows again, and is no row of the data; in another order it refuses the sheet.",
        always_shown=True,
    ),
    "same-name": ProblemKind("Two inputs give the same model name or report name, or two worksheets have one name."),
    "same-tag": ProblemKind("The same run tag stands in several TREC files.", always_shown=True),
    "several-candidates": ProblemKind(
        "Several headers could be one of our columns; the first was taken, and another would make a difference.",
        always_shown=True,
    ),
    "short-rows": ProblemKind("Rows with fewer fields than the header were padded with empty cells."),
    "summary-row": ProblemKind(
        "A total, an average or a remark below the data, which is no row of it.", always_shown=True
    ),
    "trailing-fields": ProblemKind("Rows had empty fields beyond the header's last column."),
    "unchecked-formulas": ProblemKind("This file format cannot be checked for formulas without a stored value."),
    "unnamed-column": ProblemKind("A column holds cells and has no header; it was left out."),
    "weights-normalised": ProblemKind("Weights or shares do not sum to 1 and were divided by their sum."),
    "system-limit": ProblemKind("The system had not enough file handles, processes or memory left for the file."),
    "timed-out": ProblemKind("The file took longer than one model may take."),
    "worker-died": ProblemKind("The process that read the file died; the file was given up, the others went on."),
}


@dataclass(frozen=True, kw_only=True, slots=True)  # there may be one for each of very many rows
class Problem:
    """One thing wrong with one place of the input, and what it costs.

    >>> print(Problem(kind="empty-key", message="no idiom", effect="row not scored", file="m.xlsx", sheet="p1", row=7))
    m.xlsx[p1] row 7: no idiom
    """

    kind: str
    message: str
    effect: Effect
    file: str = ""
    sheet: str = ""
    row: int | None = None
    column: str = ""
    folder: str = ""  # the folder as the user named it; shown on the terminal, not in problems.csv
    table: str = ""  # the option whose table it is about; '' for the models' files and the references

    def __str__(self) -> str:
        path = f"{self.folder}/{self.file}" if self.folder and self.file else self.file or self.folder
        place = path + (f"[{self.sheet}]" if self.sheet else "")
        spot = [f"row {self.row}"] if self.row is not None else []
        spot += [f"column {self.column}"] if self.column else []
        where = " ".join(part for part in (place, ", ".join(spot)) if part)
        return f"{where}: {self.message}" if where else self.message

    def at(self, *, folder: str = "", file: str = "", sheet: str = "") -> Problem:
        """Return the problem with the place filled in where it was open."""
        return Problem(  # there may be very many, and `replace` takes twice as long
            kind=self.kind,
            message=self.message,
            effect=self.effect,
            file=self.file or file,
            sheet=self.sheet or sheet,
            row=self.row,
            column=self.column,
            folder=self.folder or folder,
            table=self.table,
        )


class InputError(Exception):
    """An input that cannot be used as it stands; the problem says why and what it costs."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


T = TypeVar("T")


class Noted(NamedTuple, Generic[T]):
    """A value, and what was wrong on the way to it."""

    value: T
    problems: tuple[Problem, ...] = ()


def note(kind: str, message: str, *, row: int | None = None, column: str = "", sheet: str = "") -> Problem:
    """Return a problem that costs nothing but should be known."""
    return Problem(kind=kind, message=message, effect="note", row=row, column=column, sheet=sheet)


def unscored_row(kind: str, message: str, *, row: int, column: str = "") -> Problem:
    """Return the problem of a row that has no score."""
    return Problem(kind=kind, message=message, effect="row not scored", row=row, column=column)


def row_messages(problems: Iterable[Problem]) -> dict[int, str]:
    """Return what is said of each row, joined in the order it was found."""
    messages: dict[int, list[str]] = {}
    for problem in problems:
        if problem.row is not None:
            messages.setdefault(problem.row, []).append(problem.message)
    return {row: "; ".join(said) for row, said in messages.items()}


def reject(kind: str, message: str, *, sheet: str = "", effect: Effect = "file skipped") -> NoReturn:
    """Raise the refusal of a file, or of one sheet of it."""
    raise InputError(Problem(kind=kind, message=message, effect=effect, sheet=sheet))


class UsageError(Exception):
    """What was given for the whole run contradicts itself; nothing can be scored until the user mends it."""


class NoUsableInput(Exception):
    """What was given to score with holds nothing that can be used; the problems say why, and no model is at fault."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class MissingExtra(Exception):
    """A feature was asked for by name and its optional package is not installed; the message says which."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package; install it with: pip install 'scoresheet[{extra}]'")
