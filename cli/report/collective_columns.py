"""The columns of the reports of collective."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.page import Column
from scoresheet.cli.report.reporter import column_of
from scoresheet.metrics.families.collective import measures
from scoresheet.metrics.families.collective.diagnostics import BALANCED_UP_TO, SHARP_BELOW
from scoresheet.metrics.families.collective.emergence import EXTRAORDINARY, FAILURE, MARGINAL, STRONG
from scoresheet.metrics.measures import Measure, shown_in


def _result_column(measure: Measure) -> Column:
    if measure is measures.RATIO:  # the scale of shares ends at 1, where this one begins to be good
        return column_of(measure, relative=True)
    if measure is measures.BAND:
        return column_of(measure, good=(STRONG, EXTRAORDINARY), middling=(MARGINAL,), bad=(FAILURE,))
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
STREAMS: Final = (STREAM, ACCURACY, CONTRIBUTION, SHAPLEY, WITHOUT)


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
CONDITION_ACCURACY: Final = Column("Accuracy", "Accuracy of the collective.", "share", better="higher")
CONDITION_DELTA: Final = Column("Delta", "Less the clean accuracy.", "score")
BEST_ACCURACY: Final = Column("Best_Accuracy", "Accuracy of the best stream there.", "share")
CONDITION_RATIO: Final = Column("Emergence_Ratio", "Accuracy of the collective over it.", "score")


def accuracy_of(stream: str) -> Column:
    """Return the column of a stream's accuracy under each condition."""
    return Column(f"Accuracy of {stream}", f"Accuracy of {stream}.", "share")


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
WHAT: Final = Column("What", "The same in a sentence.", "text")
