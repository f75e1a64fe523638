"""Models held against each other: ranked by how collapsed they are, and which differences are not noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from scoresheet.metrics.families.mode_collapse.measures import GINI
from scoresheet.metrics.families.mode_collapse.option_sets import question_key
from scoresheet.metrics.families.mode_collapse.permutation_test import (
    Pair,
    permutation_test_of_cells,
    permutations_for,
    smallest_p_value,
)
from scoresheet.metrics.families.mode_collapse.result import ModeCollapseResult, Roots
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.keys import is_default_sheet_name
from scoresheet.metrics.stats.concentration import gini
from scoresheet.metrics.stats.confidence import SIGNIFICANCE_LEVEL
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.means import mean


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How two models differ at the root, by the fields of DIFFERENCE_MEASURES."""

    model: str
    other_model: str
    cells: int = 0  # root cells that both have
    tvd: float = math.nan
    p_tvd: float = math.nan
    p_tvd_holm: float = math.nan
    gini: float = math.nan
    other_gini: float = math.nan
    gini_difference: float = math.nan
    expected_difference: float = math.nan
    p_gini: float = math.nan
    p_gini_holm: float = math.nan
    finding: str = "no root cell in common"


@dataclass(frozen=True, kw_only=True)
class ModeCollapseComparison(Comparison):
    """The ranks of the models that have a Gini, best first, and what their differences are made from."""

    ranks: Mapping[str, int]
    roots: Mapping[str, Roots]
    seed: int

    def differences(self, models: Iterable[str]) -> tuple[Difference, ...]:
        """Return every two of these models; tested when asked for, since a dry run shows none of it.

        A model that could not be read has no root cell in common with any.
        """
        return root_differences({model: self.roots.get(model, {}) for model in models}, seed=self.seed)


def compare_models(results: Mapping[str, ModeCollapseResult], *, seed: int) -> ModeCollapseComparison:
    """Return the models from the least to the most collapsed at the root, and what tells them apart."""
    ginis = {model: float(result.measures[GINI.name]) for model, result in results.items()}
    return ModeCollapseComparison(
        ranks=_ranks({model: value for model, value in ginis.items() if not math.isnan(value)}),
        roots={model: result.roots for model, result in results.items()},
        seed=seed,
    )


def root_differences(roots: Mapping[str, Roots], *, seed: int) -> tuple[Difference, ...]:
    """Return every two models: how far their root choices and Ginis are apart, and whether that is noise."""
    couples = list(combinations(sorted(roots), 2))
    permutations = permutations_for(2 * len(couples))
    tested = [
        _tested_difference(one, other, _shared_cells(roots[one], roots[other]), seed, permutations)
        for one, other in couples
    ]
    corrected = iter(holm([p_value for each in tested for p_value in (each.p_tvd, each.p_gini)]))
    differences = [replace(each, p_tvd_holm=next(corrected), p_gini_holm=next(corrected)) for each in tested]
    smallest = smallest_p_value(permutations)
    return tuple(replace(each, finding=_finding(each, smallest)) if each.cells else each for each in differences)


def _ranks(ginis: Mapping[str, float]) -> dict[str, int]:
    """Return the ranks, best first; equals share theirs."""
    ordered = sorted(ginis, key=ginis.__getitem__)
    values = [ginis[model] for model in ordered]
    return {model: values.index(ginis[model]) + 1 for model in ordered}


def _tested_difference(model: str, other: str, cells: Sequence[Pair], seed: int, permutations: int) -> Difference:
    if not cells:
        return Difference(model=model, other_model=other)
    test = permutation_test_of_cells(cells, seed=seed, most=permutations)
    return Difference(
        model=model,
        other_model=other,
        cells=len(cells),
        tvd=test.distance,
        p_tvd=test.p_distance,
        gini=mean(gini(ours) for ours, _ in cells),
        other_gini=mean(gini(theirs) for _, theirs in cells),
        gini_difference=test.difference,
        expected_difference=test.expected,
        p_gini=test.p_difference,
    )


def _shared_cells(ours: Roots, theirs: Roots) -> list[Pair]:
    """Return the counts of the root cells that two models have in common, option beside option."""
    # one question each, whatever its name
    single = len(ours) == len(theirs) == 1 and any(map(is_default_sheet_name, (*ours, *theirs)))
    cells: list[Pair] = []
    for sheet, counts in ours.items():
        other = next(iter(theirs.values())) if single else theirs.get(_counterpart(sheet, ours, theirs), {})
        if counts.keys() == other.keys() and any(counts.values()) and any(other.values()) and len(counts) > 1:
            cells.append((list(counts.values()), [other[option] for option in counts]))
    return cells


def _counterpart(sheet: str, ours: Iterable[str], theirs: Iterable[str]) -> str:
    """Return the sheet of this name; one of another case only where neither model has two such."""
    if sheet in theirs:
        return sheet
    alike = [[name for name in names if question_key(name) == question_key(sheet)] for names in (ours, theirs)]
    return alike[1][0] if len(alike[0]) == len(alike[1]) == 1 else ""


def _finding(difference: Difference, smallest: float) -> str:
    """Return what is not noise; `smallest` is the least p-value that the permutations can give."""
    if difference.p_gini_holm < SIGNIFICANCE_LEVEL:
        is_more = difference.gini_difference > difference.expected_difference
        return f"{difference.model if is_more else difference.other_model} is more collapsed"
    if difference.p_tvd_holm < SIGNIFICANCE_LEVEL:
        return "other choices, alike collapsed"
    # no permutation of this pair came near what was seen, and the correction asks for more of them than are made
    is_hidden = min(difference.p_tvd, difference.p_gini) <= smallest
    return "too many pairs to tell" if is_hidden else "no difference shown"
