"""`scoresheet diversity` against pyndeval, ir_measures, and pyndeval with scipy: rankings in CSV files."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from random import Random

from commands import Bench, Job, Peer, Size, names
from harness import Agreement
from workload import write_table

DOCUMENTS, SUBTOPICS = 100, 10  # of each query, all documents judged and ranked
JUDGED = (1, 4)  # subtopics a document is judged on
SHARE_RELEVANT = (0.2, 0.9)  # of a query's judgments: some queries are harder than others
NEARLY = 1e-9


def write(folder: Path, size: Size) -> Job:
    """Write the judgments, and for each system a shuffled ranking of every query's documents."""
    rng = Random(0)
    queries = {f"q{number:05d}": documents(rng) for number in range(max(1, size.units // DOCUMENTS))}
    judgments = chain.from_iterable(judged(rng, query, items) for query, items in queries.items())
    write_table(folder / "references" / "judgments.csv", ["query", "subtopic", "item", "relevance"], judgments)
    for system in names(size.models, "system"):
        ranked = (
            (query, item, rank)
            for query, items in queries.items()
            for rank, item in enumerate(rng.sample(items, len(items)), start=1)
        )
        write_table(folder / "outputs" / f"{system}.csv", ["query", "item", "rank"], ranked)
    return Job([str(folder / "outputs"), str(folder / "references")], names(size.models, "system"))


def documents(rng: Random) -> list[str]:
    """Return the documents of a query."""
    return [f"doc-{name:07d}" for name in rng.sample(range(10_000_000), DOCUMENTS)]


def judged(rng: Random, query: str, items: list[str]) -> list[tuple[str, str, str, int]]:
    """Return the judgments of a query, of which one at least is relevant: without any there is nothing to compare."""
    share, subtopics = rng.uniform(*SHARE_RELEVANT), [str(number) for number in range(1, SUBTOPICS + 1)]
    return [
        (query, subtopic, item, int(item == items[0] or rng.random() < share))
        for item in items
        for subtopic in rng.sample(subtopics, rng.randint(*JUDGED))
    ]


MEASURES = ("S_Recall", "alpha_DCG", "alpha_nDCG", "ERR_IA", "S_Entropy", "Gini", "ILD", "Judged")

BENCH = Bench(
    name="diversity",
    command="diversity",
    units="ranked rows",
    about=(
        f"{DOCUMENTS} documents and {SUBTOPICS} subtopics a query, `--definition ndeval`. pyndeval and ir_measures have"
        " four measures of our twelve; everything adds entropy, Gini and ILD by scipy, and by numpy what we say of"
        " systems: an interval of each mean, and every two compared in each measure, with intervals and sign flips."
    ),
    write=write,
    sizes=(Size(10, 1_000), Size(10, 5_000), Size(10, 25_000)),
    quick=(Size(5, 1_000), Size(5, 2_000), Size(5, 5_000)),
    peers=(
        Peer("pyndeval", "plain_diversity.py", ("pyndeval",)),
        Peer("ir_measures", "plain_diversity.py", ("ir_measures",)),
        Peer("pyndeval, scipy, everything", "plain_diversity.py", ("everything",)),
    ),
    agreement=Agreement("diversity", ("Query",), {f"{name}@{k}": NEARLY for name in MEASURES for k in (5, 10, 20)}),
    each_of_many=2_000,
    options=("--definition", "ndeval"),
)
