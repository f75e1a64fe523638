"""What each cell weighs in its level: how often its parent was chosen; and which cells are missing above or below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scoresheet.metrics.families.mode_collapse.option_sets import Path
from scoresheet.metrics.families.mode_collapse.schema import PARENT
from scoresheet.metrics.families.mode_collapse.tree_cells import Cell
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted, Problem, note

_CellsByPath = Mapping[tuple[int, Path], Cell]


def assign_parent_weights(cells: Sequence[Cell]) -> Noted[tuple[Cell, ...]]:
    """Return the cells with the share of their parent path, down from the root; what hangs in the air is noted."""
    weighted: dict[tuple[int, Path], Cell] = {}
    orphans: dict[int, list[Cell]] = {}  # by level
    for cell in sorted(cells, key=lambda each: each.level):  # a parent before its children
        weight = 1.0
        if cell.level:
            above = weighted.get((cell.level - 1, cell.path[:-1]))
            times = above.count_of(cell.path[-1]) if above and cell.path else 0
            weight = above.weight * times / above.total if above and times else 0.0
            if not times:
                orphans.setdefault(cell.level, []).append(cell)
        weighted[cell.level, cell.path] = replace(cell, weight=weight)
    problems = (*_orphans(orphans, weighted), *_unsampled(cells, weighted), *_missing_root(cells))
    return Noted(tuple(weighted[cell.level, cell.path] for cell in cells), problems)


def _orphans(orphans: Mapping[int, Sequence[Cell]], cells: _CellsByPath) -> Iterator[Problem]:
    levels = {level for level, _ in cells}
    for level, children in orphans.items():
        why = "were never chosen there" if level - 1 in levels else "cannot have been: it was not sampled"
        parents = join_names(cell.parent for cell in children)
        message = f"parents of level {level} that should be chosen at level {level - 1} {why}, and weigh 0: {parents}"
        yield _note("unknown-parent", message, children[0])


def _unsampled(cells: Sequence[Cell], by_path: _CellsByPath) -> Iterator[Problem]:
    levels = {level for level, _ in by_path}
    for cell in cells:
        below = cell.level + 1
        options = [
            option
            for option, count in zip(cell.options, cell.counts, strict=True)
            if below in levels and count and (below, (*cell.path, option)) not in by_path
        ]
        if options:
            under = f" under {cell.parent!r}" if cell.path else ""
            message = f"chosen at level {cell.level}{under} and not sampled at level {below}: {join_names(options)}"
            yield _note("unsampled-parent", message, cell)


def _missing_root(cells: Sequence[Cell]) -> Iterator[Problem]:
    levels = sorted({cell.level for cell in cells})
    if levels and 0 not in levels:
        known = join_names(map(str, levels))
        message = f"nothing counts at level 0, which gives a model its score; there are levels {known}"
        yield _note("no-root", message, cells[0])


def _note(kind: str, message: str, cell: Cell) -> Problem:
    return note(kind, message, row=cell.first_row, column=PARENT.name)
