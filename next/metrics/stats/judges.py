"""Judges that differ from the panel: reversed, lenient or strict."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from scoresheet.metrics import stats as est
from scoresheet.metrics.stats import ROUNDING, Estimate, Floats
from scoresheet.metrics.stats.agreement import rating_matrix
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
    # The limit keeps a perfect correlation finite.
    z, error = math.atanh(max(-1 + 1e-15, min(1 - 1e-15, value))), 1 / math.sqrt(n - 3)
    reach = -float(ndtri(alpha / 2)) * error
    p = 2 * float(ndtr(-abs(z) / error))
    return Estimate(value, math.tanh(z - reach), math.tanh(z + reach), p, n)


Pairs = dict[int, tuple[Floats, Floats]]  # of each judge and the mean of the others


def _correlations(pairs: Pairs, ci: float) -> dict[int, Estimate]:
    """Return each judge's correlation with the others, with Holm's one-sided p-values."""
    found = {judge: correlation(*pair, ci=ci) for judge, pair in pairs.items()}
    negative = [r.p / 2 if r.value < 0 else 1 - r.p / 2 for r in found.values()]
    for judge, p, level in zip(pairs, *holm(negative, ci), strict=True):
        if not math.isnan(p):
            # A one-sided test at alpha agrees with a two-sided interval at twice alpha.
            found[judge] = replace(correlation(*pairs[judge], ci=max(1e-9, 2 * level - 1)), p=p)
    return found


def _offsets(pairs: Pairs, ci: float) -> dict[int, Estimate]:
    """Return each judge's offset from the others, with Holm's p-values and levels."""
    found = [paired_difference(Rows(own), Rows(others)) for own, others in pairs.values()]
    tested = zip(pairs, found, *holm([result.p for result in found], ci), strict=True)
    return {
        judge: Estimate(result.difference, *result.interval(level), p, result.units, result.note)
        for judge, result, p, level in tested
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
    frame = pd.DataFrame(rating_matrix(ratings))
    panel = list(range(frame.shape[1]))
    words = dict.fromkeys(panel, "")
    offsets: dict[int, Estimate] = {}
    correlations: dict[int, Estimate] = {}
    for word in ("reversed", ""):
        while True:
            others = {j: frame[panel].drop(columns=j).mean(axis=1) for j in panel}
            pairs = {j: (frame[j].to_numpy(), mean.to_numpy()) for j, mean in others.items()}
            offsets |= _offsets(pairs, ci)
            correlations |= _correlations(pairs, ci) if word else {}
            found = correlations if word else offsets
            clear = [j for j in panel if found[j].p < 1 - ci and len(pairs) >= SMALLEST_PANEL]
            if not clear:
                break
            first = {j: found[j].value if word else found[j].p for j in clear}
            judge = min(clear, key=lambda j: (first[j], -abs(found[j].value)))
            words[judge] = word or ("lenient" if offsets[judge].value > 0 else "strict")
            panel.remove(judge)
    return [JudgeFinding(words[j], offsets[j], correlations[j]) for j in words]
