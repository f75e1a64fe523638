"""What a model's sheets come to: means over queries, then over sheets, with intervals over resampled queries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.aggregate import SheetValues, aggregate_measures
from scoresheet.metrics.compare import ComparedUnits, KeyedValues
from scoresheet.metrics.families.diversity.context import DiversityContext
from scoresheet.metrics.families.diversity.measures import (
    ANSWERED,
    HEADLINE,
    JUDGED_QUERIES,
    QUERIES,
    QUERY_KEY,
    RANKING_MEASURES,
    RETRIEVED,
    SCORED_QUERIES,
    headline_measure,
    name_at,
    names_at,
)
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.problems import other_definition, unjudged_note
from scoresheet.metrics.families.diversity.score import DiversitySheet
from scoresheet.metrics.family import ModelResult
from scoresheet.metrics.measures import Measure, interval_measures
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.confidence import Interval


@dataclass(frozen=True)
class Averages:
    """The averages of one sheet, or of the model."""

    queries: int  # with any measure
    means: Mapping[str, float]  # by the name of a measure at a cut-off
    interval: Interval  # of the headline


@dataclass(frozen=True, kw_only=True)
class DiversityResult(ModelResult[DiversitySheet]):
    """What a model came to."""

    by_sheet: Mapping[str, Averages]
    overall: Averages
    intervals: Mapping[str, Interval]  # of every measure at every cut-off
    defined: Mapping[str, int]  # queries for which each is defined
    is_judged: bool  # whether there are judgments
    taken: tuple[Measure, ...]  # what could be measured at cut-offs

    def slim(self) -> DiversityResult:
        """Return what the model came to, without its sheets."""
        return replace(self, sheets=(), by_sheet={})


def combine_sheets(
    sheets: Sequence[DiversitySheet], context: DiversityContext, options: DiversityOptions
) -> DiversityResult:
    """Return a model's averages: of each sheet, and their mean."""
    names = names_at(options.ranks(), context.measures)
    headline = name_at(headline_measure(judged=context.is_judged), options.headline_cutoff())
    tables = [_table(sheet, names) for sheet in sheets]
    values = [SheetValues(sheet.units.keys[QUERY_KEY], table) for sheet, table in zip(sheets, tables, strict=True)]
    aggregates = aggregate_measures(values, noun=QUERIES, confidence=options.ci, seed=options.seed)
    found = dict(zip(names, aggregates, strict=True))
    by_sheet = {
        sheet.name: Averages(
            _scored_queries(table),
            {name: each.sheets[position] for name, each in found.items()},
            found[headline].sheet_intervals[position],
        )
        for position, (sheet, table) in enumerate(zip(sheets, tables, strict=True))
    }
    intervals = {name: each.interval for name, each in found.items()}
    overall = Averages(
        sum(averages.queries for averages in by_sheet.values()),
        {name: each.overall for name, each in found.items()},
        intervals[headline],
    )
    known = sum((~np.isnan(table)).sum(axis=0) for table in tables)
    defined = dict(zip(names, np.asarray(known).tolist(), strict=True))
    used_rows = sum(sheet.used_rows for sheet in sheets)
    return DiversityResult(
        sheets=tuple(sheets),
        measures={
            **overall.means,
            **interval_measures(overall.interval),
            **_query_counts(sheets, tables, context),
        },
        rows=sum(sheet.rows for sheet in sheets),
        scored=used_rows,
        computed=used_rows,
        has_score=any(defined.values()),
        by_sheet=by_sheet,
        overall=overall,
        intervals=intervals,
        defined=defined,
        is_judged=context.is_judged,
        taken=context.measures,
        compared=_compared(sheets, compared_names(context.measures, options)),
    )


def _table(sheet: DiversitySheet, names: Sequence[str]) -> NDArray[np.float64]:
    """Return the measures of a sheet, query × measure."""
    return np.column_stack([sheet.units.array(name) for name in names])


def _query_counts(
    sheets: Sequence[DiversitySheet], tables: Sequence[NDArray[np.float64]], context: DiversityContext
) -> dict[str, float | int]:
    """Return how many queries a model is scored on, how many are judged, and for which share of these it has a ranking.

    Under --complete a judged query without a ranking is scored too, as 0.
    """
    scored, ranked = set(), set()
    for sheet, table in zip(sheets, tables, strict=True):
        queries, retrieved = sheet.units.keys[QUERY_KEY], sheet.units.array(RETRIEVED.name)
        known = (~np.isnan(table)).any(axis=1)
        scored |= {queries[place] for place in np.flatnonzero(known).tolist()}
        ranked |= {queries[place] for place in np.flatnonzero(known & (retrieved > 0)).tolist()}
    judged = len(context.queries) if context.is_judged else math.nan
    answered = len(ranked & context.queries.keys()) / judged if judged else math.nan
    return {SCORED_QUERIES.name: len(scored), JUDGED_QUERIES.name: judged, ANSWERED.name: answered}


def _scored_queries(table: NDArray[np.float64]) -> int:
    """Return how many queries of a sheet have any measure."""
    return int((~np.isnan(table)).any(axis=1).sum())


def system_notes(sheets: Sequence[DiversitySheet], options: DiversityOptions) -> tuple[Problem, ...]:
    """Return what is said once of a model: items that were never judged, and that TREC's tool has other values."""
    unjudged = [each for sheet in sheets for each in sheet.unjudged]
    notes = [unjudged_note(unjudged, options.rules().depth)] if unjudged else []
    return (*notes, *([other_definition()] if any(sheet.differs_in_trec for sheet in sheets) else []))


def compared_names(taken: Sequence[Measure], options: DiversityOptions) -> list[str]:
    """Return what systems are compared by: the headline, the others at its cut-off, then those at the other ones."""
    first = options.headline_cutoff()
    cutoffs = (first, *(k for k in options.ranks() if k != first))
    names = names_at(cutoffs, [measure for measure in taken if measure in RANKING_MEASURES])
    headline = name_at(headline_measure(judged=HEADLINE in taken), first)
    return [headline, *(name for name in names if name != headline)]


def _compared(sheets: Sequence[DiversitySheet], names: Sequence[str]) -> ComparedUnits | None:
    """Return the measures that models are compared by."""
    return ComparedUnits.of_sheets(
        {sheet.name: KeyedValues(sheet.units.keys[QUERY_KEY], _table(sheet, names)) for sheet in sheets}
    )
