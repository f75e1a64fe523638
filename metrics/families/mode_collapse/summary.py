"""From cells to levels, from levels to the model: means over cells, weighted means, the verdict at the root."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from scoresheet.metrics.core import Chart, Column, Detail, Page, Report
from scoresheet.metrics.families.mode_collapse.cells import Cell, Counted
from scoresheet.metrics.families.mode_collapse.chance import DRAWS, Chance, collapse_p_value
from scoresheet.metrics.families.mode_collapse.measures import GINI, HIGH, LOW, NORMALIZED, VERDICT, is_measured
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.pages import counts_page, distribution_page, mappings_page
from scoresheet.metrics.families.mode_collapse.resample import bootstrap_ginis, interval
from scoresheet.metrics.families.mode_collapse.verdicts import COLLAPSED, LIKE_TARGET, TOO_FEW, verdict
from scoresheet.metrics.stats.concentration import entropy, gini, gini_of_rank_sums, normalized_entropy
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.tables import object_frame

ALL_SHEETS: Final = "All sheets"
ALL_LEVELS: Final = "all"

SUMMARY: Final = (
    Column("Sheet", "The sheet; the last lines are those of the model.", "key"),
    Column("Level", "The level of the tree; 0 is the root, and the model's primary measures.", "label"),
    Column("Cells", "Cells with a Gini.", "count"),
    Column("N", "Samples that chose one of the options.", "count"),
    Column("Incomplete", "Samples without a usable choice.", "count"),
    Column("Gini", "Mean Gini of the cells.", "score", better="lower"),
    LOW,
    HIGH,
    Column("Gini_Weighted", "Mean weighted by how often each cell's parent was chosen.", "score", better="lower"),
    Column("Normalized_Entropy", "Mean normalised entropy of the cells.", "score", better="higher"),
    Column("Entropy_Weighted", "The same weighted by the parents.", "score", better="higher"),
    Column("Conditional_Entropy", "Entropy in bits weighted by the parents: H(choice | parent).", "score"),
    *(Column(f"{name.capitalize()}_Cells", f"Cells with the verdict {name}.", "count") for name in ("low", *COLLAPSED)),
    Column("Too_Few_Cells", "Cells whose verdict could be chance: too few samples, or not beyond the target.", "count"),
    Column("P_Value", "Chance that uniform choosers (or the target's) have at least this mean Gini.", "chance"),
    VERDICT,
)
ALL_LEVEL_COLUMNS: Final = (
    Column("All_Levels_Gini", "Mean of the levels' Ginis.", "score", better="lower"),
    Column("All_Levels_Entropy", "Mean of the levels' normalised entropies.", "score", better="higher"),
    replace(VERDICT, about="The verdict on level 0: " + VERDICT.about[0].lower() + VERDICT.about[1:]),
    Column("Collapsed_Cells", "Cells of all levels with the verdict moderate or high.", "count"),
    Column("Cells", "Cells of all levels with a Gini.", "count"),
    LOW,
    HIGH,
)


def level_columns(level: int | str) -> tuple[Column, ...]:
    """Return the measures of a level below the root."""
    return (
        Column(f"Level_{level}_Gini", f"Mean Gini of the cells of level {level}.", "score", better="lower"),
        Column(f"Level_{level}_Entropy", f"Mean normalised entropy of level {level}.", "score", better="higher"),
        Column(
            f"Level_{level}_Gini_Weighted",
            f"Mean Gini of level {level}, each cell weighted by how often its parent was chosen.",
            "score",
            better="lower",
        ),
    )


RESULTS: Final = (GINI, NORMALIZED, *level_columns("k"), *ALL_LEVEL_COLUMNS)  # k stands for each level a run has


@dataclass(frozen=True)
class _Placed:
    """A cell with the sheet it stands in and its verdict."""

    sheet: str
    cell: Cell
    verdict: str


def summarise_model(model: str, details: Sequence[Detail], options: ModeCollapseOptions) -> Report:
    """Return a model's report: a line per sheet and level, then the levels of the model, then all levels."""
    placed = [
        _Placed(detail.sheet.name, cell, verdict_of_cell)
        for detail in details
        for cell, verdict_of_cell in zip(detail.extra.cells, detail.table["Verdict"], strict=True)
    ]
    groups: dict[tuple[str, int], list[_Placed]] = {}
    for each in placed:
        groups.setdefault((each.sheet, each.cell.level), []).append(each)
    sheets = [detail.sheet.name for detail in details]
    levels = sorted({each.cell.level for each in placed})
    lines = [
        _line(name, level, mine, options.seed)
        for level in levels
        for name in sheets
        if (mine := groups.get((name, level)))
    ]
    whole = [{**line, "Sheet": ALL_SHEETS} for line in lines]
    if len(sheets) > 1:
        whole = [
            _line(ALL_SHEETS, level, [each for each in placed if each.cell.level == level], options.seed)
            for level in levels
        ]
    overall = _overall(whole)
    totals = [*(whole if len(sheets) > 1 else ()), overall]
    page = Page(
        title="Summary",
        table=object_frame({column.name: [line[column.name] for line in (*lines, *totals)] for column in SUMMARY}),
        columns=SUMMARY,
        chart=_chart(sheets, levels),
        total_rows=len(totals),
    )
    measures = _measures(whole, overall)
    counted: list[tuple[str, Counted]] = [(detail.sheet.name, detail.extra) for detail in details]
    scored = sum(each.cell.rows for each in placed if is_measured(each.cell))
    return Report(
        model=model,
        status="ok" if scored else "unscored",
        measures=measures,
        rows=sum(len(detail.sheet.frame) for detail in details),
        scored=scored,
        computed=scored,
        summary=page,
        pages=(distribution_page(counted), counts_page(counted), mappings_page(counted)),
        numbers=_numbers(measures, whole, lines),
        extra={
            (each.sheet, each.cell.path): dict(zip(each.cell.options, each.cell.listed, strict=True))
            for each in placed
            if not each.cell.level
        },
    )


def _chart(sheets: Sequence[str], levels: Sequence[int]) -> Chart:
    """Return a bar per line, named by what tells the lines apart."""
    if len(levels) == 1:
        return Chart("Gini by sheet, with 95 % intervals", "Sheet", "Gini", "CI_Low", "CI_High")
    group = "Sheet" if len(sheets) > 1 else ""
    by = "sheet and level" if group else "level"
    return Chart(f"Gini by {by}, with 95 % intervals", "Level", "Gini", "CI_Low", "CI_High", group)


def _line(sheet: str, level: int, placed: Sequence[_Placed], seed: int) -> dict[str, Any]:
    """Return the means over the cells of one level, of one sheet or of all."""
    cells = [each.cell for each in placed if is_measured(each.cell)]
    verdicts = Counter(each.verdict for each in placed)
    ginis = [gini(cell.listed) for cell in cells]
    normalized = [normalized_entropy(cell.listed) for cell in cells]
    middle = mean(ginis)
    p_value = _mean_p_value(cells, seed)
    single = placed[0].verdict if len(placed) == 1 else None
    targeted = any(cell.shares for cell in cells)
    by_sheet = _by_sheet(placed)
    ends = _mean_interval(cells, middle, seed)
    return {
        "Sheet": sheet,
        "Level": str(level),
        "Cells": len(cells),
        "N": sum(each.cell.total for each in placed),
        "Incomplete": sum(each.cell.incomplete for each in placed),
        "Gini": middle,
        "CI_Low": ends[0],
        "CI_High": ends[1],
        "Gini_Weighted": mean(_weighted(each, gini) for each in by_sheet),
        "Normalized_Entropy": mean(normalized),
        "Entropy_Weighted": mean(_weighted(each, normalized_entropy) for each in by_sheet),
        "Conditional_Entropy": mean(_weighted(each, entropy) for each in by_sheet),
        "Low_Cells": verdicts["low"],
        "Moderate_Cells": verdicts["moderate"],
        "High_Cells": verdicts["high"],
        "Too_Few_Cells": verdicts[TOO_FEW] + verdicts[LIKE_TARGET],
        "P_Value": p_value,
        "Verdict": verdict(middle, mean(normalized), p_value, targeted=targeted) if single is None else single,
    }


def _overall(whole: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the line of all levels: means of the level values, sums of the counts."""
    line: dict[str, Any] = {column.name: math.nan for column in SUMMARY}
    for name in ("Cells", "N", "Incomplete", "Low_Cells", "Moderate_Cells", "High_Cells", "Too_Few_Cells"):
        line[name] = sum(each[name] for each in whole)
    for name in ("Gini", "Gini_Weighted", "Normalized_Entropy", "Entropy_Weighted"):
        line[name] = mean(each[name] for each in whole)
    return line | {"Sheet": ALL_SHEETS, "Level": ALL_LEVELS, "Verdict": ""}


def _measures(whole: Sequence[Mapping[str, Any]], overall: Mapping[str, Any]) -> dict[str, float | str]:
    root: Mapping[str, Any] = next((line for line in whole if line["Level"] == "0"), {})
    measures: dict[str, float | str] = {
        "Gini": root.get("Gini", math.nan),
        "Normalized_Entropy": root.get("Normalized_Entropy", math.nan),
    }
    for line in whole:
        if line["Level"] != "0":
            values = (line["Gini"], line["Normalized_Entropy"], line["Gini_Weighted"])
            columns = level_columns(int(line["Level"]))
            measures |= {column.name: value for column, value in zip(columns, values, strict=True)}
    return measures | {
        "All_Levels_Gini": overall["Gini"],
        "All_Levels_Entropy": overall["Normalized_Entropy"],
        "Verdict": root.get("Verdict", ""),
        "Collapsed_Cells": overall["Moderate_Cells"] + overall["High_Cells"],
        "Cells": overall["Cells"],
        "CI_Low": root.get("CI_Low", math.nan),
        "CI_High": root.get("CI_High", math.nan),
    }


def _numbers(
    measures: Mapping[str, float | str],
    whole: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return nested numbers only: the measures, each level, each level of each sheet."""
    sheets: dict[str, Any] = {}
    for line in lines:
        sheets.setdefault(line["Sheet"], {}).setdefault("Levels", {})[line["Level"]] = _only_numbers(line)
    return {
        **_only_numbers(measures),
        "Levels": {line["Level"]: _only_numbers(line) for line in whole},
        "Sheets": sheets,
    }


def _only_numbers(line: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if not isinstance(value, str)}


def _by_sheet(placed: Sequence[_Placed]) -> list[list[Cell]]:
    groups: dict[str, list[Cell]] = {}
    for each in placed:
        if is_measured(each.cell):
            groups.setdefault(each.sheet, []).append(each.cell)
    return list(groups.values())


def _weighted(cells: Sequence[Cell], measure: Any) -> float:
    """Return the mean of a measure over cells, each with the weight of its parent."""
    weight = math.fsum(cell.weight for cell in cells)
    if not weight:
        return math.nan  # no parent was ever chosen
    return math.fsum(cell.weight * measure(cell.listed) for cell in cells) / weight


def _mean_interval(cells: Sequence[Cell], middle: float, seed: int) -> tuple[float, float]:
    """Return the bootstrap interval of the mean Gini over cells; each cell is resampled by itself."""
    if all(cell.total < 2 for cell in cells):
        return math.nan, math.nan
    total: Any = 0.0
    for place, cell in enumerate(sorted(cells, key=_draw)):
        drawn = bootstrap_ginis(cell.listed, seed)
        # cells of one size share their draws; in a mean of several they must not move together
        order = np.random.default_rng([seed, place]).permutation(len(drawn)) if len(cells) > 1 else slice(None)
        total = total + drawn[order]
    most = mean((len(cell.options) - 1) / len(cell.options) for cell in cells)
    return interval(middle, total / len(cells), most)


def _mean_p_value(cells: Sequence[Cell], seed: int) -> float:
    """Return the chance that choosers without a favourite have at least this mean Gini."""
    if not cells or any(cell.shares is None for cell in cells):
        return math.nan
    if len(cells) == 1:
        cell = cells[0]
        return collapse_p_value(cell.listed, target=cell.shares or None, seed=seed)
    total: Any = 0.0
    for place, cell in enumerate(sorted(cells, key=_draw)):
        options = len(cell.options)
        sums = Chance(options, cell.shares or (), seed).drawn(cell.total)
        order = np.random.default_rng([seed, place]).permutation(DRAWS)
        total = total + gini_of_rank_sums(sums, options, cell.total)[order]
    seen = math.fsum(gini(cell.listed) for cell in cells)
    return (1 + int(np.count_nonzero(total >= seen - 1e-9))) / (1 + DRAWS)


def _draw(cell: Cell) -> tuple[Any, ...]:
    """Return what gives a cell its draws among others: what it holds, never where it stands; what is drawn goes up."""
    return cell.total, len(cell.options), sorted(cell.listed), cell.shares or ()
