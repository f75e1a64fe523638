"""What stands beside the rankings of a sheet: judgments and texts of items, read once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoresheet.metrics.families.diversity.constants import UNWRITTEN_GRADE
from scoresheet.metrics.families.diversity.judgments import Judgment
from scoresheet.metrics.families.diversity.names import names_in, unsplit_names
from scoresheet.metrics.families.diversity.problems import large_grade_reason, negative_grades
from scoresheet.metrics.families.diversity.schema import GENRES, ITEM, QUERY, RELEVANCE, SUBTOPICS, TEXT
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import InputError, Problem, note, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.tables import shown_rows, text_cells


@dataclass(frozen=True)
class InlineJudgments:
    """What a sheet says of items beside their ranks."""

    judgments: tuple[Judgment[str, str, str], ...] = ()
    texts: frozenset[tuple[str, str]] = frozenset()  # item and text
    genres: frozenset[tuple[str, tuple[str, ...]]] = frozenset()  # item and what it is
    judged_nonrelevant: frozenset[tuple[str, str]] = frozenset()  # query and item that no subtopic has
    bad_grades: tuple[Problem, ...] = ()  # of rows whose grade is no number, or whose subtopics are no names
    notes: tuple[Problem, ...] = ()

    @property
    def is_judged(self) -> bool:
        """Whether anybody judged anything, perhaps in a way that cannot be used."""
        return bool(self.judgments or self.bad_grades)


class _InlineRow(NamedTuple):
    row: int
    query: str
    item: str
    subtopics: tuple[str, ...]
    genres: tuple[str, ...]
    grade: float | None  # None: the cell is no number
    cell: str
    text: str


def inline_judgments(sheet: Sheet, *, are_used: bool, max_grade: float, separator: str = "") -> InlineJudgments:
    """Return the judgments and texts beside the rankings of a sheet.

    Where they `are_used` to score by, grades are checked: if the largest cannot be meant, every other
    would count as nothing, and the file is refused.
    """
    rows = list(_rows(sheet, separator))
    judged = [row for row in rows if row.subtopics]
    if are_used:
        _refuse_large_grades(judged, max_grade)
    return InlineJudgments(
        judgments=tuple(
            (row.query, subtopic, row.item, max(row.grade, 0.0))
            for row in judged
            if row.grade is not None
            for subtopic in row.subtopics
        ),
        texts=frozenset((row.item, row.text) for row in rows if row.text),
        genres=frozenset((row.item, row.genres) for row in rows if row.genres),
        judged_nonrelevant=frozenset()
        if SUBTOPICS.name in sheet.absent
        else frozenset((row.query, row.item) for row in rows if not row.subtopics),
        bad_grades=(*(_bad_grade(row) for row in judged if row.grade is None), *_unnamed_subtopics(sheet)),
        notes=(*_negative_grades(judged), *_unsplit(sheet, separator)),
    )


def _refuse_large_grades(judged: Sequence[_InlineRow], max_grade: float) -> None:
    for row in judged:
        message = large_grade_reason(row.grade or 0.0, max_grade)
        if message:
            raise InputError(
                Problem(kind="bad-grade", message=message, effect="file skipped", row=row.row, column=RELEVANCE.name)
            )


def _bad_grade(row: _InlineRow) -> Problem:
    message = f"the relevance is {row.cell!r}, not a number; the judgment is left out"
    return unscored_row("bad-grade", message, row=row.row, column=RELEVANCE.name)


def _unnamed_subtopics(sheet: Sheet) -> tuple[Problem, ...]:
    """Return the rows whose subtopics are a list of something else than names."""
    cells = zip(shown_rows(sheet.table), text_cells(sheet.table, SUBTOPICS.name), strict=True)
    message = "the subtopics are no list of names; the judgment is left out"
    return tuple(
        unscored_row("nested-cell", message, row=row, column=SUBTOPICS.name)
        for row, cell in cells
        if cell.lstrip().startswith("[") and row not in sheet.unusable_rows and names_in(cell) is None
    )


def _negative_grades(judged: Sequence[_InlineRow]) -> tuple[Problem, ...]:
    negative = [row for row in judged if row.grade is not None and row.grade < 0]
    if not negative:
        return ()
    return (negative_grades(sum(len(row.subtopics) for row in negative), row=negative[0].row),)


def _unsplit(sheet: Sheet, separator: str) -> tuple[Problem, ...]:
    """Return notes on subtopics or genres that seem to be listed by another sign than the one they were split at."""
    said = {
        name: unsplit_names(name, list(text_cells(sheet.table, name)), separator)
        for name in (SUBTOPICS.name, GENRES.name)
    }
    return tuple(note("unsplit-names", message, column=name) for name, message in said.items() if message)


def _rows(sheet: Sheet, separator: str) -> Iterator[_InlineRow]:
    """Yield the rows that say of which query and item they are."""
    table = sheet.table
    names = (QUERY.name, ITEM.name, SUBTOPICS.name, GENRES.name, RELEVANCE.name, TEXT.name)
    cells = zip(shown_rows(table), *(text_cells(table, name) for name in names), strict=True)
    for row, query, item, subtopics, genres, relevance, text in cells:
        if row not in sheet.unusable_rows and query.strip() and item.strip():
            yield _InlineRow(
                row,
                join_key(query),
                join_key(item),
                names_in(subtopics, separator) or (),
                names_in(genres, separator) or (),
                parse_float(relevance) if relevance.strip() else UNWRITTEN_GRADE,
                relevance,
                text.strip(),
            )
