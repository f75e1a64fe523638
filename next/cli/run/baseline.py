"""The change of each model since earlier results, and whether it became worse."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
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


def change_since(request: Request, model: str, scores: Scores, gated: int) -> dict[str, Any]:
    """Return the change of a model since the baseline in columns of the results, and more.

    `gated` is the number of models that the baseline has too; the more, the wider is the interval
    outside of which a model is `worse` (None if that cannot be said). `lost` is the share of its
    units that are gone, `pair` the comparison in a `measure`.
    """
    recorded = open_recorded(Path(request.baseline))
    family, measures, then = recorded.family, scores.measures, recorded.units(model)
    for name in {measures[0].name, *family.compared, family.scored} & {*scores.units} - {*then}:
        then[name] = math.nan  # a measure that the baseline does not have
    frames = {"now": scores.units, "then": then}
    rows = {name: compared_rows(units, family, measures) for name, units in frames.items()}
    scored = family.scored or measures[0].name
    keys = {name: {*unit_keys(u[u[scored].notna()], family)} for name, u in frames.items()}
    pairs: list[dict[Any, Any]] = []
    for ci in (request.ci, baseline_level(request.ci, gated)):
        comparison = compare_units(
            rows, family, measures[0], ci=ci, aggregate=request.aggregate, against="then"
        )
        pair = comparison.pair("now", "then")
        pairs.append(NOTHING | {} if pair is None else pair.to_dict())
        # identical on all units, which says more than an interval
        if pairs[-1]["P_Value"] == 1 and math.isnan(pairs[-1]["CI_Low"]):
            pairs[-1] |= {"CI_Low": 0.0, "CI_High": 0.0}
    usual, wide = pairs
    names = {"Change": "Difference", "Change_Low": "CI_Low", "Change_High": "CI_High"}
    names |= {"Change_Units": "Shared", "Change_Detectable": "Detectable"}
    columns = {new: usual[old] for new, old in names.items()}
    measure = comparison.measure
    better = {m.name: m.better for m in measures}.get(measure.name, measure.better)
    ends = {"higher": wide["CI_High"], "lower": -wide["CI_Low"]}
    end = ends.get(better, 0.0)  # without a direction nothing is worse
    return {
        **columns,
        "Change_Note": usual["Note"],
        "lost": len(keys["then"] - keys["now"]) / max(1, len(keys["then"]))
        if usual["Shared"]
        else 1,
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
    if request.fail_if_worse and baseline:
        gates += _worse(baseline, changes, results)
    elif request.fail_if_worse:
        gates += [Gate(WORSE, "undecided", str(m), note=unchanged) for m in results["Model Name"]]
    return tuple(gates)


def _worse(
    baseline: Recorded, changes: Mapping[str, Mapping[str, Any]], results: pd.DataFrame
) -> Iterator[Gate]:
    """Yield the gate of --fail-if-worse for each model that the baseline has."""
    status = dict(zip(results["Model Name"], results["Status"], strict=True))
    for model in baseline.scored:
        change = changes.get(model)
        if change is None:
            note = f"{status.get(model, 'missing')}, the baseline has its results"
            yield Gate(WORSE, "failed", model, note=note)
        elif change["lost"] > MOST_LOST:
            note = f"{change['lost']:.1%} of the units that the baseline has are lost"
            yield Gate(WORSE, "failed", model, float(change["lost"]), MOST_LOST, note)
        elif change["worse"] is None:
            yield Gate(WORSE, "undecided", model, note=change["Change_Note"])
        else:
            note = "change beyond chance" if change["worse"] else ""
            state: Any = "failed" if change["worse"] else "passed"
            yield Gate(WORSE, state, model, float(change["Change"]), 0.0, note)


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
