"""Models compared on the units they share: paired differences, tested and corrected; one for all families."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.randomisation import SIGNIFICANCE_LEVEL, PairedTest, paired_tests, why_not_shown

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_UNITS: Final = 5_000  # of a test; with more, a seeded sample of them
_UNTESTED: Final = PairedTest(0, *[math.nan] * 6)


class KeyedValues(NamedTuple):
    """One sheet's units that can be paired: the key of each, and its measures, a column each."""

    keys: Sequence[str]
    values: Numbers


@dataclass(frozen=True)
class ComparedUnits:
    """A model's units with a key: which key, which sheet, and the measures compared."""

    keys: tuple[str, ...]
    sheets: tuple[str, ...]
    key_of: Integers
    sheet_of: Integers
    values: Numbers  # a row per unit

    @classmethod
    def of_sheets(cls, sheets: Mapping[str, KeyedValues]) -> ComparedUnits | None:
        """Return the units of a model's sheets; None where no unit has a key."""
        index: dict[str, int] = {}
        key_of = [index.setdefault(key, len(index)) for sheet in sheets.values() for key in sheet.keys]
        if not index:
            return None
        sheet_of = np.repeat(np.arange(len(sheets)), [len(sheet.keys) for sheet in sheets.values()])
        values = np.vstack([sheet.values for sheet in sheets.values()])
        return cls(tuple(index), tuple(sheets), np.array(key_of), sheet_of, values)

    def means(self, keys: Sequence[str], sheets: Sequence[str]) -> Numbers:
        """Return for each of these keys the measures' means over its units, sheet by sheet, then over sheets."""
        index = {key: position for position, key in enumerate(keys)}
        wanted = np.array([index.get(key, -1) for key in self.keys], dtype=np.int64)
        taken = np.array([name in sheets for name in self.sheets], dtype=bool)
        rows = np.flatnonzero((wanted[self.key_of] >= 0) & taken[self.sheet_of])
        groups = wanted[self.key_of[rows]] * len(self.sheets) + self.sheet_of[rows]
        owners = np.repeat(np.arange(len(keys)), len(self.sheets))
        columns = []
        for measure in self.values[rows].T:
            by_sheet = _group_means(groups, measure, len(keys) * len(self.sheets))
            columns.append(_group_means(owners, by_sheet, len(keys)))
        return np.column_stack(columns)


@dataclass(frozen=True)
class PairedDifference:
    """Two models in one measure, over the units that both have it for."""

    model: str
    other: str
    measure: str
    test: PairedTest
    p_holm: float
    finding: str  # in words


def paired_differences(
    models: Mapping[str, ComparedUnits | None], measures: Sequence[str], *, units: str, unit: str, seed: int = 0
) -> list[PairedDifference]:
    """Return every two models, measure by measure, in the order of the models; `units` and `unit` name what is paired.

    A measure's p-values over all pairs of models are one family for Holm's correction.
    """
    cache = _MeansCache()
    pairs = list(combinations(models, 2))
    tests = [_tests(models[one], models[other], cache, len(measures), seed) for one, other in pairs]
    corrected = [holm([own[column].p_value for own in tests]) for column in range(len(measures))]
    return [
        PairedDifference(
            one, other, measure, own[column], corrected[column][row],
            _finding(one, other, own[column], corrected[column][row], units, unit),
        )
        for row, ((one, other), own) in enumerate(zip(pairs, tests, strict=True))
        for column, measure in enumerate(measures)
    ]  # fmt: skip


def _tests(
    ours: ComparedUnits | None, theirs: ComparedUnits | None, cache: _MeansCache, measures: int, seed: int
) -> list[PairedTest]:
    """Return a test for each measure over the keys that both models have.

    Sheets are held against sheets of the same name, or against whatever there is where one side has a single sheet.
    """
    if ours is None or theirs is None:
        return [_UNTESTED] * measures
    single = len(ours.sheets) == 1 or len(theirs.sheets) == 1
    our_sheets, their_sheets = (
        [name for name in one.sheets if single or name in two.sheets] for one, two in ((ours, theirs), (theirs, ours))
    )
    shared = sorted(set(ours.keys) & set(theirs.keys))
    if len(shared) > MOST_UNITS:
        chosen = np.sort(np.random.default_rng(seed).choice(len(shared), MOST_UNITS, replace=False))
        shared = [shared[index] for index in chosen.tolist()]
    first, second = cache.means(ours, shared, our_sheets), cache.means(theirs, shared, their_sheets)
    both = ~(np.isnan(first).all(axis=1) | np.isnan(second).all(axis=1))
    return paired_tests(first[both].tolist(), second[both].tolist(), measures=measures, seed=seed)


class _MeansCache:
    """The means of models over keys; models mostly share their keys, so that the last ones of each are wanted again."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[tuple[Sequence[str], Sequence[str]], Numbers]] = {}

    def means(self, units: ComparedUnits, keys: Sequence[str], sheets: Sequence[str]) -> Numbers:
        known = self._last.get(id(units))
        if known is None or known[0] != (keys, sheets):
            known = ((keys, sheets), units.means(keys, sheets))
            self._last[id(units)] = known
        return known[1]


def _finding(one: str, other: str, test: PairedTest, p_holm: float, units: str, unit: str) -> str:
    if math.isnan(p_holm):
        return "" if test.units else f"no {unit} with a value in common"
    if p_holm >= SIGNIFICANCE_LEVEL:
        return why_not_shown(test.p_value, test.units, units)
    return f"{one if test.difference > 0 else other} is higher"


def _group_means(groups: Integers, values: Numbers, number: int) -> Numbers:
    """Return the mean of each group's defined values."""
    known = ~np.isnan(values)
    counts = np.bincount(groups[known], minlength=number)
    sums = np.bincount(groups[known], weights=values[known], minlength=number)
    return np.asarray(np.divide(sums, counts, out=np.full(number, np.nan), where=counts > 0))
