"""The reports of diversity: the means, a page of queries per sheet, what each rank adds, and systems in pairs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from scoresheet.cli.report.intervals import ci_columns, describe_bootstrap, with_intervals
from scoresheet.cli.report.page import Chart, Column, Page, PageTable
from scoresheet.cli.report.pictures import Lines, Panel
from scoresheet.cli.report.reporter import (
    DocumentedColumns,
    Line,
    ModelPages,
    Numbers,
    ReadNumbers,
    Reporter,
    ResultColumns,
    column_of,
)
from scoresheet.metrics.columns import Chained, Coded
from scoresheet.metrics.families.diversity.compare import DiversityComparison
from scoresheet.metrics.families.diversity.constants import (
    AS_PRINTED,
    BY_FEATURES,
    BY_SUBTOPICS,
    BY_TEXT,
    CHOSEN_DISTANCE,
    DISCOUNT,
    NDEVAL,
)
from scoresheet.metrics.families.diversity.context import DiversityContext
from scoresheet.metrics.families.diversity.ideal import MAX_EXACT_ITEMS
from scoresheet.metrics.families.diversity.measures import (
    ANSWERED,
    CUTOFF_MEASURES,
    HEADLINE,
    IDEAL,
    JUDGED_ITEMS,
    QUERIES,
    QUERY_COUNTS,
    QUERY_KEY,
    RETRIEVED,
    S_RECALL,
    SCORED_QUERIES,
    SUBTOPICS,
    defined_by,
    headline_measure,
    measure_at,
    name_at,
)
from scoresheet.metrics.families.diversity.options import DEFAULTS, DiversityOptions
from scoresheet.metrics.families.diversity.result import Averages, DiversityResult
from scoresheet.metrics.families.diversity.score import DiversitySheet
from scoresheet.metrics.measures import Measure, interval_measures, interval_numbers, shown_in
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.tables import HeldTable
from scoresheet.metrics.units import concatenate_units

OVERALL: Final = "Overall"
_BETWEEN: Final = " | "  # the subtopics of a cell: a comma may be part of a name, this sign cannot in line
METHOD: Final = (
    ("Order", "By rank where there is one, else by score, largest first; ties by item, ascending."),
    ("S_Recall", "Covered subtopics / subtopics."),
    ("S_Entropy", "−Σ P(j) log P(j) over the shares of assignments; normalised by log of the number of subtopics."),
    ("Gini", "Σ_i Σ_j |s_i − s_j| / (2·|S|·Σ s), uncovered subtopics included."),
    ("Proportionality", "1 − ½ Σ |target(j) − share(j)|; the target is uniform unless given."),
    (
        "ILD, EILD",
        "Mean distance of two items; Σ P(i)·P(j)·d(i,j), P(i) the item's largest relevance; and its rank-discounted "
        f"mean EILD_Norm, in which a reader goes on from each rank to the next with a chance of {DISCOUNT}.",
    ),
    ("Means", "Over the queries of a sheet for which a measure is defined, then over sheets."),
)
_METHOD_BY_DEFINITION: Final = {
    AS_PRINTED: (
        (
            "Subtopics",
            "Those with a relevant item (grade > 0), and those named by --intents or --targets. An item with several "
            "counts once for each.",
        ),
        ("alpha_DCG", "Gain (1−α)^(earlier items on j), discount 1/log2(i+1), divided by the number of subtopics."),
        ("alpha_nDCG", "The same gains and discounts, over the ideal ranking's."),
        (
            "Ideal",
            f"Exact for up to {MAX_EXACT_ITEMS} relevant items, else greedy, ties by what they leave to gain; never "
            "below the ranking itself, so that α-nDCG is at most 1.",
        ),
        ("ERR_IA", "Σ P(j) Σ (1/i)·rel(i,j)·Π(1 − rel(l,j))."),
    ),
    NDEVAL: (
        (
            "Subtopics",
            "Those with a relevant item (grade > 0); what --targets names besides counts in Proportionality alone. An "
            "item with several counts once for each.",
        ),
        (
            "alpha_DCG",
            "Gain (1−α)^(earlier items on j), discount 1/log2(i+1), divided by |S|·Σ_{i≤k} (1−α)^(i−1)/log2(i+1).",
        ),
        ("alpha_nDCG", "The same gains and discounts, over the ideal ranking's."),
        ("Ideal", "Greedy, ties by item name descending, as the TREC tool ndeval does; α-nDCG can exceed 1."),
        ("ERR_IA", "Σ_j Σ_i (1−α)^(earlier items on j)/i, divided by |S|·Σ_{i≤k} (1−α)^(i−1)/i."),
    ),
}
_DISTANCES: Final = {
    BY_FEATURES: "cosine of the item features",
    BY_SUBTOPICS: "Jaccard of the items' subtopics",
    BY_TEXT: "cosine of TF-IDF vectors of the items' texts",
}

_CI_LOW, _CI_HIGH, _CI_NOTE = ci_columns(QUERIES, of="the headline")
_COUNTS: Final = tuple(map(column_of, QUERY_COUNTS))
_SHEET: Final = Column("Sheet", "The input sheet.", "key")
_QUERY: Final = Column(QUERY_KEY, "The query.", "key")
STEP_COLUMNS: Final = (
    _SHEET,
    _QUERY,
    Column("Rank", "The rank.", "count"),
    Column("Item", "The item at this rank.", "key"),
    Column("Adds", "Subtopics that no item above covers, joined by |.", "text"),
    Column("Repeats", "Subtopics that an item above covers already, joined by |.", "text"),
    Column("Covered", "Subtopics covered down to this rank.", "count"),
    column_of(S_RECALL, about="Share of the query's subtopics covered down to this rank."),
)
SYSTEM_COLUMNS: Final = (
    Column("Model", "The system.", "key"),
    Column("Measure", "The measure and its cut-off.", "label"),
    Column("Mean", "Mean over queries (of each sheet, then over sheets).", "score"),
    *ci_columns(QUERIES),
    Column("Queries", "Queries for which the measure is defined.", "count"),
)


def _columns_at(
    cutoffs: Sequence[int | str], definition: str = DEFAULTS.definition, measures: Sequence[Measure] = CUTOFF_MEASURES
) -> tuple[Column, ...]:
    """Return measures at each cut-off, cut-off by cut-off."""
    return tuple(_column_at(measure, k, definition) for k in cutoffs for measure in measures)


@cache  # all models of a run have the same
def _column_at(measure: Measure, cutoff: int | str, definition: str) -> Column:
    return column_of(measure_at(measure, cutoff, definition))


def _headline(results: Iterable[DiversityResult]) -> Measure:
    """Return what these systems are ranked by; judgments are those of the whole run."""
    return headline_measure(judged=HEADLINE in _taken(results))


def _taken(results: Iterable[DiversityResult]) -> tuple[Measure, ...]:
    """Return what could be measured, the same for all systems of a run; nobody has anything else."""
    return next((result.taken for result in results), CUTOFF_MEASURES)


def _query_columns(
    cutoffs: Sequence[int | str],
    definition: str = DEFAULTS.definition,
    measures: Sequence[Measure] = CUTOFF_MEASURES,
) -> tuple[Column, ...]:
    """Return the columns of a page of queries."""
    return (
        _SHEET,
        _QUERY,
        *([column_of(defined_by(definition, SUBTOPICS))] if S_RECALL in measures else []),
        column_of(RETRIEVED),
        *_columns_at(cutoffs, definition, measures),
        *([column_of(IDEAL)] if HEADLINE in measures else []),
    )


def _summary_columns(options: DiversityOptions, taken: Sequence[Measure] = CUTOFF_MEASURES) -> tuple[Column, ...]:
    first = headline_measure(judged=HEADLINE in taken)
    headline = column_of(measure_at(first, options.headline_cutoff(), options.definition))
    return (
        Column("Sheet", "The sheet; the last row, Overall, is the mean of the sheets.", "key"),
        Column("Queries", "Queries scored; Overall has the sum over the sheets.", "count"),
        headline,
        _CI_LOW,
        _CI_HIGH,
        _CI_NOTE,
        *(column for column in _columns_at(options.ranks(), options.definition, taken) if column != headline),
    )


class DiversityReporter(Reporter[DiversityOptions, DiversityContext, DiversityResult, DiversityComparison]):
    """Shows the diversity of rankings."""

    stem = "diversity"
    title = "Diversity of rankings"
    documented = DocumentedColumns(
        results=(*_columns_at(DEFAULTS.cutoffs), _CI_LOW, _CI_HIGH, _CI_NOTE, *_COUNTS),
        summary=_summary_columns(DiversityOptions()),
        sheet=_query_columns(("k",)),
    )

    def method(self, context: DiversityContext, options: DiversityOptions) -> tuple[Line, ...]:
        """Return how the numbers of this run were made: definition, relevance, where judgments came from, distance."""
        source = "of the references whose hashes are below"
        if context.is_inline:
            pooled = "in line, pooled over all models of the run"
            catalogue = context.descriptions.catalogue
            without = "only distances are measured"
            if catalogue is not None:
                without = (
                    f"coverage is that of the {len(catalogue.subtopics)} genres of the {len(catalogue.index)} items "
                    "that have any; relevance is not measured"
                )
            source = pooled if context.is_judged else f"none: {without}"
        return (
            *METHOD,
            ("Interval", f"{describe_bootstrap(QUERIES, options.ci)}, seeded."),
            *_METHOD_BY_DEFINITION[options.definition],
            *([("Relevance", _relevance_words(context.top_grade, options))] if context.is_judged else []),
            ("Judgments", source),
            ("Distance", _distance_words(context, options)),
        )

    def result_columns(self, results: Collection[DiversityResult], options: DiversityOptions) -> ResultColumns:
        """Return every measure at every cut-off; on a terminal a few, and over how many queries they are."""
        first, cutoff, taken = _headline(results), options.headline_cutoff(), _taken(results)
        is_judged = HEADLINE in taken
        few = [measure for measure in shown_in(taken, "terminal") if measure != first]
        if any(result.overall.means.get(name_at(JUDGED_ITEMS, cutoff), 1) < 1 for result in results):
            few.append(JUDGED_ITEMS)
        headline = column_of(measure_at(first, cutoff, options.definition))
        scored, judged, answered = _COUNTS
        unsure = [_CI_NOTE] if any(result.overall.interval.note for result in results) else []
        incomplete = [answered] if any(_counts(result)[ANSWERED] < 1 for result in results) else []
        return ResultColumns(
            measures=(
                *_columns_at(options.ranks(), options.definition, taken),
                *(_CI_LOW, _CI_HIGH, _CI_NOTE),
                *(_COUNTS if is_judged else [scored]),
            ),
            headline=headline,
            terminal=(
                *(headline, _CI_LOW, _CI_HIGH, *unsure, scored),
                *([judged] if is_judged else []),
                *incomplete,
                *_columns_at((cutoff,), options.definition, few),
            ),
            interval=(_CI_LOW, _CI_HIGH),
        )

    def model_pages(self, model: str, result: DiversityResult, options: DiversityOptions) -> ModelPages:
        """Return the means, a page of queries per sheet, and what each rank adds."""
        columns = _query_columns(options.ranks(), options.definition, result.taken)
        steps = _steps_table(result.sheets)
        return ModelPages(
            summary=_summary_page(result, options),
            sheets=tuple(_queries_page(sheet, columns) for sheet in result.sheets),
            more=(Page("Subtopics", steps, STEP_COLUMNS),) if len(steps) else (),
        )

    def numbers(self, result: DiversityResult, options: DiversityOptions) -> Numbers:
        """Return the means with their intervals, over how many queries each is, and the means of each sheet."""
        return {
            **result.overall.means,
            **interval_numbers(result.overall.interval),
            **{measure.name: value for measure, value in _counts(result).items() if measure is not SCORED_QUERIES},
            "Intervals": {name: interval_numbers(interval) for name, interval in result.intervals.items()},
            "Queries": result.defined,
            "Sheets": {
                name: {"Queries": averages.queries, **averages.means} for name, averages in result.by_sheet.items()
            },
        }

    def unit_table(self, result: DiversityResult, options: DiversityOptions) -> HeldTable:
        """Return the queries without what is said of their ideals, and without subtopics where there are none."""
        unwanted = (IDEAL.name,) if S_RECALL in result.taken else (IDEAL.name, SUBTOPICS.name)
        return concatenate_units({sheet.name: sheet.units.without(unwanted) for sheet in result.sheets})

    def run_pages(
        self,
        comparison: DiversityComparison,
        results: Mapping[str, DiversityResult | None],
        options: DiversityOptions,
    ) -> tuple[Page, ...]:
        """Return the systems with intervals."""
        return (_systems_page(results, options),)

    def run_panels(self, numbers: Mapping[str, ReadNumbers]) -> tuple[Panel, ...]:
        """Return the measure that ranks the systems, at every cut-off."""
        return _cutoff_panels(numbers)


def _cutoff_panels(numbers: Mapping[str, ReadNumbers]) -> tuple[Panel, ...]:
    names = next(iter(numbers.values()), {})
    first = headline_measure(judged=any(name.startswith(name_at(HEADLINE, "")) for name in names))
    cutoffs = [name.removeprefix(name_at(first, "")) for name in names if name.startswith(name_at(first, ""))]
    if len(cutoffs) < 2:
        return ()
    lines = {
        model: [math.nan if (value := own.get(name_at(first, k))) is None else value for k in cutoffs]
        for model, own in numbers.items()
    }
    return (Lines(f"{first.name} by cut-off", "k", first.name, tuple(cutoffs), lines),)


def _counts(result: DiversityResult) -> dict[Measure, float]:
    """Return how many queries are scored and judged, and the share that is answered."""
    values = ((measure, result.measures[measure.name]) for measure in QUERY_COUNTS)
    return {measure: value for measure, value in values if not isinstance(value, str)}


def _relevance_words(top: float, options: DiversityOptions) -> str:
    if not top:
        return "The grades as they are: all lie in 0..1."
    said = "named by --max-grade" if options.max_grade else "the largest grade of the judgments"
    return f"(2^g − 1)/2^{top:g} of a grade g; {top:g} is {said}."


def _distance_words(context: DiversityContext, options: DiversityOptions) -> str:
    descriptions = context.descriptions
    words = "Jaccard of the items' genres" if descriptions.compares_genres else _DISTANCES[descriptions.distance]
    if descriptions.feature_columns:
        columns = descriptions.feature_columns
        words += f" {join_names(columns, most=12)} ({len(columns)} columns of --features)"
    if descriptions.tfidf is not None:
        words += f", inverse frequencies over the {descriptions.tfidf.texts} distinct texts of the run"
    return words + (f"; chosen by --distance {CHOSEN_DISTANCE}" if options.distance == CHOSEN_DISTANCE else "")


def _summary_page(result: DiversityResult, options: DiversityOptions) -> Page:
    columns = _summary_columns(options, result.taken)
    named = [*result.by_sheet.items(), (OVERALL, result.overall)]  # a sheet may be called so too
    lines = [_summary_line(name, averages) for name, averages in named]
    headline = name_at(_headline([result]), options.headline_cutoff())
    return Page(
        title="Summary",
        table=PageTable({column.name: [line[column.name] for line in lines] for column in columns}),
        columns=columns,
        chart=Chart(with_intervals(f"{headline} by sheet", options.ci), "Sheet", headline, _CI_LOW.name, _CI_HIGH.name),
        total_rows=1,
    )


def _summary_line(name: str, averages: Averages) -> dict[str, object]:
    return {
        "Sheet": name,
        "Queries": averages.queries,
        **averages.means,
        **interval_measures(averages.interval),
    }


def _queries_page(sheet: DiversitySheet, columns: tuple[Column, ...]) -> Page:
    cells = {_SHEET.name: [sheet.name] * len(sheet.units), **sheet.units.keys, **sheet.units.measures}
    return Page(sheet.name, PageTable({column.name: cells[column.name] for column in columns}), columns)


def _steps_table(sheets: Sequence[DiversitySheet]) -> PageTable:
    """Return what each rank of each sheet adds."""
    columns = zip(*map(_step_columns, sheets), strict=True)
    return PageTable({column.name: Chained(own) for column, own in zip(STEP_COLUMNS, columns, strict=True)})


def _step_columns(sheet: DiversitySheet) -> list[Sequence[object]]:
    steps = sheet.steps
    adds, repeats = (Coded(list(map(_BETWEEN.join, own.values)), own.codes) for own in (steps.adds, steps.repeats))
    named = Coded.repeated(sheet.name, len(steps.items))
    return [named, steps.queries, steps.ranks, steps.items, adds, repeats, steps.covered, steps.s_recall]


def _systems_page(results: Mapping[str, DiversityResult | None], options: DiversityOptions) -> Page:
    """Return every measure of every system with its interval; one that failed has none."""
    rows = [
        _system_row(model, name_at(measure, k), result)
        for k in options.ranks()
        for measure in _taken(result for result in results.values() if result is not None)
        for model, result in results.items()
    ]
    return Page("Systems", PageTable.of_rows([column.name for column in SYSTEM_COLUMNS], rows), SYSTEM_COLUMNS)


def _system_row(model: str, name: str, result: DiversityResult | None) -> list[object]:
    if result is None:
        return [model, name, math.nan, math.nan, math.nan, "", 0]
    return [model, name, result.overall.means[name], *result.intervals[name], result.defined[name]]


REPORTER: Final = DiversityReporter()
