"""Models worked on by a Dask cluster: the bytes of a run on one machine, whatever happens to its workers."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.commands import command_names
from scoresheet.cli.exits import Exit, Interrupted
from scoresheet.cli.input.manifests import MANIFEST
from scoresheet.cli.run.engines import dask_engine
from scoresheet.cli.run.engines.foreman import Seen
from scoresheet.cli.run.pool import START_METHOD
from scoresheet.cli.run.provenance import fingerprint
from tests.helpers.files import read_csv
from tests.helpers.runs import Run, called_in

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="it looks for processes where Linux shows them"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),  # of a cluster that is left
]

MODELS = 4
SAMPLES = Path(__file__).resolve().parents[2] / "data"


class Cluster:
    """Two Dask workers, each a process, and what is done to them."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self.address = str(cluster.scheduler_address)

    def workers(self) -> list[int]:
        """The processes of the Dask workers; a nanny has one each."""
        return [nanny.pid for nanny in self._cluster.workers.values() if nanny.pid]

    def foremen(self) -> list[int]:
        """The processes beside them."""
        return [child for worker in self.workers() for child in children(worker)]


def children(process: int) -> list[int]:
    """The children of a process, whichever of its threads started them; asked for often, so it must be cheap."""
    found: list[int] = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # a thread may end any time
            found += map(int, path.read_text("ascii").split())
    return found


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    from distributed import LocalCluster

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(START_METHOD, "fork")  # tests find those that read as the children of those that forked them
        with LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as started:
            yield Cluster(started)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models and references, scored on one machine into `local`."""
    root = tmp_path_factory.mktemp("study")
    (root / "outs").mkdir()
    (root / "refs").mkdir()
    lines = [f"i{row},answer number {row} of many words\n" for row in range(400)]
    for number in range(MODELS):
        (root / f"outs/m{number}.csv").write_text("Idiom,Prediction\n" + "".join(lines[number:]), "utf-8")
    (root / "outs/bad.csv").write_text("Idiom,Prediction\na,one\nb,two,three,four\n", "utf-8")
    (root / "refs/r.csv").write_text("idiom,explanation\n" + "".join(lines), "utf-8")
    assert called_in(root)("sinfo", "outs", "refs", "-o", "local", "-q").code == Exit.PARTIAL
    return root


def scored(study: Path, cluster: Cluster, *more: str, outputs: str = "outs") -> Callable[[], tuple[int, str]]:
    """A run on the cluster, into a folder of its own."""

    def call() -> tuple[int, str]:
        words = ("sinfo", outputs, "refs", "-o", "there", "--fresh", "--scheduler", cluster.address, *more)
        result = called_in(study, processes=True)(*words)
        return result.code, result.err

    return call


def contents(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@contextmanager
def meanwhile(act: Callable[[], bool]) -> Iterator[threading.Event]:
    """Try something again and again in another thread, until it is done once."""
    done, over = threading.Event(), threading.Event()

    def watch() -> None:
        while not over.is_set() and not done.is_set():
            if act():
                done.set()
            time.sleep(0.01)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()


def test_a_cluster_gives_the_same_bytes_and_nobody_stays_behind(study: Path, cluster: Cluster) -> None:
    code, said = scored(study, cluster, "-j", "1")()
    assert code == Exit.PARTIAL, said
    assert contents(study / "there") == contents(study / "local")
    assert not cluster.foremen()


@pytest.mark.soak
@pytest.mark.parametrize("command", command_names())
def test_every_command_gives_the_same_bytes_on_its_sample_data(command: str, cluster: Cluster, tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "data")
    here = called_in(tmp_path)(command, "-o", "local")
    there = called_in(tmp_path, processes=True)(command, "-o", "there", "--scheduler", cluster.address)
    assert (there.code, there.out) == (here.code, here.out), there.err
    assert contents(tmp_path / "there") == contents(tmp_path / "local")


def test_a_dask_worker_that_is_killed_in_mid_run_costs_nothing(study: Path, cluster: Cluster) -> None:
    victims: list[int] = []

    def kill_the_first_at_work() -> bool:
        victims[:] = [worker for worker in cluster.workers() if children(worker)][:1]
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        return bool(victims)

    with meanwhile(kill_the_first_at_work) as killed:
        code, said = scored(study, cluster)()
    assert killed.is_set()
    assert code == Exit.PARTIAL, said
    assert contents(study / "there") == contents(study / "local")


def test_a_parser_that_dies_costs_its_file_and_not_the_dask_worker(study: Path, cluster: Cluster) -> None:
    before = set(cluster.workers())

    def kill_one_that_reads() -> bool:
        for reader in (child for foreman in cluster.foremen() for child in children(foreman)):
            os.kill(reader, signal.SIGKILL)
            return True
        return False

    with meanwhile(kill_one_that_reads) as killed:
        code, said = scored(study, cluster, "-j", "1", outputs="outs/m*.csv")()
    assert killed.is_set()
    assert code == Exit.PARTIAL, said
    died = [line for line in read_csv(study / "there/problems.csv") if line["kind"] == "worker-died"]
    statuses = [line["Status"] for line in read_csv(study / "there/s_info_results.csv")]
    assert len(died) == 1
    assert "killed by signal 9" in died[0]["message"]
    assert died[0]["file"].endswith(".csv")
    assert statuses.count("ok") == MODELS - 1
    assert set(cluster.workers()) == before


@pytest.mark.soak
def test_files_that_the_workers_do_not_see_are_sent(
    study: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "Seen", type("Elsewhere", (), {"of": staticmethod(lambda _path: Seen(1, 1))}))
    code, said = scored(study, cluster)()
    assert code == Exit.PARTIAL, said
    assert contents(study / "there") == contents(study / "local")


def test_another_installation_on_the_workers_is_refused_by_name(
    study: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = fingerprint() | {"numpy": "0.1"}
    monkeypatch.setattr(dask_engine, "fingerprint", lambda: ours)
    code, said = scored(study, cluster, "-j", "1")()
    assert code == Exit.USAGE
    assert "has not what is installed here: numpy" in said
    assert "and 0.1 here" in said


@pytest.mark.soak
def test_a_limit_of_a_run_holds_on_the_cluster(study: Path, cluster: Cluster) -> None:
    header, *rows = (study / "outs/m0.csv").read_text(encoding="utf-8").splitlines()
    large = study / "large.csv"  # a small model is done before anybody looks at the clock
    large.write_text("\n".join([header, *rows * (60_000 // len(rows))]), encoding="utf-8")
    words = ("sinfo", "large.csv", "refs", "-o", "slow", "--scheduler", cluster.address, "--timeout", "0.000001")
    result = called_in(study, processes=True)(*words)
    assert result.code == Exit.NOTHING
    assert "reading or scoring it took longer than 1 seconds" in result.err


def test_a_run_that_is_interrupted_takes_its_jobs_back(
    study: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        if cluster.foremen():
            raise Interrupted(signal.SIGINT)

    monkeypatch.setattr(dask_engine, "stop_if_asked", interrupt)
    code, said = scored(study, cluster, "-j", "1")()
    assert (code, said.strip()) == (130, "Stopped; no report is half written.")
    within = time.monotonic() + 10
    while cluster.foremen() and time.monotonic() < within:
        time.sleep(0.05)
    assert not cluster.foremen()


def test_a_scheduler_that_is_not_there_is_a_usage_error(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_engine, "_CONNECTING", 0.5)
    result = called_in(study)("sinfo", "outs", "refs", "-o", "none", "--scheduler", "tcp://127.0.0.1:1")
    assert result.code == Exit.USAGE
    assert "--scheduler tcp://127.0.0.1:1: no Dask scheduler could be reached there" in result.err
    assert not (study / "none").exists()


@pytest.mark.soak
def test_a_cluster_of_its_own_lives_as_long_as_the_run(study: Path) -> None:
    words = ("sinfo", "outs", "refs", "-o", "own", "--engine", "dask", "-j", "1")
    result = called_in(study, processes=True)(*words)
    assert result.code == Exit.PARTIAL, result.err
    assert contents(study / "own") == contents(study / "local")


def test_a_missing_package_is_named_with_the_way_to_install_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run("entropy", "x", "--engine", "dask")
    assert result.code == Exit.USAGE
    assert "--engine dask needs an optional package; install it with: pip install 'scoresheet[dask]'" in result.err


def test_a_run_on_this_machine_loads_neither_dask_nor_fsspec(study: Path) -> None:
    script = (
        "import sys; from scoresheet.cli.app import main; code = main(['sinfo', 'outs', 'refs', '-o', 'plain', '-q']); "
        "print(code, sorted({'dask', 'distributed', 'fsspec', 's3fs', 'tornado', 'aiohttp'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=study, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "3 []"
