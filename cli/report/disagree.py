"""The reports of disagree."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.legacy import OldFamily, OldReporter
from scoresheet.metrics.families.disagree.family import Disagree
from scoresheet.metrics.families.disagree.problems import KINDS

FAMILY: Final = OldFamily(Disagree(), KINDS)
REPORTER: Final = OldReporter(Disagree())
