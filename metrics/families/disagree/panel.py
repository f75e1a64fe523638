"""The panel of judges: whether they agree beyond chance, on each dimension and overall, and who is odd."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, count
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.disagree.flags import Flag
from scoresheet.metrics.families.disagree.spread import row_means, spread
from scoresheet.metrics.stats.agreement import (
    MEASUREMENT_LEVELS,
    Correlation,
    has_no_variation,
    intraclass_correlation,
    krippendorff_alpha,
)
from scoresheet.metrics.stats.bands import TOLERANCE
from scoresheet.metrics.stats.means import mean, mean_of_array
from scoresheet.metrics.stats.ratio_distances import MOST_KINDS

OVERALL: Final = "Overall"
ODD_FROM: Final = 0.05  # by how much alpha must rise without a judge who is called odd
_OF_ORDER: Final = ("nominal", "ordinal")  # levels that ask which scores are equal, and which of two is higher
COMPARED_JUDGES: Final = 100  # up to which every two are compared, and the panel looked at without each


@dataclass(frozen=True)
class Judge:
    """One judge among the others."""

    name: str
    items: int
    mean: float
    bias: float  # mean difference from the mean of the others, on the items they share
    alpha_without: float
    influence: float  # how alpha rises without this judge
    alike: tuple[float, ...]  # correlation with each judge of the panel; with labels, the share of equal ones


@dataclass(frozen=True)
class Pair:
    """Two judges on the items that both scored."""

    judge: str
    other: str
    items: int
    correlation: float
    difference: float
    agreement: float


@dataclass(frozen=True)
class View:
    """The panel on one dimension, or overall."""

    dimension: str
    given: tuple[NDArray[np.float64], ...]  # items × judges, as given; with labels, overall has one per dimension
    items: int  # with a score
    ratings: int
    mean: float
    disagreement: float
    disagreement_items: int  # that it is the mean of
    alpha: float  # at the level asked for
    alpha_items: int  # that it rests on
    alphas: dict[str, float]  # at all levels
    correlation: Correlation
    judges: tuple[Judge, ...]
    pairs: tuple[Pair, ...]

    @property
    def shared_items(self) -> int:
        """The items with scores of two judges or more."""
        return int(np.any([_shared(table) for table in self.given], axis=0).sum())

    @property
    def odd(self) -> Judge | None:
        """The judge without whom alpha rises most; a small rise is somebody's in every panel, and accuses nobody."""
        raising = [judge for judge in self.judges if judge.influence >= ODD_FROM - TOLERANCE]
        return max(raising, key=lambda judge: judge.influence, default=None)


@dataclass(frozen=True)
class Panel:
    """What the summary needs of a sheet besides the rows of its items."""

    items: list[str]
    keys: list[str]  # the same, sorted: the rows of the views
    judges: list[str]
    dimensions: list[str]
    used: int  # rows
    views: tuple[View, ...]  # the dimensions, then overall
    flags: list[Flag]
    outlier_items: dict[str, int]  # per judge
    confidence: bool  # whether the sheet says how sure judges are
    relevance: bool

    @property
    def overall(self) -> View:
        """The panel on the judges' overall scores."""
        return self.views[-1]

    @property
    def told(self) -> tuple[View, ...]:
        """The panel overall, then on each dimension; where there is only one, it would say the same again."""
        return (self.overall, *self.views[:-1]) if len(self.dimensions) > 1 else (self.overall,)


def viewed(
    dimension: str,
    given: NDArray[np.float64],
    mapped: NDArray[np.float64],
    judges: Sequence[str],
    level: str,
    equal: NDArray[np.float64] | None = None,
) -> View:
    """Return the panel on one dimension; `given` and `mapped` are items × judges, as given and on the scale 0 to 1.

    `equal` are the scores as given but for noise in their last digits, for whatever asks which scores are equal.
    """
    known = ~np.isnan(given)
    nominal = level == "nominal"
    found = spread(mapped)
    equal = given if equal is None else equal
    by_level = {each: equal if each in _OF_ORDER else given for each in MEASUREMENT_LEVELS}
    alphas = dict.fromkeys(MEASUREMENT_LEVELS, math.nan)
    alphas |= {each: krippendorff_alpha(by_level[each], each) for each in _levels(equal, level)}
    pairs = _pairs(equal, mapped, judges, nominal=nominal)
    given = by_level[level]
    return View(
        dimension=dimension,
        given=(given,),
        items=int(known.any(axis=1).sum()),
        ratings=int(known.sum()),
        mean=math.nan if nominal else mean_of_array(mapped),
        disagreement=math.nan if nominal else mean_of_array(found.cv),
        disagreement_items=0 if nominal else int((~np.isnan(found.cv)).sum()),
        alpha=alphas[level],
        alpha_items=0 if math.isnan(alphas[level]) else int(_shared(given).sum()),
        alphas=alphas,
        correlation=Correlation(math.nan, math.nan, 0) if nominal else intraclass_correlation(mapped),
        judges=_judges((given,), mapped, judges, level, alphas[level], pairs),
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


def together(views: Sequence[View], judges: Sequence[str]) -> View:
    """Return the panel overall where there are only labels: the mean of the dimensions' alphas, all their pairs."""
    given = tuple(table for view in views for table in view.given)
    stacked = np.vstack(given)
    alphas = {each: mean(view.alphas[each] for view in views) for each in MEASUREMENT_LEVELS}
    pairs = _pairs(stacked, stacked, judges, nominal=True)
    return View(
        dimension=overall_name(view.dimension for view in views),
        given=given,
        items=int(np.any([~np.isnan(table).all(axis=1) for table in given], axis=0).sum()),
        ratings=int((~np.isnan(stacked)).sum()),
        mean=math.nan,
        disagreement=math.nan,
        disagreement_items=0,
        alpha=alphas["nominal"],
        alpha_items=int(np.any([_shared(each.given[0]) & (each.alpha_items > 0) for each in views], axis=0).sum()),
        alphas=alphas,
        correlation=Correlation(math.nan, math.nan, 0),
        judges=_judges(given, stacked, judges, "nominal", alphas["nominal"], pairs),
        pairs=pairs,
    )


def _shared(given: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which items have scores of two judges or more."""
    return np.asarray((~np.isnan(given)).sum(axis=1) >= 2)


def _levels(given: NDArray[np.float64], level: str) -> tuple[str, ...]:
    """Return the levels that alpha is told at: for labels one; ratio only where it does not take for ever."""
    if level == "nominal":
        return ("nominal",)
    rated = given[~np.isnan(given)]
    sound = level == "ratio" or (len(np.unique(rated)) <= MOST_KINDS and not (rated < 0).any())
    return MEASUREMENT_LEVELS if sound else ("nominal", "ordinal", "interval")


def _judges(
    given: Sequence[NDArray[np.float64]],
    mapped: NDArray[np.float64],
    judges: Sequence[str],
    level: str,
    alpha: float,
    pairs: Sequence[Pair],
) -> tuple[Judge, ...]:
    nominal = level == "nominal"
    alike = np.full((len(judges), len(judges)), math.nan)
    places = {name: place for place, name in enumerate(judges)}
    for pair in pairs:
        value = pair.agreement if nominal else pair.correlation
        alike[places[pair.judge], places[pair.other]] = alike[places[pair.other], places[pair.judge]] = value
    found = []
    for place, name in enumerate(judges):
        own = mapped[:, place]
        known = ~np.isnan(own)
        without = math.nan
        if len(judges) <= COMPARED_JUDGES:
            without = mean(krippendorff_alpha(np.delete(table, place, axis=1), level) for table in given)
        others = row_means(np.delete(mapped, place, axis=1))
        alike[place, place] = 1.0 if known.any() else math.nan
        found.append(
            Judge(
                name=name,
                items=int(np.any([~np.isnan(table[:, place]) for table in given], axis=0).sum()),
                mean=math.nan if nominal else mean_of_array(own),
                bias=math.nan if nominal else mean_of_array(own - others),
                alpha_without=without,
                influence=without - alpha,
                alike=tuple(alike[place].tolist()),
            )
        )
    return tuple(found)


def _pairs(
    given: NDArray[np.float64], mapped: NDArray[np.float64], judges: Sequence[str], *, nominal: bool
) -> tuple[Pair, ...]:
    found: list[Pair] = []
    if len(judges) > COMPARED_JUDGES:
        return ()
    for first, second in combinations(range(len(judges)), 2):
        both = ~(np.isnan(given[:, first]) | np.isnan(given[:, second]))
        one, other = mapped[both, first], mapped[both, second]
        equal = given[both, first] == given[both, second]
        found.append(
            Pair(
                judge=judges[first],
                other=judges[second],
                items=int(both.sum()),
                correlation=math.nan if nominal else _correlation(one, other),
                difference=math.nan if nominal else mean_of_array(one - other),
                agreement=float(equal.mean()) if len(equal) else math.nan,
            )
        )
    return tuple(found)


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return Pearson's correlation; undefined where a judge gives all items the same score."""
    if len(one) < 2 or has_no_variation(one) or has_no_variation(other):
        return math.nan
    ours, theirs = one - one.mean(), other - other.mean()
    found = float(ours @ theirs) / math.sqrt(float(ours @ ours) * float(theirs @ theirs))
    return max(-1.0, min(1.0, found))
