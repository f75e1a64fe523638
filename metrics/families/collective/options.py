"""How an ensemble is measured; the help text lives beside each option."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.options import Options, option
from scoresheet.metrics.records import dataclass

FUSIONS: Final = ("majority", "mean", "weighted", "weighted-mean")
TIES: Final = ("first", "wrong", "class", "random")
DEFAULT_TIES: Final = "first"
CLEAN: Final = "clean"  # what an empty condition is called, and the one that others are held against
VALIDATION: Final = "validation"  # the split of the headline
TEST: Final = "test"
ALERT: Final = "alert"


@dataclass(frozen=True, kw_only=True)
class CollectiveOptions(Options):
    """How an ensemble is measured."""

    fusion: str = option(
        "majority",
        "How streams are fused: votes, the mean of probabilities or logits, or either weighted by weight:STREAM of the "
        "sheet parameters.",
        choices=FUSIONS,
        sign="fusion",
        always=True,
        common="How streams are fused.",
    )
    ties: str = option(
        DEFAULT_TIES,
        "Who wins a tied vote: the class whose first voter stands leftmost, nobody, the smallest class, or a seeded "
        "draw.",
        choices=TIES,
        sign="ties",
        always=True,
        common="Who wins a tied vote.",
    )
    streams: str = option(
        "",
        "Columns of the predictions that are streams, joined by commas; without it, every column that is not ours.",
        sign="streams",
        metavar="NAME,NAME,…",
        common="Columns that are streams.",
    )
    clean: str = option(
        CLEAN,
        "The condition that the others are held against.",
        sign="clean",
        metavar="NAME",
        common="Condition the others are held against.",
    )
    split: str = option(
        VALIDATION,
        "The split whose numbers are the headline; the others stand beside it.",
        sign="split",
        metavar="NAME",
        common="Split whose numbers are the headline.",
    )
    adversarial: str = option(
        "adversarial",
        "Conditions whose name begins with this are attacks, with a robustness of their own.",
        sign="adversarial",
        metavar="NAME",
    )
    logits: bool = option(False, "The sheet probabilities holds logits.", sign="logits")
    normalise: bool = option(False, "Divide routing weights that do not sum to 1 by their sum.", sign="normalise")
    signed: bool = option(False, "Let opposite fingerprints count as more different than right angles.", sign="signed")
    dead_anchor: float = option(
        0.01, "An anchor with a smaller share of the use is dead.", sign="dead", minimum=0, metavar="SHARE"
    )
    fail_on: str = option(
        "never",
        "'alert': exit 10 if a system has an alert, for cron.",
        choices=("never", ALERT),
        metavar="WHAT",
        common=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.streams and not self.chosen_streams():
            raise ValueError(f"streams cannot be {self.streams!r}; name at least one column")
        if self.dead_anchor > 1:
            raise ValueError(f"dead-anchor cannot be {self.dead_anchor:g}; a share is at most 1")

    def chosen_streams(self) -> list[str]:
        """Return the streams that were named; none: all columns that could be one."""
        return [name.strip() for name in self.streams.split(",") if name.strip()]

    @property
    def by_votes(self) -> bool:
        """Whether streams are fused by what they predict; else by how probable they hold each class."""
        return self.fusion in ("majority", "weighted")

    @property
    def weighted(self) -> bool:
        """Whether streams count differently."""
        return self.fusion.startswith("weighted")
