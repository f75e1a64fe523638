"""Does every snippet of docs/cookbook.md do what the page says? Services that are not here are stood in for."""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import chdir, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.helpers.files import write_bytes
from tests.helpers.json_values import nested
from tests.helpers.runs import called_in

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/cookbook.md").read_text(encoding="utf-8")
SNIPPET = re.compile(r"<!-- snippet: (\S+) -->\n```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SNIPPETS = [(match[1], match[3]) for match in SNIPPET.finditer(PAGE)]
STUDY = "/srv/study"
CRON = {"HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"}  # all that a job of cron knows


def snippets(name: str) -> list[str]:
    found = [text for kind, text in SNIPPETS if kind == name]
    assert found
    return found


def snippet(name: str) -> str:
    (found,) = snippets(name)
    return found


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """What the page takes for granted: the file, some outputs and references, and the command."""
    write_bytes(tmp_path / "scoresheet.toml", snippet("scoresheet.toml").encode())
    rows = [f"{idiom},tell a secret to everybody {idiom}" for idiom in "abcdefgh"]
    write_bytes(tmp_path / "runs/outputs/Model_A.csv", "\n".join(["Idiom,Prediction", *rows]).encode())
    rows = [f"{idiom},tell a secret to somebody who should not know it" for idiom in "abcdefgh"]
    write_bytes(tmp_path / "runs/references/r.csv", "\n".join(["idiom,explanation", *rows]).encode())
    command = write_bytes(
        tmp_path / ".venv/bin/scoresheet", f'#!/bin/sh\nexec "{sys.executable}" -m scoresheet "$@"\n'.encode()
    )
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def shell(study: Path, script: str, *, name: str = "sh", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script in the study, with the command on its path."""
    environment = os.environ | {"PATH": f"{study / '.venv/bin'}:{os.environ['PATH']}"} | variables
    return subprocess.run(
        [name, "-c", script], cwd=study, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def summary(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return found


def test_every_snippet_of_the_page_is_named_and_run_here() -> None:
    assert len(SNIPPETS) == PAGE.count("\n```") / 2
    tests = Path(__file__).read_text(encoding="utf-8")
    for kind, _ in SNIPPETS:
        assert re.search(rf'snippets?\("{re.escape(kind)}"\)', tests), kind


def test_the_lines_of_cron_need_no_path_and_no_folder(study: Path) -> None:
    quiet, mailing = (text.replace(STUDY, str(study)) for text in snippets("crontab"))
    for line, broken in ((quiet, False), (mailing, True)):
        if broken:
            write_bytes(study / "runs/outputs/bad.xlsx", b"not a workbook")
        *when, command = line.rstrip("\n").split(maxsplit=5)
        assert all(re.fullmatch(r"[\d*]+", field) for field in when)
        assert "%" not in command  # cron makes a line end of it
        words = ["/bin/sh", "-c", command]
        done = subprocess.run(words, cwd="/", env=CRON, capture_output=True, text=True, timeout=120, check=False)
        assert [job["exit_code"] for job in summary(study / "results")["jobs"]] == ([3, 3] if broken else [0, 0])
        if broken:
            assert done.stdout.startswith("# scoresheet run: 0 of 2 jobs ok")
        else:
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "exit code 3" in (study / "night.log").read_text(encoding="utf-8")


def test_a_drop_since_last_night_is_named_in_the_summary(study: Path) -> None:
    write_bytes(study / "scoresheet.toml", snippet("nightly.toml").encode())
    run = called_in(study)
    assert run("run", "--quiet").code == 0
    outputs = study / "runs/outputs/Model_A.csv"
    write_bytes(outputs, outputs.read_bytes().replace(b"a secret to everybody", b"me more and more now"))
    assert run("run", "--quiet").code == 10
    assert "- gate: Model\\_A: S\\_Info: worse by 0." in (study / "results/summary.md").read_text(encoding="utf-8")


def test_the_scripts_know_the_exit_code_and_completion_is_written(study: Path) -> None:
    by_code, completion = snippets("sh")
    write_bytes(study / "runs/outputs/bad.xlsx", b"not a workbook")
    done = shell(study, by_code)
    assert done.stdout == "some input was skipped, see results/summary.md\n"
    assert done.returncode == 0
    assert shell(study, completion).returncode == 0
    written = study / "scoresheet.bash"
    assert "_SCORESHEET_COMPLETE=complete_bash" in written.read_text(encoding="utf-8")
    assert shell(study, f". {written} && complete -p scoresheet", name="bash").returncode == 0


def test_partial_results_stay_with_make_and_failures_do_not(study: Path) -> None:
    write_bytes(study / "Makefile", snippet("Makefile").encode())
    write_bytes(study / "runs/outputs/bad.xlsx", b"not a workbook")
    manifest = study / "results/density/manifest.json"
    first = shell(study, "make")
    assert first.returncode == 0, first.stderr
    assert "bad.xlsx" in first.stderr
    assert manifest.exists()
    assert "up to date" in shell(study, "make").stdout
    os.utime(study / "runs/outputs/bad.xlsx", (manifest.stat().st_mtime + 10,) * 2)
    assert shell(study, "make", SCORESHEET_MIN_COVERAGE="1").returncode == 2  # the model that failed has none
    assert not manifest.exists()
    assert (study / "results/density/s_info_results.csv").exists()


def test_the_step_of_actions_shows_the_summary_and_ends_as_the_run_did(study: Path) -> None:
    step = re.search(r"run: \|\n((?:    .*\n)+)", snippet("actions"))
    assert step
    write_bytes(study / "runs/outputs/bad.xlsx", b"not a workbook")
    script = "set -e\n" + re.sub("^    ", "", step[1], flags=re.MULTILINE)
    assert shell(study, script, name="bash", GITHUB_STEP_SUMMARY="step.md").returncode == 3
    assert (study / "step.md").read_text(encoding="utf-8") == (study / "results/summary.md").read_text(encoding="utf-8")


def test_the_stage_of_dvc_makes_metrics_that_are_nested_numbers(study: Path) -> None:
    stage = snippet("dvc.yaml")
    command = re.search("cmd: (.+)", stage)
    metrics = re.search("- (.+json):", stage)
    assert command
    assert metrics
    assert all((study / place).exists() for place in re.findall("- (runs/.+)", stage))
    assert shell(study, command[1]).returncode == 0
    assert numbers_in(json.loads((study / metrics[1]).read_text(encoding="utf-8"))) > 5


def numbers_in(value: object) -> int:
    if isinstance(value, dict):
        return sum(map(numbers_in, value.values()))
    assert value is None or isinstance(value, int | float | str | list)  # lines of pages, which trackers pass over
    return isinstance(value, int | float)


def test_an_array_of_slurm_runs_one_job_in_each_task(study: Path) -> None:
    script = snippet("slurm")
    last = re.search(r"--array=0-(\d+)", script)
    assert last
    jobs = re.findall(r"\[job\.(.+)\]", snippet("scoresheet.toml"))
    assert int(last[1]) == len(jobs) - 1
    done = shell(study, script, SLURM_ARRAY_TASK_ID="1", SLURM_SUBMIT_DIR=str(study))
    assert done.returncode == 0, done.stderr
    assert [job["job"] for job in summary(study / "results" / jobs[1])["jobs"]] == [jobs[1]]
    assert (study / "results" / jobs[1] / "entropy/manifest.json").exists()


def test_a_job_is_a_task_of_dask(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        """What the snippet asks of dask.distributed.Client, done at once."""

        def __enter__(self) -> Client:
            return self

        def __exit__(self, *_: object) -> None:
            return

        def map(self, function: Callable[[str], int], values: Iterable[str]) -> list[int]:
            return [function(value) for value in values]

        def gather(self, futures: list[int]) -> list[int]:
            return futures

    monkeypatch.setenv("PATH", f"{study / '.venv/bin'}:{os.environ['PATH']}")
    printed = executed("dask", study, monkeypatch, {"dask": {}, "dask.distributed": {"Client": Client}})
    assert printed == "{'density': 0, 'texts': 0}\n"
    assert all((study / f"results/{job}/summary.md").exists() for job in ("density", "texts"))


def executed(name: str, study: Path, monkeypatch: pytest.MonkeyPatch, modules: dict[str, dict[str, object]]) -> str:
    """Run a snippet of Python in the study, with stand-ins for modules, and return what it printed."""
    for module, names in modules.items():
        stand_in = ModuleType(module)
        vars(stand_in).update(names)
        monkeypatch.setitem(sys.modules, module, stand_in)
    printed = io.StringIO()
    code = {"dask": snippet("dask"), "mlflow": snippet("mlflow"), "wandb": snippet("wandb")}[name]
    with chdir(study), redirect_stdout(printed):
        exec(compile(code, name, "exec"), {"__name__": "__main__"})
    return printed.getvalue()


@pytest.fixture
def scored(study: Path) -> Path:
    shutil.copy(study / "runs/outputs/Model_A.csv", study / "runs/outputs/b@c.csv")
    assert called_in(study)("sinfo", "runs/outputs", "runs/references", "-o", "results/density", "-q").code == 0
    return study


def test_every_number_reaches_mlflow_by_a_name_that_it_allows(scored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[dict[str, Any]] = []

    class ActiveRun:
        def __enter__(self) -> ActiveRun:
            return self

        def __exit__(self, *_: object) -> None:
            return

    def start_run(*, run_name: str) -> ActiveRun:
        runs.append({"name": run_name, "tags": {}, "metrics": {}, "artifacts": []})
        return ActiveRun()

    def log_metrics(metrics: dict[str, float]) -> None:
        for name, value in metrics.items():
            assert re.fullmatch(r"[/\w.\- ]+", name)  # MLflow's rule, on every system
            assert math.isfinite(value)
        runs[-1]["metrics"] |= metrics

    def log_artifact(path: str) -> None:
        assert Path(path).is_file()
        runs[-1]["artifacts"].append(path)

    def set_tag(key: str, value: str) -> None:
        runs[-1]["tags"][key] = value

    functions: dict[str, object] = {
        "start_run": start_run,
        "log_metrics": log_metrics,
        "log_artifact": log_artifact,
        "set_tag": set_tag,
    }
    executed("mlflow", scored, monkeypatch, {"mlflow": functions})
    record = json.loads((scored / "results/density/metrics.json").read_text(encoding="utf-8"))
    assert [run["name"] for run in runs] == list(record) == ["Model_A", "b@c"]
    for run in runs:
        assert len(run["metrics"]) == numbers_in(record[run["name"]]) > 5
        assert run["metrics"]["S_Info"] == record[run["name"]]["S_Info"]
        assert run["tags"]["signature"].startswith("sinfo|")
        assert len(run["artifacts"]) == 1


def test_every_number_reaches_wandb(scored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Any] = []

    class WandbRun:
        def __init__(self, **about: Any) -> None:
            self.about = about
            self.logged: dict[str, Any] = {}
            self.is_finished = False
            runs.append(self)

        def log(self, data: dict[str, Any]) -> None:
            assert not self.is_finished
            self.logged |= data

        def finish(self) -> None:
            self.is_finished = True

    executed("wandb", scored, monkeypatch, {"wandb": {"init": WandbRun}})
    record = json.loads((scored / "results/density/metrics.json").read_text(encoding="utf-8"))
    assert {run.about["name"]: run.logged for run in runs} == nested(record)
    assert all(run.is_finished and run.about["config"]["signature"].startswith("sinfo|") for run in runs)
