"""The models of a run compared: every two on the queries they share, tested, and corrected for their number."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from scoresheet.metrics.compare import PairedDifference
from scoresheet.metrics.families.diversity.measures import names_at
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.result import DiversityResult, QueryValues
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.stats.randomisation import SIGNIFICANCE_LEVEL, PairedTest, paired_tests, why_not_shown


@dataclass(frozen=True, kw_only=True)
class DiversityComparison(Comparison):
    """Every two models of a run, measure by measure, at the headline's cut-off."""

    pairs: tuple[PairedDifference, ...]


def compare_models(results: Mapping[str, DiversityResult], options: DiversityOptions) -> DiversityComparison:
    """Return every two models: how far apart, and whether that is noise.

    Not by the comparison that families share: here a query without any measure stays among those that are drawn, and
    sheets are matched query by query; either would move every interval and p-value.
    """
    names = names_at((options.headline_cutoff(),))
    models = {model: result.compared for model, result in results.items() if result.compared}
    tests: dict[tuple[str, str], dict[str, PairedTest]] = {}
    for one, other in combinations(models, 2):
        ours, theirs = _shared_queries(models[one], models[other])
        found = paired_tests(ours, theirs, measures=len(names), seed=options.seed)
        tests[one, other] = dict(zip(names, found, strict=True))
    return DiversityComparison(pairs=tuple(pair for name in names for pair in _corrected(tests, name)))


def _corrected(tests: Mapping[tuple[str, str], Mapping[str, PairedTest]], measure: str) -> list[PairedDifference]:
    """Return the pairs of models in one measure; their p-values are one family for Holm's correction."""
    own = {pair: found[measure] for pair, found in tests.items()}
    corrected = holm([test.p_value for test in own.values()])
    return [
        PairedDifference(one, other, measure, test, p_holm, _finding(one, other, test, p_holm))
        for ((one, other), test), p_holm in zip(own.items(), corrected, strict=True)
    ]


def _shared_queries(ours: QueryValues, theirs: QueryValues) -> tuple[list[Sequence[float]], list[Sequence[float]]]:
    """Return both models' measures of the queries they share; a query in several sheets counts once, by its means.

    Sheets are held against sheets of the same name, or against whatever there is where one side has a single sheet.
    """
    pairs = []
    for query in sorted(ours.keys() & theirs.keys()):
        one, other = ours[query], theirs[query]
        if len(one) > 1 and len(other) > 1:
            names = [name for name in one if name in other]
            one, other = {name: one[name] for name in names}, {name: other[name] for name in names}
        if one and other:
            pairs.append((_means(one.values()), _means(other.values())))
    return [first for first, _ in pairs], [second for _, second in pairs]


def _means(rows: Collection[Sequence[float]]) -> Sequence[float]:
    if len(rows) == 1:
        return next(iter(rows))
    return [mean(column) for column in zip(*rows, strict=True)]


def _finding(one: str, other: str, test: PairedTest, p_holm: float) -> str:
    if math.isnan(p_holm):
        return "" if test.units else "no common query has it"
    if p_holm >= SIGNIFICANCE_LEVEL:
        return why_not_shown(test.p_value, test.units, "queries")
    return f"{one if test.difference > 0 else other} is higher"
