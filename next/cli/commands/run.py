"""`scoresheet run`: all jobs of scoresheet.toml, one verdict."""

import sys
from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer

from scoresheet.cli.commands.score import show


def run(
    file: Annotated[
        Path, typer.Argument(metavar="[scoresheet.toml]", help="The file with the jobs.")
    ] = Path("scoresheet.toml"),
    only: Annotated[
        str, typer.Option(metavar="JOB", help="Run this job only.", show_default=False)
    ] = "",
    update_baseline: Annotated[
        bool,
        typer.Option("--update-baseline", help="Copy the results to the folders of `baseline`."),
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print only errors.")] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Print all that each job has to say.")
    ] = False,
) -> None:
    """Run all jobs of scoresheet.toml: one summary, one page, one exit code."""
    from scoresheet.cli.report.terminal import plain, progress
    from scoresheet.cli.run import jobs
    from scoresheet.cli.run.outcome import Exit, RunOutcome, attempt
    from scoresheet.metrics.problem import Refusal

    with chdir(file.parent if file.is_file() else Path()):  # paths are relative to the file
        night = jobs.Night()
        try:
            jobs.check_files()
            night = jobs.run_jobs(Path(file.name), only, progress, update=update_baseline)
        except Refusal as refusal:
            problems = list(refusal.problems)
            night.outcomes[file.name] = RunOutcome(Exit.USAGE, problems=problems)

        def write() -> RunOutcome:
            jobs.write_night(night)
            return RunOutcome(Exit.OK)

        written = attempt(write)
    if written.exit_code != Exit.OK:
        night.outcomes[str(jobs.RESULTS)] = written
    if night.exit_code != Exit.OK:
        sys.stderr.write(plain(night.verdict) + "\n" + "".join(night.bugs))
    for name, outcome in night.outcomes.items() if not quiet else ():
        answer = " ".join(outcome.answer) or outcome.summary
        sys.stdout.write(plain(f"{name}: {jobs.state_of(outcome)}. {answer}") + "\n")
        if verbose:
            show(outcome, format=None, quiet=False, verbose=True)
    raise typer.Exit(int(night.exit_code))
