"""How the consensus on an item came about, for people: who gave what, and who pulled."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.explanation import Block, Explainer, shown_number
from scoresheet.cli.report.page import Column
from scoresheet.metrics.families.disagree import measures as named
from scoresheet.metrics.families.disagree.context import Strategies
from scoresheet.metrics.families.disagree.explain import DisagreeExplanation, JudgePart, explain_item
from scoresheet.metrics.families.disagree.inputs import Ratings
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.units import Value

_JUDGE: Final = Column("Judge", "The judge.", "key")
_SCORES: Final = (
    Column("Overall", "Its score of the item on the scale from 0 to 1.", "score"),
    Column("From mean", "Its distance from the mean of all.", "score"),
    Column("Mean without", "The mean of the others.", "score"),
    Column("Pull", "By how much it moves the mean.", "score"),
    Column("Far from", "Whether it is an outlier, and by which rule.", "label"),
)


def _blocks(found: DisagreeExplanation) -> list[Block]:
    dimensions = list(dict.fromkeys(name for part in found.judges for name in part.given))
    columns = [_JUDGE, *(Column(name, "As given.", "label" if found.is_nominal else "score") for name in dimensions)]
    if not found.is_nominal:
        columns += _SCORES
    rows = tuple([*_given(part, dimensions, found), *([] if found.is_nominal else _row(part))] for part in found.judges)
    said = ["the judges are strategies, applied to one judge's scores"] if found.is_simulated else []
    if found.is_weighted:
        said.append("overall: the mean over dimensions, weighted by confidence × relevance")
    blocks = [Block("Who gave what", tuple(said), tuple(columns), rows)]
    blocks.append(Block("The numbers", tuple(_labels(found) if found.is_nominal else _numbers(found))))
    flags = tuple(f"{flag.severity}: {flag.name}: {flag.what}" for flag in found.flags)
    return [*blocks, Block("Flags", flags or ("none",))]


def _given(part: JudgePart, dimensions: list[str], found: DisagreeExplanation) -> list[Value]:
    missing: Value = "" if found.is_nominal else float("nan")
    return [part.judge, *(part.given.get(name, missing) for name in dimensions)]


def _row(part: JudgePart) -> list[Value]:
    far = [word for word, fired in (("mean", part.is_outlier), ("median", part.is_robust_outlier)) if fired]
    return [part.overall, part.deviation, part.mean_without, part.pull, " and ".join(far)]


def _numbers(found: DisagreeExplanation) -> list[str]:
    mean, deviation, cv, variance, consensus, reliability = (
        shown_number(float(found.measures[measure.name]))
        for measure in (named.MEAN, named.STD_DEV, named.CV, named.VARIANCE, named.CONSENSUS, named.RELIABILITY)
    )
    low, high = found.scale
    judges = int(found.measures[named.JUDGES.name])
    lines = [f"{judges} judges; mean {mean}, standard deviation {deviation} (n - 1), on 0 to 1 for {low:g} to {high:g}"]
    if judges < 2:
        return [*lines, f"consensus {consensus} and reliability {reliability} are decreed where nobody can disagree"]
    lines += [
        f"CV = {deviation} / {mean} = {cv}; consensus = max(0, 1 - {found.consensus_slope:g}·CV) = {consensus}",
        f"reliability = consensus × (1 - min(1, {found.reliability_slope:g}·{variance})), plus "
        f"{found.reliability_bonus:g} above a consensus of {found.bonus_above:g}, from 0 to 1 = {reliability}",
    ]
    if found.pulled_most:
        part = next(part for part in found.judges if part.judge == found.pulled_most)
        lines.append(
            f"who pulled: without {part.judge} the mean would be {shown_number(part.mean_without)}, not {mean}"
        )
    return lines


def _labels(found: DisagreeExplanation) -> list[str]:
    agreement = float(found.measures[named.LABEL_AGREEMENT.name])
    lines = [
        f"{int(found.measures[named.JUDGES.name])} judges; {shown_number(agreement)} of their pairs chose the same"
    ]
    special = {measure.name for measure in (named.JUDGES, named.LABEL_AGREEMENT, named.FLAGS, named.SEVERITY)}
    return [*lines, *(f"{name}: {value}" for name, value in found.measures.items() if name not in special and value)]


EXPLAINER: Final[Explainer[DisagreeOptions, Ratings, Strategies, DisagreeExplanation]] = Explainer(
    unit="item", keys=(named.ITEM_KEY, named.MODEL_KEY), explain=explain_item, blocks=_blocks
)
