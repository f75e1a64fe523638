"""Texts to blocks of codes: what a unit is, where blocks end, and tokens of a vocabulary."""

from __future__ import annotations

import math
import socket
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from scoresheet.metrics import entropy, text_entropies, text_entropy
from scoresheet.metrics.families.entropy import blocks, vocabularies
from scoresheet.metrics.families.entropy.blocks import WordEncoder, batches
from scoresheet.metrics.problems import MissingExtra
from scoresheet.metrics.text.word_tokenizer import lower_words

FOX = "The quick brown fox jumps over the lazy dog"


def _bits(things: list[Any]) -> float:
    return entropy(list(Counter(things).values()))


def test_blocks_hold_every_text_once_and_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_TEXTS", 3)
    monkeypatch.setattr(blocks, "_LETTERS", 10)
    texts = ["aa", "bb", "cc", "dd", "x" * 50, "ee", "f" * 9, "gg", ""]
    parts = [list(part) for part in batches(texts)]
    assert [text for part in parts for text in part] == texts
    assert all(len(part) <= 3 for part in parts)
    assert all(len(part) == 1 or sum(map(len, part)) <= 10 for part in parts)


def test_measures_do_not_depend_on_where_blocks_end(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [FOX, "", "one. two words. one two", "猫が好き。犬が好き。", FOX * 9, "a"] * 3
    whole = text_entropies(texts)
    monkeypatch.setattr(blocks, "_TEXTS", 2)
    assert list(map(repr, text_entropies(texts))) == list(map(repr, whole))


def test_a_word_has_one_code_throughout_a_reader() -> None:
    reader = WordEncoder()
    first, second = (
        reader.block(["red fox"]).words.codes.tolist(),
        reader.block(["(Fox), sea", "RED"]).words.codes.tolist(),
    )
    assert second[0] == first[1]
    assert second[2] == first[0]
    assert len({*first, *second}) == 3


@pytest.mark.parametrize(
    ("text", "shown"), [("Red, fox!", "red fox"), ("我爱猫", "我爱猫"), ("用 GPT 写 code", "用 gpt 写 code")]
)
def test_words_are_spelled_with_spaces_only_where_their_script_has_them(text: str, shown: str) -> None:
    reader = WordEncoder()
    assert reader.decode(reader.block([text]).words.codes.tolist()) == shown


def test_segmented_chinese_counts_words_and_keeps_other_scripts() -> None:
    words = lower_words("我们喜欢Python，也喜欢猫", "words")
    assert "python" in words
    assert "我们" in words
    assert "".join(words) == "我们喜欢python也喜欢猫"


OPENING = pytest.mark.filterwarnings("ignore:open_binary is deprecated")  # by the package, when it opens its data


@OPENING
def test_tokens_of_a_vocabulary_are_counted_over_the_text_as_it_is() -> None:
    import bpe_openai

    for name in ("o200k_base", "cl100k_base"):
        for text in (FOX, "a A a A a", "今天天气很好。今天天气不好。", "<|endoftext|> twice <|endoftext|>"):
            ids = bpe_openai.get_encoding(name).encode_ordinary(text)
            found = text_entropy(text, tokenizer="bpe", vocabulary=name)
            assert (found.words, found.unique_words) == (len(ids), len(set(ids)))
            assert found.word_entropy == pytest.approx(_bits(ids), abs=1e-9)


@OPENING
def test_chunks_of_tokens_are_cut_from_white_space_words_and_then_encoded() -> None:
    import bpe_openai

    encode = bpe_openai.get_encoding("o200k_base").encode_ordinary
    units = [f"Word{number % 7}-{number}" for number in range(45)]
    found = text_entropy("\n".join(units), tokenizer="bpe")
    wanted = [_bits(encode(" ".join(units[start : start + 20]))) for start in (0, 10, 20)]
    assert list(found.local_entropy) == pytest.approx(wanted, abs=1e-9)
    assert found.quality_ratio == pytest.approx(found.word_entropy / math.log2(45))


def test_a_lone_surrogate_is_no_reason_to_fail() -> None:
    pytest.importorskip("wordllama")
    ways: tuple[dict[str, Any], ...] = ({}, {"tokenizer": "bpe"}, {"vectors": "static"})
    for options in ways:
        assert text_entropy("broken \ud800 text. more words", **options).words > 3


def test_static_vectors_are_those_of_the_package_and_come_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("somebody asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    vocabularies.sentence_embedder.cache_clear()
    sentences = ["The river bends twice", "A heron waits by the water", "Interest rates rose", "The river bends"]
    found = text_entropy(". ".join(sentences), vectors="static")
    package: Any = pytest.importorskip("wordllama")  # has no wheels for macOS and for the newest Python
    # the folder has the tokenizer; where the package looks by itself there is none
    model = package.WordLlama.load(cache_dir=str(Path(package.__file__).parent), disable_download=True)
    units = model.embed(sentences, norm=True).astype(float)
    cosines = (units @ units.T)[np.triu_indices(4, 1)]
    assert found.semantic_diversity == pytest.approx(1 - cosines.mean(), abs=1e-5)
    counts, _ = np.histogram(np.clip(cosines, 0, 1), bins=10, range=(0, 1))
    assert found.semantic_entropy == pytest.approx(entropy(counts.tolist()))


@pytest.mark.parametrize(
    ("options", "missing", "extra"),
    [({"tokenizer": "bpe"}, "bpe_openai", "tokens"), ({"vectors": "static"}, "wordllama", "embed")],
)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    options: dict[str, Any], missing: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    for cached in (vocabularies.bpe_vocabulary, vocabularies.sentence_embedder):
        cached.cache_clear()
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=f"scoresheet\\[{extra}\\]"):
        text_entropy("two sentences. are here", **options)
