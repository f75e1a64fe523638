"""diversity from the command line: the sample data, and layouts that people have."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from scoresheet.cli.report.charts import charts_of
from scoresheet.cli.run.recorded import open_recorded

from .conftest import Study

GENRES = {"a": "Drama", "b": "Drama|War", "c": "War"}
GENRES |= {"d": "Comedy", "e": "Comedy|War", "f": "Drama"}
USERS = [f"u{n}" for n in range(6)]
OUT = "results/diversity"


def ranking(user: str, model: str) -> str:
    start = (USERS.index(user) + len(model)) % 6
    return ("abcdef" * 2)[start : start + 4]


def ild(model: str, user: str) -> float:
    sets = [set(GENRES[item].split("|")) for item in ranking(user, model)]
    return sum(1 - len(x & y) / len(x | y) for x, y in combinations(sets, 2)) / 6


def mean_ild(model: str) -> float:
    return sum(ild(model, user) for user in USERS) / len(USERS)


def log(*models: str) -> list[list[Any]]:
    return [
        [user, item, rank, model, GENRES[item]]
        for model in models
        for user in USERS
        for rank, item in enumerate(ranking(user, model), 1)
    ]


@pytest.fixture
def items(study: Study) -> Path:
    rows = [
        [item, *(int(g in genres) for g in ("Drama", "War", "Comedy")), 1990 + n, genres]
        for n, (item, genres) in enumerate(GENRES.items())
    ]
    study.csv("items.csv", "item,genres", [[row[0], row[-1]] for row in rows])
    return study.csv("films.csv", "movieId,Drama,War,Comedy,year", [row[:-1] for row in rows])


def test_the_sample_data_has_a_redundant_and_a_diverse_ranking(study: Study) -> None:
    assert study.run("init", "diversity").code == 0
    result = study.run("diversity")
    assert result.code == 0
    assert result.out.startswith(
        "The first 10 items of varied cover 97% of the subtopics, those of repetitive 54%."
    )
    assert (study.results(OUT)["Judged@10"] == 1).all()
    book = pd.read_excel(study.folder / OUT / "varied_diversity.xlsx", None, engine="calamine")
    assert list(book) == ["Summary", "varied", "Ranks", "Problems", "About"]


# --- a log of several models, days or buckets in one file --------------------------------------


@pytest.mark.parametrize("header", ["algorithm", "bucket"])
def test_models_in_a_column_without_a_name_that_is_known_are_refused_until_named(
    study: Study, header: str
) -> None:
    study.csv("log.csv", f"user_id,item_id,rank,{header},genres", log("als", "knnn"))
    refused = study.run("diversity", "log.csv")
    assert (refused.code, f"{header} tells them apart" in refused.text) == (2, True)
    assert f"--column model={header}" in refused.text
    assert study.run("diversity", "log.csv", "--column", f"model={header}").code == 0
    results = study.results(OUT)
    # genres of the rankings are judgments, pooled over both models: each item is relevant
    assert results.loc["als", "ILD@10"] == pytest.approx(mean_ild("als"))
    assert results.loc["knnn", "ILD@10"] == pytest.approx(mean_ild("knnn"))
    assert results["Queries"].tolist() == [6, 6]


def test_two_days_of_a_log_are_two_sheets(study: Study, items: Path) -> None:
    rows = [row[:4] for row in log("mon", "tues")]
    study.csv("log.csv", "user,item,rank,day", rows)
    assert study.run("diversity", "log.csv", "--items", "items.csv").code == 2
    done = study.run("diversity", "log.csv", "--items", "items.csv", "--column", "sheet=day")
    assert done.code == 0, done.err
    row = study.results(OUT).loc["log"]
    assert row["ILD@10"] == pytest.approx((mean_ild("mon") + mean_ild("tues")) / 2)
    assert (row["Queries"], row["Units"]) == (12, 12)


# --- films, TREC files, JSON, a reranker ---------------------------------------------------------


def test_films_with_a_column_per_genre(study: Study, items: Path) -> None:
    rows = [[user, item, 5 - rank] for user, item, rank, *_ in log("svd")]
    study.csv("recs/svd.csv", "userId,movieId,est", rows)
    command = ["diversity", "recs", "--items", "films.csv"]
    assert "--column score=est" in study.run(*command).text
    command += ["--column", "score=est"]
    assert "--column items.subtopics=@header:Drama,War" in study.run(*command).text
    year = study.run(*command, "--column", "items.feature=@header:Drama,War,Comedy,year")
    assert (year.code, "feature year outweighs" in year.text) == (2, True)
    cosine = study.run(*command, "--column", "items.feature=@header:Drama,War,Comedy")
    assert (cosine.code, "not used: year" in cosine.err) == (0, True)
    assert "S_Recall@10" not in study.results(OUT)
    sets = study.run(*command, "--column", "items.subtopics=@header:Drama,War,Comedy")
    assert sets.code == 0, sets.err
    row = study.results(OUT).loc["svd"]
    assert row["ILD@10"] == pytest.approx(mean_ild("svd"))
    covered = [{g for i in ranking(user, "svd") for g in GENRES[i].split("|")} for user in USERS]
    assert row["S_Recall@10"] == pytest.approx(sum(map(len, covered)) / 18)


def test_trec_files(study: Study) -> None:
    ranked = log("bm25")
    lines = [f"{user} Q0 {item} {9 - rank} {-rank} tag\n" for user, item, rank, *_ in ranked]
    study.text("runs/bm25", "".join(lines))
    judged = [f"{user} {n} {item} 1\n" for user in USERS for n, item in enumerate("abcdef")]
    study.text("web.qrels", "".join(judged))
    study.text("adhoc.qrels", "".join(f"{user} 0 {item} 1\n" for user in USERS for item in "ab"))
    done = study.run("diversity", "runs", "web.qrels", "--definition", "ndeval")
    assert done.code == 0, done.err
    book = study.folder / OUT / "bm25_diversity.xlsx"
    ranks = pd.read_excel(book, "Ranks", engine="calamine")
    assert "".join(ranks["Item"][:4]) == ranking("u0", "bm25")  # by score, not by rank
    refused = study.run("diversity", "runs", "adhoc.qrels")
    assert (refused.code, "there is only one subtopic: 0" in refused.text) == (2, True)
    assert "--accept one-subtopic" in refused.text
    assert study.run("diversity", "runs", "adhoc.qrels", "--accept", "one-subtopic").code == 0


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_results_of_a_search_in_json(study: Study, items: Path, form: str) -> None:
    hits = [
        {"query": user, "hits": [{"doc": i, "score": -n} for n, i in enumerate(ranking(user, "x"))]}
        for user in USERS
    ]
    text = json.dumps({"responses": hits}) if form == "json" else "\n".join(map(json.dumps, hits))
    study.text(f"search.{form}", text)
    path = "responses.hits" if form == "json" else "hits"
    command = ["diversity", f"search.{form}", "--items", "items.csv"]
    hint = "lists of objects at responses, responses.hits" if form == "json" else "--records hits"
    assert hint in study.run(*command).text
    assert study.run(*command, "--records", path).code == 0
    assert study.results(OUT).loc["search", "ILD@10"] == pytest.approx(mean_ild("x"))


def test_before_and_after_a_reranker(study: Study, items: Path) -> None:
    rows = [[user, item, rank, 5 - rank] for user, item, rank, *_ in log("model")]
    study.csv("rerank.csv", "query,doc,rank_before,rank_after", rows)
    command = ["diversity", "rerank.csv", "--items", "items.csv", "--cutoffs", "2,4"]
    assert "no column for rank or score" in study.run(*command).text
    assert study.run(*command, "--column", "rank=rank_{model}").code == 0
    results = study.results(OUT)
    assert results["ILD@4"].tolist() == pytest.approx([mean_ild("model")] * 2)
    units = pd.read_csv(study.folder / OUT / "after_diversity.csv", index_col="Query")
    last_two = [set(GENRES[item].split("|")) for item in ranking("u0", "model")[-2:]]
    expected = 1 - len(set.intersection(*last_two)) / len(set.union(*last_two))
    assert units.loc["u0", "ILD@2"] == pytest.approx(expected)


def test_the_charts_show_measures_by_cut_off_and_coverage_by_rank(study: Study) -> None:
    study.csv("run.csv", "query,item,rank", [["q", "b", 1], ["q", "a", 2], ["r", "a", 1]])
    rows = [["q", "1", "a", 1], ["q", "2", "b", 1], ["r", "1", "a", 1], ["s", "1", "a", 1]]
    study.csv("judged.csv", "query,subtopic,item,relevance", rows)
    assert study.run("diversity", "run.csv", "judged.csv").code == 0
    charts: Any = charts_of(open_recorded(study.folder / OUT))
    # half of q and all of r at first, then both; s is not answered
    expected = [([5, 10, 20], [2 / 3] * 3), ([1, 2], [0.5, 2 / 3])]
    for chart, (places, heights) in zip(charts[1:], expected, strict=True):
        ((name, xs, ys),) = chart.series
        assert (name, xs) == ("run", places)
        assert ys == pytest.approx(heights)
