"""Mode collapse as a plain pandas and scipy script: the peer that `scoresheet mode-collapse` is measured against.

    python benchmarks/plain_mode_collapse.py OUTPUTS OPTIONS RESULTS [EVERY]

The metric as its recipe has it: pandas reads and writes, one cell after another gets its Gini by the printed formula,
its entropy by scipy, a p-value from simulated uniform choosers and a bootstrap interval. It is written to be a fair
peer: the table is grouped once, and the draws of a cell are made, sorted and scored by numpy in one go. It does none of
the checks that `scoresheet` does. With EVERY it scores every so many-th cell.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from parts import Part
from scipy.stats import entropy  # type: ignore[import-not-found,import-untyped,unused-ignore] # only `bench` installs it

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Cell = tuple[tuple[str, int, str], dict[str, int]]  # (sheet, level, parent) and how often each choice was made

# the only spreadsheet library the recipe asks for; pandas would otherwise take whatever is installed
ENGINE: Final = "openpyxl"
KEYS: Final = ["Sheet", "level", "parent"]
MEASURES: Final = ["Gini", "Entropy", "Normalized_Entropy", "P_Value", "CI_Low", "CI_High"]
COLUMNS: Final = ["Sheet", "Level", "Parent", "N", "Top_Choice", "Top_Share", *MEASURES]
SIMULATIONS: Final = 10_000
RESAMPLES: Final = 2_000


def read_options(folder: Path) -> dict[int, list[str]]:
    """Return the options of each level, from every CSV in the folder."""
    table = pd.concat([pd.read_csv(path, keep_default_na=False) for path in sorted(folder.glob("*.csv"))])
    return {int(str(level)): list(options) for level, options in table.groupby("level")["option"]}


def read_cells(path: Path) -> list[Cell]:
    """Return the cells of one file, which has a count column or one row per sample."""
    table = pd.read_csv(path, keep_default_na=False)
    groups = table.groupby([*KEYS, "choice"], sort=False)
    counts = groups["count"].sum() if "count" in table.columns else groups.size()
    cells: dict[tuple[str, int, str], dict[str, int]] = {}
    for (sheet, level, parent, choice), count in zip(counts.index, counts.tolist(), strict=True):
        cells.setdefault((sheet, level, parent), {})[choice] = count
    return list(cells.items())


def gini(counts: Sequence[int]) -> float:
    """Return the Gini coefficient, as the recipe prints it."""
    ordered = sorted(counts)
    n = len(ordered)
    numerator = sum((i + 1) * y for i, y in enumerate(ordered))
    return 2 * numerator / (n * sum(ordered)) - (n + 1) / n


def gini_of_each(draws: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the Gini coefficient of each line, by the same operations, so that ties are ties."""
    n = draws.shape[1]
    numerators = np.sort(draws, axis=1) @ np.arange(1, n + 1)
    ginis: NDArray[np.float64] = 2 * numerators / (n * draws.sum(axis=1)) - (n + 1) / n
    return ginis


def p_value(rng: np.random.Generator, counts: Sequence[int], seen: float) -> float:
    """Return how often a uniform chooser with as many samples is at least as concentrated."""
    n = len(counts)
    draws = rng.multinomial(sum(counts), [1 / n] * n, size=SIMULATIONS)
    return float(1 + np.count_nonzero(gini_of_each(draws) >= seen)) / (1 + SIMULATIONS)


def interval(rng: np.random.Generator, counts: Sequence[int]) -> tuple[float, float]:
    """Return the percentile interval of the Gini coefficient over resampled samples, less what resampling adds.

    Options never chosen share one card more than there are options chosen once.
    """
    total, unused = sum(counts), counts.count(0)
    cards = min(counts.count(1) + 1, total * unused // (len(counts) - unused)) if unused else 0
    chances = [(count or cards / unused) / (total + cards) for count in counts]
    draws = rng.multinomial(total, chances, size=RESAMPLES)
    ginis = gini_of_each(draws)
    low, high = np.quantile(ginis, [0.025, 0.975]) - (ginis.mean() - gini(counts))
    return max(0.0, float(low)), min(1 - 1 / len(counts), float(high))


def score_cell(rng: np.random.Generator, cell: Cell, options: dict[int, list[str]]) -> list[object]:
    """Return the cell's line of the report."""
    (sheet, level, parent), chosen = cell
    names = options[level]
    counts = [chosen.get(name, 0) for name in names]
    total, top = sum(counts), max(counts)
    seen, bits = gini(counts), float(entropy(counts, base=2))
    shares = [total, names[counts.index(top)], top / total]
    tests = [p_value(rng, counts, seen), *interval(rng, counts)]
    return [sheet, level, parent, *shares, seen, bits, bits / math.log2(len(names)), *tests]


def score_model(path: Path, options: dict[int, list[str]], results: Path, part: Part) -> dict[str, object]:
    """Write the model's workbook and CSV and return its line of the results: the mean over the cells of each level."""
    rng = np.random.default_rng(0)
    cells = read_cells(path)
    with part.scoring():
        lines = [score_cell(rng, cell, options) for number, cell in enumerate(cells) if part.has(number)]
    scored = pd.DataFrame(lines, columns=COLUMNS)
    levels = scored.groupby("Level")[["Gini", "Normalized_Entropy"]].mean()
    with pd.ExcelWriter(results / f"{path.stem}_mode_collapse.xlsx", engine=ENGINE) as book:
        levels.to_excel(book, sheet_name="Summary")
        for sheet, table in scored.groupby("Sheet", sort=False):
            table.to_excel(book, sheet_name=str(sheet), index=False)
    scored.to_csv(results / f"{path.stem}_mode_collapse.csv", index=False)
    ginis = {f"Level_{level}_Gini": mean for level, mean in levels["Gini"].items()}
    return {"Model Name": path.stem, **ginis}


def main(outputs: Path, options_folder: Path, results: Path, *, every: int = 1) -> None:
    """Score every table of a folder and write the results beside each other."""
    results.mkdir(parents=True, exist_ok=True)
    options = read_options(options_folder)
    part = Part(every)
    lines = [score_model(path, options, results, part) for path in sorted(outputs.glob("*.csv"))]
    part.note(results)
    table = pd.DataFrame(lines)
    table.to_csv(results / "mode_collapse_results.csv", index=False)
    print(table.to_string(index=False))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: python plain_mode_collapse.py OUTPUTS OPTIONS RESULTS [EVERY]")
    main(*map(Path, sys.argv[1:4]), every=int(sys.argv[4]) if sys.argv[4:] else 1)
