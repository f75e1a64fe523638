"""How messages list names: the first few, and that there are more."""

from __future__ import annotations

from collections.abc import Iterable


def listed(names: Iterable[str], most: int = 3) -> str:
    """Return the first names, joined by commas.

    >>> listed(["a", "b"]), listed("abcde")
    ('a, b', 'a, b, c, …')
    """
    every = list(names)
    return ", ".join(every[:most]) + (", …" if len(every) > most else "")
