"""A system and its streams as a page in a browser draws them, from metrics.json read back."""

from __future__ import annotations

from collections.abc import Mapping

from scoresheet.cli.report.pictures import Bars, Panel, Shares
from scoresheet.cli.report.reporter import ReadNumbers
from scoresheet.metrics.families.collective import measures

BY_STREAM, BY_CONDITION, LOAD = "By_Stream", "By_Condition", "Load"  # in metrics.json
COLLECTIVE = "Collective"


def system_panels(numbers: ReadNumbers) -> tuple[Panel, ...]:
    """Return what the streams get right and add, how experts are used, and what other conditions cost."""
    accuracy, streams = measures.ACCURACY.name, numbers.get(BY_STREAM, {})
    whole = numbers.get(measures.COLLECTIVE_ACCURACY.name)
    right = ({COLLECTIVE: whole} if whole is not None else {}) | _known(streams, accuracy)
    conditions = _known(numbers.get(BY_CONDITION, {}), accuracy)
    load = {layer: shares for layer, shares in numbers.get(LOAD, {}).items() if any(shares.values())}
    found = (
        Bars("Accuracy of the collective and its streams", accuracy, right, main=COLLECTIVE) if right else None,
        _bars("What the fusion loses without a stream", streams, measures.CONTRIBUTION.name),
        _bars("Share of each stream in the accuracy (Shapley)", streams, measures.SHAPLEY.name),
        Shares("Routing: load of the experts, by layer", load) if load else None,
        Bars("Accuracy under each condition", accuracy, conditions) if len(conditions) > 1 else None,
    )
    return tuple(panel for panel in found if panel is not None)


def _bars(title: str, numbers: Mapping[str, ReadNumbers], measure: str) -> Bars | None:
    known = _known(numbers, measure)
    return Bars(title, measure, known) if known else None


def _known(numbers: Mapping[str, ReadNumbers], measure: str) -> dict[str, float]:
    return {name: own[measure] for name, own in numbers.items() if own.get(measure) is not None}
