"""How intervals are said: the percent and the number of resamples come from where they are declared."""

from __future__ import annotations

from scoresheet.cli.report.page import Column
from scoresheet.metrics.stats.bootstrap import CI_PERCENTILES, RESAMPLES


def confidence() -> str:
    """Return the level of the intervals in words.

    >>> confidence()
    '95 %'
    """
    low, high = CI_PERCENTILES
    return f"{high - low:g} %"


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
