"""What a run is given besides the models: references and further tables, read by workers, made into one table each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import field
from functools import partial

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import Discovery, ModelInput, Source, discover_references
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.header_matching import NeededColumns, Renamings, fold_header
from scoresheet.cli.input.limits import Limits
from scoresheet.cli.input.loading import load_sheets
from scoresheet.cli.input.matched_sheets import matched_sheet, side_table
from scoresheet.cli.input.remote import RemotePlaces
from scoresheet.cli.run.messages import Tell, telling_share
from scoresheet.cli.run.pool import Bug, WorkerCrashed, run_tasks
from scoresheet.cli.settings import Settings
from scoresheet.cli.terminal.progress import Progress
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import InputError, Problem
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import Schema, TableSchema
from scoresheet.metrics.tables import HeldTable

_Read = tuple[list[Sheet], list[Problem], dict[str, str]]  # of a file: its usable sheets, what is wrong, its hash


@dataclass(frozen=True)
class TableSource:
    """A folder, file or pattern with tables of one kind, and what was found there."""

    schema: TableSchema
    found: Discovery
    sources: Sequence[Source]


@dataclass(frozen=True)
class SideTable:
    """Tables of one kind as one, the files they came from, and what was wrong with them."""

    table: HeldTable
    files: Mapping[str, str] = field(default_factory=dict)  # file → SHA-256
    problems: tuple[Problem, ...] = ()
    bugs: tuple[str, ...] = ()  # tracebacks of our own failures
    sheets: int = 0  # that could be used
    renamings: tuple[Problem, ...] = ()  # headers that were named, for each sheet that has them not


def find_references(
    place: str, schema: TableSchema, places: RemotePlaces, limits: Limits, *, trec: bool = False
) -> TableSource:
    """Return the reference files of a place; a run without references names none."""
    lists = bool(schema.list_of)
    local = places.local(place, limits, trec=trec or lists)
    found, sources = discover_references(local, trec=trec, lists=lists) if place else (Discovery(), [])
    found = places.rename(found, place)
    if place and not sources:
        raise Stop(Exit.NOTHING, f"{place}: no reference files here; nothing could be scored")
    return TableSource(schema, found, sources)


def find_tables(schema: Schema, options: Options, places: RemotePlaces, limits: Limits) -> dict[str, TableSource]:
    """Return the files of the further tables that the options name, by option."""
    named = {name: (str(getattr(options, name)), table) for name, table in schema.tables.items()}
    return {
        name: find_references(place, table, places, limits)
        for name, (place, table) in named.items()
        if place not in ("", table.built_in)
    }


def read_side_table(
    source: TableSource, rules: ReadRules, settings: Settings, renamed: Renamings, progress: Progress | None = None
) -> SideTable:
    """Return the tables of a place as one; workers read them too, since a parser may die of one."""
    sheets: list[Sheet] = []
    problems = list(source.found.problems)
    files: dict[str, str] = {}
    answers: list[tuple[int, _Read | WorkerCrashed | Bug]] = []
    with (progress or Progress(wanted=False)).files([file.shown for file in source.sources]) as bar:
        results = run_tasks(
            partial(usable_sheets, source.schema, rules, renamed),
            [ModelInput("", (file,)) for file in source.sources],
            workers=settings.workers(len(source.sources)),
            allowance=settings.allowance(len(source.sources)),
            size=ModelInput.size,
            on_message=bar.on_message,
            tick=bar.refresh,
        )
        with closing(results):
            for number, result in results:
                bar.finished(number)
                answers.append((number, result))
    answers.sort(key=lambda pair: pair[0])
    for number, result in answers:
        if isinstance(result, WorkerCrashed | Bug):
            problems.append(result.problem().at(file=source.sources[number].shown))
        else:
            sheets += result[0]
            problems += result[1]
            files |= result[2]
    bugs = tuple(result.traceback for _, result in answers if isinstance(result, Bug))
    return joined_tables(source, sheets, problems, files, bugs)


def joined_tables(
    source: TableSource,
    sheets: Sequence[Sheet],
    problems: Sequence[Problem],
    files: Mapping[str, str],
    bugs: tuple[str, ...] = (),
) -> SideTable:
    """Return the usable sheets of a place as one table, with all that was wrong there."""
    table = side_table(sheets, source.schema)
    found = [*problems, *(_no_rows(sheet, lost=not len(table)) for sheet in sheets if not len(sheet.table))]
    found += [
        problem.at(file=sheet.source, sheet=sheet.name)
        for sheet in sheets
        for problem in (*sheet.unusable_rows.values(), *(each for each in sheet.notes if each.kind != "renaming"))
    ]
    return SideTable(
        table,
        files,
        tuple(problem.at(folder=source.found.folder) for problem in found),
        bugs,
        len(sheets),
        tuple(each for sheet in sheets for each in sheet.notes if each.kind == "renaming"),
    )


def _no_rows(sheet: Sheet, *, lost: bool) -> Problem:
    return Problem(
        kind="no-rows",
        message="a header and no rows below it" + ("; nothing can be scored with it" if lost else ""),
        effect="sheet skipped" if lost else "note",
        file=sheet.source,
        sheet=sheet.name,
    )


def usable_sheets(
    schema: TableSchema, rules: ReadRules, renamed: Renamings, file: ModelInput, tell: Tell = lambda _: None
) -> _Read:
    """Return the usable sheets of one file, what is wrong with it, and its hash."""
    own = {fold_header(name) for column in schema.columns for name in (column.name, *column.aliases)}
    naming = tuple(name for name in rules.sheet_columns if fold_header(name) not in own)
    own_rules = rules.for_references(NeededColumns(lambda _: schema, renamed), naming, schema.list_of)
    loaded = load_sheets(file, own_rules, on_share=telling_share(tell))
    problems = list(loaded.problems)
    usable = []
    for sheet in loaded.sheets:
        try:
            usable.append(matched_sheet(sheet, schema, renamed))
        except InputError as error:
            problems.append(error.problem.at(file=sheet.source, sheet=sheet.name))
    return usable, problems, loaded.hashes
