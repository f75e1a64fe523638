"""What a simulation found: how often an interval covered, a test was wrong, a word was untrue; and what may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scipy.stats import binomtest  # type: ignore[import-untyped]

SURE = 0.99  # a cell fails only where so wide an interval of its share excludes the limit


@dataclass(frozen=True)
class Cell:
    """One line of the table: a claim under one setting, and in how many simulated cases it happened."""

    claim: str  # such as "95 % interval of the mean covers"
    setting: str  # such as "10 idioms, 3 rows each"
    hits: int
    trials: int  # cases in which the claim was made at all; an interval that says "too few" makes none
    limit: float
    at_least: bool = False  # the share must reach the limit (coverage, power); else it must not exceed it

    @property
    def share(self) -> float:
        """The share of cases."""
        return self.hits / self.trials if self.trials else float("nan")

    @property
    def ends(self) -> tuple[float, float]:
        """The binomial interval of the share."""
        if not self.trials:
            return 0.0, 1.0
        found = binomtest(self.hits, self.trials).proportion_ci(SURE, method="exact")
        return float(found.low), float(found.high)

    @property
    def holds(self) -> bool:
        """Whether the share is compatible with the limit."""
        low, high = self.ends
        return high >= self.limit if self.at_least else low <= self.limit

    def line(self) -> tuple[str, ...]:
        """The cells of a line of the table."""
        low, high = self.ends
        wanted = f"{'≥' if self.at_least else '≤'} {100 * self.limit:g} %"
        if not self.trials:
            return self.claim, self.setting, "says too few", "", wanted, "yes"
        found = f"{100 * self.share:.1f} % of {self.trials:,}"
        return (
            self.claim,
            self.setting,
            found,
            f"{100 * low:.1f} to {100 * high:.1f} %",
            wanted,
            "yes" if self.holds else "NO",
        )


Simulation = Callable[[int], Iterator[Cell]]  # told how many trials a cell has
