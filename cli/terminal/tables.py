"""Rows as aligned plain text, and as much of them as a narrow screen holds."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TextIO

from scoresheet.cli.write.cell_text import escape_control_characters, escape_unseen_characters

if TYPE_CHECKING:  # it brings pandas, which an error message must not need
    from scoresheet.cli.report.page import Column

_PAD: Final = "  "
_NO_VALUE: Final = "–"
_LONG: Final = 8  # characters of a header from which on it may be folded
_PIECES: Final = re.compile(r"[^_ ]+[_ ]?")

# what would begin a line, or a column, there where others are escaped already
_BREAKS: Final = str.maketrans({"\n": r"\n", "\t": r"\t"})

Rows = Sequence[Sequence[Any]]


def text_table(columns: Sequence[Column], rows: Rows, *, folded: bool = False) -> str:
    """Return rows as aligned plain text; never wrapped, never cut, nothing read as markup.

    Folded headers stand on several lines, so that a short number does not take the room of a long name.
    """
    names = [one_line(column.name) for column in columns]
    headers = [_folded(name) if folded else [name] for name in names]
    height = max(map(len, headers), default=1)
    body = [[shown_value(value, column) for value, column in zip(row, columns, strict=True)] for row in rows]
    widths = [max(map(_columns, (*header, *(line[place] for line in body)))) for place, header in enumerate(headers)]
    numeric = [column.kind not in ("key", "text", "label") for column in columns]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for cell, width, right in zip(cells, widths, numeric, strict=True):
            gap = " " * (width - _columns(cell))
            padded.append(gap + cell if right else cell + gap)
        return _PAD.join(padded).rstrip()

    above = zip(*([""] * (height - len(header)) + header for header in headers), strict=True)
    rule = _PAD.join("─" * width for width in widths)
    return "\n".join([*map(line, above), rule, *map(line, body)])


def fit_to_width(columns: Sequence[Column], rows: Rows, spare: Sequence[str], width: int) -> tuple[str, list[str]]:
    """Return the rows in at most this width, and which columns had to go: of the spare ones, as few as will do.

    Headers are folded before any column goes. What cannot fit even then is as wide as it is: nothing is ever cut.
    """
    kept = list(range(len(columns)))
    text = text_table(columns, rows)
    gone: list[str] = []
    left = list(spare)
    while _width(text) > width:
        text = text_table(
            [columns[place] for place in kept], [[row[place] for place in kept] for row in rows], folded=True
        )
        if _width(text) <= width or not left:
            break
        gone.append(left.pop(0))
        kept = [place for place in kept if columns[place].name != gone[-1]]
    return text, gone


def wrap_text(text: str, width: int, indent: str = "") -> str:
    """Return a text in lines of at most this width, broken between words; a word that is longer stays whole.

    >>> wrap_text("note: --column Prediction=answer takes that", 24, "  ").splitlines()
    ['note: --column', '  Prediction=answer', '  takes that']
    """
    lines = [""]
    for word in text.split(" "):
        fits = _columns(lines[-1]) + _columns(word) + 1 <= width
        if not lines[-1].strip() or fits:
            lines[-1] += f" {word}" if lines[-1].strip() else word
        else:
            lines.append(indent + word)
    return "\n".join(lines)


def for_screen(text: str, stream: TextIO) -> str:
    """Return a message as a stream is to have it: for a screen in lines that end between words, else in one."""
    return wrap_text(text, shutil.get_terminal_size().columns, _PAD) if stream.isatty() else text


def one_line(text: str) -> str:
    r"""Return the text so that no name in it can break the line, command the terminal or hide.

    >>> one_line("a\nb\u2028c\x85")
    'a\\nb\\u2028c\\x85'
    """
    return printable(text).translate(_BREAKS)


def printable(text: str) -> str:
    """Return the text so that printed it can do nothing but be seen; lines and tabs stay."""
    return escape_unseen_characters(escape_control_characters(text))


def _folded(name: str) -> list[str]:
    """Return a header in pieces that end where its words do.

    >>> _folded("Normalized_Entropy"), _folded("CI_Low"), _folded("Model Name")
    (['Normalized_', 'Entropy'], ['CI_Low'], ['Model', 'Name'])
    """
    if len(name) < _LONG:
        return [name]
    pieces: list[str] = []
    for piece in _PIECES.findall(name) or [name]:
        if pieces and len(pieces[-1]) + len(piece) < _LONG:
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return [piece.strip() for piece in pieces]


def _width(text: str) -> int:
    return max(map(_columns, text.split("\n")))


def _columns(line: str) -> int:
    """Return how many columns of a screen a line takes."""
    plain = line.replace(_NO_VALUE, "-")
    if plain.isascii() and plain.isprintable():  # most are, and the tables of what others take are long
        return len(line)
    from rich.cells import cell_len

    return cell_len(line)


def shown_value(value: Any, column: Column) -> str:
    """Return a value as people read it under its column."""
    if isinstance(value, str):
        return one_line(value)
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return _NO_VALUE
    if column.kind == "share":
        return f"{value:.1%}"
    if column.kind == "chance":
        return f"{value:.3f}" if value >= 0.001 else "< 0.001"
    return f"{value:z.3f}" if column.kind == "score" else f"{value:,}"
