"""Labels such as A, B and Tie: who wins an item by the judges' votes, how often, and whether the first place helps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.constants import TIE_LABELS
from scoresheet.metrics.stats.beta_distribution import proportion_interval
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, Interval

Numbers = NDArray[np.float64]

ALL_JUDGES: Final = "all judges"
_CONTESTANTS: Final = 2  # labels but for ties, for a win rate that shares out ties and for an order bias


class ItemVotes(NamedTuple):
    """How the judges voted on each item."""

    counts: NDArray[np.int64]  # items × labels
    majority: NDArray[np.int64]  # the label with the most votes; -1 where two have as many, or nobody voted

    def words(self, labels: Sequence[str]) -> list[str]:
        """Return the votes of each item, the most first."""
        return [_votes_in_words(row, labels) for row in self.counts.tolist()]

    def winners(self, labels: Sequence[str]) -> list[str]:
        """Return the label of the majority of each item, '' where there is none."""
        return [labels[label] if label >= 0 else "" for label in self.majority.tolist()]

    @property
    def without_majority(self) -> NDArray[np.int64]:
        """The items on which two labels or more have the most votes."""
        return np.flatnonzero((self.majority < 0) & (self.counts.sum(axis=1) > 1))


class LabelStanding(NamedTuple):
    """How often a label was chosen, and how often it won an item."""

    label: str
    votes: int
    vote_share: float
    items_won: int
    items: int  # with a vote
    win_rate: float
    interval: Interval


class OrderBias(NamedTuple):
    """Whether what stood first is chosen more often than it would be in the second place."""

    judge: str
    votes: int  # for one of the two, where it is known which stood first
    first_share: float  # of these votes, for the one that stood first
    bias: float  # mean of how often each of the two is chosen when it stood first, less a half
    interval: Interval

    @property
    def finding(self) -> str:
        """What is shown, in words."""
        if not self.interval.is_known:
            return self.interval.note
        if self.interval.low > 0:
            return "prefers what stood first"
        return "prefers what stood second" if self.interval.high < 0 else "no order bias shown"


def item_votes(codes: Numbers, labels: int) -> ItemVotes:
    """Return the votes on each item; `codes` are items × judges, NaN where a judge has no label.

    >>> votes = item_votes(np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 2.0]]), 3)
    >>> votes.winners(["A", "B", "Tie"]), votes.words(["A", "B", "Tie"])
    (['A', ''], ['A 2, B 1', 'A 1, B 1, Tie 1'])
    """
    if not labels:  # of cells that are all empty
        return ItemVotes(np.zeros((len(codes), 0), dtype=np.int64), np.full(len(codes), -1))
    counts = np.stack([(codes == label).sum(axis=1) for label in range(labels)], axis=1)
    most = counts.max(axis=1, initial=0)
    is_alone = (counts == most[:, None]).sum(axis=1) == 1
    return ItemVotes(counts, np.where(is_alone & (most > 0), counts.argmax(axis=1), -1))


def _votes_in_words(counts: Sequence[int], labels: Sequence[str]) -> str:
    chosen = [(count, label) for label, count in enumerate(counts) if count]
    return ", ".join(
        f"{labels[label]} {count}" for count, label in sorted(chosen, key=lambda pair: (-pair[0], pair[1]))
    )


def is_tie(label: str) -> bool:
    """Return whether a label says that neither of two is better."""
    return label.casefold() in TIE_LABELS


def contestants(labels: Sequence[str]) -> tuple[int, ...]:
    """Return the labels that can win, where these are two; ties are shared out between them."""
    found = tuple(index for index, label in enumerate(labels) if not is_tie(label))
    return found if len(found) == _CONTESTANTS else ()


def label_standings(
    votes: ItemVotes, labels: Sequence[str], *, confidence: float = CONFIDENCE_LEVEL
) -> tuple[LabelStanding, ...]:
    """Return how often each label wins; items are what is counted, so that judges of one item are no sample of several.

    The win rate is the share of items with a vote that a label wins by majority. Where two labels can win, an item
    without a majority, or with one for a tie, is half an item for each: their win rates sum to 1.
    """
    judged = votes.counts.sum(axis=1) > 0
    items, total = int(judged.sum()), int(votes.counts.sum())
    pair = contestants(labels)
    drawn = items - sum(int((votes.majority == label).sum()) for label in pair)
    standings = []
    for label, name in enumerate(labels):
        chosen, won = int(votes.counts[:, label].sum()), int((votes.majority == label).sum())
        wins = won + (drawn / 2 if label in pair else 0)
        interval = proportion_interval(wins, items, noun="items", confidence=confidence)
        standings.append(
            LabelStanding(
                name,
                chosen,
                chosen / total if total else math.nan,
                won,
                items,
                wins / items if items else math.nan,
                interval,
            )
        )
    return tuple(standings)


def order_biases(
    rounds: Mapping[str, tuple[Sequence[str], Sequence[str], Numbers, Numbers]],
    labels: Sequence[str],
    *,
    confidence: float = CONFIDENCE_LEVEL,
) -> tuple[OrderBias, ...]:
    """Return the order bias of all judges together and of each, over all rounds; none unless two labels can win.

    A round has its items, its judges, their choices and what stood first, items × judges, as codes of the labels. How
    good the two are does not enter: each is held to itself, standing first and standing second. The two shares are
    means over items, and each has an exact interval; their sum has the interval that follows from both (Newcombe's).
    """
    pair = contestants(labels)
    if not pair:
        return ()
    names = list(dict.fromkeys(judge for _, judges, _, _ in rounds.values() for judge in judges))
    votes = [
        (item, judge, chosen == first, pair.index(int(first)))
        for items, judges, choices, firsts in rounds.values()
        for row, item in enumerate(items)
        for judge, chosen, first in zip(judges, choices[row].tolist(), firsts[row].tolist(), strict=True)
        if first in pair and chosen in pair
    ]
    if not votes:
        return ()
    own = {judge: [vote for vote in votes if vote[1] == judge] for judge in names}
    known = {judge: theirs for judge, theirs in own.items() if theirs}
    everybody = {ALL_JUDGES: votes} if len(known) > 1 else {}
    return tuple(_order_bias(judge, theirs, confidence) for judge, theirs in (everybody | known).items())


def _order_bias(judge: str, votes: Sequence[tuple[str, str, bool, int]], confidence: float) -> OrderBias:
    shares: list[dict[str, list[bool]]] = [{}, {}]
    for item, _, for_first, side in votes:
        shares[side].setdefault(item, []).append(for_first)
    means = [[sum(own) / len(own) for own in by_item.values()] for by_item in shares]
    first_share = sum(for_first for _, _, for_first, _ in votes) / len(votes)
    if not all(means):
        note = "one of the two always stood first: its order and its worth cannot be told apart"
        return OrderBias(judge, len(votes), first_share, math.nan, Interval(math.nan, math.nan, note))
    rates = [sum(own) / len(own) for own in means]
    ends = [
        proportion_interval(min(sum(own), len(own)), len(own), noun="items in one of the orders", confidence=confidence)
        for own in means
    ]
    bias = (sum(rates) - 1) / 2
    missing = next((interval for interval in ends if not interval.is_known), None)
    if missing is not None:
        return OrderBias(judge, len(votes), first_share, bias, missing)
    below = math.hypot(*(rate - interval.low for rate, interval in zip(rates, ends, strict=True)))
    above = math.hypot(*(interval.high - rate for rate, interval in zip(rates, ends, strict=True)))
    return OrderBias(judge, len(votes), first_share, bias, Interval(bias - below / 2, bias + above / 2))
