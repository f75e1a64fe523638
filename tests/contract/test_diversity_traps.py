"""Traps that rankings, judgments and tables of weights can hold."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import load_workbook

from scoresheet.metrics import diversity_of_run, intra_list_diversity
from tests.conftest import Result, Run

QRELS = "query,subtopic,item,relevance\n" + "".join(f"q{n},a,A,1\nq{n},b,B,1\n" for n in range(1, 9))
RANKING = "query,item,rank\n" + "".join(f"q{n},A,1\nq{n},B,2\n" for n in range(1, 9))


class Lab:
    """A working directory with systems in `outs` and judgments in `refs`."""

    def __init__(self, root: Path, run: Run) -> None:
        self.root, self.run = root, run
        self.put("refs/qrels.csv", QRELS)

    def put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")

    def score(self, *options: str, refs: bool = True) -> Result:
        return self.run("diversity", "outs", *(["refs"] if refs else []), "-o", "res", *options)

    def lines(self, name: str) -> list[dict[str, str]]:
        with (self.root / "res" / name).open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    def notes(self, kind: str) -> list[str]:
        return [line["message"] for line in self.lines("problems.csv") if line["kind"] == kind]

    def comparison(self, measure: str = "alpha_nDCG@10") -> dict[str, Any]:
        rows = load_workbook(self.root / "res/diversity_results.xlsx")["Comparisons"].iter_rows(values_only=True)
        head = [str(name) for name in next(rows)]
        found = [dict(zip(head, row, strict=True)) for row in rows]
        return next(line for line in found if line["Measure"] == measure)


@pytest.fixture
def lab(tmp_path: Path, run: Run) -> Lab:
    return Lab(tmp_path, run)


def test_bad_grades_of_one_query_do_not_cost_another_its_score(lab: Lab) -> None:
    rows = "q1,A,1,a,1\nq1,B,2,b,1\nq2,A,1,a,x\nq2,B,2,b,y\n"
    lab.put("outs/m.csv", "query,item,rank,subtopics,relevance\n" + rows)
    assert lab.score(refs=False).code == 0
    (line,) = lab.lines("diversity_results.csv")
    assert (line["Scored"], line["Status"], line["alpha_nDCG@10"]) == ("2", "ok", "1.0")


def test_a_query_in_several_sheets_is_one_unit_of_a_comparison(lab: Lab) -> None:
    worse = RANKING.replace(",A,1", ",Z,1").replace(",B,2", ",A,2")
    for sheet in ("s1", "s2", "s3"):
        lab.put(f"outs/good/{sheet}.csv", RANKING)
        lab.put(f"outs/poor/{sheet}.csv", worse)
    assert lab.score().code == 0
    line = lab.comparison()
    assert line["Queries"] == 8
    assert line["P_Value"] == pytest.approx(2 / 2**8)
    assert line["Finding"] == "good is higher"


def test_a_system_of_one_sheet_is_compared_with_one_of_several(lab: Lab) -> None:
    lab.put("outs/one.csv", RANKING)
    lab.put("outs/two/s1.csv", RANKING)
    lab.put("outs/two/s2.csv", RANKING)
    assert lab.score().code == 0
    line = lab.comparison()
    assert (line["Queries"], line["Difference"], line["P_Value"]) == (8, 0, 1)


def test_too_few_queries_are_called_too_few(lab: Lab) -> None:
    lab.put("outs/a.csv", "".join(RANKING.splitlines(keepends=True)[:7]))
    lab.put("outs/b.csv", "query,item,rank\nq1,B,2\nq1,Z,1\nq2,B,2\nq2,Z,1\nq3,B,2\nq3,Z,1\n")
    assert lab.score().code == 0
    assert lab.comparison()["Finding"] == "too few queries to tell"


def test_a_grade_that_cannot_be_meant_costs_its_file_of_judgments(lab: Lab) -> None:
    lab.put("refs/more.csv", "query,subtopic,item,relevance\nq1,c,A,1\nq1,c,B,2000\n")
    lab.put("outs/m.csv", RANKING)
    done = lab.score()
    assert done.code == 3
    assert "refs/more.csv[Sheet1] row 3" in done.err
    assert "2000" in done.err
    assert lab.lines("m_diversity.csv")[0]["Subtopics"] == "2"
    (lab.root / "refs/qrels.csv").unlink()
    assert lab.score().code == 4
    assert lab.score("--max-grade", "3").code == 0
    assert lab.score("--max-grade", "inf").code == 2


@pytest.mark.parametrize("option", ["--intents", "--targets"])
def test_what_a_table_of_weights_names_and_no_judgment_does_is_noted(lab: Lab, option: str) -> None:
    lab.put("outs/m.csv", RANKING)
    column = "weight" if option == "--intents" else "share"
    lab.put("w.csv", f"query,subtopic,{column}\nq1,A,50%\nq1,a,0.5\nq99,a,1\n")
    assert lab.score(option, "w.csv").code == 0
    queries, subtopics = lab.notes("unmatched-weights")
    assert "q99" in queries
    assert "q1: A" in subtopics
    assert not lab.notes("weights-normalised")  # 50% beside 0.5 is 1


def test_a_row_of_weights_without_a_subtopic_is_a_usage_error(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    lab.put("w.csv", "query,subtopic,weight\nq1,,1\n")
    assert lab.score("--intents", "w.csv").code == 2


def test_a_column_of_words_is_no_feature_and_of_an_item_twice_the_last_row_counts(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    lab.put("f.csv", "item,title,x,y\nA,Alpha,1,0\nB,Beta,0,1\nB,Gamma,1,0\n")
    assert lab.score("--features", "f.csv").code == 0
    assert lab.lines("m_diversity.csv")[0]["ILD@5"] == "0.0"
    assert lab.notes("repeated-item")
    assert "title" in lab.notes("other-columns")[0]


def test_a_feature_may_have_any_name(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    lab.put("f.csv", "item,row,source\nA,1,0\nB,2,0\n")  # one direction: no distance, though their subtopics differ
    assert lab.score("--features", "f.csv").code == 0
    assert lab.lines("m_diversity.csv")[0]["ILD@5"] == "0.0"


def test_texts_without_spaces_are_compared_by_their_characters(lab: Lab) -> None:
    lab.put("outs/m.csv", "query,item,rank,text\nq1,A,1,喜爱得不想放手\nq1,B,2,喜爱得舍不得放手\n")
    assert lab.score("--distance", "text").code == 0
    assert 0.01 < float(lab.lines("m_diversity.csv")[0]["ILD@5"]) < 0.6


def test_texts_beside_the_rankings_serve_although_features_are_named(lab: Lab) -> None:
    lab.put("outs/m.csv", "query,item,rank,text\nq1,A,1,red\nq1,B,2,blue\n")
    lab.put("f.csv", "item,x\nA,1\nB,1\n")
    assert lab.score("--distance", "text", "--features", "f.csv").code == 0
    assert lab.lines("m_diversity.csv")[0]["ILD@5"] == "1.0"


def test_a_rank_column_without_a_rank_leaves_the_order_to_the_score(lab: Lab) -> None:
    lab.put("outs/m.csv", "query,item,rank,score\nq1,A,,1\nq1,Z,,2\n")
    assert lab.score().code == 0
    assert float(lab.lines("m_diversity.csv")[0]["ERR_IA@5"]) == 0.25


def test_the_tools_definition_refuses_what_it_does_not_know(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    assert lab.score("--definition", "ndeval", "--graded").code == 2


def test_a_text_file_with_six_words_in_its_first_line_is_no_ranking(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    lab.put("outs/README.txt", "this is how we made them\n")
    assert lab.score().code == 0
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


def test_tiny_and_huge_features_have_a_direction_all_the_same() -> None:
    for size in (1e-200, 1e200):
        assert intra_list_diversity(np.array([[size, 0], [0, size], [size, 0]]), [3])[3] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("alpha", "cutoffs"), [(2.0, [5]), (-1.0, [5]), (0.5, []), (0.5, [0])])
def test_python_is_told_what_cannot_be(alpha: float, cutoffs: list[int]) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        diversity_of_run({"q": ["A"]}, [("q", "a", "A", 1)], alpha=alpha, cutoffs=cutoffs)
