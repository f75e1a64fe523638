"""Disagreement of judges with pandas and krippendorff: the peer that `scoresheet disagree` is measured against.

    python benchmarks/plain_disagree.py scores|everything OUTPUTS RESULTS [EVERY]

One table per panel, a row per item and judge: pandas groups it, the recipe's formulas go over whole columns, and the
package krippendorff has alpha of each dimension. It cannot have that of the overall scores: its memory grows with the
square of the different values, so numpy has it by the formula. `everything` adds what a paper reports besides:
bootstrap intervals of alpha over items, for all scores by the formula and for each dimension by the package, and the
weighted kappa of every two judges, by scikit-learn. A workbook and a CSV are written for each panel. It does none of
the checks that `scoresheet` does. With EVERY the intervals are made of every so many-th resample.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import krippendorff  # type: ignore[import-not-found,import-untyped,unused-ignore] # only `bench` installs the peers
import numpy as np
import pandas as pd
from parts import Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

ENGINE: Final = "openpyxl"
KEYS: Final = ("item", "strategy", "confidence", "cultural_relevance")
THRESHOLD: Final = 1.5  # standard deviations from the mean
RESAMPLES: Final = 2_000
STEPS: Final = 4  # into which a score from 0 to 1 is cut for kappa, which takes classes


def package_alpha(scores: Numbers) -> float:
    """Return Krippendorff's alpha of items × judges, as intervals."""
    return float(krippendorff.alpha(reliability_data=scores.T, level_of_measurement="interval"))


def formula_alpha(scores: Numbers) -> float:
    """Return the same by its formula: pairs of one item against pairs of all, by their squared differences."""
    counts = np.count_nonzero(~np.isnan(scores), axis=1)
    paired, counts = scores[counts > 1], counts[counts > 1]
    sums, squares = np.nansum(paired, axis=1), np.nansum(paired**2, axis=1)
    number = counts.sum()
    observed = 2 * ((counts * squares - sums**2) / (counts - 1)).sum() / number
    expected = 2 * (number * squares.sum() - sums.sum() ** 2) / (number * (number - 1))
    return float(1 - observed / expected)


def interval(alpha: Callable[[Numbers], float], scores: Numbers, part: Part) -> tuple[float, float]:
    """Return the percentile interval of alpha over resampled items."""
    rng = np.random.default_rng(0)
    with part.scoring():
        drawn = [
            alpha(scores[rng.integers(len(scores), size=len(scores))])
            for number in range(RESAMPLES)
            if part.has(number)
        ]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def kappas(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the quadratic weighted kappa of every two judges."""
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-not-found,import-untyped,unused-ignore]

    lines = []
    for one, other in combinations(scores.columns, 2):
        both = (scores[[one, other]].dropna() * STEPS).round().astype(int)
        lines.append((one, other, cohen_kappa_score(both[one], both[other], weights="quadratic")))
    return pd.DataFrame(lines, columns=["Judge", "Other", "Kappa"])


def item_measures(overall: pd.DataFrame) -> pd.DataFrame:
    """Return what the judges of each item come to, from items × judges."""
    found = overall.agg(["count", "mean", "var", "std", "min", "max"], axis=1)
    found.columns = pd.Index(["Judges", "Mean", "Variance", "Std_Dev", "Min", "Max"])
    found["CV"] = (found["Std_Dev"] / found["Mean"]).where(found["Mean"] > 0)
    found["Consensus"] = (1 - 2 * found["CV"]).clip(lower=0)
    bonus = 0.1 * (found["Consensus"] > 0.8)
    found["Reliability"] = (found["Consensus"] * (1 - (found["Variance"] * 5).clip(upper=1)) + bonus).clip(0, 1)
    far = overall.sub(found["Mean"], axis=0).abs().div(found["Std_Dev"], axis=0) > THRESHOLD
    names = overall.columns.to_numpy()
    found["Outliers"] = ["; ".join(names[row]) for row in far.to_numpy()]
    return found


def score_panel(path: Path, results: Path, part: Part, *, everything: bool) -> dict[str, Any]:
    """Write the panel's workbook and CSV and return its line of the results."""
    table = pd.read_csv(path)
    dimensions = [name for name in table.columns if name not in KEYS]
    # a row has one weight for all its dimensions, so a judge's overall score is their mean
    table["overall"] = table[dimensions].mean(axis=1)
    overall = table.pivot(index="item", columns="strategy", values="overall")
    scored = item_measures(overall)
    grouped = table.groupby("item")[dimensions]
    means = grouped.mean()
    spreads = (grouped.std() / means).where(means > 0).add_prefix("Disagreement_")
    scored = pd.concat([scored, spreads, means.add_prefix("Mean_"), overall.add_prefix("Score_")], axis=1)
    scored = scored.rename_axis("Item").reset_index()
    tables = [table.pivot(index="item", columns="strategy", values=name).to_numpy() for name in dimensions]
    alphas = pd.DataFrame({"Dimension": dimensions, "Alpha": [package_alpha(each) for each in tables]})
    line: dict[str, Any] = {
        "Model Name": path.stem,
        "Alpha": formula_alpha(overall.to_numpy()),
        "Consensus": scored["Consensus"].mean(),
    }
    if everything:
        alphas["CI_Low"], alphas["CI_High"] = zip(
            *(interval(package_alpha, each, part) for each in tables), strict=True
        )
        line["CI_Low"], line["CI_High"] = interval(formula_alpha, overall.to_numpy(), part)
    with pd.ExcelWriter(results / f"{path.stem}_disagreement.xlsx", engine=ENGINE) as book:
        scored.to_excel(book, sheet_name="Items", index=False)
        alphas.to_excel(book, sheet_name="Dimensions", index=False)
        if everything:
            kappas(overall).to_excel(book, sheet_name="Pairs", index=False)
    scored.to_csv(results / f"{path.stem}_disagreement.csv", index=False)
    return line


def main(which: str, outputs: Path, results: Path, *, every: int = 1) -> None:
    """Score every table of a folder and write the results beside each other."""
    results.mkdir(parents=True, exist_ok=True)
    part = Part(every)
    paths = sorted(outputs.glob("*.csv"))
    table = pd.DataFrame([score_panel(path, results, part, everything=which == "everything") for path in paths])
    table.to_csv(results / "disagreement_results.csv", index=False)
    part.note(results)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in ("scores", "everything"):
        sys.exit("usage: python plain_disagree.py scores|everything OUTPUTS RESULTS [EVERY]")
    main(sys.argv[1], *map(Path, sys.argv[2:4]), every=int(sys.argv[4]) if sys.argv[4:] else 1)
