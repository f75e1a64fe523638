"""scores: intervals and comparisons for numbers people already have."""

import math
from contextlib import suppress
from dataclasses import dataclass

from scoresheet.metrics import Command, option
from scoresheet.metrics.role import ASKED, ITEM, MODEL, SAMPLE, Role, outputs


@dataclass(frozen=True)
class ScoresOptions:
    """How people's own numbers are read."""

    lower_is_better: tuple[str, ...] = option(
        (), "A measure for which lower is better; repeatable.", metavar="MEASURE"
    )
    bounds: str = option("", "Lowest and highest possible score, e.g. 0:1.", metavar="LOW:HIGH")

    def __post_init__(self) -> None:
        ends_of(self.bounds)


def ends_of(bounds: str) -> tuple[float, float] | None:
    """Return the two ends of LOW:HIGH, None where nothing is given.

    >>> ends_of("0:100")
    (0.0, 100.0)
    """
    if not bounds:
        return None
    with suppress(ValueError):
        low, high = map(float, bounds.split(":"))
        if -math.inf < low < high < math.inf:
            return low, high
    raise ValueError(f"bounds must be LOW:HIGH, two numbers, the lower first, not {bounds!r}")


COMMAND = Command(
    "scores",
    "Intervals and paired comparisons for scores per item that you already have.",
    ScoresOptions,
    {"outputs": ""},
    "results/scores",
    ("scores",),
)
TABLES = (
    outputs(
        (
            Role("model", words=MODEL),
            Role("sheet"),
            Role("item", words=("id", *ITEM, *ASKED, *SAMPLE), needed=True),
            Role("measure", open=True),
            Role("score", "number", ("accuracy", "acc", "correct", "value"), needed=True),
        ),
        cells=("score",),
        unique=(("item", "measure"),),
    ),
)
