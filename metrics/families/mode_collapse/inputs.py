"""The rows of a sheet as answers: where in the tree each stands, what was chosen there, and how often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple

from scoresheet.metrics.families.mode_collapse.matching import INCOMPLETE, normalize_answer
from scoresheet.metrics.families.mode_collapse.option_sets import ChoicesSeen, Path, path_of
from scoresheet.metrics.families.mode_collapse.schema import (
    CHOICE,
    CORRECTION,
    COUNT,
    FLAGGED,
    LEVEL,
    PARENT,
    RESPONSE,
    TRUE_MARKS,
)
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.messages import argument, flag
from scoresheet.metrics.numbers import parse_count
from scoresheet.metrics.problems import Noted, reject

_TRUE: Final = frozenset({*TRUE_MARKS, "1.0"})
_FALSE: Final = frozenset({"", "false", "no", "n", "f", "0", "0.0"})


class Location(NamedTuple):
    """Where in the tree a row says that it stands."""

    level: int | None  # None: not a whole number
    path: Path  # the choices that the parent names
    level_text: str
    parent_text: str


class Answer(NamedTuple):
    """What rows say that say the same: they are looked at once."""

    location: Location
    choice: str
    response: str
    correction: str  # '' where there is none, or where it does not count
    samples: int | None  # in each row; None: not a whole number
    samples_text: str
    rows: Sequence[int]  # that can be scored
    first_row: int  # of all that say this


@dataclass(frozen=True, kw_only=True)
class ChoiceSheet(ParsedSheet):
    """The choices of a sheet."""

    answers: tuple[Answer, ...]
    has_parents: bool
    has_responses: bool
    doubtful_marks: tuple[str, ...]  # beside a correction, and neither yes nor no
    choices_seen: ChoicesSeen = field(default_factory=dict)  # of a reduced sheet, in place of its answers

    def reduced(self) -> ChoiceSheet:
        """Return what was chosen in each cell; a choice with count 0 was seen too: it is declared."""
        seen: dict[tuple[int, Path], dict[str, int]] = {}
        for answer in self.answers:
            level, path = answer.location.level, answer.location.path
            if level is None or len(path) != level or answer.samples is None:
                continue  # it has no place in the tree, and declares nothing there
            text = (answer.correction or answer.choice).strip()
            if normalize_answer(text) not in ("", INCOMPLETE):
                texts = seen.setdefault((level, path), {})
                texts[text] = texts.get(text, 0) + len(answer.rows) * answer.samples
        return replace(self, answers=(), choices_seen=seen)


def parse_sheet(sheet: Sheet, *, referenced: bool) -> Noted[ChoiceSheet]:
    """Return the answers of a sheet; refused are sheets without a choice, and free text without options to find in it.

    What is wrong with single rows depends on the options, and is said when the rows are counted.
    """
    if {CHOICE.name, RESPONSE.name} <= sheet.absent:
        reject(
            "missing-column",
            "no column choice (or category) and no column response (or raw_response); name yours with "
            f"{flag('column choice=HEADER')}, or {flag('column response=HEADER')} if it is free text",
            effect="sheet skipped",
        )
    if RESPONSE.name not in sheet.absent and not referenced:
        reject(
            "needs-options",
            "free text (column response) can only be counted if the options are known; name a table with level, "
            f"option and aliases as {argument('CHOICE_TABLE')}, or give the bare choices, no sentences, in a column "
            "choice",
        )
    rows = _numbers_by_row(sheet)
    return Noted(
        ChoiceSheet(
            name=sheet.name,
            rows=len(sheet.frame),
            answers=tuple(_answers(sheet, rows)),
            has_parents=PARENT.name not in sheet.absent,
            has_responses=RESPONSE.name not in sheet.absent,
            doubtful_marks=tuple(_doubtful_marks(sheet, rows)),
        )
    )


class _Row(NamedTuple):
    """What the cells of a row say."""

    level: str
    parent: str
    choice: str
    response: str
    samples: str
    correction: str
    mark: str


def _numbers_by_row(sheet: Sheet) -> dict[_Row, list[int]]:
    """Return the rows that differ, each with the numbers of those that say the same."""
    columns = (LEVEL, PARENT, CHOICE, RESPONSE, COUNT, CORRECTION, FLAGGED)
    cells = {column: sheet.frame[column.name].tolist() for column in columns}
    if COUNT.name in sheet.absent:
        cells[COUNT] = ["1"] * len(sheet.frame)  # without counts a row is one sample
    # bare tuples at first: rows may be a million, and those that differ a few hundred
    numbers: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, row in zip(sheet.frame.index.tolist(), zip(*cells.values(), strict=True), strict=True):
        numbers[row].append(number)
    return {_Row._make(row): same for row, same in numbers.items()}


def _answers(sheet: Sheet, rows: Mapping[_Row, Sequence[int]]) -> Iterator[Answer]:
    """Yield what the rows say that can be scored."""
    location = lru_cache(maxsize=None)(_location)
    is_flagging = FLAGGED.name not in sheet.absent
    for row, numbers in rows.items():
        usable = [each for each in numbers if each not in sheet.unusable_rows] if sheet.unusable_rows else numbers
        if usable:
            counts = not is_flagging or row.mark.strip().casefold() in _TRUE
            yield Answer(
                location=location(row.level, row.parent),
                choice=row.choice,
                response=row.response,
                correction=row.correction if counts and row.correction.strip() else "",
                samples=parse_count(row.samples),
                samples_text=row.samples,
                rows=usable,
                first_row=numbers[0],
            )


def _location(level_text: str, parent_text: str) -> Location:
    level = parse_count(level_text)
    return Location(level, () if level is None else path_of(parent_text, level), level_text, parent_text)


def _doubtful_marks(sheet: Sheet, rows: Iterable[_Row]) -> list[str]:
    """Return the marks beside a correction that are neither yes nor no: a person may have meant yes."""
    if FLAGGED.name in sheet.absent:
        return []
    marks = {row.mark.strip() for row in rows if row.correction.strip()}
    return sorted(mark for mark in marks if mark.casefold() not in _TRUE | _FALSE)
