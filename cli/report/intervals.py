"""How intervals are said: the level is the run's, the number of resamples comes from where it is declared."""

from __future__ import annotations

from scoresheet.cli.report.page import Column
from scoresheet.metrics.measures import INTERVAL_NAMES
from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, FEWEST_CLUSTERS, confidence_percent


def with_intervals(what: str, confidence: float) -> str:
    """Return the title of a chart whose bars have intervals.

    >>> with_intervals("Gini by sheet", 0.95)
    'Gini by sheet, with 95 % intervals'
    """
    return f"{what}, with {confidence_percent(confidence)} intervals"


def describe_bootstrap(units: str, confidence: float) -> str:
    """Return how an interval over resampled units is made.

    >>> describe_bootstrap("idioms", 0.9)
    '90 % expanded percentile bootstrap, 2,000 resamples over idioms; none for fewer than 5 of them'
    """
    return (
        f"{confidence_percent(confidence)} expanded percentile bootstrap, {RESAMPLES:,} resamples over {units}; "
        f"none for fewer than {FEWEST_CLUSTERS} of them"
    )


def ci_columns(units: str, *, of: str = "", how: str = "by bootstrap over") -> tuple[Column, Column, Column]:
    """Return the columns of an interval: its two ends, and what is said of it; `how` it is made, before the units."""
    level = f"({confidence_percent(CONFIDENCE_LEVEL)} unless --ci says another level)"
    what = f"confidence interval{f' of {of}' if of else ''} {level}"
    low, high, note = INTERVAL_NAMES
    return (
        Column(low, f"Lower end of the {what}, {how} {units}.", "score"),
        Column(high, f"Upper end of the {what}.", "score"),
        Column(note, f"Why there is no interval, or how many resamples over {units} had no value.", "text"),
    )
