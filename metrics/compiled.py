"""Parts that are compiled where they could be built: each has a twin in Python that does the same, only later."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Final, NamedTuple

PURE: Final = "SCORESHEET_PURE"  # the variable that asks for the twins
TWIN: Final = "Python"  # what a twin is called


class Compiled(NamedTuple):
    """A compiled part, or why it is not there."""

    module: ModuleType | None
    absence: str = ""


def compiled_part(name: str) -> Compiled:
    """Return the module of this name, if it was built and can be loaded."""
    try:
        return Compiled(import_module(name))
    except ModuleNotFoundError:
        return Compiled(None, "the compiled one was not built")  # as where nothing could compile it
    except ImportError as error:
        return Compiled(None, f"the compiled one cannot be loaded: {error}")


def why_twin(part: Compiled, revision: int, variables: Mapping[str, str]) -> str:
    """Return why the twin in Python is to be used: the variable asks, or there is none of this revision; else ''."""
    if variables.get(PURE, "") not in ("", "0"):
        return f"{PURE} is set"
    if part.module is None:
        return part.absence
    if revision != part.module.REVISION:
        return "the compiled one is of another revision; install scoresheet anew"
    return ""
