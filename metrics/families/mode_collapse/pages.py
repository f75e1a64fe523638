"""The pages of a model's workbook behind its sheets: how the choices are spread, all counts, all mappings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from scoresheet.metrics.core import Column, Page, StackedChart
from scoresheet.metrics.families.mode_collapse.cells import Cell, Counted
from scoresheet.metrics.families.mode_collapse.measures import LEVEL, PARENT, SHEET, is_measured
from scoresheet.metrics.tables import frame_of_rows

_MOST_BARS: Final = 40
# the choices of a cell that have a piece of its bar of their own
_ORDINALS: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th")
OTHERS: Final = "Others"

COUNTS: Final = (
    SHEET,
    LEVEL,
    PARENT,
    Column("Option", "The option, as declared.", "key"),
    Column("Count", "Samples that chose it; an option that nobody chose has 0.", "count"),
    Column("Share", "Its share of the cell's samples.", "share"),
    Column("Target", "Its share under --target, 1/n without one.", "share"),
)
MAPPINGS: Final = (
    SHEET,
    LEVEL,
    PARENT,
    Column("Text", "What the model answered; with ⇒, what a person corrected it to."),
    Column("Option", "The option it was counted as; empty: counted as incomplete.", "key"),
    Column(
        "How",
        "alias; mention: the only option named in the text; fuzzy; correction; none; ambiguous: two options.",
        "label",
    ),
    Column("Samples", "How many samples had this text.", "count"),
)


def distribution_page(counted: Sequence[tuple[str, Counted]]) -> Page:
    """Return each cell's choices from the most to the least frequent, as a bar of pieces."""
    cells = [(sheet, cell) for sheet, each in counted for cell in each.cells if is_measured(cell)]
    widest = max((len(cell.options) for _, cell in cells), default=0)
    ordinals = _ORDINALS[:widest]
    rows: list[list[Any]] = []
    for sheet, cell in cells:
        ranked = sorted(zip(cell.listed, cell.options, strict=True), key=lambda pair: -pair[0])
        row: list[Any] = [_name(sheet, cell, len(counted) > 1), cell.level, cell.total]
        for place in range(len(ordinals)):
            count, option = ranked[place] if place < len(ranked) else (None, "")
            row += [option, None if count is None else count / cell.total]
        rows.append([*row, sum(count for count, _ in ranked[len(ordinals) :]) / cell.total])
    columns = _distribution_columns(ordinals)
    others = [OTHERS] if widest > len(ordinals) else []
    shown = columns if others else columns[:-1]
    some = f" (the first {_MOST_BARS} cells)" if len(rows) > _MOST_BARS else ""
    chart = StackedChart(
        title=f"Choices of each cell, the most frequent first{some}",
        labels="Cell",
        pieces=(*ordinals, *others),
        names=(*(f"{ordinal}_Choice" for ordinal in ordinals), *("" for _ in others)),
        most=_MOST_BARS,
    )
    return Page("Distribution", frame_of_rows([column.name for column in columns], rows), shown, chart)


def _distribution_columns(ordinals: Sequence[str]) -> tuple[Column, ...]:
    ranked = [
        column
        for ordinal in ordinals
        for column in (
            Column(f"{ordinal}_Choice", f"The option chosen {ordinal} most often.", "label"),
            Column(ordinal, "Its share of the samples.", "share"),
        )
    ]
    return (
        Column("Cell", "The cell: sheet, and the choices from the root down.", "key"),
        LEVEL,
        Column("N", "Samples that chose one of the options.", "count"),
        *ranked,
        Column(OTHERS, "Share of all options behind these.", "share"),
    )


def counts_page(counted: Sequence[tuple[str, Counted]]) -> Page:
    """Return every count of every cell, zeros included."""
    rows = [
        (sheet, cell.level, cell.parent, option, count, count / cell.total if cell.total else None, share)
        for sheet, each in counted
        for cell in each.cells
        for option, count, share in zip(cell.options, cell.listed, _targets(cell), strict=True)
    ]
    return Page("Counts", frame_of_rows([column.name for column in COUNTS], rows), COUNTS)


def mappings_page(counted: Sequence[tuple[str, Counted]]) -> Page:
    """Return every text that was not simply an option's name, and what it was counted as."""
    rows = [(sheet, *mapped, samples) for sheet, each in counted for mapped, samples in sorted(each.mappings.items())]
    return Page("Mappings", frame_of_rows([column.name for column in MAPPINGS], rows), MAPPINGS)


def _name(sheet: str, cell: Cell, several: bool) -> str:
    place = cell.parent or ("root" if not cell.level else f"level {cell.level}")
    return f"{sheet}: {place}" if several else place


def _targets(cell: Cell) -> Sequence[float | None]:
    n = len(cell.options)
    return cell.shares or ((None,) * n if cell.shares is None else (1 / n,) * n)
