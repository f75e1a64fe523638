"""The disagree family: whether judges agree, which items cannot be trusted, and which judge is odd."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from scoresheet.metrics.core import Column, Detail, Family, Given, Joined, Report, Table
from scoresheet.metrics.families.disagree.columns import (
    ALPHA,
    ITEM,
    LABELLED,
    RESULTS,
    SUMMARY,
    item_columns,
    score_columns,
)
from scoresheet.metrics.families.disagree.layout import INPUTS
from scoresheet.metrics.families.disagree.options import DEFAULT, DisagreeOptions, ends
from scoresheet.metrics.families.disagree.ratings import Ratings, read_ratings
from scoresheet.metrics.families.disagree.scoring import scored_sheet
from scoresheet.metrics.families.disagree.strategies import DEFAULT_STRATEGIES, SCREWS, strategies_of
from scoresheet.metrics.families.disagree.summary import summarise_panel
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.problems import Problem, reject


class Disagree(Family[DisagreeOptions]):
    """Agreement and disagreement of judges."""

    name = "disagree"
    stem = "disagreement"
    title = "Disagreement of judges"
    method = (
        (
            "Overall score",
            "A judge's Σ w·s / Σ w over dimensions, w = confidence × cultural relevance, each 1 if absent.",
        ),
        ("Spread", "Sample variance and standard deviation (n − 1) of the judges' overall scores; CV = sd / mean."),
        ("Consensus", "max(0, 1 − 2·CV); undefined where the mean is 0. One judge: 1. None: 0."),
        ("Reliability", "Consensus·(1 − min(1, 5·variance)), +0.1 above a consensus of .8. One judge: 0.7. None: 0."),
        ("Outliers", "|s − mean|/sd above the threshold; with four judges or fewer 1.5 cannot be reached."),
        ("Robust outliers", "0.6745·|s − median| / max(MAD, floor) above the threshold, on the scale 0 to 1."),
        ("Alpha", "Krippendorff's alpha on the scores as given; items with fewer than two scores say nothing."),
        ("Interval", "95 % percentile bootstrap over items, 2,000 resamples, seeded."),
        ("ICC", "Two-way random effects, absolute agreement (Shrout and Fleiss 1979), over items every judge scored."),
        ("Influence", "Alpha of the panel without a judge, less alpha of all."),
        (
            "Equal scores",
            "Overall scores that only the arithmetic's last digits keep apart are equal; nothing is rounded.",
        ),
        ("Alpha_Ratio", "Left out where there are more than 3,000 different scores, unless --level ratio asks for it."),
    )
    options = DisagreeOptions
    inputs = INPUTS
    keeps_others = True
    tables = {  # noqa: RUF012 - never changed
        "strategies": Table(
            (
                Column(
                    "strategy",
                    "The strategy; other columns of numbers weigh the dimension they name.",
                    "key",
                    ("name",),
                ),
                *(Column(name, f"Its {name}.", "label") for name in SCREWS),
            ),
            keeps_others=True,
            built_in=DEFAULT,
        )
    }
    summary = SUMMARY
    detail = (
        *ITEM,
        Column("Disagreement_<dimension>", "CV of the dimension over the judges.", "score", better="lower"),
    )
    units = tuple(column.name for column in detail)
    unit_is_row = False
    headline = ALPHA
    results = RESULTS

    def check(self, joined: Joined, options: DisagreeOptions, *, referenced: bool) -> Any:
        """Return the ratings of a sheet; refuse what has none, or not the kind that was announced."""
        ratings = read_ratings(joined, options)
        if options.strategies and len(ratings.judges) > 1:
            reject(
                "several-judges",
                f"--strategies makes an ensemble out of one judge's scores, and here are {len(ratings.judges)} judges: "
                f"{join_names(ratings.judges)}; leave out --strategies, or keep one of them",
                effect="sheet skipped",
            )
        return ratings

    def unused_columns(self, joined: Joined) -> Collection[str]:
        """Return the columns that hold no scores."""
        ratings: Ratings = joined.reading
        return ratings.left_out

    def prepare(self, given: Given, options: DisagreeOptions) -> tuple[Any, list[Problem]]:
        """Return the strategies, if an ensemble is to be made."""
        if options.strategies == DEFAULT:
            return DEFAULT_STRATEGIES, []
        return (strategies_of(given.tables["strategies"]) if options.strategies else ()), []

    def facts(self, prepared: Any, options: DisagreeOptions) -> tuple[tuple[str, str], ...]:
        """Return how scores were mapped, and the strategies."""
        if options.nominal:
            return (("Labels", "alpha at the nominal level and pairwise agreement only; no scale, no weights"),)
        low, high = ends(options.scale, "scale")
        first, last, width = map(format_float, (low, high, high - low))
        mapped = f"{first} to {last}, mapped by (s − {first})/{width}; alpha takes the scores as given"
        lines = [("Scale", mapped if (low, high) != (0, 1) else "0 to 1, as given")]
        for strategy in prepared:
            weights = "".join(f", {name} × {format_float(value)}" for name, value in strategy.weights.items())
            way = "strict" if strategy.bias < 0 else "lenient" if strategy.bias > 0 else "neutral"
            emphasis, threshold, bias = map(format_float, (strategy.emphasis, strategy.threshold, strategy.bias))
            said = f"emphasis {emphasis}, threshold {threshold}, bias {bias} ({way})"
            lines.append((f"Strategy {strategy.name}", said + weights))
        return tuple(lines)

    def score(self, joined: Joined, prepared: Any, options: DisagreeOptions) -> Detail:
        """Return the statistics of each item."""
        return scored_sheet(joined, prepared, options)

    def summarise(self, model: str, details: Sequence[Detail], options: DisagreeOptions) -> Report:
        """Return the panel's health."""
        return summarise_panel(model, details, options)

    def brief(self, reports: Sequence[Report], options: DisagreeOptions) -> tuple[Column, ...]:
        """Return what fits a terminal."""
        shown = ("Alpha", "CI_Low", "CI_High", "Verdict", "Items", "Flagged", "Odd_Judge")
        return tuple(column for column in RESULTS if column.name in shown)

    def detailed(self, details: Sequence[Detail], options: DisagreeOptions) -> tuple[Column, ...]:
        """Return the columns of an item, for the dimensions there are."""
        if options.nominal:
            return LABELLED
        judges = dict.fromkeys(judge for detail in details for judge in detail.extra.judges)
        measures = self._measures(details)
        return (*measures[: len(ITEM)], *score_columns(list(judges)), *measures[len(ITEM) :])

    def _measures(self, details: Sequence[Detail]) -> tuple[Column, ...]:
        names = dict.fromkeys(name for detail in details for name in detail.extra.dimensions)
        return item_columns(
            names,
            confidence=any(detail.extra.confidence for detail in details),
            relevance=any(detail.extra.relevance for detail in details),
        )

    def united(self, details: Sequence[Detail], options: DisagreeOptions) -> tuple[str, ...]:
        """Return the measures for the CSV, whose first columns are always the same ones."""
        if options.nominal:
            return (*(column.name for column in ITEM), "Agreement")
        return tuple(column.name for column in self._measures(details))
