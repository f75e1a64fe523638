"""Work on a sheet in parts: one after the other here, at once where whoever scores has processes for that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, TypeVar

BLOCK_ROWS: Final = 2_000  # rows of a sheet that are scored in one go


class Block(Protocol):
    """A part of a sheet that can be worked on by itself: some of its rows, a cell of its tree, a query."""

    @property
    def rows(self) -> int:
        """How many rows of the input it is made of."""


A = TypeVar("A", bound=Block)
B = TypeVar("B")


class Spread(Protocol):
    """Does the same work on each block of a sheet; what comes of them comes in their order, as it is asked for."""

    def at_once(self, blocks: int, /) -> int:
        """Return how many of so many blocks are worked on at once: they then see nothing of each other."""

    def __call__(self, work: Callable[[A], B], blocks: Sequence[A], /) -> Iterator[B]:
        """Yield what the work makes of each block."""

    def done(self, rows: int, /) -> None:
        """Hear that a family went through so many rows itself."""


class _InTurn:
    """One block after the other, and nobody hears of it."""

    def at_once(self, blocks: int, /) -> int:
        return 1

    def __call__(self, work: Callable[[A], B], blocks: Sequence[A], /) -> Iterator[B]:
        return map(work, blocks)

    def done(self, rows: int, /) -> None:
        return


IN_TURN: Final = _InTurn()


def block_slices(rows: int, size: int = 0) -> list[slice[int, int, None]]:
    """Return where the blocks of so many rows begin and end; a sheet without rows is one block too.

    >>> block_slices(5, 2), block_slices(0, 2)
    ([slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)], [slice(0, 0, None)])
    """
    size = size or BLOCK_ROWS
    return [slice(start, min(start + size, rows)) for start in range(0, max(rows, 1), size)]
