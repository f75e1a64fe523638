"""The pages about a panel of judges: its summary, its items, its dimensions, judges, pairs of judges, and flags."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scoresheet.cli.report.intervals import ci_columns, with_intervals
from scoresheet.cli.report.page import Chart, Column, Page, PageTable, band_edges, free_column_name
from scoresheet.cli.report.reporter import column_of
from scoresheet.metrics.columns import Coded, NumberColumn, coded_numbers
from scoresheet.metrics.families.disagree.constants import (
    MOST_COMPARED_JUDGES,
    MOST_SHOWN_JUDGES,
    TIE_LABELS,
    VERDICTS,
)
from scoresheet.metrics.families.disagree.flags import worst_first
from scoresheet.metrics.families.disagree.judge_agreement import DimensionAgreement, Judge, JudgePair
from scoresheet.metrics.families.disagree.labels import LabelStanding, OrderBias
from scoresheet.metrics.families.disagree.measures import (
    ALPHA,
    ALPHA_ITEMS,
    AVERAGE_ICC,
    CI_HIGH,
    CI_LOW,
    CI_NOTE,
    CULTURAL_COMPETENCE,
    CULTURAL_CONSENSUS,
    FLAGS,
    FLEISS_KAPPA,
    HIGH,
    ICC_ITEMS,
    ITEM_KEY,
    ITEM_MEASURES,
    ITEMS,
    ITEMS_NOUN,
    JUDGES,
    KAPPA_ITEMS,
    LABEL_MEASURES,
    LABELLED_ITEM_MEASURES,
    MEAN,
    MEDIUM,
    MODEL_KEY,
    SEVERITY,
    SHEET_MEASURES,
    SINGLE_ICC,
    STD_DEV,
    VERDICT,
    confidence_on,
    disagreement_on,
    mean_on,
    relevance_on,
    score_by,
    vote_measures,
)
from scoresheet.metrics.families.disagree.odd_judges import REASONS
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.result import Panel
from scoresheet.metrics.families.disagree.score import SheetAgreement
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.stats.agreement import MEASUREMENT_LEVELS
from scoresheet.metrics.stats.confidence import Interval


class _Coloured(NamedTuple):
    """Words that are coloured as good, middling and bad."""

    good: tuple[str, ...] = ()
    middling: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()


_UNRELIABLE, _TENTATIVE, _RELIABLE = (name for _, name in VERDICTS)
_SEVERITIES: Final = _Coloured(middling=(MEDIUM,), bad=(HIGH,))
_COLOURED: Final = {
    VERDICT: _Coloured(good=(_RELIABLE,), middling=(_TENTATIVE,), bad=(_UNRELIABLE,)),
    SEVERITY: _SEVERITIES,
}

X = TypeVar("X")


class Cell(NamedTuple, Generic[X]):
    """A column of a page, and what of a thing it shows."""

    column: Column
    value: Callable[[X], object]


_CI_COLUMNS: Final = dict(zip((CI_LOW, CI_HIGH, CI_NOTE), ci_columns(ITEMS_NOUN, of=ALPHA.name), strict=True))


def panel_column(measure: Measure) -> Column:
    """Return a measure as a column, its words coloured."""
    if measure in _CI_COLUMNS:
        return _CI_COLUMNS[measure]
    words = _COLOURED.get(measure, _Coloured())
    return column_of(measure, good=words.good, middling=words.middling, bad=words.bad)


def _page(title: str, cells: Sequence[Cell[X]], rows: Iterable[X], *, chart: Chart | None = None) -> Page:
    """Return a page with a row for each thing."""
    columns = tuple(cell.column for cell in cells)
    lines = [[cell.value(row) for cell in cells] for row in rows]
    return Page(title, PageTable.of_rows([column.name for column in columns], lines), columns, chart=chart)


# --- summary ----------------------------------------------------------------------------------------------------------

SHEET: Final = Column("Sheet", "The input sheet.", "key")
_SUMMARY_SHEET: Final = Column(
    SHEET.name, "The sheet; the last row, Overall, is the mean of the sheets, and counts all their items.", "key"
)
SUMMARY_COLUMNS: Final = (_SUMMARY_SHEET, *map(panel_column, SHEET_MEASURES))


ALPHA_EDGES: Final = band_edges(VERDICTS)


def summary_page(panel: Panel, options: DisagreeOptions, sentence: str) -> Page:
    """Return a line per sheet, and the mean over sheets."""
    lines = (*panel.by_sheet, panel.overall)
    measures = (*SHEET_MEASURES, *(LABEL_MEASURES if options.nominal else ()))
    return Page(
        title="Summary",
        table=PageTable(
            {
                SHEET.name: [line.name for line in lines],
                **{measure.name: [line.value(measure) for line in lines] for measure in measures},
            }
        ),
        columns=(_SUMMARY_SHEET, *map(panel_column, measures)),
        chart=_alpha_chart("sheet", SHEET.name, options.ci),
        total_rows=1,
        sentence=sentence,
    )


def _alpha_chart(kind: str, labels: str, confidence: float, *, group: str = "") -> Chart:
    title = with_intervals(f"Alpha by {kind}", confidence)
    return Chart(title, labels, ALPHA.name, CI_LOW.name, CI_HIGH.name, group=group, edges=ALPHA_EDGES)


# --- items ------------------------------------------------------------------------------------------------------------

_ITEM: Final = Column(ITEM_KEY, "What was judged.", "key")
_MODEL: Final = Column(MODEL_KEY, "Whose answer was judged.", "key")
ITEM_COLUMNS: Final = (_ITEM, *map(panel_column, ITEM_MEASURES))
LABELLED_ITEM_COLUMNS: Final = (_ITEM, *map(panel_column, LABELLED_ITEM_MEASURES))
# what stands for the columns of all dimensions, in the docs
ANY_DIMENSION_COLUMN: Final = column_of(disagreement_on("<dimension>"), about=disagreement_on("the dimension").about)
ANY_JUDGE_COLUMN: Final = column_of(score_by("<judge>"), about=score_by("the judge").about)


def dimension_columns(sheets: Sequence[SheetAgreement]) -> tuple[Column, ...]:
    """Return the columns of an item for the dimensions there are."""
    dimensions = list(dict.fromkeys(name for sheet in sheets for name in sheet.dimensions))
    measures = [disagreement_on(name) for name in dimensions]
    measures += [mean_on(name) for name in dimensions]
    if any(sheet.has_confidence for sheet in sheets):
        measures += [confidence_on(name) for name in dimensions]
    if any(sheet.has_relevance for sheet in sheets):
        measures += [relevance_on(name) for name in dimensions]
        measures += [CULTURAL_COMPETENCE, CULTURAL_CONSENSUS]
    return tuple(map(column_of, measures))


def item_pages(sheets: Sequence[SheetAgreement], *, nominal: bool) -> tuple[Page, ...]:
    """Return a page per sheet, with a row per item."""
    columns = (*ITEM_COLUMNS, *score_columns(sheets), *dimension_columns(sheets))
    if nominal:
        columns = (*LABELLED_ITEM_COLUMNS, *vote_columns(sheets))
    return tuple(_item_page(sheet, with_model(columns, sheets)) for sheet in sheets)


def with_model(columns: Sequence[Column], sheets: Sequence[SheetAgreement]) -> tuple[Column, ...]:
    """Return the columns of an item, with that of the model beside it where items are answers of models."""
    if not any(MODEL_KEY in sheet.units.keys for sheet in sheets):
        return tuple(columns)
    place = columns.index(_ITEM) + 1
    return (*columns[:place], _MODEL, *columns[place:])


def vote_columns(sheets: Sequence[SheetAgreement]) -> tuple[Column, ...]:
    """Return the columns of majority and votes, for each dimension of any sheet."""
    measures = [each for sheet in sheets for pair in vote_measures(sheet.dimensions) for each in pair]
    return tuple(map(column_of, dict.fromkeys(measures)))


def _item_page(sheet: SheetAgreement, columns: tuple[Column, ...]) -> Page:
    cells, nothing = sheet.units.columns(), [math.nan] * len(sheet.units)  # another sheet may have more dimensions
    return Page(sheet.name, PageTable({column.name: cells.get(column.name, nothing) for column in columns}), columns)


def score_columns(sheets: Sequence[SheetAgreement]) -> tuple[Column, ...]:
    """Return a column per judge, if they are few enough to be looked at."""
    judges = dict.fromkeys(judge for sheet in sheets for judge in sheet.judges)
    return tuple(column_of(score_by(judge)) for judge in judges) if len(judges) <= MOST_SHOWN_JUDGES else ()


# --- dimensions -------------------------------------------------------------------------------------------------------

_DIMENSION: Final = Column("Dimension", "The dimension; Overall: the judges' overall scores.", "key")


class DimensionRow(NamedTuple):
    """A dimension of a sheet, or the judges' overall scores there."""

    sheet: str
    agreement: DimensionAgreement
    interval: Interval


def dimension_rows(panel: Panel) -> Iterator[DimensionRow]:
    """Yield the dimensions of all sheets, each sheet's overall scores after them."""
    for sheet, intervals in zip(panel.sheets, panel.intervals, strict=True):
        for agreement, interval in zip(sheet.agreements, intervals, strict=True):
            yield DimensionRow(sheet.name, agreement, interval)


def _alpha_at(level: str) -> Cell[DimensionRow]:
    column = Column(f"Alpha_{level.capitalize()}", f"Krippendorff's alpha at the {level} level.", "score")
    return Cell(column, lambda row: row.agreement.alpha_by_level[level])


_DIMENSION_CELLS: Final[tuple[Cell[DimensionRow], ...]] = (
    Cell(SHEET, lambda row: row.sheet),
    Cell(_DIMENSION, lambda row: row.agreement.dimension),
    Cell(column_of(ITEMS, about="Items with a score."), lambda row: row.agreement.items),
    Cell(Column("Ratings", "Scores.", "count"), lambda row: row.agreement.ratings),
    Cell(column_of(MEAN, about="Mean score, on the scale 0 to 1."), lambda row: row.agreement.mean),
    Cell(
        Column("Disagreement", "Mean CV over the judges of an item.", "score", better="lower"),
        lambda row: row.agreement.disagreement,
    ),
    Cell(
        Column("CV_Items", "Items with a CV: those that Disagreement is over.", "count"),
        lambda row: row.agreement.disagreement_items,
    ),
    Cell(panel_column(ALPHA), lambda row: row.agreement.alpha),
    Cell(panel_column(CI_LOW), lambda row: row.interval[0]),
    Cell(panel_column(CI_HIGH), lambda row: row.interval[1]),
    Cell(panel_column(CI_NOTE), lambda row: row.interval.note),
    Cell(panel_column(ALPHA_ITEMS), lambda row: row.agreement.alpha_items),
    *map(_alpha_at, MEASUREMENT_LEVELS),
    Cell(panel_column(SINGLE_ICC), lambda row: row.agreement.icc.single),
    Cell(panel_column(AVERAGE_ICC), lambda row: row.agreement.icc.average),
    Cell(panel_column(ICC_ITEMS), lambda row: row.agreement.icc_items),
)
_LABEL_CELLS: Final[tuple[Cell[DimensionRow], ...]] = (
    Cell(panel_column(FLEISS_KAPPA), lambda row: row.agreement.kappa),
    Cell(panel_column(KAPPA_ITEMS), lambda row: row.agreement.kappa_items),
)


def dimensions_page(panel: Panel, options: DisagreeOptions) -> Page:
    """Return the agreement on each dimension of each sheet."""
    group = SHEET.name if len(panel.sheets) > 1 else ""
    chart = _alpha_chart("dimension", _DIMENSION.name, options.ci, group=group)
    cells = (*_DIMENSION_CELLS, *(_LABEL_CELLS if options.nominal else ()))
    return _page("Dimensions", cells, dimension_rows(panel), chart=chart)


# --- judges -----------------------------------------------------------------------------------------------------------


class JudgeRow(NamedTuple):
    """A judge on one dimension of a sheet."""

    sheet: str
    dimension: str
    judge: Judge
    outlier_items: int | None  # of the overall scores alone
    odd: str  # why, of the overall scores alone
    correlations: Mapping[str, float]


def _reasons() -> str:
    return ", ".join(f"{why} ({about})" for why, about in REASONS.items())


_JUDGE_CELLS: Final[tuple[Cell[JudgeRow], ...]] = (
    Cell(SHEET, lambda row: row.sheet),
    Cell(_DIMENSION, lambda row: row.dimension),
    Cell(Column("Judge", "The judge.", "key"), lambda row: row.judge.name),
    Cell(column_of(ITEMS, about="Items this judge scored."), lambda row: row.judge.items),
    Cell(column_of(MEAN, about="Mean score, on the scale 0 to 1."), lambda row: row.judge.mean),
    Cell(
        Column(
            "Bias", "Mean difference from the mean of the other judges on the same items; below 0 is strict.", "score"
        ),
        lambda row: row.judge.leniency,
    ),
    Cell(
        Column("Alpha_Without", "Alpha of the panel without this judge.", "score"),
        lambda row: row.judge.alpha_if_dropped,
    ),
    Cell(
        Column("Influence", "How much alpha rises without this judge.", "score"),
        lambda row: row.judge.alpha_gain_if_dropped,
    ),
    Cell(
        Column("Outlier_Items", "Items on which either rule calls this judge an outlier.", "count"),
        lambda row: row.outlier_items,
    ),
    Cell(Column("Odd", f"Why this judge does not fit the others: {_reasons()}.", "label"), lambda row: row.odd),
)


def judges_page(panel: Panel, *, nominal: bool) -> Page:
    """Return each judge among the others, with the matrix of their correlations."""
    judges = list(dict.fromkeys(judge for sheet in panel.sheets for judge in sheet.judges))
    matrix = _matrix_cells(judges, nominal=nominal) if len(judges) <= MOST_COMPARED_JUDGES else []
    return _page("Judges", (*_JUDGE_CELLS, *matrix), _judge_rows(panel))


def _judge_rows(panel: Panel) -> Iterator[JudgeRow]:
    for sheet in panel.sheets:
        for agreement in sheet.distinct_agreements:
            for judge in agreement.judges:
                is_overall = agreement is sheet.overall
                outlier_items = sheet.outlier_items.get(judge.name) if is_overall else None
                odd = next((each.why for each in sheet.odd if is_overall and each.name == judge.name), "")
                correlations = dict(zip(sheet.judges, judge.correlations, strict=True))
                yield JudgeRow(sheet.name, agreement.dimension, judge, outlier_items, odd, correlations)


def _matrix_cells(judges: Iterable[str], *, nominal: bool) -> list[Cell[JudgeRow]]:
    """Return a column per judge; a judge may be called as another column of the page is."""
    taken = [cell.column.name for cell in _JUDGE_CELLS]
    cells = []
    for judge in judges:
        name = free_column_name(judge, taken)
        taken.append(name)
        cells.append(_matrix_cell(judge, name, nominal=nominal))
    return cells


def _matrix_cell(judge: str, name: str, *, nominal: bool) -> Cell[JudgeRow]:
    what = "Share of equal labels" if nominal else "Correlation"
    column = Column(name, f"{what} with {judge}.", "score", better="higher", lowest=0 if nominal else -1)
    return Cell(column, lambda row: row.correlations.get(judge, math.nan))


# --- pairs of judges --------------------------------------------------------------------------------------------------


class PairRow(NamedTuple):
    """Two judges on one dimension of a sheet."""

    sheet: str
    dimension: str
    pair: JudgePair


_PAIR_CELLS: Final[tuple[Cell[PairRow], ...]] = (
    Cell(SHEET, lambda row: row.sheet),
    Cell(_DIMENSION, lambda row: row.dimension),
    Cell(Column("Judge", "One judge.", "key"), lambda row: row.pair.judge),
    Cell(Column("Other_Judge", "The other.", "key"), lambda row: row.pair.other),
    Cell(column_of(ITEMS, about="Items both scored."), lambda row: row.pair.items),
    Cell(
        Column("Correlation", "Pearson's correlation.", "score", better="higher", lowest=-1),
        lambda row: row.pair.correlation,
    ),
    Cell(
        Column("Mean_Difference", "Mean of the judge's score less the other's, on the scale 0 to 1.", "score"),
        lambda row: row.pair.difference,
    ),
    Cell(
        Column("Agreement", "Share of the items with equal scores or labels.", "share"),
        lambda row: row.pair.agreement,
    ),
)


_KAPPA_CELL: Final[Cell[PairRow]] = Cell(
    Column("Cohen_Kappa", "Cohen's kappa of the two.", "score", better="higher", lowest=-1), lambda row: row.pair.kappa
)


def pairs_page(panel: Panel, *, nominal: bool) -> Page:
    """Return every two judges on the items that both scored."""
    rows = [
        PairRow(sheet.name, agreement.dimension, pair)
        for sheet in panel.sheets
        for agreement in sheet.distinct_agreements
        for pair in agreement.pairs
    ]
    return _page("Pairs", (*_PAIR_CELLS, *((_KAPPA_CELL,) if nominal else ())), rows)


# --- labels -----------------------------------------------------------------------------------------------------------


class StandingRow(NamedTuple):
    """A label on one dimension of a sheet."""

    sheet: str
    dimension: str
    standing: LabelStanding


_WIN_LOW, _WIN_HIGH, _WIN_NOTE = ci_columns(ITEMS_NOUN, of="Win_Rate", how="exact for a proportion of")
_STANDING_CELLS: Final[tuple[Cell[StandingRow], ...]] = (
    Cell(SHEET, lambda row: row.sheet),
    Cell(_DIMENSION, lambda row: row.dimension),
    Cell(Column("Label", "The label.", "key"), lambda row: row.standing.label),
    Cell(Column("Votes", "How often judges chose it.", "count"), lambda row: row.standing.votes),
    Cell(Column("Vote_Share", "Of all votes.", "share"), lambda row: row.standing.vote_share),
    Cell(Column("Items_Won", "Items on which it has the most votes.", "count"), lambda row: row.standing.items_won),
    Cell(column_of(ITEMS, about="Items with a vote."), lambda row: row.standing.items),
    Cell(
        Column(
            "Win_Rate",
            "Items won of those with a vote. Where two labels can win, one without a majority, or with one for a tie "
            f"({', '.join(TIE_LABELS)}), is half an item for each.",
            "share",
        ),
        lambda row: row.standing.win_rate,
    ),
    Cell(_WIN_LOW, lambda row: row.standing.interval.low),
    Cell(_WIN_HIGH, lambda row: row.standing.interval.high),
    Cell(_WIN_NOTE, lambda row: row.standing.interval.note),
)


def labels_page(panel: Panel) -> Page:
    """Return how often each label was chosen and won."""
    rows = [
        StandingRow(sheet.name, dimension, standing)
        for sheet in panel.sheets
        for dimension, standings in sheet.standings.items()
        for standing in standings
    ]
    return _page("Labels", _STANDING_CELLS, rows)


_ORDER_LOW, _ORDER_HIGH, _ORDER_NOTE = ci_columns(ITEMS_NOUN, of="Order_Bias", how="of two exact proportions of")
_ORDER_CELLS: Final[tuple[Cell[OrderBias], ...]] = (
    Cell(Column("Judge", "The judge, or all of them.", "key"), lambda row: row.judge),
    Cell(
        Column("Votes", "Votes for one of the two where it is known which stood first.", "count"), lambda row: row.votes
    ),
    Cell(Column("First_Share", "Of these, for the one that stood first.", "share"), lambda row: row.first_share),
    Cell(
        Column(
            "Order_Bias",
            "Mean of how often each of the two is chosen when it stands first, less a half: 0 is no bias, whatever the "
            "two are worth.",
            "score",
        ),
        lambda row: row.bias,
    ),
    Cell(_ORDER_LOW, lambda row: row.interval.low),
    Cell(_ORDER_HIGH, lambda row: row.interval.high),
    Cell(_ORDER_NOTE, lambda row: row.interval.note),
    Cell(Column("Finding", "What is shown.", "label"), lambda row: row.finding),
)


def order_page(panel: Panel) -> Page:
    """Return whether judges prefer what stood first."""
    return _page("Order", _ORDER_CELLS, panel.order)


# --- flags ------------------------------------------------------------------------------------------------------------

_FLAG_COLUMNS: Final = (
    Column(
        SEVERITY.name,
        f"{HIGH} or {MEDIUM}; {HIGH} ones first, and those on which judges are farthest apart.",
        "label",
        middling=_SEVERITIES.middling,
        bad=_SEVERITIES.bad,
    ),
    Column("Flag", "What is wrong.", "key"),
    SHEET,
    Column(ITEM_KEY, "The item.", "key"),
    Column("Dimension", "The dimension, if it is about one.", "label"),
    Column(JUDGES.name, "The judges, if it is about some.", "label"),
    Column("Value", "The value that crossed the threshold.", "score"),
    Column("Threshold", "The threshold.", "score"),
    Column("What", "The same in a sentence.", "text"),
    column_of(STD_DEV, about="How far apart the item's judges are."),
    Column("Scores", "What each judge gave, overall and as given; of labels, the votes.", "text"),
)


def flags_page(panel: Panel) -> Page:
    """Return the flags of all items, the worst first."""
    sheets, flags = panel.sheets, [sheet.flags for sheet in panel.sheets]
    of_sheets = np.repeat(np.arange(len(sheets), dtype=np.int32), list(map(len, flags)))
    severities = Coded.joined([each.severities for each in flags])
    spreads = np.concatenate([np.zeros(0), *map(_flagged_spreads, sheets)])
    columns: Sequence[Coded[str] | NumberColumn] = (
        severities,
        Coded.joined([each.names for each in flags]),
        Coded([sheet.name for sheet in sheets], of_sheets),
        Coded.joined([Coded(sheet.items, sheet.flags.items.astype(np.int32)) for sheet in sheets]),
        Coded.joined([each.dimensions for each in flags]),
        Coded.joined([each.judges for each in flags]),
        NumberColumn(np.concatenate([np.zeros(0), *(each.values for each in flags)])),
        NumberColumn(np.concatenate([np.zeros(0), *(each.thresholds for each in flags)])),
        Coded.joined([each.what for each in flags]),
        NumberColumn(spreads),
        Coded.joined(list(map(_scores_in_words, sheets))),
    )
    order = worst_first(severities, spreads)
    cells = {column.name: own.take(order) for column, own in zip(_FLAG_COLUMNS, columns, strict=True)}
    return Page(FLAGS.name, PageTable(cells), _FLAG_COLUMNS)


def _flagged_spreads(sheet: SheetAgreement) -> NDArray[np.float64]:
    """Return how far apart the judges of each flag's item are; labels are not apart by anything."""
    if STD_DEV.name not in sheet.units.measures:
        return np.full(len(sheet.flags), math.nan)
    return sheet.units.array(STD_DEV.name)[sheet.flags.items]


def _scores_in_words(sheet: SheetAgreement) -> Coded[str]:
    """Return who gave what to each flag's item, if they are few enough to be looked at."""
    if len(sheet.judges) > MOST_SHOWN_JUDGES:
        return Coded.repeated("", len(sheet.flags))
    flagged, codes = np.unique(sheet.flags.items, return_inverse=True)
    if sheet.scores is None:
        votes = [sheet.units.measures[votes.name] for _, votes in vote_measures(sheet.dimensions)]
        words = ["; ".join(str(own[item]) for own in votes) for item in flagged.tolist()]
    else:
        by_judge = map(_scores_of, sheet.judges, sheet.scores[flagged].T)
        words = [", ".join(filter(None, given)) for given in zip(*by_judge, strict=True)]
    return Coded(range(len(words)), codes.astype(np.int32)).mapped(words.__getitem__)


def _scores_of(judge: str, scores: NDArray[np.float64]) -> Coded[str]:
    """Return what a judge gave to some items, '' where it is nothing."""
    return coded_numbers(scores).mapped(lambda score: "" if math.isnan(score) else f"{judge} {round(score, 3):g}")
