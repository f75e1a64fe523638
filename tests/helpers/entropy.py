"""Studies of texts: the files of `entropy`, and its numbers worked out again in plain Python."""

from __future__ import annotations

import json
import math
import random
import re
import statistics
import unicodedata
import zlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from tests.helpers.files import Rows, Table, read_csv, write_bytes, write_csv
from tests.helpers.runs import Result, called_in
from tests.helpers.studies import Workplace

NOT_SCORED, SHEET_SKIPPED, NOTE = "row not scored", "sheet skipped", "note"
MEASURES = (
    *("Words", "Unique_Words", "Entropy_At_Length", "Word_Entropy", "Bigram_Entropy", "Trigram_Entropy"),
    "Vocab_Diversity",
    *("Unique_Ratio", "Quality_Ratio", "Semantic_Diversity", "Semantic_Entropy", "Entropy_Variance"),
    *("Entropy_Drops", "Entropy_Trend", "Top_Word_Share", "Max_Bigram", "Repeated_Share", "Repetitive"),
)
LABELS = ("Entropy_Trend", "Repetitive")
FOX = "The quick brown fox jumps over the lazy dog"

Row = tuple[object, ...]
Numbers = dict[str, float | str | None]


@dataclass(frozen=True)
class Study(Workplace):
    """A working directory with texts of models in `outs`, scored into `res`."""

    stem: ClassVar[str] = "entropy"

    def table(self, rows: Rows, name: str = "m") -> Path:
        """A lone CSV, its header first."""
        return write_csv(self.outs / f"{name}.csv", rows)

    def texts(self, texts: list[str] | Mapping[str, str], name: str = "m") -> Path:
        """A lone CSV of texts; their ids are p0, p1, … where none are given."""
        named = {f"p{i}": text for i, text in enumerate(texts)} if isinstance(texts, list) else dict(texts)
        return self.table([("id", "text"), *named.items()], name)

    def lines_of_json(self, texts: Mapping[str, str], name: str = "m") -> Path:
        """The texts as JSON lines, which can hold what no CSV can."""
        lines = "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in texts.items())
        return write_bytes(self.outs / f"{name}.jsonl", lines.encode("ascii"))

    def score(self, *options: str | Path, res: str = "res") -> Result:
        """Run `entropy` on the texts."""
        return self.run("entropy", "outs", "-o", res, *options)

    def lines(self, model: str = "m") -> Table:
        """The texts of one model with their measures."""
        return read_csv(self.res / f"{model}_entropy.csv")

    def line(self, key: str, *, model: str = "m", sheet: str = "") -> dict[str, str]:
        """The line of the text with an id; the sheet matters only where there are several."""
        (found,) = (line for line in self.lines(model) if line["Id"] == key and sheet in ("", line["Sheet"]))
        return found


# --- the same numbers, worked out again in plain Python ---------------------------------------------------------------

UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]")  # Thai, kana, Han: those that are used here


def runs(text: str) -> list[str]:
    """Runs of letters, marks, numbers and underscores in lower case."""
    kept = (c if unicodedata.category(c)[0] in "LMN" or c == "_" else " " for c in text.lower())
    return "".join(kept).split()


def cut(run: str, *, every: bool = False) -> list[str]:
    """A run, cut around each character of an unspaced script, or around every one; marks stay with their letter."""
    pieces: list[str] = []
    apart = True
    for c in run:
        alone = every or bool(UNSPACED.match(c))
        if unicodedata.category(c)[0] == "M":
            pieces[-1] += c
            continue
        if apart or alone:
            pieces.append(c)
        else:
            pieces[-1] += c
        apart = alone
    return pieces


def words(text: str) -> list[str]:
    """The words of a text by --tokenizer auto."""
    pieces = (piece for run in runs(text) for piece in cut(run))
    return [piece for piece in pieces if len(piece) > 1 or UNSPACED.match(piece)]


def characters(text: str) -> list[str]:
    """The words of a text by --tokenizer chars."""
    return [piece for run in runs(text) for piece in cut(run, every=True)]


def bits(things: Sequence[Hashable]) -> float:
    """Shannon's entropy of what occurs here."""
    counts = Counter(things).values()
    return -math.fsum(n / len(things) * math.log2(n / len(things)) for n in counts) + 0.0


def grams(units: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """All n units in a row."""
    return [tuple(units[i : i + n]) for i in range(len(units) - n + 1)]


def cosines(texts: Sequence[Sequence[str]]) -> list[float]:
    """The TF-IDF cosines of every two texts, weights from these texts."""
    found_in = Counter(word for text in texts for word in set(text))
    vectors = []
    for text in texts:
        raw = {w: n * (math.log((1 + len(texts)) / (1 + found_in[w])) + 1) for w, n in Counter(text).items()}
        norm = math.sqrt(math.fsum(value**2 for value in raw.values()))
        vectors.append({word: value / norm for word, value in raw.items()})
    return [math.fsum(v * b.get(word, 0) for word, v in a.items()) for a, b in combinations(vectors, 2)]


def sentences(text: str) -> list[list[str]]:
    """The words of each sentence that has any."""
    return [found for part in re.split("[.!?。！？]", text) if (found := words(part))]


def semantic(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Semantic diversity and entropy from the cosines of every two sentences."""
    if not values:
        return None, None
    bins = [min(9, max(0, math.floor(value * 10 + 1e-9))) for value in values]
    return 1 - statistics.fmean(values), bits(bins)


def chunks(text: str) -> list[float]:
    """The entropy of each chunk."""
    units = words(text) if UNSPACED.search(text) else text.split()
    size = max(20, len(units) // 10)
    starts = range(0, len(units) - size + 1, size // 2)
    parts = [units[start : start + size] for start in starts]
    return [bits(part if UNSPACED.search(text) else words(" ".join(part))) for part in parts]


def trend(local: Sequence[float]) -> str:
    """How the last third of the chunks stands to the first."""
    if len(local) < 2:
        return ""
    third = max(1, len(local) // 3)
    first, last = statistics.fmean(local[:third]), statistics.fmean(local[-third:])
    return "decreasing" if last < 0.9 * first else "increasing" if last > 1.1 * first else "stable"


def at_length(found: Sequence[str], window: int = 50) -> float | None:
    """The mean entropy of the full windows of so many words."""
    windows = [found[i : i + window] for i in range(0, len(found) - window + 1, window)]
    return statistics.fmean(map(bits, windows)) if windows else None


def repeated_share(found: Sequence[str], longest: int) -> float:
    """The share of the words in runs of so many words, or half of all, that stood before."""
    size = max(1, min(longest, len(found) // 2))
    own = grams(found, size)
    first = {run: i for i, run in reversed(list(enumerate(own)))}
    again = [i for i, run in enumerate(own) if first[run] < i]
    return len({place for i in again for place in range(i, i + size)}) / len(found)


def repeats_as_printed(length: int, top: float, pair: int, local: Sequence[float]) -> bool:
    """Whether a text of this length repeats itself by the rule as printed."""
    if length < 6:
        return False
    if length < 20:
        return top > 0.25 or pair >= 2
    if len(local) < 3:
        return top > 0.2 or pair >= 2
    dull = statistics.pvariance(local) < 0.1 and drops(local) >= 2
    return top > 0.2 or pair >= 3 or dull


def drops(local: Sequence[float]) -> int:
    """Chunks with less than 0.8 of the entropy of the one before."""
    return sum(new < 0.8 * old - 1e-9 for old, new in pairwise(local))


def measures(text: str, window: int = 50) -> Numbers:
    """What the line of a text says by default, or with windows of other words."""
    found, local = words(text), chunks(text)
    unique, counts = set(found), Counter(found)
    length = len(found) if UNSPACED.search(text) else len(text.split())
    pair = max(Counter(grams(found, 2)).values(), default=0)
    top = max(counts.values()) / len(found)
    share = repeated_share(found, 20 if UNSPACED.search(text) else 5)
    diversity, entropy = semantic(cosines(sentences(text)))
    return {
        "Words": len(found),
        "Unique_Words": len(unique),
        "Entropy_At_Length": at_length(found, window),
        "Word_Entropy": bits(found),
        "Bigram_Entropy": bits(grams(found, 2)) if len(found) > 1 else None,
        "Trigram_Entropy": bits(grams(found, 3)) if len(found) > 2 else None,
        "Vocab_Diversity": bits(found) / math.log2(len(unique)) if len(unique) > 1 else 0,
        "Unique_Ratio": len(unique) / len(found),
        "Quality_Ratio": bits(found) / max(math.log2(length), 1),
        "Semantic_Diversity": diversity,
        "Semantic_Entropy": entropy,
        "Entropy_Variance": statistics.pvariance(local) if local else None,
        "Entropy_Drops": drops(local) if local else None,
        "Entropy_Trend": trend(local),
        "Top_Word_Share": top,
        "Max_Bigram": pair,
        "Repeated_Share": share,
        "Repetitive": "yes" if len(found) >= 6 and share >= 0.25 - 1e-9 else "no",
    }


def corpus(texts: Sequence[str]) -> Numbers:
    """What the texts of a sheet are together."""
    found = [words(text) for text in texts]
    every = {n: [gram for text in found for gram in grams(text, n)] for n in (1, 2, 3)}
    fours = [grams(text, 4) for text in found]
    others = [{gram for j, other in enumerate(fours) if j != i for gram in other} for i in range(len(fours))]
    shares = [statistics.fmean(gram in known for gram in own) for own, known in zip(fours, others, strict=True) if own]
    similar = dict(zip(combinations(range(len(found)), 2), cosines(found), strict=True))
    kernel = [[similar.get((min(i, j), max(i, j)), 1) for j in range(len(found))] for i in range(len(found))]
    values = [float(value) / len(found) for value in np.linalg.eigvalsh(np.array(kernel))]
    several, raw = len(texts) > 1, "\n".join(texts).encode()
    return {
        **{f"Distinct_{n}": len(set(all_of)) / len(all_of) if all_of else None for n, all_of in every.items()},
        "Self_Repetition": statistics.fmean(shares) if several and shares else None,
        "Pairwise_Similarity": statistics.fmean(similar.values()) if several else None,
        "Vendi": math.exp(-sum(v * math.log(v) for v in values if v > 1e-15)) if several else None,
        "Compression_Ratio": len(raw) / len(zlib.compress(raw, 9)),
    }


def mean(lines: Sequence[Numbers], measure: str) -> float | None:
    """The mean over the texts for which a measure is defined."""
    values = [float(value) for line in lines if (value := line[measure]) is not None]
    return statistics.fmean(values) if values else None


def read(line: Mapping[str, str], names: Sequence[str] = MEASURES) -> Numbers:
    """Cells as numbers, None where they are empty; labels as they are."""
    return {name: line[name] if name in LABELS else float(line[name]) if line[name] else None for name in names}


def alike(line: Mapping[str, str], wanted: Numbers) -> bool:
    """Whether a line has these measures, defined and undefined."""
    seen = read(line, list(wanted))
    assert {name for name, v in seen.items() if v is None} == {name for name, v in wanted.items() if v is None}
    for name, value in wanted.items():
        if isinstance(value, str):
            assert seen[name] == value, name
        elif value is not None:
            assert seen[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name
    return True


def unmeasured(line: Mapping[str, str]) -> bool:
    """Whether a line has no measure at all."""
    return not {line[name] for name in MEASURES} - {""}


ALPHABET = [
    "able",
    "bold",
    "cold",
    "dusk",
    "east",
    "fern",
    "gold",
    "hill",
    "iron",
    "jade",
    "kelp",
    "lime",
    "mint",
    "north",
    "oak",
    "pine",
    "quay",
    "reed",
    "sand",
    "tide",
]


def sparse(*per_ten: int) -> str:
    """Ten white-space words for each number, so many of them words, all different; the others are dashes."""
    names = iter(ALPHABET)
    return " ".join(next(names) if i < n else "—" for n in per_ten for i in range(10))


def babble(seed: int, length: int, vocabulary: int = 20) -> str:
    """Words drawn at random, with full stops among them."""
    draw = random.Random(seed)
    return " ".join(draw.choice(ALPHABET[:vocabulary]) + draw.choice(["", "", "", "", "", "."]) for _ in range(length))


ONCE = " ".join(ALPHABET)
BEASTS = "ant bee cod doe eel fox gnu hen ibis jay"
TEXTS: dict[str, str] = {
    "fox": FOX,
    "the": "the the the the the the",
    "five": "the the the the the",
    "one": "Hello!",
    "two": "hello, world",
    "quarter": "able able bold cold dusk east fern gold",
    "above quarter": "able able bold cold dusk east fern",
    "pair twice": "able bold cold able bold dusk east fern gold hill iron jade",
    "nineteen": " ".join(ALPHABET[:19]),
    "twenty": ONCE,
    "a fifth": " ".join(["able bold able cold able dusk able", *ALPHABET[5:18]]),
    "above a fifth": " ".join(["able bold able cold able dusk able east able", *ALPHABET[5:16]]),
    "two chunks, pair twice": f"{ONCE} able bold dawn dew ash elm ivy fog ice jet",
    "three chunks, pair twice": f"{ONCE} able bold dawn dew {BEASTS} ash elm ivy fog ice jet",
    "three chunks, pair thrice": f"{ONCE} able bold dew ash {BEASTS} able bold ivy fog ice jet",
    "dull": sparse(2, 2, 1, 3, 0),
    "one drop": sparse(2, 2, 1, 3, 2),
    "silent start": sparse(0, 0, 3, 4),
    "silent end": sparse(4, 3, 0, 0),
    "39": babble(3, 39),
    "40": babble(4, 40),
    "209": babble(5, 209),
    "210": babble(6, 210),
    "239": babble(7, 239),
    "600": babble(8, 600),
    "sentences": "Red fox den. Red fox! Sea sky? Red. ... x.",
    "alike": "Red fox. Red fox. Fox red!",
    "strangers": "Red fox. Sea sky.",
    "numbers": "3.14 and 2.72, snake_case; don't",
    "case": "Red RED red reD ÉTÉ été Été",
    "marks": "cafe\u0301 CAFE\u0301 हिन्दी भाषा हिन्दी",
    "chinese": "我爱猫。我爱狗！猫不爱我",
    "japanese": "猫が好き。犬が好き。ネコとイヌ",
    "thai": "ฉันรักแมว แมวรักฉัน",
    "mixed": "GPT写的code。code写得好",
    "long chinese": "春眠不觉晓处处闻啼鸟夜来风雨声花落知多少。" * 3,
    "na": "NA",
    "line breaks": "red fox\nred fox\r\nsea sky",
}


def alone(factory: pytest.TempPathFactory, name: str) -> Study:
    """An empty study that many tests share."""
    root = factory.mktemp(name)
    return Study(root, called_in(root))
