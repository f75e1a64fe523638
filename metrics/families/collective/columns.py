"""The columns of the results and of a system's pages."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.core import Column

RATIO: Final = Column(
    "Emergence_Ratio",
    "Accuracy of the collective over that of its best stream; above 1 it is more than its best member.",
    "score",
    better="higher",
    relative=True,  # the scale of shares ends at 1, where this one begins to be good
)
BAND: Final = Column(
    "Band",
    "Below 1 failure, below 2 marginal, up to 10 strong, above extraordinary.",
    "label",
    good=("strong", "extraordinary"),
    middling=("marginal",),
    bad=("failure",),
)
RESULTS: Final = (
    Column("Collective_Accuracy", "Accuracy of the collective, clean and at the last epoch.", "share", better="higher"),
    Column("Best_Stream", "The stream with the highest accuracy, the leftmost of equals.", "label"),
    Column("Best_Accuracy", "Its accuracy.", "share"),
    RATIO,
    Column("CI_Low", "Lower end of the 95 % interval of the ratio: paired bootstrap, the best chosen anew.", "score"),
    Column("CI_High", "Upper end of the 95 % interval of the ratio.", "score"),
    BAND,
    Column("Oracle_Accuracy", "Share of the samples that any stream gets right.", "share"),
    Column("McNemar_P", "Exact test of the collective against its best stream.", "chance"),
    Column("Ties", "Samples whose fused vote is tied.", "count"),
    Column("Params_M", "Million parameters, as given.", "score"),
    Column("Efficiency", "Percent of accuracy per million parameters.", "score"),
    Column("Routing_Entropy", "Mean entropy of the routing weights, in nats, at the last epoch.", "score"),
    Column("Routing_Entropy_Share", "The same as a share of the largest that so many experts can have, ln K.", "score"),
    Column("Anchor_Entropy", "Entropy of the use of the anchors, in nats.", "score"),
    Column(
        "Fingerprint_Diversity",
        "1 − mean |cosine| of the streams' fingerprints, or with --signed the cosine.",
        "score",
        better="higher",
    ),
    Column("Robustness", "Mean accuracy under the other conditions over the clean one.", "score", better="higher"),
    Column("Alerts", "Things that call for attention.", "count"),
    Column("Samples", "Samples with a label, clean and at the last epoch.", "count"),
    Column("Streams", "Streams.", "count"),
)
SUMMARY: Final = (
    Column("Block", "The part of the report.", "key"),
    Column("Measure", "The measure.", "key"),
    Column("Value", "Its value.", "label"),
    Column("What it means", "How to read it.", "text"),
)
UNITS: Final = ("Sheet", "Stream", "Accuracy", "Contribution", "Shapley")
STREAMS: Final = (
    Column("Stream", "The stream.", "key"),
    Column("Accuracy", "Its accuracy alone.", "share", better="higher"),
    Column("Contribution", "Accuracy of all streams fused, less that of all but this one.", "score"),
    Column(
        "Shapley", "Its mean gain over all orders in which streams could join; they sum to the fused accuracy.", "score"
    ),
    Column("Without", "Accuracy of the others fused.", "share"),
)
GRADIENT: Final = Column("Gradient", "Mean length of the loss's gradient by its logits, (softmax − onehot)/N.", "score")
PAIRS: Final = (
    Column("Stream", "One stream.", "key"),
    Column("Other_Stream", "The other.", "key"),
    Column("Accuracy", "Accuracy of the one.", "share"),
    Column("Other_Accuracy", "Accuracy of the other.", "share"),
    Column("Q", "Yule's Q of their hits: 1 the same, 0 independent, below 0 they make up for each other.", "score"),
    Column("Disagreement", "Share of the samples on which only one is right.", "share", better="higher"),
    Column("Double_Fault", "Share of the samples on which both are wrong.", "share", better="lower"),
)
CONDITIONS: Final = (
    Column("Condition", "The condition; the first is the one the others are held against.", "key"),
    Column("Epoch", "Its last epoch.", "label"),
    Column("Samples", "Samples with a label.", "count"),
    Column("Accuracy", "Accuracy of the collective.", "share", better="higher"),
    Column("Delta", "Less the clean accuracy.", "score"),
    Column("Best_Accuracy", "Accuracy of the best stream there.", "share"),
    Column("Emergence_Ratio", "Accuracy of the collective over it.", "score"),
)
FAILURES: Final = (
    Column("Failing", "What fails.", "key"),
    Column("Accuracy", "Accuracy of what is left, fused.", "share", better="higher"),
    Column("Delta", "Less the accuracy of all, fused.", "score"),
    Column("Least", "The least over all ways to fail.", "share"),
    Column("Most", "The most.", "share"),
    Column("Ways", "Ways looked at.", "count"),
)
ROUTING: Final = (
    Column("Epoch", "The epoch.", "label"),
    Column("Stream", "The stream.", "key"),
    Column("Layer", "The layer.", "label"),
    Column("Rows", "Rows of weights.", "count"),
    Column("Entropy", "Mean entropy of their weights, in nats.", "score"),
    Column("Share", "The same as a share of ln K.", "score"),
    Column("Band", "Below .5 nats sharp, up to 1.5 balanced, above diffuse.", "label"),
    Column("Overlap", "How much the mean weights of the streams overlap at this epoch: 1 all the same.", "score"),
)
ALERTS: Final = (
    Column("Alert", "What calls for attention.", "key"),
    Column("Epoch", "When; empty: now.", "label"),
    Column("Value", "The value that crossed the threshold.", "score"),
    Column("Threshold", "The threshold.", "score"),
    Column("What", "The same in a sentence.", "text"),
)
