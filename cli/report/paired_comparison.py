"""How a paired comparison is shown, in every family that makes one: its columns and their cells."""

from __future__ import annotations

from scoresheet.cli.report.page import Column
from scoresheet.metrics.compare import PairedDifference
from scoresheet.metrics.messages import percent
from scoresheet.metrics.stats.bootstrap import confidence
from scoresheet.metrics.stats.randomisation import SIGNIFICANCE_LEVEL


def paired_test_columns(*, difference: str, models: str) -> tuple[Column, ...]:
    """Return the columns of interval, test, correction and finding; what is compared goes by the family's words."""
    return (
        Column(
            "CI_Low", f"Lower end of the {confidence()} interval of the {difference}, by paired bootstrap.", "score"
        ),
        Column("CI_High", f"Upper end of the {confidence()} interval of the {difference}.", "score"),
        Column("P_Value", "Randomisation test: chance of such a difference if it had either sign alike.", "chance"),
        Column("P_Holm", f"The same after Holm's correction for all pairs of {models}.", "chance"),
        Column("Finding", f"What is not noise at {percent(SIGNIFICANCE_LEVEL)}, after the correction.", "label"),
    )


def paired_test_cells(pair: PairedDifference) -> list[object]:
    """Return the cells under `paired_test_columns`."""
    return [pair.test.low, pair.test.high, pair.test.p_value, pair.p_holm, pair.finding]
