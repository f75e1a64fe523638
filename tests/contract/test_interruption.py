"""What is left when a run is interrupted?"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from .files import COMMAND, LOCK, MANIFEST, Place, digests, write_csv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

IDIOMS = 40
ROWS = 8_000
WORDS = 400
PATIENCE = 60.0


def long_text(rng: random.Random) -> str:
    """Many words of a small vocabulary, so that there is something to compare."""
    return " ".join(rng.choices([f"word{i}" for i in range(300)], k=WORDS))


def lengthen(place: Place) -> None:
    """Replace the inputs by ones that take a while."""
    rng = random.Random(0)
    references = [(f"idiom {i}", long_text(rng)) for i in range(IDIOMS)]
    write_csv(place.refs / "all.csv", [("idiom", "explanation"), *references])
    rows = [(f"idiom {i % IDIOMS}", long_text(rng)) for i in range(ROWS)]
    write_csv(place.outs / "m.csv", [("Idiom", "Prediction"), *rows])
    write_csv(place.outs / "n.csv", [("Idiom", "Prediction"), *rows])


def started(place: Place) -> subprocess.Popen[bytes]:
    """A run in a process group of its own that has taken the results folder and begun to work."""
    (place.res / LOCK).unlink(missing_ok=True)
    words = [*COMMAND, "sinfo", "outs", "refs", "-o", "res"]
    run = subprocess.Popen(
        words, cwd=place.root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    limit = time.monotonic() + PATIENCE
    while not (place.res / LOCK).exists():
        assert run.poll() is None, "the run was over before it took its lock"
        assert time.monotonic() < limit
        time.sleep(0.01)
    time.sleep(0.4)
    assert run.poll() is None, "the run was over before it could be interrupted: make it longer"
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
