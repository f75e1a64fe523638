"""How intervals are said: the percent and the number of resamples come from where they are declared."""

from __future__ import annotations

from scoresheet.cli.report.page import Column
from scoresheet.metrics.stats.bootstrap import RESAMPLES, confidence

__all__ = ["ci_columns", "confidence", "describe_bootstrap", "with_intervals"]


def with_intervals(what: str) -> str:
    """Return the title of a chart whose bars have intervals.

    >>> with_intervals("Gini by sheet")
    'Gini by sheet, with 95 % intervals'
    """
    return f"{what}, with {confidence()} intervals"


def describe_bootstrap(units: str) -> str:
    """Return how an interval over resampled units is made.

    >>> describe_bootstrap("idioms")
    '95 % percentile bootstrap, 2,000 resamples over idioms'
    """
    return f"{confidence()} percentile bootstrap, {RESAMPLES:,} resamples over {units}"


def ci_columns(units: str, *, of: str = "") -> tuple[Column, Column]:
    """Return the two columns of an interval."""
    what = f"{confidence()} bootstrap interval{f' of {of}' if of else ''} over {units}."
    return (
        Column("CI_Low", f"Lower end of the {what}", "score"),
        Column("CI_High", f"Upper end of the {what}", "score"),
    )
