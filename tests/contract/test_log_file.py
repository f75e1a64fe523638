"""What does the log file say, and what if it cannot be written?"""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from scoresheet.cli.run import pipeline
from tests.helpers.files import digests, write_csv
from tests.helpers.runs import LOCK, SAID, Run, forked
from tests.helpers.studies import Place

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00 \[(\d+)\] (.+)")


def log_lines(path: Path) -> list[str]:
    """What the lines of a log say; each must have its time and process."""
    matches = [LINE.fullmatch(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert all(matches)
    return [match[2] for match in matches if match]


@pytest.mark.parametrize("place", ["nowhere/x.log", "outs", "/dev/full"])
def test_a_log_that_cannot_be_written_is_said_once_and_changes_nothing(place: str, run: Run, folder: Path) -> None:
    write_csv(folder / "outs/bad.csv", [("nothing", "of use"), ("1", "2")])
    expected = run("sinfo", "outs", "refs", "-o", "res")
    done = run("sinfo", "outs", "refs", "-o", "again", "--log-file", place)
    assert done.code == expected.code == 3
    assert done.out == expected.out
    said = [line for line in done.err.splitlines() if line.startswith(f"--log-file {place}: cannot be written (")]
    assert len(said) == 1
    assert digests(folder / "again") == digests(folder / "res")


def test_the_log_tells_runs_and_their_ends_apart(run: Run, folder: Path) -> None:
    run("sinfo", "outs", "refs", "-o", "res", "-q", "--log-file", "x.log")
    run("sinfo", "outs", "nowhere", "-o", "res", "-q", "--log-file", "x.log")
    lines = log_lines(folder / "x.log")
    assert lines[0] == "scoresheet sinfo outs refs -o res -q --log-file x.log"
    end = lines.index("exit code 0")
    assert lines[end + 1] == "scoresheet sinfo outs nowhere -o res -q --log-file x.log"
    assert lines[-1].startswith("nowhere: no such file or folder")
    assert lines[-1].endswith("exit code 2")


@pytest.mark.parametrize(
    ("words", "said"), [((), "data/"), (("--aggregate", "median"), "--aggregate cannot be 'median'")]
)
def test_the_log_has_an_end_even_if_nothing_could_begin(
    words: tuple[str, ...], said: str, run: Run, folder: Path
) -> None:
    assert run("sinfo", *words, "--log-file", "x.log").code == 2
    assert said in log_lines(folder / "x.log")[-1]
    assert log_lines(folder / "x.log")[-1].endswith("exit code 2")


def test_the_log_has_scores_problems_and_gates_whether_quiet_or_not(run: Run, folder: Path) -> None:
    write_csv(folder / "outs/good.csv", [("Idiom", "Prediction"), ("a", "one two"), ("b", "...")])
    options = ("-o", "res", "--min-coverage", "0.9", "-q", "--log-file", "x.log")
    assert run("sinfo", "outs", "refs", *options).code == 10
    lines = log_lines(folder / "x.log")
    assert any(line.startswith("score: good: S_Info 0.") and "1 of 2 rows scored" in line for line in lines)
    assert any(line.startswith("row not scored: outs/good.csv") for line in lines)
    assert any(line.startswith("gate: good: 50.0% of its rows got a score") for line in lines)
    assert lines[-1] == "exit code 10"


@pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_cell_cannot_forge_a_line(end: str, place: Place) -> None:
    forged = f"x{end}2026-01-01T00:00:00+00:00 [1] exit code 0"
    place.references()
    write_csv(place.outs / "m.csv", [("Idiom", "Prediction"), (forged, "one two"), ("spill the beans", "tell")])
    write_csv(place.outs / "n.csv", [("Idiom", "Prediction", "model"), ("spill the beans", "tell", forged)])
    place.score("-v", "--log-file", "x.log")
    lines = log_lines(place.root / "x.log")  # each has the time and the process of this run
    assert len(lines) > 3
    assert lines.count("exit code 0") <= 1
    assert {
        match[1] for line in (place.root / "x.log").read_text("utf-8").splitlines() if (match := LINE.match(line))
    } == {str(os.getpid())}


def test_a_bug_is_in_the_log_with_its_traceback(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("not\nmeant")

    monkeypatch.setattr(pipeline, "discovered_inputs", broken)
    assert run("sinfo", "outs", "refs", "-o", "res", "--log-file", "x.log").code == 1
    lines = log_lines(folder / "x.log")
    assert any(line.startswith("bug: ") and "broken" in line for line in lines)
    assert lines[-1] == "a bug: RuntimeError: not\\nmeant; exit code 1"


@pytest.mark.processes
@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")])
def test_a_signal_is_in_the_log(number: int, name: str, folder: Path) -> None:
    rows = [(f"idiom {i}", "word " * 400) for i in range(3_000)]
    write_csv(folder / "refs/r.csv", [("idiom", "explanation"), *rows])
    write_csv(folder / "outs/good.csv", [("Idiom", "Prediction"), *rows])
    with forked(folder, "sinfo", "outs", "refs", "-o", "res", "--log-file", "x.log") as run:
        limit = time.monotonic() + 60
        while not (folder / "res" / LOCK).exists():
            assert run.is_alive(), (folder / SAID[1]).read_text("utf-8")
            assert time.monotonic() < limit
            time.sleep(0.005)
        os.kill(run.ident or 0, number)
        run.join(60)
    assert run.exitcode == 128 + number
    assert log_lines(folder / "x.log")[-1] == f"stopped by {name}; exit code {128 + number}"
