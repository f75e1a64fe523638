"""Places to score in: empty folders or one good model, the command, and its reports read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.runs import Run
from tests.helpers.studies import Place


@pytest.fixture
def place(tmp_path: Path, run: Run) -> Place:
    """An empty working directory in which `sinfo` scores `outs` against `refs` into `res`."""
    return Place(tmp_path, run)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one good model in outs/ and its references in refs/."""
    (tmp_path / "outs").mkdir()
    (tmp_path / "refs").mkdir()
    (tmp_path / "outs/good.csv").write_text("Idiom,Prediction\na,one two\nb,four five\n", encoding="utf-8")
    (tmp_path / "refs/r.csv").write_text("idiom,explanation\na,one two three\nb,four five six\n", encoding="utf-8")
    return tmp_path
