"""Text in Markdown: what a model or a person named is shown as it is, and never becomes markup."""

from __future__ import annotations

from collections.abc import Sequence


def escape_markdown(text: str) -> str:
    r"""Return a text that Markdown shows as it is, on one line.

    >>> escape_markdown("a_b | <c>")
    'a\\_b \\| \\<c\\>'
    """
    escaped = "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in text)
    return " ".join(escaped.split())


def markdown_row(cells: Sequence[str]) -> str:
    """Return a line of a table."""
    return "| " + " | ".join(map(escape_markdown, cells)) + " |"
