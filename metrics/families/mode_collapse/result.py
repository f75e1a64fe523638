"""What a model's sheets come to: cells to levels, levels to the model, the verdict at the root."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.compare import ComparedUnits, KeyedValues
from scoresheet.metrics.families.mode_collapse.debiased_gini import debiased_gini_of_cells
from scoresheet.metrics.families.mode_collapse.measures import (
    ALL_LEVELS_ENTROPY,
    ALL_LEVELS_GINI,
    CELLS,
    CI_HIGH,
    CI_LOW,
    CI_NOTE,
    COLLAPSED_CELLS,
    GINI,
    GINI_DEBIASED,
    GINI_EXPECTED,
    NORMALIZED_ENTROPY,
    P_VALUE,
    REFUSAL_MEASURES,
    SAMPLES_COUNTED,
    TOP_CHOICE,
    TOP_SHARE,
    VERDICT,
    WORST_CELL,
    level_measures,
)
from scoresheet.metrics.families.mode_collapse.null_distribution import (
    DRAWS,
    UNIFORM,
    NullDistribution,
    Shares,
    collapse_p_value,
)
from scoresheet.metrics.families.mode_collapse.option_sets import ROOT
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.power import is_enough
from scoresheet.metrics.families.mode_collapse.schema import LEVEL
from scoresheet.metrics.families.mode_collapse.score import (
    LEVEL_KEY,
    PARENT_KEY,
    CellMeasures,
    ModeCollapseSheet,
    Refusals,
    corrected_over_sheets,
)
from scoresheet.metrics.families.mode_collapse.tree_cells import Cell
from scoresheet.metrics.families.mode_collapse.verdicts import (
    BETWEEN,
    CHANCE,
    COLLAPSED,
    HIGH,
    LIKE_TARGET,
    LOW,
    MODERATE,
    TOO_FEW,
    verdict,
)
from scoresheet.metrics.family import ModelResult
from scoresheet.metrics.messages import flag, join_names, pluralize
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.concentration import gini_of_rank_sums
from scoresheet.metrics.stats.confidence import significance_level
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.tables import HeldTable
from scoresheet.metrics.units import Value

OPTION, COUNT = "Option", "Count"  # columns of the table of counts
COUNT_COLUMNS: Final = ("Sheet", LEVEL_KEY, PARENT_KEY, OPTION, COUNT)
Roots = Mapping[str, Mapping[str, int]]  # sheet → option → how often it was chosen at level 0
_TIE: Final = 1e-9  # sums of Ginis that differ by less are equal but for the arithmetic's last digits


@dataclass(frozen=True, kw_only=True)
class LevelSummary:
    """The means over the cells of a level, of one sheet or of all, by the fields of LEVEL_MEASURES."""

    sheet: str | None  # None: all sheets
    level: int | None  # None: all levels
    cells: int
    n: int
    incomplete: int
    refused: int
    refusal_rate: float
    refusal_low: float
    refusal_high: float
    top_choice: str = ""
    top_share: float = math.nan
    gini: float
    gini_expected: float
    gini_debiased: float
    ci_low: float = math.nan
    ci_high: float = math.nan
    ci_note: str = ""
    gini_weighted: float
    normalized_entropy: float
    entropy_weighted: float
    conditional_entropy: float = math.nan
    low_cells: int
    moderate_cells: int
    high_cells: int
    between_cells: int
    chance_cells: int
    too_few_cells: int
    collapsed_cells: int
    p_value: float = math.nan
    verdict: str = ""


@dataclass(frozen=True, kw_only=True)
class ModeCollapseResult(ModelResult[ModeCollapseSheet]):
    """What a model came to."""

    sheet_levels: tuple[LevelSummary, ...]  # by level, then by sheet
    model_levels: tuple[LevelSummary, ...]
    all_levels: LevelSummary
    roots: Roots

    @property
    def levels(self) -> tuple[int, ...]:
        """The levels below the root that the model has."""
        return tuple(summary.level for summary in self.model_levels if summary.level)

    def counts_table(self) -> HeldTable:
        """Return how often each option of each cell was chosen."""
        rows = [
            (sheet.name, str(each.cell.level), each.cell.parent, option, count)
            for sheet in self.sheets
            for each in sheet.cells
            for option, count in zip(each.cell.options, each.cell.counts, strict=True)
        ]
        return HeldTable({name: [row[place] for row in rows] for place, name in enumerate(COUNT_COLUMNS)})

    def slim(self) -> ModeCollapseResult:
        """Return the model's levels and root choices without the cells."""
        return replace(self, sheets=(), sheet_levels=())


_ROOT_MEASURES: Final = (
    TOP_CHOICE,
    TOP_SHARE,
    SAMPLES_COUNTED,
    GINI,
    GINI_EXPECTED,
    P_VALUE,
    GINI_DEBIASED,
    CI_LOW,
    CI_HIGH,
    CI_NOTE,
    NORMALIZED_ENTROPY,
    *REFUSAL_MEASURES,
)


class _SheetCell(NamedTuple):
    """A scored cell with the sheet it stands in."""

    sheet: str
    cell: Cell
    measures: CellMeasures


def combine_sheets(sheets: Sequence[ModeCollapseSheet], options: ModeCollapseOptions) -> Noted[ModeCollapseResult]:
    """Return the levels of each sheet and of the model, all levels together, and the choices at the roots."""
    sheets = corrected_over_sheets(sheets, options)
    every = [_SheetCell(sheet.name, each.cell, each.measures) for sheet in sheets for each in sheet.cells]
    groups: dict[tuple[str, int], list[_SheetCell]] = {}
    for each in every:
        groups.setdefault((each.sheet, each.cell.level), []).append(each)
    levels = sorted({each.cell.level for each in every})
    sheet_levels = [
        summarize_level(groups[sheet.name, level], sheet.name, level, options)
        for level in levels
        for sheet in sheets
        if (sheet.name, level) in groups
    ]
    model_levels = [replace(summary, sheet=None) for summary in sheet_levels]
    if len(sheets) > 1:
        model_levels = [
            summarize_level([each for each in every if each.cell.level == level], None, level, options)
            for level in levels
        ]
    all_levels = _summarize_levels(model_levels, Refusals.of([each.cell for each in every], options.ci))
    roots = {
        each.sheet: dict(zip(each.cell.options, each.cell.counts, strict=True)) for each in every if not each.cell.level
    }
    scored = sum(each.cell.rows for each in every if each.cell.is_measured)
    return Noted(
        ModeCollapseResult(
            sheets=tuple(sheets),
            measures=_model_measures(model_levels, all_levels, _worst_cell(every, significance_level(options.ci))),
            rows=sum(sheet.rows for sheet in sheets),
            scored=scored,
            computed=scored,
            has_score=scored > 0,
            sheet_levels=tuple(sheet_levels),
            model_levels=tuple(model_levels),
            all_levels=all_levels,
            roots=roots,
            compared=units_of_roots(roots),
        ),
        tuple(_model_notes(sheets)),
    )


def _model_notes(sheets: Sequence[ModeCollapseSheet]) -> Iterator[Problem]:
    """Yield what holds for all sheets of a model, once."""
    flat = [sheet.name for sheet in sheets if not sheet.has_levels]
    if flat:
        where = "" if len(flat) == len(sheets) else f" in {pluralize(len(flat), 'sheet')} ({join_names(flat)})"
        way = f"name yours with {flag(f'column {LEVEL.name}=HEADER')} if there is one"
        yield note("no-level", f"no column {LEVEL.name}{where}, so that everything there is at level 0; {way}")
    reasoned = sum(sheet.reasoned for sheet in sheets)
    if reasoned:
        yield note("reasoning", f"reasoning was left out of {pluralize(reasoned, 'answer')}")


def units_of_roots(roots: Roots) -> ComparedUnits | None:
    """Return the choices at the roots as what any family is compared by: a unit is an option, its value the count."""
    return ComparedUnits.of_sheets(
        {
            sheet: KeyedValues(list(counts), np.array(list(counts.values()), dtype=float)[:, None])
            for sheet, counts in roots.items()
        }
    )


def roots_of_units(units: ComparedUnits | None) -> Roots:
    """Return the choices at the roots of such units."""
    roots: dict[str, dict[str, int]] = {}
    if units is not None:
        rows = zip(units.sheet_of.tolist(), units.key_of.tolist(), units.values[:, 0].tolist(), strict=True)
        for sheet, key, count in rows:
            roots.setdefault(units.sheets[sheet], {})[units.keys[key]] = round(count)
    return roots


def summarize_level(
    cells: Sequence[_SheetCell], sheet: str | None, level: int, options: ModeCollapseOptions
) -> LevelSummary:
    """Return the means over the cells of one level, of one sheet or of all."""
    measured = [each for each in cells if each.cell.is_measured]
    counted = [each.cell for each in measured]
    verdicts = Counter(each.measures.verdict for each in cells)
    p_value = _mean_p_value(measured, options.seed)
    debiased = debiased_gini_of_cells([cell.counts for cell in counted], confidence=options.ci, seed=options.seed)
    top = max(measured, key=lambda each: each.measures.gini_debiased, default=None)
    significant = significance_level(options.ci)
    refusals = Refusals.of([each.cell for each in cells], options.ci)
    return LevelSummary(
        sheet=sheet,
        level=level,
        cells=len(measured),
        n=sum(each.cell.total for each in cells),
        incomplete=sum(each.cell.incomplete for each in cells),
        refused=refusals.refused,
        refusal_rate=refusals.rate,
        refusal_low=refusals.low,
        refusal_high=refusals.high,
        top_choice=_named_choice(top, measured),
        top_share=top.measures.top_share if top else math.nan,
        gini=mean(each.measures.gini for each in measured),
        gini_expected=mean(each.measures.gini_expected for each in measured),
        gini_debiased=debiased.value,
        ci_low=debiased.low,
        ci_high=debiased.high,
        ci_note=debiased.note,
        gini_weighted=_weighted_mean(measured, lambda measures: measures.gini),
        normalized_entropy=mean(each.measures.normalized_entropy for each in measured),
        entropy_weighted=_weighted_mean(measured, lambda measures: measures.normalized_entropy),
        conditional_entropy=_weighted_mean(measured, lambda measures: measures.entropy),
        low_cells=verdicts[LOW],
        moderate_cells=verdicts[MODERATE],
        high_cells=verdicts[HIGH],
        between_cells=sum(verdicts[word] for word in BETWEEN),
        chance_cells=verdicts[CHANCE] + verdicts[LIKE_TARGET],
        too_few_cells=verdicts[TOO_FEW],
        collapsed_cells=sum(verdicts[word] for word in COLLAPSED),
        p_value=p_value,
        verdict=verdict(
            debiased,
            p_value,
            is_enough=p_value >= significant
            and is_enough(((len(cell.options), cell.total) for cell in counted), level=significant, seed=options.seed),
            targeted=any(cell.shares for cell in counted),
            level=significant,
        ),
    )


def _named_choice(top: _SheetCell | None, cells: Sequence[_SheetCell]) -> str:
    """Return the favourite of a cell, with where it stands if there are others."""
    if top is None:
        return ""
    sheet = top.sheet if len({each.sheet for each in cells}) > 1 else ""
    where = ", ".join(filter(None, (sheet, top.cell.parent)))
    return f"{where}: {top.measures.top_choice}" if where and len(cells) > 1 else top.measures.top_choice


def _worst_cell(cells: Sequence[_SheetCell], level: float) -> str:
    """Return the most collapsed of the cells that show more than chance, and what is chosen there; '' if none does."""
    shown = [each for each in cells if each.measures.p_holm < level]
    worst = max(shown, key=lambda each: each.measures.gini_debiased, default=None)
    measured = [each for each in cells if each.cell.is_measured]
    named = _named_choice(worst, measured)
    is_bare = worst is not None and named == worst.measures.top_choice
    return f"{ROOT}: {named}" if is_bare and len(measured) > 1 else named


def _summarize_levels(levels: Sequence[LevelSummary], refusals: Refusals) -> LevelSummary:
    """Return all levels as one: means of the level values, sums of the counts."""
    return LevelSummary(
        sheet=None,
        level=None,
        cells=sum(each.cells for each in levels),
        n=sum(each.n for each in levels),
        incomplete=sum(each.incomplete for each in levels),
        refused=refusals.refused,
        refusal_rate=refusals.rate,
        refusal_low=refusals.low,
        refusal_high=refusals.high,
        gini=mean(each.gini for each in levels),
        gini_expected=mean(each.gini_expected for each in levels),
        gini_debiased=mean(each.gini_debiased for each in levels),
        gini_weighted=mean(each.gini_weighted for each in levels),
        normalized_entropy=mean(each.normalized_entropy for each in levels),
        entropy_weighted=mean(each.entropy_weighted for each in levels),
        low_cells=sum(each.low_cells for each in levels),
        moderate_cells=sum(each.moderate_cells for each in levels),
        high_cells=sum(each.high_cells for each in levels),
        between_cells=sum(each.between_cells for each in levels),
        chance_cells=sum(each.chance_cells for each in levels),
        too_few_cells=sum(each.too_few_cells for each in levels),
        collapsed_cells=sum(each.collapsed_cells for each in levels),
    )


def _model_measures(levels: Sequence[LevelSummary], all_levels: LevelSummary, worst_cell: str) -> dict[str, Value]:
    """Return the measures of the results table: level 0 gives a model its score, each further level has its own."""
    root = next((each for each in levels if each.level == 0), _summarize_levels((), Refusals(0, *[math.nan] * 3)))
    measures: dict[str, Value] = {measure.name: getattr(root, measure.field) for measure in _ROOT_MEASURES}
    for each in levels:
        if each.level:
            measures |= {measure.name: getattr(each, measure.field) for measure in level_measures(each.level)}
    return measures | {
        ALL_LEVELS_GINI.name: all_levels.gini,
        ALL_LEVELS_ENTROPY.name: all_levels.normalized_entropy,
        VERDICT.name: root.verdict,
        COLLAPSED_CELLS.name: all_levels.collapsed_cells,
        CELLS.name: all_levels.cells,
        WORST_CELL.name: worst_cell,
    }


def _weighted_mean(cells: Sequence[_SheetCell], value: Callable[[CellMeasures], float]) -> float:
    """Return a measure's mean over sheets of the means over their cells, each with the weight of its parent."""
    by_sheet: dict[str, list[_SheetCell]] = {}
    for each in cells:
        by_sheet.setdefault(each.sheet, []).append(each)
    means = []
    for own in by_sheet.values():
        weight = math.fsum(each.cell.weight for each in own)
        total = math.fsum(each.cell.weight * value(each.measures) for each in own)
        means.append(total / weight if weight else math.nan)  # no parent was ever chosen
    return mean(means)


def _mean_p_value(cells: Sequence[_SheetCell], seed: int) -> float:
    """Return the chance that choosers without a favourite have at least this mean Gini."""
    if not cells or any(each.cell.shares is None for each in cells):
        return math.nan
    if len(cells) == 1:
        cell = cells[0].cell
        return collapse_p_value(cell.counts, target=cell.shares or None, seed=seed)
    ordered = sorted((each.cell for each in cells), key=_draw_order)
    total = _independent_sum([_null_ginis(cell, seed) for cell in ordered], seed)
    seen = math.fsum(each.measures.gini for each in cells)
    return (1 + int(np.count_nonzero(total >= seen - _TIE))) / (1 + DRAWS)


def _null_ginis(cell: Cell, seed: int) -> NDArray[np.float64]:
    options = len(cell.options)
    sums = NullDistribution(options, cell.shares or UNIFORM, seed).drawn_rank_sums(cell.total)
    return gini_of_rank_sums(sums, options, cell.total)


def _independent_sum(draws: Sequence[NDArray[np.float64]], seed: int) -> NDArray[np.float64]:
    """Return the sums over cells; cells of one size share their draws, and in a sum they must not move together."""
    if len(draws) == 1:
        return draws[0]
    total = np.zeros(len(draws[0]))
    for position, drawn in enumerate(draws):
        total += drawn[np.random.default_rng([seed, position]).permutation(len(drawn))]
    return total


def _draw_order(cell: Cell) -> tuple[int, int, list[int], Shares]:
    """Return what gives a cell its draws among others: what it holds, never where it stands; what is drawn goes up."""
    return cell.total, len(cell.options), sorted(cell.counts), cell.shares or UNIFORM
