"""The tables of --intents and --targets: what a subtopic weighs, and what they name that no judgment does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from scoresheet.metrics.families.diversity.judgments import Judgments, Topic
from scoresheet.metrics.keys import did_you_mean, join_key, loose_keys
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.numbers import parse_weight
from scoresheet.metrics.problems import Problem, UsageError

COLUMNS: Final = {"intents": "weight", "targets": "share"}  # by option: what holds the weights
_SUM: Final = 1e-6  # weights this near to 1 sum to 1

Weights = dict[str | None, dict[str, float]]  # query (None for all) → subtopic → weight


def weights_of(option: str, tables: Mapping[str, pd.DataFrame]) -> tuple[Weights | None, list[Problem]]:
    """Return the weights of a table; what is no weight stops the run, what does not sum to 1 is noted."""
    if option not in tables:
        return None, []
    column = COLUMNS[option]
    weights: Weights = {}
    for query, subtopic, cell in tables[option][["query", "subtopic", column]].itertuples(index=False, name=None):
        value = parse_weight(cell)
        if value is None:
            raise UsageError(f"--{option}: the {column} of {subtopic!r} is {cell!r}; it must be a number of 0 or more")
        if not subtopic.strip():
            raise UsageError(f"--{option}: a row of query {query!r} has no subtopic; name it or remove the row")
        own = weights.setdefault(join_key(query) if query.strip() else None, {})
        own[join_key(subtopic)] = own.get(join_key(subtopic), 0.0) + value
    return weights, _sums(option, weights)


def _sums(option: str, weights: Weights) -> list[Problem]:
    scaled = []
    for query, own in weights.items():
        total = sum(own.values())
        if not total:
            of = f"query {query!r}" if query is not None else "all queries"
            raise UsageError(f"--{option}: the weights of {of} are all 0; at least one subtopic must have some")
        if abs(total - 1) > _SUM:
            scaled.append(str(query) if query is not None else "all queries")
    if not scaled:
        return []
    message = (
        f"the weights of {len(scaled)} queries do not sum to 1 and were divided by their sum: {join_names(scaled)}"
    )
    return [_note("weights-normalised", option, message)]


def unmatched(option: str, weights: Weights, judgments: Judgments) -> list[Problem]:
    """Return a note on queries that were never judged, and on subtopics that no judgment names."""
    known = {query: {judgment[1] for judgment in judged} for query, judged in judgments.by_query.items()}
    anywhere = {subtopic for subtopics in known.values() for subtopic in subtopics}
    queries = [query for query in weights if query is not None and query not in known]
    lost = [
        (query, subtopic)
        for query, own in weights.items()
        if query is None or query in known
        for subtopic in own
        if subtopic not in (anywhere if query is None else known[query])
    ]
    notes = []
    if queries:
        hint = did_you_mean(queries, loose_keys(known))
        message = f"{len(queries)} queries were never judged: {join_names(queries)}{hint}"
        notes.append(_note("unmatched-weights", option, message))
    if lost:
        some = join_names(f"{query or 'all queries'}: {subtopic}" for query, subtopic in lost)
        hint = did_you_mean(dict.fromkeys(subtopic for _, subtopic in lost), loose_keys(anywhere))
        message = f"no judgment names {len(lost)} subtopics: {some}{hint}"
        notes.append(_note("unmatched-weights", option, message))
    return notes


def unweighted(topics: Mapping[str, Topic], intents: Weights | None) -> list[Problem]:
    """Return a note on judged subtopics that the intents pass over: ERR-IA does not see them."""
    lost = [
        f"{query}: {subtopic}"
        for query, topic in topics.items()
        if intents and (query in intents or None in intents)
        for subtopic, share in zip(topic.subtopics, topic.weights.tolist(), strict=True)
        if not share
    ]
    if not lost:
        return []
    message = f"{len(lost)} subtopics have no weight here, so that ERR-IA does not count them: {join_names(lost)}"
    return [_note("no-weight", "intents", message)]


def _note(kind: str, option: str, message: str) -> Problem:
    return Problem(kind=kind, message=f"the table of --{option}: {message}", effect="note", table=option)
