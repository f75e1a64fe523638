"""The systems of a run together: whether one collective is right more often than another, on the samples they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.compare import ComparedUnits, KeyedValues, compare_units
from scoresheet.metrics.families.collective.emergence import SAMPLES
from scoresheet.metrics.families.collective.measures import COLLECTIVE_ACCURACY, COMPARED_MEASURES
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.schema import PREDICTIONS
from scoresheet.metrics.family import Comparison


def compared_samples(
    samples: Sequence[str],
    labels: Sequence[str],
    collective: NDArray[np.bool_],
    streams: NDArray[np.bool_],
) -> ComparedUnits | None:
    """Return a system's samples with what is compared: whether the collective, and whether anybody, is right.

    The label is part of the key: systems that number the samples of different data alike do not share them.
    """
    keys = [f"{sample}\n{label}" for sample, label in zip(samples, labels, strict=True)]
    values = np.column_stack([collective, streams.any(axis=1)]).astype(float)
    return ComparedUnits.of_sheets({PREDICTIONS: KeyedValues(keys, values)})


def compare_systems(systems: Mapping[str, ComparedUnits | None], options: CollectiveOptions) -> Comparison:
    """Return every two systems over the samples they share."""
    paired = compare_units(
        systems,
        [measure.name for measure in COMPARED_MEASURES],
        headline=COLLECTIVE_ACCURACY.name,
        better=COLLECTIVE_ACCURACY.better,
        units=SAMPLES,
        confidence=options.ci,
        seed=options.seed,
    )
    return Comparison(paired=paired)
