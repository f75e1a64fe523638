"""From the rows of a sheet to rankings: the order of the items of each query, each item once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from scoresheet.metrics.core import Joined
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Problem


@dataclass
class Ranking:
    """The items of one query in their order."""

    query: str
    items: tuple[str, ...]
    numbers: tuple[int, ...]  # the row of the input that each stands in
    texts: tuple[str, ...]  # what that row says of it
    first_row: int


@dataclass
class Ranked:
    """The rankings of a sheet, and what was wrong with its rows."""

    rankings: list[Ranking] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _Row:
    number: int
    item: str
    place: float  # the smaller, the higher it stands
    other: float | None  # what the column that does not order says of it, as a place
    text: str = ""


def ranked_sheet(joined: Joined) -> Ranked:
    """Return the rankings of a sheet, in the order in which its queries sort; the order of rows cannot matter."""
    ranked = Ranked()
    queries: dict[str, list[_Row]] = {}
    frame = joined.sheet.frame
    by_rank = "rank" not in joined.absent
    if "score" not in joined.absent and not any(map(str.strip, frame["rank"])):
        by_rank = False  # a column without a single rank orders nothing
    other = "score" if by_rank else "trec_rank"
    compared = other not in joined.absent
    names = ["query", "item", "rank" if by_rank else "score", other, "text"]
    for row, query, item, cell, beside, text in zip(
        frame.index.tolist(), *(frame[name] for name in names), strict=True
    ):
        if row in joined.unsound:
            continue
        problem = _unusable(row, query, item, cell, "rank" if by_rank else "score")
        if problem is not None:
            ranked.problems.append(problem)
            continue
        value, said = parse_float(cell) or 0.0, parse_float(beside) if compared else None
        place, second = (value, None if said is None else -said) if by_rank else (-value, said)
        queries.setdefault(join_key(query), []).append(_Row(row, join_key(item), place, second, text.strip()))
    contradicted = []
    for query in sorted(queries):
        rows = sorted(queries[query], key=lambda each: (each.place, each.item, each.number))
        if _disagree(rows):
            contradicted.append(query)
        ranked.rankings.append(_ranking(query, rows, ranked.problems))
    if contradicted:
        ranked.problems.append(_contradiction(contradicted, by_rank=by_rank))
    return ranked


def _ranking(query: str, rows: Sequence[_Row], problems: list[Problem]) -> Ranking:
    first: dict[str, _Row] = {}
    for row in rows:
        before = first.setdefault(row.item, row)
        if before is not row:
            message = (
                f"{row.item!r} stands twice in the ranking of {query!r}; its first place, row {before.number}, counts"
            )
            problems.append(
                Problem(kind="repeated-item", message=message, effect="row not scored", row=row.number, column="item")
            )
    used = first.values()
    return Ranking(
        query,
        tuple(first),
        tuple(row.number for row in used),
        tuple(row.text for row in used),
        min(row.number for row in rows),
    )


def _unusable(row: int, query: str, item: str, cell: str, column: str) -> Problem | None:
    if not query.strip() or not item.strip():
        empty = "query" if not query.strip() else "item"
        return Problem(
            kind="empty-key", message=f"the {empty} is empty", effect="row not scored", row=row, column=empty
        )
    if parse_float(cell) is None:
        message = f"the {column} is {cell!r}, not a finite number"
        return Problem(kind="bad-rank", message=message, effect="row not scored", row=row, column=column)
    return None


def _disagree(rows: Sequence[_Row]) -> bool:
    """Return whether the other column would put two items the other way round; what is tied in either does not."""
    lowest = -math.inf  # where the other column puts any item that stands higher
    for _, tied in groupby(rows, key=lambda row: row.place):
        others = [row.other for row in tied if row.other is not None]
        if others and min(others) < lowest:
            return True
        lowest = max(lowest, *others) if others else lowest
    return False


def _contradiction(queries: Sequence[str], *, by_rank: bool) -> Problem:
    some = join_names(queries)
    used = "the rank counts" if by_rank else "the score counts, as in every TREC tool"
    message = f"rank and score disagree in {len(queries)} queries ({some}); {used}"
    return Problem(kind="rank-and-score", message=message, effect="note", column="rank")
