"""`scoresheet run`: all jobs of scoresheet.toml, one verdict."""

import sys
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
    from scoresheet.cli.run.jobs import run_night
    from scoresheet.cli.run.outcome import Exit

    night = run_night(file, only, progress, update=update_baseline)
    if night.exit_code != Exit.OK:
        sys.stderr.write(plain(night.verdict) + "\n" + "".join(night.bugs))
    for name, outcome in night.outcomes.items() if not quiet else ():
        answer = " ".join(outcome.answer) or outcome.summary
        sys.stdout.write(plain(f"{name}: {outcome.state}. {answer}") + "\n")
        if verbose:
            show(outcome, format=None, quiet=False, verbose=True)
    raise typer.Exit(int(night.exit_code))
