"""The scoring commands: one for each family, made from its declared options."""

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoresheet.cli.options import CommonOptions, build, merge, parameters, with_parameters
from scoresheet.cli.registry import load_command
from scoresheet.metrics import Command

if TYPE_CHECKING:  # they import pandas, which --help does not need
    from scoresheet.cli.run.outcome import Request, RunOutcome

_HELP = {
    "outputs": "Model outputs: a file, a folder or a quoted glob.",
    "references": "References: a file, a folder or a quoted glob.",
}


def scoring_command(name: str) -> Callable[..., None]:
    """Return the function behind `scoresheet NAME`, with the options that its family declares."""
    command = load_command(name)
    own = parameters(command.options, f"Options of {name}")

    def run(**typed: Any) -> None:
        raise typer.Exit(execute(command, typed))

    run.__doc__ = command.help
    return with_parameters(*_arguments(command), *own, *parameters(CommonOptions))(run)


def _arguments(command: Command) -> Iterator[inspect.Parameter]:
    for name, folder in zip(_HELP, command.arguments.values(), strict=False):
        shown = _HELP[name] + (f" (default: {folder})" if folder else "")
        info = typer.Argument(metavar=name.upper(), help=shown, show_default=False)
        yield inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if folder else inspect.Parameter.empty,
            annotation=Annotated[str | None, info] if folder else Annotated[str, info],
        )


def execute(command: Command, typed: dict[str, Any]) -> int:
    """Run a scoring command and print its outcome; return the exit code."""
    from scoresheet.cli.report.terminal import progress
    from scoresheet.cli.run.outcome import attempt
    from scoresheet.cli.run.pipeline import run_command

    shown = dict(typed)  # what was typed also holds where the other options are wrong

    def run() -> "RunOutcome":
        request, options = request_of(command, typed)
        shown.update(options)
        return run_command(request, progress)

    outcome = attempt(run)
    show(outcome, **{name: shown[name] for name in ("format", "quiet", "verbose")})
    return int(outcome.exit_code)


def request_of(command: Command, typed: dict[str, Any]) -> "tuple[Request, dict[str, Any]]":
    """Return the request of a command line, and how its outcome is to be printed."""
    from scoresheet.cli.config import read_config
    from scoresheet.cli.input.grammar import parse_columns, parse_where, usage
    from scoresheet.cli.input.load import ACCEPTABLE
    from scoresheet.cli.input.source import ReadRules
    from scoresheet.cli.input.tidy import LoadRules
    from scoresheet.cli.registry import load_family
    from scoresheet.cli.run.outcome import Request
    from scoresheet.cli.run.workers import Limits
    from scoresheet.metrics.role import normal

    values = merge(read_config(command), typed)
    try:
        options: CommonOptions = build(CommonOptions, values)
        own = build(command.options, {**vars(options), **values})
    except ValueError as error:
        raise usage(str(error)) from None
    unknown = [kind for kind in options.accept if kind not in ACCEPTABLE]
    if unknown:
        raise usage(f"--accept {unknown[0]}: it is one of {', '.join(ACCEPTABLE)}")
    if not 0 < options.ci < 1:
        raise usage(f"--ci must lie between 0 and 1, not {options.ci:g}")
    tables = load_family(command.name).tables
    roles = [role for table in tables for role in table.roles]
    words = {normal(word) for role in roles for word in (role.name, *role.words, *role.seed)}
    missing = tuple(options.missing_values.split(",")) if options.missing_values else ()
    shown = vars(options)
    read = {"sheets": options.sheet, "skip_sheets": options.skip_sheet, "words": frozenset(words)}
    load = {
        "said": parse_columns(options.column, tables),
        "where": parse_where(options.where),
        "missing_values": missing,
        "accept": frozenset(options.accept),
        "read": build(ReadRules, {**shown, **read}),
    }
    request = {
        "family": command.name,
        "inputs": _inputs(command, typed, own),
        "options": own,
        "out": Path(options.out or command.results),
        "named": bool(typed.get("outputs")),
        "load": build(LoadRules, {**shown, **load}),
        "workbooks": not options.no_workbooks,
        "limits": Limits(options.jobs, options.timeout, options.memory),
    }
    return build(Request, {**shown, **request}), shown  # the other options are used as they are


def _inputs(command: Command, typed: dict[str, Any], own: Any) -> dict[str, str]:
    """Return the file or folder of each table: as named, else the default folders."""
    files = [field for field in fields(own) if "table" in field.metadata]
    named = {field.metadata["table"]: getattr(own, field.name) for field in files}
    if typed.get("outputs"):
        arguments = zip(command.arguments, _HELP, strict=False)
        named |= {table: typed[name] for table, name in arguments if typed.get(name)}
    else:
        folders = command.arguments.items()
        named |= {t: folder for t, folder in folders if t == "outputs" or Path(folder).exists()}
    return {table: path for table, path in named.items() if path}


def show(outcome: "RunOutcome", *, format: str | None, quiet: bool, verbose: bool) -> None:  # noqa: A002
    """Print an outcome: as people read it, or the results for a program or paper on stdout."""
    from scoresheet.cli.report.files import formatted
    from scoresheet.cli.report.terminal import console, print_outcome

    if format not in (None, "table"):
        sys.stdout.write(formatted(outcome, format))
        outcome = replace(outcome, answer=[], headline=None, comparison=None, breakdowns=[])
    out, err = console(sys.stdout), console(sys.stderr)
    print_outcome(outcome, verbose=verbose, quiet=quiet, out=out, err=err)
