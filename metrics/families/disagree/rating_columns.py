"""Which columns of a table hold scores, and what their names mean: long, wide by dimension, or wide by judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import pandas as pd

from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.schema import DIMENSION, FIRST, INPUTS, ITEM, JUDGE, SCORE
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.keys import join_key, loose_key
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Noted, Problem, note, reject

ONLY_DIMENSION: Final = "score"  # what a dimension is called where there is only one, without a name
ONLY_JUDGE: Final = "judge"  # and a judge

_MOST_NAMES: Final = 12  # that a message lists
_KEYS: Final = (ITEM, JUDGE, DIMENSION)
_KEY_HEADERS: Final = tuple(column.name for column in _KEYS)
_KEY_NAMES: Final = {loose_key(name) for column in _KEYS for name in (column.name, *column.aliases)}
# beside a column per judge these are no judges, and would agree with all of them
_ROW_NUMBERS: Final = ("no", "nr", "#", "index", "row", "number", "unnamed: 0")  # in any wide table
_COMPUTED: Final = (
    "mean",
    "average",
    "avg",
    "total",
    "sum",
    "median",
    "std",
    "sd",
    "stdev",
    "std dev",
    "variance",
    "range",
)
# beside scores these say what was judged and why
_COMMENTARY: Final = (
    "comment",
    "comments",
    "note",
    "notes",
    "remark",
    "remarks",
    "reason",
    "reasons",
    "rationale",
    "explanation",
    "justification",
    "prompt",
    "question",
    "response",
    "answer",
    "text",
)


class RatingColumn(NamedTuple):
    """A column that holds scores: its header in the frame, and the judge or dimension that they are of."""

    header: str
    name: str


@dataclass(frozen=True)
class RatingColumns:
    """Where the scores of a sheet stand."""

    columns: tuple[RatingColumn, ...]
    by_judge: bool  # whether the columns are judges; else dimensions
    long: bool  # one column, and a cell is a row

    @property
    def headers(self) -> list[str]:
        """The headers of the columns."""
        return [column.header for column in self.columns]


_LONG: Final = RatingColumns((RatingColumn(SCORE.name, ONLY_DIMENSION),), by_judge=False, long=True)


def rating_columns(sheet: Sheet, options: DisagreeOptions) -> Noted[RatingColumns]:
    """Return where the scores of a sheet stand; an InputError says what it lacks."""
    has_judges, has_score, has_dimension = (column.name not in sheet.absent for column in (JUDGE, SCORE, DIMENSION))
    names = options.named_columns()
    if has_judges and has_score and not names:
        return Noted(_LONG, _numbers_beside_score(sheet.frame, options))
    # one judge's table, to make an ensemble of: its columns are dimensions unless one of them names these
    alone = bool(options.strategies) and not has_judges
    if alone and has_score and has_dimension:
        return Noted(_LONG, _numbers_beside_score(sheet.frame, options))
    by_judge = not has_judges and not alone
    stray: tuple[Problem, ...] = ()
    if has_judges and has_dimension:
        stray = (_note_columns("the column dimension was not used: the other columns are the dimensions"),)
    if names:
        columns = _named_columns(names, sheet)
        if stray and [column.header for column in columns] == [SCORE.name]:
            reject(
                "dimensions-twice",
                f"{flag('dimensions')} names {names[0]} as the one dimension, and the column dimension names others; "
                f"leave out {flag('dimensions')}, or the column",
                effect="sheet skipped",
            )
        return Noted(RatingColumns(columns, by_judge=by_judge, long=False), stray)
    columns, problems = _columns_of_scores(sheet, options, by_judge=by_judge)
    if len(columns) > 1:
        listing = join_names([column.name for column in columns], most=_MOST_NAMES)
        problems = (*problems, _note_columns(f"read as a column per {'judge' if by_judge else 'dimension'}: {listing}"))
    return Noted(RatingColumns(columns, by_judge=by_judge, long=False), (*problems, *stray))


def _named_columns(names: Sequence[str], sheet: Sheet) -> tuple[RatingColumn, ...]:
    """Return the columns that were named; a header that we took for one of ours is found by its aliases."""
    headers = {loose_key(str(header)): str(header) for header in sheet.frame.columns if header not in _KEY_HEADERS}
    rateable = [column for column in INPUTS if column not in _KEYS and column.name not in sheet.absent]
    for column in rateable:
        headers |= {loose_key(alias): column.name for alias in column.aliases if loose_key(alias) not in headers}
    missing = [name for name in names if headers.get(loose_key(name), "") in ("", *sheet.absent)]
    if missing:
        there = [*(column.name for column in rateable), *_other_headers(sheet.frame)]
        reject(
            "missing-column",
            f"no column {join_names(missing)}, which {flag('dimensions')} names; the columns are "
            f"{join_names(there, most=_MOST_NAMES)}",
            effect="sheet skipped",
        )
    # of two names for one column the first holds, in the order in which they were named
    by_header = {headers[loose_key(name)]: join_key(name) for name in reversed(names)}
    return tuple(RatingColumn(header, name) for header, name in reversed(by_header.items()))


def _columns_of_scores(
    sheet: Sheet, options: DisagreeOptions, *, by_judge: bool
) -> tuple[tuple[RatingColumn, ...], tuple[Problem, ...]]:
    """Return the columns in which most of what is filled is a number, or with labels every one that is filled."""
    frame = sheet.frame
    candidates = [*([] if SCORE.name in sheet.absent else [SCORE.name]), *_order_header(sheet, options)]
    candidates += _other_headers(frame)
    computed = (*_ROW_NUMBERS, *_COMPUTED) if by_judge else _ROW_NUMBERS
    reasons = {header: _reason_against(header, computed) for header in candidates}
    # a lone column is what there is to score, whatever its name, unless it is a key
    several = len(candidates) > 1
    left_out = {header: why for header, why in reasons.items() if why and (several or loose_key(header) in _KEY_NAMES)}
    # below a header alone there is nothing to tell scores by
    holds_scores = {
        header: not len(frame) or _is_scored(frame[header].tolist(), nominal=options.nominal)
        for header in candidates
        if header not in left_out
    }
    taken = [header for header, scored in holds_scores.items() if scored]
    unscored = [header for header, scored in holds_scores.items() if not scored]
    if not taken:
        others = join_names([*left_out, *unscored], most=_MOST_NAMES) or "none"
        reject(
            "no-scores",
            "no column score, and no other column that holds mostly numbers and is not left out by its name; name "
            f"yours with {flag(f'column {SCORE.name}=HEADER')} or {flag('dimensions HEADER,…')}; the other columns are "
            f"{others}",
            effect="sheet skipped",
        )
    problems = [*_left_out_by_name(frame, left_out, taken), *_left_out_by_cells(frame, unscored, taken)]
    if options.nominal:
        listing = join_names(taken, most=_MOST_NAMES)
        problems.append(_note_columns(f"labels were taken from {listing}; {flag('dimensions')} names others"))
    unnamed = ONLY_JUDGE if by_judge and taken == [SCORE.name] else ONLY_DIMENSION
    names = {SCORE.name: unnamed, FIRST.name: _header_of_order(sheet)}
    columns = tuple(RatingColumn(header, names.get(header, join_key(header))) for header in taken)
    return columns, tuple(problems)


def _order_header(sheet: Sheet, options: DisagreeOptions) -> list[str]:
    """Return the column that could say what stood first, where there are no labels to stand anywhere: scores may do."""
    return [] if options.nominal or FIRST.name in sheet.absent else [FIRST.name]


def _header_of_order(sheet: Sheet) -> str:
    """Return what the file calls the column that could say what stood first."""
    known = {loose_key(name) for name in (FIRST.name, *FIRST.aliases)}
    return next((join_key(header) for header in sheet.headers if loose_key(header) in known), FIRST.name)


def _reason_against(header: str, computed: Sequence[str]) -> str:
    """Return what a column's name says it holds instead of scores; '' if nothing speaks against it."""
    name = loose_key(header)
    if name in computed:
        return "number the rows or are made of the others"
    if name in _KEY_NAMES:
        return "say what was judged, by whom or in which respect"
    return "hold remarks or texts" if name in _COMMENTARY else ""


def _left_out_by_name(frame: pd.DataFrame, left_out: Mapping[str, str], taken: Sequence[str]) -> Iterator[Problem]:
    """Yield notes on columns whose names say that they hold no scores."""
    for why in dict.fromkeys(left_out.values()):
        headers = [header for header, reason in left_out.items() if reason == why]
        message = f"not used, since by their names they {why}: {join_names(headers, most=_MOST_NAMES)}"
        yield _note_columns(f"{message}; {flag('dimensions')} names the columns to use")
    for header in left_out:
        if loose_key(header) in _COMMENTARY and _is_scored(frame[header].tolist(), nominal=False):
            message = f"{header} holds numbers and was not used, since by its name it holds remarks or texts"
            yield _lost_numbers(message, header, taken)


def _left_out_by_cells(frame: pd.DataFrame, unscored: Sequence[str], taken: Sequence[str]) -> Iterator[Problem]:
    """Yield notes on columns that hold no numbers, or fewer than other cells."""
    without = []
    for header in unscored:
        numbers, filled = _count_numbers(frame[header].tolist())
        if not numbers:
            without.append(header)
        else:
            message = f"{header} was not used: {numbers} of its {filled} filled cells are numbers, not more than half"
            yield _lost_numbers(message, header, taken)
    if without:
        yield _note_columns(f"not used, since they hold no numbers: {join_names(without, most=_MOST_NAMES)}")


def _lost_numbers(message: str, header: str, taken: Sequence[str]) -> Problem:
    way = f"if it holds scores, name all that do: {flag('dimensions')} {','.join([*taken[:3], header])}"
    more = ",…" if len(taken) > 3 else ""
    return note("numbers-not-used", f"{message}; {way}{more}", column=header)


def _is_scored(cells: Sequence[str], *, nominal: bool) -> bool:
    numbers, filled = _count_numbers(cells)
    return filled > 0 if nominal else 2 * numbers > filled


def _count_numbers(cells: Sequence[str]) -> tuple[int, int]:
    """Return how many cells hold numbers, and how many anything."""
    filled = [cell for cell in cells if cell.strip()]
    is_number = {cell: parse_float(cell) is not None for cell in set(filled)}
    return sum(map(is_number.__getitem__, filled)), len(filled)


def _numbers_beside_score(frame: pd.DataFrame, options: DisagreeOptions) -> tuple[Problem, ...]:
    """Return a note on columns that could be meant for scores beside the one that is used."""
    if options.nominal:
        return ()
    others = [
        header
        for header in _other_headers(frame)
        if not _reason_against(header, _ROW_NUMBERS) and _is_scored(frame[header].tolist(), nominal=False)
    ]
    if not others:
        return ()
    listing = join_names(others, most=_MOST_NAMES)
    return (
        _note_columns(
            f"columns of numbers that were not used beside {SCORE.name}: {listing}; if they are dimensions, "
            f"name them all: {flag('dimensions')} {','.join([SCORE.name, *others[:3]])}"
        ),
    )


def _other_headers(frame: pd.DataFrame) -> list[str]:
    ours = {column.name for column in INPUTS}
    return [str(header) for header in frame.columns if header not in ours]


def _note_columns(message: str) -> Problem:
    return note("other-columns", message)
