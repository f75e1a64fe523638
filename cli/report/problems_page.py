"""Problems as rows: of problems.csv, of the page Problems, and of the JSON answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from scoresheet.cli.report.page import Column, Page
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.tables import frame_of_rows

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
    return Page(PROBLEMS, frame_of_rows(PROBLEM_FIELDS, map(problem_row, problems)), PROBLEM_COLUMNS)
