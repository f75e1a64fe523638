"""By which texts and features are items compared, and what is said of the rest?"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.helpers.diversity import RANKING, THREE_JUDGED, Lab
from tests.helpers.files import Rows, read_csv, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import problems_of

# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_a_text_beside_an_item_is_that_rows_own(trio: Lab, order: str) -> None:
    texts = dict(zip(order, ("red fox", "blue sea"), strict=True))
    for model, text in texts.items():
        trio.put(f"outs/{model}.csv", f"query,item,rank,text / q,a,1,{text} / q,b,2,blue sea")
    (trio.outs / "m.csv").unlink()
    assert trio.tables("--distance", "text", "--cutoffs", "2").code == 0
    found = {text: float(trio.value("ILD@2", model)) for model, text in texts.items()}
    assert found == pytest.approx({"red fox": 1, "blue sea": 0}, abs=1e-12)


def test_the_order_of_rows_decides_no_text(trio: Lab) -> None:
    rows = ["q,a,1,red fox", "q,b,2,blue fox", "p,a,2,green leaf", "p,b,1,blue sea"]
    trio.put("refs/q.csv", "query,subtopic,item / q,x,a / p,x,a")
    found = []
    for each in (rows, rows[::-1]):
        trio.put("outs/m.csv", "query,item,rank,text / " + " / ".join(each))
        assert trio.tables("--distance", "text", "--cutoffs", "2").code == 0
        found.append(trio.value("ILD@2"))
    assert found[0] == found[1]
    assert 0 < float(found[0]) < 1


def test_inverse_frequencies_are_over_the_distinct_texts_of_the_run(trio: Lab) -> None:
    trio.put("outs/m.csv", "query,item,rank,text / q,a,1,red fox / q,b,2,blue fox")
    trio.put("outs/n.csv", "query,item,rank,text / q,a,1,red fox / q,c,2,red fox")
    assert trio.tables("--distance", "text", "--cutoffs", "2").code == 0
    # of two texts fox is in both and weighs 1, red and blue are in one each
    rare = math.log(3 / 2) + 1
    assert float(trio.value("ILD@2")) == pytest.approx(1 - 1 / (1 + rare**2))


def test_texts_of_a_table_leave_the_texts_of_other_items_in_line(trio: Lab) -> None:
    trio.put("outs/m.csv", "query,item,rank,text / q,a,1,one / q,b,2,two / q,c,3,three")
    trio.put("f.csv", "item,text / a,two / b,")
    assert trio.tables("--distance", "text", "--features", "f.csv").code == 0
    assert float(trio.value("ILD@5")) == pytest.approx(2 / 3)  # a has the table's text, that of b
    assert not trio.problems("no-features")


# --- features ---------------------------------------------------------------------------------------------------------


def test_a_cell_that_is_no_number_costs_its_item_the_features_and_no_column(trio: Lab) -> None:
    trio.put("f.csv", 'item,f,g / a,1,0 / b,"0,5",1 / c,1,1')
    assert trio.tables("--features", "f.csv").code == 0
    (problem,) = trio.problems("bad-number")
    assert (problem["file"], problem["row"], problem["column"], problem["effect"]) == (
        *("f.csv", "3", "f"),
        "row not scored",
    )
    assert "'0,5'" in problem["message"]
    assert float(trio.value("ILD@5")) == pytest.approx(1 - 1 / math.sqrt(2))  # of a and c
    assert trio.tables("--features", "f.csv", "--strict").code == 3


def test_about_names_the_features_and_that_auto_chose_them(trio: Lab) -> None:
    trio.put("f.csv", "item,f,g,name / a,1,0,u / b,0,1,v / c,1,1,w")
    assert trio.score("--features", "f.csv").code == 0
    distance = trio.about()["Distance"]
    assert "f, g" in distance
    assert "name" not in distance
    assert "auto" in distance
    assert trio.score().code == 0
    assert "Jaccard" in trio.about()["Distance"]
    assert "auto" in trio.about()["Distance"]


@pytest.mark.parametrize("table", ["item,name / a,u / b,v", "item / a / b", "item,query / a,1 / b,2"])
def test_a_table_without_features_and_texts_is_refused(trio: Lab, table: str) -> None:
    trio.put("f.csv", table)
    ended = trio.score("--features", "f.csv")
    assert ended.code == 2
    assert "--features" in ended.err


@pytest.mark.parametrize("name", ["query", "Query ID", "topic", "rank", "score", "Subtopic", "relevance", "doc_id"])
def test_numbers_under_the_name_of_a_key_or_grade_are_no_feature(trio: Lab, name: str) -> None:
    trio.put("f.csv", f"item,{name},f,g / a,7,1,0 / b,-7,1,0 / c,7,1,0")
    assert trio.tables("--features", "f.csv").code == 0
    assert float(trio.value("ILD@5")) == 0
    (message,) = trio.messages("other-columns")
    assert name in message


def test_features_are_not_named_beside_a_distance_of_subtopics(trio: Lab) -> None:
    trio.put("f.csv", "item,f / a,1 / b,2")
    ended = trio.score("--features", "f.csv", "--distance", "subtopics")
    assert ended.code == 2
    assert "--features" in ended.err


def test_a_table_of_texts_that_auto_passes_over_is_noted(trio: Lab) -> None:
    trio.put("f.csv", "item,text / a,one / b,two")
    assert trio.tables("--features", "f.csv").code == 0
    assert "--distance text" in trio.messages("other-columns")[0]


def test_extreme_features_leave_eild_defined(trio: Lab) -> None:
    trio.put("f.csv", "item,f,g / a,1.5e308,1.5e308 / b,1.5e308,1.5e308 / c,1,1")
    assert trio.score("--features", "f.csv").code == 0
    assert [float(trio.value(f"{name}@5")) for name in ("ILD", "EILD", "EILD_Norm")] == pytest.approx([0, 0, 0])


# --- what is said -----------------------------------------------------------------------------------------------------


def test_items_without_a_subtopic_are_listed_where_subtopics_are_compared(trio: Lab) -> None:
    trio.put("outs/m.csv", "query,item,rank / q,a,1 / q,b,2 / q,u,3 / q,v,4 / p,a,1 / p,w,2")
    trio.put("refs/q.csv", THREE_JUDGED + " / p,x,a,1")
    assert trio.tables().code == 0
    notes = {note["row"]: note["message"] for note in trio.problems("no-features")}
    assert sorted(notes) == ["4", "7"]
    assert "u, v (2 in all)" in notes["4"]
    assert "w (1 in all)" in notes["7"]


def test_a_column_of_words_is_no_feature_and_of_an_item_twice_the_last_row_counts(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    lab.put("f.csv", "item,title,x,y\nA,Alpha,1,0\nB,Beta,0,1\nB,Gamma,1,0\n")
    assert lab.tables("--features", "f.csv").code == 0
    assert lab.lines("m_diversity.csv")[0]["ILD@5"] == "0.0"
    assert lab.messages("repeated-item")
    assert "title" in lab.messages("other-columns")[0]


def test_a_feature_may_have_any_name(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    lab.put("f.csv", "item,row,source\nA,1,0\nB,2,0\n")  # one direction: no distance, though their subtopics differ
    assert lab.score("--features", "f.csv").code == 0
    assert lab.lines("m_diversity.csv")[0]["ILD@5"] == "0.0"


def test_texts_without_spaces_are_compared_by_their_characters(lab: Lab) -> None:
    lab.put("outs/m.csv", "query,item,rank,text\nq1,A,1,喜爱得不想放手\nq1,B,2,喜爱得舍不得放手\n")
    assert lab.tables("--distance", "text").code == 0
    assert 0.01 < float(lab.lines("m_diversity.csv")[0]["ILD@5"]) < 0.6


def test_texts_beside_the_rankings_serve_although_features_are_named(lab: Lab) -> None:
    lab.put("outs/m.csv", "query,item,rank,text\nq1,A,1,red\nq1,B,2,blue\n")
    lab.put("f.csv", "item,x\nA,1\nB,1\n")
    assert lab.tables("--distance", "text", "--features", "f.csv").code == 0
    assert lab.lines("m_diversity.csv")[0]["ILD@5"] == "1.0"


def test_of_an_item_twice_in_the_features_the_last_row_counts_with_or_without_a_text(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", [("query", "item", "rank"), ("q", "a", 1), ("q", "b", 2), ("q", "c", 3)])
    texts = [("item", "text"), ("b", "blue fox"), ("c", "grey fox")]
    tables: dict[str, Rows] = {"twice": [texts[0], ("a", "red sea"), *texts[1:], ("a", "")], "never": texts}
    found = {}
    for name, rows in tables.items():
        write_csv(tmp_path / f"{name}.csv", rows)
        options = ("--features", f"{name}.csv", "--distance", "text", "--cutoffs", "3")
        assert run("diversity", "outs", "-o", name, *options).code == 0
        found[name] = float(read_csv(tmp_path / name / "m_diversity.csv")[0]["ILD@3"])
    assert 0 < found["twice"] == found["never"] < 1
    assert problems_of(tmp_path / "twice", "repeated-item")[0]["message"].endswith("1 item in the table twice: a")
