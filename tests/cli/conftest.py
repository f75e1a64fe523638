"""What the tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return a folder with one good model in outs/ and its references in refs/."""
    (tmp_path / "outs").mkdir()
    (tmp_path / "refs").mkdir()
    (tmp_path / "outs/good.csv").write_text("Idiom,Prediction\na,one two\nb,four five\n", encoding="utf-8")
    (tmp_path / "refs/r.csv").write_text("idiom,explanation\na,one two three\nb,four five six\n", encoding="utf-8")
    return tmp_path
