"""What a run is held to: judgments from references or in line, with their weights, and descriptions of items."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, cast

from scoresheet.metrics.families.diversity.constants import AS_PRINTED, BY_SUBTOPICS, UNWRITTEN_GRADE
from scoresheet.metrics.families.diversity.features import FEATURES
from scoresheet.metrics.families.diversity.inputs import RankingSheet
from scoresheet.metrics.families.diversity.item_descriptions import ItemDescriptions, item_descriptions
from scoresheet.metrics.families.diversity.judgments import (
    Judgment,
    JudgmentsByQuery,
    QueryJudgments,
    aimed_at,
    query_judgments,
    weights_of,
)
from scoresheet.metrics.families.diversity.measures import measures_taken
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.problems import large_grade_reason, negative_grades
from scoresheet.metrics.families.diversity.schema import GRADE, ITEM, JUDGED_QUERY, SUBTOPIC, TREC_QRELS
from scoresheet.metrics.families.diversity.weights import (
    INTENTS,
    TARGETS,
    SubtopicWeights,
    parse_weights,
    unmatched_weights,
    unweighted_subtopics,
)
from scoresheet.metrics.family import Given
from scoresheet.metrics.keys import unambiguous_keys
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import argument, flag, pluralize
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Noted, NoUsableInput, Problem, UsageError, note
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import ROW, SHEET, SOURCE
from scoresheet.metrics.tables import column_values, listed_keys, text_cells

if TYPE_CHECKING:
    from scoresheet.metrics.tables import Table

Judgments = JudgmentsByQuery[str, str, str]


@dataclass(frozen=True)
class DiversityContext:
    """Everything that scoring a sheet needs."""

    queries: Mapping[str, QueryJudgments[str, str]] = field(default_factory=dict)
    is_judged: bool = False  # whether there are any judgments
    is_inline: bool = False  # whether they stand beside the rankings
    top_grade: float = 0.0  # the max of (2^g - 1)/2^max; 0: grades are probabilities
    near_queries: Mapping[str, str] = field(default_factory=dict)  # judged queries by their loosest keys
    judged_nonrelevant: Mapping[str, Collection[str]] = field(default_factory=dict)  # query → items, in line
    descriptions: ItemDescriptions = field(default_factory=ItemDescriptions)
    targets: SubtopicWeights | None = None
    is_trec: bool = False  # whether the judgments come from TREC files
    judged_queries: Collection[str] = frozenset()  # also those that nothing is relevant to

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What can be measured at cut-offs."""
        return measures_taken(judged=self.is_judged, covered=self.descriptions.catalogue is not None)

    def covered_by(self, query: str) -> QueryJudgments[str, str] | None:
        """Return what a ranking can cover: the subtopics of the query, or without any judgments the known genres."""
        if self.is_judged:
            return self.queries.get(query)
        catalogue = self.descriptions.catalogue
        return None if catalogue is None else aimed_at(catalogue, weights_of(self.targets, query))


def context_of_run(given: Given[RankingSheet], options: DiversityOptions) -> Noted[DiversityContext]:
    """Return the judgments of the run and what items are compared by, and what was wrong with what was given."""
    judgments, problems = _judgments(given, options.max_grade)
    intents = parse_weights(INTENTS, given.tables)
    targets = parse_weights(TARGETS, given.tables)
    queries = query_judgments(
        judgments,
        max_grade=options.max_grade,
        intents=intents.value,
        targets=targets.value,
        declare=options.definition == AS_PRINTED,
    )
    is_judged = bool(judgments.by_query)
    inline_texts = (text for sheet in given.sheets for text in sheet.inline.texts)
    inline_genres = [] if is_judged else [genres for sheet in given.sheets for genres in sheet.inline.genres]
    descriptions = item_descriptions(
        given.tables.get(FEATURES), inline_texts, inline_genres, options.distance, options.separator
    )
    context = DiversityContext(
        queries=queries,
        is_judged=is_judged,
        is_inline=not len(given.reference_table),
        top_grade=judgments.top_grade(options.max_grade),
        near_queries=unambiguous_keys(judgments.by_query),
        judged_nonrelevant=_judged_nonrelevant(given.sheets),
        descriptions=descriptions.value,
        targets=targets.value,
        is_trec=TREC_QRELS.name in given.reference_table.columns
        and any(text_cells(given.reference_table, TREC_QRELS.name)),
        judged_queries=frozenset(judgments.by_query),
    )
    if _measures_nothing(context, given.sheets):
        raise UsageError(
            f"there is nothing to measure by: name judgments as {argument('REFERENCES')}, put them beside the rankings "
            f"(subtopics, relevance), or name a table of items with their genres or features with {flag('features')}"
        )
    return Noted(
        context,
        (
            *problems,
            *_conflicting_judgments(judgments),
            *_large_grades(judgments, options.max_grade),
            *intents.problems,
            *targets.problems,
            *unmatched_weights(INTENTS, intents.value, judgments),
            *unmatched_weights(TARGETS, targets.value, judgments, context.descriptions.catalogue),
            *unweighted_subtopics(queries, intents.value),
            *_genres_beside(context, has_table=FEATURES in given.tables),
            *descriptions.problems,
        ),
    )


def _genres_beside(context: DiversityContext, *, has_table: bool) -> tuple[Problem, ...]:
    """Return a note where the items of the run are all that is known of the genres there are."""
    catalogue = context.descriptions.catalogue
    if catalogue is None or has_table:
        return ()
    message = (
        f"genres stand beside the rankings and nobody judged: what can be covered are the {len(catalogue.subtopics)} "
        f"genres of the {pluralize(len(catalogue.index), 'item')} that the models of this run show; a table of all "
        f"items ({flag('features')}) would hold every model to the same genres whoever else is in the run"
    )
    return (note("genres-beside", message),)


def _measures_nothing(context: DiversityContext, sheets: Sequence[RankingSheet]) -> bool:
    described = context.descriptions
    if not sheets or context.is_judged or described.distance != BY_SUBTOPICS or described.catalogue is not None:
        return False
    return not any(sheet.inline.is_judged for sheet in sheets)


def _judgments(given: Given[RankingSheet], max_grade: float) -> Noted[Judgments]:
    """Return the judgments of the references, or else those in line."""
    judgments = Judgments()
    if not len(given.reference_table):
        # models that show the same items repeat what is said of them: once is enough, whoever says it
        judgments.add(dict.fromkeys(each for sheet in given.sheets for each in sheet.inline.judgments))
        return Noted(judgments)
    problems = _add_references(judgments, given.reference_table, max_grade)
    if not judgments.by_query:
        raise NoUsableInput(problems)
    return Noted(judgments, problems)


def _add_references(judgments: Judgments, table: Table, max_grade: float) -> tuple[Problem, ...]:
    """Add the judgments of the references, and return what is wrong; a grade that cannot be meant costs its file."""
    cells = list(text_cells(table, GRADE.name))
    grades = {cell: parse_float(cell) if cell.strip() else UNWRITTEN_GRADE for cell in set(cells)}
    names = (JUDGED_QUERY.name, SUBTOPIC.name, ITEM.name)
    queries, subtopics, items = (listed_keys(table, name) for name in names)
    written = map(grades.__getitem__, cells)
    is_plain = all(grade is not None and not large_grade_reason(grade, max_grade) for grade in grades.values())
    problems: list[Problem] = []
    if is_plain and all(subtopics) and all(items):
        judgments.add_columns(queries, subtopics, items, cast("list[float]", list(written)))
    else:
        usable, problems = _sifted(zip(queries, subtopics, items, written, strict=True), table, max_grade)
        judgments.add(usable)
    negative = judgments.raise_negative_grades()
    if negative:
        problems.append(negative_grades(negative))
    return tuple(problems)


def _sifted(
    written: Iterable[tuple[str, str, str, float | None]], table: Table, max_grade: float
) -> tuple[list[Judgment[str, str, str]], list[Problem]]:
    """Return the judgments that can be used, and what is wrong with the others; `table` has them as they stand."""
    bad: list[Problem] = []
    refused: dict[str, Problem] = {}  # by file
    usable: list[tuple[str, Judgment[str, str, str]]] = []  # with the file of each
    names = (JUDGED_QUERY.name, ITEM.name, GRADE.name, SOURCE, SHEET)
    rows = zip(
        *(text_cells(table, name) for name in names), cast("Sequence[int]", column_values(table, ROW)), strict=True
    )
    for (key, subtopic, item_key, grade), (query, item, cell, file, sheet, row) in zip(written, rows, strict=True):
        if grade is None or not item_key or not subtopic:
            kind, column = ("bad-grade", GRADE.name) if grade is None else ("empty-key", ITEM.name)
            what = f"the relevance of {item!r} is {cell!r}, not a number" if grade is None else "no item or subtopic"
            bad.append(
                Problem(
                    kind=kind,
                    message=f"{what} (query {query!r})",
                    effect="row not scored",
                    file=file,
                    sheet=sheet,
                    row=row,
                    column=column,
                )
            )
            continue
        large = large_grade_reason(grade, max_grade)
        if large and file not in refused:
            refused[file] = Problem(
                kind="bad-grade",
                message=large,
                effect="file skipped",
                file=file,
                sheet=sheet,
                row=row,
                column=GRADE.name,
            )
        usable.append((file, (key, subtopic, item_key, grade)))
    kept = [judgment for file, judgment in usable if file not in refused]
    return kept, [*refused.values(), *(problem for problem in bad if problem.file not in refused)]


def _conflicting_judgments(judgments: Judgments) -> tuple[Problem, ...]:
    differing = judgments.conflict_count()
    if not differing:
        return ()
    message = f"{differing} judgments differ from another of the same item and subtopic; the larger counts"
    return (note("conflicting-judgments", message),)


def _large_grades(judgments: Judgments, max_grade: float) -> tuple[Problem, ...]:
    """Return a note on grades above the largest that was named."""
    largest = judgments.largest_grade()
    if not max_grade or largest <= max_grade:
        return ()
    above = {
        (query, subtopic, item)
        for query, judged in judgments.by_query.items()
        for subtopic, item, grade in zip(*judged, strict=True)
        if grade > max_grade
    }
    message = (
        f"{pluralize(len(above), 'judgment')} above {flag(f'max-grade {max_grade:g}')}, the largest of them "
        f"{largest:g}; relevance is never above 1"
    )
    return (note("large-grade", message, column=GRADE.name),)


def _judged_nonrelevant(sheets: Sequence[RankingSheet]) -> dict[str, set[str]]:
    items: dict[str, set[str]] = {}
    for sheet in sheets:
        for query, item in sheet.inline.judged_nonrelevant:
            items.setdefault(query, set()).add(item)
    return items
