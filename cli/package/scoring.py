"""Scoring from Python: data frames or paths in, the numbers of the command out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pandas as pd

from scoresheet.cli.commands import Command, command_named, command_names
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import Discovery, ModelInput, Nowhere, Source, discover_models
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.frames import frame_model, frame_sheets
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.header_matching import OUTPUTS, REFERENCES, Renamings, on_side, parse_columns
from scoresheet.cli.input.limits import USUAL_LIMITS
from scoresheet.cli.input.loading import LoadedFiles, load_sheets
from scoresheet.cli.input.manifests import is_results
from scoresheet.cli.input.matched_sheets import matched_sheet, side_table
from scoresheet.cli.input.model_columns import models_by_column, models_by_rows
from scoresheet.cli.input.remote import RemotePlaces
from scoresheet.cli.report.paired_comparison import COMPARISON_COLUMNS, comparison_row
from scoresheet.cli.report.problems_page import PROBLEM_FIELDS, problem_row
from scoresheet.cli.run.model_reports import write_model
from scoresheet.cli.run.model_worker import parse_sheets, score_loaded
from scoresheet.cli.run.pipeline import Request, Run, of_table, problems_of, refuse_unmet_renamings, results_of
from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.problem_places import located_problem
from scoresheet.cli.run.results_folder import locked_results
from scoresheet.cli.run.results_table import MODEL, best_first, result_columns, result_row
from scoresheet.cli.run.run_reports import manifest, write_run
from scoresheet.cli.run.side_tables import SideTable, TableSource, find_references, joined_tables, usable_sheets
from scoresheet.cli.settings import Settings
from scoresheet.cli.version import VERSION
from scoresheet.metrics.checks import check_whole, checked_texts
from scoresheet.metrics.compare import EVERY_TWO, ComparedUnits, KeyedValues, PairedComparison, compare_units
from scoresheet.metrics.family import Given
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.problems import InputError, MissingExtra, NoUsableInput, UsageError
from scoresheet.metrics.schema import SOURCE, Schema, TableSchema
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, check_confidence
from scoresheet.metrics.tables import frame_of_rows, plain_frame

if TYPE_CHECKING:
    from scoresheet.metrics.family import ModelResult, ScoredSheet, Sheet

Frames = pd.DataFrame | Mapping[str, pd.DataFrame]
Tables = pd.DataFrame | str | Path
Outputs = pd.DataFrame | Mapping[str, Frames] | str | Path

_FRAME: Final = "frame"  # how a table that came from no file is named
_REFERENCES: Final = ""  # stands for the references among the tables that options name


@dataclass(frozen=True, eq=False)
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

    @property
    def answer(self) -> str:
        """What the models came to, in a sentence."""
        return self._run.answer

    @property
    def comparison_headline(self) -> str:
        """The measure that models are ranked and compared by first."""
        paired: PairedComparison = self._run.comparison.paired
        return paired.headline

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

        Raises
        ------
        ValueError
            If no row has a score, or the folder is another command's or program's, or a file that no run wrote would be
            replaced; then nothing is written, as by the command.
        OSError
            If the folder cannot be written to, or another run holds it.
        """
        if not self._run.is_scored:
            raise ValueError("no row has a score, so there is nothing to write")
        try:
            return [Path(folder) / name for name in self._written(Path(folder))]
        except Stop as stop:
            raise (ValueError if stop.code == Exit.USAGE else OSError)(str(stop)) from None

    def _written(self, folder: Path) -> list[str]:
        run, plan = self._run, self._run.plan
        with locked_results(folder, plan.family.name, wait=0) as results:
            staged = dataclasses.replace(plan, stage=results.stage)
            outcomes = tuple(
                write_model(staged, self._context, outcome, outcome.result) if outcome.result else outcome
                for outcome in run.outcomes
            )
            run = dataclasses.replace(run, plan=staged, outcomes=outcomes)
            method = plan.reporter.method(self._context, plan.options)
            files = write_run(run, method, results)
            left = results.earlier_reports(files)
            outputs = {name: sha256(results.stage / name) for name in files}
            results.commit(files, manifest(run, outputs, left, self._request, method))
        return files


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


def compare(
    *scores: Scores, measures: Sequence[str] = (), confidence: float = CONFIDENCE_LEVEL, seed: int = 0
) -> pd.DataFrame:
    """Return every two models on the units they share, with the columns of the command's comparison CSV.

    Parameters
    ----------
    *scores : Scores
        One result (its models among themselves) or several of one family, such as last night's and tonight's.
    measures : sequence of str, optional
        Measures of the units to compare; by default every number that all units have. The family's headline, or the
        first where it is not among them, is corrected by itself; the others are exploratory.
    confidence : float, optional
        Level of the intervals, and one minus the level of the findings.
    seed : int, optional
        Seed of the intervals and of the randomisation test.

    Returns
    -------
    DataFrame
        A line per pair of models and measure.

    Raises
    ------
    ValueError
        If nothing is given, or what is no result of `score`; the families differ, a measure is no number that all units
        have, or the confidence or the seed is none.

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
    if wrong := [each for each in scores if not isinstance(each, Scores)]:
        raise ValueError(f"compare takes what score returned, not {wrong[0]!r}")
    if len({each.signature.partition("|")[0] for each in scores}) != 1:
        raise ValueError(f"compare needs results of one family, not {[each.signature for each in scores]}")
    check_confidence(confidence)
    check_whole("seed", seed)
    models: dict[str, ComparedUnits | None] = {}
    known = _common_measures([result for each in scores for result in each.results.values()])
    names = checked_texts("measures", measures) or known
    if not names:
        return frame_of_rows([column.name for column in COMPARISON_COLUMNS], [])
    if unknown := [name for name in names if name not in known]:
        raise ValueError(
            f"there is no measure {unknown[0]!r} to compare by; all units have {', '.join(known) or 'none'}"
        )
    for position, each in enumerate(scores, start=1):
        for model, result in each.results.items():
            shown = model if len(scores) == 1 else f"{model} ({position})"
            models[shown] = _compared_units(result, names)
    usual = scores[0].comparison_headline
    paired = compare_units(
        models,
        names,
        headline=usual if usual in names else names[0],
        better=None,
        units="units",
        confidence=confidence,
        seed=seed,
    )
    rows = [comparison_row(each) for each in paired.differences]
    return frame_of_rows([column.name for column in COMPARISON_COLUMNS], rows).infer_objects()


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
        return command.options(**{**plain, **dict.fromkeys(tables, _FRAME)}), tables  # type: ignore[arg-type]
    except ValueError as error:
        raise ValueError(spelled_for_shell(str(error))) from None


class _Table(NamedTuple):
    """References or a further table: where they come from, and what was read."""

    source: TableSource
    read: SideTable


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
    named = _named_tables(command, options, references, frames)
    tables = {name: _table(each, command, name, on_side(every, name or REFERENCES)) for name, each in named.items()}
    renamed = on_side(every, OUTPUTS)
    rules = settings.read_rules(family.schema, renamed, options.named_headers())
    found, models = _models(outputs, named.values(), rules, family.schema)
    models = _by_model(found, models)
    plan = _plan(command, options, settings, renamed, found, tables)
    context = family.context(_given(plan, models, tables), options)
    scored = [score_loaded(plan, context.value, model, loaded) for model, loaded in models]
    outcomes = sorted([*map(Outcome, found.clashing), *scored], key=lambda outcome: outcome.model)
    problems = (
        *(located_problem(problem, plan, found.folder) for problem in found.problems),
        *(problem for table in tables.values() for problem in table.read.problems),
        *(of_table(problem, plan, tables[problem.table].source) for problem in context.problems),
        *problems_of(outcomes),
    )
    comparison = family.compare(results_of([_slim(outcome) for outcome in outcomes]), options, EVERY_TWO)
    ranked = best_first(outcomes, comparison.paired)
    run: Run[Any, Any, Any, Any, Any, Any] = Run(plan, ranked, comparison, problems, tuple(found.ignored))
    refuse_unmet_renamings(run, {name: table.read for name, table in tables.items()}, every)
    if run.audit is not None and run.audit.mismatches:
        raise RuntimeError("the audit failed: " + "; ".join(run.audit.mismatches))
    return _scores(run, context.value, Request(family, command.reporter, options, settings, "", "", Path()))


def _named_tables(
    command: Command, options: Any, references: Tables | None, frames: Mapping[str, pd.DataFrame]
) -> dict[str, Tables | None]:
    """Return the references, and the further tables that the options name."""
    schema = command.family.schema
    if references is None and schema.references is not None and schema.references_required:
        raise ValueError(f"{command.name} needs references")
    if references is not None and schema.references is None:
        raise ValueError(f"{command.name} takes no references")
    chosen = {name: frames.get(name, getattr(options, name)) for name in schema.tables}
    further = {
        name: each for name, each in chosen.items() if name in frames or each not in ("", schema.tables[name].built_in)
    }
    return {_REFERENCES: references, **further}


def _table(source: Tables | None, command: Command, name: str, renamed: Renamings) -> _Table:
    """Return references or a further table as one frame, as the pipeline makes it."""
    whole = command.family.schema
    schema = whole.tables[name] if name else whole.references or TableSchema()
    if source is None:
        return _Table(TableSource(schema, Discovery(), []), SideTable(side_table([], schema)))
    if isinstance(source, pd.DataFrame):
        place = TableSource(schema, Discovery(), [Source(Path(_FRAME), _FRAME)])
        try:
            loaded, noted = frame_sheets(source, _FRAME)
            matched = [matched_sheet(sheet, schema, renamed) for sheet in loaded]
        except InputError as error:
            raise ValueError(spelled_for_shell(f"{name or 'references'}: {error.problem.message}")) from None
        return _Table(place, joined_tables(place, matched, [problem.at(file=_FRAME) for problem in noted], {}))
    place = find_references(
        _path(source, name or "references"),
        schema,
        RemotePlaces(),
        USUAL_LIMITS,
        trec=not name and whole.reads_trec,
    )
    sheets: list[Sheet] = []
    problems = list(place.found.problems)
    files: dict[str, str] = {}
    for file in place.sources:
        usable, wrong, hashes = usable_sheets(
            schema, Settings().read_rules(whole, renamed), renamed, ModelInput("", (file,))
        )
        sheets += usable
        problems += wrong
        files |= hashes
    return _Table(place, joined_tables(place, sheets, problems, files))


def _path(place: object, name: str) -> str:
    """Return a path as text; what is none, or holds reports, is refused."""
    if not isinstance(place, str | Path):
        raise TypeError(f"{name} must be a frame or a path, not {type(place).__name__}")
    if is_results(Path(place)):
        raise ValueError(f"{place}: this is a folder of results; name the inputs that they were made from")
    return str(place)


def _models(
    outputs: Outputs, tables: Iterable[Tables | None], rules: ReadRules, schema: Schema
) -> tuple[Discovery, list[tuple[ModelInput, LoadedFiles]]]:
    """Return the models with their sheets, in the order of their names."""
    if isinstance(outputs, pd.DataFrame | Mapping):
        frames = {_FRAME: outputs} if isinstance(outputs, pd.DataFrame) else outputs
        return Discovery(), _frame_models(frames, rules)
    place = _path(outputs, "outputs")
    apart = [Path(table) for table in tables if isinstance(table, str | Path)]
    if Path(place).resolve() in [other.resolve() for other in apart]:
        raise ValueError(f"{place}: outputs and references cannot be the same; name both")
    found = discover_models(place, apart=apart, trec=schema.reads_trec, is_one=schema.is_one_model)
    if not found.models and not found.clashing:
        raise ValueError(f"{place}: no CSV or Excel files here; nothing could be scored")
    return found, [(model, load_sheets(model, rules)) for model in found.models]


def _by_model(
    found: Discovery, models: Sequence[tuple[ModelInput, LoadedFiles]]
) -> list[tuple[ModelInput, LoadedFiles]]:
    """Return the models with their sheets, those that a column names in place of the tables that it stands in."""
    several = {model: each for model, loaded in models if (each := models_by_rows(loaded)) is not None}
    if not several:
        return list(models)
    whole = [(model, loaded) for model, loaded in models if model not in several]
    named = models_by_column(several, [model for model, _ in whole], found)
    gone = {name.casefold() for name in found.clashing}
    sheets = [sheet for model, loaded in models if model in several for sheet in loaded.sheets]
    hashes = {file: digest for _, loaded in models for file, digest in loaded.hashes.items()}
    kept = [(model, loaded) for model, loaded in whole if model.name.casefold() not in gone]
    for model in named:
        own = {source.shown: hashes[source.shown] for source in model.files if source.shown in hashes}
        kept.append((model, LoadedFiles([sheet for sheet in sheets if sheet.model == model.only], [], own)))
    return sorted(kept, key=lambda pair: pair[0].name)


def _frame_models(outputs: Mapping[str, Frames], rules: ReadRules) -> list[tuple[ModelInput, LoadedFiles]]:
    by_name = {str(name): frames for name, frames in outputs.items()}
    if not by_name:
        raise ValueError("there is no model; name at least one frame")
    alike: dict[str, str] = {}
    for name, frames in by_name.items():
        if alike.setdefault(name.casefold(), name) != name:
            raise ValueError(f"the models {alike[name.casefold()]!r} and {name!r} have one name but for case")
        if not isinstance(frames, pd.DataFrame | Mapping):
            raise TypeError(f"the model {name!r} must be a frame or frames by sheet, not {type(frames).__name__}")
    return [frame_model(name, by_name[name], rules) for name in sorted(by_name)]


def _plan(
    command: Command,
    options: Any,
    settings: Settings,
    renamed: Renamings,
    found: Discovery,
    tables: Mapping[str, _Table],
) -> Plan[Any, Any, Any, Any, Any, Any]:
    referenced = tables[_REFERENCES]
    own = options.signature(referenced=bool(referenced.source.sources))
    return Plan(
        family=command.family,
        reporter=command.reporter,
        options=options,
        signature="|".join([command.family.name, *own, f"v:{VERSION}", *settings.signature()]),
        rules=settings.read_rules(command.family.schema, renamed, options.named_headers()),
        renamed=renamed,
        folder=found.folder,
        reference_sources=tuple(dict.fromkeys(referenced.read.frame[SOURCE])),
        side_files={
            (f"{file} (--{name})" if name else file): digest
            for name, table in tables.items()
            for file, digest in table.read.files.items()
        },
        stage=None,
        raw_csv=False,
    )


def _given(
    plan: Plan[Any, Any, Any, Any, Any, Any],
    models: Sequence[tuple[ModelInput, LoadedFiles]],
    tables: Mapping[str, _Table],
) -> Given[Any]:
    """Return what the context is made of; NoUsableInput if a table has nothing that can be used."""
    for table in tables.values():
        if table.source.sources and not len(table.read.frame):
            raise NoUsableInput(table.read.problems)
    sheets = []
    if plan.family.two_pass(plan.options, referenced=plan.referenced):
        sheets = [each.value.reduced() for _, loaded in models for each, _ in parse_sheets(loaded.sheets, plan)[0]]
    further = {name: table.read.frame for name, table in tables.items() if name != _REFERENCES}
    return Given(tables[_REFERENCES].read.frame, further, sheets)


def _slim(outcome: Outcome[Any]) -> Outcome[Any]:
    return dataclasses.replace(outcome, result=outcome.result.slim()) if outcome.result else outcome


def _scores(
    run: Run[Any, Any, Any, Any, Any, Any], context: object, request: Request[Any, Any, Any, Any, Any, Any]
) -> Scores:
    shown = run.plan.reporter.result_columns(list(run.results.values()), run.plan.options).measures
    names = [column.name for column in result_columns(shown)]
    units = []
    for model, result in run.results.items():
        own = plain_frame(run.plan.reporter.unit_table(result, run.plan.options))
        own.insert(0, MODEL.name, model)
        units.append(own)
    return Scores(
        table=frame_of_rows(
            names, [result_row(outcome, shown, run.comparison.paired) for outcome in run.outcomes]
        ).infer_objects(),
        units=pd.concat(units, ignore_index=True).infer_objects() if units else pd.DataFrame(columns=[MODEL.name]),
        problems=frame_of_rows(PROBLEM_FIELDS, map(problem_row, run.problems)).infer_objects().astype({"row": "Int64"}),
        signature=run.plan.signature,
        results=run.results,
        _run=run,
        _context=context,
        _request=request,
    )


def _common_measures(results: Sequence[ModelResult[ScoredSheet]]) -> list[str]:
    """Return the measures that are numbers in every sheet that has units."""
    tables = [units.measures for result in results for units in result.comparable_units().values()]
    return [
        name
        for name in (tables[0] if tables else ())
        if not any(isinstance(value, str) for measures in tables for value in measures.get(name, [""]))
    ]


def _compared_units(result: ModelResult[ScoredSheet], measures: Sequence[str]) -> ComparedUnits | None:
    keyed = {}
    for sheet, units in result.comparable_units().items():
        keys = ["\x1f".join(parts) for parts in zip(*units.keys.values(), strict=True)]
        keyed[sheet] = KeyedValues(keys, np.column_stack([units.array(name) for name in measures]))
    return ComparedUnits.of_sheets(keyed)
