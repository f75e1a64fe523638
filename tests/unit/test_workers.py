"""Workers: a task that kills its process costs itself and nothing else."""

from __future__ import annotations

import errno
import faulthandler
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.run import pool as workers
from scoresheet.cli.run.allowance import Allowance, memory_share
from scoresheet.cli.run.pool import Bug, OverAllowance, WorkerCrashed, run_tasks

Tell = Callable[[Any], None]


_HOARD: list[bytearray] = []  # what a worker keeps of one task while it does the next


def _work(task: str, tell: Tell) -> str:  # noqa: C901 - a case for each way to end
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
        case "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "stopped while it answers":
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGSTOP)).start()
            return "x" * 200_000_000
        case "greedy":
            return str(len(bytearray(600 * 2**20)))
        case "no handles":
            raise OSError(errno.EMFILE, "Too many open files")
        case "hoard":
            _HOARD.append(bytearray(150 * 2**20))
    return task.upper()


@pytest.fixture(params=["fork", "spawn"] if sys.platform == "linux" else ["spawn"])
def start_method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(workers.START_METHOD, request.param)
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


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a stopped or idle worker be given up soon."""
    for name, seconds in (("STOPPED", 0.5), ("IDLE", 1.0), ("_LEAVING", 1.0), ("_TICK", 0.05)):
        monkeypatch.setattr(workers, name, seconds)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no such signal here")
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("task", ["stopped", "stopped while it answers"])
def test_a_stopped_worker_is_given_up_and_the_others_go_on(task: str) -> None:
    results = dict(run_tasks(_work, ["a", task, "b"], workers=1))
    assert (results[0], results[2]) == ("A", "B")
    assert isinstance(results[1], WorkerCrashed)
    assert "stopped by a signal" in results[1].problem().message


@pytest.mark.usefixtures("soon")
def test_a_worker_that_does_nothing_is_given_up() -> None:
    results = dict(run_tasks(_work, ["sleep", "a"], workers=1))
    assert results[1] == "A"
    assert isinstance(results[0], WorkerCrashed)
    assert "doing nothing" in results[0].how


@pytest.mark.usefixtures("soon")
def test_a_task_over_its_time_is_ended_and_told_how_to_have_more() -> None:
    results = dict(run_tasks(_work, ["sleep", "a"], workers=1, allowance=Allowance(seconds=0.8)))
    assert results[1] == "A"
    over = results[0]
    assert isinstance(over, OverAllowance)
    assert over.problem().kind == "timed-out"
    assert "--timeout 2" in over.problem().message


def test_only_large_tasks_have_a_deadline_of_hours_by_default() -> None:
    assert Allowance().seconds_for(2**20) == 86_400
    assert 3_600 < Allowance().seconds_for(100 * 2**20) < 86_400


@pytest.mark.usefixtures("soon")
def test_stopped_workers_do_not_keep_a_run_from_being_left() -> None:
    results = run_tasks(_work, ["a", "stopped"], workers=2)
    assert next(results) == (0, "A")
    time.sleep(0.2)
    results.close()
    for child in multiprocessing.active_children():  # it was killed, and a busy machine takes its time
        child.join(30)
    assert multiprocessing.active_children() == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system's own limit is Linux's")
def test_a_task_over_its_memory_costs_itself_and_is_no_bug() -> None:
    results = dict(run_tasks(_work, ["a", "greedy", "b"], workers=1, allowance=Allowance(memory=200 * 2**20)))
    assert (results[0], results[2]) == ("A", "B")
    over = results[1]
    assert isinstance(over, OverAllowance)
    assert over.problem().kind == "out-of-memory"
    assert "200 MiB" in over.how
    assert "--max-memory 1024" in over.how


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system's own limit is Linux's")
def test_a_task_does_not_fail_for_what_the_one_before_it_kept() -> None:
    results = dict(run_tasks(_work, ["hoard", "hoard", "hoard"], workers=1, allowance=Allowance(memory=200 * 2**20)))
    assert results == dict.fromkeys(range(3), "HOARD")


def test_where_the_system_has_no_limit_the_parent_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "limit_own_memory", lambda _bytes: None)
    monkeypatch.setattr(workers, "_TICK", 0.01)
    results = dict(run_tasks(_growing, ["a"], workers=1, allowance=Allowance(memory=200 * 2**20)))
    assert isinstance(results[0], OverAllowance)


def _growing(_task: str, _tell: Tell) -> int:
    held = [b"x" * (50 * 2**20 + number) for number in range(10)]
    time.sleep(5)
    return len(held)


def test_what_the_system_is_short_of_is_no_bug() -> None:
    (short,) = dict(run_tasks(_work, ["no handles"], workers=1)).values()
    assert isinstance(short, OverAllowance)
    assert "ulimit -n" in short.problem().message


def test_an_answer_of_any_size_arrives_whole() -> None:
    assert dict(run_tasks(_repeated, [0, 14_998, 15_000, 1_000_000], workers=2)) == {
        place: "x" * count for place, count in enumerate([0, 14_998, 15_000, 1_000_000])
    }


def test_large_arrays_arrive_as_they_were_and_can_be_written_to() -> None:
    sizes = [0, 3, 200_000]
    for place, answer in run_tasks(_arrays, sizes, workers=1):
        assert isinstance(answer, tuple)
        first, between, second = answer
        assert first.tolist() == list(range(sizes[place]))
        assert between == "between"
        assert second.shape == (2, sizes[place])
        second[:] = 1


def _arrays(count: int, _tell: Tell) -> tuple[Any, str, Any]:
    return np.arange(count), "between", np.zeros((2, count))


def _repeated(count: int, _tell: Tell) -> str:
    return "x" * count


def test_how_workers_are_started_is_one_of_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(workers.START_METHOD, "thread")
    with pytest.raises(Stop, match=r"SCORESHEET_START_METHOD cannot be 'thread': here it is .*spawn") as stopped:
        list(run_tasks(_work, ["a"], workers=1))
    assert stopped.value.code == Exit.USAGE


class _Unloadable:
    """Work that ends the process which is to do it."""

    def __reduce__(self) -> tuple[Callable[[int], Any], tuple[int]]:
        return os._exit, (3,)

    def __call__(self, task: str, _tell: Tell) -> str:
        return task


def test_a_worker_that_never_began_is_not_held_against_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(workers.START_METHOD, "spawn")
    (crashed,) = dict(run_tasks(_Unloadable(), ["a"], workers=1)).values()
    assert isinstance(crashed, WorkerCrashed)
    assert "before it began" in crashed.problem().message
    assert "damaged" not in crashed.problem().message


@pytest.mark.usefixtures("soon")
def test_the_time_of_a_task_begins_when_its_worker_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(workers.START_METHOD, "spawn")  # which takes longer than the task may
    assert dict(run_tasks(_work, ["a"], workers=1, allowance=Allowance(seconds=0.4))) == {0: "A"}


UNGUARDED = """
import operator
from scoresheet.cli.run.pool import run_tasks
print("once", flush=True)
print(dict(run_tasks(operator.is_, [1], workers=1)))
"""


def test_a_program_without_the_guard_for_spawn_is_not_run_by_its_workers(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(UNGUARDED, encoding="utf-8")
    words = [sys.executable, str(tmp_path / "program.py")]
    env = os.environ | {workers.START_METHOD: "spawn"}
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("once\n{0: False}\n", "")


def test_each_worker_gets_its_part_of_the_memory() -> None:
    assert 0 < memory_share(4) <= memory_share(1) / 3.9
