"""The help of the commands that score nothing: it shows an example, fits a screen, and is quick."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scoresheet.cli.tools import Tool, all_tools
from tests.helpers.runs import Run


@pytest.mark.parametrize("tool", all_tools(), ids=lambda tool: tool.name)
def test_it_fits_a_screen_and_shows_an_example(tool: Tool, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(tool.name, "--help").out
    assert len(shown.splitlines()) <= 50
    assert f"Example: scoresheet {tool.name}" in shown


def test_it_imports_nothing_that_only_the_work_needs() -> None:
    heavy = "{'pandas', 'numpy', 'openpyxl', 'xlsxwriter', 'python_calamine', 'rouge', 'filelock', 'rapidfuzz'}"
    names = [tool.name for tool in all_tools()]
    code = (
        f"import sys; from scoresheet.cli.app import main; codes = [main([name, '--help']) for name in {names!r}]; "
        f"sys.stderr.write(repr(sorted({heavy} & set(sys.modules)))); sys.exit(max(codes))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "[]")
