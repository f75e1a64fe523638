"""`scoresheet collective`: ratios over training, alerts, and what is undefined and must say so."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from scoresheet.metrics.families.collective.emergence import emergence_interval
from tests.helpers.collective import PREDICTIONS, SURE, judged, kinds, line, shares, tabled
from tests.helpers.files import Rows, read_csv, sheet_rows, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import problems_of


def alerts(tmp_path: Path) -> list[tuple[object, object]]:
    """Name and epoch of every alert, in the order of the page."""
    head, *rows = sheet_rows(tmp_path / "out" / "m_collective.xlsx", "Alerts")
    return [(row[head.index("Alert")], row[head.index("Epoch")]) for row in rows]


def ratios(tmp_path: Path) -> list[object]:
    head, *rows = sheet_rows(tmp_path / "out" / "m_collective.xlsx", "History by epoch")
    return [row[head.index("emergence_ratio")] for row in rows]


def report(tmp_path: Path) -> str:
    return (tmp_path / "out" / "m_collective.md").read_text(encoding="utf-8")


def test_an_epoch_at_which_one_stream_is_not_logged_has_no_ratio(run: Run, tmp_path: Path) -> None:
    history = "epoch,collective_acc,acc:a,acc:b|1,.9,.9,.3|2,.9,,.3|3,.9,.9,.3"
    assert judged(run, tmp_path, predictions=PREDICTIONS, history=history).code == 0
    assert ratios(tmp_path) == [1, None, 1]
    assert line(tmp_path)["Alerts"] == "0"


def test_a_logged_ratio_is_not_held_against_a_measured_one(run: Run, tmp_path: Path) -> None:
    rows = [f"s{n},x,{epoch},x,{'x' if n % 2 else 'y'}" for epoch in (1, 2, 3) for n in range(10)]
    text = "|".join(["sample,label,epoch,a,b", *rows])
    assert judged(run, tmp_path, predictions=text, history="epoch,emergence_ratio|1,7|2,7").code == 0
    assert (ratios(tmp_path), line(tmp_path)["Alerts"]) == ([7, 7, 1], "0")


def test_a_drop_is_seen_across_epochs_of_another_origin(run: Run, tmp_path: Path) -> None:
    hits = {1: 10, 3: 5}  # of ten that the collective gets right; the best stream always has five
    rows = [
        f"s{n},x,{epoch},{'x' if n < most else 'y'},{'x' if n < 5 else 'y'}"
        for epoch, most in hits.items()
        for n in range(10)
    ]
    text = "|".join(["sample,label,epoch,collective,a", *rows])
    assert judged(run, tmp_path, predictions=text, history="epoch,emergence_ratio|2,1|4,.5").code == 0
    assert ratios(tmp_path) == [2, 1, 1, 0.5]
    assert alerts(tmp_path) == [("emergence_drop", "4"), ("emergence_drop", "3")]


def test_to_fall_from_infinity_is_a_drop_and_the_picture_marks_it(run: Run, tmp_path: Path) -> None:
    rows = [f"s{n},x,1,x,y,y" for n in range(10)]
    rows += [f"s{n},x,2,{'x' if n < 4 else 'y'},{'x' if n < 5 else 'y'},y" for n in range(10)]
    text = "|".join(["sample,label,epoch,collective,a,b", *rows])
    assert judged(run, tmp_path, predictions=text).code == 0
    assert ("emergence_drop", "2") in alerts(tmp_path)
    assert "the emergence ratio fell from inf to 0.800" in report(tmp_path)
    assert "▲ infinite" in (tmp_path / "out" / "m_collective_emergence.svg").read_text(encoding="utf-8")


def test_a_picture_without_infinite_points_speaks_of_none(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, predictions=PREDICTIONS, history="epoch,emergence_ratio|1,1|2,2").code == 0
    assert "▲" not in (tmp_path / "out" / "m_collective_emergence.svg").read_text(encoding="utf-8")


def test_a_state_is_one_alert_though_the_history_runs_on(run: Run, tmp_path: Path) -> None:
    rows = [f"s{n},x,{epoch},x,y" for epoch in (1, 2) for n in range(5)]
    losses = "epoch,train_loss|" + "|".join(f"{epoch},{1 / epoch}" for epoch in range(1, 8))
    text = "|".join(["sample,label,epoch,a,b", *rows])
    assert judged(run, tmp_path, predictions=text, history=losses).code == 0
    assert alerts(tmp_path) == [("dead_stream", "2"), ("dead_stream", "1")]


def test_what_is_so_now_stands_before_what_was(run: Run, tmp_path: Path) -> None:
    falls = "epoch,emergence_ratio|" + "|".join(f"{n},{2 if n % 2 else 1}" for n in range(60))
    done = judged(run, tmp_path, predictions="sample,label,a,b|s1,x,x,y|s2,y,y,x", history=falls)
    assert done.code == 0
    found = alerts(tmp_path)
    assert found[0] == ("dead_stream", None)
    # each fall is made up for at the next epoch: history, listed after what is so now, and no alert
    assert [epoch for _, epoch in found[1:]] == [str(n) for n in range(58, 0, -2)]
    shown = [text for text in report(tmp_path).splitlines() if text.startswith("- Alert")]
    assert "now" in shown[0]
    assert shown[1] == "- Alerts that are over: 29 (later epochs recovered; see the page Alerts)"
    assert "dead_stream" in done.err
    assert "emergence_drop" not in done.err


def test_anchors_that_are_never_used_are_undefined_and_not_alive(run: Run, tmp_path: Path) -> None:
    assert tabled(run, tmp_path, predictions=PREDICTIONS, anchors="stream,k1,k2|a,0,0|b,0,0").code == 0
    assert line(tmp_path)["Anchor_Entropy"] == ""
    assert "no anchor is dead" not in report(tmp_path)
    assert "undefined: no anchor is used at all" in report(tmp_path)
    found = [each for each in read_csv(tmp_path / "out" / "problems.csv") if each["kind"] == "dead-anchors"]
    assert ["undefined" in each["message"] for each in found] == [True]


def test_robustness_says_over_which_conditions_it_is(run: Run, tmp_path: Path) -> None:
    rows = [f"s{n},{'xy'[n % 2]},{name},x,y" for name in ("clean", "blur", "noise") for n in (1, 2)]
    table = "|".join(
        [
            "sample,stream,condition,x,y",
            *(f"{row[:4]},{name},{row[5:]}" for name in ("clean", "blur") for row in SURE[:4]),
        ]
    )
    text = "|".join(["sample,label,condition,a,b", *rows])
    assert tabled(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=table).code == 0
    assert "mean accuracy of blur / clean; no accuracy: noise" in report(tmp_path)
    assert tabled(run, tmp_path, predictions=text, probabilities=shares(*SURE)).code == 0
    assert "mean accuracy of blur, noise / clean |" in report(tmp_path)


@pytest.mark.parametrize("streams", [61, 62, 63, 300])
def test_the_interval_of_very_many_streams_is_the_least_over_all(streams: int) -> None:
    draw = random.Random(9)
    right = np.array([draw.sample([True] * 6 + [False] * 6, 12) for _ in range(streams)]).T
    collective = np.array([True] * 6 + [False] * 6)
    found = emergence_interval(collective, right)
    # every stream alone, at the level of all of them
    alone = [emergence_interval(collective, right[:, [stream]]) for stream in range(streams)]
    assert found.low == pytest.approx(min(interval.low for interval in alone), abs=0.1)
    assert found.high >= min(interval.high for interval in alone) - 0.1
    assert not math.isnan(found.low)


def test_a_ratio_is_worked_out_only_where_every_stream_is_logged(run: Run, tmp_path: Path) -> None:
    history = "epoch,collective_acc,acc:a|1,.8,.1|2,.9,.1"
    assert tabled(run, tmp_path, predictions=PREDICTIONS, history=history).code == 0
    assert line(tmp_path)["Alerts"] == "0"
    assert "emergence_ratio" not in (tmp_path / "out" / "m_collective.md").read_text(encoding="utf-8")


def test_logged_accuracies_in_percent_are_noted(run: Run, tmp_path: Path) -> None:
    assert tabled(run, tmp_path, predictions=PREDICTIONS, history="epoch,Collective Acc|1,80.2|2,81.3").code == 0
    assert "bad-number" in kinds(tmp_path)


PREDICTED: Rows = [("sample", "label", "A", "B"), (1, "x", "x", "y"), (2, "y", "x", "y")]


def test_a_stream_that_only_the_training_knows_raises_no_alert(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m/predictions.csv", PREDICTED)
    write_csv(tmp_path / "outs/m/history.csv", [("epoch", "acc:A", "acc:Q"), (1, 0.4, 0.001)])
    done = run("collective", "outs", "-o", "res", "--fail-on", "alert")
    assert done.code == 0
    assert [line["message"] for line in problems_of(tmp_path / "res", "unknown-stream")] == [
        "streams of the sheet history that the predictions do not have: Q; they are left out"
    ]
