"""Diagnostics from logs: where inputs are routed, which anchors are used, how different the fingerprints are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.concentration import entropy
from scoresheet.metrics.stats.means import mean_of_array

_BLOCK: Final = 100_000  # rows looked at at once
SHARP, BALANCED, DIFFUSE = "sharp", "balanced", "diffuse"
SHARP_BELOW: Final = 0.5  # nats between which the bands of routing lie
BALANCED_UP_TO: Final = 1.5
SUM_TOLERANCE: Final = 1e-4  # by which shares may miss a sum of 1
DEAD_SHARE: Final = 0.1  # of an even share of the load, below which an expert is dead
HIGH_DIVERSITY: Final = 0.8  # of fingerprints


def routing_entropy(weights: Sequence[Sequence[float]] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of each row of weights, in nats.

    Parameters
    ----------
    weights : array_like of float, shape (n_rows, n_experts)
        The weights that each input was routed with; those of a row are 0 or more and sum to 1 within 1e-4.

    Returns
    -------
    ndarray of float, shape (n_rows,)
        From 0 for a single expert to ln(n_experts) for all alike.

    Raises
    ------
    ValueError
        If the weights are no table, a weight is below 0 or no number, or a row does not sum to 1.

    Examples
    --------
    >>> [round(value, 6) for value in routing_entropy([[0.7, 0.1, 0.1, 0.1], [1, 0, 0, 0]]).tolist()]
    [0.940448, 0.0]
    """
    table = np.asarray(weights, dtype=float)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"weights must be a filled table of inputs and experts; the shape is {table.shape}")
    wrong = table[~(table >= 0)]  # written so that nan is refused too
    if wrong.size:
        raise ValueError(f"a weight cannot be {wrong[0]}")
    sums = table.sum(axis=1)
    off = sums[np.abs(sums - 1) > SUM_TOLERANCE]
    if off.size:
        raise ValueError(f"the weights of a row must sum to 1, not to {off[0]:g}")
    return row_entropies(table)


def row_entropies(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same, unchecked: a row without any weight has none."""
    found = np.empty(len(table))
    for start in range(0, len(table), _BLOCK):
        block = table[start : start + _BLOCK]
        logs = np.log(np.where(block > 0, block, 1.0))
        found[start : start + _BLOCK] = -np.einsum("ij,ij->i", block, logs)
    return np.maximum(found, 0.0)  # weights that sum to a little more than 1 may fall below 0


def routing_band(value: float) -> str:
    """Return what a routing entropy is called: sharp, balanced or diffuse.

    >>> routing_band(0.4), routing_band(0.5), routing_band(1.5), routing_band(1.6)
    ('sharp', 'balanced', 'balanced', 'diffuse')
    """
    if math.isnan(value):
        return ""
    if value < SHARP_BELOW - TOLERANCE:
        return SHARP
    return BALANCED if value <= BALANCED_UP_TO + TOLERANCE else DIFFUSE


class ExpertLoad(NamedTuple):
    """How the load of one layer's router is shared among its experts."""

    layer: str
    rows: int
    shares: tuple[float, ...]  # of each expert: its mean weight
    variation: float  # standard deviation of the shares over their mean; 0 is even
    balance: float  # entropy of the shares over ln K; 1 is even, NaN for one expert

    def is_dead(self, expert: int) -> bool:
        """Whether an expert gets less than a tenth of its even share."""
        return self.shares[expert] < DEAD_SHARE / len(self.shares) - TOLERANCE / len(self.shares)


def expert_load(layer: str, weights: NDArray[np.float64]) -> ExpertLoad:
    """Return how the load is shared; `weights` has a row per input, each of which sums to 1.

    >>> load = expert_load("", np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> load.shares, round(load.variation, 3), round(load.balance, 3)
    ((0.75, 0.25), 0.5, 0.811)
    """
    shares = np.array([mean_of_array(column) for column in weights.T])  # exact, so that row order cannot matter
    experts = len(shares)
    balance = float(row_entropies(shares[None, :])[0]) / math.log(experts) if experts > 1 else math.nan
    variation = float(shares.std() / shares.mean())
    return ExpertLoad(layer, len(weights), tuple(shares.tolist()), variation, balance)


def routing_overlap(means: NDArray[np.float64]) -> float:
    """Return how much the streams' mean weights overlap, the mean over pairs of Σ min; one stream: undefined."""
    streams = len(means)
    shared = [
        float(np.minimum(means[one], means[other]).sum()) for one in range(streams) for other in range(one + 1, streams)
    ]
    return math.fsum(shared) / len(shared) if shared else math.nan


def anchor_use(utilisation: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return each anchor's share of the use, the mean over streams, and their entropy in nats."""
    known = ~np.isnan(utilisation)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(known, utilisation, 0.0).sum(axis=0) / known.sum(axis=0)
    means = np.where(np.isnan(means), 0.0, means)
    total = float(means.sum())
    if not total:
        return np.full(len(means), math.nan), math.nan
    return means / total, entropy(means.tolist(), base=math.e)


def fingerprint_similarity(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosines of every two fingerprints; undefined for one of length 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sized = vectors / np.abs(vectors).max(axis=1, keepdims=True)  # squares of the largest numbers are infinite
        units = sized / np.sqrt(np.einsum("ij,ij->i", sized, sized))[:, None]
    return np.asarray(np.clip(units @ units.T, -1.0, 1.0))


def fingerprint_diversity(vectors: Sequence[Sequence[float]] | NDArray[np.float64], signed: bool = False) -> float:
    """Return 1 less the mean cosine of every two fingerprints, whichever its sign.

    Parameters
    ----------
    vectors : array_like of float, shape (n_streams, n_dimensions)
        A fingerprint per stream; one of length 0 has no cosine and is left out.
    signed : bool, optional
        Take cosines with their sign: opposite fingerprints then count as more than different.

    Returns
    -------
    float
        From 0 to 1, with `signed` up to 2; NaN for fewer than two fingerprints.

    Raises
    ------
    ValueError
        If the fingerprints are no table, or a number in it is not finite.

    Examples
    --------
    >>> round(fingerprint_diversity([[1, 0], [1, 1]]), 6), abs(fingerprint_diversity([[1, 0], [-1, 0]]))
    (0.292893, 0.0)
    >>> fingerprint_diversity([[1, 0], [-1, 0]], signed=True)
    2.0
    """
    table = np.asarray(vectors, dtype=float)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"fingerprints must be a filled table of streams and dimensions; the shape is {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError(f"a fingerprint cannot hold {table[~np.isfinite(table)][0]}")
    similar = fingerprint_similarity(table)[np.triu_indices(len(table), k=1)]
    known = similar[~np.isnan(similar)]
    if not known.size:
        return math.nan
    return 1 - float((known if signed else np.abs(known)).mean())


def principal_plane(vectors: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return the fingerprints on the two axes of most variance, and the shares of it; signs are settled."""
    largest = float(np.abs(vectors).max()) or 1.0
    centred = vectors / largest - (vectors / largest).mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(vectors), 2))
    axes = min(2, len(sizes))
    points[:, :axes] = left[:, :axes] * sizes[:axes] * largest
    for axis in range(axes):  # an axis has no direction of its own: the farthest point is put to the right
        farthest = points[np.abs(points[:, axis]).argmax(), axis]
        points[:, axis] *= -1 if farthest < 0 else 1
    total = float((sizes**2).sum())
    shares = [float(size**2) / total if total else math.nan for size in sizes[:2]]
    return points, (shares[0] if shares else math.nan, shares[1] if len(shares) > 1 else 0.0)
