"""How judgements are analysed; the help text lives beside each option."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Final

from scoresheet.metrics.families.disagree.constants import OutlierRules
from scoresheet.metrics.families.disagree.scales import Range, Scales, parse_range, parse_scales
from scoresheet.metrics.messages import flag
from scoresheet.metrics.numbers import format_float
from scoresheet.metrics.options import Options, option
from scoresheet.metrics.records import dataclass

NOMINAL: Final = "nominal"
BUILT_IN_STRATEGIES: Final = "default"
AUTO: Final = "auto"
JUDGES: Final = "judges"
DIMENSIONS: Final = "dimensions"
ROUNDS: Final = "rounds"
# what labels know nothing of: no scale, no spread, no thresholds
_OF_SCORES: Final = (
    "scale",
    "parse_scores",
    "out_of_scale",
    "consensus_threshold",
    "high_threshold",
    "dimension_threshold",
    "outlier_threshold",
    "robust_threshold",
    "mad_floor",
    "recommend",
)


@dataclass(frozen=True, kw_only=True)
class DisagreeOptions(Options):
    """How judgements are analysed."""

    scale: str = option(
        "0:1",
        "Lowest and highest possible score, such as 1:5 or 0:100; scores are mapped to 0..1. May be repeated: "
        "judge_a=0:100 is the scale of one judge.",
        sign="scale",
        always=True,
        metavar="LOW:HIGH",
        repeatable=True,
        common="Lowest and highest possible score.",
    )
    parse_scores: bool = option(
        False,
        "Read scores in words: '4/5', 'Score: 4', '8 out of 10'. What a cell says of its scale must be so.",
        sign="parse",
        common="Read scores in words, such as '4/5'.",
    )
    out_of_scale: str = option(
        "refuse",
        "Scores outside the scale refuse the file; 'blank' leaves them out, 'clip' moves them to its end.",
        choices=("refuse", "blank", "clip"),
        sign="out",
    )
    level: str = option(
        "interval",
        f"Level of measurement of Krippendorff's alpha; '{NOMINAL}' takes labels such as Tie.",
        choices=("interval", "ordinal", "ratio", NOMINAL),
        sign="level",
        always=True,
        common="Level of measurement of alpha.",
    )
    dimensions: str = option(
        "",
        "Columns of a wide table that hold scores, joined by commas; without it, every column of numbers.",
        sign="dims",
        metavar="NAME,NAME,…",
    )
    columns_are: str = option(
        AUTO,
        f"What the columns of a wide table are; '{AUTO}': dimensions beside a column judge, else judges.",
        choices=(AUTO, JUDGES, DIMENSIONS),
        sign="columns",
        common="What columns of a wide table are.",
    )
    sheets_are: str = option(
        ROUNDS,
        f"What the sheets of a file are: '{ROUNDS}' of judging, each a panel, or '{DIMENSIONS}' of one panel.",
        choices=(ROUNDS, DIMENSIONS),
        sign="sheets",
        common="What the sheets of a file are.",
    )
    strategies: str = option(
        "",
        "Make an ensemble out of one judge's scores: a table of strategy, emphasis, threshold and bias, or "
        f"'{BUILT_IN_STRATEGIES}'.",
        sign="strategies",
        metavar="FILE",
    )
    consensus_threshold: float = option(
        0.7,
        "Consensus below this is flagged.",
        sign="consensus",
        minimum=0,
        metavar="SHARE",
        common=True,
    )
    high_threshold: float = option(
        0.3,
        f"Consensus below this makes the flag a high one; not above {flag('consensus-threshold')}.",
        sign="high",
        minimum=0,
        metavar="SHARE",
    )
    dimension_threshold: float = option(
        0.3, "A dimension whose CV is above this is flagged.", sign="cv", minimum=0, metavar="CV"
    )
    outlier_threshold: float = option(
        OutlierRules.outlier,
        "Standard deviations from the mean that make an outlier.",
        sign="sd",
        minimum=0,
        metavar="SD",
    )
    robust_threshold: float = option(
        OutlierRules.robust, "The same for the robust rule, from the median.", sign="robust", minimum=0, metavar="SD"
    )
    mad_floor: float = option(
        OutlierRules.mad_floor,
        "Least median absolute deviation of the robust rule, on the scale 0..1.",
        sign="mad",
        minimum=0,
        metavar="MAD",
    )
    recommend: str = option(
        "0.3:0.9",
        "Overall scores, on the scale 0..1, of judges that are recommended.",
        sign="recommend",
        metavar="LOW:HIGH",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        scales = parse_scales(self.scale)
        for name in ("consensus_threshold", "high_threshold", "mad_floor"):
            if not getattr(self, name) <= 1:
                raise ValueError(f"{name.replace('_', '-')} cannot be {getattr(self, name)}; the most is 1")
        low, high = self.recommended_range
        if low < 0 or high > 1:
            raise ValueError(
                f"recommend cannot be {self.recommend!r}; it is a range on the scale 0..1 of mapped scores"
            )
        if self.high_threshold > self.consensus_threshold:
            raise ValueError(
                f"high-threshold cannot be {self.high_threshold}, above the consensus-threshold of "
                f"{self.consensus_threshold}: every flag would be a high one; lower it too"
            )
        if self.level == "ratio" and min(low for low, _ in (scales.general, *scales.by_judge.values())) < 0:
            raise ValueError(
                "level ratio needs scores of 0 or more: a ratio of scores on both sides of 0 means nothing"
            )
        idle = [flag(name.replace("_", "-")) for name in self._idle()]
        if idle:
            raise ValueError(f"level nominal knows labels only, and {', '.join(idle)} would do nothing; leave it out")
        if self.nominal and self.strategies:
            raise ValueError("level nominal knows labels only, and strategies move scores; leave out one of them")
        if self.columns_are == JUDGES and self.strategies:
            raise ValueError("columns-are judges contradicts strategies, which take one judge's scores; leave out one")

    def _idle(self) -> list[str]:
        """Return the options that were given and that labels have no use for."""
        if not self.nominal:
            return []
        return [
            each.name for each in fields(self) if each.name in _OF_SCORES and getattr(self, each.name) != each.default
        ]

    def signature(self, *, referenced: bool = True) -> Iterator[str]:
        """Yield the options, for labels without the scale that they are not on."""
        own = super().signature(referenced=referenced)
        return (part for part in own if not (self.nominal and part.startswith("scale:")))

    @property
    def nominal(self) -> bool:
        """Whether the cells are labels, not numbers."""
        return self.level == NOMINAL

    @property
    def scales(self) -> Scales:
        """The scales of the judges."""
        return parse_scales(self.scale)

    @property
    def scale_ends(self) -> Range:
        """The lowest and the highest possible score; where judges have different scales, of the one they share."""
        return self.scales.common

    @property
    def recommended_range(self) -> tuple[float, float]:
        """The overall scores of judges that are recommended, on the scale 0 to 1."""
        return parse_range(self.recommend, "recommend")

    def outlier_rules(self) -> OutlierRules:
        """Return from where on a judge stands alone."""
        return OutlierRules(self.outlier_threshold, self.robust_threshold, self.mad_floor)

    def named_columns(self) -> list[str]:
        """Return the columns that hold scores, if they were named."""
        return [name.strip() for name in self.dimensions.split(",") if name.strip()]

    def in_signature(self, name: str, value: object) -> str:
        """Return ranges in one way, and a table as such: the hashes beside the signature say which."""
        if name == "scale":
            return parse_scales(str(value)).written()
        if name == "recommend":
            low, high = parse_range(str(value), name)
            return f"{format_float(low)}:{format_float(high)}"
        if name == "strategies":
            return BUILT_IN_STRATEGIES if value == BUILT_IN_STRATEGIES else "table"
        return super().in_signature(name, value)
