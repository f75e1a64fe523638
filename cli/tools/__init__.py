"""The commands that score nothing themselves: one file each, found here by its name, imported when it is wanted."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from scoresheet.cli.tools.tool import Tool

_NOT_TOOLS = ("tool",)


def tool_names() -> list[str]:
    """Return the names of all tools; nothing of theirs is imported."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in _NOT_TOOLS)


def tool_named(name: str) -> Tool:
    """Return one tool."""
    tool: Tool = import_module(f"{__name__}.{name}").TOOL
    return tool


def all_tools() -> tuple[Tool, ...]:
    """Return every tool, in the order in which help lists them."""
    return tuple(sorted(map(tool_named, tool_names()), key=lambda tool: (tool.position, tool.name)))


__all__ = ["Tool", "all_tools", "tool_named", "tool_names"]
