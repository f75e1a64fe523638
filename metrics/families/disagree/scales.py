"""The scales that scores lie on: one for all judges, or one of his own for some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from scoresheet.metrics.keys import join_key
from scoresheet.metrics.numbers import format_float, parse_float
from scoresheet.metrics.records import dataclass

Range = tuple[float, float]

UNIT: Final[Range] = (0.0, 1.0)


@dataclass(frozen=True)
class Scales:
    """The lowest and the highest possible score, of all judges but those who have their own."""

    general: Range = UNIT
    by_judge: Mapping[str, Range] = field(default_factory=dict)

    def of(self, judge: str) -> Range:
        """Return the scale of a judge."""
        return self.by_judge.get(judge, self.general)

    @property
    def differ(self) -> bool:
        """Whether judges have different scales."""
        return any(ends != self.general for ends in self.by_judge.values())

    @property
    def common(self) -> Range:
        """The scale that all scores lie on when they are compared: theirs, or 0 to 1 where they differ."""
        return UNIT if self.differ else self.general

    def written(self) -> str:
        """Return the scales as the option is written, those of judges by name."""
        own = [f"{judge}={_written(ends)}" for judge, ends in sorted(self.by_judge.items())]
        return ",".join([_written(self.general), *own])


def parse_scales(text: str) -> Scales:
    """Return the scales that are declared: LOW:HIGH for all, JUDGE=LOW:HIGH for one, the last said of each.

    >>> parse_scales("1:5,gemini=0:100")
    Scales(general=(1.0, 5.0), by_judge={'gemini': (0.0, 100.0)})
    """
    general = UNIT
    by_judge: dict[str, Range] = {}
    for part in text.split(","):
        judge, equals, ends = part.rpartition("=")
        name = join_key(judge)
        if not equals:
            general = parse_range(part, "scale")
        elif not name:
            raise ValueError(f"scale cannot be {text!r}; write whose scale it is, such as judge_a=1:5")
        else:
            by_judge[name] = parse_range(ends, "scale")
    return Scales(general, by_judge)


def parse_range(text: str, name: str) -> Range:
    """Return the two ends of a range, or say how one is written.

    >>> parse_range("1:5", "scale")
    (1.0, 5.0)
    """
    first, _, last = text.partition(":")
    low, high = parse_float(first), parse_float(last)
    if low is None or high is None or not low < high:
        raise ValueError(f"{name} cannot be {text!r}; write the lower and the higher end, such as 0:1 or 1:5")
    return (low, high)


def _written(ends: Range) -> str:
    return ":".join(map(format_float, ends))
