"""A place to score in: empty folders, the command, and its reports read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .files import Place, Run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path, run: Run) -> Place:
    """An empty working directory in which `sinfo` scores `outs` against `refs` into `res`."""
    return Place(tmp_path, run)
