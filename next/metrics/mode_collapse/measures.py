"""The measures of a cell, and how models are compared in how often they repeat a choice."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.compare import Comparison, compare_models
from scoresheet.metrics.measure import measure, measure_of
from scoresheet.metrics.stats import Estimate, Floats
from scoresheet.metrics.stats import counts as stats
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.stats.paired import PairedDifference, holm, paired_difference
from scoresheet.metrics.summary import codes_of

Counts = tuple[int, ...]  # of the options of a cell, zeros included
Shares = tuple[float, ...]  # that they should have
LOW: dict[str, Any] = {"better": "lower", "bounds": (0, 1)}
HIGH: dict[str, Any] = {"better": "higher", "bounds": (0, 1)}
GINI_BANDS = ((0.0, "low"), (0.3, "moderate"), (0.6, "high"))
ENTROPY_BANDS = ((0.0, "high"), (0.4, "moderate"), (0.7, "low"))
gini = measure("Gini", bands=GINI_BANDS, **LOW)(stats.gini)
entropy = measure("Entropy", label="Entropy (bits)", better="higher")(stats.entropy_bits)
_declare = measure("Normalized_Entropy", label="Norm. entropy", bands=ENTROPY_BANDS, **HIGH)
normalized_entropy = _declare(stats.normalized_entropy)


@measure("Effective_Options", label="Effective options", format="options", better="higher")
def effective_options(counts: Counts, ci: float = 0.95) -> Estimate:
    """Return how many equally likely options would repeat a choice as often: 1 / repeat share."""
    return stats.repeat_share(counts, ci=ci)[1]


@measure("Repeat_Share", label="Repeat share", reference="Simpson 1949", **LOW)
def repeat_share(counts: Counts) -> float:
    """Return how often two draws of a cell are equal."""
    n = sum(counts)
    return sum(k * (k - 1) for k in counts) / (n * (n - 1)) if n > 1 else math.nan


@measure("Top_Share", label="Top share", format="share", **LOW)
def top_share(counts: Counts) -> float:
    """Return the share of the option that was chosen most often."""
    return max(counts) / sum(counts) if any(counts) else math.nan


@measure("Top_Share_SE", label="SE of top share")
def top_share_error(counts: Counts) -> float:
    """Return the standard error of the top share, √(p(1 − p) / N)."""
    p = top_share(counts)
    return math.sqrt(p * (1 - p) / sum(counts)) if any(counts) else math.nan


@measure("Gini_Max", label="Largest Gini", bounds=(0, 1))
def gini_max(counts: Counts) -> float:
    """Return the Gini coefficient where one of the n options gets all: (n − 1) / n."""
    return (len(counts) - 1) / len(counts) if any(counts) else math.nan


@measure("Gini_Even", label="Gini if even", bounds=(0, 1))
def gini_even(counts: Counts, seed: int = 0) -> float:
    """Return the mean Gini coefficient of an even chooser with as many draws."""
    return stats.gini_if_even(len(counts), sum(counts), seed=seed)[0] if any(counts) else math.nan


@measure("Gini_Even_95", label="Gini if even, 95% point", bounds=(0, 1))
def gini_even_95(counts: Counts, seed: int = 0) -> float:
    """Return the Gini coefficient that an even chooser with as many draws exceeds in 5%."""
    return stats.gini_if_even(len(counts), sum(counts), seed=seed)[1] if any(counts) else math.nan


@measure("Width", format="share", **HIGH)
def width(counts: Counts) -> float:
    """Return the share of the options that were chosen at least once."""
    return sum(count > 0 for count in counts) / len(counts) if any(counts) else math.nan


@measure("P_Value", label="p", format="p")
def p_values(
    cells: Iterable[Counts], shares: Iterable[Shares], *, ci: float = 0.95, seed: int = 0
) -> Floats:
    """Return p of the test against the shares, Holm-corrected over the cells.

    A cell without shares, or with one option only, is not tested.
    """
    found = [
        stats.even_test(n, s, seed=seed) if len(s) > 1 and s[0] >= 0 else math.nan
        for n, s in zip(cells, shares, strict=True)
    ]
    return holm(found, ci)[0]


Functions = tuple[Callable[..., Any], ...]
OF_COUNTS: Functions = (repeat_share, top_share, top_share_error, gini, gini_max)
OF_COUNTS += (entropy, normalized_entropy, width)
OF_EVEN: Functions = (gini_even, gini_even_95)
FUNCTIONS: Functions = (effective_options, *OF_COUNTS, *OF_EVEN, p_values)


@dataclass(frozen=True)
class _OfDraws(PairedDifference):
    """The difference of two cells in repeat share, by MOVER over their draws."""

    counts: tuple[Counts, Counts] = ((), ())

    def interval(self, ci: float = 0.95) -> tuple[float, float]:
        found = stats.difference_of_repeat_shares(*self.counts, ci=ci)
        return found.low, found.high


def compare(
    compared: Mapping[str, pd.DataFrame], ci: float = 0.95, against: str = ""
) -> Comparison:
    """Return the models compared in their repeat share at the root, the most collapsed first.

    Takes the cells of each model. With one cell in common the draws are compared (MOVER), with
    several the cells (paired t).
    """
    root = {name: cells[cells["Level"] == 0] for name, cells in compared.items()}
    if all(cells["Sheet"].nunique() < 2 for cells in root.values()):
        root = {name: cells.assign(Sheet="") for name, cells in root.items()}  # a file's name
    shares = {
        name: cells.groupby("Sheet")["Repeat_Share"].mean().dropna() for name, cells in root.items()
    }
    rows = {name: Rows(share.to_numpy(), codes_of(share.index)) for name, share in shares.items()}

    def difference(a: str, b: str) -> PairedDifference:
        shared = shares[a].index.intersection(shares[b].index)
        if len(shared) != 1:
            return paired_difference(rows[a], rows[b])
        pair = _pooled(root[a], shared[0]), _pooled(root[b], shared[0])
        found = stats.difference_of_repeat_shares(*pair, ci=ci)
        signs = (int(found.value > 0), int(not found.value), int(found.value < 0))
        return _OfDraws(found.value, *signs, p=found.p, note=found.note, counts=pair)

    measure = replace(measure_of(repeat_share), better="higher")
    return compare_models(rows, measure, ci=ci, against=against, difference=difference)


def _pooled(cells: pd.DataFrame, sheet: str) -> Counts:
    """Return the counts of a sheet's root cell, over all its runs."""
    texts = cells.loc[cells["Sheet"] == sheet, "Counts"]
    return tuple(np.sum([list(json.loads(text).values()) for text in texts], axis=0).tolist())
