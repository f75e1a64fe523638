"""The names in a cell: subtopics or genres, joined by a bar or written as a list."""

from __future__ import annotations

import ast
import json
from typing import Final

from scoresheet.metrics.keys import join_key

SEPARATOR: Final = "|"  # between the names of a cell
_NONE: Final = "(no genres listed)"  # what MovieLens writes where there are none


def names_in(cell: str) -> tuple[str, ...] | None:
    """Return the names in a cell, each once; None where it is a list of something else.

    >>> names_in("Drama| Thriller |"), names_in('["Sci-Fi", "War"]'), names_in("['Sci-Fi', 'War']"), names_in('[["a"]]')
    (('Drama', 'Thriller'), ('Sci-Fi', 'War'), ('Sci-Fi', 'War'), None)
    """
    text = cell.strip()
    parts: list[str] | None = [] if text == _NONE else text.split(SEPARATOR)
    if text.startswith("[") and text.endswith("]"):
        listed = _listed(text)
        if listed is not None:
            parts = [str(each) for each in listed] if all(isinstance(each, str | int) for each in listed) else None
    if parts is None:
        return None
    return tuple(dict.fromkeys(join_key(part) for part in parts if part.strip()))


def _listed(text: str) -> list[object] | None:
    """Return the list that a text is in JSON, or as Python prints it; None if it is neither."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
    return value if isinstance(value, list) else None
