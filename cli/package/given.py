"""What is scored from Python: frames or paths, as the models and tables that the pipeline has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from scoresheet.cli.commands import Command
from scoresheet.cli.input.discover import Discovery, ModelInput, Source, discover_models
from scoresheet.cli.input.formats.types import ReadRules
from scoresheet.cli.input.frames import frame_model, frame_sheets
from scoresheet.cli.input.header_matching import Renamings
from scoresheet.cli.input.limits import USUAL_LIMITS
from scoresheet.cli.input.loading import LoadedFiles, load_sheets
from scoresheet.cli.input.manifests import is_results
from scoresheet.cli.input.matched_sheets import matched_sheet, side_table
from scoresheet.cli.input.model_columns import models_by_column, models_by_rows
from scoresheet.cli.input.remote import RemotePlaces
from scoresheet.cli.run.run_inputs import REFERENCES_TABLE
from scoresheet.cli.run.side_tables import SideTable, TableSource, find_references, joined_tables, usable_sheets
from scoresheet.cli.settings import Settings
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.problems import InputError
from scoresheet.metrics.schema import Schema, TableSchema

if TYPE_CHECKING:
    from scoresheet.metrics.family import Sheet

Frames = pd.DataFrame | Mapping[str, pd.DataFrame]
Tables = pd.DataFrame | str | Path
Outputs = pd.DataFrame | Mapping[str, Frames] | str | Path

FRAME: Final = "frame"  # how a table that came from no file is named


def given_models(
    outputs: Outputs, tables: Iterable[Tables | None], rules: ReadRules, schema: Schema
) -> tuple[Discovery, list[tuple[ModelInput, LoadedFiles]]]:
    """Return the models with their sheets, in the order of their names."""
    if isinstance(outputs, pd.DataFrame | Mapping):
        frames = {FRAME: outputs} if isinstance(outputs, pd.DataFrame) else outputs
        return Discovery(), _frame_models(frames, rules)
    place = _path(outputs, "outputs")
    apart = [Path(table) for table in tables if isinstance(table, str | Path)]
    if Path(place).resolve() in [other.resolve() for other in apart]:
        raise ValueError(f"{place}: outputs and references cannot be the same; name both")
    found = discover_models(place, apart=apart, trec=schema.reads_trec, is_one=schema.is_one_model)
    if not found.models and not found.clashing:
        raise ValueError(f"{place}: no CSV or Excel files here; nothing could be scored")
    return found, [(model, load_sheets(model, rules)) for model in found.models]


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


def separated_models(
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


def named_tables(
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
    return {REFERENCES_TABLE: references, **further}


def given_table(
    source: Tables | None, command: Command, name: str, renamed: Renamings
) -> tuple[TableSource, SideTable]:
    """Return where references or a further table come from, and all of it as one frame, as the pipeline makes it."""
    whole = command.family.schema
    schema = whole.tables[name] if name else whole.references or TableSchema()
    if source is None:
        return TableSource(schema, Discovery(), []), SideTable(side_table([], schema))
    if isinstance(source, pd.DataFrame):
        place = TableSource(schema, Discovery(), [Source(Path(FRAME), FRAME)])
        try:
            loaded, noted = frame_sheets(source, FRAME)
            matched = [matched_sheet(sheet, schema, renamed) for sheet in loaded]
        except InputError as error:
            raise ValueError(spelled_for_shell(f"{name or 'references'}: {error.problem.message}")) from None
        return place, joined_tables(place, matched, [problem.at(file=FRAME) for problem in noted], {})
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
    return place, joined_tables(place, sheets, problems, files)


def _path(place: object, name: str) -> str:
    """Return a path as text; what is none, or holds reports, is refused."""
    if not isinstance(place, str | Path):
        raise TypeError(f"{name} must be a frame or a path, not {type(place).__name__}")
    if is_results(Path(place)):
        raise ValueError(f"{place}: this is a folder of results; name the inputs that they were made from")
    return str(place)
