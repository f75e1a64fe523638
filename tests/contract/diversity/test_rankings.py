"""In which order are items ranked, and which text files are rankings?"""

from __future__ import annotations

from tests.helpers.diversity import RANKING, Lab

# --- what is said -----------------------------------------------------------------------------------------------------


def test_rank_and_score_disagree_also_across_ties(trio: Lab) -> None:
    (trio.outs / "m.csv").unlink()
    trio.put("outs/m.run", "q Q0 a 9 5 t / q Q0 b 1 5 t / q Q0 c 2 4 t")
    assert trio.tables().code == 0
    assert len(trio.problems("rank-and-score")) == 1


def test_ties_in_score_are_no_disagreement(trio: Lab) -> None:
    (trio.outs / "m.csv").unlink()
    trio.put("outs/m.run", "q Q0 b 1 5 t / q Q0 a 2 5 t / q Q0 c 3 4 t")
    assert trio.tables().code == 0
    assert not trio.problems("rank-and-score")


def test_a_rank_column_without_a_rank_leaves_the_order_to_the_score(lab: Lab) -> None:
    lab.put("outs/m.csv", "query,item,rank,score\nq1,A,,1\nq1,Z,,2\n")
    assert lab.tables().code == 0
    assert float(lab.lines("m_diversity.csv")[0]["ERR_IA@5"]) == 0.25


def test_a_text_file_with_six_words_in_its_first_line_is_no_ranking(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    lab.put("outs/README.txt", "this is how we made them\n")
    assert lab.tables().code == 0
    assert [line["Model Name"] for line in lab.lines("diversity_results.csv")] == ["m"]


def test_a_trec_id_may_hold_unusual_blanks(lab: Lab) -> None:
    lab.put("outs/m.run", "q1 Q0 A\u00a0\u2028x 1 2 t\r\nq1\tQ0\tB 2 1 t\r\n")
    assert lab.score().code == 0
    assert lab.lines("m_diversity.csv")[0]["Retrieved"] == "2"


def test_a_deep_cut_off_costs_no_more_than_the_list_is_long(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    assert lab.score("--cutoffs", "10,100000").code == 0
    line = lab.lines("m_diversity.csv")[0]
    assert line["alpha_nDCG@100000"] == line["alpha_nDCG@10"]
    assert line["ILD@100000"] == line["ILD@10"]
