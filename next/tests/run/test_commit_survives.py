"""A commit survives kills, full disks, signals and other runs: no report is ever torn."""

import errno
import io
import multiprocessing
import os
import random
import signal
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from scoresheet.cli.run.manifest import read_manifest, sha256_of
from scoresheet.cli.run.results_folder import Busy, WriteFailed, open_results
from scoresheet.cli.run.signals import Interrupted, interruptible

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="kills forked processes"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]

REPORTS = ("a.csv", "b.csv", "a.xlsx", "b.xlsx", "figures/a.png", "metrics.json")
STEPS = {"open", "os.rename", "os.remove", "os.mkdir"}  # events of the interpreter


def content(name: str, version: int) -> bytes:
    """Return a report that is wholly of one version, larger than a page."""
    body = f"{name} {version} ".encode() * 2000
    if not name.endswith(".xlsx"):
        return body
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr(zipfile.ZipInfo("sheet1.xml"), body)
    return book.getvalue()


def run(folder: Path, version: int, wait: float = 10, pause: float = 0) -> None:
    with open_results(folder, "sinfo", wait=wait, inputs=[]) as results:
        (results.staging / "figures").mkdir()
        for name in REPORTS:
            (results.staging / name).write_bytes(content(name, version))
        time.sleep(pause)
        results.commit({"command": "sinfo", "version": version})


def versions(folder: Path) -> dict[str, int]:
    """Return the version of every report; a report that is torn or missing is an error."""
    found = {}
    for name in REPORTS:
        data = (folder / name).read_bytes()
        [found[name]] = [v for v in range(200) if data == content(name, v)]
    return found


def assert_whole(folder: Path, *expected: int) -> None:
    found = set(versions(folder).values())
    assert found <= set(expected)
    manifest = read_manifest(folder / "manifest.json")
    if manifest is not None:  # it is there only if all reports belong together
        assert found == {manifest["version"]}
        assert manifest["outputs"] == {name: sha256_of(folder / name) for name in REPORTS}


def assert_repaired(folder: Path, version: int) -> None:
    run(folder, version)
    assert_whole(folder, version)
    assert read_manifest(folder / "manifest.json") is not None
    assert not list(folder.glob(".scoresheet-staging-*"))


def exit_code(function: Callable[..., None], *args: Any) -> None:
    try:
        with interruptible():
            function(*args)
    except Interrupted as error:
        sys.exit(error.exit_code)
    except Busy:
        sys.exit(75)
    except WriteFailed:
        sys.exit(5)


def start(function: Callable[..., None], *args: Any) -> Any:
    context = multiprocessing.get_context("fork")
    process = context.Process(target=exit_code, args=(function, *args))
    process.start()
    return process


def code_of(function: Callable[..., None], *args: Any) -> int:
    process = start(function, *args)
    process.join(20)
    assert isinstance(process.exitcode, int)
    return process.exitcode


def fault(kind: str) -> None:
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif kind.startswith("SIG"):
        os.kill(os.getpid(), getattr(signal, kind))
    else:
        raise OSError(getattr(errno, kind), "injected")


def run_with_fault(folder: Path, version: int, step: int, kind: str, counted: Path) -> None:
    """Run once and cause the fault just before the given step of the commit."""
    seen: list[str] = []

    def count(event: str, place: object) -> None:
        if str(place).startswith(str(folder)):
            seen.append(f"{event} {Path(str(place)).name}")
            if len(seen) == step:
                fault(kind)

    def audit(event: str, args: tuple[object, ...]) -> None:
        if event in STEPS and active:
            count(event, args[0])

    def fsync(descriptor: Any) -> None:
        count("fsync", Path(f"/proc/self/fd/{descriptor}").readlink())
        real_fsync(descriptor)

    active, real_fsync = False, os.fsync
    sys.addaudithook(audit)
    with open_results(folder, "sinfo", wait=0, inputs=[]) as results:
        (results.staging / "figures").mkdir()
        for name in REPORTS:
            (results.staging / name).write_bytes(content(name, version))
        active, os.fsync = True, cast("Any", fsync)
        try:
            results.commit({"command": "sinfo", "version": version})
        finally:
            active, os.fsync = False, real_fsync
    counted.write_text("\n".join(seen))


def steps_of_a_commit(tmp_path: Path) -> list[str]:
    folder, counted = tmp_path / "counting", tmp_path / "counted"
    run(folder, 1)
    assert code_of(run_with_fault, folder, 2, 0, "kill", counted) == 0
    return counted.read_text().splitlines()


def number_of(step: str, steps: list[str]) -> int:
    """Return the number of the last step of this name, counted from 1."""
    return len(steps) - steps[::-1].index(step)


def test_sixty_kills_at_random_moments_tear_no_report(tmp_path: Path) -> None:
    def runs(folder: Path, first: int) -> None:
        for version in range(first, first + 100):
            run(folder, version)

    chance = random.Random(0)
    run(tmp_path, 0)
    for _ in range(60):
        process = start(runs, tmp_path, 1)
        time.sleep(chance.uniform(0.001, 0.08))
        process.kill()
        process.join()
        assert_whole(tmp_path, *range(101))
    assert_repaired(tmp_path, 150)


@pytest.mark.parametrize("fresh", [False, True])
def test_a_kill_at_each_step_of_a_commit_tears_no_report(tmp_path: Path, fresh: bool) -> None:
    steps = steps_of_a_commit(tmp_path)
    for name in map(os.path.basename, REPORTS):  # on the disk before it is in place
        assert steps.index(f"fsync {name}") < steps.index(f"os.rename {name}")
    for step in range(1, len(steps) + 1):
        folder = tmp_path / f"at-{step}"
        if not fresh:
            run(folder, 1)
        code = code_of(run_with_fault, folder, 2, step, "kill", tmp_path / "counted")
        assert code == -signal.SIGKILL
        if not fresh:
            assert_whole(folder, 1, 2)
        assert_repaired(folder, 3)


def test_a_write_error_before_the_commit_point_leaves_everything_old(tmp_path: Path) -> None:
    steps = steps_of_a_commit(tmp_path)
    removal = number_of("os.remove manifest.json", steps)
    last = number_of("os.rename manifest.json", steps)
    for step in range(1, len(steps) + 1):
        folder = tmp_path / f"at-{step}"
        run(folder, 1)
        kind = ("ENOSPC", "EIO", "EACCES")[step % 3]
        code = code_of(run_with_fault, folder, 2, step, kind, tmp_path / "counted")
        if steps[step - 1].startswith("os.mkdir"):
            assert code == 0  # the folder was there already
            continue
        assert code == 5
        assert_whole(folder, 1, 2)
        if step <= removal:
            assert_whole(folder, 1)
            assert read_manifest(folder / "manifest.json") is not None
        elif step <= last:
            assert not (folder / "manifest.json").exists()
        assert_repaired(folder, 3)


def test_a_failed_replacement_of_the_third_report_leaves_each_old_or_new(tmp_path: Path) -> None:
    steps = steps_of_a_commit(tmp_path)
    third = number_of(f"os.rename {sorted(REPORTS)[2]}", steps)
    folder = tmp_path / "results"
    run(folder, 1)
    assert code_of(run_with_fault, folder, 2, third, "EACCES", tmp_path / "counted") == 5
    assert sorted(versions(folder).values()) == [1, 1, 1, 1, 2, 2]
    assert not (folder / "manifest.json").exists()
    assert_repaired(folder, 3)


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_before_the_commit_leaves_all_old_and_during_it_all_new(
    tmp_path: Path, name: str, code: int
) -> None:
    steps = steps_of_a_commit(tmp_path)
    removal = number_of("os.remove manifest.json", steps)
    last = number_of("os.rename manifest.json", steps)
    for step, expected in [(1, 1), (removal, 2), (removal + 3, 2), (last, 2)]:
        folder = tmp_path / f"at-{step}"
        run(folder, 1)
        assert code_of(run_with_fault, folder, 2, step, name, tmp_path / "counted") == code
        assert_whole(folder, expected)
        assert read_manifest(folder / "manifest.json") is not None
        assert not list(folder.glob(".scoresheet-staging-*"))


@pytest.mark.parametrize("wait", [0, 20])
def test_of_two_runs_at_once_one_waits_or_ends_with_75(tmp_path: Path, wait: int) -> None:
    for pair in range(5):
        folder = tmp_path / str(pair)
        first, second = (start(run, folder, version, wait, 0.05) for version in (1, 2))
        first.join(30)
        second.join(30)
        codes = sorted([first.exitcode, second.exitcode])
        assert codes in ([[0, 75], [0, 0]] if wait == 0 else [[0, 0]])
        assert_whole(folder, 1, 2)
        assert read_manifest(folder / "manifest.json") is not None


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    def survive() -> None:
        os.kill(os.getpid(), signal.SIGHUP)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        assert code_of(survive) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
