"""The table of the strings that cells of a workbook share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from scoresheet.cli.write.cell_text import XML_DECLARATION, element_text

_TOGETHER: Final = 1_000  # strings that are written at once


class SharedStrings:
    """Strings with their numbers, in the order in which they were first asked for."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._asked = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, string: str) -> int:
        """Return the number of a string."""
        self._asked += 1
        return self._numbers.setdefault(string, len(self._numbers))

    def pieces(self) -> Iterator[bytes]:
        """Yield the part of the workbook that has them."""
        yield (
            f'{XML_DECLARATION}<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
            f'count="{self._asked}" uniqueCount="{len(self)}">'
        ).encode()
        strings = iter(self._numbers)
        while some := list(islice(strings, _TOGETHER)):
            yield _items(some).encode()
        yield b"</sst>"


def _items(strings: list[str]) -> str:
    joined = "".join(strings)
    made = f"<si><t>{'</t></si><si><t>'.join(strings)}</t></si>"
    if (
        joined.isprintable()
        and not any(mark in joined for mark in ("_x", "<", ">", "&"))
        and "<t> " not in made
        and " </t>" not in made
    ):
        return made
    return "".join(map(_item, strings))


def _item(string: str) -> str:
    space = ' xml:space="preserve"' if string[:1].isspace() or string[-1:].isspace() else ""
    return f"<si><t{space}>{element_text(string)}</t></si>"
