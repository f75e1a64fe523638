"""The command line."""

import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Annotated

import typer

from scoresheet.cli.registry import family_entries, load_all, load_command

# By their group in --help.
TOOLS = {
    "Work with results": ("compare", "explain", "report", "verify"),
    "Set up and automate": ("check", "cite", "init", "run"),
}
SMALL = {"compare", "explain", "init", "verify"}  # the others have a module of their name


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
    command: Callable[..., None] | None = None
    if any(name in names for names in TOOLS.values()):
        command = tool(name)
    elif not name.startswith("-") and name in family_entries():
        from scoresheet.cli.commands.score import scoring_command

        command = scoring_command(name)
    if command:
        app.command()(command)
        app(rest, prog_name=f"scoresheet {name}")
    app.callback()(root)
    if name != "--version":  # it needs no command
        for family in load_all(load_command, lambda reason: say(f"note: {reason}")):
            app.command(family.name, help=family.help, rich_help_panel="Score")(not_first)
    for panel, names in TOOLS.items():
        for other in names:
            app.command(other, help=tool(other).__doc__, rich_help_panel=panel)(not_first)
    app(arguments, prog_name="scoresheet")


def tool(name: str) -> Callable[..., None]:
    """Return the function of a command that is not a family's."""
    module = import_module(f"scoresheet.cli.commands.{'tools' if name in SMALL else name}")
    function: Callable[..., None] = getattr(module, name)
    return function


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
        say("interrupted: existing reports are untouched")
    except BrokenPipeError:
        code = 0
    except OSError as error:
        say(f"error: {error}")
        code = 5
    except Exception as error:  # noqa: BLE001
        code = ended(error)
    try:
        sys.stdout.flush()
    except OSError as error:  # an answer that could not be written, or that nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = code or (0 if isinstance(error, BrokenPipeError) else 5)
    return code


def ended(error: Exception) -> int:
    """Report what ended the command line before its command could; return the exit code."""
    from scoresheet.metrics.problem import Refusal  # it imports pandas

    if isinstance(error, Refusal):
        say(f"error: {error}")
        return 2
    import traceback

    say("".join(traceback.format_exception(error)) + "\nThis is a bug. Nothing was written.")
    return 1


def say(text: str) -> None:
    """Print a line on stderr."""
    with suppress(OSError):  # with nowhere left to say it, the exit code remains
        sys.stderr.write(text + "\n")
