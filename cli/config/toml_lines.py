"""The lines of a TOML file on which its keys stand: tomllib gives values without them, and people look for lines."""

from __future__ import annotations

import re
import tomllib
from typing import Final

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_INLINE_BLANK: Final = re.compile(r"[ \t]*")
_KEY: Final = re.compile(r""" "(?:[^"\\\n]|\\.)*" | '[^'\n]*' | [A-Za-z0-9_-]+ """, re.VERBOSE)
_VALUE: Final = re.compile(  # a text of any kind, or what is none, up to the end of its place
    r""""{3}(?:[^\\]|\\.)*?"{3}"{0,2} | \'{3}.*?\'{3}\'{0,2} | "(?:[^"\\\n]|\\.)*" | '[^'\n]*' | [^,\]}\n#]+""",
    re.VERBOSE | re.DOTALL,
)

Keys = tuple[str, ...]


def key_lines(text: str) -> dict[Keys, int]:
    r"""Return the line, counted from 1, on which each table and key of a valid TOML text first stands.

    >>> key_lines("a.b = 1\n[c]\n'd e' = {f = 2}")
    {('a',): 1, ('a', 'b'): 1, ('c',): 2, ('c', 'd e'): 3, ('c', 'd e', 'f'): 3}
    """
    return _Scan(text).lines()


class _Scan:
    """One walk through a text that tomllib has read before: whatever is not valid is somebody else's to say."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.found: dict[Keys, int] = {}

    def lines(self) -> dict[Keys, int]:
        table: Keys = ()
        while self._skipped(_BLANK) < len(self.text):
            if self.text.startswith("[", self.position):
                self.position += 2 if self.text.startswith("[[", self.position) else 1
                table = self._key(())
                self.position = self.text.index("]", self.position) + 1
                self.position += self.text.startswith("]", self.position)
            else:
                self._pair(table)
        return self.found

    def _skipped(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.position

    def _key(self, table: Keys) -> Keys:
        """Read a key, dotted or not, note its line and that of each table it passes through, and return all of it."""
        keys = table
        line = self.text.count("\n", 0, self._skipped(_INLINE_BLANK)) + 1
        while match := _KEY.match(self.text, self.position):
            word = match.group()
            keys += (tomllib.loads(f"key = {word}")["key"] if word[0] in "\"'" else word,)
            self.found.setdefault(keys, line)
            self.position = match.end()
            if self.text[self._skipped(_INLINE_BLANK) : self.position + 1] != ".":
                break
            self.position += 1
            self._skipped(_INLINE_BLANK)
        return keys

    def _pair(self, table: Keys) -> None:
        keys = self._key(table)
        self.position = self.text.index("=", self.position) + 1
        self._skipped(_INLINE_BLANK)
        self._value(keys)

    def _value(self, keys: Keys) -> None:
        opening = self.text[self.position]
        if opening not in "[{":
            self._skipped(_VALUE)
            return
        self.position += 1
        closing = "]" if opening == "[" else "}"
        while self.text[self._skipped(_BLANK)] != closing:
            if self.text[self.position] == ",":
                self.position += 1
            elif opening == "{":
                self._pair(keys)
            else:
                self._value(keys)
        self.position += 1
