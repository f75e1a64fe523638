"""From the rows of a sheet to rankings: the order of the items of each query, each item once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, Integers, elements_at, row_numbers
from scoresheet.metrics.families.diversity.schema import ITEM, QUERY, RANK, SCORE, TEXT, TREC_RANK
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.keys import loose_key
from scoresheet.metrics.messages import empty_key, join_names
from scoresheet.metrics.numbers import parse_floats
from scoresheet.metrics.problems import Noted, Problem, note, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.tables import keys_of, shown_rows, text_cells, unique_strings
from scoresheet.metrics.text_words import (
    TextWords,
    chosen_texts,
    coded_runs,
    may_repeat,
    text_words,
    whole_numbers,
)


@dataclass(frozen=True)
class Ranking:
    """The items of one query in their order."""

    query: str
    items: Sequence[str]
    row_numbers: Sequence[int]  # the row of the input that each stands in
    texts: Sequence[str]  # what that row says of it; nothing where no row of the sheet says anything
    first_row: int

    def row_of(self, item: str) -> int:
        """Return the row that an item stands in."""
        return self.row_numbers[self.items.index(item)]


class _Items(Sequence[str]):
    """The items of a ranking, of which the first are at hand; few ask for others."""

    def __init__(self, first: list[str], column: Sequence[str], start: int, stop: int) -> None:
        self._first = first
        self._column, self._start, self._stop = column, start, stop

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice[int | None, int | None, int | None]) -> list[str]: ...
    def __getitem__(self, index: int | slice[int | None, int | None, int | None]) -> str | list[str]:
        if isinstance(index, int):
            return (self._first if 0 <= index < len(self._first) else self._every)[index]
        at_hand = not index.start and index.stop is not None and 0 <= index.stop <= len(self._first)
        return (self._first if at_hand else self._every)[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    @cached_property
    def _every(self) -> list[str]:
        return self._first if len(self._first) == len(self) else list(self._column[self._start : self._stop])


class _Rows(NamedTuple):
    """The rows of a sheet that can be ordered, column by column."""

    numbers: NDArray[np.int64]  # as the input counts them
    queries: Coded[str]
    items: Sequence[str]
    positions: NDArray[np.float64]  # the smaller, the higher it stands
    other_positions: NDArray[np.float64] | None  # the same by the column that does not order; NaN where it is silent
    texts: Sequence[str]  # none where there is no column of them
    words: TextWords | None = None  # the items, where they are as they stand in the sheet

    def take(self, places: NDArray[np.intp]) -> _Rows:
        """Return the rows at these places."""
        texts = elements_at(self.texts, places) if len(self.texts) else self.texts
        queries = self.queries.take(places)
        others = None if self.other_positions is None else self.other_positions[places]
        words = None if self.words is None else TextWords(self.words.words[:, places], self.words.sizes[places])
        items = elements_at(self.items, places)
        return _Rows(self.numbers[places], queries, items, self.positions[places], others, texts, words)


def rankings_in(sheet: Sheet, depth: int = 0) -> Noted[tuple[Ranking, ...]]:
    """Return the rankings of a sheet, in the order in which its queries sort; the order of rows cannot matter.

    The first `depth` items of each will be asked for.
    """
    problems: list[Problem] = []
    by_rank = _orders_by_rank(sheet)
    rows = _ordered(_usable_rows(sheet, problems, by_rank=by_rank))
    count = len(rows.numbers)
    ends = np.append(np.flatnonzero(np.diff(rows.queries.codes)) + 1, count) if count else np.zeros(0, np.int64)
    contradicted = [
        rows.queries[start]
        for start, stop in pairwise([0, *ends.tolist()])
        if rows.other_positions is not None and _disagree(rows.positions[start:stop], rows.other_positions[start:stop])
    ]
    if count and rows.words is not None and not may_repeat(rows.words, rows.queries.codes):
        rankings = _rankings_of_different(rows, ends, depth)
    else:
        rankings = _checked_rankings(rows, ends, problems)
    if contradicted:
        problems.append(_contradiction(contradicted, by_rank=by_rank))
    return Noted(tuple(rankings), tuple(problems))


def _checked_rankings(rows: _Rows, ends: Integers, problems: list[Problem]) -> list[Ranking]:
    """Return the rankings of queries that end at these rows, each item once."""
    numbers, items, texts = rows.numbers.tolist(), list(rows.items), list(rows.texts)
    return [
        _ranking(rows.queries[start], items[start:stop], numbers[start:stop], texts[start:stop], problems)
        for start, stop in pairwise([0, *ends.tolist()])
    ]


def _rankings_of_different(rows: _Rows, ends: Integers, depth: int) -> list[Ranking]:
    """Return the same where no item stands twice: there is nothing to say, and no string is made but of the first."""
    starts = np.append(0, ends[:-1])
    lengths = ends - starts
    first = np.flatnonzero(np.arange(len(rows.numbers)) - np.repeat(starts, lengths) < depth)
    items = chosen_texts(rows.items, first)
    first_ends = np.cumsum(np.minimum(lengths, depth)).tolist()
    first_rows = np.minimum.reduceat(rows.numbers, starts).tolist()
    numbers, queries, texts = row_numbers(rows.numbers), rows.queries.take(starts), rows.texts
    made = []
    for query, row, (start, stop), (begin, end) in zip(
        queries, first_rows, pairwise([0, *ends.tolist()]), pairwise([0, *first_ends]), strict=True
    ):
        own = _Items(items[begin:end], rows.items, start, stop)
        made.append(Ranking(query, own, numbers[start:stop], texts[start:stop], row))
    return made


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
    return SCORE.name in sheet.absent or any(map(str.strip, text_cells(sheet.table, RANK.name)))


def _usable_rows(sheet: Sheet, problems: list[Problem], *, by_rank: bool) -> _Rows:
    """Return the rows that can be ordered; what is wrong with the others is added to the problems."""
    column, other = (RANK.name, SCORE.name) if by_rank else (SCORE.name, TREC_RANK.name)
    # a rating beside a rank need not be what the rank was made of
    compared = other not in sheet.absent and not (by_rank and stand_in_for_score(sheet))
    table = sheet.table
    queries, (items, words) = _query_keys(text_cells(table, QUERY.name)), _item_keys(text_cells(table, ITEM.name))
    written = text_cells(table, column)
    values = whole_numbers(text_words(written))
    values = parse_floats(written) if values is None else values
    others = parse_floats(text_cells(table, other)) if compared else None
    texts = [] if TEXT.name in sheet.absent else list(map(str.strip, text_cells(table, TEXT.name)))
    rows = _Rows(
        np.array(shown_rows(table), dtype=np.int64),
        queries,
        items,
        values if by_rank else -values,
        None if others is None else (-others if by_rank else others),
        texts,
        words,
    )
    usable = ~np.isnan(values)
    has_items = all(items) if words is None else bool(words.sizes.all())
    if sheet.unusable_rows or not (usable.all() and all(queries.values) and has_items):
        known = [bool(query and item) for query, item in zip(queries, items, strict=True)]
        usable &= np.array(known, dtype=bool)
        others_say = np.isin(rows.numbers, list(sheet.unusable_rows))
        for place in np.flatnonzero(~usable & ~others_say).tolist():
            query, item, cell = (text_cells(table, name)[place] for name in (QUERY.name, ITEM.name, column))
            problems.append(_unusable(int(rows.numbers[place]), query, item, cell, column))
        rows = rows.take(np.flatnonzero(usable & ~others_say))
    return rows


def _query_keys(cells: Sequence[str]) -> Coded[str]:
    """Return the keys of queries; the rows of each mostly follow each other, and its key is made once."""
    return coded_runs(cells, text_words(cells)) or Coded.of(keys_of(cells))


def _item_keys(cells: Sequence[str]) -> tuple[Sequence[str], TextWords | None]:
    """Return the keys of items, and their bytes where these are known and the keys are the cells themselves."""
    words = text_words(cells)
    return (unique_strings(keys_of(cells)) if words is None else cells), words


def _ordered(rows: _Rows) -> _Rows:
    """Return the rows query by query, in the order of their positions; what is tied by item, then as it stands."""
    different = rows.queries.values
    places = {query: place for place, query in enumerate(sorted(different))}
    query_of = np.array([places[query] for query in different], dtype=np.int64)[rows.queries.codes]
    steps = np.diff(query_of)
    if np.all((steps > 0) | ((steps == 0) & (np.diff(rows.positions) > 0))):
        return rows  # as most tools write them
    order = np.lexsort((rows.numbers, rows.positions, query_of))
    following, before = order[1:], order[:-1]
    items = rows.items
    tied = (query_of[following] == query_of[before]) & (rows.positions[following] == rows.positions[before])
    if tied.any():
        items = list(items)
        ends = np.append(np.flatnonzero(~tied) + 1, len(order)).tolist()
        for start, end in pairwise([0, *ends]):
            if end - start > 1:
                order[start:end] = sorted(order[start:end].tolist(), key=lambda row: (items[row], rows.numbers[row]))
    return rows.take(order)


def _ranking(
    query: str, items: Sequence[str], numbers: Sequence[int], texts: Sequence[str], problems: list[Problem]
) -> Ranking:
    """Return the ranking of a query's rows; an item that stands in it again is a problem."""
    first: dict[str, int] = {}
    if len(set(items)) < len(items):
        for place, item in enumerate(items):
            before = first.setdefault(item, place)
            if before != place:
                row = numbers[before]
                message = f"{item!r} stands twice in the ranking of {query!r}; its first place, row {row}, counts"
                problems.append(unscored_row("repeated-item", message, row=numbers[place], column=ITEM.name))
    first_row = min(numbers)
    if first:
        numbers = [numbers[place] for place in first.values()]
        texts = [texts[place] for place in first.values()] if texts else texts
    return Ranking(query, tuple(first or items), tuple(numbers), tuple(texts), first_row)


def _unusable(row: int, query: str, item: str, cell: str, column: str) -> Problem:
    """Return why a row has no place in a ranking."""
    if not query.strip() or not item.strip():
        empty = QUERY.name if not query.strip() else ITEM.name
        return unscored_row("empty-key", empty_key(empty), row=row, column=empty)
    return unscored_row("bad-rank", f"the {column} is {cell!r}, not a finite number", row=row, column=column)


def _disagree(positions: NDArray[np.float64], other_positions: NDArray[np.float64]) -> bool:
    """Return whether the other column would put two items the other way round; what is tied in either does not."""
    said = ~np.isnan(other_positions)
    pairs = zip(positions[said].tolist(), other_positions[said].tolist(), strict=True)
    lowest = -math.inf  # where the other column puts any item that stands higher
    for _, tied in groupby(pairs, key=itemgetter(0)):
        others = [other for _, other in tied]
        if min(others) < lowest:
            return True
        lowest = max(lowest, *others)
    return False


def _contradiction(queries: Sequence[str], *, by_rank: bool) -> Problem:
    some = join_names(queries)
    used = "the rank counts" if by_rank else "the score counts, as in every TREC tool"
    message = f"rank and score disagree in {len(queries)} queries ({some}); {used}"
    return note("rank-and-score", message, column=RANK.name)
