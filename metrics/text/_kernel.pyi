"""The compiled twin of words.py and lcs.py, where it was built; see kernel.py."""

from typing import Final

REVISION: Final[int]
SOURCE: Final[str]

class Words:
    def __new__(cls, source: str | list[list[str]]) -> Words: ...
    @property
    def count(self) -> int: ...
    @property
    def types(self) -> int: ...
    def union(self, reference: Words, /) -> int: ...
