"""Each declared number is moved: every sentence about it moves along, and none still says the old number."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from tests.declared.moving import declarations
from tests.declared.numbers import NEVER_SAID, NUMBERS, OTHER_SENTENCES, Number, Said
from tests.declared.texts import ROOT, collect

Texts = Mapping[str, str]


@cache
def _as_they_are() -> Texts:
    return collect()


@pytest.fixture(scope="module")
def before() -> Texts:
    """What is said with every number as it is declared."""
    return _without_others(_as_they_are())


@pytest.fixture(scope="module")
def after() -> Texts:
    """What is said with all of them moved, in an interpreter of its own: texts are made when modules are imported."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.declared.texts"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not run.returncode, run.stderr
    return _without_others(json.loads(run.stdout))


def _without_others(texts: Texts) -> dict[str, str]:
    """Return the texts without the sentences that hold a number like ours and speak of something else."""
    others = re.compile("|".join(map(re.escape, OTHER_SENTENCES)))
    return {name: others.sub("…", text) for name, text in texts.items()}


@cache
def _pattern(number: str, around: str) -> re.Pattern[str]:
    """Return what finds a number by itself: 0.5 is no part of 0.55 or 10.5, nor 5 % of 25 %, nor ten of often."""
    same = r"\w" if number[0].isalpha() else r"\d"
    alone = rf"(?<!{same})(?<!\d[.,]){re.escape(number)}(?!{same}|[.,]\d)"
    first, last = map(re.escape, around.split("#"))
    return re.compile(first + alone + last)


def _sentences(texts: Texts, number: str, around: str) -> list[str]:
    pattern = _pattern(number, around)
    literal = around.replace("#", number)  # no pattern need look where not even this is
    return [
        f"{name}: …{text[max(0, match.start() - 40) : match.end() + 40]}…"
        for name, text in texts.items()
        if literal in text
        for match in pattern.finditer(text)
    ]


def _cases() -> Iterator[object]:
    for number in NUMBERS:
        for said in number.said:
            yield pytest.param(number, said, id=f"{number.place}-{said.around.replace('#', said.before)}")


@pytest.mark.parametrize(("number", "said"), list(_cases()))
def test_no_sentence_says_the_old_number_once_it_is_moved(
    before: Texts, after: Texts, number: Number, said: Said
) -> None:
    assert _sentences(before, said.before, said.around), f"no text says this of {number.place}: mend the table"
    left = _sentences(after, said.before, said.around)
    assert not left, f"typed, and not made from {number.place}:\n" + "\n".join(left)
    assert _sentences(after, said.after, said.around), f"no text says what {number.place} was moved to"


def test_every_declared_number_is_moved_or_known_to_be_in_no_text() -> None:
    known = {number.place for number in NUMBERS} | set(NEVER_SAID)
    assert set(_declared()) <= known, "say in tests/declared/numbers.py which sentences speak of it"
    assert len(known) == len(NUMBERS) + len(NEVER_SAID), "a number is in the table twice"


def _declared() -> Iterator[str]:
    """Yield the numbers that the core declares under a public name, and the defaults of options that are numbers."""
    for path in sorted((ROOT / "metrics").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for name, declared in declarations(ast.parse(path.read_text(encoding="utf-8")).body).items():
            own = name.rpartition(".")[2]
            is_constant = own.isupper() and not own.startswith("_")
            if declared.value is not None and (_is_default(declared.value) or (is_constant and _holds(declared.value))):
                yield f"{module}:{name}"


def _is_default(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return False
    return value.func.id == "option" and _holds(value.args[0])


def _holds(value: ast.expr) -> bool:
    """Return whether an expression is a number, or a collection with one in it."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    if isinstance(value, ast.UnaryOp):
        return _holds(value.operand)
    if isinstance(value, ast.Tuple):
        return any(map(_holds, value.elts))
    return isinstance(value, ast.Dict) and any(map(_holds, value.values))


@pytest.mark.parametrize("sentence", OTHER_SENTENCES)
def test_what_is_taken_for_a_sentence_about_something_else_is_still_said(sentence: str) -> None:
    assert any(sentence in text for text in _as_they_are().values())
