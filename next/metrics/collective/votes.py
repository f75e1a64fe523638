"""Votes of an ensemble's members, and how they are fused."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats import ROUNDING, Floats

Codes: TypeAlias = NDArray[np.signedinteger[Any]]
Flags: TypeAlias = NDArray[np.bool_]
BLANK = -1  # the code of a vote or label that is empty
MOST_SUBSETS = 1000  # of failing members; more are drawn at random
MOST_FOR_SHAPLEY = 10  # members


@dataclass(frozen=True)
class Votes:
    """What the members of an ensemble predicted: samples by members, as codes of classes.

    `labels` are the right classes, `own` is what the ensemble itself predicted where it is given.
    `scores` are probabilities or logits, samples by members by classes, where these are fused; a
    member without all of them for a sample has NaN. `ties` is "first" or "wrong".
    """

    members: tuple[str, ...]
    votes: Codes
    labels: Codes
    own: Codes | None = None
    scores: Floats | None = None
    ties: str = "first"

    @property
    def right(self) -> Flags:
        """Return which member is right on which sample; a blank is wrong."""
        return np.asarray((self.votes == self.labels[:, None]) & (self.votes != BLANK))

    @cached_property
    def fused(self) -> tuple[Codes, Flags]:
        """Return the fused class of each sample (blank where nobody voted), and which are tied."""
        if self.scores is not None:
            return fuse_mean(self.scores)
        return fuse_majority(self.votes)

    @cached_property
    def correct(self) -> Flags:
        """Return on which samples the collective is right."""
        if self.own is not None:
            return np.asarray((self.own == self.labels) & (self.own != BLANK))
        return self._right_of(*self.fused, self.labels)

    def _right_of(self, classes: Codes, tied: Flags, labels: Codes) -> Flags:
        right = (classes == labels) & (classes != BLANK)
        return np.asarray(right & ~tied if self.ties == "wrong" else right)

    @cached_property
    def _patterns(self) -> tuple[Codes, Codes, Codes]:
        """Return the different rows of votes with their labels, and how often each occurs.

        A class is coded by the first member that voted for it, so that there are few.
        """
        votes, k = self.votes, len(self.members)
        named = np.full((len(votes), k + 1), BLANK, dtype=np.int16)
        for j in range(k - 1, -1, -1):
            same = votes == votes[:, [j]]
            named[:, :k][same & (votes != BLANK)] = j  # the leftmost is written last
            named[(self.labels == votes[:, j]) & (votes[:, j] != BLANK), k] = j
        key = named.view(np.dtype((np.void, named.itemsize * (k + 1)))).ravel()
        _, first, times = np.unique(key, return_index=True, return_counts=True)
        return named[first, :k], named[first, k], times

    def accuracy_of(self, chosen: Sequence[int]) -> float:
        """Return the accuracy of some members, fused; 0 for none of them."""
        if not len(chosen):
            return 0.0
        if self.scores is not None:
            fused = fuse_mean(self.scores[:, chosen])
            return float(self._right_of(*fused, self.labels).mean())
        votes, labels, times = self._patterns
        right = self._right_of(*fuse_majority(votes[:, chosen]), labels)
        return float(times[right].sum() / times.sum())

    def all_accuracies(self) -> Floats:
        """Return the accuracy of every set of members; bit j of the position is for member j."""
        members = range(len(self.members))
        sets = ([j for j in members if at >> j & 1] for at in range(2 ** len(members)))
        return np.array([self.accuracy_of(chosen) for chosen in sets])

    def failures(self, seed: int) -> Floats:
        """Return the fused accuracy when half of the members fail, for all or 1,000 random sets."""
        k = len(self.members)
        left, generator = k - k // 2, np.random.default_rng(seed)
        chosen: Iterable[Sequence[int]] = combinations(range(k), left)
        if math.comb(k, left) > MOST_SUBSETS:
            draws = (generator.permutation(k)[:left] for _ in range(MOST_SUBSETS))
            chosen = (np.sort(draw).tolist() for draw in draws)
        return np.array([self.accuracy_of(list(members)) for members in chosen])


def fuse_majority(votes: Codes) -> tuple[Codes, Flags]:
    """Return the class with the most votes for each row, and which rows are tied.

    A tie goes to the tied class whose first voter is leftmost; a blank is no vote.

    >>> fuse_majority(np.array([[2, 1, 1], [2, 1, -1]]))
    (array([1, 2]), array([False,  True]))
    """
    k = votes.shape[1]
    counts = np.zeros(votes.shape, np.int16 if k < 2**15 else np.int64)
    for j in range(k):
        counts += votes == votes[:, [j]]
    counts[votes == BLANK] = 0
    best = counts.argmax(axis=1)  # the first of equals
    classes = np.take_along_axis(votes, best[:, None], axis=1)[:, 0]
    most = np.take_along_axis(counts, best[:, None], axis=1)
    tied = ((counts == most) & (votes != classes[:, None]) & (most > 0)).any(axis=1)
    return classes, tied


def fuse_mean(scores: Floats) -> tuple[Codes, Flags]:
    """Return the class with the largest mean score for each row, and which rows are tied.

    A member with NaN does not count; a tie goes to the leftmost class.

    >>> fuse_mean(np.array([[[0.9, 0.1], [0.3, 0.7]], [[0.5, 0.5], [0.5, 0.5]]]))
    (array([0, 0]), array([False,  True]))
    """
    present: Flags = np.asarray(~np.isnan(scores).any(axis=2))
    total = np.where(present[:, :, None], scores, 0.0).sum(axis=1)
    voted: Flags = np.asarray(present.any(axis=1))
    most = total.max(axis=1, keepdims=True)
    near = total >= most - ROUNDING * np.abs(most)
    classes = np.where(voted, near.argmax(axis=1), BLANK)
    return classes, np.asarray((near.sum(axis=1) > 1) & voted)
