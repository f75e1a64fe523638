"""Entropy at equal length: the mean over windows of so many words, so that long and short texts can be compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.blocks import Words, spans
from scoresheet.metrics.families.entropy.ngrams import tally


def entropies_at_length(words: Words, window: int) -> NDArray[np.float64]:
    """Return the mean word entropy of each text's windows, in bits; undefined for a text that fills none.

    Windows lie one after the other from the first word on, and only full ones count: every word stands in one window
    at most, and a text of any length is measured as texts of `window` words are.
    """
    lengths = np.diff(words.offsets)
    windows = lengths // window
    texts = np.repeat(np.arange(len(lengths)), windows)
    codes = words.codes[spans(words.offsets[:-1], windows * window)]
    found = tally(np.repeat(np.arange(len(texts)), window), codes, len(texts)).entropy
    sums = np.bincount(texts, weights=found, minlength=len(lengths))
    return np.asarray(np.divide(sums, windows, out=np.full(len(lengths), np.nan), where=windows > 0))
