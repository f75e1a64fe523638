"""A commit survives kills, full disks, signals and other runs: no report is ever torn."""

import errno
import io
import os
import random
import signal
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

import pytest

from scoresheet.cli.run.results_folder import open_results, read_manifest, sha256_of

from .conftest import on_linux, start

pytestmark = on_linux

REPORTS = ("a.csv", "b.csv", "a.xlsx", "b.xlsx", "figures/a.png", "metrics.json")
STEPS = {"open", "os.rename", "os.remove", "os.mkdir"}  # events of the interpreter


def content(name: str, version: int) -> bytes:
    """Return a report that is wholly of one version, larger than a page; also a zip."""
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w") as archive:
        archive.writestr(zipfile.ZipInfo("sheet1.xml"), f"{name} {version} " * 2000)
    return book.getvalue()


def run(
    folder: Path,
    version: int,
    wait: float = 10,
    during: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> None:
    with open_results(folder, "sinfo", wait=wait, inputs=[]) as results:
        (results.staging / "figures").mkdir()
        for name in REPORTS:
            (results.staging / name).write_bytes(content(name, version))
        with during():
            results.commit({"command": "sinfo", "version": version})


def assert_whole(folder: Path, *expected: int, manifest: bool | None = None) -> None:
    """Check that no report is torn or missing, and that a manifest lists exactly these."""
    found = set()
    for name in REPORTS:
        data = (folder / name).read_bytes()
        found |= {next(v for v in range(200) if data == content(name, v))}
    assert found <= set(expected)
    record = read_manifest(folder / "manifest.json")
    assert manifest in (None, record is not None)
    if record is not None:  # it is there only if all reports belong together
        assert found == {record["version"]}
        assert record["outputs"] == {name: sha256_of(folder / name) for name in REPORTS}


def assert_repaired(folder: Path, version: int) -> None:
    run(folder, version)
    assert_whole(folder, version, manifest=True)
    assert not list(folder.glob(".scoresheet-staging-*"))


def code_of(function: Callable[..., None], *args: Any) -> Any:
    process = start(function, *args)
    process.join(20)
    return process.exitcode


def run_with_fault(folder: Path, step: int, kind: str) -> Any:
    """Return the exit code of a run with a fault just before a step of its commit."""
    seen: list[str] = []
    active, real_fsync = False, os.fsync

    def count(event: str, place: object) -> None:
        if active and str(place).startswith(str(folder)):
            seen.append(f"{event} {Path(str(place)).name}")
            if len(seen) == step and kind.startswith("SIG"):
                os.kill(os.getpid(), getattr(signal, kind))
            elif len(seen) == step:
                raise OSError(getattr(errno, kind), "injected")

    def audit(event: str, args: tuple[object, ...]) -> None:
        if event in STEPS:
            count(event, args[0])

    def fsync(descriptor: Any) -> None:
        count("fsync", Path(f"/proc/self/fd/{descriptor}").readlink())
        real_fsync(descriptor)

    @contextmanager
    def during() -> Iterator[None]:
        nonlocal active
        sys.addaudithook(audit)
        active, os.fsync = True, cast("Any", fsync)
        try:
            yield
        finally:
            active = False
        (folder.parent / "steps").write_text("\n".join(seen))

    return code_of(run, folder, 2, 0, during)


def steps_of_a_commit(tmp_path: Path) -> tuple[list[str], int, int]:
    """Return all steps, and the numbers of those that remove and put in place a manifest."""
    run(tmp_path / "counting", 1)
    assert run_with_fault(tmp_path / "counting", 0, "") == 0
    steps = (tmp_path / "steps").read_text().splitlines()
    last = {step: number for number, step in enumerate(steps, 1)}
    return steps, last["os.remove manifest.json"], last["os.rename manifest.json"]


def test_sixty_kills_at_random_moments_tear_no_report(tmp_path: Path) -> None:
    def runs(folder: Path) -> None:
        for version in range(1, 101):
            run(folder, version)

    chance = random.Random(0)
    run(tmp_path, 0)
    for _ in range(60):
        process = start(runs, tmp_path)
        time.sleep(chance.uniform(0.001, 0.08))
        process.kill()
        process.join()
        assert_whole(tmp_path, *range(101))
    assert_repaired(tmp_path, 150)


@pytest.mark.parametrize("fresh", [False, True])
def test_a_kill_at_each_step_of_a_commit_tears_no_report(tmp_path: Path, fresh: bool) -> None:
    steps, _, _ = steps_of_a_commit(tmp_path)
    for name in map(os.path.basename, REPORTS):  # on the disk before it is in place
        assert steps.index(f"fsync {name}") < steps.index(f"os.rename {name}")
    for step in range(1, len(steps) + 1):
        folder = tmp_path / f"at-{step}"
        if not fresh:
            run(folder, 1)
        assert run_with_fault(folder, step, "SIGKILL") == -signal.SIGKILL
        if not fresh:
            assert_whole(folder, 1, 2)
        assert_repaired(folder, 3)


def test_a_write_error_before_the_commit_point_leaves_everything_old(tmp_path: Path) -> None:
    steps, removal, last = steps_of_a_commit(tmp_path)
    for step, name in enumerate(steps, 1):
        folder = tmp_path / f"at-{step}"
        run(folder, 1)
        code = run_with_fault(folder, step, ("ENOSPC", "EIO", "EACCES")[step % 3])
        if name.startswith("os.mkdir"):
            assert code == 0  # the folder was there already
            continue
        assert code == 5
        if step <= removal:
            assert_whole(folder, 1, manifest=True)
        else:
            assert_whole(folder, 1, 2, manifest=step > last)
        assert_repaired(folder, 3)


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_before_the_commit_leaves_all_old_and_during_it_all_new(
    tmp_path: Path, name: str, code: int
) -> None:
    _, removal, last = steps_of_a_commit(tmp_path)
    for step, expected in [(1, 1), (removal, 2), (removal + 3, 2), (last, 2)]:
        folder = tmp_path / f"at-{step}"
        run(folder, 1)
        assert run_with_fault(folder, step, name) == code
        assert_whole(folder, expected, manifest=True)
        assert not list(folder.glob(".scoresheet-staging-*"))


@pytest.mark.parametrize("wait", [0, 20])
def test_of_two_runs_at_once_one_waits_or_ends_with_75(tmp_path: Path, wait: int) -> None:
    @contextmanager
    def slowly() -> Iterator[None]:
        time.sleep(0.05)
        yield

    for pair in range(5):
        folder = tmp_path / str(pair)
        processes = [start(run, folder, version, wait, slowly) for version in (1, 2)]
        for process in processes:
            process.join(30)
        codes = sorted(process.exitcode for process in processes)
        assert codes in ([[0, 75], [0, 0]] if wait == 0 else [[0, 0]])
        assert_whole(folder, 1, 2, manifest=True)


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    code = code_of(lambda: os.kill(os.getpid(), signal.SIGHUP))
    signal.signal(signal.SIGHUP, before)
    assert code == 0
