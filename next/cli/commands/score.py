"""The scoring commands: one for each family, made from its declared options."""

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from scoresheet.cli.options import ARGUMENTS, CommonOptions, merge, parameters, with_parameters
from scoresheet.cli.registry import load_command
from scoresheet.metrics import Command

if TYPE_CHECKING:  # they import pandas, which --help does not need
    from scoresheet.cli.run.outcome import RunOutcome


def scoring_command(name: str) -> Callable[..., None]:
    """Return the function behind `scoresheet NAME`, with the options that its family declares."""
    command = load_command(name)
    own = parameters(command.options, f"Options of {name}")

    def run(**typed: Any) -> None:
        raise typer.Exit(execute(command, typed))

    run.__doc__ = command.help
    return with_parameters(*_arguments(command), *own, *parameters(CommonOptions))(run)


def _arguments(command: Command) -> Iterator[inspect.Parameter]:
    for name, folder in zip(ARGUMENTS, command.arguments.values(), strict=False):
        shown = ARGUMENTS[name] + (f" (default: {folder})" if folder else "")
        info = typer.Argument(metavar=name.upper(), help=shown, show_default=False)
        yield inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if folder else inspect.Parameter.empty,
            annotation=Annotated[str | None, info] if folder else Annotated[str, info],
        )


def execute(command: Command, typed: dict[str, Any]) -> int:
    """Run a scoring command and print its outcome; return the exit code."""
    from scoresheet.cli.config import read_config
    from scoresheet.cli.report.junit import START, judged
    from scoresheet.cli.report.terminal import progress
    from scoresheet.cli.run.outcome import attempt, ended_by
    from scoresheet.cli.run.pipeline import run_command
    from scoresheet.cli.run.request import request_of
    from scoresheet.cli.run.results_folder import check_single

    values = dict(typed)  # what was typed also holds where other options are wrong

    def run() -> "RunOutcome":
        merged = merge(read_config(command), typed)
        values.update(merged)
        if values["junit"]:
            check_single(Path(values["junit"]), START)
        request = request_of(command, merged)
        values.update(vars(request))
        return run_command(request, progress)

    try:
        outcome = attempt(run)
    except BaseException as error:  # a signal or a bug: an old JUnit file must not stay green
        judged(values["junit"], {command.name: ended_by(error)})
        raise
    outcome = judged(values["junit"], {command.name: outcome})
    show(outcome, **{name: values[name] for name in ("format", "quiet", "verbose")})
    return int(outcome.exit_code)


def finish(
    run: "Callable[[], RunOutcome]",
    format: str | None = None,  # noqa: A002
    *,
    verbose: bool = False,
) -> NoReturn:
    """Run a command that writes no reports, print its outcome and end with its exit code."""
    from scoresheet.cli.run.outcome import attempt

    outcome = attempt(run)
    show(outcome, format=format, quiet=False, verbose=verbose)
    raise typer.Exit(int(outcome.exit_code))


def show(outcome: "RunOutcome", *, format: str | None, quiet: bool, verbose: bool) -> None:  # noqa: A002
    """Print an outcome: as people read it, or the results for a program or paper on stdout."""
    from scoresheet.cli.report.files import formatted
    from scoresheet.cli.report.terminal import console, print_outcome

    if format not in (None, "table"):
        sys.stdout.write(formatted(outcome, format))
        outcome = replace(outcome, answer=[], headline=None, comparison=None, breakdowns=[])
    out, err = console(sys.stdout), console(sys.stderr)
    print_outcome(outcome, verbose=verbose, quiet=quiet, out=out, err=err)
