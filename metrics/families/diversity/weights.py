"""The tables of intents and targets: what a subtopic weighs, and what they name that no judgment does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.families.diversity.judgments import JudgmentsByQuery, QueryJudgments
from scoresheet.metrics.families.diversity.problems import table_note
from scoresheet.metrics.families.diversity.schema import SHARE, SUBTOPIC, WEIGHT, WEIGHTED_QUERY
from scoresheet.metrics.keys import did_you_mean, join_key, loose_keys
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.numbers import parse_weight
from scoresheet.metrics.problems import Noted, Problem, UsageError

if TYPE_CHECKING:
    import pandas as pd

INTENTS: Final = "intents"  # the options that name the tables
TARGETS: Final = "targets"
_COLUMNS: Final = {INTENTS: WEIGHT.name, TARGETS: SHARE.name}  # what holds the weights
_TOLERANCE: Final = 1e-6  # weights this near to 1 sum to 1

SubtopicWeights = dict[str | None, dict[str, float]]  # query (None for all) → subtopic → weight


def parse_weights(option: str, tables: Mapping[str, pd.DataFrame]) -> Noted[SubtopicWeights | None]:
    """Return the weights of a table; what is no weight stops the run, what does not sum to 1 is noted."""
    if option not in tables:
        return Noted(None)
    column = _COLUMNS[option]
    weights: SubtopicWeights = {}
    names = [WEIGHTED_QUERY.name, SUBTOPIC.name, column]
    for query, subtopic, cell in tables[option][names].itertuples(index=False, name=None):
        value = parse_weight(cell)
        if value is None:
            raise UsageError(
                f"{flag(option)}: the {column} of {subtopic!r} is {cell!r}; it must be a number of 0 or more"
            )
        if not subtopic.strip():
            raise UsageError(f"{flag(option)}: a row of query {query!r} has no subtopic; name it or remove the row")
        own = weights.setdefault(join_key(query) if query.strip() else None, {})
        own[join_key(subtopic)] = own.get(join_key(subtopic), 0.0) + value
    return Noted(weights, _scaled_weights(option, weights))


def _scaled_weights(option: str, weights: SubtopicWeights) -> tuple[Problem, ...]:
    scaled = []
    for query, own in weights.items():
        total = sum(own.values())
        if not total:
            of = f"query {query!r}" if query is not None else "all queries"
            raise UsageError(f"{flag(option)}: the weights of {of} are all 0; at least one subtopic must have some")
        if abs(total - 1) > _TOLERANCE:
            scaled.append(query if query is not None else "all queries")
    if not scaled:
        return ()
    message = (
        f"the weights of {len(scaled)} queries do not sum to 1 and were divided by their sum: {join_names(scaled)}"
    )
    return (table_note(option, "weights-normalised", message),)


def unmatched_weights(
    option: str,
    weights: SubtopicWeights | None,
    judgments: JudgmentsByQuery[str, str, str],
    catalogue: QueryJudgments[str, str] | None = None,
) -> tuple[Problem, ...]:
    """Return a note on queries that were never judged, and on subtopics that no judgment names.

    Without judgments, a catalogue has the genres of every query.
    """
    if not weights:
        return ()
    if catalogue is not None and not judgments.by_query:
        return _unknown_genres(option, weights, catalogue.subtopics)
    known = {query: set(judged.subtopics) for query, judged in judgments.by_query.items()}
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
        notes.append(table_note(option, "unmatched-weights", message))
    if lost:
        some = join_names(f"{query or 'all queries'}: {subtopic}" for query, subtopic in lost)
        hint = did_you_mean(dict.fromkeys(subtopic for _, subtopic in lost), loose_keys(anywhere))
        message = f"no judgment names {len(lost)} subtopics: {some}{hint}"
        notes.append(table_note(option, "unmatched-weights", message))
    return tuple(notes)


def _unknown_genres(option: str, weights: SubtopicWeights, genres: Sequence[str]) -> tuple[Problem, ...]:
    lost = list(dict.fromkeys(name for own in weights.values() for name in own if name not in genres))
    if not lost:
        return ()
    hint = did_you_mean(lost, loose_keys(genres))
    message = f"no item has {len(lost)} of the subtopics among its genres: {join_names(lost)}{hint}"
    return (table_note(option, "unmatched-weights", message),)


def unweighted_subtopics(
    queries: Mapping[str, QueryJudgments[str, str]], intents: SubtopicWeights | None
) -> tuple[Problem, ...]:
    """Return a note on judged subtopics that the intents pass over: ERR-IA does not see them."""
    lost = [
        f"{query}: {subtopic}"
        for query, judged in queries.items()
        if intents and (query in intents or None in intents)
        for subtopic, share in zip(judged.subtopics, judged.weights.tolist(), strict=True)
        if not share
    ]
    if not lost:
        return ()
    message = f"{len(lost)} subtopics have no weight here, so that ERR-IA does not count them: {join_names(lost)}"
    return (table_note(INTENTS, "no-weight", message),)
