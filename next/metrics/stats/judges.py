"""Judges that differ from the panel: reversed, lenient, strict, and outlier scores."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from scoresheet.metrics.stats import estimate as est
from scoresheet.metrics.stats.agreement import rating_matrix
from scoresheet.metrics.stats.estimate import ROUNDING, Estimate, Floats
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.stats.paired import holm, paired_difference

SMALLEST_PANEL = 3  # of two judges that differ, either could be the outlier


@dataclass(frozen=True, slots=True)
class JudgeFinding:
    """A judge's word (`reversed`, `lenient`, `strict` or empty), offset and correlation.

    Both compare with the mean of the others still in the panel; the p-values are corrected.
    """

    word: str
    offset: Estimate
    correlation: Estimate


def _fisher_test(r: float, n: int, alpha: float) -> tuple[float, float, float]:
    """Return the ends of Fisher's interval of a correlation, and the two-sided p-value."""
    # The limit keeps a perfect correlation finite.
    z, error = math.atanh(max(-1 + 1e-15, min(1 - 1e-15, r))), 1 / math.sqrt(n - 3)
    reach = -float(ndtri(alpha / 2)) * error
    return math.tanh(z - reach), math.tanh(z + reach), 2 * float(ndtr(-abs(z) / error))


def correlation(x: ArrayLike, y: ArrayLike, *, ci: float = 0.95) -> Estimate:
    """Return Pearson's correlation with Fisher's interval and two-sided p-value.

    >>> round(correlation([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5]).value, 4)
    0.8286
    """
    alpha, pairs = est.alpha_of(ci), rating_matrix(np.column_stack([x, y]))
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    n = len(pairs)
    if n < 2:
        return Estimate(math.nan, units=n, note="fewer than 2 shared items")
    if (np.ptp(pairs, axis=0) <= ROUNDING * np.abs(pairs).max(axis=0)).any():
        return Estimate(math.nan, units=n, note="constant")
    a, b = (pairs - pairs.mean(axis=0)).T
    value = float(np.clip(a @ b / math.sqrt((a @ a) * (b @ b)), -1, 1))
    if note := est.few_units_note(n, "items"):
        return Estimate(value, units=n, note=note)
    return Estimate(value, *_fisher_test(value, n, alpha), n)


def _others(matrix: Floats, panel: list[int], judge: int) -> Floats:
    """Return the mean of the panel's other judges for each item, NaN where there is none."""
    rest = pd.DataFrame(matrix[:, [other for other in panel if other != judge]])
    return rest.mean(axis=1).to_numpy(float)


def _correlations(matrix: Floats, panel: list[int], ci: float) -> dict[int, Estimate]:
    """Return each judge's correlation with the others, with Holm's one-sided p-values."""
    found = {j: correlation(matrix[:, j], _others(matrix, panel, j), ci=ci) for j in panel}
    negative = [r.p / 2 if r.value < 0 else 1 - r.p / 2 for r in found.values()]
    for judge, p, level in zip(panel, *holm(negative, ci), strict=True):
        r = found[judge]
        if not math.isnan(p):
            # A one-sided test at alpha agrees with a two-sided interval at twice alpha.
            low, high, _ = _fisher_test(r.value, r.units, min(1.0, 2 * (1 - level)))
            found[judge] = replace(r, low=low, high=high, p=p)
    return found


def _offsets(matrix: Floats, panel: list[int], ci: float) -> dict[int, Estimate]:
    """Return each judge's offset from the others, with Holm's p-values and levels."""
    found = [paired_difference(Rows(matrix[:, j]), Rows(_others(matrix, panel, j))) for j in panel]
    adjusted, levels = holm([result.p for result in found], ci)
    return {
        judge: Estimate(result.difference, *result.interval(level), p, result.units, result.note)
        for judge, result, p, level in zip(panel, found, adjusted, levels, strict=True)
    }


def judge_findings(ratings: ArrayLike, *, ci: float = 0.95) -> list[JudgeFinding]:
    """Return what differs about each judge of a matrix of items by judges.

    One by one, judges with a negative correlation are named reversed and leave the panel, the
    most negative first; then those with an offset, lenient or strict, the clearest first.

    >>> noise = np.random.default_rng(1).normal(size=(20, 3))
    >>> scores = np.arange(20)[:, None] + noise + [0, 0, 2]
    >>> [finding.word for finding in judge_findings(scores)]
    ['', '', 'lenient']
    """
    matrix, alpha = rating_matrix(ratings), est.alpha_of(ci)
    panel = list(range(matrix.shape[1]))
    words = dict.fromkeys(panel, "")

    def significant(found: dict[int, Estimate]) -> list[int]:
        return [j for j in panel if found[j].p < alpha and len(panel) >= SMALLEST_PANEL]

    offsets: dict[int, Estimate] = {}
    correlations = _correlations(matrix, panel, ci)
    while clear := significant(correlations):
        judge = min(clear, key=lambda j: correlations[j].value)
        words[judge] = "reversed"
        offsets[judge] = _offsets(matrix, panel, ci)[judge]
        panel.remove(judge)
        correlations |= _correlations(matrix, panel, ci)
    offsets |= _offsets(matrix, panel, ci)
    while clear := significant(offsets):
        judge = min(clear, key=lambda j: (offsets[j].p, -abs(offsets[j].value)))
        words[judge] = "lenient" if offsets[judge].value > 0 else "strict"
        panel.remove(judge)
        offsets |= _offsets(matrix, panel, ci)
    return [JudgeFinding(words[j], offsets[j], correlations[j]) for j in words]


def sd_outliers(ratings: ArrayLike, *, threshold: float = 1.5) -> NDArray[np.bool_]:
    """Return which scores lie more than `threshold` sample sd from the item's mean.

    With four judges or fewer none can: the largest distance is (n - 1) / sqrt(n).

    >>> sd_outliers([[0.8, 0.85, 0.82, 0.1, 0.83]]).tolist()
    [[False, False, False, True, False]]
    """
    scores = pd.DataFrame(matrix := rating_matrix(ratings))
    gaps = scores.sub(scores.mean(axis=1), axis=0).abs()
    sd = np.sqrt(gaps.pow(2).sum(axis=1) / (scores.count(axis=1) - 1))
    equal = sd <= ROUNDING * np.nanmax(np.abs(matrix), initial=0.0)
    return gaps.gt((threshold + 1e-9) * sd.mask(equal), axis=0).to_numpy(bool)


def robust_outliers(ratings: ArrayLike) -> NDArray[np.bool_]:
    """Return which scores on the 0..1 scale are far from the item's median by its MAD.

    >>> robust_outliers([[0.8, 0.82, 0.1]]).tolist()
    [[False, False, True]]
    """
    scores = pd.DataFrame(rating_matrix(ratings))
    gaps = scores.sub(scores.median(axis=1), axis=0).abs()
    mad = gaps.median(axis=1).clip(lower=0.02)
    return (0.6745 * gaps.div(mad, axis=0) > 3.5 + 1e-9).to_numpy(bool)
