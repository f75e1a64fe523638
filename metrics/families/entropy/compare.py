"""Models side by side: how their means compare, how alike they are, and what ids show of the difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.core import Column, Detail, Page, Report
from scoresheet.metrics.families.entropy.scoring import Scored
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.stats.randomisation import PairedTest, paired_tests, why_not_shown
from scoresheet.metrics.tables import frame_of_rows

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

COMPARED: Final = (
    "Word_Entropy",
    "Bigram_Entropy",
    "Vocab_Diversity",
    "Semantic_Entropy",
    "Semantic_Diversity",
    "Quality_Ratio",
)
# word entropy stands for itself and for vocabulary entropy, which is the same number
_ALIKE: Final = ("Word_Entropy", "Semantic_Entropy", "Word_Entropy", "Semantic_Diversity")
TESTED: Final = 5_000  # ids of a test; with more, a seeded sample of them
COMPARISONS: Final = (
    Column("Model", "One model.", "key"),
    Column("Other_Model", "The other.", "key"),
    Column("Measure", "The measure.", "label"),
    Column("Mean", "The model's mean.", "score"),
    Column("Other_Mean", "The other's mean.", "score"),
    Column("Difference", "The model's less the other's.", "score"),
    Column("Ratio", "The model's / the other's.", "score"),
    Column(
        "Entropy_Similarity",
        "Of the two models: mean of min/max of word, semantic and vocabulary entropy and semantic diversity.",
        "score",
    ),
    Column("Ids", "Ids that both have a value for; with more than 5,000, a seeded sample.", "count"),
    Column("Paired_Difference", "Mean difference over these ids.", "score"),
    Column("CI_Low", "Lower end of the 95 % interval of the paired difference, by paired bootstrap.", "score"),
    Column("CI_High", "Upper end of the 95 % interval of the paired difference.", "score"),
    Column("P_Value", "Randomisation test: chance of such a difference if it had either sign alike.", "chance"),
    Column("P_Holm", "The same after Holm's correction for all pairs of models.", "chance"),
    Column("Finding", "What is not noise at 5 %, after the correction.", "label"),
)
_UNTESTED: Final = PairedTest(0, *[math.nan] * 6)


@dataclass(frozen=True)
class PairedRows:
    """A model's scored rows with an id: which id, which sheet, and the measures compared."""

    ids: tuple[str, ...]
    sheets: tuple[str, ...]
    id_of: Integers
    sheet_of: Integers
    values: Numbers  # a row each

    def means(self, ids: Mapping[str, int], sheets: Sequence[str]) -> Numbers:
        """Return for each of these ids the measures' means over its rows, sheet by sheet, then over sheets."""
        wanted = np.array([ids.get(own, -1) for own in self.ids], dtype=np.int64)
        taken = np.array([name in sheets for name in self.sheets], dtype=bool)
        rows = np.flatnonzero((wanted[self.id_of] >= 0) & taken[self.sheet_of])
        groups = wanted[self.id_of[rows]] * len(self.sheets) + self.sheet_of[rows]
        size = (len(ids), len(self.sheets))
        by_sheet = [_grouped(groups, self.values[rows, place], math.prod(size)) for place in range(len(COMPARED))]
        places = np.repeat(np.arange(len(ids)), len(self.sheets))
        return np.column_stack([_grouped(places, own, len(ids)) for own in by_sheet])


def _grouped(groups: Integers, values: Numbers, number: int) -> Numbers:
    """Return the mean of each group's defined values."""
    known = ~np.isnan(values)
    counts = np.bincount(groups[known], minlength=number)
    sums = np.bincount(groups[known], weights=values[known], minlength=number)
    return np.asarray(np.divide(sums, counts, out=np.full(number, np.nan), where=counts > 0))


def paired_rows(details: Sequence[Detail]) -> PairedRows | None:
    """Return the rows of a model that another model's may be paired with; None where no row has an id."""
    ids: dict[str, int] = {}
    id_of: list[int] = []
    sheet_of: list[int] = []
    values = []
    for sheet, detail in enumerate(details):
        scored: Scored = detail.extra
        keys = [join_key(cell) for cell in detail.table["Id"].tolist()] if scored.named else []
        rows = [row for row, (key, has) in enumerate(zip(keys, scored.computed.tolist(), strict=False)) if key and has]
        id_of += [ids.setdefault(keys[row], len(ids)) for row in rows]
        sheet_of += [sheet] * len(rows)
        values.append(np.column_stack([getattr(scored.measures, name.lower())[rows] for name in COMPARED]))
    if not ids:
        return None
    names = tuple(detail.sheet.name for detail in details)
    return PairedRows(tuple(ids), names, np.array(id_of), np.array(sheet_of), np.vstack(values))


def comparisons_page(reports: Sequence[Report], seed: int) -> Page:
    """Return every two models, measure by measure."""
    rows: list[list[Any]] = []
    means = _Means()
    for one, other in combinations([report for report in reports if report.summary is not None], 2):
        alike = entropy_similarity(one.measures, other.measures)
        for name, test in zip(COMPARED, _tests(one.extra, other.extra, means, seed), strict=True):
            ours, theirs = (float(report.measures[name]) for report in (one, other))
            ratio = ours / theirs if theirs else math.nan
            tested = [test.units, test.difference, test.low, test.high, test.p_value, math.nan, ""]
            rows.append([one.model, other.model, name, ours, theirs, ours - theirs, ratio, alike, *tested])
    for name in COMPARED:
        own = [row for row in rows if row[2] == name]
        for row, corrected in zip(own, holm([row[12] for row in own]), strict=True):
            row[13], row[14] = corrected, _finding(row, corrected)
    return Page("Comparisons", frame_of_rows([column.name for column in COMPARISONS], rows), COMPARISONS)


def entropy_similarity(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> float:
    """Return the mean of min/max of the four entropies; two that are 0 are alike, an undefined one is left out."""
    return mean(_ratio(float(ours[name]), float(theirs[name])) for name in _ALIKE)


def _ratio(one: float, other: float) -> float:
    if math.isnan(one) or math.isnan(other):
        return math.nan
    return min(one, other) / max(one, other) if max(one, other) > 0 else 1.0


class _Means:
    """The means of models over ids; models mostly share their ids, so that the last ones of each are wanted again."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[tuple[Sequence[str], Sequence[str]], Numbers]] = {}

    def of(self, rows: PairedRows, ids: Sequence[str], sheets: Sequence[str]) -> Numbers:
        wanted = (ids, sheets)
        known = self._last.get(id(rows))
        if known is None or known[0] != wanted:
            known = (wanted, rows.means({own: place for place, own in enumerate(ids)}, sheets))
            self._last[id(rows)] = known
        return known[1]


def _tests(ours: PairedRows | None, theirs: PairedRows | None, means: _Means, seed: int) -> list[PairedTest]:
    """Return a test for each measure over the ids that both models have.

    Sheets are held against sheets of the same name, or against whatever there is where one side has a single sheet.
    """
    if ours is None or theirs is None:
        return [_UNTESTED] * len(COMPARED)
    single = len(ours.sheets) == 1 or len(theirs.sheets) == 1
    names = [
        [name for name in one.sheets if single or name in two.sheets] for one, two in ((ours, theirs), (theirs, ours))
    ]
    shared = sorted(set(ours.ids) & set(theirs.ids))
    if len(shared) > TESTED:
        chosen = np.sort(np.random.default_rng(seed).choice(len(shared), TESTED, replace=False)).tolist()
        shared = [shared[place] for place in chosen]
    first, second = means.of(ours, shared, names[0]), means.of(theirs, shared, names[1])
    both = ~(np.isnan(first).all(axis=1) | np.isnan(second).all(axis=1))
    return paired_tests(first[both].tolist(), second[both].tolist(), measures=len(COMPARED), seed=seed)


def _finding(row: Sequence[Any], corrected: float) -> str:
    if math.isnan(corrected):
        return "" if row[8] else "no id with a value in common"
    if corrected >= 0.05:
        return why_not_shown(row[12], row[8], "ids")
    return f"{row[0] if row[9] > 0 else row[1]} is higher"
