"""disagree: do judges agree."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

from scoresheet.metrics import Command, option
from scoresheet.metrics.checks import one_value
from scoresheet.metrics.role import ITEM, MODEL, Role, outputs

Scale = tuple[float, float]


@dataclass(frozen=True)
class DisagreeOptions:
    """How scores are read and compared."""

    scale: tuple[str, ...] = option(
        (),
        "Lowest and highest possible score, for all judges or for one: kim=1:5; repeatable.",
        metavar="LOW:HIGH",
        shown="0:1",
    )
    level: Literal["interval", "ordinal", "nominal", "ratio"] = option(
        "interval", "What scores are: numbers, ranks, labels, or numbers with a true zero."
    )
    gold: str = option("", "Compare every other judge with this one, such as a human.", "JUDGE")
    consensus_threshold: float = option(0.7, "Flag items with less consensus.", "N")
    disagreement_threshold: float = option(
        0.3, "Flag dimensions in which the judges' CV is higher.", "N"
    )
    outlier_threshold: float = option(
        1.5, "Flag judges more standard deviations away from the item's mean.", "N"
    )
    ci: float = 0.95  # a common option

    def __post_init__(self) -> None:
        scales(self.scale)
        for name in ("consensus", "disagreement", "outlier"):
            if not getattr(self, f"{name}_threshold") >= 0:
                value = getattr(self, f"{name}_threshold")
                raise ValueError(f"{name}-threshold must be 0 or more, not {value!r}")


def scales(given: tuple[str, ...]) -> dict[str, Scale]:
    """Return the scale of each judge that has its own, and under "" that of all others.

    >>> scales(("0:100", "kim=1:5"))
    {'': (0.0, 100.0), 'kim': (1.0, 5.0)}
    """
    found: dict[str, Scale] = {"": (0.0, 1.0)}
    for text in given:
        judge, _, ends = text.rpartition("=")
        try:
            low, high = (float(end) for end in ends.split(":"))
        except ValueError:
            raise ValueError(f"scale must be LOW:HIGH, as in 1:5, not {text!r}") from None
        if not -1e300 < low < high < 1e300:
            raise ValueError(f"the lower end of a scale must be below the upper one, not {text!r}")
        found[judge.strip()] = low, high
    return found


COMMAND = Command(
    "disagree",
    "Judges that score the same items: do they agree, and who differs.",
    DisagreeOptions,
    {"outputs": "data/judgments"},
    "results/disagree",
    ("judgments",),
)

JUDGE = (
    *("rater", "annotator", "grader", "evaluator", "reviewer", "strategy"),
    *("annotator_id", "worker_id"),
)

ROLES = (
    Role("model", words=MODEL),
    Role("sheet", words=("round",)),
    Role("item", "key", (*ITEM, "id", "prompt", "question", "sample", "hit_id"), True, open=True),
    Role("judge", words=JUDGE, needed=True, open=True),
    Role("dimension", words=("criterion", "aspect"), open=True),
    Role("score", "number", ("rating", "grade", "points"), True, as_labels="--level nominal"),
    Role("confidence", "number"),
    Role("cultural_relevance", "number"),
)

TABLES = (
    outputs(
        ROLES,
        cells=("score",),
        unique=(("item", "judge", "dimension"),),
        checks=(partial(one_value, role="judge"),),
    ),
)
