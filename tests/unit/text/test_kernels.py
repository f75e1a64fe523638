"""The compiled kernel and its twin in Python: the same bits on any texts, and no memory that is not given back."""

from __future__ import annotations

import copy
import gc
import hashlib
import pickle
import random
import sys
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from scoresheet.metrics import rouge_l_precision
from scoresheet.metrics.compiled import PURE as PURE_VARIABLE
from scoresheet.metrics.compiled import Compiled
from scoresheet.metrics.text import kernel, words
from scoresheet.metrics.text.rouge_l import Text
from scoresheet.metrics.text.rouge_tokenizer import sentences
from tests.helpers.kernels import COMPILED, KERNELS, PURE, has_compiler, random_texts, using

ROOT = Path(__file__).resolve().parents[3]
TEXTS_IN_A_BLOCK = 3_000


@pytest.fixture
def compiled() -> Iterator[Any]:
    with using(COMPILED):
        yield kernel.kernel().words


def numbers(made: Any, prediction: Any, reference: Any) -> tuple[int, int, int]:
    """Return all that a kernel says of a pair."""
    ours, theirs = made(prediction), made(reference)
    return ours.count, ours.types, ours.union(theirs)


def all_numbers(made: Any, pairs: Sequence[Sequence[Any]]) -> list[tuple[int, int, int]]:
    """Return the same of many pairs, asked about at once."""
    found = made.comparisons([given[0] for given in pairs], [made(given[1]) for given in pairs])
    return [(count, types, common) for common, types, count in found]


@pytest.mark.parametrize("block", [0, *(pytest.param(block, marks=pytest.mark.soak) for block in range(1, 34))])
def test_both_kernels_say_the_same_of_random_pairs(compiled: Any, block: int) -> None:
    rng = random.Random(f"kernels {block}")
    pairs = []
    for number in range(TEXTS_IN_A_BLOCK):
        pair = random_texts(rng)
        if number % 2:  # as cut by a tokeniser for unspaced scripts
            given: list[Any] = [sentences(text, ("auto", "chars")[number % 4 == 1]) for text in pair]
        else:
            given = [*pair]
        pairs.append(given)
    found = [numbers(compiled, *given) for given in pairs]
    differing = [
        given
        for given, ours, together, theirs in zip(
            pairs, found, all_numbers(compiled, pairs), all_numbers(words.Words, pairs), strict=True
        )
        if not ours == together == theirs
    ]
    differing += [
        given for given, ours in zip(pairs[::10], found[::10], strict=True) if numbers(words.Words, *given) != ours
    ]
    assert min(differing, key=lambda given: len(str(given)), default=None) is None


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_says_of_a_text_what_it_says_of_its_sentences(name: str) -> None:
    rng = random.Random("sentences")
    with using(name):
        made = kernel.kernel().words
        for _ in range(300):
            prediction, reference = random_texts(rng)
            cut = [words.spaced_sentences(text) for text in (prediction, reference)]
            assert numbers(made, prediction, reference) == numbers(made, *cut)


def test_the_compiled_kernel_splits_where_python_splits(compiled: Any) -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    splitting = [letter for letter in every if not letter.strip()]
    assert all(compiled(f"a{letter}b").count == 2 for letter in splitting)
    assert compiled("".join(letter for letter in every if letter.strip() and letter != ".")).count == 1
    assert compiled(".".join("ab")).count == 2


def test_sentences_may_be_empty_and_blocks_full(compiled: Any) -> None:
    """What no text gives but a caller may, and sentences that end where a block of 64 bits does."""
    cases: list[list[list[str]]] = [[], [[]], [[], []], [[""]], [["a"], []], [[], ["a"]]]
    for length in (62, 63, 64, 65, 127, 128, 129):
        cases += [[["a"] * length], [["a", "b"] * length, ["a"]], [[str(n) for n in range(length)], [], ["3"]]]
    for prediction in cases:
        for reference in cases:
            ours = numbers(words.Words, prediction, reference)
            assert numbers(compiled, prediction, reference) == ours
            for made in (compiled, words.Words):
                assert all_numbers(made, [[prediction, reference]] * 2) == [ours] * 2


@pytest.mark.parametrize("source", [None, 3, b"a", ("a",), [["a"], "b"], [[1]], [("a",)], [["a", None]]])
def test_the_compiled_kernel_refuses_what_is_no_text(compiled: Any, source: object) -> None:
    with pytest.raises(TypeError):
        compiled(source)


def test_the_kernels_do_not_mix(compiled: Any) -> None:
    with pytest.raises(TypeError, match="same kernel"):
        compiled("a").union(words.Words("a"))
    with pytest.raises(TypeError, match="same kernel"):
        compiled.comparisons(["a"], [words.Words("a")])
    with pytest.raises(TypeError):
        compiled()


def test_texts_that_are_compared_at_once_have_a_reference_each(compiled: Any) -> None:
    for made in (compiled, words.Words):
        assert made.comparisons([], []) == []
        with pytest.raises(ValueError, match=r"reference|zip"):
            made.comparisons(["a", "b"], [made("a")])


def test_the_compiled_kernel_gives_back_its_memory(compiled: Any) -> None:
    rng = random.Random("memory")
    pairs = [random_texts(rng) for _ in range(40)]
    cut = [tuple(sentences(text, "chars") for text in pair) for pair in pairs]
    shared = compiled("a b. c d")

    def go_over_all() -> None:
        for pair in [*pairs, *cut]:
            numbers(compiled, *pair)
            compiled(pair[0]).union(shared)
            compiled.comparisons([*pair], [shared, shared])
        for wrong in ([["a"], 3], [["a", 3]], 3):
            with pytest.raises(TypeError):
                compiled(wrong)
            with pytest.raises(TypeError):
                shared.union(wrong)
            with pytest.raises(TypeError):
                compiled.comparisons(["a", wrong], [shared, shared])

    go_over_all()
    gc.collect()  # what tests before this one left
    kinds = sys.getrefcount(compiled)
    tracemalloc.start()
    try:
        before = tracemalloc.take_snapshot()
        for _ in range(5):
            go_over_all()
        gc.collect()
        grown = tracemalloc.take_snapshot().compare_to(before, "filename")
    finally:
        tracemalloc.stop()
    assert sum(line.size_diff for line in grown if line.traceback[0].filename == __file__) < 1_000
    assert sys.getrefcount(compiled) == kinds  # each object holds its type


@pytest.mark.parametrize("name", KERNELS)
def test_a_text_made_ready_can_be_copied_and_sent_to_a_worker(name: str) -> None:
    with using(name):
        text, other = Text(" the cat. sat "), Text("the mat. sat")
        score = rouge_l_precision(text, other)
        for twin in (pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
            assert (twin.text, twin.tokenizer, twin.wordless) == (text.text, text.tokenizer, text.wordless)
            assert rouge_l_precision(twin, other) == score


# --- which one is used ---------------------------------------------------------------------------


def test_the_kernel_is_built_where_there_is_a_compiler() -> None:
    if not has_compiler():
        pytest.skip("no C compiler here, or no header of Python")
    assert kernel.chosen_kernel({}).reason == "compiled", "make env"


@pytest.mark.usefixtures("compiled")
def test_the_kernel_was_built_from_the_source_that_is_here() -> None:
    source = (ROOT / "metrics/text/_kernel.c").read_bytes().replace(b"\r\n", b"\n")
    assert kernel.kernel_name() == f"C {hashlib.sha256(source).hexdigest()[:12]}", "make env builds it anew"
    assert f"#define REVISION {kernel.REVISION} ".encode() in source


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(("value", "pure"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_the_variable_asks_for_the_twin(value: str, pure: bool) -> None:
    chosen = kernel.chosen_kernel({PURE_VARIABLE: value})
    assert (chosen.name == "Python") == pure
    assert (chosen.words is words.Words) == pure


@pytest.mark.usefixtures("compiled")
def test_a_kernel_of_another_revision_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "REVISION", kernel.REVISION + 1)
    chosen = kernel.chosen_kernel({})
    assert chosen.words is words.Words
    assert "install scoresheet anew" in chosen.reason


def test_without_a_compiled_kernel_the_twin_compares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_PART", Compiled(None, "the compiled one was not built"))
    chosen = kernel.chosen_kernel({})
    assert (chosen.name, chosen.reason) == ("Python", "the compiled one was not built")
    with using(PURE):
        assert kernel.kernel_name() == "Python"
