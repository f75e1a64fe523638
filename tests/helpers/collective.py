"""Studies of ensembles: the files of `collective`, and its numbers worked out again in plain Python."""

from __future__ import annotations

import csv
import json
import math
import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
from scipy.stats import norm, t  # type: ignore[import-untyped]

from tests.helpers.files import Rows, read_csv, sheet_names, sheet_rows, write_book, write_csv
from tests.helpers.runs import Result, Run
from tests.helpers.studies import Workplace
from tests.helpers.workbooks import empty_workbooks

NOTE, NOT_SCORED, SHEET_SKIPPED, FILE_SKIPPED = "note", "row not scored", "sheet skipped", "file skipped"
HEAD = ("sample", "label")
HISTORY_PAGE = "History by epoch"  # Excel keeps the name History for itself

Row = tuple[object, ...]
Sheets = dict[str, list[Row]]


@dataclass(frozen=True)
class Study(Workplace):
    """A working directory with systems in `outs`, scored into `res`."""

    stem: ClassVar[str] = "collective"

    def lone(self, rows: Rows, name: str = "m") -> Path:
        """A system that is one CSV."""
        return write_csv(self.outs / f"{name}.csv", rows)

    def system(self, sheets: Mapping[str, Rows], name: str = "m") -> Path:
        """A system that is a folder with a CSV per sheet."""
        for sheet, rows in sheets.items():
            write_csv(self.outs / name / f"{sheet}.csv", rows)
        return self.outs / name

    def book(self, sheets: Mapping[str, Rows], name: str = "m") -> Path:
        """A system that is a workbook."""
        return write_book(self.outs / f"{name}.xlsx", sheets)

    def score(self, *options: str | Path, res: str = "res") -> Result:
        """Run `collective` on the systems."""
        return self.run("collective", "outs", "-o", res, *options)

    def tables(self, *options: str | Path, res: str = "res") -> Result:
        """Score without the time that workbooks take, for who looks at tables and at what was said."""
        with empty_workbooks():
            return self.score(*options, res=res)

    def line(self, model: str = "m") -> dict[str, str]:
        """The line of one system in the results table."""
        return self.results()[model]

    def value(self, measure: str, model: str = "m") -> float | None:
        """One measure of one system, None where it is undefined."""
        return number(self.line(model)[measure])

    def streams(self, model: str = "m") -> dict[str, dict[str, str]]:
        """The lines of a system's streams."""
        return {line["Stream"]: line for line in read_csv(self.res / f"{model}_collective.csv")}

    def each(self, measure: str, model: str = "m") -> dict[str, float | None]:
        """One measure of every stream."""
        return {stream: number(line[measure]) for stream, line in self.streams(model).items()}

    def summary(self, model: str = "m") -> dict[str, tuple[object, object]]:
        """What the Summary says: value and explanation by measure."""
        return {str(row[1]): (row[2], row[3]) for row in sheet_rows(self.workbook(model), "Summary")[1:]}

    def alerts(self, model: str = "m") -> list[tuple[str, str]]:
        """Name and epoch of every alert of a system that the workbook lists."""
        if "Alerts" not in sheet_names(self.workbook(model)):
            return []
        return [(str(row["Alert"]), str(row["Epoch"] or "")) for row in self.page("Alerts", model)]

    def problem(self, kind: str, model: str = "m") -> dict[str, str]:
        """The one problem of this kind."""
        (found,) = self.problems(kind, model)
        return found

    def kinds(self, model: str = "m") -> list[str]:
        """The kinds of a system's problems."""
        return [p["kind"] for p in self.problems(model=model)]


def number(text: str) -> float | None:
    """A cell as a number."""
    return float(text) if text else None


# --- the same numbers, worked out again in plain Python ---------------------------------------------------------------


@dataclass(frozen=True)
class Votes:
    """What streams said of samples ('' is nothing), and what is true."""

    labels: list[str]
    streams: dict[str, list[str]]

    def accuracy(self, said: Sequence[str | None]) -> float:
        return statistics.fmean(one == label for one, label in zip(said, self.labels, strict=True))

    def accuracies(self) -> dict[str, float]:
        return {name: self.accuracy(said) for name, said in self.streams.items()}

    def fused(self, names: Sequence[str] | None = None, ties: str = "first") -> list[str | None]:
        kept = [self.streams[name] for name in (self.streams if names is None else names)]
        return [winner([said[place] for said in kept], ties)[0] for place in range(len(self.labels))]

    def fused_accuracy(self, names: Sequence[str] | None = None, ties: str = "first") -> float:
        return self.accuracy(self.fused(names, ties))

    def tied(self) -> int:
        return sum(winner(votes)[1] for votes in zip(*self.streams.values(), strict=True))

    def contributions(self, ties: str = "first") -> dict[str, float]:
        whole = self.fused_accuracy(ties=ties)
        names = list(self.streams)
        return {one: whole - self.fused_accuracy([n for n in names if n != one], ties) for one in names}

    def shapley(self, ties: str = "first") -> dict[str, float]:
        names = list(self.streams)
        worth = {kept: self.fused_accuracy(kept, ties) for n in range(1, 1 + len(names)) for kept in subsets(names, n)}
        found = {}
        for one in names:
            gains = []
            for size in range(len(names)):
                others = subsets([name for name in names if name != one], size)
                with_one = [tuple(n for n in names if n in {*kept, one}) for kept in others]
                gains.append(
                    statistics.fmean(worth[b] - worth.get(a, 0) for a, b in zip(others, with_one, strict=True))
                )
            found[one] = statistics.fmean(gains)
        return found

    def right(self, name: str) -> list[bool]:
        return [one == label for one, label in zip(self.streams[name], self.labels, strict=True)]


def subsets(names: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Every choice of so many, each in the order given."""
    return list(combinations(names, size))


def winner(
    votes: Sequence[str], ties: str = "first", weights: Sequence[float] | None = None
) -> tuple[str | None, bool]:
    """Which class has most votes, and whether it had to be settled."""
    counts: dict[str, float] = {}
    for vote, weight in zip(votes, weights or [1] * len(votes), strict=True):
        if vote:
            counts[vote] = counts.get(vote, 0) + weight
    best = [vote for vote in counts if counts[vote] == max(counts.values())]  # in the order of their first voters
    if not best:
        return None, False
    if len(best) > 1 and ties == "wrong":
        return None, True
    return (min(best) if ties == "class" else best[0]), len(best) > 1


def votes_of(rows: Sequence[Row], skip: int = 2) -> Votes:
    """The votes of a table of predictions whose streams begin at some column."""
    head, *body = rows
    names = [str(name) for name in head[skip:]]
    columns = {name: [str(row[skip + place]) for row in body] for place, name in enumerate(names)}
    return Votes([str(row[1]) for row in body], columns)


def mcnemar(one: Sequence[bool], other: Sequence[bool]) -> float:
    """The exact binomial test of two columns of hits."""
    only = [sum(a > b for a, b in zip(x, y, strict=True)) for x, y in ((one, other), (other, one))]
    n = sum(only)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(min(only) + 1)) / (1 << n))


def interval_by_hand(
    fused: Sequence[bool], hits: Sequence[Sequence[bool]], *, level: float = 0.95, times: int = 4_000
) -> tuple[float, float]:
    """The interval of the emergence ratio, by its rule.

    For each stream the ratio over resampled samples, its ends at the normal tail that reaches as far as Student's
    interval, the upper one at a level divided by the streams; the least of each over streams. One sample is added that
    only the collective gets right, and one that only the streams do.
    """
    n, streams = len(fused), len(hits)
    samples = [(bool(one), *map(bool, row)) for one, row in zip(fused, zip(*hits, strict=True), strict=True)]
    samples += [(True, *[False] * streams), (False, *[True] * streams)]
    draw = random.Random("a generator of the test's own")
    totals = [[sum(column) for column in zip(*draw.choices(samples, k=n), strict=True)] for _ in range(times)]

    def tail(share: float) -> float:
        return float(norm.cdf(-t.ppf(1 - share, n - 1) * math.sqrt(n / (n - 1))))

    lows, highs = [], []
    for stream in range(1, streams + 1):
        ratios = sorted(row[0] / row[stream] if row[stream] else math.inf for row in totals if row[0] or row[stream])
        lows.append(ratios[math.floor(tail((1 - level) / 2) * (len(ratios) - 1))])
        highs.append(ratios[math.ceil((1 - tail((1 - level) / 2 / streams)) * (len(ratios) - 1))])
    return min(lows), min(highs)


def headline(votes: Votes, collective: Sequence[str | None] | None = None) -> dict[str, float]:
    """The numbers of a system's line, of which none is random."""
    said = votes.fused() if collective is None else collective
    accuracies = votes.accuracies()
    best = max(accuracies, key=lambda name: accuracies[name])
    hits = [one == label for one, label in zip(said, votes.labels, strict=True)]
    return {
        "Collective_Accuracy": votes.accuracy(said),
        "Best_Accuracy": accuracies[best],
        "Emergence_Ratio": votes.accuracy(said) / accuracies[best],
        "Oracle_Accuracy": statistics.fmean(any(row) for row in zip(*map(votes.right, votes.streams), strict=True)),
        "McNemar_P": mcnemar(hits, votes.right(best)),
        "Ties": votes.tied(),
        "Samples": len(votes.labels),
        "Streams": len(votes.streams),
    }


def told(line: Mapping[str, str], wanted: Mapping[str, float]) -> bool:
    """Whether a line of the results table has these numbers."""
    return {name: number(line[name]) for name in wanted} == pytest.approx(dict(wanted), rel=1e-12, abs=1e-12)


def nats(weights: Sequence[float]) -> float:
    """Shannon's entropy in nats."""
    return -math.fsum(w * math.log(w) for w in weights if w)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of the angle between two vectors."""
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)


def diversity(vectors: Sequence[Sequence[float]], *, signed: bool = False) -> float:
    """1 less the mean cosine of every two vectors."""
    angles = [cosine(*pair) for pair in combinations(vectors, 2)]
    return 1 - statistics.fmean(angles if signed else map(abs, angles))


PLAIN: list[Row] = [
    (*HEAD, "a", "b", "c"),
    ("s1", "x", "x", "y", "y"),
    ("s2", "y", "y", "y", "x"),
    ("s3", "z", "z", "x", "y"),
    ("s4", "x", "y", "x", "x"),
    ("s5", "z", "y", "z", "z"),
    ("s6", "y", "y", "x", "z"),
]
ROUTING: list[Row] = [("stream", "w1", "w2", "w3"), ("a", 0.5, 0.25, 0.25), ("b", 1, 0, 0), ("c", 0.1, 0.2, 0.7)]
ANCHORS: list[Row] = [("stream", "k1", "k2", "k3"), ("a", 0.5, 0.3, 0), ("b", 0.1, 0.9, 0), ("c", 2, 1, 0.01)]
PRINTS: list[Row] = [("stream", "f1", "f2", "f3"), ("a", 1, 0, 0), ("b", 0, 1, 0), ("c", 1, 1, 0)]
HISTORY: list[Row] = [("epoch", "train_loss"), (1, 2), (2, 1), (3, 0.5)]
PARAMETERS: list[Row] = [("name", "value"), ("params_m", 60)]


def plain(**sheets: list[Row]) -> Sheets:
    """The plain predictions and some more sheets."""
    return {"predictions": PLAIN, **sheets}


NAMES = ("sight", "sound", "touch", "smell")
SVG = "{http://www.w3.org/2000/svg}"


def drawn(seed: int = 5) -> list[Row]:
    """Thirty samples that four streams name, more or less well, under two conditions, the clean one twice."""
    draw = random.Random(seed)
    rows: list[Row] = [(*HEAD, "condition", "epoch", *NAMES)]
    for condition, epoch, skill in (("clean", 3, 0.6), ("fog", 3, 0.4), ("clean", 2, 0.5)):
        for place in range(30):
            label = draw.choice("xyz")
            votes = [label if draw.random() < skill - 0.1 * n else draw.choice(["x", "y", "z", ""]) for n in range(4)]
            rows.append((f"s{place:02}", label, condition, epoch, *votes))
    return rows


DRAWN = drawn()
ROUTED: dict[tuple[int, str], list[list[float]]] = {
    (epoch, name): [[w / 100, 0.9 - w / 100, 0.1] for w in (5 * place + 10 * epoch, 7 * place + 20)]
    for epoch in (1, 3)
    for place, name in enumerate(NAMES)
}
USE = {"sight": (0.4, 0.6, 0), "sound": (0.7, 0.3, 0), "touch": (0.2, 0.7, 0.02), "smell": (1.0, 0.5, 0)}
VECTORS = {"sight": (1.0, 0.0, 0.2), "sound": (0.0, 1.0, -0.5), "touch": (0.3, -1.0, 1.0), "smell": (-1.0, 0.1, 0.0)}
CURVES: list[Row] = [
    ("epoch", "train_loss", "val_loss", "emergence_ratio", "fingerprint_diversity"),
    (1, 1.5, 1.6, 1.5, 0.9),
    (2, 1.1, 1.4, 1.2, 0.8),
    (3, 0.7, 1.2, 1.19, 0.7),
]
EVERYTHING: Sheets = {
    "predictions": DRAWN,
    "routing": [
        ("epoch", "stream", "slot", "w1", "w2", "w3"),
        *((*key, slot, *weights) for key, rows in ROUTED.items() for slot, weights in enumerate(rows)),
    ],
    "anchors": [("stream", "quay", "pier", "buoy"), *((name, *use) for name, use in USE.items())],
    "fingerprints": [("stream", "f1", "f2", "f3"), *((name, *vector) for name, vector in VECTORS.items())],
    "history": CURVES,
    "parameters": [("name", "value"), ("params_m", 2.5), ("dataset", "senses | *30*")],
}


def drawn_texts(path: Path) -> list[str]:
    """The texts of a picture."""
    root = ElementTree.fromstring(path.read_text("utf-8"))
    assert root.tag == f"{SVG}svg"
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


PREDICTIONS = "sample,label,a,b|s1,x,x,y|s2,y,y,y|s3,x,x,x|s4,y,x,y"


def judged(run: Run, tmp_path: Path, *options: str, **sheets: str) -> Result:
    folder = tmp_path / "in" / "m"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sheets.items():
        (folder / f"{name}.csv").write_text(text.replace("|", "\n"), encoding="utf-8")
    return run("collective", "in", "-o", "out", *options)


def tabled(run: Run, tmp_path: Path, *options: str, **sheets: str) -> Result:
    """The same without the time that workbooks take, for who looks at tables and at what was said."""
    with empty_workbooks():
        return judged(run, tmp_path, *options, **sheets)


def line(tmp_path: Path) -> dict[str, str]:
    with (tmp_path / "out" / "collective_results.csv").open(encoding="utf-8") as file:
        return next(csv.DictReader(file))


def kinds(tmp_path: Path) -> set[str]:
    with (tmp_path / "out" / "problems.csv").open(encoding="utf-8") as file:
        return {row["kind"] for row in csv.DictReader(file)}


def numbers(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "out" / "metrics.json").read_text(encoding="utf-8"))["m"]
    return found


def shares(*rows: str, columns: str = "x,y") -> str:
    return "|".join([f"sample,stream,{columns}", *rows])


SURE = [
    f"s{n},{stream},{'.9,.1' if label == 'x' else '.1,.9'}"
    for n, label in enumerate("xyxy", start=1)
    for stream in "ab"
]


def named(names: Sequence[str], samples: int = 12, classes: str = "xyz") -> list[Row]:
    """Predictions of streams with these names."""
    draw = random.Random(len(names))
    rows: list[Row] = [
        (f"s{n}", classes[n % len(classes)], *draw.choices(classes, k=len(names))) for n in range(samples)
    ]
    return [(*HEAD, *names), *rows]


def dressed(names: Sequence[str], weights: Sequence[str] = ("w1", "w2", "w3")) -> Sheets:
    """A system of streams with these names, with every sheet that names streams or has columns of its own."""
    return {
        "predictions": named(names),
        "routing": [("stream", *weights), *((name, 0.5, 0.3, 0.2) for name in names)],
        "anchors": [("stream", "Share", "Dead"), *((name, n + 1, 2) for n, name in enumerate(names))],
        "fingerprints": [("stream", "f1", "f2"), *((name, math.cos(n), math.sin(n)) for n, name in enumerate(names))],
        "history": [("epoch", *(f"acc:{name}" for name in names)), (1, *[0.5] * len(names)), (2, *[0.6] * len(names))],
        "parameters": [("name", "value"), ("dataset", "<i>|*d*")],
    }
