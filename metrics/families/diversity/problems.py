"""The kinds of problems that only this family raises, and how it says those of grades, queries and items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from scoresheet.metrics.families.diversity.constants import (
    BY_FEATURES,
    BY_SUBTOPICS,
    BY_TEXT,
    LARGEST_GRADE,
    NDEVAL,
)
from scoresheet.metrics.families.diversity.schema import ITEM, QUERY, RELEVANCE, SUBTOPICS
from scoresheet.metrics.keys import did_you_mean, loosest_key
from scoresheet.metrics.messages import flag, join_names, pluralize
from scoresheet.metrics.problems import Problem, ProblemKind, note, unscored_row

if TYPE_CHECKING:
    from scoresheet.metrics.families.diversity.item_descriptions import ItemDescriptions
    from scoresheet.metrics.families.diversity.judgments import QueryJudgments
    from scoresheet.metrics.families.diversity.rankings import Ranking

KINDS: Final = {
    "bad-grade": ProblemKind("The relevance is not a number, or too large for a grade."),
    "bad-rank": ProblemKind("The rank or score that orders the items is not a number."),
    "conflicting-judgments": ProblemKind(
        "An item was judged twice on one subtopic with different grades; the larger counts."
    ),
    "genres-beside": ProblemKind(
        "Genres beside the rankings are all that is known of what there is to cover.", always_shown=True
    ),
    "in-line-judgments": ProblemKind(
        "Judgments stand beside the ranking and were not used, because references were named."
    ),
    "large-grade": ProblemKind(f"A grade lies above {flag('max-grade')}; its relevance is at most 1."),
    "missing-query": ProblemKind("A judged query has no ranking."),
    "negative-grade": ProblemKind("A grade below 0 counts as 0."),
    "no-features": ProblemKind("An item has nothing to be compared by, and is not in ILD and EILD."),
    "no-judgments": ProblemKind("A query of the ranking has no relevant judgment."),
    "no-weight": ProblemKind("The intents give no weight to a judged subtopic."),
    "rank-and-score": ProblemKind("Rank and score would order the items differently."),
    "repeated-item": ProblemKind("An item stands twice in a ranking; its first place counts."),
    "loose-match": ProblemKind(f"A query or item that found its judgments by {flag('match loose')} alone."),
    "ordered-by": ProblemKind("There is no rank and no score; another column orders the items.", always_shown=True),
    "other-definition": ProblemKind(
        f"Judgments come from TREC files, whose tool has other numbers; {flag(f'definition {NDEVAL}')} gives them.",
        always_shown=True,
    ),
    "unjudged-item": ProblemKind("Items of the rankings were never judged; they count as not relevant."),
    "unsplit-names": ProblemKind(
        "Subtopics or genres seem to be listed by another sign than |, and each cell was taken for one name.",
        always_shown=True,
        costly=True,
    ),
    "unmatched-weights": ProblemKind("A table of weights or shares names a query or subtopic that no judgment has."),
}

_WANTED: Final = {
    BY_FEATURES: "features",
    BY_TEXT: "a text",
    BY_SUBTOPICS: "a subtopic they are relevant to",
}
_GENRES: Final = "genres"  # that a table of items has


def large_grade_reason(grade: float, max_grade: float) -> str:
    """Return why a grade cannot be one, '' if it can; the largest that was named cuts whatever lies above it."""
    if max_grade or grade <= LARGEST_GRADE:
        return ""
    return (
        f"a grade of {grade:g} cannot be meant: grades are steps such as 0, 1, 2, 3; mend it, or name the largest "
        f"with {flag('max-grade')}"
    )


def negative_grades(count: int, row: int | None = None) -> Problem:
    """Return the note on judgments below 0."""
    message = f"{pluralize(count, 'judgment')} below grade 0, which counts as 0"
    return note("negative-grade", message, row=row, column=RELEVANCE.name)


def table_note(option: str, kind: str, message: str) -> Problem:
    """Return a note on the table that an option names."""
    return replace(note(kind, f"the table of {flag(option)}: {message}"), table=option)


def unjudged_query(ranking: Ranking, near_queries: Mapping[str, str]) -> Problem:
    """Return the problem of a query without judgments; one whose name is nearly the same is suggested."""
    ranked = pluralize(len(ranking.items), "item")
    message = f"query {ranking.query!r} has no relevant judgment, so that its ranking of {ranked} has no measure"
    # a query that was judged, and found nothing relevant, is no slip of the pen
    near = "" if ranking.query in near_queries.values() else near_queries.get(loosest_key(ranking.query), "")
    message += f"; did you mean {near!r}? {flag('match loose')} takes it so" if near else ""
    return unscored_row("no-judgments", message, row=ranking.first_row, column=QUERY.name)


class UnjudgedItem(NamedTuple):
    """An item that no judgment of its query names, and the judged one that may be meant."""

    query: str
    item: str
    near: str


def unjudged_items(query: str, items: Iterable[str], judged: QueryJudgments[str, str]) -> list[UnjudgedItem]:
    """Return items that no judgment names, each with the one that may be meant."""
    return [UnjudgedItem(query, item, judged.near_items.get(loosest_key(item), "")) for item in items]


def unjudged_note(lost: Sequence[UnjudgedItem], depth: int) -> Problem:
    """Return the note on all unjudged items of a system."""
    queries = len({each.query for each in lost})
    of = "1 query" if queries == 1 else f"{queries:,} queries"
    some = join_names(f"{each.query}: {each.item}" for each in lost)
    meant = [f"{each.near!r} for {each.item!r}" for each in lost if each.near]
    hint = f"; did you mean {join_names(meant)}? {flag('match loose')} takes them so" if meant else ""
    where = f"{pluralize(len(lost), 'item')} among the first {depth} of {of}"
    return note("unjudged-item", f"{where} never judged, taken as not relevant: {some}{hint}", column=ITEM.name)


def other_definition() -> Problem:
    """Return the note on judgments of TREC, whose own tool has other numbers."""
    message = (
        "the judgments come from TREC files; their tool ndeval defines alpha_DCG, alpha_nDCG and ERR_IA otherwise and "
        f"gives other values here: {flag(f'definition {NDEVAL}')} reproduces them"
    )
    return note("other-definition", message)


def missing_queries(missing: Sequence[str], judged: int, *, complete: bool) -> Problem:
    """Return a note on judged queries without a ranking."""
    option = flag("complete")
    done = f"counted as 0 ({option})" if complete else f"left out of the means ({option} counts them as 0)"
    message = f"{len(missing)} of {judged} judged queries have no ranking here: {join_names(missing)}; {done}"
    return note("missing-query", message, column=QUERY.name)


def undescribed_items(ranking: Ranking, lost: Sequence[str], descriptions: ItemDescriptions) -> Problem:
    """Return a note on the items of a query that have nothing to be compared by, at the row of the first."""
    some = join_names(lost)
    wanted = _GENRES if descriptions.compares_genres else _WANTED[descriptions.distance]
    message = f"query {ranking.query!r}: not in ILD and EILD for want of {wanted}: {some} ({len(lost)} in all)"
    message += did_you_mean(lost, descriptions.near_items)
    return note("no-features", message, row=ranking.row_of(lost[0]), column=ITEM.name)


def unused_inline_judgments() -> Problem:
    """Return the note on judgments beside the rankings, where references are the ones to score by."""
    message = "the column subtopics was not used: judgments come from the references"
    return note("in-line-judgments", message, column=SUBTOPICS.name)
