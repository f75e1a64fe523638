"""What does `scoresheet run` make of the jobs of a file?"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scoresheet.cli import tools
from scoresheet.cli.commands import command_named, command_names
from scoresheet.cli.config.files import read_configuration
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.discover import discover_models
from scoresheet.cli.jobs import command as jobs_command
from scoresheet.cli.jobs.plan import JobRules, planned_jobs
from scoresheet.cli.run import run_inputs
from tests.helpers.files import digests, read_csv, write_bytes, write_csv
from tests.helpers.runs import SAID, Result, Run, forked
from tests.helpers.workbooks import empty_workbooks

ROOT = Path(__file__).resolve().parents[2]
JOB = '[job.{0}]\ncommand = "sinfo"\noutputs = "outs"\nreferences = "refs"\nout = "res/{0}"\n'


def jobs(folder: Path, *names: str, text: str = "") -> None:
    """A file of jobs that score the folder's model, each into a folder of its own, and more."""
    write_bytes(folder / "scoresheet.toml", (text + "".join(JOB.format(name) for name in names)).encode())


def summary(folder: Path, root: str = "results") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / root / "summary.json").read_text(encoding="utf-8"))
    return found


def record(folder: Path, results: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / results / "manifest.json").read_text(encoding="utf-8"))
    return found


def codes(folder: Path, root: str = "results") -> dict[str, int | None]:
    return {job["job"]: job["exit_code"] for job in summary(folder, root)["jobs"]}


def error(done: Result) -> str:
    assert done.code == 2, done
    assert "Traceback" not in done.err
    return done.err


def nightly(folder: Path) -> None:
    """The file that runs all demos, and a copy of their data; each job is held against the night before."""
    shutil.copytree(ROOT / "data", folder / "data")
    file = folder / "data/scoresheet.toml"
    text = file.read_text(encoding="utf-8")
    for name in command_names():
        last = f'baseline = "../{command_named(name).results}"\nfail-if-worse = true\n'
        text = text.replace(f'command = "{name}"\n', f'command = "{name}"\n{last}')
    write_bytes(file, text.encode())


def said_of(folder: Path, job: str) -> list[str]:
    """What the summary's page says of a job, below the table."""
    page = (folder / "results/summary.md").read_text(encoding="utf-8")
    return page.split(f"\n## {job}\n")[1].split("\n## ")[0].strip().splitlines()


def test_three_nights_over_all_demos(run: Run, tmp_path: Path) -> None:
    nightly(tmp_path)
    with empty_workbooks():
        done = run("run", "data/scoresheet.toml")
        assert done.code == 0, done.err
        found = summary(tmp_path)
        assert sorted(job["command"] for job in found["jobs"]) == command_names()
        assert {job["status"] for job in found["jobs"]} == {"ok"}
        best = {job["command"]: job["best"] and job["best"]["models"] for job in found["jobs"]}
        assert best["sinfo"] == ["Model_A"]
        assert best["mode-collapse"] == ["conditional", "diverse"]  # they share the first rank
        assert best["collective"] is None  # ensembles of different tasks are not ranked
        page = (tmp_path / "results/summary.md").read_text(encoding="utf-8")
        assert page.startswith("# scoresheet run: 6 of 6 jobs ok\n")
        for job in found["jobs"]:
            assert (tmp_path / "data" / job["folder"] / "manifest.json").exists()
            assert any(line.split()[:2] == [job["job"], job["command"]] for line in done.out.splitlines())
            assert any("no results were there yet" in line for line in said_of(tmp_path, job["job"]))
        before = digests(tmp_path / "results")

        # the second night one file has grown
        grown = tmp_path / "data/responses/rich.csv"
        grown.write_bytes(grown.read_bytes() + grown.read_bytes().splitlines(keepends=True)[-1])
        done = run("run", "data/scoresheet.toml")
        assert done.code == 0, done.err
        unchanged = {job["job"]: set(job["unchanged"]) for job in summary(tmp_path)["jobs"]}
        assert unchanged.pop("texts") == {"looping", "terse"}
        counted = {job["job"]: job["models"] for job in summary(tmp_path)["jobs"] if job["job"] != "texts"}
        assert {job: len(models) for job, models in unchanged.items()} == counted
        assert "- unchanged since the last run and not scored again: looping, terse" in said_of(tmp_path, "texts")
        after = digests(tmp_path / "results")
        same = {name for name in before if before[name] == after[name]}
        models = {name for name in before if name.rpartition("/")[2].startswith(("looping_", "terse_"))}
        others = {name for name in before if not name.startswith("entropy/") and "/" in name}
        # what is of all models has the change since the first night, of which there was none before
        rewritten = {name for name in others if "_results." in name or name.endswith("/metrics.json")}
        assert models <= same
        assert others - rewritten <= same

        # the third night a model leaves out half of each explanation
        for path in (tmp_path / "data/baseline_mean/Model_B").glob("*.csv"):
            rows = [(row["Idiom"], row["Prediction"][: len(row["Prediction"]) // 2]) for row in read_csv(path)]
            write_csv(path, [("Idiom", "Prediction"), *rows])
        done = run("run", "data/scoresheet.toml")
    assert done.code == 10
    assert codes(tmp_path) == {job["job"]: 10 if job["job"] == "density" else 0 for job in found["jobs"]}
    (gate,) = [gate for gate in summary(tmp_path)["jobs"][0]["gates"] if gate["failed"]]
    assert (gate["gate"], gate["model"]) == ("--fail-if-worse", "Model_B")
    change = next(
        line for line in read_csv(tmp_path / "results/information_density/changes.csv") if "B" in line["Model"]
    )
    by = -float(change["Change"])
    assert by > 0.05
    said = said_of(tmp_path, "density")
    assert said[0].startswith(f"- gate: Model\\_B: S\\_Info: worse by {by:.3f}, which is shown (p 0.")
    assert f"gate: Model_B: S_Info: worse by {by:.3f}" in done.err
    page = (tmp_path / "results/summary.md").read_text(encoding="utf-8")
    assert page.startswith("# scoresheet run: 5 of 6 jobs ok\n")
    assert "exit code 10 (density): " in page
    assert any(line.startswith("- every gate holds (") for line in said_of(tmp_path, "rankings"))


def test_a_job_gives_what_its_command_line_gives(run: Run, folder: Path) -> None:
    jobs(folder, "a")
    assert run("run").code == 0
    assert run("sinfo", "outs", "refs", "-o", "alone").code == 0
    assert digests(folder / "res/a") == digests(folder / "alone")
    words = record(folder, "res/a")["arguments"]
    assert words == ["sinfo", "outs", "refs", "--out=res/a"]
    words[-1] = "--out=again"
    assert run(*words).code == 0  # the manifest says how to do it by hand
    assert digests(folder / "again") == digests(folder / "alone")


def test_the_answer_is_the_summary_and_the_rest_is_on_stderr(run: Run, folder: Path) -> None:
    jobs(folder, "a", "b")
    done = run("run", "--only", "b")
    assert done.out.split()[:2] == ["Job", "Command"]
    assert "Model Name" not in done.out
    assert "job b: scoresheet sinfo outs refs --out=res/b" in done.err
    assert codes(folder) == {"b": 0}
    assert summary(folder)["left_out"] == ["a"]
    answer = json.loads(run("run", "--json").out)
    assert {key: value for key, value in summary(folder).items() if key not in ("seconds", "outputs")} == {
        key: value for key, value in answer.items() if key != "seconds"
    }
    assert run("run", "-q") == Result(0, "", "")


def test_one_failure_costs_one_job(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bytes(folder / "mixed/good.csv", (folder / "outs/good.csv").read_bytes())
    write_bytes(folder / "mixed/bad.xlsx", b"not a workbook")
    others = {
        "partial": 'outputs = "mixed"\nreferences = "refs"',
        "missing": 'outputs = "nowhere"\nreferences = "refs"',
        "gated": 'outputs = "outs"\nreferences = "refs"\nmin-coverage = 1',
        "bug": 'outputs = "outs"\nreferences = "refs"\nseed = 99',
    }
    text = "".join(f'[job.{name}]\ncommand = "sinfo"\nout = "res/{name}"\n{keys}\n' for name, keys in others.items())
    jobs(folder, "last", text=text)
    write_csv(folder / "outs/good.csv", [("Idiom", "Prediction"), ("a", "one two"), ("b", "...")])
    usual = discover_models

    def discover(*words: Any, **options: Any) -> Any:
        if any("bug" in str(place) for place in options["apart"]):
            raise RuntimeError("not meant")
        return usual(*words, **options)

    monkeypatch.setattr(run_inputs, "discover_models", discover)
    done = run("run")
    assert done.code == 1
    assert codes(folder) == {"partial": 3, "missing": 2, "gated": 10, "bug": 1, "last": 0}
    assert (folder / "res/last/manifest.json").exists()
    page = (folder / "results/summary.md").read_text(encoding="utf-8")
    assert "- gate: good: 50.0% of its rows got a score, less than 100.0%" in page
    assert "- error: nowhere: no such file or folder" in page
    assert "- error: a bug: RuntimeError: not meant" in page
    assert done.err.count("This is a bug in scoresheet") == 1
    assert summary(folder)["exit_code"] == 1
    assert run("run", "--only", "gated", "--only", "partial").code == 10


def test_names_of_models_are_no_markup_in_the_summary(run: Run, folder: Path) -> None:
    (folder / "outs/good.csv").rename(folder / "outs/a|b <img> [x](y).csv")
    jobs(folder, "j")
    assert run("run").code == 0
    page = (folder / "results/summary.md").read_text(encoding="utf-8")
    assert r"a\|b \<img\> \[x\](y)" in page
    assert "a|b" not in page.replace(r"a\|b", "")


def test_paths_are_relative_to_the_file_and_those_of_the_shell_to_the_shell(
    run: Run, tmp_path: Path, folder: Path
) -> None:
    inner = tmp_path / "study"
    inner.mkdir()
    for name in ("outs", "refs"):
        (folder / name).rename(inner / name)
    jobs(inner, "a")
    write_bytes(
        inner / "scoresheet.toml",
        b'[job.a]\ncommand = "sinfo"\noutputs = "outs"\nreferences = "refs"\nlog-file = "a.log"\n',
    )
    assert run("run", "study/scoresheet.toml").code == 0
    assert (inner / "results/information_density/manifest.json").exists()
    assert (inner / "a.log").exists()
    assert Path.cwd() == tmp_path
    assert run("run", "study/scoresheet.toml", "-o", "here", "--log-file", "here.log", "--no-progress").code == 0
    assert (tmp_path / "here/information_density/manifest.json").exists()
    assert (tmp_path / "here/summary.md").exists()
    lines = (tmp_path / "here.log").read_text(encoding="utf-8").splitlines()
    said = [line.split("] ", 1)[1] for line in lines]
    assert said[0] == "scoresheet run study/scoresheet.toml --no-progress"
    assert any(line.startswith("scoresheet sinfo outs refs ") for line in said)
    assert any(line.startswith("score: good: S_Info") for line in said)
    assert said[-1] == "scoresheet run: exit code 0"


def test_where_results_go_command_line_variable_file(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = '[job.a]\ncommand = "sinfo"\noutputs = "outs"\nreferences = "refs"\n'
    write_bytes(folder / "scoresheet.toml", b'[defaults]\nout = "by_file"\n' + job.encode())
    assert run("run", "-q").code == 0
    monkeypatch.setenv("SCORESHEET_OUT", "by_variable")
    assert run("run", "-q").code == 0
    assert run("run", "-q", "-o", "by_words").code == 0
    for root in ("by_file", "by_variable", "by_words"):
        assert codes(folder, root) == {"a": 0}
        assert (folder / root / "information_density/manifest.json").exists()


def test_what_wins_in_a_job(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = "[defaults]\nseed = 1\nci = 0.9\nfill-down = true\nraw-csv = true\n"
    text = defaults + '[command.sinfo]\nseed = 2\nmissing = "zero"\n'
    jobs(folder, "plain", text=text)
    with (folder / "scoresheet.toml").open("a", encoding="utf-8") as file:
        file.write(JOB.format("own") + "seed = 3\nfill-down = false\nraw-csv = false\n")
    assert run("run", "-q").code == 0
    plain, own = (record(folder, f"res/{name}") for name in ("plain", "own"))
    assert "|seed:2|" in plain["signature"] + "|"
    assert "missing:zero" in plain["signature"]
    assert "ci:0.9" in plain["signature"]
    assert "fill-down:True" in plain["signature"]
    assert plain["raw_csv"] is True
    assert plain["configuration"]["options"] == {
        "seed": 2,
        "ci": 0.9,
        "fill-down": True,
        "raw-csv": True,
        "missing": "zero",
    }
    assert "|seed:3|" in own["signature"] + "|"
    assert "fill-down" not in own["signature"]
    assert own["raw_csv"] is False
    monkeypatch.setenv("SCORESHEET_SEED", "9")
    monkeypatch.setenv("SCORESHEET_FILL_DOWN", "1")
    assert run("run", "-q").code == 0
    plain, own = (record(folder, f"res/{name}") for name in ("plain", "own"))
    assert "|seed:9|" in plain["signature"] + "|"
    assert "|seed:3|" in own["signature"] + "|"
    assert "fill-down" not in own["signature"]  # a command line could not say it
    assert os.environ["SCORESHEET_FILL_DOWN"] == "1"


WRONG = {
    "": ("there is no job in it",),
    "[job.a]\noutputs = 'outs'\n": ("line 1: a: the job names no command",),
    "[job.a]\n\ncommand = 'sinf'\n": ("line 3: command: there is no command 'sinf'", "sinfo"),
    "[job.a]\ncommand = 3\n": ("line 2: command: there is no command 3",),
    "[[job]]\ncommand = 'sinfo'\n": ("line 1: job is a table: write [job.NAME]",),
    "[job]\na = 1\n": ("line 2: a: a job is a table",),
    "[jobs.a]\ncommand = 'sinfo'\n": ("line 1: jobs: there is no such table; did you mean 'job'?",),
    "[job.a]\ncommand = 'sinfo'\noutput = 'outs'\n": ("line 3: output", "did you mean 'outputs'?"),
    "[job.a]\ncommand = 'entropy'\nreferences = 'refs'\n": ("line 3: references: scoresheet entropy has no such",),
    "[job.a]\ncommand = 'sinfo'\nreferences = 'refs'\n": ("line 3: references are named and outputs are not",),
    "[job.a]\ncommand = 'sinfo'\njson = true\n": ("line 3: json", "scoresheet run --json"),
    "[job.a]\ncommand = 'sinfo'\nencoding = 'utf-9'\n": ("line 3: a: encoding utf-9: no such encoding",),
    "[job.a]\ncommand = 'mode-collapse'\npower = true\n": ("line 1: a: a question that needs no files is no job",),
    "[job.a]\ncommand = 'sinfo'\nfail-if = 'S_Inf<1'\n": ("line 3: a: --fail-if 'S_Inf<1'", "did you mean 'S_Info'?"),
    "[command.sinfo]\nfail-if = ['S_Inf<1']\n[job.a]\ncommand = 'sinfo'\n": ("line 2: a: --fail-if 'S_Inf<1'",),
    "[defaults]\nsede = 1\n[job.a]\ncommand = 'sinfo'\n": ("line 2: sede", "did you mean 'seed'?"),
    "[defaults]\ncutoffs = '5'\n[job.a]\ncommand = 'sinfo'\n": ("line 2: cutoffs", "[command.diversity]"),
    "[defaults]\noutputs = 'x'\n[job.a]\ncommand = 'sinfo'\n": ("line 2: outputs: jobs cannot share it",),
    "[defaults]\njson = true\n[job.a]\ncommand = 'sinfo'\n": ("line 2: json", "scoresheet run --json"),
    "[defaults]\nencoding = 'utf-9'\n[job.a]\ncommand = 'sinfo'\n": ("line 2: a: encoding utf-9",),
    "defaults = 1\n[job.a]\ncommand = 'sinfo'\n": ("line 1: defaults is a table: write [defaults]",),
    "[command.entropy]\nsede = 1\n[job.a]\ncommand = 'sinfo'\n": ("line 2: sede", "did you mean 'seed'?"),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_cannot_be_obeyed_is_answered_with_the_line(text: str, run: Run, folder: Path) -> None:
    write_bytes(folder / "scoresheet.toml", text.encode())
    said = error(run("run"))
    assert "scoresheet.toml" in said
    for words in WRONG[text]:
        assert words in said
    assert not (folder / "results").exists()


def test_two_jobs_with_one_folder_are_refused_before_anything_is_read(run: Run, folder: Path) -> None:
    (folder / "link").symlink_to("res")
    jobs(folder, "a", text='[job.first]\ncommand = "sinfo"\noutputs = "outs"\nreferences = "refs"\nout = "link/a"\n')
    said = error(run("run", "--only", "a"))
    assert "line 6: the jobs first and a would both write into res/a" in said
    write_bytes(folder / "scoresheet.toml", b'[job.a]\ncommand = "sinfo"\n[job.b]\ncommand = "sinfo"\n')
    assert "the jobs a and b would both write into results/information_density" in error(run("run"))
    assert not (folder / "results").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "nowhere.toml"), "nowhere.toml: no such file"),
        (("run", "pyproject.toml"), "jobs stand in a file of their own"),
        (("run", "--only", "densty"), "--only densty: scoresheet.toml has no such job; did you mean 'density'?"),
    ],
)
def test_a_job_or_file_that_is_not_there_is_a_usage_error(
    words: tuple[str, ...], said: str, run: Run, folder: Path
) -> None:
    jobs(folder, "density")
    assert said in error(run(*words))


def test_why_there_is_no_summary_is_said_to_programs_and_in_the_log(run: Run, folder: Path) -> None:
    jobs(folder, "a")
    answer = json.loads(run("run", "--only", "b", "--json", "--log-file", "x.log").out)
    assert answer["exit_code"] == 2
    assert "--only b" in answer["error"]
    assert (folder / "x.log").read_text(encoding="utf-8").rstrip().endswith("has no such job; there are a; exit code 2")


def test_the_sample_of_the_docs_can_be_obeyed(tmp_path: Path) -> None:
    page = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    sample = write_bytes(tmp_path / "scoresheet.toml", page.split("```toml\n")[1].split("```")[0].encode())
    planned = planned_jobs(read_configuration(sample), JobRules("results"))
    assert {job.name: str(job.folder) for job in planned} == {
        "density": "results/information_density",
        "density-by-words": "results/density_by_words",
        "choices": "results/mode_collapse",
    }
    assert planned[0].defaults.by_option() == {
        "seed": 7,
        "strict": True,
        "column": ["Prediction=answer"],
        "tokenizer": "auto",
    }
    assert "--tokenizer=words" in planned[1].arguments


@pytest.mark.parametrize("name", ["summary.md", "summary.json", "report.html"])
def test_a_file_that_no_run_wrote_is_not_replaced(name: str, run: Run, folder: Path) -> None:
    jobs(folder, "a")
    write_bytes(folder / "results" / name, b"{}")
    assert name in error(run("run"))
    assert (folder / "results" / name).read_bytes() == b"{}"
    assert not (folder / "res").exists()
    (folder / "results" / name).unlink()
    assert run("run").code == 0
    assert run("run").code == 0  # its own it replaces


def test_a_summary_that_cannot_be_written_costs_no_report(run: Run, folder: Path) -> None:
    jobs(folder, "a")
    write_bytes(folder / "file", b"")
    done = run("run", "-o", "file/below")
    assert done.code == 5
    assert "the summary cannot be written" in done.err
    assert (folder / "res/a/manifest.json").exists()


def test_a_dry_run_writes_nothing(run: Run, folder: Path) -> None:
    jobs(folder, "a")
    assert run("run", "--dry-run").code == 0
    assert not (folder / "results").exists()
    assert not (folder / "res").exists()


def test_an_unknown_variable_is_noted_once(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs(folder, "a", "b")
    monkeypatch.setenv("SCORESHEET_SEDE", "1")
    assert run("run").err.count("the variable SCORESHEET_SEDE sets nothing") == 1


def test_the_page_is_made_of_all_results_where_there_is_a_tool_for_it(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[list[Path], Path]] = []
    report: Any = ModuleType("scoresheet.cli.tools.report")
    report.write_page = lambda folders, path: made.append((list(folders), path))
    monkeypatch.setitem(sys.modules, report.__name__, report)
    monkeypatch.setattr(jobs_command, "tool_names", lambda: [*tools.tool_names(), "report"])
    jobs(folder, "a", "b", text='[job.none]\ncommand = "sinfo"\noutputs = "nowhere"\nout = "res/none"\n')
    done = run("run")
    assert made == [([Path("res/a"), Path("res/b")], Path("results/report.html"))]
    assert "look at results/report.html" in done.err


def test_an_answer_that_cannot_be_printed_is_an_exit_code_and_in_the_summary(folder: Path) -> None:
    jobs(folder, "a")
    for words, results in ((("run",), "results/summary.md"), (("sinfo", "outs", "refs", "-o", "r"), "r/manifest.json")):

        def to_a_full_disk() -> None:
            os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

        with forked(folder, *words, "--json", prepare=to_a_full_disk) as process:
            process.join(60)
        assert process.exitcode == 74, (folder / SAID[1]).read_text("utf-8")
        assert (folder / results).exists()
    assert summary(folder)["exit_code"] == 74


@pytest.mark.processes
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_run_and_the_summary_says_so(number: int, code: int, folder: Path) -> None:
    rows = [(f"idiom {i}", "word " * 400) for i in range(3_000)]
    write_csv(folder / "long/r.csv", [("idiom", "explanation"), *rows])
    write_csv(folder / "slow/m.csv", [("Idiom", "Prediction"), *rows])
    jobs(folder, "quick")
    with (folder / "scoresheet.toml").open("a", encoding="utf-8") as file:
        file.write('[job.slow]\ncommand = "sinfo"\noutputs = "slow"\nreferences = "long"\nout = "res/slow"\n')
        file.write(JOB.format("late"))
    with forked(folder, "run", "--log-file", "x.log") as process:
        limit = time.monotonic() + 60
        while not list(folder.glob("res/slow/.scoresheet-stage-*")):
            assert process.is_alive(), (folder / SAID[1]).read_text("utf-8")
            assert time.monotonic() < limit
            time.sleep(0.005)
        os.killpg(process.ident or 0, number)
        process.join(60)
    assert process.exitcode == code
    assert codes(folder) == {"quick": 0, "slow": code, "late": None}
    assert summary(folder)["stopped"] is True
    assert (folder / "res/quick/manifest.json").exists()
    assert not (folder / "res/slow").exists()
    assert not (folder / "res/late").exists()
    page = (folder / "results/summary.md").read_text(encoding="utf-8")
    assert page.startswith("# scoresheet run: stopped; 1 of 3 jobs ok\n")
    assert "not run" in page
    log = (folder / "x.log").read_text(encoding="utf-8")
    assert f"stopped by {signal.Signals(number).name}; exit code {code}" in log
    assert log.splitlines()[-1].endswith(f"scoresheet run: exit code {code}")
    assert "not run: late" in (folder / SAID[1]).read_text("utf-8")


@pytest.mark.processes
def test_a_signal_while_reports_are_replaced_stops_the_run_after_that_job(folder: Path) -> None:
    jobs(folder, "first", "second")

    def killed_while_replacing() -> None:
        from scoresheet.cli.run.results_folder import ResultsFolder

        patched: Any = ResultsFolder
        usual = patched._replace

        def replace(*words: Any) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            usual(*words)

        patched._replace = replace

    with forked(folder, "run", prepare=killed_while_replacing) as process:
        process.join(60)
    assert process.exitcode == 143
    assert codes(folder) == {"first": 0, "second": None}
    assert (folder / "res/first/manifest.json").exists()


def test_a_page_that_cannot_be_written_is_an_exit_code_and_in_the_summary(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs(folder, "a")

    def full(*_: object) -> None:
        raise Stop(Exit.UNWRITABLE, "results/report.html: the page could not be written: No space left on device")

    monkeypatch.setattr(jobs_command, "write_page", full)
    done = run("run", "--json")
    assert done.code == json.loads(done.out)["exit_code"] == summary(folder)["exit_code"] == 5
    assert "the page could not be written" in done.err
    assert codes(folder) == {"a": 0}


def test_the_summary_in_other_formats(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs(folder, "a")
    done = run("run", "--format", "markdown", "-q")
    assert done.out == (folder / "results/summary.md").read_text(encoding="utf-8")
    assert "\\toprule" in run("run", "--format", "latex").out
    monkeypatch.setenv("SCORESHEET_FORMAT", "csv")  # the run's, and no job's
    assert run("run").out.splitlines()[1].startswith("a,sinfo,1,good,S_Info,")
    assert "--format xml: it is one of table" in error(run("run", "--format", "xml"))
    assert "--json is short for json" in error(run("run", "--json", "--format", "latex"))


def test_all_jobs_can_be_told_to_score_anew(run: Run, folder: Path) -> None:
    jobs(folder, "a")
    assert run("run").code == 0
    run("run")
    assert summary(folder)["jobs"][0]["unchanged"] == ["good"]
    assert run("run", "--fresh", "--prune").code == 0
    assert summary(folder)["jobs"][0]["unchanged"] == []


def test_a_model_without_a_score_ranks_nowhere(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", [("id", "text"), ("1", "a few words")])
    write_bytes(tmp_path / "scoresheet.toml", b'[job.a]\ncommand = "entropy"\noutputs = "outs"\n')
    assert run("run").code == 0
    assert summary(tmp_path)["jobs"][0]["best"] is None  # the text is too short for Entropy_At_Length


def test_a_job_that_scores_nothing_has_its_gates_in_the_summary_and_awaits_no_next_run(run: Run, folder: Path) -> None:
    write_bytes(folder / "outs/good.csv", b"A,B\n1,2\n")
    own = 'fail-if = "S_Info<0.5"\nbaseline = "res/a"\nfail-if-worse = true\n'
    write_bytes(folder / "scoresheet.toml", (JOB.format("a") + own).encode())
    done = run("run")
    assert done.code == 4
    (gate,) = summary(folder)["jobs"][0]["gates"]
    assert f"gate: good: {gate['why']}" in done.err
    said = said_of(folder, "a")
    assert said[0].startswith("- gate: good: failed")
    assert not any("the next run" in line for line in said)
