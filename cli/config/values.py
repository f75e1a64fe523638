"""What a key of a file may hold: an option by its name on the command line, checked as it is there."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from scoresheet.cli.commands.command import Command
from scoresheet.cli.parameters import JOINED_BY
from scoresheet.cli.settings import Settings
from scoresheet.metrics.messages import spelled_for_shell
from scoresheet.metrics.options import Options, check_option, own_first

Fields = Mapping[str, dataclasses.Field[Any]]

_PLACES: Final = ("outputs", "references")


def common_fields() -> dict[str, dataclasses.Field[Any]]:
    """Return the options that every command has, by their names on the command line."""
    return {option_name(field): field for kind in (Settings, Options) for field in dataclasses.fields(kind)}


def command_fields(command: Command) -> dict[str, dataclasses.Field[Any]]:
    """Return the options of a command, by their names on the command line."""
    return {option_name(field): field for field in (*own_first(command.options), *dataclasses.fields(Settings))}


def place_keys(command: Command) -> tuple[str, ...]:
    """Return the keys for what a command reads: its arguments."""
    return _PLACES if command.references else _PLACES[:1]


def option_name(field: dataclasses.Field[Any]) -> str:
    """Return an option's name as the command line has it, without its dashes."""
    return field.name.replace("_", "-")


def is_plain_flag(field: dataclasses.Field[Any]) -> bool:
    """Return whether the command line can only turn an option on."""
    return field.default is False


def checked_place(name: str, value: object) -> str:
    """Return the path that a file names; ValueError if it is none."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f"{name} cannot be {value!r}; it is a path, in quotes")
    return value


def checked_value(field: dataclasses.Field[Any], value: object) -> Any:
    """Return an option's value as a parameter of the command line would hold it; ValueError if it cannot be."""
    name = option_name(field)
    if isinstance(field.default, tuple) or field.metadata["repeatable"]:
        return _texts(name, value, joined_by=JOINED_BY if field.metadata["repeatable"] else "")
    if isinstance(value, bool) != isinstance(field.default, bool) or isinstance(value, list | dict):
        raise ValueError(f"{name} cannot be {_written(value)}; it is {_wanted(field.default)}")
    if isinstance(field.default, str) and (not isinstance(value, str) or "\0" in value):
        raise ValueError(f"{name} cannot be {_written(value)}; it is a text: write it in quotes")
    former = field.metadata["former"]
    if not (former and value in former):
        try:
            check_option(field, value)
        except ValueError as error:
            raise ValueError(spelled_for_shell(str(error))) from None
    return float(value) if isinstance(field.default, float) and isinstance(value, int) else value


def _texts(name: str, value: object, *, joined_by: str) -> list[str]:
    """Return a list of texts; one text is a list of one, or, where commas may join them, of its parts."""
    one = value.split(joined_by) if joined_by and isinstance(value, str) else [value]
    texts = value if isinstance(value, list) else one
    if any(isinstance(each, bool) or not isinstance(each, str | int | float) for each in texts):
        raise ValueError(f'{name} cannot be {_written(value)}; it is a text, or a list of texts: ["…", "…"]')
    if any("\0" in str(each) for each in texts):
        raise ValueError(f"{name} cannot be {_written(value)}; no name has a zero byte")
    return [str(each) for each in texts]


def _wanted(default: object) -> str:
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text, in quotes"}
    return words[type(default)]


def _written(value: object) -> str:
    """Return a value as TOML writes it, near enough for a message."""
    return str(value).lower() if isinstance(value, bool) else "a table" if isinstance(value, dict) else repr(value)
