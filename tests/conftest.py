"""What all tests share: running the command line in process, in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from scoresheet.cli.app import main


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs `scoresheet ARGUMENTS` in tmp_path and tells its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path) -> Result:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return call
