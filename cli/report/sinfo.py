"""The reports of sinfo."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.legacy import OldFamily, OldReporter
from scoresheet.metrics.families.sinfo.family import Sinfo
from scoresheet.metrics.families.sinfo.problems import KINDS

FAMILY: Final = OldFamily(Sinfo(), KINDS)
REPORTER: Final = OldReporter(Sinfo())
