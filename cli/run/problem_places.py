"""The one spot where problems get their folder and their shell's spelling, and where silence is caught as a bug."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoresheet.cli.input.discover import ModelInput
from scoresheet.cli.run.plan import Plan
from scoresheet.cli.run.side_tables import TableSource
from scoresheet.metrics.columns import NumberColumn
from scoresheet.metrics.family import C, K, O, P, R, S, ScoredSheet
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.units import Value


def located_problems(problems: Iterable[Problem], plan: Plan[O, P, C, S, R, K]) -> tuple[Problem, ...]:
    """Return problems of a model's files in the folder that the user named."""
    return tuple(located_problem(problem, plan, plan.folder) for problem in problems)


def located_problem(problem: Problem, plan: Plan[O, P, C, S, R, K], folder: str) -> Problem:
    """Return a problem with its folder, its options spelled as the shell does; an undeclared kind is a bug."""
    plan.kind_of(problem)  # raises what an undeclared kind is
    located, message = problem.at(folder=folder), spelled_for_shell(problem.message)
    return located if message == located.message else replace(located, message=message)


def located_in_table(problem: Problem, plan: Plan[O, P, C, S, R, K], source: TableSource) -> Problem:
    """Return a problem of what was given where it is: of a table that one file holds, in that file."""
    alone = source.sources[0].shown if problem.table and len(source.sources) == 1 else ""
    return located_problem(problem.at(file=alone), plan, source.found.folder)


def given_up(model: ModelInput, cause: Problem) -> list[Problem]:
    """Return the problems of a model's other files, where it fails because of one: what they hold is not scored."""
    if cause.file == model.shown:
        return []
    message = f"not scored: its model {model.name!r} failed because of {cause.file}"
    others = [source.shown for source in model.files if source.shown != cause.file]
    return [Problem(kind="given-up", message=message, effect="file skipped", file=file) for file in others]


def check_explained(sheet: ScoredSheet, problems: Sequence[Problem]) -> None:
    """Raise ValueError if a row has not one measure and nothing says why: nothing is ever left out in silence."""
    rows = sheet.units.rows
    if rows is None or not sheet.units.measures:
        return
    empty = np.ones(len(rows), dtype=bool)
    for values in sheet.units.measures.values():
        empty &= _undefined(values)
        if not empty.any():
            return  # mostly by the first measure
    explained = {problem.row for problem in problems} | set(sheet.row_problems)
    for place in np.flatnonzero(empty).tolist():
        if rows[place] not in explained:
            raise ValueError(f"row {rows[place]} of the sheet {sheet.name!r} has no measure, and no problem says why")


def _undefined(values: Sequence[Value]) -> NDArray[np.bool_]:
    """Return where a measure has no value."""
    if isinstance(values, NumberColumn):
        return np.isnan(values.values)
    return np.fromiter(map(_is_undefined, values), bool, len(values))


def _is_undefined(value: Value) -> bool:
    return value == "" or (isinstance(value, float) and math.isnan(value))
