"""Probabilities or logits of each stream, laid out beside the predictions they belong to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.collective.fusion import MeanFusion
from scoresheet.metrics.families.collective.names import class_order, condition_names
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.schema import CONDITION, EPOCH, LOGITS, PROBABILITIES, SAMPLE, STREAM
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.numbers import parse_decimal
from scoresheet.metrics.problems import Noted, Problem, note, reject

_ABOVE_ONE: Final = 1e-6  # by which a probability may exceed 1
_RowKey = tuple[str, str, str, str]  # sample, stream, condition, epoch


class FusedProbabilities(NamedTuple):
    """Streams to be fused by their means, and the labels as numbers of their classes."""

    fusion: MeanFusion
    labels: NDArray[np.int64]
    logits: bool
    classes: tuple[str, ...]  # by their numbers in the fusion

    @property
    def has_values(self) -> bool:
        """Whether there are any probabilities at all."""
        return not bool(np.isnan(self.fusion.values).all())


def fuse_probabilities(
    predictions: Predictions,
    tables: Mapping[str, NumericTable],
    options: CollectiveOptions,
    rows: NDArray[np.int64],
    weights: Sequence[float] | None,
) -> Noted[FusedProbabilities]:
    """Return the probabilities of these rows of the predictions; a rejection if there are none at all."""
    table = tables.get(LOGITS.role) or tables.get(PROBABILITIES.role)
    if table is None or not table.names:
        reject(
            "missing-sheet",
            f"{flag(f'fusion {options.fusion}')} needs a sheet {PROBABILITIES.role} (or {LOGITS.role}) with sample, "
            "stream and a column per class",
        )
    logits = options.logits or table.sheet is LOGITS
    problems = _table_notes(table, predictions, logits=logits)
    positions = _row_positions(table, predictions, options)
    # smallest class first, so that one that wins ties by class stands leftmost
    names = sorted(table.names, key=class_order(table.names)) if options.ties == "class" else table.names
    by_class = table.values[:, [table.names.index(name) for name in names]]
    values = np.full((len(rows), len(predictions.streams), len(table.names)), math.nan)
    lacking = 0
    for line, row in enumerate(rows.tolist()):
        for stream, name in enumerate(predictions.streams):
            key = (predictions.samples[row], name, predictions.conditions[row], predictions.epochs[row])
            position = positions.get(key)
            if position is None:
                lacking += 1
            else:
                values[line, stream] = by_class[position]
    strangers = {sample for sample, *_ in positions} - set(predictions.every_sample)
    if strangers:
        message = f"samples of the sheet {table.role} that the predictions do not have: {join_names(sorted(strangers))}"
        problems.append(note("missing-probabilities", message, sheet=table.role))
    if lacking:
        message = (
            f"{lacking:,} predictions ({predictions.conditions[rows[0]]}) have no row in the sheet {table.role}; these "
            "streams do not count there"
        )
        problems.append(note("missing-probabilities", message))
    classes = _class_columns(names, predictions.classes)
    labels = np.array(classes, dtype=np.int64)[predictions.labels[rows]] if len(rows) else np.empty(0, dtype=np.int64)
    if (labels < 0).any():
        strange = [label for label, column in zip(predictions.classes, classes, strict=True) if column < 0]
        message = f"labels without a column in the sheet {table.role}, never right there: {join_names(strange)}"
        problems.append(note("missing-probabilities", message))
    fusion = MeanFusion(values, labels, ties=options.ties, weights=weights, seed=options.seed)
    return Noted(FusedProbabilities(fusion, labels, logits, tuple(names)), tuple(problems))


def _table_notes(table: NumericTable, predictions: Predictions, *, logits: bool) -> list[Problem]:
    """Return notes on values that are no probabilities, and on columns that are no class of the predictions."""
    problems = []
    if not logits and ((table.values < 0).any() or (table.values > 1 + _ABOVE_ONE).any()):
        message = f"the sheet {table.role} has values outside 0 to 1; if they are logits, say {flag('logits')}"
        problems.append(note("bad-number", message, sheet=table.role))
    known = _class_columns(predictions.classes, table.names)
    unknown = [name for name, column in zip(table.names, known, strict=True) if column < 0]
    if unknown:
        named = join_names(unknown)
        message = f"columns of the sheet {table.role} that no label or prediction names, taken for classes: {named}"
        problems.append(note("unknown-class", message, sheet=table.role))
    return problems


def _row_positions(table: NumericTable, predictions: Predictions, options: CollectiveOptions) -> dict[_RowKey, int]:
    """Return the row of each (sample, stream, condition, epoch); where the sheet does not say, clean and the last."""
    named = CONDITION.name in table.keys
    conditions = condition_names(table.cells(CONDITION), options.clean, named=named)
    epochs = table.keys.get(EPOCH.name)
    last = predictions.conditions_at_last(options.clean)
    positions: dict[_RowKey, int] = {}
    for position, (sample, stream) in enumerate(zip(table.cells(SAMPLE), table.cells(STREAM), strict=True)):
        epoch = epochs[position] if epochs else last.get(conditions[position], "")
        key = (sample, stream, conditions[position], epoch)
        if key in positions:
            first, second = sorted((table.rows[positions[key]], table.rows[position]))  # not in the file's order
            reject(
                "duplicate-sample",
                f"{stream} has two rows for the sample {sample!r} in the sheet {table.role}, in rows "
                f"{first} and {second}",
            )
        positions[key] = position
    return positions


def _class_columns(names: Sequence[str], classes: Sequence[str]) -> list[int]:
    """Return the column of each class, -1 for none; numbers are equal however they are written."""
    exact = {join_key(name): column for column, name in enumerate(names)}
    numeric = {parse_decimal(name): column for column, name in enumerate(names) if parse_decimal(name) is not None}
    return [exact.get(name, numeric.get(parse_decimal(name), -1)) for name in classes]
