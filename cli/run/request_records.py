"""What a run was asked for, as its manifest has it: enough to ask for the same again, from wherever the folder lies."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scoresheet.cli.settings import READING
from scoresheet.cli.urls import is_remote

if TYPE_CHECKING:
    from scoresheet.cli.run.request import Request
    from scoresheet.metrics.family import C, K, O, P, R, S

_KEPT: Final = (*READING, "by", "keep", "raw_csv")  # settings that change what stands in the reports


def request_record(request: Request[O, P, C, S, R, K]) -> dict[str, object] | None:
    """Return the places that were read, relative to what, and the options; None where tables came from Python."""
    if not request.outputs:
        return None
    return {
        # from a folder elsewhere there is no way to this directory
        "directory": Path.cwd().as_posix() if is_remote(request.settings.out) else _relative(Path.cwd(), request.out),
        "outputs": request.outputs,
        "references": request.references,
        "options": dataclasses.asdict(request.options),
        "settings": {name: getattr(request.settings, name) for name in _KEPT},
    }


def _relative(directory: Path, folder: Path) -> str:
    """Return the way from a folder of results to the working directory: both may move together."""
    try:
        return Path(os.path.relpath(directory.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return directory.resolve().as_posix()
