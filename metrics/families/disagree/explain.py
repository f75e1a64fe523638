"""How the numbers of one item came about: who gave what, how far each stands from the others, and what was flagged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.explanation import Explanation, NoSuchUnit, UnitName
from scoresheet.metrics.families.disagree.constants import (
    BONUS_ABOVE,
    CONSENSUS_SLOPE,
    RELIABILITY_BONUS,
    RELIABILITY_SLOPE,
)
from scoresheet.metrics.families.disagree.context import Strategies
from scoresheet.metrics.families.disagree.dispersion import row_means
from scoresheet.metrics.families.disagree.flags import Flags
from scoresheet.metrics.families.disagree.inputs import Ratings
from scoresheet.metrics.families.disagree.joined_sheets import joined_ratings
from scoresheet.metrics.families.disagree.measures import ITEM_KEY, MODEL_KEY
from scoresheet.metrics.families.disagree.options import DIMENSIONS, DisagreeOptions
from scoresheet.metrics.families.disagree.score import SheetAgreement, score_panel
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.bands import TOLERANCE


@dataclass(frozen=True)
class JudgePart:
    """What one judge gave the item, and how far that is from the others."""

    judge: str
    given: Mapping[str, float | str]  # by dimension, as given; a label where judges choose labels
    overall: float  # on the scale from 0 to 1; NaN for labels
    deviation: float  # from the mean of all
    mean_without: float  # of the other judges
    pull: float  # by how much the judge moves the mean: mean less mean_without
    is_outlier: bool  # far from the mean
    is_robust_outlier: bool  # far from the median


@dataclass(frozen=True)
class FlagPart:
    """Something wrong with the item, in words."""

    name: str
    severity: str
    what: str


@dataclass(frozen=True, kw_only=True)
class DisagreeExplanation(Explanation):
    """How one item came to its consensus."""

    item: str
    model: str  # whose answer it is, where a column says so
    scale: tuple[float, float]
    is_nominal: bool
    is_simulated: bool  # whether the judges are strategies that were applied to one judge's scores
    is_weighted: bool  # whether a judge's overall score weighs dimensions by confidence or relevance
    judges: tuple[JudgePart, ...]
    pulled_most: str  # the judge without whom the mean moves most; '' where that is no single one
    consensus_slope: float
    reliability_slope: float
    reliability_bonus: float
    bonus_above: float
    flags: tuple[FlagPart, ...]


def explain_item(
    sheets: Sequence[Ratings], strategies: Strategies, options: DisagreeOptions, unit: UnitName
) -> DisagreeExplanation:
    """Return how the numbers of an item came about; NoSuchUnit if no sheet has it."""
    ratings = _ratings(sheets, options, unit)
    place = _place(ratings, unit)
    scored = score_panel(ratings, strategies, options).value
    overall = _overall(scored, options, place)
    parts = _judges(ratings if not strategies else None, scored, overall, place)
    return DisagreeExplanation(
        measures={name: values[place] for name, values in scored.units.measures.items()},
        item=ratings.item_names[place],
        model=ratings.models[place] if ratings.models else "",
        scale=options.scale_ends,
        is_nominal=options.nominal,
        is_simulated=bool(strategies),
        is_weighted=scored.has_confidence or scored.has_relevance,
        judges=parts,
        pulled_most=_pulled_most(parts),
        consensus_slope=CONSENSUS_SLOPE,
        reliability_slope=RELIABILITY_SLOPE,
        reliability_bonus=RELIABILITY_BONUS,
        bonus_above=BONUS_ABOVE,
        flags=_flags(scored.flags, place),
    )


def _flags(flags: Flags, item: int) -> tuple[FlagPart, ...]:
    """Return the flags of an item."""
    places = np.flatnonzero(flags.items == item)
    columns = (flags.short(), flags.severities, flags.what)
    return tuple(map(FlagPart, *(column.take(places) for column in columns)))


def _pulled_most(parts: Sequence[JudgePart]) -> str:
    """Return the judge who moves the mean most; '' where two move it alike, as two judges always do."""
    pulls = sorted((abs(part.pull), part.judge) for part in parts if not math.isnan(part.pull))
    if len(pulls) < 2 or pulls[-1][0] - pulls[-2][0] <= TOLERANCE:
        return ""
    return pulls[-1][1]


def _ratings(sheets: Sequence[Ratings], options: DisagreeOptions, unit: UnitName) -> Ratings:
    """Return the ratings that the unit is of: a sheet's, or where sheets are dimensions those of all."""
    if options.sheets_are == DIMENSIONS:
        return joined_ratings(sheets)
    found = next((sheet for sheet in sheets if sheet.name == unit.sheet), None)
    if found is None:
        raise NoSuchUnit(unit)
    return found


def _place(ratings: Ratings, unit: UnitName) -> int:
    models = ratings.models or [""] * len(ratings.items)
    wanted = unit.keys[ITEM_KEY], unit.keys.get(MODEL_KEY, "")
    for place, key in enumerate(zip(ratings.item_names, models, strict=True)):
        if key == wanted:
            return place
    raise NoSuchUnit(unit)


def _overall(scored: SheetAgreement, options: DisagreeOptions, place: int) -> NDArray[np.float64]:
    """Return each judge's overall score of the item on the scale from 0 to 1; labels have none."""
    if scored.scores is None:
        return np.full(len(scored.judges), math.nan)
    ends = [options.scales.of(judge) if options.scales.differ else options.scale_ends for judge in scored.judges]
    low, high = np.array(ends, dtype=float).reshape(-1, 2).T
    return np.asarray((scored.scores[place] - low) / (high - low))


def _judges(
    ratings: Ratings | None, scored: SheetAgreement, overall: NDArray[np.float64], place: int
) -> tuple[JudgePart, ...]:
    mean = float(row_means(overall[None, :])[0])
    outliers, robust = (_named(scored, name, place) for name in ("Outliers", "Robust_Outliers"))
    parts = []
    for index, judge in enumerate(scored.judges):
        given = {} if ratings is None else _given(ratings, place, index)
        if math.isnan(overall[index]) and not given:
            continue
        others = np.delete(overall, index)
        without = math.nan if math.isnan(overall[index]) else float(row_means(others[None, :])[0])
        parts.append(
            JudgePart(
                judge=judge,
                given=given,
                overall=float(overall[index]),
                deviation=float(overall[index]) - mean,
                mean_without=without,
                pull=mean - without,
                is_outlier=judge in outliers,
                is_robust_outlier=judge in robust,
            )
        )
    return tuple(parts)


def _given(ratings: Ratings, place: int, judge: int) -> dict[str, float | str]:
    values = ratings.scores[place, judge]
    return {
        name: ratings.labels[int(value)] if ratings.labels else float(value)
        for name, value in zip(ratings.dimensions, values.tolist(), strict=True)
        if not math.isnan(value)
    }


def _named(scored: SheetAgreement, measure: str, place: int) -> list[str]:
    return str(scored.units.measures[measure][place]).split("; ") if measure in scored.units.measures else []
