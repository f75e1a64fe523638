"""What is said about each item: spread, consensus, outliers, flags."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from scoresheet.metrics.disagree import DisagreeOptions
from scoresheet.metrics.disagree.panel import JUDGED, label_counts
from scoresheet.metrics.disagree.ratings import NOT_COMMON, Ratings
from scoresheet.metrics.family import carried_along
from scoresheet.metrics.measure import Measure

TOLERANCE = 1e-9
SMALLEST_MAD, ROBUST_LIMIT = 0.02, 3.5
LEAST, MOST = 0.3, 0.9  # the score of a recommended judge
SHARE: dict[str, Any] = {"better": "higher", "bounds": (0, 1)}
MEASURES = (
    Measure("Mean", "Mean", "Return the mean of the judges' scores, from 0 to 1.", bounds=(0, 1)),
    Measure("Variance", "Variance", "Return the sample variance of the judges' scores."),
    Measure("Std_Dev", "SD", "Return the sample standard deviation of the judges' scores."),
    Measure("CV", "CV", "Return the standard deviation as a share of the mean."),
    Measure("Min", "Min", "Return the lowest of the judges' scores.", bounds=(0, 1)),
    Measure("Max", "Max", "Return the highest of the judges' scores.", bounds=(0, 1)),
    Measure("Consensus", "Consensus", "Return 1 − 2 CV, at least 0; 1 with one judge.", **SHARE),
    Measure("Reliability", "Reliability", "Return consensus lowered by the variance.", **SHARE),
)
MAJORITY = Measure(
    *("Majority_Share", "Majority share", "Return the share of judges with the commonest label."),
    format="share",
    **SHARE,
)
CULTURAL = (
    Measure("Cultural_Competence", "Cultural competence", "Return the mean weighted relevance."),
    Measure("Cultural_Consensus", "Cultural consensus", "Return 1 − CV of that mean.", **SHARE),
)
# Columns for each dimension, with the sentence that explains them.
OF_DIMENSIONS = {
    "Disagreement": "Return the CV of the judges' scores in {}.",
    "Mean": "Return the mean of the judges' scores in {}.",
    "Confidence": "Return the mean of the judges' confidence in {}.",
    "Relevance": "Return the mean cultural relevance that judges gave to {}.",
}


OTHERS: dict[str, Any] = {
    "Dimension": "",
    "Value": np.nan,
    "Judges": "",
    "Threshold": np.nan,
}  # of a flag
Rule = tuple[str, str, str, Any, dict[str, Any]]  # severity, name, words, items, further columns


def statistics(scores: ArrayLike) -> pd.DataFrame:
    """Return the mean, spread, consensus and reliability of each row of judges' scores.

    >>> scores = [[0.6, 0.8, 0.7, 0.9, 0.75], [0.8, 0.85, 0.82, 0.1, 0.83]]
    >>> statistics(scores)[["CV", "Consensus", "Reliability"]].round(6).to_numpy().tolist()
    [[0.149071, 0.701858, 0.657992], [0.477545, 0.04491, 0.021231]]
    """
    frame = pd.DataFrame(np.asarray(scores, float))
    mean, low, judges = frame.mean(axis=1), frame.min(axis=1), frame.count(axis=1)
    variance = frame.sub(low, axis=0).var(axis=1)  # equal scores then have exactly 0
    cv = np.sqrt(variance) / mean.where(mean > 0)  # relative to nothing it has no value
    consensus = (1 - 2 * cv).clip(lower=0)
    reliability = consensus * (1 - (5 * variance).clip(upper=1)) + 0.1 * (consensus > 0.8)
    found = {"Mean": mean, "Variance": variance, "Std_Dev": np.sqrt(variance), "CV": cv}
    found |= {"Min": low, "Max": frame.max(axis=1)}
    found["Consensus"] = consensus.mask(judges == 1, 1.0).mask(judges == 0, 0.0)
    found["Reliability"] = reliability.clip(0, 1).mask(judges == 1, 0.7).mask(judges == 0, 0.0)
    return pd.DataFrame(found)


def outliers(
    scores: pd.DataFrame, threshold: float = 1.5
) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    """Return which scores are far from their item's mean, or its median, and if the first can be.

    >>> scores = pd.DataFrame([[0.8, 0.85, 0.82, 0.1, 0.83]], columns=[*"abcde"])
    >>> [names_of(found).tolist() for found in outliers(scores)[:2]]
    [['d'], ['d']]
    """
    found, judges = statistics(scores), scores.count(axis=1).clip(lower=1)
    largest = (judges - 1) / judges**0.5  # distance from the mean, in standard deviations
    possible = largest.gt(threshold + TOLERANCE)
    reach = (threshold * found["Std_Dev"] + TOLERANCE).where(possible)
    from_mean = scores.sub(found["Mean"], axis=0).abs()
    from_median = scores.sub(scores.median(axis=1), axis=0).abs()
    mad = from_median.median(axis=1).clip(lower=SMALLEST_MAD)
    robust = (0.6745 * from_median).gt(ROBUST_LIMIT * mad + TOLERANCE, axis=0)
    return from_mean.gt(reach, axis=0), robust, possible


def names_of(chosen: pd.DataFrame) -> pd.Series:
    """Return for each row the names of its chosen columns, joined by commas.

    >>> names_of(pd.DataFrame({"a": [True, False], "b": [True, True]})).tolist()
    ['a, b', 'b']
    """
    names = pd.Series([f"{name}, " for name in chosen], chosen.columns, dtype=object)
    return pd.Series([text[:-2] for text in chosen.dot(names)], chosen.index)


def item_units(
    ratings: Ratings, options: DisagreeOptions
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[Measure, ...]]:
    """Return a row for each item, the flags, and the measures that the columns hold."""
    first, scores, labelled = ratings.items, ratings.overall, bool(ratings.labels)
    judges, lost = first["judges"], (first["judges"] > 0) & scores.isna().all(axis=1)
    units = pd.DataFrame({"Sheet": first["sheet"], "Item": first["item"], "Judges": judges})
    found, flags, measures = (_labelled if labelled else _scored)(ratings, options, lost)
    flags.append(("medium", "single_strategy_only", "one judge", judges == 1, {}))
    flags.append(("high", "ensemble_failure", "no judge", judges == 0, {}))
    worst = found["Majority_Share" if labelled else "Std_Dev"].round(12).groupby(units["Sheet"])
    found["Spread_Rank"] = worst.rank(ascending=labelled, method="min").astype("Int64")
    table, found["Flags"], found["Severity"] = _raise(units, flags)
    if labelled:
        names = np.array([*ratings.labels, ""], object)
        cells = names[scores.fillna(-1).to_numpy(int)]
        scores = pd.DataFrame(dict(zip(scores, cells.T, strict=True)))
    else:
        sentence = "Return the overall score that {} gave, from 0 to 1."
        measures += [
            Measure(f"Score_{name}", name, sentence.format(name), bounds=(0, 1))
            for name in ratings.judges
        ]
    units = pd.concat([units, found, scores.add_prefix(JUDGED[labelled])], axis=1)
    units["Problem"] = np.where(lost, NOT_COMMON, "")
    if options.level in ("ordinal", "ratio"):  # comparisons need to know, and where 0 is
        units["Level"] = options.level + (f" {ratings.zero!r}" if options.level == "ratio" else "")
    return units.assign(**carried_along(first)), table, tuple(measures)


Found = tuple[pd.DataFrame, list[Rule], list[Measure]]


def _scored(ratings: Ratings, options: DisagreeOptions, lost: pd.Series) -> Found:
    """Return the columns, flags and measures of items with scores."""
    scores, found = ratings.overall, statistics(ratings.overall)
    found.loc[lost, ["Consensus", "Reliability"]] = np.nan
    agreed, limit = found["Consensus"].where(found["Variance"].notna()), options.consensus_threshold
    low, high = agreed < limit - TOLERANCE, agreed < LEAST - TOLERANCE
    name, words, values = (
        "high_ensemble_disagreement",
        "low consensus",
        {"Value": agreed, "Threshold": limit},
    )
    flags = [
        ("high", name, words, low & high, values),
        ("medium", name, words, low & ~high, values),
    ]
    columns, measures, limit = [found], [*MEASURES], options.disagreement_threshold
    for dimension in filter(None, ratings.dimensions):
        own = statistics(ratings.table("value", dimension))
        values = {"Disagreement": own["CV"], "Mean": own["Mean"]}
        for label, column in {
            "Confidence": "confidence",
            "Relevance": "cultural_relevance",
        }.items():
            if column in ratings.rows:
                values[label] = ratings.table(column, dimension).mean(axis=1)
        columns.append(pd.DataFrame(values).add_suffix(f"_{dimension}"))
        measures += [
            Measure(f"{n}_{dimension}", f"{n} {dimension}", OF_DIMENSIONS[n].format(dimension))
            for n in values
        ]
        wide, words = own["CV"] > limit + TOLERANCE, f"spread in {dimension}"
        more = {"Dimension": dimension, "Value": own["CV"], "Threshold": limit}
        flags.append(("medium", "dimension_disagreement", words, wide, more))
    further = pd.DataFrame(index=found.index)
    if "cultural_relevance" in ratings.rows:
        competence = ratings.competence("item", "judge").unstack().reindex(found.index)
        spread = statistics(competence)
        further["Cultural_Competence"] = spread["Mean"]
        further["Cultural_Consensus"] = (1 - spread["CV"]).clip(lower=0)
        measures += CULTURAL
    far, robust, possible = outliers(scores, options.outlier_threshold)
    counted = far | robust.mul(~possible, axis=0)
    who = names_of(counted)
    flags.append(("medium", "strategy_outliers", "outlier {}", who != "", {"Judges": who}))
    few = "cannot happen with so few judges"
    further["Outliers"] = names_of(far).where(possible, few)
    further["Robust_Outliers"] = names_of(robust)
    inside = (scores >= LEAST - TOLERANCE) & (scores <= MOST + TOLERANCE)
    further["Recommended"] = names_of(inside & ~counted)
    return pd.concat([*columns, further], axis=1), flags, measures


def _labelled(ratings: Ratings, _options: DisagreeOptions, _lost: object) -> Found:
    """Return the columns, flags and measures of items with labels."""
    counts = label_counts(ratings.overall, np.arange(len(ratings.labels)))
    top, given = counts.max(axis=1), counts.sum(axis=1)
    share = top / np.where(given > 0, given, np.nan)
    clear = (counts == top[:, None]).sum(axis=1) == 1
    majority = np.where(clear, np.array(ratings.labels, object)[counts.argmax(axis=1)], "")
    split = (share <= 0.5 + TOLERANCE) & (given > 1)
    flag = (
        "medium",
        "no_majority",
        "no majority",
        split,
        {"Value": pd.Series(share), "Threshold": 0.5},
    )
    return pd.DataFrame({"Majority": majority, "Majority_Share": share}), [flag], [MAJORITY]


def _raise(units: pd.DataFrame, rules: list[Rule]) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Return the table of flags, high ones first, and the words and the severity of each item."""
    texts, severity = (pd.Series("", units.index) for _ in range(2))
    parts = []
    for level, name, words, raised, more in rules:
        part = units[["Sheet", "Item"]].assign(Severity=level, Flag=name, **(OTHERS | more))
        part = part.loc[raised]
        what = [words.format(who) for who in part["Judges"]]
        part = part.assign(What=pd.Series(what, part.index, texts.dtype))
        before = texts[part.index]
        texts[part.index] = before.where(before == "", before + "; ") + part["What"]
        parts.append(part)
    table = pd.concat(parts).rename_axis("at").sort_values(["Severity", "at"])  # high before medium
    for level in ("medium", "high"):
        severity[table.index[table["Severity"] == level]] = level
    return table.reset_index(drop=True), texts, severity
