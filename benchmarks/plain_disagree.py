"""Disagreement of judges as a plain Python script: the peer that `scoresheet disagree` is measured against.

    python benchmarks/plain_disagree.py OUTPUTS RESULTS [statistics|sums]

The metric as its recipe has it, one item after another: a weighted mean for each judge, then mean, variance and
standard deviation over judges, the coefficient of variation of each dimension, consensus, reliability and outliers.
`statistics` calls the module of that name, as the recipe does; `sums` has the same formulas written out, which is far
faster, since that module adds exact fractions. Where the recipe and `scoresheet` differ, this follows `scoresheet`:
what is undefined is NaN. It does none of the checks that `scoresheet` does, and has no alpha and no intervals.
"""

from __future__ import annotations

import csv
import math
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

NAN: Final = math.nan  # what is undefined
THRESHOLD: Final = 1.5  # standard deviations from the mean
KEYS: Final = ("item", "strategy", "confidence", "cultural_relevance")
HEADER: Final = ("Item", "Judges", "Mean", "Variance", "Std_Dev", "CV", "Min", "Max", "Consensus", "Reliability")

Scores = Sequence[Sequence[float | None]]  # of one item: judges × dimensions, None for missing
Weights = Sequence[Sequence[float]]  # the same shape


class Formulas(NamedTuple):
    """How sample statistics are taken of two values or more."""

    described: Callable[[Sequence[float]], tuple[float, float, float]]  # mean, variance and standard deviation
    variation: Callable[[Sequence[float]], float]  # standard deviation over mean


class Report(NamedTuple):
    """What the judges of one item come to; undefined numbers are NaN."""

    judges: int
    mean: float
    variance: float
    std_dev: float
    cv: float
    minimum: float
    maximum: float
    consensus: float
    reliability: float
    outliers: list[int]  # by their places among the judges
    dimensions: list[float]  # the coefficient of variation of each


NOBODY: Final = Report(0, NAN, NAN, NAN, NAN, NAN, NAN, 0.0, 0.0, [], [])


def described_by_statistics(values: Sequence[float]) -> tuple[float, float, float]:
    """Return mean, variance and standard deviation, each by its own call, as the recipe has it."""
    return statistics.mean(values), statistics.variance(values), statistics.stdev(values)


def variation_by_statistics(values: Sequence[float]) -> float:
    """Return the coefficient of variation; undefined for a mean of 0."""
    mean = statistics.mean(values)
    return statistics.stdev(values) / mean if mean > 0 else NAN


def described_by_sums(values: Sequence[float]) -> tuple[float, float, float]:
    """Return mean, variance and standard deviation by two sums."""
    count = len(values)
    mean = sum(values) / count
    variance = sum([(value - mean) ** 2 for value in values]) / (count - 1)
    return mean, variance, math.sqrt(variance)


def variation_by_sums(values: Sequence[float]) -> float:
    """Return the coefficient of variation; undefined for a mean of 0."""
    count = len(values)
    mean = sum(values) / count
    if mean <= 0:
        return NAN
    return math.sqrt(sum([(value - mean) ** 2 for value in values]) / (count - 1)) / mean


STATISTICS: Final = Formulas(described_by_statistics, variation_by_statistics)
SUMS: Final = Formulas(described_by_sums, variation_by_sums)
VARIANTS: Final = {"statistics": STATISTICS, "sums": SUMS}


def overall_score(scores: Sequence[float | None], confidence: Sequence[float], relevance: Sequence[float]) -> float:
    """Return one judge's weighted mean over dimensions; undefined without weight."""
    total_score = total_weight = 0.0
    for score, sure, relevant in zip(scores, confidence, relevance, strict=True):
        if score is not None:
            weight = sure * relevant
            total_score += score * weight
            total_weight += weight
    return total_score / total_weight if total_weight > 0 else NAN


def reliability_of(consensus: float, variance: float) -> float:
    """Return consensus less a penalty for variance, with a bonus for high consensus."""
    if math.isnan(consensus):
        return NAN
    reliability = consensus * (1 - min(1.0, variance * 5))
    if consensus > 0.8:
        reliability += 0.1
    return max(0.0, min(1.0, reliability))


def analyse(scores: Scores, confidence: Weights, relevance: Weights, formulas: Formulas) -> Report:
    """Return what the judges of one item come to."""
    by_judge = list(map(overall_score, scores, confidence, relevance))
    overall = [score for score in by_judge if score == score]  # noqa: PLR0124 - NaN is not itself; no call is faster
    dimensions = []
    for given in zip(*scores, strict=True):
        values = [score for score in given if score is not None]
        dimensions.append(formulas.variation(values) if len(values) > 1 else NAN)
    if not overall:
        return NOBODY._replace(dimensions=dimensions)
    lowest, highest, count = min(overall), max(overall), len(overall)
    if count == 1:
        return Report(1, lowest, NAN, NAN, NAN, lowest, highest, 1.0, 0.7, [], dimensions)
    mean, variance, std_dev = formulas.described(overall)
    cv = std_dev / mean if mean > 0 else NAN
    consensus = max(0.0, 1 - cv * 2) if mean > 0 else NAN
    outliers = []
    # the farthest that one of n can be from their mean is (n-1)/√n: beyond that only rounding would fire
    if std_dev > 0 and (count - 1) / math.sqrt(count) > THRESHOLD:
        outliers = [place for place, score in enumerate(by_judge) if abs(score - mean) / std_dev > THRESHOLD]
    return Report(
        count,
        mean,
        variance,
        std_dev,
        cv,
        lowest,
        highest,
        consensus,
        reliability_of(consensus, variance),
        outliers,
        dimensions,
    )


def analyse_all(
    scores: Iterable[Scores], confidence: Iterable[Weights], relevance: Iterable[Weights], formulas: Formulas
) -> list[Report]:
    """Return a report for each item."""
    return [analyse(*item, formulas) for item in zip(scores, confidence, relevance, strict=True)]


def read_items(path: Path) -> tuple[list[str], dict[str, dict[str, tuple[list[float | None], float, float]]]]:
    """Return the dimensions, and of each item each judge's scores, confidence and relevance.

    The table has a row per item and judge and a column per dimension.
    """
    items: dict[str, dict[str, tuple[list[float | None], float, float]]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        table = csv.reader(stream)
        header = next(table)
        item, judge, sure, relevant = map(header.index, KEYS)
        places = [place for place, name in enumerate(header) if name not in KEYS]
        for line in table:
            given = [float(line[place]) if line[place] else None for place in places]
            items.setdefault(line[item], {})[line[judge]] = (given, float(line[sure]), float(line[relevant]))
    return [header[place] for place in places], items


def score_panel(path: Path, results: Path, formulas: Formulas) -> float:
    """Write a line per item of one table and return the mean consensus."""
    dimensions, items = read_items(path)
    agreed = []
    with (results / f"{path.stem}_disagreement.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow([*HEADER, "Outliers", *[f"Disagreement_{name}" for name in dimensions]])
        for item, by_judge in items.items():
            scores = [given for given, _, _ in by_judge.values()]
            confidence = [[sure] * len(dimensions) for _, sure, _ in by_judge.values()]
            relevance = [[relevant] * len(dimensions) for _, _, relevant in by_judge.values()]
            report = analyse(scores, confidence, relevance, formulas)
            names = list(by_judge)
            numbers = ["" if number != number else number for number in report[:9]]  # noqa: PLR0124
            spreads = ["" if number != number else number for number in report.dimensions]  # noqa: PLR0124
            table.writerow([item, *numbers, "; ".join([names[place] for place in report.outliers]), *spreads])
            if not math.isnan(report.consensus):
                agreed.append(report.consensus)
    return sum(agreed) / len(agreed)


def main(outputs: Path, results: Path, variant: str = "statistics") -> None:
    """Score every table of a folder and write the results beside each other."""
    results.mkdir(parents=True, exist_ok=True)
    for path in sorted(outputs.glob("*.csv")):
        print(path.stem, score_panel(path, results, VARIANTS[variant]))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], *([name] for name in VARIANTS)):
        sys.exit("usage: python plain_disagree.py OUTPUTS RESULTS [statistics|sums]")
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
