"""Progress is for people at a terminal: what is said while models are compared, and that nobody else hears it."""

from __future__ import annotations

import io

import pytest

from scoresheet.cli.run.messages import RowsRead, RowsScored, RowsWritten
from scoresheet.cli.terminal.progress import Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("wanted", "models", "said"), [(True, 1_500, True), (True, 1, False), (False, 1_500, False)])
def test_that_models_are_being_compared_is_said_where_there_are_several(
    monkeypatch: pytest.MonkeyPatch, wanted: bool, models: int, said: bool
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with Progress(wanted=wanted).comparing(models):
        pass
    assert ("comparing 1,500 models …" in terminal.getvalue()) == said


def test_a_name_cannot_steer_the_terminal_that_shows_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with Progress(wanted=True).models(["m\x1b]0;mine\x07\x9b"]) as bar:
        bar.on_message(0, RowsRead(1))
        bar.on_message(0, RowsScored("s\u202e", 1))
    assert "m\\x1b]0;mine\\x07\\x9b" in terminal.getvalue()
    assert not {"\x07", "\x9b", "\u202e"} & set(terminal.getvalue())


def test_the_bar_moves_with_rows_scored_and_written_and_with_pairs_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    completed = []
    with Progress(wanted=True).models(["large"]) as bar:
        for message in (RowsRead(10), RowsScored("s", 4), RowsScored("s", 6), RowsWritten(5, 20), RowsWritten(15, 20)):
            bar.on_message(0, message)
            completed.append(bar.display.tasks[0].completed)  # type: ignore[attr-defined]
        bar.finished(0)
    assert completed == sorted(set(completed))
    assert completed[-1] == pytest.approx(1)
    with Progress(wanted=True).comparing(3) as tell:
        tell(2, 3)
    assert "large · writing" in terminal.getvalue()
    assert "2/3" in terminal.getvalue()
