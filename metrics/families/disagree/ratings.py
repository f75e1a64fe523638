"""From the cells of a sheet to ratings: items × judges × dimensions, and what was wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.core import Joined
from scoresheet.metrics.families.disagree.cells import Cells, Names, in_scale, refuse_twice
from scoresheet.metrics.families.disagree.layout import ALONE, ONE, Layout, layout_of
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.keys import join_key, natural_order
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.numbers import parse_float, parse_weight
from scoresheet.metrics.problems import Problem, reject

_MOST: Final = 100_000_000  # ratings that there is room for


@dataclass(frozen=True)
class Ratings:
    """The ratings of a sheet; what is missing is NaN."""

    items: list[str]
    judges: list[str]
    dimensions: list[str]
    scores: NDArray[np.float64]  # items × judges × dimensions, as given; with labels, the numbers of their kinds
    confidence: NDArray[np.float64] | None  # the same shape; None: all 1
    relevance: NDArray[np.float64] | None
    first_rows: list[int]  # of each item
    used: int  # rows with a score
    problems: list[Problem] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # columns beyond ours that hold no scores


def read_ratings(joined: Joined, options: DisagreeOptions) -> Ratings:
    """Return the ratings of a sheet; a Refusal says why there are none."""
    layout = layout_of(joined, options)
    problems = list(layout.problems)
    frame = joined.sheet.frame
    items = [join_key(cell) for cell in frame["item"]]
    sound = np.array([row not in joined.unsound for row in frame.index], dtype=bool)
    problems += _empty_keys(joined, items, "item", sound)
    judges: Names | None = None
    if not layout.judges and "strategy" not in joined.absent:
        names = [join_key(cell) for cell in frame["strategy"]]
        problems += _empty_keys(joined, names, "strategy", sound)
        judges = _named(names)
    weights = {}
    for name in ("confidence", "cultural_relevance"):
        if name not in joined.absent and not options.nominal and all(name != header for header, _ in layout.columns):
            weights[name] = _weights(joined, name, sound, problems)
    cells = _cells(joined, layout, options, sound, problems, judges)
    ratings = _arranged(joined, options, items, cells, weights, problems)
    used = {header for header, _ in layout.columns}
    return replace(ratings, left_out=[header for header in map(str, frame.columns) if header not in used])


def _empty_keys(joined: Joined, keys: Sequence[str], column: str, sound: NDArray[np.bool_]) -> list[Problem]:
    """Return the rows that do not say what or who they are about, and call them unsound."""
    problems = []
    rows = joined.sheet.frame.index
    for place, key in enumerate(keys):
        if not key and sound[place]:
            message = f"the cell {column} is empty; if it is merged with others, unmerge them and fill each row"
            problems.append(_lost("empty-key", message, int(rows[place]), column))
            sound[place] = False
    return problems


def _weights(joined: Joined, name: str, sound: NDArray[np.bool_], problems: list[Problem]) -> NDArray[np.float64]:
    """Return a weight for each row, 1 where there is none."""
    cells = joined.sheet.frame[name].tolist()
    values, bad = _parsed(cells, lambda cell: parse_weight(cell) if cell.strip() else 1.0)
    for place in bad:
        if sound[place]:
            message = f"{cells[place]!r} is not a number of 0 or more; the score has no weight without it"
            problems.append(_lost("bad-weight", message, int(joined.sheet.frame.index[place]), name))
            sound[place] = False
    return np.where(np.isnan(values), 1.0, values)


def _cells(
    joined: Joined,
    layout: Layout,
    options: DisagreeOptions,
    sound: NDArray[np.bool_],
    problems: list[Problem],
    judges: Names | None,
) -> Cells:
    """Return the scores of the sound rows, one after another."""
    frame = joined.sheet.frame
    own_dimension = "dimension" not in joined.absent and (layout.long or layout.judges)
    dimensions: Names | None = None
    if own_dimension:
        names = [join_key(cell) for cell in frame["dimension"]]
        problems += _empty_keys(joined, names, "dimension", sound)
        dimensions = _named(names)
    rows, values = [], []
    filled = np.zeros(len(frame), dtype=bool)
    kinds: dict[str, float] = {}  # labels by their numbers, the same in every column
    for header, _ in layout.columns:
        texts = frame[header].tolist()
        found = _labels(texts, kinds) if options.nominal else _scores(joined, header, layout, sound, problems)
        filled |= ~np.isnan(found)
        places = (sound & ~np.isnan(found)).nonzero()[0]
        rows.append(places)
        values.append(found[places])
    if kinds:
        problems.append(_labels_found(kinds, np.concatenate(values)))
    said = {problem.row for problem in problems if problem.effect == "row not scored"}
    for place in (sound & ~filled).nonzero()[0].tolist():
        row = int(frame.index[place])
        if row not in said:
            message = "the score is empty" if layout.long else "no column of the row holds a score"
            problems.append(_lost("blank-score", message, row, layout.columns[0][1] if layout.long else ""))
    together = np.concatenate(rows)
    columns = np.repeat(np.arange(len(rows)), [len(places) for places in rows])
    by_column = _of_columns([name for _, name in layout.columns], columns)
    return Cells(
        rows=together,
        judges=by_column if layout.judges else _of_cells(judges, together, ALONE),
        dimensions=by_column if not layout.judges and not own_dimension else _of_cells(dimensions, together, ONE),
        headers=Names([header for header, _ in layout.columns], columns),
        values=np.concatenate(values),
    )


def _named(names: Sequence[str]) -> Names:
    """Return names in the order in which people sort them."""
    known = sorted({name for name in names if name}, key=natural_order)
    places = {name: place for place, name in enumerate(known)} | {"": -1}
    return Names(known, np.fromiter(map(places.__getitem__, names), dtype=np.int64, count=len(names)))


def _of_columns(names: Sequence[str], columns: NDArray[np.int64]) -> Names:
    """Return the names of the columns that the cells stand in; two headers of one name are one judge or dimension."""
    known = list(dict.fromkeys(names))
    return Names(known, np.array([known.index(name) for name in names], dtype=np.int64)[columns])


def _of_cells(names: Names | None, rows: NDArray[np.int64], otherwise: str) -> Names:
    """Return the names that the rows of the cells have, without those that no cell needs; all if there are no cells."""
    if names is None:
        return Names([otherwise], np.zeros(len(rows), dtype=np.int64))
    used, codes = np.unique(names.codes[rows], return_inverse=True)
    return Names([names.known[place] for place in used.tolist()] or names.known or [otherwise], codes)


def _scores(
    joined: Joined, header: str, layout: Layout, sound: NDArray[np.bool_], problems: list[Problem]
) -> NDArray[np.float64]:
    """Return a column's numbers, NaN for those that are missing or none."""
    frame = joined.sheet.frame
    cells = frame[header].tolist()
    values, bad = _parsed(cells, parse_float)
    blank = [place for place in bad if not cells[place].strip()]
    wrong = [place for place in bad if cells[place].strip() and sound[place]]
    for place in wrong:
        message = f"{cells[place]!r} is not a number and counts as missing; {_advice(cells[place])}"
        row = int(frame.index[place])
        if layout.long:
            problems.append(_lost("bad-score", message, row, header))
        else:
            problems.append(Problem(kind="bad-score", message=message, effect="note", row=row, column=header))
    if blank and not layout.long:
        rows = join_names(str(frame.index[place]) for place in blank)
        message = f"{len(blank)} of {len(cells)} scores are empty: row{'s' if len(blank) > 1 else ''} {rows}"
        problems.append(Problem(kind="blank-score", message=message, effect="note", column=header))
    return values


def _advice(cell: str) -> str:
    """Return what to do about a score that is no number."""
    if parse_float(cell.replace(",", ".")) is not None:
        return "write it with a point"
    return "write it without %" if cell.strip().endswith("%") else "--level nominal takes labels"


def _labels(cells: Sequence[str], kinds: dict[str, float]) -> NDArray[np.float64]:
    values, _ = _parsed(
        cells, lambda cell: kinds.setdefault(join_key(cell), float(len(kinds))) if cell.strip() else None
    )
    return values


def _labels_found(kinds: dict[str, float], values: NDArray[np.float64]) -> Problem:
    """Return a note on the labels there are, and those that differ only in case: a slip of the pen is a label too."""
    times = np.bincount(values.astype(np.int64), minlength=len(kinds)).tolist()
    often = sorted(zip(kinds, times, strict=True), key=lambda pair: (-pair[1], pair[0]))
    message = "labels: " + join_names([f"{label} {count:,}" for label, count in often], most=12)
    folded: dict[str, list[str]] = {}
    for label in kinds:
        folded.setdefault(label.casefold(), []).append(label)
    alike = [" and ".join(labels) for labels in folded.values() if len(labels) > 1]
    if alike:
        message += f"; these differ only in case, and count as different: {join_names(alike)}"
    return Problem(kind="labels", message=message, effect="note")


def _parsed(cells: Sequence[str], parse: Callable[[str], float | None]) -> tuple[NDArray[np.float64], list[int]]:
    """Return the numbers of cells, NaN where there is none, and the places of those; equal cells are read once."""
    known = {cell: parse(cell) for cell in dict.fromkeys(cells)}
    failed = {cell for cell, value in known.items() if value is None}
    numbers = {cell: np.nan if value is None else value for cell, value in known.items()}
    values = np.fromiter(map(numbers.__getitem__, cells), dtype=float, count=len(cells))
    return values, [place for place, cell in enumerate(cells) if cell in failed] if failed else []


def _arranged(
    joined: Joined,
    options: DisagreeOptions,
    items: list[str],
    cells: Cells,
    weights: dict[str, NDArray[np.float64]],
    problems: list[Problem],
) -> Ratings:
    """Return the cells as one array; a Refusal if two of them claim one place or the scale is another one."""
    index = joined.sheet.frame.index
    # an item that no judge scored is an item all the same
    known = list(dict.fromkeys(item for item in items if item))
    judges, dimensions = cells.judges, cells.dimensions
    shape = (len(known), len(judges.known), len(dimensions.known))
    if shape[0] * shape[1] * shape[2] > _MOST:
        message = f"{shape[0]:,} items × {shape[1]:,} judges × {shape[2]:,} dimensions are more than there is room for"
        reject("not-a-table", f"{message}; are the columns the right ones?")
    of_item = {name: place for place, name in enumerate(known)} | {"": -1}
    item_codes = np.fromiter(map(of_item.__getitem__, items), dtype=np.int64, count=len(items))
    places = (item_codes[cells.rows] * shape[1] + judges.codes) * shape[2] + dimensions.codes
    refuse_twice(places, cells, items, index)
    values = cells.values if options.nominal else in_scale(cells, options, index, problems)
    first: dict[str, int] = {}
    for item, row in zip(items, index.tolist(), strict=True):
        first.setdefault(item, int(row))
    ratings = Ratings(
        items=known,
        judges=judges.known,
        dimensions=dimensions.known,
        scores=_spread_out(values, places, shape),
        confidence=None,
        relevance=None,
        first_rows=[first[item] for item in known],
        used=len(np.unique(cells.rows[~np.isnan(values)])),
        problems=problems,
    )
    if not weights:
        return ratings
    spread = {name: _spread_out(each[cells.rows], places, shape) for name, each in weights.items()}
    return replace(ratings, confidence=spread.get("confidence"), relevance=spread.get("cultural_relevance"))


def _spread_out(values: NDArray[np.float64], places: NDArray[np.int64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    table = np.full(shape, np.nan)
    table.ravel()[places] = values
    return table


def _lost(kind: str, message: str, row: int, column: str) -> Problem:
    return Problem(kind=kind, message=message, effect="row not scored", row=row, column=column)
