"""Means of units, as sinfo and diversity average and compare them.

Scores lie between 0 and 1 (beta distributed, skewed), a cluster has an effect of its own where there are several rows
in it. Intervals are those of `aggregate`, tests those of `paired_test`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.aggregate import SheetValues, aggregate
from scoresheet.metrics.stats.confidence import detectable_difference
from scoresheet.metrics.stats.randomisation import paired_test
from tests.calibration.cells import Cell, Simulation

CLUSTERS = (5, 10, 30, 100)
MEAN = 2 / 7  # of beta(2, 5)


def interval_of_the_mean(trials: int) -> Iterator[Cell]:
    """How often the interval holds the true mean, with one row a cluster and with several."""
    for rows in (1, 6):
        for clusters in CLUSTERS:
            rng = np.random.default_rng([1, rows, clusters])
            hits = 0
            for trial in range(trials):
                values = _clustered(rng, clusters, rows)
                keys = [f"{cluster:03}" for cluster in range(clusters) for _ in range(rows)]
                low, high, _ = aggregate([SheetValues(keys, values)], noun="idioms", seed=trial).interval
                hits += low <= MEAN <= high
            setting = f"{clusters} clusters, {rows} row{'s' if rows > 1 else ''} each"
            # with five the interval is wide and still a little too narrow for so skewed scores
            limit = 0.92 if clusters >= 10 else 0.85
            yield Cell("95 % interval of a mean covers", setting, hits, trials, limit, at_least=True)


def paired_comparison(trials: int) -> Iterator[Cell]:
    """How often two equal systems are told apart, and two that differ by what is called detectable are."""
    for units in CLUSTERS:
        rng = np.random.default_rng([2, units])
        wrong = found = covered = 0
        deviation = 0.1 * np.sqrt(2)
        step = detectable_difference(float(deviation), units)
        for trial in range(trials):
            items = rng.beta(2, 5, size=units)
            ours, theirs = (items + 0.1 * rng.standard_normal(units) for _ in "ab")
            equal = paired_test(ours, theirs, seed=trial)
            wrong += equal.p_value < 0.05
            covered += equal.low <= 0 <= equal.high
            found += paired_test(ours + step, theirs, seed=trial).p_value < 0.05
        yield Cell("two equal systems are told apart at 0.05", f"{units} units", wrong, trials, 0.05)
        limit = 0.92 if units >= 10 else 0.85
        yield Cell("95 % interval of a difference covers", f"{units} units", covered, trials, limit, at_least=True)
        if units >= 10:
            setting = f"{units} units, {step:.3f} apart"
            yield Cell("a detectable difference is found", setting, found, trials, 0.72, at_least=True)


def _clustered(rng: np.random.Generator, clusters: int, rows: int) -> NDArray[np.float64]:
    own = rng.beta(2, 5, size=clusters)
    if rows == 1:
        return own
    # rows lie around their cluster's own mean, which keeps the mean of all where it is
    return np.repeat(own, rows) + 0.05 * rng.standard_normal(clusters * rows)


SIMULATIONS: tuple[Simulation, ...] = (interval_of_the_mean, paired_comparison)
