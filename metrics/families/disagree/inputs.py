"""A sheet of judgements, parsed: the ratings, items × judges × dimensions, and what is wrong with the cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import compress
from shlex import quote
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.disagree.compare import item_of_model
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.rating_cells import (
    NameCodes,
    RatingCells,
    name_codes,
    refuse_duplicates,
    scores_within_scale,
)
from scoresheet.metrics.families.disagree.rating_columns import (
    ONLY_DIMENSION,
    ONLY_JUDGE,
    RatingColumns,
    rating_columns,
    score_parser,
)
from scoresheet.metrics.families.disagree.schema import CONFIDENCE, DIMENSION, FIRST, ITEM, JUDGE, MODEL, RELEVANCE
from scoresheet.metrics.families.disagree.score_texts import parse_score
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.keys import did_you_mean, join_key, loose_key
from scoresheet.metrics.messages import empty_key, flag, join_names, pluralize
from scoresheet.metrics.numbers import parse_float, parse_weight
from scoresheet.metrics.problems import Noted, Problem, note, reject, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.tables import shown_rows, text_cells
from scoresheet.metrics.text_columns import coded_cells

_MOST_RATINGS: Final = 100_000_000  # that there is room for
_MOST_LABELS: Final = 12  # that a message lists
_BETWEEN_LABELS: Final = re.compile(r"[,;/|>\-]|\bthen\b|\bfirst\b")


@dataclass(frozen=True, kw_only=True)
class Ratings(ParsedSheet):
    """The ratings of a sheet; what is missing is NaN."""

    items: Sequence[str]  # each once: where models answer the same ones, with the model
    judges: Sequence[str]
    dimensions: Sequence[str]
    scores: NDArray[
        np.float64
    ]  # items × judges × dimensions, as given, or where scales differ from 0 to 1; labels have numbers
    confidence: NDArray[np.float64] | None  # the same shape; None: all 1
    relevance: NDArray[np.float64] | None
    first_rows: Sequence[int]  # of each item
    rated_rows: int  # rows with a score
    labels: Sequence[str] = ()  # by their numbers
    first: NDArray[np.float64] | None = None  # the label that stood first, the same shape; None: it is not said
    models: Sequence[str] = ()  # of each item, where a column says whose answers were judged
    plain_items: Sequence[str] = ()  # then the items as they are called

    @property
    def item_names(self) -> Sequence[str]:
        """The items as their column calls them."""
        return self.plain_items or self.items


class _Rows:
    """The rows of a sheet while they are read: which are usable still, and what was said of them."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.numbers = list(shown_rows(sheet.table))
        self.usable = np.ones(len(self.numbers), dtype=bool)
        if sheet.unusable_rows:
            self.usable = np.array([row not in sheet.unusable_rows for row in self.numbers], dtype=bool)
        self.problems: list[Problem] = []

    def __len__(self) -> int:
        return len(self.numbers)

    def has(self, column: str) -> bool:
        """Return whether the sheet has a column of ours."""
        return column not in self.sheet.absent

    def cells(self, header: str) -> Coded[str]:
        """Return the cells of a column."""
        return coded_cells(text_cells(self.sheet.table, header))

    def keys(self, column: str) -> Coded[str]:
        """Return the keys of a column; rows that do not say what or who they are about cannot be used."""
        keys = self.cells(column).mapped(join_key)
        header = self.sheet.header(column)
        for position in self.usable_among(keys, {""}):
            self.lose(position, "empty-key", empty_key(header), header)
        return keys

    def usable_among(self, cells: Coded[str], wanted: Collection[str]) -> list[int]:
        """Return the positions of the usable rows that have one of these cells."""
        found: list[int] = np.flatnonzero(_is_among(cells, wanted) & self.usable).tolist()
        return found

    def lose(self, position: int, kind: str, message: str, column: str) -> None:
        """Set a row aside that cannot be used, and say why."""
        self.problems.append(unscored_row(kind, message, row=self.numbers[position], column=column))
        self.usable[position] = False


def parse_sheet(sheet: Sheet, options: DisagreeOptions) -> Noted[Ratings]:
    """Return the ratings of a sheet; an InputError says why there are none, or not the kind that was announced."""
    columns, problems = rating_columns(sheet, options)
    rows = _Rows(sheet)
    rows.problems += problems
    items = rows.keys(ITEM.name)
    models = _models(rows, columns)
    judges = None
    if not columns.by_judge and rows.has(JUDGE.name):
        judges = name_codes(rows.keys(JUDGE.name))
    weights = {
        column.name: _weights(rows, column.name)
        for column in (CONFIDENCE, RELEVANCE)
        if rows.has(column.name) and not options.nominal and column.name not in columns.headers
    }
    cells = _rating_cells(rows, columns, judges, options)
    if options.nominal and rows.has(FIRST.name) and FIRST.name not in columns.headers:
        weights[FIRST.name] = _first_labels(rows, cells.labels)
    rows.problems += _unknown_judges(cells, options)
    ratings = _arranged(rows, items, models, cells, weights, options)
    if options.strategies and len(ratings.judges) > 1:
        reject(
            "several-judges",
            f"{flag('strategies')} makes an ensemble out of one judge's scores, and here are {len(ratings.judges)} "
            f"judges: {join_names(ratings.judges)}; leave out {flag('strategies')}, or keep one of them",
            effect="sheet skipped",
        )
    return Noted(ratings, tuple(rows.problems))


def _models(rows: _Rows, columns: RatingColumns) -> Coded[str] | None:
    """Return whose answer each row is about, where a column says it; one that says who judged does not."""
    if not rows.has(MODEL.name) or MODEL.name in columns.headers:
        return None
    cells = rows.cells(MODEL.name)
    if cells in ([] if columns.by_judge else [rows.cells(JUDGE.name)]) or cells == rows.cells(ITEM.name):
        return None
    models = rows.keys(MODEL.name)
    header, names = rows.sheet.header(MODEL.name), list(filter(None, models.values))
    message = f"{header} says what was judged: {pluralize(len(names), 'model')} ({join_names(names)})"
    if len(names) > 1:
        way = flag(f"by {quote(header)}")
        message += f", and an item under two of them is two items; {way} tells them apart"
    if columns.long or rows.has(JUDGE.name) or len(columns.columns) > 1:
        rows.problems.append(note("model-column", message, column=header))
    else:
        way = flag(f"column {quote(f'judge={header}')}")
        message += f"; no column says who judged, {way} if {header} does"
        rows.problems.append(note("model-column", message, column=header))
    return models


def _unknown_judges(cells: RatingCells, options: DisagreeOptions) -> list[Problem]:
    """Return a note on judges who have a scale of their own and are not here."""
    known = {loose_key(name): name for name in cells.judges.names}
    missing = [name for name in options.scales.by_judge if name not in cells.judges.names]
    if not missing:
        return []
    near = did_you_mean(missing, known)
    message = f"{flag('scale')} names judges who are not here: {join_names(missing)}{near}"
    return [note("unknown-judge", f"{message}; the judges are {join_names(cells.judges.names, most=_MOST_LABELS)}")]


def _weights(rows: _Rows, column: str) -> NDArray[np.float64]:
    """Return a weight for each row, 1 where there is none."""
    cells = rows.cells(column)
    values, failed = _numbers(cells, lambda cell: parse_weight(cell) if cell.strip() else 1.0)
    for position in rows.usable_among(cells, failed):
        message = f"{cells[position]!r} is not a number of 0 or more; the score has no weight without it"
        rows.lose(position, "bad-weight", message, column)
    return np.where(np.isnan(values), 1.0, values)


def _rating_cells(
    rows: _Rows, columns: RatingColumns, judges: NameCodes | None, options: DisagreeOptions
) -> RatingCells:
    """Return the scores of the usable rows, one after another."""
    dimensions = None
    by_row = rows.has(DIMENSION.name) and (columns.long or columns.by_judge)  # whether rows say the dimension
    if by_row:
        dimensions = name_codes(rows.keys(DIMENSION.name))
    label_codes: dict[str, float] = {}  # the same in every column
    by_column = [
        _labels(rows.cells(header), label_codes)
        if options.nominal
        else _scores(rows, header, options, long=columns.long)
        for header in columns.headers
    ]
    positions = [(rows.usable & ~np.isnan(values)).nonzero()[0] for values in by_column]
    values = np.concatenate([column[kept] for column, kept in zip(by_column, positions, strict=True)])
    if label_codes:
        rows.problems.append(_labels_note(label_codes, values))
    _lose_unscored(rows, by_column, columns)
    cell_positions = np.concatenate(positions)
    cell_columns = np.repeat(np.arange(len(positions)), [len(kept) for kept in positions])
    of_columns = _column_codes([column.name for column in columns.columns], cell_columns)
    return RatingCells(
        labels=tuple(label_codes),
        positions=cell_positions,
        judges=of_columns if columns.by_judge else _cell_codes(judges, cell_positions, ONLY_JUDGE),
        dimensions=(
            of_columns
            if not columns.by_judge and not by_row
            else _cell_codes(dimensions, cell_positions, ONLY_DIMENSION)
        ),
        headers=NameCodes([rows.sheet.header(header) for header in columns.headers], cell_columns),
        values=values,
        tops=_stated_tops(rows, columns, positions) if options.parse_scores else None,
    )


def _stated_tops(rows: _Rows, columns: RatingColumns, positions: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Return the end of its scale that each score states, NaN where it states none."""
    tops = [
        _numbers(rows.cells(header), lambda cell: (found := parse_score(cell)) and found.top)[0][kept]
        for header, kept in zip(columns.headers, positions, strict=True)
    ]
    return np.concatenate(tops)


def _lose_unscored(rows: _Rows, by_column: Sequence[NDArray[np.float64]], columns: RatingColumns) -> None:
    """Say of usable rows without any score that they have none, unless it was said."""
    filled = np.any([~np.isnan(values) for values in by_column], axis=0)
    known = {problem.row for problem in rows.problems if problem.effect == "row not scored"}
    for position in (rows.usable & ~filled).nonzero()[0].tolist():
        row = rows.numbers[position]
        if row not in known:
            message = "the score is empty" if columns.long else "no column of the row holds a score"
            column = columns.columns[0].name if columns.long else ""
            rows.problems.append(unscored_row("blank-score", message, row=row, column=column))


def _column_codes(names: Sequence[str], cell_columns: NDArray[np.int64]) -> NameCodes:
    """Return the names of the columns that the cells stand in; two headers of one name are one judge or dimension."""
    distinct = list(dict.fromkeys(names))
    return NameCodes(distinct, np.array([distinct.index(name) for name in names], dtype=np.int64)[cell_columns])


def _cell_codes(rows: NameCodes | None, positions: NDArray[np.int64], otherwise: str) -> NameCodes:
    """Return the names that the rows of the cells have, without those that no cell needs; all if there are no cells."""
    if rows is None:
        return NameCodes([otherwise], np.zeros(len(positions), dtype=np.int64))
    own = rows.codes[positions]
    is_used = np.bincount(own, minlength=len(rows.names)) > 0
    names = list(compress(rows.names, is_used.tolist()))
    return NameCodes(names or rows.names or [otherwise], (np.cumsum(is_used) - 1)[own])


def _scores(rows: _Rows, column: str, options: DisagreeOptions, *, long: bool) -> NDArray[np.float64]:
    """Return a column's numbers, NaN for those that are missing or none."""
    cells, header = rows.cells(column), rows.sheet.header(column)
    values, failed = _numbers(cells, score_parser(options))
    problem_of = unscored_row if long else note
    for position in rows.usable_among(cells, {cell for cell in failed if cell.strip()}):
        message = f"{cells[position]!r} is not a number and counts as missing; {_advice(cells[position], options)}"
        rows.problems.append(problem_of("bad-score", message, row=rows.numbers[position], column=header))
    blank = np.flatnonzero(_is_among(cells, {cell for cell in failed if not cell.strip()})).tolist()
    if blank and not long:
        shown = join_names(str(rows.numbers[position]) for position in blank)
        message = f"{len(blank)} of {len(cells)} scores are empty: row{'s' if len(blank) > 1 else ''} {shown}"
        rows.problems.append(note("blank-score", message, column=header))
    return values


def _advice(cell: str, options: DisagreeOptions) -> str:
    """Return what to do about a score that is no number."""
    if options.parse_scores:
        return "it states no score, or two that differ"
    if parse_float(cell.replace(",", ".")) is not None:
        return "write it with a point"
    if cell.strip().endswith("%"):
        return "write it without %"
    return f"{flag('parse-scores')} reads it" if parse_score(cell) else f"{flag('level nominal')} takes labels"


def _labels(cells: Coded[str], codes: dict[str, float]) -> NDArray[np.float64]:
    """Return a column's labels as numbers, NaN for those that are missing; new labels join the codes."""
    values, _ = _numbers(
        cells, lambda cell: codes.setdefault(join_key(cell), float(len(codes))) if cell.strip() else None
    )
    return values


def _first_labels(rows: _Rows, labels: Sequence[str]) -> NDArray[np.float64]:
    """Return which label each row says stood first, NaN where it says none of them."""
    cells = rows.cells(FIRST.name)
    values, failed = _numbers(cells, lambda cell: first_label(cell, labels))
    unknown = {cell: count for cell, count in cells.counted().items() if cell in failed and cell.strip()}
    if unknown:
        number = sum(unknown.values())
        message = f"{number:,} cells do not say which of the labels stood first, such as {next(iter(unknown))!r}"
        rows.problems.append(
            note("unknown-order", f"{message}; a cell is a label, or labels in their order", column="first")
        )
    return values


def first_label(cell: str, labels: Sequence[str]) -> float | None:
    """Return the number of the label that a cell says stood first: it is one, or begins with one; None if neither.

    >>> [first_label(cell, ["A", "B"]) for cell in ("B", "B, A", "BA", "2")]
    [1.0, 1.0, 1.0, None]
    """
    codes = {label.casefold(): float(code) for code, label in enumerate(labels)}
    key = join_key(cell).casefold()
    word = _BETWEEN_LABELS.split(key, maxsplit=1)[0].strip()
    orders = {one + other: codes[one] for one in codes for other in codes if one != other}
    return codes.get(key, codes.get(word, orders.get(key)))


def _labels_note(codes: Mapping[str, float], values: NDArray[np.float64]) -> Problem:
    """Return a note on the labels there are, and those that differ only in case: a slip of the pen is a label too."""
    counts = np.bincount(values.astype(np.int64), minlength=len(codes)).tolist()
    by_count = sorted(zip(codes, counts, strict=True), key=lambda pair: (-pair[1], pair[0]))
    message = "labels: " + join_names([f"{label} {count:,}" for label, count in by_count], most=_MOST_LABELS)
    folded: dict[str, list[str]] = {}
    for label in codes:
        folded.setdefault(label.casefold(), []).append(label)
    variants = [" and ".join(labels) for labels in folded.values() if len(labels) > 1]
    if variants:
        message += f"; these differ only in case, and count as different: {join_names(variants)}"
    return note("labels", message)


def _numbers(cells: Coded[str], parse: Callable[[str], float | None]) -> tuple[NDArray[np.float64], set[str]]:
    """Return the numbers of cells, NaN where there is none, and the cells without one; equal cells are read once."""
    parsed = [parse(cell) for cell in cells.values]
    numbers = np.array([np.nan if value is None else value for value in parsed], dtype=float)
    return numbers[cells.codes], {cell for cell, value in zip(cells.values, parsed, strict=True) if value is None}


def _is_among(cells: Coded[str], wanted: Collection[str]) -> NDArray[np.bool_]:
    """Return which cells are among those that are wanted."""
    return np.array([cell in wanted for cell in cells.values], dtype=bool)[cells.codes]


def _arranged(
    rows: _Rows,
    plain_items: Coded[str],
    models: Coded[str] | None,
    cells: RatingCells,
    weights: Mapping[str, NDArray[np.float64]],
    options: DisagreeOptions,
) -> Ratings:
    """Return the cells as one array; an InputError if two of them claim one slot or the scale is another one."""
    row_items = plain_items
    if models is not None:  # the same item of two models is two
        row_items = Coded.of(zip(plain_items, models, strict=True)).mapped(lambda pair: item_of_model(*pair))
    # an item that no judge scored is an item all the same
    items = list(filter(None, row_items.values))
    judges, dimensions = cells.judges, cells.dimensions
    shape = (len(items), len(judges.names), len(dimensions.names))
    if shape[0] * shape[1] * shape[2] > _MOST_RATINGS:
        message = f"{shape[0]:,} items × {shape[1]:,} judges × {shape[2]:,} dimensions are more than there is room for"
        reject("not-a-table", f"{message}; are the columns the right ones?")
    codes = {name: code for code, name in enumerate(items)} | {"": -1}
    item_codes = np.array([codes[item] for item in row_items.values], dtype=np.int64)[row_items.codes]
    slots = (item_codes[cells.positions] * shape[1] + judges.codes) * shape[2] + dimensions.codes
    refuse_duplicates(slots, cells, row_items, rows.numbers)
    values = cells.values
    if not options.nominal:
        values, problems = scores_within_scale(cells, options, rows.numbers)
        rows.problems += problems
    firsts = np.zeros(len(items) + 1, np.int64)  # the first row of each item; those without one are the last
    firsts[item_codes[::-1]] = np.arange(len(item_codes))[::-1]
    places = firsts[:-1].tolist()
    arrays = {name: _in_slots(each[cells.positions], slots, shape) for name, each in weights.items()}
    return Ratings(
        name=rows.sheet.name,
        rows=len(rows),
        used_columns=frozenset(cells.headers.names),
        models=[] if models is None else list(models.take(firsts[:-1])),
        plain_items=[] if models is None else list(plain_items.take(firsts[:-1])),
        items=items,
        judges=judges.names,
        dimensions=dimensions.names,
        scores=_in_slots(values, slots, shape),
        confidence=arrays.get(CONFIDENCE.name),
        relevance=arrays.get(RELEVANCE.name),
        first_rows=[rows.numbers[place] for place in places],
        rated_rows=int(np.count_nonzero(np.bincount(cells.positions[~np.isnan(values)]))),
        labels=cells.labels,
        first=arrays.get(FIRST.name),
    )


def _in_slots(values: NDArray[np.float64], slots: NDArray[np.int64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = np.full(shape, np.nan)
    array.ravel()[slots] = values
    return array
