"""Which kernel compares texts: compiled where that was built, else its twin in Python; both give the same bits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, NamedTuple

from scoresheet.metrics.compiled import TWIN, compiled_part, why_twin
from scoresheet.metrics.text import words

_PART = compiled_part("scoresheet.metrics.text._kernel")
REVISION: Final = 2  # of what is called here; the same number stands in `_kernel.c`

Words = words.Words  # what both kernels make of a text


class Kernel(NamedTuple):
    """What makes texts ready to be compared, and compares them."""

    name: str  # with what tells one compiled source from another
    words: type[Words]
    reason: str  # why it is this one


def chosen_kernel(variables: Mapping[str, str]) -> Kernel:
    """Return the compiled kernel, unless it is not there, not of this revision, or the variable asks for its twin."""
    reason, module = why_twin(_PART, REVISION, variables), _PART.module
    if reason or module is None:
        return Kernel(TWIN, words.Words, reason)
    return Kernel(f"C {module.SOURCE}", module.Words, "compiled")


_KERNEL = chosen_kernel(os.environ)


def kernel() -> Kernel:
    """Return the kernel of this process."""
    return _KERNEL


def kernel_name() -> str:
    """Return the name of the kernel of this process, for records of how a number was made."""
    return _KERNEL.name
