"""Entropy of texts as plain Python: the peer that `scoresheet entropy` is measured against.

    python benchmarks/plain_entropy.py words|everything OUTPUTS RESULTS [EVERY]

The measures as their recipe has them: a `Counter` and `math.log2` per text for words, pairs, threes and every chunk,
and the rules of repetition. `everything` has those of sentences too, by scikit-learn's TfidfVectorizer, one text after
another, and of all texts distinct-n, the compression ratio, the mean cosine and the Vendi score. pandas reads, and
writes a workbook and a CSV for each model. It is written to be a fair peer: each text is cut into words once, and no
measure is computed twice. With EVERY the sentences of every so many-th text alone are looked at.
"""

from __future__ import annotations

import math
import re
import sys
import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any, Final

import numpy as np
import pandas as pd
from parts import Part

ENGINE: Final = "openpyxl"
VENDI_TEXTS: Final = 2_000  # eigenvalues of more would take too long

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
        "Words": len(words),
        "Unique_Words": len(counts),
        "Word_Entropy": entropy,
        "Bigram_Entropy": bits(pairs.values(), len(bigrams)) if bigrams else math.nan,
        "Trigram_Entropy": entropy_of(trigrams),
        "Vocab_Diversity": entropy / math.log2(len(counts)) if len(counts) > 1 else 0.0,
        "Unique_Ratio": len(counts) / len(words),
        "Quality_Ratio": entropy / max(math.log2(len(units)), 1.0),
        "Entropy_Variance": pvariance(local) if local else math.nan,
        "Entropy_Drops": drops if local else math.nan,
        "Entropy_Trend": trend_of(local),
        "Top_Word_Share": share,
        "Max_Bigram": bigram,
        "Repetitive": is_repetitive(len(units), share, bigram, local, drops),
    }


def plain_semantics(text: str) -> dict[str, float]:
    """Return the measures of a text's sentences: cosines of TF-IDF vectors, pairs only."""
    from sklearn.feature_extraction.text import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
        TfidfVectorizer,
    )

    sentences = [sentence for sentence in _ENDS.split(text) if words_of(sentence)]
    if len(sentences) < 2:
        return {"Semantic_Diversity": math.nan, "Semantic_Entropy": math.nan}
    vectors = TfidfVectorizer().fit_transform(sentences)  # its own words are ours: two letters or more, in lower case
    cosines = (vectors @ vectors.T).toarray()[np.triu_indices(len(sentences), 1)]
    counts, _ = np.histogram(np.clip(cosines + 1e-9, 0.0, 1.0), bins=10, range=(0, 1))
    return {
        "Semantic_Diversity": 1 - float(cosines.mean()),
        "Semantic_Entropy": bits([count for count in counts.tolist() if count], len(cosines)),
    }


def diversity_of_texts(texts: Sequence[str]) -> dict[str, float]:
    """Return what a sheet's texts have in common: distinct-n, compression, mean cosine and Vendi score."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    found = {}
    words = [words_of(text) for text in texts]
    for n in (1, 2, 3):
        runs = [tuple(each[place : place + n]) for each in words for place in range(len(each) - n + 1)]
        found[f"Distinct_{n}"] = len(set(runs)) / len(runs)
    joined = "\n".join(texts).encode()
    found["Compression_Ratio"] = len(joined) / len(zlib.compress(joined, 9))
    vectors = TfidfVectorizer().fit_transform(texts)
    total = np.asarray(vectors.sum(axis=0)).ravel()
    number = len(texts)
    found["Pairwise_Similarity"] = (float(total @ total) - number) / (number * (number - 1))
    some = np.sort(np.random.default_rng(0).choice(number, min(number, VENDI_TEXTS), replace=False))
    values = np.linalg.eigvalsh((vectors[some] @ vectors[some].T).toarray() / len(some))
    shares = values[values > 1e-12]
    found["Vendi"] = float(np.exp(-(shares * np.log(shares)).sum()))
    return found


def score_model(path: Path, results: Path, part: Part, *, everything: bool) -> dict[str, Any]:
    """Write the model's workbook and CSV and return its line of the results: the mean of each measure."""
    table = pd.read_csv(path, keep_default_na=False)
    texts = table["text"].tolist()
    lines = [plain_entropy(text) for text in texts]
    if everything:
        with part.scoring():
            for number in range(0, len(texts), part.every):
                lines[number] |= plain_semantics(texts[number])
    scored = pd.DataFrame({"Id": table["id"], "Text": texts}).join(pd.DataFrame(lines))
    with pd.ExcelWriter(results / f"{path.stem}_entropy.xlsx", engine=ENGINE) as book:
        scored.to_excel(book, sheet_name="Texts", index=False)
    scored.drop(columns="Text").to_csv(results / f"{path.stem}_entropy.csv", index=False)
    line: dict[str, Any] = {"Model Name": path.stem, **scored.select_dtypes("number").mean()}
    return line | (diversity_of_texts(texts) if everything else {})


def main(which: str, outputs: Path, results: Path, *, every: int = 1) -> None:
    """Score every table of a folder and write the results beside each other."""
    results.mkdir(parents=True, exist_ok=True)
    part = Part(every)
    paths = sorted(outputs.glob("*.csv"))
    table = pd.DataFrame([score_model(path, results, part, everything=which == "everything") for path in paths])
    table.to_csv(results / "entropy_results.csv", index=False)
    part.note(results)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in ("words", "everything"):
        sys.exit("usage: python plain_entropy.py words|everything OUTPUTS RESULTS [EVERY]")
    main(sys.argv[1], *map(Path, sys.argv[2:4]), every=int(sys.argv[4]) if sys.argv[4:] else 1)
