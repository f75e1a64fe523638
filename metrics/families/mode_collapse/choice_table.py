"""The tables that a user declares choices with: the options, and the shares of a target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd

from scoresheet.metrics.core import ROW, SHEET, SOURCE
from scoresheet.metrics.families.mode_collapse.declared import (
    ALIAS_SEPARATOR,
    ARROW,
    EVERYWHERE,
    Choices,
    Path,
    parts_of,
    plain_path,
    question_key,
)
from scoresheet.metrics.families.mode_collapse.matching import INCOMPLETE, plain
from scoresheet.metrics.keys import is_default_sheet_name
from scoresheet.metrics.numbers import parse_count, parse_weight
from scoresheet.metrics.problems import Effect, Problem, UsageError


class _Declared(NamedTuple):
    """A row of the table of options, and where it stood."""

    question: str
    sheet: str  # the question that its sheet or file is named after, if it is
    level: int
    parent: str
    option: str
    aliases: str
    place: Mapping[str, Any]

    def problem(self, message: str, effect: Effect = "row not scored") -> Problem:
        return Problem(kind="unknown-parent", message=message, effect=effect, column="parent", **self.place)


def declared_choices(table: pd.DataFrame) -> tuple[Choices, list[Problem]]:
    """Return the options that a table declares; a parent may be named by an alias, so levels are read from the top."""
    choices = Choices()
    problems: list[Problem] = []
    rows = sorted(_declared_rows(table, problems), key=lambda row: row.level)
    for number, level_rows in groupby(rows, key=lambda row: row.level):
        placed: list[tuple[_Declared, Path | None]] = []
        for row in level_rows:
            parts = parts_of(row.parent, number)
            if parts and len(parts) != number:
                what = "the root has no parent" if not number else f"level {number} has a path of {number} choices"
                problems.append(row.problem(f"{what}, and that of option {row.option!r} is {row.parent.strip()!r}"))
                continue
            path = choices.place(row.question or row.sheet, number, parts)
            wrong = choices.unknown_parent(row.question or row.sheet, number, path)
            if wrong:
                problems.append(row.problem(f"the parent of option {row.option!r}: {wrong}", "note"))
            placed.append((row, plain_path(path) if parts else None))
        for row, own in placed:
            add = choices.add_of_sheet if row.sheet and not row.question else choices.add
            aliases = filter(None, map(str.strip, row.aliases.split(ALIAS_SEPARATOR)))
            add(row.question or row.sheet, number, own, row.option, aliases)
    choices.check()
    return choices, problems


def _declared_rows(table: pd.DataFrame, problems: list[Problem]) -> Iterator[_Declared]:
    names = ["question", "level", "parent", "option", "aliases", SOURCE, SHEET, ROW]
    rows = list(table[names].itertuples(index=False, name=None))
    named = _questions_of(dict.fromkeys((source, sheet) for *_, source, sheet, _ in rows))
    for question, level, parent, option, aliases, source, sheet, row in rows:
        place = {"file": source, "sheet": sheet, "row": row}
        number = parse_count(level)
        if plain(option) == INCOMPLETE:
            message = f"{option!r} is no option: an answer of that name is one that is missing, and is left out"
            problems.append(
                Problem(kind="incomplete", message=message, effect="row not scored", column="option", **place)
            )
        elif number is None:
            message = f"the level of option {option!r} is {level!r}; it must be a whole number of 0 or more"
            problems.append(
                Problem(kind="unknown-level", message=message, effect="row not scored", column="level", **place)
            )
        else:
            own = named[source, sheet]
            yield _Declared(question_key(question), own, number, parent, option.strip(), aliases, place)


def _questions_of(sheets: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the question that each sheet of the table may be named after, '' for a lone sheet that nobody named.

    A sheet is named by its name; one called Sheet1 too, if it is not its file's only one, else by its file's name, if
    that is not the only file.
    """
    places = list(sheets)
    in_file = Counter(source for source, _ in places)
    named = {}
    for source, sheet in places:
        name = sheet
        if is_default_sheet_name(sheet) and in_file[source] == 1:
            name = source.rsplit("/", 1)[-1].rsplit(".", 1)[0] if len(in_file) > 1 else EVERYWHERE
        named[source, sheet] = question_key(name)
    return named


def with_targets(choices: Choices, table: pd.DataFrame) -> None:
    """Add the shares of a target table to the choices; one that cannot be meant stops the run."""
    targets: dict[tuple[str, int, Path | None], dict[str, float]] = {}
    names = ["question", "level", "parent", "option", "share"]
    for question, level, parent, option, share in table[names].itertuples(index=False, name=None):
        number, given = parse_count(level), parse_weight(share)
        if number is None:
            raise UsageError(f"--target: the level of {option!r} is {level!r}; it must be a whole number of 0 or more")
        if given is None:
            raise UsageError(f"--target: the share of {option!r} is {share!r}; it must be a number of 0 or more")
        parts = parts_of(parent, number)
        path = choices.place(question, number, parts)
        wrong = choices.unknown_parent(question, number, path)
        if parts and len(parts) != number:
            wanted = f"a path of {number} choices is wanted" if number else "the root has none"
            wrong = f"{parent.strip()!r}, where {wanted}"
        if wrong:
            raise UsageError(f"--target: the parent of {option!r} at level {number}: {wrong}")
        if not _is_declared(choices, question, number, path if parts else None, option):
            raise UsageError(f"--target: {option!r} at level {number} is not declared there by the table of options")
        weights = targets.setdefault((question_key(question), number, plain_path(path) if parts else None), {})
        twins = [each for each in weights if _same_option(choices, question, number, path, each, option)]
        if twins:
            raise UsageError(f"--target: {option!r} at level {number} stands there twice; give it one share")
        weights[option] = given
    for (_, number, place), weights in targets.items():
        if not sum(weights.values()):
            below = f" under {ARROW.join(place)}" if place else ""
            raise UsageError(f"--target: all shares of level {number}{below} are 0; at least one option must have some")
    choices.targets = targets


def _same_option(choices: Choices, question: str, level: int, path: Path, one: str, other: str) -> bool:
    matcher = choices.matcher(question, level, path)
    return one == other or bool(matcher and matcher.named(one) and matcher.named(one) == matcher.named(other))


def _is_declared(choices: Choices, question: str, level: int, path: Path | None, option: str) -> bool:
    """Return whether an option is one somewhere that a row of the target speaks of: it need not fit every parent."""
    questions = [question] if question.strip() else [EVERYWHERE, *choices.questions()]
    for each in questions:
        places = [path] if path is not None else [None, *choices.group(question_key(each)).get(level, {})]
        for place in places:
            matcher = choices.matcher(each, level, place or ())
            if matcher is not None and matcher.named(option):
                return True
    return False
