"""Keys: how a cell finds its reference, and which key it may have meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from scoresheet.metrics.messages import join_names

_NAMELESS: Final = re.compile(r"(?:sheet|tabelle|feuil|hoja|工作表)\s*\d*", re.IGNORECASE)  # names nobody chose


def join_key(text: str) -> str:
    r"""Return the form of a key that must be equal on both sides: stripped and NFC, case kept.

    >>> join_key(" cafe\u0301 ") == "caf\u00e9"
    True
    """
    text = text.strip()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def join_keys(texts: Iterable[str]) -> list[str]:
    r"""Return the same of many texts at once.

    >>> join_keys([" a ", "cafe\u0301"]) == ["a", "caf\u00e9"]
    True
    """
    bare = list(map(str.strip, texts))
    return bare if "".join(bare).isascii() else list(map(join_key, bare))


def loose_key(text: str) -> str:
    """Return the form that ignores case, width, blanks and end marks: to suggest, and to match where that is asked for.

    >>> loose_key("Ｉｄｉｏｍ  one.") == loose_key("idiom_one")
    True
    """
    words = re.split(r"[\s_-]+", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(words).strip(" .,;:!?。，、；：！？\"'“”‘’")


def loosest_key(text: str) -> str:
    """Return the loose form without leading zeros of numbers too.

    >>> loosest_key("Item 007.") == loosest_key("item 7")
    True
    """
    return " ".join(word.lstrip("0") or "0" if word.isdecimal() else word for word in loose_key(text).split(" "))


def loose_keys(known: Iterable[str]) -> dict[str, str]:
    """Return what `meant` looks names up in; of keys that are alike the first in order."""
    return {loose_key(name): name for name in sorted(known, reverse=True)}


def did_you_mean(unknown: Iterable[str], known: Mapping[str, str]) -> str:
    """Return a question that names the keys which unknown ones would match but for case, width, blanks or end marks.

    >>> did_you_mean(["Jaguar"], loose_keys(["jaguar", "python"])), did_you_mean(["puma"], loose_keys(["jaguar"]))
    ("; did you mean 'jaguar'?", '')
    >>> did_you_mean(["CAT-3", "dog"], loose_keys(["cat-3"]))
    "; did you mean 'cat-3' for 'CAT-3'?"
    """
    names = list(unknown)
    pairs = [(name, known[key]) for name in names if known and (key := loose_key(name)) in known and known[key] != name]
    if not pairs:
        return ""
    shown = [f"{right!r} for {name!r}" if len(names) > 1 else repr(right) for name, right in pairs]
    return f"; did you mean {join_names(shown)}?"


def unambiguous_keys(keys: Iterable[str]) -> dict[str, str]:
    """Return keys by their loosest form, without those that several have in common.

    >>> unambiguous_keys(["Q 1", "q-01", "Q 2"])
    {'q 2': 'Q 2'}
    """
    found: dict[str, list[str]] = {}
    for key in keys:
        found.setdefault(loosest_key(key), []).append(key)
    return {loose: same[0] for loose, same in found.items() if len(same) == 1}


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


def is_default_sheet_name(sheet: str) -> bool:
    """Return whether nobody chose the name of a sheet: Sheet1, as a new workbook has it."""
    return _NAMELESS.fullmatch(sheet.strip()) is not None
