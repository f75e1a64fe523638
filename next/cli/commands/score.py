"""The scoring commands: one for each family, made from its declared options."""

import inspect
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scoresheet.cli.options import (
    PANELS,
    CompareOptions,
    InputOptions,
    ResultOptions,
    RunningOptions,
    build,
    parameters,
)
from scoresheet.cli.registry import load_command
from scoresheet.metrics.command import Command

if TYPE_CHECKING:  # they import pandas, which --help does not need
    from scoresheet.cli.run.outcome import Request, RunOutcome

_HELP = {
    "outputs": "Model outputs: a file, a folder or a quoted glob.",
    "references": "References: a file, a folder or a quoted glob.",
}


def scoring_command(name: str) -> Callable[..., None]:
    """Return the function behind `scoresheet NAME`, with the options that its family declares."""
    command = load_command(name)

    def run(**typed: Any) -> None:
        raise typer.Exit(execute(command, typed))

    signature = [*arguments(command), *options(command)]
    run.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
    run.__doc__ = command.help
    return run


def arguments(command: Command) -> list[inspect.Parameter]:
    """Return the positional arguments of a command."""
    found = []
    for table, folder in command.arguments.items():
        info = typer.Argument(
            metavar=table.upper(),
            help=_HELP[table] + (f" (default: {folder})" if folder else ""),
            show_default=False,
        )
        required = not folder
        annotation = Annotated[str, info] if required else Annotated[str | None, info]
        default = inspect.Parameter.empty if required else None
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        found.append(inspect.Parameter(table, kind, default=default, annotation=annotation))
    return found


def options(command: Command) -> list[inspect.Parameter]:
    """Return the options of a command: the family's own, then those of every command."""
    own = parameters(command.options, f"Options of {command.name}")
    return [*own, *(p for panel, declared in PANELS for p in parameters(declared, panel))]


def execute(command: Command, typed: dict[str, Any]) -> int:
    """Run a scoring command and print its outcome; return the exit code."""
    from scoresheet.cli.report.terminal import console, print_outcome, progress
    from scoresheet.cli.run.outcome import attempt
    from scoresheet.cli.run.pipeline import run_command

    outcome, settings = attempt(
        lambda: request_of(command, typed),
        command.name,
        lambda request: run_command(request, progress),
    )
    format_ = settings.get("format", "table")
    quiet, verbose = bool(settings.get("quiet")), bool(settings.get("verbose"))
    if format_ == "table":
        out, err = console(sys.stdout), console(sys.stderr)
        print_outcome(outcome, verbose=verbose, quiet=quiet, out=out, err=err)
    else:
        print_formatted(outcome, format_, quiet)
    return int(outcome.exit_code)


def request_of(command: Command, typed: dict[str, Any]) -> "tuple[Request, dict[str, Any]]":
    """Return the request of a command line, and how its outcome is to be printed."""
    from scoresheet.cli.config import read_config
    from scoresheet.cli.input.grammar import parse_columns, parse_where, usage
    from scoresheet.cli.input.load import LoadRules
    from scoresheet.cli.input.source import ReadRules
    from scoresheet.cli.input.tidy import TidyRules
    from scoresheet.cli.input.values import ACCEPTABLE
    from scoresheet.cli.registry import load_family
    from scoresheet.cli.run.outcome import Request
    from scoresheet.cli.run.workers import Limits
    from scoresheet.metrics.role import normal

    configured = read_config(command)
    kinds = (InputOptions, ResultOptions, CompareOptions, RunningOptions, command.options)
    try:
        reading, results, compare, running, own = (build(k, typed, configured) for k in kinds)
    except ValueError as error:
        raise usage(str(error)) from None
    unknown = [kind for kind in reading.accept if kind not in ACCEPTABLE]
    if unknown:
        raise usage(f"--accept {unknown[0]}: it is one of {', '.join(ACCEPTABLE)}")
    if not 0 < compare.ci < 1:
        raise usage(f"--ci must lie between 0 and 1, not {compare.ci:g}")
    family = load_family(command.name)
    words = frozenset(
        normal(word)
        for table in family.tables
        for role in table.roles
        for word in (role.name, *role.words, *role.seed)
    )
    read = ReadRules(
        reading.encoding,
        reading.header_row,
        reading.sheet,
        reading.skip_sheet,
        reading.records,
        running.max_file_mb,
        words,
    )
    tidy = TidyRules(
        tuple(reading.missing_values.split(",")) if reading.missing_values else (),
        reading.match == "loose",
        reading.extract,
        results.by,
    )
    request = Request(
        command.name,
        inputs_of(command, typed),
        own,
        Path(results.out or command.results),
        named=bool(typed.get("outputs")),
        load=LoadRules(
            parse_columns(reading.column, family.tables),
            parse_where(reading.where),
            tidy,
            frozenset(reading.accept),
            reading.repeats,
            read=read,
        ),
        against=compare.against,
        ci=compare.ci,
        seed=compare.seed,
        workbooks=not results.no_workbooks,
        strict=running.strict,
        limits=Limits(running.jobs, running.timeout, running.memory),
        wait=running.wait,
        typed=shlex.join(["scoresheet", *sys.argv[1:]]),
    )
    shown = {"format": results.format, "quiet": running.quiet, "verbose": running.verbose}
    return request, shown


def inputs_of(command: Command, typed: dict[str, Any]) -> dict[str, str]:
    """Return the file or folder of each table: as named, else the default folders."""
    if typed.get("outputs"):
        return {table: typed[table] for table in command.arguments if typed.get(table)}
    folders = command.arguments.items()
    return {t: folder for t, folder in folders if t == "outputs" or Path(folder).exists()}


def print_formatted(outcome: "RunOutcome", format_: str, quiet: bool) -> None:
    """Print an outcome for programs and papers on stdout, the rest on stderr."""
    from dataclasses import replace

    from scoresheet.cli.report.files import latex_table, markdown_table, to_json
    from scoresheet.cli.report.terminal import console, print_outcome

    page = outcome.headline
    if format_ == "json":
        text = to_json(outcome)
    elif page is None:
        text = ""
    elif format_ == "markdown":
        text = markdown_table(page)
    elif format_ == "latex":
        text = latex_table(page, caption=outcome.signature, notes=" ".join(outcome.answer))
    else:
        text = outcome.results.to_csv(index=False)
    if text:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    silent = replace(outcome, answer=[], headline=None, comparison=None, breakdowns=[])
    err = console(sys.stderr)
    print_outcome(silent, verbose=False, quiet=quiet, out=err, err=err)
