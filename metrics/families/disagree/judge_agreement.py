"""Whether judges agree beyond chance, on each dimension and overall, and what each of them does to that."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, combinations, count
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.constants import MOST_COMPARED_JUDGES
from scoresheet.metrics.families.disagree.dispersion import row_means
from scoresheet.metrics.families.disagree.options import NOMINAL
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.agreement import (
    MEASUREMENT_LEVELS,
    Correlation,
    alpha_of_table,
    correlation_of_table,
    has_no_variation,
)
from scoresheet.metrics.stats.kappa import cohen_kappa, complete_items, fleiss_kappa
from scoresheet.metrics.stats.means import mean, mean_of_array
from scoresheet.metrics.stats.ratio_distances import MOST_KINDS
from scoresheet.metrics.stats.rows import row_counts

OVERALL: Final = "Overall"
_OF_ORDER: Final = ("nominal", "ordinal")  # levels that ask which scores are equal, and which of two is higher
_NO_ICC: Final = Correlation(math.nan, math.nan, 0)


@dataclass(frozen=True)
class Judge:
    """One judge among the others."""

    name: str
    items: int
    mean: float
    leniency: float  # mean difference from the mean of the others, on the items they share; below 0: strict
    alpha_if_dropped: float  # alpha of the others
    alpha_gain_if_dropped: float
    correlations: tuple[float, ...]  # with each judge of the panel; with labels, the share of equal ones


@dataclass(frozen=True)
class JudgePair:
    """Two judges on the items that both scored."""

    judge: str
    other: str
    items: int
    correlation: float
    difference: float
    agreement: float
    kappa: float  # Cohen's; labels only


@dataclass(frozen=True)
class DimensionAgreement:
    """The agreement of the judges on one dimension, or overall."""

    dimension: str
    tables: tuple[NDArray[np.float64], ...]  # items × judges, as given; with labels, overall has one per dimension
    items: int  # with a score
    ratings: int
    mean: float
    disagreement: float
    disagreement_items: int  # that it is the mean of
    alpha: float  # at the level asked for
    alpha_items: int  # that it rests on
    alpha_by_level: Mapping[str, float]
    icc: Correlation
    kappa: float  # Fleiss', over the items that every judge labelled; labels only
    kappa_items: int
    judges: tuple[Judge, ...]
    pairs: tuple[JudgePair, ...]

    @property
    def shared_items(self) -> int:
        """The items with scores of two judges or more."""
        return int(np.any([_is_shared(table) for table in self.tables], axis=0).sum())

    @property
    def icc_items(self) -> int:
        """The items that the intraclass correlation rests on; none if it is undefined."""
        return 0 if math.isnan(self.icc.single) else self.icc.items


def agreement_on(
    dimension: str,
    given: NDArray[np.float64],
    mapped: NDArray[np.float64],
    judges: Sequence[str],
    level: str,
    cv: NDArray[np.float64] | None = None,
    equal: NDArray[np.float64] | None = None,
) -> DimensionAgreement:
    """Return the agreement on one dimension; `given` and `mapped` are items × judges, as given and on the scale 0 to 1.

    `cv` is that of each item, which labels have none of. `equal` are the scores as given but for noise in their last
    digits, for whatever asks which scores are equal.
    """
    known = ~np.isnan(given)
    nominal = level == NOMINAL
    equal = given if equal is None else equal
    table_of = {each: equal if each in _OF_ORDER else given for each in MEASUREMENT_LEVELS}
    alphas = dict.fromkeys(MEASUREMENT_LEVELS, math.nan)
    alphas |= {each: alpha_of_table(table_of[each], each) for each in _sound_levels(equal, level)}
    pairs = _judge_pairs(equal, mapped, judges, nominal=nominal)
    table = table_of[level]
    return DimensionAgreement(
        dimension=dimension,
        tables=(table,),
        items=int((row_counts(known) > 0).sum()),
        ratings=int(known.sum()),
        mean=math.nan if nominal else mean_of_array(mapped),
        disagreement=math.nan if cv is None else mean_of_array(cv),
        disagreement_items=0 if cv is None else int((~np.isnan(cv)).sum()),
        alpha=alphas[level],
        alpha_items=0 if math.isnan(alphas[level]) else int(_is_shared(table).sum()),
        alpha_by_level=alphas,
        icc=_NO_ICC if nominal else correlation_of_table(mapped),
        kappa=_fleiss_kappa(given) if nominal else math.nan,
        kappa_items=complete_items(given) if nominal else 0,
        judges=_judges((table,), mapped, judges, level, alphas[level], pairs),
        pairs=pairs,
    )


def overall_name(dimensions: Iterable[str]) -> str:
    """Return what the judges' overall scores are called beside the dimensions; one of these may have taken the name.

    >>> overall_name(["fluency"]), overall_name(["fluency", "overall"]), overall_name(["overall", "Overall score"])
    ('Overall', 'Overall score', 'Overall score 2')
    """
    taken = {name.casefold() for name in dimensions}
    numbered = (f"{OVERALL} score {number}" for number in count(2))
    return next(name for name in chain((OVERALL, f"{OVERALL} score"), numbered) if name.casefold() not in taken)


def agreement_over_dimensions(agreements: Sequence[DimensionAgreement], judges: Sequence[str]) -> DimensionAgreement:
    """Return the agreement overall where there are only labels: the mean of the dimensions' alphas, all their pairs."""
    tables = tuple(table for each in agreements for table in each.tables)
    stacked = np.vstack(tables)
    alphas = {level: mean(each.alpha_by_level[level] for each in agreements) for level in MEASUREMENT_LEVELS}
    pairs = _judge_pairs(stacked, stacked, judges, nominal=True)
    rests_on = [_is_shared(table) & (each.alpha_items > 0) for each in agreements for table in each.tables]
    return DimensionAgreement(
        dimension=overall_name(each.dimension for each in agreements),
        tables=tables,
        items=int(np.any([~np.isnan(table).all(axis=1) for table in tables], axis=0).sum()),
        ratings=int((~np.isnan(stacked)).sum()),
        mean=math.nan,
        disagreement=math.nan,
        disagreement_items=0,
        alpha=alphas[NOMINAL],
        alpha_items=int(np.any(rests_on, axis=0).sum()),
        alpha_by_level=alphas,
        icc=_NO_ICC,
        kappa=mean(each.kappa for each in agreements),
        kappa_items=sum(each.kappa_items for each in agreements),
        judges=_judges(tables, stacked, judges, NOMINAL, alphas[NOMINAL], pairs),
        pairs=pairs,
    )


def _is_shared(table: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which items have scores of two judges or more."""
    return np.asarray(row_counts(~np.isnan(table)) >= 2)


def _sound_levels(given: NDArray[np.float64], level: str) -> tuple[str, ...]:
    """Return the levels that alpha is computed at: for labels one; ratio only where it does not take for ever."""
    if level == NOMINAL:
        return (NOMINAL,)
    rated = given[~np.isnan(given)]
    has_ratio = level == "ratio" or (len(np.unique(rated)) <= MOST_KINDS and not (rated < 0).any())
    return tuple(each for each in MEASUREMENT_LEVELS if has_ratio or each != "ratio")


def _judges(
    tables: Sequence[NDArray[np.float64]],
    mapped: NDArray[np.float64],
    judges: Sequence[str],
    level: str,
    alpha: float,
    pairs: Sequence[JudgePair],
) -> tuple[Judge, ...]:
    nominal = level == NOMINAL
    correlations = _correlation_matrix(pairs, judges, nominal=nominal)
    described = []
    for index, name in enumerate(judges):
        scores = mapped[:, index]
        if_dropped = math.nan
        if len(judges) <= MOST_COMPARED_JUDGES:
            if_dropped = mean(alpha_of_table(np.delete(table, index, axis=1), level) for table in tables)
        others = row_means(np.delete(mapped, index, axis=1))
        correlations[index, index] = 1.0 if not np.isnan(scores).all() else math.nan
        described.append(
            Judge(
                name=name,
                items=int(np.any([~np.isnan(table[:, index]) for table in tables], axis=0).sum()),
                mean=math.nan if nominal else mean_of_array(scores),
                leniency=math.nan if nominal else mean_of_array(scores - others),
                alpha_if_dropped=if_dropped,
                alpha_gain_if_dropped=if_dropped - alpha,
                correlations=tuple(correlations[index].tolist()),
            )
        )
    return tuple(described)


def _correlation_matrix(pairs: Sequence[JudgePair], judges: Sequence[str], *, nominal: bool) -> NDArray[np.float64]:
    """Return the correlations of every two judges, the diagonal open; with labels, the shares of equal ones."""
    matrix = np.full((len(judges), len(judges)), math.nan)
    index_of = {name: index for index, name in enumerate(judges)}
    for pair in pairs:
        one, other = index_of[pair.judge], index_of[pair.other]
        matrix[one, other] = matrix[other, one] = pair.agreement if nominal else pair.correlation
    return matrix


def _judge_pairs(
    given: NDArray[np.float64], mapped: NDArray[np.float64], judges: Sequence[str], *, nominal: bool
) -> tuple[JudgePair, ...]:
    if len(judges) > MOST_COMPARED_JUDGES:
        return ()
    pairs = []
    for first, second in combinations(range(len(judges)), 2):
        both = ~(np.isnan(given[:, first]) | np.isnan(given[:, second]))
        one, other = mapped[both, first], mapped[both, second]
        equal = given[both, first] == given[both, second]
        pairs.append(
            JudgePair(
                judge=judges[first],
                other=judges[second],
                items=int(both.sum()),
                correlation=math.nan if nominal else _correlation(one, other),
                difference=math.nan if nominal else mean_of_array(one - other),
                agreement=float(equal.mean()) if len(equal) else math.nan,
                kappa=cohen_kappa(given[both][:, [first, second]]) if nominal and both.any() else math.nan,
            )
        )
    return tuple(pairs)


def alpha_without(agreement: DimensionAgreement, names: Collection[str], level: str) -> float:
    """Return alpha without some judges."""
    kept = [index for index, judge in enumerate(agreement.judges) if judge.name not in names]
    return mean(alpha_of_table(table[:, kept], level) for table in agreement.tables)


def _fleiss_kappa(labels: NDArray[np.float64]) -> float:
    return fleiss_kappa(labels) if labels.size else math.nan


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return Pearson's correlation; undefined where a judge gives all items the same score."""
    if len(one) < 2 or has_no_variation(one) or has_no_variation(other):
        return math.nan
    ours, theirs = one - one.mean(), other - other.mean()
    correlation = float(ours @ theirs) / math.sqrt(float(ours @ ours) * float(theirs @ theirs))
    return max(-1.0, min(1.0, correlation))
