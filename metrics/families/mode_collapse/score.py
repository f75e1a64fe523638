"""Scoring one sheet: its rows counted into cells, and the measures of each cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from scoresheet.metrics.families.mode_collapse.context import ModeCollapseContext
from scoresheet.metrics.families.mode_collapse.gini_bootstrap import bootstrap_ginis, gini_interval
from scoresheet.metrics.families.mode_collapse.inputs import ChoiceSheet
from scoresheet.metrics.families.mode_collapse.measures import CELL_MEASURES
from scoresheet.metrics.families.mode_collapse.null_distribution import NullDistribution, Shares
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.parent_weights import assign_parent_weights
from scoresheet.metrics.families.mode_collapse.schema import FLAGGED, TARGET, TRUE_MARKS_LISTED
from scoresheet.metrics.families.mode_collapse.tree_cells import Cell, MappedText, count_choices
from scoresheet.metrics.families.mode_collapse.verdicts import agreement, entropy_band, gini_band, verdict
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.stats.concentration import entropy, gini, miller_madow, normalized_entropy, rank_sums
from scoresheet.metrics.units import Units

LEVEL_KEY: Final = "Level"
PARENT_KEY: Final = "Parent"
_UNDEFINED: Final = (math.nan, math.nan)


@dataclass(frozen=True, kw_only=True)
class CellMeasures:
    """The numbers of a cell, by the fields of CELL_MEASURES; one without a choice to make has counts only."""

    n: int
    incomplete: int
    options: int
    used: int
    top_choice: str = ""
    top_share: float = math.nan
    top_share_se: float = math.nan
    gini: float = math.nan
    gini_max: float = math.nan
    gini_corrected: float = math.nan
    entropy: float = math.nan
    normalized_entropy: float = math.nan
    entropy_mm: float = math.nan
    gini_band: str = ""
    entropy_band: str = ""
    agreement: str = ""
    p_value: float = math.nan
    ci_low: float = math.nan
    ci_high: float = math.nan
    verdict: str = ""
    width: float = math.nan
    uniform_deviation: float = math.nan
    effective_options: float = math.nan
    gini_expected: float = math.nan


class ScoredCell(NamedTuple):
    """A cell and its measures."""

    cell: Cell
    measures: CellMeasures


@dataclass(frozen=True, kw_only=True)
class ModeCollapseSheet(ScoredSheet):
    """The scored cells of a sheet, and the texts that were not simply an option's name, with their samples."""

    cells: tuple[ScoredCell, ...]
    mapped_texts: Mapping[MappedText, int]


def score_sheet(
    sheet: ChoiceSheet, context: ModeCollapseContext, options: ModeCollapseOptions
) -> Noted[ModeCollapseSheet]:
    """Return the measures of each cell of a sheet."""
    counted = count_choices(sheet, context, fuzzy=options.fuzzy)
    cells, tree_problems = assign_parent_weights(counted.cells)
    measures = measure_cells(cells, seed=options.seed)
    scored = ModeCollapseSheet(
        name=sheet.name,
        rows=sheet.rows,
        units=Units(
            keys={
                LEVEL_KEY: [str(cell.level) for cell in cells],
                PARENT_KEY: [cell.parent for cell in cells],
            },
            measures={measure.name: [getattr(each, measure.field) for each in measures] for measure in CELL_MEASURES},
        ),
        cells=tuple(map(ScoredCell, cells, measures)),
        mapped_texts=counted.mapped_texts,
    )
    notes = (*_sheet_notes(sheet, context), *_cell_notes(cells))
    return Noted(scored, (*counted.row_problems, *_mark_notes(sheet), *tree_problems, *notes))


def measure_cells(cells: Sequence[Cell], *, seed: int) -> list[CellMeasures]:
    """Return the measures of each cell; one with one option or without samples has counts and no more."""
    tests = _null_tests(cells, seed)
    intervals = _intervals(cells, seed)
    return [_measures(cell, *test, *ends) for cell, test, ends in zip(cells, tests, intervals, strict=True)]


def _measures(cell: Cell, p_value: float, expected: float, low: float, high: float) -> CellMeasures:
    counts, n, total = cell.counts, len(cell.options), cell.total
    used = sum(map(bool, counts))
    if not cell.is_measured:
        return CellMeasures(n=total, incomplete=cell.incomplete, options=n, used=used)
    coefficient, bits, normalized = gini(counts), entropy(counts), normalized_entropy(counts)
    top = max(counts)
    share = top / total
    return CellMeasures(
        n=total,
        incomplete=cell.incomplete,
        options=n,
        used=used,
        top_choice=cell.options[counts.index(top)],
        top_share=share,
        top_share_se=math.sqrt(share * (1 - share) / total),
        gini=coefficient,
        gini_max=(n - 1) / n,
        gini_corrected=coefficient * n / (n - 1),
        entropy=bits,
        normalized_entropy=normalized,
        entropy_mm=miller_madow(counts),
        gini_band=gini_band(coefficient),
        entropy_band=entropy_band(normalized),
        agreement=agreement(coefficient, normalized),
        p_value=p_value,
        ci_low=low,
        ci_high=high,
        verdict=verdict(coefficient, normalized, p_value, targeted=bool(cell.shares)),
        width=used / n,
        uniform_deviation=math.fsum((count / total - 1 / n) ** 2 for count in counts),
        effective_options=2**bits,
        gini_expected=expected,
    )


def _null_tests(cells: Sequence[Cell], seed: int) -> list[tuple[float, float]]:
    """Return the cells' p-values and expected Ginis; cells with the same null chooser are looked at together."""
    positions_by_null: dict[tuple[int, Shares], list[int]] = {}
    for position, cell in enumerate(cells):
        if cell.is_measured and cell.shares is not None:
            positions_by_null.setdefault((len(cell.options), cell.shares), []).append(position)
    tests = [_UNDEFINED] * len(cells)
    for (options, shares), positions in positions_by_null.items():
        seen = rank_sums(np.array([cells[position].counts for position in positions]))
        totals = [cells[position].total for position in positions]
        null = NullDistribution(options, shares, seed)
        for position, total, p_value in zip(positions, totals, null.p_values(totals, seen.tolist()), strict=True):
            tests[position] = (p_value, null.expected_gini(total))
    return tests


def _intervals(cells: Sequence[Cell], seed: int) -> list[tuple[float, float]]:
    """Return the bootstrap intervals; a single sample has none."""
    intervals = [_UNDEFINED] * len(cells)
    for position in sorted(range(len(cells)), key=lambda each: cells[each].total):  # cells of a size share their draws
        cell = cells[position]
        if cell.is_measured and cell.total > 1:
            n = len(cell.options)
            intervals[position] = gini_interval(gini(cell.counts), bootstrap_ginis(cell.counts, seed), (n - 1) / n)
    return intervals


def _mark_notes(sheet: ChoiceSheet) -> Iterator[Problem]:
    """Yield that a mark may have meant yes; it stands behind what is wrong with single rows."""
    if sheet.doubtful_marks:
        marks = join_names(map(repr, sheet.doubtful_marks))
        message = f"is_flagged is {marks} beside a correction, which counts as no; yes is {TRUE_MARKS_LISTED}"
        yield note("unknown-flag", message, column=FLAGGED.name)


def _sheet_notes(sheet: ChoiceSheet, context: ModeCollapseContext) -> Iterator[Problem]:
    others = context.option_sets.questions_of_others(sheet.name)
    if others and not context.option_sets.suggested_question(sheet.name):
        message = f"the table has options for {others}: those of all of them were taken together"
        yield note("unknown-question", message)


def _cell_notes(cells: Sequence[Cell]) -> Iterator[Problem]:
    """Yield why cells were not measured or not tested."""
    for cell in cells:
        where = f"level {cell.level}" + (f" under {cell.parent!r}" if cell.path else "")
        if len(cell.options) < 2:
            message = f"{where}: only one option is known, so that there is nothing to measure"
            yield note("one-option", message, row=cell.first_row)
        elif not cell.total:
            yield note("no-choices", f"{where}: no usable choice", row=cell.first_row)
        elif cell.shares is None:
            message = f"{where}: the table of {flag(TARGET)} has no share for its options"
            yield note("no-target", message, row=cell.first_row)
