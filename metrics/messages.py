"""How messages list and count things."""

from __future__ import annotations

from collections.abc import Iterable


def listed(names: Iterable[str], most: int = 3) -> str:
    """Return the first names, joined by commas.

    >>> listed(["a", "b"]), listed("abcde")
    ('a, b', 'a, b, c, …')
    """
    every = list(names)
    return ", ".join(every[:most]) + (", …" if len(every) > most else "")


def counted(number: int, noun: str) -> str:
    """Return a number of things in words that agree with it.

    >>> counted(1, "judgment"), counted(1200, "judgment")
    ('1 judgment', '1,200 judgments')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
