"""scoresheet run: all jobs of a file, one after another, and one summary."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from scoresheet.cli.config.defaults import SETTINGS_FILE
from scoresheet.cli.config.variables import variable_name
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.shared_values import FORMATS, JSON, TABLE
from scoresheet.cli.tools.tool import Tool


def _option(name: str, *flags: str, about: str, metavar: str | None = None) -> Any:
    """Return an option that every command has too, and that the same variable sets."""
    return typer.Option(*flags, help=about, metavar=metavar, envvar=variable_name(name), show_envvar=False)


_OUT: Final = _option(
    "out",
    "--out",
    "-o",
    metavar="DIR",
    about="Folder for the summary and for jobs that name none (unless named: results, beside FILE).",
)
_JSON: Final = _option("json", "--json", about=f"Print the summary as JSON: short for --format {JSON}.")
_FORMAT: Final = _option("format", "--format", metavar="|".join(FORMATS), about="How the summary is printed.")
_FRESH: Final = _option("fresh", "--fresh", about="Score all models again, also those that are unchanged.")
_PRUNE: Final = _option("prune", "--prune", about="Remove reports of earlier runs that these do not write.")
_DRY_RUN: Final = _option("dry_run", "--dry-run", about="Read, join and score all jobs, and write nothing.")
_QUIET: Final = _option("quiet", "--quiet", "-q", about="Print nothing but errors and skipped input.")
_VERBOSE: Final = _option("verbose", "--verbose", "-v", about="Print every problem of every job.")
_PROGRESS: Final = _option("progress", "--progress/--no-progress", about="Progress on a terminal.")
_LOG_FILE: Final = _option(
    "log_file", "--log-file", metavar="FILE", about="Append what happens to this file, with time and process."
)


def run(  # noqa: PLR0913 - a parameter each
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="The file with the jobs.")] = SETTINGS_FILE,
    *,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="JOB", help="Run this job alone; may be repeated.")
    ] = None,
    out: Annotated[str, _OUT] = "",
    json: Annotated[bool, _JSON] = False,
    style: Annotated[str, _FORMAT] = TABLE,
    fresh: Annotated[bool, _FRESH] = False,
    prune: Annotated[bool, _PRUNE] = False,
    dry_run: Annotated[bool, _DRY_RUN] = False,
    quiet: Annotated[bool, _QUIET] = False,
    verbose: Annotated[bool, _VERBOSE] = False,
    progress: Annotated[bool, _PROGRESS] = True,
    log_file: Annotated[str, _LOG_FILE] = "",
) -> None:
    """Run the jobs of scoresheet.toml in order, each a command with its options.

    A job that fails does not stop the others. Paths are relative to FILE.
    summary.md and summary.json say what came of them all, beside their folders;
    the exit code is the worst of the jobs'.
    docs/configuration.md says what the file may hold.
    """
    from scoresheet.cli.jobs.command import RunOptions, run_file

    chosen = JSON if json and style == TABLE else style
    if style not in FORMATS or (json and chosen != JSON):
        raise Stop(Exit.USAGE, f"--format {style}: it is one of {', '.join(FORMATS)}, and --json is short for {JSON}")
    wanted = {
        "--fresh": fresh,
        "--prune": prune,
        "--dry-run": dry_run,
        "--quiet": quiet,
        "--verbose": verbose,
        "--no-progress": not progress,
    }
    words = tuple(word for word, is_wanted in wanted.items() if is_wanted)
    options = RunOptions(tuple(only or ()), out, log_file, words, style=chosen, quiet=quiet, dry_run=dry_run)
    raise typer.Exit(run_file(file, options))


TOOL: Final = Tool(
    name="run",
    run=run,
    position=200,
    summary="All jobs of scoresheet.toml, one after another, and one summary.",
    example="scoresheet run --only density",
)
