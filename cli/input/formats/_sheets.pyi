"""Plain worksheets read in one pass, where that was built; see plain_sheets.py."""

from collections.abc import Callable
from typing import Final

REVISION: Final[int]
SOURCE: Final[str]

def shared_texts(xml: bytes, /) -> tuple[int, int, list[str]] | None: ...
def worksheet(
    xml: bytes, texts: list[str], styles: bytes, most: int, as_text: Callable[[object], str], /
) -> tuple[int, int, list[int], list[list[str]]] | None: ...
