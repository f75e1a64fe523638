"""The reports of diversity."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.legacy import OldFamily, OldReporter
from scoresheet.metrics.families.diversity.family import Diversity
from scoresheet.metrics.families.diversity.problems import KINDS

FAMILY: Final = OldFamily(Diversity(), KINDS)
REPORTER: Final = OldReporter(Diversity())
