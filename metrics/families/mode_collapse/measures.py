"""The numbers of a cell, and the table of a sheet's cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from scoresheet.metrics.core import Column
from scoresheet.metrics.families.mode_collapse.cells import Cell
from scoresheet.metrics.families.mode_collapse.chance import Chance, Shares
from scoresheet.metrics.families.mode_collapse.resample import bootstrap_ginis, interval
from scoresheet.metrics.families.mode_collapse.verdicts import agreement, entropy_band, gini_band, verdict
from scoresheet.metrics.stats.concentration import entropy, gini, miller_madow, normalized_entropy, rank_sums
from scoresheet.metrics.tables import object_frame

SHEET: Final = Column("Sheet", "The input sheet.", "key")
LEVEL: Final = Column("Level", "The level of the tree; 0 is the root.", "count")
PARENT: Final = Column("Parent", "The choices from the root down to this cell; empty at the root.", "key")
GINI: Final = Column(
    "Gini",
    "Gini coefficient of the counts over all declared options: 0 all alike, Gini_Max all on one.",
    "score",
    better="lower",
)
NORMALIZED: Final = Column(
    "Normalized_Entropy",
    "Entropy as a share of its maximum, log2 of the number of options: 1 all alike, 0 all on one.",
    "score",
    better="higher",
)
LOW: Final = Column("CI_Low", "Lower end of the 95 % bootstrap interval of the Gini at this sample size.", "score")
HIGH: Final = Column("CI_High", "Upper end of the 95 % bootstrap interval of the Gini at this sample size.", "score")
VERDICT: Final = Column(
    "Verdict",
    "The worse of the two bands; 'too few samples' if that is not low and a chooser without a favourite gets there in "
    "5 % of all cases or more ('not beyond target' with --target).",
    "label",
    good=("low",),
    middling=("moderate",),
    bad=("high",),
)

CELL: Final = (
    SHEET,
    LEVEL,
    PARENT,
    Column("N", "Samples that chose one of the options.", "count"),
    Column("Incomplete", "Samples without a usable choice: blank, incomplete, none or two of the options.", "count"),
    Column("Options", "Options declared.", "count"),
    Column("Used", "Options chosen at least once.", "count"),
    Column("Top_Choice", "The option chosen most often; the first declared of equals.", "label"),
    Column("Top_Share", "Its share of the samples.", "share"),
    Column("Top_Share_SE", "Standard error of that share, √(p(1−p)/N).", "share"),
    GINI,
    Column("Gini_Max", "The largest Gini that so many options allow, (n−1)/n: with two options 0.5.", "score"),
    Column("Gini_Corrected", "Gini as a share of its maximum, G·n/(n−1).", "score", better="lower"),
    Column("Entropy", "Shannon entropy in bits.", "score"),
    NORMALIZED,
    Column("Entropy_MM", "Entropy in bits with Miller and Madow's correction for small samples.", "score"),
    Column("Gini_Band", "Collapse by Gini: low below 0.3, moderate below 0.6, high from 0.6.", "label"),
    Column("Entropy_Band", "Collapse by normalised entropy: low from 0.7, moderate from 0.4, high below.", "label"),
    Column("Agreement", "strong: the two bands agree; else look at the shape.", "label"),
    Column("P_Value", "Chance that a uniform chooser (or the target's) has at least this Gini at this N.", "chance"),
    LOW,
    HIGH,
    VERDICT,
    Column("Width", "Options used / options declared.", "share"),
    Column("Uniform_Deviation", "Σ(f − 1/n)² over the options' shares f.", "score"),
    Column("Effective_Options", "2^entropy: so many equally frequent options have this entropy.", "score"),
    Column("Gini_Expected", "Mean Gini of a uniform chooser (or the target's) in a sample of this size.", "score"),
)


def measured_cells(sheet: str, cells: Sequence[Cell], *, seed: int) -> pd.DataFrame:
    """Return a line per cell; a cell with one option or without samples has counts and no measures."""
    chances = _chances(cells, seed)
    intervals = _intervals(cells, seed)
    lines = [_line(sheet, cell, chance, ends) for cell, chance, ends in zip(cells, chances, intervals, strict=True)]
    return object_frame({column.name: [line[column.name] for line in lines] for column in CELL})


def is_measured(cell: Cell) -> bool:
    """Return whether a cell has a Gini: something was chosen, and there was a choice."""
    return len(cell.options) > 1 and cell.total > 0


def _line(sheet: str, cell: Cell, chance: tuple[float, float], ends: tuple[float, float]) -> dict[str, Any]:
    counts, n, total = cell.listed, len(cell.options), cell.total
    line: dict[str, Any] = {column.name: "" if column.kind in ("label", "key") else math.nan for column in CELL}
    line |= {
        "Sheet": sheet,
        "Level": cell.level,
        "Parent": cell.parent,
        "N": total,
        "Incomplete": cell.incomplete,
        "Options": n,
        "Used": sum(map(bool, counts)),
    }
    if not is_measured(cell):
        return line
    coefficient, bits, normalized = gini(counts), entropy(counts), normalized_entropy(counts)
    top, (p_value, expected) = max(counts), chance
    share = top / total
    return line | {
        "Top_Choice": cell.options[counts.index(top)],
        "Top_Share": share,
        "Top_Share_SE": math.sqrt(share * (1 - share) / total),
        "Gini": coefficient,
        "Gini_Max": (n - 1) / n,
        "Gini_Corrected": coefficient * n / (n - 1),
        "Entropy": bits,
        "Normalized_Entropy": normalized,
        "Entropy_MM": miller_madow(counts),
        "Gini_Band": gini_band(coefficient),
        "Entropy_Band": entropy_band(normalized),
        "Agreement": agreement(coefficient, normalized),
        "P_Value": p_value,
        "CI_Low": ends[0],
        "CI_High": ends[1],
        "Verdict": verdict(coefficient, normalized, p_value, targeted=bool(cell.shares)),
        "Width": line["Used"] / n,
        "Uniform_Deviation": math.fsum((count / total - 1 / n) ** 2 for count in counts),
        "Effective_Options": 2**bits,
        "Gini_Expected": expected,
    }


def _chances(cells: Sequence[Cell], seed: int) -> list[tuple[float, float]]:
    """Return the cells' p-values and expected Ginis; cells with the same null chooser are looked at together."""
    alike: dict[tuple[int, Shares], list[int]] = {}
    for place, cell in enumerate(cells):
        if is_measured(cell) and cell.shares is not None:
            alike.setdefault((len(cell.options), cell.shares), []).append(place)
    chances = [(math.nan, math.nan)] * len(cells)
    for (options, shares), places in alike.items():
        seen = rank_sums(np.array([cells[place].listed for place in places]))
        totals = [cells[place].total for place in places]
        chance = Chance(options, shares, seed)
        for place, total, p_value in zip(places, totals, chance.p_values(totals, seen.tolist()), strict=True):
            chances[place] = (p_value, chance.expected_gini(total))
    return chances


def _intervals(cells: Sequence[Cell], seed: int) -> list[tuple[float, float]]:
    """Return the bootstrap intervals; a single sample has none."""
    ends = [(math.nan, math.nan)] * len(cells)
    by_size = sorted(range(len(cells)), key=lambda place: cells[place].total)  # cells of a size share their draws
    for place in by_size:
        cell = cells[place]
        if is_measured(cell) and cell.total > 1:
            n = len(cell.options)
            ends[place] = interval(gini(cell.listed), bootstrap_ginis(cell.listed, seed), (n - 1) / n)
    return ends
