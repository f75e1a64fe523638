"""How different the items of a list are from each other: ILD, EILD and the rank-discounted EILD."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import check_between, check_cutoffs, checked_array, checked_shares
from scoresheet.metrics.families.diversity.constants import DISCOUNT

_ROWS: Final = 512  # items whose distances to all others are looked at at once
_BATCH: Final = 1_000_000  # distances of lists that are looked at together

Block = Callable[[int, int, int], "NDArray[np.float64]"]  # (first, last, m) → distances of these items to the first m


class ListDiversity(NamedTuple):
    """How different the first k items are."""

    ild: float
    eild: float
    eild_norm: float


_UNDEFINED: Final = ListDiversity(math.nan, math.nan, math.nan)


def intra_list_diversity(vectors: NDArray[np.float64], cutoffs: Sequence[int]) -> dict[int, float]:
    """Return the mean cosine distance between the first k vectors, for each k.

    The sum of all cosines is the squared length of the sum of the unit vectors, so no pair is looked at.

    Parameters
    ----------
    vectors : array_like of float, shape (n_items, n_features)
        The items of a list, best first; one of length 0 has no direction and is left out.
    cutoffs : sequence of int
        How many of the first items are looked at.

    Returns
    -------
    dict of int to float
        The mean distance from 0 to 2 for each cut-off; NaN for fewer than two items.

    Raises
    ------
    ValueError
        If no cut-off is named or one is not a rank, or the vectors are no table of numbers, all of them finite.

    Examples
    --------
    >>> import numpy as np
    >>> intra_list_diversity(np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), [1, 2, 3])
    {1: nan, 2: 1.0, 3: 0.6666666666666667}
    """
    check_cutoffs(cutoffs)
    rows = checked_array("vectors", vectors, 2, empty=True)[: max(cutoffs)]
    weights, rows, present = _weighted(rows)
    total, count, start = np.zeros(rows.shape[1]), 0, 0
    found = {}
    for k in sorted(cutoffs):
        total = total + weights[start:k] @ rows[start:k]
        count += int(np.count_nonzero(present[start:k]))
        start = k
        same = (float(total @ total) - count) / (count * (count - 1)) if count > 1 else math.nan
        found[k] = min(2.0, max(0.0, 1 - same)) if count > 1 else math.nan
    return {k: found[k] for k in cutoffs}


def expected_intra_list_diversity(
    distances: NDArray[np.float64],
    relevance: NDArray[np.float64] | Sequence[float],
    cutoffs: Sequence[int],
    *,
    discount: float = DISCOUNT,
) -> dict[int, tuple[float, float]]:
    """Return for each k the sum of P(i) P(j) d(i, j), and its rank-discounted mean, which does not grow with k.

    The second is that of Vargas and Castells: for each item the mean distance to the others, weighted by their chance
    to be seen next to it and to be relevant; of these the mean over ranks, weighted by the chance to be seen, where an
    item counts as far as it is relevant itself.

    Parameters
    ----------
    distances : array_like of float, shape (n_items, n_items)
        How far every two items of the list are apart, best item first.
    relevance : array_like of float, shape (n_items,)
        The chance of each item to be relevant.
    cutoffs : sequence of int
        How many of the first items are looked at.
    discount : float, optional
        The chance that a reader goes on to the next item.

    Returns
    -------
    dict of int to tuple of float
        The sum and the discounted mean for each cut-off; NaN for fewer than two items.

    Raises
    ------
    ValueError
        If no cut-off is named or one is not a rank, the distances are no square table of numbers from 0 on, there is
        not a relevance from 0 to 1 for each item, or the discount is not above 0 and at most 1.

    References
    ----------
    S. Vargas, P. Castells (2011), Rank and Relevance in Novelty and Diversity Metrics for Recommender Systems, RecSys.

    Examples
    --------
    >>> import numpy as np
    >>> found = expected_intra_list_diversity(np.array([[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]]), [1, 0.5, 1], [2, 3])
    >>> {k: (plain, round(discounted, 4)) for k, (plain, discounted) in found.items()}
    {2: (1.0, 0.7703), 3: (3.0, 0.6188)}
    """
    check_cutoffs(cutoffs)
    matrix = checked_array("distances", distances, 2, empty=True)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"distances must be square, not of shape {matrix.shape}")
    if matrix.min(initial=0.0) < 0:
        raise ValueError(f"a distance cannot be {matrix.min():g}")
    shares = checked_shares("relevance", relevance, 1, empty=True)
    if shares.shape != matrix.shape[:1]:
        raise ValueError(f"there are {len(matrix)} items and relevance of shape {shares.shape}")
    check_between("discount", discount, 0, 1)
    if not discount:
        raise ValueError(f"discount cannot be {discount}; nobody would see the second item")
    found = list_diversity(
        lambda first, last, m: matrix[first:last, :m],
        shares,
        np.arange(len(matrix)),
        cutoffs,
        discount=discount,
    )
    return {k: (each.eild, each.eild_norm) for k, each in found.items()}


def list_diversity(
    block: Block,
    relevance: NDArray[np.float64],
    ranks: NDArray[np.int64],
    cutoffs: Sequence[int],
    *,
    discount: float = DISCOUNT,
) -> dict[int, ListDiversity]:
    """Return ILD and both EILDs at each cut-off of items that stand at these ranks (from 0); some may be missing."""
    found = {}
    for k in cutoffs:
        m = int(np.searchsorted(ranks, k))
        found[k] = _of_all_items(block, relevance[:m], ranks[:m].astype(float), discount) if m > 1 else _UNDEFINED
    return found


def _of_all_items(
    block: Block, relevance: NDArray[np.float64], ranks: NDArray[np.float64], discount: float
) -> ListDiversity:
    """Return the same for all of these items; a block of them at a time, since pairs are many."""
    m = len(ranks)
    seen = discount**ranks
    plain = expected = discounted = 0.0
    for first in range(0, m, _ROWS):
        last = min(m, first + _ROWS)
        distances = block(first, last, m).copy()
        beside = discount ** (np.maximum(1.0, ranks[None, :] - ranks[first:last, None]) - 1) * relevance[None, :]
        own = np.arange(first, last)
        distances[own - first, own] = 0.0
        beside[own - first, own] = 0.0
        plain += float(distances.sum())
        expected += float(relevance[first:last] @ (distances @ relevance))
        totals = beside.sum(axis=1)
        means = (beside * distances).sum(axis=1) / np.where(totals > 0, totals, 1.0)
        discounted += float((seen[first:last] * relevance[first:last]) @ means)
    return ListDiversity(plain / (m * (m - 1)), expected, discounted / float(seen.sum()))


class DescribedLists(NamedTuple):
    """Lists of items side by side, in each those first that there is anything to compare by."""

    sets: NDArray[np.bool_]  # list × item × what they may have in common
    relevance: NDArray[np.float64]  # list × item
    ranks: NDArray[np.int64]  # list × item: where they stand, from 0
    up_to: NDArray[np.int64]  # list × rank: how many of those down to it there is anything of

    @classmethod
    def of(cls, sets: NDArray[np.bool_], relevance: NDArray[np.float64], present: NDArray[np.bool_]) -> DescribedLists:
        """Return lists by their ranks, given which of these there is anything to compare by of."""
        ranks = np.argsort(~present, axis=1, kind="stable")
        return cls(
            np.take_along_axis(sets, ranks[:, :, None], axis=1),
            np.take_along_axis(relevance, ranks, axis=1),
            ranks,
            np.cumsum(present, axis=1),
        )


def list_diversities(
    lists: DescribedLists, cutoffs: Sequence[int], *, discount: float = DISCOUNT
) -> dict[int, NDArray[np.float64]]:
    """Return `list_diversity` by Jaccard distances at each cut-off, list × what it has; NaN for fewer than two items.

    Lists with as many items are looked at together.

    >>> import numpy as np
    >>> sets, relevance = np.array([[True, True], [True, False], [False, True]]), np.ones(3)
    >>> both = list_diversities(DescribedLists.of(np.stack([sets] * 2), np.ones((2, 3)), np.ones((2, 3), bool)), [2, 3])
    >>> tuple(both[3][1].tolist()) == list_diversity(jaccard_blocks(sets), relevance, np.arange(3), [2, 3])[3]
    True
    """
    number, depth = lists.ranks.shape
    found = {k: np.full((number, len(_UNDEFINED)), np.nan) for k in cutoffs}
    for k in cutoffs if depth else ():
        sizes = lists.up_to[:, min(k, depth) - 1]
        for m in np.unique(sizes[sizes > 1]).tolist():
            places = np.flatnonzero(sizes == m)
            step = max(1, _BATCH // m**2) if m <= _ROWS else 1
            for start in range(0, len(places), step):
                some = places[start : start + step]
                own = (lists.sets[some, :m], lists.relevance[some, :m], lists.ranks[some, :m])
                found[k][some] = _of_many(*own, discount) if m <= _ROWS else _of_long(*own, discount)
    return found


def _of_long(
    sets: NDArray[np.bool_], relevance: NDArray[np.float64], ranks: NDArray[np.int64], discount: float
) -> ListDiversity:
    """Return the same of one list that is too long to be looked at with others."""
    return _of_all_items(jaccard_blocks(sets[0]), relevance[0], ranks[0].astype(float), discount)


def _of_many(
    sets: NDArray[np.bool_], relevance: NDArray[np.float64], ranks: NDArray[np.int64], discount: float
) -> NDArray[np.float64]:
    """Return the same of lists with as many items each."""
    number, m = ranks.shape
    members = sets.astype(float)
    distances = _jaccard(members, members)
    seen_after = discount ** np.arange(0.0, int(ranks.max()) + 1)  # so many ranks
    beside = seen_after[np.maximum(1, ranks[:, None, :] - ranks[:, :, None]) - 1] * relevance[:, None, :]
    own = np.arange(m)
    distances[:, own, own] = 0.0
    beside[:, own, own] = 0.0
    seen = seen_after[ranks]
    totals = beside.sum(axis=2)
    means = (beside * distances).sum(axis=2) / np.where(totals > 0, totals, 1.0)
    plain = distances.reshape(number, -1).sum(axis=1) / (m * (m - 1))
    expected = relevance[:, None, :] @ (distances @ relevance[:, :, None])
    discounted = ((seen * relevance)[:, None, :] @ means[:, :, None])[:, 0, 0] / seen.sum(axis=1)
    return np.column_stack([plain, expected[:, 0, 0], discounted])


def unit_vectors(vectors: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the vectors with length 1, and which have a direction; the others stay 0."""
    weights, rows, present = _weighted(vectors)
    return rows * weights[:, None], present


def cosine_blocks(units: NDArray[np.float64]) -> Block:
    """Return the cosine distances between unit vectors, block by block."""
    return lambda first, last, m: np.clip(1 - units[first:last] @ units[:m].T, 0.0, 2.0)


def jaccard_blocks(sets: NDArray[np.bool_]) -> Block:
    """Return the Jaccard distances between sets, a row each, block by block: 1 less the share they have in common.

    >>> import numpy as np
    >>> jaccard_blocks(np.array([[True, True], [True, False]]))(0, 2, 2).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    members = sets.astype(float)
    return lambda first, last, m: _jaccard(members[first:last], members[:m])


def _jaccard(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances of each of our sets to each of theirs, 1 for a member; the first axis may be of lists."""
    common = ours @ theirs.swapaxes(-1, -2)
    union = ours.sum(axis=-1)[..., :, None] + theirs.sum(axis=-1)[..., None, :] - common
    return np.asarray(1 - common / np.where(union > 0, union, 1.0))


def _weighted(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return what makes each row a unit vector, the rows this holds for, and which of them have a direction.

    Rows that are very long or very short are first divided by their largest component, or their squares would be
    infinite or 0.
    """
    with np.errstate(over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->i", rows, rows)
    if len(squares) and squares.min() > 1e-200 and squares.max() < 1e200:
        return 1 / np.sqrt(squares), rows, np.ones(len(rows), dtype=bool)
    largest = np.abs(rows).max(axis=1, initial=0.0)
    present = largest > 0
    with np.errstate(under="ignore"):
        scaled = rows / np.where(present, largest, 1.0)[:, None]
        lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    return np.divide(1.0, lengths, out=np.zeros(len(rows)), where=present), scaled, present
