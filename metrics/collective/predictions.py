"""Predictions: what each stream says of each sample, by condition and epoch, as numbers of classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.collective.fusion import BLANK
from scoresheet.metrics.collective.names import conditions_of, epoch_name, epoch_order, squeezed
from scoresheet.metrics.collective.options import CollectiveOptions
from scoresheet.metrics.collective.sheets import INPUTS
from scoresheet.metrics.core import Joined
from scoresheet.metrics.keys import join_key, loose_key, natural_order
from scoresheet.metrics.numbers import real_number
from scoresheet.metrics.problems import Problem, refuse
from scoresheet.metrics.wording import listed

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

COLLECTIVE: Final = "collective"
_ENSEMBLE: Final = ("ensemble", "collective", "fused", "majority")  # in a name that is hardly a stream's


@dataclass(frozen=True)
class Predictions:
    """The rows of the sheet, sorted; classes are numbers into `classes`, BLANK where nothing was predicted."""

    streams: list[str]
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
        import numpy as np

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
    import numpy as np

    frame, absent = joined.sheet.frame, joined.absent
    missing = [name for name in ("sample", "label") if name in absent]
    if missing:
        refuse(
            "missing-column",
            f"no column {' and no column '.join(missing)} in the predictions; the first row has "
            f"{listed([name for name in map(str, frame.columns) if name not in absent], most=12)}",
            effect="sheet skipped",
        )
    streams = _streams(frame, options, without_collective=COLLECTIVE in absent)
    problems: list[Problem] = []
    samples = [join_key(cell) for cell in frame["sample"]]
    sound = np.array([row not in joined.unsound for row in frame.index], dtype=bool)
    for column, kind in (("sample", "empty-key"), ("label", "empty-label")):
        for place, cell in enumerate(frame[column].tolist()):
            if not cell.strip() and sound[place]:
                message = f"the cell {column} is empty"
                row = int(frame.index[place])
                problems.append(Problem(kind=kind, message=message, effect="row not scored", row=row, column=column))
                sound[place] = False
    conditions = conditions_of(frame["condition"].tolist(), options.clean, named="condition" not in absent)
    names = {cell: epoch_name(join_key(cell)) for cell in set(frame["epoch"])}
    epochs = [names[cell] for cell in frame["epoch"]]
    kept = np.flatnonzero(sound).tolist()
    order = sorted(kept, key=lambda place: (samples[place], conditions[place], epochs[place]))
    _refuse_twice(order, samples, conditions, epochs, frame.index.tolist())
    said = [*([] if COLLECTIVE in absent else [COLLECTIVE]), *streams]
    classes, codes = _coded({name: frame[name].tolist() for name in ("label", *said)}, order)
    problems += _remarks(said, codes, classes, frame.index[order].tolist())
    return Predictions(
        streams=[join_key(name) for name in streams],
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


def _streams(frame: pd.DataFrame, options: CollectiveOptions, *, without_collective: bool) -> list[str]:
    others = _others(frame)
    named = options.named()
    if named:
        headers = {loose_key(header): header for header in others}
        missing = [name for name in named if loose_key(name) not in headers]
        if missing:
            refuse(
                "missing-column",
                f"no column {listed(missing)}, which --streams names; the columns are {listed(others, most=12)}",
                effect="sheet skipped",
            )
        return list(dict.fromkeys(headers[loose_key(name)] for name in named))
    own = [name for name in others if any(word in squeezed(name) for word in _ENSEMBLE)]
    if own and without_collective:
        refuse(
            "missing-column",
            f"the column {own[0]!r} looks like what the ensemble itself predicts, and would count as a stream; say "
            f"--column collective={own[0]}, or name the streams with --streams",
            effect="sheet skipped",
        )
    if not others:
        message = "no streams: every column beside sample, label, collective, condition and epoch would be one"
        refuse("missing-column", message, effect="sheet skipped")
    return others


def _others(frame: pd.DataFrame) -> list[str]:
    ours = {column.name for column in INPUTS}
    return [str(header) for header in frame.columns if header not in ours]


def _refuse_twice(
    order: Sequence[int], samples: Sequence[str], conditions: Sequence[str], epochs: Sequence[str], index: Sequence[int]
) -> None:
    for before, after in pairwise(order):
        keys = [(samples[place], conditions[place], epochs[place]) for place in (before, after)]
        if keys[0] == keys[1]:
            where = ", ".join(part for part in keys[0][1:] if part)
            refuse(
                "duplicate-sample",
                f"the sample {keys[0][0]!r} is there twice ({where}), in rows {index[before]} and {index[after]}; keep "
                "one of them, or tell them apart by a column condition or epoch",
            )


def _coded(columns: dict[str, list[str]], order: Sequence[int]) -> tuple[list[str], dict[str, NDArray[np.int64]]]:
    """Return the classes, sorted, and each column as numbers into them; numbers are equal however they are written."""
    import numpy as np

    texts = {cells[place] for cells in columns.values() for place in order}  # a row without a sample says nothing
    keys = {text: join_key(text) for text in texts}
    filled = {key for key in keys.values() if key}
    numbers = {key: real_number(key) for key in filled}
    if all(value is not None for value in numbers.values()):
        values = sorted({value for value in numbers.values() if value is not None})
        classes = [f"{value:.16g}" for value in values]
        places = {value: place for place, value in enumerate(values)}
        code = {key: places[value] for key, value in numbers.items() if value is not None}
    else:
        classes = sorted(filled, key=natural_order)
        code = {key: place for place, key in enumerate(classes)}
    by_text = {text: code.get(key, BLANK) for text, key in keys.items()}
    return classes, {
        name: np.fromiter((by_text[cells[place]] for place in order), dtype=np.int64, count=len(order))
        for name, cells in columns.items()
    }


def _remarks(
    said: Sequence[str], codes: dict[str, NDArray[np.int64]], classes: Sequence[str], rows: Sequence[int]
) -> list[Problem]:
    """Return notes on predictions that cannot be right, and on labels that nobody predicts."""
    import numpy as np

    labels = codes["label"]
    known = np.unique(labels)
    problems = []
    for name in said:
        blank = np.flatnonzero(codes[name] == BLANK)
        if len(blank):
            problems.append(_note("blank-prediction", "empty, which counts as wrong", name, blank, rows, len(labels)))
        strange = np.flatnonzero((codes[name] != BLANK) & ~np.isin(codes[name], known))
        if len(strange):
            what = f"of a class that is no label, such as {classes[codes[name][strange[0]]]!r}, which is wrong"
            hint = (
                "; if it is no stream, name those that are with --streams"
                if len(strange) + len(blank) == len(labels)
                else ""
            )
            problems.append(_note("unknown-class", what, name, strange, rows, len(labels), hint))
    streams = [name for name in said if name != COLLECTIVE]
    predicted = np.unique(np.concatenate([codes[name] for name in streams]))
    never = [classes[place] for place in known.tolist() if place not in predicted]
    if never:
        message = f"labels that no stream ever predicts: {listed(never)}"
        problems.append(Problem(kind="never-predicted", message=message, effect="note", column="label"))
    return problems


def _note(
    kind: str, what: str, name: str, places: NDArray[np.int64], rows: Sequence[int], total: int, hint: str = ""
) -> Problem:
    shown = listed(str(row) for row in sorted(rows[place] for place in places.tolist()))
    message = f"{len(places):,} of {total:,} predictions are {what}: row{'s' if len(places) > 1 else ''} {shown}"
    return Problem(kind=kind, message=message + hint, effect="note", column=name)
