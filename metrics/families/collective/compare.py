"""The systems of a run together: whether one collective is right more often than another, on the samples they share."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, Column
from scoresheet.metrics.compare import ComparedBy, ComparedUnits
from scoresheet.metrics.families.collective.emergence import SAMPLES
from scoresheet.metrics.families.collective.measures import (
    ANY_CORRECT,
    COLLECTIVE_ACCURACY,
    COLLECTIVE_CORRECT,
    COMPARED_MEASURES,
    SAMPLE,
    SAMPLE_LABEL,
)
from scoresheet.metrics.families.collective.schema import PREDICTIONS
from scoresheet.metrics.text_columns import paired_texts


def compared_samples(
    samples: Column[str],
    labels: Coded[str],
    collective: NDArray[np.bool_],
    streams: NDArray[np.bool_],
) -> ComparedUnits | None:
    """Return a system's samples, each there once, with what is compared: whether the collective or anybody is right.

    The label is part of the key: systems that number the samples of different data alike do not share them.
    """
    values = np.column_stack([collective, streams.any(axis=1)]).astype(float)
    return ComparedUnits.of_different(PREDICTIONS, paired_texts(samples, labels, "\n"), values)


SAMPLES_TABLE: Final = "samples"  # the further table of a system
COMPARED_BY: Final = ComparedBy(
    measures=tuple(measure.name for measure in COMPARED_MEASURES),
    headline=COLLECTIVE_ACCURACY.name,
    units=SAMPLES,
    first=COLLECTIVE_ACCURACY.better,
    better=COLLECTIVE_ACCURACY.better,
    key=(SAMPLE, SAMPLE_LABEL),
    table=SAMPLES_TABLE,
)
# what a sample is to the mean of a system: the columns of its table, by the measures
HITS: Final = dict(zip((COLLECTIVE_CORRECT, ANY_CORRECT), COMPARED_BY.measures, strict=True))
