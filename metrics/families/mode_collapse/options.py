"""How choices are counted and tested; the help text lives beside each option."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from scoresheet.metrics.messages import flag
from scoresheet.metrics.options import Options, option
from scoresheet.metrics.records import dataclass

FUZZY_OFF: Final = 0
MOST_FUZZY: Final = 100  # of a resemblance
# among what the choices seen at a level are a cell's options, where no table declares them
OBSERVED_IN: Final = ("run", "sheet", "parent")
LAST: Final = "last"  # the option that a text mentions last
ALIAS_SEPARATOR: Final = "|"
POWER_GINI: Final = 0.3
POWER_GINIS: Final = (0.02, 0.99)  # below, no sample tried is large enough; above, no chooser is that uneven


def inline_options(text: str) -> dict[str, tuple[str, ...]]:
    """Return the options that a list in line declares, each with its aliases.

    >>> inline_options("Japan|Nippon, Italy,")
    {'Japan': ('Nippon',), 'Italy': ()}
    """
    named = [[part.strip() for part in each.split(ALIAS_SEPARATOR) if part.strip()] for each in text.split(",")]
    return {name: tuple(aliases) for name, *aliases in filter(None, named)}


def walk_columns(text: str) -> tuple[str, ...]:
    """Return the columns that a walk stands in, in order.

    >>> walk_columns("country, activity")
    ('country', 'activity')
    """
    return tuple(name.strip() for name in text.split(",") if name.strip())


@lru_cache(maxsize=8)
def answer_pattern(how: str) -> re.Pattern[str]:
    """Return the pattern of an answer; a ValueError says what is wrong with it."""
    try:
        return re.compile(how)
    except re.error as error:
        raise ValueError(
            f"extract cannot be {how!r} ({error}); write a regular expression such as 'Answer: (.*)', or "
            f"{flag(f'extract {LAST}')}"
        ) from None


@dataclass(frozen=True, kw_only=True)
class ModeCollapseOptions(Options):
    """How choices are found, counted and tested."""

    options: str = option(
        "",
        "The options of level 0, joined by commas, each with its aliases behind |, e.g. 'Japan|Nippon,Italy'; or the "
        "table or list of options.",
        sign="options",
        metavar="LIST",
    )
    tree: str = option(
        "",
        "Columns that hold the choices of a walk, from the root down, e.g. country,activity: each is a level, under "
        "the choice before it.",
        sign="tree",
        metavar="COLUMNS",
    )
    extract: str = option(
        "",
        "Where in a text the answer is: a regular expression, whose last match (or the first group of it) counts, or "
        f"'{LAST}' for the option mentioned last. Reasoning in <think> is dropped first, always.",
        sign="extract",
        metavar="REGEX",
    )
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
        least, most = POWER_GINIS
        if not least <= self.power_gini <= most:
            raise ValueError(f"power-gini cannot be {self.power_gini}; it lies between {least} and {most}")
        if self.power:
            self._refuse_idle()
        if self.options and len(inline_options(self.options)) < 2:
            raise ValueError(
                f"options {self.options}: no such file, and no list of two options or more, joined by commas"
            )
        walk = walk_columns(self.tree)
        if self.tree and len(set(walk)) < max(len(walk), 1):
            raise ValueError(
                f"tree cannot be {self.tree!r}; name each column once, from the root down, joined by commas"
            )
        if self.extract:
            answer_pattern(self.extract)

    def _refuse_idle(self) -> None:
        """Raise ValueError for an option that would do nothing beside `power`."""
        kept = {"power", "power_gini", *(field.name for field in dataclasses.fields(Options))}
        own = [field for field in dataclasses.fields(self) if field.name not in kept]
        idle = [field.name for field in own if getattr(self, field.name) != field.default]
        if idle:
            raise ValueError(f"power reads nothing; leave out {' and '.join(map(flag, idle))}")

    @property
    def inline(self) -> dict[str, tuple[str, ...]]:
        """The options that were given in line, each with its aliases."""
        return inline_options(self.options)

    def named_headers(self) -> tuple[str, ...]:
        """Return the columns of a walk."""
        return walk_columns(self.tree)

    def signature(self, *, referenced: bool = True) -> Iterator[str]:
        """Yield the options; where they are declared it is idle how they would have been seen."""
        seen = f"options:{self.in_signature('observed', self.observed)}"
        for part in super().signature(referenced=referenced):
            if part != seen:
                yield part
            elif not self.options:
                yield "options:table" if referenced else seen

    def in_signature(self, name: str, value: object) -> str:
        """Return that there is a target; which one, the hashes beside the signature say."""
        if name == "observed":
            return "seen" if value == OBSERVED_IN[0] else f"seen-by-{value}"
        if name in ("options", "extract"):
            return str(value).replace("|", "¦")  # a signature is cut at |
        return "table" if name == "target" else super().in_signature(name, value)
