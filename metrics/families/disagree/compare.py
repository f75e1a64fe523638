"""The panels of a run together: how far the judges of each are apart on the items that both judged."""

from __future__ import annotations

from collections.abc import Mapping

from scoresheet.metrics.compare import compare_units
from scoresheet.metrics.families.disagree.measures import COMPARED_LABEL_MEASURES, COMPARED_MEASURES, ITEMS_NOUN
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.result import Panel
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.measures import Direction


def compare_panels(results: Mapping[str, Panel], options: DisagreeOptions) -> Comparison:
    """Return every two panels over the items they share: by the spread of scores, or by the agreement of labels.

    Alpha belongs to a whole panel and has no value for an item; the spread of an item has, and can be paired.
    """
    measures = COMPARED_LABEL_MEASURES if options.nominal else COMPARED_MEASURES
    better: Direction = "higher" if options.nominal else "lower"
    return Comparison(
        paired=compare_units(
            {model: result.compared for model, result in results.items()},
            [measure.name for measure in measures],
            headline=measures[0].name,
            better=better,
            units=ITEMS_NOUN,
            confidence=options.ci,
            seed=options.seed,
        )
    )
