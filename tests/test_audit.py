"""`make audit`: what it looks up, and that it does not pass where it could not."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / ".build/audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_run_time_dependency_is_listed_with_a_licence(audit: ModuleType) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = {re.split(r"[<>=]", line)[0] for line in declared}
    packages = audit.runtime_packages()
    assert names <= set(packages)
    assert "python-dateutil" in packages  # of pandas
    assert "pytest" not in packages
    assert [name for name in packages if audit.licence(name) == "not stated"] == []
    assert audit.licence("rouge") == "Apache License"  # its metadata names only the file


@pytest.mark.parametrize(
    ("out", "err", "code", "said"),
    [
        (
            "",
            "ERROR: connection refused\n",
            1,
            "Not audited: the advisory service could not be asked (ERROR: connection",
        ),
        ('{"dependencies": [{"name": "a", "version": "1", "vulns": []}]}', "", 0, "No known vulnerability"),
        (
            '{"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]}]}',
            "Found 1 known vulnerability",
            1,
            "VULNERABLE  a 1: X-1, fixed in 2",
        ),
        (
            '{"dependencies": [{"name": "a", "skip_reason": "a not found"}, {"name": "b", "skip_reason": "b too"}]}',
            "",
            1,
            "could not be asked (a not found, and 1 more like it)",
        ),
    ],
)
def test_it_passes_only_where_it_was_told_that_there_is_none(
    audit: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    out: str,
    err: str,
    code: int,
    said: str,
) -> None:
    answer = subprocess.CompletedProcess([sys.executable], int(bool(err)), out, err)
    monkeypatch.setattr(audit.subprocess, "run", lambda *_, **__: answer)
    assert audit.main() == code
    assert said in capsys.readouterr().out
