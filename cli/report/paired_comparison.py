"""How models are compared on screen, page, CSV and JSON: one set of columns, and a sentence to quote."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import Final

from scoresheet.cli.report.page import Column, Page, PageTable
from scoresheet.metrics.compare import MOST_MODELS, PairedComparison, PairedDifference
from scoresheet.metrics.messages import count_of, join_names, percent
from scoresheet.metrics.stats.confidence import POWER, confidence_percent, significance_level
from scoresheet.metrics.stats.randomisation import PairedTest

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
_PICKED: Final = (
    "The p-values know that the best was picked on these very data: whenever signs are flipped it is picked again. The "
    "intervals do not. "
)
_PICKED_OF_ALL: Final = (
    "The p-values are multiplied by half the number of the other models, since any of these might have been picked as "
    "the best. "
)
SPARE_ON_SCREEN: Final = ("CI_Low", "CI_High", "P_Holm", "Shared")  # what a narrow screen can do without
_FEW_ROWS: Final = 2_048  # of ten models in as many measures as any family has
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
    names = [column.name for column in COMPARISON_COLUMNS]
    headline = (comparison_row(pair) for pair in paired.differences if not pair.exploratory)
    others = (comparison_row(pair) for pair in paired.differences if pair.exploratory)
    table = PageTable.of_rows(names, chain(headline, others), held=_FEW_ROWS)
    return Page(TITLE, table, COMPARISON_COLUMNS)


def screen_table(paired: PairedComparison) -> tuple[tuple[Column, ...], list[list[object]]]:
    """Return the headline's pairs as a screen shows them."""
    places = [place for place, column in enumerate(COMPARISON_COLUMNS) if column.name in _ON_SCREEN]
    rows = [comparison_row(pair) for pair in paired.of_headline()]
    return tuple(COMPARISON_COLUMNS[place] for place in places), [[row[place] for place in places] for row in rows]


def describe_comparison(paired: PairedComparison) -> str:
    """Return how the models were compared, and how many hypotheses that were."""
    headline, others = paired.hypotheses
    who = "Every two models"
    if paired.against:
        who = f"Each model against {paired.against}"
    if paired.picked:
        who = f"Each model against the best of them, {paired.against} (more than {MOST_MODELS} models)"
    level = f"{significance_level(paired.confidence):g}"
    method = paired.method or (
        f"mean difference, its {confidence_percent(paired.confidence)} bootstrap interval, and a randomisation test "
        f"(signs of the {paired.units}' differences flipped)"
    )
    picked = "" if not paired.picked else _PICKED_OF_ALL if paired.method else _PICKED
    return (
        f"{who} over the {paired.units} that both have: {method}. {picked}Holm's correction at {level}: "
        f"{headline:,} hypotheses of {paired.headline} together, {others:,} of all other measures together, which are "
        "exploratory."
    )


def leading_sentence(paired: PairedComparison) -> str:
    """Return who leads in the headline measure, on what, and against whom that is shown.

    '' where nobody can lead: the measure has no direction, or no two models have a unit in common.
    """
    standings, ranked = paired.standings, paired.ranked
    if len(ranked) < 2:
        return ""
    first = [model for model in ranked if standings[model].rank == 1]
    standing = standings[first[0]]
    have = f"{'has' if len(first) == 1 else 'have'} the {'highest' if paired.better == 'higher' else 'lowest'} mean"
    on = f"on the {count_of(standing.shared, paired.units)} that {_everyone(len(ranked), len(standings))} share"
    sentence = f"{join_names(first)} {have} {paired.headline}, {standing.on_shared:.3f}, {on}"
    return f"{sentence}{_shown_against(first[0], paired) if len(first) == 1 else ''}."


def pair_sentence(pair: PairedDifference, paired: PairedComparison) -> str:
    """Return who of two models is ahead in the headline measure, and how sure that is; the higher one comes first."""
    test, ahead, behind = pair.test, pair.model, pair.other
    if test.difference < 0:
        test, ahead, behind = _turned(test), pair.other, pair.model
    names = f"{paired.headline}: {ahead} and {behind}"
    if math.isnan(test.difference):
        return f"{names}: {pair.finding}."
    ends = (
        ""
        if math.isnan(test.low)
        else f", {confidence_percent(paired.confidence)} interval {test.low:.3f} to {test.high:.3f}"
    )
    each = f"higher on {test.wins:,}, equal on {test.ties:,}, lower on {test.losses:,}"
    on = f"on {count_of(test.units, paired.units)}: {each}"
    p_value = "p < 0.001" if pair.p_holm < 0.001 else f"p {pair.p_holm:.3f}"
    numbers = f"({test.mean:.3f} and {test.other_mean:.3f}{ends}; {p_value} after Holm; {on})"
    if not pair.shown:
        return f"{names}: {pair.finding} {numbers}."
    return f"{paired.headline}: {ahead} is shown to be higher than {behind} by {test.difference:.3f} {numbers}."


def _turned(test: PairedTest) -> PairedTest:
    """Return a comparison as the other model sees it."""
    return test._replace(
        mean=test.other_mean,
        other_mean=test.mean,
        difference=-test.difference,
        low=-test.high,
        high=-test.low,
        wins=test.losses,
        losses=test.wins,
    )


def nothing_shared_sentence(paired: PairedComparison) -> str:
    """Return that no two models can be compared; '' where some can, or the measure has no direction."""
    if paired.better is None or len(paired.standings) < 2 or paired.ranked:
        return ""
    return f"No two of the {len(paired.standings)} models have {paired.units} in common: they cannot be compared."


def _everyone(ranked: int, models: int) -> str:
    if ranked < models:
        return f"{ranked} of {models} models"
    return "both models" if models == 2 else f"all {models} models"


def _shown_against(best: str, paired: PairedComparison) -> str:
    """Return whom the leading model is shown to beat, and of the others the nearest."""
    pairs = {
        (pair.other if pair.model == best else pair.model): pair
        for pair in paired.of_headline()
        if best in (pair.model, pair.other)
    }
    rivals = {model: pair for model, pair in pairs.items() if model in paired.ranked}
    beaten = [model for model, pair in rivals.items() if pair.shown and _is_ahead(pair, best, paired)]
    unsettled = {model: pair for model, pair in rivals.items() if model not in beaten}
    word = paired.better or ""
    settled = f"; shown to be {word} than {_named(beaten, len(rivals))}" if beaten else ""
    if not unsettled:
        return settled
    nearest = min(unsettled, key=lambda model: abs(unsettled[model].test.difference))
    pair = unsettled[nearest]
    more = f" and {len(unsettled) - 1} more" if len(unsettled) > 1 else ""
    why = pair.finding.removeprefix("no difference shown; ") + (" shown" if pair.finding.endswith("have been") else "")
    difference = f"difference {abs(pair.test.difference):.3f}; {why}"
    return f"{settled}; not shown to be {word} than {nearest}{more} ({difference})"


def own_units_sentence(paired: PairedComparison, scores: Mapping[str, float]) -> str:
    """Return which models score better than the leading one only because they are scored on other units.

    >>> own_units_sentence(PairedComparison(), {})
    ''
    """
    leading = [model for model in paired.ranked if paired.standings[model].rank == 1]
    if not leading or paired.same_units:
        return ""
    sign = 1 if paired.better == "higher" else -1
    best = max(sign * scores.get(model, math.nan) for model in leading)
    above = {model: score for model, score in scores.items() if model not in leading and sign * score > best}
    if not above:
        return ""
    named = join_names(f"{model} ({score:.3f})" for model, score in above.items())
    return f"The {'higher' if sign > 0 else 'lower'} {paired.headline} of {named} is not over the same {paired.units}."


def _is_ahead(pair: PairedDifference, model: str, paired: PairedComparison) -> bool:
    higher = (pair.test.difference > 0) == (pair.model == model)
    return higher == (paired.better == "higher")


def _named(models: list[str], of: int) -> str:
    if len(models) == of and of > 3:
        return f"all {of} others"
    return join_names(models)
