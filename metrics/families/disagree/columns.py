"""The columns of an item, of a sheet and of the pages about the panel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from scoresheet.metrics.core import Column

SEVERITY: Final = Column(
    "Severity", "The worst of the flags: high or medium.", "label", middling=("medium",), bad=("high",)
)
LOW: Final = Column("CI_Low", "Lower end of the 95 % interval of alpha, by bootstrap over items.", "score")
HIGH: Final = Column("CI_High", "Upper end of the 95 % interval of alpha.", "score")
ALPHA: Final = Column(
    "Alpha",
    "Krippendorff's alpha of the judges' overall scores: 1 agreement, 0 what chance gives, below 0 less than that.",
    "score",
    better="higher",
)
VERDICT: Final = Column(
    "Verdict",
    "After Krippendorff (2004): alpha from .8 on is reliable, from .667 on tentative.",
    "label",
    good=("reliable",),
    middling=("tentative",),
    bad=("unreliable",),
)
SINGLE_ICC: Final = Column("ICC_2_1", "Intraclass correlation of one judge, two-way random effects.", "score")
AVERAGE_ICC: Final = Column(
    "ICC_2_k",
    "The same of the mean of all judges; where judges disagree more than chance would have it, it has no bounds, and "
    "says nothing below 0 or above 1.",
    "score",
)
ICC_ITEMS: Final = Column("ICC_Items", "Items that every judge scored: those that ICC rests on.", "count")
ALPHA_ITEMS: Final = Column("Alpha_Items", "Items with two scores or more: those that alpha rests on.", "count")
ALPHA_SHEETS: Final = Column("Alpha_Sheets", "Sheets with an alpha: those that the mean is over.", "count")
CONSENSUS_ITEMS: Final = Column(
    "Consensus_Items",
    "Items with two judges or more and a mean above 0: those that Consensus and Reliability of a sheet are over.",
    "count",
)
CONSENSUS: Final = Column(
    "Consensus", "max(0, 1 − 2·CV); of a sheet, the mean over items with two judges or more.", "score", better="higher"
)
RELIABILITY: Final = Column(
    "Reliability",
    "Consensus·(1 − min(1, 5·variance)), +0.1 above a consensus of .8, within 0 and 1; of a sheet, the mean likewise.",
    "score",
    better="higher",
)
ODD: Final = Column("Odd_Judge", "The judge without whom alpha would rise most, if by 0.05 or more.", "label")
ITEMS: Final = Column("Items", "Items.", "count")
JUDGES: Final = Column("Judges", "Judges; of an item, those with an overall score.", "count")
FLAGGED: Final = Column("Flagged", "Items with a flag.", "count")
SEVERE: Final = Column("High", "Items with a high flag.", "count")

ITEM: Final = (
    Column("Item", "What was judged.", "key"),
    JUDGES,
    Column("Mean", "Mean of the judges' overall scores, on the scale 0 to 1: the consensus result.", "score"),
    Column("Variance", "Their sample variance (n − 1).", "score"),
    Column("Std_Dev", "Their sample standard deviation.", "score"),
    Column("CV", "Standard deviation / mean; undefined where the mean is 0.", "score"),
    Column("Min", "The lowest.", "score"),
    Column("Max", "The highest.", "score"),
    CONSENSUS,
    RELIABILITY,
    Column(
        "Outliers",
        "Judges farther from the mean than --outlier-threshold standard deviations; 'cannot fire' where so few judges "
        "cannot be so far apart: the farthest of n is (n − 1)/√n.",
        "label",
    ),
    Column(
        "Robust_Outliers",
        "Judges far from the median by 0.6745·|s − median|/MAD, which three judges are enough for.",
        "label",
    ),
    Column("Flags", "What is wrong with the item.", "text"),
    SEVERITY,
    Column("Recommended", "Judges who are no outliers and score within --recommend.", "text"),
)
LABELLED: Final = (
    *ITEM[:2],
    Column("Agreement", "Share of the pairs of judges who give the same label.", "share", better="higher"),
    *ITEM[12:14],
)
SUMMARY: Final = (
    Column("Sheet", "The sheet; the last row, Overall, is the mean of the sheets, and counts all their items.", "key"),
    ITEMS,
    JUDGES,
    Column("Dimensions", "Dimensions.", "count"),
    ALPHA,
    LOW,
    HIGH,
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
    ODD,
    Column("Odd_Influence", "By how much.", "score"),
)
RESULTS: Final = (
    ALPHA,
    LOW,
    HIGH,
    VERDICT,
    CONSENSUS,
    RELIABILITY,
    SINGLE_ICC,
    AVERAGE_ICC,
    ITEMS,
    JUDGES,
    FLAGGED,
    SEVERE,
    ODD,
    ALPHA_ITEMS,
    ALPHA_SHEETS,
    CONSENSUS_ITEMS,
    ICC_ITEMS,
)
DIMENSIONS: Final = (
    Column("Sheet", "The input sheet.", "key"),
    Column("Dimension", "The dimension; Overall: the judges' overall scores.", "key"),
    Column("Items", "Items with a score.", "count"),
    Column("Ratings", "Scores.", "count"),
    Column("Mean", "Mean score, on the scale 0 to 1.", "score"),
    Column("Disagreement", "Mean CV over the judges of an item.", "score", better="lower"),
    Column("CV_Items", "Items with a CV: those that Disagreement is over.", "count"),
    ALPHA,
    LOW,
    HIGH,
    ALPHA_ITEMS,
    *(
        Column(f"Alpha_{level.capitalize()}", f"Krippendorff's alpha at the {level} level.", "score")
        for level in ("nominal", "ordinal", "interval", "ratio")
    ),
    SINGLE_ICC,
    AVERAGE_ICC,
    ICC_ITEMS,
)
JUDGE: Final = (
    Column("Sheet", "The input sheet.", "key"),
    Column("Dimension", "The dimension; Overall: the judges' overall scores.", "key"),
    Column("Judge", "The judge.", "key"),
    Column("Items", "Items this judge scored.", "count"),
    Column("Mean", "Mean score, on the scale 0 to 1.", "score"),
    Column("Bias", "Mean difference from the mean of the other judges on the same items; below 0 is strict.", "score"),
    Column("Alpha_Without", "Alpha of the panel without this judge.", "score"),
    Column("Influence", "How much alpha rises without this judge.", "score"),
    Column("Outlier_Items", "Items on which either rule calls this judge an outlier.", "count"),
)
PAIR: Final = (
    Column("Sheet", "The input sheet.", "key"),
    Column("Dimension", "The dimension; Overall: the judges' overall scores.", "key"),
    Column("Judge", "One judge.", "key"),
    Column("Other_Judge", "The other.", "key"),
    Column("Items", "Items both scored.", "count"),
    Column("Correlation", "Pearson's correlation.", "score", better="higher", lowest=-1),
    Column("Mean_Difference", "Mean of the judge's score less the other's, on the scale 0 to 1.", "score"),
    Column("Agreement", "Share of the items with equal scores or labels.", "share"),
)
FLAG: Final = (
    Column("Severity", "high or medium; high ones first.", "label", middling=("medium",), bad=("high",)),
    Column("Flag", "What is wrong.", "key"),
    Column("Sheet", "The input sheet.", "key"),
    Column("Item", "The item.", "key"),
    Column("Dimension", "The dimension, if it is about one.", "label"),
    Column("Judges", "The judges, if it is about some.", "label"),
    Column("Value", "The value that crossed the threshold.", "score"),
    Column("Threshold", "The threshold.", "score"),
    Column("What", "The same in a sentence.", "text"),
)


SHOWN_JUDGES: Final = 20  # whose scores have room on an item's line


def score_columns(judges: Sequence[str]) -> tuple[Column, ...]:
    """Return a column per judge, if they are few enough to be looked at."""
    return tuple(
        Column(f"Score_{name}", f"Overall score by {name}, on the scale as given.", "score")
        for name in judges
        if len(judges) <= SHOWN_JUDGES
    )


def item_columns(dimensions: Iterable[str], *, confidence: bool, relevance: bool) -> tuple[Column, ...]:
    """Return the columns of an item with these dimensions."""
    names = list(dimensions)
    more: list[Column] = [
        Column(f"Disagreement_{name}", f"CV of {name} over the judges.", "score", better="lower") for name in names
    ]
    more += [Column(f"Mean_{name}", f"Mean score of {name}.", "score") for name in names]
    if confidence:
        more += [Column(f"Confidence_{name}", f"Mean confidence of {name}.", "score") for name in names]
    if relevance:
        more += [Column(f"Relevance_{name}", f"Mean cultural relevance of {name}.", "score") for name in names]
        more += [
            Column("Cultural_Competence", "Mean over the judges of Σ confidence·relevance / Σ confidence.", "score"),
            Column("Cultural_Consensus", "max(0, 1 − CV) of it over the judges.", "score", better="higher"),
        ]
    return (*ITEM, *more)


def heat_map(judges: Sequence[str], *, nominal: bool) -> tuple[Column, ...]:
    """Return a column per judge of the matrix of judges; a name that is taken is told apart."""
    taken = {column.name for column in JUDGE}
    what = "Share of equal labels" if nominal else "Correlation"
    return tuple(
        Column(
            f"{name} " if name in taken else name,
            f"{what} with {name}.",
            "score",
            better="higher",
            lowest=0 if nominal else -1,
        )
        for name in judges
    )
