"""Small things that make a number wrong, or a sentence false, in any of four families."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from scoresheet.cli.report.page import Column
from scoresheet.cli.terminal.tables import table
from scoresheet.metrics import collapse_p_value, match_option
from scoresheet.metrics.families.mode_collapse.compare import differences_page
from scoresheet.metrics.stats.agreement import intraclass_correlation

from .files import read_csv, write_csv
from .studies import paged, problems_of

if TYPE_CHECKING:
    from pathlib import Path

    from .files import Rows, Run

OPTIONS: Rows = [("level", "option"), (0, "Japan"), (0, "Peru")]
ANSWERS: Rows = [("level", "choice"), *[(0, "Japan")] * 9, *[(0, "Peru")] * 3]
PREDICTED: Rows = [("sample", "label", "A", "B"), (1, "x", "x", "y"), (2, "y", "x", "y")]


def test_a_correlation_over_nothing_is_undefined() -> None:
    # by hand: between items 0.0267, between judges 0.0267, error 0.1067; 0.0267 + (0.0267 - 0.1067) / 3 is 0
    found = intraclass_correlation([[0.1, 0.9], [0.5, 0.1], [0.1, 0.5]])
    assert math.isnan(found.average)
    assert not math.isnan(found.single)


def test_sheets_whose_names_differ_by_case_alone_are_held_to_their_own() -> None:
    even, rice, corn = {"rice": 15, "corn": 15}, {"rice": 30, "corn": 0}, {"rice": 0, "corn": 30}
    reports = [
        Report(name, "ok", {}, rows=0, scored=0, computed=0, extra={("Food", ()): even, ("food", ()): low})
        for name, low in (("A", rice), ("B", corn))
    ]
    page = differences_page(reports, seed=0).table
    assert (page["Cells"][0], page["Gini_Difference"][0]) == (2, 0)
    assert page["Finding"][0] == "other choices, alike collapsed"


def test_what_is_improbable_is_not_impossible() -> None:
    assert 0 < collapse_p_value([1_200, 0]) < 1e-300


@pytest.mark.parametrize("text", ["a) Japan", "I pick (a)", "Answer: a", "option a.", "A"])
def test_a_letter_that_is_marked_as_one_is_an_option(text: str) -> None:
    assert match_option(text, {"A": [], "B": []}).option == "A"


@pytest.mark.parametrize("text", ["a hard question", "it is a pity", "i think so", "what a choice (a pity)"])
def test_an_article_is_no_letter(text: str) -> None:
    assert match_option(text, {"A": [], "I": []}).option == ""


@pytest.mark.parametrize("text", ["I say -1", "1 000 of them", "1/10", "≤1", "about 1/1"])
def test_a_part_of_another_number_mentions_nothing(text: str) -> None:
    assert match_option(text, {"1": [], "3": []}).option == ""


@pytest.mark.parametrize("text", ["I say 1.", "number 1 it is", "1 - the best", "the first (1)"])
def test_a_number_by_itself_is_mentioned(text: str) -> None:
    assert match_option(text, {"1": [], "3": []}).option == "1"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(0, "Japan", 0.5, "Peru"), (0, "Peru", 0.25, "")], "the root has none"),
        ([(0, "Japan", 0.5, ""), (0, "Nippon", 0.25, "")], "twice"),
    ],
)
def test_a_row_of_the_target_that_cannot_be_meant_stops_the_run(
    run: Run, tmp_path: Path, rows: Rows, said: str
) -> None:
    write_csv(tmp_path / "outs/m.csv", ANSWERS)
    write_csv(tmp_path / "table.csv", [("level", "option", "aliases"), (0, "Japan", "Nippon"), (0, "Peru", "")])
    write_csv(tmp_path / "target.csv", [("level", "option", "share", "parent"), *rows])
    done = run("mode-collapse", "outs", "table.csv", "--target", "target.csv", "-o", "res")
    assert done.code == 2
    assert said in done.err


def test_an_option_that_no_answer_can_mean_is_not_counted_among_them(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", ANSWERS)
    write_csv(tmp_path / "table.csv", [*OPTIONS, (0, "Incomplete")])
    assert run("mode-collapse", "outs", "table.csv", "-o", "res").code == 0
    assert read_csv(tmp_path / "res/m_mode_collapse.csv")[0]["Options"] == "2"
    assert [line["row"] for line in problems_of(tmp_path / "res", "incomplete")] == ["4"]


def test_fuzzy_matching_needs_options_to_match_with(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", ANSWERS)
    assert run("mode-collapse", "outs", "--fuzzy", "80", "-o", "res").code == 2


def test_a_stream_that_only_the_training_knows_raises_no_alert(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m/predictions.csv", PREDICTED)
    write_csv(tmp_path / "outs/m/history.csv", [("epoch", "acc:A", "acc:Q"), (1, 0.4, 0.001)])
    done = run("collective", "outs", "-o", "res", "--fail-on", "alert")
    assert done.code == 0
    assert [line["message"] for line in problems_of(tmp_path / "res", "unknown-stream")] == [
        "streams of the sheet history that the predictions do not have: Q; they are left out"
    ]


def test_it_is_said_whether_a_stranger_in_the_routing_counts(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m/predictions.csv", PREDICTED)
    write_csv(tmp_path / "outs/m/routing.csv", [("stream", "e1", "e2"), ("A", 0.5, 0.5), ("B", 1, 0), ("Z", 0.2, 0.8)])
    for options, said in (((), "they count there all the same"), (("--streams", "A,B"), "they are left out")):
        assert run("collective", "outs", "-o", "res", *options).code == 0
        assert problems_of(tmp_path / "res", "unknown-stream")[0]["message"].endswith(said)


def test_probabilities_of_samples_that_nobody_predicts_are_noted(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m/predictions.csv", PREDICTED)
    rows = [(sample, stream, 0.5, 0.5) for sample in (1, 2, 77) for stream in "AB"]
    write_csv(tmp_path / "outs/m/probabilities.csv", [("sample", "stream", "x", "y"), *rows])
    assert run("collective", "outs", "-o", "res", "--fusion", "mean").code == 0
    assert "samples of the sheet probabilities that the predictions do not have: 77" in [
        line["message"] for line in problems_of(tmp_path / "res", "missing-probabilities")
    ]


def test_a_share_of_dead_anchors_is_at_most_one(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", PREDICTED)
    assert run("collective", "outs", "-o", "res", "--dead-anchor", "2").code == 2


def test_nothing_is_ever_minus_nothing(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", [("item", "a", "b"), ("q1", "-0", 0.5), ("q2", 0.5, 0.5)])
    assert run("disagree", "outs", "-o", "res").code == 0
    assert read_csv(tmp_path / "res/m_disagreement.csv")[0]["Min"] == "0.0"
    assert table((Column("CI_High", "", "score"),), [[-2e-16]]).split("\n")[-1].strip() == "0.000"


def test_an_outlier_is_told_by_the_rule_that_found_it(run: Run, tmp_path: Path) -> None:
    scores = (0.58592, 0.6, 0.82064, 0.61891, 0.62321, 0.49053)
    write_csv(tmp_path / "outs/m.csv", [("item", *"abcdef"), ("q1", *scores), ("q2", *[0.1] * 6)])
    assert run("disagree", "outs", "-o", "res").code == 0
    flags = paged(tmp_path / "res/m_disagreement.xlsx", "Flags")
    assert "far from the mean: c; from the median: c, f" in [line["What"] for line in flags]


def test_one_judge_correlates_with_nobody(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", [("item", "judge", "score"), ("q1", "a", 0.1), ("q2", "a", 0.5)])
    assert run("disagree", "outs", "-o", "res").code == 0
    for page in ("Summary", "Dimensions"):
        assert {line["ICC_Items"] for line in paged(tmp_path / "res/m_disagreement.xlsx", page)} == {0}


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
