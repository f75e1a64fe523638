"""Who contributes: the collective without each stream, Shapley values, and half of the streams gone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import checked_codes
from scoresheet.metrics.families.collective.fusion import BLANK, Fusion, MeanFusion, VoteFusion, checked_votes
from scoresheet.metrics.families.collective.options import DEFAULT_TIES
from scoresheet.metrics.spread import IN_TURN, Spread, block_slices
from scoresheet.metrics.stats.means import mean

MOST_EXACT: Final = 10  # streams up to which every coalition is looked at
_MOST_WORK: Final = 3_000_000_000  # numbers looked at for all coalitions together
_MUCH_WORK: Final = 20_000_000  # numbers that are worth several processes
_COALITIONS: Final = 32  # that a process looks at in one go
MOST_SUBSETS: Final = 1_000  # ways for half of the streams to fail that are looked at


class Contributions(NamedTuple):
    """What the streams add to what they say together.

    Attributes
    ----------
    accuracy : float
        The accuracy of all of them, fused.
    without : tuple of float, length n_streams
        The accuracy without each; NaN where there is only one.
    contribution : tuple of float, length n_streams
        What is lost without each: `accuracy` less `without`.
    shapley : tuple of float, length n_streams
        Each stream's mean gain over all orders in which the streams could join; they sum to `accuracy`. NaN for more
        than ten streams, or too many samples for all coalitions.
    """

    accuracy: float
    without: tuple[float, ...]
    contribution: tuple[float, ...]
    shapley: tuple[float, ...]


class HalfFailure(NamedTuple):
    """Accuracy with half of the streams gone."""

    kept: int
    subsets: int
    mean: float
    least: float
    most: float


class _Coalitions(NamedTuple):
    """Some of the coalitions, by their codes: a bit for each member."""

    codes: range
    rows: int = 0  # they are of no rows of their own


def contributions(fusion: Fusion, streams: int, spread: Spread = IN_TURN) -> Contributions:
    """Return what each stream adds; one stream alone cannot be left out."""
    if can_be_exact(fusion, streams):
        every = fusion.every_accuracy()
        for code, found in enumerate(every or ()):
            fusion.keep_accuracy(_members(code), found)
        if every is None and _work(fusion, streams) >= _MUCH_WORK:
            _look_at_all(fusion, streams, spread)
    everybody = tuple(range(streams))
    accuracy = fusion.accuracy(everybody)
    without = tuple(
        fusion.accuracy([other for other in everybody if other != stream]) if streams > 1 else math.nan
        for stream in everybody
    )
    return Contributions(
        accuracy=accuracy,
        without=without,
        contribution=tuple(accuracy - left for left in without),
        shapley=_shapley(fusion, streams) if can_be_exact(fusion, streams) else (math.nan,) * streams,
    )


def can_be_exact(fusion: Fusion, streams: int) -> bool:
    """Return whether every coalition can be looked at in reasonable time."""
    return streams <= MOST_EXACT and _work(fusion, streams) <= _MOST_WORK


def _work(fusion: Fusion, streams: int) -> int:
    """Return how many numbers are looked at for all coalitions together."""
    classes = fusion.values.shape[2] if isinstance(fusion, MeanFusion) else 1
    return int(len(fusion.counts) * classes * streams * 2**streams)


def _look_at_all(fusion: Fusion, streams: int, spread: Spread) -> None:
    """Have the accuracy of every coalition at hand, found by as many processes as there are for that."""
    blocks = [_Coalitions(range(part.start, part.stop)) for part in block_slices(2**streams, _COALITIONS)]
    found = spread(lambda block: [fusion.accuracy(_members(code)) for code in block.codes], blocks)
    for block, accuracies in zip(blocks, found, strict=True):
        for code, accuracy in zip(block.codes, accuracies, strict=True):
            fusion.keep_accuracy(_members(code), accuracy)


def _members(code: int) -> list[int]:
    """Return the members of a coalition.

    >>> _members(0b101)
    [0, 2]
    """
    return [stream for stream in range(code.bit_length()) if code >> stream & 1]


def vote_contributions(
    votes: Sequence[Sequence[int]] | NDArray[np.int64],
    labels: Sequence[int] | NDArray[np.int64],
    ties: str = DEFAULT_TIES,
) -> Contributions:
    """Return what each stream adds to a majority vote.

    Parameters
    ----------
    votes : array_like of int, shape (n_samples, n_streams)
        The class that each stream votes for, by its code; -1 is no vote.
    labels : array_like of int, shape (n_samples,)
        The code of the true class.
    ties : {'first', 'wrong', 'class', 'random'}, optional
        Who wins a tie, as in `majority_vote`; random ties are drawn with the seed 0.

    Returns
    -------
    Contributions
        The accuracy of all, without each, and the Shapley values.

    Raises
    ------
    ValueError
        If `ties` is none of these, the votes are no filled table with a label for each sample, or a code is below -1 or
        not whole.

    References
    ----------
    L. S. Shapley (1953), A Value for n-Person Games, in Contributions to the Theory of Games II.

    Examples
    --------
    >>> found = vote_contributions([[1, 1, 0], [0, 1, 1], [1, 0, 0]], [1, 1, 0])
    >>> found.accuracy, [round(value, 3) for value in found.shapley], round(sum(found.shapley), 6)
    (1.0, [-0.056, 0.611, 0.444], 1.0)
    """
    table, truth = checked_votes(votes), checked_codes("labels", labels, 1, least=BLANK)
    if truth.shape != table.shape[:1]:
        raise ValueError(f"there are {len(table)} samples, and labels of the shape {truth.shape}")
    return contributions(VoteFusion(table, truth, ties=ties), table.shape[1])


def half_failure(fusion: Fusion, streams: int, seed: int) -> HalfFailure | None:
    """Return what is left when half of the streams fail: over all ways to choose them, or a seeded sample."""
    kept = math.ceil(streams / 2)
    if streams < 2:
        return None
    if math.comb(streams, kept) <= MOST_SUBSETS:
        subsets = [tuple(each) for each in combinations(range(streams), kept)]
    else:
        rng = np.random.default_rng(seed)
        subsets = [tuple(sorted(rng.permutation(streams)[:kept].tolist())) for _ in range(MOST_SUBSETS)]
    found = [fusion.accuracy(subset) for subset in subsets]
    return HalfFailure(kept, len(subsets), mean(found), min(found), max(found))


def gradient_norms(fusion: MeanFusion, labels: NDArray[np.int64]) -> tuple[float, ...]:
    """Return for each stream the mean length of the loss's gradient by its logits, (softmax − onehot)/N.

    A mean treats its N streams alike, so that streams with the same samples have the same value.
    """
    streams = fusion.values.shape[1]
    fused = fusion.mean_values(range(streams))
    there = np.asarray(~np.isnan(fusion.values).any(axis=2))
    usable = ~np.isnan(fused).any(axis=1) & (fused > -np.inf).any(axis=1) & (labels >= 0)
    shifted = np.exp(fused[usable] - fused[usable].max(axis=1, keepdims=True))
    shares = shifted / shifted.sum(axis=1, keepdims=True)
    shares[np.arange(len(shares)), labels[usable]] -= 1
    members = there[usable].sum(axis=1)
    lengths = np.sqrt((shares * shares).sum(axis=1)) / np.maximum(members, 1)
    return tuple(mean(lengths[there[usable][:, stream]].tolist()) for stream in range(streams))


def _shapley(fusion: Fusion, streams: int) -> tuple[float, ...]:
    """Return each stream's mean gain over all orders in which the streams could join."""
    gains = [fusion.accuracy(_members(code)) for code in range(2**streams)]
    weights = [
        math.factorial(size) * math.factorial(streams - size - 1) / math.factorial(streams) for size in range(streams)
    ]
    return tuple(
        math.fsum(
            weights[code.bit_count()] * (gains[code | 1 << stream] - gains[code])
            for code in range(2**streams)
            if not code >> stream & 1
        )
        for stream in range(streams)
    )
