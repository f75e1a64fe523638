"""The rows of a sheet as answers: where in the tree each stands, what was chosen there, and how often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from shlex import quote
from typing import Final, NamedTuple

from scoresheet.metrics.families.mode_collapse.count_columns import stand_in_count
from scoresheet.metrics.families.mode_collapse.extraction import Extracted, extract_answer
from scoresheet.metrics.families.mode_collapse.matching import INCOMPLETE, declines, normalize_answer
from scoresheet.metrics.families.mode_collapse.option_sets import ARROW, ChoicesSeen, Path, path_of
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions, walk_columns
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
from scoresheet.metrics.families.mode_collapse.walks import steps_of, walk_cells
from scoresheet.metrics.family import ParsedSheet, Sheet
from scoresheet.metrics.keys import is_default_sheet_name
from scoresheet.metrics.messages import argument, flag, join_names, pluralize
from scoresheet.metrics.numbers import parse_count
from scoresheet.metrics.problems import Noted, note, reject
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import InputColumn
from scoresheet.metrics.tables import shown_rows, text_cells

_TRUE: Final = frozenset({*TRUE_MARKS, "1.0"})
_ONE_SAMPLE: Final = "1"  # what a row stands for that has no count
_FALSE: Final = frozenset({"", "false", "no", "n", "f", "0", "0.0"})


class Location(NamedTuple):
    """Where in the tree a row says that it stands."""

    level: int | None  # None: not a whole number
    path: Path  # the choices that the parent names
    level_text: str
    parent_text: str
    is_walk: bool = False  # whether the path holds what was answered above, and not names of options


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
    lost: str = ""  # the kind of problem if the text has no answer in it


@dataclass(frozen=True, kw_only=True)
class ChoiceSheet(ParsedSheet):
    """The choices of a sheet."""

    answers: tuple[Answer, ...]
    has_parents: bool
    has_responses: bool
    doubtful_marks: tuple[str, ...]  # beside a correction, and neither yes nor no
    has_levels: bool = True
    reasoned: int = 0  # rows whose reasoning was dropped
    choices_seen: ChoicesSeen = field(default_factory=dict)  # of a reduced sheet, in place of its answers

    def reduced(self) -> ChoiceSheet:
        """Return what was chosen in each cell; a choice with count 0 was seen too: it is declared."""
        seen: dict[tuple[int, Path], dict[str, int]] = {}
        for answer in self.answers:
            level, path = answer.location.level, answer.location.path
            if level is None or len(path) != level or answer.samples is None:
                continue  # it has no place in the tree, and declares nothing there
            text = (answer.correction or ("" if answer.lost else answer.choice)).strip()
            if normalize_answer(text) not in ("", INCOMPLETE) and not declines(text):
                texts = seen.setdefault((level, path), {})
                texts[text] = texts.get(text, 0) + len(answer.rows) * answer.samples
        return replace(self, answers=(), choices_seen=seen)


def parse_sheet(sheet: Sheet, options: ModeCollapseOptions, *, referenced: bool) -> Noted[ChoiceSheet]:
    """Return the answers of a sheet; refused are sheets without a choice, and free text without options to find in it.

    What is wrong with single rows depends on the options, and is said when the rows are counted.
    """
    columns = walk_columns(options.tree)
    if columns:
        return _parsed_walks(sheet, columns, options)
    is_declared = referenced or bool(options.options)
    has_choices, has_responses = CHOICE.name not in sheet.absent, _has_responses(sheet, is_declared=is_declared)
    if not has_choices and not has_responses:
        reject(
            "missing-column",
            f"no column choice (or {', '.join(CHOICE.aliases)}) and no column response (or "
            f"{', '.join((*RESPONSE.aliases, *RESPONSE.fallbacks))}); the header has "
            f"{join_names(sheet.headers, most=12)}; name yours with {flag('column choice=HEADER')}, or "
            f"{flag('column response=HEADER')} if it is free text" + _or_leave_out(sheet.name),
            effect="sheet skipped",
        )
    if has_responses and not is_declared:
        header = sheet.header(RESPONSE.name)
        reject(
            "needs-options",
            f"free text (column {header}) can only be counted if the options are known; list them with "
            f"{flag('options A,B,C')}, or name a table or a list of them as {argument('CHOICE_TABLE')}; if the column "
            f"has the bare choices and no sentences, say so with {flag(f'column choice={header}')}",
        )
    extract = _extractor(options.extract)
    cells = _cells(sheet, has_responses=has_responses)
    counted, notes = stand_in_count(sheet, [cells[column] for column in (LEVEL, PARENT, CHOICE, RESPONSE)])
    if counted:
        cells[COUNT] = text_cells(sheet.table, counted)
    rows = _numbers_by_row(sheet, cells)
    return Noted(
        ChoiceSheet(
            name=sheet.name,
            rows=len(sheet.table),
            used_columns=frozenset({counted} - {""}),
            answers=tuple(_answers(sheet, rows, extract, has_responses=has_responses)),
            has_parents=PARENT.name not in sheet.absent,
            has_responses=has_responses,
            doubtful_marks=tuple(_doubtful_marks(sheet, rows)),
            has_levels=LEVEL.name not in sheet.absent,
            reasoned=sum(
                len(same)
                for row, same in rows.items()
                if extract(row.choice).has_reasoning or extract(row.response).has_reasoning
            ),
        ),
        notes,
    )


def _or_leave_out(sheet: str) -> str:
    """Return how to leave out a sheet that is none of choices, if it has a name to call it by."""
    return "" if is_default_sheet_name(sheet) else f", or leave the sheet out with {flag(f'skip-sheet {quote(sheet)}')}"


def _has_responses(sheet: Sheet, *, is_declared: bool) -> bool:
    """Return whether a sheet has free text: beside choices, a column called text may be anything."""
    if RESPONSE.name in sheet.absent:
        return False
    if CHOICE.name in sheet.absent:
        return True
    header = sheet.header(RESPONSE.name)
    stands_in = header.casefold().strip() in RESPONSE.fallbacks  # by a name that says little
    return header != sheet.header(CHOICE.name) and (is_declared or not stands_in)


def _extractor(how: str) -> Callable[[str], Extracted]:
    """Return what finds the answer in a text; texts repeat, so each is looked at once."""
    return lru_cache(maxsize=None)(lambda text: extract_answer(text, how))


def _parsed_walks(sheet: Sheet, columns: Sequence[str], options: ModeCollapseOptions) -> Noted[ChoiceSheet]:
    """Return the answers of a sheet whose rows are walks: a choice at each level, under those above it."""
    cells = walk_cells(sheet, columns)
    extract = _extractor(options.extract)
    counted, notes = stand_in_count(sheet, cells)
    counts = text_cells(sheet.table, counted) if counted else _cells_of(sheet, COUNT, otherwise=_ONE_SAMPLE)
    numbers: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, walk in zip(shown_rows(sheet.table), zip(counts, *cells, strict=True), strict=True):
        numbers[walk].append(number)
    answers: list[Answer] = []
    steps = 0
    for (samples, *texts), same in numbers.items():
        found = [extract(text) for text in texts]
        usable = [each for each in same if each not in sheet.unusable_rows] if sheet.unusable_rows else same
        for step, each in zip(steps_of([each.text for each in found]), found, strict=False):
            steps += len(same)
            if usable:
                place = Location(step.level, step.path, str(step.level), ARROW.join(step.path), is_walk=True)
                answers.append(
                    Answer(place, each.text, "", "", parse_count(samples), samples, usable, same[0], each.lost)
                )
    message = (
        f"the columns {', '.join(columns)} are the levels of a walk: {pluralize(len(sheet.table), 'row')} with "
        f"{pluralize(steps, 'choice')}, and each choice counts as a row"
    )
    parsed = ChoiceSheet(
        name=sheet.name,
        rows=steps,
        used_columns=frozenset(
            header for header in sheet.headers if header.casefold() in map(str.casefold, (*columns, counted))
        ),
        answers=tuple(answers),
        has_parents=True,
        has_responses=False,
        doubtful_marks=(),
        reasoned=sum(len(same) for walk, same in numbers.items() if any(extract(each).has_reasoning for each in walk)),
    )
    return Noted(parsed, (note("walk", message), *notes))


class _Row(NamedTuple):
    """What the cells of a row say."""

    level: str
    parent: str
    choice: str
    response: str
    samples: str
    correction: str
    mark: str


def _cells(sheet: Sheet, *, has_responses: bool) -> dict[InputColumn, Sequence[str]]:
    """Return the cells of each column in the order of _Row."""
    return {
        LEVEL: _cells_of(sheet, LEVEL, otherwise="0"),  # without levels it is at the root
        PARENT: _cells_of(sheet, PARENT),
        CHOICE: _cells_of(sheet, CHOICE),
        RESPONSE: _cells_of(sheet, RESPONSE) if has_responses else [""] * len(sheet.table),
        COUNT: _cells_of(sheet, COUNT, otherwise=_ONE_SAMPLE),
        CORRECTION: _cells_of(sheet, CORRECTION),
        FLAGGED: _cells_of(sheet, FLAGGED),
    }


def _cells_of(sheet: Sheet, column: InputColumn, *, otherwise: str = "") -> Sequence[str]:
    """Return the cells of a column, or for each row what stands for a cell of a column that is absent."""
    if column.name in sheet.absent:
        return [otherwise] * len(sheet.table)
    return text_cells(sheet.table, column.name)


def _numbers_by_row(sheet: Sheet, cells: Mapping[InputColumn, Sequence[str]]) -> dict[_Row, list[int]]:
    """Return the rows that differ, each with the numbers of those that say the same."""
    # bare tuples at first: rows may be a million, and those that differ a few hundred
    numbers: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, row in zip(shown_rows(sheet.table), zip(*cells.values(), strict=True), strict=True):
        numbers[row].append(number)
    return {_Row._make(row): same for row, same in numbers.items()}


def _answers(
    sheet: Sheet, rows: Mapping[_Row, Sequence[int]], extract: Callable[[str], Extracted], *, has_responses: bool
) -> Iterator[Answer]:
    """Yield what the rows say that can be scored."""
    location = lru_cache(maxsize=None)(_location)
    is_flagging = FLAGGED.name not in sheet.absent
    for row, numbers in rows.items():
        usable = [each for each in numbers if each not in sheet.unusable_rows] if sheet.unusable_rows else numbers
        if usable:
            counts = not is_flagging or row.mark.strip().casefold() in _TRUE
            choice, response = extract(row.choice), extract(row.response)
            yield Answer(
                location=location(row.level, row.parent),
                choice=choice.text,
                response=response.text,
                correction=row.correction if counts and row.correction.strip() else "",
                samples=parse_count(row.samples),
                samples_text=row.samples,
                rows=usable,
                first_row=numbers[0],
                lost=choice.lost if row.choice.strip() or not has_responses else response.lost,
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
