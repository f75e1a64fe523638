"""The columns of the reports of collective."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.page import Column
from scoresheet.cli.report.reporter import column_of
from scoresheet.metrics.families.collective import measures
from scoresheet.metrics.families.collective.alerts import DROP
from scoresheet.metrics.families.collective.best_member import BEATEN, BETTER, NO, YES
from scoresheet.metrics.families.collective.diagnostics import BALANCED_UP_TO, DEAD_SHARE, SHARP_BELOW
from scoresheet.metrics.families.collective.emergence import EXTRAORDINARY, FAILURE, MARGINAL, STRONG
from scoresheet.metrics.measures import Measure, shown_in


def _result_column(measure: Measure) -> Column:
    if measure is measures.RATIO:  # the scale of shares ends at 1, where this one begins to be good
        return column_of(measure, relative=True)
    if measure is measures.BAND:
        return column_of(measure, good=(STRONG, EXTRAORDINARY), middling=(MARGINAL,), bad=(FAILURE,))
    if measure is measures.MORE_THAN_BEST:
        return column_of(measure, good=(YES,), bad=(NO,))
    return column_of(measure)


def _plain(value: float) -> str:
    return f"{value:g}".removeprefix("0")


RESULTS: Final = {measure.name: _result_column(measure) for measure in measures.SYSTEM_MEASURES}
TERMINAL: Final = tuple(RESULTS[measure.name] for measure in shown_in(measures.SYSTEM_MEASURES, "terminal"))

# Summary
BLOCK: Final = Column("Block", "The part of the report.", "key")
MEASURE: Final = Column("Measure", "The measure.", "key")
VALUE: Final = Column("Value", "Its value.", "label")
MEANING: Final = Column("What it means", "How to read it.", "text")
SUMMARY: Final = (BLOCK, MEASURE, VALUE, MEANING)

# Streams
SHEET: Final = Column("Sheet", "The input sheet.", "key")
STREAM: Final = Column("Stream", "The stream.", "key")
ACCURACY: Final = column_of(measures.ACCURACY)
CONTRIBUTION: Final = column_of(measures.CONTRIBUTION)
SHAPLEY: Final = column_of(measures.SHAPLEY)
WITHOUT: Final = column_of(measures.WITHOUT)
GRADIENT: Final = column_of(measures.GRADIENT)
STREAM_P: Final = column_of(measures.STREAM_P)
P_BETTER: Final = column_of(measures.STREAM_P_BETTER)
STREAM_FINDING: Final = column_of(measures.STREAM_FINDING, good=(BEATEN,), bad=(BETTER,))
STREAMS: Final = (STREAM, ACCURACY, CONTRIBUTION, SHAPLEY, STREAM_P, P_BETTER, STREAM_FINDING, WITHOUT)


def wrong_with(stream: str) -> Column:
    """Return the column of the faults that a stream shares with another."""
    return Column(
        f"Wrong with {stream}", f"Share of the samples on which {stream} is wrong too.", "share", better="lower"
    )


# Pairs
ONE_STREAM: Final = Column("Stream", "One stream.", "key")
OTHER_STREAM: Final = Column("Other_Stream", "The other.", "key")
ONE_ACCURACY: Final = Column("Accuracy", "Accuracy of the one.", "share")
OTHER_ACCURACY: Final = Column("Other_Accuracy", "Accuracy of the other.", "share")
Q: Final = Column(
    "Q", "Yule's Q of their hits: 1 the same, 0 independent, below 0 they make up for each other.", "score"
)
DISAGREEMENT: Final = Column(
    "Disagreement", "Share of the samples on which only one is right.", "share", better="higher"
)
DOUBLE_FAULT: Final = Column("Double_Fault", "Share of the samples on which both are wrong.", "share", better="lower")

# Conditions
CONDITION: Final = Column("Condition", "The condition; the first is the one the others are held against.", "key")
LAST_EPOCH: Final = Column("Epoch", "Its last epoch.", "label")
SAMPLES: Final = Column("Samples", "Samples with a label.", "count")
CONDITION_ACCURACY: Final = Column(
    "Accuracy", "Accuracy of the collective, over all of these.", "share", better="higher"
)
SHARED: Final = Column(
    "Shared", "Samples that the clean condition has too; the next five columns are over these.", "count"
)
ON_SHARED: Final = Column("On_Shared", "Accuracy under the condition.", "share", better="higher")
CLEAN_ON_SHARED: Final = Column("Clean_On_Shared", "Accuracy under the clean condition.", "share")
CONDITION_DELTA: Final = Column("Delta", "On_Shared less Clean_On_Shared.", "score", lowest=-1)
CONDITION_P: Final = Column(
    "P_Holm", "McNemar's exact test of it, after Holm's correction over the conditions.", "chance"
)
CONDITION_FINDING: Final = Column("Finding", "What is shown of the difference.", "label")
BEST_ACCURACY: Final = Column("Best_Accuracy", "Accuracy of the best stream there.", "share")
CONDITION_RATIO: Final = Column("Emergence_Ratio", "Accuracy of the collective over it.", "score")


def accuracy_of(stream: str) -> Column:
    """Return the column of a stream's accuracy under each condition."""
    return Column(f"Accuracy of {stream}", f"Accuracy of {stream}.", "share")


# Splits and targets
SPLIT: Final = Column("Split", "The split; the first is that of the headline.", "key")
TARGET: Final = Column("Target", "What is to be reached.", "key")
DATASET: Final = Column("Dataset", "On which data.", "label")
TARGET_VALUE: Final = Column("Value", "The accuracy to be reached.", "share")
REACHED_ACCURACY: Final = Column(
    "Accuracy", "Accuracy of the collective, on the split test where there is one.", "share"
)
TARGET_DIFFERENCE: Final = Column("Difference", "Accuracy less Value.", "score", lowest=-1)
REACHED: Final = Column(
    "Reached",
    "yes or no where the exact binomial interval of the accuracy lies on one side of the target; else not shown.",
    "label",
    good=(YES,),
    bad=(NO,),
)

# Patterns
PATTERN: Final = Column("Pattern", "What is expected of training.", "key")
PATTERN_EPOCHS: Final = Column("Epochs", "Epochs with a value.", "count")
FIRST: Final = Column("First", "The first value.", "score")
LAST: Final = Column("Last", "The last value.", "score")
TAU: Final = Column(
    "Tau", "Kendall's tau of the values with their order: 1 rises at each step, -1 falls.", "score", lowest=-1
)
TREND_P: Final = Column("P_Value", "Its p-value.", "chance")
PATTERN_FINDING: Final = Column("Finding", "Whether a trend is shown, and whether it is the expected one.", "label")
BREAKS_AT: Final = Column(
    "Breaks_At",
    f"The first epoch that goes back: a ratio below {DROP:g} of the highest so far, an entropy above the lowest so far "
    f"by more than {1 - DROP:.1g} of the first.",
    "label",
)
BACK_AT: Final = Column("Back_At", "The epoch at which that is made up for.", "label")

# Failure
FAILING: Final = Column("Failing", "What fails.", "key")
LEFT_ACCURACY: Final = Column("Accuracy", "Accuracy of what is left, fused.", "share", better="higher")
LEFT_DELTA: Final = Column("Delta", "Less the accuracy of all, fused.", "score")
LEAST: Final = Column("Least", "The least over all ways to fail.", "share")
MOST: Final = Column("Most", "The most.", "share")
WAYS: Final = Column("Ways", "Ways looked at.", "count")

# Routing
EPOCH: Final = Column("Epoch", "The epoch.", "label")
LAYER: Final = Column("Layer", "The layer.", "label")
ROWS: Final = Column("Rows", "Rows of weights.", "count")
ENTROPY: Final = Column("Entropy", "Mean entropy of their weights, in nats.", "score")
ENTROPY_SHARE: Final = Column("Share", "The same as a share of ln K.", "score")
ROUTING_BAND: Final = Column(
    "Band",
    f"Below {_plain(SHARP_BELOW)} nats sharp, up to {_plain(BALANCED_UP_TO)} balanced, above diffuse.",
    "label",
)
OVERLAP: Final = Column(
    "Overlap", "How much the mean weights of the streams overlap at this epoch: 1 all the same.", "score"
)

# Experts
EXPERT: Final = Column("Expert", "The expert.", "key")
LOAD: Final = Column("Load", "Its share of the load: its mean weight at the last epoch.", "share")
DEAD_EXPERT: Final = Column(
    "Dead", f"Whether that is less than {DEAD_SHARE:g} of an even share, 1/K.", "label", bad=("dead",)
)

# Anchors and fingerprints
ANCHOR: Final = Column("Anchor", "The anchor.", "key")
ANCHOR_SHARE: Final = Column("Share", "Its share of the use, the mean over streams.", "share")
DEAD: Final = Column("Dead", "Whether that is next to nothing.", "label", bad=("dead",))


def use_in(stream: str) -> Column:
    """Return the column of an anchor's use in a stream."""
    return Column(f"In {stream}", f"Its use in {stream}, as given.", "score")


def cosine_with(stream: str) -> Column:
    """Return the column of the cosines with a stream's fingerprint."""
    return Column(f"With {stream}", f"Cosine with {stream}.", "score")


# Alerts
ALERT: Final = Column("Alert", "What calls for attention.", "key")
ALERT_EPOCH: Final = Column("Epoch", "When; empty: now.", "label")
ALERT_VALUE: Final = Column("Value", "The value that crossed the threshold.", "score")
THRESHOLD: Final = Column("Threshold", "The threshold.", "score")
STATE: Final = Column(
    "State", "now, or since which epoch its cause is over: then it is history, and no alert.", "label"
)
WHAT: Final = Column("What", "The same in a sentence.", "text")
