"""What each family accounts for: rows as they are drawn for a test, and how many of them its tables hold a score of.

Every family can be held to: rows of a sheet = rows in its scores + rows that problems.csv names.
What "in its scores" means differs, since not every family scores rows:

- sinfo, entropy: the row has a line of its own with a score.
- mode-collapse: a row is a sample, and is counted in the N of the cell that it falls in.
- diversity: a row is a place in the ranking of a query, and is counted in its Retrieved; a query without a measure is
  named once, at its first row, with the length of its ranking.
- disagree (a row per judgement): a row is the score that a judge gave an item, and stands in the judge's column.
- collective: a row is a sample, with a line in the table of samples; rows of the sheets of numbers are used or named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.files import Table, read_csv, write_csv
from tests.helpers.studies import REFERENCES

Row = tuple[str, ...]
Scored = Callable[[Table], int]  # of the lines of one sheet: how many rows are in the scores


@dataclass(frozen=True)
class Accounted:
    """A family: its command, tables that it scores, and how many rows its reports account for."""

    command: str
    stem: str
    head: Row
    cells: tuple[tuple[str, ...], ...]  # what may stand in each column, good and bad
    good: tuple[Row, ...]
    table: str  # the report with a line per unit, below the model's name
    scored: Scored
    sides: Mapping[str, Sequence[Row]] | None = None  # references: file → rows
    sheets: tuple[str, ...] = ("p1", "p2", "Summary")
    refusing: tuple[str, ...] = ()  # options by which a model fails for one of its rows
    role: str = ""  # what the reports call the one sheet of a model that is scored, whatever its name

    def write_sides(self, root: Path) -> list[str]:
        """Write the references, and return the words that name them."""
        for name, rows in (self.sides or {}).items():
            write_csv(root / "refs" / name, rows)
        return ["refs"] if self.sides else []

    def lines(self, results: Path, model: str, sheet: str) -> Table:
        """The lines of a sheet in a model's report; none where it was not scored."""
        path = results / f"{model}_{self.table}.csv"
        every = read_csv(path) if path.exists() else []
        return [line for line in every if line["Sheet"] == (self.role or sheet)]


def _filled(column: str) -> Scored:
    return lambda lines: sum(line[column] != "" for line in lines)


def _total(column: str) -> Scored:
    return lambda lines: sum(int(line[column]) for line in lines)


def _judgements(lines: Table) -> int:
    return sum(cell != "" for line in lines for name, cell in line.items() if name.startswith("Score_"))


FAMILIES = [
    Accounted(
        command="sinfo",
        stem="s_info",
        head=("Idiom", "Prediction"),
        cells=((*REFERENCES, "an idiom without a reference", "", "  "), ("to talk with people", "", " ", "...")),
        good=(("break the ice", "to talk with people"), ("once in a blue moon", "rarely")),
        table="s_info",
        scored=_filled("S_Info"),
        sides={"all.csv": [("idiom", "explanation"), *REFERENCES.items()]},
        refusing=("--missing", "error"),
    ),
    Accounted(
        command="mode-collapse",
        stem="mode_collapse",
        head=("level", "parent", "choice"),
        cells=(("0", "0", "1", "x", "7", ""), ("", "tea", "beer"), ("tea", "coffee", "Tea!", "beer", "", "I decline")),
        good=(("0", "", "tea"), ("0", "", "coffee"), ("0", "", "tea")),
        table="mode_collapse",
        scored=_total("N"),
        sides={
            "options.csv": [("level", "parent", "option"), ("0", "", "tea"), ("0", "", "coffee"), ("1", "tea", "green")]
        },
    ),
    Accounted(
        command="diversity",
        stem="diversity",
        head=("query", "item", "rank"),
        cells=(("q1", "q2", "unjudged", "", " "), ("a", "b", "c", ""), ("1", "2", "3", "first", "", "nan")),
        good=(("q1", "a", "1"), ("q1", "b", "2"), ("q2", "a", "1")),
        table="diversity",
        scored=_total("Retrieved"),
        sides={
            "all.csv": [("query", "subtopic", "item"), ("q1", "x", "a"), ("q1", "y", "b"), ("q2", "x", "a")],
        },
    ),
    Accounted(
        command="disagree",
        stem="disagreement",
        head=("item", "judge", "score"),
        cells=(("i1", "i2", "i3", "i4", ""), ("ann", "bob", "cid", ""), ("0.5", "0.7", "1", "high", "", "50%")),
        good=(("i1", "ann", "0.5"), ("i1", "bob", "0.7"), ("i2", "ann", "0.1"), ("i2", "bob", "0.2")),
        table="disagreement",
        scored=_judgements,
    ),
    Accounted(
        command="entropy",
        stem="entropy",
        head=("id", "text"),
        cells=(("a", "b", ""), ("red fox and red hen", "one", "", " ", "...", "x")),
        good=(("a", "the red fox runs"), ("b", "and the hen sits")),
        table="entropy",
        scored=_filled("Words"),
    ),
    Accounted(
        command="collective",
        stem="collective",
        head=("sample", "label", "near", "far"),
        cells=(("s1", "s2", "s3", "s4", "s5", ""), ("1", "0", ""), ("1", "0", "", "?"), ("1", "0", "")),
        good=(("s1", "1", "1", "0"), ("s2", "0", "0", "0"), ("s3", "1", "1", "1")),
        table="collective_samples",
        scored=len,
        sheets=("predictions", "Notes", "Summary"),
        role="predictions",
    ),
]
