"""How choices are counted and tested; the help text lives beside each option."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scoresheet.metrics.messages import flag
from scoresheet.metrics.options import Options, option

FUZZY_OFF: Final = 0
MOST_FUZZY: Final = 100  # of a resemblance
# among what the choices seen at a level are a cell's options, where no table declares them
OBSERVED_IN: Final = ("run", "sheet", "parent")
POWER_GINI: Final = 0.3
POWER_GINIS: Final = (0.02, 0.99)  # below, no sample tried is large enough; above, no chooser is that uneven


@dataclass(frozen=True, kw_only=True)
class ModeCollapseOptions(Options):
    """How choices are found, counted and tested."""

    fuzzy: int = option(
        FUZZY_OFF,
        f"Map a text to the option it resembles at least this much (1 to {MOST_FUZZY}); {FUZZY_OFF} switches that off. "
        "Every such mapping is listed.",
        sign="fuzzy",
        always=True,
        minimum=FUZZY_OFF,
        common="Likeness from which a text is an option; 0: off.",
    )
    observed: str = option(
        OBSERVED_IN[0],
        "Without a table of options, these are the choices seen at a level: in the whole run, in sheets of the same "
        "name, or there under the same parent.",
        choices=OBSERVED_IN,
        sign="options",
        always=True,
        common="Where options are seen without a table.",
    )
    target: str = option(
        "",
        "Table of level, parent, option and share: test against a chooser with these shares, not a uniform one.",
        sign="target",
        metavar="FILE",
        common="Shares to test against, not uniform ones.",
    )
    power: bool = option(
        False,
        "Only print how many samples a cell needs to tell a collapsed chooser from a uniform one.",
        common="Only print how many samples to take.",
    )
    power_gini: float = option(POWER_GINI, f"The Gini that {flag('power')} is about.", metavar="GINI")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fuzzy > MOST_FUZZY:
            raise ValueError(f"fuzzy cannot be {self.fuzzy}; the most is {MOST_FUZZY}")
        if self.power_gini != POWER_GINI and not self.power:
            raise ValueError(f"power-gini says what {flag('power')} is about; add {flag('power')}")
        if self.power and (self.fuzzy or self.target or self.observed != OBSERVED_IN[0]):
            raise ValueError(f"power reads nothing; leave out {flag('fuzzy')}, {flag('observed')} and {flag('target')}")
        least, most = POWER_GINIS
        if not least <= self.power_gini <= most:
            raise ValueError(f"power-gini cannot be {self.power_gini}; it lies between {least} and {most}")

    def signature(self, *, referenced: bool = True) -> Iterator[str]:
        """Yield the options; a table of options makes it idle how they would have been seen."""
        seen = f"options:{self.in_signature('observed', self.observed)}"
        for part in super().signature(referenced=referenced):
            yield "options:table" if referenced and part == seen else part

    def in_signature(self, name: str, value: object) -> str:
        """Return that there is a target; which one, the hashes beside the signature say."""
        if name == "observed":
            return "seen" if value == OBSERVED_IN[0] else f"seen-by-{value}"
        return "table" if name == "target" else super().in_signature(name, value)
