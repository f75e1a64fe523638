"""Queries and items that find their judgments only if case, width, blanks, end marks and leading zeros are ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoresheet.metrics.families.diversity.context import DiversityContext
from scoresheet.metrics.families.diversity.rankings import Ranking
from scoresheet.metrics.families.diversity.schema import ITEM, QUERY
from scoresheet.metrics.keys import loosest_key, unambiguous_keys
from scoresheet.metrics.problems import Noted, Problem, note


def loosely_matched(rankings: Sequence[Ranking], context: DiversityContext) -> Noted[tuple[Ranking, ...]]:
    """Return the rankings with the queries and items that theirs were taken for, each listed.

    What could be two, or stands in the ranking beside what it would be taken for, is left as it is.
    """
    notes: list[Problem] = []
    described = unambiguous_keys(context.descriptions.items)
    queries = {ranking.query for ranking in rankings}
    matched = []
    for ranking in rankings:
        near = "" if ranking.query in context.judged_queries else _near(ranking.query, context.near_queries)
        if near and near not in queries:
            queries.add(near)
            notes.append(_match(ranking.query, near, ranking.first_row, QUERY.name))
            ranking = replace(ranking, query=near)  # noqa: PLW2901 - the same ranking
        matched.append(_with_items(ranking, context, described, notes))
    return Noted(tuple(matched), tuple(notes))


def _with_items(
    ranking: Ranking, context: DiversityContext, described: Mapping[str, str], notes: list[Problem]
) -> Ranking:
    judged = context.queries.get(ranking.query)
    known = judged.judged_items if judged else frozenset()
    near = judged.near_items if judged else {}
    items = list(ranking.items)
    there = set(items)
    for place, item in enumerate(ranking.items):
        if item in known or item in context.descriptions.items:
            continue
        other = _near(item, near) or _near(item, described)
        if other and other not in there:
            there.add(other)
            items[place] = other
            notes.append(_match(item, other, ranking.row_numbers[place], ITEM.name))
    return replace(ranking, items=tuple(items))


def _near(name: str, known: Mapping[str, str]) -> str:
    return known.get(loosest_key(name), "")


def _match(name: str, taken: str, row: int, column: str) -> Problem:
    return note("loose-match", f"{name!r} was taken for {taken!r}", row=row, column=column)
