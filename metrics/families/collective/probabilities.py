"""Probabilities or logits of each stream, laid out beside the predictions they belong to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.collective.fusion import Means
from scoresheet.metrics.families.collective.names import class_order, conditions_of
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.readings import Numbers
from scoresheet.metrics.families.collective.sheets import LOGITS, PROBABILITIES
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.numbers import parse_decimal
from scoresheet.metrics.problems import Problem, reject


class Found(NamedTuple):
    """Streams to be fused by their means, and the labels as numbers of their classes."""

    fusion: Means
    labels: NDArray[np.int64]
    logits: bool

    @property
    def told(self) -> bool:
        """Whether there are any probabilities at all."""
        return not bool(np.isnan(self.fusion.values).all())


def means_of(
    predictions: Predictions,
    sheets: Mapping[str, Any],
    options: CollectiveOptions,
    rows: NDArray[np.int64],
    weights: Sequence[float] | None,
    problems: list[Problem],
) -> Found:
    """Return the probabilities of these rows of the predictions; a Refusal if there are none at all."""
    sheet: Numbers | None = sheets.get(LOGITS) or sheets.get(PROBABILITIES)
    if sheet is None or not sheet.names:
        reject(
            "missing-sheet",
            f"--fusion {options.fusion} needs a sheet {PROBABILITIES} (or {LOGITS}) with sample, stream and a column "
            "per class",
        )
    logits = options.logits or sheet.role == LOGITS
    if not logits and ((sheet.values < 0).any() or (sheet.values > 1 + 1e-6).any()):
        message = f"the sheet {sheet.role} has values outside 0 to 1; if they are logits, say --logits"
        problems.append(Problem(kind="bad-number", message=message, effect="note", sheet=sheet.role))
    unknown = [
        name for name, code in zip(sheet.names, _classes(predictions.classes, sheet.names), strict=True) if code < 0
    ]
    if unknown:
        named = join_names(unknown)
        message = f"columns of the sheet {sheet.role} that no label or prediction names, taken for classes: {named}"
        problems.append(Problem(kind="unknown-class", message=message, effect="note", sheet=sheet.role))
    place = _places(sheet, predictions, options)
    # smallest class first, so that one that wins ties by class stands leftmost
    names = sorted(sheet.names, key=class_order(sheet.names)) if options.ties == "class" else sheet.names
    table = sheet.values[:, [sheet.names.index(name) for name in names]]
    values = np.full((len(rows), len(predictions.streams), len(sheet.names)), math.nan)
    lacking = 0
    for line, row in enumerate(rows.tolist()):
        for stream, name in enumerate(predictions.streams):
            key = (predictions.samples[row], name, predictions.conditions[row], predictions.epochs[row])
            found = place.get(key)
            if found is None:
                lacking += 1
            else:
                values[line, stream] = table[found]
    strangers = {key[0] for key in place} - set(predictions.samples)
    if strangers:
        message = f"samples of the sheet {sheet.role} that the predictions do not have: {join_names(sorted(strangers))}"
        problems.append(Problem(kind="missing-probabilities", message=message, effect="note", sheet=sheet.role))
    if lacking:
        where = predictions.conditions[rows[0]]
        message = (
            f"{lacking:,} predictions ({where}) have no row in the sheet {sheet.role}; these streams do not count there"
        )
        problems.append(Problem(kind="missing-probabilities", message=message, effect="note"))
    classes = _classes(names, predictions.classes)
    strange = [label for label, code in zip(predictions.classes, classes, strict=True) if code < 0]
    labels = np.array(classes, dtype=np.int64)[predictions.labels[rows]] if len(rows) else np.empty(0, dtype=np.int64)
    if (labels < 0).any():
        message = f"labels without a column in the sheet {sheet.role}, never right there: {join_names(strange)}"
        problems.append(Problem(kind="missing-probabilities", message=message, effect="note"))
    fusion = Means(values, labels, ties=options.ties, weights=weights, seed=options.seed)
    return Found(fusion, labels, logits)


def _places(
    sheet: Numbers, predictions: Predictions, options: CollectiveOptions
) -> dict[tuple[str, str, str, str], int]:
    """Return the row of each (sample, stream, condition, epoch); where the sheet does not say, clean and the last."""
    cells = sheet.keys.get("condition")
    conditions = conditions_of(cells or [""] * len(sheet.rows), options.clean, named=cells is not None)
    epochs = sheet.keys.get("epoch")
    last = predictions.conditions_at_last(options.clean)
    found: dict[tuple[str, str, str, str], int] = {}
    for place, (sample, stream) in enumerate(zip(sheet.keys["sample"], sheet.keys["stream"], strict=True)):
        epoch = epochs[place] if epochs else last.get(conditions[place], "")
        key = (sample, stream, conditions[place], epoch)
        if key in found:
            reject(
                "duplicate-sample",
                f"{stream} has two rows for the sample {sample!r} in the sheet {sheet.role}, in rows "
                f"{sheet.rows[found[key]]} and {sheet.rows[place]}",
            )
        found[key] = place
    return found


def _classes(names: Sequence[str], classes: Sequence[str]) -> list[int]:
    """Return the column of each class of the predictions, -1 for none; numbers are equal however they are written."""
    exact = {join_key(name): place for place, name in enumerate(names)}
    numeric = {parse_decimal(name): place for place, name in enumerate(names) if parse_decimal(name) is not None}
    return [exact.get(name, numeric.get(parse_decimal(name), -1)) for name in classes]
