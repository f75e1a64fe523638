"""How the Gini and the verdict of a cell came about, for people."""

from __future__ import annotations

import math
from typing import Final

from scoresheet.cli.report.explanation import Block, Explainer, bands_in_words, shown_number
from scoresheet.cli.report.page import Column
from scoresheet.metrics.families.mode_collapse.context import ModeCollapseContext
from scoresheet.metrics.families.mode_collapse.explain import ModeCollapseExplanation, cell_of_row, explain_cell
from scoresheet.metrics.families.mode_collapse.inputs import ChoiceSheet
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.score import LEVEL_KEY, PARENT_KEY
from scoresheet.metrics.messages import pluralize

_COUNTS: Final = (
    Column("Option", "The option.", "key"),
    Column("Count", "How often it was chosen.", "count"),
    Column("Share", "Its share.", "share"),
    Column("By chance", "How often the chooser without a favourite would choose it.", "score"),
    Column("Bits", "What it adds to the entropy.", "score"),
)
_MAPPED: Final = (
    Column("Text", "The text.", "text"),
    Column("Taken for", "The option.", "label"),
    Column("How", "How it was found.", "label"),
    Column("Samples", "Samples with it.", "count"),
)


def _blocks(found: ModeCollapseExplanation) -> list[Block]:
    place = f"level {found.level}" + (f" under {found.parent}" if found.parent else "")
    blocks = [
        Block(
            f"What was chosen at {place}",
            columns=_COUNTS,
            rows=tuple((each.option, each.count, each.share, each.expected, each.bits) for each in found.options),
        )
    ]
    if found.mapped_texts:
        rows = tuple((each.text, each.option or "none", each.how, each.samples) for each in found.mapped_texts)
        blocks.append(Block("Texts that are not simply an option's name", columns=_MAPPED, rows=rows))
    return [*blocks, Block("The numbers", tuple(_lines(found)))]


def _lines(found: ModeCollapseExplanation) -> list[str]:
    cell, size = found.cell, len(found.options)
    lines = [f"{cell.n:,} samples chose one of {size} options; {cell.incomplete:,} chose none"]
    if math.isnan(cell.gini):
        return [*lines, "there is nothing to measure: one option, or no sample"]
    against = "a chooser with the shares of the target" if found.is_targeted else "a chooser without a favourite"
    ends = f"interval {shown_number(cell.ci_low)} to {shown_number(cell.ci_high)}"
    lines += [
        f"Gini = 2·Σ i·n_i / (k·N) - (k+1)/k = 2·{found.rank_sum} / ({size}·{cell.n}) - {size + 1}/{size} = "
        f"{shown_number(cell.gini)}, the counts n_i in ascending order",
        f"entropy = Σ bits = {shown_number(cell.entropy)}, of at most log2({size}): normalised "
        f"{shown_number(cell.normalized_entropy)}",
    ]
    if not math.isnan(cell.p_value):
        lines.append(
            f"{against} has a Gini of {shown_number(cell.gini_expected)} on average in {cell.n:,} samples; for one of "
            f"{shown_number(cell.gini)} or more p = {cell.p_value:.3g}, after Holm over "
            f"{pluralize(found.cells_tested, 'such cell')} {cell.p_holm:.3g}"
        )
    lines += [
        f"without what so small a sample adds the Gini is {shown_number(cell.gini_debiased)} "
        f"({cell.ci_note if math.isnan(cell.ci_low) else ends})",
        f"Gini by band: {bands_in_words(found.gini_bands)}; by the whole interval {cell.gini_band}",
        f"normalised entropy by band: {bands_in_words(found.entropy_bands)}; by the whole interval {cell.entropy_band}",
        f"verdict: {cell.verdict}",
    ]
    return lines


EXPLAINER: Final[Explainer[ModeCollapseOptions, ChoiceSheet, ModeCollapseContext, ModeCollapseExplanation]] = Explainer(
    unit="cell", keys=(LEVEL_KEY, PARENT_KEY), explain=explain_cell, blocks=_blocks, unit_of_row=cell_of_row
)
