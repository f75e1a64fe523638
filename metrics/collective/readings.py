"""The numbers of a system's sheets that hold only numbers, and which of these sheets cannot be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.collective.names import epoch_name, epoch_order, squeezed
from scoresheet.metrics.collective.sheets import (
    ANCHORS,
    FINGERPRINTS,
    HISTORY,
    LOGITS,
    PARAMETERS,
    PROBABILITIES,
    ROUTING,
)
from scoresheet.metrics.core import Joined
from scoresheet.metrics.keys import join_key, natural_order
from scoresheet.metrics.numbers import real_number
from scoresheet.metrics.problems import Problem, refuse
from scoresheet.metrics.wording import listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SUM_TOLERANCE: Final = 1e-4  # by which weights may miss a sum of 1
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


def check_numbers(sheet: Numbers, *, normalise: bool) -> None:
    """Refuse a sheet whose numbers cannot be what it says they are, or that names a stream or an epoch twice."""
    import numpy as np

    if sheet.role in (ANCHORS, FINGERPRINTS, HISTORY, PARAMETERS):
        key = _NEEDED[sheet.role][0]
        names = sheet.keys[key]
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        if twice:
            message = f"{key} {listed(twice)} is there twice in the sheet {sheet.role}; keep one row of each"
            refuse("duplicate-sample", message, effect="sheet skipped")
    if sheet.role == HISTORY:
        shares = [name for name in sheet.names if squeezed(name).startswith(("acc:", "collectiveacc"))]
        above = [name for name in shares if np.nanmax(sheet.values[:, sheet.names.index(name)], initial=0) > 1]
        if above:
            message = f"accuracies above 1, which look like percent: {listed(above)}"
            sheet.problems.append(Problem(kind="bad-number", message=message, effect="note"))
    if sheet.role not in (ROUTING, ANCHORS) or not sheet.names:
        return
    below = np.flatnonzero((sheet.values < 0).any(axis=1))
    off = below
    if sheet.role == ROUTING and not normalise:
        sums = np.where(np.isnan(sheet.values), 0.0, sheet.values).sum(axis=1)
        off = np.flatnonzero((np.abs(sums - 1) > SUM_TOLERANCE) | (sheet.values < 0).any(axis=1))
    elif sheet.role == ROUTING:
        return  # what cannot be divided is left out, row by row
    if len(off):
        rows = listed(str(row) for row in sorted(sheet.rows[place] for place in off.tolist()))
        what = "have a weight below 0"
        hint = ""
        if sheet.role == ROUTING and len(off) > len(below):
            totals = np.nansum(sheet.values[off], axis=1)
            what = f"do not sum to 1 but to {totals.min():.4g} to {totals.max():.4g}"
            hint = "; --normalise divides weights by their sum"
        bad = next((str(problem) for problem in sheet.problems if problem.kind == "bad-number"), "")
        hint += f"; {bad}" if bad else ""
        message = f"{len(off):,} of {len(sheet.rows):,} rows of the sheet {sheet.role} {what}: row {rows}{hint}"
        refuse("bad-weights", message, effect="sheet skipped")


def read_numbers(joined: Joined, role: str) -> Numbers:
    """Return the numbers of a sheet; the order of its rows cannot matter."""
    frame = joined.sheet.frame
    headers = [str(header) for header in frame.columns if header not in joined.absent]
    keys: dict[str, str] = {}
    for key in _KEYS[role]:
        alike = [header for header in headers if squeezed(header) == key]
        alike = alike or [header for header in headers if squeezed(header) in _OTHERWISE.get(key, ())]
        keys |= {key: key if key in alike else alike[0]} if alike else {}
    missing = [key for key in _NEEDED.get(role, ()) if key not in keys]
    if missing:
        refuse(
            "missing-column",
            f"no column {' and no column '.join(missing)} in the sheet {role}; the first row has "
            f"{listed(headers, most=12)}",
            effect="sheet skipped",
        )
    cells = {key: [join_key(cell) for cell in frame[header]] for key, header in keys.items()}
    if "epoch" in cells:
        cells["epoch"] = [epoch_name(cell) for cell in cells["epoch"]]
    if role == PARAMETERS:
        return _parameters(joined, cells)
    return _numbers(joined, role, cells, [header for header in headers if header not in keys.values()])


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
        order = epoch_order if role == HISTORY else natural_order
        rows.sort(key=lambda place: [order(cells[key][place]) for key in cells])
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
