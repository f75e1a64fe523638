"""Scoring one sheet: its rows counted into cells, and the measures of each cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from scoresheet.metrics.families.mode_collapse.context import ModeCollapseContext
from scoresheet.metrics.families.mode_collapse.debiased_gini import (
    Curves,
    DebiasedGini,
    debiased_gini_of_cells,
    drawn_curves,
    keep_curves,
)
from scoresheet.metrics.families.mode_collapse.inputs import ChoiceSheet
from scoresheet.metrics.families.mode_collapse.measures import CELL_MEASURES
from scoresheet.metrics.families.mode_collapse.null_distribution import NullDistribution, Shares
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.parent_weights import assign_parent_weights
from scoresheet.metrics.families.mode_collapse.power import is_enough
from scoresheet.metrics.families.mode_collapse.schema import FLAGGED, TARGET, TRUE_MARKS_LISTED
from scoresheet.metrics.families.mode_collapse.tree_cells import Cell, CountedAnswer, MappedText, count_choices
from scoresheet.metrics.families.mode_collapse.verdicts import agreement, entropy_band, gini_band, verdict
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.spread import IN_TURN, Spread
from scoresheet.metrics.stats.beta_distribution import proportion_interval
from scoresheet.metrics.stats.concentration import entropy, gini, miller_madow, normalized_entropy, rank_sums
from scoresheet.metrics.stats.confidence import significance_level
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.units import Units

LEVEL_KEY: Final = "Level"
PARENT_KEY: Final = "Parent"


@dataclass(frozen=True, kw_only=True)
class CellMeasures:
    """The numbers of a cell, by the fields of CELL_MEASURES; one without a choice to make has counts only."""

    n: int
    incomplete: int
    refused: int
    refusal_rate: float
    refusal_low: float
    refusal_high: float
    options: int
    used: int
    top_choice: str = ""
    top_share: float = math.nan
    top_share_se: float = math.nan
    gini: float = math.nan
    gini_max: float = math.nan
    gini_corrected: float = math.nan
    gini_debiased: float = math.nan
    ci_low: float = math.nan
    ci_high: float = math.nan
    ci_note: str = ""
    entropy: float = math.nan
    normalized_entropy: float = math.nan
    entropy_mm: float = math.nan
    gini_band: str = ""
    entropy_band: str = ""
    agreement: str = ""
    p_value: float = math.nan
    p_holm: float = math.nan
    verdict: str = ""
    width: float = math.nan
    uniform_deviation: float = math.nan
    effective_options: float = math.nan
    gini_expected: float = math.nan


class ScoredCell(NamedTuple):
    """A cell, its measures, and the debiased Gini that its words go by."""

    cell: Cell
    measures: CellMeasures
    debiased: DebiasedGini


@dataclass(frozen=True, kw_only=True)
class ModeCollapseSheet(ScoredSheet):
    """The scored cells of a sheet, the texts that were not simply an option's name, and what each row was taken for."""

    cells: tuple[ScoredCell, ...]
    mapped_texts: Mapping[MappedText, int]
    answers: tuple[CountedAnswer, ...] = ()
    has_levels: bool = True
    reasoned: int = 0  # rows whose reasoning was dropped
    curves: tuple[Curves | None, ...] = ()  # of the cells; whoever puts sheets together goes by them too

    def keep_curves(self, seed: int) -> None:
        """Have the curves of the cells at hand, as they are where the sheet was scored."""
        for each, curves in zip(self.cells, self.curves, strict=True):
            keep_curves(each.cell.counts, seed, curves)


def score_sheet(
    sheet: ChoiceSheet, context: ModeCollapseContext, options: ModeCollapseOptions, spread: Spread = IN_TURN
) -> Noted[ModeCollapseSheet]:
    """Return the measures of each cell of a sheet."""
    counted = count_choices(sheet, context, options)
    cells, tree_problems = assign_parent_weights(counted.cells)
    curves = []
    for cell, own in zip(cells, spread(lambda cell: drawn_curves(cell.counts, options.seed), cells), strict=True):
        keep_curves(cell.counts, options.seed, own)
        curves.append(own)
    measured = with_verdicts(measure_cells(cells, options), options)
    scored = ModeCollapseSheet(
        name=sheet.name,
        rows=sheet.rows,
        units=_units(measured),
        cells=tuple(measured),
        mapped_texts=counted.mapped_texts,
        answers=counted.answers,
        has_levels=sheet.has_levels,
        reasoned=sheet.reasoned,
        curves=tuple(curves),
    )
    notes = (*_sheet_notes(sheet, context), *_cell_notes(cells))
    return Noted(scored, (*counted.row_problems, *_mark_notes(sheet), *tree_problems, *notes))


def _units(cells: Sequence[ScoredCell]) -> Units:
    return Units(
        keys={
            LEVEL_KEY: [str(each.cell.level) for each in cells],
            PARENT_KEY: [each.cell.parent for each in cells],
        },
        measures={measure.name: [getattr(each.measures, measure.field) for each in cells] for measure in CELL_MEASURES},
    )


def corrected_over_sheets(
    sheets: Sequence[ModeCollapseSheet], options: ModeCollapseOptions
) -> tuple[ModeCollapseSheet, ...]:
    """Return the sheets of a model with p-values corrected over the cells of all of them, and verdicts to match."""
    if len(sheets) < 2:
        return tuple(sheets)
    corrected = iter(with_verdicts([each for sheet in sheets for each in sheet.cells], options))
    together = [tuple(next(corrected) for _ in sheet.cells) for sheet in sheets]
    return tuple(
        replace(sheet, cells=cells, units=_units(cells)) for sheet, cells in zip(sheets, together, strict=True)
    )


def with_verdicts(cells: Sequence[ScoredCell], options: ModeCollapseOptions) -> list[ScoredCell]:
    """Return cells with their p-values corrected for each other: of many even ones, some look collapsed by chance.

    Root cells, which give a model its score, are one family of hypotheses, all cells below them a second one.
    """
    level = significance_level(options.ci)
    found = []
    for each, p_holm in zip(cells, _corrected(cells), strict=True):
        p_value, size = each.measures.p_value, (len(each.cell.options), each.cell.total)
        word = verdict(
            each.debiased,
            p_value,
            p_holm=p_holm,
            is_enough=p_value >= level and is_enough([size], level=level, seed=options.seed),
            targeted=bool(each.cell.shares),
            level=level,
        )
        found.append(each._replace(measures=replace(each.measures, p_holm=p_holm, verdict=word)))
    return found


def _corrected(cells: Sequence[ScoredCell]) -> list[float]:
    corrected = [math.nan] * len(cells)
    for is_root in (True, False):
        family = [place for place, each in enumerate(cells) if (not each.cell.level) == is_root]
        for place, p_holm in zip(family, holm([cells[place].measures.p_value for place in family]), strict=True):
            corrected[place] = p_holm
    return corrected


def measure_cells(cells: Sequence[Cell], options: ModeCollapseOptions) -> list[ScoredCell]:
    """Return the measures of each cell; one with one option or without samples has counts and no more."""
    found = []
    for cell, test in zip(cells, _null_tests(cells, options.seed), strict=True):
        debiased = debiased_gini_of_cells([cell.counts], confidence=options.ci, seed=options.seed)
        refusals = Refusals.of([cell], options.ci)
        found.append(ScoredCell(cell, _measures(cell, *test, debiased, refusals), debiased))
    return found


class Refusals(NamedTuple):
    """How many samples of some cells decline to choose, and their share of all samples with its interval."""

    refused: int
    rate: float
    low: float
    high: float

    @classmethod
    def of(cls, cells: Sequence[Cell], confidence: float) -> Refusals:
        """Return the refusals of cells taken together; for just these cells the interval is, if anything, wide."""
        refused, asked = sum(cell.refused for cell in cells), sum(cell.asked for cell in cells)
        low, high, _ = proportion_interval(refused, asked, confidence=confidence)
        return cls(refused, refused / asked if asked else math.nan, low, high)


def _measures(cell: Cell, p_value: float, expected: float, debiased: DebiasedGini, refusals: Refusals) -> CellMeasures:
    counts, n, total = cell.counts, len(cell.options), cell.total
    used = sum(map(bool, counts))
    counted = CellMeasures(
        n=total,
        incomplete=cell.incomplete,
        refused=refusals.refused,
        refusal_rate=refusals.rate,
        refusal_low=refusals.low,
        refusal_high=refusals.high,
        options=n,
        used=used,
    )
    if not cell.is_measured:
        return counted
    coefficient, bits = gini(counts), entropy(counts)
    top = max(counts)
    share = top / total
    return replace(
        counted,
        top_choice=cell.options[counts.index(top)],
        top_share=share,
        top_share_se=math.sqrt(share * (1 - share) / total),
        gini=coefficient,
        gini_max=(n - 1) / n,
        gini_corrected=coefficient * n / (n - 1),
        gini_debiased=debiased.value,
        ci_low=debiased.low,
        ci_high=debiased.high,
        ci_note=debiased.note,
        entropy=bits,
        normalized_entropy=normalized_entropy(counts),
        entropy_mm=miller_madow(counts),
        gini_band=gini_band(debiased),
        entropy_band=entropy_band(debiased),
        agreement=agreement(debiased),
        p_value=p_value,
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
    tests = [(math.nan, math.nan)] * len(cells)
    for (options, shares), positions in positions_by_null.items():
        seen = rank_sums(np.array([cells[position].counts for position in positions]))
        totals = [cells[position].total for position in positions]
        null = NullDistribution(options, shares, seed)
        for position, total, p_value in zip(positions, totals, null.p_values(totals, seen.tolist()), strict=True):
            tests[position] = (p_value, null.expected_gini(total))
    return tests


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
