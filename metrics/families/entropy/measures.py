"""All measures of texts, as arrays with a place per text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.blocks import Block, Reader, in_blocks
from scoresheet.metrics.families.entropy.local import drops, local_entropies, repetitive, trends, variances
from scoresheet.metrics.families.entropy.ngrams import Counted
from scoresheet.metrics.families.entropy.semantic import similarities

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

NO_VECTORS: Final = "none"  # leaves the semantic measures undefined


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How texts are measured."""

    tokenizer: str = "auto"
    vocabulary: str = "o200k_base"
    definition: str = "offdiagonal"
    vectors: str = "tfidf"

    def reader(self) -> Reader:
        """Return what cuts texts into words."""
        return Reader(self.tokenizer, self.vocabulary)


@dataclass(frozen=True)
class Measures:
    """The measures of texts; undefined is NaN, as nearly everything is of a text without words."""

    words: Integers
    unique_words: Integers
    word_entropy: Numbers
    bigram_entropy: Numbers
    trigram_entropy: Numbers
    vocab_diversity: Numbers
    unique_ratio: Numbers
    quality_ratio: Numbers
    semantic_diversity: Numbers
    semantic_entropy: Numbers
    entropy_variance: Numbers
    entropy_drops: Numbers
    entropy_trend: Integers  # a place in TRENDS
    top_word_share: Numbers
    max_bigram: Integers
    repetitive: NDArray[np.bool_]
    local_entropy: Numbers  # a row per text: its chunks

    @classmethod
    def joined(cls, parts: Sequence[Measures]) -> Measures:
        """Return the measures of several blocks as one."""
        return cls(*(np.concatenate([getattr(part, name.name) for part in parts]) for name in fields(cls)))


def measured_texts(texts: Sequence[str], rules: Rules) -> Measures:
    """Return the measures of texts, computed block by block."""
    reader = rules.reader()
    blocks = map(reader.block, in_blocks(texts))
    return Measures.joined([measured(block, Counted(block.words), rules) for block in blocks])


def measured(block: Block, counted: Counted, rules: Rules) -> Measures:
    """Return the measures of the texts of a block whose words were counted."""
    totals = np.diff(block.words.offsets)
    empty = totals == 0
    kinds, bits = counted.tally.kinds, counted.tally.entropy
    bigrams = counted.ngrams(2)
    local = np.where(empty[:, None], np.nan, local_entropies(block))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares, unique_ratio = counted.tally.largest / totals, kinds / totals
        vocabulary = np.where(kinds > 1, bits / np.log2(kinds), np.where(empty, np.nan, 0.0))
    alike = None if rules.vectors == NO_VECTORS else similarities(block, rules.vectors, rules.tokenizer)
    nothing = np.full(len(totals), np.nan)
    return Measures(
        words=totals,
        unique_words=kinds,
        word_entropy=bits,
        bigram_entropy=bigrams.entropy,
        trigram_entropy=counted.ngrams(3).entropy,
        vocab_diversity=vocabulary,
        unique_ratio=unique_ratio,
        quality_ratio=bits / np.maximum(np.log2(np.maximum(block.lengths, 1)), 1.0),
        semantic_diversity=alike.diversity(rules.definition) if alike else nothing,
        semantic_entropy=alike.entropy() if alike else nothing,
        entropy_variance=variances(local),
        entropy_drops=drops(local),
        entropy_trend=trends(local),
        top_word_share=shares,
        max_bigram=bigrams.largest,
        repetitive=~empty & repetitive(block.lengths, shares, bigrams.largest, local),
        local_entropy=local,
    )
