"""Studies of rankings to begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.diversity import QRELS, THREE, THREE_JUDGED, Lab, Study
from tests.helpers.runs import Run


@pytest.fixture
def study(tmp_path: Path, run: Run) -> Study:
    """An empty study."""
    return Study(tmp_path, run)


@pytest.fixture
def trio(tmp_path: Path, run: Run) -> Lab:
    """A ranking of three items and their judgments."""
    trio = Lab(tmp_path, run)
    trio.put("outs/m.csv", THREE)
    trio.put("refs/q.csv", THREE_JUDGED)
    return trio


@pytest.fixture
def lab(tmp_path: Path, run: Run) -> Lab:
    """Judgments of eight queries with two subtopics each, and no ranking yet."""
    lab = Lab(tmp_path, run)
    lab.put("refs/qrels.csv", QRELS)
    return lab
