"""The ideal ranking of α-nDCG: exact where few items are relevant, else greedy; names of items have no part in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

MAX_EXACT_ITEMS: Final = 10  # relevant items up to which every order is considered
_TIE: Final = 1e-12  # gains that differ by less are equal but for the arithmetic
_BATCH: Final = 4_000_000  # numbers in flight


def exact_ideals(
    pools: Sequence[NDArray[np.float64]], discounts: NDArray[np.float64], alpha: float, *, graded: bool
) -> NDArray[np.float64]:
    """Return the best α-DCG at every rank for each pool (item × subtopic), all of one size, MAX_EXACT_ITEMS at most.

    What an item adds depends on which items came before it, not on their order: so the best way to a set of items is
    the best way to it less one of them, and there are few sets.
    """
    size, depth = pools[0].shape[0], len(discounts)
    best = np.zeros((len(pools), depth))
    if not size:
        return best
    members, layers = _subsets(size)
    step = max(1, _BATCH // (len(members) * max(pool.shape[1] for pool in pools)))
    for start in range(0, len(pools), step):
        batch = _padded(pools[start : start + step])
        hits = (batch > 0).astype(np.float64)
        left = (1 - alpha) ** (members @ hits)  # query × set × subtopic: what a further item on it is worth
        gains = left @ (batch if graded else hits).transpose(0, 2, 1)  # query × set × item
        values = np.full((len(batch), len(members)), -np.inf)
        values[:, 0] = 0.0
        found = best[start : start + step]
        for rank in range(min(size, depth)):
            for sets, item, after in layers[rank]:
                reached = values[:, sets] + gains[:, sets, item] * discounts[rank]
                values[:, after] = np.maximum(values[:, after], reached)
            found[:, rank] = values[:, _of_size(size, rank + 1)].max(axis=1)
        found[:, min(size, depth) :] = found[:, min(size, depth) - 1, None]
    return best


def greedy_ideals(
    pools: Sequence[NDArray[np.float64]],
    discounts: NDArray[np.float64],
    alpha: float,
    *,
    graded: bool,
    in_order: bool = False,
) -> NDArray[np.float64]:
    """Return the α-DCG at every rank of the ranking that takes the largest gain at each step, for each pool.

    Of equal gains the one that leaves most to gain is taken, then the one whose subtopics come first: never the name
    decides. `in_order` takes the first of equals in the order of the pool instead, as a tool that sorts by name does.
    """
    depth = len(discounts)
    totals = np.zeros((len(pools), depth))
    if not pools:
        return totals
    sizes = max(pool.shape[0] for pool in pools) * max(pool.shape[1] for pool in pools)
    step = max(1, _BATCH // max(1, sizes))
    for start in range(0, len(pools), step):
        some = pools[start : start + step]
        batch = _padded([pool if in_order else _canonical(pool) for pool in some])
        totals[start : start + step] = _greedy(batch, discounts, alpha, graded=graded, in_order=in_order)
    return totals


def upper_bounds(pools: Sequence[NDArray[np.float64]], discounts: NDArray[np.float64], alpha: float) -> list[float]:
    """Return for each pool an α-DCG that no ranking of it exceeds.

    The r-th item on a subtopic is worth (1-α)^(r-1). The first i items stand for no more subtopics than the i that
    stand for most, so they gain no more than that many of the most valuable gains; and the discounts fall.
    """
    falls = discounts - np.append(discounts[1:], 0.0)
    bounds = []
    for pool in pools:
        hits = pool > 0
        counts = hits.sum(axis=0)
        levels = np.arange(counts.max(initial=0))
        values = np.repeat((1 - alpha) ** levels, (counts[None, :] > levels[:, None]).sum(axis=1))
        gained = np.append(0.0, np.cumsum(values))
        sizes = np.cumsum(np.sort(hits.sum(axis=1))[::-1])
        reached = np.minimum(np.arange(len(discounts)), len(sizes) - 1)
        bounds.append(float(falls @ gained[sizes[reached]]) if len(sizes) else 0.0)
    return bounds


def _greedy(
    batch: NDArray[np.float64], discounts: NDArray[np.float64], alpha: float, *, graded: bool, in_order: bool
) -> NDArray[np.float64]:
    queries, items, subtopics = batch.shape
    hits = (batch > 0).astype(np.float64)
    values = batch if graded else hits
    stays = 1 - alpha * hits  # what is left of a subtopic's worth after an item
    everyone = np.arange(queries)
    worth = np.ones((queries, subtopics, 1))
    open_items = np.ones((queries, items), dtype=bool)
    remaining = hits.sum(axis=1)[:, :, None]  # items left on each subtopic
    total = np.zeros(queries)
    totals = np.zeros((queries, len(discounts)))
    for rank, discount in enumerate(discounts):
        if rank < items:
            gains = np.where(open_items, (values @ worth)[:, :, 0], -1.0)
            best = gains.max(axis=1)
            if in_order:
                chosen = gains.argmax(axis=1)
            else:
                takes = (hits @ (worth * remaining))[:, :, 0]  # what the others lose by this choice, but for a factor
                chosen = np.where(gains >= best[:, None] - _TIE, takes, np.inf).argmin(axis=1)
            open_items[everyone, chosen] = False
            remaining -= hits[everyone, chosen][:, :, None]
            worth *= stays[everyone, chosen][:, :, None]
            total = total + np.maximum(best, 0.0) * discount
        totals[:, rank] = total
    return totals


def _canonical(pool: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the items in an order that their names have no part in."""
    return pool[np.lexsort(pool.T[::-1])[::-1]] if len(pool) else pool


def _padded(pools: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return pools of different sizes as one array; items and subtopics that are not there gain nothing."""
    shape = (max(pool.shape[0] for pool in pools), max(pool.shape[1] for pool in pools))
    batch = np.zeros((len(pools), *shape))
    for position, pool in enumerate(pools):
        batch[position, : pool.shape[0], : pool.shape[1]] = pool
    return batch


@lru_cache(maxsize=MAX_EXACT_ITEMS)
def _subsets(size: int) -> tuple[NDArray[np.float64], list[list[tuple[NDArray[np.intp], int, NDArray[np.intp]]]]]:
    """Return which items each set has, and for each size the sets that an item can join, with the sets that result."""
    codes = np.arange(2**size)
    members = ((codes[:, None] >> np.arange(size)) & 1).astype(np.float64)
    counts = members.sum(axis=1)
    layers = []
    for rank in range(size):
        steps = []
        for item in range(size):
            sets = codes[(counts == rank) & (members[:, item] == 0)]
            steps.append((sets, item, sets | (1 << item)))
        layers.append(steps)
    return members, layers


@lru_cache(maxsize=MAX_EXACT_ITEMS**2)
def _of_size(size: int, count: int) -> NDArray[np.intp]:
    return np.flatnonzero(_subsets(size)[0].sum(axis=1) == count)
