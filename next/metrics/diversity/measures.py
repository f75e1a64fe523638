"""The measures of diversity: counts of items over subtopics, and relevance by rank × subtopic."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from scoresheet.metrics.measure import measure

Floats = NDArray[np.float64]

TIE = 12  # decimals; gains that differ less are equal, whatever the order of their summands


def ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """Return the quotient; NaN where the whole is 0."""
    whole = np.asarray(whole, float)
    return np.asarray(part, float) / np.where(whole > 0, whole, np.nan)


@measure("S_Recall", label="S-Recall", better="higher", bounds=(0, 1), reference="Zhai, 2003")
def subtopic_recall(counts: ArrayLike) -> Floats:
    """Return the share of the query's subtopics that the first k items cover.

    >>> float(subtopic_recall([3, 1, 0, 0]))
    0.5
    """
    counts = np.asarray(counts, float)
    return ratio((counts > 0).sum(axis=-1), counts.shape[-1])


@measure("S_Entropy", label="S-Entropy", better="higher")
def subtopic_entropy(counts: ArrayLike) -> Floats:
    """Return the entropy of the first k items over subtopics, in nats.

    >>> round(float(subtopic_entropy([3, 1, 0])), 6), float(subtopic_entropy([4, 0]))
    (0.562335, 0.0)
    """
    counts = np.asarray(counts, float)
    return np.asarray(entr(ratio(counts, counts.sum(axis=-1, keepdims=True))).sum(axis=-1) + 0.0)


@measure("S_Entropy_Norm", label="Norm. S-Entropy", better="higher", bounds=(0, 1))
def normalized_subtopic_entropy(counts: ArrayLike) -> Floats:
    """Return the entropy of the first k items as a share of the largest possible one.

    >>> round(float(normalized_subtopic_entropy([2, 2, 0, 0])), 6)
    0.5
    """
    # an even distribution must not exceed 1 by rounding
    return np.minimum(ratio(subtopic_entropy(counts), np.log(np.shape(counts)[-1])), 1.0)


@measure("Gini", label="Gini", better="lower", bounds=(0, 1))
def subtopic_gini(counts: ArrayLike) -> Floats:
    """Return the Gini coefficient of the first k items over subtopics, zeros included.

    All items in one of n subtopics: 1 - 1/n; a single subtopic: 0.

    >>> [float(subtopic_gini(counts)) for counts in ([3, 1, 0], [4, 0, 0, 0], [2, 2], [5])]
    [0.5, 0.75, 0.0, 0.0]
    """
    counts = np.asarray(counts, float)
    size = counts.shape[-1]
    places = np.sort(counts, axis=-1) @ np.arange(1.0, size + 1)
    return np.maximum(ratio(2 * ratio(places, counts.sum(axis=-1)) - size - 1, size), 0.0)


@measure("Proportionality", label="Proportionality", better="higher", bounds=(0, 1))
def proportionality(counts: ArrayLike, target: ArrayLike) -> Floats:
    """Return 1 minus the total variation distance of the first k items to the target shares.

    >>> float(proportionality([2, 2, 0], [0.5, 0.25, 0.25]))
    0.75
    """
    counts = np.asarray(counts, float)
    shares = ratio(counts, counts.sum(axis=-1, keepdims=True))
    distance = np.abs(np.asarray(target, float) - shares).sum(axis=-1) / 2
    return np.asarray(np.clip(1 - distance, 0.0, 1.0))


def mapped_grades(grades: ArrayLike) -> Floats:
    """Return grades as relevance from 0 to 1: (2^g - 1) / 2^highest, or as they are up to 1.

    >>> mapped_grades([-2, 0, 1, 3]).tolist(), mapped_grades([0, 0.5, 1]).tolist()
    ([0.0, 0.0, 0.125, 0.875], [0.0, 0.5, 1.0])
    """
    known = np.maximum(np.asarray(grades, float), 0.0)
    top = known.max(initial=0.0)
    return np.asarray(known if top <= 1 else np.exp2(known - top) - np.exp2(-top))


def subtopic_gains(relevance: ArrayLike, alpha: float) -> Floats:
    """Return rel(i,j)·(1-α)^r, with r the earlier items that are relevant to subtopic j."""
    relevance = np.asarray(relevance, float)
    relevant = relevance > 0
    earlier: Floats = np.cumsum(relevant, axis=-2) - relevant
    return np.asarray(relevance * (1 - alpha) ** earlier)


def _discounted(relevance: Floats, alpha: float, discounts: Floats, definition: str) -> Floats:
    """Return the discounted gain per subtopic.

    That of ndeval is a share of the gain where every item is relevant to every subtopic.
    """
    most = np.ones_like(relevance)
    own, largest = (
        np.cumsum(subtopic_gains(found, alpha).sum(axis=-1) * discounts)
        for found in (relevance, most)
    )
    return ratio(own, largest if definition == "ndeval" else relevance.shape[-1])


@measure("alpha_DCG", label="α-DCG", better="higher", reference="Clarke 2008")
def alpha_dcg(relevance: ArrayLike, *, alpha: float = 0.5, definition: str = "printed") -> Floats:
    """Return the gain of the first k items over the subtopics, less for repeated subtopics.

    One value per rank.

    >>> alpha_dcg([[1, 0], [1, 1]]).round(6).tolist()
    [0.5, 0.973197]
    """
    relevance = np.asarray(relevance, float)
    discounts = 1 / np.log2(np.arange(2, len(relevance) + 2))
    return _discounted(relevance, alpha, discounts, definition)


def ideal_ranking(pool: ArrayLike, ranks: int, *, alpha: float = 0.5) -> Floats:
    """Return the relevance of a greedy ideal ranking: the item with the largest gain comes next.

    `pool` is item × subtopic; of equal gains the first item comes first. Where the items run out
    the relevance is 0.

    >>> ideal_ranking([[1, 0], [1, 0], [1, 1]], 2).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """
    pool = np.asarray(pool, float)
    ideal = np.zeros((ranks, pool.shape[-1]))
    weights, left = np.ones(pool.shape[-1]), np.ones(len(pool), bool)
    for rank in range(min(ranks, len(pool))):
        best = np.where(left, np.round(pool @ weights, TIE), -1.0).argmax()
        ideal[rank], left[best] = pool[best], False
        weights *= np.where(pool[best] > 0, 1 - alpha, 1.0)
    return ideal


@measure("alpha_nDCG", label="α-nDCG", better="higher", bounds=(0, 1), reference="Clarke 2008")
def alpha_ndcg(own: ArrayLike, ideal: ArrayLike, *, definition: str = "printed") -> Floats:
    """Return the gain (α-DCG) of the first k items as a share of an ideal ranking's.

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
    """Return the expected reciprocal rank at which a user of the first k items stops.

    One value per rank. `weights` are the probabilities of the subtopics.

    >>> err_ia([[1, 0], [0, 0.5]], [0.5, 0.5]).tolist()
    [0.5, 0.625]
    """
    relevance = np.asarray(relevance, float)
    reciprocal = 1 / np.arange(1.0, len(relevance) + 1)
    if definition == "ndeval":
        return _discounted((relevance > 0).astype(float), alpha, reciprocal, definition)
    going_on = np.cumprod(1 - relevance, axis=0)
    arriving = np.concatenate([np.ones_like(going_on[:1]), going_on[:-1]])
    return np.asarray(np.cumsum(relevance * arriving @ np.asarray(weights, float) * reciprocal))


@measure("Judged", label="Judged", format="share", bounds=(0, 1))
def judged_share(judged: ArrayLike, shown: ArrayLike) -> Floats:
    """Return the share of the first k items that were judged, relevant or not."""
    return ratio(judged, shown)
