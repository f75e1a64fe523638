"""What a text repeats: its longest phrase that stands there twice or more."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.families.entropy.blocks import WordEncoder
from scoresheet.metrics.families.entropy.ngrams import NgramCounter, may_repeat, run_lengths

Integers = NDArray[np.int64]

LONGEST: Final = 8  # words: a longer phrase is known by how it begins, and a text that runs in circles has no end


def repeated_phrases(counter: NgramCounter, encoder: WordEncoder) -> list[str]:
    """Return for each text the longest phrase that stands there twice without overlap, '' if there is none.

    Of equally long ones it is the commonest, of these the first.
    """
    found: dict[int, tuple[int, int]] = {}  # text → words, first position; longer phrases replace shorter ones
    for n in range(2, LONGEST + 1):
        phrases = _commonest(counter, n)
        if not phrases:
            break  # a longer phrase holds shorter ones
        found |= {text: (n, position) for text, position in phrases.items()}
    return [_shown(counter, encoder, text, found.get(text)) for text in range(counter.number)]


def _commonest(counter: NgramCounter, n: int) -> dict[int, int]:
    """Return for each text with a phrase of n words said twice where the commonest first stands."""
    starts, keys = counter.keys(n)
    several = may_repeat(keys)
    starts, keys = starts[several], keys[several]
    order = np.argsort(keys, kind="stable")
    first, lengths = run_lengths(keys[order])
    if not len(first):
        return {}
    positions = starts[order]
    begin, end = positions[first], positions[first + lengths - 1]
    kept = np.flatnonzero((lengths > 1) & (end - begin >= n))
    begin, lengths = begin[kept], lengths[kept]
    texts = counter.owners[begin]
    best = np.lexsort((begin, -lengths, texts))
    tops, _ = run_lengths(texts[best])
    return dict(zip(texts[best][tops].tolist(), begin[best][tops].tolist(), strict=True))


def _shown(counter: NgramCounter, encoder: WordEncoder, text: int, phrase: tuple[int, int] | None) -> str:
    if phrase is None:
        return ""
    n, position = phrase
    codes = counter.words.codes[counter.words.offsets[text] : counter.words.offsets[text + 1]].tolist()
    first = position - int(counter.words.offsets[text])
    wanted = codes[first : first + n]
    times, at = 0, 0
    while at <= len(codes) - n:
        if codes[at : at + n] == wanted:
            times, at = times + 1, at + n
        else:
            at += 1
    return f"{encoder.decode(wanted)} × {times}"
