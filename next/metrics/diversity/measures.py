"""The measures of diversity, over arrays whose last axes are ranks and subtopics.

Rankings of several queries lie next to each other; a query with fewer subtopics or items than the
widest has zeros there, and `sizes` is the number of its subtopics.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from scoresheet.metrics.measure import Measure, measure, measure_of

Floats = NDArray[np.float64]

TIE = 12  # decimals; gains that differ less are equal, whatever the order of their summands


def ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """Return the quotient; NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0))


# --- which subtopics the first k items cover: counts are items per subtopic ------------------


@measure("S_Recall", label="S-Recall", better="higher", bounds=(0, 1), reference="Zhai, 2003")
def subtopic_recall(counts: ArrayLike, sizes: ArrayLike | None = None) -> Floats:
    """Return the share of the query's subtopics that the first k items cover.

    >>> float(subtopic_recall([3, 1, 0, 0]))
    0.5
    """
    counts = np.asarray(counts, float)
    return ratio((counts > 0).sum(axis=-1), counts.shape[-1] if sizes is None else sizes)


@measure("S_Entropy", label="S-Entropy", better="higher")
def subtopic_entropy(counts: ArrayLike) -> Floats:
    """Return the entropy of the first k items over subtopics, in nats.

    >>> round(float(subtopic_entropy([3, 1, 0])), 6), float(subtopic_entropy([4, 0]))
    (0.562335, 0.0)
    """
    counts = np.asarray(counts, float)
    return np.asarray(entr(ratio(counts, counts.sum(axis=-1, keepdims=True))).sum(axis=-1) + 0.0)


@measure("S_Entropy_Norm", label="Norm. S-Entropy", better="higher", bounds=(0, 1))
def normalized_subtopic_entropy(counts: ArrayLike, sizes: ArrayLike | None = None) -> Floats:
    """Return the entropy over subtopics as a share of the largest possible one.

    >>> round(float(normalized_subtopic_entropy([2, 2, 0, 0])), 6)
    0.5
    >>> float(normalized_subtopic_entropy([3]))  # one subtopic has nothing to be even over
    nan
    """
    counts = np.asarray(counts, float)
    size = np.asarray(counts.shape[-1] if sizes is None else sizes)
    # an even distribution must not exceed 1 by rounding
    return np.minimum(ratio(subtopic_entropy(counts), np.log(np.maximum(size, 1))), 1.0)


@measure("Gini", label="Gini", better="lower", bounds=(0, 1))
def subtopic_gini(counts: ArrayLike, sizes: ArrayLike | None = None) -> Floats:
    """Return the Gini coefficient of the first k items over subtopics, zeros included.

    All items in one of n subtopics: 1 - 1/n; a single subtopic: 0.

    >>> [float(subtopic_gini(counts)) for counts in ([3, 1, 0], [4, 0, 0, 0], [2, 2], [5])]
    [0.5, 0.75, 0.0, 0.0]
    """
    counts = np.asarray(counts, float)
    width = counts.shape[-1]
    size = np.asarray(width if sizes is None else sizes, float)
    places = np.sort(counts, axis=-1) @ np.arange(1.0, width + 1)
    # columns that are not the query's sort first and shift all places
    mean_place = ratio(places, counts.sum(axis=-1)) - (width - size)
    return np.maximum(ratio(2 * mean_place - size - 1, size), 0.0)


@measure("Proportionality", label="Proportionality", better="higher", bounds=(0, 1))
def proportionality(counts: ArrayLike, target: ArrayLike) -> Floats:
    """Return 1 minus the total variation distance to the target shares of the subtopics.

    >>> float(proportionality([2, 2, 0], [0.5, 0.25, 0.25]))
    0.75
    """
    counts = np.asarray(counts, float)
    shares = ratio(counts, counts.sum(axis=-1, keepdims=True))
    distance = np.abs(np.asarray(target, float) - shares).sum(axis=-1) / 2
    return np.asarray(np.clip(1 - distance, 0.0, 1.0))


# --- measures by rank: relevance is rank × subtopic ------------------------------------------


def mapped_grades(grades: ArrayLike, highest: float | None = None) -> Floats:
    """Return grades as relevance from 0 to 1: (2^g - 1) / 2^highest, or as they are up to 1.

    >>> mapped_grades([-2, 0, 1, 3]).tolist(), mapped_grades([0, 0.5, 1]).tolist()
    ([0.0, 0.0, 0.125, 0.875], [0.0, 0.5, 1.0])
    """
    known = np.maximum(np.asarray(grades, float), 0.0)
    top = known.max(initial=0.0) if highest is None else highest
    return np.asarray(known if top <= 1 else np.exp2(known - top) - np.exp2(-top))


def subtopic_gains(relevance: ArrayLike, alpha: float) -> Floats:
    """Return rel(i,j)·(1-α)^r, with r the earlier items that are relevant to subtopic j."""
    relevance = np.asarray(relevance, float)
    relevant = relevance > 0
    earlier: Floats = np.cumsum(relevant, axis=-2) - relevant
    return np.asarray(relevance * (1 - alpha) ** earlier)


def _of_most(sizes: ArrayLike, alpha: float, discounts: Floats) -> Floats:
    """Return what ndeval divides by: every item is relevant to every subtopic."""
    repeated = np.cumsum((1 - alpha) ** np.arange(discounts.size) * discounts)
    return np.asarray(np.asarray(sizes, float)[..., None] * repeated)


@measure("alpha_DCG", label="α-DCG", better="higher", reference="Clarke 2008")
def alpha_dcg(
    relevance: ArrayLike, sizes: ArrayLike, *, alpha: float = 0.5, definition: str = "printed"
) -> Floats:
    """Return the gain of the first k items over the subtopics, less for repeated subtopics.

    One value per rank.

    >>> alpha_dcg([[1, 0], [1, 1]], 2).round(6).tolist()
    [0.5, 0.973197]
    """
    gains = subtopic_gains(relevance, alpha).sum(axis=-1)
    discounts = 1 / np.log2(np.arange(2, gains.shape[-1] + 2))
    most = (
        _of_most(sizes, alpha, discounts)
        if definition == "ndeval"
        else np.asarray(sizes, float)[..., None]
    )
    return ratio(np.cumsum(gains * discounts, axis=-1), most)


def ideal_ranking(pool: ArrayLike, ranks: int, *, alpha: float = 0.5) -> Floats:
    """Return the relevance of a greedy ideal ranking: the item with the largest gain comes next.

    `pool` is item × subtopic; of equal gains the first item comes first. Where the items run out
    the relevance is 0.

    >>> ideal_ranking([[1, 0], [1, 0], [1, 1]], 2).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """
    pool = np.asarray(pool, float)
    ideal = np.zeros((*pool.shape[:-2], ranks, pool.shape[-1]))
    weights = np.ones((*pool.shape[:-2], pool.shape[-1], 1))
    left = np.ones(pool.shape[:-1], bool)
    for rank in range(min(ranks, pool.shape[-2])):
        gains = np.where(left, np.round((pool @ weights)[..., 0], TIE), -1.0)
        best = gains.argmax(axis=-1)[..., None]
        chosen = np.take_along_axis(pool, best[..., None], axis=-2)
        ideal[..., rank, :] = chosen[..., 0, :]
        np.put_along_axis(left, best, False, axis=-1)
        weights *= np.where(chosen.swapaxes(-1, -2) > 0, 1 - alpha, 1.0)
    return ideal


@measure("alpha_nDCG", label="α-nDCG", better="higher", bounds=(0, 1), reference="Clarke 2008")
def alpha_ndcg(own: ArrayLike, ideal: ArrayLike, *, definition: str = "printed") -> Floats:
    """Return the gain (α-DCG) as a share of that of an ideal ranking of the judged items.

    The greedy ideal can be beaten; as printed it is then the ranking itself, so that the value is
    at most 1.

    >>> alpha_ndcg([0.2, 0.5], [0.4, 0.4]).tolist()
    [0.5, 1.0]
    """
    own = np.asarray(own, float)
    return ratio(own, ideal if definition == "ndeval" else np.maximum(own, ideal))


@measure("ERR_IA", label="ERR-IA", better="higher", bounds=(0, 1), reference="Chapelle 2011")
def err_ia(
    relevance: ArrayLike, weights: ArrayLike, *, alpha: float = 0.5, definition: str = "printed"
) -> Floats:
    """Return the expected reciprocal rank at which a user stops, over the subtopics.

    One value per rank. `weights` are the probabilities of the subtopics.

    >>> err_ia([[1, 0], [0, 0.5]], [0.5, 0.5]).tolist()
    [0.5, 0.625]
    """
    relevance, weights = np.asarray(relevance, float), np.asarray(weights, float)
    reciprocal = 1 / np.arange(1.0, relevance.shape[-2] + 1)
    if definition == "ndeval":
        gains = subtopic_gains(relevance > 0, alpha).sum(axis=-1)
        sizes = (weights > 0).sum(axis=-1)
        return ratio(np.cumsum(gains * reciprocal, axis=-1), _of_most(sizes, alpha, reciprocal))
    going_on = np.cumprod(1 - relevance, axis=-2)
    arriving = np.concatenate([np.ones_like(going_on[..., :1, :]), going_on[..., :-1, :]], axis=-2)
    stopping = (relevance * arriving @ weights[..., None])[..., 0]
    return np.asarray(np.cumsum(stopping * reciprocal, axis=-1))


@measure("Judged", label="Judged", format="share", bounds=(0, 1))
def judged_share(judged: ArrayLike, shown: ArrayLike) -> Floats:
    """Return the share of the first k items that were judged, relevant or not.

    >>> float(judged_share(3, 4))
    0.75
    """
    return ratio(judged, shown)


def measure_at(
    function: Callable[..., Any], k: int, bounds: Mapping[Any, tuple[float, float] | None]
) -> Measure:
    """Return the measure that a function computes, at one cut-off, with its bounds there.

    >>> measure_at(alpha_ndcg, 10, {}).name
    'alpha_nDCG@10'
    """
    declared = measure_of(function)
    sentence = declared.sentence.replace("first k items", f"first {k} items")
    if sentence == declared.sentence:
        sentence = f"{sentence.removesuffix('.')}, in the first {k} items."
    return replace(
        declared,
        name=f"{declared.name}@{k}",
        label=f"{declared.label}@{k}",
        sentence=sentence,
        bounds=bounds.get(function, declared.bounds),
    )
