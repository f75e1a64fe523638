"""The command line."""

import os
import sys
import traceback
from contextlib import suppress
from typing import Annotated

import typer

from scoresheet.cli.commands.check import check_command
from scoresheet.cli.commands.init import init
from scoresheet.cli.commands.score import scoring_command
from scoresheet.cli.registry import family_entries

GROUPS = ("Score", "Work with results", "Set up and automate")


def show_version(value: bool) -> None:
    """Print the version and stop."""
    if value:
        from importlib.metadata import version

        typer.echo(f"scoresheet {version('scoresheet')}")
        raise typer.Exit


def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Score model outputs in CSV and Excel files."""


def make_app() -> typer.Typer:
    """Return the application with the commands of all installed families."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    app.callback()(root)
    for name in family_entries():
        app.command(name, rich_help_panel=GROUPS[0])(scoring_command(name))
    app.command("check", rich_help_panel=GROUPS[2])(check_command())
    app.command("init", rich_help_panel=GROUPS[2])(init)
    return app


def main() -> None:
    """Run the command line and exit with the documented code."""
    sys.exit(run_app(sys.argv[1:]))


def run_app(arguments: list[str]) -> int:
    """Run the command line; return the exit code, whatever happens."""
    from scoresheet.cli.run.workers import Interrupted, interruptible

    code = 0
    try:
        with interruptible():
            make_app()(arguments, prog_name="scoresheet")
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
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return code or 5
    return code
