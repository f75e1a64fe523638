"""What all tests share: running the command line in process, in a folder of the test's own."""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoresheet.cli.run.pool import START_METHOD
from tests.helpers import soak  # noqa: F401 - its profile must be known before the first test is read
from tests.helpers.runs import Run, called_in
from tests.helpers.scratch import keep_scratch_in_memory
from tests.helpers.workbooks import empty_workbooks, whole_workbooks

keep_scratch_in_memory()  # --basetemp holds all the same


def pytest_configure() -> None:
    """Let signals end what tests start, even where a shell runs all of it in its background, which ignores them."""
    for name in ("SIGINT", "SIGQUIT", "SIGHUP"):
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
            signal.signal(getattr(signal, name), signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Let no search for cycles walk through the modules and thousands of tests again: none of it is ever freed."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Run:
    """Return a function that runs `scoresheet ARGUMENTS` in tmp_path and tells its exit code and what it printed.

    Its workers are threads, unless the test has the mark `processes` (tests/helpers/workers.py).
    """
    monkeypatch.chdir(tmp_path)
    return called_in(tmp_path, processes=request.node.get_closest_marker("processes") is not None)


@pytest.fixture(autouse=True)
def _inheriting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what a test with the mark `patched` changes hold in its workers too."""
    if request.node.get_closest_marker("patched") is not None:
        if "fork" not in multiprocessing.get_all_start_methods():
            pytest.skip("here workers inherit nothing")
        monkeypatch.setenv(START_METHOD, "fork")


@pytest.fixture(scope="module")
def no_workbooks() -> Iterator[None]:
    """For a file in which hardly a test looks at a workbook: writing them is a third of what its runs take."""
    with empty_workbooks():
        yield


@pytest.fixture
def workbooks() -> Iterator[None]:
    """For the tests in such a file that do look at them."""
    with whole_workbooks():
        yield
