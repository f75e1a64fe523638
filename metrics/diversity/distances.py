"""How different the items of a list are from each other: ILD, EILD and the rank-discounted EILD."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DISCOUNT: Final = 0.85  # a reader goes on to the next item with this chance (Vargas and Castells 2011)


def intra_list_diversity(vectors: NDArray[np.float64], cutoffs: Sequence[int]) -> dict[int, float]:
    """Return the mean cosine distance between the first k vectors, for each k; fewer than two have none.

    The sum of all cosines is the squared length of the sum of the unit vectors, so no pair is looked at.

    >>> import numpy as np
    >>> intra_list_diversity(np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), [1, 2, 3])
    {1: nan, 2: 1.0, 3: 0.6666666666666667}
    """
    import numpy as np

    rows = np.asarray(vectors, dtype=float)[: max(cutoffs)]
    squares = np.einsum("ij,ij->i", rows, rows)
    present = squares > 0
    weights = np.divide(1.0, np.sqrt(squares), out=np.zeros(len(rows)), where=present)
    total, count, start = np.zeros(rows.shape[1]), 0, 0
    found = {}
    for k in sorted(cutoffs):
        total = total + weights[start:k] @ rows[start:k]
        count += int(np.count_nonzero(present[start:k]))
        start = k
        same = (float(total @ total) - count) / (count * (count - 1)) if count > 1 else math.nan
        found[k] = max(0.0, 1 - same) if count > 1 else math.nan
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
    to be seen next to it and to be relevant, averaged by the item's own chance.
    """
    import numpy as np

    matrix = np.asarray(distances, dtype=float)
    chances = np.asarray(relevance, dtype=float)
    ranks = np.arange(len(matrix))
    return expected_of_items(matrix, chances, ranks, cutoffs, discount=discount)


def expected_of_items(
    distances: NDArray[np.float64],
    relevance: NDArray[np.float64],
    ranks: NDArray[np.int64],
    cutoffs: Sequence[int],
    *,
    discount: float = DISCOUNT,
) -> dict[int, tuple[float, float]]:
    """Return the same for items that stand at these ranks (from 0): some may be missing in between."""
    import numpy as np

    seen = discount ** ranks.astype(float)
    gaps = np.maximum(1, ranks[None, :] - ranks[:, None]) - 1
    beside = discount ** gaps.astype(float) * relevance[None, :]
    np.fill_diagonal(beside, 0.0)
    found = {}
    for k in cutoffs:
        m = int(np.searchsorted(ranks, k))
        if m < 2:
            found[k] = (float("nan"), float("nan"))
            continue
        pairs = relevance[:m, None] * relevance[None, :m] * distances[:m, :m]
        plain = float(pairs.sum() - np.trace(pairs))
        weights = beside[:m, :m]
        totals = weights.sum(axis=1)
        own = seen[:m] * relevance[:m] * (totals > 0)
        if not own.sum():
            found[k] = (plain, float("nan"))
            continue
        means = (weights * distances[:m, :m]).sum(axis=1) / np.where(totals > 0, totals, 1.0)
        found[k] = (plain, float((own * means).sum() / own.sum()))
    return found


def unit_vectors(vectors: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the vectors with length 1, and which have a direction; the others stay 0."""
    import numpy as np

    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    present = lengths > 0
    return vectors / np.where(present, lengths, 1.0)[:, None], present


def cosine_distances(units: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosine distances between unit vectors."""
    import numpy as np

    return np.clip(1 - units @ units.T, 0.0, 2.0)


def jaccard_distances(sets: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the Jaccard distances between sets, a row each: 1 less the share of what they have in common.

    >>> import numpy as np
    >>> jaccard_distances(np.array([[True, True], [True, False]])).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    import numpy as np

    members = sets.astype(float)
    common = members @ members.T
    sizes = members.sum(axis=1)
    union = sizes[:, None] + sizes[None, :] - common
    return np.asarray(1 - common / np.where(union > 0, union, 1.0))
