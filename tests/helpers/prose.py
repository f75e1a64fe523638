"""What people wrote, whole and cut to a length, and loops made of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("public_domain_prose.txt")
_SOURCE = "== "


@cache
def passages() -> dict[str, str]:
    """Return each passage by the name of its source."""
    found: dict[str, list[str]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith(_SOURCE):
            lines = found.setdefault(line.removeprefix(_SOURCE), [])
        elif found:
            lines.append(line)
    return {source: "\n".join(lines).strip() for source, lines in found.items()}


@cache
def pieces(length: int) -> tuple[str, ...]:
    """Return the passages cut to a length in white-space words: a new piece begins every tenth of it, all full."""
    found = []
    for passage in passages().values():
        words = passage.split()
        starts = range(0, len(words) - length + 1, max(1, length // 10))
        found += [" ".join(words[start : start + length]) for start in starts]
    return tuple(found)


def loop(text: str, words: int, times: int) -> str:
    """Return the first words of a text, said so many times."""
    return " ".join(text.split()[:words] * times)
