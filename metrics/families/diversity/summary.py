"""From queries to sheets, from sheets to the model, and models side by side."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.core import Chart, Column, Detail, Page, Report
from scoresheet.metrics.families.diversity.columns import HIGH, LOW, MEASURES, measured_at
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.stats.bootstrap import bootstrap_columns
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.stats.randomisation import paired_tests, why_not_shown
from scoresheet.metrics.tables import frame_of_rows, object_frame

OVERALL: Final = "Overall"
_Queries = dict[str, dict[str, list[float]]]  # query → sheet → measures
STEPS: Final = (
    Column("Sheet", "The input sheet.", "key"),
    Column("Query", "The query.", "key"),
    Column("Rank", "The rank.", "count"),
    Column("Item", "The item at this rank.", "key"),
    Column("Adds", "Subtopics that no item above covers, joined by |.", "text"),
    Column("Repeats", "Subtopics that an item above covers already, joined by |.", "text"),
    Column("Covered", "Subtopics covered down to this rank.", "count"),
    Column("S_Recall", "Share of the query's subtopics covered down to this rank.", "score", better="higher"),
)
SYSTEMS: Final = (
    Column("Model", "The system.", "key"),
    Column("Measure", "The measure and its cut-off.", "label"),
    Column("Mean", "Mean over queries (of each sheet, then over sheets).", "score"),
    Column("CI_Low", "Lower end of the 95 % bootstrap interval over queries.", "score"),
    Column("CI_High", "Upper end of the 95 % bootstrap interval over queries.", "score"),
    Column("Queries", "Queries for which the measure is defined.", "count"),
)
COMPARISONS: Final = (
    Column("Model", "One system.", "key"),
    Column("Other_Model", "The other.", "key"),
    Column("Measure", "The measure, at the headline's cut-off.", "label"),
    Column("Queries", "Queries that both have a value for.", "count"),
    Column("Mean", "Mean of the system over these queries.", "score"),
    Column("Other_Mean", "Mean of the other.", "score"),
    Column("Difference", "The system's less the other's.", "score"),
    Column("CI_Low", "Lower end of the 95 % interval of the difference, by paired bootstrap.", "score"),
    Column("CI_High", "Upper end of the 95 % interval of the difference.", "score"),
    Column("P_Value", "Randomisation test: chance of such a difference if it had either sign alike.", "chance"),
    Column("P_Holm", "The same after Holm's correction for all pairs of systems.", "chance"),
    Column("Finding", "What is not noise at 5 %, after the correction.", "label"),
)


def summary_columns(options: DiversityOptions) -> tuple[Column, ...]:
    """Return the columns of a model's summary."""
    measures = measured_at(options)
    headline = next(column for column in measures if column.name == headline_name(options))
    return (
        Column("Sheet", "The sheet; the last row, Overall, is the mean of the sheets.", "key"),
        Column("Queries", "Queries scored.", "count"),
        headline,
        LOW,
        HIGH,
        *(column for column in measures if column != headline),
    )


def summarise_model(model: str, details: Sequence[Detail], options: DiversityOptions) -> Report:
    """Return a model's report: a line per sheet, and the mean over sheets."""
    names = [column.name for column in measured_at(options)]
    headline = headline_name(options)
    values = _values(details, names)
    ends = bootstrap_columns(values, seed=options.seed)
    lines = []
    for place, detail in enumerate(details):
        own = bootstrap_columns(values[:, place : place + 1, :], seed=options.seed)[names.index(headline)]
        means = {name: mean(detail.table[name].tolist()) for name in names}
        lines.append(_line(detail.sheet.name, _scored(detail, names), means, own))
    means = {name: mean(line[name] for line in lines) for name in names}
    overall = _line(OVERALL, sum(_scored(detail, names) for detail in details), means, ends[names.index(headline)])
    columns = summary_columns(options)
    page = Page(
        title="Summary",
        table=object_frame({column.name: [line[column.name] for line in (*lines, overall)] for column in columns}),
        columns=columns,
        chart=Chart(f"{headline} by sheet, with 95 % intervals", "Sheet", headline, "CI_Low", "CI_High"),
        total_rows=1,
    )
    scored = sum(detail.extra.rows for detail in details)
    measures = {name: overall[name] for name in (*names, "CI_Low", "CI_High")}
    steps = [step for detail in details for step in detail.extra.steps]
    defined = {name: int(sum(detail.table[name].notna().sum() for detail in details)) for name in names}
    return Report(
        model=model,
        status="ok" if any(defined.values()) else "unscored",
        measures=measures,
        rows=sum(len(detail.sheet.frame) for detail in details),
        scored=scored,
        computed=scored,
        summary=page,
        pages=(Page("Subtopics", frame_of_rows([column.name for column in STEPS], steps), STEPS),) if steps else (),
        numbers={
            **measures,
            "Intervals": {
                name: {"CI_Low": low, "CI_High": high} for name, (low, high) in zip(names, ends, strict=True)
            },
            "Queries": defined,
            "Sheets": {line["Sheet"]: {name: line[name] for name in ("Queries", *names)} for line in lines},
        },
        extra=_by_query(details, options),
    )


def headline_name(options: DiversityOptions) -> str:
    """Return the measure that ranks and is charted."""
    return f"alpha_nDCG@{options.headline_rank()}"


def systems_page(reports: Sequence[Report], options: DiversityOptions) -> Page:
    """Return every measure of every system with its interval."""
    rows = [
        (
            report.model,
            column.name,
            report.measures.get(column.name, math.nan),
            *report.numbers.get("Intervals", {}).get(column.name, {"CI_Low": math.nan, "CI_High": math.nan}).values(),
            report.numbers.get("Queries", {}).get(column.name, 0),
        )
        for column in measured_at(options)
        for report in reports
    ]
    return Page("Systems", frame_of_rows([column.name for column in SYSTEMS], rows), SYSTEMS)


def comparisons_page(reports: Sequence[Report], options: DiversityOptions) -> Page:
    """Return every two systems, measure by measure: how far apart, and whether that is noise."""
    names = [f"{column.name}@{options.headline_rank()}" for column in MEASURES]
    reported = [report for report in reports if report.extra]
    rows: list[list[Any]] = []
    for one, other in combinations(reported, 2):
        tests = paired_tests(*_shared(one.extra, other.extra), measures=len(names), seed=options.seed)
        rows += [[one.model, other.model, name, *test, math.nan, ""] for name, test in zip(names, tests, strict=True)]
    for name in names:
        own = [row for row in rows if row[2] == name]
        for row, corrected in zip(own, holm([row[9] for row in own]), strict=True):
            row[10] = corrected
            row[11] = _finding(row)
    rows.sort(key=lambda row: names.index(row[2]))
    return Page("Comparisons", frame_of_rows([column.name for column in COMPARISONS], rows), COMPARISONS)


def _shared(ours: _Queries, theirs: _Queries) -> tuple[list[Sequence[float]], list[Sequence[float]]]:
    """Return both systems' measures of the queries they share; a query in several sheets counts once, by its means.

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


def _finding(row: Sequence[Any]) -> str:
    if math.isnan(row[10]):
        return "no common query has it" if not row[3] else ""
    if row[10] >= 0.05:
        return why_not_shown(row[9], row[3], "queries")
    return f"{row[0] if row[6] > 0 else row[1]} is higher"


def _line(sheet: str, queries: int, means: Mapping[str, float], ends: tuple[float, float]) -> dict[str, Any]:
    return {"Sheet": sheet, "Queries": queries, **means, "CI_Low": ends[0], "CI_High": ends[1]}


def _values(details: Sequence[Detail], names: Sequence[str]) -> NDArray[np.float64]:
    """Return the measures as one array, query × sheet × measure, undefined where a sheet lacks the query."""
    queries = sorted({query for detail in details for query in detail.table["Query"]})
    places = {query: place for place, query in enumerate(queries)}
    values = np.full((len(queries), len(details), len(names)), np.nan)
    for sheet, detail in enumerate(details):
        own = [places[query] for query in detail.table["Query"]]
        if own:
            values[own, sheet] = detail.table[list(names)].to_numpy(dtype=float)
    return values


def _scored(detail: Detail, names: Sequence[str]) -> int:
    """Return how many queries of a sheet have any measure."""
    return int(detail.table[list(names)].notna().any(axis=1).sum())


def _by_query(details: Sequence[Detail], options: DiversityOptions) -> _Queries:
    """Return the measures at the headline's cut-off, for the comparison of systems."""
    names = [f"{column.name}@{options.headline_rank()}" for column in MEASURES]
    queries: _Queries = {}
    for detail in details:
        rows = detail.table[names].to_numpy(dtype=float).tolist()
        for query, row in zip(detail.table["Query"], rows, strict=True):
            queries.setdefault(query, {})[detail.sheet.name] = row
    return queries
