"""The measures of collective, each declared once: of a system, of its streams, and of its samples."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.families.collective.emergence import FAILURE_BELOW, MARGINAL_BELOW, STRONG_UP_TO
from scoresheet.metrics.measures import Measure, Shown
from scoresheet.metrics.messages import flag
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, confidence_percent

_MODEL: Final[tuple[Shown, ...]] = ("model",)
_TERMINAL: Final[tuple[Shown, ...]] = ("model", "terminal")
_INTERVAL: Final = f"{confidence_percent(CONFIDENCE_LEVEL)} interval of the ratio"

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
    name="CI_Low",
    field="ci_low",
    about=f"Lower end of the {_INTERVAL}: paired bootstrap, the best chosen anew.",
    highest=None,
    average="none",
    shown=_TERMINAL,
)
CI_HIGH: Final = Measure(
    name="CI_High",
    field="ci_high",
    about=f"Upper end of the {_INTERVAL}.",
    highest=None,
    average="none",
    shown=_TERMINAL,
)
BAND: Final = Measure(
    name="Band",
    field="band",
    about=(
        f"Below {FAILURE_BELOW:g} failure, below {MARGINAL_BELOW:g} marginal, up to {STRONG_UP_TO:g} strong, above "
        "extraordinary."
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
    about="Exact test of the collective against its best stream.",
    quantity="chance",
    average="none",
    shown=_TERMINAL,
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
ROBUSTNESS: Final = Measure(
    name="Robustness",
    field="robustness",
    about="Mean accuracy under the other conditions over the clean one.",
    highest=None,
    better="higher",
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
    BAND,
    ORACLE_ACCURACY,
    MCNEMAR_P,
    TIES,
    PARAMS_M,
    EFFICIENCY,
    ROUTING_ENTROPY,
    ROUTING_ENTROPY_SHARE,
    ANCHOR_ENTROPY,
    FINGERPRINT_DIVERSITY,
    ROBUSTNESS,
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
STREAM_MEASURES: Final = (ACCURACY, CONTRIBUTION, SHAPLEY, WITHOUT, GRADIENT)
MEASURES: Final = (*SYSTEM_MEASURES, *STREAM_MEASURES)

SAMPLE: Final = "Sample"  # the key of a unit
COLLECTIVE_CORRECT: Final = "Correct"  # whether the collective is right on it


def stream_correct(stream: str) -> str:
    """Return the name of the measure that says whether a stream is right on a sample."""
    return f"{COLLECTIVE_CORRECT}: {stream}"
