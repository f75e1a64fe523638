"""What all tests share: running the command line in process, in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import soak  # noqa: F401 - its profile must be known before the first test is read
from tests.helpers.runs import Run, called_in


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Run:
    """Return a function that runs `scoresheet ARGUMENTS` in tmp_path and tells its exit code and what it printed.

    Its workers are threads, unless the test has the mark `processes`.
    """
    monkeypatch.chdir(tmp_path)
    return called_in(tmp_path, processes=request.node.get_closest_marker("processes") is not None)
