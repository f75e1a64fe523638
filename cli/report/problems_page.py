"""Problems as rows: of problems.csv, of the page Problems, and of the JSON answer; and in cells of other pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from scoresheet.cli.report.page import Column, Page, PageTable
from scoresheet.metrics.columns import Coded
from scoresheet.metrics.problems import Problem

PROBLEMS: Final = "Problems"
PROBLEM_COLUMNS: Final = (
    Column("file", "The input file, relative to the folder given.", "label"),
    Column("sheet", "The sheet, as in the input.", "label"),
    Column("row", "The row a spreadsheet shows; the header is row 1.", "count"),
    Column("column", "The column.", "label"),
    Column("kind", "The kind of problem; the docs list them all.", "label"),
    Column("message", "What is wrong and what to do."),
    Column("effect", "What it costs: file skipped, sheet skipped, row not scored, or only a note.", "label"),
)
PROBLEM_FIELDS: Final = tuple(column.name for column in PROBLEM_COLUMNS)


def problem_row(problem: Problem) -> tuple[str | int | None, ...]:
    """Return a problem as a row under PROBLEM_FIELDS."""
    return (
        problem.file,
        problem.sheet,
        problem.row,
        problem.column,
        problem.kind,
        problem.message,
        problem.effect,
    )


def problems_page(problems: Iterable[Problem]) -> Page:
    """Return the page Problems."""
    return Page(PROBLEMS, PageTable.of_rows(PROBLEM_FIELDS, map(problem_row, problems)), PROBLEM_COLUMNS)


def problem_cells(said: Mapping[int, str], rows: Sequence[int]) -> Coded[str]:
    """Return what was said of each of some rows; of most sheets nothing is.

    >>> list(problem_cells({3: "empty"}, [2, 3])), list(problem_cells({}, [2, 3]))
    (['', 'empty'], ['', ''])
    """
    return Coded.of(said.get(row, "") for row in rows) if said else Coded.repeated("", len(rows))
