"""The command line: builds the commands, runs one, and translates every error to an exit code in one place."""

from __future__ import annotations

import dataclasses
import gc
import os
import sys
import traceback
from collections.abc import Sequence, Set
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from scoresheet.cli.commands import Command, all_commands, command_named, command_names
from scoresheet.cli.exits import Exit, Interrupted, Stop
from scoresheet.cli.host import host_unchanged
from scoresheet.cli.parameters import with_parameters
from scoresheet.cli.run.ownership import owner_of
from scoresheet.cli.settings import Settings
from scoresheet.cli.shortages import check_surroundings, shortage
from scoresheet.cli.tools import all_tools, tool_named, tool_names
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.problems import MissingExtra, UsageError

_REPORT = "\nThis is a bug in scoresheet; please report the lines above."
_HELP = """Scores model outputs that live in CSV and Excel files.

Reads directories of spreadsheets, scores every model and every sheet, and writes Excel reports a person can open \
and files a machine can read. The answer goes to stdout, everything else to stderr.
"""


def build(only: str | None = None) -> typer.Typer:
    """Return the typer application with all commands, or with the one that was asked for."""
    app = typer.Typer(
        name="scoresheet",
        help=_HELP,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit codes\n\n" + "\n\n".join(f"{int(code):>4}  {code.about}" for code in Exit),
    )

    @app.callback()
    def root(
        version: Annotated[  # noqa: ARG001 - its callback does the work
            bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_version)
        ] = False,
    ) -> None:
        return

    for command in all_commands() if only is None else [command_named(only)] if only in command_names() else []:
        app.command(command.name, short_help=command.summary, epilog=f"Example: {command.example}")(
            with_parameters(command, run_command)
        )
    for tool in all_tools() if only is None else [tool_named(only)] if only in tool_names() else []:
        app.command(
            tool.name,
            short_help=tool.summary,
            epilog=f"Example: {tool.example}",
            context_settings=dict(tool.context_settings),
        )(tool.run)
    return app


def run_command(command: Command, values: dict[str, Any], by_variable: Set[str]) -> None:
    """Run one command with the values of its parameters; the exit code travels as typer.Exit."""
    check_surroundings()
    from scoresheet.cli.run.pipeline import Request, execute
    from scoresheet.cli.signals import interruptible
    from scoresheet.cli.terminal.messages import (
        Log,
        show_alerts,
        show_answer,
        show_error,
        show_files,
        show_page,
        show_problems,
    )
    from scoresheet.cli.terminal.progress import Progress

    out, note = _results_folder(command, values["out"], by_variable="out" in by_variable)
    settings = _build_options(Settings, values | {"out": out})
    options = _build_options(command.options, values)
    page = command.reporter.standalone_page(options)
    if page is not None:
        if values["outputs"] or values.get("references"):
            raise Stop(Exit.USAGE, "this is a question that needs no files; leave the folders out")
        show_page(page(), settings)
        return
    outputs, references = _resolve_paths(command, values["outputs"], values.get("references"))
    variables = {name: value for name, value in os.environ.items() if name.startswith("SCORESHEET_")}
    request = Request(
        command.family,
        command.reporter,
        options,
        settings,
        outputs,
        references,
        Path(settings.out),
        tuple(_arguments),
        variables,
    )
    log = Log(quiet=settings.quiet, log_file=settings.log_file)
    log.debug(" ".join(["scoresheet", *_arguments]))
    for said in filter(None, (note, *_former_words(command, values))):
        log.info(said)
    if _process_is_ours:
        gc.freeze()  # modules stay; a look at them in every worker would copy their memory
    gc.enable()
    try:
        with interruptible():
            run = execute(request, Progress(wanted=settings.progress and not settings.quiet))
    except (Stop, UsageError) as error:
        stop = error if isinstance(error, Stop) else Stop(Exit.USAGE, spelled_for_shell(str(error)))
        log.debug(f"Error: {stop}; exit code {int(stop.code)}")
        if settings.json:
            show_error(stop)
        raise stop from None
    code = run.exit_code(strict=settings.strict)
    for bug in run.bugs:
        _write_stderr(bug + _REPORT)
    show_problems(run, log, verbose=settings.verbose)
    show_alerts(run, log, code=code)
    show_answer(run, settings, code=code)
    if run.swapped:
        log.error(f"are outputs and references swapped? In the other order: scoresheet {command.name} {run.swapped}")
    if code == Exit.NOTHING:
        log.error(f"{outputs}: nothing could be scored; existing reports are untouched")
    else:
        show_files(run, settings, log)
    log.debug(f"exit code {int(code)}")
    raise typer.Exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing a user can do ends in a traceback."""
    with host_unchanged():
        return _run(list(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    _prepare_streams()
    # workers are processes already; threads inside them would only compete
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    gc.disable()  # until all modules are loaded: nothing of that can be freed
    _arguments[:] = arguments
    try:
        return invoke(_arguments)
    except Stop as stop:
        _write_error(str(stop))
        return int(stop.code)
    except MissingExtra as missing:
        _write_error(spelled_for_shell(str(missing)))
        return int(Exit.USAGE)
    except Interrupted as interrupted:
        _write_stderr("Stopped; no report is half written.")
        return interrupted.code
    except KeyboardInterrupt:
        return int(Exit.INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug is reported as one
        short = shortage(error)
        if short:
            _write_stderr(f"Error: there is not enough {short}; existing reports are untouched")  # without an import
            return int(Exit.UNWRITABLE)
        _write_stderr("".join(traceback.format_exception(error)) + _REPORT)
        return int(Exit.BUG)


def console() -> None:
    """Run as the installed command."""
    global _process_is_ours  # noqa: PLW0603 - that is what the word says
    _process_is_ours = True
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # nobody listens any more, or never did
            stream.flush()
    os._exit(code)  # everything is written; taking the loaded modules apart would only cost time


_arguments: list[str] = []  # of this call, for the manifest
_process_is_ours = False  # whether nothing but this command runs in it


@cache  # a program may call main() again and again, and the parameters of all commands are many
def _command(only: str | None) -> Any:
    return typer.main.get_command(build(only))


def invoke(arguments: list[str]) -> int:
    """Run one command line and return its exit code; its errors are the caller's."""
    try:
        # of a command that is named, the others need not be imported
        named = arguments[0] if arguments and arguments[0] in (*command_names(), *tool_names()) else None
        _command(named)(arguments, prog_name="scoresheet")
    except SystemExit as done:  # how typer ends, with usage errors already shown
        return done.code if isinstance(done.code, int) else int(Exit.OK)
    return int(Exit.OK)


def _write_error(message: str) -> None:
    from scoresheet.cli.terminal.tables import for_screen

    _write_stderr(for_screen(f"Error: {message}", sys.stderr))


def _write_stderr(message: str) -> None:
    with suppress(OSError, ValueError):  # nobody listens; the exit code says it too
        sys.stderr.write(message + "\n")
        sys.stderr.flush()


def _version(wanted: bool) -> None:
    if wanted:
        from scoresheet.cli.version import VERSION

        typer.echo(f"scoresheet {VERSION}")
        raise typer.Exit


def _prepare_streams() -> None:
    """Make sure that printing cannot end a run that is done: not a closed stream, not an ASCII terminal."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - lives as long as the process
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _resolve_paths(command: Command, outputs: str | None, references: str | None) -> tuple[str, str]:
    """Return the folders to read; defaults hold only together, so one experiment is never scored against another's."""
    needed = command.references_required
    if outputs is None:
        default = command.references if needed or Path(command.references).exists() else ""
        missing = [place for place in (command.outputs, default) if place and not Path(place).exists()]
        if missing:
            raise Stop(
                Exit.USAGE,
                f"{missing[0]}: no such folder. With no arguments this is what is read; otherwise name your own: "
                f"scoresheet {command.name} OUTPUTS" + (f" {command.references_name}" if command.references else ""),
            )
        return command.outputs, default
    if command.references and needed and references is None:
        name = command.references_name
        raise Stop(
            Exit.USAGE,
            f"{name} is missing: with OUTPUTS named, the references must be named too: "
            f"scoresheet {command.name} {outputs} {name}",
        )
    return outputs, references or ""


def _results_folder(command: Command, out: str, *, by_variable: bool) -> tuple[str, str]:
    """Return the folder for the reports, and what must be said of it.

    A variable names what stands for results/, so that one serves all commands, each in its own folder below.
    """
    if not by_variable:
        return out, ""
    below = str(Path(out) / Path(command.results).name)
    if owner_of(Path(out)) != command.name:
        return below, ""
    note = (
        f"note: SCORESHEET_OUT: {out} itself holds reports of scoresheet {command.name}, which are renewed "
        f"there as before; from the next release on they go to {below}. Move them there, or name the folder with -o"
    )
    return out, note


def _former_words(command: Command, values: dict[str, Any]) -> list[str]:
    """Return a note for each value that goes by another word today."""
    return [
        f"note: --{field.name.replace('_', '-')} {values[field.name]} is called {today} now; the old word is "
        "understood until the next release"
        for field in dataclasses.fields(command.options)
        if (today := field.metadata["former"].get(values[field.name]))
    ]


def _build_options(kind: type[Any], values: dict[str, Any]) -> Any:
    """Return the dataclass filled from the parameters that are its fields."""
    own = {field.name: values[field.name] for field in dataclasses.fields(kind)}
    own = {name: tuple(value) if isinstance(value, list) else value for name, value in own.items()}
    try:
        return kind(**own)
    except ValueError as error:
        raise Stop(Exit.USAGE, spelled_for_shell(f"--{error}")) from None
