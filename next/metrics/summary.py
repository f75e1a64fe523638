"""From the scored units of one model to its sheets and its row of the results."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.compare import Comparison, compare_models
from scoresheet.metrics.family import Family, Scores
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.stats import Estimate
from scoresheet.metrics.stats.means import Rows, mean_estimate

LOW_COVERAGE = 0.9
# Columns of `units` that say what a row belongs to.
SHEET, RUN, CLUSTER = "Sheet", "Run", "Cluster"


def summarize(
    scores: Scores,
    family: Family,
    *,
    ci: float = 0.95,
    aggregate: str = "sheets",
    expected: int | None = None,
) -> Scores:
    """Return the scores with `sheets` and `results` filled from the units, unless they have both.

    The interval is based on units that are left out one at a time: clusters if there are any.
    `expected` is the number of keys that the references have, for `Answered`.
    """
    measures = scores.measures or family.measures
    units, headline = scores.units, measures[0]
    _check_measures(units, scores.results, measures)
    if headline.name in scores.results and len(scores.sheets):
        return replace(scores, measures=measures)
    averaged = average_runs(units, family.unit, measures)
    estimates = estimate_means(averaged, measures, family, ci=ci, aggregate=aggregate)
    main = estimates[headline]
    results: dict[str, Any] = {measure.name: e.value for measure, e in estimates.items()}
    results |= {"CI_Low": main.low, "CI_High": main.high, "Headline": headline.name}
    results |= {"Units": main.units, "Note": main.note}
    if headline.bands:
        results["Verdict"] = headline.verdict(main.low, main.high)
    for measure, other in list(estimates.items())[1:]:
        results |= {f"{measure.name}_Low": other.low, f"{measure.name}_High": other.high}
    scored = units[family.scored or headline.name].notna()
    results |= coverage_of(scored, units[family.unit], expected)
    if RUN in units:
        keys = [RUN, SHEET] if aggregate == "sheets" else [RUN]
        runs = units.groupby(keys)[headline.name].mean().groupby(RUN).mean()
        results |= {"Runs": len(runs), "Run_SD": runs.std(skipna=False)}
    counted = {"Rows": np.ones(len(units), bool), "Scored": scored}
    for column, words in family.counted.items():
        counted |= {word: units[column] == word for word in words}
    sheets = _sheets(units, averaged, measures, counted, aggregate)
    return replace(scores, sheets=sheets, results=results | scores.results, measures=measures)


def _check_measures(
    units: pd.DataFrame, results: Mapping[str, Any], measures: tuple[Measure, ...]
) -> None:
    """Raise an error where a declared measure is not computed, or a computed one not declared."""
    declared = {measure.name for measure in measures}
    numbers = {str(name) for name, dtype in units.dtypes.items() if dtype.kind == "f"}
    if missing := declared - {*units, *results}:
        raise ValueError(f"declared and not computed: {', '.join(sorted(missing))}")
    if unknown := numbers - declared - {"CI_Low", "CI_High"}:
        raise ValueError(f"computed and not declared: {', '.join(sorted(unknown))}")


def average_runs(units: pd.DataFrame, unit: str, measures: tuple[Measure, ...]) -> pd.DataFrame:
    """Return one row per sheet and unit, its measures averaged over runs, where there are runs."""
    if RUN not in units:
        return units
    keys = [SHEET, unit, *([CLUSTER] if CLUSTER in units else [])]
    names = [measure.name for measure in measures if measure.name in units]
    return units.groupby(keys, sort=False, as_index=False)[names].mean()


def unit_keys(units: pd.DataFrame, family: Family) -> pd.Series:
    """Return what identifies the unit of each row: its name, and its sheet if there are several.

    A single sheet has the name of its file, which differs between models.
    """
    names = units[family.unit].astype(object)
    several = family.unit_by_sheet and units[SHEET].nunique() > 1
    return units[SHEET].astype(object) + "\0" + names if several else names


def codes_of(texts: Iterable[str]) -> NDArray[np.int64]:
    """Return a code for each text, the same in every process."""
    hashes = pd.util.hash_array(np.array(list(texts), dtype=object), categorize=False)
    return (hashes >> np.uint64(1)).astype(np.int64)


def _cluster_keys(units: pd.DataFrame, family: Family) -> pd.Series:
    return units[CLUSTER] if CLUSTER in units else unit_keys(units, family)


def compared_rows(units: pd.DataFrame, family: Family, measures: tuple[Measure, ...]) -> Any:
    """Return what the comparison needs of one model's units, small enough to travel."""
    if family.compare:
        return units[[name for name in units if str(name).startswith(family.compared)]]
    values = average_runs(units, family.unit, measures)
    codes = codes_of(_cluster_keys(values, family)), pd.factorize(values[SHEET])[0]
    return Rows(values[measures[0].name].to_numpy(float), *codes)


def compare_units(
    found: Mapping[str, Any],
    family: Family,
    measure: Measure,
    *,
    ci: float = 0.95,
    aggregate: str = "sheets",
    against: str = "",
) -> Comparison:
    """Return the comparison of models, given the `compared_rows` of each."""
    if family.compare:
        return family.compare(found, ci, against)
    codes = np.unique(np.concatenate([rows.units for rows in found.values()]))
    small = {name: np.searchsorted(codes, rows.units) for name, rows in found.items()}  # faster
    rows = {name: own._replace(units=small[name]) for name, own in found.items()}
    return compare_models(rows, measure, ci=ci, aggregate=aggregate, against=against)


def estimate_means(
    units: pd.DataFrame, measures: Iterable[Measure], family: Family, *, ci: float, aggregate: str
) -> dict[Measure, Estimate]:
    """Return the mean of each measure over sheets, with its interval."""
    codes = [pd.factorize(key)[0] for key in (_cluster_keys(units, family), units[SHEET])]
    rows = ((m, Rows(units[m.name].to_numpy(float), *codes)) for m in measures)
    return {m: mean_estimate(r, bounds=m.bounds, ci=ci, aggregate=aggregate) for m, r in rows}


def coverage_of(scored: pd.Series, keys: pd.Series, expected: int | None = None) -> dict[str, Any]:
    """Return how many rows were scored, their share, that of the expected keys, and the status."""
    rows, count = len(scored), int(scored.sum())
    coverage = count / rows if rows else math.nan
    status = "low coverage" if coverage < LOW_COVERAGE else "ok"
    results = {"Rows": rows, "Scored": count, "Coverage": coverage}
    results["Answered"] = keys[scored].nunique() / expected if expected else math.nan
    return {**results, "Status": status if count else "unscored"}


def _sheets(
    units: pd.DataFrame,
    averaged: pd.DataFrame,
    measures: tuple[Measure, ...],
    counted: Mapping[str, Any],
    aggregate: str,
) -> pd.DataFrame:
    """Return a row per sheet with the mean of each measure and its counts, and `Overall` last."""
    (codes, names), averaged_codes = pd.factorize(units[SHEET]), pd.factorize(averaged[SHEET])[0]
    columns: dict[str, Any] = {SHEET: [*names, "Overall"]}
    for measure in measures:
        values = averaged[measure.name].to_numpy(float)
        known = ~np.isnan(values)
        sizes = np.bincount(averaged_codes[known], minlength=len(names))
        totals = np.bincount(averaged_codes[known], values[known], len(names))
        means = totals / np.where(sizes > 0, sizes, np.nan)
        pooled = values[known] if aggregate == "rows" else means[sizes > 0]
        columns[measure.name] = [*means, pooled.mean() if pooled.size else math.nan]
    for name, chosen in counted.items():
        counts = np.bincount(codes[chosen], minlength=len(names))
        columns[name] = [*counts, counts.sum()]
    headline = measures[0].name
    return pd.DataFrame(columns).rename(columns={headline: f"Average_{headline}"})
