"""The pages of mode-collapse: of a model, of a run, and of the question how many samples to take."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from scoresheet.cli.report.intervals import with_intervals
from scoresheet.cli.report.page import ROW, SHEET, Chart, Column, Page, PageTable, StackedChart, band_edges
from scoresheet.cli.report.reporter import column_of
from scoresheet.metrics.columns import Chained, Coded, NumberColumn
from scoresheet.metrics.families.mode_collapse.compare import Difference
from scoresheet.metrics.families.mode_collapse.measures import (
    CELL_MEASURES,
    CI_HIGH,
    CI_LOW,
    DIFFERENCE_MEASURES,
    GINI_DEBIASED,
    LEVEL_MEASURES,
    VERDICT,
)
from scoresheet.metrics.families.mode_collapse.power import MOST_SAMPLES, POWERS, SamplesNeeded
from scoresheet.metrics.families.mode_collapse.result import LevelSummary, ModeCollapseResult
from scoresheet.metrics.families.mode_collapse.score import LEVEL_KEY, PARENT_KEY, ModeCollapseSheet
from scoresheet.metrics.families.mode_collapse.tree_cells import Cell
from scoresheet.metrics.families.mode_collapse.verdicts import CHANCE, GINI_BANDS, HIGH, LOW, MODERATE
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.tables import HeldTable

ALL_SHEETS: Final = "All sheets"
ALL_LEVELS: Final = "all"
CELLS_PAGE: Final = "Cells"
SAMPLES: Final = "samples"  # in the name of the CSV
OTHERS: Final = "Others"
MOST_BARS: Final = 40
# the choices of a cell that have a piece of its bar of their own
_ORDINALS: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th")

_SHEET: Final = Column(SHEET, "The input sheet.", "key")
_LEVEL: Final = Column(LEVEL_KEY, "The level of the tree; 0 is the root.", "count")
_PARENT: Final = Column(PARENT_KEY, "The choices from the root down to this cell; empty at the root.", "key")
VERDICT_COLUMN: Final = column_of(
    VERDICT,
    about=spelled_for_shell(VERDICT.about),
    good=(LOW, CHANCE),
    middling=(MODERATE, f"{LOW} to {MODERATE}"),
    bad=(HIGH, f"{MODERATE} to {HIGH}"),
)


def _columns_of(measures: Sequence[Measure]) -> tuple[Column, ...]:
    return tuple(VERDICT_COLUMN if measure == VERDICT else column_of(measure) for measure in measures)


CELL_COLUMNS: Final = (_SHEET, _LEVEL, _PARENT, *_columns_of(CELL_MEASURES))
SUMMARY_COLUMNS: Final = (
    Column("Sheet", "The sheet; the last lines are those of the model.", "key"),
    Column("Level", "The level of the tree; 0 is the root, and the model's primary measures.", "label"),
    *_columns_of(LEVEL_MEASURES),
)
COUNT_COLUMNS: Final = (
    _SHEET,
    _LEVEL,
    _PARENT,
    Column("Option", "The option, as declared.", "key"),
    Column("Count", "Samples that chose it; an option that nobody chose has 0.", "count"),
    Column("Share", "Its share of the cell's samples.", "share"),
    Column("Target", "Its share under --target, 1/n without one.", "share"),
)
MAPPING_COLUMNS: Final = (
    _SHEET,
    _LEVEL,
    _PARENT,
    Column("Text", "What the model answered; with ⇒, what a person corrected it to."),
    Column("Option", "The option it was counted as; empty: counted as refused or incomplete.", "key"),
    Column(
        "How",
        "alias; mention: the only option named in the text; last: the last of several; fuzzy; correction; refused; "
        "none; ambiguous: two options.",
        "label",
    ),
    Column("Samples", "How many samples had this text.", "count"),
)
SAMPLE_COLUMNS: Final = (
    _SHEET,
    Column(ROW, "The row that a spreadsheet shows.", "count"),
    _LEVEL,
    _PARENT,
    Column("Text", "What was looked at: the answer without reasoning, what --extract found, or the correction."),
    Column("Option", "The option it was taken for; empty if it is none.", "key"),
    Column("How", "By which rule, or the kind of problem if it was taken for none.", "label"),
    Column("Samples", "How many samples the row stands for.", "count"),
)
_RANK: Final = Column("Rank", "1 is the least collapsed at level 0, on the root cells that all models share.", "count")
_MODEL: Final = Column("Model", "The model.", "key")
DIFFERENCE_COLUMNS: Final = (
    Column("Model", "One model.", "key"),
    Column("Other_Model", "The other.", "key"),
    *_columns_of(DIFFERENCE_MEASURES),
)
POWER_COLUMNS: Final = (
    Column("Options", "Options declared.", "count"),
    Column("Favourite", "Share of the favourite of a chooser with this Gini; the others share the rest.", "share"),
    *(
        Column(f"N_{power:.0%}", f"Samples from which on it is found in {power:.0%} of all cases.", "count")
        for power in POWERS
    ),
)


GINI_EDGES: Final = band_edges(GINI_BANDS)


def summary_page(result: ModeCollapseResult, confidence: float) -> Page:
    """Return a line per sheet and level, then the levels of the model, then all levels."""
    several = len(result.sheets) > 1
    totals = [*(result.model_levels if several else ()), result.all_levels]
    return Page(
        title="Summary",
        table=_table(SUMMARY_COLUMNS, map(_summary_row, (*result.sheet_levels, *totals))),
        columns=SUMMARY_COLUMNS,
        chart=_levels_chart(confidence, several_sheets=several, several_levels=len(result.model_levels) != 1),
        total_rows=len(totals),
    )


def _summary_row(summary: LevelSummary) -> list[object]:
    return [
        ALL_SHEETS if summary.sheet is None else summary.sheet,
        ALL_LEVELS if summary.level is None else str(summary.level),
        *(getattr(summary, measure.field) for measure in LEVEL_MEASURES),
    ]


def _levels_chart(confidence: float, *, several_sheets: bool, several_levels: bool) -> Chart:
    """Return a bar per line, named by what tells the lines apart."""
    bars = (GINI_DEBIASED.name, CI_LOW.name, CI_HIGH.name)
    if not several_levels:
        return Chart(with_intervals("Debiased Gini by sheet", confidence), "Sheet", *bars, edges=GINI_EDGES)
    by = "sheet and level" if several_sheets else "level"
    group = "Sheet" if several_sheets else ""
    title = with_intervals(f"Debiased Gini by {by}", confidence)
    return Chart(title, "Level", *bars, group, edges=GINI_EDGES, ordered=not several_sheets)


def cells_page(sheets: Sequence[ModeCollapseSheet], title: str) -> Page:
    """Return the measures of the cells of sheets."""
    rows = [
        [sheet.name, cell.level, cell.parent, *(getattr(measures, measure.field) for measure in CELL_MEASURES)]
        for sheet in sheets
        for cell, measures, _ in sheet.cells
    ]
    return Page(title, _table(CELL_COLUMNS, rows), CELL_COLUMNS)


def samples_table(sheets: Sequence[ModeCollapseSheet]) -> HeldTable:
    """Return what each row was taken for, in the order of the rows."""
    parts = [_sample_columns(sheet) for sheet in sheets if sheet.answers] or [[[]] * len(SAMPLE_COLUMNS)]
    columns = zip(SAMPLE_COLUMNS, *parts, strict=True)
    return HeldTable({column.name: Chained(own) for column, *own in columns})


def _sample_columns(sheet: ModeCollapseSheet) -> list[Sequence[object]]:
    """Return the columns of the samples of one sheet: most lines say what others do, which is held once."""
    answers = sheet.answers
    line_of = np.repeat(np.arange(len(answers), dtype=np.int32), [len(each.rows) for each in answers])
    rows = np.fromiter((row for each in answers for row in each.rows), dtype=np.int64, count=len(line_of))
    levels = sorted({each.level for each in answers}, key=lambda level: (len(level), level))
    depth = {level: place for place, level in enumerate(levels)}
    depths = np.array([depth[each.level] for each in answers], dtype=np.int32)
    order = np.lexsort((depths[line_of], rows))  # of a walk, from the root down
    lines = line_of[order]
    said = ((each.level, each.parent, each.text, each.option, each.how, each.samples) for each in answers)
    return [
        Coded[object]([sheet.name], np.zeros(len(lines), np.int32)),
        NumberColumn(rows[order]),
        *(Coded[object](values, lines) for values in zip(*said, strict=True)),
    ]


def distribution_page(sheets: Sequence[ModeCollapseSheet]) -> Page:
    """Return each cell's choices from the most to the least frequent, as a bar of pieces."""
    cells = [(sheet.name, cell) for sheet in sheets for cell, *_ in sheet.cells if cell.is_measured]
    widest = max((len(cell.options) for _, cell in cells), default=0)
    ordinals = _ORDINALS[:widest]
    rows = [
        [_cell_name(sheet, cell, several=len(sheets) > 1), cell.level, cell.total, *_ranked_shares(cell, len(ordinals))]
        for sheet, cell in cells
    ]
    columns = _distribution_columns(ordinals)
    others = [OTHERS] if widest > len(ordinals) else []
    some = f" (the first {MOST_BARS} cells)" if len(rows) > MOST_BARS else ""
    chart = StackedChart(
        title=f"Choices of each cell, the most frequent first{some}",
        labels="Cell",
        pieces=(*ordinals, *others),
        names=(*map(_choice_of, ordinals), *("" for _ in others)),
        most=MOST_BARS,
        across="Share of the choices",
    )
    shown = tuple(column for column in columns if others or column.name != OTHERS)
    return Page("Distribution", _table(columns, rows), shown, chart)


def _ranked_shares(cell: Cell, pieces: int) -> list[object]:
    """Return the most frequent options, each with its share, and the share of all others."""
    ranked = sorted(zip(cell.counts, cell.options, strict=True), key=lambda pair: -pair[0])
    row: list[object] = []
    for count, option in ranked[:pieces]:
        row += [option, count / cell.total]
    row += ["", None] * (pieces - len(ranked))
    return [*row, sum(count for count, _ in ranked[pieces:]) / cell.total]


def _distribution_columns(ordinals: Sequence[str]) -> tuple[Column, ...]:
    ranked = [
        column
        for ordinal in ordinals
        for column in (
            Column(_choice_of(ordinal), f"The option chosen {ordinal} most often.", "label"),
            Column(ordinal, "Its share of the samples.", "share"),
        )
    ]
    return (
        Column("Cell", "The cell: sheet, and the choices from the root down.", "key"),
        _LEVEL,
        Column("N", "Samples that chose one of the options.", "count"),
        *ranked,
        Column(OTHERS, "Share of all options behind these.", "share"),
    )


def _choice_of(ordinal: str) -> str:
    """Return the column that says which option has the share of an ordinal."""
    return f"{ordinal}_Choice"


def _cell_name(sheet: str, cell: Cell, *, several: bool) -> str:
    return cell_name(sheet, cell.level, cell.parent, several=several)


def cell_name(sheet: str, level: int, parent: str, *, several: bool) -> str:
    """Return what a cell is called in a chart: its parent path, after its sheet where there are several."""
    where = parent or ("root" if not level else f"level {level}")
    return f"{sheet}: {where}" if several else where


def counts_page(sheets: Sequence[ModeCollapseSheet]) -> Page:
    """Return every count of every cell, zeros included."""
    rows = [
        [sheet.name, cell.level, cell.parent, option, count, count / cell.total if cell.total else None, share]
        for sheet in sheets
        for cell, *_ in sheet.cells
        for option, count, share in zip(cell.options, cell.counts, _target_shares(cell), strict=True)
    ]
    return Page("Counts", _table(COUNT_COLUMNS, rows), COUNT_COLUMNS)


def _target_shares(cell: Cell) -> Sequence[float | None]:
    n = len(cell.options)
    return cell.shares or ((None,) * n if cell.shares is None else (1 / n,) * n)


def mappings_page(sheets: Sequence[ModeCollapseSheet]) -> Page:
    """Return every text that was not simply an option's name, and what it was counted as."""
    rows = [
        [sheet.name, mapped.level, mapped.parent, mapped.text, mapped.option, mapped.how, samples]
        for sheet in sheets
        for mapped, samples in sorted(sheet.mapped_texts.items())
    ]
    return Page("Mappings", _table(MAPPING_COLUMNS, rows), MAPPING_COLUMNS)


def models_page(
    ranks: Mapping[str, int], results: Mapping[str, ModeCollapseResult | None], measures: tuple[Column, ...]
) -> Page:
    """Return the models from the least to the most collapsed at the root, then those without a rank."""
    columns = (_RANK, _MODEL, *measures)
    rows: list[list[object]] = []
    for model in (*sorted(ranks, key=ranks.__getitem__), *(name for name in results if name not in ranks)):
        result = results[model]
        known = result.measures if result else {}
        values = [known.get(column.name, "" if column.kind == "label" else math.nan) for column in measures]
        rows.append([ranks.get(model), model, *values])
    return Page("Models", _table(columns, rows), columns)


def differences_page(differences: Sequence[Difference]) -> Page:
    """Return every two models of a run."""
    rows = [
        [each.model, each.other_model, *(getattr(each, measure.field) for measure in DIFFERENCE_MEASURES)]
        for each in differences
    ]
    return Page("Differences", _table(DIFFERENCE_COLUMNS, rows), DIFFERENCE_COLUMNS)


def power_page(gini: float, table: Sequence[SamplesNeeded], level: float) -> Page:
    """Return how many samples tell a chooser with one favourite and this Gini from a uniform one."""
    title = f"Samples per cell that tell a Gini of {gini:g} (one favourite) from a uniform chooser, p < {level:g}"
    if any(None in each.samples for each in table):
        title += f"; –: more than {MOST_SAMPLES:,}"
    rows = [[each.options, each.favourite, *each.samples] for each in table]
    return Page(title, _table(POWER_COLUMNS, rows), POWER_COLUMNS)


def _table(columns: Sequence[Column], rows: Iterable[Sequence[object]]) -> PageTable:
    return PageTable.of_rows([column.name for column in columns], rows)
