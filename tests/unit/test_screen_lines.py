"""Do messages end their lines between words on a screen, and stay one line elsewhere?"""

from __future__ import annotations

import io
import sys

import pytest

from scoresheet.cli.app import main
from scoresheet.cli.terminal.log import Log

MESSAGE = (
    "note: outs/m.csv[Sheet1] column system: 2 different values (gpt, claude) in a column that was not used, so that "
    "their rows were scored together; --model-column system makes each a model"
)


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_note_breaks_between_words_on_a_screen(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    Log().info(MESSAGE)
    lines = screen.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(line.strip() for line in lines) == MESSAGE


def test_wide_letters_take_two_places_and_long_words_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    Log().info("no column 回答 or 模型回答内容 in " + "x" * 30)
    lines = screen.getvalue().splitlines()
    assert lines == ["no column 回答 or", "  模型回答内容 in", "  " + "x" * 30]


def test_elsewhere_a_note_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    Log().info(MESSAGE)
    assert screen.getvalue() == MESSAGE + "\n"


def test_an_error_breaks_between_words_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["sinfo", "no/such/folder", "nor/this"]) == 2
    lines = screen.getvalue().splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 50
