"""The jobs of scoresheet.toml: run in order, judged together, their baselines moved on purpose."""

import os
import shutil
import traceback
from contextlib import chdir
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from scoresheet.cli.config import read_config, read_jobs
from scoresheet.cli.input.grammar import nearest, usage
from scoresheet.cli.registry import load_command
from scoresheet.cli.report import junit
from scoresheet.cli.report.files import escape_markdown, markdown_table
from scoresheet.cli.report.html import START, Job, report_page
from scoresheet.cli.report.tables import page_of
from scoresheet.cli.run.decide import Progress
from scoresheet.cli.run.outcome import NOT_REACHED, Exit, RunOutcome, attempt, ended_by
from scoresheet.cli.run.pipeline import run_command
from scoresheet.cli.run.recorded import open_recorded
from scoresheet.cli.run.request import Request, request_of
from scoresheet.cli.run.results_folder import (
    MANIFEST,
    check_single,
    open_results,
    read_manifest,
    write_single,
)
from scoresheet.cli.run.signals import Interrupted

RESULTS = Path("results")
SUMMARY, PAGE, JUNIT = (RESULTS / name for name in ("summary.md", "report.html", "junit.xml"))
TITLE = "# scoresheet run"


@dataclass
class Night:
    """What the jobs of a file did, in order, and their results folders; `bugs` are tracebacks."""

    outcomes: dict[str, RunOutcome] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    bugs: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> Exit:
        """Return the code that stands for all jobs."""
        return Exit.worst(outcome.exit_code for outcome in self.outcomes.values())

    @property
    def verdict(self) -> str:
        """Return in one line what the night came to: the job, model, value and limit."""
        bad = {name: o for name, o in self.outcomes.items() if o.exit_code != Exit.OK}
        if not bad:
            return f"ok: {', '.join(self.outcomes)}"
        name = next(name for name, o in bad.items() if o.exit_code == self.exit_code)
        others = [f"{job} {outcome.state}" for job, outcome in bad.items() if job != name]
        more = f"; {', '.join(others)}" if others else ""
        return f"{name}: {' '.join(bad[name].summary.split())}{more}"


def run_night(file: Path, only: str, progress: Progress, *, update: bool) -> Night:
    """Run the jobs of a file and write what the night came to, however it ended.

    With `update`, nothing is compared with a baseline, and the results replace it.
    """
    night = Night()
    run = partial(_run_jobs, night, Path(file.name), only, progress, update)
    with chdir(file.parent if file.is_file() else Path()):  # paths are relative to the file
        for name, step in ((file.name, run), (str(RESULTS), partial(write_night, night))):
            outcome = attempt(step)
            if outcome.exit_code != Exit.OK:
                night.outcomes[name] = outcome
    return night


def _run_jobs(night: Night, file: Path, only: str, progress: Progress, update: bool) -> RunOutcome:
    check_files()
    jobs = read_jobs(file)
    if only and only not in jobs:
        near = nearest(only, list(jobs))
        raise usage(f"--only {only}: the jobs are {', '.join(jobs)}", near and f"{near}?")
    for name in [only] if only else jobs:
        last = list(night.outcomes.values())[-1:]
        if last and last[0].state in ("interrupted", NOT_REACHED):
            night.outcomes[name] = RunOutcome(last[0].exit_code, NOT_REACHED)
        else:
            night.outcomes[name] = _run_job(night, file, name, jobs[name], progress, update)
    return RunOutcome(Exit.OK)


def _run_job(
    night: Night, file: Path, name: str, command: str, progress: Progress, update: bool
) -> RunOutcome:
    values: dict[str, Any] = {"out": str(RESULTS / name)}
    typed = [command]

    def run() -> RunOutcome:
        declared = load_command(command)
        values.update(read_config(declared, name, file))
        typed.extend(values[key] for key in ("outputs", "references") if key in values)
        baseline = values.get("baseline", "")
        if update:
            values.update(baseline="", fail_if_worse=False)
        request = request_of(declared, values)
        for other, out in night.folders.items():
            if os.path.realpath(request.out) == os.path.realpath(out):
                raise usage(f"{name} and {other} write to the same folder {request.out}")
        night.folders[name] = request.out
        outcome = run_command(request, progress)
        if update and baseline:
            move_baseline(request, Path(baseline), outcome)
        return outcome

    try:
        outcome = attempt(run, typed)
    except Interrupted as error:
        outcome = ended_by(error)
    except Exception as error:  # noqa: BLE001 a bug in one job must not hide the others
        night.bugs.append(traceback.format_exc())
        outcome = ended_by(error)
    return junit.judged(values.get("junit", ""), {name: outcome})


def move_baseline(request: Request, baseline: Path, outcome: RunOutcome) -> None:
    """Replace a baseline by the results of a job, as a run replaces its own."""
    if outcome.exit_code not in (Exit.OK, Exit.GATE):
        raise usage(f"the baseline {baseline} is not moved to results of which a part is missing")
    manifest = read_manifest(Path(request.out, MANIFEST), request.family) or {}
    with open_results(baseline, request.family, wait=request.wait, inputs=[]) as folder:
        for name in manifest["outputs"]:
            (folder.staging / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(request.out, name), folder.staging / name)
        folder.commit(manifest)


def check_files() -> None:
    """Refuse to replace files of other tools by the summary, the page and the JUnit file."""
    for path, start in ((SUMMARY, TITLE.encode()), (PAGE, START), (JUNIT, junit.START)):
        check_single(path, start)


def write_night(night: Night) -> RunOutcome:
    """Write the JUnit file, the summary and the page of a night."""
    check_files()
    write_single(JUNIT, junit.junit_xml(night.outcomes))
    write_single(SUMMARY, summary_of(night).encode(errors="backslashreplace"))
    jobs = []
    for name, outcome in night.outcomes.items():
        recorded = open_recorded(Path(outcome.folder)) if outcome.folder else None
        jobs.append(Job(name, recorded, outcome.state, outcome.summary))
    write_single(PAGE, report_page(jobs, "Results").encode(errors="backslashreplace"))
    return RunOutcome(Exit.OK)


def summary_of(night: Night) -> str:
    """Return the summary as Markdown: the verdict, a row per job, a row per gate."""
    parts = [TITLE, escape_markdown(f"exit {int(night.exit_code)}: {night.verdict}")]
    answers = [
        (name, o.state, " ".join(o.answer) or o.summary) for name, o in night.outcomes.items()
    ]
    gates = [
        (name, gate.state, str(gate)) for name, o in night.outcomes.items() for gate in o.gates
    ]
    for header, rows in (("Answer", answers), ("Gate", gates)):
        if rows:
            frame = pd.DataFrame(rows, columns=["Job", "State", header])
            parts.append(markdown_table(page_of(header, frame, role="note")))
    return "\n\n".join(parts)
