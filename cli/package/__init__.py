"""Scores model outputs that live in CSV and Excel files, or in data frames.

`score` runs a family of measures as the command of that name does; `compare` holds models against each other on the
units they share. The measures and statistics themselves are functions of plain values, listed in `scoresheet.metrics`
and found here too. Whatever is named is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoresheet.comparing import compare
    from scoresheet.metrics import *  # noqa: F403 - what __getattr__ finds there, with its types
    from scoresheet.scores import Scores
    from scoresheet.scoring import score

_HOMES = {"Scores": "scoresheet.scores", "compare": "scoresheet.comparing", "score": "scoresheet.scoring"}


def __getattr__(name: str) -> object:
    """Import what is asked for: the functions above, the version, or a public name of scoresheet.metrics."""
    if name == "__version__":
        found: object = import_module("scoresheet.cli.version").VERSION
    elif name in _HOMES:
        found = getattr(import_module(_HOMES[name]), name)
    else:
        metrics = import_module("scoresheet.metrics")
        if name not in metrics.__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(metrics, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__", *import_module("scoresheet.metrics").__all__])


__all__ = ["Scores", "compare", "score"]
