"""Long logs: a row per sample and stream, or per sample and expert, turned into a row per sample with a column each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from scoresheet.metrics.columns import Coded, Column
from scoresheet.metrics.families.collective.names import (
    condition_names,
    epoch_name,
    matching_names,
    normalize_name,
    split_name,
)
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.schema import (
    COLLECTIVE,
    CONDITION,
    EPOCH,
    EXPERT,
    LABEL,
    PREDICTION,
    PREDICTION_COLUMNS,
    ROUTING,
    SAMPLE,
    SPLIT,
    STREAM,
    WEIGHT,
)
from scoresheet.metrics.families.collective.sheet_rows import usable_places
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import empty_key, flag, join_names, pluralize
from scoresheet.metrics.numbers import parse_decimal
from scoresheet.metrics.problems import Noted, Problem, note, reject, unscored_row
from scoresheet.metrics.tables import HeldTable, shown_rows, text_cells
from scoresheet.metrics.text_columns import coded_cells, filled_cells, key_column

_SYSTEMS: Final = ("system", "run", "engine", "seed", "fold", "round")  # columns that may tell systems apart
_UNUSED: Final = "0"  # the weight of an expert that a log of the chosen ones leaves out

RowKey = tuple[str, ...]  # what a row is about, whoever it is of


class Unfolded(NamedTuple):
    """A long log as a sheet with a row per sample."""

    sheet: Sheet
    rows: int  # that it would have, had every row of the log been usable


class _Log(NamedTuple):
    """The rows of a log that can be used: by what they are about, and by whom they are of."""

    rows: dict[RowKey, list[int]]  # positions
    places: dict[tuple[RowKey, str], int]

    @property
    def names(self) -> list[str]:
        """Whom the rows are of, in the order of the log."""
        return list(dict.fromkeys(name for _, name in self.places))

    def first(self, cells: Sequence[str]) -> list[str]:
        """Return the cells of the first row of each."""
        return [cells[own[0]] for own in self.rows.values()]

    def of(self, name: str, cells: Sequence[str], missing: str) -> list[str]:
        """Return the cells of one name's rows, and what stands for those that are not there."""
        found = (self.places.get((key, name)) for key in self.rows)
        return [missing if place is None else cells[place] for place in found]


class KeyColumns(NamedTuple):
    """What each row of predictions is about, in one form; the columns by which rows are sorted, in this order."""

    samples: Column[str]
    conditions: Coded[str]
    epochs: Coded[str]
    splits: Coded[str]


def key_columns(sheet: Sheet, options: CollectiveOptions) -> KeyColumns:
    """Return what each row of predictions is about."""
    table, absent = sheet.table, sheet.absent
    splits = text_cells(table, SPLIT.name)
    return KeyColumns(
        key_column(text_cells(table, SAMPLE.name)),
        condition_names(text_cells(table, CONDITION.name), options.clean, named=CONDITION.name not in absent),
        coded_cells(text_cells(table, EPOCH.name)).mapped(lambda cell: epoch_name(join_key(cell))),
        Coded.repeated("", len(splits)) if SPLIT.name in absent else coded_cells(splits).mapped(split_name),
    )


def is_long(sheet: Sheet, options: CollectiveOptions) -> bool:
    """Return whether predictions are a long log: a column names the stream of a row, another holds its prediction.

    Where these very columns are named as streams, they are streams.
    """
    if PREDICTION.name not in sheet.taken:
        return False
    own = [sheet.header(STREAM.name), sheet.header(PREDICTION.name)]
    return not any(matching_names(name, own) for name in options.chosen_streams())


def with_own_columns(sheet: Sheet) -> Sheet:
    """Return predictions that are no long log, with the columns that could have been one's under their own names."""
    if PREDICTION.name not in sheet.taken:
        return sheet
    ours = [column.name for column in PREDICTION_COLUMNS]
    own = {sheet.taken[name]: name for name in (STREAM.name, PREDICTION.name)}
    taken = {sheet.taken[name] for name in ours if name in sheet.taken}
    others = {
        header: text_cells(sheet.table, own.get(header, header))
        for header in sheet.headers
        if header not in taken and (header in own or header in sheet.table.columns)
    }
    columns = {name: text_cells(sheet.table, name) for name in ours}
    return replace(sheet, table=HeldTable(columns | others, shown_rows(sheet.table)))


def unfolded_predictions(sheet: Sheet, options: CollectiveOptions) -> Noted[Unfolded]:
    """Return a long log of predictions as a row per sample, numbered as its first one, with a column per stream."""
    keys: list[RowKey] = list(zip(*key_columns(sheet, options), strict=True))
    streams = [join_key(cell) for cell in text_cells(sheet.table, STREAM.name)]
    kept, problems = _named_rows(sheet, [SAMPLE.name, STREAM.name])
    log = _gathered(kept, keys, streams, lambda first, second: _refuse_second(sheet, keys, streams, first, second))
    names = log.names
    _refuse_single(sheet, log)
    ensemble = _own_predictions(sheet, names)
    _refuse_names(sheet, STREAM.name, set(names) - {ensemble}, [column.name for column in PREDICTION_COLUMNS])
    columns: dict[str, list[str]] = {}
    for column in PREDICTION_COLUMNS:
        cells = list(text_cells(sheet.table, column.name))
        agreed = column in (LABEL, COLLECTIVE)
        columns[column.name] = _agreed(sheet, column.name, log) if agreed else log.first(cells)
    cells = list(text_cells(sheet.table, PREDICTION.name))
    columns |= {COLLECTIVE.name if name == ensemble else name: log.of(name, cells, "") for name in names}
    absent = sheet.absent - {COLLECTIVE.name} if ensemble else sheet.absent
    unfolded = replace(sheet, table=HeldTable(columns, _first_rows(sheet, log)), unusable_rows={}, absent=absent)
    about = f"the streams of {pluralize(len(log.rows), 'sample')}"
    own = f"; {ensemble} is the ensemble's own" if ensemble else ""
    problems.append(_long_note(sheet, STREAM.name, about, [name for name in names if name != ensemble], own))
    return Noted(Unfolded(unfolded, len(set(keys))), tuple(problems))


def unfolded_routing(sheet: Sheet) -> Noted[Sheet]:
    """Return routing with a column per expert: a long log is turned, any other sheet stays what it is."""
    keys = [key.name for key in ROUTING.keys]
    others = [str(header) for header in sheet.table.columns if header not in (*keys, EXPERT.name, WEIGHT.name)]
    by = EXPERT.name if EXPERT.name in sheet.taken else STREAM.name
    # beside other columns of weights, one that is called weight is one of them
    if WEIGHT.name not in sheet.taken or by not in sheet.taken or (by == STREAM.name and others):
        return Noted(_wide_routing(sheet, others))
    own = [key for key in keys if key in sheet.taken and key != by]
    cells = {key: list(text_cells(sheet.table, key)) for key in own}
    about = [tuple(join_key(cells[key][place]) for key in own) for place in range(len(sheet.table))]
    experts = [join_key(cell) for cell in text_cells(sheet.table, by)]
    kept, problems = _named_rows(sheet, [by])

    def refuse(first: int, second: int) -> None:
        free = [key for key in keys if key not in (*own, by)]
        way = f", or tell them apart by a column {', '.join(free)}" if free else ""
        where = ", ".join(filter(None, about[first]))
        reject(
            "duplicate-sample",
            f"{sheet.header(by)} {experts[first]!r} is there twice{f' for {where}' if where else ''}, in rows "
            f"{_two_rows(sheet, first, second)}; keep one of them{way}",
            effect="sheet skipped",
        )

    log = _gathered(kept, about, experts, refuse)
    _refuse_names(sheet, by, log.names, keys)
    weights = list(text_cells(sheet.table, WEIGHT.name))
    columns = {key: log.first(cells[key]) if key in own else [""] * len(log.rows) for key in keys}
    columns |= {name: log.of(name, weights, _UNUSED) for name in log.names}
    problems.append(_long_note(sheet, by, f"the experts of {pluralize(len(log.rows), 'routing')}", log.names))
    unfolded = replace(
        sheet,
        table=HeldTable(columns, _first_rows(sheet, log)),
        unusable_rows={},
        absent=frozenset(keys) - frozenset(own),
    )
    return Noted(unfolded, tuple(problems))


def _wide_routing(sheet: Sheet, others: Collection[str]) -> Sheet:
    """Return routing that has a column per expert: a lone `expert` is the stream, a lone `weight` a weight."""
    taken, absent = dict(sheet.taken), sheet.absent
    columns = {key.name: text_cells(sheet.table, key.name) for key in ROUTING.keys}
    if EXPERT.name in taken and STREAM.name in absent:
        columns[STREAM.name] = text_cells(sheet.table, EXPERT.name)
        absent -= {STREAM.name}
        taken[STREAM.name] = taken.pop(EXPERT.name)
    put_back = {taken[name]: name for name in (EXPERT.name, WEIGHT.name) if name in taken}
    values = [header for header in sheet.headers if header in others or header in put_back]
    columns |= {header: text_cells(sheet.table, put_back.get(header, header)) for header in values}
    return replace(sheet, table=HeldTable(columns, shown_rows(sheet.table)), absent=absent, taken=taken)


def _named_rows(sheet: Sheet, names: Sequence[str]) -> tuple[list[int], list[Problem]]:
    """Return the positions of the rows that say what they are about, and why the others do not."""
    rows = shown_rows(sheet.table)
    kept = usable_places(sheet).tolist()
    problems = []
    for name in names:
        filled = filled_cells(text_cells(sheet.table, name)).tolist()
        header = sheet.header(name)
        problems += [
            unscored_row("empty-key", empty_key(header), row=rows[place], column=header)
            for place in kept
            if not filled[place]
        ]
        kept = [place for place in kept if filled[place]]
    return kept, problems


def _gathered(
    kept: Sequence[int], keys: Sequence[RowKey], names: Sequence[str], refuse: Callable[[int, int], None]
) -> _Log:
    """Return rows by what they are about and by name; two of one name about the same are refused."""
    log = _Log({}, {})
    for place in kept:
        first = log.places.setdefault((keys[place], names[place]), place)
        if first != place:
            refuse(first, place)
        log.rows.setdefault(keys[place], []).append(place)
    return log


def _first_rows(sheet: Sheet, log: _Log) -> list[int]:
    rows = shown_rows(sheet.table)
    return [rows[own[0]] for own in log.rows.values()]


def _two_rows(sheet: Sheet, first: int, second: int) -> str:
    rows = shown_rows(sheet.table)
    return f"{rows[first]} and {rows[second]}"


def _long_note(sheet: Sheet, by: str, about: str, names: Sequence[str], own: str = "") -> Problem:
    header = sheet.header(by)
    message = f"a long log, whose column {header} names {about}: {join_names(names, most=8)}{own}"
    return note("long-log", message, column=header)


def _agreed(sheet: Sheet, column: str, log: _Log) -> list[str]:
    """Return what the rows of each sample say in a column, '' where none says anything; they must not differ."""
    cells = list(text_cells(sheet.table, column))
    agreed = []
    for (sample, *_), places in log.rows.items():
        said = [place for place in places if cells[place].strip()]
        differing = [place for place in said if not _is_same(cells[said[0]], cells[place])]
        if differing:
            rows = _two_rows(sheet, said[0], differing[0])
            reject(
                "labels-differ",
                f"the sample {sample!r} has {cells[said[0]]!r} and {cells[differing[0]]!r} as {sheet.header(column)}, "
                f"in rows {rows}; it can have only one",
            )
        agreed.append(cells[said[0]] if said else "")
    return agreed


def _is_same(one: str, other: str) -> bool:
    """Return whether two cells are the same class.

    >>> _is_same("1", "1.0"), _is_same("cat", "cat "), _is_same("cat", "dog")
    (True, True, False)
    """
    if one == other or join_key(one) == join_key(other):
        return True
    number = parse_decimal(join_key(one))
    return number is not None and number == parse_decimal(join_key(other))


def _refuse_second(sheet: Sheet, keys: Sequence[RowKey], streams: Sequence[str], first: int, second: int) -> None:
    """Reject a log in which a stream has two predictions of a sample; say which column may tell the rows apart."""
    sample, *where = keys[first]
    systems = [header for header in map(str, sheet.table.columns) if normalize_name(header) in _SYSTEMS]
    differing = [
        header for header in systems if len({text_cells(sheet.table, header)[row] for row in (first, second)}) > 1
    ]
    way = "tell them apart by a column condition or epoch"
    if differing:
        way = f"make each {differing[0]} a system of its own with {flag(f'model-column {differing[0]}')}"
    reject(
        "duplicate-sample",
        f"the sample {sample!r} has two predictions of {streams[first]!r} ({', '.join(filter(None, where))}), in rows "
        f"{_two_rows(sheet, first, second)}; keep one of them, or {way}",
    )


def _refuse_single(sheet: Sheet, log: _Log) -> None:
    """Reject a log of several streams in which no sample has predictions of two: it is none of an ensemble."""
    if len(log.names) < 2 or len(log.places) > len(log.rows):
        return
    stream, prediction = sheet.header(STREAM.name), sheet.header(PREDICTION.name)
    reject(
        "ambiguous-column",
        f"if {stream} names the streams, no sample has predictions of two of them; if {stream} and {prediction} are "
        f"streams themselves, name all that are with {flag(f'streams {stream},{prediction}')}",
        effect="sheet skipped",
    )


def _own_predictions(sheet: Sheet, names: Sequence[str]) -> str:
    """Return the name under which a log has the ensemble's own predictions; '' if it has none."""
    known = [normalize_name(name) for name in (COLLECTIVE.name, *COLLECTIVE.aliases)]
    hits = [name for name in names if normalize_name(name) in known]
    column = [f"the column {sheet.header(COLLECTIVE.name)}"] if COLLECTIVE.name in sheet.taken else []
    if len(hits) + len(column) > 1:
        both = " and ".join([*(f"the stream {hit!r}" for hit in hits), *column])
        message = f"{both} could both be what the ensemble itself predicts; keep one of them"
        reject("ambiguous-column", message, effect="sheet skipped")
    return hits[0] if hits else ""


def _refuse_names(sheet: Sheet, by: str, names: Collection[str], ours: Collection[str]) -> None:
    """Reject a log in which somebody is called as a column of ours is."""
    same = sorted(set(names) & set(ours))
    if same:
        message = f"{sheet.header(by)} cannot be {join_names(map(repr, same))}, which is a column of ours; rename it"
        reject("ambiguous-column", message, effect="sheet skipped")
