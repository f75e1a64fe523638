"""A study of judges to begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.disagree import Study
from tests.helpers.runs import Run

# --- many panels, scored together -------------------------------------------------------------------------------------


@pytest.fixture
def study(tmp_path: Path, run: Run) -> Study:
    """An empty study."""
    return Study(tmp_path, run)
