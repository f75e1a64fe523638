"""Panels of judges: every judge gives the true worth of an item and an error of their own.

Worths and errors are normal; panels of 1 to 5 round and clip what they give (worths uniform over the scale). Labels are
the true one with some chance, else one drawn at random. Alpha of a panel is known: the share of the variance that
the worths make, or that of 50,000 items. Judges have no bias unless it is planted: nobody is odd by more than chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.constants import VERDICTS
from scoresheet.metrics.families.disagree.dispersion import disagreements
from scoresheet.metrics.families.disagree.flags import item_flags
from scoresheet.metrics.families.disagree.labels import item_votes, label_standings, order_biases
from scoresheet.metrics.families.disagree.measures import HIGH
from scoresheet.metrics.families.disagree.odd_judges import JudgeTable, odd_judges
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.spread_limit import is_rare_spread
from scoresheet.metrics.stats.agreement import krippendorff_alpha
from scoresheet.metrics.stats.alpha_interval import alpha_interval
from scoresheet.metrics.stats.bands import band_of_interval
from tests.calibration.cells import Cell, Simulation

Numbers = NDArray[np.float64]
ITEMS = (10, 30, 100)
LONG = 500  # trials from which on every setting has all of them
UNRELIABLE, _, RELIABLE = (name for _, name in VERDICTS)


def fewer(trials: int) -> int:
    """Return how many trials a setting has that takes long: in a small run only a few, in a long one all."""
    return trials if trials >= LONG else -(-trials // 6)


def normal_panel(rng: np.random.Generator, items: int, judges: int, alpha: float) -> Numbers:
    """Return scores of a panel with this alpha."""
    error = sqrt((1 - alpha) / alpha)
    return np.asarray(rng.standard_normal((items, 1)) + error * rng.standard_normal((items, judges)))


def rounded_panel(rng: np.random.Generator, items: int, judges: int, error: float) -> Numbers:
    """Return scores of 1 to 5, on the scale 0 to 1."""
    given = rng.uniform(0.5, 5.5, size=(items, 1)) + error * rng.standard_normal((items, judges))
    return np.asarray((np.clip(np.rint(given), 1, 5) - 1) / 4)


def labels_panel(rng: np.random.Generator, items: int, judges: int, knowing: float) -> Numbers:
    """Return labels, as numbers."""
    true, drawn = (rng.choice(3, size=(items, number), p=(0.45, 0.35, 0.2)) for number in (1, judges))
    return np.where(rng.random((items, judges)) < knowing, true, drawn).astype(float)


@cache
def _true_alpha(draw: Callable[[np.random.Generator, int, int, float], Numbers], parameter: float, level: str) -> float:
    return krippendorff_alpha(draw(np.random.default_rng(0), 50_000, 3, parameter), level)


def interval_of_alpha(trials: int) -> Iterator[Cell]:
    """How often the interval of alpha holds the true one, for panels that are reliable and that are not."""
    for judges in (3, 5):
        for items in ITEMS:
            own = trials if items == min(ITEMS) and judges == 3 else fewer(trials)
            for alpha in (0.9, 0.4):
                rng = np.random.default_rng([1, judges, items, int(10 * alpha)])
                hits = sum(_holds(alpha, normal_panel(rng, items, judges, alpha), "interval") for _ in range(own))
                setting = f"alpha {alpha:g}, {judges} judges, {items} items"
                yield Cell("95 % interval of alpha covers", setting, hits, own, 0.92, at_least=True)
    true = _true_alpha(rounded_panel, 0.3, "interval")
    own = fewer(trials)
    for items in ITEMS:
        rng = np.random.default_rng([2, items])
        hits = sum(_holds(true, rounded_panel(rng, items, 3, 0.3), "interval") for _ in range(own))
        setting = f"alpha {true:.2f}, scores 1 to 5, 3 judges, {items} items"
        yield Cell("95 % interval of alpha covers", setting, hits, own, 0.92, at_least=True)
    true = _true_alpha(labels_panel, 0.9, "nominal")
    rng = np.random.default_rng(3)
    hits = sum(_holds(true, labels_panel(rng, 30, 3, 0.9), "nominal") for _ in range(own))
    yield Cell("95 % interval of alpha covers", f"alpha {true:.2f}, labels, 3 judges, 30 items", hits, own, 0.92, True)


def _holds(true: float, ratings: Numbers, level: str) -> bool:
    low, high, _ = alpha_interval(ratings, level)
    return low <= true <= high


def words_of_the_verdict(trials: int) -> Iterator[Cell]:
    """How often a panel just on the good side of an edge is called unreliable, and one just below one reliable."""
    for alpha, word in ((0.7, UNRELIABLE), (0.77, RELIABLE)):
        for items in (5, 10, 30):
            rng = np.random.default_rng([4, items, int(100 * alpha)])
            wrong = 0
            for _ in range(trials):
                low, high, _ = alpha_interval(normal_panel(rng, items, 3, alpha))
                wrong += band_of_interval(low, high, VERDICTS, otherwise="too few") == word
            yield Cell(f'"{word}" is said', f"alpha {alpha:g}, 3 judges, {items} items", wrong, trials, 0.05)


def nobody_is_odd(trials: int) -> Iterator[Cell]:
    """How often anybody is called odd in a panel of judges who are all alike."""
    own = fewer(trials)
    for judges in (3, 5, 9):
        for items in ITEMS:
            for alpha in (0.9, 0.4):
                rng = np.random.default_rng([5, judges, items, int(10 * alpha)])
                named = sum(bool(_odd(normal_panel(rng, items, judges, alpha))) for _ in range(own))
                setting = f"alpha {alpha:g}, {judges} judges, {items} items"
                yield Cell("anybody is called odd", setting, named, own, 0.05)
    rng = np.random.default_rng(6)
    named = sum(bool(_odd(labels_panel(rng, 30, 4, 0.8), labels=True)) for _ in range(own))
    yield Cell("anybody is called odd", "labels, 4 judges, 30 items", named, own, 0.05)


def odd_judges_are_found(trials: int) -> Iterator[Cell]:
    """How often a planted judge is named with the right reason, alone or with two others."""
    plants: dict[str, Callable[[np.random.Generator, Numbers], Numbers]] = {
        "reversed": lambda _, given: 1 - given,
        "constant": lambda _, given: np.full_like(given, 0.75),
        "unrelated": lambda rng, given: rng.permutation(given),
        "lenient": lambda _, given: np.minimum(1, given + 0.35),
        "strict": lambda _, given: np.maximum(0, given - 0.35),
    }
    own = fewer(trials)
    for why, plant in plants.items():
        rng = np.random.default_rng([7, len(why)])
        found = 0
        for _ in range(own):
            scores = rounded_panel(rng, 50, 4, 0.5)
            scores[:, 1] = plant(rng, scores[:, 1])
            found += _odd(scores) == {"1": why}
        yield Cell("a planted judge alone is named, with why", f"{why}, 4 judges, 50 items", found, own, 0.8, True)
    rng = np.random.default_rng(8)
    found = 0
    for _ in range(own):
        scores = rounded_panel(rng, 100, 6, 0.5)
        for judge, why in enumerate(("reversed", "constant", "unrelated")):
            scores[:, judge] = plants[why](rng, scores[:, judge])
        found += set(_odd(scores)) == {"0", "1", "2"}
    yield Cell("three planted judges are all named", "6 judges, 100 items", found, own, 0.8, at_least=True)


def _odd(ratings: Numbers, *, labels: bool = False) -> dict[str, str]:
    names = [str(judge) for judge in range(ratings.shape[1])]
    return {odd.name: odd.why for odd in odd_judges(JudgeTable(ratings, labels=labels), names)}


def high_severity(trials: int) -> Iterator[Cell]:
    """How many items of a panel without quarrels are called high, and whether planted quarrels come first."""
    options = DisagreeOptions()
    for judges in (3, 5):
        for error in (0.3, 0.6, 1.5):
            rng = np.random.default_rng([9, judges, int(10 * error)])
            scores = rounded_panel(rng, 25 * trials, judges, error)
            setting = f"scores 1 to 5, error {error:g}, {judges} judges"
            yield Cell("an item is high", setting, int(_is_high(scores, options).sum()), len(scores), 0.05)
    rng = np.random.default_rng(10)
    panels = fewer(trials)
    first = false_alarms = others = 0
    for _ in range(panels):
        scores, is_quarrel = quarrelling_panel(rng)
        high = _is_high(scores, options)
        farthest = np.argsort(-scores.var(axis=1), kind="stable")[: is_quarrel.sum()]
        first += bool(is_quarrel[farthest].all() and high[is_quarrel].all())
        false_alarms += int(high[~is_quarrel].sum())
        others += int((~is_quarrel).sum())
    setting = "20 among 1,000 items, scores 1 to 5, 3 judges"
    yield Cell("planted quarrels are the first, all high", setting, first, panels, 0.92, at_least=True)
    yield Cell("another item is high", setting, false_alarms, others, 0.05)


def quarrelling_panel(rng: np.random.Generator) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return a reliable panel of 1 to 5 with 20 quarrels such as 1, 3, 5 and 1, 5, 5 among 1,000 items."""
    scores = rounded_panel(rng, 1_000, 3, 0.4)
    is_quarrel = np.zeros(len(scores), dtype=bool)
    is_quarrel[rng.choice(len(scores), 20, replace=False)] = True
    for item in np.flatnonzero(is_quarrel).tolist():
        scores[item] = rng.permutation([0.0, 0.5, 1.0] if rng.random() < 0.5 else [0.0, 1.0, 1.0])
    return scores, is_quarrel


def _is_high(scores: Numbers, options: DisagreeOptions) -> NDArray[np.bool_]:
    overall = disagreements(scores)
    is_rare = is_rare_spread(scores, overall.variance, overall.judges)
    flags = item_flags(overall, np.empty((len(scores), 0)), (), [""] * scores.shape[1], options, is_rare)
    found = np.zeros(len(scores), dtype=bool)
    found[[item for item, severity in zip(flags.items, flags.severities, strict=True) if severity == HIGH]] = True
    return found


def labels_that_win(trials: int) -> Iterator[Cell]:
    """How often the interval of a win rate holds the true one, and an order bias is said where there is none."""
    own = fewer(trials)
    for items in ITEMS:
        for share in (0.5, 0.9):
            rng = np.random.default_rng([11, items, int(10 * share)])
            hits = 0
            for _ in range(own):
                wins = rng.choice(3, size=(items, 1), p=(share - 0.05, 0.95 - share, 0.1)).astype(float)
                low, high, _ = label_standings(item_votes(wins, 3), ["A", "B", "Tie"])[0].interval
                hits += low <= share <= high
            setting = f"A wins {share:.0%}, ties shared out, {items} items"
            yield Cell("95 % interval of a win rate covers", setting, hits, own, 0.92, at_least=True)
    names = [str(item) for item in range(max(ITEMS))]
    for items in ITEMS[1:]:
        for bias in (0.0, 0.2):
            rng = np.random.default_rng([12, items, int(10 * bias)])
            covered = said = 0
            for _ in range(own):
                first = rng.integers(0, 2, size=(items, 1)).repeat(3, axis=1)
                for_a = rng.beta(4, 2, size=(items, 1)) * (1 - 2 * bias) + bias * 2 * (first == 0)
                chosen = np.where(rng.random((items, 3)) < for_a, 0.0, 1.0)
                rounds = {"": (names[:items], ["a", "b", "c"], chosen, first.astype(float))}
                together = order_biases(rounds, ["A", "B"])[0]
                covered += together.interval.low <= bias <= together.interval.high
                said += together.finding.startswith("prefers")
            setting = f"bias {bias:g}, 3 judges, {items} items"
            yield Cell("95 % interval of an order bias covers", setting, covered, own, 0.92, at_least=True)
            if not bias:
                yield Cell("an order bias is said", setting, said, own, 0.05)


SIMULATIONS: tuple[Simulation, ...] = (
    interval_of_alpha,
    words_of_the_verdict,
    nobody_is_odd,
    odd_judges_are_found,
    high_severity,
    labels_that_win,
)
