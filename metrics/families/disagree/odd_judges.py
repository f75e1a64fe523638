"""Odd judges: who does not fit a panel whose other judges agree, and why; one by one, so that none hides another.

A judge is called odd only where the others agree beyond chance, and only where chance would hardly have made it look
so: every test is corrected for the number of judges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.constants import DISCORDANT_FROM, MOST_COMPARED_JUDGES
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, FEWEST_CLUSTERS, significance_level, t_quantile

Numbers = NDArray[np.float64]

OTHER_SCALE, CONSTANT, REVERSED, UNRELATED = "other scale", "constant", "reversed", "unrelated"
LENIENT, STRICT, NOISY = "lenient", "strict", "noisy"
REASONS: Final = {
    OTHER_SCALE: "all its scores lie in a small part of the scale that is a scale of its own",
    CONSTANT: "always the same, where every other judge varies",
    REVERSED: "high where the others are low",
    UNRELATED: "not shown to go with the others at all",
    LENIENT: "above the others, and close to them without the difference",
    STRICT: "below the others, and close to them without the difference",
    NOISY: "goes with the others, but less closely than they go with each other",
}
FEWEST_JUDGES: Final = 3  # of two who differ nobody can say which is odd
COMMON_SCALES: Final = ((0.0, 1.0), (0.0, 5.0), (1.0, 5.0), (1.0, 7.0), (0.0, 10.0), (1.0, 10.0), (0.0, 100.0))
LARGEST_PART: Final = 0.25  # of the declared scale that another scale within it may reach up to
N_EXCHANGES: Final = 1_000
MOST_EXCHANGED: Final = 2_500  # ratings up to which they are; beyond, the normal distribution is as good
_NOTHING: Final = 1e-30
LEAST_REACH: Final = 0.5  # of the declared scale that some judge must use


class OddJudge(NamedTuple):
    """A judge who does not fit the others, and why."""

    name: str
    why: str  # one of REASONS
    details: str = ""  # in words

    def phrase(self) -> str:
        """Return the judge with the reason, as a line of a table has it."""
        return f"{self.name} ({self.why}{f': {self.details}' if self.details else ''})"


class _Agreement(NamedTuple):
    """Alpha of some judges, and what each item adds to it."""

    alpha: float
    influence: Numbers  # of each item; its sum of squares is the variance of alpha
    items: int  # that alpha rests on


class _Candidate(NamedTuple):
    judge: int
    why: str
    gain: float


class JudgeRows(NamedTuple):
    """What the judges of a sheet gave, a row for each item, or for each item and dimension."""

    items: Sequence[str]  # of each row
    judges: Sequence[str]
    ratings: Numbers  # rows × judges
    kinds: Sequence[str] = ()  # of labels, what their numbers stand for; scores have none


def judge_table(sheets: Sequence[JudgeRows]) -> tuple[JudgeTable, list[str]]:
    """Return the ratings of several sheets as one table, and its judges; an item of several sheets is one item."""
    judges = list(dict.fromkeys(judge for sheet in sheets for judge in sheet.judges))
    kinds = {
        kind: float(code) for code, kind in enumerate(dict.fromkeys(kind for sheet in sheets for kind in sheet.kinds))
    }
    items = {item: code for code, item in enumerate(sorted({item for sheet in sheets for item in sheet.items}))}
    rows = []
    for sheet in sheets:
        table = np.full((len(sheet.ratings), len(judges)), np.nan)
        places = [judges.index(judge) for judge in sheet.judges]
        table[:, places] = sheet.ratings
        if sheet.kinds:
            codes = np.array([kinds[kind] for kind in sheet.kinds])
            known = ~np.isnan(table)
            table[known] = codes[table[known].astype(np.int64)]
        rows.append(table)
    numbers = np.array([items[item] for sheet in sheets for item in sheet.items], dtype=np.int64)
    return JudgeTable(np.vstack(rows), labels=bool(kinds), items=numbers), judges


class JudgeTable:
    """The scores or labels of a panel as vectors: a number is one of length 1, a label one of noughts and a one."""

    def __init__(self, ratings: Numbers, *, labels: bool, items: NDArray[np.int64] | None = None) -> None:
        """Take items × judges; `items` says which item a row is, where an item has several (one for each dimension)."""
        self.known = ~np.isnan(ratings)
        self.ratings = ratings
        self.items = np.arange(len(ratings)) if items is None else items
        kinds = np.unique(ratings[self.known])
        if labels:
            vectors = (ratings[:, :, None] == kinds).astype(float)
        else:
            centre = float(ratings[self.known].mean()) if kinds.size else 0.0
            vectors = (np.where(self.known, ratings, centre) - centre)[:, :, None]
        self.labels = labels
        self.vectors = vectors
        self.squares = (vectors * vectors).sum(axis=2)

    def agreement(self, judges: Sequence[int]) -> _Agreement:
        """Return alpha of these judges: of scores at the interval level, of labels at the nominal one.

        With labels as vectors both are the same formula: half the squared distance of two labels is 1 unless they are
        equal. What an item adds is the first-order change of alpha with the weight of the item.
        """
        counts = self.known[:, judges].sum(axis=1).astype(float)
        usable = counts >= 2
        if not usable.any():
            return _Agreement(math.nan, np.zeros(0), 0)
        counts = counts[usable]
        sums = self.vectors[usable][:, judges].sum(axis=1)
        squares = self.squares[usable][:, judges].sum(axis=1)
        within = np.maximum(squares - (sums * sums).sum(axis=1) / counts, 0.0) * counts / (counts - 1)
        number, total = counts.sum(), sums.sum(axis=0)
        middle = total / number
        expected = (squares.sum() - float(total @ total) / number) / (number - 1)
        if expected <= TOLERANCE**2:
            return _Agreement(math.nan, np.zeros(0), 0)
        seen = within.sum() / number
        change_seen = (within - seen * counts) / number
        about_middle = squares - 2 * sums @ middle + float(middle @ middle) * counts
        change_expected = (about_middle - expected * counts) / (number - 1)
        influence = seen / expected**2 * change_expected - change_seen / expected
        by_item = np.bincount(self.items[usable], weights=influence, minlength=int(self.items.max()) + 1)
        return _Agreement(float(1 - seen / expected), by_item.astype(float), len(np.unique(self.items[usable])))

    def distances(self, judges: Sequence[int]) -> Numbers:
        """Return by how much each judge is farther from the others than these from each other, items × judges.

        Squared distances, summed over the rows of an item; NaN where fewer than two others rated it too.
        """
        known = self.known[:, judges]
        counts = known.sum(axis=1)
        usable = counts >= FEWEST_JUDGES
        vectors, known, others = self.vectors[usable][:, judges], known[usable], counts[usable][:, None] - 1.0
        squares = np.where(known, self.squares[usable][:, judges], 0.0)
        vectors = np.where(known[:, :, None], vectors, 0.0)
        rest = squares.sum(axis=1)[:, None] - squares
        sums = vectors.sum(axis=1)[:, None, :] - vectors
        # of n vectors: squared distances from another are n·|it|² - 2·it·sum + squares, of pairs to n·squares - |sum|²
        from_others = squares + (rest - 2 * (vectors * sums).sum(axis=2)) / others
        among_others = 2 * (others * rest - (sums * sums).sum(axis=2)) / (others * (others - 1))
        farther = np.where(known, from_others - among_others, 0.0)
        number = int(self.items.max()) + 1 if len(self.items) else 0
        totals, times = np.zeros((number, len(judges))), np.zeros((number, len(judges)))
        np.add.at(totals, self.items[usable], farther)
        np.add.at(times, self.items[usable], known)
        rated = (times > 0).sum(axis=1) >= FEWEST_JUDGES
        return np.asarray(np.where(times > 0, totals, np.nan)[rated])

    def association(self, judge: int, others: Sequence[int]) -> tuple[float, int]:
        """Return the covariance of a judge with the mean of the others over its standard error, and on how many items.

        Of labels it is the agreement beyond that of two who choose their labels independently.
        """
        counts = self.known[:, others].sum(axis=1)
        both = self.known[:, judge] & (counts > 0)
        if both.sum() < 2:
            return math.nan, int(both.sum())
        ours = self.vectors[both, judge]
        theirs = self.vectors[both][:, others].sum(axis=1) / counts[both][:, None]
        products = ((ours - ours.mean(axis=0)) * (theirs - theirs.mean(axis=0))).sum(axis=1)
        items, index = np.unique(self.items[both], return_inverse=True)
        covariance = float(products.mean())
        by_item = np.bincount(index, weights=products - covariance)
        error = math.sqrt(float(by_item @ by_item) * len(items) / max(1, len(items) - 1)) / len(products)
        if not error:
            return (math.copysign(math.inf, covariance) if covariance else 0.0), len(items)
        return covariance / error, len(items)

    def leniency(self, judge: int, others: Sequence[int]) -> float:
        """Return by how much a judge's scores lie above the mean of the others, on the items they share."""
        counts = self.known[:, others].sum(axis=1)
        both = self.known[:, judge] & (counts > 0)
        theirs = np.where(self.known[:, others], self.ratings[:, others], 0.0).sum(axis=1)[both] / counts[both]
        return float((self.ratings[both, judge] - theirs).mean()) if both.any() else math.nan

    def moved(self, judge: int, by: float) -> JudgeTable:
        """Return the same table with something added to a judge's scores."""
        ratings = self.ratings.copy()
        ratings[:, judge] += by
        return JudgeTable(ratings, labels=False, items=self.items)

    def varies(self, judge: int) -> float:
        """Return the share of a judge's ratings that are not the one it gives most often."""
        own = self.ratings[self.known[:, judge], judge]
        return 1 - np.unique(own, return_counts=True)[1].max() / len(own) if len(own) else math.nan


def exchange_p_values(distances: Numbers, *, seed: int = 0) -> Numbers:
    """Return for each judge how often the farthest of judges who are all alike would be as far from the others.

    If judges are alike, what they gave to an item could have come from any of them: the distances of each item are
    exchanged between its judges (randomisation test, N_EXCHANGES times), and the largest sum of all judges is what each
    is held to, so that the number of judges is corrected for. For many items the normal distribution stands for it.

    >>> exchange_p_values(np.tile([2.0, -1.0, -1.0], (5, 1))).round(2).tolist()
    [0.02, 1.0, 1.0]
    """
    known = ~np.isnan(distances)
    counts = known.sum(axis=1)
    values = np.where(known, distances, 0.0)
    centred = np.where(known, values - (values.sum(axis=1) / np.maximum(counts, 1))[:, None], 0.0)
    sums = centred.sum(axis=0)
    variances = (known * ((centred * centred).sum(axis=1) / np.maximum(counts, 1))[:, None]).sum(axis=0)
    deviations = np.sqrt(np.maximum(variances, _NOTHING))
    standing = sums / deviations
    if centred.size > MOST_EXCHANGED:
        return np.array([min(1.0, len(sums) * NormalDist().cdf(-value)) for value in standing.tolist()])
    reached = (_exchanged_sums(centred, known, seed) / deviations).max(axis=1)
    return np.asarray(((reached[:, None] >= standing - TOLERANCE).sum(axis=0) + 1) / (N_EXCHANGES + 1))


def _exchanged_sums(values: Numbers, known: NDArray[np.bool_], seed: int) -> Numbers:
    """Return the judges' sums after the values of each item were exchanged between those who rated it; a row a draw."""
    rng = np.random.default_rng(seed)
    sums = np.zeros((N_EXCHANGES, values.shape[1]))
    for count in np.unique(known.sum(axis=1)).tolist():
        rows = known.sum(axis=1) == count
        order = np.argsort(~known[rows], axis=1, kind="stable")[:, :count]  # who rated the item
        own = np.take_along_axis(values[rows], order, axis=1)
        drawn = rng.permuted(np.broadcast_to(own, (N_EXCHANGES, *own.shape)), axis=2)
        sums += drawn.reshape(N_EXCHANGES, -1) @ np.eye(values.shape[1])[order.ravel()]
    return sums


def odd_judges(
    table: JudgeTable,
    names: Sequence[str],
    *,
    confidence: float = CONFIDENCE_LEVEL,
    seed: int = 0,
    apart: Sequence[OddJudge] = (),
) -> tuple[OddJudge, ...]:
    """Return the judges who do not fit the others, the oddest first; those set `apart` already are not looked at."""
    named = {each.name for each in apart}
    judges = [index for index, name in enumerate(names) if name not in named and table.known[:, index].any()]
    found = list(apart)
    if len(judges) > MOST_COMPARED_JUDGES:
        return tuple(found)
    while len(judges) >= FEWEST_JUDGES:
        oddest = _oddest(table, judges, confidence, seed)
        if oddest is None:
            break
        details = ""
        if oddest.why in (LENIENT, STRICT):
            others = [judge for judge in judges if judge != oddest.judge]
            details = f"{table.leniency(oddest.judge, others):+.2f}".replace("-", "−")
        found.append(OddJudge(names[oddest.judge], oddest.why, details))
        judges.remove(oddest.judge)
    return tuple(found)


class _Exchange:
    """The randomisation test of a panel, made when the first judge asks for it: few panels need it."""

    def __init__(self, table: JudgeTable, judges: Sequence[int], seed: int) -> None:
        self.table, self.judges, self.seed = table, judges, seed

    def p_value(self, judge: int) -> float:
        """Return how often the farthest of judges who are all alike would be as far from the others as this one."""
        return float(self._p_values[self.judges.index(judge)])

    @cached_property
    def _p_values(self) -> Numbers:
        distances = self.table.distances(self.judges)
        if len(distances) < FEWEST_CLUSTERS:
            return np.ones(len(self.judges))
        return exchange_p_values(distances, seed=self.seed)


def _oddest(table: JudgeTable, judges: Sequence[int], confidence: float, seed: int) -> _Candidate | None:
    """Return the judge without whom alpha rises most, of those who are odd."""
    whole, exchange = table.agreement(judges), _Exchange(table, tuple(judges), seed)
    candidates = [_candidate(table, judge, judges, whole, exchange, confidence) for judge in judges]
    return max((each for each in candidates if each), key=lambda each: each.gain, default=None)


def _candidate(
    table: JudgeTable, judge: int, judges: Sequence[int], whole: _Agreement, exchange: _Exchange, confidence: float
) -> _Candidate | None:
    """Return a judge with the reason, if odd."""
    others = [each for each in judges if each != judge]
    rest = table.agreement(others)
    half = significance_level(confidence) / 2  # two kinds of tests accuse: each has half of the level
    level = half / len(judges)
    # judges who do not agree themselves cannot say who is odd
    if math.isnan(rest.alpha) or not _is_shown(rest.alpha, rest.influence, rest.items, level):
        return None
    gain = rest.alpha - whole.alpha
    if _is_constant(table, judge, others, level):
        return _Candidate(judge, CONSTANT, gain)
    association, items = table.association(judge, others)
    if items < FEWEST_CLUSTERS or math.isnan(association):
        return None
    if association < -t_quantile(1 - level, items - 1):
        return _Candidate(judge, REVERSED, gain)
    if gain < DISCORDANT_FROM - TOLERANCE or exchange.p_value(judge) >= half:
        return None
    if association < t_quantile(1 - significance_level(confidence), items - 1):
        return _Candidate(judge, UNRELATED, gain)
    return _Candidate(judge, _why_apart(table, judge, others, rest.alpha, gain), gain)


def _why_apart(table: JudgeTable, judge: int, others: Sequence[int], alpha: float, gain: float) -> str:
    """Return what most of the gain is owed to: a shift against the others, or scatter; labels cannot be shifted."""
    if table.labels:
        return NOISY
    leniency = table.leniency(judge, others)
    without_shift = alpha - table.moved(judge, -leniency).agreement([*others, judge]).alpha
    if without_shift >= gain / 2:
        return NOISY
    return LENIENT if leniency > 0 else STRICT


def _is_shown(value: float, influence: Numbers, items: int, level: float) -> bool:
    """Return whether a value is shown to be above 0, by Student's quantile for so many items; of too few nothing is."""
    if items < FEWEST_CLUSTERS:
        return False
    error = math.sqrt(float(influence @ influence) * items / (items - 1))
    return value > t_quantile(1 - level, items - 1) * error


def _is_constant(table: JudgeTable, judge: int, others: Sequence[int], level: float) -> bool:
    """Return whether a judge never varies, and the least varying of the others would hardly have managed that."""
    rated = int(table.known[:, judge].sum())
    if rated < FEWEST_CLUSTERS or table.varies(judge) > 0:
        return False
    least = min(table.varies(other) for other in others)
    return bool((1 - least) ** rated < level)


def on_another_scale(ratings: Numbers, names: Sequence[str], scale: tuple[float, float]) -> tuple[OddJudge, ...]:
    """Return the judges whose scores as given lie on a scale of their own, at the foot of the declared one.

    All their scores lie within a common scale that is a small part of the declared one, and reach its upper half, while
    some other judge uses far more of the declared scale on the same items.
    """
    low, high = scale
    width = high - low
    found = []
    for judge, name in enumerate(names):
        own = ratings[:, judge]
        rated = ~np.isnan(own)
        if rated.sum() < FEWEST_CLUSTERS:
            continue
        least, most = float(own[rated].min()), float(own[rated].max())
        fitting = [
            (first, last)
            for first, last in COMMON_SCALES
            if low <= first <= least
            and most <= last
            and last - low <= LARGEST_PART * width
            and most > (first + last) / 2
        ]
        others = np.delete(ratings[rated], judge, axis=1)
        reach = np.nanmax(others, initial=low) if others.size else low
        if fitting and least < most and (reach - low) >= LEAST_REACH * width:
            first, last = min(fitting, key=lambda ends: ends[1] - ends[0])
            whole = f"{format_float(low)} to {format_float(high)}"
            found.append(OddJudge(name, OTHER_SCALE, f"{format_float(first)} to {format_float(last)} of {whole}"))
    return tuple(found)
