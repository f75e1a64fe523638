"""Layouts of rankings: three systems, three queries, judgments; and a recommender's users, movies and genres.

α-nDCG is worked out over every order of the relevant items, ILD and S-Recall from the sets of genres, and what the
TREC tool says by the package `pyndeval`.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, Final

from tests.helpers.files import Rows, write_book, write_bytes
from tests.layouts.layout import Layout, Record, Writer, rows_of, write_records

pyndeval: Any = import_module("pyndeval")  # which publishes no types

JUDGED: Final[Mapping[str, Mapping[str, str]]] = {  # query → item → subtopics it is relevant to
    "101": {"cat-3": "animal", "cat-4": "animal|zoo", "car-9": "car", "car-2": "car|price", "os-1": "software"},
    "102": {"snake-1": "animal", "py-1": "language", "py-2": "language|course", "film-1": "film"},
    "103": {"moon-1": "planet", "rec-1": "label|music", "rec-2": "music", "element-1": "metal"},
}
RANKINGS: Final[Mapping[str, Mapping[str, str]]] = {  # system → query → items, best first
    "base": {"101": "cat-3 cat-4 car-9", "102": "py-1 py-2 snake-1", "103": "rec-2 rec-1 moon-1"},
    "mmr": {"101": "cat-4 car-2 os-1", "102": "py-2 film-1 snake-1", "103": "rec-1 moon-1 element-1"},
    "xquad": {"101": "car-9 cat-3 os-1", "102": "snake-1 py-1 py-2", "103": "element-1 rec-2 rec-1"},
}


def _gain(items: Iterable[str], judged: Mapping[str, str]) -> float:
    """α-DCG of a list, α = 0.5: a subtopic is worth half of what it was with each item on it."""
    seen: dict[str, int] = {}
    total = 0.0
    for rank, item in enumerate(items, start=1):
        for subtopic in judged.get(item, "").split("|") if item in judged else ():
            total += 0.5 ** seen.get(subtopic, 0) / math.log2(rank + 1)
            seen[subtopic] = seen.get(subtopic, 0) + 1
    return total


def _alpha_ndcg(system: str) -> float:
    shares = [
        _gain(items.split(), JUDGED[query]) / max(_gain(order, JUDGED[query]) for order in permutations(JUDGED[query]))
        for query, items in RANKINGS[system].items()
    ]
    return math.fsum(shares) / len(shares)


def _by_trec_tool(system: str) -> float:
    numbers = {name: str(n) for n, name in enumerate(sorted({s for _, s, _ in _judgments()}))}
    qrels = [pyndeval.SubtopicQrel(query, numbers[subtopic], item, 1) for query, subtopic, item in _judgments()]
    run = [
        pyndeval.ScoredDoc(query, item, float(-rank))
        for query, items in RANKINGS[system].items()
        for rank, item in enumerate(items.split())
    ]
    found = pyndeval.ndeval(qrels, run, measures=["alpha-nDCG@10"])
    return math.fsum(each["alpha-nDCG@10"] for each in found.values()) / len(JUDGED)


def _judgments() -> list[tuple[str, str, str]]:
    return [
        (query, subtopic, item)
        for query, items in JUDGED.items()
        for item, subtopics in items.items()
        for subtopic in subtopics.split("|")
    ]


EXPECTED: Final = {system: _alpha_ndcg(system) for system in RANKINGS}
BY_TREC_TOOL: Final = {system: _by_trec_tool(system) for system in RANKINGS}

GENRES: Final[Mapping[str, str]] = {
    "1": "Animation|Children|Comedy",
    "47": "Mystery|Thriller",
    "260": "Action|Adventure|Sci-Fi",
    "593": "Crime|Horror|Thriller",
    "1196": "Action|Adventure|Sci-Fi",
    "2858": "Drama",
    "3114": "Animation|Children|Comedy",
    "9999": "(no genres listed)",
}
RATED: Final[Mapping[str, Mapping[str, Mapping[str, float]]]] = {  # system → user → movie → predicted rating
    "knn": {
        "7": {"1": 4.9, "3114": 4.7, "260": 3.1},
        "8": {"260": 4.5, "1196": 4.4, "47": 4.0},
    },
    "svd": {
        "7": {"1": 4.8, "593": 4.1, "2858": 4.0},
        "8": {"47": 4.6, "593": 4.2, "260": 3.9},
    },
}


def _names(movie: str) -> set[str]:
    return set() if GENRES[movie].startswith("(") else set(GENRES[movie].split("|"))


def _ild(system: str) -> float:
    """The mean over users of the mean Jaccard distance of two movies."""
    means = []
    for movies in RATED[system].values():
        apart = [
            1 - len(_names(one) & _names(other)) / len(_names(one) | _names(other))
            for one, other in combinations(movies, 2)
        ]
        means.append(math.fsum(apart) / len(apart))
    return math.fsum(means) / len(means)


def _s_recall(system: str) -> float:
    """The mean over users of the share of all genres that their movies have."""
    every = set().union(*map(_names, GENRES))
    shares = [len(set().union(*map(_names, movies))) / len(every) for movies in RATED[system].values()]
    return math.fsum(shares) / len(shares)


ILD: Final = {system: _ild(system) for system in RATED}
S_RECALL: Final = {system: _s_recall(system) for system in RATED}


def ranking(system: str) -> list[Record]:
    """The table of one system."""
    return [
        {"query": query, "item": item, "rank": rank}
        for query, items in RANKINGS[system].items()
        for rank, item in enumerate(items.split(), start=1)
    ]


def _qrels(root: Path, name: str = "qrels.csv") -> None:
    write_records(root / name, [{"query": q, "subtopic": s, "item": i, "relevance": 1} for q, s, i in _judgments()])


def _files(root: Path) -> None:
    _qrels(root)
    for system in RANKINGS:
        write_records(root / "runs" / f"{system}.csv", ranking(system))


def _titled(root: Path) -> None:
    _qrels(root, "qrels.xlsx")
    for system in RANKINGS:
        title: Rows = [[f"Rankings of {system}, March"], [], *rows_of(ranking(system))]
        write_book(root / "runs" / f"{system}.xlsx", {"top 3": title})


def _long(root: Path) -> None:
    _qrels(root)
    names = {"query": "qid", "item": "docno", "rank": "position"}
    rows = [
        {"model": system, **{names[name]: value for name, value in row.items()}}
        for system in RANKINGS
        for row in ranking(system)
    ]
    write_records(root / "runs.csv", rows)


def _trec_lines(system: str) -> str:
    return "".join(
        f"{row['query']} Q0 {row['item']} {row['rank']} {10 - int(str(row['rank']))}.5 {system}\n"
        for row in ranking(system)
    )


def _put(path: Path, text: str) -> None:
    content = text.encode()
    write_bytes(path, gzip.compress(content) if path.suffix == ".gz" else content)


def _trec(run: str, qrels: str) -> Writer:
    """A run for each system and the judgments as NIST has them, under these names."""

    def write(root: Path) -> None:
        _put(root / qrels, "".join(f"{query} {subtopic} {item} 1\n" for query, subtopic, item in _judgments()))
        for system in RANKINGS:
            _put(root / run.format(system), _trec_lines(system))

    return write


def _tags(root: Path) -> None:
    _trec("apart/{}.run", "qrels.diversity")(root)
    _put(root / "all.runs", "".join(map(_trec_lines, RANKINGS)))


def _subtopics(query: str, item: str) -> str:
    return JUDGED[query].get(item, "")


def _beside(root: Path, *, lists: bool = False, sign: str = "|") -> None:
    """Judgments beside the rankings; a system that shows every judged item, so that all of them are known."""
    every = {query: " ".join(items) for query, items in JUDGED.items()}
    rows: list[Record] = []
    for system, lines in {**RANKINGS, "pool": every}.items():
        for query, items in lines.items():
            for rank, item in enumerate(items.split(), start=1):
                names = _subtopics(query, item)
                cell: object = names.split("|") if lists else names.replace("|", sign)
                rows.append({"model": system, "query": query, "item": item, "rank": rank, "subtopics": cell})
    write_records(root / ("runs.jsonl" if lists else "runs.csv"), rows)


POOL: Final = math.fsum(
    _gain(items, items) / max(_gain(order, items) for order in permutations(items)) for items in JUDGED.values()
) / len(JUDGED)


def _other_keys(root: Path) -> None:
    _qrels(root)
    for system in RANKINGS:
        rows = [{**row, "query": f"0{row['query']}", "item": str(row["item"]).upper()} for row in ranking(system)]
        write_records(root / "runs" / f"{system}.csv", rows)


def _movies(root: Path, name: str = "movies.csv") -> None:
    listed = name.endswith(".jsonl")
    rows: list[Record] = [
        {"movieId": movie, "title": f"Movie {movie} (1995)", "genres": sorted(_names(movie)) if listed else genres}
        for movie, genres in GENRES.items()
    ]
    write_records(root / name, rows)


def _ratings(system: str) -> list[Record]:
    return [
        {"userId": user, "movieId": movie, "rating": rating, "timestamp": 964982703}
        for user, movies in RATED[system].items()
        for movie, rating in movies.items()
    ]


def _movielens(name: str) -> Writer:
    def write(root: Path) -> None:
        _movies(root, name)
        for system in RATED:
            write_records(root / "recs" / f"{system}.csv", _ratings(system))

    return write


def _genres_beside(root: Path) -> None:
    rows: list[Record] = [
        {
            "model": system,
            "user": row["userId"],
            "item": row["movieId"],
            "score": row["rating"],
            "genres": sorted(_names(str(row["movieId"]))),
        }
        for system in RATED
        for row in _ratings(system)
    ]
    write_records(root / "recs.jsonl.gz", rows)


def _called(names: Mapping[str, float], name: str) -> dict[str, float]:
    return {name.format(system): value for system, value in names.items()}


_RUN: Final = "101 Q0 cat-3 1 9.5 base"
LAYOUTS: Final = (
    Layout("a CSV for each system, judgments apart", "query,item,rank", _files, "diversity runs qrels.csv", EXPECTED),
    Layout(
        "one long CSV with a model column",
        "model,qid,docno,position",
        _long,
        "diversity runs.csv qrels.csv",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "title rows above the header",
        "Rankings of base, March\n\nquery | item | rank",
        _titled,
        "diversity runs qrels.xlsx",
        EXPECTED,
        ("header-row",),
    ),
    Layout(
        "TREC runs and judgments under NIST's names",
        f"runs/input.base\n{_RUN}",
        _trec("runs/input.{}", "qrels.diversity"),
        "diversity runs qrels.diversity",
        _called(EXPECTED, "input.{}"),
        ("other-definition",),
    ),
    Layout(
        "the same, with the numbers of the TREC tool",
        f"runs/input.base\n{_RUN}",
        _trec("runs/input.{}", "10.diversity-qrels.final"),
        "diversity runs 10.diversity-qrels.final --definition ndeval",
        _called(BY_TREC_TOOL, "input.{}"),
    ),
    Layout(
        "packed TREC files",
        "runs/base.run.gz",
        _trec("runs/{}.run.gz", "qrels.diversity.gz"),
        "diversity runs qrels.diversity.gz",
        EXPECTED,
    ),
    Layout(
        "several runs in one TREC file",
        f"{_RUN}\n101 Q0 cat-4 1 9.5 mmr",
        _tags,
        "diversity all.runs qrels.diversity",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "judgments beside the rankings",
        "model,query,item,rank,subtopics\nmmr,101,cat-4,1,animal|zoo",
        _beside,
        "diversity runs.csv",
        {**EXPECTED, "pool": POOL},
        ("model-column",),
    ),
    Layout(
        "the same, subtopics joined by semicolons",
        "model,query,item,rank,subtopics\nmmr,101,cat-4,1,animal; zoo",
        lambda root: _beside(root, sign="; "),
        "diversity runs.csv --separator ';'",
        {**EXPECTED, "pool": POOL},
        ("model-column",),
    ),
    Layout(
        "the same in JSON Lines, subtopics as lists",
        '{"model": "mmr", …, "subtopics": ["animal", "zoo"]}',
        lambda root: _beside(root, lists=True),
        "diversity runs.jsonl",
        {**EXPECTED, "pool": POOL},
        ("model-column",),
    ),
    Layout(
        "queries and items written otherwise than in the judgments",
        "query,item,rank\n0101,CAT-3,1",
        _other_keys,
        "diversity runs qrels.csv --match loose",
        EXPECTED,
        ("loose-match",),
    ),
    Layout(
        "users, movies and predicted ratings, with a table of genres",
        "userId,movieId,rating,timestamp\nmovieId,title,genres",
        _movielens("movies.csv"),
        "diversity recs --features movies.csv",
        ILD,
        ("ordered-by",),
        "ILD@10",
    ),
    Layout(
        "the same, for the share of all genres that is covered",
        "userId,movieId,rating,timestamp\nmovieId,title,genres",
        _movielens("movies.csv"),
        "diversity recs --features movies.csv",
        S_RECALL,
        measure="S_Recall@10",
    ),
    Layout(
        "genres as lists in JSON Lines",
        '{"movieId": "1", "genres": ["Animation", …]}',
        _movielens("movies.jsonl"),
        "diversity recs --features movies.jsonl",
        ILD,
        measure="ILD@10",
    ),
    Layout(
        "genres beside the rankings, packed JSON Lines with a model column",
        '{"model": …, "user": …, "item": …, "score": …, "genres": […]}',
        _genres_beside,
        "diversity recs.jsonl.gz",
        ILD,
        ("model-column",),
        "ILD@10",
    ),
)
