"""Models held against each other on the root cells they share: ranks, and which differences are not noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Final

from scoresheet.metrics.compare import (
    EVERY_TWO,
    ComparedBy,
    PairedComparison,
    PairedDifference,
    Pairing,
    Standing,
    choose_pairs,
)
from scoresheet.metrics.families.mode_collapse.debiased_gini import (
    GiniDifference,
    debiased_gini_of_cells,
    gini_difference,
)
from scoresheet.metrics.families.mode_collapse.measures import GINI_DEBIASED
from scoresheet.metrics.families.mode_collapse.option_sets import question_key
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.permutation_test import (
    Pair,
    permutation_test_of_cells,
    permutations_for,
    smallest_p_value,
)
from scoresheet.metrics.families.mode_collapse.result import COUNT, OPTION, Roots
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.keys import is_default_sheet_name
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.concentration import gini
from scoresheet.metrics.stats.confidence import POWER, significance_level
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.stats.randomisation import NOT_COMPARED, PairedTest

TVD: Final = "TVD"
ROOT_CELLS: Final = "root cells"
NOTHING_SHARED: Final = "no root cell in common"
OTHER_CHOICES: Final = "other choices"
_METHOD: Final = (
    "difference of the debiased Ginis, its interval from those of the two, and a permutation test (the samples of both "
    "pooled and dealt anew to both)"
)
COUNTS_TABLE: Final = "counts"  # the further table of a model
COMPARED_BY: Final = ComparedBy(
    measures=(COUNT,),
    headline=COUNT,  # of which the measures are made
    units=ROOT_CELLS,
    first=GINI_DEBIASED.better,
    better=GINI_DEBIASED.better,
    key=(OPTION,),
    table=COUNTS_TABLE,
)
_TIE: Final = 1e-9  # Ginis that differ by less are equal but for the arithmetic's last digits


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
    gini_debiased: float = math.nan
    other_gini_debiased: float = math.nan
    expected_difference: float = math.nan
    p_gini: float = math.nan
    p_gini_holm: float = math.nan
    finding: str = NOTHING_SHARED


@dataclass(frozen=True, kw_only=True)
class ModeCollapseComparison(Comparison):
    """Every two models at the root, beside what every family compares."""

    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class _Compared:
    """Two models over the root cells that both have, before any correction."""

    difference: Difference
    test: PairedTest  # of the debiased Ginis
    smallest: float  # the least p-value that the permutations can give


def compare_roots(
    roots: Mapping[str, Roots], options: ModeCollapseOptions, pairing: Pairing = EVERY_TWO
) -> ModeCollapseComparison:
    """Return where the models stand on the root cells that all of them share, and pairs over those of both."""
    level = significance_level(options.ci)
    standings = _standings(roots, options)
    chosen = choose_pairs(sorted(roots), standings, pairing)
    # whoever was picked as the best might have been any of the others: half of these are ahead of a model by chance
    rivals = len(chosen.pairs) / 2 if chosen.picked else 1.0
    permutations = permutations_for(math.ceil(rivals * len(chosen.pairs)), level)
    compared = [_compared(one, other, roots, permutations, options) for one, other in chosen.pairs]
    known_pick = [_of_rivals(each.difference, rivals) for each in compared]
    p_ginis, p_tvds = (holm([getattr(each, field) for each in known_pick]) for field in ("p_gini", "p_tvd"))
    tests = max(1.0, rivals * sum(not math.isnan(p_value) for p_value in p_ginis))
    differences: list[Difference] = []
    pairs: list[PairedDifference] = []
    for each, known, p_gini, p_tvd in zip(compared, known_pick, p_ginis, p_tvds, strict=True):
        test = each.test._replace(detectable=_detectable(each.test, tests, options.ci), p_value=known.p_gini)
        collapse = _collapse_finding(each, test, p_gini, level)
        choices = _choices_finding(p_tvd, level)
        finding = f"{choices}; {collapse}" if choices == OTHER_CHOICES and p_gini >= level else collapse
        differences.append(replace(known, p_gini_holm=p_gini, p_tvd_holm=p_tvd, finding=finding))
        names = known.model, known.other_model
        pairs += [
            PairedDifference(*names, GINI_DEBIASED.name, test, p_gini, False, collapse, p_gini < level),
            PairedDifference(*names, TVD, _tvd_test(known), p_tvd, True, choices, p_tvd < level),
        ]
    paired = PairedComparison(
        ROOT_CELLS,
        GINI_DEBIASED.name,
        GINI_DEBIASED.better,
        options.ci,
        tuple(pairs),
        standings,
        _METHOD,
        chosen.against,
        chosen.picked,
    )
    return ModeCollapseComparison(paired=paired, differences=tuple(differences))


def _of_rivals(difference: Difference, rivals: float) -> Difference:
    """Return a difference from the best of so many with its p-values: any of them might have led by as much."""
    p_gini, p_tvd = (
        p_value if math.isnan(p_value) else min(1.0, rivals * p_value)
        for p_value in (difference.p_gini, difference.p_tvd)
    )
    return replace(difference, p_gini=p_gini, p_tvd=p_tvd)


def _compared(
    model: str, other: str, roots: Mapping[str, Roots], permutations: int, options: ModeCollapseOptions
) -> _Compared:
    ours, theirs = shared_cells([roots[model], roots[other]])
    smallest = smallest_p_value(permutations)
    if not ours:
        return _Compared(Difference(model=model, other_model=other), NOT_COMPARED, smallest)
    pairs: list[Pair] = list(zip(ours, theirs, strict=True))
    test = permutation_test_of_cells(pairs, seed=options.seed, most=permutations)
    debiased = gini_difference(ours, theirs, confidence=options.ci, seed=options.seed)
    means = [debiased_gini_of_cells(cells, confidence=options.ci, seed=options.seed).value for cells in (ours, theirs)]
    difference = Difference(
        model=model,
        other_model=other,
        cells=len(pairs),
        tvd=test.distance,
        p_tvd=test.p_distance,
        gini=mean(map(gini, ours)),
        other_gini=mean(map(gini, theirs)),
        gini_difference=test.difference,
        gini_debiased=means[0],
        other_gini_debiased=means[1],
        expected_difference=test.expected,
        p_gini=test.p_difference,
    )
    return _Compared(difference, _paired_test(pairs, means, debiased, test.p_difference, options), smallest)


def _paired_test(
    pairs: Sequence[Pair],
    means: Sequence[float],
    debiased: GiniDifference,
    p_value: float,
    options: ModeCollapseOptions,
) -> PairedTest:
    """Return two models' debiased Ginis as every family's comparison shows them; the p-value is the permutations'."""
    differences = [
        gini_difference([ours], [theirs], confidence=options.ci, seed=options.seed).value for ours, theirs in pairs
    ]
    wins, losses = (sum(sign * each > _TIE for each in differences) for sign in (1, -1))
    units = len(pairs)
    average = mean(differences)
    deviation = (
        math.sqrt(math.fsum((each - average) ** 2 for each in differences) / (units - 1)) if units > 1 else math.nan
    )
    return PairedTest(
        units=units,
        mean=means[0],
        other_mean=means[1],
        difference=debiased.value,
        low=debiased.low,
        high=debiased.high,
        p_value=p_value,
        deviation=deviation,
        effect_size=debiased.value / deviation if deviation > _TIE else math.nan,
        wins=wins,
        ties=units - wins - losses,
        losses=losses,
        detectable=math.nan,
    )


def _tvd_test(difference: Difference) -> PairedTest:
    """Return a distance as a comparison shows it: it has no sign, so that neither model is ahead."""
    return NOT_COMPARED._replace(units=difference.cells, difference=difference.tvd, p_value=difference.p_tvd)


def _detectable(test: PairedTest, tests: float, confidence: float) -> float:
    """Return the difference that samples of these sizes show with a chance of POWER, after so many corrections.

    Half the interval is so many standard errors as its level asks for.
    """
    level = significance_level(confidence)
    normal = NormalDist()
    error = (test.high - test.low) / 2 / normal.inv_cdf(1 - level / 2)
    return error * (normal.inv_cdf(1 - level / tests / 2) + normal.inv_cdf(POWER))


def _collapse_finding(compared: _Compared, test: PairedTest, p_holm: float, level: float) -> str:
    difference = compared.difference
    if math.isnan(p_holm):
        return NOTHING_SHARED
    if p_holm < level:
        is_more = difference.gini_difference > difference.expected_difference
        return f"{difference.model if is_more else difference.other_model} is more collapsed"
    # no permutation of this pair came near what was seen, and the correction asks for more of them than are made
    if difference.p_gini <= compared.smallest:
        return "too many pairs to tell"
    could = "" if math.isnan(test.detectable) else f"; {test.detectable:.3f} could have been"
    return f"no difference shown{could}"


def _choices_finding(p_holm: float, level: float) -> str:
    if math.isnan(p_holm):
        return NOTHING_SHARED
    return OTHER_CHOICES if p_holm < level else "no difference of choices shown"


def _standings(roots: Mapping[str, Roots], options: ModeCollapseOptions) -> dict[str, Standing]:
    """Return where each model stands on the root cells that all of them share."""
    own = {model: sum(len(counts) > 1 and any(counts.values()) for counts in roots[model].values()) for model in roots}
    measured = [model for model in roots if own[model]]
    shared = shared_cells([roots[model] for model in measured])
    values = {
        model: debiased_gini_of_cells(cells, confidence=options.ci, seed=options.seed).value
        for model, cells in zip(measured, shared, strict=True)
    }
    ordered = sorted(round(value, 12) for value in values.values() if not math.isnan(value))
    return {
        model: Standing(
            own[model],
            len(cells),
            values[model],
            None if math.isnan(values[model]) else ordered.index(round(values[model], 12)) + 1,
        )
        for model, cells in zip(measured, shared, strict=True)
    }


def shared_cells(models: Sequence[Roots]) -> list[list[list[int]]]:
    """Return for each model the counts of the root cells that all of them have, option beside option.

    >>> shared_cells([{"q": {"a": 1, "b": 2}}, {"Q": {"b": 4, "a": 3}, "other": {"a": 1, "b": 1}}])
    [[[1, 2]], [[3, 4]]]
    """
    if not models:
        return []
    ours, *others = models
    cells: list[list[list[int]]] = [[] for _ in models]
    for sheet, counts in ours.items():
        beside = [counts, *(_counterpart(sheet, ours, theirs) for theirs in others)]
        if len(counts) > 1 and all(each.keys() == counts.keys() and any(each.values()) for each in beside):
            for own, each in zip(cells, beside, strict=True):
                own.append([each[option] for option in counts])
    return cells


def _counterpart(sheet: str, ours: Roots, theirs: Roots) -> Mapping[str, int]:
    """Return the counts of the sheet of this name; one of another case only where neither model has two such."""
    # one question each, whatever its name
    if len(ours) == len(theirs) == 1 and any(map(is_default_sheet_name, (*ours, *theirs))):
        return next(iter(theirs.values()))
    if sheet in theirs:
        return theirs[sheet]
    alike = [_alike(sheet, ours), _alike(sheet, theirs)]
    return theirs[alike[1][0]] if len(alike[0]) == len(alike[1]) == 1 else {}


def _alike(sheet: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if question_key(name) == question_key(sheet)]
