"""How different the sentences of a text are, and the texts of a set."""

import math
import zlib
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.special import entr

from scoresheet.metrics.entropy.measures import content_words, runs
from scoresheet.metrics.measure import measure
from scoresheet.metrics.stats import Floats
from scoresheet.metrics.stats.counts import entropy_bits

BINS = 10  # of the cosines, from 0 to 1
MOST = 2_000  # sentences or texts that are compared with each other
DENSE = 5_000_000  # numbers of a matrix; a larger one is mostly 0


def cosines(texts: Sequence[str], how: str = "tfidf") -> Floats:
    """Return the cosines of up to 2,000 texts (or sentences) with each other.

    The weight of a word is 1 (`overlap`) or count × (ln((1 + n) / (1 + df)) + 1) over the n texts
    (`tfidf`); `embed` compares static embeddings by the package wordllama.

    >>> cosines(["Red fox.", "Red sea."], "overlap").round(6).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    if not 0 < len(texts) <= MOST:
        return np.zeros((0, 0))
    if how == "embed":
        embedded = np.asarray(_embedder().embed(list(texts), batch_size=16), dtype=np.float64)
        lengths = np.linalg.norm(embedded, axis=1, keepdims=True)
        embedded /= np.where(lengths > 0, lengths, 1)
        return np.asarray((embedded @ embedded.T).clip(-1, 1))
    words = [content_words(text) for text in texts]
    codes, kinds = pd.factorize(np.array([*chain.from_iterable(words)], dtype=object))
    owners = np.repeat(np.arange(len(words)), [len(own) for own in words])
    shape = len(texts), max(len(kinds), 1)
    places, times = np.unique(owners * shape[1] + codes, return_counts=True)
    rows, columns = np.divmod(places, shape[1])
    weights = np.ones(len(places))
    if how == "tfidf":
        weights = times * (np.log((1 + shape[0]) / (1 + np.bincount(columns))) + 1)[columns]
    weights /= np.sqrt(np.bincount(rows, weights**2))[rows]
    if shape[0] * shape[1] > DENSE:
        sparse = csr_array((weights, (rows, columns)), shape)
        return np.asarray((sparse @ sparse.T).toarray().clip(0, 1))
    vectors = np.zeros(shape)
    vectors[rows, columns] = weights
    return np.asarray((vectors @ vectors.T).clip(0, 1))


@cache
def _embedder() -> Any:
    from importlib.resources import files

    from wordllama import WordLlama

    # the package has its tokenizer, but finds it only as if in a cache
    return WordLlama.load(cache_dir=files("wordllama"), disable_download=True)


@measure("Semantic_Diversity", label="Semantic diversity", better="higher", bounds=(0, 1))
def semantic_diversity(similar: Floats) -> float:
    """Return 1 minus the mean cosine of two sentences; a single sentence has none.

    >>> semantic_diversity(np.array([[1.0, 0.2], [0.2, 1.0]]))
    0.8
    """
    pairs = similar[np.triu_indices_from(similar, 1)]
    return 1 - float(pairs.mean()) if pairs.size else math.nan


@measure("Semantic_Diversity_Printed", label="Semantic diversity (printed)", bounds=(0, 1))
def semantic_diversity_as_printed(similar: Floats) -> float:
    """Return the semantic diversity with the cosine of each sentence with itself in the mean."""
    return 1 - float(similar.mean()) if len(similar) > 1 else math.nan


@measure("Semantic_Entropy", label="Semantic entropy", bounds=(0, math.log2(BINS)))
def semantic_entropy(similar: Floats) -> float:
    """Return the entropy, in bits, of the cosines of all pairs of sentences in ten equal bins."""
    pairs = similar[np.triu_indices_from(similar, 1)]
    bins = np.clip(pairs * BINS + 1e-9, 0, BINS - 1).astype(np.int64)
    return entropy_bits(np.bincount(bins, minlength=BINS))


def _distinct(texts: Sequence[str], n: int) -> float:
    found = [run for text in texts for run in runs(content_words(text), n)]
    return len(set(found)) / len(found) if found else math.nan


@measure("Distinct_1", label="Distinct-1", better="higher", bounds=(0, 1), reference="Li 2016")
def distinct_1(texts: Sequence[str]) -> float:
    """Return the different words of a set of texts as a share of all its words.

    >>> distinct_1(["The red fox.", "The red fox."])
    0.5
    """
    return _distinct(texts, 1)


@measure("Distinct_2", label="Distinct-2", better="higher", bounds=(0, 1), reference="Li 2016")
def distinct_2(texts: Sequence[str]) -> float:
    """Return the different pairs of words of a set of texts as a share of all its pairs."""
    return _distinct(texts, 2)


@measure("Vendi", label="Vendi score", better="higher", reference="Friedman and Dieng 2023")
def vendi_score(similar: Floats) -> float:
    """Return how many different texts a set of up to 2,000 texts amounts to.

    It is exp of the entropy of the eigenvalues of K / n, where K has the cosines of n texts.
    """
    n = len(similar)
    values = np.linalg.eigvalsh(similar / max(n, 1))
    return float(np.exp(entr(values.clip(0, 1)).sum()).clip(1, n)) if n else math.nan


@measure("Compression_Ratio", label="Compression ratio", better="lower")
def compression_ratio(texts: Sequence[str]) -> float:
    """Return the bytes of a set of texts, joined by line breaks, per byte that zlib needs."""
    joined = "\n".join(texts).encode("utf-8", "surrogatepass")
    return len(joined) / len(zlib.compress(joined, 9))
