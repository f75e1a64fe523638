"""How different the items of a ranking are: by features, sets of subtopics, or texts."""

import unicodedata
from dataclasses import dataclass

import numpy as np
import pandas as pd
import regex
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from scoresheet.metrics.diversity.measures import Floats, ratio
from scoresheet.metrics.measure import measure
from scoresheet.metrics.text import tokenize

DISCOUNT = 0.85  # the chance that a user goes on to the next item (Vargas and Castells 2011)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]+")


@dataclass(frozen=True)
class ItemVectors:
    """A vector for each item that can be compared: of length 1, or the members of a set.

    `named` says in words what is compared, for reports.
    """

    index: pd.Index
    vectors: csr_array
    named: str
    sets: bool = False


def feature_vectors(features: pd.DataFrame, named: str) -> ItemVectors:
    """Return items by their features: rows of item, feature and value.

    An item with an empty value, or with zeros only, has no vector.
    """
    incomplete = features.loc[features["value"].isna(), "item"]
    known = features[~features["item"].isin(incomplete)].drop_duplicates(["item", "feature"])
    return _vectors(known, "feature", named)


def text_vectors(items: pd.DataFrame, named: str) -> ItemVectors:
    """Return items by the TF-IDF weights of their words, count × (ln((1+n)/(1+df)) + 1).

    A word is a run of letters, marks, digits and underscores, in lower case.
    """
    lower = (unicodedata.normalize("NFC", text.lower()) for text in items["text"])
    words = pd.Series([_WORD.findall(tokenize(text)) for text in lower], items["item"], object)
    pairs = words.explode().dropna().rename_axis("item").rename("word").reset_index()
    counts = pairs.value_counts(sort=False).rename("count").reset_index()
    frequency = counts.groupby("word")["item"].transform("size")
    weights = np.log((1 + counts["item"].nunique()) / (1 + frequency)) + 1
    return _vectors(counts.assign(value=counts["count"] * weights), "word", named)


def set_vectors(members: pd.DataFrame, named: str) -> ItemVectors:
    """Return items by the sets that they belong to: rows of item and subtopic."""
    return _vectors(members.assign(value=1.0), "subtopic", named, sets=True)


def _vectors(cells: pd.DataFrame, column: str, named: str, *, sets: bool = False) -> ItemVectors:
    if not sets:  # of length 1
        squares = (cells["value"] ** 2).groupby(cells["item"]).transform("sum")
        cells = cells.assign(value=cells["value"] / np.sqrt(squares))[squares > 0]
    rows, index = pd.factorize(cells["item"])
    columns, values = pd.factorize(cells[column])
    shape = (len(index), max(1, len(values)))
    vectors = csr_array((cells["value"].to_numpy(float), (rows, columns)), shape=shape)
    return ItemVectors(pd.Index(index), vectors, named, sets)


def pair_distances(vectors: ArrayLike, *, sets: bool = False) -> Floats:
    """Return the distance between each two items: 1 minus the cosine of unit vectors, or Jaccard.

    An item whose vector is NaN cannot be compared, and has no distances.

    >>> pair_distances([[1, 0], [0.6, 0.8]]).round(6).tolist()
    [[0.0, 0.4], [0.4, 0.0]]
    >>> pair_distances([[1, 1, 0], [1, 0, 1]], sets=True).round(6).tolist()
    [[0.0, 0.666667], [0.666667, 0.0]]
    """
    rows = np.asarray(vectors, float)
    common = rows @ rows.T
    if sets:
        sizes = rows.sum(axis=1)
        common /= sizes[:, None] + sizes - common
    distances = np.clip(1 - common, 0.0, 2.0)
    distances[np.diag_indices_from(distances)] *= 0.0  # rounding aside; NaN stays
    return np.asarray(distances)


def _count(distances: Floats) -> Floats:
    """Return how many items down to each rank can be compared."""
    return np.cumsum(~np.isnan(np.diag(distances)))


def _pair_sums(distances: Floats) -> Floats:
    """Return the sum over all pairs of items down to each rank, each pair in both orders."""
    return 2 * np.cumsum(np.tril(np.nan_to_num(distances)).sum(axis=1))


@measure("ILD", label="ILD", better="higher", bounds=(0, 1), reference="Ziegler 2005")
def intra_list_distance(distances: ArrayLike) -> Floats:
    """Return the mean distance between two of the first k items.

    One value per rank; items without distances drop out.

    >>> intra_list_distance([[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]]).tolist()
    [nan, 1.0, 0.5]
    """
    apart = np.asarray(distances, float)
    count = _count(apart)
    return ratio(_pair_sums(apart), count * (count - 1))


@measure("EILD", label="EILD", better="higher")
def expected_distance(distances: ArrayLike, relevance: ArrayLike) -> Floats:
    """Return the sum of P(i)·P(j)·d(i,j) over the first k items, as printed; it grows with k.

    One value per rank; fewer than two items have no distance.

    >>> expected_distance([[0, 1], [1, 0]], [1, 0.5]).tolist()
    [nan, 1.0]
    """
    apart, chance = np.asarray(distances, float), np.asarray(relevance, float)
    sums = _pair_sums(apart * np.outer(chance, chance))
    return np.where(_count(apart) > 1, sums, np.nan)


@measure("EILD_Norm", label="Norm. EILD", better="higher", bounds=(0, 1), reference="Vargas 2011")
def normalized_expected_distance(
    distances: ArrayLike, relevance: ArrayLike, *, discount: float = DISCOUNT
) -> Floats:
    """Return the mean distance of the first k items, by their chance to be seen and relevant.

    For each item the mean distance to the others, weighted by their chance to be seen next to it
    and to be relevant; of these the mean over ranks, weighted by the chance to be seen, where an
    item counts as far as it is relevant. With a discount of 1 and relevant items only it is ILD.

    >>> apart = [[0, 1, 0.5], [1, 0, 1], [0.5, 1, 0]]
    >>> normalized_expected_distance(apart, [1, 0.5, 1]).round(4).tolist()
    [nan, 0.7703, 0.6188]
    """
    apart, relevant = np.asarray(distances, float), np.asarray(relevance, float)
    known, ranks = ~np.isnan(np.diag(apart)), np.arange(len(apart))
    seen = np.where(known, discount**ranks, 0.0)
    chance = discount ** (np.maximum(1, ranks - ranks[:, None]) - 1.0)
    chance *= np.where(known, relevant, 0.0) * ~np.eye(len(apart), dtype=bool)
    sums = np.cumsum(chance * np.nan_to_num(apart), axis=1)
    means = np.nan_to_num(ratio(sums, np.cumsum(chance, axis=1)))
    total = np.triu((seen * relevant)[:, None] * means).sum(axis=0)
    return ratio(total, np.where(_count(apart) > 1, np.cumsum(seen), 0.0))
