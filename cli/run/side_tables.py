"""What a run is given besides the models: references and further tables, read by workers, made ready for scoring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import Found, ModelInput, Source, discover_references
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.join import References, collect_references
from scoresheet.cli.run.model_worker import read_sheets
from scoresheet.cli.run.pool import Bug, Died, Tell, run_tasks
from scoresheet.cli.settings import Settings
from scoresheet.metrics.core import Family, Sheet, Table
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import Problem, Refusal


@dataclass(frozen=True)
class Place:
    """A folder, file or pattern with tables of one kind, and what was found there."""

    table: Table
    found: Found
    sources: Sequence[Source]


@dataclass(frozen=True)
class Reading:
    """Tables of one kind as one, the files they came from, and what was wrong with them."""

    references: References
    files: Mapping[str, str] = field(default_factory=dict)  # file → SHA-256
    problems: tuple[Problem, ...] = ()
    bugs: tuple[str, ...] = ()  # tracebacks of our own failures


def find_references(place: str, table: Table, *, trec: bool = False) -> Place:
    """Return the reference files of a place; a run without references names none."""
    found, sources = discover_references(place, trec=trec) if place else (Found(), [])
    if place and not sources:
        raise Stop(Exit.NOTHING, f"{place}: no reference files here; nothing could be scored")
    return Place(table, found, sources)


def find_tables(family: Family[Any], options: Options) -> dict[str, Place]:
    """Return the files of the further tables that the options name, by option."""
    named = {name: (str(getattr(options, name)), table) for name, table in family.tables.items()}
    return {
        name: find_references(place, table)
        for name, (place, table) in named.items()
        if place not in ("", table.built_in)
    }


def read_references(place: Place, settings: Settings, renamed: Mapping[str, str]) -> Reading:
    """Return the tables of a place; workers read them too, since a parser may die of one."""
    sheets: list[Sheet] = []
    problems = list(place.found.problems)
    files: dict[str, str] = {}
    results = run_tasks(
        partial(_read, place.table, settings.read_rules().for_references(), renamed, place.found.folder),
        [ModelInput("", (source,)) for source in place.sources],
        workers=settings.workers(len(place.sources)),
    )
    with closing(results):
        answers = sorted(results, key=lambda pair: pair[0])
    for number, result in answers:
        if isinstance(result, Died | Bug):
            problems.append(result.problem().at(file=place.sources[number].shown))
        else:
            sheets += result[0]
            problems += result[1]
            files |= result[2]
    references, unsound = collect_references(sheets, place.table, renamed)
    problems += [_empty(sheet, lost=not len(references.table)) for sheet in sheets if not len(sheet.frame)]
    placed = tuple(problem.at(folder=place.found.folder) for problem in (*problems, *unsound))
    bugs = tuple(result.traceback for _, result in answers if isinstance(result, Bug))
    return Reading(references, files, placed, bugs)


def _empty(sheet: Sheet, *, lost: bool) -> Problem:
    return Problem(
        kind="no-rows",
        message="a header and no rows below it" + ("; nothing can be scored with it" if lost else ""),
        effect="sheet skipped" if lost else "note",
        file=sheet.source,
        sheet=sheet.name,
    )


def _read(
    table: Table,
    rules: ReadRules,
    renamed: Mapping[str, str],
    folder: str,
    source: ModelInput,
    _: Tell,
) -> tuple[list[Sheet], list[Problem], dict[str, str]]:
    """Return the usable sheets of one file."""
    sheets, problems, hashes = read_sheets(source, rules, folder)
    usable = []
    for sheet in sheets:
        try:
            collect_references([sheet], table, renamed)
        except Refusal as refusal:
            problems.append(refusal.problem.at(folder=folder, file=sheet.source, sheet=sheet.name))
        else:
            usable.append(sheet)
    return usable, problems, hashes
