"""The one reader of a system's sheets of numbers: what each must have is declared, what it lacks is said here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, Column, Listed, row_numbers
from scoresheet.metrics.decimal_columns import plain_decimals
from scoresheet.metrics.families.collective.diagnostics import SUM_TOLERANCE
from scoresheet.metrics.families.collective.long_logs import unfolded_routing
from scoresheet.metrics.families.collective.missing_columns import refuse_missing
from scoresheet.metrics.families.collective.names import (
    DATASET,
    PARAMS_M,
    epoch_name,
    epoch_order,
    name_order,
    normalize_name,
    parameter_name,
)
from scoresheet.metrics.families.collective.schema import (
    EPOCH,
    LOGITS,
    NAME,
    PARAMETERS,
    ROUTING,
    TARGETS,
    VALUE,
    NumericSheet,
)
from scoresheet.metrics.families.collective.sheet_rows import row_array, usable_places
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.numbers import parse_float
from scoresheet.metrics.problems import Noted, Problem, note, reject, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import InputColumn
from scoresheet.metrics.stored_columns import Texts
from scoresheet.metrics.tables import shown_rows, text_cells
from scoresheet.metrics.text_columns import coded_cells, filled_cells, key_column, text_ranks

Columns = dict[str, NDArray[np.float64]]  # of numbers, by header; a value per row of the file


@dataclass(frozen=True)
class NumericTable:
    """A sheet of numbers as it was read: what names its rows, and its columns of values, NaN where there is none."""

    sheet: NumericSheet
    keys: Mapping[str, Column[str]]  # by name of the key column
    names: list[str]  # of the columns of values
    headers: list[str]  # of these columns, as the file has them
    values: NDArray[np.float64]  # rows × columns
    rows: Sequence[int]  # as a spreadsheet shows them

    @property
    def role(self) -> str:
        """What the sheet holds."""
        return self.sheet.role

    @property
    def is_empty(self) -> bool:
        """Whether there is no number in it."""
        return not self.names or not len(self.values)

    def cells(self, key: InputColumn) -> Column[str]:
        """Return the cells of a key column; empty ones where the sheet does not have it."""
        return self.keys.get(key.name) or Coded.repeated("", len(self.rows))


def read_numeric_sheet(
    sheet: Sheet, declared: NumericSheet, *, logits: bool = False, normalise: bool = False
) -> Noted[NumericTable]:
    """Return the numbers of a sheet; the order of its rows cannot matter. A rejection says why it cannot be used."""
    if declared is ROUTING:
        unfolded, said = unfolded_routing(sheet)
        table, problems = _read_wide(unfolded, declared, logits=logits, normalise=normalise)
        return Noted(table, (*said, *problems))
    return _read_wide(sheet, declared, logits=logits, normalise=normalise)


def _read_wide(sheet: Sheet, declared: NumericSheet, *, logits: bool, normalise: bool) -> Noted[NumericTable]:
    """Return the numbers of a sheet that has a column for each of them."""
    keys = {key.name for key in declared.keys}
    others = [str(header) for header in sheet.table.columns if header not in keys]
    refuse_missing(sheet, [key for key in declared.required if key.name in sheet.absent], declared.role)
    if declared is PARAMETERS:
        others = _value_column(others)
        if not others:
            reject(
                "missing-column",
                f"no column {VALUE} in the sheet {declared.role}; the first row has "
                f"{join_names(sheet.headers, most=12)}",
                effect="sheet skipped",
            )
    present = [key.name for key in declared.keys if key.name not in sheet.absent]
    cells = {key: key_column(text_cells(sheet.table, key)) for key in present}
    if EPOCH.name in cells:
        epochs = coded_cells(cells[EPOCH.name]).mapped(epoch_name)
        cells[EPOCH.name] = epochs
        if EPOCH not in declared.required and not any(epochs.values):
            del cells[EPOCH.name]  # as if there were no such column
    positions, problems = _usable_rows(sheet, declared, cells)
    if declared is PARAMETERS:
        table = _parameters(sheet, cells, others[0], positions, problems)
    else:
        parse = parse_float
        if declared is TARGETS:
            parse = _share
        elif logits or declared is LOGITS:
            parse = _logit
        columns = _columns(sheet, others, problems, parse=parse, listing=not declared.complete)
        if declared.complete:
            positions = _complete_rows(positions, columns, sheet, problems)
        table = _table(sheet, declared, cells, columns, positions)
    _check_names(table)
    problems += _high_accuracies(table)
    if declared.weights and table.names:
        _check_weights(table, problems, normalise=normalise)
    return Noted(table, tuple(problems))


def _value_column(headers: Sequence[str]) -> list[str]:
    """Return the header of the values of parameters, none if there is none; a rejection if it could be two."""
    hits = [header for header in headers if normalize_name(header) == VALUE]
    if len(hits) > 1 and VALUE not in hits:
        named = " and ".join(map(repr, hits))
        message = f"{named} could both be {VALUE} of the sheet {PARAMETERS.role}; call one of them {VALUE}"
        reject("ambiguous-column", message, effect="sheet skipped")
    return [VALUE] if VALUE in hits else hits


def _usable_rows(
    sheet: Sheet, declared: NumericSheet, cells: Mapping[str, Column[str]]
) -> tuple[NDArray[np.int64], list[Problem]]:
    """Return the positions of the rows that say what they are about, and why the others do not."""
    rows = shown_rows(sheet.table)
    positions = usable_places(sheet)
    required = [key.name for key in declared.required]
    problems = []
    for key in dict.fromkeys([*required, *([EPOCH.name] if EPOCH.name in cells else [])]):
        header = sheet.header(key)
        message = f"the cell {header} is empty" + ("" if key in required else ", where other rows have one")
        filled = filled_cells(cells[key])[positions]
        problems += [
            unscored_row("empty-key", message, row=rows[position], column=header)
            for position in positions[~filled].tolist()
        ]
        positions = positions[filled]
    return positions, problems


def _columns(
    sheet: Sheet,
    others: Sequence[str],
    problems: list[Problem],
    *,
    parse: Callable[[str], float | None],
    listing: bool,
) -> Columns:
    """Return the columns of values; one that holds no numbers is noted, and if asked every cell that holds none."""
    columns = {}
    for header in others:
        cells = text_cells(sheet.table, header)
        every = _every_number(cells)
        if every is not None:
            columns[header] = every
            continue
        texts = list(cells)
        known = {text: parse(text) for text in set(texts)}
        if not any(value is not None for value in known.values()):
            if any(text.strip() for text in known):
                message = f"the column {header} holds no numbers and was not used"
                problems.append(note("other-columns", message, column=header))
            continue
        numbers = {text: np.nan if value is None else value for text, value in known.items()}
        columns[header] = np.fromiter(map(numbers.__getitem__, texts), dtype=float, count=len(texts))
        if listing:
            problems += _bad_numbers(texts, known, shown_rows(sheet.table), header)
    return columns


def _every_number(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the numbers of a column, all at once; None if one of its cells is none, or may mean another number."""
    plain = plain_decimals(cells) if isinstance(cells, Texts) else None
    values, others = plain or (np.empty(len(cells)), np.arange(len(cells)))
    texts = list(cells) if plain is None else [cells[place] for place in others.tolist()]
    try:
        values[others] = np.fromiter(map(float, texts), dtype=float, count=len(texts))
    except ValueError:
        return None
    if not len(values) or not np.isfinite(values).all() or "_" in "".join(texts):  # Python would take 1_0
        return None
    return values + 0.0  # -0 is 0


def _share(text: str) -> float | None:
    """Return a share; one that is written with a % is a hundredth of the number before it."""
    value = parse_float(text.strip().removesuffix("%"))
    return value if value is None or not text.strip().endswith("%") else value / 100


def _logit(text: str) -> float | None:
    """Return a logit, which is -inf for what has no probability at all."""
    return -math.inf if text.strip().casefold() in ("-inf", "-infinity") else parse_float(text)


def _bad_numbers(
    texts: Sequence[str], known: Mapping[str, float | None], rows: Sequence[int], header: str
) -> Iterable[Problem]:
    bad = {text for text, value in known.items() if value is None and text.strip()}
    for position, text in enumerate(texts) if bad else ():
        if text in bad:
            message = f"{text!r} is not a number and was left out"
            yield note("bad-number", message, row=rows[position], column=header)


def _complete_rows(
    positions: NDArray[np.int64], columns: Columns, sheet: Sheet, problems: list[Problem]
) -> NDArray[np.int64]:
    """Return the rows with a number for every class: without one, the mean would be of other streams for each class."""
    table = _stacked(columns, len(sheet.table))
    unknown = np.isnan(table)
    nothing = np.asarray(np.isneginf(table).all(axis=1) & (len(columns) > 0))
    complete = (~(unknown.any(axis=1) | nothing))[positions]
    for position in positions[~complete].tolist():
        lacking = [name for name, lacks in zip(columns, unknown[position].tolist(), strict=True) if lacks]
        what = f"no number for {join_names(lacking)}" if lacking else "-inf for every class"
        message = f"the row has {what} and was left out: the stream does not count for this sample"
        row = shown_rows(sheet.table)[position]
        problems.append(unscored_row("missing-probabilities", message, row=row, column=lacking[0] if lacking else ""))
    return positions[complete]


def _stacked(columns: Columns, rows: int) -> NDArray[np.float64]:
    return np.column_stack(list(columns.values())) if columns else np.empty((rows, 0))


def _table(
    sheet: Sheet,
    declared: NumericSheet,
    cells: Mapping[str, Column[str]],
    columns: Columns,
    positions: NDArray[np.int64],
) -> NumericTable:
    ordered = positions[_order(declared, {key: own.take(positions) for key, own in cells.items()}, columns, positions)]
    return NumericTable(
        sheet=declared,
        keys={key: own.take(ordered) for key, own in cells.items()},
        names=[declared.column_name(name) for name in columns],
        headers=list(columns),
        values=_stacked(columns, len(sheet.table))[ordered],
        rows=row_numbers(row_array(sheet)[ordered]),
    )


def _order(
    declared: NumericSheet, cells: Mapping[str, Column[str]], columns: Columns, positions: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the order of rows, given what they are about, the columns of the sheet, and where they stand in these."""
    rows = range(len(positions))
    if declared.in_order:
        orders = [
            [epoch_order(cell) if key == EPOCH.name else name_order(cell) for cell in texts]
            for key, texts in cells.items()
        ]
        return np.array(sorted(rows, key=lambda row: [own[row] for own in orders]), dtype=np.int64)
    # many rows, which nobody sees one by one: any order will do, as long as it is always the same
    ranks = [text_ranks(own) for own in cells.values()]
    if ranks:
        found = np.lexsort(ranks[::-1])
        if np.any([own[found[1:]] != own[found[:-1]] for own in ranks], axis=0).all():  # what they are about decides
            return found
    texts = [*map(list, cells.values()), *(list(map(str, own[positions].tolist())) for own in columns.values())]
    return np.array(sorted(rows, key=lambda row: [own[row] for own in texts]), dtype=np.int64)


def _parameters(
    sheet: Sheet,
    cells: Mapping[str, Column[str]],
    value_column: str,
    positions: NDArray[np.int64],
    problems: list[Problem],
) -> NumericTable:
    """Return names and values; a value may be a text, such as the name of the data."""
    names = list(map(parameter_name, cells[NAME.name].take(positions)))
    written = text_cells(sheet.table, value_column)
    texts = [join_key(written[position]) for position in positions.tolist()]
    rows = row_array(sheet)[positions].tolist()
    values = []
    for row, name, text in zip(rows, names, texts, strict=True):
        value = parse_float(text)
        wrong = ""
        if value is None:
            wrong = "not a number"
        elif name == PARAMS_M and value <= 0:
            wrong = "not a number of parameters"
        if wrong and name != DATASET:
            message = f"{name}: {text!r} is {wrong} and was left out"
            problems.append(note("bad-number", message, row=row, column=VALUE))
        values.append(math.nan if wrong or value is None else value)
    return NumericTable(
        sheet=PARAMETERS,
        keys={NAME.name: Listed(names), VALUE: Listed(texts)},
        names=[VALUE],
        headers=[value_column],
        values=np.array(values, dtype=float).reshape(-1, 1),
        rows=rows,
    )


def _check_names(table: NumericTable) -> None:
    """Reject a sheet that names a stream, an epoch or a column of ours twice."""
    unique = table.sheet.unique
    if unique is not None and (twice := _repeated(table.keys[unique.name])):
        message = f"{unique.name} {join_names(twice)} is there twice in the sheet {table.role}; keep one row of each"
        reject("duplicate-sample", message, effect="sheet skipped")
    if twice := _repeated(table.names):
        message = f"two columns of the sheet {table.role} are {join_names(twice)} to us; keep or rename one of them"
        reject("ambiguous-column", message, effect="sheet skipped")


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


def _high_accuracies(table: NumericTable) -> Iterable[Problem]:
    if not table.sheet.accuracies:
        return
    highest = np.nanmax(table.values, axis=0, initial=0).tolist()
    found = [name for name, most in zip(table.names, highest, strict=True) if most > 1]
    if above := [name for name in found if name.startswith(table.sheet.accuracies)]:
        yield note("bad-number", f"accuracies above 1, which look like percent: {join_names(above)}")


def _check_weights(table: NumericTable, problems: Sequence[Problem], *, normalise: bool) -> None:
    """Reject weights below 0, and shares that do not sum to 1."""
    shares = table.sheet.weights == "shares"
    if shares and normalise:
        return  # what cannot be divided is left out, row by row
    below = (table.values < 0).any(axis=1)
    sums = np.nansum(table.values, axis=1)
    off = np.flatnonzero(below | (np.abs(sums - 1) > SUM_TOLERANCE) if shares else below)
    if not len(off):
        return
    what, hint = "have a weight below 0", ""
    if len(off) > below.sum():
        what = f"do not sum to 1 but to {sums[off].min():.4g} to {sums[off].max():.4g}"
        hint = f"; {flag('normalise')} divides weights by their sum"
    bad = next((str(problem) for problem in problems if problem.kind == "bad-number"), "")
    hint += f"; {bad}" if bad else ""
    rows = join_names(str(row) for row in sorted(table.rows[position] for position in off.tolist()))
    message = f"{len(off):,} of {len(table.rows):,} rows of the sheet {table.role} {what}: row {rows}{hint}"
    reject("bad-weights", message, effect="sheet skipped")
