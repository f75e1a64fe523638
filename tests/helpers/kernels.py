"""Compiled parts and their twins in Python: choosing some for a test, and texts on which kernels might differ."""

from __future__ import annotations

import random
import shutil
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from scoresheet.cli.input.formats import plain_sheets
from scoresheet.cli.write import cell_maker
from scoresheet.metrics import compiled
from scoresheet.metrics.text import kernel

COMPILED: Final = "compiled"
PURE: Final = "pure Python"
KERNELS: Final = (COMPILED, PURE)

_SPACES: Final = (*" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85", *"\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000")
_NO_SPACES: Final = ("\u200b", "\u180e", "\ufeff", "\u2060", "\x00", "\x1b", "\u3001", "\u3002")  # though they look so
_WORDS: Final = (
    *("a", "b", "c", "the", "The", "cat", "sat", "mat", "3", "l’été", "e\u0301te\u0301", "saß", "кот", "그고양이"),
    *("猫", "喜爱得", "放手。", "お茶", "ラーメン", "か\u3099", "น้ำ", "ປະ", "ភាសា", "မြန်", "葛\U000e0100", "😀", "𠀋"),
    *("\ud800", "\udfff", "a\udc80b", "\U0010ffff", "\x7f", "x" * 70, "-", "!"),
)


def has_compiler() -> bool:
    """Return whether the kernel can be built here: there is a C compiler, and Python's own header."""
    compiler = (sysconfig.get_config_var("CC") or "").split()
    return bool(compiler and shutil.which(compiler[0])) and (Path(sysconfig.get_path("include")) / "Python.h").is_file()


@contextmanager
def using(name: str) -> Iterator[None]:
    """Use what is compiled or its twins, here and in the processes that are started; skip where it is not built."""
    variables = {} if name == COMPILED else {compiled.PURE: "1"}
    wanted = kernel.chosen_kernel(variables)
    if name == COMPILED and wanted.name == "Python":
        reason = f"this is about the compiled kernel, and {wanted.reason}"
        if has_compiler():
            pytest.fail(f"{reason}, though there is a compiler: make env")
        pytest.skip(reason)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_KERNEL", wanted)
        patch.setattr(cell_maker, "_MAKER", cell_maker.chosen_maker(variables))
        patch.setattr(plain_sheets, "_READER", plain_sheets.chosen_reader(variables))
        patch.setenv(compiled.PURE, variables.get(compiled.PURE, "0"))
        yield


def random_texts(rng: random.Random) -> tuple[str, str]:
    """Return two texts of the same words: odd spaces, full stops anywhere, any script, empty, or long."""
    words = rng.sample(_WORDS, rng.choice([1, 2, 3, 6, len(_WORDS)]))
    if rng.random() < 0.3:
        words = [f"w{number}" for number in range(rng.choice([2, 5, 40, 300]))]
    longest = rng.choice([0, 1, 3, 8, 8, 20, 20, 70, 140]) if rng.random() < 0.99 else 900
    stops = rng.choice([0.0, 0.0, 0.05, 0.2, 0.6])
    return _text(rng, words, rng.randint(0, longest), stops), _text(rng, words, rng.randint(0, longest), stops)


def _text(rng: random.Random, words: list[str], length: int, stops: float) -> str:
    joint = rng.choice(["", " ", " ", " ", rng.choice(_SPACES)])
    parts = [rng.choice(["", "", ".", " ", ". .", rng.choice(_SPACES)])]
    for _ in range(length):
        parts.append(rng.choice(words))
        roll = rng.random()
        if roll < stops:
            parts.append(rng.choice([". ", ".", " . ", "..", ". . ", f".{rng.choice(_SPACES)}."]))
        elif roll < stops + 0.05:
            parts.append(rng.choice(_SPACES + _NO_SPACES))
        else:
            parts.append(joint)
    return "".join(parts)
