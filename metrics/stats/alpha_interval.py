"""Krippendorff's alpha of resampled items: what a bootstrap needs, without looking at every rating each time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import check_whole
from scoresheet.metrics.options import check_choice
from scoresheet.metrics.stats.agreement import (
    MEASUREMENT_LEVELS,
    Ratings,
    alpha_of_table,
    check_ratings,
    rating_table,
)
from scoresheet.metrics.stats.beta_distribution import beta_quantile
from scoresheet.metrics.stats.bootstrap import bootstrap_weights
from scoresheet.metrics.stats.confidence import (
    CONFIDENCE_LEVEL,
    FEWEST_CLUSTERS,
    Interval,
    check_confidence,
    t_quantile,
    too_few,
    without_value,
)
from scoresheet.metrics.stats.ratio_distances import MOST_KINDS, Points, relative_distance
from scoresheet.metrics.stats.rows import row_bounds, row_counts, row_sums

_BLOCK: Final = 1_000  # items whose scores are looked at at once
_MOST_CELLS: Final = 20_000_000  # numbers that the ratio level may keep of many different values
_PERFECT: Final = 1 - 1e-12  # alpha without disagreement, but for the last digits
_SAME: Final = 1e-9  # resamples that differ by less from all items are as high, but for the arithmetic's last digits


class ResampledAlpha:
    """Alpha of one table of ratings, items × judges, under weights that say how often each item was drawn."""

    def __init__(self, ratings: NDArray[np.float64], level: str) -> None:
        check_choice("level", level, MEASUREMENT_LEVELS)
        present = ~np.isnan(ratings)
        counts = row_counts(present)
        self.usable = (counts >= 2).nonzero()[0]  # the others say nothing
        values, present = ratings[self.usable], present[self.usable]
        self.level = level
        self._counts = counts[self.usable].astype(float)
        self._items = np.repeat(np.arange(len(values)), counts[self.usable])
        low, high = row_bounds(values)
        self.disagreeing = self.usable[high > low]
        rated = values[present]
        self._kinds, self._places = np.unique(rated, return_inverse=True)
        if level == "interval":
            self._columns = self._interval_columns(np.where(present, values - (rated.mean() if rated.size else 0), 0.0))
        elif level == "nominal":
            self._seen = self._nominal_disagreement()
        elif level == "ratio":
            self._seen = self._ratio_disagreement(values, present)
            self._keep_distances(values)

    @property
    def raters(self) -> float:
        """The number of judges of an item, as far as it bounds alpha from below: at -1 / (raters - 1)."""
        if not len(self.usable):
            return 2.0
        excess = float((self._counts * self._counts / (self._counts - 1)).sum() / self._counts.sum())
        return excess / (excess - 1)

    @property
    def crowded(self) -> bool:
        """Whether there are too many different scores on too many items for the ratio level."""
        return self.level == "ratio" and self._apart is None and self._sums is None

    def _keep_distances(self, values: NDArray[np.float64]) -> None:
        """Keep the distances of every two values, or of many values the sums that stand for them."""
        self._apart, self._sums = None, None
        if len(self._kinds) <= MOST_KINDS:
            self._apart = relative_distance(self._kinds[:, None], self._kinds[None, :])
            return
        self._points = Points(self._kinds)
        if len(values) * len(self._points) > _MOST_CELLS:
            return
        self._zeros = (values == 0).sum(axis=1).astype(float)
        self._sums = np.zeros((len(values), len(self._points)))
        for column in values.T:
            for start in range(0, len(values), _BLOCK):
                block = slice(start, start + _BLOCK)
                self._sums[block] += self._points.of(np.nan_to_num(column[block]))  # no score adds as much as a 0

    def _of_points(self, weights: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
        total, zeros, seen = (weights @ each for each in (self._counts, self._zeros, self._seen))
        expected = self._points.distances(weights @ sums, total, zeros) / (total - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 0, 1 - seen / expected, math.nan)

    def alphas(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return alpha for each row of weights over all items; undefined where nothing varies."""
        own = weights[:, self.usable]
        if self.level == "interval":
            return _of_sums(own @ self._columns)
        if self.level == "ratio" and self._sums is not None:
            return self._of_points(own, self._sums)
        return np.array([self._alpha(each) for each in own])

    def columns(self, keys: int, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return, for the interval level, the four columns whose weighted sums make alpha, over all keys."""
        table = np.zeros((keys, 4))
        table[positions[self.usable]] = self._columns
        return table

    def _alpha(self, weights: NDArray[np.float64]) -> float:
        often = np.bincount(self._places, weights=weights[self._items], minlength=len(self._kinds))
        total = float(often.sum())
        if total < 2:
            return math.nan
        if self.level == "ordinal":
            middle = np.cumsum(often) - often / 2
            ranks = middle[self._places]
            seen = float(weights @ self._within(ranks))
            spread = float(often @ (middle - float(often @ middle) / total) ** 2)
            expected = spread / (total - 1)
        elif self.level == "nominal":
            seen = float(weights @ self._seen)
            expected = (total * total - float(often @ often)) / (total * (total - 1))
        elif self._apart is None:
            return math.nan
        else:
            seen = float(weights @ self._seen)
            expected = float(often @ self._apart @ often) / (total * (total - 1))
        return 1 - seen / total / expected if expected > 0 else math.nan

    def _interval_columns(self, centred: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return per item: ratings, disagreement, sum and sum of squares; a resample is a sum of these."""
        sums, squares = row_sums(centred), row_sums(centred * centred)
        within = np.maximum(squares - sums * sums / np.maximum(self._counts, 1), 0.0)
        return np.column_stack([self._counts, within * self._counts / (self._counts - 1), sums, squares])

    def _within(self, ranks: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.bincount(self._items, weights=ranks, minlength=len(self._counts))
        about = ranks - (sums / self._counts)[self._items]
        within = np.bincount(self._items, weights=about * about, minlength=len(self._counts))
        return np.asarray(within * self._counts / (self._counts - 1))

    def _nominal_disagreement(self) -> NDArray[np.float64]:
        codes, times = np.unique(self._items * max(len(self._kinds), 1) + self._places, return_counts=True)
        agreeing = np.bincount(codes // max(len(self._kinds), 1), times * (times - 1.0), len(self._counts))
        return np.asarray((self._counts * (self._counts - 1) - agreeing) / (self._counts - 1))

    def _ratio_disagreement(self, values: NDArray[np.float64], present: NDArray[np.bool_]) -> NDArray[np.float64]:
        seen = np.zeros(len(values))
        for first in range(values.shape[1]):
            for second in range(first + 1, values.shape[1]):
                both = present[:, first] & present[:, second]
                apart = relative_distance(np.where(both, values[:, first], 1), np.where(both, values[:, second], 1))
                seen += 2 * apart / (self._counts - 1)
        return seen


def alpha_interval(
    ratings: Ratings, level: str = "interval", *, confidence: float = CONFIDENCE_LEVEL, seed: int = 0
) -> Interval:
    """Return the interval of Krippendorff's alpha, by drawing items with all their ratings.

    Parameters
    ----------
    ratings : array_like, shape (n_items, n_judges)
        The ratings, as `krippendorff_alpha` takes them.
    level : {'interval', 'nominal', 'ordinal', 'ratio'}, optional
        The level of measurement.
    confidence : float, optional
        Between 0 and 1; the share of such intervals that are to hold the true alpha.
    seed : int, optional
        Seed of the resamples.

    Returns
    -------
    Interval
        The ends `low` and `high`, as `interval_of_alpha` makes them of resampled items; NaN for fewer than five items
        with two ratings, where alpha is undefined, and at the level `ratio` for too many different ratings on too many
        items. `note` says why there is none.

    Raises
    ------
    ValueError
        If the level, the confidence or the seed is none, or the ratings are none that `krippendorff_alpha` takes.

    Examples
    --------
    >>> interval = alpha_interval([[1, 1], [2, 2], [3, 4], [4, 4], [2, 3], [1, 2]])
    >>> interval.low < 0.78 < interval.high
    True
    """
    check_choice("level", level, MEASUREMENT_LEVELS)
    check_confidence(confidence)
    check_whole("seed", seed)
    table, _ = rating_table(ratings, level)
    check_ratings(table)
    resampled = ResampledAlpha(table, level)
    if resampled.crowded:
        return Interval(math.nan, math.nan, "too many different ratings on too many items")
    items = len(resampled.usable)
    if items < FEWEST_CLUSTERS:
        return Interval(math.nan, math.nan, too_few(items, "items"))
    drawn = np.concatenate([resampled.alphas(weights) for weights in bootstrap_weights(len(table), seed)])
    return interval_of_alpha(
        alpha_of_table(table, level),
        drawn,
        raters=resampled.raters,
        items=items,
        disagreeing=len(resampled.disagreeing),
        confidence=confidence,
    )


def interval_of_alpha(
    alpha: float,
    drawn: NDArray[np.float64],
    *,
    raters: float,
    items: int,
    disagreeing: int,
    confidence: float = CONFIDENCE_LEVEL,
) -> Interval:
    """Return the interval of alpha from resampled alphas, expanded for few items.

    Alpha of resampled items is too low, the more so the fewer they are, and a percentile interval takes that over. So
    the resamples give the standard error only, on the scale ln((1 + (k - 1) alpha) / (1 - alpha)) of k judges, which is
    ln F of an analysis of variance and has nearly the same variance everywhere; Student's quantile, widened by
    sqrt(n / (n - 1)), makes the ends; for the lower one the spread of the lower resamples is enough. Where only x of n
    items show any disagreement, another sample may show it more or less often: the ends reach at least as far as the
    exact interval of x / n moves the disagreement. With no disagreement at all the lower end is 1 less the largest
    share of items that may disagree as two judges by chance.

    Parameters
    ----------
    alpha : float
        Of all items.
    drawn : ndarray of float
        Of the resamples; NaN where undefined.
    raters : float
        The judges of an item.
    items, disagreeing : int
        The items with two ratings, and those of them whose ratings are not all the same.
    confidence : float, optional
        Level of the interval.

    Examples
    --------
    >>> round(interval_of_alpha(1.0, np.ones(100), raters=3, items=10, disagreeing=0).low, 4)
    0.6915
    """
    if items < FEWEST_CLUSTERS:
        return Interval(math.nan, math.nan, too_few(items, "items"))
    if math.isnan(alpha):
        return Interval(math.nan, math.nan, "alpha is undefined")
    note = without_value(int(np.isnan(drawn).sum()), len(drawn))
    tail = (1 - confidence) / 2
    low, high = alpha, alpha
    if alpha < _PERFECT:
        with np.errstate(invalid="ignore", divide="ignore"):
            centre, values = (np.log((1 + (raters - 1) * each) / (1 - each)) for each in (np.float64(alpha), drawn))
        varied = values[np.isfinite(values) & (drawn < _PERFECT)]
        if len(varied) > 1 and np.isfinite(centre):
            reach = t_quantile(1 - tail, items - 1) * math.sqrt(items / (items - 1))
            error = float(varied.std())
            lower = varied[varied < centre - _SAME] - centre
            # one item that quarrels makes resamples without it far higher, which is no reason to doubt the lower end
            below = min(error, math.sqrt(float(lower @ lower) / len(lower))) if len(lower) else error
            low, high = (_alpha_at(float(centre) + side, raters) for side in (-reach * below, reach * error))
    if disagreeing < items:
        seen = disagreeing / items
        most = beta_quantile(1 - tail, disagreeing + 1, items - disagreeing)
        least = beta_quantile(tail, disagreeing, items - disagreeing + 1) if disagreeing else 0.0
        of_share = (1 - alpha) / seen if disagreeing else 1.0
        low, high = min(low, 1 - most * of_share), max(high, 1 - least * of_share)
    return Interval(low, high, note)


def _alpha_at(logarithm: float, raters: float) -> float:
    """Return the alpha at a place on the logarithmic scale."""
    if logarithm > 700:
        return 1.0
    ratio = math.exp(logarithm)
    return (ratio - 1) / (ratio + raters - 1)


def alphas_of_draws(
    tables: Sequence[tuple[ResampledAlpha, NDArray[np.int64]]], keys: int, seed: int
) -> NDArray[np.float64]:
    """Return alpha of each table in each resample, resamples × tables; a table's items are keys by position."""
    if all(table.level == "interval" for table, _ in tables):  # sums over items, so that one product makes all
        columns = np.hstack([table.columns(keys, positions) for table, positions in tables])
        sums = np.vstack([weights @ columns for weights in bootstrap_weights(keys, seed, least=16)])
        return np.column_stack([_of_sums(sums[:, first : first + 4]) for first in range(0, sums.shape[1], 4)])
    rows = [
        np.column_stack([table.alphas(weights[:, positions]) for table, positions in tables])
        for weights in bootstrap_weights(keys, seed)
    ]
    return np.vstack(rows)


def _of_sums(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return alpha at the interval level from ratings, disagreement, sum and sum of squares of each resample."""
    ratings, seen, total, squares = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (squares - total * total / ratings) / (ratings - 1)
        # what the arithmetic leaves of no variation at all is none
        expected = np.where(expected > 1e-12 * squares / ratings, expected, np.nan)
        return np.asarray(1 - seen / ratings / expected)
