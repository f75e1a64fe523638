"""Predictions: what each stream says of each sample, by condition and epoch, as numbers of classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.core import Joined
from scoresheet.metrics.families.collective.fusion import BLANK
from scoresheet.metrics.families.collective.names import (
    alike,
    class_order,
    conditions_of,
    epoch_name,
    epoch_order,
    number_name,
    squeezed,
)
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.sheets import INPUTS
from scoresheet.metrics.keys import join_key, natural_order
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.numbers import parse_decimal
from scoresheet.metrics.problems import Problem, reject

COLLECTIVE: Final = "collective"
_ENSEMBLE: Final = ("ensemble", "collective", "fused", "majority")  # in a name that is hardly a stream's


@dataclass(frozen=True)
class Predictions:
    """The rows of the sheet, sorted; classes are numbers into `classes`, BLANK where nothing was predicted."""

    streams: list[str]
    left_out: list[str]  # other columns, of which --streams says that they are none
    chosen: bool  # whether it says anything
    classes: list[str]
    samples: list[str]
    conditions: list[str]  # of each row; '' is not here: it reads as the clean one
    epochs: list[str]  # of each row; '' where there are none
    labels: NDArray[np.int64]
    votes: NDArray[np.int64]  # rows × streams
    collective: NDArray[np.int64] | None
    rows: int  # of the sheet
    problems: list[Problem] = field(default_factory=list)

    def groups(self) -> dict[tuple[str, str], NDArray[np.int64]]:
        """Return the places of the rows of each condition and epoch."""
        places: dict[tuple[str, str], list[int]] = {}
        for place, key in enumerate(zip(self.conditions, self.epochs, strict=True)):
            places.setdefault(key, []).append(place)
        return {key: np.array(own, dtype=np.int64) for key, own in places.items()}

    def conditions_at_last(self, clean: str) -> dict[str, str]:
        """Return the conditions, the clean one first, each with its last epoch."""
        last: dict[str, str] = {}
        for condition, epoch in dict.fromkeys(zip(self.conditions, self.epochs, strict=True)):
            if condition not in last or epoch_order(epoch) > epoch_order(last[condition]):
                last[condition] = epoch
        return dict(sorted(last.items(), key=lambda each: (each[0] != clean, natural_order(each[0]))))


def read_predictions(joined: Joined, options: CollectiveOptions) -> Predictions:
    """Return the predictions of a sheet; a Refusal says what it lacks."""
    frame, absent = joined.sheet.frame, joined.absent
    missing = [name for name in ("sample", "label") if name in absent]
    if missing:
        reject(
            "missing-column",
            f"no column {' and no column '.join(missing)} in the predictions; the first row has "
            f"{join_names([name for name in map(str, frame.columns) if name not in absent], most=12)}",
            effect="sheet skipped",
        )
    streams, left_out = _streams(frame, options, without_collective=COLLECTIVE in absent)
    samples = [join_key(cell) for cell in frame["sample"]]
    names = {cell: epoch_name(join_key(cell)) for cell in set(frame["epoch"])}
    epochs = [names[cell] for cell in frame["epoch"]]
    kept, problems = _kept(joined)
    conditions = conditions_of(frame["condition"].tolist(), options.clean, named="condition" not in absent)
    order = sorted(kept, key=lambda place: (samples[place], conditions[place], epochs[place]))
    _refuse_twice(order, samples, conditions, epochs, frame.index.tolist())
    said = [*([] if COLLECTIVE in absent else [COLLECTIVE]), *streams]
    errors = _errors(joined, streams, kept)
    problems += errors
    cells = _without({name: frame[name].tolist() for name in ("label", *said)}, errors, frame.index.tolist())
    classes, codes = _coded(cells, order)
    problems += _remarks(said, codes, classes, frame.index[order].tolist(), errors)
    return Predictions(
        streams=[join_key(name) for name in streams],
        left_out=[join_key(name) for name in left_out],
        chosen=bool(options.named()),
        classes=classes,
        samples=[samples[place] for place in order],
        conditions=[conditions[place] for place in order],
        epochs=[epochs[place] for place in order],
        labels=codes["label"],
        votes=np.column_stack([codes[name] for name in streams]),
        collective=codes.get(COLLECTIVE),
        rows=len(frame),
        problems=problems,
    )


def _kept(joined: Joined) -> tuple[list[int], list[Problem]]:
    """Return the places of the rows that can be scored, and why the others cannot."""
    frame = joined.sheet.frame
    kept = [place for place, row in enumerate(frame.index) if row not in joined.unsound]
    problems: list[Problem] = []
    for column, kind in (("sample", "empty-key"), ("label", "empty-label"), ("epoch", "empty-key")):
        filled = [bool(cell.strip()) for cell in frame[column].tolist()]
        if column == "epoch" and not any(filled[place] for place in kept):
            continue  # one without epochs is of one alone
        message = f"the cell {column} is empty"
        message += ", where other rows have one" if column == "epoch" else ""
        problems += [
            Problem(kind=kind, message=message, effect="row not scored", row=int(frame.index[place]), column=column)
            for place in kept
            if not filled[place]
        ]
        kept = [place for place in kept if filled[place]]
    return kept, problems


def _errors(joined: Joined, streams: Sequence[str], kept: Sequence[int]) -> list[Problem]:
    """Return the error cells among the predictions of streams; those of our own columns cost their rows."""
    rows = {int(joined.sheet.frame.index[place]) for place in kept}
    return [
        Problem(
            kind="error-cell",
            message=f"the cell holds the error {shown}, which is no vote and counts as wrong",
            effect="note",
            row=row,
            column=header,
        )
        for (row, header), shown in joined.sheet.error_cells.items()
        if header in streams and row in rows
    ]


def _without(columns: dict[str, list[str]], errors: Sequence[Problem], index: Sequence[int]) -> dict[str, list[str]]:
    """Return the columns with nothing where an error stands: its text is no class."""
    places = {row: place for place, row in enumerate(index)} if errors else {}
    for problem in errors:
        assert problem.row is not None  # noqa: S101 - tells the type checker what _errors says
        columns[problem.column][places[problem.row]] = ""
    return columns


def _streams(
    frame: pd.DataFrame, options: CollectiveOptions, *, without_collective: bool
) -> tuple[list[str], list[str]]:
    """Return the columns that are streams, in the order of the file, and those that --streams leaves out."""
    others = _others(frame)
    if options.named():
        chosen = _chosen(options.named(), others)
        return [name for name in others if name in chosen], [name for name in others if name not in chosen]
    own = [name for name in others if any(word in squeezed(name) for word in _ENSEMBLE)]
    if own and without_collective:
        reject(
            "missing-column",
            f"the column {own[0]!r} looks like what the ensemble itself predicts, and would count as a stream; say "
            f"--column collective={own[0]}, or name the streams with --streams",
            effect="sheet skipped",
        )
    if not others:
        message = "no streams: every column beside sample, label, collective, condition and epoch would be one"
        reject("missing-column", message, effect="sheet skipped")
    return others, []


def _chosen(named: Sequence[str], others: Sequence[str]) -> set[str]:
    """Return the columns that --streams names; a Refusal if one is not there or could be two."""
    columns = {join_key(name): name for name in others}
    hits = {name: alike(join_key(name), list(columns)) for name in named}
    missing = [name for name, found in hits.items() if not found]
    if missing:
        reject(
            "missing-column",
            f"no column {join_names(missing)}, which --streams names; the columns are {join_names(others, most=12)}",
            effect="sheet skipped",
        )
    for name, found in hits.items():
        if len(found) > 1:
            reject(
                "ambiguous-column",
                f"{name!r}, which --streams names, could be {' or '.join(map(repr, found))}; write it as the column is",
                effect="sheet skipped",
            )
    return {columns[found[0]] for found in hits.values()}


def _others(frame: pd.DataFrame) -> list[str]:
    ours = {column.name for column in INPUTS}
    others = [str(header) for header in frame.columns if header not in ours]
    twice = [name for name, count in Counter(map(join_key, others)).items() if count > 1]
    if twice:
        message = f"two columns have the same name, composed in different ways: {join_names(twice)}; rename one of each"
        reject("duplicate-header", message, effect="sheet skipped")
    return others


def _refuse_twice(
    order: Sequence[int], samples: Sequence[str], conditions: Sequence[str], epochs: Sequence[str], index: Sequence[int]
) -> None:
    for before, after in pairwise(order):
        keys = [(samples[place], conditions[place], epochs[place]) for place in (before, after)]
        if keys[0] == keys[1]:
            where = ", ".join(part for part in keys[0][1:] if part)
            reject(
                "duplicate-sample",
                f"the sample {keys[0][0]!r} is there twice ({where}), in rows {index[before]} and {index[after]}; keep "
                "one of them, or tell them apart by a column condition or epoch",
            )


def _coded(columns: dict[str, list[str]], order: Sequence[int]) -> tuple[list[str], dict[str, NDArray[np.int64]]]:
    """Return the classes, sorted, and each column as numbers into them; numbers are equal however they are written."""
    texts = {cells[place] for cells in columns.values() for place in order}  # a row without a sample says nothing
    keys = {text: join_key(text) for text in texts}
    filled = {key for key in keys.values() if key}
    numbers = {key: parse_decimal(key) for key in filled}
    numeric = all(value is not None for value in numbers.values())
    names = {key: number_name(value) if numeric and value is not None else key for key, value in numbers.items()}
    classes = sorted(set(names.values()), key=class_order(filled))
    places = {name: place for place, name in enumerate(classes)}
    code = {key: places[name] for key, name in names.items()}
    by_text = {text: code.get(key, BLANK) for text, key in keys.items()}
    return classes, {
        name: np.fromiter((by_text[cells[place]] for place in order), dtype=np.int64, count=len(order))
        for name, cells in columns.items()
    }


def _remarks(
    said: Sequence[str],
    codes: dict[str, NDArray[np.int64]],
    classes: Sequence[str],
    rows: Sequence[int],
    errors: Sequence[Problem],
) -> list[Problem]:
    """Return notes on predictions that cannot be right, and on labels that nobody predicts."""
    labels = codes["label"]
    known = np.unique(labels)
    problems = []
    for name in said:
        said_already = [problem.row for problem in errors if problem.column == name]
        blank = np.flatnonzero((codes[name] == BLANK) & ~np.isin(rows, np.array(said_already, dtype=np.int64)))
        if len(blank):
            problems.append(_note("blank-prediction", "empty, which counts as wrong", name, blank, rows, len(labels)))
        strange = np.flatnonzero((codes[name] != BLANK) & ~np.isin(codes[name], known))
        if len(strange):
            what = f"of a class that is no label, such as {classes[codes[name][strange[0]]]!r}, which is wrong"
            # not one of its cells is a label: more likely remarks than predictions
            none = name != COLLECTIVE and len(strange) + (codes[name] == BLANK).sum() == len(labels)
            kind = "no-stream" if none else "unknown-class"
            hint = "; if it is no stream, name those that are with --streams" if none else ""
            problems.append(_note(kind, what, name, strange, rows, len(labels), hint))
    streams = [name for name in said if name != COLLECTIVE]
    predicted = np.unique(np.concatenate([codes[name] for name in streams]))
    never = [classes[place] for place in known.tolist() if place not in predicted]
    if never:
        message = f"labels that no stream ever predicts: {join_names(never)}"
        problems.append(Problem(kind="never-predicted", message=message, effect="note", column="label"))
    return problems


def _note(
    kind: str, what: str, name: str, places: NDArray[np.int64], rows: Sequence[int], total: int, hint: str = ""
) -> Problem:
    shown = join_names(str(row) for row in sorted(rows[place] for place in places.tolist()))
    message = f"{len(places):,} of {total:,} predictions are {what}: row{'s' if len(places) > 1 else ''} {shown}"
    return Problem(kind=kind, message=message + hint, effect="note", column=name)
