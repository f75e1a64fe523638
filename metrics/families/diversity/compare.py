"""The models of a run compared: every two on the queries they share, tested, and corrected for their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoresheet.metrics.compare import compare_units
from scoresheet.metrics.families.diversity.measures import QUERIES, headline_measure, name_at, names_at
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.result import DiversityResult
from scoresheet.metrics.family import Comparison


@dataclass(frozen=True, kw_only=True)
class DiversityComparison(Comparison):
    """Every two models of a run, measure by measure, at the headline's cut-off."""


def compare_models(results: Mapping[str, DiversityResult], options: DiversityOptions) -> DiversityComparison:
    """Return every two models, measure by measure: how far apart, and whether that is noise."""
    cutoff = options.headline_cutoff()
    headline = headline_measure(judged=any(result.is_judged for result in results.values()))
    paired = compare_units(
        {model: result.compared for model, result in results.items()},
        names_at((cutoff,)),
        headline=name_at(headline, cutoff),
        better=headline.better,
        units=QUERIES,
        confidence=options.ci,
        seed=options.seed,
    )
    return DiversityComparison(paired=paired)
