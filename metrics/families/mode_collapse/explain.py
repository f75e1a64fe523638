"""How the numbers of one cell came about: what was chosen how often, and what chance would have made of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scoresheet.metrics.explanation import Explanation, NoSuchUnit, UnitName
from scoresheet.metrics.families.mode_collapse.context import ModeCollapseContext
from scoresheet.metrics.families.mode_collapse.inputs import ChoiceSheet
from scoresheet.metrics.families.mode_collapse.option_sets import ARROW
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.score import (
    LEVEL_KEY,
    PARENT_KEY,
    CellMeasures,
    ModeCollapseSheet,
    ScoredCell,
    corrected_over_sheets,
    score_sheet,
)
from scoresheet.metrics.families.mode_collapse.verdicts import ENTROPY_BANDS, GINI_BANDS
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True)
class OptionCount:
    """An option of the cell: how often it was chosen, and how often chance alone would choose it."""

    option: str
    count: int
    share: float
    expected: float  # count, of a chooser without a favourite, or with the target's shares; NaN where it has none
    bits: float  # what it adds to the entropy


@dataclass(frozen=True)
class MappedTextCount:
    """A text that was not simply an option's name, what it was taken for and how, and in how many samples."""

    text: str
    option: str
    how: str
    samples: int


@dataclass(frozen=True, kw_only=True)
class ModeCollapseExplanation(Explanation):
    """How one cell came to its Gini and its verdict."""

    level: int
    parent: str
    cell: CellMeasures
    options: tuple[OptionCount, ...]  # the commonest first
    rank_sum: int  # Σ i·n_i over the counts in ascending order, i from 1
    gini_bands: tuple[tuple[float, str], ...]  # from where on a Gini is called what
    entropy_bands: tuple[tuple[float, str], ...]
    entropy_interval: tuple[float, float]  # normalised entropies at the ends of the interval
    is_targeted: bool  # whether the null chooser has the shares of a target
    cells_tested: int  # p-values that were corrected for each other
    mapped_texts: tuple[MappedTextCount, ...]


def cell_of_row(sheet: ChoiceSheet, context: ModeCollapseContext, row: int) -> UnitName | None:
    """Return the cell that a row is counted in; None if it has no place in the tree."""
    for answer in sheet.answers:
        if row in answer.rows and answer.location.level is not None:
            level = answer.location.level
            path = context.option_sets.spelled_path(sheet.name, level, answer.location.path)
            return UnitName(sheet.name, {LEVEL_KEY: str(level), PARENT_KEY: ARROW.join(path)})
    return None


def explain_cell(
    sheets: Sequence[ChoiceSheet], context: ModeCollapseContext, options: ModeCollapseOptions, unit: UnitName
) -> ModeCollapseExplanation:
    """Return how the numbers of a cell came about; NoSuchUnit if no sheet has it."""
    scored = corrected_over_sheets([score_sheet(sheet, context, options).value for sheet in sheets], options)
    sheet, place = _place(scored, unit)
    found = sheet.cells[place]
    cell = found.cell
    alike = [
        each
        for every in scored
        for each in every.cells
        if (not each.cell.level) == (not cell.level) and not math.isnan(each.measures.p_value)
    ]
    return ModeCollapseExplanation(
        measures={name: values[place] for name, values in sheet.units.measures.items()},
        level=cell.level,
        parent=cell.parent,
        cell=found.measures,
        options=_counts(found),
        rank_sum=sum(rank * count for rank, count in enumerate(sorted(cell.counts), start=1)),
        gini_bands=GINI_BANDS,
        entropy_bands=ENTROPY_BANDS,
        entropy_interval=(found.debiased.entropy_low, found.debiased.entropy_high),
        is_targeted=bool(cell.shares),
        cells_tested=len(alike),
        mapped_texts=tuple(
            MappedTextCount(text.text, text.option, text.how, samples)
            for text, samples in sheet.mapped_texts.items()
            if (text.level, text.parent) == (cell.level, cell.parent)
        ),
    )


def _place(sheets: Sequence[ModeCollapseSheet], unit: UnitName) -> tuple[ModeCollapseSheet, int]:
    for sheet in sheets:
        keys = zip(sheet.units.keys[LEVEL_KEY], sheet.units.keys[PARENT_KEY], strict=True)
        wanted = unit.keys[LEVEL_KEY], unit.keys[PARENT_KEY]
        for place, key in enumerate(keys):
            if sheet.name == unit.sheet and key == wanted:
                return sheet, place
    raise NoSuchUnit(unit)


def _counts(found: ScoredCell) -> tuple[OptionCount, ...]:
    cell = found.cell
    shares: Sequence[float]
    if cell.shares is None:
        shares = [math.nan] * len(cell.options)
    else:
        shares = cell.shares or [1 / len(cell.options)] * len(cell.options)
    counted = []
    for option, count, expected in zip(cell.options, cell.counts, shares, strict=True):
        share = count / cell.total if cell.total else math.nan
        bits = -share * math.log2(share) if share > 0 else 0.0
        counted.append(OptionCount(option, count, share, expected * cell.total, bits))
    return tuple(sorted(counted, key=lambda each: -each.count))
