"""What raises an alert or a warning, and at which threshold?"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from tests.helpers.collective import HEAD, PREDICTIONS, Row, Study, judged, line, plain
from tests.helpers.files import sheet_text
from tests.helpers.json_values import refuse
from tests.helpers.runs import Run, called_in


def test_a_flood_of_alerts_is_cut_on_the_terminal_and_whole_in_the_workbook(run: Run, tmp_path: Path) -> None:
    rows = "|".join(f"{n},2.5" for n in range(99))
    done = judged(run, tmp_path, predictions=PREDICTIONS, history=f"epoch,routing_entropy|{rows}")
    assert done.code == 0
    assert done.err.count("alert: m:") == 11
    assert line(tmp_path)["Alerts"] == "99"


# --- alerts and warnings ----------------------------------------------------------------------------------------------

RATIOS = [1.0, 0.9, 0.81, 0.729, 0.7, 0.63, 0.567]  # each 0.9 of the one before, or more
AT: list[Row] = [
    ("epoch", "emergence_ratio", "routing_entropy", "fingerprint_diversity", "acc:a", "acc:b"),
    *((n, ratio, 2.0, 0.5, 0.01, 0.3) for n, ratio in enumerate(RATIOS, 1)),
]
BEYOND: list[Row] = [
    AT[0],
    (1, 1.0, 1.0, 0.9, 0.3, 0.3),
    (2, 0.899, 1.0, 0.9, 0.3, 0.3),
    (3, 0.9, 2.001, 0.9, 0.3, 0.3),
    (4, 0.9, 1.0, 0.499, 0.3, 0.3),
    (5, 0.9, 1.0, 0.9, 0.0099, 0.3),
]
LOSSES: dict[str, tuple[list[float], set[str]]] = {
    "good": ([9, 8, 7, 6, 5, 4, 3, 2, 1], set()),
    "rising": ([1, 1.2, 1.1, 1.3, 1.5, 1.7, 1.9, 2.1, 2.3], {"rising"}),
    "flat": ([9, 8, 7, 6, 5, 4, 3, 3, 3], {"flat"}),
    "oscillating": ([9, 7, 8, 6, 7, 5, 6, 4, 5], {"oscillating"}),
}


def hundred(hits: int) -> list[Row]:
    """A hundred samples of which stream b names so many."""
    return [(*HEAD, "a", "b"), *((f"s{n}", "x", "x", "x" if n < hits else "y") for n in range(100))]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Systems at the edges of alerts and beyond them, and losses."""
    root = tmp_path_factory.mktemp("watched")
    study = Study(root, called_in(root))
    study.system(plain(history=AT), "at")
    study.system(plain(history=BEYOND), "beyond")
    study.lone(hundred(1), "alive")
    study.lone(hundred(0), "dead")
    for experts in (7, 8):
        names = [f"w{n}" for n in range(experts)]
        study.system(plain(routing=[("stream", *names), ("a", *[1 / experts] * experts)]), f"experts{experts}")
    third = math.sqrt(3)
    study.system(plain(fingerprints=[("stream", "f1", "f2"), ("a", 1, 0), ("b", 1, third), ("c", -1, third)]), "angles")
    study.system(plain(fingerprints=[("stream", "f1", "f2"), ("a", 1, 0), ("b", 1, 1.7)]), "close")
    for name, (values, _) in LOSSES.items():
        curve: list[Row] = [("epoch", "train_loss", "val_loss"), *((n, 9 - n, v) for n, v in enumerate(values))]
        study.system(plain(history=curve), f"loss_{name}")
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


@pytest.mark.parametrize("name", ["at", "alive", "experts7", "angles"])
def test_a_value_at_its_threshold_is_no_alert(watched: Study, name: str) -> None:
    assert watched.alerts(name) == []
    assert watched.line(name)["Alerts"] == "0"


def test_a_value_beyond_its_threshold_is_an_alert_of_its_epoch(watched: Study) -> None:
    assert watched.alerts("beyond") == [
        ("dead_stream", "5"),
        ("collapsed_fingerprints", "4"),
        ("high_routing_entropy", "3"),
        ("emergence_drop", "2"),
    ]
    # the drop was made up for at the next epoch, and so were all but the dead stream of the last one
    assert watched.line("beyond")["Alerts"] == "1"
    states = [row["State"] for row in watched.page("Alerts", "beyond")]
    assert states == ["now", "over since 5", "over since 4", "over since 3"]


@pytest.mark.parametrize(
    ("name", "alert"),
    [("dead", "dead_stream"), ("experts8", "high_routing_entropy"), ("close", "collapsed_fingerprints")],
)
def test_the_headline_has_alerts_of_its_own(watched: Study, name: str, alert: str) -> None:
    assert watched.alerts(name) == [(alert, "")]
    assert watched.line(name)["Alerts"] == "1"
    assert alert in (watched.res / f"{name}_collective.md").read_text("utf-8").replace("\\_", "_")


def test_an_entropy_that_seven_experts_cannot_reach_is_named(watched: Study) -> None:
    assert "cannot fire" in str(watched.summary("experts7")["Average Routing Entropy"][1])
    assert "cannot" not in str(watched.summary("experts8")["Average Routing Entropy"][1])
    assert "diffuse" in str(watched.summary("experts8")["Average Routing Entropy"][1])


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_that_does_not_fall_is_a_warning_and_no_alert(watched: Study, name: str) -> None:
    text = sheet_text(watched.workbook(f"loss_{name}"), "Summary")
    lines = [line for line in text.splitlines() if "val_loss is" in line]
    words = {word for word in ("rising", "flat", "oscillating") if any(word in line for line in lines)}
    assert words == LOSSES[name][1]
    assert "train_loss is" not in text
    assert watched.alerts(f"loss_{name}") == []


def test_an_alert_may_end_the_run_with_10_when_the_reports_are_written(study: Study) -> None:
    study.lone(hundred(0))
    study.lone(hundred(5), "n")
    ended = study.tables("--fail-on", "alert")
    assert ended.code == 10
    assert "dead_stream" in ended.err
    assert study.line()["Alerts"] == "1"
    assert (study.res / "m_collective.md").exists()
    printed = study.tables("--fail-on", "alert", "--json")
    assert printed.code == 10
    lines = json.loads(printed.out, parse_constant=refuse)["models"]
    assert {line["Model Name"]: line["Alerts"] for line in lines} == {"m": 1, "n": 0}
    assert study.tables("--fail-on", "never").code == 0


def test_without_an_alert_fail_on_changes_nothing(study: Study) -> None:
    study.lone(hundred(5))
    assert study.tables("--fail-on", "alert").code == 0


def test_predictions_of_several_epochs_have_alerts_of_their_own(study: Study) -> None:
    votes = {1: ("x", "x", ""), 2: ("x", "", "x"), 3: ("x", "x", "x")}
    rows: list[Row] = [(f"s{n}", "x", epoch, *row) for n in (1, 2) for epoch, row in votes.items()]
    study.lone([(*HEAD, "epoch", "a", "b", "c"), *rows])
    assert study.score().code == 0
    assert study.alerts() == [("dead_stream", "2"), ("dead_stream", "1")]
    second, first = (str(row["What"]) for row in study.page("Alerts"))
    assert re.search(r"\bc\b", first)
    assert re.search(r"\bb\b", second)
