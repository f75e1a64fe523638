"""Problems: what was wrong with an input, where, and what to do about it."""

from dataclasses import asdict, dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

Effect = Literal["refused", "skipped", "row", "note"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that was wrong or worth knowing.

    The effect is `refused` (the run ends), `skipped` (a file, sheet or table is left out),
    `row` (one row has no score) or `note` (nothing is lost). `row` is the row of the spreadsheet,
    the header being row 1; 0 means the whole table.
    """

    kind: str
    effect: Effect
    message: str
    file: str = ""
    sheet: str = ""
    row: int = 0
    column: str = ""
    hint: str = ""
    details: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Return where it is, as a person would say it.

        >>> Problem("x", "row", "m", file="a.xlsx", sheet="May", row=7, column="output").place
        'a.xlsx, sheet May, row 7, column output'
        """
        parts = {"sheet": self.sheet, "row": self.row, "column": self.column}
        named = (f"{word} {value}" for word, value in parts.items() if value)
        return ", ".join(filter(None, (self.file, *named)))


class Refusal(Exception):  # noqa: N818
    """An input cannot be used; carries the problems that say why."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what it was raised with."""
        return self.args

    def __str__(self) -> str:
        return "; ".join(f"{p.place}: {p.message}" if p.place else p.message for p in self.problems)


def refusal(kind: str, message: str, *hint: str, column: str = "", row: int = 0) -> Refusal:
    """Return the refusal of a file or a table, with the lines of its hint; its name comes later."""
    lines = "\n".join(hint)
    return Refusal(Problem(kind, "skipped", message, row=row, column=column, hint=lines))


def problem_frame(problems: list[Problem]) -> pd.DataFrame:
    """Return problems as a table: file, sheet, row, column, kind, message, effect."""
    order = ["file", "sheet", "row", "column", "kind", "message", "effect"]
    return pd.DataFrame([asdict(problem) for problem in problems], columns=order)


def located(problem: Problem, file: str, sheet: str) -> Problem:
    """Return the problem with the file and sheet it was found in, where it has none."""
    return replace(problem, file=problem.file or file, sheet=problem.sheet or sheet)


def row_problems(rows: pd.DataFrame, chosen: ArrayLike, problem: Problem) -> list[Problem]:
    """Return the problem once for each chosen row of a tidy table (a mask), with its place."""
    places = rows[["file", "worksheet", "row"]][np.asarray(chosen, bool)].to_numpy().tolist()
    return [replace(problem, file=file, sheet=sheet, row=row) for file, sheet, row in places]
