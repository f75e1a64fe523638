"""The jobs of a file: each a command line, checked and with a results folder of its own before anything is read."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scoresheet.cli.commands import Command, all_commands, command_named, command_names
from scoresheet.cli.config.defaults import FileDefaults
from scoresheet.cli.config.files import DEFAULTS, JOBS, Configuration, ConfigurationErrors, checked_table
from scoresheet.cli.config.toml_lines import Keys
from scoresheet.cli.config.values import checked_value, command_fields, common_fields, is_plain_flag, place_keys
from scoresheet.cli.config.variables import variable_name
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.guard import real_path
from scoresheet.cli.run.gates import parse_gates
from scoresheet.cli.settings import Settings
from scoresheet.cli.urls import is_remote, without_secrets
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.records import dataclass

_COMMAND: Final = "command"
_OF_THE_RUN: Final = ("json", "format")  # what goes to stdout, where a run of jobs puts its summary


@dataclass(frozen=True)
class Job:
    """One command line of a file."""

    name: str
    command: Command
    arguments: tuple[str, ...]  # the words that a shell would be given
    folder: Path  # for its reports
    defaults: FileDefaults  # what the file says of the command, and of all jobs
    outranked: frozenset[str]  # variables that the job says no to, for which a command line has no words


@dataclass(frozen=True)
class JobRules:
    """What holds for all jobs of a run: where results go unless a job says, and words of the run's own command line."""

    root: str
    words: tuple[str, ...] = ()
    log_file: str = ""  # '' leaves it to the jobs


def results_root(configuration: Configuration) -> str:
    """Return the folder that the file names for the results of all jobs; '' if it names none."""
    return _default_text(configuration, "out")


def shared_log_file(configuration: Configuration) -> str:
    """Return the log that the file names for all jobs; '' if it names none."""
    return _default_text(configuration, "log-file")


def planned_jobs(configuration: Configuration, rules: JobRules) -> list[Job]:
    """Return the jobs of a file in order; Stop, with the lines, if it cannot be obeyed."""
    errors = ConfigurationErrors(configuration)
    configuration.check_tables(errors)
    for command in all_commands():
        configuration.of_command(command, errors)
    shared = _checked_defaults(configuration, errors)
    tables = configuration.tables.get(JOBS, {})
    jobs = [
        job
        for name, table in (tables if isinstance(tables, dict) else {}).items()
        if (job := _job(name, table, shared, rules, errors)) is not None
    ]
    errors.stop_if_any()
    if not jobs:
        raise Stop(
            Exit.USAGE,
            f'{configuration.path}: there is no job in it; add one: [{JOBS}.NAME], and below it {_COMMAND} = "sinfo", '
            'outputs = "…"',
        )
    _refuse_shared_folders(jobs, configuration)
    return jobs


def _defaults(configuration: Configuration) -> Mapping[str, Any]:
    table = configuration.tables.get(DEFAULTS, {})
    return table if isinstance(table, dict) else {}


def _default_text(configuration: Configuration, name: str) -> str:
    value = _defaults(configuration).get(name, "")
    return value if isinstance(value, str) else ""  # what else it is will be said with its line


def _checked_defaults(configuration: Configuration, errors: ConfigurationErrors) -> dict[str, Any]:
    """Return what is to hold for all jobs: options that every command has."""
    fields = {name: field for name, field in common_fields().items() if name not in _OF_THE_RUN}
    values: dict[str, Any] = {}
    for name, value in _defaults(configuration).items():
        if name in _OF_THE_RUN:
            errors.add((DEFAULTS, name), f"{name}: {_no_default(name)}")
            continue
        if name not in fields:
            errors.add_unknown((DEFAULTS, name), _no_default(name), list(fields), "scoresheet sinfo --help")
            continue
        try:
            values[fields[name].name] = checked_value(fields[name], value)
        except ValueError as error:
            errors.add((DEFAULTS, name), str(error))
    values.pop("out", None)  # it stands for results/, below which each command has a folder
    return values


def _no_default(name: str) -> str:
    if name in _OF_THE_RUN:
        return f"jobs print no answer of their own; scoresheet run --{name} prints the summary so"
    owners = [command.name for command in all_commands() if name in (*command_fields(command), *place_keys(command))]
    if owners and len(owners) < len(command_names()):
        return f"not every command has this option; put it under [command.{owners[0]}]"
    if owners:
        return "jobs cannot share it; put it under each [job.NAME]"
    return "no option that every command has"


def _job(
    name: str, table: object, shared: Mapping[str, Any], rules: JobRules, errors: ConfigurationErrors
) -> Job | None:
    """Return a job as the file has it; None if anything about it is wrong, which is then noted."""
    keys = (JOBS, name)
    if not isinstance(table, dict):
        errors.add(keys, f'{name}: a job is a table: write [{JOBS}.NAME], and below it {_COMMAND} = "sinfo"')
        return None
    if _COMMAND not in table:
        errors.add(keys, f'{name}: the job names no command; add {_COMMAND} = "sinfo", or another of them')
        return None
    if table[_COMMAND] not in command_names():
        known = command_names()
        errors.add_unknown((*keys, _COMMAND), f"there is no command {table[_COMMAND]!r}", known)
        return None
    before = len(errors.found)
    command = command_named(table[_COMMAND])
    for key in _OF_THE_RUN:
        if key in table:
            errors.add((*keys, key), f"{key}: {_no_default(key)}")
    own = checked_table(command, table, keys, errors, besides=(_COMMAND,))
    if "references" in own and "outputs" not in own:
        errors.add((*keys, "references"), "references are named and outputs are not; name both")
    silent = ConfigurationErrors(errors.configuration)  # whatever is wrong there is noted already
    of_command = errors.configuration.of_command(command, silent)
    if len(errors.found) == before and not silent.found:
        _check_together(command, (shared, of_command, own), keys, errors)
    if len(errors.found) > before:
        return None
    # `false` for what a command line can only turn on: it is on neither by a default nor by a variable
    off = {field.name for field in command_fields(command).values() if is_plain_flag(field)}
    off = {name for name in off if own.get(name) is False}
    defaults = {name: value for name, value in {**shared, **of_command}.items() if name not in {*off, *_OF_THE_RUN}}
    folder = own.pop("out", "") or str(Path(rules.root) / Path(command.results).name)
    if rules.log_file:
        own["log_file"] = rules.log_file
    return Job(
        name,
        command,
        (*_arguments(command, own), f"--out={folder}", *rules.words),
        Path(folder),
        FileDefaults(errors.configuration.path.name, defaults) if defaults else FileDefaults(),
        frozenset(map(variable_name, {*off, *_OF_THE_RUN})),
    )


def _check_together(
    command: Command, tables: Sequence[Mapping[str, Any]], keys: Keys, errors: ConfigurationErrors
) -> None:
    """Note what options do not allow in each other's company, and questions that are no jobs."""
    values = {name: value for table in tables for name, value in table.items()}
    fields = command_fields(command)
    for name in fields:
        value = values.get(fields[name].name)
        if isinstance(value, list):
            repeatable = fields[name].metadata["repeatable"]
            values[fields[name].name] = ",".join(value) if repeatable else tuple(value)
    try:
        settings: Settings = _built(Settings, values)
        options = _built(command.options, values)
        parse_gates(settings.fail_if, command.reporter, options)
    except (ValueError, Stop) as error:
        message = spelled_for_shell(str(error))
        name = message.partition(" ")[0].removeprefix("--")
        homes = ((*keys, name), (*errors.configuration.commands_at, command.name, name), (DEFAULTS, name))
        home = next((path for path in homes if path in errors.configuration.lines), keys)
        errors.add(home, f"{keys[-1]}: {message}")
        return
    if command.reporter.standalone_page(options) is not None:
        errors.add(keys, f"{keys[-1]}: a question that needs no files is no job; ask it by itself")
    out = str(tables[-1].get("out", ""))
    if is_remote(out):
        errors.add(
            (*keys, "out"), f"{without_secrets(out)}: reports of jobs are summed up where they lie; name a local folder"
        )


def _built(kind: type[Any], values: Mapping[str, Any]) -> Any:
    return kind(**{field.name: values[field.name] for field in dataclasses.fields(kind) if field.name in values})


def _arguments(command: Command, values: Mapping[str, Any]) -> list[str]:
    """Return the words of a command line that says the same."""
    # a path that begins with a dash would be taken for an option
    places = [str(values[name]) for name in place_keys(command) if name in values]
    words = [command.name, *(f"./{place}" if place.startswith("-") else place for place in places)]
    for name, field in command_fields(command).items():
        value = values.get(field.name)
        if isinstance(value, bool):
            words += [f"--{name}"] if value else [] if is_plain_flag(field) else [f"--no-{name}"]
        elif value is not None:
            words += [f"--{name}={each}" for each in (value if isinstance(value, list) else [value])]
    return words


def _refuse_shared_folders(jobs: Sequence[Job], configuration: Configuration) -> None:
    """Stop if two jobs would write into one folder: the second would replace the reports of the first."""
    taken: dict[Path, Job] = {}
    for job in jobs:
        first = taken.setdefault(real_path(job.folder), job)
        if first is not job:
            line = configuration.line((JOBS, job.name))
            raise Stop(
                Exit.USAGE,
                f"{configuration.place(line)}: the jobs {first.name} and {job.name} would both write into "
                f'{job.folder}; give one of them a folder of its own: out = "…". Nothing was read',
            )


def chosen_jobs(jobs: Sequence[Job], only: Sequence[str], configuration: Configuration) -> list[Job]:
    """Return the jobs that were asked for, all unless some were, in the order of the file."""
    from scoresheet.cli.input.header_matching import suggestion

    names = [job.name for job in jobs]
    for name in only:
        if name not in names:
            hint = suggestion(name, names) or f"; there are {', '.join(names)}"
            raise Stop(Exit.USAGE, f"--only {name}: {configuration.path} has no such job{hint}")
    return [job for job in jobs if not only or job.name in only]
