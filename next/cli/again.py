"""Results computed again from their inputs: one unit to explain it, all of them to verify."""

import csv
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from scoresheet.cli.input.grammar import few, nearest, usage
from scoresheet.cli.report.answers import count
from scoresheet.cli.report.files import records
from scoresheet.cli.report.tables import at_cutoff, page_of
from scoresheet.cli.report.text import show
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.pipeline import add_survey, discover_inputs, inputs_read, run_command
from scoresheet.cli.run.recorded import Recorded, open_recorded
from scoresheet.cli.run.results_folder import MANIFEST, read_manifest, sha256_of
from scoresheet.cli.run.tasks import model_tables
from scoresheet.metrics.family import Family
from scoresheet.metrics.problem import Problem, Refusal

MOST_MODELS = 30  # of which a unit is shown
NUMBERS = (".csv", ".json", ".md")  # workbooks and figures hold the same numbers
NOT_AGAIN = "problems.csv"  # it also compares the run with the one before

Asked = tuple[str, str, int | None]  # a sheet, a unit, a row


def explain_outcome(folder: Path, model: str, asked: Asked) -> RunOutcome:
    """Return how a unit of a model was scored, computed again from the inputs of the results.

    Raises Refusal if they have changed.
    """
    if bool(asked[1]) == (asked[2] is not None):
        raise usage("name one unit: by --unit KEY, or by --row N")
    recorded = open_recorded(folder)
    family, options = recorded.family, recorded.request.options
    if family.explain is None:
        raise usage(f"{family.name} cannot explain its numbers")
    if changed := changed_inputs(recorded):
        message = f"the inputs are not those of the results: {few(changed)}"
        hint = f"run scoresheet {family.name} again, in the folder where it was run"
        raise Refusal(Problem("changed", "refused", message, hint=hint))
    with inputs_read(recorded.request) as run:
        known = [found.name for found in run.models.values() if found.parts]
        if model not in known:
            raise usage(f"{model} is not one of the {family.word}s {few(known)}")
        add_survey(run)
        tables = model_tables(run.given, run.models[model])
    units = family.score(tables, options).units
    sheet, unit = _place(units, tables["outputs"], family, asked)
    found = family.explain(tables, options, sheet, unit)
    values = _in_all_models(recorded, model, units, sheet, unit)
    # the headline, or the first measure that a unit has
    headline = next(measure for measure in recorded.measures if measure.name in values)
    own = values.loc[values["Model"] == model, headline.name]
    value = f"{headline.label} {show(own.mean(), headline.format)}"
    means = f", the mean of {len(own)} rows" if len(own) > 1 else ""
    sentences = [f"{unit}: {value}{means} ({model}).", *found.sentences]
    shown = {"In all models": values, **found.tables}
    shown = {title: table for title, table in shown.items() if len(table)}
    pages = [page_of(title, t, recorded.measures, role="note") for title, t in shown.items()]
    content = {"sentences": sentences, "tables": {n: records(t) for n, t in shown.items()}}
    return RunOutcome(Exit.OK, answer=sentences, breakdowns=pages, content=content)


def _place(
    units: pd.DataFrame, rows: pd.DataFrame, family: Family, asked: Asked
) -> tuple[str, str]:
    """Return the sheet, empty for all, and the name of the unit that was asked for."""
    sheet, unit, row = asked
    if sheet and sheet not in set(units["Sheet"]):
        raise usage(f"there is no sheet {sheet}; there are {few([*units['Sheet'].unique()])}")
    role, names = family.unit_role, units[family.unit].astype(str)
    if row is None:
        chosen, near = names == unit, nearest(unit, [*names.unique()])
        missing = f"there is no {role} {unit}" + (f"; the nearest is {near}" if near else "")
    else:
        missing = f"no {role} begins in row {row}: name it with --unit"
        if role in rows:  # a unit can have several rows
            rows = rows[rows["row"] == row]
            chosen = names.isin(rows[role]) & units["Sheet"].isin(rows.get("sheet", units["Sheet"]))
        else:
            chosen = units["Row"] == row
    places = units[chosen & ((units["Sheet"] == sheet) | (sheet == ""))]
    if places.empty:
        raise usage(missing)
    sheets = [*places["Sheet"].unique()]
    if len(sheets) > 1 and (row is not None or family.unit_by_sheet):
        raise usage(f"it occurs in the sheets {few(sheets)}: name one", f"--sheet {sheets[0]}")
    # the only sheet of a model is named by its file, which other models do not have
    several = units["Sheet"].nunique() > 1
    chosen_sheet = sheet if row is None else sheets[0]
    return chosen_sheet if several else "", str(places[family.unit].iloc[0])


def _in_all_models(
    recorded: Recorded, model: str, units: pd.DataFrame, sheet: str, unit: str
) -> pd.DataFrame:
    """Return the measures of a unit in every model: of this one as computed again."""
    family, others = recorded.family, {*recorded.scored} - {model}
    found = {name: recorded.units(name) for name in others if len(others) < MOST_MODELS}
    measures = [measure.name for measure in recorded.measures]
    shown = [n for n in at_cutoff(family.shown, measures[0]) if n in measures] or measures
    names = ["Model", "Sheet", *dict.fromkeys([measures[0], *shown])]
    frames: list[pd.DataFrame] = []
    for name, rows in sorted({**found, model: units}.items()):
        frame = rows.assign(Model=name)
        chosen = (frame[family.unit] == unit) & ((frame["Sheet"] == sheet) | (sheet == ""))
        frames.append(frame.loc[chosen, [n for n in names if n in frame]])
    return pd.concat(frames, ignore_index=True)


def changed_inputs(recorded: Recorded) -> list[str]:
    """Return what happened to the inputs since the results were made."""
    inputs: dict[str, str] = recorded.manifest["inputs"]
    changed = changed_files(Path(), inputs, "has changed")
    with suppress(Refusal):
        found = discover_inputs(recorded.family, recorded.request).values()
        paths = [str(source.path) for sources in found for source in sources.sources]
        changed += [f"{path} is new" for path in paths if path not in inputs]
    return changed


def changed_files(folder: Path, hashes: dict[str, str], what: str) -> list[str]:
    """Return which files are missing or have another hash; one without a hash was not read."""
    paths = {folder / name: digest for name, digest in hashes.items()}
    missing = [f"{path} is missing" for path in paths if not path.is_file()]
    there = {path: digest for path, digest in paths.items() if digest and path.is_file()}
    return missing + [f"{p} {what}" for p, digest in there.items() if sha256_of(p) != digest]


def verify_outcome(folder: Path) -> RunOutcome:
    """Return what is not as the manifest says, and what is not the same if scored again."""
    recorded = open_recorded(folder)
    inputs, outputs = recorded.manifest["inputs"], recorded.manifest["outputs"]
    changed = changed_inputs(recorded)
    differences = changed + changed_files(folder, outputs, "has changed since it was written")
    if not changed:
        differences += _scored_again(recorded)
    files = f"{count(len(inputs), 'input')} and {len(outputs)} reports"
    made = f"made by scoresheet {recorded.manifest['version']} (this is {version('scoresheet')})"
    if not differences:
        sentence = f"{files} are as they were, {made}; scoring again gives the same."
        return RunOutcome(Exit.OK, answer=[sentence])
    reason = f"{count(len(differences), 'difference')} in {files}, {made}"
    if any(not Path(path).exists() for path in inputs):
        reason += "; paths are relative to the folder where the results were made"
    return RunOutcome(Exit.GATE, reason, answer=differences)


def _scored_again(recorded: Recorded) -> Iterator[str]:
    failed = recorded.results.query("Status == 'failed'")["Model Name"]
    kept = tuple(recorded.manifest["reports"][model] for model in failed)  # of an earlier run
    with TemporaryDirectory() as folder:
        run_command(replace(recorded.request, out=folder, no_workbooks=True, plots=False))
        again = (read_manifest(Path(folder, MANIFEST)) or {"outputs": {}})["outputs"]
        for name, digest in recorded.manifest["outputs"].items():
            skip = name == NOT_AGAIN or (kept and name.startswith(kept))
            if skip or not name.endswith(NUMBERS) or again.get(name) == digest:
                continue
            old = recorded.folder / name
            difference = _first_difference(old, Path(folder, name))
            yield f"{old} is not the same if scored again: {difference}"


def _first_difference(old: Path, new: Path) -> str:
    """Return where two tables differ first, and how."""
    if not old.is_file() or not new.is_file():
        return "the file is not written" if old.is_file() else "the recorded file is missing"
    tables: list[list[list[str]]] = []
    for path in (old, new):
        with path.open(encoding="utf-8", newline="") as file:
            tables.append([*csv.reader(file)])
    for row, (was, now) in enumerate(zip_longest(*tables, fillvalue=[]), 1):
        for column, (cell, other) in enumerate(zip_longest(was, now, fillvalue="")):
            if cell != other:
                header = tables[0][0][column] if column < len(tables[0][0]) else ""
                place = f"row {row}, {header}" if old.suffix == ".csv" else f"line {row}"
                return f"{place}: {cell.strip() or 'empty'} is now {other.strip() or 'empty'}"
    return "the file differs"
