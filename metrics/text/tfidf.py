"""TF-IDF: texts as unit vectors, where a word counts the more the fewer texts have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


class Tfidf:
    """Word weights of a corpus: ln((1 + texts) / (1 + texts with the word)) + 1."""

    def __init__(self, corpus: Iterable[Sequence[str]]) -> None:
        counted = [set(words) for words in corpus]
        self.texts = len(counted)
        self.frequency = Counter(word for words in counted for word in words)

    def vectors(self, texts: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Return the texts as unit vectors over their own words; one without words is 0."""
        columns: dict[str, int] = {}
        for words in texts:
            for word in words:
                columns.setdefault(word, len(columns))
        matrix = np.zeros((len(texts), len(columns)))
        for row, words in enumerate(texts):
            for word, times in Counter(words).items():
                matrix[row, columns[word]] = times * self.weight(word)
        lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
        return matrix / np.where(lengths > 0, lengths, 1.0)[:, None]

    def weight(self, word: str) -> float:
        """Return the weight of a word."""
        return float(inverse_frequency(self.texts, self.frequency[word]))


def inverse_frequency(texts: int | Counts, frequency: int | Counts) -> NDArray[np.float64]:
    """Return the smooth inverse frequency, ln((1 + texts) / (1 + texts with the word)) + 1, of numbers or arrays."""
    return np.asarray(np.log((1 + texts) / (1 + frequency)) + 1)
