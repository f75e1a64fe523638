"""How messages list and count things."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final


def join_names(names: Iterable[str], most: int = 3) -> str:
    """Return the first names, joined by commas.

    >>> join_names(["a", "b"]), join_names("abcde")
    ('a, b', 'a, b, c, …')
    """
    every = list(names)
    return ", ".join(every[:most]) + (", …" if len(every) > most else "")


def pluralize(number: int, noun: str) -> str:
    """Return a number of things in words that agree with it.

    >>> pluralize(1, "judgment"), pluralize(1200, "judgment")
    ('1 judgment', '1,200 judgments')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def count_of(number: int, things: str) -> str:
    """Return a number of things that are named in the plural, one of them in the singular.

    >>> count_of(1, "queries"), count_of(1, "root cells"), count_of(1200, "ids")
    ('1 query', '1 root cell', '1,200 ids')
    """
    one = f"{things.removesuffix('ies')}y" if things.endswith("ies") else things.removesuffix("s")
    return f"{number:,} {one if number == 1 else things}"


def number_word(number: int) -> str:
    """Return a small number as people write it in a sentence.

    >>> number_word(10), number_word(20)
    ('ten', '20')
    """
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else f"{number:,}"


def times_word(number: int) -> str:
    """Return how often something happens, as people write it.

    >>> times_word(2), times_word(3)
    ('twice', 'three times')
    """
    return {1: "once", 2: "twice"}.get(number, f"{number_word(number)} times")


def percent(share: float) -> str:
    """Return a share as sentences write it.

    >>> percent(0.05)
    '5 %'
    """
    return f"{100 * share:g} %"


# Around the name of an option: the core does not know how a shell, a notebook or a page spells its options.
_OPEN: Final = "\x0e"
_ARGUMENT: Final = "\x1c"  # before what is given without an option's name
_CLOSE: Final = "\x0f"


def flag(words: str) -> str:
    """Return the name of an option, perhaps with its value, as a message of the core holds it."""
    return f"{_OPEN}{words}{_CLOSE}"


def argument(name: str) -> str:
    """Return the name of what is given besides options, as a message of the core holds it."""
    return f"{_ARGUMENT}{name}{_CLOSE}"


def spelled_for_shell(message: str) -> str:
    """Return a message with its options as a command line spells them.

    >>> spelled_for_shell(f"name yours with {flag('column text=HEADER')}")
    'name yours with --column text=HEADER'
    """
    return message.replace(_OPEN, "--").replace(_ARGUMENT, "").replace(_CLOSE, "")


def empty_key(header: str) -> str:
    """Return what is said of a row whose cell under a header that tells what the row is about is empty."""
    return f"the cell {header} is empty; if it is merged with the one above, {flag('fill-down')} gives it that value"
