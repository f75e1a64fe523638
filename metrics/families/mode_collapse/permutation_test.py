"""A permutation test of whether two models choose alike: their samples, pooled and dealt anew to both of them.

The pooled samples of a cell lie side by side, option after option, so that an option's count in a deal is a difference
of two cumulative counts; these are dealt once for each pair of sizes and serve every cell of these sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.checks import check_whole, checked_whole_counts
from scoresheet.metrics.stats.concentration import gini, gini_of_rank_sums, rank_sums
from scoresheet.metrics.stats.confidence import SIGNIFICANCE_LEVEL

PERMUTATIONS: Final = 10_000
BLOCK: Final = 1_000  # permutations that are held in memory together
MOST_PERMUTATIONS: Final = 100_000
# so many permutations are enough if chance does as much in so many of them: more would not make the p-value a finding
STAGES: Final = ((BLOCK, 100), (PERMUTATIONS, 10), (MOST_PERMUTATIONS, 0))
_MOST_DEALT: Final = 10**9  # the library deals no more
_MOST_KEPT: Final = 2_000  # samples up to which cumulative counts are kept; beyond, counts are dealt cell by cell
_SAMPLES_PER_OPTION: Final = 20  # above this many, dealing the counts of a cell costs less than cumulative counts

Counts = NDArray[np.int32] | NDArray[np.int64]
Pair = tuple[Sequence[int], Sequence[int]]  # how often two models chose each option of a cell


class PermutationTest(NamedTuple):
    """How two choosers differ, on average over the cells compared, and the chance of as much if both chose alike.

    Attributes
    ----------
    distance : float
        The total variation distance of their shares: 0 for the same shares, 1 for no option in common.
    difference : float
        Of their Ginis, the first less the second.
    expected : float
        That difference if both chose alike: a smaller sample has the larger Gini.
    p_distance : float
        The chance of a distance as large.
    p_difference : float
        The two-sided chance of a difference as far from the expected one.
    """

    distance: float
    difference: float
    expected: float
    p_distance: float
    p_difference: float


def permutations_for(tests: int, level: float = SIGNIFICANCE_LEVEL) -> int:
    """Return how many permutations p-values need that are to be corrected for this many tests.

    >>> permutations_for(2), permutations_for(600), permutations_for(10_000)
    (10000, 24000, 10000)
    """
    needed = BLOCK * math.ceil(2 * tests / level / BLOCK)  # half of what is needed at the least
    if tests * smallest_p_value(MOST_PERMUTATIONS) >= level:
        return PERMUTATIONS  # not even the most of them would do
    return min(max(PERMUTATIONS, needed), MOST_PERMUTATIONS)


def smallest_p_value(permutations: int) -> float:
    """Return the least p-value that so many permutations can give."""
    return 1 / (1 + permutations)


def permutation_test(ours: ArrayLike, theirs: ArrayLike, *, seed: int = 0) -> PermutationTest:
    """Return how differently two choosers choose among the same options, and whether that is noise.

    The samples of both are pooled and dealt anew to two choosers of the same sample sizes, at most MOST_PERMUTATIONS
    times; fewer do where chance soon does as much.

    Parameters
    ----------
    ours, theirs : array_like of int, shape (n_options,)
        How often each of the two chose each option; the same position is the same option. An option that neither chose
        counts too.
    seed : int, optional
        Seed of the permutations.

    Returns
    -------
    PermutationTest
        The total variation distance and the difference of the Ginis, each with its p-value. All of it is NaN for fewer
        than two options, or for one who chose nothing.

    Raises
    ------
    ValueError
        If the two do not have one dimension and the same length, are empty or hold anything but whole numbers from 0
        on, or the seed is none.

    See Also
    --------
    collapse_p_value : whether one chooser has favourites at all.

    References
    ----------
    B. Phipson, G. K. Smyth (2010), Permutation P-values should never be zero, Statistical Applications in Genetics and
    Molecular Biology 9.

    Examples
    --------
    >>> test = permutation_test([30, 1, 1], [12, 10, 10])
    >>> round(test.distance, 4), round(test.difference, 4)
    (0.5625, 0.5625)
    >>> test.p_distance < 0.001, test.p_difference < 0.01
    (True, True)
    """
    check_whole("seed", seed)
    first, second = checked_whole_counts(ours, "ours"), checked_whole_counts(theirs, "theirs")
    if len(first) != len(second):
        raise ValueError(f"counts must be over the same options, not over {len(first)} and {len(second)}")
    if len(first) < 2 or not any(first) or not any(second):
        return PermutationTest(*[math.nan] * 5)
    return permutation_test_of_cells([(first, second)], seed=seed)


def permutation_test_of_cells(pairs: Sequence[Pair], *, seed: int = 0, most: int = PERMUTATIONS) -> PermutationTest:
    """Return how far two models are apart in the cells that both have, and whether that is noise.

    If both choose alike their samples are exchangeable, and the p-values hold at any sample size. A Gini does not ask
    which option is the favourite, and two models may be as collapsed with other favourites: so its difference is
    tested a second time with favourite held to favourite, and the larger p-value counts. By itself neither will do:
    together, the samples of unlike favourites look even, and ranks make a pattern of what is only noise among many
    options.

    >>> result = permutation_test_of_cells([([9, 1], [5, 5])])
    >>> result.difference, result.p_distance < 0.2, result.p_difference < 0.2
    (0.4, True, True)
    """
    pairs = sorted(pairs)  # the draws of a cell are those of its position
    distance = math.fsum(_distance(*pair) for pair in pairs)
    difference = math.fsum(gini(ours) - gini(theirs) for ours, theirs in pairs)
    dealt = np.empty((3, 0))
    for wanted, enough in STAGES:
        blocks = range(dealt.shape[1] // BLOCK, min(wanted, most) // BLOCK)
        dealt = np.hstack([dealt, *(_permuted_sums(pairs, seed, block) for block in blocks)])
        reached = _reached(dealt, distance, difference)
        if min(reached) >= enough or wanted >= most:
            break
    p_distance, *p_differences = ((1 + times) / (1 + dealt.shape[1]) for times in reached)
    expected = float(dealt[1].mean())
    cells = len(pairs)
    return PermutationTest(
        distance=distance / cells,
        difference=difference / cells,
        expected=expected / cells,
        p_distance=p_distance,
        p_difference=max(p_differences),
    )


def _reached(dealt: NDArray[np.float64], distance: float, difference: float) -> list[int]:
    """Return in how many permutations chance did as much: a distance as large, differences as far from their mean."""
    middle = dealt[1:].mean(axis=1, keepdims=True)
    far = np.abs(dealt[1:] - middle) >= np.abs(difference - middle) - 1e-9
    return [int(np.count_nonzero(dealt[0] >= distance - 1e-9)), *np.count_nonzero(far, axis=1).tolist()]


def _permuted_sums(pairs: Sequence[Pair], seed: int, block: int) -> NDArray[np.float64]:
    """Return sums over the cells, of each permutation of a block: distances, differences of Gini, and those by rank."""
    sums = np.zeros((3, BLOCK))
    for position, (ours, theirs) in enumerate(pairs):
        first, second = sum(ours), sum(theirs)
        dealt, rest = permuted_counts(ours, theirs, seed=seed, stream=2 * position, block=block)
        sums[0] += np.abs(dealt / first - rest / second).sum(axis=1) / 2
        sums[1] += _ginis(dealt, first) - _ginis(rest, second)
        by_rank = (sorted(ours, reverse=True), sorted(theirs, reverse=True))
        dealt, rest = permuted_counts(*by_rank, seed=seed, stream=2 * position + 1, block=block)
        sums[2] += _ginis(dealt, first) - _ginis(rest, second)
    return sums


def permuted_counts(
    ours: Sequence[int], theirs: Sequence[int], *, seed: int = 0, stream: int = 0, block: int = 0
) -> tuple[Counts, Counts]:
    """Return BLOCK ways in which the pooled samples of two cells can be dealt to two cells of the same sizes.

    Cells with streams of their own are dealt independently of each other.
    """
    pooled = np.asarray(ours) + np.asarray(theirs)
    first, total = sum(ours), int(pooled.sum())
    rng = np.random.default_rng([seed, 1, stream, block])
    if _cumulative_counts_pay(total, int(np.count_nonzero(pooled))):
        cumulative = _permuted_cumulative_counts(first, total, seed, block)
        dealt: Counts = _counts_from_cumulative(cumulative, pooled)[rng.permutation(BLOCK)]
    elif total < _MOST_DEALT:
        dealt = rng.multivariate_hypergeometric(pooled, first, size=BLOCK, method="marginals")
    else:  # so many that it makes no difference whether they are put back
        both = [rng.multinomial(size, pooled / total, size=BLOCK) for size in (first, total - first)]
        return both[0], both[1]
    return dealt, pooled - dealt


@lru_cache(maxsize=12)
def _permuted_cumulative_counts(first: int, total: int, seed: int, block: int) -> NDArray[np.int32]:
    """Return for each permutation the cumulative counts of how many samples went to the first of the two cells."""
    rng = np.random.default_rng([seed, 2, first, total, block])
    cards = np.zeros((BLOCK, total), dtype=np.int8)
    cards[:, :first] = 1
    return _cumulative_counts(rng.permuted(cards, axis=1))


def _cumulative_counts_pay(total: int, used: int) -> bool:
    """Return whether cumulative counts are worth their memory for so many samples on so many options."""
    return total <= min(_MOST_KEPT, _SAMPLES_PER_OPTION * used)


def _cumulative_counts(rows: Counts | NDArray[np.int8]) -> NDArray[np.int32]:
    """Return the sums of each row up to each column, from 0 on: a line per column, which makes them quick to pick."""
    totals = np.zeros((rows.shape[1] + 1, rows.shape[0]), dtype=np.int32)
    np.cumsum(rows.T, axis=0, out=totals[1:])
    return totals


def _counts_from_cumulative(totals: NDArray[np.int32], counts: Counts) -> NDArray[np.int32]:
    """Return how many of the dealt samples fall on each option, a row per permutation."""
    edges = np.concatenate([[0], np.cumsum(counts)])
    return np.ascontiguousarray(np.diff(totals[edges], axis=0).T)


def _ginis(counts: Counts, total: int) -> NDArray[np.float64]:
    return gini_of_rank_sums(rank_sums(counts), counts.shape[1], total)


def _distance(ours: Sequence[int], theirs: Sequence[int]) -> float:
    first, second = sum(ours), sum(theirs)
    return math.fsum(abs(one / first - other / second) for one, other in zip(ours, theirs, strict=True)) / 2
