"""Over which queries are systems scored, ranked and compared?"""

from __future__ import annotations

import pytest

from tests.helpers.charts import charts
from tests.helpers.diversity import QRELS, RANKING, Lab
from tests.helpers.files import sheet_rows


def test_a_query_in_several_sheets_is_one_unit_of_a_comparison(lab: Lab) -> None:
    worse = RANKING.replace(",A,1", ",Z,1").replace(",B,2", ",A,2")
    for sheet in ("s1", "s2", "s3"):
        lab.put(f"outs/good/{sheet}.csv", RANKING)
        lab.put(f"outs/poor/{sheet}.csv", worse)
    assert lab.score().code == 0
    line = lab.comparison()
    assert line["Shared"] == 8
    assert line["P_Value"] == pytest.approx(2 / 2**8)
    assert line["Finding"] == "good is higher"


def test_a_system_of_one_sheet_is_compared_with_one_of_several(lab: Lab) -> None:
    lab.put("outs/one.csv", RANKING)
    lab.put("outs/two/s1.csv", RANKING)
    lab.put("outs/two/s2.csv", RANKING)
    assert lab.score().code == 0
    line = lab.comparison()
    assert (line["Shared"], line["Difference"], line["P_Value"]) == (8, 0, 1)


def test_too_few_queries_are_called_too_few(lab: Lab) -> None:
    lab.put("outs/a.csv", "".join(RANKING.splitlines(keepends=True)[:7]))
    lab.put("outs/b.csv", "query,item,rank\nq1,B,2\nq1,Z,1\nq2,B,2\nq2,Z,1\nq3,B,2\nq3,Z,1\n")
    assert lab.score().code == 0
    assert lab.comparison()["Finding"] == "too few queries to tell"


def test_a_system_that_is_better_on_all_shared_queries_is_first_whatever_its_own_mean(lab: Lab) -> None:
    lab.put("outs/a.csv", RANKING + "".join(f"h{n},Z,1\n" for n in range(8)))
    lab.put("outs/b.csv", "query,item,rank\n" + "".join(f"q{n},A,1\nq{n},Z,2\nq{n},B,3\n" for n in range(1, 9)))
    lab.put("refs/all.csv", QRELS + "".join(f"h{n},a,A,1\nh{n},b,B,1\n" for n in range(8)))
    ended = lab.score()
    assert ended.code == 0
    a, b = lab.results()["a"], lab.results()["b"]
    assert (float(a["alpha_nDCG@10"]), round(float(b["alpha_nDCG@10"]), 3)) == (0.5, 0.92)
    assert (list(lab.results()), a["Rank"], b["Rank"]) == (["a", "b"], "1", "2")
    assert (a["Shared"], a["On_Shared"], b["Shared"]) == ("8", "1.0", "8")
    assert lab.comparison()["Finding"] == "a is higher"
    assert "a has the highest mean alpha_nDCG@10, 1.000, on the 8 queries that both models share" in ended.out
    assert "The higher alpha_nDCG@10 of b (0.920) is not over the same queries." in ended.out


def test_the_front_page_says_how_many_queries_of_the_judged_are_scored(lab: Lab) -> None:
    lab.put("outs/all.csv", RANKING)
    lab.put("outs/some.csv", "".join(RANKING.splitlines(keepends=True)[:11]) + "unjudged,A,1\n")
    ended = lab.score()
    assert ended.code == 0
    counts = {
        model: [line[name] for name in ("Queries", "Judged", "Answered")] for model, line in lab.results().items()
    }
    assert counts == {"all": ["8", "8", "1.0"], "some": ["5", "8", "0.625"]}
    head, _, *lines = ended.out.splitlines()
    assert head.split()[2:8] == ["alpha_nDCG@10", "CI_Low", "CI_High", "Queries", "Judged", "Answered"]
    assert [line.split()[4:7] for line in lines[:2]] == [["8", "8", "100.0%"], ["5", "8", "62.5%"]]
    assert sheet_rows(lab.res / "diversity_results.xlsx", "Summary")[0][4:7] == ["Queries", "Judged", "Answered"]


def test_queries_counted_as_zero_are_scored_and_not_answered(lab: Lab) -> None:
    lab.put("outs/some.csv", "".join(RANKING.splitlines(keepends=True)[:13]))
    assert lab.score("--complete").code == 0
    line = lab.results()["some"]
    assert [line[name] for name in ("Queries", "Judged", "Answered")] == ["8", "8", "0.75"]


def test_a_query_in_several_sheets_is_one_query_answered(lab: Lab) -> None:
    lab.put("outs/m/s1.csv", RANKING)
    lab.put("outs/m/s2.csv", RANKING)
    ended = lab.score()
    assert (lab.value("Queries"), lab.value("Judged"), lab.value("Answered")) == ("8", "8", "1.0")
    assert "Answered" not in ended.out  # everything is


def test_a_note_on_the_interval_is_on_the_screen_only_where_there_is_one(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    assert "CI_Note" not in lab.score().out
    lab.put("outs/n.csv", "".join(RANKING.splitlines(keepends=True)[:5]))
    ended = lab.score()
    assert "CI_Note" in ended.out
    assert "too few queries for an interval: 2, at least 5 are needed" in ended.out


def test_without_judgments_systems_are_ranked_and_charted_by_their_distances(lab: Lab) -> None:
    lab.put("features.csv", "item,x,y\nA,1,0\nB,0,1\nC,1,0.1\n")
    lab.put("outs/wide.csv", RANKING)
    lab.put("outs/narrow.csv", RANKING.replace(",B,2", ",C,2"))
    ended = lab.score("--features", "features.csv", refs="")
    assert ended.code == 0
    assert ended.out.split()[2:5] == ["ILD@10", "CI_Low", "CI_High"]
    assert "Judged" not in ended.out
    assert "alpha_nDCG" not in ended.out
    wide = lab.results()["wide"]
    assert (wide["Rank"], wide["Queries"]) == ("1", "8")
    assert not {"Judged", "Answered", "alpha_nDCG@10", "Judged@10"} & wide.keys()
    assert [float(wide[name]) for name in ("ILD@10", "CI_Low", "CI_High")] == [1, 1, 1]
    assert lab.comparison("ILD@10")["Finding"] == "wide is higher"
    assert lab.comparison("ILD@10")["Family"] == "headline"
    assert "wide has the highest mean ILD@10, 1.000, on the 8 queries that both models share" in ended.out
    assert "ILD@10 by model" in charts(lab.res / "diversity_results.xlsx", "Summary")[0]


def test_a_sheet_called_overall_keeps_its_line_in_the_summary(lab: Lab) -> None:
    lab.put("outs/m/Overall.csv", RANKING)
    lab.put("outs/m/s2.csv", RANKING.replace(",A,1", ",Z,1"))
    assert lab.score().code == 0
    assert [line["Sheet"] for line in lab.page("Summary")] == ["Overall", "s2", "Overall"]
