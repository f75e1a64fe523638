"""The measures of an ensemble: its gain, what members add, routing, anchors, fingerprints."""

import math
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import entr, gammaln, softmax

from scoresheet.metrics import stats as est
from scoresheet.metrics.compare import Comparison, compare_models
from scoresheet.metrics.measure import measure, measure_of
from scoresheet.metrics.stats import Floats
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.summary import codes_of

# A ratio of exactly 10 is strong; the tolerance of a band edge is 1e-9.
RATIO_BANDS = ((0.0, "failure"), (1.0, "marginal"), (2.0, "strong"), (10 + 2e-9, "extraordinary"))
ENTROPY_BANDS = ((0.0, "sharp"), (0.5, "balanced"), (1.5, "diffuse"))
SUM_TOLERANCE = 1e-4  # of routing weights


def mean(values: ArrayLike) -> float:
    """Return the mean, NaN where there is no value."""
    array = np.asarray(values, dtype=float)
    return float(array.mean()) if array.size else math.nan


@measure("Gain", label="Gain (points)", format="points", better="higher", bounds=(-100, 100))
def gain(collective: Any, best: Any) -> Any:
    """Return the accuracy of the collective minus that of its best member, in points."""
    return 100 * (collective - best)


@measure("Collective_Accuracy", label="Accuracy", format="accuracy", better="higher", bounds=(0, 1))
def collective_accuracy(right: ArrayLike) -> float:
    """Return the share of the samples that the collective gets right; a blank is wrong."""
    return mean(right)


@measure("Best_Accuracy", label="Its accuracy", format="accuracy", better="higher", bounds=(0, 1))
def best_accuracy(members: ArrayLike) -> float:
    """Return the accuracy of the best member, given samples by members (1 is right)."""
    return max(map(mean, np.asarray(members, dtype=float).T), default=math.nan)


@measure("Emergence_Ratio", label="Emergence ratio", better="higher", bands=RATIO_BANDS)
def emergence_ratio(collective: float, best: float) -> float:
    """Return the accuracy of the collective divided by that of its best member.

    >>> round(emergence_ratio(0.85, max(0.10, 0.12)), 6), emergence_ratio(0.5, 0)
    (7.083333, inf)
    """
    if best == 0:
        return math.inf if collective > 0 else math.nan  # 0 / 0
    return collective / best


@measure("Ratio_Ceiling", label="Largest ratio possible")
def ratio_ceiling(best: float) -> float:
    """Return the emergence ratio of a collective that is always right: 1 / best."""
    return emergence_ratio(1.0, best)


@measure("Oracle_Accuracy", label="Oracle accuracy", format="accuracy", better="higher")
def oracle_accuracy(members: ArrayLike) -> float:
    """Return the share of the samples that at least one member gets right."""
    return mean(np.asarray(members, dtype=bool).any(axis=1))


@measure("Efficiency", label="Efficiency (% per M parameters)", better="higher")
def efficiency(accuracy: float, millions: float) -> float:
    """Return the accuracy in % per million parameters.

    >>> round(efficiency(0.8468, 60), 4), round(efficiency(0.76, 428), 4)
    (1.4113, 0.1776)
    """
    return 100 * accuracy / millions


@measure("Robustness", better="higher")
def robustness(shifted: ArrayLike, clean: ArrayLike) -> float:
    """Return the mean accuracy under shifted conditions divided by the clean one."""
    below = mean(clean)
    return mean(shifted) / below if below > 0 else math.nan


@measure("Adversarial_Robustness", label="Adversarial robustness", better="higher")
def adversarial_robustness(attacked: ArrayLike, clean: ArrayLike) -> float:
    """Return the mean accuracy under attack divided by the clean one."""
    return robustness(attacked, clean)


@measure("Half_Accuracy", label="Accuracy without half", format="accuracy", better="higher")
def half_accuracy(accuracies: ArrayLike) -> float:
    """Return the mean accuracy over random sets of which half of the members failed."""
    return mean(accuracies)


# --- what each member adds ------------------------------------------------------------------


def shapley(accuracies: ArrayLike) -> Floats:
    """Return the exact Shapley value of each member from the accuracy of every set of members.

    Bit j of a position stands for member j; the values sum to the accuracy of all.

    >>> shapley([0, 0.5, 0.7, 0.9]).round(6).tolist()
    [0.35, 0.55]
    """
    values = est.checked(accuracies, "the accuracy of each set of members")
    k = values.size.bit_length() - 1
    if values.size != 2**k or not k:
        raise ValueError(f"expected the accuracies of 2, 4, 8 … sets, not {values.size}")
    sets = np.arange(values.size)
    weights = np.array([1 / (k * math.comb(k - 1, n.bit_count())) for n in range(2**k - 1)])
    found = []
    for j in range(k):
        without = sets[(sets >> j & 1) == 0]
        found.append(weights[without] @ (values[without | 1 << j] - values[without]))
    return np.array(found)


def gradient_contributions(logits: ArrayLike, labels: ArrayLike) -> Floats:
    """Return for each member the mean of ‖(softmax − onehot)/N‖, N members fused by mean logits.

    `logits` are samples by members by classes, `labels` the positions of the right classes. A
    member with NaN does not count for the sample.
    """
    scores, classes = np.asarray(logits, dtype=float), np.asarray(labels)
    present = np.asarray(~np.isnan(scores).any(axis=2))
    kept = present.any(axis=1) & (classes < scores.shape[2])
    own, n = present[kept], present[kept].sum(axis=1)
    error = softmax(np.where(own[:, :, None], scores[kept], 0.0).sum(axis=1) / n[:, None], axis=1)
    error[np.arange(len(error)), classes[kept]] -= 1
    norms = np.linalg.norm(error, axis=1) / n
    return np.array([mean(norms[column]) for column in own.T])


def error_diversity(right: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return Yule's Q, disagreement and double fault of every two members, as matrices.

    `right` is samples by members, 1 where a member is right.

    >>> [float(values[0, 1]) for values in error_diversity([[1, 1], [1, 0], [0, 0], [0, 0]])]
    [1.0, 0.25, 0.5]
    """
    hits = np.asarray(right, dtype=float)
    both, neither = hits.T @ hits, (1 - hits).T @ (1 - hits)
    one = hits.T @ (1 - hits)
    odds, against = both * neither, one * one.T
    with np.errstate(invalid="ignore"):  # 0 / 0 where the two never err differently
        q = (odds - against) / (odds + against)
    return q, (one + one.T) / len(hits), neither / len(hits)


# --- routing, anchors, fingerprints ---------------------------------------------------------


def _not_negative(values: ArrayLike, what: str) -> Floats:
    return est.checked(values, what, dimensions=2, wrong=lambda x: ~(x >= 0) | np.isinf(x))


@measure("Routing_Entropy", label="Routing entropy (nats)", bands=ENTROPY_BANDS)
def routing_entropy(weights: ArrayLike) -> Floats:
    """Return the entropy in nats of each row of routing weights, which sum to 1.

    >>> routing_entropy([[0.7, 0.1, 0.1, 0.1], [1, 0, 0, 0]]).round(6).tolist()
    [0.940448, 0.0]
    """
    array = _not_negative(weights, "routing weights of 0 or more")
    est.checked(array.sum(axis=1), "sums of 1", wrong=lambda x: np.abs(x - 1) > SUM_TOLERANCE)
    return np.asarray(np.maximum(np.asarray(entr(array)).sum(axis=1), 0.0))


@measure("Routing_Entropy_Share", label="Share of the largest routing entropy", bounds=(0, 1))
def routing_entropy_share(entropy: float, experts: int) -> float:
    """Return the routing entropy divided by ln K, the largest that K experts can reach."""
    return entropy / math.log(experts) if experts > 1 else math.nan


@measure("Load_CV", label="CV of the experts' load", better="lower")
def load_cv(load: ArrayLike) -> float:
    """Return the standard deviation of the experts' load divided by its mean."""
    return float(np.std(np.asarray(load, dtype=float))) / mean(load)


@measure("Routing_Overlap", label="Routing overlap", bounds=(0, 1))
def routing_overlap(weights: ArrayLike) -> float:
    """Return the mean over pairs of streams of Σ min(a, b) of their mean weights (rows)."""
    pairs = combinations(np.asarray(weights, dtype=float), 2)
    return mean([np.minimum(a, b).sum() for a, b in pairs])


@measure("Anchor_Entropy", label="Anchor entropy (nats)", better="higher")
def anchor_entropy(utilisation: ArrayLike) -> float:
    """Return the entropy in nats of the anchors' shares of the mean use, streams by anchors."""
    return max(0.0, float(np.asarray(entr(anchor_shares(utilisation))).sum()))


def anchor_shares(utilisation: ArrayLike) -> Floats:
    """Return the share of each anchor in the use, averaged over streams."""
    use = _not_negative(utilisation, "anchor use of 0 or more").mean(axis=0)
    return np.asarray(use / use.sum() if use.sum() > 0 else np.full(use.size, math.nan))


@measure("Fingerprint_Diversity", label="Fingerprint diversity", better="higher", bounds=(0, 1))
def fingerprint_diversity(vectors: ArrayLike) -> float:
    """Return 1 minus the mean |cosine| of every two fingerprints (rows).

    >>> round(fingerprint_diversity([[1, 0], [1, 1]]), 6), fingerprint_diversity([[1, 0], [-1, 0]])
    (0.292893, 0.0)
    """
    similar = fingerprint_similarity(vectors)
    return 1 - mean(np.abs(similar[np.triu_indices(len(similar), 1)]))


def fingerprint_similarity(vectors: ArrayLike) -> Floats:
    """Return the cosine of every two fingerprints; NaN for one that is all zeros."""
    rows = est.checked(vectors, "finite fingerprints, streams by dimensions", dimensions=2)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(lengths > 0, lengths, math.nan)
    return np.clip(unit @ unit.T, -1, 1)


@measure("Fingerprint_Random", label="Diversity of random fingerprints", bounds=(0, 1))
def random_diversity(dimensions: int) -> float:
    """Return the expected diversity of random directions: 1 − Γ(d/2) / (√π Γ((d + 1)/2)).

    >>> round(random_diversity(2), 3), round(random_diversity(64), 3)
    (0.363, 0.9)
    """
    logarithm = float(gammaln(dimensions / 2) - gammaln((dimensions + 1) / 2))
    return 1 - math.exp(logarithm) / math.sqrt(math.pi)


# --- over training, between ensembles -------------------------------------------------------


def loss_warnings(losses: ArrayLike) -> list[str]:
    """Return what the seed warns of in a loss curve: rising, flat, oscillating.

    >>> loss_warnings([1, 2, 1, 2, 1, 2])
    ['oscillating']
    """
    values = np.asarray(losses, dtype=float)
    values = values[np.isfinite(values)]
    if values.size < 3:
        return []
    first, last = values[: values.size // 3], values[-(values.size // 3) :]
    turns = np.diff(np.sign(np.diff(values))) != 0
    found = {
        "rising": last.mean() > first.mean(),
        "flat": last.size > 1 and np.ptp(last) < 0.01 * abs(last.mean()),
        "oscillating": 2 * int(turns.sum()) > values.size - 1,
    }
    return [word for word, true in found.items() if true]


def change(values: ArrayLike) -> float:
    """Return how much the mean of the last third lies above that of the first."""
    array = np.asarray(values, dtype=float)
    array = array[np.isfinite(array)]
    third = max(1, array.size // 3)
    return mean(array[-third:]) - mean(array[:third]) if array.size > 1 else math.nan


def compare(found: Mapping[str, pd.DataFrame], ci: float = 0.95, against: str = "") -> Comparison:
    """Return the ensembles compared in their accuracy on the samples that they share."""
    rows = {}
    for model, units in found.items():
        keys = units["Cluster" if "Cluster" in units else "Sample"]
        rows[model] = Rows(units["Collective_Accuracy"].to_numpy(float), codes_of(keys))
    return compare_models(rows, measure_of(collective_accuracy), ci=ci, against=against)


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(gain, collective_accuracy, best_accuracy, emergence_ratio, ratio_ceiling, oracle_accuracy),
    *(efficiency, robustness, adversarial_robustness, half_accuracy, routing_entropy),
    *(routing_entropy_share, load_cv, routing_overlap, anchor_entropy),
    *(fingerprint_diversity, random_diversity),
)
