"""The reports of mode-collapse."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.legacy import OldFamily, OldReporter
from scoresheet.metrics.families.mode_collapse.family import ModeCollapse
from scoresheet.metrics.families.mode_collapse.problems import KINDS

FAMILY: Final = OldFamily(ModeCollapse(), KINDS)
REPORTER: Final = OldReporter(ModeCollapse())
