"""What is said about each item: spread, consensus, outliers, flags."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.disagree import DisagreeOptions
from scoresheet.metrics.disagree.ratings import NOT_COMMON, Ratings
from scoresheet.metrics.family import carried_along
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.stats import Floats

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


class Flag(NamedTuple):
    """A flag of the chosen items: the name that the source document has, and plain words."""

    severity: str
    name: str
    words: str
    chosen: NDArray[np.bool_]
    values: Any = np.nan
    threshold: float = np.nan
    dimension: str = ""
    judges: Any = ""


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


def can_have_outliers(judges: ArrayLike, threshold: float = 1.5) -> NDArray[np.bool_]:
    """Return whether so many judges allow one: a distance is at most (n - 1) / sqrt(n) sds.

    >>> can_have_outliers([4, 5]).tolist()
    [False, True]
    """
    n = np.maximum(np.asarray(judges, float), 1)
    return np.asarray((n - 1) / np.sqrt(n) > threshold + TOLERANCE)


def outliers(scores: Floats, threshold: float = 1.5) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which scores are far from their item's mean, and which are far from its median.

    >>> [found[0].tolist() for found in outliers(np.array([[0.8, 0.85, 0.82, 0.1, 0.83]]))]
    [[False, False, False, True, False], [False, False, False, True, False]]
    """
    frame, found = pd.DataFrame(scores), statistics(scores)
    from_mean = frame.sub(found["Mean"], axis=0).abs().to_numpy()
    possible = can_have_outliers(frame.count(axis=1), threshold)[:, None]
    far = from_mean > threshold * found[["Std_Dev"]].to_numpy() + TOLERANCE
    from_median = frame.sub(frame.median(axis=1), axis=0).abs()
    mad = from_median.median(axis=1).clip(lower=SMALLEST_MAD).to_numpy()[:, None]
    return far & possible, 0.6745 * from_median.to_numpy() > ROBUST_LIMIT * mad + TOLERANCE


def names_of(chosen: NDArray[np.bool_], names: Sequence[str]) -> NDArray[np.object_]:
    """Return for each row the names of its chosen columns, joined by commas.

    >>> names_of(np.array([[True, True], [False, True]]), ["a", "b"]).tolist()
    ['a, b', 'b']
    """
    texts = np.full(len(chosen), "", object)
    for column, name in zip(chosen.T, names, strict=True):
        texts[column] = [f"{text}, {name}" if text else name for text in texts[column]]
    return texts


def item_units(
    ratings: Ratings, options: DisagreeOptions
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[Measure, ...]]:
    """Return a row for each item, the flags, and the measures that the columns hold."""
    first, scores = ratings.items, ratings.overall
    judges = first["judges"].to_numpy()
    units = pd.DataFrame({"Sheet": first["sheet"], "Item": first["item"], "Judges": judges})
    lost = (judges > 0) & np.isnan(scores).all(axis=1)
    columns, flags, measures = (_labelled if ratings.labels else _scored)(ratings, options, lost)
    flags.append(Flag("medium", "single_strategy_only", "one judge", judges == 1))
    flags.append(Flag("high", "ensemble_failure", "no judge", judges == 0))
    worst = pd.Series(columns["Majority_Share" if ratings.labels else "Std_Dev"])
    rank = (
        worst.round(12).groupby(units["Sheet"]).rank(ascending=bool(ratings.labels), method="min")
    )
    columns["Spread_Rank"] = rank.astype("Int64")
    table, columns["Flags"], columns["Severity"] = _flags(units, flags)
    for place, judge in enumerate(ratings.judges):
        given = scores[:, place]
        if ratings.labels:
            names = np.array([*ratings.labels, ""], object)
            columns[f"Label_{judge}"] = names[np.nan_to_num(given, nan=-1).astype(int)]
        else:
            columns[f"Score_{judge}"] = given
            sentence = f"Return the overall score that {judge} gave, from 0 to 1."
            measures.append(Measure(f"Score_{judge}", judge, sentence, bounds=(0, 1)))
    units = units.join(pd.DataFrame(columns)).assign(Problem=np.where(lost, NOT_COMMON, ""))
    if options.level in ("ordinal", "ratio"):  # comparisons need to know, and where 0 is
        units["Level"] = options.level + (f" {ratings.zero!r}" if options.level == "ratio" else "")
    return units.assign(**carried_along(first)), table, tuple(measures)


Found = tuple[dict[str, Any], list[Flag], list[Measure]]


def _scored(ratings: Ratings, options: DisagreeOptions, lost: NDArray[np.bool_]) -> Found:
    """Return the columns, flags and measures of items with scores."""
    scores, found = ratings.overall, statistics(ratings.overall)
    found.loc[lost, ["Consensus", "Reliability"]] = np.nan
    agreed = found["Consensus"].where(found["Variance"].notna()).to_numpy()
    limit = options.consensus_threshold
    low, high = agreed < limit - TOLERANCE, agreed < LEAST - TOLERANCE
    name, words = "high_ensemble_disagreement", "low consensus"
    flags = [
        Flag("high", name, words, low & high, agreed, limit),
        Flag("medium", name, words, low & ~high, agreed, limit),
    ]
    columns: dict[str, Any] = {str(name): found[name] for name in found}
    measures = [*MEASURES]
    for at, dimension in enumerate(ratings.dimensions):
        if not dimension:
            continue
        own = statistics(ratings.matrix("value", at))
        values = {"Disagreement": own["CV"], "Mean": own["Mean"]}
        for label, column in {
            "Confidence": "confidence",
            "Relevance": "cultural_relevance",
        }.items():
            if column in ratings.rows:
                values[label] = pd.DataFrame(ratings.matrix(column, at)).mean(axis=1)
        columns |= {f"{label}_{dimension}": of for label, of in values.items()}
        measures += [
            Measure(f"{n}_{dimension}", f"{n} {dimension}", OF_DIMENSIONS[n].format(dimension))
            for n in values
        ]
        limit, spread = options.disagreement_threshold, own["CV"].to_numpy()
        name, words = "dimension_disagreement", f"spread in {dimension}"
        wide = spread > limit + TOLERANCE
        flags.append(Flag("medium", name, words, wide, spread, limit, dimension))
    if "cultural_relevance" in ratings.rows:
        competence = statistics(ratings.competence())
        columns["Cultural_Competence"] = competence["Mean"]
        columns["Cultural_Consensus"] = (1 - competence["CV"]).clip(lower=0)
        measures += CULTURAL
    far, robust = outliers(scores, options.outlier_threshold)
    possible = can_have_outliers((~np.isnan(scores)).sum(axis=1), options.outlier_threshold)
    counted = np.where(possible[:, None], far, robust)
    who = names_of(counted, ratings.judges)
    flags.append(Flag("medium", "strategy_outliers", "outlier {}", who != "", judges=who))
    few = "cannot happen with so few judges"
    columns["Outliers"] = np.where(possible, names_of(far, ratings.judges), few)
    columns["Robust_Outliers"] = names_of(robust, ratings.judges)
    inside = (scores >= LEAST - TOLERANCE) & (scores <= MOST + TOLERANCE)
    columns["Recommended"] = names_of(inside & ~counted, ratings.judges)
    return columns, flags, measures


def _labelled(ratings: Ratings, _options: DisagreeOptions, _lost: object) -> Found:
    """Return the columns, flags and measures of items with labels."""
    codes = np.arange(len(ratings.labels))
    counts = (ratings.overall[:, :, None] == codes).sum(axis=1)
    top, given = counts.max(axis=1), counts.sum(axis=1)
    share = top / np.where(given > 0, given, np.nan)
    clear = (counts == top[:, None]).sum(axis=1) == 1
    majority = np.where(clear, np.array(ratings.labels, object)[counts.argmax(axis=1)], "")
    split = (share <= 0.5 + TOLERANCE) & (given > 1)
    flag = Flag("medium", "no_majority", "no majority", split, share, 0.5)
    return {"Majority": majority, "Majority_Share": share}, [flag], [MAJORITY]


def _flags(
    units: pd.DataFrame, flags: Iterable[Flag]
) -> tuple[pd.DataFrame, NDArray[np.object_], NDArray[np.object_]]:
    """Return the table of flags, high ones first, and the words and the severity of each item."""
    texts, severity = np.full((2, len(units)), "", object)
    parts = []
    for flag in flags:
        at = np.flatnonzero(flag.chosen)
        names = ("Value", flag.values), ("Judges", flag.judges)
        some = {name: np.broadcast_to(of, len(units))[at] for name, of in names}
        words = [flag.words.format(who) for who in some["Judges"]]
        texts[at] = [f"{a}; {b}" if a else b for a, b in zip(texts[at], words, strict=True)]
        severity[at] = np.where(severity[at] == "high", "high", flag.severity)
        part = units.iloc[at][["Sheet", "Item"]].assign(Severity=flag.severity, Flag=flag.name)
        parts.append(
            part.assign(
                Dimension=flag.dimension, **some, Threshold=flag.threshold, What=words, at=at
            )
        )
    table = pd.concat(parts).sort_values(["Severity", "at"], kind="stable")  # high before medium
    return table.drop(columns="at").reset_index(drop=True), texts, severity
