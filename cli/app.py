"""The command line: builds the commands, runs one, and translates every error to an exit code in one place."""

from __future__ import annotations

import dataclasses
import gc
import os
import shlex
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

# what only a run needs is imported where it runs: the list of commands and the version are there at once
from scoresheet.cli.calls import Call, Ending
from scoresheet.cli.commands import Command, all_commands, command_named, command_names
from scoresheet.cli.config.defaults import PROJECT_FILE, SETTINGS_FILE, FileDefaults
from scoresheet.cli.exits import Exit, Interrupted, Stop, worst
from scoresheet.cli.help import HELP_ALL, FittingGroup, command_class, group_class
from scoresheet.cli.host import ONE_THREAD, host_unchanged
from scoresheet.cli.scratch import copies_removed
from scoresheet.cli.shortages import check_surroundings, shortage
from scoresheet.cli.terminal.printing import is_printed
from scoresheet.cli.tools import all_tools, tool_named, tool_names
from scoresheet.cli.urls import is_remote, masked
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.problems import MissingExtra, UsageError

if TYPE_CHECKING:
    from scoresheet.cli.input.remote import RemotePlaces
    from scoresheet.cli.parameters import Sources
    from scoresheet.cli.run.remote_results import RemoteResults
    from scoresheet.cli.run.request import Request
    from scoresheet.cli.settings import Settings
    from scoresheet.cli.terminal.log import Log

_REPORT = "\nThis is a bug in scoresheet; please report the lines above."
_HELP = """Scores model outputs that live in CSV and Excel files.

Reads directories of spreadsheets, scores every model and every sheet, and writes Excel reports a person can open \
and files a machine can read. The answer goes to stdout, everything else to stderr.
"""


def build(only: str | None = None) -> typer.Typer:
    """Return the typer application with the list of all commands, or with the one that was asked for.

    Of a list, each command is made when it is called for after all.
    """
    app = typer.Typer(
        name="scoresheet",
        cls=FittingGroup if only else group_class(_summaries(), _made),
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
        verbose: Annotated[  # noqa: ARG001 - the same
            bool,
            typer.Option(
                "--verbose",
                "-v",
                help="With --version: also which parts are compiled.",
                is_eager=True,
                callback=_version,
            ),
        ] = False,
    ) -> None:
        return

    if only in command_names():
        from scoresheet.cli.parameters import common_options, with_parameters

        command = command_named(only)
        app.command(
            command.name,
            cls=command_class(common_options(command)),
            short_help=command.summary,
            epilog=f"Example: {command.example}",
        )(with_parameters(command, run_command))
    elif only:
        tool = tool_named(only)
        app.command(
            tool.name,
            cls=command_class(),
            short_help=tool.summary,
            epilog=f"Example: {tool.example}",
            context_settings=dict(tool.context_settings),
            options_metavar=tool.usage,
        )(tool.run)
    return app


def _summaries() -> dict[str, str]:
    """Return the line of each command in the list of them."""
    commands = {command.name: command.summary for command in all_commands()}
    return commands | {tool.name: tool.summary for tool in all_tools()}


def _made(name: str) -> Any:
    """Return one command as typer makes it."""
    return _command(name).commands[name]


def run_command(command: Command, values: dict[str, Any], sources: Sources, call: Call | None) -> None:
    """Run one command with the values of its parameters; the exit code travels as typer.Exit."""
    check_surroundings()
    from scoresheet.cli.input.remote import RemotePlaces
    from scoresheet.cli.settings import Settings
    from scoresheet.cli.terminal.log import Log

    places = RemotePlaces()
    call = _shown_call(call or Call())
    values = _with_named_references(command, _shown_values(command, values, places))
    out, note = _results_folder(command, values["out"], by_variable="out" in sources.variables)
    settings = _build_options(Settings, values | {"out": out})
    log = Log(quiet=settings.quiet, log_file=settings.log_file)
    log.debug(shlex.join(["scoresheet", *call.arguments]))
    if note:
        log.info(note)
    try:
        code = _obey(command, values, sources, settings, call, log, places)
    except BaseException as error:
        ending = ending_of(error)
        if ending.code == Exit.BUG and not isinstance(error, Stop):
            log.bug(error)
        log.debug(f"{ending.error}; exit code {ending.code}")
        raise
    log.debug(f"exit code {int(code)}")
    raise typer.Exit(code)


def _shown_values(command: Command, values: dict[str, Any], places: RemotePlaces) -> dict[str, Any]:
    """Return the values with places that URLs name as they may be shown; other texts may well look like URLs."""
    named = {"outputs", "references", "out", "baseline", command.references_option, *command.family.schema.tables}
    return {
        name: places.shown(value) if name in named and isinstance(value, str) else value
        for name, value in values.items()
    }


def _shown_call(call: Call) -> Call:
    """Return a call whose words hold no credentials: they are written down in manifests and logs."""
    given = call.defaults.values
    shown = {name: masked(value) if isinstance(value, str) else value for name, value in given.items()}
    defaults = dataclasses.replace(call.defaults, values=shown)
    return dataclasses.replace(call, arguments=tuple(map(masked, call.arguments)), defaults=defaults)


def _obey(
    command: Command,
    values: dict[str, Any],
    sources: Sources,
    settings: Settings,
    call: Call,
    log: Log,
    places: RemotePlaces,
) -> Exit:
    """Do what a command line says, and return its exit code."""
    from scoresheet.cli.config.variables import PREFIX, notes_of_unknown_variables
    from scoresheet.cli.run.request import Request
    from scoresheet.cli.signals import interruptible
    from scoresheet.cli.terminal.messages import refuse_unwritable_junit, show_page

    options = _build_options(command.options, values)
    page = command.reporter.standalone_page(options)
    if page is not None:
        if any(values.get(name) for name in {"outputs", "references"} - sources.file):
            raise Stop(Exit.USAGE, "this is a question that needs no files; leave the folders out")
        return Exit.OK if show_page(page(), settings) else Exit.UNPRINTED
    outputs, references = _resolve_paths(command, values)
    remote = _remote_results(settings, places, log)
    request = Request(
        command.family,
        command.reporter,
        options,
        settings,
        outputs,
        references,
        remote.copy if remote else Path(settings.out),
        call.arguments,
        {name: masked(value) for name, value in os.environ.items() if name.startswith(PREFIX)},
        call.defaults.only(sources.file),
        places=places,
        publish=remote.publish if remote else None,
    )
    refuse_unwritable_junit(settings.junit)
    unknown = [] if call.listener else notes_of_unknown_variables(request.variables)  # `run` says it once for all
    for said in (*unknown, *_former_words(command, values)):
        log.info(said)
    if request.configuration.values:
        (log.info if settings.verbose else log.debug)(str(request.configuration))
    if _process_is_ours:
        gc.freeze()  # modules stay; a look at them in every worker would copy their memory
    gc.enable()
    with interruptible():
        return _score_and_show(request, log, call)


def _remote_results(settings: Settings, places: RemotePlaces, log: Log) -> RemoteResults | None:
    """Return the results folder, if a URL names it; nobody can lock it, which is said."""
    if not is_remote(settings.out):
        return None
    from scoresheet.cli.run.remote_results import RemoteResults

    if not settings.dry_run:
        log.info(f"note: {settings.out}: a remote folder has no lock; see that no other run writes there meanwhile")
    return RemoteResults(settings.out, places)


def _score_and_show(request: Request[Any, Any, Any, Any, Any, Any], log: Log, call: Call) -> Exit:
    """Run a request, say what came of it, and return the exit code."""
    from scoresheet.cli.run.pipeline import execute
    from scoresheet.cli.terminal import messages
    from scoresheet.cli.terminal.progress import Progress

    settings = request.settings
    try:
        run = execute(request, Progress(wanted=settings.progress and not settings.quiet))
    except (Stop, UsageError) as error:
        stop = error if isinstance(error, Stop) else Stop(Exit.USAGE, spelled_for_shell(str(error)))
        stop = Stop(stop.code, request.places.named(str(stop)))
        if settings.prints_json and not call.listener:
            messages.show_error(stop)
        raise stop from None
    code = run.exit_code(strict=settings.strict)
    for bug in run.bugs:
        _write_stderr(_harmless(bug) + _REPORT)
    messages.show_problems(run, log, verbose=settings.verbose)
    messages.log_scores(run, log)
    messages.show_alerts(run, log, code=code)
    if not messages.show_junit(run, settings, log):  # before the answer, which says how it all ended
        code = worst([code, Exit.UNPRINTED])
    if call.listener:
        call.listener(run, code)
    elif not messages.show_answer(run, settings, code=code):
        code = worst([code, Exit.UNPRINTED])
    if run.swapped:
        order = f"scoresheet {request.family.name} {run.swapped}"
        log.error(f"are outputs and references swapped? In the other order: {order}")
    if code == Exit.NOTHING:
        log.error(f"{request.outputs}: nothing could be scored; existing reports are untouched")
    else:
        messages.show_files(run, settings, log)
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; nothing a user can do ends in a traceback."""
    with host_unchanged(), copies_removed():
        return _run(list(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    _prepare_streams()
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
    gc.disable()  # until all modules are loaded: nothing of that can be freed
    return ending_of_work(lambda: invoke(arguments)).code


def ending_of_work(work: Callable[[], int]) -> Ending:
    """Do some work that returns an exit code, and return how it ended: errors are said, and become their codes."""
    try:
        return Ending(work())
    except Exception as error:  # noqa: BLE001 - the last line of defence: a bug is reported as one
        ending = ending_of(error)
        is_bug = ending.code == Exit.BUG and not isinstance(error, Stop)
        if is_bug:
            _write_stderr(_harmless("".join(traceback.format_exception(error))) + _REPORT)
        elif shortage(error):
            _write_stderr(f"Error: {ending.error}")  # an import might be one thing too many
        else:
            _write_error(*(error.reasons if isinstance(error, Stop) else [ending.error]))
    except Interrupted as error:
        ending = ending_of(error)
        _write_stderr("Stopped; no report is half written.")
    except KeyboardInterrupt as error:
        ending = ending_of(error)
    return ending


def ending_of(error: BaseException) -> Ending:
    """Return the exit code that an error becomes, and what is said of it."""
    match error:
        case Stop():
            return Ending(int(error.code), str(error))
        case MissingExtra():
            return Ending(int(Exit.USAGE), spelled_for_shell(str(error)))
        case Interrupted():
            return Ending(error.code, str(error))
        case KeyboardInterrupt():
            return Ending(int(Exit.INTERRUPTED), "interrupted")
        case Exception() if short := shortage(error):
            return Ending(int(Exit.UNWRITABLE), f"there is not enough {short}; existing reports are untouched")
        case _:
            return Ending(int(Exit.BUG), f"a bug: {type(error).__name__}: {error}")


def console() -> None:
    """Run as the installed command."""
    global _process_is_ours  # noqa: PLW0603 - that is what the word says
    _process_is_ours = True
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # nobody listens any more, or never did
            stream.flush()
    os._exit(code)  # everything is written; taking the loaded modules apart would only cost time


_process_is_ours = False  # whether nothing but this command runs in it


@cache  # a program may call main() again and again, and the parameters of all commands are many
def _command(only: str | None) -> Any:
    return typer.main.get_command(build(only))


def invoke(arguments: list[str], call: Call | None = None) -> int:
    """Run one command line and return its exit code; its errors are the caller's.

    Unless the caller says what is to be known of the call, a file of settings in the working directory is asked.
    """
    # of a command that is named, the others need not be imported
    named = arguments[0] if arguments and arguments[0] in (*command_names(), *tool_names()) else None
    if call is None:
        asked = named in command_names() and not {"-h", "--help"} & set(arguments)
        call = Call(tuple(arguments), _file_defaults(named) if named and asked else FileDefaults())
    if named in tool_names() and not {"-h", "--help", HELP_ALL} & set(arguments):
        check_surroundings()  # a command does so itself, once its words are understood
    defaults = {named: dict(call.defaults.values)}
    try:
        done = _command(named)(arguments, prog_name="scoresheet", obj=call, default_map=defaults, standalone_mode=False)
    except Exception as error:
        if not hasattr(error, "format_message"):  # typer's own errors have it, whichever click they are of
            raise
        _show_usage_error(error)
        return int(Exit.USAGE)
    except SystemExit as ended:
        done = ended.code
    return done if isinstance(done, int) else int(Exit.OK)


def _file_defaults(command: str) -> FileDefaults:
    """Return what a file of settings in the working directory says of a command; most have none."""
    if not any(map(os.path.lexists, (SETTINGS_FILE, PROJECT_FILE))):
        return FileDefaults()
    from scoresheet.cli.config.files import file_defaults

    return file_defaults(command)


def _show_usage_error(error: Any) -> None:
    """Show what typer did not understand, as typer does; there may be nobody to see it."""
    if type(error).__name__ == "NoArgsIsHelpError":  # nothing was said at all: its message is the help
        _write_stderr(error.message)
        return
    from typer.rich_utils import rich_format_error

    from scoresheet.cli.terminal.tables import one_line

    error.message = one_line(error.message)
    with suppress(OSError, SystemExit):  # rich ends the process where a pipe is broken
        rich_format_error(error)


def _write_error(*reasons: str) -> None:
    from scoresheet.cli.terminal.tables import for_screen, one_line

    lines = "\n".join(map(one_line, reasons))
    _write_stderr("\n".join(for_screen(line, sys.stderr) for line in f"Error: {lines}".split("\n")))


def _harmless(lines: str) -> str:
    """Return lines so that what is quoted in them cannot command a terminal."""
    from scoresheet.cli.terminal.tables import one_line

    return "\n".join(map(one_line, lines.split("\n")))


def _write_stderr(message: str) -> None:
    with suppress(OSError, ValueError):  # nobody listens; the exit code says it too
        sys.stderr.write(message + "\n")
        sys.stderr.flush()


def _version(context: typer.Context, parameter: typer.CallbackParam, given: bool) -> None:
    """Print the version once it is known whether that, and more, was asked for; the order of the two words is free."""
    asked = context.meta.setdefault("scoresheet.version", {})
    asked[parameter.name] = given
    if asked.get("version") and "verbose" in asked:
        from scoresheet.cli.version import VERSION

        used = ""
        if asked["verbose"]:
            from scoresheet.cli.write.cell_maker import cell_maker
            from scoresheet.metrics.text.kernel import kernel

            parts = (("kernel", kernel()), ("cells", cell_maker()))
            used = "".join(f"\n{name}: {part.name} ({part.reason})" for name, part in parts)
        raise typer.Exit(Exit.OK if is_printed(lambda: typer.echo(f"scoresheet {VERSION}{used}")) else Exit.UNPRINTED)
    if asked.get("verbose") and "version" in asked:
        raise typer.BadParameter("it goes with --version, or after the name of a command", param_hint="-v")


def _prepare_streams() -> None:
    """Make sure that printing cannot end a run that is done: not a closed stream, not an ASCII terminal."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            _occupy(descriptor)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - lives as long as the process
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _occupy(descriptor: int) -> None:
    """Let no file or pipe have the descriptor of a closed stream: a worker would take it for that stream."""
    try:
        os.fstat(descriptor)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, descriptor)
        if nowhere != descriptor:
            os.close(nowhere)
        os.set_inheritable(descriptor, True)


def _resolve_paths(command: Command, values: dict[str, Any]) -> tuple[str, str]:
    """Return the folders to read; defaults hold only together, so one experiment is never scored against another's."""
    outputs, references = values["outputs"], values.get("references")
    in_line = bool(command.references_option and values[command.references_option] and not references)
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
        # what was given in line stands for references, so that the default ones are not wanted
        return command.outputs, "" if in_line else default
    if command.references and needed and references is None:
        name = command.references_name
        raise Stop(
            Exit.USAGE,
            f"{name} is missing: with OUTPUTS named, the references must be named too: "
            f"scoresheet {command.name} {outputs} {name}",
        )
    return outputs, references or ""


def _with_named_references(command: Command, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values with a file of references that an option names in their place."""
    name = command.references_option
    if not name or not values[name]:
        return values
    if not is_remote(values[name]) and not os.path.exists(values[name]):  # noqa: PTH110 - a list may be too long for a path
        return values
    if values["references"]:
        raise Stop(
            Exit.USAGE, f"{values[name]} and {values['references']}: leave out --{name}, or {command.references_name}"
        )
    return values | {"references": values[name], name: ""}


def _results_folder(command: Command, out: str, *, by_variable: bool) -> tuple[str, str]:
    """Return the folder for the reports, and what must be said of it.

    A variable names what stands for results/, so that one serves all commands, each in its own folder below.
    """
    if not by_variable:
        return out, ""
    if is_remote(out):
        return f"{out.rstrip('/')}/{Path(command.results).name}", ""
    from scoresheet.cli.run.ownership import owner_of

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
