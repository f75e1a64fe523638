"""Which sheet of a system is which, and the numbers of those that hold only numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.core import Column, Joined
from scoresheet.metrics.keys import join_key, loose_key, natural_order
from scoresheet.metrics.numbers import real_number
from scoresheet.metrics.problems import Problem, refuse
from scoresheet.metrics.wording import listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PREDICTIONS: Final = "predictions"
PROBABILITIES: Final = "probabilities"
LOGITS: Final = "logits"
ROUTING: Final = "routing"
ANCHORS: Final = "anchors"
FINGERPRINTS: Final = "fingerprints"
HISTORY: Final = "history"
PARAMETERS: Final = "parameters"
GUESSED: Final = "predictions by their columns"
_ROLES: Final = (PREDICTIONS, PROBABILITIES, LOGITS, ROUTING, ANCHORS, FINGERPRINTS, HISTORY, PARAMETERS)
_ALIASES: Final = {"probability": PROBABILITIES, "route": ROUTING, "routes": ROUTING, "params": PARAMETERS}

INPUTS: Final = (
    Column(
        "sample", "The sample, in predictions, probabilities and routing.", "label", ("sample_id", "id", "item"), False
    ),
    Column("label", "What is right, in predictions.", "label", ("target", "truth", "gold"), required=False),
    Column("collective", "What the ensemble itself predicts.", "label", ("ensemble", "fused"), required=False),
    Column("condition", "Under which condition; empty: clean.", "label", required=False),
    Column("epoch", "At which epoch.", "label", required=False),
)
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


def check_numbers(sheet: Numbers, *, normalise: bool) -> None:
    """Refuse a sheet whose numbers cannot be what it says they are, or that names a stream or an epoch twice."""
    import numpy as np

    if sheet.role in (ANCHORS, FINGERPRINTS, HISTORY):
        (key,) = _NEEDED[sheet.role]
        names = sheet.keys[key]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            message = f"{key} {listed(twice)} is there twice in the sheet {sheet.role}; keep one row of each"
            refuse("duplicate-sample", message, effect="sheet skipped")
    if sheet.role not in (ROUTING, ANCHORS) or not sheet.names:
        return
    below = np.flatnonzero((sheet.values < 0).any(axis=1))
    off = below
    if sheet.role == ROUTING and not normalise:
        sums = np.where(np.isnan(sheet.values), 0.0, sheet.values).sum(axis=1)
        off = np.flatnonzero((np.abs(sums - 1) > 1e-4) | (sheet.values < 0).any(axis=1))
    elif sheet.role == ROUTING:
        return  # what cannot be divided is left out, row by row
    if len(off):
        rows = listed(str(row) for row in sorted(sheet.rows[place] for place in off.tolist()))
        what = "have a weight below 0" if len(off) == len(below) else "do not sum to 1, or have a weight below 0"
        hint = "; --normalise divides weights by their sum" if sheet.role == ROUTING else ""
        bad = next((str(problem) for problem in sheet.problems if problem.kind == "bad-number"), "")
        hint += f"; {bad}" if bad else ""
        message = f"{len(off):,} of {len(sheet.rows):,} rows of the sheet {sheet.role} {what}: row {rows}{hint}"
        refuse("bad-weights", message, effect="sheet skipped")


def squeezed(name: str) -> str:
    """Return a name without case, spaces, _ and -.

    >>> squeezed("Emergence-Ratio") == squeezed("emergence_ratio") == "emergenceratio"
    True
    """
    return loose_key(name).replace(" ", "")


def epoch_name(text: str) -> str:
    """Return an epoch in one form: 1 and 1.0 are the same.

    >>> epoch_name("1.0"), epoch_name("warm-up")
    ('1', 'warm-up')
    """
    value = real_number(text)
    return text if value is None else f"{value:.16g}"


def role_of(joined: Joined) -> str:
    """Return what a sheet holds, by its name or, for predictions, by its columns; a Refusal names what it could be."""
    name = squeezed(joined.sheet.name.rpartition("/")[2])
    for role in _ROLES:
        if name in (role, role.removesuffix("s")):
            return role
    if name in _ALIASES:
        return _ALIASES[name]
    if not {"sample", "label"} & joined.absent:
        return GUESSED
    return refuse(
        "unknown-sheet",
        f"the sheet {joined.sheet.name!r} is none of {', '.join(_ROLES)}, and has not both columns sample and label; "
        "rename it, or leave it out with --skip-sheet",
        effect="sheet skipped",
    )


def read_numbers(joined: Joined, role: str) -> Numbers:
    """Return the numbers of a sheet; the order of its rows cannot matter."""
    frame = joined.sheet.frame
    headers = {squeezed(str(header)): str(header) for header in frame.columns if header not in joined.absent}
    keys = {key: headers[key] for key in _KEYS[role] if key in headers}
    missing = [key for key in _NEEDED.get(role, ()) if key not in keys]
    if missing:
        refuse(
            "missing-column",
            f"no column {' and no column '.join(missing)} in the sheet {role}; the first row has "
            f"{listed(map(str, headers.values()), most=12)}",
            effect="sheet skipped",
        )
    cells = {key: [join_key(cell) for cell in frame[header]] for key, header in keys.items()}
    if "epoch" in cells:
        cells["epoch"] = [epoch_name(cell) for cell in cells["epoch"]]
    if role == PARAMETERS:
        return _parameters(joined, cells)
    others = [header for header in headers.values() if header not in keys.values()]
    return _numbers(joined, role, cells, others)


def _numbers(joined: Joined, role: str, cells: dict[str, list[str]], others: Sequence[str]) -> Numbers:
    import numpy as np

    frame = joined.sheet.frame
    problems: list[Problem] = []
    columns = {}
    for header in others:
        texts = frame[header].tolist()
        known = {text: real_number(text) for text in set(texts)}
        if not any(value is not None for value in known.values()):
            if any(text.strip() for text in known):
                message = f"the column {header} holds no numbers and was not used"
                problems.append(Problem(kind="other-columns", message=message, effect="note", column=header))
            continue
        numbers = {text: np.nan if value is None else value for text, value in known.items()}
        columns[header] = np.fromiter(map(numbers.__getitem__, texts), dtype=float, count=len(texts))
        problems += _bad_numbers(texts, known, frame.index.tolist(), header)
    rows = [place for place, row in enumerate(frame.index) if row not in joined.unsound]
    problems += _empty_keys(cells, _NEEDED.get(role, ()), rows, frame.index.tolist())
    rows = [place for place in rows if all(cells[key][place] for key in _NEEDED.get(role, ()))]
    if role in (ANCHORS, FINGERPRINTS, HISTORY):
        rows.sort(key=lambda place: [natural_order(cells[key][place]) for key in cells])
    else:  # many rows, which nobody sees one by one: any order will do, as long as it is always the same
        orders = [*cells.values(), *(column.tolist() for column in columns.values())]
        rows.sort(key=lambda place: [str(own[place]) for own in orders])
    table = np.column_stack(list(columns.values())) if columns else np.empty((len(frame), 0))
    return Numbers(
        role=role,
        keys={key: [texts[place] for place in rows] for key, texts in cells.items()},
        names=list(columns),
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


def _empty_keys(
    cells: dict[str, list[str]], needed: Sequence[str], rows: Sequence[int], index: Sequence[int]
) -> Iterable[Problem]:
    for key in needed:
        for place in rows:
            if not cells[key][place]:
                message = f"the cell {key} is empty"
                yield Problem(
                    kind="empty-key", message=message, effect="row not scored", row=int(index[place]), column=key
                )


def _parameters(joined: Joined, cells: dict[str, list[str]]) -> Numbers:
    """Return names and values; a value may be a text, such as the name of the data."""
    import numpy as np

    values = [real_number(text) for text in cells["value"]]
    problems = [
        Problem(
            kind="bad-number",
            message=f"{name}: {text!r} is not a number and was left out",
            effect="note",
            row=int(row),
            column="value",
        )
        for name, text, value, row in zip(cells["name"], cells["value"], values, joined.sheet.frame.index, strict=True)
        if value is None and squeezed(name) != "dataset"
    ]
    return Numbers(
        role=PARAMETERS,
        keys=cells,
        names=["value"],
        values=np.array([[np.nan if value is None else value] for value in values], dtype=float).reshape(-1, 1),
        rows=[int(row) for row in joined.sheet.frame.index],
        problems=problems,
    )
