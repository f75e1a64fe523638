"""Predictions: what each stream says of each sample, by condition and epoch, as numbers of classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, Column, NumberColumn, row_numbers
from scoresheet.metrics.families.collective.fusion import BLANK, Codes
from scoresheet.metrics.families.collective.long_logs import (
    KeyColumns,
    is_long,
    key_columns,
    unfolded_predictions,
    with_own_columns,
)
from scoresheet.metrics.families.collective.measures import SAMPLE as SAMPLE_KEY
from scoresheet.metrics.families.collective.measures import stream_correct
from scoresheet.metrics.families.collective.missing_columns import refuse_missing
from scoresheet.metrics.families.collective.names import (
    class_order,
    epoch_order,
    matching_names,
    normalize_name,
    number_name,
)
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.schema import (
    COLLECTIVE,
    EPOCH,
    LABEL,
    PREDICTION,
    PREDICTION_COLUMNS,
    PREDICTIONS,
    SAMPLE,
    STREAM,
)
from scoresheet.metrics.families.collective.sheet_rows import row_array, usable_places
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.keys import join_key, natural_order
from scoresheet.metrics.messages import empty_key, flag, join_names
from scoresheet.metrics.numbers import parse_decimal
from scoresheet.metrics.problems import Noted, Problem, note, reject, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.tables import shown_rows, text_cells
from scoresheet.metrics.text_columns import coded_cells, filled_cells, text_ranks
from scoresheet.metrics.units import Units

_ENSEMBLE: Final = ("ensemble", "collective", "fused", "majority")  # in a name that is hardly a stream's


@dataclass(frozen=True)
class Predictions:
    """The rows of the sheet, sorted; classes are numbers into `classes`, BLANK where nothing was predicted."""

    streams: list[str]
    headers: list[str]  # of the streams, as the file has them
    left_out: list[str]  # other columns, which are no streams where the streams were chosen
    chosen: bool  # whether they were
    classes: list[str]
    samples: Column[str]
    conditions: Coded[str]  # of each row; '' is not here: it reads as the clean one
    epochs: Coded[str]  # of each row; '' where there are none
    splits: Coded[str]  # of each row; '' where there are none
    labels: Codes
    votes: Codes  # rows × streams
    collective: Codes | None
    rows: int  # of the sheet
    every_sample: Sequence[str]  # of the sheet, whichever split was chosen

    def units(self) -> Units:
        """Return on which samples each stream is right, under each condition and at each epoch."""
        hits = (self.votes == self.labels[:, None]).astype(np.int8)
        return Units(
            {SAMPLE_KEY: self.samples, "Condition": self.conditions, "Epoch": self.epochs},
            {stream_correct(stream): NumberColumn(hits[:, column]) for column, stream in enumerate(self.streams)},
        )

    def class_names(self, codes: Codes) -> Coded[str]:
        """Return the classes of these numbers; '' for BLANK."""
        return Coded([*self.classes, ""], np.where(codes == BLANK, len(self.classes), codes).astype(np.int32))

    def of_split(self, name: str) -> Predictions:
        """Return the rows of one split."""
        kept = self.splits.places(name)
        if len(kept) == len(self.splits):
            return self
        return replace(
            self,
            samples=self.samples.take(kept),
            conditions=self.conditions.take(kept),
            epochs=self.epochs.take(kept),
            splits=self.splits.take(kept),
            labels=self.labels[kept],
            votes=self.votes[kept],
            collective=None if self.collective is None else self.collective[kept],
        )

    def groups(self) -> dict[tuple[str, str], NDArray[np.int64]]:
        """Return the positions of the rows of each condition and epoch."""
        keys = self._conditions_and_epochs()
        in_groups = np.argsort(keys.codes, kind="stable")
        ends = np.cumsum(np.bincount(keys.codes, minlength=len(keys.values)))
        return dict(zip(keys.values, np.split(in_groups, ends[:-1]), strict=True)) if len(keys.values) else {}

    def conditions_at_last(self, clean: str) -> dict[str, str]:
        """Return the conditions, the clean one first, each with its last epoch."""
        last: dict[str, str] = {}
        for condition, epoch in self._conditions_and_epochs().values:
            if condition not in last or epoch_order(epoch) > epoch_order(last[condition]):
                last[condition] = epoch
        return dict(sorted(last.items(), key=lambda each: (each[0] != clean, natural_order(each[0]))))

    def _conditions_and_epochs(self) -> Coded[tuple[str, str]]:
        conditions, epochs = self.conditions, self.epochs
        codes = conditions.codes.astype(np.int64) * len(epochs.values) + epochs.codes
        return Coded.of_codes(list(product(conditions.values, epochs.values)), codes)


def read_predictions(sheet: Sheet, options: CollectiveOptions) -> Noted[Predictions]:
    """Return the predictions of a sheet, be it a long log or not; a rejection says what it lacks."""
    refuse_missing(sheet, [column for column in (SAMPLE, LABEL) if column.name in sheet.absent], PREDICTIONS)
    if not is_long(sheet, options):
        return _read_wide(with_own_columns(sheet), options, rows=len(sheet.table))
    (unfolded, rows), problems = unfolded_predictions(sheet, options)
    read = _read_wide(unfolded, options, rows=rows, log=sheet)
    return Noted(read.value, (*problems, *read.problems))


def _read_wide(sheet: Sheet, options: CollectiveOptions, *, rows: int, log: Sheet | None = None) -> Noted[Predictions]:
    """Return the predictions of a sheet with a column per stream; `log` is the long one that it was made from."""
    table = sheet.table
    has_collective = COLLECTIVE.name not in sheet.absent
    streams, left_out = _streams(sheet, options, log, has_collective=has_collective)
    kept, problems = _scorable_rows(sheet)
    keys = key_columns(sheet, options)
    order = _order(kept, keys, shown_rows(table))
    predicting = [*([COLLECTIVE.name] if has_collective else []), *streams]
    errors = _error_cells(sheet, streams, kept)
    problems += errors
    cells = {name: coded_cells(text_cells(table, name)) for name in (LABEL.name, *predicting)}
    classes, codes = _coded(_without_errors(cells, errors, shown_rows(table)), order)
    is_sorted = len(order) == len(table) and bool((order == np.arange(len(order))).all())
    samples = keys.samples if is_sorted else keys.samples.take(order)
    shown = row_numbers(row_array(sheet)[order]) if log is None else samples
    problems += _remarks(predicting, codes, classes, _Places(sheet, shown, log is not None), errors)
    predictions = Predictions(
        streams=[join_key(name) for name in streams],
        headers=streams,
        left_out=[join_key(name) for name in left_out],
        chosen=bool(options.chosen_streams()),
        classes=classes,
        samples=samples,
        conditions=keys.conditions.take(order),
        epochs=keys.epochs.take(order),
        splits=keys.splits.take(order),
        labels=codes[LABEL.name],
        votes=np.array([codes[name] for name in streams]).T,  # streams are gone through as a whole
        collective=codes.get(COLLECTIVE.name),
        rows=rows,
        every_sample=samples,
    )
    return Noted(predictions, tuple(problems))


def _scorable_rows(sheet: Sheet) -> tuple[NDArray[np.int64], list[Problem]]:
    """Return the positions of the rows that can be scored, and why the others cannot."""
    rows = shown_rows(sheet.table)
    kept = usable_places(sheet)
    problems: list[Problem] = []
    for column, kind in ((SAMPLE, "empty-key"), (LABEL, "empty-label"), (EPOCH, "empty-key")):
        filled = filled_cells(text_cells(sheet.table, column.name))[kept]
        if filled.all() or (column is EPOCH and not filled.any()):
            continue  # one without epochs is of one alone
        header = sheet.header(column.name)
        message = f"the cell {header} is empty, where other rows have one" if column is EPOCH else empty_key(header)
        problems += [
            unscored_row(kind, message, row=rows[position], column=header) for position in kept[~filled].tolist()
        ]
        kept = kept[filled]
    return kept, problems


def _error_cells(sheet: Sheet, streams: Sequence[str], kept: NDArray[np.int64]) -> list[Problem]:
    """Return the error cells among the predictions of streams; those of our own columns cost their rows."""
    rows = set(row_array(sheet)[kept].tolist()) if sheet.error_cells else set()
    return [
        note(
            "error-cell",
            f"the cell holds the error {shown}, which is no vote and counts as wrong",
            row=row,
            column=header,
        )
        for (row, header), shown in sheet.error_cells.items()
        if header in streams and row in rows
    ]


def _without_errors(
    columns: dict[str, Coded[str]], errors: Sequence[Problem], rows: Sequence[int]
) -> dict[str, Coded[str]]:
    """Return the columns with nothing where an error stands: its text is no class."""
    positions = {row: position for position, row in enumerate(rows)} if errors else {}
    found = dict(columns)
    for name in {problem.column for problem in errors}:
        wrong = [positions[problem.row] for problem in errors if problem.column == name and problem.row is not None]
        codes = columns[name].codes.copy()
        codes[wrong] = len(columns[name].values)
        found[name] = Coded([*columns[name].values, ""], codes)
    return found


def _streams(
    sheet: Sheet, options: CollectiveOptions, log: Sheet | None, *, has_collective: bool
) -> tuple[list[str], list[str]]:
    """Return the columns that are streams, in the order of the file, and those that the options leave out."""
    others = _other_columns(sheet)
    if options.chosen_streams():
        chosen = _chosen_columns(options.chosen_streams(), others)
        return [name for name in others if name in chosen], [name for name in others if name not in chosen]
    own = [name for name in others if any(word in normalize_name(name) for word in _ENSEMBLE)]
    if own and not has_collective:
        what, way = f"column {own[0]!r}", f"say {flag(f'column collective={own[0]}')}"
        if log is not None:
            what = f"{log.header(STREAM.name)} {own[0]!r}"
            way = f"call it {COLLECTIVE.name} in the file"
        reject(
            "missing-column",
            f"the {what} looks like what the ensemble itself predicts, and would count as a stream; {way}, or name the "
            f"streams with {flag('streams')}",
            effect="sheet skipped",
        )
    if not others:
        message = "no streams: every column beside sample, label, collective, condition, epoch and split would be one"
        reject("missing-column", message, effect="sheet skipped")
    return others, []


def _chosen_columns(chosen: Sequence[str], others: Sequence[str]) -> set[str]:
    """Return the columns of the chosen streams; a rejection if one is not there or could be two."""
    columns = {join_key(name): name for name in others}
    hits = {name: matching_names(join_key(name), list(columns)) for name in chosen}
    missing = [name for name, matches in hits.items() if not matches]
    option = flag("streams")
    if missing:
        reject(
            "missing-column",
            f"no column {join_names(missing)}, which {option} names; the columns are {join_names(others, most=12)}",
            effect="sheet skipped",
        )
    for name, matches in hits.items():
        if len(matches) > 1:
            could = " or ".join(map(repr, matches))
            reject(
                "ambiguous-column",
                f"{name!r}, which {option} names, could be {could}; write it as the column is",
                effect="sheet skipped",
            )
    return {columns[matches[0]] for matches in hits.values()}


def _other_columns(sheet: Sheet) -> list[str]:
    ours = {column.name for column in PREDICTION_COLUMNS}
    others = [str(header) for header in sheet.table.columns if header not in ours]
    twice = [name for name, count in Counter(map(join_key, others)).items() if count > 1]
    if twice:
        message = f"two columns have the same name, composed in different ways: {join_names(twice)}; rename one of each"
        reject("duplicate-header", message, effect="sheet skipped")
    return others


def _order(kept: NDArray[np.int64], keys: KeyColumns, rows: Sequence[int]) -> NDArray[np.int64]:
    """Return the positions of rows in the order of their keys; a rejection if two have the same."""
    ranks = [text_ranks(own)[kept] for own in keys]
    in_order = np.lexsort(ranks[::-1])  # by the last first
    order = kept[in_order]
    again = np.all([own[in_order[1:]] == own[in_order[:-1]] for own in ranks], axis=0)
    if again.any():
        before, after = order[again.argmax() :][:2].tolist()
        sample, *where = (own[before] for own in keys)
        reject(
            "duplicate-sample",
            f"the sample {sample!r} is there twice ({', '.join(filter(None, where))}), in rows {rows[before]} and "
            f"{rows[after]}; keep one of them, or tell them apart by a column condition or epoch",
        )
    return order


def _coded(columns: dict[str, Coded[str]], order: NDArray[np.int64]) -> tuple[list[str], dict[str, Codes]]:
    """Return the classes, sorted, and each column as numbers into them; numbers are equal however they are written."""
    # a row without a sample says nothing
    ordered = {name: cells.codes[order] for name, cells in columns.items()}
    texts = {text for name, own in ordered.items() for text in Coded(columns[name].values, own).present().values}
    keys = {text: join_key(text) for text in texts}
    filled = {key for key in keys.values() if key}
    numbers = {key: parse_decimal(key) for key in filled}
    numeric = all(value is not None for value in numbers.values())
    names = {key: number_name(value) if numeric and value is not None else key for key, value in numbers.items()}
    classes = sorted(set(names.values()), key=class_order(filled))
    codes = {name: code for code, name in enumerate(classes)}
    code = {key: codes[name] for key, name in names.items()}
    by_text = {text: code.get(key, BLANK) for text, key in keys.items()}
    return classes, {
        name: _class_codes([by_text.get(text, BLANK) for text in columns[name].values], len(classes))[own]
        for name, own in ordered.items()
    }


def _class_codes(codes: Sequence[int], classes: int) -> Codes:
    """Return numbers of classes in as few bytes as serve nearly all."""
    return np.array(codes, np.int16) if classes <= np.iinfo(np.int16).max else np.array(codes, np.int64)


def _remarks(
    predicting: Sequence[str],
    codes: dict[str, Codes],
    classes: Sequence[str],
    places: _Places,
    errors: Sequence[Problem],
) -> list[Problem]:
    """Return notes on predictions that cannot be right, and on labels that nobody predicts."""
    labels = codes[LABEL.name]
    is_label = _is_there(labels, len(classes))
    problems = []
    for name in predicting:
        noted = [problem.row for problem in errors if problem.column == name]
        known_rows = np.array([shown in noted for shown in places.shown], dtype=bool) if noted else False
        blank = np.flatnonzero((codes[name] == BLANK) & np.logical_not(known_rows))
        if len(blank):
            what = "empty or not there" if places.long else "empty"
            problems.append(places.note("blank-prediction", f"{what}, which counts as wrong", name, blank))
        strange = np.flatnonzero((codes[name] != BLANK) & ~is_label[codes[name]])
        if len(strange):
            what = f"of a class that is no label, such as {classes[codes[name][strange[0]]]!r}, which is wrong"
            # not one of its cells is a label: more likely remarks than predictions
            none = name != COLLECTIVE.name and len(strange) + (codes[name] == BLANK).sum() == len(labels)
            kind = "no-stream" if none else "unknown-class"
            hint = f"; if it is no stream, name those that are with {flag('streams')}" if none else ""
            problems.append(places.note(kind, what, name, strange, hint))
    streams = [name for name in predicting if name != COLLECTIVE.name]
    is_predicted = np.any([_is_there(codes[name], len(classes)) for name in streams], axis=0)
    never = [classes[code] for code in np.flatnonzero((is_label & ~is_predicted)[:-1]).tolist()]
    if never:
        message = f"labels that no stream ever predicts: {join_names(never)}"
        problems.append(note("never-predicted", message, column=places.sheet.header(LABEL.name)))
    return problems


def _is_there(codes: Codes, classes: int) -> NDArray[np.bool_]:
    """Return which classes are among codes; BLANK is the last of them."""
    found = np.zeros(classes + 1, dtype=bool)
    found[codes] = True
    return found


class _Places(NamedTuple):
    """Where predictions stand: in rows of the file, or in a long log at samples."""

    sheet: Sheet
    shown: Sequence[int] | Sequence[str]
    long: bool

    def note(self, kind: str, what: str, name: str, positions: NDArray[np.int64], hint: str = "") -> Problem:
        """Return a note on some predictions of a stream, or of the ensemble."""
        own = [self.shown[position] for position in positions.tolist()]
        where = "sample" if self.long else "row"
        first = join_names(map(str, own if self.long else sorted(own)))
        plural = "s" if len(own) > 1 else ""
        of = f" of {name}" if self.long else ""
        message = f"{len(own):,} of {len(self.shown):,} predictions{of} are {what}: {where}{plural} {first}{hint}"
        column = self.sheet.header(PREDICTION.name if self.long else name)
        return note(kind, message, column=column)
