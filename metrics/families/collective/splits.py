"""Splits: which one the headline is of, and how the system does on the others."""

from __future__ import annotations

from scoresheet.metrics.families.collective.names import split_name
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.keys import natural_order
from scoresheet.metrics.messages import flag, join_names
from scoresheet.metrics.problems import reject


def split_predictions(
    predictions: Predictions, options: CollectiveOptions
) -> tuple[str, Predictions, dict[str, Predictions]]:
    """Return the headline's split and its predictions, and those of the other splits; one alone is the headline."""
    names = sorted(predictions.splits.present().values, key=natural_order)
    wanted = split_name(options.split)
    if len(names) > 1 and wanted not in names:
        reject(
            "no-split",
            f"no split is called {options.split}; name the one of the headline with {flag('split')}: "
            f"{join_names(names, most=8)}",
        )
    if len(names) < 2:
        return (names[0] if names else ""), predictions, {}
    others = {name: predictions.of_split(name) for name in names if name != wanted}
    return wanted, predictions.of_split(wanted), others
