"""Choosers whose true Gini is known, sampled: intervals, words, tests and comparisons of mode-collapse.

A chooser has 2 to 50 options: an even one, one with a favourite (its Gini is named) and all others alike, one with half
of the options never chosen, shares that fall off as 1/rank (Zipf) or by halves. An interval that says "too few" holds
nothing and misses nothing; in how many cases there was one stands in the setting.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from scoresheet.metrics.families.mode_collapse.compare import compare_roots
from scoresheet.metrics.families.mode_collapse.debiased_gini import debiased_gini_of_cells, gini_difference
from scoresheet.metrics.families.mode_collapse.null_distribution import collapse_p_value
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.permutation_test import permutation_test_of_cells
from scoresheet.metrics.families.mode_collapse.power import is_enough
from scoresheet.metrics.families.mode_collapse.score import measure_cells, with_verdicts
from scoresheet.metrics.families.mode_collapse.tree_cells import Cell as TreeCell
from scoresheet.metrics.families.mode_collapse.verdicts import CHANCE, COLLAPSED, HIGH, TOO_FEW, verdict
from scoresheet.metrics.stats.concentration import gini
from tests.calibration.cells import Cell, Simulation

MANY: Final = 200  # trials from which on all settings are tried; fewer try some
SIZES: Final = (5, 10, 20, 50, 100, 200)
BANDS: Final = ("low", "moderate", "high")
# the choosers of the definitions: true Gini and options, in samples of 32
JUDGED: Final = ((0.16, 5), (0.28, 50), (0.45, 20))
OPTIONS: Final = ModeCollapseOptions()


def favourite(options: int, true: float) -> list[float]:
    """Return the shares of a chooser with one favourite, the others alike, that has this Gini."""
    share = true + 1 / options
    return [share, *[(1 - share) / (options - 1)] * (options - 1)]


def choosers(options: int) -> dict[str, list[float]]:
    """Return choosers of different shapes among so many options."""
    used = max(1, options // 2)
    zipf = [1 / rank for rank in range(1, options + 1)]
    halves = [0.5**rank for rank in range(options)]
    return {
        "even": [1 / options] * options,
        "favourite, Gini 0.16": favourite(options, 0.16),
        "favourite, Gini 0.28": favourite(options, 0.28),
        "favourite, Gini 0.45": favourite(options, 0.45),
        "half never chosen": [1 / used] * used + [0.0] * (options - used),
        "Zipf": [share / sum(zipf) for share in zipf],
        "by halves": [share / sum(halves) for share in halves],
    }


def _true(shares: Sequence[float]) -> float:
    return gini(shares)


def _band(true: float) -> str:
    return BANDS[(true >= 0.3 - 1e-9) + (true >= 0.6 - 1e-9)]


def holds_word(word: str, band: str) -> bool:
    """Return whether a verdict is true of a band: it names it, or two between which it lies, or says too few."""
    if word in (TOO_FEW, CHANCE):
        return word == TOO_FEW or band == "low"
    ends = [BANDS.index(end) for end in word.split(" to ")]
    return ends[0] <= BANDS.index(band) <= ends[-1]


def judged(counts: Sequence[int]) -> str:
    """Return the verdict on one cell."""
    debiased = debiased_gini_of_cells([counts])
    enough = is_enough([(len(counts), sum(counts))])
    return verdict(debiased, collapse_p_value(counts), is_enough=enough)


def interval_of_the_gini(trials: int) -> Iterator[Cell]:
    """How often the interval of one cell holds the Gini of its chooser."""
    some = [(5, 10, "favourite, Gini 0.28"), (5, 50, "Zipf"), (20, 50, "favourite, Gini 0.45")]
    every = [(options, size, name) for options in (2, 5, 20, 50) for name in choosers(options) for size in SIZES]
    for options, size, name in every if trials >= MANY else some:
        shares = choosers(options)[name]
        true = _true(shares)
        held = given = 0
        for counts in np.random.default_rng([11, options, size]).multinomial(size, shares, size=trials).tolist():
            found = debiased_gini_of_cells([counts])
            given += not found.note
            held += bool(found.note) or found.low - 1e-9 <= true <= found.high + 1e-9
        setting = f"{options} options, {name}, N = {size}; given in {given / trials:.0%}"
        limit = 0.92 if size >= 10 else 0.85
        yield Cell("95 % interval of the Gini covers", setting, held, trials, limit, at_least=True)


def interval_of_a_level(trials: int) -> Iterator[Cell]:
    """How often the interval of the mean over 30 cells holds it."""
    cells = 30
    some = [("even", 10), ("favourite, Gini 0.28", 10)]
    every = [(name, size) for name in choosers(5) for size in (5, 10, 32, 100)]
    fewer = max(10, trials // 5)
    for name, size in every if trials >= MANY else some:
        shares = choosers(5)[name]
        true = _true(shares)
        rng = np.random.default_rng([12, size])
        held = 0
        for _ in range(fewer):
            found = debiased_gini_of_cells(rng.multinomial(size, shares, size=cells).tolist())
            held += found.low - 1e-9 <= true <= found.high + 1e-9
        setting = f"{cells} cells, 5 options, {name}, N = {size} each"
        limit = 0.92 if size >= 10 else 0.85
        yield Cell("95 % interval of a mean Gini covers", setting, held, fewer, limit, at_least=True)


def words(trials: int) -> Iterator[Cell]:
    """How often a verdict is true, and how often it says more than is."""
    for true, options in JUDGED if trials >= MANY else JUDGED[:1]:
        shares = favourite(options, true)
        drawn = np.random.default_rng([13, options]).multinomial(32, shares, size=trials).tolist()
        right = sum(holds_word(judged(counts), _band(true)) for counts in drawn)
        setting = f"{options} options, Gini {true}, N = 32"
        yield Cell("the verdict is right, or names both neighbours", setting, right, trials, 0.9, at_least=True)
    sizes = SIZES if trials >= MANY else (10,)
    for true, options in (*JUDGED, (0.55, 5)) if trials >= MANY else ((0.28, 5),):
        for size in sizes:
            drawn = np.random.default_rng([14, size]).multinomial(size, favourite(options, true), size=trials).tolist()
            said = [judged(counts) for counts in drawn]
            setting = f"{options} options, Gini {true}, N = {size}"
            yield Cell("“high” is said and untrue", setting, said.count(HIGH), trials, 0.05)
            if _band(true) == "low":
                untrue = sum(word in COLLAPSED for word in said)
                yield Cell("a collapse is said and untrue", setting, untrue, trials, 0.05)


def chance(trials: int) -> Iterator[Cell]:
    """How often an even chooser is called anything else."""
    some = [(5, 32)]
    every = [(options, size) for options in (2, 5, 20) for size in (5, 10, 32, 100, 200)]
    for options, size in every if trials >= MANY else some:
        drawn = np.random.default_rng([15, options, size]).multinomial(size, [1 / options] * options, size=trials)
        shown = sum(collapse_p_value(counts) < 0.05 for counts in drawn.tolist())
        yield Cell("an even chooser is told from chance at 0.05", f"{options} options, N = {size}", shown, trials, 0.05)
    cells, wrong = 30, 0
    fewer = max(10, trials // 5)
    rng = np.random.default_rng(16)
    for _ in range(fewer):
        counted = rng.multinomial(32, [0.2] * 5, size=cells).tolist()
        names = ("a", "b", "c", "d", "e")
        tree = [TreeCell(level=0, path=(), options=names, counts=tuple(counts)) for counts in counted]
        found = with_verdicts(measure_cells(tree, OPTIONS), OPTIONS)
        wrong += any(each.measures.p_holm < 0.05 for each in found)
    setting = f"{cells} even cells, 5 options, N = 32 each"
    yield Cell("any cell is told from chance after Holm", setting, wrong, fewer, 0.05)


def comparison(trials: int) -> Iterator[Cell]:
    """How often two choosers are told apart that are equally collapsed, and two that differ by what is detectable."""
    some = [(5, 0.28, 20, 100, False)]
    every = [
        (options, true, one, other, turned)
        for options, true in ((5, 0.0), (5, 0.28), (20, 0.45))
        for one, other in ((20, 20), (32, 32), (100, 100), (20, 200))
        for turned in (False, True)
        if true or not turned
    ]
    for options, true, one, other, turned in every if trials >= MANY else some:
        shares = favourite(options, true)
        theirs = shares[::-1] if turned else shares
        rng = np.random.default_rng([17, options, one, other, int(turned)])
        wrong = covered = 0
        for trial in range(trials):
            pair = rng.multinomial(one, shares).tolist(), rng.multinomial(other, theirs).tolist()
            wrong += permutation_test_of_cells([pair], seed=trial).p_difference < 0.05
            difference = gini_difference([pair[0]], [pair[1]])
            covered += math.isnan(difference.low) or difference.low <= 0 <= difference.high
        which = "other favourites" if turned else "the same chooser"
        setting = f"{options} options, Gini {true}, N = {one} and {other}, {which}"
        yield Cell("two equally collapsed are told apart at 0.05", setting, wrong, trials, 0.05)
        yield Cell("95 % interval of the difference covers", setting, covered, trials, 0.92, at_least=True)
    if trials >= MANY:
        yield from _detected(trials)


def _detected(trials: int) -> Iterator[Cell]:
    for options, size in ((5, 50), (5, 200), (20, 100)):
        rng = np.random.default_rng([18, options, size])
        names = [f"o{number}" for number in range(options)]
        even = favourite(options, 0.1)

        def compared(first: list[float], second: list[float]) -> tuple[float, bool]:
            roots = {
                model: {"q": dict(zip(names, rng.multinomial(size, shares).tolist(), strict=True))}  # noqa: B023
                for model, shares in (("a", first), ("b", second))
            }
            (headline,) = compare_roots(roots, OPTIONS).paired.of_headline()
            return headline.test.detectable, headline.shown

        step = float(np.mean([compared(even, even)[0] for _ in range(50)]))
        other = favourite(options, min(0.1 + step, 0.95 * (1 - 1 / options)))
        found = sum(compared(other, even)[1] for _ in range(trials))
        setting = f"{options} options, N = {size}, {step:.3f} apart"
        yield Cell("a detectable difference is found", setting, found, trials, 0.72, at_least=True)


SIMULATIONS: tuple[Simulation, ...] = (interval_of_the_gini, interval_of_a_level, words, chance, comparison)
