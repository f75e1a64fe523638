"""The same run on a real Dask cluster of this machine."""

from pathlib import Path

import pytest

from scoresheet.cli.run.workers import Limits, TaskFailure
from tests.cli.conftest import Study

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")  # of dependencies

# Workers cannot import this file, so tasks are texts. This one kills its worker the first time.
KILL_ONCE = """(lambda path, os: path.exists() or (path.touch(), os.kill(os.getpid(), 9)))(
    __import__("pathlib").Path({path!r}), __import__("os"))"""


def reports(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix in (".csv", ".xlsx")}


def test_a_cluster_writes_the_same_bytes(study: Study) -> None:
    rows = [(f"q{n}", n / 20) for n in range(20)]
    study.csv("s/a.csv", "item,score", rows)
    study.csv("s/b.csv", "item,score", rows[5:])
    study.text("s/broken.csv", b"\xff\xfe\x00")
    assert study.run("scores", "s", "-o", "here").code == 3
    assert study.run("scores", "s", "-o", "there", "--dask", "local", "-j", "2").code == 3
    found = reports(study.folder / "there")
    assert found == reports(study.folder / "here")
    assert len(found) == 8


def test_a_killed_worker_costs_a_retry_and_an_error_or_a_hang_only_its_task(tmp_path: Path) -> None:
    from scoresheet.cli.run.dask import DaskWorkers

    tasks = [("1 + 1",), (KILL_ONCE.format(path=str(tmp_path / "killed")),), ("1 / 0",)]
    ended: list[None] = []
    with DaskWorkers("local", Limits(jobs=2, timeout=30)) as workers:
        results = workers.run(eval, tasks, lambda: ended.append(None))
    assert results[:2] == [2, True]
    assert (tmp_path / "killed").exists()
    assert isinstance(results[2], TaskFailure)
    assert (results[2].reason, "ZeroDivisionError" in results[2].message) == ("error", True)
    assert len(ended) == 3
    with DaskWorkers("local", Limits(jobs=1, timeout=2)) as workers:
        (late,) = workers.run(eval, [("__import__('time').sleep(30)",)])
    assert (late.reason, "longer than 2 seconds" in late.message) == ("time", True)
