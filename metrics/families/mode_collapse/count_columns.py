"""Counts under another name than count: taken where they can be nothing else, said aloud where they may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scoresheet.metrics.families.mode_collapse.schema import COUNT
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.messages import flag
from scoresheet.metrics.numbers import parse_count
from scoresheet.metrics.problems import Problem, note
from scoresheet.metrics.tables import text_cells

_NAMES: Final = frozenset(
    {"n", "frequency", "freq", "times", "votes", "counts", "occurrences", "nsamples", "anzahl", "次数", "回数"}
)


def stand_in_count(sheet: Sheet, columns: Sequence[Sequence[str]]) -> tuple[str, tuple[Problem, ...]]:
    """Return the header that holds the counts of a sheet without a column for them, and what is said of it.

    `columns` are what the rows say: choices, and where in the tree each stands. In a table of counts each stands once;
    where some stand twice, what looks like counts may be of questions that were not kept apart, and is left to the
    user.
    """
    rows = len(sheet.table)
    if COUNT.name not in sheet.absent or rows < 2:
        return "", ()
    for header in sheet.headers:
        if _bare(header) not in _NAMES or header not in sheet.table.columns or header in sheet.taken.values():
            continue
        numbers = list(map(parse_count, text_cells(sheet.table, header)))
        if None in numbers or _is_numbering(numbers):
            continue
        if len(set(zip(*columns, strict=True))) == rows:
            message = (
                f"there is no column count; {header!r} holds whole numbers and no choice stands twice, so that it was "
                "taken for how often each was made"
            )
            return header, (note("count-column", message),)
        message = (
            f"{header!r} holds whole numbers and was not used: every row counts as one sample; if they say how often a "
            f"choice was made, {flag(f'column count={header}')} counts them"
        )
        return "", (note("not-counted", message, column=header),)
    return "", ()


def _is_numbering(numbers: Sequence[int | None]) -> bool:
    """Return whether rows are merely numbered, each by one more than the one before.

    >>> _is_numbering([1, 2, 3]), _is_numbering([12, 4, 3, 1]), _is_numbering([1, 1, 1])
    (True, False, False)
    """
    first = numbers[0] or 0
    return list(numbers) == list(range(first, first + len(numbers)))


def _bare(header: str) -> str:
    return "".join(filter(str.isalnum, header.casefold()))
