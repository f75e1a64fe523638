"""Plain scripts for mode-collapse, diversity and entropy: the definitions, in loops over rows."""

import math
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd

CUTOFFS = (5, 10, 20)
Row = dict[str, float]


def entropy(things: Iterable[Hashable]) -> float:
    """Return the entropy in bits."""
    counts = Counter(things)
    total = counts.total()
    return -sum(n / total * math.log2(n / total) for n in counts.values()) if total else math.nan


def gini(counts: Sequence[float]) -> float:
    """Return the Gini coefficient of counts."""
    n, total = len(counts), sum(counts)
    ranked = sum(place * count for place, count in enumerate(sorted(counts), 1))
    return 2 * ranked / (n * total) - (n + 1) / n if total else math.nan


def mode_collapse(outputs: Path, options: Path) -> dict[str, Row]:
    """Return the means over questions of what models choose in free text, and of a test of it."""
    names = pd.read_csv(options)["option"].tolist()
    draw = np.random.default_rng(0)
    found: dict[str, list[Row]] = defaultdict(list)
    table = pd.read_csv(outputs)
    for (model, _), rows in table.groupby(["model", "question"], sort=False):
        counts = dict.fromkeys(names, 0)
        for text in rows["answer"]:
            mentioned = [n for n in names if re.search(rf"\b{re.escape(n)}\b", text, re.IGNORECASE)]
            if len(mentioned) == 1:
                counts[mentioned[0]] += 1
        values = np.array([*counts.values()])
        total, k = int(values.sum()), len(values)
        chances = draw.multinomial(total, [1 / k] * k, 9999)
        squares = ((chances - total / k) ** 2).sum(axis=1)
        even = [gini(row) for row in chances[:1000].tolist()]
        bits = entropy(name for name, count in counts.items() for _ in range(count))
        found[str(model)].append(
            {
                "Gini": gini([*counts.values()]),
                "Entropy": bits,
                "Normalized_Entropy": bits / math.log2(k),
                "Repeat_Share": float((values * (values - 1)).sum() / (total * (total - 1))),
                "even": float(np.mean(even)),
                "p": float((squares >= ((values - total / k) ** 2).sum()).mean()),
            }
        )
    return {model: means(cells) for model, cells in found.items()}


def diversity(outputs: Path, judgments: Path) -> dict[str, Row]:
    """Return the means over queries of the measures of rankings at each cut-off."""
    judged: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in pd.read_csv(judgments, dtype=str).to_dict("records"):
        if row["relevance"] != "0":
            judged[row["query"]][row["item"]].add(row["subtopic"])
    found: dict[str, list[Row]] = defaultdict(list)
    table = pd.read_csv(outputs, dtype={"query": str, "item": str}).sort_values("rank")
    for (model, query), rows in table.groupby(["model", "query"], sort=False):
        of_item = judged[str(query)]
        every = sorted({name for names in of_item.values() for name in names})
        values: Row = {}
        for k in CUTOFFS:
            top = [of_item.get(item, set()) for item in rows["item"][:k]]
            measured = measure_ranking(top, [of_item[name] for name in sorted(of_item)], every, k)
            values |= {f"{name}@{k}": value for name, value in measured.items()}
        found[str(model)].append(values)
    return {model: means(queries) for model, queries in found.items()}


def measure_ranking(top: list[set[str]], pool: list[set[str]], every: list[str], k: int) -> Row:
    """Return the measures of one ranking, given the subtopics of its items."""
    seen = Counter[str]()
    gain, stopping, going_on = 0.0, 0.0, dict.fromkeys(every, 1.0)
    for rank, names in enumerate(top, 1):
        gain += sum(0.5 ** seen[name] for name in names) / math.log2(rank + 1)
        seen.update(names)
        for name in names:
            stopping += going_on[name] / rank / len(every)
            going_on[name] = 0.0
    left, best, chosen = list(pool), 0.0, Counter[str]()
    for rank in range(1, min(k, len(pool)) + 1):
        gains = [sum(0.5 ** chosen[name] for name in names) for names in left]
        place = gains.index(max(gains))
        best += gains[place] / math.log2(rank + 1)
        chosen.update(left.pop(place))
    total, related = seen.total(), [names for names in top if names]
    apart = [1 - len(a & b) / len(a | b) for a, b in permutations(related, 2)]
    shares = [seen[name] / total if total else math.nan for name in every]
    return {
        "alpha_nDCG": gain / max(gain, best),
        "alpha_DCG": gain / len(every),
        "ERR_IA": stopping,
        "S_Recall": len(seen) / len(every),
        "S_Entropy": entropy(seen.elements()) * math.log(2),
        "Gini": gini([seen[name] for name in every]),
        "Proportionality": 1 - sum(abs(share - 1 / len(every)) for share in shares) / 2,
        "ILD": sum(apart) / len(apart) if apart else math.nan,
        "EILD": sum(apart) if apart else math.nan,
    }


def texts(outputs: Path, _: Path) -> dict[str, Row]:
    """Return the means over texts of their entropies, and over ids of how alike their texts are."""
    found: dict[str, list[Row]] = defaultdict(list)
    for (model, _id), rows in pd.read_csv(outputs).groupby(["model", "id"], sort=False):
        own = rows["text"].tolist()
        words = [words_of(text) for text in own]
        found[str(model)] += [measure_text(text) for text in own]
        similar = cosines(words)
        values = np.linalg.eigvalsh(np.array(similar) / len(own)).clip(0)
        joined = "\n".join(own).encode()
        found[str(model)][-1] |= {
            "Distinct_2": distinct(words, 2),
            "Vendi": float(np.exp(-sum(v * np.log(v) for v in values if v > 0))),
            "Compression_Ratio": len(joined) / len(zlib.compress(joined, 9)),
        }
    return {model: means(rows) for model, rows in found.items()}


def words_of(text: str) -> list[str]:
    """Return the words of a text, without single letters."""
    return [word for word in re.sub(r"[^\w\s]", " ", text.lower()).split() if len(word) > 1]


def runs(words: list[str], n: int) -> list[tuple[str, ...]]:
    """Return the runs of n words."""
    return [tuple(words[start : start + n]) for start in range(len(words) - n + 1)]


def distinct(texts: list[list[str]], n: int) -> float:
    """Return the different runs of n words as a share of all."""
    found = [run for words in texts for run in runs(words, n)]
    return len(set(found)) / len(found)


def cosines(documents: list[list[str]]) -> list[list[float]]:
    """Return the cosines of TF-IDF vectors."""
    frequency = Counter(word for words in documents for word in set(words))
    weight = {w: math.log((1 + len(documents)) / (1 + n)) + 1 for w, n in frequency.items()}
    vectors = [{w: n * weight[w] for w, n in Counter(words).items()} for words in documents]
    lengths = [math.sqrt(sum(value**2 for value in vector.values())) for vector in vectors]
    return [
        [
            sum(a[w] * b[w] for w in a if w in b) / (la * lb)
            for b, lb in zip(vectors, lengths, strict=True)
        ]
        for a, la in zip(vectors, lengths, strict=True)
    ]


def measure_text(text: str) -> Row:
    """Return the measures of one text."""
    words, spaced = words_of(text), text.split()
    windows = [entropy(words[at : at + 50]) for at in range(0, len(words) - 49, 50)]
    size = max(20, len(spaced) // 10)
    starts = range(0, len(spaced) - size + 1, size // 2)
    chunks = [entropy(words_of(" ".join(spaced[start : start + size]))) for start in starts]
    similar = cosines([words_of(part) for part in re.split("[.!?]", text) if words_of(part)])
    pairs = [similar[a][b] for a in range(len(similar)) for b in range(a)]
    five = runs(words, 5)
    again = [place for place, run in enumerate(five) if run in five[:place]]
    repeated = {place + step for place in again for step in range(5)}
    return {
        "Segment_Entropy": sum(windows) / len(windows) if windows else math.nan,
        "Word_Entropy": entropy(words),
        "Bigram_Entropy": entropy(runs(words, 2)),
        "Trigram_Entropy": entropy(runs(words, 3)),
        "Vocab_Diversity": entropy(words) / math.log2(max(len(set(words)), 2)),
        "Entropy_Variance": float(np.var(chunks)),
        "Top_Word_Share": max(Counter(words).values()) / len(words),
        "Repeated_Share": len(repeated) / len(words),
        "Semantic_Diversity": 1 - sum(pairs) / len(pairs) if pairs else math.nan,
    }


def means(rows: list[Row]) -> Row:
    """Return the means of the defined values."""
    return {str(name): float(value) for name, value in pd.DataFrame(rows).mean().items()}


SCRIPTS: dict[str, Callable[[Path, Path], dict[str, Row]]] = {
    "mode-collapse": mode_collapse,
    "diversity": diversity,
    "entropy": texts,
}


if __name__ == "__main__":
    family, *paths = sys.argv[1:]
    results = SCRIPTS[family](Path(paths[0]), Path(paths[1]))
    pd.DataFrame(results).T.rename_axis("Model Name").to_csv(paths[2])
