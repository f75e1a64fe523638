"""Which columns of a table hold scores, and what their names mean: long, wide by dimension, or wide by judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from scoresheet.metrics.core import Column, Joined
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.keys import join_key, loose_key
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Problem, reject

ONE: Final = "score"  # what a dimension is called where there is only one, without a name
ALONE: Final = "judge"  # and a judge

INPUTS: Final = (
    Column("item", "What was judged.", "label", ("item_id", "id", "question_id", "response_id")),
    Column("strategy", "Who judged it.", "label", ("judge", "rater", "annotator", "evaluator"), required=False),
    Column("dimension", "In which respect; without the column there is one.", "label", ("criterion", "aspect"), False),
    Column(
        "score", "The score, or with --level nominal the label.", "label", ("rating", "value", "label", "grade"), False
    ),
    Column("confidence", "How sure the judge is; empty: 1.", "label", (), required=False),
    Column("cultural_relevance", "How much the dimension matters; empty: 1.", "label", ("relevance",), required=False),
)
_KEYS: Final = ("item", "strategy", "dimension")
_KEY_NAMES: Final = {
    loose_key(name) for column in INPUTS if column.name in _KEYS for name in (column.name, *column.aliases)
}
# beside a column per judge these are no judges, and would agree with all of them
_COUNTED: Final = ("no", "nr", "#", "index", "row", "number", "unnamed: 0")  # numbers of rows, in any wide table
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


@dataclass(frozen=True)
class Layout:
    """Where the scores of a sheet stand."""

    columns: tuple[tuple[str, str], ...]  # header in the frame, and the name of what it holds
    judges: bool  # whether these names are judges; else dimensions
    long: bool  # one column, and a cell is a row
    problems: tuple[Problem, ...] = ()


def layout_of(joined: Joined, options: DisagreeOptions) -> Layout:
    """Return the layout of a sheet; a Refusal says what it lacks."""
    frame, absent = joined.sheet.frame, joined.absent
    has_judges, has_score = "strategy" not in absent, "score" not in absent
    named = options.named()
    if has_judges and has_score and not named:
        return Layout((("score", ONE),), judges=False, long=True, problems=_unused(frame, options, "score"))
    # one judge's table, to make an ensemble of: its columns are dimensions unless one of them names these
    alone = bool(options.strategies) and not has_judges
    if alone and has_score and "dimension" not in absent:
        return Layout((("score", ONE),), judges=False, long=True, problems=_unused(frame, options, "score"))
    judges = not has_judges and not alone
    stray = has_judges and "dimension" not in absent
    if named:
        columns = _named(named, frame, absent)
        if stray and [header for header, _ in columns] == ["score"]:
            reject(
                "dimensions-twice",
                f"--dimensions names {named[0]} as the one dimension, and the column dimension names others; leave out "
                "--dimensions, or the column",
                effect="sheet skipped",
            )
        return Layout(columns, judges=judges, long=False, problems=(_stray(),) if stray else ())
    columns, problems = _columns_of_scores(frame, absent, options, computed=(*_COUNTED, *(_COMPUTED if judges else ())))
    if judges and columns == (("score", ONE),):
        columns = (("score", ALONE),)
    if len(columns) > 1:
        listing = join_names([name for _, name in columns], most=12)
        problems = (*problems, _note(f"read as a column per {'judge' if judges else 'dimension'}: {listing}"))
    return Layout(columns, judges=judges, long=False, problems=(*problems, *((_stray(),) if stray else ())))


def _stray() -> Problem:
    return _note("the column dimension was not used: the other columns are the dimensions")


def _named(names: Sequence[str], frame: pd.DataFrame, absent: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the columns that were named; a header that we took for one of ours is found by its aliases."""
    headers = {loose_key(str(header)): str(header) for header in frame.columns if header not in _KEYS}
    for column in INPUTS:
        if column.name not in _KEYS and column.name not in absent:
            headers |= {loose_key(alias): column.name for alias in column.aliases if loose_key(alias) not in headers}
    missing = [name for name in names if headers.get(loose_key(name), "") in ("", *absent)]
    if missing:
        reject(
            "missing-column",
            f"no column {join_names(missing)}, which --dimensions names; the columns are "
            f"{join_names([*_present(absent), *_others(frame)], most=12)}",
            effect="sheet skipped",
        )
    return tuple({headers[loose_key(name)]: join_key(name) for name in reversed(names)}.items())[::-1]


def _columns_of_scores(
    frame: pd.DataFrame, absent: Iterable[str], options: DisagreeOptions, computed: Sequence[str]
) -> tuple[tuple[tuple[str, str], ...], tuple[Problem, ...]]:
    """Return the columns in which most of what is filled is a number, or with labels every one that is filled."""
    candidates = [*([] if "score" in absent else ["score"]), *_others(frame)]
    by_name = {header: _why_not(header, computed) for header in candidates}
    # a lone column is what there is to score, whatever its name, unless it is a key
    several = len(candidates) > 1
    left_out = {header: why for header, why in by_name.items() if why and (several or loose_key(header) in _KEY_NAMES)}
    candidates = [header for header in candidates if header not in left_out]
    # below a header alone there is nothing to tell scores by
    held = {
        header: not len(frame) or _is_scored(frame[header].tolist(), nominal=options.nominal) for header in candidates
    }
    taken = [header for header, scored in held.items() if scored]
    left = [header for header, scored in held.items() if not scored]
    if not taken:
        reject(
            "no-scores",
            "no column score, and no other column that holds mostly numbers and is not left out by its name; name "
            "yours with --column score=HEADER or "
            f"--dimensions HEADER,…; the other columns are {join_names([*left_out, *left], most=12) or 'none'}",
            effect="sheet skipped",
        )
    notes = [*_left_out_by_name(frame, left_out, taken), *_left_out_by_cells(frame, left, taken)]
    if options.nominal:
        notes.append(_note(f"labels were taken from {join_names(taken, most=12)}; --dimensions names others"))
    return tuple((header, ONE if header == "score" else join_key(header)) for header in taken), tuple(notes)


def _why_not(header: str, computed: Sequence[str]) -> str:
    """Return what a column's name says it holds instead of scores."""
    name = loose_key(header)
    if name in computed:
        return "number the rows or are made of the others"
    if name in _KEY_NAMES:
        return "say what was judged, by whom or in which respect"
    return "hold remarks or texts" if name in _COMMENTARY else ""


def _left_out_by_name(frame: pd.DataFrame, left_out: Mapping[str, str], taken: Sequence[str]) -> Iterator[Problem]:
    """Yield notes on columns whose names say that they hold no scores."""
    for why in dict.fromkeys(left_out.values()):
        headers = [header for header, own in left_out.items() if own == why]
        message = f"not used, since by their names they {why}: {join_names(headers, most=12)}"
        yield _note(f"{message}; --dimensions names the columns to use")
    for header in left_out:
        if loose_key(header) in _COMMENTARY and _is_scored(frame[header].tolist(), nominal=False):
            message = f"{header} holds numbers and was not used, since by its name it holds remarks or texts"
            yield _lost_numbers(message, header, taken)


def _left_out_by_cells(frame: pd.DataFrame, left: Sequence[str], taken: Sequence[str]) -> Iterator[Problem]:
    """Yield notes on columns that hold no numbers, or fewer than other cells."""
    without = []
    for header in left:
        numbers, filled = _numbers_in(frame[header].tolist())
        if not numbers:
            without.append(header)
        else:
            message = f"{header} was not used: {numbers} of its {filled} filled cells are numbers, not more than half"
            yield _lost_numbers(message, header, taken)
    if without:
        yield _note(f"not used, since they hold no numbers: {join_names(without, most=12)}")


def _lost_numbers(message: str, header: str, taken: Sequence[str]) -> Problem:
    way = f"if it holds scores, name all that do: --dimensions {','.join([*taken[:3], header])}"
    more = ",…" if len(taken) > 3 else ""
    return Problem(kind="numbers-not-used", message=f"{message}; {way}{more}", effect="note", column=header)


def _is_scored(cells: Sequence[str], *, nominal: bool) -> bool:
    numbers, filled = _numbers_in(cells)
    return filled > 0 if nominal else 2 * numbers > filled


def _numbers_in(cells: Sequence[str]) -> tuple[int, int]:
    """Return how many cells hold numbers, and how many anything."""
    filled = [cell for cell in cells if cell.strip()]
    known = {cell: parse_float(cell) is not None for cell in set(filled)}
    return sum(map(known.__getitem__, filled)), len(filled)


def _unused(frame: pd.DataFrame, options: DisagreeOptions, used: str) -> tuple[Problem, ...]:
    """Return a note on columns that could be meant for scores beside the one that is used."""
    others = [
        header
        for header in _others(frame)
        if not options.nominal and not _why_not(header, _COUNTED) and _is_scored(frame[header].tolist(), nominal=False)
    ]
    if not others:
        return ()
    names = join_names(others, most=12)
    return (
        _note(
            f"columns of numbers that were not used beside {used}: {names}; if they are dimensions, "
            f"name them all: --dimensions {','.join([used, *others[:3]])}"
        ),
    )


def _others(frame: pd.DataFrame) -> list[str]:
    ours = {column.name for column in INPUTS}
    return [str(header) for header in frame.columns if header not in ours]


def _present(absent: Iterable[str]) -> list[str]:
    """Return those of our columns that the sheet has, and that may hold scores."""
    return [column.name for column in INPUTS if column.name not in (*_KEYS, *absent)]


def _note(message: str) -> Problem:
    return Problem(kind="other-columns", message=message, effect="note")
