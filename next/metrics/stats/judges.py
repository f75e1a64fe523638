"""Judges that differ from the panel: reversed, lenient, strict, and outlier scores."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from scoresheet.metrics.stats.agreement import rating_matrix
from scoresheet.metrics.stats.estimate import (
    FEWEST,
    ROUNDING,
    Estimate,
    Floats,
    check_level,
    few_units_note,
    z_reach,
)
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.stats.paired import holm, paired_difference

SMALLEST_PANEL = 3  # of two judges that differ, either could be the outlier


@dataclass(frozen=True, slots=True)
class JudgeFinding:
    """A judge's word, offset and correlation; the p-values are corrected.

    The word is `reversed`, `lenient`, `strict` or empty. Offset and correlation compare the
    judge with the mean of the others that are still in the panel.
    """

    word: str
    offset: Estimate
    correlation: Estimate


def correlation(x: ArrayLike, y: ArrayLike, *, ci: float = 0.95) -> Estimate:
    """Return Pearson's correlation with Fisher's interval and two-sided p-value.

    >>> estimate = correlation([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5])
    >>> round(estimate.value, 4), round(estimate.low, 4), round(estimate.high, 4)
    (0.8286, 0.0519, 0.9807)
    """
    pairs = rating_matrix(np.column_stack([x, y]))
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    alpha, n = 1 - check_level(ci), len(pairs)
    if n < 2:
        return Estimate(math.nan, units=n, note="fewer than 2 shared items")
    if (np.ptp(pairs, axis=0) <= ROUNDING * np.abs(pairs).max(axis=0)).any():
        return Estimate(math.nan, units=n, note="constant")
    a, b = (pairs - pairs.mean(axis=0)).T
    value = float(np.clip(a @ b / math.sqrt((a @ a) * (b @ b)), -1, 1))
    if n < FEWEST:
        return Estimate(value, units=n, note=few_units_note(n, "items"))
    p = 2 * float(ndtr(-abs(_fisher_z(value, n))))
    return Estimate(value, *_fisher_interval(value, n, alpha), p, n)


def _fisher_z(r: float, n: int) -> float:
    # The limit keeps a perfect correlation finite.
    return math.atanh(max(-1 + 1e-15, min(1 - 1e-15, r))) * math.sqrt(n - 3)


def _fisher_interval(r: float, n: int, alpha: float) -> tuple[float, float]:
    z, reach = _fisher_z(r, n), z_reach(alpha)
    return math.tanh((z - reach) / math.sqrt(n - 3)), math.tanh((z + reach) / math.sqrt(n - 3))


def _others(matrix: Floats, panel: list[int], judge: int) -> Floats:
    """Return the mean of the panel's other judges for each item, NaN where there is none."""
    rest = matrix[:, [other for other in panel if other != judge]]
    counts = (~np.isnan(rest)).sum(axis=1)
    sums = np.nansum(rest, axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _correlations(matrix: Floats, panel: list[int], ci: float) -> dict[int, Estimate]:
    """Return each judge's correlation with the others, with Holm's one-sided p-values."""
    found = [correlation(matrix[:, j], _others(matrix, panel, j), ci=ci) for j in panel]
    testable = [not math.isnan(r.p) for r in found]
    p = [
        float(ndtr(_fisher_z(r.value, r.units))) if test else math.nan
        for r, test in zip(found, testable, strict=True)
    ]
    results = dict(zip(panel, found, strict=True))
    for judge, test, p_value, level in zip(panel, testable, *holm(p, ci), strict=True):
        if test:
            r = results[judge]
            # A one-sided test at alpha agrees with a two-sided interval at twice alpha.
            ends = _fisher_interval(r.value, r.units, min(1.0, 2 * (1 - level)))
            results[judge] = Estimate(r.value, *ends, p_value, r.units)
    return results


def _offsets(matrix: Floats, panel: list[int], ci: float) -> dict[int, Estimate]:
    """Return each judge's offset from the others, with Holm's p-values and levels."""
    found = [paired_difference(Rows(matrix[:, j]), Rows(_others(matrix, panel, j))) for j in panel]
    adjusted, levels = holm([result.p for result in found], ci)
    results = {}
    for judge, result, p, level in zip(panel, found, adjusted, levels, strict=True):
        low, high = result.interval(level)
        results[judge] = Estimate(result.difference, low, high, p, result.units, result.note)
    return results


def judge_findings(ratings: ArrayLike, *, ci: float = 0.95) -> list[JudgeFinding]:
    """Return what differs about each judge of a matrix of items by judges.

    First the judge with the most negative significant correlation is named reversed and leaves
    the panel, and so on; then the judge with the clearest offset is named lenient or strict and
    leaves it. Both stop when fewer than three judges are left.

    >>> noise = np.random.default_rng(1).normal(size=(20, 3))
    >>> scores = np.arange(20)[:, None] + noise + [0, 0, 2]
    >>> [finding.word for finding in judge_findings(scores)]
    ['', '', 'lenient']
    """
    matrix = rating_matrix(ratings)
    level = check_level(ci)
    panel = list(range(matrix.shape[1]))
    words = dict.fromkeys(panel, "")
    offsets: dict[int, Estimate] = {}
    correlations: dict[int, Estimate] = {}
    while True:
        found = _correlations(matrix, panel, level)
        correlations |= found
        clear = [judge for judge in panel if found[judge].p < 1 - level]
        if not clear or len(panel) < SMALLEST_PANEL:
            break
        worst = min(clear, key=lambda judge: found[judge].value)
        offsets[worst] = _offsets(matrix, panel, level)[worst]
        words[worst] = "reversed"
        panel.remove(worst)
    while True:
        found = _offsets(matrix, panel, level)
        offsets |= found
        clear = [judge for judge in panel if found[judge].p < 1 - level]
        if not clear or len(panel) < SMALLEST_PANEL:
            break
        clearest = min(clear, key=lambda judge: (found[judge].p, -abs(found[judge].value)))
        words[clearest] = "lenient" if found[clearest].value > 0 else "strict"
        panel.remove(clearest)
    return [JudgeFinding(words[j], offsets[j], correlations[j]) for j in words]


def sd_outliers(ratings: ArrayLike, *, threshold: float = 1.5) -> NDArray[np.bool_]:
    """Return which scores lie more than `threshold` sample sd from the item's mean.

    With four judges or fewer none can: the largest distance is (n - 1) / sqrt(n).

    >>> sd_outliers([[0.8, 0.85, 0.82, 0.1, 0.83]]).tolist()
    [[False, False, False, True, False]]
    """
    matrix = rating_matrix(ratings)
    counts = (~np.isnan(matrix)).sum(axis=1, keepdims=True)
    gaps = np.abs(matrix - np.nansum(matrix, axis=1, keepdims=True) / np.maximum(counts, 1))
    sd = np.sqrt(np.nansum(gaps**2, axis=1, keepdims=True) / np.maximum(counts - 1, 1))
    varied = sd > 1e-12 * np.nanmax(np.abs(matrix), initial=0.0)
    return np.asarray(varied & (gaps > (threshold + 1e-9) * sd))


def robust_outliers(
    ratings: ArrayLike, *, threshold: float = 3.5, floor: float = 0.02
) -> NDArray[np.bool_]:
    """Return which scores on the 0..1 scale are far from the item's median by its MAD.

    >>> robust_outliers([[0.8, 0.82, 0.1]]).tolist()
    [[False, False, True]]
    """
    if not floor > 0:
        raise ValueError(f"the floor of the MAD must be above 0, not {floor!r}")
    matrix = rating_matrix(ratings)
    gaps = np.full(matrix.shape, np.nan)
    spread = np.full((len(matrix), 1), floor)
    rated = ~np.isnan(matrix).all(axis=1)
    if rated.any():
        medians = np.nanmedian(matrix[rated], axis=1, keepdims=True)
        gaps[rated] = np.abs(matrix[rated] - medians)
        spread[rated] = np.maximum(np.nanmedian(gaps[rated], axis=1, keepdims=True), floor)
    return np.asarray(0.6745 * gaps / spread > threshold + 1e-9)
