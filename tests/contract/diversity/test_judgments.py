"""Which judgments and grades count, beside the rankings or in their lines, and what is said of the rest?"""

from __future__ import annotations

import pytest

from tests.helpers.diversity import RANKING, THREE, Lab

# --- grades -----------------------------------------------------------------------------------------------------------


def test_a_max_grade_below_the_largest_is_noted_with_how_many_it_cuts(trio: Lab) -> None:
    trio.put("refs/q.csv", "query,subtopic,item,relevance / q,x,a,4 / q,y,b,3 / q,x,c,2")
    assert trio.tables("--max-grade", "2").code == 0
    (note,) = trio.problems("large-grade")
    assert note["effect"] == "note"
    assert note["message"].startswith("2 judgments")
    assert trio.tables("--max-grade", "4").code == 0
    assert not trio.problems("large-grade")


def test_about_says_what_relevance_grades_were_given(trio: Lab) -> None:
    assert trio.score().code == 0
    assert "0..1" in trio.about()["Relevance"]
    trio.put("refs/q.csv", "query,subtopic,item,relevance / q,x,a,3 / q,y,b,1 / q,x,c,1")
    assert trio.score().code == 0
    assert "2^3" in trio.about()["Relevance"]
    assert trio.score("--max-grade", "4").code == 0
    assert "2^4" in trio.about()["Relevance"]
    assert "--max-grade" in trio.about()["Relevance"]


IN_LINE = "query,item,rank,subtopics,relevance / "


def test_a_grade_in_line_that_cannot_be_meant_costs_that_models_file(trio: Lab) -> None:
    trio.put("outs/m.csv", IN_LINE + "q,a,1,x,1 / q,b,2,y,1")
    trio.put("outs/bad.csv", IN_LINE + "q,a,1,x,1 / q,b,2,z,70")
    ended = trio.tables(refs="")
    assert ended.code == 3
    (problem,) = trio.problems("bad-grade")
    assert (problem["file"], problem["row"], problem["effect"]) == ("bad.csv", "3", "file skipped")
    assert trio.results()["bad"]["Status"] == "failed"
    assert float(trio.value("S_Recall@5")) == 1
    (trio.outs / "m.csv").unlink()
    ended = trio.tables(refs="")
    assert ended.code == 4
    assert "bad.csv[Sheet1] row 3" in ended.err


@pytest.mark.parametrize("features", [False, True])
def test_judgments_without_a_usable_row_score_nothing_and_are_shown(trio: Lab, features: bool) -> None:
    trio.put("refs/q.csv", "query,subtopic,item,relevance / q,x,a,high")
    trio.put("f.csv", "item,f / a,1 / b,2")
    ended = trio.score(*(["--features", "f.csv"] if features else []))
    assert ended.code == 4
    assert "refs/q.csv[Sheet1] row 2" in ended.err
    assert "'high'" in ended.err


def test_judgments_in_line_without_a_usable_grade_score_nothing_and_are_shown(trio: Lab) -> None:
    trio.put("outs/m.csv", IN_LINE + "q,a,1,x,high / q,b,2,y,low")
    ended = trio.score(refs="")
    assert ended.code == 4
    assert "row 2" in ended.err
    assert "'high'" in ended.err


def test_a_negative_grade_in_line_is_noted(trio: Lab) -> None:
    trio.put("outs/m.csv", IN_LINE + "q,a,1,x,1 / q,b,2,y,-1")
    assert trio.tables("--strict", refs="").code == 0
    (note,) = trio.problems("negative-grade")
    assert (note["file"], note["row"], note["effect"]) == ("m.csv", "3", "note")
    assert float(trio.value("ERR_IA@5")) == 1


def test_an_item_without_subtopics_in_line_is_judged(trio: Lab) -> None:
    trio.put("outs/m.csv", IN_LINE + "q,a,1,x,1 / q,b,2,,")
    trio.put("outs/n.csv", THREE)
    assert trio.tables(refs="").code == 0
    (note,) = trio.problems("unjudged-item")
    assert note["file"] == "n.csv"
    assert note["message"].startswith("1 item among the first 20 of 1 query never judged")
    assert note["message"].endswith("q: c")  # which is in no other ranking


# --- what is said -----------------------------------------------------------------------------------------------------


def test_a_model_whose_measures_are_all_undefined_has_nothing_scored(trio: Lab) -> None:
    trio.put("outs/n.csv", "query,item,rank / q,u,1 / q,v,2")
    trio.put("f.csv", "item,f / a,1 / b,2")
    assert trio.score("--features", "f.csv", refs="").code == 0
    line = trio.results()["n"]
    assert (line["Status"], line["Rows"], line["Scored"], line["Coverage"]) == ("unscored", "2", "0", "0.0")
    assert [row["Queries"] for row in trio.page("Summary", "n")] == [0, 0]


def test_a_query_that_differs_in_case_or_width_is_suggested(trio: Lab) -> None:
    trio.put("refs/q.csv", "query,subtopic,item / jaguar,x,a / Japan,x,a / q,x,a")
    trio.put("outs/m.csv", "query,item,rank / Jaguar,a,1 / Ｊapan,a,1 / puma,a,1 / q,a,1")
    assert trio.tables().code == 0
    jaguar, puma, japan = sorted(trio.messages("no-judgments"), key=lambda text: "Jaguar puma Ｊapan".find(text[7:11]))
    assert "did you mean 'jaguar'?" in jaguar
    assert "did you mean 'Japan'?" in japan
    assert "did you mean" not in puma


def test_an_item_that_differs_in_case_is_suggested(trio: Lab) -> None:
    trio.put("refs/q.csv", "query,subtopic,item / q,x,cat-3 / q,y,dog-1")
    trio.put("outs/m.csv", "query,item,rank / q,dog-1,1 / q,CAT-3,2 / q,eel,3")
    trio.put("f.csv", "item,f / Dog-1,1 / CAT-3,2 / eel,3")
    assert trio.tables("--features", "f.csv").code == 0
    assert "did you mean 'cat-3' for 'CAT-3'?" in trio.messages("unjudged-item")[0]
    assert "did you mean 'Dog-1'?" in trio.messages("no-features")[0]


def test_subtopics_whose_names_hold_commas_can_be_told_apart(trio: Lab) -> None:
    trio.put("refs/q.csv", 'query,subtopic,item / q,"red, hot",a / q,cold,a')
    assert trio.score().code == 0
    assert trio.page("Subtopics")[0]["Adds"] == "cold | red, hot"


def test_bad_grades_of_one_query_do_not_cost_another_its_score(lab: Lab) -> None:
    rows = "q1,A,1,a,1\nq1,B,2,b,1\nq2,A,1,a,x\nq2,B,2,b,y\n"
    lab.put("outs/m.csv", "query,item,rank,subtopics,relevance\n" + rows)
    assert lab.tables(refs="").code == 0
    (line,) = lab.lines("diversity_results.csv")
    assert (line["Scored"], line["Status"], line["alpha_nDCG@10"]) == ("2", "ok", "1.0")


def test_a_grade_that_cannot_be_meant_costs_its_file_of_judgments(lab: Lab) -> None:
    lab.put("refs/more.csv", "query,subtopic,item,relevance\nq1,c,A,1\nq1,c,B,2000\n")
    lab.put("outs/m.csv", RANKING)
    done = lab.tables()
    assert done.code == 3
    assert "refs/more.csv[Sheet1] row 3" in done.err
    assert "2000" in done.err
    assert lab.lines("m_diversity.csv")[0]["Subtopics"] == "2"
    (lab.root / "refs/qrels.csv").unlink()
    assert lab.tables().code == 4
    assert lab.tables("--max-grade", "3").code == 0
    assert lab.tables("--max-grade", "inf").code == 2
