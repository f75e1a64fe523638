"""Whether a text repeats itself: by the runs of words that stood there before, or by the rule as printed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.blocks import Integers, Words, spans
from scoresheet.metrics.families.entropy.constants import (
    FEW_BIGRAMS,
    FEW_CHUNKS,
    FLAT_VARIANCE,
    MANY_BIGRAMS,
    MANY_DROPS,
    NEVER_REPETITIVE,
    REPEATED_SHARE,
    RUN_CHARACTERS,
    RUN_WORDS,
    SHORT_TEXT,
    SHORT_TOP_SHARE,
    TOP_SHARE,
)
from scoresheet.metrics.families.entropy.local_entropy import drops, variances
from scoresheet.metrics.families.entropy.ngrams import NgramCounter, may_repeat, run_lengths
from scoresheet.metrics.stats.bands import TOLERANCE

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


def repeated_shares(counter: NgramCounter, by_character: Flags) -> Numbers:
    """Return the share of each text's words in runs that stood in the text before; undefined without words.

    A run has RUN_WORDS words (RUN_CHARACTERS where words are characters), in a short text half of its words: whatever
    is said twice and nothing else has then a share of a half, and of more the oftener it is said.

    References
    ----------
    J. W. Rae et al. (2021), Scaling Language Models: Methods, Analysis and Insights from Training Gopher: duplicate
    n-grams as a sign of texts that repeat themselves.
    """
    lengths = np.diff(counter.words.offsets)
    runs = np.maximum(np.minimum(np.where(by_character, RUN_CHARACTERS, RUN_WORDS), lengths // 2), 1)
    shares = np.full(len(lengths), np.nan)
    for run in np.unique(runs[lengths > 0]).tolist():
        texts = np.flatnonzero((runs == run) & (lengths > 0))
        if 2 * len(texts) > len(lengths):  # cheaper than to count the words of so many once more
            repeated = _words_in_repeated_runs(counter, run)[texts]
        else:
            repeated = _words_in_repeated_runs(NgramCounter(_words_of(counter.words, texts)), run)
        shares[texts] = repeated / lengths[texts]
    return shares


def repeats_runs(lengths: Integers, shares: Numbers) -> Flags:
    """Return which texts repeat themselves, by their words and the shares of these in runs that stood before."""
    return (lengths >= NEVER_REPETITIVE) & (shares >= REPEATED_SHARE - TOLERANCE)


def is_repetitive_as_printed(lengths: Integers, shares: Numbers, bigrams: Integers, local: Numbers) -> Flags:
    """Return which texts repeat themselves by commonest word, commonest pair and chunks, as their length demands."""
    chunks = (~np.isnan(local)).sum(axis=1)
    flat = (variances(local) < FLAT_VARIANCE - TOLERANCE) & (drops(local) >= MANY_DROPS)
    short = (shares > SHORT_TOP_SHARE) | (bigrams >= FEW_BIGRAMS)
    middling = (shares > TOP_SHARE) | (bigrams >= FEW_BIGRAMS)
    long = (shares > TOP_SHARE) | (bigrams >= MANY_BIGRAMS) | flat
    return np.select(
        [lengths < NEVER_REPETITIVE, lengths < SHORT_TEXT, chunks < FEW_CHUNKS], [False, short, middling], long
    ).astype(bool)


def _words_of(words: Words, texts: Integers) -> Words:
    lengths = np.diff(words.offsets)[texts]
    return Words(words.codes[spans(words.offsets[texts], lengths)], np.concatenate([[0], np.cumsum(lengths)]))


def _words_in_repeated_runs(counter: NgramCounter, run: int) -> Integers:
    """Return how many words of each text stand in a run that stood in it before."""
    starts, keys = counter.keys(run)
    several = may_repeat(keys)
    starts, keys = starts[several], keys[several]
    order = np.argsort(keys, kind="stable")
    first, _ = run_lengths(keys[order])
    is_repeated = np.ones(len(keys), dtype=bool)
    is_repeated[order[first]] = False
    begins = starts[is_repeated]
    total = len(counter.owners)
    depth = np.cumsum(np.bincount(begins, minlength=total + 1) - np.bincount(begins + run, minlength=total + 1))
    return np.bincount(counter.owners[depth[:-1] > 0], minlength=counter.number)
