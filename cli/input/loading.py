"""Loading: the files of one model, or of one side table, as sheets of text, with every refusal and its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final, NamedTuple

from scoresheet.cli.input.discover import ModelInput, Source
from scoresheet.cli.input.formats.by_extension import read_file, reader_of, table_stem
from scoresheet.cli.input.formats.csv_files import SHEET
from scoresheet.cli.input.formats.types import Content, NestedCell, ReadRules, Table, left_out
from scoresheet.cli.input.formats.workbook import read_workbook
from scoresheet.cli.input.guard import guard
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.header_matching import fold_header
from scoresheet.cli.input.splitting import ModelRows, split_models, split_sheets
from scoresheet.metrics.problems import InputError, Problem, note
from scoresheet.metrics.records import dataclass

if TYPE_CHECKING:
    from scoresheet.cli.input.grid import Grid

_KEPT: Final = 32  # files with several models that a worker keeps, so as not to read them for each


@dataclass(frozen=True)
class LoadedSheet:
    """One table as its file has it."""

    model: str
    name: str
    grid: Grid
    source: str
    # cells that hold no usable value though they look filled, by (row, header): the error they show
    error_cells: Mapping[tuple[int, str], str] = field(default_factory=dict)
    merged: tuple[tuple[int, int, str], ...] = ()  # (first row, last row, header) of merged cells in one column
    nested_cells: Mapping[tuple[int, str], NestedCell] = field(default_factory=dict)  # by (row, header)
    uncalculated: Mapping[tuple[int, str], str] = field(default_factory=dict)  # formulas without a value, by address
    header_row: int = 0  # as a spreadsheet counts; 0 where there is none
    sheet_header: str = ""  # of the column that said which rows are of this sheet
    model_header: str = ""  # and of this model
    lost: int = 0  # rows of the file that name no model and stand right below this one's

    def without_cells(self) -> LoadedSheet:
        """Return the sheet with its headers and the numbers of its rows alone."""
        return replace(self, grid=self.grid.without_cells())


@dataclass
class LoadedFiles:
    """The sheets of some files, what is wrong with the files, and their hashes."""

    sheets: list[LoadedSheet] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)  # file → SHA-256
    model_headers: list[str] = field(default_factory=list)  # columns that say which model a row is of

    @property
    def models(self) -> list[str]:
        """The models of the sheets, in order of appearance."""
        return list(dict.fromkeys(sheet.model for sheet in self.sheets))


def load_sheets(
    model: ModelInput,
    rules: ReadRules,
    on_file: Callable[[str], None] = lambda _: None,
    on_share: Callable[[float], None] = lambda _: None,
) -> LoadedFiles:
    """Return the sheets of a model's files.

    `on_file` hears which file is being read, `on_share` now and then which share of them all is.
    """
    loaded = LoadedFiles()
    read, of = 0, max(model.size(), 1)  # bytes
    for source in model.files:
        on_file(source.shown)
        own = replace(_rules_for(source, model, rules), on_share=_share_of_all(on_share, read, source.size(), of))
        read += source.size()
        try:
            guard(source.path, rules.limits)  # a hash is a reading too
            loaded.hashes |= _hash(source)
            if model.only is not None:
                _take_rows(model.only, source, model, own, loaded)
                continue
            content = read_file(source.path, own)
        except InputError as error:  # the hash of a file that is refused is kept
            loaded.problems.append(error.problem.at(file=source.shown))
            continue
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            loaded.problems.append(
                Problem(kind="not-a-table", message=message, effect="file skipped", file=source.shown)
            )
            continue
        take_content(content, source, model, own, loaded)
    _set_apart_same_names(loaded)
    if not loaded.sheets and all(each.kind == "left-out" for each in loaded.problems) and model.only is None:
        message = "no sheet of this file is left by --sheet and --skip-sheet; a --dry-run without them lists its sheets"
        loaded.problems.append(note("no-sheet-left", message).at(file=model.shown))
    return loaded


def _share_of_all(on_share: Callable[[float], None], read: int, size: int, of: int) -> Callable[[float], None]:
    """Return what makes of the share of a file that is read the share of all."""
    return lambda share: on_share((read + share * size) / of)


def _set_apart_same_names(loaded: LoadedFiles) -> None:
    """Leave out the sheets of a model that have one name: nothing could say which of them a number is of."""
    count = Counter((sheet.model, sheet.name) for sheet in loaded.sheets)
    repeated = [sheet for sheet in loaded.sheets if count[sheet.model, sheet.name] > 1]
    if not repeated:
        return
    loaded.sheets = [sheet for sheet in loaded.sheets if count[sheet.model, sheet.name] == 1]
    message = "another sheet of the model has the same name, and they cannot be told apart; rename one"
    for file, name in dict.fromkeys((sheet.source, sheet.name) for sheet in repeated):
        loaded.problems.append(
            Problem(kind="same-name", message=message, effect="sheet skipped", file=file, sheet=name)
        )


def take_content(content: Content, source: Source, model: ModelInput, rules: ReadRules, loaded: LoadedFiles) -> None:
    """Add a file's tables as sheets, each with the model that it is of, and what is wrong with them."""
    sheets: list[LoadedSheet] = []
    whole: list[tuple[str, Table]] = []  # those that name no models
    parts, problems = _split(content, rules)
    # what patterns call a table; one that nobody named goes by the name that its sheet will have
    named = {
        table.name: _sheet_name(table.name, source, model)
        if _is_unnamed(table.name, source)
        else rules.pattern_prefix + table.name
        for table in content.tables
    }
    wanted = {problem.sheet for problem in problems if rules.wants(named[problem.sheet])}  # and cannot be used
    problems = [problem if problem.sheet in wanted else left_out(problem.sheet) for problem in problems]
    for part in parts:
        name = _sheet_name(part.table.name, source, model)
        if part.header:
            loaded.model_headers.append(part.header)
            name = table_stem(source.path) if _is_unnamed(name, source) else name
        unnamed = _is_unnamed(name, source)
        called = name if _is_unnamed(part.table.name, source) else rules.pattern_prefix + part.table.name
        if not rules.wants(called, named[part.raw]) and not (unnamed and rules.keeps_unnamed):
            problems.append(left_out(name))
            continue
        wanted.add(part.raw)
        problems += [replace(problem, sheet=name) for problem in part.unnamed]
        if part.header:
            sheets += [
                _loaded(each.model, name, each.table, source, rules, part.header, each.lost) for each in part.models
            ]
        else:
            whole.append((name, part.table))
    if sheets:
        why = f"no column {loaded.model_headers[0]!r} in this sheet, and others of the file name their models by it"
        problems += [
            Problem(
                kind="no-model",
                message=f"{why}; --skip-sheet {quote(name)} leaves it out",
                effect="sheet skipped",
                sheet=name,
            )
            for name, _ in whole
        ]
    else:
        sheets = [_loaded(model.name, name, table, source, rules) for name, table in whole]
    loaded.sheets += sheets
    said = _said_of_tables(content.problems, named, wanted, rules)
    own = {table: _sheet_name(table, source, model) for table in named}  # as the reports call it
    loaded.problems += [
        replace(problem, sheet=own.get(problem.sheet, problem.sheet)).at(file=source.shown)
        for problem in (*said, *problems)
    ]


def _said_of_tables(
    problems: Sequence[Problem], named: Mapping[str, str], wanted: Container[str], rules: ReadRules
) -> list[Problem]:
    """Return what readers say of a file and its tables; of one that nobody asked for, that it was left out."""
    said: dict[Problem, None] = {}
    for problem in problems:
        if not problem.sheet or problem.sheet in wanted:
            said[problem] = None
        elif problem.sheet not in named:  # it was not read
            kept = rules.wants(rules.pattern_prefix + problem.sheet)
            said[problem if kept else left_out(problem.sheet)] = None
    return list(said)


class _Part(NamedTuple):
    """What a table holds of one sheet: as a whole, or by the models that a column names."""

    raw: str  # the table's own name
    table: Table
    header: str  # of the column that names models; '' if none does
    models: list[ModelRows]
    unnamed: list[Problem]


def _split(content: Content, rules: ReadRules) -> tuple[list[_Part], list[Problem]]:
    """Return the sheets of a file's tables, and why some of the tables cannot be used."""
    parts: list[_Part] = []
    problems: list[Problem] = []
    for table in content.tables:
        try:
            every = split_sheets([_filled(table, rules)], rules, of=len(content.tables))
            parts += [_Part(table.name, part, *split_models(part, rules)) for part in every]
        except InputError as error:
            problems.append(error.problem)
    return parts, problems


def _take_rows(only: str, source: Source, model: ModelInput, rules: ReadRules, loaded: LoadedFiles) -> None:
    """Add the rows of one model; what is wrong with the file was said when its models were found."""
    every = _kept_sheets(source, replace(model, name="", only=None), rules)
    # in a folder of tables, one without the column is the folder's own
    loaded.sheets += [replace(sheet, model=only) for sheet in every.get(only, every.get("", ()))]


@lru_cache(maxsize=_KEPT)
def _kept_sheets(source: Source, model: ModelInput, rules: ReadRules) -> dict[str, list[LoadedSheet]]:
    """Return a file's sheets by model; a file is read and split once for all its models."""
    loaded = LoadedFiles()
    take_content(read_file(source.path, rules), source, model, rules, loaded)
    sheets: dict[str, list[LoadedSheet]] = {}
    for sheet in loaded.sheets:
        sheets.setdefault(sheet.model, []).append(sheet)
    return sheets


def _filled(table: Table, rules: ReadRules) -> Table:
    """Return a table whose empty key cells have the value above them, if that is wanted."""
    if not rules.fill_down or rules.header is None:
        return table
    headers = table.grid.headers
    naming = {fold_header(name) for name in (*rules.sheet_columns, *rules.model_columns)}
    keys = {*rules.header.key_headers(table.name, headers), *(each for each in headers if fold_header(each) in naming)}
    filled = {header: list(accumulate(table.grid.cells(header), _own_or_above)) for header in keys}
    return replace(table, grid=table.grid.filled(filled), merged=())


def _own_or_above(above: str, cell: str) -> str:
    return cell if cell.strip() else above


def _loaded(
    model: str, name: str, table: Table, source: Source, rules: ReadRules, model_header: str = "", lost: int = 0
) -> LoadedSheet:
    return LoadedSheet(
        model=model,
        name=name,
        grid=table.grid.first(rules.limit) if rules.limit else table.grid,
        source=source.shown,
        error_cells=table.error_cells,
        merged=table.merged,
        nested_cells=table.nested_cells,
        uncalculated=table.uncalculated,
        header_row=table.header_row,
        sheet_header=table.sheet_header,
        model_header=model_header,
        lost=0 if rules.limit else lost,
    )


def file_hashes(model: ModelInput) -> dict[str, str]:
    """Return the SHA-256 of each of a model's files, as `load_sheets` does; OSError if one cannot be read."""
    return {name: digest for source in model.files for name, digest in _hash(source).items()}


def _hash(source: Source) -> dict[str, str]:
    return {source.shown: sha256(source.path)} if source.path.is_file() else {}


def _prefix(source: Source, model: ModelInput) -> str:
    """Return what stands before the names of a file's sheets: nothing, or in a model's folder the file's name."""
    if not model.folder:
        return ""
    same = [other for other in model.files if table_stem(other.path) == table_stem(source.path)]
    # a.csv beside a.tsv: both keep their extension
    file = source.path.name if len(same) > 1 else table_stem(source.path)
    return f"{file}/"


def _rules_for(source: Source, model: ModelInput, rules: ReadRules) -> ReadRules:
    """Return the rules with what stands before the names of this file's sheets.

    Where a column names the models, the sheets of one in several files have their file's name before theirs, which is
    known when all are read; patterns hold for all readings alike.
    """
    prefix = _prefix(source, model)
    if not source.in_model_folder:
        return replace(rules, prefix=prefix, file_name=table_stem(source.path))
    return replace(rules, prefix=prefix, pattern_prefix=prefix or f"{table_stem(source.path)}/")


def _sheet_name(table: str, source: Source, model: ModelInput) -> str:
    """Return a table's name as a sheet; a CSV of a model's folder has the file's name alone."""
    prefix = _prefix(source, model)
    return prefix.rstrip("/") if prefix and _is_unnamed(table, source) else prefix + table


def _is_unnamed(table: str, source: Source) -> bool:
    """Return whether it is the one table of a file, and nobody gave it its name."""
    return table == SHEET and not _is_workbook(source.path)


def _is_workbook(path: Path) -> bool:
    return reader_of(path) is read_workbook
