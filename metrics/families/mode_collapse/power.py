"""How many samples tell a collapsed chooser from a uniform one, and whether some cells had that many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import check_whole
from scoresheet.metrics.families.mode_collapse.null_distribution import DRAWS, NullDistribution
from scoresheet.metrics.families.mode_collapse.verdicts import MODERATE_GINI
from scoresheet.metrics.stats.concentration import gini_of_rank_sums, rank_sums
from scoresheet.metrics.stats.confidence import POWER, SIGNIFICANCE_LEVEL

OPTIONS: Final = (2, 3, 4, 5, 6, 8, 10, 20, 50, 100)
POWERS: Final = (0.8, 0.9, 0.99)
MOST_SAMPLES: Final = 4_096
_SURE: Final = 8  # sizes in a row that must do better than the highest power before none larger is tried
_MARGIN: Final = 0.003
_CASES: Final = 4_000  # collapsed choosers tried at each sample size
_FEW_CASES: Final = 1_000  # where their mean and spread alone are asked for


class SamplesNeeded(NamedTuple):
    """How many samples find a chooser with one favourite among so many options."""

    options: int
    favourite: float  # the share of the favourite; the others share the rest
    samples: tuple[int | None, ...]  # for each of POWERS; None where MOST_SAMPLES are too few


def power_table(gini: float, *, level: float = SIGNIFICANCE_LEVEL, seed: int = 0) -> list[SamplesNeeded]:
    """Return how many samples tell a chooser with one favourite and this Gini from a uniform one."""
    if gini + 1 / max(OPTIONS) > 1:
        raise ValueError(f"power-gini cannot be {gini:g}: no chooser among {max(OPTIONS)} options is that uneven")
    return [
        SamplesNeeded(options, gini + 1 / options, tuple(samples_needed(options, gini, level=level, seed=seed)))
        for options in OPTIONS
        if gini + 1 / options <= 1  # no chooser among so few options is that uneven
    ]


def samples_needed(
    options: int,
    gini: float,
    *,
    powers: Sequence[float] = POWERS,
    level: float = SIGNIFICANCE_LEVEL,
    seed: int = 0,
) -> list[int | None]:
    """Return for each power the least sample size from which on a collapsed chooser is told from a uniform one.

    Choosers of other shapes may have the same Gini; this is the plainest: one favourite, the others alike, for which
    the Gini is the favourite's share less 1/n.

    Parameters
    ----------
    options : int
        How many options there are, at least two.
    gini : float
        The Gini of the chooser, at most 1 - 1/options.
    powers : sequence of float, optional
        The chances, below 1, with which the test of `collapse_p_value` is to find such a chooser.
    level : float, optional
        The level of that test.
    seed : int, optional
        Seed of the choosers that are tried.

    Returns
    -------
    list of int or None
        A sample size for each power; None where MOST_SAMPLES are too few.

    Raises
    ------
    ValueError
        If there are fewer than two options, no chooser among so many has such a Gini, no power is named, a power or the
        level is no chance between 0 and 1, or the seed is none.

    Examples
    --------
    >>> samples_needed(5, 0.4, powers=[0.8, 0.9])
    [18, 24]
    """
    check_whole("options", options, least=2)
    check_whole("seed", seed)
    if not 0 <= gini <= 1 - 1 / options:
        raise ValueError(f"no chooser among {options} options has a Gini of {gini}")
    if not len(powers) or not all(0 < power < 1 for power in powers):
        raise ValueError(f"powers cannot be {list(powers)}; they lie above 0 and below 1")
    if not 0 < level < 1:
        raise ValueError(f"level cannot be {level}; it lies above 0 and below 1")
    return list(_samples_needed(options, gini, tuple(powers), level, seed))


@lru_cache(maxsize=256)
def _samples_needed(
    options: int, gini: float, powers: tuple[float, ...], level: float, seed: int
) -> tuple[int | None, ...]:
    """Return the least sample size for each power; simulated, so a process that asks again is told again."""
    shares = _favourite_shares(options, gini)
    null = NullDistribution(options, seed=seed)
    reached: list[float] = []  # the power at each size
    for total in _SIZES:
        rng = np.random.default_rng([seed, options, total, 1])
        sums = rank_sums(rng.multinomial(total, shares, size=_CASES))
        reached.append(float(np.mean(sums > null.drawn_rank_sums(total)[-_reached_by_chance(level)])))
        if min(reached[-_SURE:]) >= max(powers) + _MARGIN and len(reached) > _SURE:
            break
    return tuple(_least_size(reached, power) for power in powers)


def is_enough(sizes: Iterable[tuple[int, int]], *, level: float = SIGNIFICANCE_LEVEL, seed: int = 0) -> bool:
    """Return whether cells of so many options and samples would have shown a moderate collapse of all of them.

    Asked where a test showed nothing: with a chance of POWER it would have shown choosers with one favourite and the
    least Gini that is moderate.

    >>> is_enough([(5, 20)]), is_enough([(5, 40)]), is_enough([(5, 10)] * 200)
    (False, True, True)
    """
    cells = list(sizes)
    if len(cells) == 1:
        return _power_of_cell(*cells[0], level, seed) >= POWER
    spreads = [_spreads(options, total, seed) for options, total in cells]
    chance, chance_variance, collapsed, variance = (math.fsum(column) for column in zip(*spreads, strict=True))
    reached = chance + NormalDist().inv_cdf(1 - level) * math.sqrt(chance_variance)
    return collapsed - NormalDist().inv_cdf(POWER) * math.sqrt(variance) >= reached


@lru_cache(maxsize=2048)
def _power_of_cell(options: int, total: int, level: float, seed: int) -> float:
    """Return the chance with which a moderately collapsed chooser is told from a uniform one."""
    by_chance = NullDistribution(options, seed=seed).drawn_rank_sums(total)
    return float(np.mean(_collapsed_rank_sums(options, total, seed) > by_chance[-_reached_by_chance(level)]))


@lru_cache(maxsize=2048)
def _spreads(options: int, total: int, seed: int) -> tuple[float, float, float, float]:
    """Return mean and variance of the Gini of a uniform and of a moderately collapsed chooser in such samples."""
    sums = NullDistribution(options, seed=seed).drawn_rank_sums(total), _collapsed_rank_sums(options, total, seed)
    even, collapsed = (gini_of_rank_sums(each, options, total) for each in sums)
    return float(even.mean()), float(even.var()), float(collapsed.mean()), float(collapsed.var())


def _collapsed_rank_sums(options: int, total: int, seed: int) -> NDArray[np.int64]:
    rng = np.random.default_rng([seed, options, total, 2])
    return rank_sums(rng.multinomial(total, _favourite_shares(options, MODERATE_GINI), size=_FEW_CASES))


def _reached_by_chance(level: float) -> int:
    """Return how many draws at or above a value make its p-value the significance level."""
    return max(1, math.ceil(level * (DRAWS + 1)) - 1)


def _favourite_shares(options: int, gini: float) -> list[float]:
    """Return the shares of a chooser with one favourite, the others alike, that has this Gini."""
    favourite = gini + 1 / options
    return [favourite, *[(1 - favourite) / (options - 1)] * (options - 1)]


def _least_size(reached: Sequence[float], power: float) -> int | None:
    """Return the least size from which on this power holds: it goes up and down, since samples are whole numbers."""
    least = None
    for total, value in zip(reversed(_SIZES[: len(reached)]), reversed(reached), strict=True):
        if value < power:
            break
        least = total
    return least


def _sizes() -> Iterator[int]:
    """Yield the sample sizes that are tried: each at first, then in steps of a thirtieth."""
    total = 2
    while total <= MOST_SAMPLES:
        yield total
        total += max(1, total // 30)


_SIZES: Final = tuple(_sizes())
