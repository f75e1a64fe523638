"""The names in a cell: subtopics or genres, joined by a bar or written as a list."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterable
from shlex import quote
from typing import Final

from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import flag

SEPARATOR: Final = "|"  # between the names of a cell
_OTHER_SIGNS: Final = (";", ",", "/")
_NONE: Final = "(no genres listed)"  # what MovieLens writes where there are none


def names_in(cell: str, separator: str = "") -> tuple[str, ...] | None:
    """Return the names in a cell, each once; None where it is a list of something else.

    Without a `separator` they are joined by a bar.

    >>> names_in("Drama| Thriller |"), names_in('["Sci-Fi", "War"]'), names_in("['Sci-Fi', 'War']"), names_in('[["a"]]')
    (('Drama', 'Thriller'), ('Sci-Fi', 'War'), ('Sci-Fi', 'War'), None)
    """
    text = cell.strip()
    parts: list[str] | None = [] if text == _NONE else text.split(separator or SEPARATOR)
    if text.startswith("[") and text.endswith("]"):
        listed = _listed(text)
        if listed is not None:
            parts = [str(each) for each in listed] if all(isinstance(each, str | int) for each in listed) else None
    if parts is None:
        return None
    return tuple(dict.fromkeys(join_key(part) for part in parts if part.strip()))


def unsplit_cell(cells: Iterable[str]) -> tuple[str, str] | None:
    """Return a cell that seems to list names by another sign than a bar, and the sign; None if none does.

    So it seems where no cell has a bar, and most have the other sign or what stands beside it is in other cells too.

    >>> unsplit_cell(["x, y", "x", "z"]), unsplit_cell(["x|y", "a, b"]), unsplit_cell(["Rome, Italy", "Paris"])
    (('x, y', ','), None, None)
    """
    texts = {text for cell in cells if (text := cell.strip())}
    if any(SEPARATOR in text or text.startswith("[") for text in texts):
        return None
    for sign in _OTHER_SIGNS:
        listing = sorted(text for text in texts if sign in text)
        parts = Counter(part for text in texts for part in {part.strip() for part in text.split(sign)})
        recurring = any(parts[part.strip()] > 1 for text in listing for part in text.split(sign) if part.strip())
        if listing and (recurring or (len(listing) > 1 and len(listing) * 2 > len(texts))):
            return listing[0], sign
    return None


def unsplit_names(what: str, cells: Iterable[str], separator: str) -> str:
    """Return what is said of cells that seem to list names by another sign; '' where the user named it."""
    found = None if separator else unsplit_cell(cells)
    if not found:
        return ""
    cell, sign = found
    return (
        f"each cell of the {what} was taken for one name, such as {cell!r}; {flag(f'separator {quote(sign)}')} splits "
        f"it, {flag(f'separator {quote(SEPARATOR)}')} says that it is one"
    )


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
