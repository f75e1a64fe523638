"""From the rows of a sheet to rankings: the order of the items of each query, each item once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from scoresheet.metrics.families.diversity.schema import ITEM, QUERY, RANK, SCORE, TEXT, TREC_RANK
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.keys import join_key, loose_key
from scoresheet.metrics.messages import empty_key, join_names
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Noted, Problem, note, unscored_row


@dataclass(frozen=True)
class Ranking:
    """The items of one query in their order."""

    query: str
    items: tuple[str, ...]
    row_numbers: tuple[int, ...]  # the row of the input that each stands in
    texts: tuple[str, ...]  # what that row says of it
    first_row: int

    def row_of(self, item: str) -> int:
        """Return the row that an item stands in."""
        return self.row_numbers[self.items.index(item)]


class _Row(NamedTuple):
    number: int
    item: str
    position: float  # the smaller, the higher it stands
    other_position: float | None  # the same by the column that does not order
    text: str


_ORDER: Final = attrgetter("position", "item", "number")


def rankings_in(sheet: Sheet) -> Noted[tuple[Ranking, ...]]:
    """Return the rankings of a sheet, in the order in which its queries sort; the order of rows cannot matter."""
    problems: list[Problem] = []
    by_rank = _orders_by_rank(sheet)
    queries = _rows_by_query(sheet, problems, by_rank=by_rank)
    rankings = []
    contradicted = []
    for query in sorted(queries):
        rows = sorted(queries[query], key=_ORDER)
        if _disagree(rows):
            contradicted.append(query)
        rankings.append(_ranking(query, rows, problems))
    if contradicted:
        problems.append(_contradiction(contradicted, by_rank=by_rank))
    return Noted(tuple(rankings), tuple(problems))


def stand_in_for_score(sheet: Sheet) -> str:
    """Return the header that was taken for the score though it is called otherwise; '' if none was."""
    names = {_folded(header): header for header in sheet.headers}
    if SCORE.name in names:
        return ""
    return next((names[name] for name in map(_folded, SCORE.fallbacks) if name in names), "")


def _folded(name: str) -> str:
    return loose_key(name).replace(" ", "")


def _orders_by_rank(sheet: Sheet) -> bool:
    if RANK.name in sheet.absent:
        return False
    # a column without a single rank orders nothing
    return SCORE.name in sheet.absent or any(map(str.strip, sheet.frame[RANK.name]))


def _rows_by_query(sheet: Sheet, problems: list[Problem], *, by_rank: bool) -> Mapping[str, list[_Row]]:
    """Return the rows that can be ordered; what is wrong with the others is added to the problems."""
    column, other = (RANK.name, SCORE.name) if by_rank else (SCORE.name, TREC_RANK.name)
    # a rating beside a rank need not be what the rank was made of
    compared = other not in sheet.absent and not (by_rank and stand_in_for_score(sheet))
    queries: dict[str, list[_Row]] = {}
    keys: dict[str, str] = {}  # of the queries as they are written, which stand there again and again
    for row, query, item, cell, other_cell, text in _cells(sheet, column, other):
        if row in sheet.unusable_rows:
            continue
        value, item_key = parse_float(cell), join_key(item)
        key = keys.get(query) or keys.setdefault(query, join_key(query))
        if value is None or not key or not item_key:
            problems.append(_unusable(row, query, item, cell, column))
            continue
        said = parse_float(other_cell) if compared else None
        position, second = (value, None if said is None else -said) if by_rank else (-value, said)
        own = queries.get(key)
        if own is None:
            own = queries[key] = []
        own.append(_Row(row, item_key, position, second, text.strip()))
    return queries


def _cells(sheet: Sheet, column: str, other: str) -> Iterator[tuple[int, str, str, str, str, str]]:
    frame = sheet.frame
    names = (QUERY.name, ITEM.name, column, other, TEXT.name)
    return zip(frame.index.tolist(), *(frame[name].tolist() for name in names), strict=True)


def _ranking(query: str, rows: Sequence[_Row], problems: list[Problem]) -> Ranking:
    first: dict[str, _Row] = {}
    for row in rows:
        before = first.setdefault(row.item, row)
        if before is not row:
            message = (
                f"{row.item!r} stands twice in the ranking of {query!r}; its first place, row {before.number}, counts"
            )
            problems.append(unscored_row("repeated-item", message, row=row.number, column=ITEM.name))
    used = first.values()
    return Ranking(
        query,
        tuple(first),
        tuple(row.number for row in used),
        tuple(row.text for row in used),
        min(row.number for row in rows),
    )


def _unusable(row: int, query: str, item: str, cell: str, column: str) -> Problem:
    """Return why a row has no place in a ranking."""
    if not query.strip() or not item.strip():
        empty = QUERY.name if not query.strip() else ITEM.name
        return unscored_row("empty-key", empty_key(empty), row=row, column=empty)
    return unscored_row("bad-rank", f"the {column} is {cell!r}, not a finite number", row=row, column=column)


def _disagree(rows: Sequence[_Row]) -> bool:
    """Return whether the other column would put two items the other way round; what is tied in either does not."""
    if all(row.other_position is None for row in rows):
        return False
    lowest = -math.inf  # where the other column puts any item that stands higher
    for _, tied in groupby(rows, key=lambda row: row.position):
        others = [row.other_position for row in tied if row.other_position is not None]
        if others and min(others) < lowest:
            return True
        lowest = max(lowest, *others) if others else lowest
    return False


def _contradiction(queries: Sequence[str], *, by_rank: bool) -> Problem:
    some = join_names(queries)
    used = "the rank counts" if by_rank else "the score counts, as in every TREC tool"
    message = f"rank and score disagree in {len(queries)} queries ({some}); {used}"
    return note("rank-and-score", message, column=RANK.name)
