"""The measures of collective, each declared once: of a system, of its streams, and of its samples."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.families.collective.diagnostics import DEAD_SHARE
from scoresheet.metrics.families.collective.emergence import FAILURE_BELOW, MARGINAL_BELOW, STRONG_UP_TO
from scoresheet.metrics.measures import INTERVAL_NAMES, Measure, Shown
from scoresheet.metrics.messages import flag

_MODEL: Final[tuple[Shown, ...]] = ("model",)
_TERMINAL: Final[tuple[Shown, ...]] = ("model", "terminal")

COLLECTIVE_ACCURACY: Final = Measure(
    name="Collective_Accuracy",
    field="collective_accuracy",
    about="Accuracy of the collective, clean and at the last epoch.",
    quantity="share",
    better="higher",
    shown=_TERMINAL,
)
BEST_STREAM: Final = Measure(
    name="Best_Stream",
    field="best_stream",
    about="The stream with the highest accuracy, the leftmost of equals.",
    quantity="label",
    average="none",
    shown=_MODEL,
)
BEST_ACCURACY: Final = Measure(
    name="Best_Accuracy", field="best_accuracy", about="Its accuracy.", quantity="share", shown=_MODEL
)
RATIO: Final = Measure(
    name="Emergence_Ratio",
    field="emergence_ratio",
    about="Accuracy of the collective over that of its best stream; above 1 it is more than its best member.",
    highest=None,
    better="higher",
    average="none",
    shown=_TERMINAL,
)
CI_LOW: Final = Measure(
    name=INTERVAL_NAMES[0],
    field="ci_low",
    about="Lower end of the confidence interval of the ratio by paired bootstrap over samples: the least over streams.",
    highest=None,
    average="none",
    shown=_TERMINAL,
)
CI_HIGH: Final = Measure(
    name=INTERVAL_NAMES[1],
    field="ci_high",
    about="Upper end of it: the least over streams, the level divided by their number.",
    highest=None,
    average="none",
    shown=_TERMINAL,
)
CI_NOTE: Final = Measure(
    name=INTERVAL_NAMES[2],
    field="ci_note",
    about="Why there is no interval.",
    quantity="text",
    average="none",
    shown=_MODEL,
)
MORE_THAN_BEST: Final = Measure(
    name="More_Than_Best",
    field="more_than_best",
    about=(
        "Whether the collective is more than its best member: yes if every stream is shown to be beaten, no if any "
        "stream is shown to be better, else not shown."
    ),
    quantity="label",
    average="none",
    shown=_TERMINAL,
)
BAND: Final = Measure(
    name="Band",
    field="band",
    about=(
        f"Below {FAILURE_BELOW:g} failure, below {MARGINAL_BELOW:g} marginal, up to {STRONG_UP_TO:g} strong, above "
        "extraordinary; both bands that the ends of the interval lie in."
    ),
    quantity="label",
    average="none",
    shown=_TERMINAL,
)
ORACLE_ACCURACY: Final = Measure(
    name="Oracle_Accuracy",
    field="oracle_accuracy",
    about="Share of the samples that any stream gets right.",
    quantity="share",
    shown=_MODEL,
)
MCNEMAR_P: Final = Measure(
    name="McNemar_P",
    field="mcnemar_p",
    about="Exact test of the collective against its best stream; More_Than_Best goes by the tests against all of them.",
    quantity="chance",
    average="none",
    shown=_MODEL,
)
TIES: Final = Measure(
    name="Ties",
    field="ties",
    about="Samples whose fused vote is tied.",
    quantity="count",
    highest=None,
    average="sum",
    shown=_MODEL,
)
PARAMS_M: Final = Measure(
    name="Params_M",
    field="params_m",
    about="Million parameters, as given.",
    highest=None,
    average="none",
    shown=_MODEL,
)
EFFICIENCY: Final = Measure(
    name="Efficiency",
    field="efficiency",
    about="Percent of accuracy per million parameters.",
    highest=None,
    average="none",
    shown=_MODEL,
)
ROUTING_ENTROPY: Final = Measure(
    name="Routing_Entropy",
    field="routing_entropy",
    about="Mean entropy of the routing weights, in nats, at the last epoch.",
    highest=None,
    shown=_MODEL,
)
ROUTING_ENTROPY_SHARE: Final = Measure(
    name="Routing_Entropy_Share",
    field="routing_entropy_share",
    about="The same as a share of the largest that so many experts can have, ln K.",
    shown=_MODEL,
)
ANCHOR_ENTROPY: Final = Measure(
    name="Anchor_Entropy",
    field="anchor_entropy",
    about="Entropy of the use of the anchors, in nats.",
    highest=None,
    average="none",
    shown=_MODEL,
)
FINGERPRINT_DIVERSITY: Final = Measure(
    name="Fingerprint_Diversity",
    field="fingerprint_diversity",
    about=f"1 − mean |cosine| of the streams' fingerprints, or with {flag('signed')} the cosine.",
    highest=2.0,
    better="higher",
    shown=_MODEL,
)
LOAD_VARIATION: Final = Measure(
    name="Load_CV",
    field="load_variation",
    about="Coefficient of variation of the experts' load, their mean routing weights at the last epoch; 0 is even.",
    highest=None,
    better="lower",
    average="none",
    shown=_MODEL,
)
LOAD_BALANCE: Final = Measure(
    name="Load_Balance",
    field="load_balance",
    about="Entropy of that load as a share of ln K; 1 is even.",
    better="higher",
    average="none",
    shown=_MODEL,
)
DEAD_EXPERTS: Final = Measure(
    name="Dead_Experts",
    field="dead_experts",
    about=f"Experts with less than {DEAD_SHARE:g} of an even share of the load.",
    quantity="count",
    highest=None,
    average="sum",
    shown=_MODEL,
)
ROBUSTNESS: Final = Measure(
    name="Robustness",
    field="robustness",
    about="Mean accuracy under the other conditions over the clean one, on the samples that each shares with it.",
    highest=None,
    better="higher",
    average="none",
    shown=_MODEL,
)
ADVERSARIAL_ROBUSTNESS: Final = Measure(
    name="Adversarial_Robustness",
    field="adversarial_robustness",
    about=f"The same of the conditions that are attacks ({flag('adversarial')}) alone.",
    highest=None,
    better="higher",
    average="none",
    shown=_MODEL,
)
TEST_ACCURACY: Final = Measure(
    name="Test_Accuracy",
    field="test_accuracy",
    about="Accuracy of the collective on the split test, where the headline is of another one.",
    quantity="share",
    better="higher",
    shown=_MODEL,
)
TARGET_REACHED: Final = Measure(
    name="Target_Reached",
    field="target_reached",
    about="Whether the accuracy reaches the target of its data: yes, no, or not shown.",
    quantity="label",
    average="none",
    shown=_MODEL,
)
ALERTS: Final = Measure(
    name="Alerts",
    field="alerts",
    about="Things that call for attention.",
    quantity="count",
    highest=None,
    average="sum",
    shown=_TERMINAL,
)
SAMPLES: Final = Measure(
    name="Samples",
    field="samples",
    about="Samples with a label, clean and at the last epoch.",
    quantity="count",
    highest=None,
    average="sum",
    shown=_MODEL,
)
STREAMS: Final = Measure(
    name="Streams", field="streams", about="Streams.", quantity="count", highest=None, average="none", shown=_MODEL
)
SYSTEM_MEASURES: Final = (
    COLLECTIVE_ACCURACY,
    BEST_STREAM,
    BEST_ACCURACY,
    RATIO,
    CI_LOW,
    CI_HIGH,
    CI_NOTE,
    BAND,
    MORE_THAN_BEST,
    ORACLE_ACCURACY,
    MCNEMAR_P,
    TIES,
    PARAMS_M,
    EFFICIENCY,
    ROUTING_ENTROPY,
    ROUTING_ENTROPY_SHARE,
    ANCHOR_ENTROPY,
    LOAD_VARIATION,
    LOAD_BALANCE,
    DEAD_EXPERTS,
    FINGERPRINT_DIVERSITY,
    ROBUSTNESS,
    ADVERSARIAL_ROBUSTNESS,
    TEST_ACCURACY,
    TARGET_REACHED,
    ALERTS,
    SAMPLES,
    STREAMS,
)

ACCURACY: Final = Measure(
    name="Accuracy", field="accuracy", about="Its accuracy alone.", quantity="share", better="higher"
)
CONTRIBUTION: Final = Measure(
    name="Contribution",
    field="contribution",
    about="Accuracy of all streams fused, less that of all but this one.",
    lowest=-1.0,
)
SHAPLEY: Final = Measure(
    name="Shapley",
    field="shapley",
    about="Its mean gain over all orders in which streams could join; they sum to the fused accuracy.",
    lowest=-1.0,
)
WITHOUT: Final = Measure(name="Without", field="without", about="Accuracy of the others fused.", quantity="share")
GRADIENT: Final = Measure(
    name="Gradient",
    field="gradient",
    about="Mean length of the loss's gradient by its logits, (softmax − onehot)/N.",
    highest=None,
)
STREAM_P: Final = Measure(
    name="McNemar_P",
    field="mcnemar_p",
    about="Exact test of the collective against this stream, two-sided.",
    quantity="chance",
    average="none",
)
STREAM_P_BETTER: Final = Measure(
    name="P_Better",
    field="p_better",
    about="The same for the stream being better, after Holm's correction over the streams.",
    quantity="chance",
    average="none",
)
STREAM_FINDING: Final = Measure(
    name="Finding",
    field="finding",
    about="beaten: the collective is shown to be better; better: the stream is; else not shown.",
    quantity="label",
    average="none",
)
STREAM_MEASURES: Final = (ACCURACY, CONTRIBUTION, SHAPLEY, WITHOUT, GRADIENT, STREAM_P, STREAM_P_BETTER, STREAM_FINDING)
COMPARED_MEASURES: Final = (COLLECTIVE_ACCURACY, ORACLE_ACCURACY)  # of systems, sample by sample; the headline first
MEASURES: Final = (*SYSTEM_MEASURES, *STREAM_MEASURES)

SAMPLE: Final = "Sample"  # the key of a unit
SAMPLE_LABEL: Final = "Label"  # what would be right on it
COLLECTIVE_VOTE: Final = "Collective"  # what the collective says
COLLECTIVE_CORRECT: Final = "Correct"  # whether the collective is right on it
ANY_CORRECT: Final = "Any_Correct"  # whether any stream is


def stream_correct(stream: str) -> str:
    """Return the name of the measure that says whether a stream is right on a sample."""
    return f"{COLLECTIVE_CORRECT}: {stream}"


def stream_vote(stream: str) -> str:
    """Return the name of the column that holds what a stream says on a sample."""
    return f"Vote: {stream}"
