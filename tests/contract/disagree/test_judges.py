"""Which columns and rows are judges, items and labels, and which are remarks?"""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from scoresheet.metrics import krippendorff_alpha
from tests.helpers.disagree import judged, listed, problems, results, table
from tests.helpers.files import read_csv, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import problems_of

pytestmark = pytest.mark.usefixtures("no_workbooks")

SCORES = [("item", "ann", "bob", "cleo"), ("q1", 1, 2, 1), ("q2", 4, 5, 4), ("q3", 3, 3, 3), ("q4", 2, 2, 1)]


def test_an_item_that_is_called_as_a_summary_is_said_aloud(run: Run, tmp_path: Path) -> None:
    names = ("Average", "TOTAL:", "平均")
    write_csv(tmp_path / "outs/m.csv", [SCORES[0], *((name, 2.5, 3, 2.25) for name in names), *SCORES[1:]])
    done = run("disagree", "outs", "-o", "res", "--scale", "1:5")
    assert done.code == 0
    for name in names:
        assert f"the item {name!r} counts as one; if it sums up the others, delete its row" in done.err
    assert [line["row"] for line in problems_of(tmp_path / "res", "summary-row")] == ["2", "3", "4"]


def test_rows_below_the_items_that_sum_them_up_are_no_items(run: Run, tmp_path: Path) -> None:
    names = ("Average", "TOTAL:", "平均")
    write_csv(tmp_path / "outs/m.csv", [*SCORES, *((name, 2.5, 3, 2.25) for name in names)])
    done = run("disagree", "outs", "-o", "out", "--scale", "1:5")
    assert done.code == 0
    for name in names:
        assert f"{name!r} sums up or remarks on the rows above; it is no row of the data" in done.err
    assert [line["row"] for line in problems_of(tmp_path / "out", "summary-row")] == ["6", "7", "8"]
    assert results(tmp_path)["Items"] == "4"


def test_a_column_made_of_the_others_is_no_judge(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,Mean,ann,bob|q1,0.1,0.2,0.4|q2,0.2,0.6,0.8|q3,0.3,0.9,0.7").code == 0
    assert results(tmp_path)["Judges"] == "2"
    assert any("Mean" in message and "not used" in message for message in problems(tmp_path, "other-columns"))
    assert problems(tmp_path, "columns-are")[0].startswith("read as a column per judge: ann, bob;")
    assert run("disagree", "in", "-o", "out", "--dimensions", "Mean,ann,bob").code == 0
    assert results(tmp_path)["Judges"] == "3"


def test_a_column_named_twice_counts_once_and_the_item_is_none(run: Run, tmp_path: Path) -> None:
    text = "item,Ann,bob|1,0.2,0.4|2,0.6,0.8|3,0.9,0.7"
    assert judged(run, tmp_path, text, "--dimensions", "Ann,ann,bob").code == 0
    assert results(tmp_path)["Judges"] == "2"
    refused = run("disagree", "in", "-o", "out", "--dimensions", "item,bob")
    assert (refused.code, "no column item" in refused.err) == (4, True)


def test_a_name_of_thousands_of_digits_is_a_name(run: Run, tmp_path: Path) -> None:
    long = "7" * 5000
    assert judged(run, tmp_path, f"item,judge,score|q1,{long},.5|q1,8,.6|q2,{long},.1|q2,8,.3").code == 0
    assert results(tmp_path)["Judges"] == "2"


def test_labels_that_are_all_empty_cost_their_rows_and_are_no_bug(run: Run, tmp_path: Path) -> None:
    text = "item,judge,score|q1,ann,|q1,bob,|q2,ann,"
    assert judged(run, tmp_path, text, "--level", "nominal").code == 4
    write_csv(tmp_path / "in/good.csv", [("item", "judge", "score"), ("q1", "ann", "yes"), ("q1", "bob", "no")])
    assert run("disagree", "in", "-o", "out", "--level", "nominal").code == 0
    assert len(problems(tmp_path, "blank-score")) == 3


def test_labels_are_listed_and_those_that_differ_only_in_case_are_named(run: Run, tmp_path: Path) -> None:
    text = "item,a,b|q1,win,Win|q2,win,win|q3,tie,win"
    assert judged(run, tmp_path, text, "--level", "nominal").code == 0
    (message,) = problems(tmp_path, "labels")
    assert message.startswith("labels: win 4, Win 1, tie 1")
    assert "win and Win" in message


def test_a_judge_with_few_numbers_is_left_out_by_name_and_count(run: Run, tmp_path: Path) -> None:
    text = "item,ann,bob,cleo|q1,.2,.3,.1|q2,.4,n/a,.5|q3,.6,n/a,.6|q4,.8,.7,.7|q5,.9,n/a,.8"
    ended = judged(run, tmp_path, text)
    assert (ended.code, results(tmp_path)["Judges"]) == (0, "2")
    (line,) = listed(tmp_path, "numbers-not-used")
    assert (line["column"], line["effect"]) == ("bob", "note")
    assert "2 of its 5 filled cells are numbers" in line["message"]
    assert "--dimensions ann,cleo,bob" in line["message"]
    assert line["message"] in ended.err
    assert not any("bob" in message for message in problems(tmp_path, "other-columns"))
    assert run("disagree", "in", "-o", "out", "--dimensions", "ann,cleo,bob").code == 0
    assert results(tmp_path)["Judges"] == "3"


def test_a_key_beside_judges_is_no_judge(run: Run, tmp_path: Path) -> None:
    text = "question_id,item,ann,bob|0.1,q1,0.2,0.4|0.2,q2,0.6,0.8|0.3,q3,0.9,0.7"
    assert judged(run, tmp_path, text, "--level", "nominal").code == 0
    assert results(tmp_path)["Judges"] == "2"
    notes = [message for message in problems(tmp_path, "other-columns") if "question_id" in message]
    assert any("not used" in message for message in notes)


def test_numbers_under_the_name_of_a_remark_are_said_aloud(run: Run, tmp_path: Path) -> None:
    ended = judged(run, tmp_path, "item,judge,accuracy,explanation|q1,a,.1,.2|q1,b,.2,.3|q2,a,.8,.9|q2,b,.9,.7")
    assert (ended.code, "--dimensions accuracy,explanation" in ended.err) == (0, True)
    quiet = judged(run, tmp_path, "item,judge,accuracy,explanation|q1,a,.1,so|q1,b,.2,so|q2,a,.8,no|q2,b,.9,no")
    assert (quiet.code, "explanation" in quiet.err) == (0, False)


def test_judges_without_a_number_are_judges(run: Run, tmp_path: Path) -> None:
    text = "item,judge,score|q1,a,Tie|q1,b,Win|q1,c,Tie"
    judged(run, tmp_path, text)
    table(tmp_path / "in" / "n.csv", "item,judge,score|q1,a,.1|q1,b,.2")
    assert run("disagree", "in", "-o", "out").code == 0
    lines = {line["Model Name"]: line for line in read_csv(tmp_path / "out" / "disagreement_results.csv")}
    assert (lines["m"]["Status"], lines["m"]["Judges"]) == ("unscored", "3")


def test_a_judge_is_one_however_the_accents_of_a_header_are_written(run: Run, tmp_path: Path) -> None:
    composed, apart = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    assert judged(run, tmp_path, f"item,{composed},{apart},bob|q1,.1,,.2|q2,,.8,.9|q3,,.4,.5").code == 0
    assert results(tmp_path)["Judges"] == "2"
    assert float(results(tmp_path)["Alpha"]) == pytest.approx(krippendorff_alpha([[0.1, 0.2], [0.8, 0.9], [0.4, 0.5]]))
    ended = judged(run, tmp_path, f"item,{composed},{apart},bob|q1,.1,.3,.2|q2,,.8,.9")
    assert (ended.code, "two scores" in ended.err) == (4, True)
