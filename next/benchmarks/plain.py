"""Plain scripts for mode-collapse, diversity and entropy: the definitions, in loops over rows.

Each writes a table of its units for every model and one of their means, as CSV and as workbooks.
"""

import math
import re
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

CUTOFFS = (5, 10, 20)
Row = dict[str, Any]
Found = dict[str, list[Row]]  # by model


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


def mode_collapse(outputs: Path, options: Path) -> tuple[Found, Found]:
    """Return what models choose in free text for each question, and a test of it."""
    names = pd.read_csv(options)["option"].tolist()
    draw = np.random.default_rng(0)
    found: Found = defaultdict(list)
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
    return found, {}


def diversity(outputs: Path, judgments: Path) -> tuple[Found, Found]:
    """Return the measures of each query's ranking at each cut-off, and what each rank adds."""
    judged: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    known: dict[str, set[str]] = defaultdict(set)
    for row in pd.read_csv(judgments, dtype=str).to_dict("records"):
        known[row["query"]].add(row["item"])
        if row["relevance"] != "0":
            judged[row["query"]][row["item"]].add(row["subtopic"])
    found: Found = defaultdict(list)
    ranks: Found = defaultdict(list)
    shown: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    table = pd.read_csv(outputs, dtype={"query": str, "item": str}).sort_values("rank")
    for (model, query), rows in table.groupby(["model", "query"], sort=False):
        of_item = judged[str(query)]
        every = sorted({name for names in of_item.values() for name in names})
        values: Row = {}
        for k in CUTOFFS:
            top = [of_item.get(item, set()) for item in rows["item"][:k]]
            measured = measure_ranking(top, [of_item[name] for name in sorted(of_item)], every, k)
            measured["Judged"] = sum(item in known[str(query)] for item in rows["item"][:k]) / len(
                top
            )
            shown[str(model), k].update(rows["item"][:k])
            values |= {f"{name}@{k}": value for name, value in measured.items()}
        found[str(model)].append(values)
        ranks[str(model)] += rank_table(
            str(query), rows["item"][: CUTOFFS[-1]], of_item, len(every)
        )
    every_item = {*table["item"], *(item for items in known.values() for item in items)}
    for (model, k), counts in shown.items():
        of_items = [counts[item] for item in every_item]
        found[model][-1] |= {
            f"Item_Coverage@{k}": len(counts) / len(every_item),
            f"Item_Gini@{k}": gini(of_items),
        }
    return found, ranks


def rank_table(
    query: str, items: Iterable[str], of_item: dict[str, set[str]], size: int
) -> list[Row]:
    """Return what each item of a ranking adds."""
    rows, seen = [], Counter[str]()
    for rank, item in enumerate(items, 1):
        names = of_item.get(item, set())
        new = sum(not seen[name] for name in names)
        gain = sum(0.5 ** seen[name] for name in names)
        seen.update(names)
        texts = {"Query": query, "Rank": rank, "Item": item, "Subtopics": ", ".join(sorted(names))}
        rows.append({**texts, "New": new, "Gain": gain, "Covered": len(seen) / size})
    return rows


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
    total, bits = seen.total(), entropy(seen.elements()) * math.log(2)
    related = {rank: names for rank, names in enumerate(top) if names}
    apart = {
        (a, b): 1 - len(related[a] & related[b]) / len(related[a] | related[b])
        for a, b in combinations(related, 2)
    }
    expected = 0.0
    for a in related:
        others = [b for b in related if b != a]
        weights = [0.85 ** max(0, b - a - 1) for b in others]
        distances = [apart[min(a, b), max(a, b)] for b in others]
        if others:
            own = sum(w * d for w, d in zip(weights, distances, strict=True)) / sum(weights)
            expected += 0.85**a * own
    shares = [seen[name] / total if total else math.nan for name in every]
    return {
        "alpha_nDCG": gain / max(gain, best),
        "alpha_DCG": gain / len(every),
        "ERR_IA": stopping,
        "S_Recall": len(seen) / len(every),
        "S_Entropy": bits,
        "S_Entropy_Norm": bits / math.log(len(every)),
        "Gini": gini([seen[name] for name in every]),
        "Proportionality": 1 - sum(abs(share - 1 / len(every)) for share in shares) / 2,
        "ILD": sum(apart.values()) / len(apart) if apart else math.nan,
        "EILD": 2 * sum(apart.values()) if apart else math.nan,
        "EILD_Norm": expected / sum(0.85**rank for rank in related) if apart else math.nan,
    }


def texts(outputs: Path, _: Path) -> tuple[Found, Found]:
    """Return the entropies of each text; the last of an id has how alike all of its texts are."""
    found: Found = defaultdict(list)
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
    return found, {}


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


def write(found: Found, further: Found, folder: Path) -> None:
    """Write the rows of each model, what else there is of it, and the means of all."""
    folder.mkdir()
    frames = {model: pd.DataFrame(rows) for model, rows in found.items()}
    results = pd.DataFrame({model: frame.mean() for model, frame in frames.items()}).T
    frames["results"] = results.rename_axis("Model Name").reset_index()
    frames |= {f"{model} ranks": pd.DataFrame(rows) for model, rows in further.items()}
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_excel(folder / f"{name}.xlsx", index=False)


SCRIPTS: dict[str, Callable[[Path, Path], tuple[Found, Found]]] = {
    "mode-collapse": mode_collapse,
    "diversity": diversity,
    "entropy": texts,
}


if __name__ == "__main__":
    family, *paths = sys.argv[1:]
    write(*SCRIPTS[family](Path(paths[0]), Path(paths[1])), Path(paths[2]))
