"""The command line."""

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Annotated

import typer

from scoresheet.cli.registry import family_entries, load_command

# By their group in --help; each is a function in the module of its name in cli/commands.
TOOLS = {
    "Work with results": {
        "compare": "Compare the models of one run, or two runs pair by pair.",
        "explain": "Show how one number was computed, step by step.",
        "report": "Write one HTML page with scores, charts, texts and problems.",
        "verify": "Check that inputs and reports are as they were; score again and compare.",
    },
    "Set up and automate": {
        "check": "Show what would be read as what; score nothing.",
        "cite": "Print the reference of a measure, or of scoresheet.",
        "init": "Write sample tables, a template workbook and a commented scoresheet.toml.",
        "run": "Run all jobs of scoresheet.toml: one summary, one page, one exit code.",
    },
}


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


def call(arguments: list[str]) -> None:
    """Run the command that the arguments name first, or else show what there is.

    Each way makes only what it needs: the parameters of a command take time to make.
    """
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    name, *rest = arguments or [""]
    tools = {tool: text for group in TOOLS.values() for tool, text in group.items()}
    if name in tools:
        tool = getattr(import_module(f"scoresheet.cli.commands.{name}"), name)
        app.command(help=tools[name])(tool)
        app(rest, prog_name=f"scoresheet {name}")
    if not name.startswith("-") and name in family_entries():
        from scoresheet.cli.commands.score import scoring_command

        app.command()(scoring_command(name))
        app(rest, prog_name=f"scoresheet {name}")
    app.callback()(root)
    if name != "--version":  # it needs no command
        for family in family_entries():
            app.command(family, help=load_command(family).help, rich_help_panel="Score")(not_first)
    for group, members in TOOLS.items():
        for tool, text in members.items():
            app.command(tool, help=text, rich_help_panel=group)(not_first)
    app(arguments, prog_name="scoresheet")


def not_first() -> None:
    """Refuse a command that is not the first argument."""
    raise typer.BadParameter("the command must be the first argument")


def main() -> None:
    """Run the command line and exit with the documented code."""
    gc.disable()  # until all is imported, of which nothing is garbage
    # Workers use all CPUs, so threads of BLAS only cost time when numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = run_app(sys.argv[1:])
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)  # nothing is open any more, and taking modules down costs a tenth of --help


def run_app(arguments: list[str]) -> int:
    """Run the command line; return the exit code, whatever happens."""
    from scoresheet.cli.run.signals import Interrupted, interruptible

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
        import traceback

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
