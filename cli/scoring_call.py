"""A command that scores, called: its words understood, its request run, its answer shown."""

from __future__ import annotations

import dataclasses
import gc
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

# what only a run needs is imported where it runs: the list of commands and the version are there at once
from scoresheet.cli.calls import Call
from scoresheet.cli.commands import Command
from scoresheet.cli.endings import ending_of, write_bug
from scoresheet.cli.exits import Exit, Stop, worst
from scoresheet.cli.host import keep_freed_memory, process_is_ours
from scoresheet.cli.shortages import check_surroundings
from scoresheet.cli.urls import is_remote, without_secrets
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.problems import UsageError

if TYPE_CHECKING:
    from scoresheet.cli.input.remote import RemotePlaces
    from scoresheet.cli.parameters import Sources
    from scoresheet.cli.run.remote_results import RemoteResults
    from scoresheet.cli.run.request import Request
    from scoresheet.cli.settings import Settings
    from scoresheet.cli.terminal.log import Log


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
    shown = {name: without_secrets(value) if isinstance(value, str) else value for name, value in given.items()}
    defaults = dataclasses.replace(call.defaults, values=shown)
    return dataclasses.replace(call, arguments=tuple(map(without_secrets, call.arguments)), defaults=defaults)


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
        {name: without_secrets(value) for name, value in os.environ.items() if name.startswith(PREFIX)},
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
    if process_is_ours():
        gc.freeze()  # modules stay; a look at them in every worker would copy their memory
        keep_freed_memory()
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
        write_bug(bug)
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
