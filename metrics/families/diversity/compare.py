"""The models of a run compared: every two on the queries they share, tested, and corrected for their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoresheet.metrics.compare import compare_units
from scoresheet.metrics.families.diversity.measures import (
    HEADLINE,
    QUERIES,
    RANKING_MEASURES,
    headline_measure,
    name_at,
)
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.result import DiversityResult, compared_names
from scoresheet.metrics.family import Comparison


@dataclass(frozen=True, kw_only=True)
class DiversityComparison(Comparison):
    """Every two models of a run, measure by measure, at every cut-off."""


def compare_models(results: Mapping[str, DiversityResult], options: DiversityOptions) -> DiversityComparison:
    """Return every two models, measure by measure: how far apart, and whether that is noise."""
    taken = next((result.taken for result in results.values()), RANKING_MEASURES)  # the same for all of a run
    headline = headline_measure(judged=HEADLINE in taken)
    paired = compare_units(
        {model: result.compared for model, result in results.items()},
        compared_names(taken, options),
        headline=name_at(headline, options.headline_cutoff()),
        better=headline.better,
        units=QUERIES,
        confidence=options.ci,
        seed=options.seed,
    )
    return DiversityComparison(paired=paired)
