"""The units of one sheet: on which samples each stream is right."""

from __future__ import annotations

from scoresheet.metrics.families.collective.inputs import SystemSheet
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.family import ScoredSheet
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.units import Units


@dataclass(frozen=True, kw_only=True)
class ScoredSystemSheet(ScoredSheet):
    """One sheet of a system; what the sheets come to together is made of what was read."""

    parsed: SystemSheet


def score_sheet(parsed: SystemSheet) -> Noted[ScoredSystemSheet]:
    """Return a sheet with its units: predictions have some, the sheets of numbers none of their own."""
    units = parsed.content.units() if isinstance(parsed.content, Predictions) else Units()
    return Noted(ScoredSystemSheet(name=parsed.name, rows=parsed.rows, units=units, parsed=parsed))
