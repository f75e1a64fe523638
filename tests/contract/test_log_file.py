"""What does the log file say, and what if it cannot be written?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.runs import Run


@pytest.mark.parametrize("place", ["nowhere/x.log", "outs"])
def test_a_log_that_cannot_be_written_is_said_before_anything_is_done(place: str, run: Run, folder: Path) -> None:
    done = run("sinfo", "outs", "refs", "-o", "res", "--log-file", place)
    assert done.code == 2
    assert f"--log-file {place}" in done.err
    assert not (folder / "res").exists()


def test_the_log_tells_runs_and_their_ends_apart(run: Run, folder: Path) -> None:
    run("sinfo", "outs", "refs", "-o", "res", "-q", "--log-file", "x.log")
    run("sinfo", "outs", "nowhere", "-o", "res", "-q", "--log-file", "x.log")
    lines = [line.split(" ", 1)[1] for line in (folder / "x.log").read_text(encoding="utf-8").splitlines()]
    assert lines[0] == "scoresheet sinfo outs refs -o res -q --log-file x.log"
    assert lines[1] == "exit code 0"
    assert lines[3].startswith("Error: nowhere: no such file or folder")
    assert lines[3].endswith("exit code 2")
