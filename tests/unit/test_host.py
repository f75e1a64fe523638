"""The process that calls the command is left as it was, however the command ends."""

from __future__ import annotations

import csv
import gc
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoresheet.cli.app import main
from scoresheet.cli.host import with_room

ROOT = Path(__file__).resolve().parents[2]


def state() -> tuple[object, ...]:
    streams = (sys.stdout, sys.stderr, getattr(sys.stdout, "errors", None), getattr(sys.stderr, "errors", None))
    return gc.isenabled(), dict(os.environ), csv.field_size_limit(), streams


@pytest.mark.parametrize("collecting", [True, False])
@pytest.mark.parametrize(
    "words",
    [
        ["sinfo", "-o", "res"],
        ["sinfo", "--nonsense"],
        ["sinfo", "nowhere", "refs"],
        ["--version"],
        ["entropy", "--help"],
    ],
)
def test_whatever_the_command_does_the_process_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], collecting: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii", errors="strict"))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), "utf-8"))
    (gc.enable if collecting else gc.disable)()
    try:
        before = state()
        main(words)
        assert state() == before
    finally:
        gc.enable()


@pytest.mark.parametrize("module", ["scoresheet", "scoresheet.cli"])
def test_the_package_can_be_run(module: str) -> None:
    done = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0]) == (0, "scoresheet")


@pytest.mark.skipif(sys.platform == "win32", reason="page faults are not counted there")
def test_no_depth_of_calls_is_one_at_which_each_call_asks_the_system_for_memory() -> None:
    import resource

    def nothing() -> None:
        return None

    def faults_at(depth: int) -> int:
        """Return how often calls at a depth met memory that the system had not given yet."""
        if depth:
            return faults_at(depth - 1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(500):
            nothing()
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    assert with_room(lambda: max(map(faults_at, range(400)))) < 250
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 // 0)
