"""The null distribution of the Gini: how concentrated a chooser without a favourite is in samples of a size.

Exact where all outcomes can be enumerated, else from seeded draws. Rank sums stand for Ginis (see
stats.concentration.rank_sums): they are integers, so that ties are ties.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import check_whole, checked_counts, checked_whole_counts
from scoresheet.metrics.stats.concentration import rank_sums

DRAWS: Final = 10_000
_MOST_ENUMERATED: Final = 300_000  # counts that all outcomes together may hold; of more, some are drawn instead
_LEAST_P_VALUE: Final = sys.float_info.min  # what is that improbable is not impossible
_STRIDE: Final = 256  # a walk begins anew every so many samples
_MOST_PARTITIONED: Final = 1_000  # samples of four or more options: beyond, there are too many outcomes in any case
_WIDEST_WALK: Final = 500  # options that a walk keeps in memory
_DRAWN_AT_ONCE: Final = 5_000_000  # counts
_LONGEST_WALK: Final = 4_096  # samples; beyond, counts spread so far that the walk's table would not fit in memory

Shares = tuple[float, ...]  # of the chooser without a favourite
UNIFORM: Final[Shares] = ()  # stands for equal shares of however many options


def collapse_p_value(counts: Sequence[int], *, target: Sequence[float] | None = None, seed: int = 0) -> float:
    """Return P(Gini >= the one seen) for a uniform chooser, or one with the target's shares, at this sample size.

    Exact where all outcomes can be enumerated, else from seeded draws.

    Parameters
    ----------
    counts : sequence of int, length n_options
        How often each option was chosen, those never chosen included.
    target : sequence of float, length n_options, optional
        The shares of the chooser without a favourite, as weights of any sum; by default all alike.
    seed : int, optional
        Seed of the draws.

    Returns
    -------
    float
        The p-value, never 0; NaN for a single option, or where nothing was chosen.

    Raises
    ------
    ValueError
        If there are no counts or one is no whole number from 0 on, the target has not a share for each option, its
        shares are negative, not finite or all 0, or the seed is none.

    References
    ----------
    B. Phipson, G. K. Smyth (2010), Permutation P-values should never be zero, Statistical Applications in Genetics and
    Molecular Biology 9.

    Examples
    --------
    >>> collapse_p_value([1, 1]), round(collapse_p_value([4, 0]), 12)
    (1.0, 0.125)
    >>> round(collapse_p_value([3, 0], target=[0.9, 0.1]), 12)
    0.73
    """
    check_whole("seed", seed)
    checked = checked_whole_counts(counts)
    total = sum(checked)
    shares = _normalized(target) if target is not None else UNIFORM
    if shares and len(shares) != len(checked):
        raise ValueError(f"the target has {len(shares)} shares for {len(checked)} options")
    if len(checked) < 2 or not total:
        return math.nan
    seen = int(rank_sums(np.asarray([checked]))[0])
    return NullDistribution(len(checked), shares, seed).p_values([total], [seen])[0]


class NullDistribution:
    """What a chooser without a favourite does among so many options."""

    def __init__(self, options: int, shares: Shares = UNIFORM, seed: int = 0) -> None:
        self.options = options
        self.shares = shares
        self.seed = seed

    def p_values(self, totals: Sequence[int], seen: Sequence[int]) -> list[float]:
        """Return, for each sample size with the rank sum seen in it, the chance of at least that rank sum."""
        p_values = [math.nan] * len(totals)
        for index in sorted(range(len(totals)), key=totals.__getitem__):  # a walk goes up
            total, value = totals[index], seen[index]
            if _is_enumerable(total, self.options, uniform=not self.shares):
                p_values[index] = _enumerated(total, self.options, self.shares).at_least(value)
            else:
                reached = DRAWS - int(self.drawn_rank_sums(total).searchsorted(value))
                p_values[index] = (1 + reached) / (1 + DRAWS)
        return p_values

    def expected_gini(self, total: int) -> float:
        """Return the mean Gini of such a chooser at this sample size."""
        if _is_enumerable(total, self.options, uniform=not self.shares):
            middle = _enumerated(total, self.options, self.shares).mean
        else:
            middle = float(self.drawn_rank_sums(total).mean())
        return max(0.0, 2 * middle / (self.options * total) - (self.options + 1) / self.options)

    def drawn_rank_sums(self, total: int) -> NDArray[np.int64]:
        """Return DRAWS rank sums of choosers at this sample size, in ascending order.

        What is drawn for a size depends on nothing but that size, so that a cell's p-value does not depend on the
        cells beside it.
        """
        return _drawn_rank_sums(total, self.options, self.shares, self.seed)


@lru_cache(maxsize=512)
def _drawn_rank_sums(total: int, options: int, shares: Shares, seed: int) -> NDArray[np.int64]:
    if not shares and total <= _LONGEST_WALK and options <= _WIDEST_WALK:
        return np.sort(_walk(options, seed, total - total % _STRIDE).to(total))
    rng = np.random.default_rng([seed, options, total])
    chances = shares or (1 / options,) * options
    step = max(1, _DRAWN_AT_ONCE // options)
    parts = [
        rank_sums(rng.multinomial(total, chances, size=min(step, DRAWS - start))) for start in range(0, DRAWS, step)
    ]
    return np.sort(np.concatenate(parts))


class _Walk:
    """Uniform choosers that go on choosing: one walk serves many sample sizes for little more than the price of one.

    An option chosen once more moves up past its equals, so the rank sum grows by the number of options no larger.
    """

    def __init__(self, options: int, seed: int, start: int) -> None:
        self.options = options
        self.seed = seed
        self.start = start
        self.total = start
        self._begin()

    def to(self, total: int) -> NDArray[np.int64]:
        """Return the rank sums at this sample size."""
        if total < self.total:
            self._begin()
        everyone = np.arange(DRAWS)
        first = everyone * self.options
        for _ in range(total - self.total):
            chosen = first + self.rng.integers(0, self.options, size=DRAWS)
            value = self.counts[chosen]
            place = value * DRAWS + everyone
            no_larger = self.no_larger[place]
            self.sums += no_larger
            self.no_larger[place] = no_larger - 1
            self.counts[chosen] = value + 1
        self.total = total
        return self.sums

    def _begin(self) -> None:
        """Draw the samples up to the start at once; where a walk begins must not depend on where it is to end."""
        self.total = self.start
        self.rng = np.random.default_rng([self.seed, self.options, self.start])
        counts = self.rng.multinomial(self.start, (1 / self.options,) * self.options, size=DRAWS)
        self.sums = rank_sums(counts)
        # flat arrays, which are quicker to pick from; counts[draw, option] are those above the least of all
        self.counts = (counts - counts.min()).ravel()
        # no_larger[v, draw]: how many options of that draw have at most v; draws have much the same v at a time
        cells = self.counts * DRAWS + np.repeat(np.arange(DRAWS), self.options)
        having = np.bincount(cells, minlength=(int(self.counts.max()) + 1) * DRAWS).reshape(-1, DRAWS)
        no_larger = np.full((len(having) + _STRIDE, DRAWS), self.options, dtype=np.int16)
        np.cumsum(having, axis=0, out=no_larger[: len(having)])
        self.no_larger = no_larger.ravel()


@lru_cache(maxsize=4)
def _walk(options: int, seed: int, start: int) -> _Walk:
    return _Walk(options, seed, start)


def _normalized(weights: Sequence[float]) -> Shares:
    numbers = checked_counts(weights, "the target's shares")
    total = math.fsum(numbers)
    if not total:
        raise ValueError(f"the target's shares must be 0 or more, and not all 0, not {numbers}")
    return tuple(number / total for number in numbers)


@lru_cache(maxsize=4096)
def _is_enumerable(total: int, options: int, *, uniform: bool) -> bool:
    """Return whether all outcomes can be gone through one by one."""
    most = _MOST_ENUMERATED // options
    if not uniform:
        return math.comb(total + options - 1, options - 1) <= most
    # for a uniform chooser only the sorted counts matter: the partitions of the total into so many parts
    if options <= 3:
        return (total // 2 + 1 if options == 2 else (total + 3) ** 2 // 12 + 1) <= most
    if total > _MOST_PARTITIONED:
        return False
    ways = [1] + [0] * total
    for part in range(1, min(options, total) + 1):
        for value in range(part, total + 1):
            ways[value] += ways[value - part]
        if ways[total] > most:
            return False
    return True


class _Outcomes(NamedTuple):
    """All outcomes of a chooser: their rank sums ascending, the chance of each or more, and the mean."""

    sums: NDArray[np.int64]
    tails: NDArray[np.float64]
    mean: float

    def at_least(self, value: int) -> float:
        """Return the chance of this rank sum or a larger one."""
        index = int(self.sums.searchsorted(value))
        return max(float(self.tails[index]), _LEAST_P_VALUE) if index < len(self.tails) else _LEAST_P_VALUE


@lru_cache(maxsize=64)
def _enumerated(total: int, options: int, shares: Shares) -> _Outcomes:
    """Return all outcomes: sorted counts for the uniform chooser, who treats options alike, else counts as they are."""
    logs = np.concatenate([[0.0], np.log(np.arange(1, max(total, options) + 1))])
    factorials = np.cumsum(logs)
    counts = _all_counts(total, options, descending=not shares)
    chances = factorials[total] - factorials[counts].sum(axis=1)
    if shares:
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(counts > 0, counts * np.log(np.asarray(shares)), 0.0)
        chances += terms.sum(axis=1)
    else:
        # options are told apart, their order was not: each sorted outcome stands for options! / Π (equals!) of them
        run = np.ones(len(counts), dtype=np.int64)
        chances += factorials[options] - total * math.log(options)
        for column in range(1, options):
            run = np.where(counts[:, column] == counts[:, column - 1], run + 1, 1)
            chances -= logs[run]
    chances = np.exp(chances)
    chances /= math.fsum(chances)  # so that all together are 1 to the last digit
    sums = rank_sums(counts)
    order = np.argsort(sums, kind="stable")
    tails = np.cumsum(chances[order][::-1])[::-1]
    tails[0] = 1.0
    return _Outcomes(sums[order], np.minimum(tails, 1.0), math.fsum(sums * chances))


def _all_counts(total: int, options: int, *, descending: bool) -> NDArray[np.int64]:
    """Return all counts of this total over so many options; `descending` lists only those in descending order."""
    counts = np.zeros((1, 0), dtype=np.int64)
    left = np.array([total])
    for after in range(options - 1, -1, -1):
        most = np.minimum(left, counts[:, -1]) if descending and counts.shape[1] else left
        least = -(-left // (after + 1)) if descending else np.where(after > 0, 0, left)
        choices = most - least + 1
        rows = np.repeat(np.arange(len(counts)), choices)
        first = np.repeat(np.cumsum(choices) - choices, choices)
        value = least[rows] + np.arange(len(rows)) - first
        counts = np.hstack([counts[rows], value[:, None]])
        left = left[rows] - value
    return counts
