"""How choices are counted and tested; the help text lives beside each option."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scoresheet.metrics.options import Options, option


@dataclass(frozen=True, kw_only=True)
class ModeCollapseOptions(Options):
    """How choices are found, counted and tested."""

    fuzzy: int = option(
        0,
        "Map a text to the option it resembles at least this much (1 to 100); 0 switches that off. Every such mapping "
        "is listed.",
        sign="fuzzy",
        always=True,
        minimum=0,
    )
    observed: str = option(
        "run",
        "Without a table of options, these are the choices seen at a level: in the whole run, in sheets of the same "
        "name, or there under the same parent.",
        choices=("run", "sheet", "parent"),
        sign="options",
        always=True,
    )
    target: str = option(
        "",
        "Table of level, parent, option and share: test against a chooser with these shares, not a uniform one.",
        sign="target",
        metavar="FILE",
    )
    power: bool = option(
        False, "Only print how many samples a cell needs to tell a collapsed chooser from a uniform one."
    )
    power_gini: float = option(0.3, "The Gini that --power is about.", metavar="GINI")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fuzzy > 100:
            raise ValueError(f"fuzzy cannot be {self.fuzzy}; the most is 100")
        if self.power_gini != 0.3 and not self.power:
            raise ValueError("power-gini says what --power is about; add --power")
        if self.power and (self.fuzzy or self.target or self.observed != "run"):
            raise ValueError("power reads nothing; leave out --fuzzy, --observed and --target")
        if not 0.02 <= self.power_gini <= 0.99:
            raise ValueError(f"power-gini cannot be {self.power_gini}; it lies between 0.02 and 0.99")

    def signature(self, *, referenced: bool = True) -> Iterator[str]:
        """Yield the options; a table of options makes it idle how they would have been seen."""
        seen = f"options:{self.in_signature('observed', self.observed)}"
        for part in super().signature(referenced=referenced):
            yield "options:table" if referenced and part == seen else part

    def in_signature(self, name: str, value: object) -> str:
        """Return that there is a target; which one, the hashes beside the signature say."""
        if name == "observed":
            return "seen" if value == "run" else f"seen-by-{value}"
        return "table" if name == "target" else super().in_signature(name, value)
