"""The same measures from Python: texts in, numbers out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from scoresheet.metrics.families.entropy.blocks import TOKENIZERS, in_blocks
from scoresheet.metrics.families.entropy.corpus import Corpus, CorpusDiversity
from scoresheet.metrics.families.entropy.local import TRENDS
from scoresheet.metrics.families.entropy.measures import NO_VECTORS, Measures, Rules, measured_texts
from scoresheet.metrics.families.entropy.ngrams import Counted
from scoresheet.metrics.families.entropy.semantic import DEFINITIONS, VECTORS
from scoresheet.metrics.families.entropy.vocabularies import VOCABULARIES
from scoresheet.metrics.options import check_choice


class TextEntropy(NamedTuple):
    """The measures of one text; undefined is NaN."""

    words: int
    unique_words: int
    word_entropy: float
    bigram_entropy: float
    trigram_entropy: float
    vocab_diversity: float
    unique_ratio: float
    quality_ratio: float
    semantic_diversity: float
    semantic_entropy: float
    entropy_variance: float
    entropy_drops: float
    entropy_trend: str
    top_word_share: float
    max_bigram: int
    repetitive: bool
    local_entropy: tuple[float, ...]


def text_entropy(text: str, **options: str) -> TextEntropy:
    """Return the measures of one text; the options are those of `text_entropies`.

    >>> fox = text_entropy("The quick brown fox jumps over the lazy dog")
    >>> round(fox.word_entropy, 6), fox.bigram_entropy, fox.repetitive
    (2.947703, 3.0, False)
    """
    return text_entropies([text], **options)[0]


def text_entropies(
    texts: Sequence[str],
    *,
    tokenizer: str = "auto",
    vocabulary: str = "o200k_base",
    vectors: str = "tfidf",
    definition: str = "offdiagonal",
) -> list[TextEntropy]:
    """Return the measures of each text; vectors="none" leaves out the semantic ones.

    >>> [found.words for found in text_entropies(["two words", "", "三个字"])]
    [2, 0, 3]
    """
    check_choice("tokenizer", tokenizer, TOKENIZERS)
    check_choice("vocabulary", vocabulary, VOCABULARIES)
    check_choice("vectors", vectors, (*VECTORS, NO_VECTORS))
    check_choice("definition", definition, DEFINITIONS)
    rules = Rules(tokenizer=tokenizer, vocabulary=vocabulary, vectors=vectors, definition=definition)
    return _listed(measured_texts(list(texts), rules))


def corpus_diversity(
    texts: Sequence[str], *, tokenizer: str = "auto", vocabulary: str = "o200k_base", seed: int = 0
) -> CorpusDiversity:
    """Return how different texts are from each other; those without words are left out.

    >>> found = corpus_diversity(["red fox den", "red fox den", "sea sky"])
    >>> found.distinct_1, round(found.pairwise_similarity, 3)
    (0.625, 0.333)
    """
    check_choice("tokenizer", tokenizer, TOKENIZERS)
    check_choice("vocabulary", vocabulary, VOCABULARIES)
    reader, corpus = Rules(tokenizer=tokenizer, vocabulary=vocabulary).reader(), Corpus()
    for block in map(reader.block, in_blocks(list(texts))):
        corpus.add(block, Counted(block.words))
    return corpus.diversity(seed)


def _listed(measures: Measures) -> list[TextEntropy]:
    chunks = (~np.isnan(measures.local_entropy)).sum(axis=1).tolist()
    plain: list[list[Any]] = [getattr(measures, name).tolist() for name in TextEntropy._fields]
    columns = dict(zip(TextEntropy._fields, plain, strict=True))
    columns["entropy_trend"] = [TRENDS[place] for place in columns["entropy_trend"]]
    columns["local_entropy"] = [
        tuple(local[:count]) for local, count in zip(columns["local_entropy"], chunks, strict=True)
    ]
    return [TextEntropy(*values) for values in zip(*columns.values(), strict=True)]
