"""Rows below the data that sum it up or remark on it: totals, averages, notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from scoresheet.cli.input.header_matching import fold_header
from scoresheet.metrics.problems import Problem, note
from scoresheet.metrics.schema import TableSchema

if TYPE_CHECKING:
    import pandas as pd

_MOST: Final = 10  # rows at the end that are looked at
_ENGLISH: Final = "total totals grandtotal sum subtotal average averages avg mean median std stdev sd min max n overall"
_OTHERS: Final = "合计 总计 小计 平均 平均值 総計 合計 平均値 gesamt summe mittelwert moyenne somme promedio"
_WORDS: Final = frozenset(f"{_ENGLISH} {_OTHERS}".split())
_REMARK: Final = re.compile(r"(?:notes?|remarks?|source|legend|注|备注|備考)\s*[:：]", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[-+]?[\d.,]+\s*%?")


def summary_rows(frame: pd.DataFrame, schema: TableSchema) -> dict[int, str]:
    """Return the rows at the end of a table that are no data, each with what it says.

    Such a row begins with a word that sums up, or with a remark, and what a row must have besides its key is empty in
    it or a mere number.
    """
    texts = [column.name for column in schema.columns if column.kind == "text" and column.required]
    labels = [column.name for column in schema.columns if column.kind == "label"]
    about = schema.key or next(iter(labels), "")
    if not about or not texts:
        return {}
    found: dict[int, str] = {}
    tail = frame.tail(_MOST)
    keys = tail[about].tolist()
    others = list(zip(*(tail[name].tolist() for name in texts), strict=True))
    for row, key, cells in zip(reversed(tail.index.tolist()), reversed(keys), reversed(others), strict=True):
        if not _sums_up(key) or any(cell.strip() and not _NUMBER.fullmatch(cell.strip()) for cell in cells):
            break
        found[int(row)] = key.strip()
    return dict(sorted(found.items()))


def rows_of_no_model(frame: pd.DataFrame, header: str) -> dict[int, str]:
    """Return the rows at the end of a table of several models that are no data, each with what it says.

    Such a row names no model by the column that does, begins with a word that sums up or with a remark, and has nothing
    besides but numbers.
    """
    found: dict[int, str] = {}
    tail = frame.tail(_MOST)
    models = tail[header].tolist()
    rows = tail.itertuples(index=False, name=None)
    for row, model, cells in reversed(list(zip(tail.index.tolist(), models, rows, strict=True))):
        filled = [cell.strip() for cell in cells if cell.strip()]
        if (model.strip() and not _sums_up(model)) or not filled or not _sums_up(filled[0]):
            break
        if not all(_NUMBER.fullmatch(cell) for cell in filled[1:]):
            break
        found[int(row)] = filled[0]
    return dict(sorted(found.items()))


def summary_note(row: int, text: str) -> Problem:
    """Return what is said of a row that is no data."""
    return note("summary-row", f"{text!r} sums up or remarks on the rows above; it is no row of the data", row=row)


def _sums_up(key: str) -> bool:
    """Return whether a cell says that its row is no data.

    >>> _sums_up("Grand Total:"), _sums_up("Note: draft"), _sums_up("total eclipse")
    (True, True, False)
    """
    return fold_header(key.strip().rstrip(":：.")) in _WORDS or _REMARK.match(key.strip()) is not None
