"""By what systems are compared: every measure at every cut-off, query by query."""

from __future__ import annotations

from collections.abc import Collection

from scoresheet.metrics.compare import ComparedBy
from scoresheet.metrics.families.diversity.measures import (
    HEADLINE,
    QUERIES,
    QUERY_KEY,
    RANKING_MEASURES,
    headline_measure,
    name_at,
)
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.result import compared_names
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True, kw_only=True)
class DiversityComparison(Comparison):
    """Models of a run, measure by measure, at every cut-off."""


def compared_by(options: DiversityOptions, columns: Collection[str]) -> ComparedBy:
    """Return that systems are compared by query, in what their units have been measured in."""
    first = options.headline_cutoff()
    taken = [measure for measure in RANKING_MEASURES if name_at(measure, first) in columns]
    headline = headline_measure(judged=HEADLINE in taken)
    return ComparedBy(
        measures=tuple(compared_names(taken or RANKING_MEASURES, options)),
        headline=name_at(headline, first),
        units=QUERIES,
        first=headline.better,
        better=headline.better,
        key=(QUERY_KEY,),
    )
