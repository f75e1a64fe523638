"""One sheet scored: a row per item, and the panel on every dimension."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.core import Detail, Joined
from scoresheet.metrics.families.disagree.columns import SHOWN_JUDGES
from scoresheet.metrics.families.disagree.flags import (
    CANNOT_FIRE,
    Flag,
    counted_flags,
    flag_columns,
    flags_of,
    names_of,
    recommended,
)
from scoresheet.metrics.families.disagree.notes import summaries, undefined, untold
from scoresheet.metrics.families.disagree.options import DisagreeOptions, ends
from scoresheet.metrics.families.disagree.panel import Panel, overall_name, together, viewed
from scoresheet.metrics.families.disagree.ratings import Ratings
from scoresheet.metrics.families.disagree.spread import (
    Disagreements,
    cultural_consensus,
    disagreements,
    noise_of,
    overall_scores,
    row_means,
    spread,
    tied,
)
from scoresheet.metrics.families.disagree.strategies import Strategy, ensemble, unused_weights
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.tables import object_frame


def scored_sheet(joined: Joined, strategies: Sequence[Strategy], options: DisagreeOptions) -> Detail:
    """Return the items of a sheet; `joined.reading` holds its ratings."""
    ratings: Ratings = joined.reading
    if options.nominal:
        return _labelled(joined, ratings)
    if not strategies:
        return _scored(joined, ratings, options)
    unused = unused_weights(strategies, ratings.dimensions)
    if unused:
        message = f"the strategies weigh dimensions that are not here: {join_names(unused)}"
        ratings.problems.append(Problem(kind="other-columns", message=message, effect="note"))
    return _scored(joined, _as_ensemble(ratings, strategies, options), options)


def _as_ensemble(ratings: Ratings, strategies: Sequence[Strategy], options: DisagreeOptions) -> Ratings:
    """Return what the strategies make of one judge's scores, on the scale as given."""
    low, high = ends(options.scale, "scale")
    one = np.ones_like(ratings.scores[:, 0])
    scores, confidence, relevance = ensemble(
        (ratings.scores[:, 0] - low) / (high - low),
        one if ratings.confidence is None else ratings.confidence[:, 0],
        one if ratings.relevance is None else ratings.relevance[:, 0],
        ratings.dimensions,
        strategies,
    )
    return Ratings(
        items=ratings.items,
        judges=[strategy.name for strategy in strategies],
        dimensions=ratings.dimensions,
        scores=low + scores * (high - low),
        confidence=confidence,
        relevance=relevance,
        first_rows=ratings.first_rows,
        used=ratings.used,
        problems=ratings.problems,
    )


def _scored(joined: Joined, ratings: Ratings, options: DisagreeOptions) -> Detail:
    low, high = ends(options.scale, "scale")
    mapped = (ratings.scores - low) / (high - low)
    given = overall_scores(ratings.scores, ratings.confidence, ratings.relevance)
    overall = (given - low) / (high - low)
    found = disagreements(overall, options.rules())
    spreads = [spread(mapped[:, :, place]).cv for place in range(len(ratings.dimensions))]
    by_dimension = np.column_stack(spreads) if spreads else np.empty((len(ratings.items), 0))
    unweighted = ~np.isnan(mapped).all(axis=2) & np.isnan(overall)
    flags = flags_of(
        found, by_dimension, ratings.dimensions, ratings.judges, options, np.asarray(unweighted.any(axis=1))
    )
    columns = _item_columns(ratings, overall, found, flags, options)
    columns |= {
        f"Disagreement_{name}": by_dimension[:, place].tolist() for place, name in enumerate(ratings.dimensions)
    }
    columns |= _consensus_columns(ratings, mapped)
    order = _order(ratings)
    views = [
        viewed(name, ratings.scores[order, :, place], mapped[order, :, place], ratings.judges, options.level)
        for place, name in enumerate(ratings.dimensions)
    ]
    # weighted means of equal scores differ in their last digits, which must make no two scores out of one
    equal = tied(given, noise_of(ratings.scores, ratings.confidence, ratings.relevance))
    name = overall_name(ratings.dimensions)
    views.append(viewed(name, given[order], overall[order], ratings.judges, options.level, equal[order]))
    if len(ratings.judges) <= SHOWN_JUDGES:
        columns |= {f"Score_{name}": given[:, place].tolist() for place, name in enumerate(ratings.judges)}
    far = (found.outliers | found.robust_outliers).sum(axis=0).tolist()
    panel = Panel(
        items=ratings.items,
        keys=sorted(ratings.items),
        judges=ratings.judges,
        dimensions=ratings.dimensions,
        used=ratings.used,
        views=tuple(views),
        flags=flags,
        outlier_items=dict(zip(ratings.judges, far, strict=True)),
        confidence=ratings.confidence is not None,
        relevance=ratings.relevance is not None,
    )
    problems = [*ratings.problems, *summaries(ratings), *undefined(ratings, mapped, unweighted, found)]
    problems += untold(panel)
    return Detail(joined.sheet, object_frame(columns), tuple(problems), extra=panel)


def _item_columns(
    ratings: Ratings,
    overall: NDArray[np.float64],
    found: Disagreements,
    flags: Sequence[Flag],
    options: DisagreeOptions,
) -> dict[str, list[Any]]:
    words, worst = flag_columns(flags, len(ratings.items))
    outliers = [
        names if can_fire or not judges else CANNOT_FIRE
        for names, can_fire, judges in zip(
            names_of(found.outliers, ratings.judges),
            found.outliers_can_fire.tolist(),
            found.judges.tolist(),
            strict=True,
        )
    ]
    return {
        "Item": ratings.items,
        "Judges": found.judges.tolist(),
        "Mean": found.mean.tolist(),
        "Variance": found.variance.tolist(),
        "Std_Dev": found.std_dev.tolist(),
        "CV": found.cv.tolist(),
        "Min": found.minimum.tolist(),
        "Max": found.maximum.tolist(),
        "Consensus": found.consensus.tolist(),
        "Reliability": found.reliability.tolist(),
        "Outliers": outliers,
        "Robust_Outliers": names_of(found.robust_outliers, ratings.judges),
        "Flags": words,
        "Severity": worst,
        "Recommended": names_of(recommended(overall, found, options), ratings.judges),
    }


def _consensus_columns(ratings: Ratings, mapped: NDArray[np.float64]) -> dict[str, list[Any]]:
    """Return what the judges come to on each dimension: the means of score, confidence and relevance."""
    known = ~np.isnan(mapped)
    columns: dict[str, list[Any]] = {}
    parts = (("Mean", mapped), ("Confidence", ratings.confidence), ("Relevance", ratings.relevance))
    for title, values in parts:
        if values is not None:
            means = row_means(np.moveaxis(np.where(known, values, np.nan), 1, 2))
            columns |= {f"{title}_{name}": means[:, place].tolist() for place, name in enumerate(ratings.dimensions)}
    if ratings.relevance is not None:
        competence = overall_scores(np.where(known, ratings.relevance, np.nan), ratings.confidence)
        columns["Cultural_Competence"] = row_means(competence).tolist()
        columns["Cultural_Consensus"] = cultural_consensus(competence).tolist()
    return columns


def _order(ratings: Ratings) -> list[int]:
    """Return the places of the items, sorted: sums in another order would differ in their last digit."""
    return sorted(range(len(ratings.items)), key=ratings.items.__getitem__)


def _labelled(joined: Joined, ratings: Ratings) -> Detail:
    """Return the items of a sheet of labels: who agrees is all that can be said of them."""
    judges = (~np.isnan(ratings.scores).all(axis=2)).sum(axis=1)
    flags = counted_flags(judges)
    order = _order(ratings)
    words, worst = flag_columns(flags, len(ratings.items))
    views = [
        viewed(name, ratings.scores[order, :, place], ratings.scores[order, :, place], ratings.judges, "nominal")
        for place, name in enumerate(ratings.dimensions)
    ]
    columns = {
        "Item": ratings.items,
        "Judges": judges.tolist(),
        "Agreement": _agreement(ratings.scores).tolist(),
        "Flags": words,
        "Severity": worst,
    }
    panel = Panel(
        items=ratings.items,
        keys=sorted(ratings.items),
        judges=ratings.judges,
        dimensions=ratings.dimensions,
        used=ratings.used,
        views=(*views, together(views, ratings.judges)),
        flags=flags,
        outlier_items={},
        confidence=False,
        relevance=False,
    )
    return Detail(
        joined.sheet, object_frame(columns), (*ratings.problems, *summaries(ratings), *untold(panel)), extra=panel
    )


def _agreement(labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each item the share of equal labels among the pairs of judges, over all dimensions."""
    pairs, equal = np.zeros(len(labels)), np.zeros(len(labels))
    for first in range(labels.shape[1]):
        for second in range(first + 1, labels.shape[1]):
            both = ~(np.isnan(labels[:, first]) | np.isnan(labels[:, second]))
            pairs += both.sum(axis=1)
            equal += (labels[:, first] == labels[:, second]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, equal / pairs, math.nan)
