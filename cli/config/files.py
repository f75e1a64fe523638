"""The file of settings in a folder: found, read, and asked for what it says of one command; errors name the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scoresheet.cli.commands import Command, command_named, command_names
from scoresheet.cli.config.defaults import PROJECT_FILE, SETTINGS_FILE, FileDefaults
from scoresheet.cli.config.toml_lines import Keys, key_lines
from scoresheet.cli.config.values import checked_place, checked_value, command_fields, place_keys
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.guard import read_regular
from scoresheet.metrics.records import dataclass

_LARGEST: Final = 2**20  # bytes of a file of settings
_OURS: Final = ("tool", "scoresheet")  # our part of a project's file
COMMANDS: Final = "command"
DEFAULTS: Final = "defaults"
JOBS: Final = "job"
_LINE: Final = re.compile(r" \(at line (\d+), column \d+\)")
_MOST_SHOWN: Final = 10  # errors of a file at a time


class ConfigurationErrors:
    """What is wrong with a file, gathered so that one look at it is enough."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.found: list[tuple[int, str]] = []

    def add(self, keys: Sequence[str], message: str) -> None:
        """Note what is wrong with the value of a key."""
        self.found.append((self.configuration.line(keys), message))

    def add_unknown(self, keys: Sequence[str], what: str, known: Sequence[str], listed_by: str = "") -> None:
        """Note a key that nobody knows, with the nearest of those that are known, or where to see them all."""
        from scoresheet.cli.input.header_matching import suggestion  # it needs pandas, and most files have no errors

        every = f"; {listed_by} lists them" if listed_by else f"; there are {', '.join(known)}"
        self.add(keys, f"{keys[-1]}: {what}{suggestion(keys[-1], list(known)) or every}")

    def stop_if_any(self) -> None:
        """Stop, if anything is wrong, with each error and its line."""
        lines = [f"{self.configuration.place(line)}: {message}" for line, message in sorted(set(self.found))]
        if lines:
            more = [f"… and {len(lines) - _MOST_SHOWN} more"] if len(lines) > _MOST_SHOWN else []
            raise Stop(Exit.USAGE, *lines[:_MOST_SHOWN], *more)


@dataclass(frozen=True)
class Configuration:
    """A file of settings: its tables, and the lines on which their keys stand."""

    path: Path
    tables: Mapping[str, Any]  # those that are ours
    lines: Mapping[Keys, int]
    within: Keys = ()  # where our tables stand in the file

    def line(self, keys: Sequence[str]) -> int:
        """Return the line of a key, or of the innermost table around it that has one."""
        path = (*self.within, *keys)
        return next((self.lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self.lines), 1)

    def place(self, line: int) -> str:
        """Return how a message names a line of the file."""
        return f"{self.path}, line {line}"

    @property
    def commands_at(self) -> Keys:
        """The table whose tables are the commands'."""
        return () if self.within else (COMMANDS,)

    def of_command(self, command: Command, errors: ConfigurationErrors) -> dict[str, Any]:
        """Return the defaults of one command, checked, by the names of its parameters."""
        tables = self.tables if self.within else self.tables.get(COMMANDS, {})
        table = tables.get(command.name, {}) if isinstance(tables, Mapping) else {}
        return checked_table(command, table, (*self.commands_at, command.name), errors)

    def check_tables(self, errors: ConfigurationErrors) -> None:
        """Note tables that nobody knows; a table for a command that does not exist is one."""
        if not self.within:
            for name, table in self.tables.items():
                if name not in (COMMANDS, DEFAULTS, JOBS):
                    errors.add_unknown((name,), "there is no such table", (COMMANDS, DEFAULTS, JOBS))
                elif not isinstance(table, dict):
                    form = f"[{name}]" if name == DEFAULTS else f"[{name}.NAME]"
                    errors.add((name,), f"{name} is a table: write {form}")
        commands = self.tables if self.within else self.tables.get(COMMANDS, {})
        for name in commands if isinstance(commands, Mapping) else ():
            if name not in command_names():
                errors.add_unknown((*self.commands_at, name), "there is no such command", command_names())


def checked_table(
    command: Command, table: object, keys: Keys, errors: ConfigurationErrors, *, besides: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the options and arguments that a table gives a command, by the names of the parameters.

    `besides` are keys that the table may have for others; what is wrong is noted and left out.
    """
    if not isinstance(table, dict):
        errors.add(keys, f"{keys[-1]} is a table: write [{'.'.join((*errors.configuration.within, *keys))}]")
        return {}
    fields, places = command_fields(command), place_keys(command)
    values: dict[str, Any] = {}
    for name, value in table.items():
        try:
            if name in places:
                values[name] = checked_place(name, value)
            elif name in fields:
                values[fields[name].name] = checked_value(fields[name], value)
            elif name not in besides:
                _add_unknown_option((*keys, name), command, [*fields, *places, *besides], errors)
        except ValueError as error:
            errors.add((*keys, name), str(error))
    return values


def file_defaults(command: str, folder: Path | None = None) -> FileDefaults:
    """Return what the file of settings in a folder, the working directory unless named, says of a command."""
    configuration = find_configuration(folder or Path())
    if configuration is None:
        return FileDefaults()
    errors = ConfigurationErrors(configuration)
    configuration.check_tables(errors)
    values = configuration.of_command(command_named(command), errors)
    errors.stop_if_any()
    return FileDefaults(str(configuration.path), values) if values else FileDefaults()


def find_configuration(folder: Path) -> Configuration | None:
    """Return the settings of a folder: of scoresheet.toml or, where there is none, of our part of pyproject.toml."""
    if (path := folder / SETTINGS_FILE).exists():
        return read_configuration(path)
    return read_project(folder / PROJECT_FILE)


def read_configuration(path: Path) -> Configuration:
    """Return what a file of settings holds; Stop if it cannot be read or is no TOML."""
    text = _text(path)
    return Configuration(path, _parsed(path, text), key_lines(text))


def read_project(path: Path) -> Configuration | None:
    """Return our part of a project's file; None if it has none, and then nothing else in the file matters to us."""
    try:
        if b"scoresheet" not in read_regular(path, _LARGEST):
            return None
    except OSError:
        return None
    text = _text(path)
    tables: Any = _parsed(path, text)
    for key in _OURS:
        tables = tables.get(key) if isinstance(tables, dict) else None
    return Configuration(path, tables, key_lines(text), _OURS) if isinstance(tables, dict) else None


def _text(path: Path) -> str:
    """Return a file's text with the line ends that TOML counts by; editors on Windows may put a mark before it."""
    try:
        return read_regular(path, _LARGEST).decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise Stop(Exit.USAGE, f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise Stop(Exit.USAGE, f"{path}, line {line}: not UTF-8; save the file in that encoding") from None


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = str(error)
        where = _LINE.search(said)
        line = int(where[1]) if where else text.count("\n") + 1
        raise Stop(Exit.USAGE, f"{path}, line {line}: this is no TOML: {_LINE.sub('', said)}") from None


def _add_unknown_option(keys: Keys, command: Command, known: Sequence[str], errors: ConfigurationErrors) -> None:
    """Note a key that is no option of a command; one that says what it is, or is another command's, needs no guess."""
    name = keys[-1]
    what = f"scoresheet {command.name} has no such option"
    others = [each for each in command_names() if name in command_fields(command_named(each))]
    if name.startswith("no-") and name[3:] in known:
        errors.add(keys, f"{name}: {what}; write {name[3:]} = false")
    elif others:
        errors.add(keys, f"{name}: {what} ({', '.join(others)} {'has' if len(others) == 1 else 'have'} one)")
    else:
        errors.add_unknown(keys, what, known, f"scoresheet {command.name} --help")
