"""`scoresheet collective`: what a second look found wrong, each as it was met."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoresheet.metrics.families.collective.fusion import VoteFusion
from tests.conftest import Result, Run

PREDICTIONS = "sample,label,a,b|s1,x,x,y|s2,y,y,y|s3,x,x,x|s4,y,x,y"


def judged(run: Run, tmp_path: Path, *options: str, **sheets: str) -> Result:
    folder = tmp_path / "in" / "m"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sheets.items():
        (folder / f"{name}.csv").write_text(text.replace("|", "\n"), encoding="utf-8")
    return run("collective", "in", "-o", "out", *options)


def line(tmp_path: Path) -> dict[str, str]:
    with (tmp_path / "out" / "collective_results.csv").open(encoding="utf-8") as file:
        return next(csv.DictReader(file))


def kinds(tmp_path: Path) -> set[str]:
    with (tmp_path / "out" / "problems.csv").open(encoding="utf-8") as file:
        return {row["kind"] for row in csv.DictReader(file)}


def numbers(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "out" / "metrics.json").read_text(encoding="utf-8"))["m"]
    return found


def shares(*rows: str, columns: str = "x,y") -> str:
    return "|".join([f"sample,stream,{columns}", *rows])


SURE = [
    f"s{n},{stream},{'.9,.1' if label == 'x' else '.1,.9'}"
    for n, label in enumerate("xyxy", start=1)
    for stream in "ab"
]


@pytest.mark.parametrize(
    "fingerprints",
    ["a,.1,.2,.3|b,.1,.2,.3", "a,1e-13,0,0|b,0,1e-13,0", "a,1e300,0,0|b,0,1e300,1"],
    ids=["equal", "tiny", "huge"],
)
def test_fingerprints_that_are_alike_or_extreme_are_drawn_too(run: Run, tmp_path: Path, fingerprints: str) -> None:
    done = judged(run, tmp_path, predictions=PREDICTIONS, fingerprints=f"stream,d1,d2,d3|{fingerprints}")
    assert done.code == 0, done.err
    ET.parse(tmp_path / "out" / "m_collective_fingerprints.svg")


@pytest.mark.parametrize("values", ["0.3|2,0.30000000000000004", "1e308|2,-1e308"])
def test_a_history_that_stands_still_or_explodes_is_drawn_too(run: Run, tmp_path: Path, values: str) -> None:
    assert judged(run, tmp_path, predictions=PREDICTIONS, history=f"epoch,emergence_ratio|1,{values}").code == 0
    ET.parse(tmp_path / "out" / "m_collective_emergence.svg")


@pytest.mark.parametrize(("early", "late"), [("0.25", "0.5"), ("-1", "3"), ("2.25", "10"), ("9", "10")])
def test_the_last_epoch_is_the_largest_number(run: Run, tmp_path: Path, early: str, late: str) -> None:
    text = f"sample,label,epoch,a|s1,x,{late},x|s2,y,{late},y|s1,x,{early},y|s2,y,{early},x"
    assert judged(run, tmp_path, predictions=text).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_classes_that_look_alike_to_a_loose_eye_are_columns_of_their_own(run: Run, tmp_path: Path) -> None:
    text = "sample,label,a|s1,-1,-1|s2,1,1"
    assert (
        judged(
            run, tmp_path, "--fusion", "mean", predictions=text, logits=shares("s1,a,3,0", "s2,a,0,3", columns="-1,1")
        ).code
        == 0
    )
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_a_class_may_be_called_what_we_call_a_column(run: Run, tmp_path: Path) -> None:
    text = "sample,label,a|s1,gold,gold|s2,target,target"
    table = shares("s1,a,.9,.1", "s2,a,.1,.9", columns="gold,target")
    assert judged(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=table).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_conditions_are_read_alike_in_every_sheet(run: Run, tmp_path: Path) -> None:
    text = "sample,label,condition,a|s1,x,Clean,x|s2,y,,y"
    table = "sample,stream,condition,x,y|s1,a,CLEAN,.9,.1|s2,a,,.1,.9"
    assert judged(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=table).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_a_condition_without_probabilities_has_no_accuracy_rather_than_none_right(run: Run, tmp_path: Path) -> None:
    text = "sample,label,condition,a,b|s1,x,clean,x,x|s2,y,clean,y,y|s1,x,noise,x,x|s2,y,noise,y,y"
    assert judged(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=shares(*SURE[:4])).code == 0
    assert numbers(tmp_path)["By_Condition"]["noise"]["Accuracy"] is None
    assert line(tmp_path)["Robustness"] == ""


def test_columns_and_streams_that_predictions_do_not_know_are_noted(run: Run, tmp_path: Path) -> None:
    table = shares(*(f"{row},.0" for row in SURE), "s1,zzz,.5,.5,0", columns="x,y,confidence")
    prints = "stream,d1,d2|a,1,0|b,0,1|yyy,1,1"
    assert (
        judged(
            run, tmp_path, "--fusion", "mean", predictions=PREDICTIONS, probabilities=table, fingerprints=prints
        ).code
        == 0
    )
    assert {"unknown-class", "unknown-stream"} <= kinds(tmp_path)


@pytest.mark.parametrize(("ties", "accuracy"), [("first", "0.5"), ("wrong", "0.0"), ("class", "0.5")])
@pytest.mark.parametrize("columns", ["x,y", "y,x"])
def test_ties_of_means_are_settled_as_asked(run: Run, tmp_path: Path, ties: str, accuracy: str, columns: str) -> None:
    table = shares(*(f"s{n},{stream},.5,.5" for n in range(1, 5) for stream in "ab"), columns=columns)
    options = ("--fusion", "mean", "--ties", ties)
    assert judged(run, tmp_path, *options, predictions=PREDICTIONS, probabilities=table).code == 0
    assert (line(tmp_path)["Collective_Accuracy"], line(tmp_path)["Ties"]) == (accuracy, "4")


def test_a_drawn_tie_of_weights_favours_no_class() -> None:
    votes = np.tile([0, 1, 1], (20_000, 1))
    drawn = VoteFusion(votes, np.zeros(20_000, dtype=np.int64), ties="random", weights=[2, 1, 1])
    assert drawn.accuracy(range(3)) == pytest.approx(0.5, abs=0.02)  # five standard errors and more


def test_weights_count_by_their_proportions_alone(run: Run, tmp_path: Path) -> None:
    found = []
    for scale in (1, 1e-13):
        weights = f"name,value|weight:a,{3 * scale}|weight:b,{scale}"
        assert judged(run, tmp_path, "--fusion", "weighted", predictions=PREDICTIONS, parameters=weights).code == 0
        found.append(line(tmp_path)["Collective_Accuracy"])
    assert found == ["0.75", "0.75"]
    refused = judged(
        run, tmp_path, "--fusion", "weighted", predictions=PREDICTIONS, parameters="name,value|weight:a,0|weight:b,0"
    )
    assert (refused.code, "nothing but 0" in refused.err) == (4, True)


def test_a_row_that_is_not_scored_does_not_say_what_classes_are(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, predictions="sample,label,a|s1,1,1.0|s2,2,2.0|,total,n").code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_a_stream_is_known_however_its_name_is_composed(run: Run, tmp_path: Path) -> None:
    name = "re\u0301seau"
    text = f"sample,label,{name}|s1,x,x|s2,y,y"
    weights = "name,value|weight:r\u00e9seau,1"
    assert judged(run, tmp_path, "--fusion", "weighted", predictions=text, parameters=weights).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_a_parameter_that_is_there_twice_costs_its_sheet(run: Run, tmp_path: Path) -> None:
    done = judged(run, tmp_path, predictions=PREDICTIONS, parameters="name,value|params_m,60|Params M,600")
    assert (done.code, "params_m is there twice" in done.err) == (3, True)
    assert (line(tmp_path)["Samples"], line(tmp_path)["Params_M"]) == ("4", "")


def test_conditions_that_end_at_another_epoch_are_noted(run: Run, tmp_path: Path) -> None:
    text = "sample,label,condition,epoch,a|s1,x,clean,1,x|s1,x,clean,3,x|s1,x,noise,1,y"
    assert judged(run, tmp_path, predictions=text).code == 0
    assert "epochs-differ" in kinds(tmp_path)


def test_a_flood_of_alerts_is_cut_on_the_terminal_and_whole_in_the_workbook(run: Run, tmp_path: Path) -> None:
    rows = "|".join(f"{n},{2 if n % 2 else 1}" for n in range(200))
    done = judged(run, tmp_path, predictions=PREDICTIONS, history=f"epoch,emergence_ratio|{rows}")
    assert done.code == 0
    assert done.err.count("alert: m:") == 11
    assert line(tmp_path)["Alerts"] == "99"


def test_what_looks_like_the_ensembles_own_predictions_is_no_stream_by_itself(run: Run, tmp_path: Path) -> None:
    text = "sample,y_true,a,b,ensemble_pred|s1,x,x,y,x|s2,y,x,y,y"
    refused = judged(run, tmp_path, predictions=text)
    assert (refused.code, "--column collective=ensemble_pred" in refused.err) == (4, True)
    assert judged(run, tmp_path, "--column", "collective=ensemble_pred", predictions=text).code == 0
    assert (line(tmp_path)["Streams"], line(tmp_path)["Emergence_Ratio"]) == ("2", "2.0")
    assert judged(run, tmp_path, "--streams", "a,b,ensemble_pred", predictions=text).code == 0
    assert line(tmp_path)["Streams"] == "3"


def test_a_ratio_is_worked_out_only_where_every_stream_is_logged(run: Run, tmp_path: Path) -> None:
    history = "epoch,collective_acc,acc:a|1,.8,.1|2,.9,.1"
    assert judged(run, tmp_path, predictions=PREDICTIONS, history=history).code == 0
    assert line(tmp_path)["Alerts"] == "0"
    assert "emergence_ratio" not in (tmp_path / "out" / "m_collective.md").read_text(encoding="utf-8")


def test_logged_accuracies_in_percent_are_noted(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, predictions=PREDICTIONS, history="epoch,Collective Acc|1,80.2|2,81.3").code == 0
    assert "bad-number" in kinds(tmp_path)


def test_the_report_answers_its_question_first(run: Run, tmp_path: Path) -> None:
    rows = "|".join(f"s{n},x,{'x' if n % 2 else 'y'},{'y' if n % 2 else 'x'},x" for n in range(20))
    assert judged(run, tmp_path, predictions=f"sample,label,a,b,collective|{rows}").code == 0
    report = (tmp_path / "out" / "m_collective.md").read_text(encoding="utf-8")
    assert "| More than its best member? | yes | +50.00 points, p 0.002 |" in report


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_order_of_rows_in_any_sheet_changes_nothing(run: Run, tmp_path: Path, data: st.DataObject) -> None:
    cells = st.sampled_from(["x", "y", "z", ""])
    rows = [
        f"s{n},{data.draw(st.sampled_from('xyz'))},{condition},{epoch},{','.join(data.draw(cells) for _ in range(3))}"
        for n in range(data.draw(st.integers(2, 6)))
        for condition in ("clean", "noise")
        for epoch in ("1", "2")
    ]
    weights = [f"{epoch},{stream},.{share},.{10 - share}" for epoch in "12" for stream, share in (("a", 3), ("b", 6))]
    ratios = [f"{epoch},{data.draw(st.sampled_from(['1', '1.2', '2']))}" for epoch in range(1, 6)]
    sheets = {
        "predictions": ("sample,label,condition,epoch,a,b,c", rows),
        "routing": ("epoch,stream,w1,w2", weights),
        "history": ("epoch,emergence_ratio", ratios),
    }
    ties = data.draw(st.sampled_from(["first", "wrong", "class", "random"]))
    written = []
    for shuffled in (False, True):
        texts = {
            name: "|".join([head, *(data.draw(st.permutations(body)) if shuffled else body)])
            for name, (head, body) in sheets.items()
        }
        assert judged(run, tmp_path, "--ties", ties, "--quiet", **texts).code == 0
        files = ("collective_results.csv", "m_collective.csv", "metrics.json", "m_collective.md")
        written.append([(tmp_path / "out" / file).read_bytes() for file in files])
    assert written[0] == written[1]
