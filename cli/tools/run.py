"""scoresheet run: all jobs of a file, one after another, and one summary."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from scoresheet.cli.config.files import SETTINGS_FILE
from scoresheet.cli.config.variables import variable_name
from scoresheet.cli.tools.tool import Tool


def run(  # noqa: PLR0913 - a parameter each
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="The file with the jobs.")] = SETTINGS_FILE,
    *,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="JOB", help="Run this job alone; may be repeated.")
    ] = None,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            envvar=variable_name("out"),
            show_envvar=False,
            help="Folder for the summary and for jobs that name none (unless named: results, beside FILE).",
        ),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read, join and score; write nothing.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors and skipped input.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print every problem of every job.")] = False,
    progress: Annotated[bool, typer.Option("--progress/--no-progress", help="Progress on a terminal.")] = True,
    log_file: Annotated[
        str,
        typer.Option(
            "--log-file",
            metavar="FILE",
            envvar=variable_name("log_file"),
            show_envvar=False,
            help="Append what happens to this file, with time and process.",
        ),
    ] = "",
) -> None:
    """Run the jobs of scoresheet.toml in order, each a command with its options, and sum up what came of them.

    A job that fails does not stop the others. Paths in the file are relative to its folder. The results folder gets
    summary.md and summary.json beside the folders of the jobs; the exit code is the worst of the jobs'. What the file
    may hold is in docs/configuration.md.
    """
    from scoresheet.cli.jobs.command import RunOptions, run_file

    words = [
        word
        for word, wanted in (
            ("--dry-run", dry_run),
            ("--quiet", quiet),
            ("--verbose", verbose),
            ("--no-progress", not progress),
        )
        if wanted
    ]
    options = RunOptions(tuple(only or ()), out, log_file, tuple(words), json=json, quiet=quiet, dry_run=dry_run)
    raise typer.Exit(run_file(file, options))


TOOL: Final = Tool(
    name="run",
    run=run,
    position=200,
    summary="All jobs of scoresheet.toml, one after another, and one summary.",
    example="scoresheet run --only density",
)
