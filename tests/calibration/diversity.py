"""Measures of queries as rankings give them: a few values that tie, and some that are undefined for a query.

A query's α-nDCG is one of eleven steps; two equal systems have the same ranking for four queries in ten. Eleven
measures are compared, which go with each other more or less; a quarter of them is undefined for one query in five.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.aggregate import SheetValues, aggregate
from scoresheet.metrics.compare import ComparedUnits, KeyedValues, PairedComparison, compare_units
from scoresheet.metrics.families.diversity.measures import HEADLINE, QUERIES, RANKING_MEASURES
from tests.calibration.cells import Cell, Simulation

CLUSTERS = (5, 10, 30, 100)
STEPS = 10
CHANCE = 0.7  # of a step up: the mean of the measure
SAME = 0.4  # queries for which two systems have one ranking
UNDEFINED = 0.2


def interval_over_queries(trials: int) -> Iterator[Cell]:
    """How often the interval holds the true mean of a measure that is undefined for some of the queries."""
    for queries in CLUSTERS:
        rng = np.random.default_rng([31, queries])
        hits = given = 0
        for _ in range(trials):
            values = rng.binomial(STEPS, CHANCE, size=queries) / STEPS
            values[rng.random(queries) < UNDEFINED] = np.nan
            keys = [f"{query:03}" for query in range(queries)]
            low, high, note = aggregate([SheetValues(keys, values)], noun=QUERIES).interval
            given += not note
            hits += low <= CHANCE <= high
        limit = 0.92 if queries >= 10 else 0.85
        setting = f"{queries} queries, a fifth of them undefined"
        yield Cell("95 % interval of a mean covers, where there is one", setting, hits, given, limit, at_least=True)


def systems_with_ties(trials: int) -> Iterator[Cell]:
    """How often two equal systems are told apart, in the headline or in any other measure."""
    for queries in CLUSTERS:
        rng = np.random.default_rng([32, queries])
        wrong = other = 0
        for _ in range(trials):
            found = _compared(rng, queries)
            wrong += any(pair.shown for pair in found.of_headline())
            other += any(pair.shown for pair in found.differences if pair.exploratory)
        setting = f"{queries} queries, four in ten tied"
        yield Cell("two equal systems are told apart by α-nDCG", setting, wrong, trials, 0.05)
        yield Cell("two equal systems are told apart by any of ten other measures", setting, other, trials, 0.05)


def _compared(rng: np.random.Generator, queries: int) -> PairedComparison:
    ours, theirs = _measures(rng, queries), _measures(rng, queries)
    same = rng.random(queries) < SAME
    theirs[same] = ours[same]
    names = [measure.name for measure in RANKING_MEASURES]
    keys = [f"{query:03}" for query in range(queries)]
    return compare_units(
        {
            name: ComparedUnits.of_sheets({"s": KeyedValues(keys, values)})
            for name, values in (("a", ours), ("b", theirs))
        },
        names,
        headline=HEADLINE.name,
        better=HEADLINE.better,
        units=QUERIES,
    )


def _measures(rng: np.random.Generator, queries: int) -> NDArray[np.float64]:
    first = rng.binomial(STEPS, CHANCE, size=queries) / STEPS
    number = len(RANKING_MEASURES)
    mixed = np.linspace(0.2, 1, number) * first[:, None] + 0.2 * rng.standard_normal((queries, number))
    for place, measure in enumerate(RANKING_MEASURES):
        if measure is HEADLINE:
            mixed[:, place] = first
        elif place % 4 == 0:
            mixed[rng.random(queries) < UNDEFINED, place] = np.nan
    return mixed


SIMULATIONS: tuple[Simulation, ...] = (interval_over_queries, systems_with_ties)
