"""The command and the options of scores."""

from dataclasses import dataclass

from scoresheet.metrics.command import Command, option


@dataclass(frozen=True)
class ScoresOptions:
    """How people's own numbers are read."""

    lower_is_better: tuple[str, ...] = option(
        (), "A measure for which lower is better; repeatable.", metavar="MEASURE"
    )
    bounds: str = option("", "Lowest and highest possible score, e.g. 0:1.", metavar="LOW:HIGH")


COMMAND = Command(
    "scores",
    "Intervals and paired comparisons for scores per item that you already have.",
    ScoresOptions,
    {"outputs": ""},
    "results/scores",
)
