"""One number of an earlier run, made again with all that it is made of; from texts, without a run."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

import pandas as pd

from scoresheet.cli.commands import Command
from scoresheet.cli.earlier.rereading import Reread
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import ModelInput
from scoresheet.cli.input.header_matching import suggestion
from scoresheet.cli.input.results_reading import EarlierResults
from scoresheet.cli.report.explanation import Block, Explainer
from scoresheet.cli.run.results_table import MODEL
from scoresheet.cli.terminal.tables import one_line
from scoresheet.cli.version import VERSION
from scoresheet.cli.write.cell_text import escape_control_characters
from scoresheet.metrics.explanation import Explanation, NoSuchUnit, UnitName
from scoresheet.metrics.family import Given, ParsedSheet, Sheet
from scoresheet.metrics.messages import join_names, spelled_for_shell
from scoresheet.metrics.options import Options
from scoresheet.metrics.problems import InputError, UsageError
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import ROW, SHEET, SOURCE, InputColumn, TableSchema
from scoresheet.metrics.tables import object_frame

SAME: Final = 1e-9  # numbers this near to each other are the same
_SHEET: Final = "Sheet"  # columns of the CSV of units
_ROW: Final = "Row"


@dataclass(frozen=True)
class Wanted:
    """Which unit a user asks for."""

    model: str = ""
    sheet: str = ""
    row: int | None = None
    key: str = ""


@dataclass(frozen=True)
class ExplainedUnit:
    """A unit explained: what was reported of it, what it comes to today, and how."""

    command: str
    model: str
    unit: UnitName
    explanation: Explanation
    blocks: tuple[Block, ...]
    reported: Mapping[str, str] = field(default_factory=dict)  # as the run's CSV has it
    unequal: tuple[str, ...] = ()  # measures that are not what was reported, in words
    changed: tuple[str, ...] = ()  # inputs that are not what they were, and the version if it is another

    @property
    def exit_code(self) -> Exit:
        """0; 10 if the number is another one today and something changed, 1 if nothing did: then it is a bug."""
        if not self.unequal:
            return Exit.OK
        return Exit.GATE if self.changed else Exit.BUG

    def as_numbers(self) -> dict[str, Any]:
        """Return everything for machines."""
        return {
            "command": self.command,
            "model": self.model or None,
            "sheet": self.unit.sheet,
            "row": self.unit.row,
            "keys": dict(self.unit.keys),
            "reported": dict(self.reported),
            "unequal": list(self.unequal),
            "changed": list(self.changed),
            "explanation": dataclasses.asdict(self.explanation),
            "exit_code": int(self.exit_code),
        }


def explained_unit(results: EarlierResults, wanted: Wanted, *, anyway: bool) -> ExplainedUnit:
    """Return how the numbers of one unit came about; Stop if it is not there, or inputs changed and nobody insists."""
    explainer = explainer_of(results.command)
    model = _model(results, wanted.model)
    if wanted.row and not explainer.has_rows and explainer.unit_of_row is None:
        raise Stop(
            Exit.USAGE,
            f"--row {wanted.row}: what {results.command.name} scores is a {explainer.unit} and no row; name it with "
            "--unit",
        )
    by_row = wanted.row is not None and not explainer.has_rows
    lines = {} if explainer.units else reported_units(results, model, explainer)
    unit = None
    if lines and not by_row:
        unit = _chosen(list(lines), wanted, explainer, model)  # before anything else is read
    reread = Reread.of(results)
    source, changed = _source(reread, model, anyway=anyway)
    _, sheets = reread.parsed(source)
    options = reread.request.options
    try:
        context = reread.context()
        if by_row:
            unit = _of_row(sheets, context, wanted, explainer, model)
        elif unit is None:
            unit = _chosen(explainer.units(sheets, options) if explainer.units else [], wanted, explainer, model)
        found = explainer.explain(sheets, context, options, unit)
    except (InputError, UsageError) as error:
        raise Stop(Exit.USAGE, spelled_for_shell(str(error))) from None
    except NoSuchUnit:
        raise Stop(
            Exit.USAGE, f"{_shown(unit, explainer)}: this {explainer.unit} is not in the files any more; score again"
        ) from None
    reported = _result_line(results, model) if explainer.units else lines.get(key_of(unit))
    if reported is None:
        raise Stop(Exit.USAGE, f"{_shown(unit, explainer)}: nothing was reported of this {explainer.unit}; score again")
    if results.record.get("version") != VERSION:
        changed.append(f"scoresheet: {results.record.get('version')} made the results, this is {VERSION}")
    return ExplainedUnit(
        results.command.name,
        model,
        unit,
        found,
        tuple(explainer.blocks(found)),
        {name: reported[name] for name in found.measures if name in reported},
        tuple(unequal_measures(found, reported)),
        tuple(changed),
    )


def _source(reread: Reread, model: str, *, anyway: bool) -> tuple[ModelInput, list[str]]:
    """Return the files of a model, and what changed of all that its numbers are made from; Stop unless one insists."""
    source = reread.models([model]).get(model)
    if source is None:
        raise Stop(
            Exit.USAGE,
            f"{reread.request.outputs}: the files of the model {model!r} are not there any more; score again",
        )
    changed = [*reread.changed_tables(), *reread.changed_inputs(None if reread.goes_over_all else [source])]
    if changed and not anyway:
        raise Stop(
            Exit.USAGE,
            f"the inputs are not those of the run any more ({join_names(changed, most=6)}); score again, or add "
            "--anyway to explain what they come to now",
        )
    return source, changed


def explained_texts(
    command: Command, options: Options, rows: Mapping[str, str], references: Sequence[str]
) -> ExplainedUnit:
    """Return how the numbers of one row of texts come about, by the road that rows of files go."""
    family, explainer = command.family, explainer_of(command)
    family.require(options)
    key = family.schema.outputs.key
    named = {**({key: "text"} if key else {}), **rows}
    absent = frozenset(column.name for column in family.schema.outputs.columns if column.name not in named)
    frame = _row(family.schema.outputs.columns, named)
    sheet = Sheet(name="Sheet1", table=frame, absent=absent)
    parsed = family.parse(sheet, options, referenced=bool(references)).value
    table = _references(family.schema.references or TableSchema(), references)
    context = family.context(Given(table), options).value
    unit = UnitName(sheet.name, {}, int(frame.index[0]))
    found = explainer.explain([parsed], context, options, unit)
    return ExplainedUnit(command.name, "", unit, found, tuple(explainer.blocks(found)))


def explainer_of(command: Command) -> Explainer[Any, Any, Any, Any]:
    """Return what explains the units of a command; Stop if nothing does."""
    found = command.explainer
    if found is None:
        raise Stop(Exit.USAGE, f"the numbers of {command.name} cannot be explained")
    return found


def _row(columns: Sequence[InputColumn], named: Mapping[str, str]) -> pd.DataFrame:
    return object_frame({column.name: [named.get(column.name, "")] for column in columns}, index=pd.Index([2]))


def _references(schema: TableSchema, references: Sequence[str]) -> pd.DataFrame:
    """Return texts as a table of references of the one key."""
    text = next((column.name for column in schema.columns if column.kind == "text"), "")
    cells = {column.name: [""] * len(references) for column in schema.columns}
    own = {schema.key: ["text"] * len(references), text: list(references)} if references else {}
    stood: dict[str, list[object]] = {
        SOURCE: [""] * len(references),
        SHEET: [""] * len(references),
        ROW: list(range(len(references))),
    }
    return object_frame({**cells, **own, **stood})


def _model(results: EarlierResults, name: str) -> str:
    models = results.models
    if not name and len(models) == 1:
        return models[0]
    if name in models:
        return name
    alike = [model for model in models if model.casefold() == name.casefold()]
    if len(alike) == 1:
        return alike[0]
    what = f"there is no model {name!r}" if name else "name a model with --model"
    raise Stop(Exit.USAGE, f"{results.folder}: {what}; there are {join_names(models, most=12)}")


UnitKey = tuple[str, int | None, tuple[tuple[str, str], ...]]


def key_of(unit: UnitName) -> UnitKey:
    """Return a unit as something that can be looked up."""
    return unit.sheet, unit.row, tuple(unit.keys.items())


def reported_units(
    results: EarlierResults, model: str, explainer: Explainer[Any, Any, Any, Any]
) -> dict[UnitKey, dict[str, str]]:
    """Return the lines of the model's CSV of units, by the unit that each is of."""
    if not results.has_units(model):
        raise Stop(
            Exit.USAGE,
            f"the model {model!r} failed, so that it has no number to explain; {results.folder}/problems.csv says why",
        )
    table = results.units(model)
    keys = [name for name in explainer.keys if name in table.columns]
    lines = {}
    for line in table.to_dict("records"):
        row = int(line[_ROW]) if explainer.has_rows else None
        unit = UnitName(str(line[_SHEET]), {name: str(line[name]) for name in keys}, row)
        lines[key_of(unit)] = {str(name): str(value) for name, value in line.items()}
    return lines


def _chosen(
    units: Sequence[UnitKey | UnitName], wanted: Wanted, explainer: Explainer[Any, Any, Any, Any], model: str
) -> UnitName:
    """Return the one unit that is meant; Stop if there is none, or there are several."""
    every = [each if isinstance(each, UnitName) else UnitName(each[0], dict(each[2]), each[1]) for each in units]
    own = [unit for unit in every if not wanted.sheet or unit.sheet == wanted.sheet]
    if not every:
        raise Stop(Exit.USAGE, f"the model {model!r} has no {explainer.unit} with a score")
    if not own:
        sheets = join_names(dict.fromkeys(unit.sheet for unit in every), most=12)
        raise Stop(Exit.USAGE, f"--sheet {wanted.sheet}: the model {model!r} has no such sheet; there are {sheets}")
    if not wanted.row and not wanted.key:
        flags = "--row or --unit" if explainer.has_rows else "--unit"
        some = _listed(own, most=6)
        raise Stop(Exit.USAGE, f"which {explainer.unit}? Name it with {flags}; there are {some}")
    if wanted.row:
        found, asked = [unit for unit in own if unit.row == wanted.row], f"--row {wanted.row}"
    else:
        asked = f"--unit {wanted.key}"
        found = [unit for unit in own if wanted.key in (_name(unit), *filter(None, unit.keys.values()))]
        # as it is listed, where a line break or the like has to be written out
        found = found or [unit for unit in own if wanted.key == one_line(_name(unit))]
    if not found:
        names = [_name(unit) for unit in own]
        hint = suggestion(wanted.key, names) if wanted.key else ""
        some = f"rows {own[0].row} to {own[-1].row}" if wanted.row else _listed(own, most=6)
        raise Stop(Exit.USAGE, f"{asked}: the model {model!r} has no such {explainer.unit}{hint}; there are {some}")
    if len(found) > 1:
        holding = list(dict.fromkeys(unit.sheet for unit in found))
        by = f"--sheet: {join_names(holding, most=12)}" if len(holding) > 1 else _by_name(found, explainer)
        raise Stop(Exit.USAGE, f"{asked}: this may be any of {len(found)}; say which with {by}")
    return found[0]


def _of_row(
    sheets: Sequence[ParsedSheet], context: Any, wanted: Wanted, explainer: Explainer[Any, Any, Any, Any], model: str
) -> UnitName:
    """Return the unit that a row is counted in; Stop if there is none, or there are several."""
    row, find = wanted.row or 0, explainer.unit_of_row
    own = [sheet for sheet in sheets if not wanted.sheet or sheet.name == wanted.sheet]
    found = [unit for sheet in own if find is not None and (unit := find(sheet, context, row)) is not None]
    if not found:
        names = join_names((sheet.name for sheet in sheets), most=12)
        raise Stop(
            Exit.USAGE,
            f"--row {row}: no {explainer.unit} of the model {model!r} counts this row; its sheets are {names}",
        )
    if len(found) > 1:
        names = join_names((unit.sheet for unit in found), most=12)
        raise Stop(Exit.USAGE, f"--row {row}: this may be any of {len(found)}; say which with --sheet: {names}")
    return found[0]


def _by_name(units: Sequence[UnitName], explainer: Explainer[Any, Any, Any, Any]) -> str:
    if explainer.has_rows:
        return f"--row: {join_names((str(unit.row) for unit in units), most=12)}"
    return f"--unit: {_listed(units, most=12)}"


def _listed(units: Iterable[UnitName], most: int) -> str:
    """Return the names of units, the first few, on one line whatever they hold."""
    return join_names((one_line(_name(unit)) for unit in units), most=most)


def _name(unit: UnitName) -> str:
    """Return the keys of a unit as one name."""
    return "/".join(filter(None, unit.keys.values())) or str(unit.row or "")


def _shown(unit: UnitName | None, explainer: Explainer[Any, Any, Any, Any]) -> str:
    if unit is None:
        return explainer.unit
    return f"{unit.sheet}, " + (f"row {unit.row}" if explainer.has_rows else _name(unit))


def _result_line(results: EarlierResults, model: str) -> dict[str, str]:
    """Return the model's line of the results table, where single units have none."""
    table = results.results
    line = table[table[MODEL.name] == model].iloc[0]
    return {str(name): str(value) for name, value in line.items()}


def unequal_measures(found: Explanation, reported: Mapping[str, str]) -> list[str]:
    """Return in words which measures are not what was reported; one is compared at the least."""
    compared = [name for name in found.measures if name in reported]
    if not compared:
        return ["none of its measures was reported"]
    return [
        f"{name}: reported {reported[name] or 'nothing'}, now {found.measures[name]}"
        for name in compared
        if not is_same(reported[name], found.measures[name])
    ]


def is_same(reported: str, value: float | str) -> bool:
    """Return whether a cell of a CSV holds a value.

    >>> is_same("0.5", 0.5), is_same("", float("nan")), is_same("low", "high")
    (True, True, False)
    """
    if isinstance(value, str):
        return reported == escape_control_characters(value)
    if math.isnan(value):
        return not reported
    return bool(reported) and math.isclose(float(reported), value, rel_tol=SAME, abs_tol=SAME)
