"""Keys: how a cell finds its reference, and which key it may have meant."""

from __future__ import annotations

import re
import unicodedata


def join_key(text: str) -> str:
    r"""Return the form of a key that must be equal on both sides: stripped and NFC, case kept.

    >>> join_key(" cafe\u0301 ") == "caf\u00e9"
    True
    """
    text = text.strip()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def loose_key(text: str) -> str:
    """Return the form that ignores case, width, blanks and end marks, for suggestions only; a loose match never scores.

    >>> loose_key("Ｉｄｉｏｍ  one.") == loose_key("idiom_one")
    True
    """
    words = re.split(r"[\s_-]+", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words).strip(" .,;:!?。，、；：！？\"'“”‘’")


def natural_order(text: str) -> list[tuple[int, int, str, str]]:
    """Return what sorts names as people do: numbers in them by their value.

    >>> sorted(["judge 10", "judge 9", "a"], key=natural_order)
    ['a', 'judge 9', 'judge 10']
    """
    pieces = re.split(r"([0-9]+)", text)
    # a number of more digits is larger; to make an integer of thousands of digits is refused
    return [
        (0, len(piece.lstrip("0")), piece.lstrip("0"), piece) if piece.isdecimal() else (1, 0, piece, "")
        for piece in pieces
        if piece
    ]
