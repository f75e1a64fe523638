"""What a run is given besides rankings, made ready: judgments from references or in line, weights, item features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.core import ROW, SHEET, SOURCE, Given
from scoresheet.metrics.families.diversity.features import features_of
from scoresheet.metrics.families.diversity.in_line import Survey, negative_grades, too_large
from scoresheet.metrics.families.diversity.judgments import Judgment, Judgments, Topic, topics
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.weights import unmatched, unweighted, weights_of
from scoresheet.metrics.keys import join_key, loose_keys
from scoresheet.metrics.messages import pluralize
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import NoUsableInput, Problem, UsageError
from scoresheet.metrics.text.tfidf import Tfidf
from scoresheet.metrics.text.word_tokenizer import lower_words


@dataclass
class Ready:
    """Everything that scoring a sheet needs."""

    topics: dict[str, Topic] = field(default_factory=dict)
    judged: bool = False  # whether there are any judgments
    in_line: bool = False
    top: float = 0.0  # the max of (2^g - 1)/2^max; 0: grades are probabilities
    loose: Mapping[str, str] = field(default_factory=dict)  # judged queries, for suggestions
    of_none: Mapping[str, set[str]] = field(default_factory=dict)  # query → items judged in line, relevant to nothing
    distance: str = "subtopics"
    features: tuple[str, ...] = ()  # columns of the table
    vectors: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)  # item → features
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)  # item → words of the table's text
    tfidf: Tfidf | None = None
    described: Mapping[str, str] = field(default_factory=dict)  # items of the table of features, for suggestions


def prepared(given: Given, options: DiversityOptions) -> tuple[Ready, list[Problem]]:
    """Return the topics of the run and the distances between items, and what was wrong with what was given."""
    judgments, problems = _judgments(given, options)
    problems += _conflicts(judgments)
    problems += _cut(judgments, options.max_grade)
    intents, scaled = weights_of("intents", given.tables)
    targets, scaled_too = weights_of("targets", given.tables)
    problems += scaled + scaled_too
    for option, weights in (("intents", intents), ("targets", targets)):
        problems += unmatched(option, weights or {}, judgments)
    ready = Ready(
        topics=topics(
            judgments,
            max_grade=options.max_grade,
            intents=intents,
            targets=targets,
            declare=options.definition == "seed",
        ),
        judged=bool(judgments.by_query),
        in_line=not len(given.references),
        top=judgments.top(options.max_grade),
        loose=loose_keys(judgments.by_query),
        of_none=_of_none(given.surveys),
    )
    problems += unweighted(ready.topics, intents)
    problems += _add_distances(ready, given, options)
    said = [survey for survey in given.surveys if survey.judgments or survey.unusable]
    if given.surveys and not said and not ready.judged and ready.distance == "subtopics":
        raise UsageError(
            "there is nothing to measure by: name judgments as REFERENCES, put them beside the rankings (subtopics, "
            "relevance), or name item features with --features"
        )
    return ready, problems


def _judgments(given: Given, options: DiversityOptions) -> tuple[Judgments, list[Problem]]:
    """Return the judgments of the references, or else those in line."""
    judgments = Judgments()
    if not len(given.references):
        for survey in given.surveys:
            judgments.add(survey.judgments)
        return judgments, []
    usable, problems = _from_references(given.references, options.max_grade)
    if not usable:
        raise NoUsableInput(problems)
    judgments.add(usable)
    return judgments, problems


def _from_references(table: pd.DataFrame, max_grade: float) -> tuple[list[Judgment], list[Problem]]:
    """Return the judgments of the references; a grade that cannot be meant costs its file."""
    bad: list[Problem] = []
    refused: dict[str, Problem] = {}  # by file
    usable: list[tuple[str, Judgment]] = []
    names = ["query", "subtopic", "item", "relevance", SOURCE, SHEET, ROW]
    for query, subtopic, item, relevance, file, sheet, row in table[names].itertuples(index=False, name=None):
        grade = parse_float(relevance) if relevance.strip() else 1.0
        if grade is None or not item.strip() or not subtopic.strip():
            kind, column = ("bad-grade", "relevance") if grade is None else ("empty-key", "item")
            what = (
                f"the relevance of {item!r} is {relevance!r}, not a number" if grade is None else "no item or subtopic"
            )
            message = f"{what} (query {query!r})"
            bad.append(
                Problem(
                    kind=kind, message=message, effect="row not scored", file=file, sheet=sheet, row=row, column=column
                )
            )
            continue
        large = too_large(grade, max_grade)
        if large and file not in refused:
            refused[file] = Problem(
                kind="bad-grade",
                message=large,
                effect="file skipped",
                file=file,
                sheet=sheet,
                row=row,
                column="relevance",
            )
        usable.append((file, (join_key(query), join_key(subtopic), join_key(item), grade)))
    kept = [judgment for file, judgment in usable if file not in refused] if refused else [each[1] for each in usable]
    problems = [*refused.values(), *(problem for problem in bad if problem.file not in refused)]
    negative = sum(judgment[3] < 0 for judgment in kept)
    if negative:
        problems.append(negative_grades(negative))
        kept = [(query, subtopic, item, max(grade, 0.0)) for query, subtopic, item, grade in kept]
    return kept, problems


def _conflicts(judgments: Judgments) -> list[Problem]:
    differing = judgments.conflicts()
    if not differing:
        return []
    message = f"{differing} judgments differ from another of the same item and subtopic; the larger counts"
    return [Problem(kind="conflicting-judgments", message=message, effect="note")]


def _cut(judgments: Judgments, max_grade: float) -> list[Problem]:
    """Return a note on grades above the largest that was named."""
    largest = judgments.largest()
    if not max_grade or largest <= max_grade:
        return []
    above = {each[:3] for judged in judgments.by_query.values() for each in judged if each[3] > max_grade}
    message = (
        f"{pluralize(len(above), 'judgment')} above --max-grade {max_grade:g}, the largest of them {largest:g}; "
        "relevance is never above 1"
    )
    return [Problem(kind="large-grade", message=message, effect="note", column="relevance")]


def _of_none(surveys: Sequence[Survey]) -> dict[str, set[str]]:
    items: dict[str, set[str]] = {}
    for survey in surveys:
        for query, item in survey.of_none:
            items.setdefault(query, set()).add(item)
    return items


def _add_distances(ready: Ready, given: Given, options: DiversityOptions) -> list[Problem]:
    """Find out what distances are made of, and get that ready."""
    found = features_of(given.tables.get("features"), options.distance)
    ready.distance = options.distance
    if options.distance == "auto":
        ready.distance = "features" if found.columns else "subtopics"
    if ready.distance == "features":
        ready.features, ready.vectors = found.columns, found.vectors
        ready.described = loose_keys(found.vectors)
    elif ready.distance == "text":
        beside = {text for survey in given.surveys for item, text in survey.texts if item not in found.texts}
        if not beside and not found.texts:
            raise UsageError(
                "--distance text needs texts: a column text beside the rankings, or in the --features table"
            )
        ready.described = loose_keys(found.texts)
        ready.words = {item: lower_words(text) for item, text in found.texts.items()}
        # a text counts once however many rows have it, so that neither their order nor their number matters
        ready.tfidf = Tfidf(map(lower_words, beside.union(found.texts.values())))
    return found.problems
