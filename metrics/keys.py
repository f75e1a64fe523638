"""Keys: how a cell finds its reference, and which key it may have meant."""

from __future__ import annotations

import unicodedata


def join_key(text: str) -> str:
    r"""Return the form of a key that must be equal on both sides: stripped and NFC, case kept.

    >>> join_key(" cafe\u0301 ") == "caf\u00e9"
    True
    """
    text = text.strip()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def loose_key(text: str) -> str:
    """Return the form that ignores case and width, for suggestions only; a loose match never scores.

    >>> loose_key("Ｉｄｉｏｍ") == loose_key("idiom")
    True
    """
    return unicodedata.normalize("NFKC", text.strip()).casefold()
