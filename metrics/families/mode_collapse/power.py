"""How many samples a cell needs before a collapsed chooser can be told from a uniform one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from scoresheet.metrics.core import Column, Page
from scoresheet.metrics.families.mode_collapse.chance import DRAWS, Chance
from scoresheet.metrics.families.mode_collapse.verdicts import CHANCE_LIMIT
from scoresheet.metrics.stats.concentration import rank_sums
from scoresheet.metrics.tables import frame_of_rows

OPTIONS: Final = (2, 3, 4, 5, 6, 8, 10, 20, 50, 100)
POWERS: Final = (0.8, 0.9, 0.99)
MOST_SAMPLES: Final = 4_096
_SURE: Final = 8  # sizes in a row that must do better than the highest power before none larger is tried
_MARGIN: Final = 0.003
_CASES: Final = 4_000  # collapsed choosers tried at each sample size

COLUMNS: Final = (
    Column("Options", "Options declared.", "count"),
    Column("Favourite", "Share of the favourite of a chooser with this Gini; the others share the rest.", "share"),
    *(
        Column(f"N_{power:.0%}", f"Samples from which on it is found in {power:.0%} of all cases.", "count")
        for power in POWERS
    ),
)


def power_page(gini: float, seed: int) -> Page:
    """Return how many samples tell a chooser with one favourite and this Gini from a uniform one, at 5 %."""
    if gini + 1 / max(OPTIONS) > 1:
        raise ValueError(f"power-gini cannot be {gini:g}: no chooser among {max(OPTIONS)} options is that uneven")
    rows = [
        (options, gini + 1 / options, *samples_needed(options, gini, seed=seed))
        for options in OPTIONS
        if gini + 1 / options <= 1  # no chooser among so few options is that uneven
    ]
    title = (
        f"Samples per cell that tell a Gini of {gini:g} (one favourite) from a uniform chooser, p < {CHANCE_LIMIT:g}"
    )
    if any(None in row for row in rows):
        title += f"; –: more than {MOST_SAMPLES:,}"
    return Page(title, frame_of_rows([column.name for column in COLUMNS], rows), COLUMNS)


def samples_needed(options: int, gini: float, *, powers: Sequence[float] = POWERS, seed: int = 0) -> list[int | None]:
    """Return for each power the least sample size from which on it holds; None where MOST_SAMPLES are too few.

    Shapes differ at the same Gini; this is the plainest: one favourite, the others alike, for which the Gini is the
    favourite's share less 1/n.
    """
    favourite = gini + 1 / options
    shares = [favourite, *[(1 - favourite) / (options - 1)] * (options - 1)]
    reached_by_chance = math.ceil(CHANCE_LIMIT * (DRAWS + 1)) - 1  # draws at or above a value that make its p 5 %
    chance = Chance(options, seed=seed)
    found: list[float] = []
    for total in _SIZES:
        rng = np.random.default_rng([seed, options, total, 1])
        sums = rank_sums(rng.multinomial(total, shares, size=_CASES))
        found.append(float(np.mean(sums > chance.drawn(total)[-reached_by_chance])))
        if min(found[-_SURE:]) >= max(powers) + _MARGIN and len(found) > _SURE:
            break
    return [_from_here_on(found, power) for power in powers]


def _from_here_on(found: Sequence[float], power: float) -> int | None:
    """Return the least size from which on this power holds: it goes up and down, since samples are whole numbers."""
    least = None
    for total, reached in zip(reversed(_SIZES[: len(found)]), reversed(found), strict=True):
        if reached < power:
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
