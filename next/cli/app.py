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

TOOLS = {"Set up and automate": (check, init)}  # by their group in --help


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


def make_app(arguments: list[str]) -> typer.Typer:
    """Return the application with all commands.

    Forty options take time to make, so only the commands that the arguments name have theirs.
    """
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    app.callback()(root)

    def not_named() -> None: ...

    function: Callable[..., None]
    for name in family_entries():
        function = scoring_command(name) if name in arguments else not_named
        app.command(name, help=load_command(name).help, rich_help_panel="Score")(function)
    for group, tools in TOOLS.items():
        for tool in tools:
            function = tool if tool.__name__ in arguments else not_named
            app.command(tool.__name__, help=inspect.getdoc(tool), rich_help_panel=group)(function)
    return app


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
            make_app(arguments)(arguments, prog_name="scoresheet")
    except SystemExit as end:
        # typer itself ends with 1 only where the reader of stdout has gone, as in `| head -1`
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
    return _flush(code)


def _say(text: str) -> None:
    with suppress(OSError):  # with nowhere left to say it, the exit code remains
        sys.stderr.write(text + "\n")


def _flush(code: int) -> int:
    """Flush stdout; an answer that could not be written is exit 5."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code if isinstance(error, BrokenPipeError) else code or 5
    return code
