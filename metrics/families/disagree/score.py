"""One sheet scored: what the judges of each item come to, and how far they agree on every dimension."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded, NumberColumn
from scoresheet.metrics.families.disagree.constants import MOST_SHOWN_JUDGES
from scoresheet.metrics.families.disagree.context import Strategies
from scoresheet.metrics.families.disagree.dispersion import (
    Disagreements,
    cultural_consensus,
    disagreements,
    dispersion,
    row_means,
)
from scoresheet.metrics.families.disagree.flags import (
    Flags,
    few_judges_flags,
    flags_and_severities,
    is_recommended,
    item_flags,
    joined_flags,
    joined_names,
    no_majority_flags,
    spread_ranks,
)
from scoresheet.metrics.families.disagree.inputs import Ratings
from scoresheet.metrics.families.disagree.judge_agreement import (
    DimensionAgreement,
    agreement_on,
    agreement_over_dimensions,
    alpha_without,
    overall_name,
)
from scoresheet.metrics.families.disagree.labels import LabelStanding, item_votes, label_standings
from scoresheet.metrics.families.disagree.measures import (
    CANNOT_FIRE,
    CONSENSUS,
    CULTURAL_COMPETENCE,
    CULTURAL_CONSENSUS,
    CV,
    FLAGS,
    ITEM_KEY,
    JUDGES,
    LABEL_AGREEMENT,
    MAX,
    MEAN,
    MIN,
    MODEL_KEY,
    OUTLIERS,
    RECOMMENDED,
    RELIABILITY,
    ROBUST_OUTLIERS,
    SEVERITY,
    SPREAD_RANK,
    STD_DEV,
    VARIANCE,
    confidence_on,
    disagreement_on,
    mean_on,
    relevance_on,
    score_by,
    vote_measures,
)
from scoresheet.metrics.families.disagree.odd_judges import (
    JudgeRows,
    OddJudge,
    judge_table,
    odd_judges,
    on_another_scale,
)
from scoresheet.metrics.families.disagree.options import DIMENSIONS, NOMINAL, DisagreeOptions
from scoresheet.metrics.families.disagree.overall_scores import (
    merge_ties,
    overall_scores,
    rounding_noise,
    shared_dimensions,
)
from scoresheet.metrics.families.disagree.problems import (
    different_dimensions,
    missing_agreement,
    other_scales,
    summary_rows,
    undefined_statistics,
)
from scoresheet.metrics.families.disagree.spread_limit import is_rare_spread
from scoresheet.metrics.families.disagree.strategies import simulate_judges, unused_weights
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.agreement import midranks
from scoresheet.metrics.stats.rows import row_counts
from scoresheet.metrics.units import Units, Value

_Columns = dict[str, Sequence[Value]]


@dataclass(frozen=True, kw_only=True)
class SheetAgreement(ScoredSheet):
    """What the judges of a sheet come to; a unit is an item."""

    items: Sequence[str]
    judges: Sequence[str]
    dimensions: Sequence[str]
    rated_rows: int  # rows with a score
    agreements: tuple[DimensionAgreement, ...]  # on the dimensions, then overall; their rows are the items, sorted
    flags: Flags
    judged: JudgeRows  # what odd judges are looked for in
    odd: tuple[OddJudge, ...] = ()  # who does not fit the others, the oddest first
    alpha_gain: float = math.nan  # by how much alpha rises without them
    ratings: Ratings | None = None  # what was scored, where the sheets of a panel are its dimensions
    scores: NDArray[np.float64] | None = None  # overall scores as given, items × judges; labels have none
    outlier_items: Mapping[str, int] = field(default_factory=dict)  # by judge; labels have none
    has_confidence: bool = False  # whether the sheet says how sure judges are
    has_relevance: bool = False
    labels: Sequence[str] = ()  # by their numbers; scores have none
    standings: Mapping[str, tuple[LabelStanding, ...]] = field(default_factory=dict)  # of labels, by dimension
    choices: NDArray[np.float64] | None = None  # of labels, items × judges × dimensions
    first: NDArray[np.float64] | None = None  # the label that stood first, the same shape

    @property
    def overall(self) -> DimensionAgreement:
        """The agreement on the judges' overall scores."""
        return self.agreements[-1]

    @property
    def distinct_agreements(self) -> tuple[DimensionAgreement, ...]:
        """The agreement overall, then on each dimension; where there is only one, it would say the same again."""
        return (self.overall, *self.agreements[:-1]) if len(self.dimensions) > 1 else (self.overall,)


def score_ratings(ratings: Ratings, strategies: Strategies, options: DisagreeOptions) -> Noted[SheetAgreement]:
    """Return what the judges of each item come to, and how far they agree."""
    if options.sheets_are == DIMENSIONS:
        # what there is to say is said of the panel that the sheets are together
        return Noted(replace(score_panel(ratings, strategies, options).value, ratings=ratings))
    return score_panel(ratings, strategies, options)


def score_panel(ratings: Ratings, strategies: Strategies, options: DisagreeOptions) -> Noted[SheetAgreement]:
    """Return the same, of ratings that nothing is to be joined to."""
    if options.nominal:
        return _score_labels(ratings, options)
    if not strategies:
        return _score_numbers(ratings, options)
    problems: list[Problem] = []
    unused = unused_weights(strategies, ratings.dimensions)
    if unused:
        message = f"the strategies weigh dimensions that are not here: {join_names(unused)}"
        problems.append(note("other-columns", message))
    scored = _score_numbers(_simulated_ratings(ratings, strategies, options), options)
    return Noted(scored.value, (*problems, *scored.problems))


def _simulated_ratings(ratings: Ratings, strategies: Strategies, options: DisagreeOptions) -> Ratings:
    """Return what the strategies make of one judge's scores, on the scale as given."""
    low, high = options.scale_ends
    ones = np.ones_like(ratings.scores[:, 0])
    simulated = simulate_judges(
        (ratings.scores[:, 0] - low) / (high - low),
        ones if ratings.confidence is None else ratings.confidence[:, 0],
        ones if ratings.relevance is None else ratings.relevance[:, 0],
        ratings.dimensions,
        strategies,
    )
    return replace(
        ratings,
        judges=[strategy.name for strategy in strategies],
        scores=low + simulated.scores * (high - low),
        confidence=simulated.confidence,
        relevance=simulated.relevance,
    )


def _score_numbers(ratings: Ratings, options: DisagreeOptions) -> Noted[SheetAgreement]:
    low, high = options.scale_ends
    mapped = (ratings.scores - low) / (high - low)
    is_judge = ~np.isnan(overall_scores(ratings.scores, ratings.confidence, ratings.relevance))
    shared = shared_dimensions(ratings.scores, is_judge)
    compared = np.where(shared[:, None, :], ratings.scores, np.nan)
    given = overall_scores(compared, ratings.confidence, ratings.relevance)
    # weighted means of equal scores differ in their last digits, which must make no two scores out of one
    equal = merge_ties(given, rounding_noise(compared, ratings.confidence, ratings.relevance))
    scores = (given - low) / (high - low)
    # without a dimension in common there is nothing to compare, but the judges are there all the same
    is_comparable = shared.any(axis=1) | (row_counts(is_judge) < 2)
    overall = _without_comparison(disagreements(scores, options.outlier_rules()), is_judge, is_comparable)
    by_dimension = [dispersion(mapped[:, :, index]).cv for index in range(len(ratings.dimensions))]
    cv = np.column_stack(by_dimension) if by_dimension else np.empty((len(ratings.items), 0))
    unweighted = ~np.isnan(mapped).all(axis=2) & np.isnan(scores) & is_comparable[:, None]
    is_rare = is_rare_spread((equal - low) / (high - low), overall.variance, overall.judges)
    flags = item_flags(
        overall, cv, ratings.dimensions, ratings.judges, options, is_rare, np.asarray(unweighted.any(axis=1))
    )
    columns = _item_columns(ratings, scores, overall, flags, options)
    columns |= _columns_of(disagreement_on, ratings.dimensions, cv)
    columns |= _dimension_columns(ratings, mapped)
    if len(ratings.judges) <= MOST_SHOWN_JUDGES:
        columns |= _columns_of(score_by, ratings.judges, scores)
    order = _sorted_items(ratings)
    agreements = [
        agreement_on(
            name,
            ratings.scores[order, :, index],
            mapped[order, :, index],
            ratings.judges,
            options.level,
            cv[order, index],
        )
        for index, name in enumerate(ratings.dimensions)
    ]
    name = overall_name(ratings.dimensions)
    agreements.append(
        agreement_on(name, given[order], scores[order], ratings.judges, options.level, overall.cv[order], equal[order])
    )
    judged = _judged_scores(ratings, equal, options)
    apart = on_another_scale(given, ratings.judges, options.scale_ends) if not options.strategies else ()
    odd = odd_on_sheets([judged], options, apart)
    outlier_items = (overall.outliers | overall.robust_outliers).sum(axis=0).tolist()
    scored = SheetAgreement(
        name=ratings.name,
        rows=ratings.rows,
        units=Units(_keys(ratings), columns),
        items=ratings.items,
        judges=ratings.judges,
        dimensions=ratings.dimensions,
        rated_rows=ratings.rated_rows,
        agreements=tuple(agreements),
        flags=flags,
        judged=judged,
        odd=odd,
        alpha_gain=_alpha_gain(agreements[-1], odd, options.level),
        scores=_as_given(given, ratings.judges, options),
        outlier_items=dict(zip(ratings.judges, outlier_items, strict=True)),
        has_confidence=ratings.confidence is not None,
        has_relevance=ratings.relevance is not None,
    )
    problems = [*other_scales(scored.odd), *summary_rows(ratings)]
    problems += different_dimensions(ratings, is_judge, shared)
    problems += undefined_statistics(ratings, cv, unweighted, overall)
    return Noted(scored, (*problems, *missing_agreement(ratings, scored.overall)))


def _keys(ratings: Ratings) -> dict[str, Sequence[str]]:
    """Return what tells items apart: their names, and whose answers they are."""
    return {ITEM_KEY: ratings.item_names, **({MODEL_KEY: ratings.models} if ratings.models else {})}


def _as_given(scores: NDArray[np.float64], judges: Sequence[str], options: DisagreeOptions) -> NDArray[np.float64]:
    """Return overall scores on the scale that each judge used."""
    if not options.scales.differ:
        return scores
    low, high = np.array([options.scales.of(judge) for judge in judges]).reshape(-1, 2).T
    return np.asarray(low + scores * (high - low))


def _alpha_gain(overall: DimensionAgreement, odd: Sequence[OddJudge], level: str) -> float:
    """Return by how much alpha rises without the odd judges; undefined where nobody is."""
    return alpha_without(overall, {each.name for each in odd}, level) - overall.alpha if odd else math.nan


def _without_comparison(
    overall: Disagreements, is_judge: NDArray[np.bool_], is_comparable: NDArray[np.bool_]
) -> Disagreements:
    """Return the same, but items without a dimension that all their judges scored have judges and no numbers."""
    return overall._replace(
        judges=np.where(is_comparable, overall.judges, row_counts(is_judge)),
        consensus=np.where(is_comparable, overall.consensus, np.nan),
        reliability=np.where(is_comparable, overall.reliability, np.nan),
    )


def _judged_scores(ratings: Ratings, equal: NDArray[np.float64], options: DisagreeOptions) -> JudgeRows:
    """Return overall scores as judges are held to each other by: on the scale 0 to 1, at the ordinal level as ranks."""
    order = _sorted_items(ratings)
    low, high = options.scale_ends
    scores = (equal[order] - low) / (high - low)
    if options.level == "ordinal":
        scores = midranks(scores, ~np.isnan(scores))
        scores = scores / np.nanmax(scores, initial=1.0)
    return JudgeRows([ratings.items[item] for item in order], ratings.judges, scores)


def odd_on_sheets(
    sheets: Sequence[JudgeRows], options: DisagreeOptions, apart: Sequence[OddJudge] = ()
) -> tuple[OddJudge, ...]:
    """Return who does not fit the others, on one sheet or several together; those on another scale stand `apart`."""
    table, judges = judge_table(sheets)
    return odd_judges(table, judges, confidence=options.ci, seed=options.seed, apart=apart)


def _item_columns(
    ratings: Ratings,
    scores: NDArray[np.float64],
    overall: Disagreements,
    flags: Flags,
    options: DisagreeOptions,
) -> _Columns:
    words, severities = flags_and_severities(flags, len(ratings.items))
    outliers = joined_names(overall.outliers, ratings.judges)
    cannot_fire = ~overall.outliers_can_fire & ~np.isnan(overall.mean)
    codes = np.where(cannot_fire, len(outliers.values), outliers.codes)
    return {
        JUDGES.name: NumberColumn(overall.judges),
        MEAN.name: NumberColumn(overall.mean),
        VARIANCE.name: NumberColumn(overall.variance),
        STD_DEV.name: NumberColumn(overall.std_dev),
        SPREAD_RANK.name: spread_ranks(overall.std_dev),
        CV.name: NumberColumn(overall.cv),
        MIN.name: NumberColumn(overall.minimum),
        MAX.name: NumberColumn(overall.maximum),
        CONSENSUS.name: NumberColumn(overall.consensus),
        RELIABILITY.name: NumberColumn(overall.reliability),
        OUTLIERS.name: Coded.of_codes([*outliers.values, CANNOT_FIRE], codes),
        ROBUST_OUTLIERS.name: joined_names(overall.robust_outliers, ratings.judges),
        FLAGS.name: words,
        SEVERITY.name: severities,
        RECOMMENDED.name: joined_names(is_recommended(scores, overall, options), ratings.judges),
    }


def _dimension_columns(ratings: Ratings, mapped: NDArray[np.float64]) -> _Columns:
    """Return what the judges come to on each dimension: the means of score, confidence and relevance."""
    known = ~np.isnan(mapped)
    columns: _Columns = {}
    parts = ((mean_on, mapped), (confidence_on, ratings.confidence), (relevance_on, ratings.relevance))
    for measure_on, values in parts:
        if values is not None:
            means = row_means(np.moveaxis(np.where(known, values, np.nan), 1, 2))
            columns |= _columns_of(measure_on, ratings.dimensions, means)
    if ratings.relevance is not None:
        competence = overall_scores(np.where(known, ratings.relevance, np.nan), ratings.confidence)
        columns[CULTURAL_COMPETENCE.name] = NumberColumn(row_means(competence))
        columns[CULTURAL_CONSENSUS.name] = NumberColumn(cultural_consensus(competence))
    return columns


def _columns_of(
    measure_on: Callable[[str], Measure], dimensions: Sequence[str], values: NDArray[np.float64]
) -> _Columns:
    """Return a measure of each dimension or judge; `values` are items × these."""
    return {measure_on(name).name: NumberColumn(values[:, index]) for index, name in enumerate(dimensions)}


def _sorted_items(ratings: Ratings) -> list[int]:
    """Return the indices of the items, sorted by name: sums in another order would differ in their last digit."""
    return sorted(range(len(ratings.items)), key=ratings.items.__getitem__)


def _score_labels(ratings: Ratings, options: DisagreeOptions) -> Noted[SheetAgreement]:
    """Return the items of a sheet of labels: who agrees, and what most of the judges chose."""
    judges = (~np.isnan(ratings.scores).all(axis=2)).sum(axis=1)
    flags = [few_judges_flags(judges)]
    votes = [item_votes(ratings.scores[:, :, index], len(ratings.labels)) for index in range(len(ratings.dimensions))]
    columns: _Columns = {}
    several = len(ratings.dimensions) > 1
    for name, own, measures in zip(ratings.dimensions, votes, vote_measures(ratings.dimensions), strict=True):
        flags.append(no_majority_flags(own, ratings.labels, name if several else ""))
        majority, voted = measures
        columns |= {majority.name: own.winners(ratings.labels), voted.name: own.words(ratings.labels)}
    every_flag = joined_flags(flags)
    order = _sorted_items(ratings)
    words, severities = flags_and_severities(every_flag, len(ratings.items))
    agreements = [
        agreement_on(name, ratings.scores[order, :, index], ratings.scores[order, :, index], ratings.judges, NOMINAL)
        for index, name in enumerate(ratings.dimensions)
    ]
    agreements.append(agreement_over_dimensions(agreements, ratings.judges))
    judged = _judged_labels(ratings)
    odd = odd_on_sheets([judged], options)
    scored = SheetAgreement(
        name=ratings.name,
        rows=ratings.rows,
        units=Units(
            _keys(ratings),
            {
                JUDGES.name: NumberColumn(judges),
                LABEL_AGREEMENT.name: NumberColumn(_label_agreement(ratings.scores)),
                **columns,
                FLAGS.name: words,
                SEVERITY.name: severities,
            },
        ),
        items=ratings.items,
        judges=ratings.judges,
        dimensions=ratings.dimensions,
        rated_rows=ratings.rated_rows,
        agreements=tuple(agreements),
        flags=every_flag,
        judged=judged,
        odd=odd,
        alpha_gain=_alpha_gain(agreements[-1], odd, NOMINAL),
        labels=ratings.labels,
        standings={
            name: label_standings(own, ratings.labels, confidence=options.ci)
            for name, own in zip(ratings.dimensions, votes, strict=True)
        },
        choices=ratings.scores,
        first=ratings.first,
    )
    return Noted(scored, (*summary_rows(ratings), *missing_agreement(ratings, scored.overall)))


def _judged_labels(ratings: Ratings) -> JudgeRows:
    """Return a row for each item and dimension; the same label on two dimensions is not the same."""
    order = _sorted_items(ratings)
    dimensions, labels = len(ratings.dimensions), len(ratings.labels)
    apart = np.arange(dimensions) * labels
    rows = np.moveaxis(ratings.scores[order] + apart, 2, 1).reshape(len(order) * dimensions, len(ratings.judges))
    kinds = [f"{dimension}\0{label}" for dimension in ratings.dimensions for label in ratings.labels]
    return JudgeRows([ratings.items[item] for item in order for _ in range(dimensions)], ratings.judges, rows, kinds)


def _label_agreement(labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each item the share of equal labels among the pairs of judges, over all dimensions."""
    pairs, equal = np.zeros(len(labels)), np.zeros(len(labels))
    for first in range(labels.shape[1]):
        for second in range(first + 1, labels.shape[1]):
            both = ~(np.isnan(labels[:, first]) | np.isnan(labels[:, second]))
            pairs += both.sum(axis=1)
            equal += (labels[:, first] == labels[:, second]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, equal / pairs, math.nan)
