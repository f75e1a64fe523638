"""The measures of disagree, each declared once: of an item, and of a sheet or a panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from scoresheet.metrics.families.disagree.constants import (
    BONUS_ABOVE,
    CONSENSUS_SLOPE,
    DISCORDANT_FROM,
    MAD_OF_NORMAL,
    RARE_SPREAD,
    RELIABILITY_BONUS,
    RELIABILITY_SLOPE,
    VERDICTS,
    short_decimal,
)
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import flag
from scoresheet.metrics.stats.confidence import FEWEST_CLUSTERS

ITEM_KEY: Final = "Item"  # the column that says which item a unit is
HIGH, MEDIUM = "high", "medium"  # severities
ITEMS_NOUN: Final = "items"  # what is drawn as one, and what panels are compared on
TOO_FEW: Final = f"too few {ITEMS_NOUN}"
CANNOT_FIRE: Final = "cannot fire"  # instead of outliers, where so few judges cannot have one

CONSENSUS_FORMULA: Final = f"max(0, 1 − {CONSENSUS_SLOPE:g}·CV)"
RELIABILITY_FORMULA: Final = (
    f"Consensus·(1 − min(1, {RELIABILITY_SLOPE:g}·variance)), +{RELIABILITY_BONUS:g} above a consensus of "
    f"{short_decimal(BONUS_ABOVE)}"
)


def _verdicts_in_words() -> str:
    (first, best), *others = [(short_decimal(edge), name) for edge, name in reversed(VERDICTS[1:])]
    return f"alpha from {first} on is {best}" + "".join(f", from {edge} on {name}" for edge, name in others)


# --- of an item -------------------------------------------------------------------------------------------------------

JUDGES: Final = Measure(
    name="Judges",
    field="judges",
    about="Judges; of an item, those with an overall score.",
    quantity="count",
    highest=None,
    average="none",
    shown=("unit", "model"),
)
MEAN: Final = Measure(
    name="Mean",
    field="mean",
    about="Mean of the judges' overall scores, on the scale 0 to 1: the consensus result.",
)
VARIANCE: Final = Measure(name="Variance", field="variance", about="Their sample variance (n − 1).")
STD_DEV: Final = Measure(
    name="Std_Dev", field="std_dev", about="Their sample standard deviation: how far apart the judges are."
)
SPREAD_RANK: Final = Measure(
    name="Spread_Rank",
    field="spread_rank",
    about="Place among the items of the sheet by Std_Dev; 1 is the farthest apart.",
    quantity="count",
    highest=None,
    average="none",
)
CV: Final = Measure(
    name="CV", field="cv", about="Standard deviation / mean; undefined where the mean is 0.", highest=None
)
MIN: Final = Measure(name="Min", field="minimum", about="The lowest.")
MAX: Final = Measure(name="Max", field="maximum", about="The highest.")
CONSENSUS: Final = Measure(
    name="Consensus",
    field="consensus",
    about=f"{CONSENSUS_FORMULA}; of a sheet, the mean over items with two judges or more.",
    better="higher",
    shown=("unit", "model"),
)
RELIABILITY: Final = Measure(
    name="Reliability",
    field="reliability",
    about=f"{RELIABILITY_FORMULA}, within 0 and 1; of a sheet, the mean likewise.",
    better="higher",
    shown=("unit", "model"),
)
OUTLIERS: Final = Measure(
    name="Outliers",
    field="outliers",
    about=f"Judges farther from the mean than {flag('outlier-threshold')} standard deviations; '{CANNOT_FIRE}' where "
    "so few judges cannot be so far apart: the farthest of n is (n − 1)/√n.",
    quantity="label",
    average="none",
)
ROBUST_OUTLIERS: Final = Measure(
    name="Robust_Outliers",
    field="robust_outliers",
    about=f"Judges far from the median by {MAD_OF_NORMAL:g}·|s − median|/MAD, which three judges are enough for.",
    quantity="label",
    average="none",
)
FLAGS: Final = Measure(
    name="Flags", field="flags", about="What is wrong with the item.", quantity="text", average="none"
)
SEVERITY: Final = Measure(
    name="Severity",
    field="severity",
    about=f"The worst of the flags: {HIGH} or {MEDIUM}. Judges make an item {HIGH} only if they are more than a step "
    f"apart and farther than a panel of this alpha is on one item in {round(1 / RARE_SPREAD):,}.",
    quantity="label",
    average="none",
)
RECOMMENDED: Final = Measure(
    name="Recommended",
    field="recommended",
    about=f"Judges who are no outliers and score within {flag('recommend')}.",
    quantity="text",
    average="none",
)
CULTURAL_COMPETENCE: Final = Measure(
    name="Cultural_Competence",
    field="cultural_competence",
    about="Mean over the judges of Σ confidence·relevance / Σ confidence.",
)
CULTURAL_CONSENSUS: Final = Measure(
    name="Cultural_Consensus",
    field="cultural_consensus",
    about="max(0, 1 − CV) of it over the judges.",
    better="higher",
)
LABEL_AGREEMENT: Final = Measure(
    name="Agreement",
    field="agreement",
    about="Share of the pairs of judges who give the same label.",
    quantity="share",
    better="higher",
)
MAJORITY: Final = Measure(
    name="Majority",
    field="majority",
    about="The label with the most votes; empty where two have as many.",
    quantity="label",
    average="none",
)
VOTES: Final = Measure(
    name="Votes", field="votes", about="How many judges chose each label.", quantity="text", average="none"
)
ITEM_MEASURES: Final = (
    JUDGES,
    MEAN,
    VARIANCE,
    STD_DEV,
    SPREAD_RANK,
    CV,
    MIN,
    MAX,
    CONSENSUS,
    RELIABILITY,
    OUTLIERS,
    ROBUST_OUTLIERS,
    FLAGS,
    SEVERITY,
    RECOMMENDED,
)
LABELLED_ITEM_MEASURES: Final = (JUDGES, LABEL_AGREEMENT, FLAGS, SEVERITY)
COMPARED_MEASURES: Final = (STD_DEV, MEAN, CONSENSUS, RELIABILITY)  # of panels, item by item; the first leads
COMPARED_LABEL_MEASURES: Final = (LABEL_AGREEMENT,)


def vote_measures(dimensions: Sequence[str]) -> list[tuple[Measure, Measure]]:
    """Return the measures of the majority and of the votes, for each dimension where there are several."""
    if len(dimensions) < 2:
        return [(MAJORITY, VOTES)] * len(dimensions)
    return [
        (
            replace(MAJORITY, name=f"{MAJORITY.name}_{name}", about=f"On {name}: {MAJORITY.about}"),
            replace(VOTES, name=f"{VOTES.name}_{name}", about=f"On {name}: {VOTES.about}"),
        )
        for name in dimensions
    ]


def disagreement_on(dimension: str) -> Measure:
    """Return the measure of how far judges are apart on a dimension."""
    return Measure(
        name=f"Disagreement_{dimension}",
        field="disagreement",
        about=f"CV of {dimension} over the judges.",
        highest=None,
        better="lower",
    )


def mean_on(dimension: str) -> Measure:
    """Return the measure of a dimension's mean score."""
    return Measure(name=f"Mean_{dimension}", field="dimension_mean", about=f"Mean score of {dimension}.")


def confidence_on(dimension: str) -> Measure:
    """Return the measure of how sure judges are on a dimension."""
    return Measure(name=f"Confidence_{dimension}", field="confidence", about=f"Mean confidence of {dimension}.")


def relevance_on(dimension: str) -> Measure:
    """Return the measure of how much a dimension matters."""
    return Measure(name=f"Relevance_{dimension}", field="relevance", about=f"Mean cultural relevance of {dimension}.")


# --- of a sheet or a panel --------------------------------------------------------------------------------------------

ALPHA: Final = Measure(
    name="Alpha",
    field="alpha",
    about="Krippendorff's alpha of the judges' overall scores: 1 agreement, 0 what chance gives, below 0 less than "
    "that.",
    better="higher",
    shown=("model", "terminal"),
)
CI_LOW: Final = Measure(
    name="CI_Low",
    field="ci_low",
    about="Lower end of the confidence interval of alpha, by bootstrap over items.",
    average="none",
    shown=("model", "terminal"),
)
CI_HIGH: Final = Measure(
    name="CI_High",
    field="ci_high",
    about="Upper end of the confidence interval of alpha.",
    average="none",
    shown=("model", "terminal"),
)
CI_NOTE: Final = Measure(
    name="CI_Note",
    field="ci_note",
    about="Why there is no interval, or how many resamples had no value.",
    quantity="text",
    average="none",
    shown=("model",),
)
VERDICT: Final = Measure(
    name="Verdict",
    field="verdict",
    about=f"After Krippendorff (2004): {_verdicts_in_words()}; both words where the interval reaches from one into the "
    f"other, '{TOO_FEW}' for fewer than {FEWEST_CLUSTERS}.",
    quantity="label",
    average="none",
    shown=("model", "terminal"),
)
SINGLE_ICC: Final = Measure(
    name="ICC_2_1",
    field="single_icc",
    about="Intraclass correlation of one judge, two-way random effects.",
    shown=("model",),
)
AVERAGE_ICC: Final = Measure(
    name="ICC_2_k",
    field="average_icc",
    about="The same of the mean of all judges; where judges disagree more than chance would have it, it has no bounds, "
    "and says nothing below 0 or above 1.",
    highest=None,
    shown=("model",),
)
ITEMS: Final = Measure(
    name="Items",
    field="items",
    about="Items.",
    quantity="count",
    highest=None,
    average="sum",
    shown=("model", "terminal"),
)
DIMENSIONS: Final = Measure(
    name="Dimensions",
    field="dimensions",
    about="Dimensions.",
    quantity="count",
    highest=None,
    average="none",
    shown=(),  # in a model's Summary alone
)
FLAGGED: Final = Measure(
    name="Flagged",
    field="flagged",
    about="Items with a flag.",
    quantity="count",
    highest=None,
    average="sum",
    shown=("model",),
)
SEVERE: Final = Measure(
    name="High",
    field="severe",
    about=f"Items with a {HIGH} flag: those to look at first.",
    quantity="count",
    highest=None,
    average="sum",
    shown=("model", "terminal"),
)
ODD_JUDGES: Final = Measure(
    name="Odd_Judge",
    field="odd_names",
    about="The judges who do not fit the others, the oddest first: on another scale, always the same, reversed, or "
    f"alpha would rise without them by {DISCORDANT_FROM:g} or more, shown.",
    quantity="label",
    average="none",
    shown=("model",),
)
ODD_WHY: Final = Measure(
    name="Odd_Why",
    field="odd_phrases",
    about="The same judges, each with the reason.",
    quantity="text",
    average="none",
    shown=("model", "terminal"),
)
ALPHA_GAIN: Final = Measure(
    name="Odd_Influence",
    field="alpha_gain",
    about="By how much alpha would rise without them.",
    average="none",
    shown=(),  # in a model's Summary alone
)
FLEISS_KAPPA: Final = Measure(
    name="Fleiss_Kappa",
    field="kappa",
    about="Fleiss' kappa of labels, over the items that every judge labelled.",
    better="higher",
    lowest=-1,
    shown=("model",),
)
KAPPA_ITEMS: Final = Measure(
    name="Kappa_Items",
    field="kappa_items",
    about="Items that every judge labelled: those that kappa rests on.",
    quantity="count",
    highest=None,
    average="sum",
    shown=("model",),
)
ALPHA_ITEMS: Final = Measure(
    name="Alpha_Items",
    field="alpha_items",
    about="Items with two scores or more: those that alpha rests on.",
    quantity="count",
    highest=None,
    average="sum",
    shown=("model",),
)
ALPHA_SHEETS: Final = Measure(
    name="Alpha_Sheets",
    field="alpha_sheets",
    about="Sheets with an alpha: those that the mean is over.",
    quantity="count",
    highest=None,
    average="sum",
    shown=("model",),
)
CONSENSUS_ITEMS: Final = Measure(
    name="Consensus_Items",
    field="consensus_items",
    about="Items with two judges or more and a mean above 0: those that Consensus and Reliability of a sheet are over.",
    quantity="count",
    highest=None,
    average="sum",
    shown=("model",),
)
ICC_ITEMS: Final = Measure(
    name="ICC_Items",
    field="icc_items",
    about="Items that every judge scored: those that ICC rests on.",
    quantity="count",
    highest=None,
    average="sum",
    shown=("model",),
)
SHEET_MEASURES: Final = (  # in the order of a model's Summary
    ITEMS,
    JUDGES,
    DIMENSIONS,
    ALPHA,
    CI_LOW,
    CI_HIGH,
    CI_NOTE,
    ALPHA_ITEMS,
    ALPHA_SHEETS,
    VERDICT,
    SINGLE_ICC,
    AVERAGE_ICC,
    ICC_ITEMS,
    CONSENSUS,
    RELIABILITY,
    CONSENSUS_ITEMS,
    FLAGGED,
    SEVERE,
    ODD_JUDGES,
    ODD_WHY,
    ALPHA_GAIN,
)
RESULT_MEASURES: Final = (  # in the order of the results table
    ALPHA,
    CI_LOW,
    CI_HIGH,
    CI_NOTE,
    VERDICT,
    CONSENSUS,
    RELIABILITY,
    SINGLE_ICC,
    AVERAGE_ICC,
    ITEMS,
    JUDGES,
    FLAGGED,
    SEVERE,
    ODD_JUDGES,
    ODD_WHY,
    ALPHA_ITEMS,
    ALPHA_SHEETS,
    CONSENSUS_ITEMS,
    ICC_ITEMS,
)

LABEL_MEASURES: Final = (FLEISS_KAPPA, KAPPA_ITEMS)  # after the others, where the ratings are labels

MEASURES: Final = tuple(
    dict.fromkeys((*RESULT_MEASURES, *LABEL_MEASURES, *SHEET_MEASURES, *ITEM_MEASURES, LABEL_AGREEMENT, MAJORITY, VOTES,
                   CULTURAL_COMPETENCE, CULTURAL_CONSENSUS))
)  # fmt: skip
