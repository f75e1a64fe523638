"""The reports of entropy."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.report.legacy import OldFamily, OldReporter
from scoresheet.metrics.families.entropy.family import Entropy
from scoresheet.metrics.families.entropy.problems import KINDS

FAMILY: Final = OldFamily(Entropy(), KINDS)
REPORTER: Final = OldReporter(Entropy())
