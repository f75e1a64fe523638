"""A study of ensembles to begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.collective import Study
from tests.helpers.runs import Run

# --- many systems, scored together ------------------------------------------------------------------------------------


@pytest.fixture
def study(tmp_path: Path, run: Run) -> Study:
    """An empty study."""
    return Study(tmp_path, run)
