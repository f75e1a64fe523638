"""Text in Markdown: what a model or a person named is shown as it is, and never becomes markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

# marks within a line, and what a renderer would make a link of
_MARKS: Final = r"[\\`*_\[\]<>|#~]|:(?=//)|(?<=www)\."


def escape_markdown(text: str) -> str:
    r"""Return a text that Markdown shows as it is, on one line.

    >>> print(escape_markdown("a_b | <c> https://d"))
    a\_b \| \<c\> https\://d
    """
    return " ".join(re.sub(_MARKS, r"\\\g<0>", text).split())


def markdown_row(cells: Sequence[str]) -> str:
    """Return a line of a table."""
    return "| " + " | ".join(map(escape_markdown, cells)) + " |"
