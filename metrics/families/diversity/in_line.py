"""What stands beside the rankings of a sheet: judgments and texts of items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from scoresheet.metrics.core import Joined
from scoresheet.metrics.families.diversity.judgments import LARGEST_GRADE
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import pluralize
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import InputError, Problem

SEPARATOR: Final = "|"  # between the subtopics of a cell


class Beside(NamedTuple):
    """A row that says of which query and item it is, and what it says of them."""

    row: int
    query: str
    item: str
    subtopics: tuple[str, ...]
    grade: float | None  # None: the cell is no number
    cell: str
    text: str


@dataclass(frozen=True)
class Survey:
    """What a sheet says in line."""

    judgments: tuple[tuple[str, str, str, float], ...]
    texts: frozenset[tuple[str, str]]  # item and text
    of_none: frozenset[tuple[str, str]]  # query and item that were judged relevant to no subtopic
    unusable: bool  # whether there is a grade that is no number


def survey_sheet(joined: Joined) -> Survey:
    """Return the judgments and texts that stand beside the rankings of a sheet."""
    rows = list(_beside(joined))
    return Survey(
        judgments=tuple(
            (each.query, subtopic, each.item, max(each.grade, 0.0))
            for each in rows
            if each.grade is not None
            for subtopic in each.subtopics
        ),
        texts=frozenset((each.item, each.text) for each in rows if each.text),
        of_none=frozenset((each.query, each.item) for each in rows if not each.subtopics)
        if "subtopics" not in joined.absent
        else frozenset(),
        unusable=any(each.subtopics and each.grade is None for each in rows),
    )


def too_large(grade: float, max_grade: float) -> str:
    """Return why a grade cannot be one, '' if it can; the largest that was named cuts whatever lies above it."""
    if max_grade or grade <= LARGEST_GRADE:
        return ""
    return (
        f"a grade of {grade:g} cannot be meant: grades are steps such as 0, 1, 2, 3; mend it, or name the largest "
        "with --max-grade"
    )


def refuse_large_grades(joined: Joined, max_grade: float) -> None:
    """Refuse the file of a sheet with a grade that cannot be meant: every other grade would count as nothing."""
    if max_grade or "subtopics" in joined.absent:
        return
    for each in _beside(joined):
        message = too_large(each.grade or 0.0, max_grade) if each.subtopics else ""
        if message:
            raise InputError(
                Problem(kind="bad-grade", message=message, effect="file skipped", row=each.row, column="relevance")
            )


def grade_problems(joined: Joined) -> list[Problem]:
    """Return the rows whose grade is no number, and a note on grades below 0."""
    if "subtopics" in joined.absent:
        return []
    rows = [each for each in _beside(joined) if each.subtopics]
    problems = [
        Problem(
            kind="bad-grade",
            message=f"the relevance is {each.cell!r}, not a number; the judgment is left out",
            effect="row not scored",
            row=each.row,
            column="relevance",
        )
        for each in rows
        if each.grade is None
    ]
    negative = [each for each in rows if each.grade is not None and each.grade < 0]
    if negative:
        problems.append(negative_grades(sum(len(each.subtopics) for each in negative), row=negative[0].row))
    return problems


def negative_grades(count: int, row: int | None = None) -> Problem:
    """Return the note on judgments below 0."""
    message = f"{pluralize(count, 'judgment')} below grade 0, which counts as 0"
    return Problem(kind="negative-grade", message=message, effect="note", row=row, column="relevance")


def _beside(joined: Joined) -> Iterator[Beside]:
    frame = joined.sheet.frame
    names = ["query", "item", "subtopics", "relevance", "text"]
    cells = zip(frame.index.tolist(), *(frame[name].tolist() for name in names), strict=True)
    for row, query, item, subtopics, relevance, text in cells:
        if row not in joined.unsound and query.strip() and item.strip():
            yield Beside(
                row,
                join_key(query),
                join_key(item),
                tuple(join_key(name) for name in subtopics.split(SEPARATOR) if name.strip()),
                parse_float(relevance) if relevance.strip() else 1.0,
                relevance,
                text.strip(),
            )
