"""On a terminal: progress on stderr, the answer alone on stdout."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path


def _inputs(folder: Path) -> None:
    (folder / "outs").mkdir()
    rows = "\n".join(f"i{number},{'some words here ' * 20}" for number in range(300))
    for name in ("[red]m[/red]", "n"):
        (folder / f"outs/{name.replace('/', '_')}.csv").write_text(f"Idiom,Prediction\n{rows}", encoding="utf-8")
    (folder / "refs.csv").write_text(f"idiom,explanation\n{rows}", encoding="utf-8")


def _on_terminal(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout (a pipe) and what the terminal behind stderr shows."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "scoresheet.cli", "sinfo", "outs", "refs.csv", "-o", "res", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        out = process.stdout.read() if process.stdout else ""
    os.close(ours)
    return process.returncode, out, shown.decode(errors="replace")


def test_progress_is_drawn_on_stderr_and_the_answer_stays_clean(tmp_path: Path) -> None:
    _inputs(tmp_path)
    code, out, shown = _on_terminal(tmp_path)
    assert code == 0
    assert "models" in shown
    assert "rows" in shown
    assert "\x1b" not in out
    assert out.splitlines()[0].startswith("Model Name")


def test_no_progress_where_it_is_not_wanted(tmp_path: Path) -> None:
    _inputs(tmp_path)
    for argument in ("--no-progress", "-q"):
        code, _, shown = _on_terminal(tmp_path, argument)
        assert code == 0
        assert "\x1b" not in shown
