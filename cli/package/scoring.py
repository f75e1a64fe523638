"""Scoring from Python: data frames or paths in, the numbers of the command out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from scoresheet.cli.commands import Command, command_named, command_names
from scoresheet.cli.exits import Stop
from scoresheet.cli.input.discover import ModelInput, Nowhere
from scoresheet.cli.input.header_matching import OUTPUTS, REFERENCES, on_side, parse_columns
from scoresheet.cli.input.loading import LoadedFiles
from scoresheet.cli.run.model_worker import parse_sheets, score_loaded
from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.problem_places import located_in_table, located_problem
from scoresheet.cli.run.refusals import refuse_unmet_renamings
from scoresheet.cli.run.request import Request, Run, problems_of, results_of
from scoresheet.cli.run.results_table import place_by_rank
from scoresheet.cli.run.run_inputs import REFERENCES_TABLE, plan_of_request
from scoresheet.cli.run.side_tables import SideTable, TableSource
from scoresheet.cli.settings import Settings
from scoresheet.given import FRAME, Outputs, Tables, given_models, given_table, named_tables, separated_models
from scoresheet.metrics.compare import EVERY_TWO
from scoresheet.metrics.family import Given
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.problems import MissingExtra, NoUsableInput, UsageError
from scoresheet.scores import Scores, scores_of


def score(
    family: str,
    outputs: Outputs,
    references: Tables | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    **options: object,
) -> Scores:
    """Return the scores that the command of this name gives, without workers and without writing anything.

    Parameters
    ----------
    family : str
        The command: sinfo, mode-collapse, diversity, disagree, entropy or collective.
    outputs : DataFrame, mapping, str or Path
        One model's table; or models by name, each a table or tables by sheet; or what the command line takes.
    references : DataFrame, str or Path, optional
        The references, where the family has any.
    columns : mapping of str to str, optional
        Which of your columns is which: the family's name of a column → your header.
    **options
        The family's options by their long names with underscores; an option that names a table takes a frame too.

    Returns
    -------
    Scores
        Tables of results, units and problems, the signature, and `write(folder)`.

    Raises
    ------
    ValueError
        If there is no such family, option or value, or nothing that could be scored with.
    TypeError
        If outputs, references or a table are neither frames nor paths.
    FileNotFoundError
        If a path leads nowhere.
    ImportError
        If an option needs a package that is not installed; the message says which extra brings it.

    Examples
    --------
    >>> import pandas as pd
    >>> outputs = pd.DataFrame({"Idiom": ["spill the beans"], "Prediction": ["to tell a secret"]})
    >>> references = pd.DataFrame({"idiom": ["spill the beans"], "explanation": ["to tell a secret to somebody"]})
    >>> round(float(score("sinfo", outputs, references).table["S_Info"].iloc[0]), 4)
    0.4724
    """
    command = _command(family)
    try:
        chosen, tables = _options(command, options)
        if not isinstance(columns or {}, Mapping):
            raise ValueError(f"columns must be a mapping of names to headers, not {columns!r}")  # noqa: TRY004
        settings = Settings(column=tuple(f"{name}={header}" for name, header in (columns or {}).items()))
        command.family.require(chosen)
        return _scored(command, chosen, settings, outputs, references, tables)
    except (UsageError, NoUsableInput) as error:
        raise ValueError(spelled_for_shell(str(error)) or "there is nothing to score with") from None
    except MissingExtra as extra:
        raise ImportError(spelled_for_shell(str(extra))) from None
    except Stop as stop:
        raise (FileNotFoundError if isinstance(stop, Nowhere) else ValueError)(str(stop)) from None


def _command(family: str) -> Command:
    if family not in command_names():
        raise ValueError(f"there is no family {family!r}; there are {', '.join(command_names())}")
    return command_named(family)


def _options(command: Command, given: Mapping[str, object]) -> tuple[Any, dict[str, pd.DataFrame]]:
    """Return the options, checked, and the frames among them that stand for tables."""
    known = [each.name for each in dataclasses.fields(command.options)]
    if unknown := sorted(set(given) - set(known)):
        raise ValueError(f"{command.name} has no option {unknown[0]!r}; the options are {', '.join(known)}")
    tables = {name: value for name, value in given.items() if isinstance(value, pd.DataFrame)}
    if wrong := sorted(set(tables) - set(command.family.schema.tables)):
        raise ValueError(f"{wrong[0]} takes no table")
    plain = {name: str(value) if isinstance(value, Path) else value for name, value in given.items()}
    try:
        return command.options(**{**plain, **dict.fromkeys(tables, FRAME)}), tables  # type: ignore[arg-type]
    except ValueError as error:
        raise ValueError(spelled_for_shell(str(error))) from None


def _scored(
    command: Command,
    options: Any,
    settings: Settings,
    outputs: Outputs,
    references: Tables | None,
    frames: Mapping[str, pd.DataFrame],
) -> Scores:
    family = command.family
    every = parse_columns(settings.column, family.schema)
    named = named_tables(command, options, references, frames)
    sources: dict[str, TableSource] = {}
    tables: dict[str, SideTable] = {}
    for name, given in named.items():
        sources[name], tables[name] = given_table(given, command, name, on_side(every, name or REFERENCES))
    renamed = on_side(every, OUTPUTS)
    rules = settings.read_rules(family.schema, renamed, options.named_headers())
    found, models = given_models(outputs, named.values(), rules, family.schema)
    models = separated_models(found, models)
    # without outputs, so that its manifest tells no command to type
    request: Request[Any, Any, Any, Any, Any, Any] = Request(
        family, command.reporter, options, settings, "", FRAME if sources[REFERENCES_TABLE].sources else "", Path()
    )
    plan = plan_of_request(request, found, tables, renamed, None)
    context = family.context(_given(plan, models, sources, tables), options)
    scored = [score_loaded(plan, context.value, model, loaded) for model, loaded in models]
    outcomes = sorted([*map(Outcome, found.clashing), *scored], key=lambda outcome: outcome.model)
    problems = (
        *(located_problem(problem, plan, found.folder) for problem in found.problems),
        *(problem for table in tables.values() for problem in table.problems),
        *(located_in_table(problem, plan, sources[problem.table]) for problem in context.problems),
        *problems_of(outcomes),
    )
    comparison = family.compare(results_of([_slim(outcome) for outcome in outcomes]), options, EVERY_TWO)
    place = place_by_rank(comparison.paired)
    ranked = sorted(outcomes, key=lambda outcome: place(outcome.model))
    run: Run[Any, Any, Any, Any, Any, Any] = Run(plan, ranked, comparison, problems, tuple(found.ignored))
    refuse_unmet_renamings(run, tables, every)
    if run.audit is not None and run.audit.mismatches:
        raise RuntimeError("the audit failed: " + "; ".join(run.audit.mismatches))
    return scores_of(run, context.value, request)


def _given(
    plan: Plan[Any, Any, Any, Any, Any, Any],
    models: Sequence[tuple[ModelInput, LoadedFiles]],
    sources: Mapping[str, TableSource],
    tables: Mapping[str, SideTable],
) -> Given[Any]:
    """Return what the context is made of; NoUsableInput if a table has nothing that can be used."""
    for name, table in tables.items():
        if sources[name].sources and not len(table.table):
            raise NoUsableInput(table.problems)
    sheets = []
    if plan.family.two_pass(plan.options, referenced=plan.referenced):
        sheets = [each.value.reduced() for _, loaded in models for each, _ in parse_sheets(loaded.sheets, plan)[0]]
    further = {name: table.table for name, table in tables.items() if name != REFERENCES_TABLE}
    return Given(tables[REFERENCES_TABLE].table, further, sheets)


def _slim(outcome: Outcome[Any]) -> Outcome[Any]:
    return dataclasses.replace(outcome, result=outcome.result.slim()) if outcome.result else outcome
