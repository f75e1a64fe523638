"""`scoresheet diversity`: what a second look found wrong, each as it was met."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from scoresheet.metrics import diversity_of_run, intra_list_diversity
from scoresheet.metrics.families.diversity.distances import cosine_blocks, unit_vectors

from .files import Result, Run, sheet_rows
from .studies import Workplace

RANKED = "query,item,rank / q,a,1 / q,b,2 / q,c,3"
JUDGED = "query,subtopic,item,relevance / q,x,a,1 / q,y,b,1 / q,x,c,1"


@dataclass(frozen=True)
class Study(Workplace):
    """Rankings in `outs`, judgments in `refs`; lines of a table are written with a stroke between them."""

    stem: ClassVar[str] = "diversity"

    def put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(" / ", "\n") + "\n", encoding="utf-8")

    def score(self, *options: str, refs: str = "refs") -> Result:
        return self.run("diversity", "outs", *([refs] if refs else []), "-o", "res", *options)

    def value(self, measure: str, model: str = "m") -> str:
        return self.results()[model][measure]

    def messages(self, kind: str) -> list[str]:
        return [problem["message"] for problem in self.problems(kind)]

    def about(self, model: str = "m") -> dict[str, str]:
        """The About page as a mapping."""
        rows = [[str(cell) for cell in row if cell is not None] for row in sheet_rows(self.workbook(model), "About")]
        return {row[0]: row[1] for row in reversed(rows) if len(row) > 1}


@pytest.fixture
def study(tmp_path: Path, run: Run) -> Study:
    study = Study(tmp_path, run)
    study.put("outs/m.csv", RANKED)
    study.put("refs/q.csv", JUDGED)
    return study


# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_a_text_beside_an_item_is_that_rows_own(study: Study, order: str) -> None:
    texts = dict(zip(order, ("red fox", "blue sea"), strict=True))
    for model, text in texts.items():
        study.put(f"outs/{model}.csv", f"query,item,rank,text / q,a,1,{text} / q,b,2,blue sea")
    (study.outs / "m.csv").unlink()
    assert study.score("--distance", "text", "--cutoffs", "2").code == 0
    found = {text: float(study.value("ILD@2", model)) for model, text in texts.items()}
    assert found == pytest.approx({"red fox": 1, "blue sea": 0}, abs=1e-12)


def test_the_order_of_rows_decides_no_text(study: Study) -> None:
    rows = ["q,a,1,red fox", "q,b,2,blue fox", "p,a,2,green leaf", "p,b,1,blue sea"]
    study.put("refs/q.csv", "query,subtopic,item / q,x,a / p,x,a")
    found = []
    for each in (rows, rows[::-1]):
        study.put("outs/m.csv", "query,item,rank,text / " + " / ".join(each))
        assert study.score("--distance", "text", "--cutoffs", "2").code == 0
        found.append(study.value("ILD@2"))
    assert found[0] == found[1]
    assert 0 < float(found[0]) < 1


def test_inverse_frequencies_are_over_the_distinct_texts_of_the_run(study: Study) -> None:
    study.put("outs/m.csv", "query,item,rank,text / q,a,1,red fox / q,b,2,blue fox")
    study.put("outs/n.csv", "query,item,rank,text / q,a,1,red fox / q,c,2,red fox")
    assert study.score("--distance", "text", "--cutoffs", "2").code == 0
    # of two texts fox is in both and weighs 1, red and blue are in one each
    rare = math.log(3 / 2) + 1
    assert float(study.value("ILD@2")) == pytest.approx(1 - 1 / (1 + rare**2))


def test_texts_of_a_table_leave_the_texts_of_other_items_in_line(study: Study) -> None:
    study.put("outs/m.csv", "query,item,rank,text / q,a,1,one / q,b,2,two / q,c,3,three")
    study.put("f.csv", "item,text / a,two / b,")
    assert study.score("--distance", "text", "--features", "f.csv").code == 0
    assert float(study.value("ILD@5")) == pytest.approx(2 / 3)  # a has the table's text, that of b
    assert not study.problems("no-features")


# --- features ---------------------------------------------------------------------------------------------------------


def test_a_cell_that_is_no_number_costs_its_item_the_features_and_no_column(study: Study) -> None:
    study.put("f.csv", 'item,f,g / a,1,0 / b,"0,5",1 / c,1,1')
    assert study.score("--features", "f.csv").code == 0
    (problem,) = study.problems("bad-number")
    assert (problem["file"], problem["row"], problem["column"], problem["effect"]) == (
        *("f.csv", "3", "f"),
        "row not scored",
    )
    assert "'0,5'" in problem["message"]
    assert float(study.value("ILD@5")) == pytest.approx(1 - 1 / math.sqrt(2))  # of a and c
    assert study.score("--features", "f.csv", "--strict").code == 3


def test_about_names_the_features_and_that_auto_chose_them(study: Study) -> None:
    study.put("f.csv", "item,f,g,name / a,1,0,u / b,0,1,v / c,1,1,w")
    assert study.score("--features", "f.csv").code == 0
    distance = study.about()["Distance"]
    assert "f, g" in distance
    assert "name" not in distance
    assert "auto" in distance
    assert study.score().code == 0
    assert "Jaccard" in study.about()["Distance"]
    assert "auto" in study.about()["Distance"]


@pytest.mark.parametrize("table", ["item,name / a,u / b,v", "item / a / b", "item,query / a,1 / b,2"])
def test_a_table_without_features_and_texts_is_refused(study: Study, table: str) -> None:
    study.put("f.csv", table)
    ended = study.score("--features", "f.csv")
    assert ended.code == 2
    assert "--features" in ended.err


@pytest.mark.parametrize("name", ["query", "Query ID", "topic", "rank", "score", "Subtopic", "relevance", "doc_id"])
def test_numbers_under_the_name_of_a_key_or_grade_are_no_feature(study: Study, name: str) -> None:
    study.put("f.csv", f"item,{name},f,g / a,7,1,0 / b,-7,1,0 / c,7,1,0")
    assert study.score("--features", "f.csv").code == 0
    assert float(study.value("ILD@5")) == 0
    (message,) = study.messages("other-columns")
    assert name in message


def test_features_are_not_named_beside_a_distance_of_subtopics(study: Study) -> None:
    study.put("f.csv", "item,f / a,1 / b,2")
    ended = study.score("--features", "f.csv", "--distance", "subtopics")
    assert ended.code == 2
    assert "--features" in ended.err


def test_a_table_of_texts_that_auto_passes_over_is_noted(study: Study) -> None:
    study.put("f.csv", "item,text / a,one / b,two")
    assert study.score("--features", "f.csv").code == 0
    assert "--distance text" in study.messages("other-columns")[0]


@pytest.mark.parametrize("size", [1.5e308, 1e-310, 5e-324])
def test_features_of_any_size_have_a_direction(size: float) -> None:
    rows = np.array([[size, size], [size, size], [1.0, 1.0], [size, -size]])
    assert intra_list_diversity(rows, [3, 4]) == pytest.approx({3: 0, 4: 0.5}, abs=1e-12)
    units, present = unit_vectors(rows)
    assert present.all()
    assert cosine_blocks(units)(0, 3, 3) == pytest.approx(np.zeros((3, 3)), abs=1e-12)


def test_extreme_features_leave_eild_defined(study: Study) -> None:
    study.put("f.csv", "item,f,g / a,1.5e308,1.5e308 / b,1.5e308,1.5e308 / c,1,1")
    assert study.score("--features", "f.csv").code == 0
    assert [float(study.value(f"{name}@5")) for name in ("ILD", "EILD", "EILD_Norm")] == pytest.approx([0, 0, 0])


# --- grades -----------------------------------------------------------------------------------------------------------


def test_a_max_grade_below_the_largest_is_noted_with_how_many_it_cuts(study: Study) -> None:
    study.put("refs/q.csv", "query,subtopic,item,relevance / q,x,a,4 / q,y,b,3 / q,x,c,2")
    assert study.score("--max-grade", "2").code == 0
    (note,) = study.problems("large-grade")
    assert note["effect"] == "note"
    assert note["message"].startswith("2 judgments")
    assert study.score("--max-grade", "4").code == 0
    assert not study.problems("large-grade")


@pytest.mark.parametrize("grade", [1e-17, 5e-324])
def test_the_smallest_grade_above_0_is_relevant(grade: float) -> None:
    judgments = [("q", "x", "a", grade), ("q", "y", "b", 3.0)]
    found = diversity_of_run({"q": ["a", "b"]}, judgments, cutoffs=[1])["q"]
    assert found["S_Recall@1"] == 0.5
    assert found["alpha_nDCG@1"] == 1


def test_a_small_grade_keeps_its_probability() -> None:
    judgments = [("q", "x", "a", 1e-12), ("q", "y", "b", 3.0)]
    found = diversity_of_run({"q": ["a"]}, judgments, cutoffs=[1])["q"]
    assert found["ERR_IA@1"] == pytest.approx(1e-12 * math.log(2) / 8 / 2, rel=1e-6)


def test_about_says_what_relevance_grades_were_given(study: Study) -> None:
    assert study.score().code == 0
    assert "0..1" in study.about()["Relevance"]
    study.put("refs/q.csv", "query,subtopic,item,relevance / q,x,a,3 / q,y,b,1 / q,x,c,1")
    assert study.score().code == 0
    assert "2^3" in study.about()["Relevance"]
    assert study.score("--max-grade", "4").code == 0
    assert "2^4" in study.about()["Relevance"]
    assert "--max-grade" in study.about()["Relevance"]


def test_about_says_how_eild_is_discounted(study: Study) -> None:
    assert study.score().code == 0
    assert "0.85" in study.about()["ILD, EILD"]
    assert "0.85" in study.about()["EILD_Norm@5"]


IN_LINE = "query,item,rank,subtopics,relevance / "


def test_a_grade_in_line_that_cannot_be_meant_costs_that_models_file(study: Study) -> None:
    study.put("outs/m.csv", IN_LINE + "q,a,1,x,1 / q,b,2,y,1")
    study.put("outs/bad.csv", IN_LINE + "q,a,1,x,1 / q,b,2,z,70")
    ended = study.score(refs="")
    assert ended.code == 3
    (problem,) = study.problems("bad-grade")
    assert (problem["file"], problem["row"], problem["effect"]) == ("bad.csv", "3", "file skipped")
    assert study.results()["bad"]["Status"] == "failed"
    assert float(study.value("S_Recall@5")) == 1
    (study.outs / "m.csv").unlink()
    ended = study.score(refs="")
    assert ended.code == 4
    assert "bad.csv[Sheet1] row 3" in ended.err


@pytest.mark.parametrize("features", [False, True])
def test_judgments_without_a_usable_row_score_nothing_and_are_shown(study: Study, features: bool) -> None:
    study.put("refs/q.csv", "query,subtopic,item,relevance / q,x,a,high")
    study.put("f.csv", "item,f / a,1 / b,2")
    ended = study.score(*(["--features", "f.csv"] if features else []))
    assert ended.code == 4
    assert "refs/q.csv[Sheet1] row 2" in ended.err
    assert "'high'" in ended.err


def test_judgments_in_line_without_a_usable_grade_score_nothing_and_are_shown(study: Study) -> None:
    study.put("outs/m.csv", IN_LINE + "q,a,1,x,high / q,b,2,y,low")
    ended = study.score(refs="")
    assert ended.code == 4
    assert "row 2" in ended.err
    assert "'high'" in ended.err


def test_a_negative_grade_in_line_is_noted(study: Study) -> None:
    study.put("outs/m.csv", IN_LINE + "q,a,1,x,1 / q,b,2,y,-1")
    assert study.score("--strict", refs="").code == 0
    (note,) = study.problems("negative-grade")
    assert (note["file"], note["row"], note["effect"]) == ("m.csv", "3", "note")
    assert float(study.value("ERR_IA@5")) == 1


def test_an_item_without_subtopics_in_line_is_judged(study: Study) -> None:
    study.put("outs/m.csv", IN_LINE + "q,a,1,x,1 / q,b,2,,")
    study.put("outs/n.csv", RANKED)
    assert study.score(refs="").code == 0
    (note,) = study.problems("unjudged-item")
    assert (note["file"], note["row"]) == ("n.csv", "4")  # c, which is in no other ranking


# --- what ndeval is ---------------------------------------------------------------------------------------------------


def test_about_describes_the_definition_that_was_used(study: Study) -> None:
    assert study.score().code == 0
    assert "at most 1" in study.about()["Ideal"]
    assert study.score("--definition", "ndeval").code == 0
    about = study.about()
    assert "can exceed 1" in about["Ideal"]
    assert "can exceed 1" in about["alpha_nDCG@5"]
    assert "(1−α)^(i−1)/i" in about["ERR_IA"]
    assert not [text for text in about.values() if "at most 1" in text]


def test_under_ndeval_targets_serve_proportionality_alone(study: Study) -> None:
    assert study.score("--definition", "ndeval").code == 0
    before = study.results()["m"]
    study.put("t.csv", "query,subtopic,share / q,x,0.25 / q,y,0.25 / q,w,0.5")
    assert study.score("--definition", "ndeval", "--targets", "t.csv").code == 0
    after = study.results()["m"]
    assert {name.split("@")[0] for name in after if after[name] != before[name]} == {"Proportionality"}
    # shares 2/3 and 1/3 against 1/4 and 1/4, and a half that is elsewhere
    assert float(after["Proportionality@5"]) == pytest.approx(1 - (5 / 12 + 1 / 12 + 1 / 2) / 2)
    study.put("t.csv", "subtopic,share / w,1")
    assert study.score("--definition", "ndeval", "--targets", "t.csv").code == 0
    assert float(study.value("Proportionality@5")) == 0


# --- what is said -----------------------------------------------------------------------------------------------------


def test_a_model_whose_measures_are_all_undefined_has_nothing_scored(study: Study) -> None:
    study.put("outs/n.csv", "query,item,rank / q,u,1 / q,v,2")
    study.put("f.csv", "item,f / a,1 / b,2")
    assert study.score("--features", "f.csv", refs="").code == 0
    line = study.results()["n"]
    assert (line["Status"], line["Rows"], line["Scored"], line["Coverage"]) == ("unscored", "2", "0", "0.0")
    assert [row["Queries"] for row in study.page("Summary", "n")] == [0, 0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.run", "q Q0 a 9 5 t / q Q0 b 1 5 t / q Q0 c 2 4 t"),
        ("m.csv", "query,item,rank,score / q,a,1,1 / q,b,2, / q,c,3,9"),
    ],
)
def test_rank_and_score_disagree_also_across_ties_and_blanks(study: Study, name: str, text: str) -> None:
    (study.outs / "m.csv").unlink()
    study.put(f"outs/{name}", text)
    assert study.score().code == 0
    assert len(study.problems("rank-and-score")) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.run", "q Q0 b 1 5 t / q Q0 a 2 5 t / q Q0 c 3 4 t"),
        ("m.csv", "query,item,rank,score / q,a,1,9 / q,b,1,1 / q,c,2,1 / q,d,3, / q,e,4,0"),
    ],
)
def test_ties_in_rank_or_score_are_no_disagreement(study: Study, name: str, text: str) -> None:
    (study.outs / "m.csv").unlink()
    study.put(f"outs/{name}", text)
    assert study.score().code == 0
    assert not study.problems("rank-and-score")


def test_a_query_that_differs_in_case_or_width_is_suggested(study: Study) -> None:
    study.put("refs/q.csv", "query,subtopic,item / jaguar,x,a / Japan,x,a / q,x,a")
    study.put("outs/m.csv", "query,item,rank / Jaguar,a,1 / Ｊapan,a,1 / puma,a,1 / q,a,1")
    assert study.score().code == 0
    jaguar, puma, japan = sorted(study.messages("no-judgments"), key=lambda text: "Jaguar puma Ｊapan".find(text[7:11]))
    assert "did you mean 'jaguar'?" in jaguar
    assert "did you mean 'Japan'?" in japan
    assert "did you mean" not in puma


def test_an_item_that_differs_in_case_is_suggested(study: Study) -> None:
    study.put("refs/q.csv", "query,subtopic,item / q,x,cat-3 / q,y,dog-1")
    study.put("outs/m.csv", "query,item,rank / q,dog-1,1 / q,CAT-3,2 / q,eel,3")
    study.put("f.csv", "item,f / Dog-1,1 / CAT-3,2 / eel,3")
    assert study.score("--features", "f.csv").code == 0
    assert "did you mean 'cat-3' for 'CAT-3'?" in study.messages("unjudged-item")[0]
    assert "did you mean 'Dog-1'?" in study.messages("no-features")[0]


def test_items_without_a_subtopic_are_listed_where_subtopics_are_compared(study: Study) -> None:
    study.put("outs/m.csv", "query,item,rank / q,a,1 / q,b,2 / q,u,3 / q,v,4 / p,a,1 / p,w,2")
    study.put("refs/q.csv", JUDGED + " / p,x,a,1")
    assert study.score().code == 0
    notes = {note["row"]: note["message"] for note in study.problems("no-features")}
    assert sorted(notes) == ["4", "7"]
    assert "u, v (2 in all)" in notes["4"]
    assert "w (1 in all)" in notes["7"]


@pytest.mark.parametrize(("option", "column"), [("intents", "weight"), ("targets", "share")])
def test_notes_on_a_table_of_weights_name_its_file(study: Study, option: str, column: str) -> None:
    study.put("more/w.csv", f"query,subtopic,{column} / q,x,3 / q,X,1 / Q,x,1")
    ended = study.score(f"--{option}", "more/w.csv")
    assert ended.code == 0
    notes = study.problems("weights-normalised") + study.problems("unmatched-weights")
    assert [note["file"] for note in notes] == ["w.csv"] * 3
    assert "note: more/w.csv" in ended.err
    assert "note: refs" not in ended.err
    assert [note["message"].partition("did you mean ")[2] for note in notes] == ["", "'q'?", "'x'?"]


def test_subtopics_whose_names_hold_commas_can_be_told_apart(study: Study) -> None:
    study.put("refs/q.csv", 'query,subtopic,item / q,"red, hot",a / q,cold,a')
    assert study.score().code == 0
    assert study.page("Subtopics")[0]["Adds"] == "cold | red, hot"
