"""The choices of a model's cells: as numbers for machines, and read back as bars of a page in a browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from scoresheet.cli.report.mode_collapse_pages import MOST_BARS, cell_name
from scoresheet.cli.report.pictures import Panel, Shares
from scoresheet.cli.report.reporter import Numbers, ReadNumbers
from scoresheet.metrics.families.mode_collapse.result import ModeCollapseResult

CHOICES: Final = "Choices"  # in metrics.json: sheet, level, parent path, option
_MOST_ROOTS: Final = 6  # root cells that all models are held together in
Counts = Mapping[str, float]


def choice_numbers(result: ModeCollapseResult) -> Numbers:
    """Return how often each option of each cell was chosen, those never chosen included."""
    return {
        sheet.name: {
            str(level): {
                cell.parent: dict(zip(cell.options, cell.counts, strict=True))
                for cell, *_ in sheet.cells
                if cell.level == level
            }
            for level in sorted({cell.level for cell, *_ in sheet.cells})
        }
        for sheet in result.sheets
    }


def root_panels(numbers: Mapping[str, ReadNumbers]) -> tuple[Panel, ...]:
    """Return the choices at the root, a bar per model; of several root cells, the first ones."""
    roots: dict[str, dict[str, Counts]] = {}
    one_each = all(len(list(_roots(own))) <= 1 for own in numbers.values())
    for model, own in numbers.items():
        for sheet, parent, counts in _roots(own):
            # a model's file names its sheet, so a single root is the same question whatever its sheet is called
            name = "" if one_each else f": {cell_name(sheet, 0, parent, several=True)}"
            roots.setdefault(f"Choices at level 0{name}", {})[model] = counts
    return tuple(Shares(title, rows) for title, rows in list(roots.items())[:_MOST_ROOTS])


def cell_panels(numbers: ReadNumbers) -> tuple[Panel, ...]:
    """Return the choices of each cell of a model, the most frequent first."""
    several = len(numbers.get(CHOICES, {})) > 1
    rows = {
        cell_name(sheet, level, parent, several=several): counts for sheet, level, parent, counts in _cells(numbers)
    }
    if not rows:
        return ()
    some = f" (the first {MOST_BARS} of {len(rows):,} cells)" if len(rows) > MOST_BARS else ""
    shown = dict(list(rows.items())[:MOST_BARS])
    return (Shares(f"Choices of each cell, the most frequent first{some}", shown, ranked=True),)


def _roots(numbers: ReadNumbers) -> Iterator[tuple[str, str, Counts]]:
    return ((sheet, parent, counts) for sheet, level, parent, counts in _cells(numbers) if not level)


def _cells(numbers: ReadNumbers) -> Iterator[tuple[str, int, str, Counts]]:
    """Yield the cells that anything was chosen in."""
    for sheet, levels in numbers.get(CHOICES, {}).items():
        for level, cells in levels.items():
            for parent, counts in cells.items():
                if any(counts.values()):
                    yield sheet, int(level), parent, counts
