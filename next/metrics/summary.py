"""From the scored units of one model to its sheets and its row of the results."""

import math
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.family import Family, Scores
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.stats.estimate import Estimate, band_of_interval
from scoresheet.metrics.stats.means import bounded_mean, sheet_means_jackknife, unbounded_mean

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
    """Return the scores with `sheets` and `results` filled from the units.

    The interval is based on units that are left out one at a time: clusters if there are any.
    `expected` is the number of keys that the references have, for `Answered`.
    """
    measures = scores.measures or family.measures
    check_measures(scores.units, measures)
    units = scores.units
    averaged = average_runs(units, family.unit, measures)
    estimates = {
        m.name: estimate_mean(averaged, m, family.unit, ci=ci, aggregate=aggregate)
        for m in measures
    }
    results = _results(estimates, measures)
    headline = measures[0].name
    scored = units[headline].notna()
    results |= _counts(units, family.unit, scored, expected)
    if RUN in units:
        results |= _run_spread(units, headline, aggregate)
    sheets = _sheets(units, averaged, family, measures, aggregate)
    return Scores(
        units,
        scores.problems,
        scores.sheets if len(scores.sheets) else sheets,
        {**results, **scores.results},
        scores.tables,
        measures,
    )


def check_measures(units: pd.DataFrame, measures: tuple[Measure, ...]) -> None:
    """Raise an error where a declared measure is not computed, or a computed one not declared."""
    declared = {measure.name for measure in measures}
    missing = declared - set(units.columns)
    if missing:
        raise ValueError(f"declared and not computed: {', '.join(sorted(missing))}")
    numeric = {c for c in units.columns if units[c].dtype.kind == "f"}
    if numeric - declared:
        raise ValueError(f"computed and not declared: {', '.join(sorted(numeric - declared))}")


def average_runs(units: pd.DataFrame, unit: str, measures: tuple[Measure, ...]) -> pd.DataFrame:
    """Return one row per sheet and unit, its measures averaged over runs, where there are runs."""
    if RUN not in units:
        return units
    keys = [SHEET, unit, *([CLUSTER] if CLUSTER in units else [])]
    names = [measure.name for measure in measures]
    return units.groupby(keys, sort=False, as_index=False)[names].mean()


def codes_of(units: pd.DataFrame, unit: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of each row's unit (its cluster, if there is one) and sheet."""
    return pd.factorize(units[CLUSTER if CLUSTER in units else unit])[0], pd.factorize(
        units[SHEET]
    )[0]


def estimate_mean(
    units: pd.DataFrame, measure: Measure, unit: str, *, ci: float, aggregate: str
) -> Estimate:
    """Return the mean of a measure over sheets, with its interval."""
    values = units[measure.name].to_numpy(float)
    codes = codes_of(units, unit)
    if measure.bounds:
        return bounded_mean(values, *codes, bounds=measure.bounds, ci=ci, aggregate=aggregate)
    return unbounded_mean(values, *codes, ci=ci, aggregate=aggregate)


def _results(estimates: dict[str, Estimate], measures: tuple[Measure, ...]) -> dict[str, Any]:
    headline = measures[0]
    row: dict[str, Any] = {name: estimate.value for name, estimate in estimates.items()}
    main = estimates[headline.name]
    row |= {"CI_Low": main.low, "CI_High": main.high, "Headline": headline.name}
    row["Units"], row["Note"] = main.units, main.note
    if headline.bands:
        row["Verdict"] = band_of_interval(main.low, main.high, headline.bands)
    for measure in measures[1:]:
        row[f"{measure.name}_Low"] = estimates[measure.name].low
        row[f"{measure.name}_High"] = estimates[measure.name].high
    return row


def _counts(
    units: pd.DataFrame, unit: str, scored: pd.Series, expected: int | None
) -> dict[str, Any]:
    rows, count = len(units), int(scored.sum())
    coverage = count / rows if rows else math.nan
    answered = units.loc[scored, unit].nunique() / expected if expected else math.nan
    return {
        "Rows": rows,
        "Scored": count,
        "Coverage": coverage,
        "Answered": answered,
        "Status": _status(count, coverage),
    }


def _status(scored: int, coverage: float) -> str:
    if not scored:
        return "unscored"
    return "low coverage" if coverage < LOW_COVERAGE else "ok"


def _run_spread(units: pd.DataFrame, headline: str, aggregate: str) -> dict[str, Any]:
    """Return how many runs there are, and the sample sd of their values."""
    values = [
        sheet_means_jackknife(
            run[headline].to_numpy(float), None, pd.factorize(run[SHEET])[0], aggregate=aggregate
        ).value
        for _, run in units.groupby(RUN, sort=False)
    ]
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else math.nan
    return {"Runs": len(values), "Run_SD": spread}


def _sheets(
    units: pd.DataFrame,
    averaged: pd.DataFrame,
    family: Family,
    measures: tuple[Measure, ...],
    aggregate: str,
) -> pd.DataFrame:
    """Return a row per sheet with the mean of each measure, and `Overall` last."""
    names = [measure.name for measure in measures]
    means = averaged.groupby(SHEET, sort=False)[names].mean()
    overall = averaged[names].mean() if aggregate == "rows" else means.mean()
    counted = {"Rows": True, "Scored": units[names[0]].notna()}
    for column, words in family.counted.items():
        counted |= {word: units[column] == word for word in words}
    counts = pd.DataFrame(counted, index=units.index).astype(int)
    counts = counts.groupby(units[SHEET], sort=False).sum()
    table = pd.concat([means, overall.to_frame("Overall").T]).join(
        pd.concat([counts, counts.sum().to_frame("Overall").T])
    )
    return table.rename_axis(SHEET).reset_index().rename(columns={names[0]: f"Average_{names[0]}"})
