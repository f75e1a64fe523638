"""Conditions and epochs: which rows are the headline, and which belong together?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.collective import HEAD, HISTORY_PAGE, SURE, Row, Study, kinds, line, numbers, shares, tabled
from tests.helpers.runs import Run


@pytest.mark.parametrize(("early", "late"), [("0.25", "0.5"), ("-1", "3"), ("2.25", "10"), ("9", "10")])
def test_the_last_epoch_is_the_largest_number(run: Run, tmp_path: Path, early: str, late: str) -> None:
    text = f"sample,label,epoch,a|s1,x,{late},x|s2,y,{late},y|s1,x,{early},y|s2,y,{early},x"
    assert tabled(run, tmp_path, predictions=text).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_conditions_are_read_alike_in_every_sheet(run: Run, tmp_path: Path) -> None:
    text = "sample,label,condition,a|s1,x,Clean,x|s2,y,,y"
    table = "sample,stream,condition,x,y|s1,a,CLEAN,.9,.1|s2,a,,.1,.9"
    assert tabled(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=table).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_a_condition_without_probabilities_has_no_accuracy_rather_than_none_right(run: Run, tmp_path: Path) -> None:
    text = "sample,label,condition,a,b|s1,x,clean,x,x|s2,y,clean,y,y|s1,x,noise,x,x|s2,y,noise,y,y"
    assert tabled(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=shares(*SURE[:4])).code == 0
    assert numbers(tmp_path)["By_Condition"]["noise"]["Accuracy"] is None
    assert line(tmp_path)["Robustness"] == ""


def test_conditions_that_end_at_another_epoch_are_noted(run: Run, tmp_path: Path) -> None:
    text = "sample,label,condition,epoch,a|s1,x,clean,1,x|s1,x,clean,3,x|s1,x,noise,1,y"
    assert tabled(run, tmp_path, predictions=text).code == 0
    assert "epochs-differ" in kinds(tmp_path)


# --- epochs and classes that are numbers ------------------------------------------------------------------------------


def test_an_epoch_is_the_same_in_every_sheet_however_it_is_written(study: Study) -> None:
    rows: list[Row] = [("s1", "x", 1, "x", "y"), ("s1", "x", 2, "x", "x")]
    study.system(
        {"predictions": [(*HEAD, "epoch", "a", "b"), *rows], "history": [("epoch", "val_loss"), ("1.0", 3), ("2.0", 2)]}
    )
    assert study.score().code == 0
    page = study.page(HISTORY_PAGE)
    assert [(row["val_loss"], row["acc:a"], row["acc:b"]) for row in page] == [(3, 1, 0), (2, 1, 1)]
