"""What scoring a sheet says of queries and items that it could not use as they stand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from scoresheet.metrics.families.diversity.judgments import Topic
from scoresheet.metrics.families.diversity.rankings import Ranking
from scoresheet.metrics.keys import did_you_mean
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.problems import Problem

_WANTED = {"features": "features", "text": "a text", "subtopics": "a subtopic they are relevant to"}


def unjudged_query(ranking: Ranking, loose: Mapping[str, str]) -> Problem:
    """Return the problem of a query without judgments; one whose name is nearly the same is suggested."""
    ranked = pluralize(len(ranking.items), "item")
    message = f"query {ranking.query!r} has no relevant judgment, so that its ranking of {ranked} has no measure"
    # a query that was judged, and found nothing relevant, is no slip of the pen
    known = {} if ranking.query in loose.values() else loose
    message += did_you_mean([ranking.query], known)
    return Problem(kind="no-judgments", message=message, effect="row not scored", row=ranking.first_row, column="query")


def unjudged_items(ranking: Ranking, topic: Topic, of_none: Collection[str]) -> Problem | None:
    """Return a note on the items that no judgment names, at the row of the first."""
    lost = [item for item in ranking.items if item not in topic.judged and item not in of_none]
    if not lost:
        return None
    hint = did_you_mean(lost, topic.loose)
    unjudged = f"{pluralize(len(lost), 'item')} never judged, taken as not relevant: {join_names(lost)}"
    message = f"query {ranking.query!r}: {unjudged}"
    row = _row_of(ranking, lost[0])
    return Problem(kind="unjudged-item", message=message + hint, effect="note", row=row, column="item")


def missing_queries(missing: Sequence[str], judged: int, *, complete: bool) -> Problem:
    """Return a note on judged queries without a ranking."""
    some = join_names(missing)
    done = "counted as 0 (--complete)" if complete else "left out of the means (--complete counts them as 0)"
    message = f"{len(missing)} of {judged} judged queries have no ranking here: {some}; {done}"
    return Problem(kind="missing-query", message=message, effect="note", column="query")


def lost_items(ranking: Ranking, lost: Sequence[str], distance: str, loose: Mapping[str, str]) -> Problem:
    """Return a note on the items of a query that have nothing to be compared by, at the row of the first."""
    some = join_names(lost)
    message = (
        f"query {ranking.query!r}: not in ILD and EILD for want of {_WANTED[distance]}: {some} ({len(lost)} in all)"
    )
    row = _row_of(ranking, lost[0])
    return Problem(
        kind="no-features", message=message + did_you_mean(lost, loose), effect="note", row=row, column="item"
    )


def _row_of(ranking: Ranking, item: str) -> int:
    return ranking.numbers[ranking.items.index(item)]
