"""How many samples a cell needs before a collapsed chooser can be told from a uniform one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from scoresheet.metrics.checks import check_between, check_whole
from scoresheet.metrics.families.mode_collapse.null_distribution import DRAWS, NullDistribution
from scoresheet.metrics.stats.concentration import rank_sums
from scoresheet.metrics.stats.confidence import SIGNIFICANCE_LEVEL

OPTIONS: Final = (2, 3, 4, 5, 6, 8, 10, 20, 50, 100)
POWERS: Final = (0.8, 0.9, 0.99)
MOST_SAMPLES: Final = 4_096
_SURE: Final = 8  # sizes in a row that must do better than the highest power before none larger is tried
_MARGIN: Final = 0.003
_CASES: Final = 4_000  # collapsed choosers tried at each sample size


class SamplesNeeded(NamedTuple):
    """How many samples find a chooser with one favourite among so many options."""

    options: int
    favourite: float  # the share of the favourite; the others share the rest
    samples: tuple[int | None, ...]  # for each of POWERS; None where MOST_SAMPLES are too few


def power_table(gini: float, *, seed: int = 0) -> list[SamplesNeeded]:
    """Return how many samples tell a chooser with one favourite and this Gini from a uniform one."""
    if gini + 1 / max(OPTIONS) > 1:
        raise ValueError(f"power-gini cannot be {gini:g}: no chooser among {max(OPTIONS)} options is that uneven")
    return [
        SamplesNeeded(options, gini + 1 / options, tuple(samples_needed(options, gini, seed=seed)))
        for options in OPTIONS
        if gini + 1 / options <= 1  # no chooser among so few options is that uneven
    ]


def samples_needed(options: int, gini: float, *, powers: Sequence[float] = POWERS, seed: int = 0) -> list[int | None]:
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
        The chances, below 1, with which the test of `collapse_p_value` is to find such a chooser at SIGNIFICANCE_LEVEL.
    seed : int, optional
        Seed of the choosers that are tried.

    Returns
    -------
    list of int or None
        A sample size for each power; None where MOST_SAMPLES are too few.

    Raises
    ------
    ValueError
        If there are fewer than two options, no chooser among so many has such a Gini, a power is not above 0 and below
        1 or none is named, or the seed is none.

    Examples
    --------
    >>> samples_needed(5, 0.4, powers=[0.8, 0.9])
    [18, 24]
    """
    check_whole("options", options, least=2)
    check_whole("seed", seed)
    check_between("gini", gini, 0, 1 - 1 / options)
    if not len(powers) or not all(0 < power < 1 for power in powers):
        raise ValueError(f"powers cannot be {list(powers)}; they lie above 0 and below 1")
    favourite = gini + 1 / options
    shares = [favourite, *[(1 - favourite) / (options - 1)] * (options - 1)]
    # draws at or above a value that make its p-value the significance level
    reached_by_chance = math.ceil(SIGNIFICANCE_LEVEL * (DRAWS + 1)) - 1
    null = NullDistribution(options, seed=seed)
    reached: list[float] = []  # the power at each size
    for total in _SIZES:
        rng = np.random.default_rng([seed, options, total, 1])
        sums = rank_sums(rng.multinomial(total, shares, size=_CASES))
        reached.append(float(np.mean(sums > null.drawn_rank_sums(total)[-reached_by_chance])))
        if min(reached[-_SURE:]) >= max(powers) + _MARGIN and len(reached) > _SURE:
            break
    return [_least_size(reached, power) for power in powers]


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
