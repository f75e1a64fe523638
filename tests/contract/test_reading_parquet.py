"""Parquet, an extra: read where its package is, and a clear word where it is not."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.helpers.runs import Run


def _inputs(folder: Path) -> None:
    (folder / "outs").mkdir()
    pd.DataFrame({"Idiom": ["007", "b"], "Prediction": ["one two", None]}).to_parquet(folder / "outs/m.parquet")
    (folder / "refs.csv").write_text("idiom,explanation\n007,one two\nb,three\n", encoding="utf-8")


def test_a_parquet_file_is_a_model(run: Run, tmp_path: Path) -> None:
    _inputs(tmp_path)
    assert run("sinfo", "outs", "refs.csv", "-o", "res").code == 0
    scores = (tmp_path / "res/m_s_info.csv").read_text(encoding="utf-8").splitlines()
    assert scores[1:] == ["Sheet1,2,007,1.0,1.0,1.0", "Sheet1,3,b,,,"]


@pytest.mark.patched
def test_without_the_package_the_file_is_refused_with_the_command_that_installs_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _inputs(tmp_path)
    original = builtins.__import__

    def refusing(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name == "pyarrow.parquet":
            raise ImportError(name)
        return original(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", refusing)
    done = run("sinfo", "outs", "refs.csv", "-o", "res")
    assert done.code == 4
    assert "pip install 'scoresheet[parquet]'" in done.err
