"""A task that is killed, hangs or needs too much memory costs only itself."""

import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.run.workers import Limits, TaskFailure, Workers

from .conftest import on_linux, start

pytestmark = on_linux

LIMITS = Limits(jobs=2, timeout=60, memory_mb=300)


class Panic(BaseException):
    """Like a panic in a Rust extension, this is not an Exception."""


def panic() -> None:
    raise Panic("at the disco")


def send(name: str) -> Callable[[], None]:
    return lambda: os.kill(os.getpid(), getattr(signal, name))


# What the task does, and how it is reported.
FAULTS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "killed": (send("SIGKILL"), "died", "signal 9"),
    "crashed": (send("SIGSEGV"), "died", "signal 11"),
    "exited": (lambda: os._exit(3), "died", "exit code 3"),
    "hanging": (lambda: time.sleep(60), "time", "longer than 2 seconds"),
    "stopped": (send("SIGSTOP"), "time", "longer than 2 seconds"),
    "large object": (lambda: bytearray(2**31), "memory", "more memory"),
    "many objects": (lambda: [bytes(10**4) for _ in range(10**6)], "memory", "more memory"),
    "full disk": (lambda: Path("/dev/full").write_text("x"), "disk", "No space left"),
    "panic": (panic, "error", "Panic: at the disco"),
    "exception": (lambda: {"a": 1}["b"], "error", "KeyError: 'b'"),
    "result that cannot be sent": (threading.Lock, "error", "pickle"),
}


def square(number: int, fault: str = "", seconds: float = 0) -> Any:
    time.sleep(seconds)
    return FAULTS[fault][0]() if fault else number * number


def process_id(_: int) -> int:
    time.sleep(0.05)  # long enough for every worker to get a task
    return os.getpid()


def note_and_sleep(folder: Path) -> None:
    (folder / str(os.getpid())).touch()
    time.sleep(60)


def speak(number: int) -> int:
    for stream, descriptor in ((sys.stdout, 1), (sys.stderr, 2)):
        stream.write("text")
        os.write(descriptor, b"bytes")
    return number


def allocate(mb: int) -> int:
    return len(bytearray(mb * 2**20))


def results_of(function: Callable[..., Any], tasks: Iterable[Any], limits: Limits) -> list[Any]:
    with Workers(limits) as workers:
        return workers.run(function, [(task,) for task in tasks])


@pytest.mark.parametrize("fault", FAULTS)
def test_one_bad_task_among_twenty_costs_only_itself(fault: str) -> None:
    ended: list[None] = []
    tasks = [(number, fault if number == 11 else "") for number in range(20)]
    _, reason, message = FAULTS[fault]
    with Workers(replace(LIMITS, timeout=2 if reason == "time" else 60)) as workers:
        results = workers.run(square, tasks, lambda: ended.append(None))
    bad = results.pop(11)
    assert bad.reason == reason
    assert message in bad.message
    assert ("Traceback" in bad.message) == (reason == "error")
    assert results == [number * number for number in range(20) if number != 11]
    assert len(ended) == 20


def test_workers_killed_at_any_moment_cost_at_most_their_task() -> None:
    def kill() -> None:
        while not over.wait(chance.uniform(0, 0.02)):
            for process in multiprocessing.active_children()[:1]:
                with suppress(ProcessLookupError):
                    os.kill(process.pid or 0, signal.SIGKILL)
                    kills.append(process.pid)

    over, chance, kills = threading.Event(), random.Random(0), list[Any]()
    killer = threading.Thread(target=kill)
    killer.start()
    with Workers(Limits(jobs=3, timeout=30)) as workers:
        results = workers.run(square, [(number, "", 0.003) for number in range(200)])
    over.set()
    killer.join()
    failed = [result.reason for result in results if isinstance(result, TaskFailure)]
    assert failed == ["died"] * len(failed)  # and not "time": nothing waits for a dead worker
    assert 0 < len(failed) <= len(kills)
    right = sum(result == n * n for n, result in enumerate(results))
    assert right == 200 - len(failed)


def test_workers_are_kept_for_the_next_run_and_replaced_if_killed_while_idle() -> None:
    with Workers(Limits(jobs=2)) as workers:
        tasks = [(number,) for number in range(9)]
        first = set(workers.run(process_id, tasks))
        assert len(first) == 2
        assert set(workers.run(process_id, tasks)) == first
        for pid in first:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(is_alive(pid) for pid in first))
        assert workers.run(square, tasks) == [n * n for n in range(9)]
        assert workers.run(square, []) == []


def test_a_memory_limit_allows_what_is_below_it_again_and_again() -> None:
    assert results_of(allocate, [100] * 6, LIMITS) == [100 * 2**20] * 6
    assert results_of(allocate, [600], Limits()) == [600 * 2**20]  # a share of what is available


def test_a_worker_does_not_write_to_the_screen(capfd: pytest.CaptureFixture[str]) -> None:
    assert results_of(speak, range(4), LIMITS) == list(range(4))
    assert capfd.readouterr() == ("", "")


def test_the_limit_of_open_files_is_reported_for_each_task() -> None:
    import resource

    def run(connection: Any) -> None:
        used = len(list(Path("/proc/self/fd").iterdir()))
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 2, used + 2))
        connection.send(results_of(square, [1, 2], LIMITS))

    receiver, sender = multiprocessing.Pipe(duplex=False)
    start(run, sender)
    results = receiver.recv()
    assert [result.reason for result in results] == ["died", "died"]
    assert "Too many open files" in results[0].message


def sleeping_run(folder: Path) -> None:
    """Be the parent of two sleeping workers, in a process group of its own as in a shell."""
    os.setsid()
    results_of(note_and_sleep, [folder, folder], Limits(jobs=2))


def is_alive(pid: int) -> bool:
    with suppress(OSError):  # Z: dead, and its exit code was not asked for yet
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


@pytest.mark.parametrize("to", ["parent", "group", "parent of stopped workers"])
@pytest.mark.parametrize(("number", "code"), [(9, -9), (2, 130), (15, 143), (1, 129)])
def test_workers_end_with_their_parent(
    tmp_path: Path, number: int, code: int, to: str, capfd: pytest.CaptureFixture[str]
) -> None:
    parent = start(sleeping_run, tmp_path)
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    workers = [int(path.name) for path in tmp_path.iterdir()]
    for pid in workers if "stopped" in to else ():
        os.kill(pid, signal.SIGSTOP)
    (os.killpg if to == "group" else os.kill)(parent.pid, number)
    parent.join(9)
    assert parent.exitcode == code
    wait_until(lambda: not any(is_alive(pid) for pid in workers))
    assert capfd.readouterr() == ("", "")
