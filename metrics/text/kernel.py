"""Which kernel compares texts: compiled where that was built, else its twin in Python; both give the same bits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Final, NamedTuple

from scoresheet.metrics.text import words

_kernel: ModuleType | None = None
_absence = "the compiled one was not built"  # as where nothing could compile it
try:
    _kernel = import_module("scoresheet.metrics.text._kernel")
except ModuleNotFoundError:
    pass
except ImportError as error:
    _absence = f"the compiled one cannot be loaded: {error}"

PURE: Final = "SCORESHEET_PURE"  # the variable that asks for the twin
REVISION: Final = 1  # of what is called here; the same number stands in `_kernel.c`

Words = words.Words  # what both kernels make of a text


class Kernel(NamedTuple):
    """What makes texts ready to be compared, and compares them."""

    name: str  # with what tells one compiled source from another
    words: type[Words]
    reason: str  # why it is this one


def chosen_kernel(variables: Mapping[str, str]) -> Kernel:
    """Return the compiled kernel, unless it is not there, not of this revision, or the variable asks for its twin."""
    if variables.get(PURE, "") not in ("", "0"):
        return Kernel("Python", words.Words, f"{PURE} is set")
    if _kernel is None:
        return Kernel("Python", words.Words, _absence)
    if _kernel.REVISION != REVISION:
        return Kernel("Python", words.Words, "the compiled one is of another revision; install scoresheet anew")
    return Kernel(f"C {_kernel.SOURCE}", _kernel.Words, "compiled")


_KERNEL = chosen_kernel(os.environ)


def kernel() -> Kernel:
    """Return the kernel of this process."""
    return _KERNEL


def kernel_name() -> str:
    """Return the name of the kernel of this process, for records of how a number was made."""
    return _KERNEL.name
