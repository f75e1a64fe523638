"""Diversity over the texts of a sheet: plain sets, scikit-learn, PyPI `vendi-score`, zlib and cases known by hand."""

from __future__ import annotations

import math
import random
import warnings
import zlib
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.metrics import corpus_diversity
from scoresheet.metrics.families.entropy import corpus
from tests.helpers.soak import examples

# loaded by name: these publish no types
feature_extraction: Any = import_module("sklearn.feature_extraction.text")
linalg: Any = import_module("scipy.linalg")
vendi: Any = import_module("vendi_score.vendi")

FEW = examples(40)
FIELDS = (
    "distinct_1",
    "distinct_2",
    "distinct_3",
    "self_repetition",
    "pairwise_similarity",
    "vendi",
    "compression_ratio",
)
# Every text below is of lower-case words with two letters or more and spaces, so that str.split finds its words.
WEATHER = [
    "the rain falls on the hills all day",
    "the rain falls on the town all night",
    "snow falls on the hills in winter",
    "nobody knows when the wind will turn",
    "the wind will turn when nobody looks",
]


# --- the definitions once more -------------------------------------------------------------------


def ngrams(text: str, n: int) -> list[tuple[str, ...]]:
    words = text.split()
    return [tuple(words[start : start + n]) for start in range(len(words) - n + 1)]


def distinct(texts: Sequence[str], n: int) -> float:
    found = [gram for text in texts for gram in ngrams(text, n)]
    return len(set(found)) / len(found) if found else math.nan


def self_repetition(texts: Sequence[str]) -> float:
    """Return the mean share for texts in which no four words in a row stand twice."""
    shares = []
    for place, text in enumerate(texts):
        own = set(ngrams(text, 4))
        others = {gram for other in range(len(texts)) if other != place for gram in ngrams(texts[other], 4)}
        if own:
            shares.append(len(own & others) / len(own))
    return math.fsum(shares) / len(shares) if shares and len(texts) > 1 else math.nan


def cosines(texts: Sequence[str]) -> Any:
    vectorizer = feature_extraction.TfidfVectorizer(
        tokenizer=str.split, token_pattern=None, lowercase=False, smooth_idf=True, norm="l2"
    )
    vectors = vectorizer.fit_transform(texts).toarray()
    return vectors @ vectors.T


def similarity(texts: Sequence[str]) -> float:
    return float(cosines(texts)[np.triu_indices(len(texts), 1)].mean())


def vendi_by_the_package(texts: Sequence[str]) -> float:
    with warnings.catch_warnings():
        # the package asks for scipy.sparse.csr, a name that scipy is about to drop
        warnings.simplefilter("ignore", DeprecationWarning)
        return float(vendi.score_K(cosines(texts)))


def vendi_by_eigenvalues(texts: Sequence[str]) -> float:
    values = linalg.eigvalsh(cosines(texts) / len(texts))
    return math.exp(-math.fsum(value * math.log(value) for value in values if value > 0))


def random_texts(rng: random.Random, count: int, vocabulary: int, longest: int = 30) -> list[str]:
    words = [f"w{number}" for number in range(10, 10 + vocabulary)]
    return [" ".join(rng.choices(words, k=rng.randint(1, longest))) for _ in range(count)]


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)


# --- distinct-n ----------------------------------------------------------------------------------


def test_distinct_by_hand() -> None:
    found = corpus_diversity(["red fox red fox", "red fox den"])
    assert found.distinct_1 == close(3 / 7)
    assert found.distinct_2 == close(3 / 5)  # red fox, fox red, red fox | red fox, fox den
    assert found.distinct_3 == close(3 / 3)  # red fox red, fox red fox | red fox den


def test_no_ngram_reaches_from_one_text_into_the_next() -> None:
    found = corpus_diversity(["red fox", "den red", "fox den"])
    assert (found.distinct_1, found.distinct_2) == (close(3 / 6), close(1))
    assert math.isnan(found.distinct_3)


def test_texts_shorter_than_n_add_no_ngrams() -> None:
    found = corpus_diversity(["fox", "red fox", "red fox den", "red fox den"])
    assert (found.distinct_2, found.distinct_3) == (close(2 / 5), close(1 / 2))


def test_words_are_counted_without_case_punctuation_and_single_letters() -> None:
    loud, plain = corpus_diversity(["Red FOX, a red fox!", "I: (DEN)"]), corpus_diversity(["red fox red fox", "den"])
    for name in FIELDS[:-1]:
        assert getattr(loud, name) == close(getattr(plain, name)), name


def test_characters_are_the_words_of_a_script_without_spaces() -> None:
    found, spelled = corpus_diversity(["我爱猫猫我爱", "我爱狗。"]), corpus_diversity(["我 爱 猫 猫 我 爱", "我 爱 狗"])
    assert found.distinct_1 == close(4 / 9)
    assert found.distinct_2 == close(5 / 7)
    for name in FIELDS[:-1]:
        assert getattr(found, name) == close(getattr(spelled, name)), name


@pytest.mark.parametrize("seed", range(6))
def test_distinct_is_unique_over_all(seed: int) -> None:
    rng = random.Random(seed)
    texts = random_texts(rng, rng.randint(1, 200), rng.choice([2, 10, 300]))
    found = corpus_diversity(texts)
    for n, value in ((1, found.distinct_1), (2, found.distinct_2), (3, found.distinct_3)):
        assert value == close(distinct(texts, n)), n


# --- self-repetition -----------------------------------------------------------------------------


def test_self_repetition_by_hand() -> None:
    # two of four, both of two, none of one: four words in a row are what counts
    texts = ["one two three four five six seven", "two three four five six", "one two three five"]
    assert corpus_diversity(texts).self_repetition == close((2 / 4 + 2 / 2 + 0) / 3)


def test_a_text_repeats_others_and_not_itself() -> None:
    texts = ["red fox den oak red fox den oak", "five six seven eight nine"]
    assert corpus_diversity(texts).self_repetition == 0


def test_four_words_found_in_several_texts_count_once_for_each_text() -> None:
    texts = ["red fox den oak", "red fox den oak sky", "red fox den oak sea"]
    assert corpus_diversity(texts).self_repetition == close((1 + 1 / 2 + 1 / 2) / 3)


def test_texts_of_three_words_have_no_share_to_average() -> None:
    texts = ["red fox den oak", "red fox den oak", "red fox den", "sky"]
    assert corpus_diversity(texts).self_repetition == close(1)
    assert math.isnan(corpus_diversity(["red fox den", "red fox den"]).self_repetition)


@pytest.mark.parametrize("seed", range(8))
def test_self_repetition_is_the_share_by_plain_sets(seed: int) -> None:
    rng = random.Random(seed)
    words = [f"w{number}" for number in range(10, 30)]
    phrases = [" ".join(rng.sample(words, rng.randint(1, 12))) for _ in range(12)]
    # no word stands twice in a phrase, so that neither does a 4-gram
    texts = [rng.choice(phrases) for _ in range(5)] + phrases
    texts += [" ".join(rng.sample(words, 3) + phrase.split()[:5]) for phrase in phrases]
    texts = [text for text in texts if len(set(ngrams(text, 4))) == len(ngrams(text, 4))]
    wanted = self_repetition(texts)
    assert 0 < wanted < 1
    assert corpus_diversity(texts).self_repetition == close(wanted)


# --- similarity and Vendi ------------------------------------------------------------------------


def test_similarity_and_vendi_of_a_few_sentences() -> None:
    found = corpus_diversity(WEATHER)
    assert found.pairwise_similarity == close(similarity(WEATHER))
    assert found.vendi == close(vendi_by_the_package(WEATHER))


@pytest.mark.parametrize(
    ("count", "vocabulary"),
    [(2, 5), (3, 3), (10, 4), (10, 100), (60, 2), (60, 500), (150, 30), (150, 3_000)],
)
@pytest.mark.parametrize("seed", range(3))
def test_similarity_and_vendi_of_random_texts(count: int, vocabulary: int, seed: int) -> None:
    texts = random_texts(random.Random(seed), count, vocabulary)
    found = corpus_diversity(texts)
    assert found.pairwise_similarity == close(similarity(texts))
    # an eigenvalue that is 0 on paper is 1e-16 in numbers, and its entropy a thousand times as much
    assert found.vendi == pytest.approx(vendi_by_the_package(texts), rel=1e-7)
    assert found.vendi == pytest.approx(vendi_by_eigenvalues(texts), rel=1e-7)


@pytest.mark.parametrize("at_once", [7, 500_000])
@pytest.mark.parametrize(("count", "vocabulary"), [(40, 15), (60, 500), (150, 30), (150, 3_000)])
def test_words_of_few_texts_add_what_a_product_of_all_words_would(
    monkeypatch: pytest.MonkeyPatch, count: int, vocabulary: int, at_once: int
) -> None:
    texts = random_texts(random.Random(count), count, vocabulary)
    plain = corpus_diversity(texts).vendi
    monkeypatch.setattr(corpus, "_PRODUCTS", 0)
    monkeypatch.setattr(corpus, "_PAIRS", at_once)
    assert corpus_diversity(texts).vendi == pytest.approx(plain, rel=1e-11)
    assert corpus_diversity(texts).vendi == pytest.approx(vendi_by_eigenvalues(texts), rel=1e-7)


def test_two_texts_have_the_eigenvalues_of_their_one_cosine() -> None:
    texts = ["red fox den", "red fox oak"]
    cosine = similarity(texts)
    assert 0 < cosine < 1
    shares = ((1 + cosine) / 2, (1 - cosine) / 2)
    assert corpus_diversity(texts).vendi == close(math.exp(-sum(share * math.log(share) for share in shares)))


@pytest.mark.parametrize("count", [2, 3, 40])
def test_equal_texts_count_as_one(count: int) -> None:
    found = corpus_diversity(["red fox den oak"] * count)
    assert found.vendi == pytest.approx(1, abs=1e-7)
    assert found.pairwise_similarity == close(1)
    assert found.self_repetition == close(1)
    assert (found.distinct_1, found.distinct_3) == (close(1 / count), close(1 / count))


@pytest.mark.parametrize("count", [2, 3, 40])
def test_texts_without_a_common_word_all_count(count: int) -> None:
    found = corpus_diversity([f"red{number} fox{number} den{number} oak{number}" for number in range(count)])
    assert found.vendi == close(count)
    assert (found.pairwise_similarity, found.self_repetition) == (0, 0)
    assert (found.distinct_1, found.distinct_2, found.distinct_3) == (1, 1, 1)


def test_two_kinds_of_text_count_as_two_when_they_are_equally_many() -> None:
    found = corpus_diversity(["red fox", "sea sky"] * 10)
    assert found.vendi == pytest.approx(2, rel=1e-7)
    assert found.pairwise_similarity == close(9 / 19)  # each text has nine like it among nineteen others


def test_vendi_of_very_many_texts_is_that_of_a_sample_of_two_thousand() -> None:
    texts = [f"red{number} fox{number}" for number in range(2_050)]
    found = corpus_diversity(texts)
    assert found.vendi == close(2_000)
    assert (found.distinct_1, found.pairwise_similarity) == (1, 0)


# --- compression ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "texts",
    [WEATHER, ["fox"], ["red fox"] * 100, ["我爱猫", "我爱狗", "naïve café"], ["Red, FOX!", "  red  fox\n", "I am."]],
)
def test_compression_is_bytes_over_compressed_bytes(texts: list[str]) -> None:
    joined = "\n".join(texts).encode("utf-8")
    packer = zlib.compressobj(level=9)
    packed = packer.compress(joined) + packer.flush()
    assert zlib.decompress(packed) == joined
    assert corpus_diversity(texts).compression_ratio == close(len(joined) / len(packed))


def test_compression_is_zlibs_of_the_highest_level() -> None:
    rng = random.Random(0)
    texts = random_texts(rng, 400, 60)
    joined = "\n".join(texts).encode()
    sizes = {level: len(zlib.compress(joined, level)) for level in (1, 6, 9)}
    assert sizes[9] < sizes[1]
    assert corpus_diversity(texts).compression_ratio == close(len(joined) / sizes[9])


# --- edges and properties ------------------------------------------------------------------------


def test_one_text_has_nothing_to_be_compared_with() -> None:
    found = corpus_diversity(["red fox red fox den"])
    assert (found.distinct_1, found.distinct_2, found.distinct_3) == (close(3 / 5), close(3 / 4), close(1))
    assert all(math.isnan(value) for value in (found.self_repetition, found.pairwise_similarity, found.vendi))
    assert found.compression_ratio == close(19 / len(zlib.compress(b"red fox red fox den", 9)))


@pytest.mark.parametrize("texts", [[""], ["", "..."], ["a", "!"]])
def test_texts_without_words_have_no_diversity(texts: list[str]) -> None:
    found = corpus_diversity(texts)
    for name in FIELDS[:-1]:
        assert math.isnan(getattr(found, name)), name


def test_a_text_without_words_is_no_text_of_the_sheet() -> None:
    found, plain = corpus_diversity(["", *WEATHER, "...", "a !"]), corpus_diversity(WEATHER)
    for name in FIELDS[:-1]:
        assert getattr(found, name) == close(getattr(plain, name)), name


TEXTS = st.lists(
    st.lists(st.sampled_from(["red", "fox", "den", "oak", "sea", "sky"]), min_size=1, max_size=12).map(" ".join),
    min_size=2,
    max_size=9,
)


@FEW
@given(TEXTS)
def test_small_corpora_measure_as_defined(texts: list[str]) -> None:
    found = corpus_diversity(texts)
    assert (found.distinct_1, found.distinct_2) == (close(distinct(texts, 1)), close(distinct(texts, 2)))
    assert found.distinct_3 == close(distinct(texts, 3))
    assert found.pairwise_similarity == close(similarity(texts))
    assert found.vendi == pytest.approx(vendi_by_the_package(texts), rel=1e-7)


@FEW
@given(TEXTS, st.randoms(use_true_random=False))
def test_the_order_of_texts_matters_only_to_compression(texts: list[str], rng: random.Random) -> None:
    found, shuffled = corpus_diversity(texts), corpus_diversity(rng.sample(texts, len(texts)))
    for name in FIELDS[:-1]:
        assert getattr(shuffled, name) == pytest.approx(getattr(found, name), rel=1e-7, abs=1e-9, nan_ok=True), name


@FEW
@given(TEXTS)
def test_measures_keep_within_their_bounds(texts: list[str]) -> None:
    found, tiny = corpus_diversity(texts), 1e-7
    for name in FIELDS[:5]:
        value = getattr(found, name)
        assert math.isnan(value) or -tiny <= value <= 1 + tiny, name
        assert value != 0 or math.copysign(1, value) == 1, name
    assert 1 - tiny <= found.vendi <= len(texts) + tiny
    assert found.compression_ratio > 0


@FEW
@given(TEXTS)
def test_vendi_is_the_same_when_every_text_is_said_twice(texts: list[str]) -> None:
    # idf changes with the number of texts, so only texts whose words all have one document frequency keep theirs
    apart = [" ".join(f"{word}{place}" for word in text.split()) for place, text in enumerate(texts)]
    once, twice = corpus_diversity(apart), corpus_diversity(apart * 2)
    assert twice.vendi == pytest.approx(once.vendi, rel=1e-7)
    assert twice.distinct_1 == close(once.distinct_1 / 2)
