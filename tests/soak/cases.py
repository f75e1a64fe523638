"""A row of the table of docs/reliability.md: cases that each have a number and a seed, and what was wrong with one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

SEED = 16  # of everything; a case's own is made of this, its row and its number

CORRUPT, TRACEBACK, HANG, MEMORY = FAULTS = ("corrupt or lost", "traceback", "hang", "over memory")


class Fault(NamedTuple):
    """What a case showed that must not be: one of the four kinds, the case to repeat it by, and what was seen."""

    kind: str
    case: str
    said: str


# What trying cases gives, one after the other: None for each trial that held, else what was wrong.
Trials = Iterator[Fault | None]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    title: str
    passes: str  # what has to be so
    trial: str  # what is counted
    short: int  # cases of every test run
    long: int  # cases of `make soak`
    shard: int  # cases that are done at one go
    run: Callable[[Path, Sequence[int]], Trials]  # in an empty folder
    is_counted: bool = True  # whether a case is one trial; if not, it is every call of a run, or the like

    def shards(self) -> list[range]:
        """The numbers of all cases, a range for each shard."""
        return [range(first, min(first + self.shard, self.long)) for first in range(0, self.long, self.shard)]


def case_name(row: str, number: int) -> str:
    """What a case is called, and repeated by."""
    return f"{row}:{number}"


def rng_of(row: str, number: int) -> random.Random:
    """The chance of one case: the same wherever and whenever it is tried, alone or among others."""
    return random.Random(f"{SEED}:{case_name(row, number)}")
