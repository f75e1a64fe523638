"""A study of choices to begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.mode_collapse import Study
from tests.helpers.runs import Run


@pytest.fixture
def study(tmp_path: Path, run: Run) -> Study:
    """An empty study."""
    return Study(tmp_path, run)
