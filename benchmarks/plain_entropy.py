"""Entropy of texts as plain Python: the peer that `scoresheet.metrics.text_entropies` is measured against.

The measures as their recipe has them: a `Counter` and `math.log2` per text for words, pairs, threes and every chunk,
the rules of repetition, and for sentences scikit-learn's TfidfVectorizer, one text after another. It is written to be a
fair peer: each text is cut into words once, and no measure is computed twice.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from statistics import fmean, pvariance
from typing import Any

_OTHER = re.compile(r"[^\w\s]")
_ENDS = re.compile(r"[.!?]")


def words_of(text: str) -> list[str]:
    """Return words in lower case, without those of one letter."""
    return [word for word in _OTHER.sub(" ", text.lower()).split() if len(word) > 1]


def bits(counts: Iterable[int], total: int) -> float:
    """Return the Shannon entropy of counts."""
    entropy = 0.0
    for count in counts:
        share = count / total
        entropy -= share * math.log2(share)
    return abs(entropy)


def entropy_of(things: Sequence[Hashable]) -> float:
    """Return the Shannon entropy of things, NaN for none."""
    return bits(Counter(things).values(), len(things)) if things else math.nan


def local_entropies(units: Sequence[str]) -> list[float]:
    """Return the entropies of a text's chunks."""
    size = max(20, len(units) // 10)
    starts = range(0, len(units) - size + 1, size // 2)
    chunks = [words_of(" ".join(units[start : start + size])) for start in starts]
    return [entropy_of(chunk) if chunk else 0.0 for chunk in chunks]


def trend_of(local: Sequence[float]) -> str:
    """Return how the last third of the chunks compares with the first."""
    if len(local) < 2:
        return ""
    third = max(1, len(local) // 3)
    first, last = fmean(local[:third]), fmean(local[-third:])
    return "decreasing" if last < 0.9 * first else "increasing" if last > 1.1 * first else "stable"


def is_repetitive(length: int, share: float, bigram: int, local: Sequence[float], drops: int) -> bool:
    """Return whether a text of this length repeats itself."""
    if length < 6:
        return False
    if length < 20:
        return share > 0.25 or bigram >= 2
    if len(local) < 3:
        return share > 0.2 or bigram >= 2
    return share > 0.2 or bigram >= 3 or (pvariance(local) < 0.1 and drops >= 2)


def plain_entropy(text: str) -> dict[str, Any]:
    """Return the measures of a text that has words, but for those of its sentences."""
    units, words = text.split(), words_of(text)
    counts = Counter(words)
    entropy = bits(counts.values(), len(words))
    bigrams = [(words[place], words[place + 1]) for place in range(len(words) - 1)]
    pairs = Counter(bigrams)
    trigrams = [(words[place], words[place + 1], words[place + 2]) for place in range(len(words) - 2)]
    share, bigram = max(counts.values()) / len(words), max(pairs.values(), default=0)
    local = local_entropies(units)
    drops = sum(after < 0.8 * before for before, after in pairwise(local))
    return {
        "words": len(words),
        "unique_words": len(counts),
        "word_entropy": entropy,
        "bigram_entropy": bits(pairs.values(), len(bigrams)) if bigrams else math.nan,
        "trigram_entropy": entropy_of(trigrams),
        "vocab_diversity": entropy / math.log2(len(counts)) if len(counts) > 1 else 0.0,
        "unique_ratio": len(counts) / len(words),
        "quality_ratio": entropy / max(math.log2(len(units)), 1.0),
        "entropy_variance": pvariance(local) if local else math.nan,
        "entropy_drops": drops if local else math.nan,
        "entropy_trend": trend_of(local),
        "top_word_share": share,
        "max_bigram": bigram,
        "repetitive": is_repetitive(len(units), share, bigram, local, drops),
    }


def plain_semantics(text: str) -> dict[str, float]:
    """Return the measures of a text's sentences: cosines of TF-IDF vectors, pairs only."""
    import numpy as np
    from sklearn.feature_extraction.text import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        TfidfVectorizer,
    )

    sentences = [sentence for sentence in _ENDS.split(text) if words_of(sentence)]
    if len(sentences) < 2:
        return {"semantic_diversity": math.nan, "semantic_entropy": math.nan}
    vectors = TfidfVectorizer().fit_transform(sentences)  # its own words are ours: two letters or more, in lower case
    cosines = (vectors @ vectors.T).toarray()[np.triu_indices(len(sentences), 1)]
    counts, _ = np.histogram(np.clip(cosines + 1e-9, 0.0, 1.0), bins=10, range=(0, 1))
    return {
        "semantic_diversity": 1 - float(cosines.mean()),
        "semantic_entropy": bits([count for count in counts.tolist() if count], len(cosines)),
    }
