"""Do whole runs take the tables that people have, and does every hint on the way lead through?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.disagree import items, judged, results
from tests.helpers.files import Rows, read_csv, write_book
from tests.helpers.runs import Run

pytestmark = pytest.mark.usefixtures("no_workbooks")

WIDE = "item,ann,bob|q1,4,80|q2,2,20|q3,5,100|q4,1,0|q5,3,50|q6,4,75"
MODELS = "item,model,judge,score|" + "|".join(
    f"q{item},{model},{judge},{(item + len(model) * item % 3) % 5 + 1}"
    for item in range(6)
    for model in ("gpt", "llama")
    for judge in "ab"
)


def test_a_table_of_dimensions_is_partial_until_it_is_said_what_its_columns_are(run: Run, tmp_path: Path) -> None:
    text = "item,accuracy,style|q1,.4,.8|q2,.2,.1|q3,.5,.6|q4,.1,.2|q5,.3,.3"
    done = judged(run, tmp_path, text)
    assert (done.code, results(tmp_path)["Status"]) == (0, "partial")
    assert "--columns-are dimensions if they are dimensions" in done.err
    assert judged(run, tmp_path, text, "--strict").code == 3
    for way in ("judges", "dimensions"):
        assert judged(run, tmp_path, text, "--columns-are", way, "--strict").code == 0
        assert results(tmp_path)["Status"] == "ok"


def test_a_judge_on_another_scale_is_named_with_the_option_that_mends_it(run: Run, tmp_path: Path) -> None:
    done = judged(run, tmp_path, WIDE, "--scale", "0:100")
    assert "declare it: --scale ann=1:5" in done.err
    alphas = []
    for words in (("--scale", "0:100", "--scale", "ann=1:5"), ("--scale", "0:100,ann=1:5")):
        mended = judged(run, tmp_path, WIDE, *words)
        assert "another scale" not in mended.err
        alphas.append(results(tmp_path)["Alpha"])
    assert float(alphas[0]) > 0.95
    assert len(set(alphas)) == 1
    assert (items(tmp_path)[0]["Score_ann"], items(tmp_path)[0]["Score_bob"]) == ("0.75", "0.8")


def test_scales_of_a_variable_may_be_of_judges_with_blanks_in_their_names(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCORESHEET_SCALE", "0:100,ann lee=1:5")
    assert judged(run, tmp_path, WIDE.replace("ann", "ann lee")).code == 0
    assert items(tmp_path)[0]["Score_ann lee"] == "0.75"


def test_items_of_several_models_have_a_column_model_and_results_by_model(run: Run, tmp_path: Path) -> None:
    done = judged(run, tmp_path, MODELS, "--scale", "1:5", "--by", "model")
    assert (done.code, results(tmp_path)["Items"]) == (0, "12")
    assert "--by model tells them apart" in done.err
    assert [(line["Item"], line["Model"]) for line in items(tmp_path)][:2] == [("q0", "gpt"), ("q0", "llama")]
    parts = read_csv(tmp_path / "out" / "disagreement_by_model.csv")
    assert {line["model"] for line in parts} == {"gpt", "llama"}


def test_sheets_that_are_dimensions_make_one_panel_and_keep_columns(run: Run, tmp_path: Path) -> None:
    sheets: dict[str, Rows] = {
        name: [["item", "topic", "ann", "bob"], *([f"q{i}", f"t{i}", (i + step) % 5 + 1, i % 5 + 1] for i in rows)]
        for name, step, rows in (("accuracy", 0, range(6)), ("style", 1, range(1, 7)))
    }
    write_book(tmp_path / "m.xlsx", sheets)
    rounds = run("disagree", "m.xlsx", "-o", "out", "--scale", "1:5", "--dimensions", "ann,bob")
    assert "--sheets-are dimensions makes one panel of them" in rounds.err
    assert results(tmp_path)["Items"] == "12"
    words = ("--scale", "1:5", "--dimensions", "ann,bob", "--sheets-are", "dimensions", "--keep", "topic")
    done = run("disagree", "m.xlsx", "-o", "out", *words)
    assert (done.code, "sheets-are" in done.err) == (0, False)
    assert (results(tmp_path)["Items"], results(tmp_path)["Rows"]) == ("7", "12")
    lines = items(tmp_path)
    assert [(line["Item"], line["topic"]) for line in lines] == [(f"q{i}", f"t{i}") for i in range(7)]
    assert lines[1]["Mean_accuracy"] == "0.25"


def test_two_judges_whose_names_could_both_be_the_score_keep_them(run: Run, tmp_path: Path) -> None:
    text = "item,Rating,grade,ann|q1,.4,.8,.5|q2,.2,.1,.2|q3,.5,.6,.5|q4,.1,.2,.3"
    assert judged(run, tmp_path, text).code == 0
    assert {name for name in items(tmp_path)[0] if name.startswith("Score_")} == {
        "Score_Rating",
        "Score_grade",
        "Score_ann",
    }
    other = text.replace("Rating", "bob").replace("grade", "carl")
    alpha = results(tmp_path)["Alpha"]
    assert judged(run, tmp_path, other).code == 0
    assert results(tmp_path)["Alpha"] == alpha


def test_two_headers_that_could_be_the_score_of_a_judge_are_in_doubt_and_the_hint_mends_it(
    run: Run, tmp_path: Path
) -> None:
    text = "item,judge,rating,grade|q1,a,.4,.8|q1,b,.2,.1|q2,a,.5,.6|q2,b,.1,.2"
    done = judged(run, tmp_path, text)
    assert (done.code, "could both be score; say which: --column score=rating" in done.err) == (4, True)
    assert judged(run, tmp_path, text, "--column", "score=rating").code == 0


def test_the_models_of_the_items_can_be_switched_off(run: Run, tmp_path: Path) -> None:
    alone = "|".join(line for line in MODELS.split("|") if "llama" not in line)
    assert judged(run, tmp_path, alone + "|q9,llama,a,4|q9,llama,b,5", "--scale", "1:5", "--model-column", "").code == 0
    assert results(tmp_path)["Status"] == "partial"
    assert "Model" not in items(tmp_path)[0]
    done = judged(run, tmp_path, MODELS, "--scale", "1:5", "--model-column", "")
    assert done.code == 4
    assert "q0" in done.err  # by itself each item has two scores of a judge, and none is taken for the other
