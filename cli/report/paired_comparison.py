"""How models are compared on screen, page, CSV and JSON: one set of columns, and a sentence to quote."""

from __future__ import annotations

import math
from typing import Final

from scoresheet.cli.report.page import Column, Page
from scoresheet.metrics.compare import PairedComparison, PairedDifference
from scoresheet.metrics.messages import join_names, percent
from scoresheet.metrics.stats.confidence import POWER, confidence_percent, significance_level
from scoresheet.metrics.tables import frame_of_rows

TITLE: Final = "Comparison"
EXPLORATORY: Final = "exploratory"
_HEADLINE: Final = "headline"

COMPARISON_COLUMNS: Final = (
    Column("Measure", "What is compared.", "key"),
    Column("Family", "headline, or exploratory: all other measures, corrected together.", "label"),
    Column("Model", "The one model.", "key"),
    Column("Other_Model", "The other model.", "key"),
    Column("Shared", "Units that both have the measure for; everything here is over these.", "count"),
    Column("Mean", "The model's mean over the shared units.", "score"),
    Column("Other_Mean", "The other model's mean over them.", "score"),
    Column("Difference", "The model's mean less the other's.", "score"),
    Column("CI_Low", "Lower end of the confidence interval of the difference, by paired bootstrap.", "score"),
    Column("CI_High", "Upper end of it.", "score"),
    Column("P_Value", "Randomisation test: chance of such a difference if it had either sign alike.", "chance"),
    Column("P_Holm", "The same after Holm's correction within its family of hypotheses.", "chance"),
    Column("Effect_Size", "The difference over the standard deviation of the units' differences (Cohen's d).", "score"),
    Column("Wins", "Shared units on which the model is higher.", "count"),
    Column("Ties", "Shared units on which neither is.", "count"),
    Column("Losses", "Shared units on which the other model is higher.", "count"),
    Column(
        "Detectable",
        f"Smallest true difference that such a comparison finds in {percent(POWER)} of samples, after the correction.",
        "score",
    ),
    Column("Finding", "What is shown after the correction; else the difference that could have been.", "label"),
)
_ON_SCREEN: Final = ("Model", "Other_Model", "Shared", "Difference", "CI_Low", "CI_High", "P_Holm", "Finding")


def comparison_row(pair: PairedDifference) -> list[object]:
    """Return the cells under COMPARISON_COLUMNS."""
    test = pair.test
    return [
        pair.measure,
        EXPLORATORY if pair.exploratory else _HEADLINE,
        pair.model,
        pair.other,
        test.units,
        test.mean,
        test.other_mean,
        test.difference,
        test.low,
        test.high,
        test.p_value,
        pair.p_holm,
        test.effect_size,
        test.wins,
        test.ties,
        test.losses,
        test.detectable,
        pair.finding,
    ]


def comparison_page(paired: PairedComparison) -> Page:
    """Return the page that holds every two models against each other, the headline first."""
    pairs = sorted(paired.differences, key=lambda pair: pair.exploratory)
    names = [column.name for column in COMPARISON_COLUMNS]
    return Page(TITLE, frame_of_rows(names, [comparison_row(pair) for pair in pairs]), COMPARISON_COLUMNS)


def screen_table(paired: PairedComparison) -> tuple[tuple[Column, ...], list[list[object]]]:
    """Return the headline's pairs as a screen shows them."""
    places = [place for place, column in enumerate(COMPARISON_COLUMNS) if column.name in _ON_SCREEN]
    rows = [comparison_row(pair) for pair in paired.of_headline()]
    return tuple(COMPARISON_COLUMNS[place] for place in places), [[row[place] for place in places] for row in rows]


def describe_comparison(paired: PairedComparison) -> str:
    """Return how the models were compared, and how many hypotheses that were."""
    headline, others = paired.hypotheses
    level = f"{significance_level(paired.confidence):g}"
    method = paired.method or (
        f"mean difference, its {confidence_percent(paired.confidence)} bootstrap interval, and a randomisation test "
        f"(signs of the {paired.units}' differences flipped)"
    )
    return (
        f"Every two models over the {paired.units} that both have: {method}. Holm's correction at {level}: "
        f"{headline:,} hypotheses of {paired.headline} together, {others:,} of all other measures together, which are "
        "exploratory."
    )


def leading_sentence(paired: PairedComparison) -> str:
    """Return who leads in the headline measure, on what, and against whom that is shown."""
    standing = paired.standings
    ranked = [model for model in standing if standing[model].rank is not None]
    if len(ranked) < 2:
        return ""
    first = [model for model in ranked if standing[model].rank == 1]
    shared = next(iter(standing.values())).shared
    what = "the highest" if paired.better == "higher" else "the lowest"
    everyone = "both models" if len(standing) == 2 else f"all {len(standing)} models"
    on = f"on the {shared:,} {paired.units} that {everyone} share"
    if len(first) > 1:
        return f"{join_names(first)} have {what} mean {paired.headline}, {standing[first[0]].on_shared:.3f}, {on}."
    best = first[0]
    sentence = f"{best} has {what} mean {paired.headline}, {standing[best].on_shared:.3f}, {on}"
    pairs = {
        (pair.other if pair.model == best else pair.model): pair
        for pair in paired.of_headline()
        if best in (pair.model, pair.other) and {pair.model, pair.other} <= standing.keys()
    }
    beaten = [model for model, pair in pairs.items() if pair.shown and _is_ahead(pair, best, paired)]
    unsettled = {model: pair for model, pair in pairs.items() if model not in beaten}
    word = "higher" if paired.better == "higher" else "lower"
    if not unsettled:
        return f"{sentence}; shown to be {word} than {_named(beaten, len(pairs))}."
    nearest = min(unsettled.values(), key=lambda pair: abs(pair.test.difference))
    other = nearest.other if nearest.model == best else nearest.model
    why = f"{other}: {nearest.finding}" if nearest.finding else other
    settled = f"; shown to be {word} than {_named(beaten, len(pairs))}" if beaten else ""
    rest = f", nor against {len(unsettled) - 1} more" if len(unsettled) > 1 else ""
    difference = "" if math.isnan(nearest.test.difference) else f", difference {abs(nearest.test.difference):.3f}"
    return f"{sentence}{settled}; not shown against {why}{difference}{rest}."


def _is_ahead(pair: PairedDifference, model: str, paired: PairedComparison) -> bool:
    higher = (pair.test.difference > 0) == (pair.model == model)
    return higher == (paired.better == "higher")


def _named(models: list[str], of: int) -> str:
    if len(models) == of and of > 3:
        return f"all {of} others"
    return join_names(models)
