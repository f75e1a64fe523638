"""Entropy of single texts as defined: worked vectors, scipy, scikit-learn, and what holds for any text.

Which texts are repetitive is here what the printed rule says; the default rule has its own tests.
"""

from __future__ import annotations

import math
import random
import unicodedata
import warnings
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet import metrics
from tests.helpers.soak import examples, first

# loaded by name: these publish no types
stats: Any = import_module("scipy.stats")
feature_extraction: Any = import_module("sklearn.feature_extraction.text")

text_entropy = partial(metrics.text_entropy, repetition="printed")
text_entropies = partial(metrics.text_entropies, repetition="printed")

EXAMPLES = examples(50)
FEW = examples(25)

FOX = "The quick brown fox jumps over the lazy dog"
WHOLE = ("words", "unique_words", "max_bigram", "repetitive", "entropy_trend")
REAL = (
    "word_entropy",
    "bigram_entropy",
    "trigram_entropy",
    "vocab_diversity",
    "unique_ratio",
    "quality_ratio",
    "semantic_diversity",
    "semantic_entropy",
    "entropy_variance",
    "entropy_drops",
    "top_word_share",
)


# --- the definition once more, from Unicode's names and categories -------------------------------

UNSPACED = (
    "CJK UNIFIED IDEOGRAPH",
    "CJK COMPATIBILITY IDEOGRAPH",
    "IDEOGRAPHIC ITERATION MARK",
    "VERTICAL IDEOGRAPHIC ITERATION MARK",
    "IDEOGRAPHIC NUMBER ZERO",
    "HANGZHOU NUMERAL",
    "HIRAGANA",
    "KATAKANA",
    "HALFWIDTH KATAKANA",
    "THAI",
    "LAO ",
    "KHMER",
    "MYANMAR",
)
# letters by category, yet part of the character before them: sara am of Thai and Lao, half-width voicing marks
TAILS = "\u0e33\u0eb3\uff9e\uff9f"


def is_unspaced(character: str) -> bool:
    return unicodedata.name(character, "").startswith(UNSPACED)


def continues(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in TAILS


def is_of_a_word(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def words_of(text: str) -> list[str]:
    cleaned = "".join(character if is_of_a_word(character) else " " for character in text.lower())
    words: list[str] = []
    for token in cleaned.split():
        pieces: list[str] = []
        for character in token:
            other = not is_unspaced(character) and pieces and not is_unspaced(pieces[-1][0])
            if pieces and (other or continues(character)):
                pieces[-1] += character
            else:
                pieces.append(character)
        words += [piece for piece in pieces if len(piece) > 1 or is_unspaced(piece)]
    return words


def units_of(text: str) -> list[str]:
    """Return what lengths and chunks are counted in."""
    return words_of(text) if any(map(is_unspaced, text)) else text.split()


def bits(things: Sequence[Hashable]) -> float:
    return float(stats.entropy(list(Counter(things).values()), base=2)) if things else math.nan


def bpe(text: str, vocabulary: str) -> list[int]:
    with warnings.catch_warnings():
        # it opens its data by a function that Python has deprecated
        warnings.simplefilter("ignore", DeprecationWarning)
        return list(import_module("bpe_openai").get_encoding(vocabulary).encode(text))


def ngrams(words: Sequence[Hashable], n: int) -> list[tuple[Hashable, ...]]:
    return list(zip(*(words[start:] for start in range(n)), strict=False))


def chunk_entropies(text: str) -> list[float]:
    units = units_of(text)
    size = max(20, len(units) // 10)
    starts = range(0, len(units) - size + 1, size // 2)
    chunks = [words_of(" ".join(units[start : start + size])) for start in starts]
    return [bits(chunk) if chunk else 0.0 for chunk in chunks]


def drops_in(local: Sequence[float]) -> int:
    return sum(after < 0.8 * before - 1e-9 for before, after in pairwise(local))


def trend_of(local: Sequence[float]) -> str:
    if len(local) < 2:
        return ""
    third = max(1, len(local) // 3)
    first, last = math.fsum(local[:third]) / third, math.fsum(local[-third:]) / third
    if last < 0.9 * first - 1e-9:
        return "decreasing"
    return "increasing" if last > 1.1 * first + 1e-9 else "stable"


def is_repetitive(length: int, share: float, bigram: int, local: Sequence[float]) -> bool:
    if length < 6:
        return False
    if length < 20:
        return share > 0.25 + 1e-9 or bigram >= 2
    if len(local) < 3:
        return share > 0.2 + 1e-9 or bigram >= 2
    return share > 0.2 + 1e-9 or bigram >= 3 or (float(np.var(local)) < 0.1 - 1e-9 and drops_in(local) >= 2)


def sentences_of(text: str) -> list[str]:
    for stop in "!?。！？":
        text = text.replace(stop, ".")
    return [sentence for sentence in text.split(".") if words_of(sentence)]


def cosines(sentences: Sequence[str]) -> Any:
    """Return scikit-learn's cosines between all sentences."""
    vectorizer = feature_extraction.TfidfVectorizer(
        tokenizer=words_of, token_pattern=None, lowercase=False, smooth_idf=True, norm="l2"
    )
    vectors = vectorizer.fit_transform(sentences).toarray()
    return vectors @ vectors.T


def semantics_of(text: str) -> tuple[float, float]:
    sentences = sentences_of(text)
    if len(sentences) < 2:
        return math.nan, math.nan
    pairs = cosines(sentences)[np.triu_indices(len(sentences), 1)]
    # a similarity on the edge of two bins belongs to the upper one, however it was rounded
    counts, _ = np.histogram(np.clip(pairs + 1e-9, 0, 1), bins=10, range=(0, 1))
    return 1 - float(pairs.mean()), float(stats.entropy(counts, base=2))


def expected(text: str) -> dict[str, Any]:
    words, length, local = words_of(text), len(units_of(text)), chunk_entropies(text)
    counts, entropy = Counter(words), bits(words)
    bigram = max(Counter(ngrams(words, 2)).values(), default=0)
    share = max(counts.values()) / len(words)
    diversity, semantic = semantics_of(text)
    return {
        "words": len(words),
        "unique_words": len(counts),
        "word_entropy": entropy,
        "bigram_entropy": bits(ngrams(words, 2)),
        "trigram_entropy": bits(ngrams(words, 3)),
        "vocab_diversity": entropy / math.log2(len(counts)) if len(counts) > 1 else 0.0,
        "unique_ratio": len(counts) / len(words),
        "quality_ratio": entropy / max(math.log2(length), 1.0),
        "semantic_diversity": diversity,
        "semantic_entropy": semantic,
        "entropy_variance": float(np.var(local)) if local else math.nan,
        "entropy_drops": drops_in(local) if local else math.nan,
        "entropy_trend": trend_of(local),
        "top_word_share": share,
        "max_bigram": bigram,
        "repetitive": is_repetitive(length, share, bigram, local),
        "local_entropy": local,
    }


def close(value: float | list[float]) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)


def check(text: str, found: Any) -> None:
    wanted = expected(text)
    assert {name: getattr(found, name) for name in WHOLE} == {name: wanted[name] for name in WHOLE}, text
    assert {name: getattr(found, name) for name in REAL} == {name: close(wanted[name]) for name in REAL}, text
    assert list(found.local_entropy) == close(wanted["local_entropy"]), text


def same(one: Any, other: Any) -> bool:
    """Return whether two results agree, nan with nan, sums up to rounding."""
    whole = all(getattr(one, name) == getattr(other, name) for name in WHOLE)
    real = all(getattr(one, name) == close(getattr(other, name)) for name in REAL)
    return whole and real and list(one.local_entropy) == close(list(other.local_entropy))


def distinct(count: int, start: int = 0) -> list[str]:
    return [f"w{number}" for number in range(start, start + count)]


# --- worked vectors ------------------------------------------------------------------------------


def test_the_fox_by_hand() -> None:
    fox = text_entropy(FOX)
    assert (fox.words, fox.unique_words, fox.max_bigram, fox.repetitive) == (9, 8, 1, False)
    assert fox.word_entropy == pytest.approx(2.947703, abs=5e-7)
    assert fox.bigram_entropy == pytest.approx(3)
    assert fox.trigram_entropy == pytest.approx(2.807355, abs=5e-7)
    assert fox.quality_ratio == pytest.approx(0.929897, abs=5e-7)
    assert fox.vocab_diversity == pytest.approx(0.982568, abs=5e-7)
    assert fox.unique_ratio == pytest.approx(8 / 9)
    assert fox.top_word_share == pytest.approx(2 / 9)


def test_one_word_six_times_carries_nothing_and_is_repetitive() -> None:
    same_word = text_entropy("the the the the the the")
    assert (same_word.words, same_word.unique_words, same_word.max_bigram) == (6, 1, 5)
    for value in (same_word.word_entropy, same_word.bigram_entropy, same_word.trigram_entropy):
        assert value == 0
        assert math.copysign(1, value) == 1
    assert (same_word.vocab_diversity, same_word.quality_ratio, same_word.top_word_share) == (0, 0, 1)
    assert same_word.repetitive is True


def test_four_words_once_each_are_two_bits() -> None:
    four = text_entropy("north east south west")
    assert four.word_entropy == pytest.approx(2)
    assert four.bigram_entropy == pytest.approx(math.log2(3))
    assert four.trigram_entropy == pytest.approx(1)
    assert (four.vocab_diversity, four.unique_ratio, four.quality_ratio) == pytest.approx((1, 1, 1))


# --- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The the THE", ["the"] * 3),
        ("Don't stop-me_now, I said!", ["don", "stop", "me_now", "said"]),
        ("a an I in 5 55 x y2", ["an", "in", "55", "y2"]),
        ("naïve NAÏVE cafe\u0301s", ["naïve", "naïve", "cafe\u0301s"]),
        ("ΟΔΟΣ οδος", ["οδος", "οδος"]),
        ("Привет, мир! Мир.", ["привет", "мир", "мир"]),
        ("한국어 텍스트 한국어", ["한국어", "텍스트", "한국어"]),
        ("हिन्दी में हिन्दी", ["हिन्दी", "में", "हिन्दी"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("m² km² ⅷⅸ x½", ["m²", "km²", "ⅷⅸ", "x½"]),
        ("one\u00a0two\u3000three\u2028four\x1cfive\nsix", ["one", "two", "three", "four", "five", "six"]),
        ("wide\u200bspace", ["wide", "space"]),
        ("$100 + €200 = 300", ["100", "200", "300"]),
        ("😀 smile 😀😀 smile", ["smile", "smile"]),
    ],
)
def test_words_are_runs_of_letters_marks_numbers_and_underscores(text: str, words: list[str]) -> None:
    assert words_of(text) == words
    check(text, text_entropy(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("喜爱得不想放手", list("喜爱得不想放手")),
        ("猫が好き、猫が好き。", list("猫が好き猫が好き")),
        ("カタカナとコーヒー", list("カタカナとコーヒー")),
        ("人々〇〩〻", ["人", "々", "〇", "〩", "〻"]),
        ("น้ำ น้ำ นำ น", ["น้ำ", "น้ำ", "นำ", "น"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("か\u3099か", ["か\u3099", "か"]),
        ("ﾊﾞﾊ", ["ﾊﾞ", "ﾊ"]),
        ("ສະບາຍດີ", ["ສ", "ະ", "ບ", "າ", "ຍ", "ດີ"]),
        ("用GPT4写a代码x5了", ["用", "gpt4", "写", "代", "码", "x5", "了"]),
        ("我 like 猫 and I 犬", ["我", "like", "猫", "and", "犬"]),
        ("๑๒ ๑", ["๑", "๒", "๑"]),
        ("東京2020", ["東", "京", "2020"]),
        ("日本語です。Nice!", [*"日本語です", "nice"]),
    ],
)
def test_a_script_without_spaces_is_cut_into_characters_with_their_marks(text: str, words: list[str]) -> None:
    assert words_of(text) == words
    found = text_entropy(text)
    assert (found.words, found.unique_words) == (len(words), len(set(words)))
    assert found.word_entropy == close(bits(words))
    assert found.bigram_entropy == close(bits(ngrams(words, 2)))
    assert found.trigram_entropy == close(bits(ngrams(words, 3)))
    assert found.unique_ratio == close(len(set(words)) / len(words))


def test_what_is_no_letter_between_two_characters_is_no_part_of_either() -> None:
    for between in ("\u200d", "\u200c", "\u200b", "・", "、", " "):
        found = text_entropy(f"猫{between}猫")
        assert (found.words, found.unique_words) == (2, 1), repr(between)


def test_no_vowel_sign_is_lost() -> None:
    for sign in "\u102b\u102c\u1038\u102d\u1031":  # Myanmar: some join the letter by Unicode's rules, some do not
        assert text_entropy(f"မ{sign} မ").unique_words == 2, unicodedata.name(sign)
    for sign in "\u17b6\u17b7\u17c1":  # Khmer
        assert text_entropy(f"ក{sign} ក").unique_words == 2, unicodedata.name(sign)


@pytest.mark.parametrize("text", ["", " ", "!!!", "... -- ...", "a b c", "I", "7 8", "_", "\n\t", "。、", "😀"])
def test_a_text_without_words_has_no_measures(text: str) -> None:
    found = text_entropy(text)
    assert (found.words, found.unique_words) == (0, 0)
    for name in REAL[:8]:
        assert math.isnan(getattr(found, name)), name


def test_chars_makes_every_character_a_word() -> None:
    found = text_entropy("Hello, you!", tokenizer="chars")
    assert (found.words, found.unique_words) == (8, 6)
    assert found.word_entropy == close(bits("helloyou"))
    assert found.bigram_entropy == close(bits(ngrams("helloyou", 2)))


def test_whitespace_leaves_a_script_without_spaces_uncut() -> None:
    found = text_entropy("我喜欢猫 我喜欢狗 我喜欢猫", tokenizer="whitespace")
    assert (found.words, found.unique_words) == (3, 2)
    assert found.word_entropy == close(bits([1, 1, 2]))
    assert found.quality_ratio == close(bits([1, 1, 2]) / math.log2(3))


@pytest.mark.parametrize("vocabulary", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("text", [FOX, "The THE the, antidisestablishmentarianism! a a I", "naïve  мир 한국어 😀😀"])
def test_bpe_tokens_are_those_of_the_vocabulary_over_the_text_as_it_is(text: str, vocabulary: str) -> None:
    tokens = bpe(text, vocabulary)
    found = text_entropy(text, tokenizer="bpe", vocabulary=vocabulary)
    assert (found.words, found.unique_words) == (len(tokens), len(set(tokens)))
    assert found.word_entropy == close(bits(tokens))
    assert found.bigram_entropy == close(bits(ngrams(tokens, 2)))
    assert found.trigram_entropy == close(bits(ngrams(tokens, 3)))
    assert found.top_word_share == close(max(Counter(tokens).values()) / len(tokens))
    assert found.quality_ratio == close(bits(tokens) / max(math.log2(len(text.split())), 1))


def test_the_vocabulary_is_the_newer_one_unless_named() -> None:
    text = "antidisestablishmentarianism naïveté 한국어 текст"
    newer, older = (len(bpe(text, name)) for name in ("o200k_base", "cl100k_base"))
    assert newer != older
    assert text_entropy(text, tokenizer="bpe").words == newer


# --- entropies and ratios ------------------------------------------------------------------------


def test_too_few_words_for_an_ngram_leave_its_entropy_undefined() -> None:
    one, two, three = text_entropies(["word", "two words", "now three words"])
    assert (one.word_entropy, one.max_bigram, one.vocab_diversity, one.quality_ratio) == (0, 0, 0, 0)
    assert math.isnan(one.bigram_entropy)
    assert math.isnan(one.trigram_entropy)
    assert two.bigram_entropy == 0
    assert math.isnan(two.trigram_entropy)
    assert three.bigram_entropy == pytest.approx(1)
    assert three.trigram_entropy == 0


def test_quality_counts_white_space_words_and_words_of_any_length() -> None:
    assert text_entropy("alpha-beta-gamma-delta").quality_ratio == pytest.approx(2)  # one word: log2 is held at 1
    assert text_entropy("alpha beta").quality_ratio == pytest.approx(1)
    assert text_entropy("alpha a - beta ! I x y").quality_ratio == pytest.approx(1 / 3)
    assert text_entropy("喜爱喜爱喜爱喜爱").quality_ratio == pytest.approx(1 / 3)  # in characters


# --- chunks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "chunks"),
    list({5: 0, 19: 0, 20: 1, 29: 1, 30: 2, 39: 2, 40: 3, 199: 18, 200: 19, 219: 20, 220: 19, 999: 19}.items()),
)
def test_chunks_are_a_tenth_but_at_least_twenty_words_and_step_by_half(length: int, chunks: int) -> None:
    size = max(20, length // 10)
    found = text_entropy(" ".join(distinct(length)))
    assert len(found.local_entropy) == chunks
    assert list(found.local_entropy) == close([math.log2(size)] * chunks)
    assert found.entropy_variance == close(0.0 if chunks else math.nan)
    assert found.entropy_drops == close(0 if chunks else math.nan)
    assert found.entropy_trend == ("stable" if chunks > 1 else "")


def test_chunks_of_a_script_without_spaces_are_cut_from_its_characters() -> None:
    text = "".join(chr(0x4E00 + number) for number in range(20)) + "猫" * 20
    found = text_entropy(text)
    assert list(found.local_entropy) == close([math.log2(20), bits([*range(10), *["猫"] * 10]), 0.0])
    assert (found.entropy_drops, found.entropy_trend, found.repetitive) == (2, "decreasing", True)


def blocks(*counts: int) -> str:
    """Return text of ten white-space words a block, so many of them words and all of these different."""
    units: list[str] = []
    for block, count in enumerate(counts):
        units += distinct(count, 100 * block) + ["-"] * (10 - count)
    return " ".join(units)


def test_a_chunk_counts_white_space_words_and_then_only_real_words() -> None:
    found = text_entropy(blocks(8, 0, 0, 2, 6))
    assert list(found.local_entropy) == close([3, 0, 1, 3])
    assert found.entropy_variance == close(((3 - 1.75) ** 2 * 2 + 1.75**2 + 0.75**2) / 4)
    assert found.entropy_drops == 1


def test_one_letter_words_fill_a_chunk_without_adding_to_it() -> None:
    found = text_entropy(" ".join(["alpha", "beta"] + ["x"] * 18))
    assert list(found.local_entropy) == close([1])
    assert (found.entropy_variance, found.entropy_drops, found.entropy_trend) == (0, 0, "")


def units_with(*words_in_block: int) -> str:
    """Return text of ten white-space words a block, the first of which holds so many words between hyphens."""
    units: list[str] = []
    for block, count in enumerate(words_in_block):
        units += ["-".join(distinct(count, 1_000 * block)) or "-"] + ["-"] * 9
    return " ".join(units)


def test_a_drop_is_below_four_fifths_and_not_at_it() -> None:
    at = text_entropy(units_with(16, 16, 0, 0))  # 5, 4, no words
    assert list(at.local_entropy) == close([5, 4, 0])
    assert at.entropy_drops == 1
    below = text_entropy(units_with(17, 15, 0, 0))
    assert below.entropy_drops == 2


@pytest.mark.parametrize(
    ("first", "last", "trend"),
    [
        (1024, 512, "stable"),  # 10 and 9: exactly nine tenths
        (1024, 511, "decreasing"),
        (1024, 513, "stable"),
        (1024, 2048, "stable"),  # 10 and 11: exactly eleven tenths
        (1024, 2049, "increasing"),
        (1024, 2047, "stable"),
        (1, 1, "stable"),  # nothing and nothing
        (1, 2, "increasing"),
        (2, 1, "decreasing"),
    ],
)
def test_the_trend_changes_beyond_a_tenth_either_way(first: int, last: int, trend: str) -> None:
    found = text_entropy(units_with(first, 0, last))
    assert list(found.local_entropy) == close([math.log2(first), math.log2(last)])
    assert found.entropy_trend == trend


def test_the_trend_compares_thirds_rounded_down() -> None:
    # seven chunks: the first two against the last two, whatever is between
    rising = text_entropy(units_with(2, 0, 2, 0, 0, 0, 4, 0))
    assert list(rising.local_entropy) == close([1, 1, 1, 0, 0, 2, 2])
    assert rising.entropy_trend == "increasing"
    # five chunks: one against one
    level = text_entropy(units_with(4, 0, 0, 1, 1, 3))
    assert list(level.local_entropy) == close([2, 0, 0, 1, 2])
    assert level.entropy_trend == "stable"


# --- repetition ----------------------------------------------------------------------------------


def with_top_word(length: int, times: int) -> str:
    """Return text in which one word stands so many times and no two words follow each other twice."""
    others = distinct(length - times)
    units = [word for other in others[: times - 1] for word in ("top", other)]
    return " ".join([*units, "top", *others[times - 1 :]])


def with_bigram(length: int, times: int) -> str:
    """Return text of different words but for one pair, which stands so many times."""
    others = distinct(length - 2 * times)
    units = [word for other in others[: times - 1] for word in ("one", "pair", other)]
    return " ".join([*units, "one", "pair", *others[times - 1 :]])


@pytest.mark.parametrize(
    ("length", "times", "repetitive"),
    [
        (5, 3, False),  # too short to tell
        (6, 1, False),
        (6, 2, True),
        (8, 2, False),  # exactly a quarter
        (8, 3, True),
        (16, 4, False),
        (16, 5, True),
        (19, 4, False),
        (19, 5, True),
        (20, 4, False),  # exactly a fifth
        (20, 5, True),
        (35, 7, False),
        (35, 8, True),
        (39, 7, False),
        (39, 8, True),
        (40, 8, False),
        (40, 9, True),
        (200, 40, False),
        (200, 41, True),
    ],
)
def test_a_word_repeats_beyond_a_quarter_of_short_and_a_fifth_of_longer_texts(
    length: int, times: int, repetitive: bool
) -> None:
    found = text_entropy(with_top_word(length, times))
    assert (found.words, found.max_bigram) == (length, 1)
    assert found.top_word_share == close(times / length)
    assert found.repetitive is repetitive


@pytest.mark.parametrize(
    ("length", "times", "repetitive"),
    [
        (5, 2, False),
        (10, 1, False),
        (10, 2, True),
        (19, 2, True),
        (20, 1, False),
        (20, 2, True),
        (39, 2, True),  # two chunks
        (40, 2, False),  # three
        (40, 3, True),
        (300, 2, False),
        (300, 3, True),
    ],
)
def test_a_pair_may_stand_twice_only_where_there_are_three_chunks(length: int, times: int, repetitive: bool) -> None:
    found = text_entropy(with_bigram(length, times))
    assert (found.words, found.max_bigram) == (length, times)
    assert found.repetitive is repetitive


def test_length_for_repetition_is_in_white_space_words_and_the_shares_are_in_words() -> None:
    assert text_entropy("no-no-no no-no-no no no no").repetitive is False  # five
    assert text_entropy("no no no no no !").repetitive is True  # six
    assert text_entropy("no - - - - !").repetitive is True  # all of its words are one
    assert text_entropy("猫猫猫猫猫").repetitive is False
    assert text_entropy("猫猫猫猫猫猫").repetitive is True


def test_pairs_are_of_words_whatever_stands_between_them() -> None:
    found = text_entropy("Red, fox and then a RED -- fox! went away home today")
    assert (found.max_bigram, found.repetitive) == (2, True)


def test_three_chunks_that_fall_twice_in_a_flat_text_are_repetitive() -> None:
    even = [2] * 20
    twice, once = even.copy(), even.copy()
    twice[5] = twice[12] = once[5] = 1
    found = text_entropy(blocks(*twice))
    assert found.entropy_drops == 2
    assert found.entropy_variance == close(15 * 4 / 19**2 * math.log2(4 / 3) ** 2)  # below a tenth
    assert (found.max_bigram, found.repetitive) == (1, True)
    assert text_entropy(blocks(*once)).entropy_drops == 1
    assert text_entropy(blocks(*once)).repetitive is False


def test_two_falls_in_an_uneven_text_are_not_repetitive() -> None:
    counts = [4] * 20
    counts[5] = counts[12] = 0
    found = text_entropy(blocks(*counts))
    assert found.entropy_drops == 2
    assert found.entropy_variance == close(15 * 4 / 19**2)  # above a tenth
    assert (found.max_bigram, found.repetitive) == (1, False)


# --- sentences -----------------------------------------------------------------------------------

PROSE = (
    "The river runs fast. The river bends twice! Does the old mill still stand? A heron waits. The mill wheel turns;"
    " the river turns it."
)


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "One cat sat. One cat sat. Two dogs ran.",
        "Pi is 3.14 they say. They say pi is irrational!",
        "我爱猫。我爱狗！你爱什么？我爱你。",
        "猫が好き。犬が好き。Cats are good. 猫 and cats!",
        "Alpha beta?! Alpha gamma... Beta gamma... !? .",
        "A. B. Only this has words. I. And this one has words.",
        "\n".join([PROSE, PROSE, "Something else entirely."]),
    ],
)
def test_semantic_measures_are_those_of_scikit_learns_vectors(text: str) -> None:
    found = text_entropy(text)
    diversity, entropy = semantics_of(text)
    assert not math.isnan(diversity)
    assert found.semantic_diversity == close(diversity)
    assert found.semantic_entropy == close(entropy)


@pytest.mark.parametrize("text", [PROSE, "One cat sat. One cat sat.", "我爱猫。我爱狗！你爱什么？"])
def test_the_seeds_definition_counts_the_diagonal(text: str) -> None:
    matrix = cosines(sentences_of(text))
    found, plain = text_entropy(text, definition="seed"), text_entropy(text)
    assert found.semantic_diversity == close(1 - float(matrix.mean()))
    assert found.semantic_entropy == close(plain.semantic_entropy)
    size = len(matrix)
    assert plain.semantic_diversity * (size - 1) / size == close(found.semantic_diversity)


def test_equal_sentences_have_no_diversity_and_one_bin() -> None:
    found = text_entropy("Rain falls on the plain. " * 7)
    assert found.semantic_diversity == close(0)
    assert found.semantic_diversity >= 0
    assert found.semantic_entropy == 0


def test_sentences_without_a_common_word_are_wholly_diverse() -> None:
    found = text_entropy("Rain falls. Snow melts! Wind blows?")
    assert (found.semantic_diversity, found.semantic_entropy) == (1, 0)


def test_the_lowest_and_the_highest_bin_hold_nothing_and_all() -> None:
    found = text_entropy("Rain falls. Rain falls. Snow melts.")  # cosines 1, 0, 0
    assert found.semantic_diversity == close(2 / 3)
    assert found.semantic_entropy == close(bits([0, 0, 1]))


@pytest.mark.parametrize(
    ("text", "cosine"),
    [
        ("red fox. fox den. den red.", 0.5),  # every word in two sentences: all weights are equal
        ("red fox den oak. fox den oak sky. den oak sky red. oak sky red fox. sky red fox den.", 0.75),
    ],
)
def test_similarities_that_are_equal_on_paper_share_a_bin(text: str, cosine: float) -> None:
    found = text_entropy(text)
    assert found.semantic_diversity == close(1 - cosine)
    assert found.semantic_entropy == 0


@pytest.mark.parametrize("shared", range(1, 10))
def test_a_similarity_on_the_edge_of_two_bins_goes_to_the_upper(shared: int) -> None:
    # Ten words a sentence. The first two sentences share some; a last one, of all words but the shared, evens the
    # weights out: every word is in two sentences, so that the first cosine is shared / 10.
    common, left, right = distinct(shared), distinct(10 - shared, 100), distinct(10 - shared, 200)
    first, second, third = common + left, common + right, left + right
    found = text_entropy(". ".join(" ".join(words) for words in (first, second, third)))
    outer = (10 - shared) / math.sqrt(10 * 2 * (10 - shared))
    counts = Counter(min(int(value * 10 + 1e-8), 9) for value in (shared / 10, outer, outer))
    assert found.semantic_entropy == close(float(stats.entropy(list(counts.values()), base=2)))


@pytest.mark.parametrize("definition", ["offdiagonal", "seed"])
@pytest.mark.parametrize("text", ["Only one sentence here", "Only one. A. !", "... One sentence only?", "猫。"])
def test_one_sentence_with_words_has_no_semantic_measures(text: str, definition: str) -> None:
    found = text_entropy(text, definition=definition)
    assert math.isnan(found.semantic_diversity)
    assert math.isnan(found.semantic_entropy)


@pytest.mark.parametrize("option", ["definition", "tokenizer", "vectors"])
def test_an_unknown_option_value_is_refused_with_the_valid_ones(option: str) -> None:
    valid = {"definition": "offdiagonal", "tokenizer": "whitespace", "vectors": "tfidf"}[option]
    options: dict[str, Any] = {option: "bogus"}
    with pytest.raises(ValueError, match=valid):
        text_entropy(FOX, **options)
    with pytest.raises(ValueError, match=valid):
        text_entropies([], **options)


# --- many texts at once --------------------------------------------------------------------------

POOL = ["the", "The", "of", "a", "I", "x", "fox", "Fox,", "(dog)", "semi-colon", "it's", "_", "snake_case", "42", "7"]
POOL += [
    "naïve",
    "мир",
    "Мир",
    "한국어",
    "-",
    "--",
    "&",
    "end.",
    "stop!",
    "why?",
    "...",
    "3.5",
    "CAPS",
    "word",
    "other",
]


def random_text(rng: random.Random, longest: int = 90) -> str:
    own = [rng.choice(["n", "k"]) + str(rng.randint(10, 10 + 2 ** rng.randint(1, 16))) for _ in range(longest)]
    pool = rng.sample(POOL, rng.randint(1, len(POOL))) + rng.sample(own, rng.choice([0, 3, longest]))
    length = rng.choice([1, 2, 5, 6, 19, 20, 29, 30, 39, 40, rng.randint(1, longest)])
    return rng.choice([" ", "  ", "\n"]).join(rng.choices(pool, k=min(length, longest)))


@pytest.mark.parametrize("seed", first(1, range(4)))
def test_every_measure_of_many_texts_at_once_is_the_definitions(seed: int) -> None:
    rng = random.Random(seed)
    texts = [text for text in (random_text(rng) for _ in range(400)) if words_of(text)]
    for text, found in zip(texts, text_entropies(texts), strict=True):
        check(text, found)


@pytest.mark.parametrize("length", [200, 209, 219, 220, 350, 1_111])
def test_every_measure_of_long_texts_is_the_definitions(length: int) -> None:
    rng = random.Random(length)
    texts = [" ".join(rng.choices(POOL + distinct(size), k=length)) for size in (0, 5, 50, 500)]
    for text, found in zip(texts, text_entropies(texts), strict=True):
        check(text, found)


@pytest.mark.parametrize("seed", range(3))
def test_every_measure_of_many_chinese_japanese_and_thai_texts_is_the_definitions(seed: int) -> None:
    rng = random.Random(seed)
    pools = [
        "我爱猫狗你什么的了不",
        "猫がのはコーヒー々犬",
        ["น้ำ", "นำ", "ก", "กั", "ดี", "เ"],
        ["ﾊﾞ", "ﾊ", "か\u3099", "か"],
    ]
    texts = ["".join(rng.choices(rng.choice(pools), k=rng.choice([1, 5, 6, 19, 20, 39, 40, 230]))) for _ in range(120)]
    for text, found in zip(texts, text_entropies(texts), strict=True):
        check(text, found)


def test_twenty_thousand_texts_with_ten_thousands_of_words_do_not_mix() -> None:
    rng = random.Random(1)
    texts = [" ".join(f"w{rng.randrange(60_000)}" for _ in range(rng.randint(1, 12))) for _ in range(20_000)]
    found = text_entropies(texts)
    assert len(found) == len(texts)
    for place in [*range(100), *rng.sample(range(len(texts)), 300), *range(len(texts) - 100, len(texts))]:
        check(texts[place], found[place])


def test_texts_without_words_among_others_change_nothing() -> None:
    texts = ["", FOX, "...", "a b", PROSE, "", "the the the the the the", "!"]
    found = text_entropies(texts)
    assert [one.words for one in found] == [len(words_of(text)) for text in texts]
    for text, one in zip(texts, found, strict=True):
        if words_of(text):
            check(text, one)
    assert text_entropies([]) == []


# --- properties ----------------------------------------------------------------------------------

PIECES = st.sampled_from([*POOL, "猫", "犬猫", "น้ำ", "我爱你", "GPT4用", "。", "！"])
JOINS = st.sampled_from([" ", " ", " ", " ", "\n", ". ", "", "\x00", "\x1f", "\u200b", "\ue000", "|"])
TEXTS = st.lists(st.tuples(PIECES, JOINS), min_size=1, max_size=70).map(
    lambda pieces: "".join(piece + join for piece, join in pieces)
)
ANY = st.one_of(TEXTS, TEXTS, st.text(max_size=40))
SPACED = st.lists(st.sampled_from(POOL), min_size=1, max_size=70).map(" ".join).filter(words_of)


@EXAMPLES
@given(SPACED)
def test_any_text_with_spaces_measures_as_defined(text: str) -> None:
    check(text, text_entropy(text))


@EXAMPLES
@given(TEXTS.filter(words_of))
def test_the_entropies_of_any_text_are_scipys_over_its_words(text: str) -> None:
    found, words = text_entropy(text), words_of(text)
    assert (found.words, found.unique_words) == (len(words), len(set(words)))
    assert found.word_entropy == close(bits(words))
    assert found.bigram_entropy == close(bits(ngrams(words, 2)))
    assert found.trigram_entropy == close(bits(ngrams(words, 3)))
    assert found.semantic_diversity == close(semantics_of(text)[0])
    assert found.semantic_entropy == close(semantics_of(text)[1])


@FEW
@given(st.lists(ANY, min_size=1, max_size=8), st.sampled_from(["auto", "whitespace", "chars"]))
def test_a_text_scored_alone_or_among_others_is_the_same(texts: list[str], tokenizer: str) -> None:
    together = text_entropies(texts, tokenizer=tokenizer)
    for text, found in zip(texts, together, strict=True):
        assert same(found, text_entropy(text, tokenizer=tokenizer)), text


@FEW
@given(st.lists(ANY, min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_texts_does_not_matter(texts: list[str], rng: random.Random) -> None:
    order = rng.sample(range(len(texts)), len(texts))
    straight, shuffled = text_entropies(texts), text_entropies([texts[place] for place in order])
    for place, found in zip(order, shuffled, strict=True):
        assert same(found, straight[place])


@EXAMPLES
@given(ANY.filter(words_of), st.sampled_from(["auto", "whitespace", "chars"]))
def test_measures_keep_within_their_bounds(text: str, tokenizer: str) -> None:
    found, tiny = text_entropy(text, tokenizer=tokenizer), 1e-9
    assert 1 <= found.unique_words <= found.words
    assert found.unique_ratio == close(found.unique_words / found.words)
    assert 0 <= found.word_entropy <= math.log2(found.unique_words) + tiny
    for n, value in ((2, found.bigram_entropy), (3, found.trigram_entropy)):
        assert math.isnan(value) is (found.words < n)
        assert math.isnan(value) or 0 <= value <= math.log2(found.words - n + 1) + tiny
    for value in (found.vocab_diversity, found.semantic_diversity, found.top_word_share):
        assert math.isnan(value) or -tiny <= value <= 1 + tiny
    assert math.isnan(found.semantic_entropy) or 0 <= found.semantic_entropy <= math.log2(10) + tiny
    assert all(0 <= value <= math.log2(found.unique_words) + tiny for value in found.local_entropy)


@EXAMPLES
@given(ANY)
def test_no_measure_is_ever_minus_zero(text: str) -> None:
    found = text_entropy(text)
    for value in [*(getattr(found, name) for name in REAL), *found.local_entropy]:
        assert value != 0 or math.copysign(1, value) == 1


@EXAMPLES
@given(TEXTS.filter(words_of))
def test_saying_everything_twice_keeps_the_word_entropy(text: str) -> None:
    once, twice = text_entropy(text), text_entropy(f"{text} {text}")
    assert twice.words == 2 * once.words
    assert twice.unique_words == once.unique_words
    assert twice.word_entropy == close(once.word_entropy)
    assert twice.vocab_diversity == close(once.vocab_diversity)
    assert twice.top_word_share == close(once.top_word_share)


@EXAMPLES
@given(SPACED, st.sampled_from([str.upper, str.lower, str.title, lambda text: f" \n{text}\t "]))
def test_case_and_outer_white_space_change_nothing(text: str, change: Any) -> None:
    assert same(text_entropy(change(text)), text_entropy(text))


@EXAMPLES
@given(SPACED, st.randoms(use_true_random=False))
def test_shuffling_the_words_keeps_what_knows_no_order(text: str, rng: random.Random) -> None:
    units = text.split()
    shuffled, plain = text_entropy(" ".join(rng.sample(units, len(units)))), text_entropy(text)
    for name in ("words", "unique_words", "word_entropy", "vocab_diversity", "quality_ratio", "top_word_share"):
        assert getattr(shuffled, name) == close(getattr(plain, name)), name
