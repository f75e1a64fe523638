"""What makes cells of worksheets and CSV lines: compiled where that was built, else in Python, with the same bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from scoresheet.cli.write import cells
from scoresheet.cli.write.cell_text import CELL_LIMIT
from scoresheet.cli.write.cells import LONG, CellEnds
from scoresheet.cli.write.csv_lines import csv_lines
from scoresheet.cli.write.text_width import MOST_LINES, NARROW, lines
from scoresheet.metrics.compiled import TWIN, compiled_part, why_twin

_PART = compiled_part("scoresheet.cli.write._cells")
REVISION: Final = 2  # of what is called here; the same number stands in `_cells.c`
_SURELY_FITS: Final = CELL_LIMIT // 2  # characters, of two units at most


class Block(Protocol):
    """The cells of some rows of a table."""

    def xml(self, first: int, starts: list[tuple[str, str]], heights: list[float], /) -> bytes:
        """Return the rows in XML, numbered from `first` on, each cell begun by what stands around the row's number."""


class CellMaker(NamedTuple):
    """What makes cells of values, and says how high their rows are."""

    name: str  # with what tells one compiled source from another
    block: Callable[[list[list[Any]], CellEnds], Block]  # of columns, of as many values each
    raise_lines: Callable[[list[int], list[Any], float], None]
    csv_lines: Callable[[list[list[Any]]], bytes | None]  # None where they are not plain
    reason: str  # why it is this one


def chosen_maker(variables: Mapping[str, str]) -> CellMaker:
    """Return the compiled one, unless it is not there, not of this revision, or the variable asks for its twin."""
    reason, module = why_twin(_PART, REVISION, variables), _PART.module
    if reason or module is None:
        return CellMaker(TWIN, cells.Block, cells.raise_lines, csv_lines, reason)
    made, raised = module.Block, module.raise_lines
    return CellMaker(
        f"C {module.SOURCE}",
        lambda columns, ends: made(columns, ends.known, ends.of, LONG, _SURELY_FITS),
        lambda tallest, values, width: raised(tallest, values, width, MOST_LINES, NARROW, lines),
        module.csv_lines,
        "compiled",
    )


_MAKER = chosen_maker(os.environ)


def cell_maker() -> CellMaker:
    """Return what makes the cells in this process."""
    return _MAKER
