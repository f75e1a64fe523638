"""Scoring from Python: data frames or paths in, the numbers of the command out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from scoresheet.cli.commands import Command, command_named, command_names
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import ModelInput, Source, discover_models, discover_references
from scoresheet.cli.input.formats.cells import as_text
from scoresheet.cli.input.formats.csv_files import SHEET, split_by_sheet_column
from scoresheet.cli.input.formats.types import Table
from scoresheet.cli.input.header_matching import parse_columns
from scoresheet.cli.input.loading import Loaded, LoadedSheet, load_sheets
from scoresheet.cli.input.matched_sheets import matched_sheet, side_table
from scoresheet.cli.report.problems_page import PROBLEM_FIELDS, problem_row
from scoresheet.cli.run.model_reports import write_model
from scoresheet.cli.run.model_worker import parse_sheets, score_loaded
from scoresheet.cli.run.pipeline import Request, Run, results_of
from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.problem_places import placed
from scoresheet.cli.run.results_folder import held_results
from scoresheet.cli.run.results_table import COUNTS, MODEL, result_row
from scoresheet.cli.run.run_reports import manifest, write_run
from scoresheet.cli.settings import Settings
from scoresheet.cli.version import VERSION
from scoresheet.metrics.compare import ComparedUnits, KeyedValues, paired_differences
from scoresheet.metrics.family import Given
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.problems import InputError, MissingExtra, NoUsableInput, Problem, UsageError
from scoresheet.metrics.schema import SOURCE, TableSchema
from scoresheet.metrics.tables import frame_of_rows, object_frame

if TYPE_CHECKING:
    from scoresheet.metrics.family import ModelResult, ScoredSheet

Frames = pd.DataFrame | Mapping[str, pd.DataFrame]
Tables = pd.DataFrame | str | Path
Outputs = pd.DataFrame | Mapping[str, Frames] | str | Path

_FRAME = "frame"  # how a table that came from no file is named


@dataclass(frozen=True)
class Scores:
    """What a family found: the results table, the scored units, what was wrong, and how the numbers were made.

    Attributes
    ----------
    table : DataFrame
        A line per model, as in the results CSV.
    units : DataFrame
        Every scored unit of every model at full precision, as in the models' CSVs, with the model before it.
    problems : DataFrame
        What was wrong, as in problems.csv.
    signature : str
        One line that says how the numbers were made.
    results : mapping of str to ModelResult
        The family's own typed results, by model.
    """

    table: pd.DataFrame
    units: pd.DataFrame
    problems: pd.DataFrame
    signature: str
    results: Mapping[str, ModelResult[ScoredSheet]]
    _run: Run[Any, Any, Any, Any, Any, Any] = field(repr=False)
    _context: Any = field(repr=False)
    _request: Request[Any, Any, Any, Any, Any, Any] = field(repr=False)

    def write(self, folder: str | Path) -> list[Path]:
        """Write the reports that the command writes, and return their paths.

        Parameters
        ----------
        folder : str or Path
            Where they go; made if it is not there.

        Returns
        -------
        list of Path
            The reports, without the manifest that is written beside them.
        """
        run, plan = self._run, self._run.plan
        with held_results(Path(folder), wait=0) as results:
            staged = dataclasses.replace(plan, stage=results.stage)
            outcomes = tuple(
                write_model(staged, self._context, outcome, outcome.result) if outcome.result else outcome
                for outcome in run.outcomes
            )
            run = dataclasses.replace(run, plan=staged, outcomes=outcomes)
            files = write_run(run, plan.reporter.method(self._context, plan.options), results)
            left = tuple(results.stale(files))
            results.commit(files, manifest(run, results.stage, files, left, self._request))
        return [Path(folder) / name for name in files]


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
    FileNotFoundError
        If a path leads nowhere.
    ImportError
        If an option needs a package that is not installed; the message says which extra brings it.

    Examples
    --------
    >>> import pandas as pd
    >>> outputs = pd.DataFrame({"Idiom": ["spill the beans"], "Prediction": ["to tell a secret"]})
    >>> references = pd.DataFrame({"idiom": ["spill the beans"], "explanation": ["to tell a secret to somebody"]})
    >>> float(score("sinfo", outputs, references).table["S_Info"].iloc[0]).__round__(4)
    0.4724
    """
    command = _command(family)
    known = [each.name for each in dataclasses.fields(command.options)]
    if unknown := sorted(set(options) - set(known)):
        raise ValueError(f"{family} has no option {unknown[0]!r}; the options are {', '.join(known)}")
    tables = {name: value for name, value in options.items() if isinstance(value, pd.DataFrame)}
    try:
        chosen = command.options(**{**options, **dict.fromkeys(tables, _FRAME)})  # type: ignore[arg-type]
        settings = Settings(column=tuple(f"{name}={header}" for name, header in (columns or {}).items()))
        command.family.require(chosen)
        renamed = parse_columns(settings.column, command.family.schema.columns())
        return _scored(command, chosen, settings, renamed, outputs, references, tables)
    except UsageError as error:
        raise ValueError(spelled_for_shell(str(error))) from None
    except MissingExtra as extra:
        raise ImportError(spelled_for_shell(str(extra))) from None
    except Stop as stop:
        missing = stop.code == Exit.USAGE and "no such file" in str(stop)
        raise (FileNotFoundError if missing else ValueError)(str(stop)) from None


def compare(*scores: Scores, measures: Sequence[str] = (), seed: int = 0) -> pd.DataFrame:
    """Return every two models on the units they share: difference, interval, p-value, Holm's correction, finding.

    Parameters
    ----------
    *scores : Scores
        One result (its models among themselves) or several of one family, such as last night's and tonight's.
    measures : sequence of str, optional
        Columns of the units to compare; by default every number.
    seed : int, optional
        Seed of the intervals and of the randomisation test.

    Returns
    -------
    DataFrame
        A line per pair of models and measure.

    Raises
    ------
    ValueError
        If nothing is given, the families differ, or a measure is no number of the units.

    Examples
    --------
    >>> import pandas as pd
    >>> references = pd.DataFrame({"idiom": ["spill the beans"], "explanation": ["to tell a secret to somebody"]})
    >>> short, long = (
    ...     pd.DataFrame({"Idiom": ["spill the beans"], "Prediction": [text]})
    ...     for text in ("to tell a secret", "to tell a secret to somebody")
    ... )
    >>> compare(score("sinfo", {"short": short, "long": long}, references), measures=["S_Info"])["Finding"].tolist()
    ['too few units to tell']
    """
    if len({each.signature.partition("|")[0] for each in scores}) != 1:
        raise ValueError("compare needs results of one family")
    models: dict[str, ComparedUnits | None] = {}
    names = list(measures) or _numeric_measures(scores[0])
    for position, each in enumerate(scores, start=1):
        for model, result in each.results.items():
            shown = model if len(scores) == 1 else f"{model} ({position})"
            models[shown] = _compared_units(result, names)
    differences = paired_differences(models, names, units="units", unit="unit", seed=seed)
    columns = (
        "Model", "Other_Model", "Measure", "Units", "Mean", "Other_Mean", "Difference", "CI_Low", "CI_High", "P_Value",
        "P_Holm", "Finding",
    )  # fmt: skip
    rows = [[each.model, each.other, each.measure, *each.test, each.p_holm, each.finding] for each in differences]
    return frame_of_rows(columns, rows).infer_objects()


def _command(family: str) -> Command:
    if family not in command_names():
        raise ValueError(f"there is no family {family!r}; there are {', '.join(command_names())}")
    return command_named(family)


def _scored(
    command: Command,
    options: Any,
    settings: Settings,
    renamed: Mapping[str, str],
    outputs: Outputs,
    references: Tables | None,
    tables: Mapping[str, pd.DataFrame],
) -> Scores:
    family, reporter, schema = command.family, command.reporter, command.family.schema
    if references is None and schema.references is not None and schema.references_required:
        raise ValueError(f"{command.name} needs references")
    problems: list[Problem] = []
    files: dict[str, str] = {}
    frame = _side_table(references, schema.references or TableSchema(), renamed, problems, files)
    named = {
        name: tables.get(name, getattr(options, name))
        for name, table in schema.tables.items()
        if name in tables or getattr(options, name) not in ("", table.built_in)
    }
    further = {}
    for name, each in named.items():
        own_files: dict[str, str] = {}
        further[name] = _side_table(each, schema.tables[name], renamed, problems, own_files)
        files |= {f"{file} (--{name})": digest for file, digest in own_files.items()}
    own = options.signature(referenced=references is not None)
    plan: Plan[Any, Any, Any, Any, Any, Any] = Plan(
        family=family,
        reporter=reporter,
        options=options,
        signature="|".join([family.name, *own, f"v:{VERSION}", *settings.signature()]),
        rules=settings.read_rules(),
        renamed=renamed,
        folder="",
        reference_sources=tuple(dict.fromkeys(frame[SOURCE])),
        side_files=files,
        stage=None,
        raw_csv=False,
    )
    models = list(_models(outputs, plan))
    reduced = []
    if family.two_pass(options, referenced=plan.referenced):
        reduced = [each.value.reduced() for _, loaded in models for each, _ in parse_sheets(loaded.sheets, plan)[0]]
    try:
        context = family.context(Given(frame, further, reduced), options)
    except NoUsableInput as unusable:
        raise ValueError(spelled_for_shell(str(unusable)) or "there is nothing to score with") from None
    outcomes = [score_loaded(plan, context.value, model, loaded) for model, loaded in models]
    comparison = family.compare(results_of([_slim(outcome) for outcome in outcomes]), options)
    found = [*problems, *context.problems, *(problem for outcome in outcomes for problem in outcome.problems)]
    run = Run(plan, tuple(outcomes), comparison, tuple(placed(each, plan, "") for each in found), ())
    request = Request(family, reporter, options, settings, "", "", Path())
    return _scores(run, context.value, request)


def _slim(outcome: Outcome[Any]) -> Outcome[Any]:
    return dataclasses.replace(outcome, result=outcome.result.slim()) if outcome.result else outcome


def _scores(
    run: Run[Any, Any, Any, Any, Any, Any], context: object, request: Request[Any, Any, Any, Any, Any, Any]
) -> Scores:
    shown = run.plan.reporter.result_columns(list(run.results.values()), run.plan.options).measures
    names = [column.name for column in (MODEL, *shown, *COUNTS)]
    units = []
    for model, result in run.results.items():
        own = run.plan.reporter.unit_table(result, run.plan.options).copy()
        own.insert(0, MODEL.name, model)
        units.append(own)
    return Scores(
        table=frame_of_rows(names, [result_row(outcome, shown) for outcome in run.outcomes]).infer_objects(),
        units=pd.concat(units, ignore_index=True).infer_objects() if units else pd.DataFrame(columns=[MODEL.name]),
        problems=frame_of_rows(PROBLEM_FIELDS, map(problem_row, run.problems)).infer_objects(),
        signature=run.plan.signature,
        results=run.results,
        _run=run,
        _context=context,
        _request=request,
    )


def _models(outputs: Outputs, plan: Plan[Any, Any, Any, Any, Any, Any]) -> list[tuple[ModelInput, Loaded]]:
    """Return the models with their sheets, in the order of their names."""
    if isinstance(outputs, str | Path):
        found = discover_models(str(outputs), trec=plan.family.schema.reads_trec)
        return [(model, load_sheets(model, plan.rules)) for model in found.models]
    by_name = {_FRAME: outputs} if isinstance(outputs, pd.DataFrame) else outputs
    return [_frame_model(name, by_name[name]) for name in sorted(by_name)]


def _frame_model(name: str, frames: Frames) -> tuple[ModelInput, Loaded]:
    sheets = {SHEET: frames} if isinstance(frames, pd.DataFrame) else frames
    loaded = Loaded()
    for title, frame in sheets.items():
        for table in split_by_sheet_column(Table(str(title), _as_read(frame))):
            loaded.sheets.append(LoadedSheet(name, table.name, table.frame, name))
    return ModelInput(name, (Source(Path(name), name),)), loaded


def _as_read(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame as a reader would have read it: every cell text, the first row below the header number 2."""
    cells = {
        str(name): [as_text(None if _is_missing(value) else value) for value in frame[name].tolist()]
        for name in frame.columns
    }
    return object_frame(cells, index=list(range(2, len(frame) + 2)))


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value))


def _side_table(
    source: Tables | None,
    schema: TableSchema,
    renamed: Mapping[str, str],
    problems: list[Problem],
    files: dict[str, str],
) -> pd.DataFrame:
    """Return references or a further table as one frame, as the pipeline makes it; adds problems and hashes."""
    if source is None:
        return side_table([], schema)
    if isinstance(source, pd.DataFrame):
        loaded = [LoadedSheet("", SHEET, _as_read(source), _FRAME)]
    else:
        _, sources = discover_references(str(source), trec=True)
        rules = Settings().read_rules().for_references()
        read = [load_sheets(ModelInput("", (file,)), rules) for file in sources]
        for each in read:
            problems += each.problems
            files |= each.hashes
        loaded = [sheet for each in read for sheet in each.sheets]
    sheets = []
    for sheet in loaded:
        try:
            sheets.append(matched_sheet(sheet, schema, renamed))
        except InputError as error:
            if sheet.source == _FRAME:
                raise ValueError(spelled_for_shell(str(error.problem))) from None
            problems.append(error.problem.at(file=sheet.source, sheet=sheet.name))
    problems += [
        problem.at(file=each.source, sheet=each.name) for each in sheets for problem in each.unusable_rows.values()
    ]
    return side_table(sheets, schema)


def _numeric_measures(scores: Scores) -> list[str]:
    units = next((sheet.units for result in scores.results.values() for sheet in result.sheets), None)
    if units is None:
        return []
    return [name for name, values in units.measures.items() if not any(isinstance(value, str) for value in values)]


def _compared_units(result: ModelResult[ScoredSheet], measures: Sequence[str]) -> ComparedUnits | None:
    keyed = {}
    for sheet in result.sheets:
        keys = ["\x1f".join(parts) for parts in zip(*sheet.units.keys.values(), strict=True)]
        keyed[sheet.name] = KeyedValues(keys, np.column_stack([sheet.units.array(name) for name in measures]))
    return ComparedUnits.of_sheets(keyed)
