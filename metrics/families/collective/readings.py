"""The numbers of a system's sheets that hold only numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.core import Joined
from scoresheet.metrics.families.collective.names import (
    DATASET,
    PARAMS_M,
    epoch_name,
    epoch_order,
    history_name,
    parameter_name,
    squeezed,
)
from scoresheet.metrics.families.collective.sheets import (
    ANCHORS,
    FINGERPRINTS,
    HISTORY,
    LOGITS,
    PARAMETERS,
    PROBABILITIES,
    ROUTING,
)
from scoresheet.metrics.keys import join_key, natural_order
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Problem, reject

FUSED: Final = (PROBABILITIES, LOGITS)
# what names a row of each sheet; every other column holds what the sheet is about
_KEYS: Final = {
    PROBABILITIES: ("sample", "stream", "condition", "epoch"),
    LOGITS: ("sample", "stream", "condition", "epoch"),
    ROUTING: ("sample", "stream", "slot", "layer", "epoch"),
    ANCHORS: ("stream",),
    FINGERPRINTS: ("stream",),
    HISTORY: ("epoch",),
    PARAMETERS: ("name", "value"),
}
_OTHERWISE: Final = {"sample": ("sampleid", "id", "item"), "stream": ("model", "member")}
_NEEDED: Final = {
    PROBABILITIES: ("sample", "stream"),
    LOGITS: ("sample", "stream"),
    ANCHORS: ("stream",),
    FINGERPRINTS: ("stream",),
    HISTORY: ("epoch",),
    PARAMETERS: ("name", "value"),
}


@dataclass(frozen=True)
class Numbers:
    """A sheet of numbers: what names its rows, and its columns of values, NaN where there is none."""

    role: str
    keys: dict[str, list[str]]  # by name of the key column
    names: list[str]  # of the columns of values
    values: NDArray[np.float64]  # rows × columns
    rows: list[int]  # as a spreadsheet shows them
    problems: list[Problem] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # columns that are neither


def read_numbers(joined: Joined, role: str, *, logits: bool = False) -> Numbers:
    """Return the numbers of a sheet; the order of its rows cannot matter."""
    frame = joined.sheet.frame
    headers = [str(header) for header in frame.columns if header not in joined.absent]
    keys = {key: header for key in _KEYS[role] if (header := _header_of(key, headers, role))}
    missing = [key for key in _NEEDED.get(role, ()) if key not in keys]
    if missing:
        reject(
            "missing-column",
            f"no column {' and no column '.join(missing)} in the sheet {role}; the first row has "
            f"{join_names(headers, most=12)}",
            effect="sheet skipped",
        )
    cells = {key: [join_key(cell) for cell in frame[header]] for key, header in keys.items()}
    if "epoch" in cells:
        names = {cell: epoch_name(cell) for cell in set(cells["epoch"])}
        cells["epoch"] = [names[cell] for cell in cells["epoch"]]
        if not any(cells["epoch"]):
            del cells["epoch"]  # as if there were no such column
    rows, problems = _usable_rows(joined, role, cells, keys)
    others = [header for header in headers if header not in keys.values()]
    if role == PARAMETERS:
        return replace(_parameters(joined, cells, rows, problems), left_out=others)
    columns = _columns(joined, others, problems, logits=logits or role == LOGITS, listing=role not in FUSED)
    if role in FUSED:
        rows = _complete(rows, columns, joined, problems)
    left_out = [header for header in others if header not in columns]
    return replace(_numbers(joined, role, cells, columns, rows, problems), left_out=left_out)


def _header_of(key: str, headers: Sequence[str], role: str) -> str:
    """Return the header of a key column, '' for none; a Refusal if it could be two."""
    hits = [header for header in headers if squeezed(header) == key]
    hits = hits or [header for header in headers if squeezed(header) in _OTHERWISE.get(key, ())]
    if len(hits) > 1 and key not in hits:
        message = f"{' and '.join(map(repr, hits))} could both be {key} of the sheet {role}; call one of them {key}"
        reject("ambiguous-column", message, effect="sheet skipped")
    return key if key in hits else (hits or [""])[0]


def _usable_rows(
    joined: Joined, role: str, cells: dict[str, list[str]], keys: dict[str, str]
) -> tuple[list[int], list[Problem]]:
    """Return the places of the rows that say what they are about, and why the others do not."""
    index = joined.sheet.frame.index.tolist()
    rows = [place for place, row in enumerate(index) if row not in joined.unsound]
    needed = [key for key in _NEEDED.get(role, ()) if (role, key) != (PARAMETERS, "value")]
    problems = []
    for key in dict.fromkeys([*needed, *(["epoch"] if "epoch" in cells else [])]):
        message = f"the cell {key} is empty" + ("" if key in needed else ", where other rows have one")
        problems += [
            Problem(kind="empty-key", message=message, effect="row not scored", row=int(index[place]), column=key)
            for place in rows
            if not cells[key][place]
        ]
        rows = [place for place in rows if cells[key][place]]
    named = {header: key for key, header in keys.items() if (role, key) != (PARAMETERS, "value")}
    erred = {
        row: Problem(
            kind="error-cell",
            message=f"the cell holds the error {shown}; mend its formula, save, run again",
            effect="row not scored",
            row=row,
            column=named[header],
        )
        for (row, header), shown in joined.sheet.error_cells.items()
        if header in named
    }
    problems += [erred[index[place]] for place in rows if index[place] in erred]
    return [place for place in rows if index[place] not in erred], problems


def _columns(
    joined: Joined, others: Sequence[str], problems: list[Problem], *, logits: bool, listing: bool
) -> dict[str, NDArray[np.float64]]:
    """Return the columns of values; one that holds no numbers is noted, and if asked every cell that holds none."""
    frame = joined.sheet.frame
    columns = {}
    for header in others:
        texts = frame[header].tolist()
        known = {text: _logit(text) if logits else parse_float(text) for text in set(texts)}
        if not any(value is not None for value in known.values()):
            if any(text.strip() for text in known):
                message = f"the column {header} holds no numbers and was not used"
                problems.append(Problem(kind="other-columns", message=message, effect="note", column=header))
            continue
        numbers = {text: np.nan if value is None else value for text, value in known.items()}
        columns[header] = np.fromiter(map(numbers.__getitem__, texts), dtype=float, count=len(texts))
        if listing:
            problems += _bad_numbers(texts, known, frame.index.tolist(), header)
    return columns


def _logit(text: str) -> float | None:
    """Return a logit, which is -inf for what has no probability at all."""
    return -math.inf if text.strip().casefold() in ("-inf", "-infinity") else parse_float(text)


def _complete(
    rows: Sequence[int], columns: dict[str, NDArray[np.float64]], joined: Joined, problems: list[Problem]
) -> list[int]:
    """Return the rows with a number for every class: without one, the mean would be of other streams for each class."""
    table = np.column_stack(list(columns.values())) if columns else np.empty((len(joined.sheet.frame), 0))
    unknown = np.isnan(table)
    nothing = np.asarray(np.isneginf(table).all(axis=1) & (len(columns) > 0))
    sound = (~(unknown.any(axis=1) | nothing)).tolist()
    for place in rows:
        if sound[place]:
            continue
        lacking = [name for name, lacks in zip(columns, unknown[place].tolist(), strict=True) if lacks]
        what = f"no number for {join_names(lacking)}" if lacking else "-inf for every class"
        message = f"the row has {what} and was left out: the stream does not count for this sample"
        row = int(joined.sheet.frame.index[place])
        column = lacking[0] if lacking else ""
        problems.append(
            Problem(kind="missing-probabilities", message=message, effect="row not scored", row=row, column=column)
        )
    return [place for place in rows if sound[place]]


def _numbers(
    joined: Joined,
    role: str,
    cells: dict[str, list[str]],
    columns: dict[str, NDArray[np.float64]],
    rows: list[int],
    problems: list[Problem],
) -> Numbers:
    frame = joined.sheet.frame
    if role in (ANCHORS, FINGERPRINTS, HISTORY):
        order = epoch_order if role == HISTORY else natural_order
        rows.sort(key=lambda place: [order(cells[key][place]) for key in cells])
    else:  # many rows, which nobody sees one by one: any order will do, as long as it is always the same
        orders = [*cells.values(), *(column.tolist() for column in columns.values())]
        rows.sort(key=lambda place: [str(own[place]) for own in orders])
    table = np.column_stack(list(columns.values())) if columns else np.empty((len(frame), 0))
    return Numbers(
        role=role,
        keys={key: [texts[place] for place in rows] for key, texts in cells.items()},
        names=[history_name(name) for name in columns] if role == HISTORY else list(columns),
        values=table[rows],
        rows=[int(frame.index[place]) for place in rows],
        problems=problems,
    )


def _bad_numbers(
    texts: Sequence[str], known: dict[str, float | None], index: Sequence[int], header: str
) -> Iterable[Problem]:
    bad = {text for text, value in known.items() if value is None and text.strip()}
    for place, text in enumerate(texts) if bad else ():
        if text in bad:
            message = f"{text!r} is not a number and was left out"
            yield Problem(kind="bad-number", message=message, effect="note", row=int(index[place]), column=header)


def _parameters(joined: Joined, cells: dict[str, list[str]], rows: Sequence[int], problems: list[Problem]) -> Numbers:
    """Return names and values; a value may be a text, such as the name of the data."""
    names = [parameter_name(cells["name"][place]) for place in rows]
    texts = [cells["value"][place] for place in rows]
    values = [parse_float(text) for text in texts]
    index = [int(joined.sheet.frame.index[place]) for place in rows]
    for place, (name, text, value) in enumerate(zip(names, texts, values, strict=True)):
        what = (
            "not a number" if value is None else "not a number of parameters" if name == PARAMS_M and value <= 0 else ""
        )
        if what and name != DATASET:
            message = f"{name}: {text!r} is {what} and was left out"
            problems.append(
                Problem(kind="bad-number", message=message, effect="note", row=index[place], column="value")
            )
            values[place] = None
    return Numbers(
        role=PARAMETERS,
        keys={"name": names, "value": texts},
        names=["value"],
        values=np.array([[np.nan if value is None else value] for value in values], dtype=float).reshape(-1, 1),
        rows=index,
        problems=problems,
    )
