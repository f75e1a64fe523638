"""How the cells of a sheet hang together: what each weighs in its level, and which are missing above or below."""

from __future__ import annotations

from scoresheet.metrics.families.mode_collapse.cells import Cell, Counted
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Problem


def weigh(counted: Counted) -> None:
    """Give each cell the share of its parent path, down from the root; what does not hang together is noted."""
    cells = {(cell.level, cell.path): cell for cell in counted.cells}
    levels = {cell.level for cell in counted.cells}
    never: dict[int, list[Cell]] = {}
    for cell in sorted(counted.cells, key=lambda each: each.level):  # a parent before its children
        if cell.level:
            above = cells.get((cell.level - 1, cell.path[:-1]))
            times = above.counts[cell.path[-1]] if above and cell.path else 0
            cell.weight = above.weight * times / above.total if above and times else 0.0
            if not times:
                never.setdefault(cell.level, []).append(cell)
    for level, lost in never.items():
        why = "were never chosen there" if level - 1 in levels else "cannot have been: it was not sampled"
        parents = join_names(each.parent for each in lost)
        message = f"parents of level {level} that should be chosen at level {level - 1} {why}, and weigh 0: {parents}"
        counted.problems.append(_note("unknown-parent", message, lost[0]))
    for cell in counted.cells:
        below = [
            option
            for option in cell.options
            if cell.level + 1 in levels and cell.counts[option] and (cell.level + 1, (*cell.path, option)) not in cells
        ]
        if below:
            under = f" under {cell.parent!r}" if cell.path else ""
            message = (
                f"chosen at level {cell.level}{under} and not sampled at level {cell.level + 1}: {join_names(below)}"
            )
            counted.problems.append(_note("unsampled-parent", message, cell))
    if counted.cells and 0 not in levels:
        known = join_names(map(str, sorted(levels)))
        message = f"nothing counts at level 0, which gives a model its score; there are levels {known}"
        counted.problems.append(_note("no-root", message, counted.cells[0]))


def _note(kind: str, message: str, cell: Cell) -> Problem:
    return Problem(kind=kind, message=message, effect="note", row=cell.first_row, column="parent")
