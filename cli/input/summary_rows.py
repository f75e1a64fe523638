"""Rows below the data that sum it up or remark on it: totals, averages, notes."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import TYPE_CHECKING, Final

from scoresheet.cli.input.header_matching import fold_header
from scoresheet.metrics.problems import Problem, note
from scoresheet.metrics.schema import TableSchema

if TYPE_CHECKING:
    from scoresheet.cli.input.grid import Grid

_MOST: Final = 10  # rows at the end that are looked at
_SURE: Final = "total totals grandtotal subtotal average averages avg mean overall"
_OTHERS: Final = "合计 总计 小计 平均 平均值 総計 合計 平均値 gesamt summe mittelwert moyenne somme promedio"
_LIKELY: Final = "sum median std stdev sd min max n"  # beside one of the others, or where a text should stand
_SURE_WORDS: Final = frozenset(f"{_SURE} {_OTHERS}".split())
_WORDS: Final = _SURE_WORDS | frozenset(_LIKELY.split())
_REMARK: Final = re.compile(r"(?:notes?|remarks?|source|legend|注|备注|備考)\s*[:：]", re.IGNORECASE)
_SIZE: Final = re.compile(r"n\s*=\s*[\d.,]+", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[-+]?[\d.,]+\s*%?")


def summary_rows(grid: Grid, schema: TableSchema, absent: Container[str]) -> dict[int, str]:
    """Return the rows at the end of a table under our names that are no data, each with what it says.

    Such a row begins with a word that sums up, or with a remark, and what a row must have besides its key is empty in
    it or a mere number. Where data are numbers too, one of these rows must be beyond doubt.
    """
    key = schema.key or next(
        (each.name for each in schema.columns if each.kind == "label" and each.name not in absent), ""
    )
    if not key or key in absent:
        return {}
    texts = [column.name for column in schema.columns if column.kind == "text" and column.required]
    found: dict[int, str] = {}
    abouts = grid.cells(key)[-_MOST:]
    others = [grid.cells(name)[-_MOST:] for name in texts or [name for name in grid.headers if name != key]]
    cells_beside = zip(*others, strict=True) if others else [()] * len(abouts)
    for row, about, cells in reversed(list(zip(grid.rows[-_MOST:], abouts, cells_beside, strict=True))):
        if not _sums_up(about) or any(cell.strip() and not _NUMBER.fullmatch(cell.strip()) for cell in cells):
            break
        found[row] = about.strip()
    if not texts and not any(_folded(about) in _SURE_WORDS for about in found.values()):
        return {}
    return dict(sorted(found.items()))


def rows_of_no_model(grid: Grid, header: str) -> dict[int, str]:
    """Return the rows at the end of a table of several models that are no data, each with what it says.

    Such a row names no model by the column that does, begins with a word that sums up or with a remark, and has nothing
    besides but numbers.
    """
    found = _sums_between(grid, header)
    last = [list(grid.cells(each)[-_MOST:]) for each in grid.headers]
    models = last[grid.headers.index(header)]
    for row, model, cells in reversed(list(zip(grid.rows[-_MOST:], models, zip(*last, strict=True), strict=True))):
        filled = [cell.strip() for cell in cells if cell.strip()]
        if (model.strip() and not _sums_up(model)) or not filled or not _sums_up(filled[0]):
            break
        if not all(_NUMBER.fullmatch(cell) for cell in filled[1:]):
            break
        found[row] = filled[0]
    return dict(sorted(found.items()))


def _sums_between(grid: Grid, header: str) -> dict[int, str]:
    """Return the rows anywhere in a table that sum up the models around them: their cells are numbers, or empty.

    At least one cell must be: a model that is called Average has its rows filled as others have.
    """
    doubtful = {place: cell for place, cell in enumerate(grid.cells(header)) if cell.strip() and _is_sum(cell)}
    found = {}
    for place, cell in doubtful.items():
        others = [grid.cells(name)[place].strip() for name in grid.headers if name != header]
        if not all(others) and all(not other or _NUMBER.fullmatch(other) for other in others):
            found[grid.rows[place]] = cell.strip()
    return found if len(found) < len(grid) else {}


def _is_sum(cell: str) -> bool:
    """Return whether a cell where a model should be named says that its row sums up.

    >>> [_is_sum(cell) for cell in ("Mean", "llama total", "Subtotal:", "n = 18", "gpt-4", "nous")]
    [True, True, True, True, False, False]
    """
    last = re.split(r"[\s_:-]+", cell.strip().rstrip(":："))[-1]
    return _folded(cell) in _WORDS or fold_header(last) in _SURE_WORDS or _SIZE.fullmatch(cell.strip()) is not None


def summary_note(row: int, text: str) -> Problem:
    """Return what is said of a row that is no data."""
    return note("summary-row", f"{text!r} sums up or remarks on the rows above; it is no row of the data", row=row)


def _sums_up(key: str) -> bool:
    """Return whether a cell says that its row is no data.

    >>> _sums_up("Grand Total:"), _sums_up("Note: draft"), _sums_up("total eclipse")
    (True, True, False)
    """
    return _folded(key) in _WORDS or _REMARK.match(key.strip()) is not None


def _folded(key: str) -> str:
    return fold_header(key.strip().rstrip(":：."))
