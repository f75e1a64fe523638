"""Columns that tell models or runs apart, by their names or by what stands in them: unused, that is said aloud."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from shlex import quote
from typing import Final, Literal, NamedTuple

import numpy as np

from scoresheet.cli.input.header_matching import Renamings, candidates, headers_of
from scoresheet.cli.input.header_words import is_attribute, last_part, may_tell_models, tells_models, tells_repeats
from scoresheet.cli.input.loading import LoadedSheet
from scoresheet.cli.input.repeated_keys import explains_repeats
from scoresheet.cli.input.rivals import same_groups
from scoresheet.metrics.columns import Coded
from scoresheet.metrics.family import P
from scoresheet.metrics.keys import join_keys
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.problems import InputError, Noted, Problem, note
from scoresheet.metrics.schema import Schema, TableSchema
from scoresheet.metrics.tables import keys_of

_SHEETS: Final = ("run", "sheet", "question", "prompttype", "arrangement", "round", "experiment", "experimentid")
_ABOUT: Final = ("question", "prompttype", "round")  # may be of each row its own
_LONGEST: Final = 40  # characters of a value that are shown
_NAME: Final = 80  # characters that a name may have; what is longer is a text
_GROUPS: Final = 50  # values that a column may have to be worth a word where rows have no key

Why = Literal["model", "sheet", "key", "groups"]  # a name that says so, twice; keys that repeat; rows that share values


class _Column(NamedTuple):
    """A column that was not used and seems to tell rows apart."""

    header: str
    why: Why
    values: tuple[str, ...]
    keys: tuple[str, ...] = ()  # headers whose cells repeat, where it explains that


def unseparated_columns(
    parsed: Sequence[tuple[Noted[P], LoadedSheet]], schema: Schema, renamed: Renamings, asked: Collection[str] = ()
) -> list[Problem]:
    """Return, once for each file, the columns of several values that nothing used: their rows were taken together.

    What was `asked` for by --by or --keep is known to whoever asked, unless its name says that it is another model's.
    """
    columns: dict[tuple[str, str], dict[str, _Column]] = {}  # file and header → sheet → column
    for each, loaded in parsed:
        for column in _separating_columns(loaded, schema, renamed, each.value.used_columns):
            wanted = column.header in asked and column.why in ("key", "groups")
            # a file's sheets are one model's, whatever stands alone in one of them
            if not wanted and (len(column.values) > 1 or column.why == "model"):
                columns.setdefault((loaded.source, column.header), {})[loaded.name] = column
    problems = []
    for (source, _), sheets in columns.items():
        first = next(iter(sheets.values()))
        every = tuple(dict.fromkeys(value for column in sheets.values() for value in column.values))
        if len(every) > 1:
            problem = _problem(first._replace(values=every), ", so that their rows were scored together", len(sheets))
            problems.append(problem.at(file=source, sheet=next(iter(sheets))))
    return problems


def columns_of_refused(loaded: LoadedSheet, schema: Schema, renamed: Renamings) -> list[Problem]:
    """Return the columns of a sheet that was refused for what is in its rows: to split it may be all that it lacks."""
    try:
        found = list(_separating_columns(loaded, schema, renamed, ()))
    except InputError:  # two headers could be one column, which was the reason
        return []
    return [
        _problem(column, "", 1).at(file=loaded.source, sheet=loaded.name)
        for column in found
        if len(column.values) > 1 and column.why != "groups"
    ]


def _separating_columns(
    loaded: LoadedSheet, schema: Schema, renamed: Renamings, others: Collection[str]
) -> Iterator[_Column]:
    """Yield the columns that were not used and seem to tell rows apart, those that say so by name first."""
    grid, table = loaded.grid, schema.of_sheet(loaded.name)
    ours = headers_of(grid, table, renamed)
    keys = [header for header, column in ours.items() if header is not None and column.kind != "text"]
    nested = {header for _, header in loaded.nested_cells}
    free = [header for header in grid.headers if header not in {*ours, *others, *nested}]
    named: list[_Column] = []
    for header in free:
        why = _told_by_name(header, loaded, schema, keys)
        if why and not ("." in header and any(_go_together(loaded, header, each.header) for each in named)):
            named.append(_Column(header, why, _values(loaded, header)))
    yield from (column for column in named if column.values)
    rest = [
        header
        for header in free
        if not (tells_repeats(header) or is_attribute(header)) and header not in {each.header for each in named}
    ]
    repeats = [header for header in free if tells_repeats(header)]
    told = [column.header for column in named if len(column.values) > 1]
    alternatives = list(_keys_of(table, loaded, renamed))
    for key in alternatives:
        column = _explaining(loaded, [*key, *repeats, *told], rest)
        if column:
            yield column._replace(keys=key)
            return
    if not alternatives and not told:
        yield from (_Column(header, "groups", _values(loaded, header)) for header in rest if _groups(loaded, header))


def _told_by_name(header: str, loaded: LoadedSheet, schema: Schema, keys: Sequence[str]) -> Why | None:
    """Return what a column tells apart by its name."""
    if tells_models(header):
        return "model"
    if may_tell_models(header) and all(len(value) <= _NAME for value in _values(loaded, header)):
        return "model"
    name, rows = last_part(header), len(loaded.grid)
    asks = name in map(last_part, schema.asked_by)
    if not asks and name not in _SHEETS:
        return None
    if asks or name in _ABOUT:
        # where every row has a value of its own, it tells what a row is about and keeps no groups apart; where a key of
        # ours goes with it, the key keeps them apart
        values = len(_values(loaded, header))
        few = values * 2 <= rows if asks else values < rows
        return "sheet" if few and not any(_go_together(loaded, header, key) for key in keys) else None
    return "sheet"


def _keys_of(table: TableSchema, loaded: LoadedSheet, renamed: Renamings) -> Iterator[tuple[str, ...]]:
    """Yield the headers that together say what a row is about, then those that could do so as well."""
    headers = loaded.grid.headers
    taken = {column.name: header for header, column in headers_of(loaded.grid, table, renamed).items() if header}
    present = tuple(taken[name] for name in table.identifying if name in taken)
    if not present:
        return
    yield present
    if len(table.identifying) == 1:
        (column,) = [each for each in table.columns if each.name == table.identifying[0]]
        yield from ((other,) for other in candidates(column, headers, renamed) if other not in present)


def _explaining(loaded: LoadedSheet, keys: Sequence[str], headers: Sequence[str]) -> _Column | None:
    """Return the first column that tells apart the rows whose keys are the same."""
    if not headers or _all_differ(loaded, keys):
        return None
    columns = [list(Coded.of(keys_of(loaded.grid.cells(key)))) for key in keys]
    cells = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    for header in headers:
        # a name may be written once for the rows below it
        own = join_keys(loaded.grid.cells(header))
        if explains_repeats(cells, list(accumulate(own, _own_or_above))):
            return _Column(header, "key", _values(loaded, header))
    return None


def _all_differ(loaded: LoadedSheet, keys: Sequence[str]) -> bool:
    """Return whether no two rows have the same keys; what is held of each row is a number."""
    columns = (keys_of(loaded.grid.cells(key)) for key in keys)
    numbers = np.fromiter(map(hash, zip(*columns, strict=True)), np.int64, len(loaded.grid))
    if len(np.unique(numbers)) == len(numbers):
        return True
    columns = (keys_of(loaded.grid.cells(key)) for key in keys)
    return len(set(zip(*columns, strict=True))) == len(numbers)


def _own_or_above(above: str, cell: str) -> str:
    return cell or above


def _groups(loaded: LoadedSheet, header: str) -> bool:
    """Return whether each of a few names stands on several rows."""
    counts = Counter(filter(None, join_keys(loaded.grid.cells(header))))
    names = [value for value in counts if not _is_number(value)]
    return 2 <= len(names) == len(counts) <= _GROUPS and min(counts.values()) > 1 and max(map(len, names)) <= _NAME


def _is_number(text: str) -> bool:
    return text.replace(".", "").replace(",", "").lstrip("+-").isdecimal() or text.casefold() in ("true", "false")


def _values(loaded: LoadedSheet, header: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, join_keys(dict.fromkeys(loaded.grid.cells(header))))))


def _go_together(loaded: LoadedSheet, header: str, key: str) -> bool:
    return same_groups(*(join_keys(loaded.grid.cells(each)) for each in (header, key)))


def _problem(column: _Column, outcome: str, sheets: int) -> Problem:
    values = column.values
    some = join_names(value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…" for value in values)
    where = f", over {pluralize(sheets, 'sheet')}," if sheets > 1 else ""
    why = f", and the same {' and '.join(column.keys)} stands under several of them" if column.keys else ""
    message = f"{pluralize(len(values), 'different value')} ({some}){where} in a column that was not used{why}"
    kind = "not-separated"
    if column.why == "groups":
        kind, outcome = "perhaps-separate", ""
    return note(kind, f"{message}{outcome}; {_way(column)}", column=column.header)


def _way(column: _Column) -> str:
    """Return the option that would keep the values of a column apart."""
    named = quote(column.header)
    match column.why:
        case "model":
            return f"--model-column {named} makes each a model"
        case "sheet":
            return f"--sheet-column {named} makes each a sheet, --model-column {named} a model"
        case "key":
            return f"--model-column {named} makes each a model, --sheet-column {named} a sheet"
        case "groups":
            return f"if it tells models apart, --model-column {named} makes each a model"
