"""The command line."""

import inspect
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version as version_of
from typing import Annotated

import typer

from scoresheet.cli.commands.check import check
from scoresheet.cli.commands.init import init
from scoresheet.cli.commands.score import scoring_command
from scoresheet.cli.registry import family_entries, load_command

# By their group in --help.
TOOLS: dict[str, tuple[Callable[..., None], ...]] = {"Set up and automate": (check, init)}


def show_version(value: bool) -> None:
    """Print the version and stop."""
    if value:
        typer.echo(f"scoresheet {version_of('scoresheet')}")
        raise typer.Exit


def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Score model outputs in CSV and Excel files."""


def call(arguments: list[str]) -> None:
    """Run the command that the arguments name first, or else show what there is.

    Each way makes only what it needs: the parameters of a command take time to make.
    """
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    name = arguments[0] if arguments else ""
    tools = {tool.__name__: tool for group in TOOLS.values() for tool in group}
    if name in tools or name in family_entries():
        app.command()(tools.get(name) or scoring_command(name))
        app(arguments[1:], prog_name=f"scoresheet {name}")
    app.callback()(root)
    for family in family_entries():
        app.command(family, help=load_command(family).help, rich_help_panel="Score")(not_first)
    for group, members in TOOLS.items():
        for tool in members:
            text = inspect.getdoc(tool)
            app.command(tool.__name__, help=text, rich_help_panel=group)(not_first)
    app(arguments, prog_name="scoresheet")


def not_first() -> None:
    """Refuse a command that is not the first argument."""
    raise typer.BadParameter("the command must be the first argument")


def main() -> None:
    """Run the command line and exit with the documented code."""
    # Workers use all CPUs, so threads of BLAS only cost time when numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run_app(sys.argv[1:]))


def run_app(arguments: list[str]) -> int:
    """Run the command line; return the exit code, whatever happens."""
    from scoresheet.cli.run.workers import Interrupted, interruptible

    code = 0
    try:
        with interruptible():
            call(arguments)
    except SystemExit as end:
        # typer and rich end with 1 only where the reader of stdout has gone, as in `| head -1`
        code = end.code if isinstance(end.code, int) and end.code != 1 else 0
    except Interrupted as interrupted:
        code = interrupted.exit_code
        _say("interrupted: existing reports are untouched")
    except BrokenPipeError:
        code = 0
    except OSError as error:
        _say(f"error: {error}")
        code = 5
    except Exception:  # noqa: BLE001
        _say(traceback.format_exc() + "\nThis is a bug. Nothing was written.")
        code = 1
    try:
        sys.stdout.flush()
    except OSError as error:  # an answer that could not be written, or that nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = code or (0 if isinstance(error, BrokenPipeError) else 5)
    return code


def _say(text: str) -> None:
    with suppress(OSError):  # with nowhere left to say it, the exit code remains
        sys.stderr.write(text + "\n")
