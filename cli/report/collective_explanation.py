"""How a collective came to its answer on a sample, for people: who voted what."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.explanation import Block, Explainer, shown_number
from scoresheet.cli.report.page import Column
from scoresheet.metrics.families.collective import measures as named
from scoresheet.metrics.families.collective.explain import (
    COLUMN,
    CollectiveExplanation,
    explain_sample,
    headline_samples,
)
from scoresheet.metrics.families.collective.inputs import SystemSheet
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.units import Value

_VOTES: Final = (
    Column("Stream", "The stream.", "key"),
    Column("Says", "The class that it predicts.", "label"),
    Column("Right", "Whether that is the label.", "label"),
    Column("Weight", "How much it counts.", "score"),
)
_CLASSES: Final = (
    Column("Class", "The class.", "key"),
    Column("Support", "Votes or weights for it, or the mean of its values.", "score"),
    Column("", "Whether it wins, and whether it is the label.", "label"),
)
_TIES: Final = {
    "first": "the tied class whose first voter stands leftmost wins",
    "wrong": "a tie is wrong",
    "class": "the smallest tied class wins",
    "random": "one of the tied classes is drawn",
}


def _blocks(found: CollectiveExplanation) -> list[Block]:
    votes = tuple[list[Value], ...](
        [each.stream, each.vote or "nothing", "yes" if each.is_correct else "no", each.weight] for each in found.votes
    )
    classes = tuple(
        (
            each.name,
            each.support,
            ", ".join(word for word, holds in (("wins", each.won), ("label", each.is_label)) if holds),
        )
        for each in found.classes
    )
    place = [f"condition {found.condition}"]
    place += [f"epoch {found.epoch}"] if found.epoch else []
    place += [f"split {found.split}"] if found.split else []
    own = found.fusion == COLUMN
    return [
        Block(f"Who said what of {found.sample}", (", ".join(place),), _VOTES, votes),
        Block(
            "What the streams are fused to" + (", which the file's own column replaces" if own else ""),
            (),
            _CLASSES,
            classes,
        ),
        Block("The answer", tuple(_lines(found))),
    ]


def _lines(found: CollectiveExplanation) -> list[str]:
    right = "right" if found.is_correct else "wrong"
    lines = [f"by {found.fusion}: {found.answer or 'nothing'}; the label is {found.label}: {right}"]
    if found.is_tied:
        lines.append(f"the streams are tied: {_TIES[found.ties]}")
    accuracy = float(found.measures[named.COLLECTIVE_ACCURACY.name])
    lines.append(
        f"{named.COLLECTIVE_ACCURACY.name} = right on {found.right} of {found.samples} samples = "
        f"{shown_number(accuracy)}"
    )
    return lines


EXPLAINER: Final[Explainer[CollectiveOptions, SystemSheet, None, CollectiveExplanation]] = Explainer(
    unit="sample", keys=(named.SAMPLE,), explain=explain_sample, blocks=_blocks, units=headline_samples
)
