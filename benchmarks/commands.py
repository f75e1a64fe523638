"""A command against its peers at three sizes, and by itself with more and more models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness import OURS, PURE, PURE_KERNEL, Agreement, Figures, Line, Side, our_command, plain_command, take_turns

MANY = (10, 40, 150)  # models of the lines in which nothing but their number grows
ALONE = "scoresheet --no-compare"


class Size(NamedTuple):
    """How many models there are, and how many units each of them has."""

    models: int
    units: int

    @property
    def total(self) -> int:
        """The units of all models."""
        return self.models * self.units


class Job(NamedTuple):
    """Where a job lies: the arguments that both sides are given."""

    arguments: list[str]
    models: list[str]


class Peer(NamedTuple):
    """A plain script, and how many units it scores before the rest is reckoned from them."""

    name: str
    script: str
    before: tuple[str, ...] = ()  # its first arguments
    every: Callable[[Size], int] = lambda _: 1


@dataclass(frozen=True, kw_only=True)
class Bench:
    """How a command is measured."""

    name: str  # of its table
    command: str
    units: str  # what there are more and more of: "rows", "texts"
    about: str  # what the job is, and what the peers do
    write: Callable[[Path, Size], Job]
    sizes: tuple[Size, Size, Size]
    quick: tuple[Size, Size, Size]
    peers: tuple[Peer, ...]
    agreement: Agreement
    each_of_many: int  # units of each model, where there are many; 0 for none of these lines
    options: tuple[str, ...] = ()  # by which ours means what the peers mean

    def lines(self, *, quick: bool) -> list[Line]:
        """Return the lines of its table: three sizes, then three numbers of models."""
        grown = self.quick if quick else self.sizes
        repeats = (1, 1, 1) if quick else (2, 2, 1)
        lines = [
            Line(self.name, f"{size.total:,} {self.units}", partial(self._against_peers, size, repeat), size.total)
            for size, repeat in zip(grown, repeats, strict=True)
        ]
        if self.each_of_many:
            lines += [
                Line(self.name, f"{models} models", partial(self._many, models), models)
                for models in (MANY[:2] if quick else MANY)
            ]
        return lines

    def sides(self, job: Job, size: Size) -> dict[str, Side]:
        """Return ours, with either kernel, and the peers."""
        ours = our_command(self.command, [*job.arguments, *self.options])
        sides = {OURS: Side(ours), PURE: Side(ours, PURE_KERNEL)}
        for peer in self.peers:
            sides[peer.name] = Side(plain_command(peer.script, job.arguments, peer.every(size), *peer.before))
        return sides

    def _against_peers(self, size: Size, repeat: int, folder: Path) -> Figures:
        job = self.write(folder / "job", size)
        check = partial(self.agreement.check, models=job.models)
        return Figures(take_turns(self.sides(job, size), folder, repeat=repeat, check=check), size.total)

    def _many(self, models: int, folder: Path) -> Figures:
        """Return what many small models cost, with and without comparing them."""
        job = self.write(folder / "job", Size(models, self.each_of_many))
        arguments = [*job.arguments, *self.options]
        sides = {
            OURS: Side(our_command(self.command, arguments)),
            ALONE: Side(our_command(self.command, [*arguments, "--no-compare"])),
        }
        return Figures(take_turns(sides, folder, repeat=1, twice=False), models)


def names(count: int, stem: str = "model") -> list[str]:
    """Return names of models that sort as they are counted."""
    return [f"{stem}_{number:04d}" for number in range(1, count + 1)]


def every_of(most: int) -> Callable[[Size], int]:
    """Return which units a script scores that shall score so many at most."""
    return lambda size: max(1, -(-size.total // most))


def warm(benches: Sequence[Bench], folder: Path) -> None:
    """Run every side once unmeasured, so that none pays for compiling its modules or for a cold disk."""
    for bench in benches:
        size = Size(1, max(bench.quick[0].units // 5, 1))
        job = bench.write(folder / bench.name / "job", size)
        check = partial(bench.agreement.check, models=job.models)
        take_turns(bench.sides(job, size), folder / bench.name, repeat=1, check=check)
