"""The commands: one file each, found here by its name; a file is imported only when its command is wanted."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from scoresheet.cli.commands.command import Command

_NOT_COMMANDS = ("command",)


def command_names() -> list[str]:
    """Return the names of all commands; nothing of theirs is imported."""
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name.replace("_", "-") for name in found if name not in _NOT_COMMANDS)


def command_named(name: str) -> Command:
    """Return one command."""
    command: Command = import_module(f"{__name__}.{name.replace('-', '_')}").COMMAND
    return command


def all_commands() -> tuple[Command, ...]:
    """Return every command, in the order in which help lists them."""
    return tuple(sorted(map(command_named, command_names()), key=lambda command: (command.position, command.name)))


__all__ = ["Command", "all_commands", "command_named", "command_names"]
