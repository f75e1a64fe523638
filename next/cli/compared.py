"""Models of earlier results compared: those of one run, or of two runs pair by pair."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import pandas as pd
from xlsxwriter.utility import xl_col_to_name

from scoresheet.cli.input.grammar import few, nearest, usage
from scoresheet.cli.options import InputOptions
from scoresheet.cli.report import Column, Page
from scoresheet.cli.report.answers import answer_of
from scoresheet.cli.report.tables import comparison_table, headline_table
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.recorded import Recorded, open_recorded
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.differences import unit_differences
from scoresheet.metrics.family import Family
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem
from scoresheet.metrics.stats.paired import holm
from scoresheet.metrics.summary import compare_units, compared_rows

# Options of a run on which its numbers depend, next to those in its signature.
READING = {field.name for field in fields(InputOptions)} - {"column", "encoding", "accept"}


@dataclass(frozen=True)
class Compared:
    """A comparison of earlier results: its runs, each model as (run, name), what differs."""

    runs: Sequence[Recorded]
    models: dict[str, tuple[Recorded, str]]
    comparison: Comparison
    notes: list[Problem]

    def units(self, model: str) -> pd.DataFrame:
        """Return the units of a model."""
        run, name = self.models[model]
        return run.units(name)


def compare_runs(runs: Sequence[Recorded], *, against: str = "", force: bool = False) -> Compared:
    """Return the comparison of one or two runs.

    Raises Refusal where they were made with different options, unless `force`.
    """
    first, last = runs[0], runs[-1]
    if first.family.name != last.family.name:
        raise usage(f"{first.folder} and {last.folder} are of different commands")
    if len(runs) == 1:
        models = {name: (first, name) for name in first.scored}
        if against and against not in models:
            near = nearest(against, list(models))
            raise usage(f"--against {against}: there are {few(list(models))}", near and f"{near}?")
        return Compared(runs, models, _compare(models, against), [])
    different = _different(first, last)
    if different and not force:
        raise usage(f"the runs were made in different ways: {'; '.join(different)}", "--force")
    names = [(name, name) for name in last.scored if name in first.scored]
    if not names and len(first.scored) == len(last.scored) == 1:
        names = [(first.scored[0], last.scored[0])]
    if not names:
        has = " and ".join(f"{run.folder} has {few(run.scored)}" for run in runs)
        raise usage(f"the runs have no {first.family.word} in common: {has}")
    pairs = [
        {f"{new} ({last.folder})": (last, new), f"{old} ({first.folder})": (first, old)}
        for old, new in names
    ]
    found = [_compare(pair, list(pair)[1]) for pair in pairs]
    p_values = [comparison.pairs["P_Value"].iloc[0] for comparison in found]
    tables = []
    for pair, p, level in zip(pairs, *holm(p_values, first.request.ci), strict=True):
        again = _compare(pair, list(pair)[1], None if math.isnan(level) else level)
        tables.append(again.pairs.assign(P_Holm=p))
    models = {name: model for pair in pairs for name, model in pair.items()}
    comparison = Comparison(found[0].measure, tuple(models), pd.concat(tables, ignore_index=True))
    notes = [Problem("different", "note", f"the runs differ: {what}") for what in different]
    return Compared(runs, models, comparison, notes)


def _compare(
    models: dict[str, tuple[Recorded, str]], against: str, ci: float | None = None
) -> Comparison:
    run = next(iter(models.values()))[0]
    rows = {
        label: compared_rows(own.units(name), own.family, own.measures)
        for label, (own, name) in models.items()
    }
    ci, aggregate = ci or run.request.ci, run.request.aggregate
    return compare_units(
        rows, run.family, run.measures[0], ci=ci, aggregate=aggregate, against=against
    )


def _different(first: Recorded, last: Recorded) -> list[str]:
    """Return the options in which two runs differ."""
    signatures = [run.manifest["signature"].split("|") for run in (first, last)]
    parts = [f"{a} and {b}" for a, b in zip(*signatures, strict=False) if a != b]
    if len(signatures[0]) != len(signatures[1]):
        parts = [" and ".join("|".join(signature) for signature in signatures)]
    options = [run.manifest["arguments"] for run in (first, last)]
    shown = [(name, *(own.get(name) for own in options)) for name in sorted(READING)]
    return parts + [
        f"{name} {a or 'default'} and {b or 'default'}" for name, a, b in shown if a != b
    ]


def compare_outcome(folders: Sequence[Path], *, against: str, force: bool) -> RunOutcome:
    """Return what `scoresheet compare` shows of the results in one or two folders."""
    compared = compare_runs([*map(open_recorded, folders)], against=against, force=force)
    run, comparison = compared.runs[0], compared.comparison
    family, measure = run.family, comparison.measure
    ci, units = run.request.ci, run.manifest["units"]
    pairs = comparison_table(comparison, units, ci, family)
    differences = unit_differences(comparison, compared.units, family)
    outcome = RunOutcome(
        Exit.OK,
        signature=" and ".join(dict.fromkeys(r.manifest["signature"] for r in compared.runs)),
        headline=pairs,
        problems=compared.notes,
        results=comparison.pairs,
        comparisons=comparison.pairs,
        breakdowns=[texts_table(differences, measure, family)] if len(differences) else [],
    )
    if len(compared.runs) == 1:
        results = run.results
        outcome.comparison = pairs if len(comparison.pairs) else None
        outcome.answer, outcome.emphasis = answer_of(family)(
            results, run.measures[0], comparison, units, ci
        )
        page = headline_table(family, results, run.measures, comparison, ci)
        letters = significance_letters(comparison, ci)
        if letters["Above"].any():
            outcome.answer.append(
                f"Above: the letters of the models than which it is significantly higher in "
                f"{measure.label} (Holm-corrected p < {1 - ci:.2g})."
            )
            columns = [
                page.columns[0],
                *(Column(str(n), str(n)) for n in letters),
                *page.columns[1:],
            ]
            frame = page.frame.join(letters, on="Model Name")
            page = replace(page, frame=frame, columns=tuple(columns))
            results = results.join(letters, on="Model Name")
        outcome.headline, outcome.results = page, results
    return outcome


def significance_letters(comparison: Comparison, ci: float) -> pd.DataFrame:
    """Return by model its letter, and those of the models than which it is significantly higher."""
    names = [xl_col_to_name(number).lower() for number in range(len(comparison.order))]
    letters = dict(zip(comparison.order, names, strict=True))
    above: dict[str, list[str]] = {name: [] for name in letters}
    for pair in comparison.pairs.to_dict("records"):
        if pair["P_Holm"] < 1 - ci:
            models = [pair["Model"], pair["Other_Model"]]
            higher, lower = models if pair["Difference"] > 0 else models[::-1]
            above[higher].append(letters[lower])
    joined = {name: ", ".join(sorted(found)) for name, found in above.items()}
    return pd.DataFrame({"Letter": letters, "Above": joined}, dtype=object)


def texts_table(differences: pd.DataFrame, measure: Measure, family: Family) -> Page:
    """Return the units in which the first two models differ most: a row per model, with its text.

    It shows the last of the family's texts, which is the model's own.
    """
    models = differences[["Model", "Other_Model"]]
    shown = differences[(models == models.iloc[0]).all(axis=1)]
    text = family.texts[-1] if family.texts else ""
    own = shown.assign(Unit=shown[family.unit], Value=shown[measure.name], Text="")
    other = shown.assign(Unit="", Difference="", Model=shown["Other_Model"], Text="")
    other["Value"] = shown[f"Other_{measure.name}"]
    if text:
        own["Text"] = other["Text"] = shown[text]
    if f"Other_{text}" in shown:
        other["Text"] = shown[f"Other_{text}"]
    columns = (
        Column("Unit", family.unit, role="key"),
        Column("Difference", "Difference", measure.format, "measure", headline=True, signed=True),
        Column("Model", family.word.capitalize(), role="text"),
        Column("Value", measure.label, measure.format, "measure"),
        *([Column("Text", text, role="text")] if text else ()),
    )
    rows = pd.concat([own, other]).sort_index(kind="stable").reset_index(drop=True)
    return Page("Largest differences", rows, columns)
