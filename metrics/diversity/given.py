"""What a run is given besides rankings: judgments from references or in line, intents, targets, item features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.core import ROW, SHEET, SOURCE, Given, Joined
from scoresheet.metrics.diversity.judgments import Judgments, Topic, topics
from scoresheet.metrics.diversity.options import DiversityOptions
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.numbers import real_number, weight
from scoresheet.metrics.problems import Misuse, Problem
from scoresheet.metrics.tfidf import Tfidf
from scoresheet.metrics.wording import listed
from scoresheet.metrics.words import lower_words

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

SEPARATOR: Final = "|"  # between the subtopics of a cell
_SUM: Final = 1e-6  # weights this near to 1 sum to 1

Weights = dict[str | None, dict[str, float]]  # query (None for all) → subtopic → weight


@dataclass
class Ready:
    """Everything that scoring a sheet needs."""

    topics: dict[str, Topic] = field(default_factory=dict)
    judged: bool = False  # whether there are any judgments
    in_line: bool = False
    distance: str = "subtopics"
    vectors: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # item → features
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)  # item → words of its text
    tfidf: Tfidf | None = None


@dataclass(frozen=True)
class Survey:
    """What a sheet says in line: judgments, and texts of items."""

    judgments: tuple[tuple[str, str, str, float], ...]
    texts: Mapping[str, str]


def survey_sheet(joined: Joined) -> Survey:
    """Return the judgments and texts that stand beside the rankings of a sheet."""
    frame = joined.sheet.frame
    judgments: list[tuple[str, str, str, float]] = []
    texts: dict[str, str] = {}
    names = ["query", "item", "subtopics", "relevance", "text"]
    for row, query, item, subtopics, relevance, text in zip(frame.index, *(frame[name] for name in names), strict=True):
        if row in joined.unsound or not query.strip() or not item.strip():
            continue
        if text.strip():
            texts.setdefault(join_key(item), text)
        grade = real_number(relevance) if relevance.strip() else 1.0
        if grade is not None:
            judgments += [
                (join_key(query), join_key(subtopic), join_key(item), max(grade, 0.0))
                for subtopic in subtopics.split(SEPARATOR)
                if subtopic.strip()
            ]
    return Survey(tuple(judgments), texts)


def prepared(given: Given, options: DiversityOptions) -> tuple[Ready, list[Problem]]:
    """Return the topics of the run and the distances between items, and what was wrong with what was given."""
    problems: list[Problem] = []
    judgments = Judgments()
    if len(given.references):
        problems += _from_references(judgments, given.references)
    else:
        for survey in given.surveys:
            judgments.add(survey.judgments)
    problems += _conflicts(judgments)
    intents = _weights(given.tables.get("intents"), "weight", "--intents", problems)
    targets = _weights(given.tables.get("targets"), "share", "--targets", problems)
    for option, weights in (("--intents", intents), ("--targets", targets)):
        problems += _unmatched(option, weights or {}, judgments)
    try:
        judged = topics(judgments, max_grade=options.max_grade, intents=intents, targets=targets)
    except ValueError as error:
        raise Misuse(f"the judgments: {error}") from None
    ready = Ready(
        topics=judged,
        judged=bool(judgments.by_query),
        in_line=not len(given.references),
    )
    problems += _unweighted(ready, intents)
    _add_features(ready, given, options)
    problems += _repeated_features(given.tables.get("features"))
    if not ready.judged and ready.distance == "subtopics":
        raise Misuse(
            "there is nothing to measure by: name judgments as REFERENCES, put them beside the rankings (subtopics, "
            "relevance), or name item features with --features"
        )
    return ready, problems


def _from_references(judgments: Judgments, table: pd.DataFrame) -> list[Problem]:
    bad: list[Problem] = []
    negative = 0
    usable = []
    names = ["query", "subtopic", "item", "relevance", SOURCE, SHEET, ROW]
    for query, subtopic, item, relevance, *stood in table[names].itertuples(index=False, name=None):
        grade = real_number(relevance) if relevance.strip() else 1.0
        if grade is None or not item.strip() or not subtopic.strip():
            kind, column = ("bad-grade", "relevance") if grade is None else ("empty-key", "item")
            what = (
                f"the relevance of {item!r} is {relevance!r}, not a number" if grade is None else "no item or subtopic"
            )
            message = f"{what} (query {query!r})"
            file, sheet, row = stood
            bad.append(
                Problem(
                    kind=kind, message=message, effect="row not scored", file=file, sheet=sheet, row=row, column=column
                )
            )
            continue
        negative += grade < 0
        usable.append((join_key(query), join_key(subtopic), join_key(item), max(grade, 0.0)))
    judgments.add(usable)
    if negative:
        message = f"{negative} judgments have a negative grade, which counts as 0"
        bad.append(Problem(kind="negative-grade", message=message, effect="note"))
    return bad


def _conflicts(judgments: Judgments) -> list[Problem]:
    differing = judgments.conflicts()
    if not differing:
        return []
    message = f"{differing} judgments differ from another of the same item and subtopic; the larger counts"
    return [Problem(kind="conflicting-judgments", message=message, effect="note")]


def _weights(table: pd.DataFrame | None, column: str, option: str, problems: list[Problem]) -> Weights | None:
    """Return the weights of a table; what is no weight stops the run, what does not sum to 1 is noted."""
    if table is None:
        return None
    weights: Weights = {}
    for query, subtopic, cell in table[["query", "subtopic", column]].itertuples(index=False, name=None):
        value = weight(cell)
        if value is None:
            raise Misuse(f"{option}: the {column} of {subtopic!r} is {cell!r}; it must be a number of 0 or more")
        if not subtopic.strip():
            raise Misuse(f"{option}: a row of query {query!r} has no subtopic; name it or remove the row")
        own = weights.setdefault(join_key(query) if query.strip() else None, {})
        own[join_key(subtopic)] = own.get(join_key(subtopic), 0.0) + value
    scaled = []
    for query, own in weights.items():
        total = sum(own.values())
        if not total:
            of = f"query {query!r}" if query is not None else "all queries"
            raise Misuse(f"{option}: the weights of {of} are all 0; at least one subtopic must have some")
        if abs(total - 1) > _SUM:
            scaled.append(str(query) if query is not None else "all queries")
    if scaled:
        some = listed(scaled)
        message = (
            f"{option}: the weights of {len(scaled)} queries do not sum to 1 and were divided by their sum: {some}"
        )
        problems.append(Problem(kind="weights-normalised", message=message, effect="note"))
    return weights


def _unmatched(option: str, weights: Weights, judgments: Judgments) -> list[Problem]:
    """Return a note on queries that were never judged, and on subtopics that no judgment names."""
    known = {query: {judgment[1] for judgment in judged} for query, judged in judgments.by_query.items()}
    anywhere = {subtopic for subtopics in known.values() for subtopic in subtopics}
    queries = [query for query in weights if query is not None and query not in known]
    subtopics = [
        f"{query or 'all queries'}: {subtopic}"
        for query, own in weights.items()
        if query is None or query in known
        for subtopic in own
        if subtopic not in (anywhere if query is None else known[query])
    ]
    notes = []
    for names, what in ((queries, "queries that were never judged"), (subtopics, "subtopics that no judgment names")):
        if names:
            some = listed(names)
            message = f"the table of {option} has {len(names)} {what}: {some}"
            notes.append(Problem(kind="unmatched-weights", message=message, effect="note"))
    return notes


def _unweighted(ready: Ready, intents: Weights | None) -> list[Problem]:
    """Return a note on judged subtopics that the intents pass over: ERR-IA does not see them."""
    lost = [
        f"{query}: {subtopic}"
        for query, topic in ready.topics.items()
        if intents and (query in intents or None in intents)
        for subtopic, share in zip(topic.subtopics, topic.weights.tolist(), strict=True)
        if not share
    ]
    if not lost:
        return []
    some = listed(lost)
    message = (
        f"{len(lost)} subtopics have no weight in the table of --intents, so that ERR-IA does not count them: {some}"
    )
    return [Problem(kind="no-weight", message=message, effect="note")]


def _add_features(ready: Ready, given: Given, options: DiversityOptions) -> None:
    """Find out what distances are made of, and get that ready."""
    table = given.tables.get("features")
    columns = _number_columns(table) if table is not None else []
    texts = {item: text for survey in given.surveys for item, text in survey.texts.items()}
    if table is not None and table["text"].str.strip().any():
        texts = {join_key(item): text for item, text in zip(table["item"], table["text"], strict=True) if text.strip()}
    ready.distance = options.distance
    if options.distance == "auto":
        ready.distance = "features" if columns else "subtopics"
    if ready.distance == "features":
        ready.vectors = _vectors(table, columns)
    elif ready.distance == "text":
        if not texts:
            raise Misuse("--distance text needs texts: a column text beside the rankings, or in the --features table")
        ready.words = {item: lower_words(text) for item, text in texts.items()}
        ready.tfidf = Tfidf(ready.words.values())


def _repeated_features(table: pd.DataFrame | None) -> list[Problem]:
    if table is None:
        return []
    counted = Counter(map(join_key, table["item"]))
    twice = [item for item, times in counted.items() if times > 1]
    if not twice:
        return []
    some = listed(twice)
    message = (
        f"items that stand twice in the table of --features, where the last row counts: {some} ({len(twice)} in all)"
    )
    return [Problem(kind="repeated-item", message=message, effect="note", column="item")]


def _number_columns(table: pd.DataFrame) -> list[str]:
    others = [name for name in table.columns if name not in ("item", "text", SOURCE, SHEET, ROW)]
    filled = {name: [cell for cell in table[name] if cell.strip()] for name in others}
    return [name for name, cells in filled.items() if cells and all(real_number(cell) is not None for cell in cells)]


def _vectors(table: pd.DataFrame | None, columns: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Return the features of each item; a row with a cell that is no number has none."""
    import numpy as np

    if table is None or not columns:
        raise Misuse("--distance features needs columns of numbers in the --features table")
    vectors = {}
    for item, *cells in table[["item", *columns]].itertuples(index=False, name=None):
        values = [real_number(cell) for cell in cells]
        if None not in values:
            vectors[join_key(item)] = np.array(values, dtype=float)
    return vectors
