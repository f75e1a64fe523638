"""Ensembles: the interval of the emergence ratio, its words, and the answer to "more than its best member?".

Streams vote on samples of different difficulty (logit-normal), so that they err together; the collective is their
majority (*vote*, members right on about 57 %, and *sure vote*, on about 92 %), a near-perfect one of poor members
(*emergent*, 95 % of 30 %), a copy of the best member with a few answers turned round (*copy*, ratio below 1), or one
that is right as often as each of them and independently (*equal*, ratio 1). The true ratio is that of the
probabilities, not of a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.collective.best_member import NO, YES, more_than_best, stream_tests
from scoresheet.metrics.families.collective.emergence import FAILURE, band_of_emergence, emergence_interval
from scoresheet.metrics.families.collective.patterns import AGAINST, AS_EXPECTED, emergence_pattern
from scoresheet.metrics.families.collective.shifts import NO_DIFFERENCE
from scoresheet.metrics.families.collective.targets import is_reached
from scoresheet.metrics.stats.confidence import significance_level
from scoresheet.metrics.stats.mcnemar import mcnemar_p
from tests.calibration.cells import Cell, Simulation

Hits = NDArray[np.bool_]
LEVEL = 0.95
MANY = 200  # trials from which on every setting is run
LARGE = 2_000_000  # samples that stand for the truth


class World(NamedTuple):
    """How samples come about."""

    draw: Callable[[np.random.Generator, int, int], tuple[Hits, Hits]]  # the collective's hits, the streams'
    alike: bool  # whether all streams are equally good


def _vote(centre: float) -> Callable[[np.random.Generator, int, int], tuple[Hits, Hits]]:
    def draw(rng: np.random.Generator, samples: int, streams: int) -> tuple[Hits, Hits]:
        chance = 1 / (1 + np.exp(-rng.normal(centre, 1.2, size=(samples, 1))))
        hits = rng.random((samples, streams)) < chance
        return 2 * hits.sum(axis=1) > streams, hits

    return draw


def _emergent(rng: np.random.Generator, samples: int, streams: int) -> tuple[Hits, Hits]:
    return rng.random(samples) < 0.95, rng.random((samples, streams)) < 0.3


def _copy(rng: np.random.Generator, samples: int, streams: int) -> tuple[Hits, Hits]:
    ease = rng.normal(1, 1, size=(samples, 1)) + np.linspace(0.8, -0.8, streams)
    hits = rng.random((samples, streams)) < 1 / (1 + np.exp(-ease))
    return hits[:, 0] ^ (rng.random(samples) < 0.05), hits


def _equal(rng: np.random.Generator, samples: int, streams: int) -> tuple[Hits, Hits]:
    return rng.random(samples) < 0.6, rng.random((samples, streams)) < 0.6


WORLDS = {
    "vote": World(_vote(0.4), True),
    "sure vote": World(_vote(3.0), True),
    "emergent": World(_emergent, True),
    "copy": World(_copy, False),
    "equal": World(_equal, True),
}


@lru_cache
def _truth(world: str, streams: int) -> float:
    """Return the true ratio, of a sample so large that its error is small against any interval."""
    if world == "equal":
        return 1.0
    if world == "emergent":
        return 0.95 / 0.3
    collective, hits = WORLDS[world].draw(np.random.default_rng(1), LARGE // streams, streams)
    best = hits.mean() if WORLDS[world].alike else hits[:, 0].mean()
    return float(collective.mean() / best)


def interval_and_answer(trials: int) -> Iterator[Cell]:
    """How often the interval holds the true ratio, and words and answers are untrue."""
    whole = trials >= MANY
    for world, streams, samples in product(
        WORLDS if whole else ("vote", "copy"), (3, 5, 9) if whole else (5,), (10, 30, 100)
    ):
        rng = np.random.default_rng([3, list(WORLDS).index(world), streams, samples])
        truth = _truth(world, streams)
        covered = failure = more = less = 0
        for trial in range(trials):
            collective, hits = WORLDS[world].draw(rng, samples, streams)
            interval = emergence_interval(collective, hits, confidence=LEVEL, seed=trial)
            covered += interval.low <= truth <= interval.high
            failure += band_of_emergence(interval) == FAILURE
            answer = more_than_best(stream_tests(collective, hits, confidence=LEVEL))
            more += answer == YES
            less += answer == NO
        setting = f"{world}, {streams} streams, {samples} samples, ratio {truth:.3g}"
        yield Cell("95 % interval of the emergence ratio covers", setting, covered, trials, 0.92, at_least=True)
        if truth >= 1:
            yield Cell("failure, untrue", setting, failure, trials, 0.05)
            yield Cell("more than its best member: no, untrue", setting, less, trials, 0.05)
        if truth <= 1:
            yield Cell("more than its best member: yes, untrue", setting, more, trials, 0.05)


def power_of_the_answer(trials: int) -> Iterator[Cell]:
    """How often a collective that is 25 points better, or worse, than members of 60 % is shown to be."""
    for streams, accuracy, answer in product((3, 9), (0.85, 0.35), (YES, NO)):
        if (accuracy > 0.6) != (answer == YES):
            continue
        rng = np.random.default_rng([4, streams, round(100 * accuracy)])
        found = 0
        for _ in range(trials):
            hits = rng.random((100, streams)) < 0.6
            found += more_than_best(stream_tests(rng.random(100) < accuracy, hits, confidence=LEVEL)) == answer
        setting = f"{streams} streams of 60 %, collective {accuracy:.0%}, 100 samples"
        yield Cell(f"more than its best member: {answer}, found", setting, found, trials, 0.72, at_least=True)


def tests_of_their_size(trials: int) -> Iterator[Cell]:
    """How often something is said of a condition that changes nothing, a target just met, or ratios without a trend."""
    for samples in (10, 30, 100):
        rng = np.random.default_rng([5, samples])
        shifted = reached = 0
        for _ in range(trials):
            clean, noise = (rng.random(samples) < 0.8 for _ in "ab")
            p = mcnemar_p(int((clean & ~noise).sum()), int((noise & ~clean).sum()))
            shifted += p < significance_level(LEVEL)
            reached += is_reached(float(clean.mean()), samples, 0.8, confidence=LEVEL) in (YES, NO)
        yield Cell(
            f"a condition that changes nothing: not '{NO_DIFFERENCE}'", f"{samples} samples", shifted, trials, 0.05
        )
        yield Cell("target equal to the true accuracy: yes or no", f"{samples} samples", reached, trials, 0.05)
    for epochs in (5, 10, 30):
        rng = np.random.default_rng([6, epochs])
        found = 0
        for _ in range(trials):
            ratios = (1 + 0.1 * rng.standard_normal(epochs)).tolist()
            pattern = emergence_pattern([str(epoch) for epoch in range(epochs)], ratios, confidence=LEVEL)
            found += pattern is not None and pattern.finding in (AS_EXPECTED, AGAINST)
        yield Cell("ratios without a trend: as or against expectation", f"{epochs} epochs", found, trials, 0.05)


SIMULATIONS: tuple[Simulation, ...] = (interval_and_answer, power_of_the_answer, tests_of_their_size)
