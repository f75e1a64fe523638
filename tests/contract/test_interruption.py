"""What is left when a run is interrupted?"""

from __future__ import annotations

import functools
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.files import digests, write_bytes
from tests.helpers.runs import COMMAND, LOCK, MANIFEST, SAID, called_in, environment, forked
from tests.helpers.studies import Place
from tests.helpers.workers import by_spawn

pytestmark = pytest.mark.processes


PATIENCE = 60.0
AT_WORK = "at work"

# read by Python as it starts: each worker says that it has begun, and would then take an hour over its model
ENDLESS = f"""
import pathlib, time
from scoresheet.cli.run import model_worker
def score_model(*_):
    pathlib.Path("{AT_WORK}").touch()
    time.sleep(3600)
model_worker.score_model = score_model
"""


def lengthen(place: Place) -> None:
    """Let another model be there, and each take longer than anybody waits."""
    place.model("m", {})
    place.model("n")
    write_bytes(place.root / "site" / "sitecustomize.py", ENDLESS.encode())


def started(place: Place) -> subprocess.Popen[bytes]:
    """A run in a process group of its own that has taken the results folder and begun to work."""
    words = [*COMMAND, "sinfo", "outs", "refs", "-o", "res"]
    env = environment(PYTHONPATH=str(place.root / "site"))
    run = subprocess.Popen(
        words, cwd=place.root, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    limit = time.monotonic() + PATIENCE
    while not (place.root / AT_WORK).exists():
        assert run.poll() is None, "the run was over before it took its lock"
        assert time.monotonic() < limit
        time.sleep(0.01)
    return run


def nobody_left(group: int) -> bool:
    """No process of this group is alive, after a moment to be reaped in."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def contents(folder: Path) -> dict[str, str]:
    """Digests of the reports, and every other name in the folder but the lock's."""
    names = {path.name: "" for path in folder.iterdir() if path.name != LOCK}
    manifest = (folder / MANIFEST).read_text("utf-8")
    return names | digests(folder) | {MANIFEST: manifest}


def one(group: int, number: int) -> None:
    os.kill(group, number)


CASES: list[tuple[int, Callable[[int, int], None], int]] = [
    (signal.SIGINT, os.killpg, 130),
    (signal.SIGINT, one, 130),
    (signal.SIGTERM, one, 143),
    (signal.SIGTERM, os.killpg, 143),
]


@pytest.mark.parametrize(("number", "send", "code"), CASES, ids=["ctrl-c", "int", "term", "term-group"])
def test_an_interrupted_run_leaves_the_old_reports_and_nothing_else(
    place: Place, number: int, send: Callable[[int, int], None], code: int
) -> None:
    place.references()
    place.model("m")
    assert place.score().code == 0
    before = contents(place.res)
    lengthen(place)
    with started(place) as run:
        send(run.pid, number)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == code
    assert b"Traceback" not in err
    assert contents(place.res) == before
    assert nobody_left(run.pid)


def test_a_killed_run_leaves_the_old_reports_and_the_next_run_sweeps_up(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score().code == 0
    before = digests(place.res)
    lengthen(place)
    with started(place) as run:
        os.killpg(run.pid, signal.SIGKILL)
    after = digests(place.res)
    assert {name: after[name] for name in before} == before
    (place.outs / "n.csv").unlink()
    place.references()
    place.model("m")
    assert place.score().code == 0
    assert digests(place.res) == before


def test_a_run_whose_parent_alone_is_killed_leaves_no_worker_behind_the_lock(place: Place) -> None:
    place.references()
    place.model("m")
    lengthen(place)
    place.res.mkdir()
    with started(place) as run:
        run.kill()
    (place.outs / "n.csv").unlink()
    place.references()
    place.model("m")
    assert place.score("--wait", "60").code == 0
    assert nobody_left(run.pid)


def be_deaf() -> None:
    """Be as a process that nohup started."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_nohup_is_respected(folder: Path) -> None:
    rows = "".join(f"i{number},{'word ' * 150}\n" for number in range(1000))
    (folder / "outs/good.csv").write_text("Idiom,Prediction\n" + rows, encoding="utf-8")
    (folder / "refs/r.csv").write_text("idiom,explanation\n" + rows, encoding="utf-8")
    (folder / "res").mkdir()
    with forked(folder, "sinfo", "outs", "refs", "-o", "res", "-q", prepare=be_deaf) as run:
        while not (folder / "res" / LOCK).exists():
            assert run.is_alive()
            time.sleep(0.01)
        os.kill(run.ident or 0, signal.SIGHUP)
        run.join(PATIENCE)
    assert run.exitcode == 0


def reports(folder: Path) -> dict[str, bytes]:
    """Everything in a results folder but the manifest, which holds times; a folder is nothing but its name."""
    paths = [path for path in folder.iterdir() if path.name != MANIFEST]
    return {path.name: path.read_bytes() if path.is_file() else b"" for path in paths}


SIGNALS = (signal.SIGINT, signal.SIGTERM)  # SIGKILL at any moment: tests/soak


@pytest.mark.parametrize("moments", [20, pytest.param(1_000, marks=pytest.mark.soak)])
def test_a_signal_at_any_moment_leaves_whole_reports_and_no_stage(folder: Path, moments: int) -> None:
    words = ("sinfo", "outs", "refs", "-o", "res", "-q")
    moments //= 2 if by_spawn() else 1  # each costs several times as much
    assert called_in(folder)(*words).code == 0  # here, so that a fork finds all modules loaded
    before, usual = reports(folder / "res"), []
    for _ in range(3):  # the moments are shares of what a run takes, whatever the machine
        started = time.monotonic()
        with forked(folder, *words) as run:
            run.join()
        usual.append(time.monotonic() - started)
    codes = set()
    rng = random.Random(moments)
    for step in range(moments):
        number = SIGNALS[step % len(SIGNALS)]
        with forked(folder, *words) as run:
            time.sleep(max(usual) * rng.uniform(0, 1.1))
            if run.is_alive():
                os.killpg(run.ident or 0, number)
            run.join(PATIENCE)
        codes.add(run.exitcode)
        assert run.exitcode in (0, 130, 143, -number), (folder / SAID[1]).read_text("utf-8")
        if run.exitcode != -number:  # which comes before the tool is there to hear it
            # the empty file of the lock stays where a signal came right after it was made; it locks nobody out
            left = {name: data for name, data in reports(folder / "res").items() if name != ".scoresheet.lock"}
            assert left == before, "a run that is asked to stop leaves the old reports, and no stage"
    assert codes >= {130, 143}, "no signal came while the tool was at work"


STEPS = "steps"  # where a run says how many it took
# what a kill can come between; whether a file was synced matters to a machine that stops, not to a process
CHANGING = ("replace", "rename", "link", "unlink", "rmdir", "mkdir")


def die_at(step: int) -> None:
    """Let this process, and its workers with it, be killed right before its so manieth call that changes a disk."""
    me, taken = os.getpid(), 0

    def counted(call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        nonlocal taken
        if os.getpid() == me:
            taken += 1
            if taken == step:
                os.killpg(0, signal.SIGKILL)
            with open(STEPS, "w") as stream:  # noqa: PTH123 - no call that is counted
                stream.write(str(taken))
        return call(*given, **named)

    for name in CHANGING:
        setattr(os, name, functools.partial(counted, getattr(os, name)))


def kept(folder: Path) -> dict[str, str]:
    """The digest of each report, the kept outcomes among them; what begins with a dot is the tool's own."""
    return {name: digest for name, digest in digests(folder).items() if not name.startswith(".")}


def test_a_kill_before_each_step_of_a_run_that_lets_a_model_stand_leaves_each_report_old_or_new(place: Place) -> None:
    words = ("sinfo", "outs", "refs", "-o", "res", "-q")
    place.references()
    place.model("same")
    place.model("other")
    assert place.score("-q").code == 0
    old, saved = kept(place.res), place.root / "saved"
    shutil.copytree(place.res, saved)
    place.model("other", {"break the ice": "something else"})
    with forked(place.root, *words, prepare=functools.partial(die_at, 0)) as run:
        run.join(PATIENCE)
    assert run.exitcode == 0
    assert json.loads((place.res / MANIFEST).read_bytes())["unchanged"] == ["same"]
    new = kept(place.res)
    assert {name for name in new if old.get(name) == new[name]} >= {"same_s_info.xlsx", "same_s_info.csv"}
    steps = int((place.root / STEPS).read_text("utf-8"))
    assert steps > 20
    seen = set()
    for step in range(1, steps + 1):
        shutil.rmtree(place.res)
        shutil.copytree(saved, place.res)
        with forked(place.root, *words, prepare=functools.partial(die_at, step)) as run:
            run.join(PATIENCE)
        assert run.exitcode == -signal.SIGKILL
        left = kept(place.res)
        assert {name: left.get(name) for name in old if old[name] == new.get(name)}.items() <= old.items()
        assert all(left.get(name) in (old.get(name), new.get(name)) for name in {*old, *new, *left}), step
        manifest = place.res / MANIFEST
        listed = (
            {each["file"]: each["sha256"] for each in json.loads(manifest.read_bytes())["outputs"]}
            if manifest.exists()
            else {}
        )
        assert listed.items() <= left.items(), step  # a manifest lists what is there
        seen.add("old" if left == old else "new" if left == new else "some of both")
        if step % 8 == 0 or left not in (old, new):
            assert place.score("-q").code == 0
            assert kept(place.res) == new
    assert {"old", "some of both"} <= seen
