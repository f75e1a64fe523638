"""Tables as people bring them: users, movies and genres, runs of TREC, keys that differ a little."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.helpers.diversity import Lab
from tests.helpers.runs import Run

RECS = "userId,movieId,rating / 7,1,5 / 7,2,4 / 8,2,5 / 8,3,4"
MOVIES = "movieId,title,genres / 1,A,Drama|War / 2,B,War / 3,C,Comedy / 4,D,(no genres listed) / 5,E,Noir"
RUN = "q Q0 {} 1 2.5 bm25\nq Q0 {} 2 1.5 bm25\n"
QRELS = "q x a 1\nq y b 1\nq x c 1\n"


@pytest.fixture
def bare(tmp_path: Path, run: Run) -> Lab:
    """A lab with nothing in it."""
    return Lab(tmp_path, run)


def test_without_judgments_a_table_of_genres_says_what_rankings_cover_and_how_far_apart_items_are(bare: Lab) -> None:
    bare.put("outs/m.csv", RECS)
    bare.put("movies.csv", MOVIES)
    assert bare.tables("--features", "movies.csv", refs="").code == 0
    line = bare.results()["m"]
    assert float(line["ILD@10"]) == pytest.approx((1 / 2 + 1) / 2)
    assert float(line["S_Recall@10"]) == 2 / 4  # of Drama, War, Comedy and Noir, which nobody shows
    assert not {"alpha_nDCG@10", "ERR_IA@10", "alpha_DCG@10", "Judged@10"} & line.keys()


@pytest.mark.parametrize("sign", [", ", "; ", "/"])
def test_subtopics_listed_by_another_sign_are_named_and_the_way_it_names_splits_them(bare: Lab, sign: str) -> None:
    rankings = "query\titem\trank\tsubtopics / q\ta\t1\tx / q\tb\t2\tx{}y / q\tc\t3\tz"
    bare.put("outs/m.tsv", rankings.format("|"))
    assert bare.tables("--strict", refs="").code == 0
    right = bare.value("alpha_nDCG@10")
    bare.put("outs/m.tsv", rankings.format(sign))
    said = bare.tables(refs="").err
    assert bare.results()["m"]["Status"] == "partial"
    assert bare.value("alpha_nDCG@10") == "1.0" != right  # as if each item had a subtopic of its own
    (way,) = [way for way in ("--separator ,", "--separator ';'", "--separator /") if f"{way} splits it" in said]
    assert bare.tables("--strict", *shlex.split(way), refs="").code == 0
    assert bare.value("alpha_nDCG@10") == right
    assert "--separator '|' says that it is one" in said
    assert bare.tables("--strict", "--separator", "|", refs="").code == 0


def test_the_shares_of_a_users_profile_are_held_against_the_genres_of_the_table(bare: Lab) -> None:
    bare.put("outs/m.csv", RECS)
    bare.put("movies.csv", MOVIES)
    bare.put("profile.csv", "user,subtopic,share / 7,War,0.5 / 7,Drama,0.5 / 8,War,1 / 8,Western,1")
    done = bare.tables("--features", "movies.csv", "--targets", "profile.csv", refs="")
    assert done.code == 0
    values = {line["Query"]: float(line["Proportionality@5"]) for line in bare.lines("m_diversity.csv")}
    # 7 has War twice and Drama once; 8 has War and Comedy, and half of its profile nothing has
    assert values == pytest.approx({"7": 1 - (1 / 6 + 1 / 6) / 2, "8": 1 - (0 + 0.5 + 0.5) / 2})
    assert ["Western" in message for message in bare.messages("unmatched-weights")] == [True]


def test_genres_are_compared_before_numbers_and_the_way_to_the_numbers_leads_there(bare: Lab) -> None:
    bare.put("outs/m.csv", RECS)
    bare.put("movies.csv", "movieId,year,votes,genres / 1,1995,3,Drama|War / 2,1960,1,War / 3,2001,5,Comedy")
    done = bare.tables("--features", "movies.csv", refs="")
    assert "not by year, votes; --distance features compares these" in done.err
    assert float(bare.value("ILD@10")) == pytest.approx(0.75)
    assert bare.tables("--features", "movies.csv", "--distance", "features", refs="").code == 0
    assert float(bare.value("ILD@10")) < 0.01


@pytest.mark.parametrize("number", [",year", ""], ids=["beside numbers", "alone"])
def test_a_column_that_lists_names_is_pointed_to_and_the_way_it_names_leads_there(bare: Lab, number: str) -> None:
    bare.put("outs/m.csv", RECS)
    year = ",1995" if number else ""
    bare.put("movies.csv", f"movieId,kind{number} / 1,Drama|War{year} / 2,War{year} / 3,Comedy{year}")
    assert (
        "--column features.genres=kind takes 'kind' for genres" in bare.tables("--features", "movies.csv", refs="").err
    )
    done = bare.tables("--features", "movies.csv", "--column", "features.genres=kind", refs="")
    assert done.code == 0
    assert float(bare.value("ILD@10")) == pytest.approx(0.75)


def test_genres_that_are_joined_by_commas_are_said_aloud(bare: Lab) -> None:
    bare.put("outs/m.csv", RECS)
    bare.put("movies.csv", 'movieId,genres / 1,"Drama, War" / 2,"War, Noir" / 3,Comedy')
    done = bare.tables("--features", "movies.csv", refs="")
    assert "was taken for one name, such as 'Drama, War'; --separator , splits it" in done.err
    assert bare.tables("--features", "movies.csv", "--separator", ",", refs="").code == 0
    assert bare.problems("unsplit-names") == []


def test_genres_that_are_no_list_of_names_cost_their_item(bare: Lab) -> None:
    bare.put("outs/m.csv", RECS)
    rows = ['{"movieId": 1, "genres": ["Drama", "War"]}', '{"movieId": 2, "genres": [["War"]]}']
    bare.put("movies.jsonl", "\n".join([*rows, '{"movieId": 3, "genres": ["Comedy"]}']))
    assert bare.tables("--features", "movies.jsonl", refs="").code == 0
    assert [(line["row"], line["column"]) for line in bare.problems("nested-cell")] == [("2", "genres")]


def test_genres_beside_rankings_describe_items_only_where_nobody_judged(bare: Lab) -> None:
    bare.put("outs/m.csv", "user,item,score,genres / u,1,5,Drama|War / u,2,4,War")
    done = bare.tables(refs="")
    assert float(bare.value("ILD@10")) == 0.5
    assert "the 2 genres of the 2 items that the models of this run show" in done.err
    bare.put("refs/q.csv", "query,subtopic,item / u,x,1 / u,y,2")
    assert bare.tables().code == 0
    assert (float(bare.value("ILD@10")), float(bare.value("S_Recall@10"))) == (1, 1)


def test_judgments_of_trec_name_the_definition_of_its_tool_unless_it_is_used(bare: Lab) -> None:
    bare.put("outs/bm25.run", RUN.format("a", "c"))
    bare.put("refs/qrels.diversity", QRELS)
    assert "--definition ndeval reproduces them" in bare.tables().err
    assert "ndeval" not in bare.tables("--definition", "ndeval").err
    (bare.root / "refs/qrels.diversity").unlink()
    bare.put("refs/q.csv", "query,subtopic,item,relevance\n" + QRELS.replace(" ", ","))
    assert "ndeval" not in bare.tables().err


def test_a_run_tag_in_several_files_is_said_aloud(bare: Lab) -> None:
    bare.put("outs/one.run", RUN.format("a", "b"))
    bare.put("outs/two", RUN.format("a", "c"))
    bare.put("outs/three.run", RUN.format("a", "c").replace("bm25", "ql"))
    bare.put("refs/q.qrels", QRELS)
    done = bare.tables()
    assert sorted(bare.results()) == ["one", "three", "two"]
    assert "the run tag 'bm25' stands in 2 files (one.run, two), which were taken as models of their own" in done.err
    assert len(bare.messages("same-tag")) == 1


@pytest.mark.parametrize(
    ("judgments", "ranking", "kind"),
    [
        ("q 1,x,a / q2,x,a", "Q-01,a,1 / q2,a,1", "no-judgments"),
        ("q1,x,a / q1,y,b", "q1,A,1 / q1,b,2", "unjudged-item"),
    ],
    ids=["query", "item"],
)
def test_a_key_that_nearly_matches_is_suggested_and_taken_where_that_is_asked_for(
    bare: Lab, judgments: str, ranking: str, kind: str
) -> None:
    bare.put("refs/q.csv", f"query,subtopic,item / {judgments}")
    bare.put("outs/m.csv", f"query,item,rank / {ranking}")
    assert bare.tables().code == 0
    (message,) = bare.messages(kind)
    assert "--match loose takes" in message
    assert bare.tables("--match", "loose").code == 0
    assert (bare.messages(kind), len(bare.messages("loose-match"))) == ([], 1)
    assert float(bare.value("S_Recall@10")) == 1


def test_what_could_be_two_or_stands_there_already_is_not_taken_loosely(bare: Lab) -> None:
    bare.put("refs/q.csv", "query,subtopic,item / q,x,Doc1 / q,y,doc1 / q,z,b")
    bare.put("outs/m.csv", "query,item,rank / q,DOC1,1 / q,B,2 / q,b,3")
    assert bare.tables("--match", "loose").code == 0
    assert bare.problems("loose-match") == []
