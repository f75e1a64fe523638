"""The compiled twin of cells.py, where it was built; see cell_maker.py."""

from collections.abc import Callable
from typing import Any, Final

REVISION: Final[int]
SOURCE: Final[str]

class Block:
    def __new__(
        cls,
        columns: list[list[Any]],
        known: dict[str, str | None],
        end_of: Callable[[Any], str],
        long: int,
        longest: int,
    ) -> Block: ...
    def xml(self, first: int, starts: list[tuple[str, str]], heights: list[float], /) -> bytes: ...

def raise_lines(
    tallest: list[int],
    values: list[Any],
    width: float,
    most: int,
    narrow: float,
    lines: Callable[[Any, float], int],
    /,
) -> None: ...
