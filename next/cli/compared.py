"""Models of earlier results compared: those of one run, or of two runs pair by pair."""

import math
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from scoresheet.cli.input.grammar import few, nearest, usage
from scoresheet.cli.report import Column, Page
from scoresheet.cli.report.answers import answer
from scoresheet.cli.report.tables import comparison_table, headline_table
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.recorded import Recorded
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.differences import unit_differences
from scoresheet.metrics.family import Family
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem
from scoresheet.metrics.stats.paired import holm
from scoresheet.metrics.summary import compare_units, compared_rows

# Options of a run on which its numbers depend, next to those in its signature.
READING = (
    *("where", "sheet", "skip_sheet", "missing_values", "match", "extract", "repeats"),
    *("records", "header_row"),
)


@dataclass(frozen=True)
class Compared:
    """A comparison of earlier results: its runs, and each of its models as (run, name)."""

    runs: Sequence[Recorded]
    models: dict[str, tuple[Recorded, str]]
    comparison: Comparison

    def units(self, model: str) -> pd.DataFrame:
        """Return the units of a model."""
        run, name = self.models[model]
        return run.units(name)

    @property
    def differences(self) -> pd.DataFrame:
        """Return the units that differ most."""
        return unit_differences(self.comparison, self.units, self.runs[0].family)


def compare_runs(
    runs: Sequence[Recorded], *, against: str = "", force: bool = False
) -> tuple[Compared, list[Problem]]:
    """Return the comparison of one or two runs, and notes on what differs between them.

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
        return Compared(runs, models, _compare(models, against)), []
    different = _different(first, last)
    if different and not force:
        raise usage(f"the runs were made in different ways: {'; '.join(different)}", "--force")
    notes = [Problem("different", "note", f"the runs differ: {what}") for what in different]
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
    found = [_compare(pair, list(pair)[1]).pairs for pair in pairs]
    adjusted, levels = holm([rows["P_Value"].iloc[0] for rows in found], first.request.ci)
    tables = []
    for pair, p, level in zip(pairs, adjusted, levels, strict=True):
        table = _compare(pair, list(pair)[1], None if math.isnan(level) else level).pairs
        tables.append(table.assign(P_Holm=p))
    models = {name: model for pair in pairs for name, model in pair.items()}
    measure = _compare(pairs[0], list(pairs[0])[1]).measure
    comparison = Comparison(measure, tuple(models), pd.concat(tables, ignore_index=True))
    return Compared(runs, models, comparison), notes


def _compare(
    models: dict[str, tuple[Recorded, str]], against: str, ci: float | None = None
) -> Comparison:
    run = next(iter(models.values()))[0]
    rows = {
        label: compared_rows(own.units(name), own.family, own.measures)
        for label, (own, name) in models.items()
    }
    request = run.request
    return compare_units(
        rows,
        run.family,
        run.measures[0],
        ci=ci or request.ci,
        aggregate=request.aggregate,
        against=against,
    )


def _different(first: Recorded, last: Recorded) -> list[str]:
    """Return the options in which two runs differ."""
    signatures = [run.manifest["signature"].split("|") for run in (first, last)]
    parts = [f"{a} and {b}" for a, b in zip(*signatures, strict=False) if a != b]
    if len(signatures[0]) != len(signatures[1]):
        parts = [" and ".join("|".join(signature) for signature in signatures)]
    options = [run.manifest["arguments"] for run in (first, last)]
    shown = [(name, *(own.get(name) for own in options)) for name in READING]
    return parts + [
        f"{name} {a or 'default'} and {b or 'default'}" for name, a, b in shown if a != b
    ]


def compare_outcome(compared: Compared, notes: list[Problem]) -> RunOutcome:
    """Return what `scoresheet compare` shows."""
    run, comparison = compared.runs[0], compared.comparison
    family, measure = run.family, comparison.measure
    ci, units = run.request.ci, run.manifest["units"]
    pairs = comparison_table(comparison, units, ci, family)
    differences = compared.differences
    outcome = RunOutcome(
        Exit.OK,
        signature=" and ".join(dict.fromkeys(r.manifest["signature"] for r in compared.runs)),
        headline=pairs,
        problems=notes,
        results=comparison.pairs,
        comparisons=comparison.pairs,
        breakdowns=[texts_table(differences, measure, family)] if len(differences) else [],
    )
    if len(compared.runs) == 1:
        results = run.results
        sentences, emphasis = answer(family, results, run.measures[0], comparison, units, ci)
        letters, note = significance_letters(comparison, ci)
        page = headline_table(family, results, run.measures, comparison, ci)
        if letters:
            sentences.append(note)
            frame = page.frame.assign(**{n: page.frame["Model Name"].map(m) for n, m in letters})
            more = [Column(name, name.replace("_", " ")) for name, _ in letters]
            page = replace(page, frame=frame, columns=(page.columns[0], *more, *page.columns[1:]))
            results = results.assign(**{n: results["Model Name"].map(m) for n, m in letters})
        outcome = replace(
            outcome,
            answer=sentences,
            emphasis=emphasis,
            headline=page,
            comparison=pairs if len(comparison.pairs) else None,
            results=results,
        )
    return outcome


def significance_letters(
    comparison: Comparison, ci: float
) -> tuple[list[tuple[str, dict[str, str]]], str]:
    """Return a letter for each model and those of the models it is significantly above, explained.

    Empty where no difference is significant.
    """
    letters = {name: _letter(n) for n, name in enumerate(comparison.order)}
    beaten: dict[str, list[str]] = {name: [] for name in letters}
    for pair in comparison.pairs.to_dict("records"):
        if pair["P_Holm"] < 1 - ci:
            names = [pair["Model"], pair["Other_Model"]]
            higher, lower = names if pair["Difference"] > 0 else names[::-1]
            beaten[higher].append(letters[lower])
    if not any(beaten.values()):
        return [], ""
    above = {name: ", ".join(sorted(found)) for name, found in beaten.items()}
    note = (
        f"Above: the letters of the models than which it is significantly higher in "
        f"{comparison.measure.label} (Holm-corrected p < {1 - ci:.2g})."
    )
    return [("Letter", letters), ("Above", above)], note


def _letter(number: int) -> str:
    """Return the letter of a number: a, b, … z, aa, ab.

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'aa')
    """
    start = _letter(number // 26 - 1) if number > 25 else ""
    return start + string.ascii_lowercase[number % 26]


def texts_table(differences: pd.DataFrame, measure: Measure, family: Family) -> Page:
    """Return the units in which the first two models differ most: a row per model, with its text.

    It shows the last of the family's texts, which is the model's own.
    """
    first = differences.iloc[0]
    shown = differences[(differences[["Model", "Other_Model"]] == first[:2]).all(axis=1)]
    text = family.texts[-1] if family.texts else ""
    rows = []
    for unit in shown.to_dict("records"):
        own = {"Model": unit["Model"], "Value": unit[measure.name], "Text": unit.get(text, "")}
        rows.append({"Unit": unit[family.unit], "Difference": unit["Difference"], **own})
        other, value = unit.get(f"Other_{text}", own["Text"]), unit[f"Other_{measure.name}"]
        own = {"Model": unit["Other_Model"], "Value": value, "Text": other}
        rows.append({"Unit": "", "Difference": "", **own})
    columns = (
        Column("Unit", family.unit, role="key"),
        Column("Difference", "Difference", measure.format, "measure", headline=True, signed=True),
        Column("Model", family.word.capitalize(), role="text"),
        Column("Value", measure.label, measure.format, "measure"),
        *([Column("Text", text, role="text")] if text else ()),
    )
    return Page("Largest differences", pd.DataFrame(rows), columns)
