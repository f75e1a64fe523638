"""The change of each model since earlier results, and whether it became worse."""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from scoresheet.cli.input.grammar import few, usage
from scoresheet.cli.report import Page
from scoresheet.cli.report.tables import comparison_table
from scoresheet.cli.run.gates import Gate, check_conditions
from scoresheet.cli.run.recorded import Recorded, open_recorded
from scoresheet.cli.run.request import Request
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family, Scores
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.stats.paired import baseline_level
from scoresheet.metrics.summary import compare_units, compared_rows, unit_keys

# The columns of the results, and those of the comparison with the baseline that they show.
CHANGE = {"Change": "Difference", "Change_Low": "CI_Low", "Change_High": "CI_High"}
CHANGE |= {"Change_Units": "Shared", "Change_Detectable": "Detectable", "Change_Note": "Note"}
MOST_LOST = 0.05  # of the baseline's units
WORSE = "fail-if-worse"
# The comparison of a model that shares no unit with its baseline.
NOTHING: dict[Any, Any] = dict.fromkeys(("Difference", "CI_Low", "CI_High", "P_Holm"), math.nan)
NOTHING |= {"Shared": 0, "Wins": 0, "Ties": 0, "Losses": 0, "Detectable": math.nan}
NOTHING |= {"Level": math.nan, "P_Value": math.nan, "Note": "no shared units"}


def open_baseline(request: Request, family: Family) -> Recorded | None:
    """Return the results that --baseline names, None where there are none yet."""
    folder = Path(request.baseline)
    if not request.baseline or not folder.exists() or not any(folder.iterdir()):
        return None
    if os.path.realpath(folder) == os.path.realpath(request.out):
        hint = "name another folder, to which `scoresheet run --update-baseline` copies results"
        raise usage(f"--baseline {folder} is the results folder of this run", hint)
    recorded = open_recorded(folder)
    if missing := [n for n in recorded.manifest["outputs"] if not (folder / n).is_file()]:
        raise usage(f"--baseline {folder} is not whole: {few(missing)} is missing")
    settings = {f"{key}:{value}" for key, value in family.signature(request.options).items()}
    parts = recorded.manifest["signature"].split("|")
    different = settings.symmetric_difference(parts[1:-1])  # the first and last: name and version
    if parts[0] != family.name or different:
        what = ", ".join(sorted(different)) or parts[0]
        hint = "score both with the same options, or move the baseline on purpose"
        raise usage(f"--baseline {folder} was made in another way: {what}", hint)
    return recorded


def change_since(request: Request, model: str, scores: Scores) -> dict[str, Any] | None:
    """Return the change of a model since the baseline, None where that has no score of it.

    The columns of the results, all of which begin with `Change`, have the interval of the run.
    `worse` is based on a wider one, because a gate is asked night after night (None if that cannot
    be said). `lost` is the share of the baseline's units that are gone, `pair` the comparison in a
    `measure`.
    """
    recorded = open_recorded(Path(request.baseline))
    if model not in recorded.scored:
        return None
    family, measures, then = recorded.family, scores.measures, recorded.units(model)
    for name in {measures[0].name, *family.compared, family.scored} & {*scores.units} - {*then}:
        then[name] = math.nan  # a measure that the baseline does not have
    frames = {"now": scores.units, "then": then}
    rows = {name: compared_rows(units, family, measures) for name, units in frames.items()}
    scored = family.scored or measures[0].name
    now, before = ({*unit_keys(u[u[scored].notna()], family)} for u in frames.values())
    pairs: list[dict[Any, Any]] = []
    for ci in (request.ci, baseline_level(request.ci, len(recorded.scored))):
        comparison = compare_units(
            rows, family, measures[0], ci=ci, aggregate=request.aggregate, against="then"
        )
        pair = comparison.pair("now", "then")
        pairs.append(NOTHING if pair is None else pair.to_dict())
        # identical on all units, which says more than an interval
        if pairs[-1]["P_Value"] == 1 and math.isnan(pairs[-1]["CI_Low"]):
            pairs[-1] |= {"CI_Low": 0.0, "CI_High": 0.0}
    usual, wide = pairs
    measure = comparison.measure
    better = {m.name: m.better for m in measures}.get(measure.name, measure.better)
    # without a direction nothing is worse
    end = {"higher": wide["CI_High"], "lower": -wide["CI_Low"]}.get(better, 0.0)
    return {
        **{new: usual[old] for new, old in CHANGE.items()},
        "lost": len(before - now) / max(1, len(before)) if usual["Shared"] else 1,
        "worse": None if math.isnan(end) else end < 0,
        "pair": usual,
        "measure": measure,
    }


def check_gates(
    request: Request,
    baseline: Recorded | None,
    changes: Mapping[str, Mapping[str, Any]],
    results: pd.DataFrame,
    measures: Sequence[Measure],
) -> tuple[Gate, ...]:
    """Return every gate of a run, decided."""
    unchanged = "" if baseline else f"no baseline yet: {request.baseline or 'name it'}"
    gates = [*check_conditions(request.conditions, results, measures, unchanged)]
    status = dict(zip(results["Model Name"], results["Status"], strict=True))
    if request.fail_if_worse and baseline:
        gates += [_worse(name, status, changes.get(name)) for name in baseline.scored]
    elif request.fail_if_worse:
        gates += [Gate(WORSE, "undecided", name, note=unchanged) for name in status]
    return tuple(gates)


def _worse(model: str, status: Mapping[str, str], change: Mapping[str, Any] | None) -> Gate:
    """Return the gate of --fail-if-worse for a model that the baseline has."""
    if change is None:
        note = f"{status.get(model, 'missing')}, the baseline has its results"
        return Gate(WORSE, "failed", model, note=note)
    if change["lost"] > MOST_LOST:
        note = f"{change['lost']:.1%} of the units that the baseline has are lost"
        return Gate(WORSE, "failed", model, float(change["lost"]), MOST_LOST, note)
    if change["worse"] is None:
        return Gate(WORSE, "undecided", model, note=change["Change_Note"])
    value = float(change["Change"])
    if change["worse"]:
        return Gate(WORSE, "failed", model, value, 0.0, "change beyond chance")
    return Gate(WORSE, "passed", model, value, 0.0)


def change_table(
    baseline: Recorded, changes: Mapping[str, Mapping[str, Any]], units: str, ci: float
) -> list[Page]:
    """Return the table of changes for screen and workbook, if there are any."""
    if not changes:
        return []
    measure = next(iter(changes.values()))["measure"]
    rows = [
        {**change["pair"], "Model": model, "Other_Model": "baseline"}
        for model, change in changes.items()
    ]
    comparison = Comparison(measure, tuple(changes), pd.DataFrame(rows))
    page = comparison_table(comparison, units, ci, baseline.family)
    return [replace(page, title=f"Change in {measure.label} since {baseline.folder.name}")]
