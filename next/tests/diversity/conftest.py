"""Rankings and judgments as the family gets them, and made-up ones for comparisons."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.diversity import DiversityOptions
from scoresheet.metrics.diversity.family import FAMILY
from scoresheet.metrics.family import Scores

Triples = list[tuple[str, str, str, float]]


@dataclass
class Study:
    """The tables of one model: rankings by query or as rows, judgments, and any further ones."""

    rankings: Any  # items by query, or a table
    judgments: Triples = field(default_factory=list)
    further: dict[str, pd.DataFrame] = field(default_factory=dict)

    def tables(self) -> dict[str, pd.DataFrame]:
        tables = {"outputs": outputs(self.rankings)}
        if self.judgments:
            columns = ["query", "subtopic", "item", "relevance"]
            tables["references"] = pd.DataFrame(self.judgments, columns=columns)
        return tables | self.further

    def score(self, **options: Any) -> Scores:
        return FAMILY.score(self.tables(), DiversityOptions(**options))

    def units(self, **options: Any) -> Any:
        return self.score(**options).units.set_index("Query")


def outputs(rows: Any) -> pd.DataFrame:
    """Return rows with the columns that every tidy table has."""
    if isinstance(rows, dict):
        shown = [(query, *pair) for query, items in rows.items() for pair in enumerate(items, 1)]
        rows = pd.DataFrame(shown, columns=["query", "rank", "item"]).astype({"rank": float})
    table: pd.DataFrame = rows
    same = {"sheet": "", "file": "f.csv", "worksheet": ""}
    kept = {name: value for name, value in same.items() if name not in table}
    return table.assign(row=range(2, len(rows) + 2), **kept)


def made_up(seed: int, queries: int = 8, grades: int = 3) -> Study:
    """Return random rankings of 1 to 30 items, and graded judgments of 2 to 6 subtopics."""
    rng = np.random.default_rng(seed)
    rankings: dict[str, list[str]] = {}
    judgments: Triples = []
    for query in (f"q{n}" for n in range(queries)):
        rankings[query] = [f"d{n}" for n in rng.permutation(60)[: rng.integers(1, 31)]]
        judgments.append((query, "s0", "d60", 1.0))  # every query has a relevant item
        for subtopic in range(rng.integers(2, 7)):
            some = rng.choice(60, rng.integers(1, 15), replace=False)
            given = zip(some, rng.integers(-1, grades + 1, len(some)), strict=True)
            judgments += [(query, f"s{subtopic}", f"d{n}", float(grade)) for n, grade in given]
    return Study(rankings, judgments)
