"""Numbers in cells: every cell is text until a family asks for a number."""

from __future__ import annotations

import re
from typing import Final

_WHOLE: Final = re.compile(r"\+?(\d{1,15})(?:\.0*)?")


def whole_number(text: str) -> int | None:
    """Return the whole number of 0 or more that a cell holds; None for anything else.

    >>> whole_number(" 3 "), whole_number("3.0"), whole_number("3.5"), whole_number("-1"), whole_number("")
    (3, 3, None, None, None)
    """
    found = _WHOLE.fullmatch(text.strip())
    return int(found[1]) if found else None
