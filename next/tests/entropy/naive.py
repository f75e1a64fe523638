"""The definitions of entropy written out, one text and one word at a time."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import stats


def words_of(text: str) -> list[str]:
    return [word for word in re.sub(r"[^\w\s]", " ", text.lower()).split() if len(word) > 1]


def entropy(things: Sequence[Any]) -> float:
    return float(stats.entropy([*Counter(things).values()], base=2)) if things else float("nan")


def runs(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def chunk_entropies(text: str) -> list[float]:
    pieces, found = text.split(), []
    size = max(20, len(pieces) // 10)
    for first in range(0, len(pieces) - size + 1, size // 2):
        words = words_of(" ".join(pieces[first : first + size]))
        found += [entropy(words)] if words else []
    return found


def repeated_share(words: list[str]) -> float:
    n = max(min(5, len(words) // 2), 1)
    seen: set[tuple[str, ...]] = set()
    inside = set()
    for place, run in enumerate(runs(words, n)):
        if run in seen:
            inside |= set(range(place, place + n))
        seen.add(run)
    return len(inside) / len(words)


def is_repetitive_as_printed(text: str) -> bool:
    words, length, chunks = words_of(text), len(text.split()), chunk_entropies(text)
    top = max(Counter(words).values()) / len(words)
    pairs = max(Counter(runs(words, 2)).values(), default=0)
    if length < 6:
        return False
    if length < 20:
        return top > 0.25 or pairs >= 2
    if len(chunks) < 3:
        return top > 0.2 or pairs >= 2
    return top > 0.2 or pairs >= 3 or bool(np.var(chunks) < 0.1 and drops(chunks) >= 2)


def drops(chunks: list[float]) -> int:
    return sum(after < 0.8 * before for before, after in pairwise(chunks))


def measures(text: str, window: int) -> dict[str, float]:
    words, chunks, length = words_of(text), chunk_entropies(text), len(text.split())
    windows = [words[i : i + window] for i in range(0, len(words) - window + 1, window)]
    kinds, bits, nan = len(set(words)), entropy(words), float("nan")
    repeated = repeated_share(words)
    return {
        "Segment_Entropy": float(np.mean([entropy(w) for w in windows])) if windows else nan,
        "Word_Entropy": bits,
        "Bigram_Entropy": entropy(runs(words, 2)),
        "Trigram_Entropy": entropy(runs(words, 3)),
        "Vocab_Diversity": bits / np.log2(kinds) if kinds > 1 else 0.0,
        "Unique_Ratio": kinds / len(words),
        "Quality_Ratio": bits / max(np.log2(length), 1),
        "Entropy_Variance": float(np.var(chunks)) if chunks else nan,
        "Entropy_Drops": drops(chunks) if chunks else nan,
        "Top_Word_Share": max(Counter(words).values()) / len(words),
        "Max_Bigram": max(Counter(runs(words, 2)).values(), default=0),
        "Repeated_Share": repeated,
        "Repetitive": len(words) >= 6 and repeated >= 0.25,
        "Repetitive_Printed": is_repetitive_as_printed(text),
        "Too_Short": len(words) < window,
    }
