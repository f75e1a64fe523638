"""The reports of collective."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.legacy import OldFamily, OldReporter
from scoresheet.metrics.families.collective.family import Collective
from scoresheet.metrics.families.collective.problems import KINDS

FAMILY: Final = OldFamily(Collective(), KINDS)
REPORTER: Final = OldReporter(Collective())
