"""Fusion: what any coalition of streams says together, and on which samples it is right."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import check_whole, checked_codes
from scoresheet.metrics.families.collective.options import DEFAULT_TIES, TIES
from scoresheet.metrics.options import check_choice

Codes = NDArray[np.int16] | NDArray[np.int64]  # of classes

BLANK: Final = -1  # the code of no class
MOST_STREAMS: Final = 62  # whose agreement fits into the bits of a number
_PACKED: Final = 14  # streams whose pattern fits into one number
_QUICK: Final = 15  # streams whose rank fits beside their votes
_TABLED: Final = 10  # streams whose coalitions fit into a table, each beside each
_AT_ONCE: Final = 128  # patterns whose coalitions are looked at together
_SAME: Final = 12  # digits to which sums of weights must be equal for a tie


class Fusion(ABC):
    """Streams to be fused: patterns of samples, how often each occurs, and what a coalition makes of them."""

    counts: NDArray[np.float64]  # samples of each pattern

    @abstractmethod
    def is_correct(self, members: Sequence[int]) -> NDArray[np.bool_]:
        """Return for each pattern whether the coalition is right."""

    def accuracy(self, members: Sequence[int]) -> float:
        """Return the share of samples on which the coalition is right; nobody is never right."""
        if not len(members):
            return 0.0
        key = tuple(members)
        if key not in self._accuracies:
            self.keep_accuracy(key, float(self.counts @ self.is_correct(members)) / float(self.counts.sum()))
        return self._accuracies[key]

    def every_accuracy(self) -> list[float] | None:
        """Return the accuracy of each coalition by its code, a bit for each member; None if they are found one by one.

        Found together they are the same: the samples on which a coalition is right are counted.
        """
        return None

    def keep_accuracy(self, members: Sequence[int], accuracy: float) -> None:
        """Have the accuracy of a coalition at hand: it is asked for by several measures."""
        self._accuracies[tuple(members)] = accuracy

    @cached_property
    def _accuracies(self) -> dict[tuple[int, ...], float]:
        return {}


class VoteFusion(Fusion):
    """Votes for classes: `votes` is samples × streams of class codes, BLANK for none, and `labels` their codes."""

    def __init__(
        self,
        votes: Codes,
        labels: Codes,
        *,
        ties: str = DEFAULT_TIES,
        weights: Sequence[float] | None = None,
        seed: int = 0,
    ) -> None:
        check_choice("ties", ties, TIES)
        self._ties = ties
        self._weights = None if weights is None else _shares(weights)
        samples, streams = votes.shape
        if streams > MOST_STREAMS and self._weights is None:
            self._weights = np.ones(streams)
        columns = votes.T.copy()  # whole streams are compared
        first = _first_alike(columns)
        order: NDArray[np.float64] | None = None
        if ties == "class":
            order = votes.astype(np.float64)
        elif ties == "random":  # one draw for each class, whoever and however many its voters are
            drawn = np.random.default_rng(seed).random((samples, streams + 1))
            order = np.take_along_axis(drawn, first.T.astype(np.int64), axis=1)
        right = np.full(samples, streams, dtype=np.int16)
        for stream in range(streams):
            np.minimum(right, np.where(columns[stream] == labels, first[stream], np.int16(streams)), out=right)
        kept = np.arange(samples)
        if order is None and streams <= _PACKED:
            keys = np.zeros(samples, dtype=np.int64)
            for column in (*first, right):
                keys *= streams + 1
                keys += column
            kept, self.pattern_of, counts = _told_apart(keys)
        else:
            counts = np.ones(samples, dtype=np.int64)
            self.pattern_of = kept
        self.counts = counts.astype(float)
        self._first = np.ascontiguousarray(first[:, kept].T).astype(np.int64)
        self._right = right[kept].astype(np.int64)
        self._order = None if order is None else order[kept]
        self._alike = _bits(self._first)
        self._quick: tuple[NDArray[np.uint16], NDArray[np.uint16]] | None = None

    def is_correct(self, members: Sequence[int]) -> NDArray[np.bool_]:
        """Return for each pattern whether the coalition's vote is the label."""
        if self._ties == "first" and self._weights is None and self._first.shape[1] <= _QUICK:
            return self._is_correct_by_rank(members)
        winner, tied = self._winner(members)
        found = (winner == self._right) & (winner < self._first.shape[1])
        return np.asarray(found & ~tied if self._ties == "wrong" else found)

    def _is_correct_by_rank(self, members: Sequence[int]) -> NDArray[np.bool_]:
        """Return the same: votes and rank of each member as one small number, the largest of which wins."""
        if self._quick is None:
            first = np.ascontiguousarray(self._first.T)
            streams = len(first)
            alike = np.where(first == streams, 0, np.ascontiguousarray(self._alike.T)).astype(np.uint16)
            right = np.where((first == self._right) & (first < streams), np.uint16(0xFFFF), np.uint16(0))
            self._quick = (alike, right)
        alike, right = self._quick
        coalition = np.uint16(sum(1 << member for member in members))
        most = np.zeros(alike.shape[1], dtype=np.uint16)
        ours = np.zeros_like(most)
        for rank, member in enumerate(members):
            votes = np.bitwise_count(alike[member] & coalition).astype(np.uint16)
            key = (votes << np.uint16(4)) | np.uint16(15 - rank)
            np.maximum(most, key, out=most)
            np.maximum(ours, key & right[member], out=ours)
        return np.asarray((ours == most) & (most >= 16))

    def every_accuracy(self) -> list[float] | None:
        """Return the accuracy of each coalition of a few streams, where no order but that of the streams settles ties.

        A class is known by its voters. What each set of voters has in each coalition is in a table, and a pattern is
        right where its right voters have more than any others.
        """
        streams = self._first.shape[1]
        if self._order is not None or self._weights is not None or streams > _TABLED:
            return None
        table = _standings(streams, self._ties == "first")
        voters = np.where(self._first == np.arange(streams), self._alike, 0).astype(np.uint16)  # of each class, once
        rows = np.flatnonzero(self._right < streams)  # on the others nobody is right
        ours = voters[rows, self._right[rows]]
        voters[rows, self._right[rows]] = 0
        others = np.sort(voters[rows], axis=1)[:, ::-1]
        classes = np.count_nonzero(others, axis=1)
        by_number = np.argsort(classes, kind="stable")
        totals = np.zeros(2**streams)
        most, next_most = np.empty(
            (2, _AT_ONCE, 2**streams), np.uint8
        )  # made once: new memory costs more than the work
        is_right = np.empty((_AT_ONCE, 2**streams))
        for start in range(0, len(rows), _AT_ONCE):
            some = by_number[start : start + _AT_ONCE]
            best, other, right = (own[: len(some)] for own in (most, next_most, is_right))
            table.take(others[some, 0], axis=0, out=best, mode="clip")
            for place in range(1, int(classes[some[-1]])):
                np.maximum(best, table.take(others[some, place], axis=0, out=other, mode="clip"), out=best)
            np.greater(table.take(ours[some], axis=0, out=other, mode="clip"), best, out=right)
            totals += self.counts[rows[some]] @ right
        return [float(total) / float(self.counts.sum()) for total in totals]

    def is_tied(self, members: Sequence[int]) -> NDArray[np.bool_]:
        """Return for each pattern whether two classes or more have most votes."""
        return self._winner(members)[1]

    def winner(self, members: Sequence[int]) -> NDArray[np.int64]:
        """Return for each pattern the first stream that votes for the winning class; the number of streams if none."""
        winner, tied = self._winner(members)
        return winner if self._ties != "wrong" else winner + (self._first.shape[1] - winner) * tied

    def _winner(self, members: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        streams = self._first.shape[1]
        own = np.asarray(members, dtype=np.int64)
        support = self._support(own)
        most = support.max(axis=1, keepdims=True)
        leading = (support == most) & (support > 0)
        first = self._first[:, own]
        if self._order is None:
            position = leading.argmax(axis=1)
        else:
            position = np.where(leading, self._order[:, own], np.inf).argmin(axis=1)
        winner = first[np.arange(len(first)), position]
        tied = (leading & (first != winner[:, None])).any(axis=1)
        return np.where(leading.any(axis=1), winner, streams), tied

    def _support(self, own: NDArray[np.int64]) -> NDArray[np.uint8] | NDArray[np.float64]:
        """Return what stands behind each member's vote: how many of the coalition, or their weights."""
        blank = self._first[:, own] == self._first.shape[1]
        if self._weights is None:
            coalition = np.uint64(sum(1 << int(member) for member in own))
            found: NDArray[np.uint8] | NDArray[np.float64] = np.bitwise_count(self._alike[:, own] & coalition)
        else:
            first = self._first[:, own]
            totals = np.zeros(first.shape)
            for member in own.tolist():
                totals += self._weights[member] * (first == self._first[:, [member]])
            found = np.round(totals, _SAME)
        return np.where(blank, np.zeros((), dtype=found.dtype), found)


class MeanFusion(Fusion):
    """Probabilities or logits: samples × streams × classes, NaN where a stream has none, and labels as class codes."""

    def __init__(
        self,
        values: NDArray[np.float64],
        labels: NDArray[np.int64],
        *,
        ties: str = DEFAULT_TIES,
        weights: Sequence[float] | None = None,
        seed: int = 0,
    ) -> None:
        """Take the classes in the order in which they win ties by class; `first` is the leftmost of them."""
        check_choice("ties", ties, TIES)
        self.values = values
        self._labels = labels
        self._ties = ties
        self._drawn = np.random.default_rng(seed).random(values[:, 0].shape) if ties == "random" else None
        self._weights = np.ones(values.shape[1]) if weights is None else _shares(weights)
        self.counts = np.ones(len(values))

    def mean_values(self, members: Sequence[int]) -> NDArray[np.float64]:
        """Return the mean over the members that have values, samples × classes; NaN where none has."""
        own = self.values[:, list(members)]
        known = ~np.isnan(own)
        weights = known * self._weights[list(members)][None, :, None]
        # a weight of 0 is a stream that is not there, also where its logit is -inf
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(weights > 0, own * weights, 0.0).sum(axis=1) / weights.sum(axis=1))

    def predicted_classes(self, members: Sequence[int]) -> NDArray[np.int64]:
        """Return the class with the largest mean, of equals as the ties say, BLANK for none."""
        leading = self._leading(members)
        nothing = ~leading.any(axis=1)
        best = (leading if self._drawn is None else np.where(leading, self._drawn, -1.0)).argmax(axis=1)
        lost = nothing | ((leading.sum(axis=1) > 1) & (self._ties == "wrong"))
        return np.where(lost, BLANK, best)

    def is_correct(self, members: Sequence[int]) -> NDArray[np.bool_]:
        """Return for each sample whether the largest mean is the label's."""
        return np.asarray((self.predicted_classes(members) == self._labels) & (self._labels >= 0))

    def is_tied(self, members: Sequence[int]) -> NDArray[np.bool_]:
        """Return for each sample whether two classes share the largest mean."""
        return np.asarray(self._leading(members).sum(axis=1) > 1)

    def _leading(self, members: Sequence[int]) -> NDArray[np.bool_]:
        """Return which classes have the largest mean; one of -inf has no probability and leads nowhere."""
        fused = np.round(self.mean_values(members), _SAME)
        known = np.where(np.isnan(fused), -np.inf, fused)
        return np.asarray((known == known.max(axis=1, keepdims=True)) & (known > -np.inf))


def majority_vote(
    votes: Sequence[Sequence[int]] | NDArray[np.int64], ties: str = DEFAULT_TIES, *, seed: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the class that most streams vote for, and whether that was a tie.

    Parameters
    ----------
    votes : array_like of int, shape (n_samples, n_streams)
        The class that each stream votes for, by its code; -1 is no vote.
    ties : {'first', 'wrong', 'class', 'random'}, optional
        Who wins a tie: the tied class whose first voter stands leftmost, none, the one with the smallest code, or one
        drawn for one sample after the other.
    seed : int, optional
        Seed of the draws.

    Returns
    -------
    winners : ndarray of int, shape (n_samples,)
        The winning class; -1 where there is none.
    tied : ndarray of bool, shape (n_samples,)
        Whether two classes or more had most votes.

    Raises
    ------
    ValueError
        If `ties` or the seed is none, the votes are no filled table, or a code is below -1 or not whole.

    Examples
    --------
    >>> [found.tolist() for found in majority_vote([[2, 1, 1], [2, 1, -1], [-1, -1, -1]])]
    [[1, 2, -1], [False, True, False]]
    """
    check_whole("seed", seed)
    table = checked_votes(votes)
    fused = VoteFusion(table, np.full(len(table), BLANK - 1), ties=ties, seed=seed)
    everybody = range(table.shape[1])
    winner = fused.winner(everybody)[fused.pattern_of]
    padded = np.column_stack([table, np.full(len(table), BLANK)])
    return padded[np.arange(len(table)), winner], fused.is_tied(everybody)[fused.pattern_of]


def checked_votes(votes: Sequence[Sequence[int]] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return votes as codes of classes, samples × streams; ValueError if they are none, or nobody votes."""
    table = checked_codes("votes", votes, 2, least=BLANK)
    if not table.shape[1]:
        raise ValueError(f"votes must be those of a stream at the least; their shape is {table.shape}")
    return table


def _shares(weights: Sequence[float]) -> NDArray[np.float64]:
    """Return weights as parts of the largest, so that their size cannot decide what counts as equal."""
    table = np.asarray(weights, dtype=float)
    return np.asarray(table / table.max()) if table.max() > 0 else table


def _first_alike(votes: Codes) -> NDArray[np.int16]:
    """Return for each vote the leftmost stream with the same class; the number of streams for a blank one.

    Votes are given stream by stream, and so are these.
    """
    first = np.empty(votes.shape, dtype=np.int16)
    streams = len(votes)
    for later in range(streams):
        back = np.zeros(votes.shape[1], dtype=np.int16)  # how far to the left it is
        for earlier in range(later):
            np.maximum(back, (votes[later] == votes[earlier]) * np.int16(later - earlier), out=back)
        first[later] = np.where(votes[later] == BLANK, np.int16(streams), np.int16(later) - back)
    return first


def _told_apart(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return where one of each key stands, in the order of the keys, which of them each is, and how many there are."""
    in_order = np.argsort(keys)
    is_new = np.diff(keys[in_order], prepend=-1) > 0
    starts = np.flatnonzero(is_new)
    which = np.empty(len(keys), np.int64)
    which[in_order] = np.cumsum(is_new) - 1
    return in_order[starts], which, np.diff(starts, append=len(keys))


@lru_cache(maxsize=1)
def _standings(streams: int, with_rank: bool) -> NDArray[np.uint8]:
    """Return how each set of voters stands in each coalition, by the codes of both: more is better, 0 is nobody there.

    That is how many of them are in it, and with their rank, the one of equals whose first voter stands leftmost.
    """
    codes = np.arange(2**streams, dtype=np.uint16)
    there = codes[:, None] & codes
    votes = np.bitwise_count(there)
    if not with_rank:
        return votes
    leftmost = np.bitwise_count((codes & -codes) - np.uint16(1))  # the bits below the lowest that is set
    return np.where(there > 0, (votes << 4) | (15 - leftmost[there]), 0).astype(np.uint8)


def _bits(first: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return for each vote the streams with the same class, a bit each."""
    streams = first.shape[1]
    found = np.zeros(first.shape, dtype=np.uint64)
    for stream in range(min(streams, MOST_STREAMS)):
        found |= (first == first[:, [stream]]).astype(np.uint64) << np.uint64(stream)
    return found
