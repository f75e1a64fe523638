"""The references of a run: read by workers, found by key, made ready for scoring."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from scoresheet.cli.discover import Found, ModelInput, Source, discover_references
from scoresheet.cli.join import References, collect_references
from scoresheet.cli.model import read_sheets
from scoresheet.cli.read.rules import ReadRules
from scoresheet.cli.settings import Settings
from scoresheet.cli.workers import Bug, Died, Tell, run_tasks
from scoresheet.metrics.core import Family, Sheet
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import Problem, Refusal


@dataclass(frozen=True)
class ReadyReferences:
    """What scoring needs of the references, the files they came from, and what was wrong with them."""

    references: References
    prepared: Any
    files: Mapping[str, str] = field(default_factory=dict)  # file → SHA-256
    problems: tuple[Problem, ...] = ()
    bugs: tuple[str, ...] = ()  # tracebacks of our own failures


def find_references(place: str) -> tuple[Found, list[Source]]:
    """Return the reference files of a place; a family without references names none."""
    return discover_references(place) if place else (Found(), [])


def ready_references(
    family: Family[Any],
    options: Options,
    settings: Settings,
    renamed: Mapping[str, str],
    found: Found,
    sources: list[Source],
) -> ReadyReferences:
    """Return the references made ready; workers read them too, since a parser may die of one."""
    sheets: list[Sheet] = []
    problems = list(found.problems)
    files: dict[str, str] = {}
    results = run_tasks(
        partial(_read, family, settings.read_rules().for_references(), renamed, found.folder),
        [ModelInput("", (source,)) for source in sources],
        workers=settings.workers(len(sources)),
    )
    with closing(results):
        answers = sorted(results, key=lambda pair: pair[0])
    for number, result in answers:
        if isinstance(result, Died | Bug):
            problems.append(result.problem().at(file=sources[number].shown))
        else:
            sheets += result[0]
            problems += result[1]
            files |= result[2]
    references, unsound = collect_references(sheets, family, renamed)
    prepared, noted = family.prepare(references.table, options)
    problems += [*unsound, *noted]
    placed = tuple(problem.at(folder=found.folder) for problem in problems)
    bugs = tuple(result.traceback for _, result in answers if isinstance(result, Bug))
    return ReadyReferences(references, prepared, files, placed, bugs)


def _read(
    family: Family[Any], rules: ReadRules, renamed: Mapping[str, str], folder: str, source: ModelInput, _: Tell
) -> tuple[list[Sheet], list[Problem], dict[str, str]]:
    """Return the usable sheets of one reference file."""
    sheets, problems, hashes = read_sheets(source, rules, folder)
    usable = []
    for sheet in sheets:
        try:
            collect_references([sheet], family, renamed)
        except Refusal as refusal:
            problems.append(refusal.problem.at(folder=folder, file=sheet.source, sheet=sheet.name))
        else:
            usable.append(sheet)
    return usable, problems, hashes
