"""Names in the sheets of a system: streams, epochs, conditions and classes, however they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scoresheet.metrics.keys import join_key, loose_key, natural_order
from scoresheet.metrics.numbers import real_number

_CLEAN: Final = "clean"  # what an empty condition is called


def squeezed(name: str) -> str:
    """Return a name without case, spaces, _ and -.

    >>> squeezed("Emergence-Ratio") == squeezed("emergence_ratio") == "emergenceratio"
    True
    """
    return loose_key(name).replace(" ", "")


def epoch_name(text: str) -> str:
    """Return an epoch in one form: 1 and 1.0 are the same.

    >>> epoch_name("1.0"), epoch_name("warm-up")
    ('1', 'warm-up')
    """
    value = real_number(text)
    return text if value is None else f"{value:.16g}"


def epoch_order(name: str) -> tuple[int, float, list[tuple[int, int, str, str]]]:
    """Return what sorts epochs: numbers by their value, names after them.

    >>> sorted(["10", "2.5", "end", "-1", "2.25"], key=epoch_order)
    ['-1', '2.25', '2.5', '10', 'end']
    """
    value = real_number(name)
    return (1, 0.0, natural_order(name)) if value is None else (0, value, [])


def conditions_of(cells: Sequence[str], clean: str, *, named: bool) -> list[str]:
    """Return the conditions; an empty cell is the clean one, and so is every row where there are none."""
    if not named:
        return [clean] * len(cells)
    found = {cell: join_key(cell) or _CLEAN for cell in set(cells)}
    found = {cell: clean if name.casefold() == clean.casefold() else name for cell, name in found.items()}
    return [found[cell] for cell in cells]


def matched(name: str, streams: Sequence[str]) -> str:
    """Return the stream that a name means: the same, or the only one that differs in case, spaces, _ and -.

    >>> matched("Net 1", ["net_1", "net_2"]), matched("x", ["net_1"])
    ('net_1', 'x')
    """
    if name in streams:
        return name
    alike = [stream for stream in streams if squeezed(stream) == squeezed(name)]
    return alike[0] if len(alike) == 1 else name
