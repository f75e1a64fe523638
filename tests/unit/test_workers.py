"""Workers: a task that kills its process costs itself and nothing else."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.run import pool as workers
from scoresheet.cli.run.pool import Bug, WorkerCrashed, run_tasks

Tell = Callable[[Any], None]


def _work(task: str, tell: Tell) -> str:
    tell(("began", task))
    match task:
        case "abort":
            faulthandler.disable()  # pytest's own would print the stack of a death that is meant
            os.kill(os.getpid(), signal.SIGABRT)
        case "exit":
            os._exit(7)
        case "stop":
            raise Stop(Exit.UNWRITABLE, "disk full")
        case "bug":
            raise ZeroDivisionError
        case "sleep":
            time.sleep(60)
    return task.upper()


@pytest.fixture(params=["fork", "spawn"] if sys.platform == "linux" else ["spawn"])
def start_method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(workers, "_START", request.param)
    return str(request.param)


@pytest.mark.usefixtures("start_method")
@pytest.mark.parametrize("crew", [1, 3])
def test_a_task_that_kills_its_worker_costs_only_itself(crew: int) -> None:
    tasks = ["a", "abort", "b", "exit", "c"]
    results = dict(run_tasks(_work, tasks, workers=crew))
    assert results == {
        0: "A",
        1: WorkerCrashed(f"killed by signal {int(signal.SIGABRT)}"),
        2: "B",
        3: WorkerCrashed("ended by itself with code 7"),
        4: "C",
    }


def test_what_a_worker_says_on_the_way_is_heard_with_its_task() -> None:
    heard: list[tuple[int, Any]] = []
    list(run_tasks(_work, ["a", "b"], workers=2, on_message=lambda task, message: heard.append((task, message))))
    assert sorted(heard) == [(0, ("began", "a")), (1, ("began", "b"))]


def test_a_stop_in_a_worker_stops_the_run() -> None:
    with pytest.raises(Stop, match="disk full"):
        list(run_tasks(_work, ["stop", "a"], workers=1))


def test_an_unexpected_error_is_a_bug_with_its_traceback_and_costs_only_its_task() -> None:
    results = dict(run_tasks(_work, ["bug", "a"], workers=1))
    assert results[1] == "A"
    bug = results[0]
    assert isinstance(bug, Bug)
    assert "ZeroDivisionError" in bug.traceback
    assert "this is a bug" in bug.problem().message


def test_leaving_early_ends_the_workers_at_once() -> None:
    results = run_tasks(_work, ["a", "sleep"], workers=2)
    assert next(results) == (0, "A")
    results.close()
    assert multiprocessing.active_children() == []
