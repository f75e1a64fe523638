"""The measures of texts, against independent programs and the definitions written out."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from scoresheet.metrics.entropy import EntropyOptions
from scoresheet.metrics.entropy import measures as m
from scoresheet.metrics.entropy.score import OF_TEXTS, measure_texts
from scoresheet.metrics.measure import measure_of

from . import naive

FOX = "The quick brown fox jumps over the lazy dog"
SYLLABLES = ("ba", "de", "fi", "go", "lu", "ma", "ne", "ri", "so", "tu")


def random_texts(number: int = 80) -> list[str]:
    """Texts of 1 to 600 words over small vocabularies, many with loops."""
    generator = np.random.default_rng(7)
    texts = []
    for place in range(number):
        vocabulary = [a + b for a in SYLLABLES for b in SYLLABLES][: generator.integers(3, 100)]
        words = generator.choice(vocabulary, int(generator.integers(1, 20 + 8 * place)))
        marks = generator.choice(["", "", "", ".", "!", ",", " - "], len(words))
        pieces = [f"{word}{mark}" for word, mark in zip(words, marks, strict=True)]
        if place % 3 == 0:
            pieces += pieces[: len(pieces) // 2] * 2
        texts.append(" ".join(pieces))
    return texts


def computed(texts: list[str], **options: object) -> dict[str, NDArray[np.float64]]:
    frame = measure_texts(texts, EntropyOptions(**options))  # type: ignore[arg-type]
    names = (measure_of(function).name for function in OF_TEXTS)
    return {name: frame[name].to_numpy(float) for name in names}


def test_every_measure_of_words_is_as_defined() -> None:
    texts = random_texts()
    found = computed(texts, window=12)
    expected = [naive.measures(text, 12) for text in texts]
    for name in expected[0]:
        column = [float(row[name]) for row in expected]
        np.testing.assert_allclose(found[name], column, rtol=0, atol=1e-9, err_msg=name)
    assert 5 < np.nansum(found["Repetitive"]) < 75


@pytest.mark.parametrize("vectors", ["tfidf", "overlap"])
def test_sentences_are_compared_as_scikit_learn_does(vectors: str) -> None:
    texts = random_texts()
    found = computed(texts, vectors=vectors)
    vectorizer = {
        "tfidf": TfidfVectorizer(analyzer=naive.words_of),
        "overlap": CountVectorizer(analyzer=naive.words_of, binary=True),
    }[vectors]
    for place, text in enumerate(texts):
        sentences = [s for s in text.replace("!", ".").split(".") if naive.words_of(s)]
        names = ("Semantic_Diversity", "Semantic_Diversity_Printed", "Semantic_Entropy")
        got = [found[name][place] for name in names]
        if len(sentences) < 2:
            assert all(math.isnan(value) for value in got)
            continue
        rows = vectorizer.fit_transform(sentences).toarray().astype(float)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        cosines = rows @ rows.T
        pairs = cosines[np.triu_indices(len(rows), 1)]
        bins = np.histogram((pairs + 1e-9).clip(0, 1), 10, (0, 1))[0]
        expected = [1 - pairs.mean(), 1 - cosines.mean(), stats.entropy(bins, base=2)]
        assert got == pytest.approx(expected, abs=1e-9)


CHINESE = "今天早上我去了海边看见一只白色的鸟站在旧木船上等待渔夫回来"
VECTORS = [
    ("Word_Entropy", FOX, 2.947703),
    ("Bigram_Entropy", FOX, 3.0),
    ("Trigram_Entropy", FOX, 2.807355),
    ("Quality_Ratio", FOX, 0.929897),
    ("Vocab_Diversity", FOX, 0.982568),
    ("Word_Entropy", "the the the the the the", 0.0),
    ("Vocab_Diversity", "the the the the the the", 0.0),
    ("Repetitive", "the the the the the the", 1.0),
    ("Repetitive", "the the the the the", 0.0),  # five words
    ("Bigram_Entropy", "alone", math.nan),
    ("Trigram_Entropy", "two words", math.nan),
    ("Word_Entropy", "a b ... 7", math.nan),  # single letters and signs
    ("Word_Entropy", "", math.nan),
    ("Repetitive", "", math.nan),
    ("Segment_Entropy", FOX, math.nan),
    ("Too_Short", FOX, 1.0),
    ("Entropy_Variance", FOX, math.nan),
    ("Entropy_Variance", " ".join(["- "] * 30), math.nan),  # chunks without words
    ("Semantic_Diversity", "One sentence only.", math.nan),
    ("Semantic_Entropy", "One sentence only.", math.nan),
    ("Semantic_Diversity", "Red fox. Red fox.", 0.0),
    ("Semantic_Diversity", "Red fox. Blue sea.", 1.0),
    ("Semantic_Diversity_Printed", "Red fox. Blue sea.", 0.5),
    ("Semantic_Diversity", "猫は魚。犬は肉！", 1 - 1 / (1 + 2 * (math.log(1.5) + 1) ** 2)),
    ("Word_Entropy", "猫と犬と", 1.5),
    ("Quality_Ratio", "猫と犬と", 0.75),
    ("Unique_Ratio", "Café cafe\u0301 CAFÉ", 1 / 3),  # composed and decomposed accents
    ("Unique_Ratio", "हिन्दी हिन्दी", 0.5),  # vowel signs belong to their word
    ("Repetitive", CHINESE, 0),
    ("Repetitive", CHINESE * 2, 1),
    ("Repetitive", FOX, 0),
    ("Repetitive", f"{FOX}. {FOX}.", 1),
    ("Repetitive", f"{FOX}. We saw it run into the far dark wood. {FOX} again and again.", 1),
    ("Repetitive", "to be or not to be that is the question", 0),
]


@pytest.mark.parametrize(("name", "text", "expected"), VECTORS)
def test_vectors(name: str, text: str, expected: float) -> None:
    assert computed([text])[name][0] == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_trends_compare_the_last_third_with_the_first() -> None:
    assert m.entropy_trend([4.0, 4.0, 4.0, 4.0, 3.6, 3.6]) == "stable"  # exactly 0.9
    assert m.entropy_trend([4.0, 9.0, 4.5]) == "increasing"
    assert m.entropy_trend([]) == m.entropy_trend([1.0]) == ""


def test_characters_and_tokens_are_counted_by_name() -> None:
    assert computed(["a cat"], tokenizer="chars")["Word_Entropy"][0] == pytest.approx(1.5)
    tokens = computed(["Hello hello, hello"], tokenizer="tokens")  # Hello| hello|,| hello
    assert tokens["Word_Entropy"][0] == pytest.approx(1.5)
    assert tokens["Top_Word_Share"][0] == 1.0  # repetition is about words


def test_embeddings_know_that_words_are_related() -> None:
    texts = ["The dog barked. The puppy barked.", "The dog barked. Taxes rose sharply."]
    near, far = computed(texts, vectors="embed")["Semantic_Diversity"]
    assert 0 <= near < 0.5 < far < 2
    assert computed(["One. One."], vectors="embed")["Semantic_Diversity"][0] == pytest.approx(0)
