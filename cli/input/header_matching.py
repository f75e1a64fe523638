"""Finding columns: by name or alias, ignoring case, spaces, _ and -; a near miss is suggested, never guessed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Final, NamedTuple

from scoresheet.cli.exits import Exit, Stop
from scoresheet.metrics.keys import is_default_sheet_name
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import InputError, reject
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import InputColumn, Schema, TableSchema

if TYPE_CHECKING:
    from scoresheet.cli.input.grid import Grid


@dataclass(frozen=True, eq=False)  # the same where it is the same object: what was read by it may be kept
class NeededColumns:
    """Tells a header from a title above it: it has all columns that a sheet must have."""

    of_sheet: Callable[[str], TableSchema]
    renamed: Renamings
    named: tuple[str, ...] = ()  # headers that an option names

    def has_needed_columns(self, sheet: str, cells: Sequence[str]) -> bool:
        """Return whether all needed columns are among the cells; where none is needed, whether any known one is."""
        if self.named:
            return {*map(fold_header, self.named)} <= {*map(fold_header, cells)}
        return _has_needed(self.of_sheet(sheet).columns, tuple(cells), self.renamed)

    def key_headers(self, sheet: str, headers: Sequence[str]) -> list[str]:
        """Return the headers of keys and labels: what stands in them may be meant for the rows below."""
        columns = self.of_sheet(sheet).columns
        found = _picked(columns, tuple(headers), self.renamed)
        keys = [found[column.name] for column in columns if column.kind != "text"]
        return [header for header in keys if header is not None]


# The sheets of a run have the same headers again and again: what they are taken for is found once in a process.
_KNOWN: Final = 64  # headers of tables


@functools.lru_cache(maxsize=_KNOWN)
def _has_needed(columns: tuple[InputColumn, ...], cells: tuple[str, ...], renamed: Renamings) -> bool:
    needed = [column for column in columns if _is_needed(column, cells)]
    if needed:
        return all(_is_there(column, cells, renamed) for column in needed)
    several = sum(map(bool, cells)) > 1  # a title is a cell alone, even where it says Ensemble
    return several and any(_is_there(column, cells, renamed) for column in columns)


_IGNORED: Final = str.maketrans("", "", " _-\u3000\xa0")


@functools.lru_cache(maxsize=4096)  # each header is held against every name of every column, again and again
def fold_header(name: str) -> str:
    """Return a column name without what is ignored in comparing."""
    return name.casefold().translate(_IGNORED)


class Renaming(NamedTuple):
    """What the user calls one of our columns: headers to look for in turn, in all tables or in those of one side."""

    name: str  # our column, as the user wrote it
    headers: tuple[str, ...]
    side: str = ""  # outputs, references, or the option of a further table; '' for all


Renamings = tuple[Renaming, ...]
OUTPUTS: Final = "outputs"
REFERENCES: Final = "references"
NO_HEADER: Final = ""  # stands for a column that the user wants not to be taken, whatever the table has


def parse_columns(given: Sequence[str], schema: Schema) -> Renamings:
    """Return what `--column Name=header` says; given again, or with headers joined by |, each table takes its own."""
    known = schema.columns()
    names = {fold_header(name): name for column in known for name in (column.name, *column.former_names)}
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for item in given:
        written, equals, header = item.partition("=")
        side, dot, name = written.strip().rpartition(".")
        if not equals or not name or not header.strip():
            raise Stop(Exit.USAGE, f"--column {item}: write it as Name=header, for instance --column Prediction=answer")
        if dot and side not in (OUTPUTS, REFERENCES, *schema.tables):
            sides = ", ".join((OUTPUTS, *([REFERENCES] if schema.references else []), *schema.tables))
            raise Stop(Exit.USAGE, f"--column {item}: there are no tables {side!r} here; there are {sides}")
        if fold_header(name) not in names:
            every = list({fold_header(column.name): column.name for column in known}.values())
            hint = suggestion(name, every)
            raise Stop(
                Exit.USAGE,
                f"--column {item}: there is no column {name!r} here{hint}; the columns are {', '.join(every)}",
            )
        found[side, name] = (*found.get((side, name), ()), header.strip())
    return tuple(Renaming(name, headers, side) for (side, name), headers in found.items())


def without_column(name: str) -> Renaming:
    """Return what keeps any header from being taken for a column, unless the user names one."""
    return Renaming(name, (NO_HEADER,))


def on_side(renamed: Renamings, side: str) -> Renamings:
    """Return what holds for the tables of one side; what was said of it alone comes first."""
    own = [each for each in renamed if each.side == side]
    return (*own, *(each for each in renamed if not each.side))


class FoundColumns(NamedTuple):
    """The columns of a table under our names, each with its header; None stands for one that is not there."""

    headers: Mapping[str, str | None]
    absent: frozenset[str]


def find_columns(headers: tuple[str, ...], schema: TableSchema, renamed: Renamings, *, sheet: str) -> FoundColumns:
    """Return where the wanted columns are; a table that lacks one which it must have is refused.

    Where a table keeps its other columns, they follow under the user's names.
    """
    try:
        picked = _picked(schema.columns, headers, renamed)
    except InputError as error:
        raise InputError(error.problem.at(sheet=sheet)) from None
    missing = [column for column in schema.columns if picked[column.name] is None and _is_needed(column, headers)]
    if missing:
        _refuse_missing(missing, headers, sheet, renamed)
    alone = {column.name for column in schema.columns if column.only_with and picked[column.name] is None}
    # the user may have a column of such a name
    columns = {name: header for name, header in picked.items() if name not in alone}
    absent = frozenset(name for name, header in picked.items() if header is None)
    if schema.keeps_others:
        taken = set(picked.values())
        columns |= {header: header for header in headers if header not in taken | set(columns)}
    return FoundColumns(columns, absent)


@functools.lru_cache(maxsize=_KNOWN)
def _picked(columns: tuple[InputColumn, ...], headers: tuple[str, ...], renamed: Renamings) -> Mapping[str, str | None]:
    """Return the header of each column; one that counts only with another has none where that is not there."""
    named = {column.name: column for column in columns}
    alone = {
        column.name
        for column in columns
        if column.only_with and not _is_there(named[column.only_with], headers, renamed)
    }
    shared = {
        column.name
        for column in columns
        if column.shared_without
        and not _is_there(named[column.shared_without], headers, renamed)
        and not _folded_hits(column.name, headers)
        and len(candidates(column, headers, renamed)) > 1
    }
    picked = {
        name: None if name in alone | shared else _header_of(column, headers, renamed) for name, column in named.items()
    }
    lone = lone_header(columns, headers, picked)
    return picked | dict.fromkeys((column.name for column in columns if column.takes_lone), lone) if lone else picked


def lone_header(columns: Sequence[InputColumn], headers: Sequence[str], picked: Mapping[str, str | None]) -> str:
    """Return the only header of a table, if by its name it is none of our columns and one of them may be it."""
    named = [header for header in headers if header]
    may_be = any(column.takes_lone for column in columns)
    return named[0] if may_be and len(named) == 1 and not any(picked.values()) else ""


def _is_there(column: InputColumn, headers: Sequence[str], renamed: Renamings) -> bool:
    """Return whether a column is among the headers, be it in several places."""
    try:
        return _header_of(column, headers, renamed) is not None
    except InputError as error:
        return error.problem.kind == "ambiguous-column"


def _is_needed(column: InputColumn, headers: Sequence[str]) -> bool:
    """Return whether a table with these headers cannot do without a column."""
    return column.required and not (column.replaced_by and any(map(column.replaced_by, headers)))


def headers_of(grid: Grid, schema: TableSchema, renamed: Renamings) -> Mapping[str | None, InputColumn]:
    """Return the user's headers for our columns; None stands for those that are not there."""
    return _columns_by_header(schema.columns, grid.headers, renamed)


@functools.lru_cache(maxsize=_KNOWN)
def _columns_by_header(
    columns: tuple[InputColumn, ...], headers: tuple[str, ...], renamed: Renamings
) -> Mapping[str | None, InputColumn]:
    picked = _picked(columns, headers, renamed)
    return {picked[column.name]: column for column in columns}


def suggestion(name: str, choices: Sequence[str]) -> str:
    """Return a question that names the nearest choice, '' if none is near."""
    from rapidfuzz import fuzz, process

    best = process.extractOne(name, choices, scorer=fuzz.ratio, processor=fold_header, score_cutoff=70)
    return f"; did you mean {best[0]!r}?" if best else ""


def _header_of(column: InputColumn, headers: Sequence[str], renamed: Renamings) -> str | None:
    wanted = headers_wanted(column, renamed)
    if wanted == (NO_HEADER,):
        return None
    for written in wanted:
        # a header that is literally so written wins over the parts that it could be cut into
        for one in (written, *written.split("|")):
            name = one.strip()
            hits = [header for header in headers if header == name] or (_folded_hits(name, headers) if name else [])
            if hits:
                return _only(hits, column)
    if column.fallbacks and not column.required:
        # what the user named as another column is not this one, though its name would do
        claimed = {fold_header(part) for each in renamed for header in each.headers for part in header.split("|")}
        headers = [header for header in headers if fold_header(header) not in claimed]
    hits = _folded_hits(column.name, headers)
    if not hits:
        hits = [hit for alias in column.aliases for hit in _folded_hits(alias, headers)]
    if not hits:
        hits = next(filter(None, (_folded_hits(name, headers) for name in column.fallbacks)), [])
    if column.fallbacks and not column.required:
        hits = hits[:1]  # no reason to refuse a table that would do without it; the others are named
    return _only(hits, column) if hits else None


def candidates(column: InputColumn, headers: Sequence[str], renamed: Renamings) -> tuple[str, ...]:
    """Return the headers that could be a column by name, alias or fallback; none where the user named one of them.

    A column that a table must have is not in doubt if it is there by its name: Idiom is none the less so beside an id.
    """
    return _candidates(column, tuple(headers), renamed)


@functools.lru_cache(maxsize=_KNOWN)
def _candidates(column: InputColumn, headers: tuple[str, ...], renamed: Renamings) -> tuple[str, ...]:
    named = {fold_header(part) for header in headers_wanted(column, renamed) for part in (header, *header.split("|"))}
    if any(fold_header(header) in named for header in headers):
        return ()
    proper, last = (
        [hit for name in names for hit in _folded_hits(name, headers)]
        for names in ((column.name, *column.aliases), column.fallbacks)
    )
    return tuple(dict.fromkeys(proper if proper and column.required else (*proper, *last)))


def headers_wanted(column: InputColumn, renamed: Renamings) -> tuple[str, ...]:
    """Return the headers that the user named for a column."""
    # written as our column is, a name means that side's column alone: Idiom the outputs', idiom the references'
    exact = [header for each in renamed if each.name == column.name for header in each.headers]
    if exact:
        return tuple(exact)
    names = {fold_header(name) for name in (column.name, *column.former_names)}
    return tuple(header for each in renamed if fold_header(each.name) in names for header in each.headers)


def _folded_hits(name: str, headers: Sequence[str]) -> list[str]:
    return [header for header in headers if fold_header(header) == fold_header(name)]


def _only(hits: list[str], column: InputColumn) -> str:
    if len(hits) > 1:
        reject(
            "ambiguous-column",
            f"{' and '.join(map(repr, hits))} could both be {column.name}; say which: "
            f"--column {quote(f'{column.name}={hits[0]}')}",
            effect="sheet skipped",
        )
    return hits[0]


def _refuse_missing(missing: Sequence[InputColumn], headers: Sequence[str], sheet: str, renamed: Renamings) -> None:
    names = " and ".join(_missed(column, renamed) for column in missing)
    step = "name yours with " + " ".join(f"--column {column.name}=HEADER" for column in missing)
    step += f", or leave the sheet out with --skip-sheet {quote(sheet)}" if not is_default_sheet_name(sheet) else ""
    near = suggestion(next(iter(headers_wanted(missing[0], renamed)), missing[0].name), headers)
    reject(
        "missing-column",
        f"{names}{near}; the first row has {_listed(headers)}; {step}",
        sheet=sheet,
        effect="sheet skipped",
    )


def _missed(column: InputColumn, renamed: Renamings) -> str:
    """Return what was looked for in vain."""
    named = headers_wanted(column, renamed)
    if named:
        return f"no column {' or '.join(map(repr, named))}, which --column names as {column.name}"
    return f"no column {column.name}" + (f" (or {', '.join(column.aliases)})" if column.aliases else "")


def _listed(headers: Sequence[str]) -> str:
    return join_names(headers, most=12)
