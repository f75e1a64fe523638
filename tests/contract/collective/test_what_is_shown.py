"""What is said of an ensemble rests on the samples that are compared, and is said only where it is shown."""

from __future__ import annotations

import json
import random

import pytest

from tests.helpers.collective import HEAD, Row, Sheets, Study, plain
from tests.helpers.files import sheet_names, sheet_text
from tests.helpers.json_values import refuse

# --- conditions on shared samples -------------------------------------------------------------------------------------


def easy_noise() -> list[Row]:
    """200 clean samples, of which the first hundred are easy; noise has these alone, and costs three of them."""
    rows: list[Row] = [(*HEAD, "condition", "a")]
    rows += [(f"s{n:03}", "x", "clean", "x" if n < 100 or n % 5 in (0, 1) else "y") for n in range(200)]
    rows += [(f"s{n:03}", "x", "noise", "x" if n >= 3 else "y") for n in range(100)]
    return rows


def test_minus_3_points_are_not_printed_as_plus_26_5(study: Study) -> None:
    study.lone(easy_noise())
    assert study.score().code == 0
    clean, noise = study.page("Conditions")
    assert (clean["Accuracy"], noise["Accuracy"]) == pytest.approx((0.7, 0.97))  # over other samples: +27 points
    assert (noise["Shared"], noise["On_Shared"], noise["Clean_On_Shared"]) == pytest.approx((100, 0.97, 1.0))
    assert noise["Delta"] == pytest.approx(-0.03)
    assert study.value("Robustness") == pytest.approx(0.97)
    problem = study.problem("samples-differ")
    assert "noise has 100 of the 200" in problem["message"]
    report = (study.res / "m_collective.md").read_text("utf-8")
    assert "Δ from clean -3.00%" in report
    assert "on 100 samples in common: 97.00% against 100.00%; the accuracy beside is over all its 100" in report
    found = json.loads((study.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)["m"]
    assert found["By_Condition"]["noise"]["Delta"] == pytest.approx(-0.03)


def test_conditions_without_a_sample_in_common_have_no_difference(study: Study) -> None:
    rows: list[Row] = [(f"s{n}", "x", "clean" if n < 6 else "noise", "x" if n % 2 else "y") for n in range(12)]
    study.lone([(*HEAD, "condition", "a"), *rows])
    assert study.score().code == 0
    assert study.line()["Robustness"] == ""
    _, noise = study.page("Conditions")
    assert (noise["Shared"], noise["Delta"], noise["Finding"]) == (0, None, "no sample in common")
    assert noise["Accuracy"] == 0.5


def test_a_difference_between_conditions_is_tested_over_all_of_them(study: Study) -> None:
    rows: list[Row] = [
        (f"s{n}", "x", condition, "x" if n >= lost else "y")
        for condition, lost in (("clean", 0), ("fog", 40), ("rain", 2))
        for n in range(100)
    ]
    study.lone([(*HEAD, "condition", "a"), *rows])
    assert study.score().code == 0
    page = {row["Condition"]: row for row in study.page("Conditions")}
    assert (page["fog"]["Finding"], page["rain"]["Finding"]) == ("lower", "no difference shown")
    assert page["rain"]["P_Holm"] == pytest.approx(0.5)  # two of two samples lost
    assert not study.problems("samples-differ")


def test_adversarial_robustness_is_a_number_of_its_own(study: Study) -> None:
    rows: list[Row] = [
        (f"s{n}", "x", condition, "x" if n >= lost else "y")
        for condition, lost in (("clean", 0), ("Adversarial (eps 0.03)", 60), ("noise", 20))
        for n in range(100)
    ]
    study.lone([(*HEAD, "condition", "a"), *rows])
    assert study.tables().code == 0
    assert study.value("Adversarial_Robustness") == pytest.approx(0.4)
    assert study.value("Robustness") == pytest.approx(0.6)
    assert study.tables("--adversarial", "noise").code == 0
    assert study.value("Adversarial_Robustness") == pytest.approx(0.8)
    assert study.tables("--adversarial", "fgsm").code == 0
    assert study.line()["Adversarial_Robustness"] == ""


def test_epochs_with_different_samples_are_noted(study: Study) -> None:
    rows: list[Row] = [(f"s{n}", "x", epoch, "x") for epoch in (1, 2) for n in range(5 + epoch)]
    study.lone([(*HEAD, "epoch", "a"), *rows])
    assert study.tables().code == 0
    assert "1 (6), 2 (7)" in study.problem("samples-differ")["message"]


# --- the answer, and the gate -----------------------------------------------------------------------------------------


def ensemble(collective: float, *streams: float, samples: int = 300, seed: int = 1) -> list[Row]:
    """Samples of which the collective and the streams get these shares right."""
    draw = random.Random(seed)

    def said(share: float) -> str:
        return "x" if draw.random() < share else "y"

    names = [f"s{n}" for n in range(len(streams))]
    rows: list[Row] = [(f"i{n}", "x", said(collective), *map(said, streams)) for n in range(samples)]
    return [(*HEAD, "collective", *names), *rows]


def test_a_collective_that_is_shown_to_be_worse_than_a_member_is_an_alert_and_fails_the_gate(study: Study) -> None:
    study.lone(ensemble(0.43, 0.95, 0.4))
    ended = study.score("--fail-on", "alert")
    assert ended.code == 10
    assert "worse_than_best" in ended.err
    assert (study.line()["More_Than_Best"], study.line()["Band"], study.line()["Alerts"]) == ("no", "failure", "1")
    assert study.alerts() == [("worse_than_best", "")]
    assert {name: line["Finding"] for name, line in study.streams().items()} == {"s0": "better", "s1": "not shown"}


def test_a_collective_that_is_only_not_shown_to_be_better_is_no_alert(study: Study) -> None:
    study.lone(ensemble(0.6, 0.62, 0.61, samples=60))
    assert study.tables("--fail-on", "alert").code == 0
    assert (study.line()["More_Than_Best"], study.line()["Alerts"]) == ("not shown", "0")


def test_an_alert_that_later_epochs_made_good_does_not_fail_the_gate(study: Study) -> None:
    history: list[Row] = [("epoch", "emergence_ratio"), (1, 1.2), (2, 0.9), (3, 1.2)]
    study.system(plain(history=history))
    assert study.score("--fail-on", "alert").code == 0
    assert study.line()["Alerts"] == "0"
    (row,) = study.page("Alerts")
    assert (row["Alert"], row["Epoch"], row["State"]) == ("emergence_drop", "2", "over since 3")
    history.append((4, 0.9))
    study.system(plain(history=history))
    assert study.score("--fail-on", "alert").code == 10


def test_the_answer_is_a_sentence_that_rests_on_every_stream(study: Study) -> None:
    study.lone(ensemble(0.9, 0.6, 0.5))
    ended = study.score("--json")
    answer = json.loads(ended.out)["answer"]
    assert answer.startswith("m is more than its best member: it is right on ")
    assert "2 of 2 streams shown to be beaten" in answer
    assert study.line()["More_Than_Best"] == "yes"


def test_the_level_of_the_run_is_that_of_interval_words_and_answer(study: Study) -> None:
    study.lone(ensemble(0.68, 0.58, samples=100, seed=6))
    assert study.tables().code == 0
    wide, answer = study.line(), study.line()["More_Than_Best"]
    assert study.tables("--ci", "0.5").code == 0
    narrow = study.line()
    assert float(wide["CI_Low"]) < float(narrow["CI_Low"]) < float(narrow["CI_High"]) < float(wide["CI_High"])
    assert (answer, narrow["More_Than_Best"]) == ("not shown", "yes")
    assert study.score("--ci", "0.5").code == 0
    assert "50 % interval" in (study.res / "m_collective.md").read_text("utf-8")
    assert "50 % expanded percentile bootstrap" in sheet_text(study.workbook(), "About")


def test_fewer_than_five_samples_have_no_interval_and_say_why(study: Study) -> None:
    study.lone(ensemble(0.9, 0.6, samples=4))
    assert study.tables().code == 0
    line = study.line()
    assert (line["CI_Low"], line["CI_High"], line["Band"]) == ("", "", "too few samples")
    assert line["CI_Note"] == "too few samples for an interval: 4, at least 5 are needed"


# --- systems on the samples they share --------------------------------------------------------------------------------


def test_systems_are_ranked_on_the_samples_they_share(study: Study) -> None:
    hard: list[Row] = [(f"h{n}", "x", "x" if n % 10 < 4 else "y", "y") for n in range(100)]
    easy: list[Row] = [(f"e{n}", "x", "x", "x") for n in range(100)]
    worse: list[Row] = [(f"h{n}", "x", "x" if n % 10 < 2 else "y", "y") for n in range(100)]
    head = (*HEAD, "collective", "a")
    study.lone([head, *hard], "careful")
    study.lone([head, *worse, *easy], "lucky")
    ended = study.score()
    assert ended.code == 0
    assert (study.value("Collective_Accuracy", "careful"), study.value("Collective_Accuracy", "lucky")) == (0.4, 0.6)
    found = {name: (line["Rank"], line["Shared"], float(line["On_Shared"])) for name, line in study.results().items()}
    assert found == {"careful": ("1", "100", 0.4), "lucky": ("2", "100", 0.2)}
    assert (
        "careful has the highest mean Collective_Accuracy, 0.400, on the 100 samples that both models share"
        in ended.out
    )
    assert "Of 2 ensembles," in ended.out
    assert "Comparison" in sheet_names(study.res / "collective_results.xlsx")


def test_samples_with_other_labels_are_other_samples(study: Study) -> None:
    study.lone([(*HEAD, "a"), *((f"{n}", "x", "x") for n in range(8))], "one")
    study.lone([(*HEAD, "a"), *((f"{n}", "y" if n < 3 else "x", "x") for n in range(8))], "two")
    assert study.tables().code == 0
    assert {line["Shared"] for line in study.results().values()} == {"5"}


# --- routing, splits, targets, patterns -------------------------------------------------------------------------------


def test_an_expert_that_gets_next_to_nothing_is_dead_and_the_load_has_its_balance(study: Study) -> None:
    weights = [(0.6, 0.4, 0.0, 0.0), (0.5, 0.5, 0.0, 0.0), (0.5, 0.46, 0.04, 0.0)]
    rows: list[Row] = [("sample", "e0", "e1", "e2", "e3"), *((f"i{n}", *row) for n, row in enumerate(weights))]
    study.system(plain(routing=rows))
    assert study.score().code == 0
    load = [sum(row[place] for row in weights) / 3 for place in range(4)]
    page = {str(row["Expert"]): row for row in study.page("Experts")}
    assert [page[f"e{n}"]["Load"] for n in range(4)] == pytest.approx(load)
    assert [name for name, row in page.items() if row["Dead"]] == ["e2", "e3"]  # below 1/40
    assert study.value("Dead_Experts") == 2
    deviation = (sum((share - 0.25) ** 2 for share in load) / 4) ** 0.5
    assert study.value("Load_CV") == pytest.approx(deviation / 0.25)
    assert "e2, e3" in study.problem("dead-experts")["message"]


def test_an_expert_may_be_dead_in_one_layer_alone(study: Study) -> None:
    rows: list[Row] = [("layer", "e0", "e1"), (1, 0.5, 0.5), (2, 1, 0)]
    study.system(plain(routing=rows))
    assert study.score().code == 0
    assert "e1 (layer 2)" in study.problem("dead-experts")["message"]
    assert study.value("Load_Balance") == pytest.approx(0.5)  # 1 and 0
    found = json.loads((study.res / "metrics.json").read_text("utf-8"))["m"]
    assert found["Load"] == {"1": {"e0": 0.5, "e1": 0.5}, "2": {"e0": 1.0, "e1": 0.0}}


def split_rows(*splits: str) -> list[Row]:
    rows: list[Row] = [
        (f"s{n}", "x", split, "x" if n >= 10 * (place + 1) else "y")
        for place, split in enumerate(splits)
        for n in range(50)
    ]
    return [(*HEAD, "split", "a"), *rows]


def test_the_test_split_stands_beside_validation_which_is_the_headline(study: Study) -> None:
    study.lone(split_rows("val", "test"))
    assert study.score().code == 0
    assert (study.value("Collective_Accuracy"), study.value("Test_Accuracy")) == (0.8, 0.6)
    assert (study.line()["Samples"], study.line()["Rows"], study.line()["Scored"]) == ("50", "100", "100")
    page = {row["Split"]: row["Accuracy"] for row in study.page("Splits")}
    assert page == {"validation": 0.8, "test": 0.6}
    assert study.summary()["Test Accuracy"][0] == "60.00%"


def test_another_split_may_be_the_headline(study: Study) -> None:
    study.lone(split_rows("dev", "test"))
    assert study.tables("--split", "test").code == 0
    assert (study.value("Collective_Accuracy"), study.line()["Test_Accuracy"]) == (0.6, "")


def test_one_split_alone_is_the_headline_whatever_it_is_called(study: Study) -> None:
    study.lone(split_rows("holdout"))
    assert study.tables().code == 0
    assert study.value("Collective_Accuracy") == 0.8


def test_splits_of_which_none_is_the_headline_are_refused_and_named(study: Study) -> None:
    study.lone(split_rows("train", "test"))
    study.lone(split_rows("val", "test"), "n")
    assert study.tables().code == 3
    problem = study.problem("no-split")
    assert "--split" in problem["message"]
    assert "test, train" in problem["message"]


TARGETS: list[Row] = [
    ("Dataset", "Baseline", "Target", "State-of-Art"),
    ("MNIST", "99%", "99.5%", "99.8%"),
    ("boats", "50%", "80 %", "0.99"),
]


def test_targets_are_those_of_the_systems_data_and_reached_or_not(study: Study) -> None:
    sheets: Sheets = {
        "predictions": ensemble(0.8, 0.5, samples=500),
        "targets": TARGETS,
        "parameters": [("name", "value"), ("dataset", "Boats")],
    }
    study.system(sheets)
    assert study.score().code == 0
    page = {row["Target"]: row for row in study.page("Targets")}
    assert {name: (row["Value"], row["Reached"]) for name, row in page.items()} == {
        "baseline": (0.5, "yes"),
        "target": (0.8, "not shown"),
        "state_of_the_art": (0.99, "no"),
    }
    assert study.line()["Target_Reached"] == "not shown"
    assert "| target | 80.00% | not shown: " in (study.res / "m_collective.md").read_text("utf-8")


def test_targets_in_plain_percent_are_read_so_and_noted(study: Study) -> None:
    study.system({"predictions": ensemble(0.8, 0.5), "targets": [("dataset", "target"), ("boats", 50)]})
    assert study.tables().code == 0
    assert study.line()["Target_Reached"] == "yes"
    assert "read as percent: target" in study.problem("bad-number")["message"]


def test_targets_of_other_data_are_noted(study: Study) -> None:
    study.system({"predictions": ensemble(0.8, 0.5), "targets": TARGETS})
    assert study.tables().code == 0
    assert "MNIST, boats" in study.problem("no-target")["message"]
    assert study.line()["Target_Reached"] == ""


def test_the_expected_patterns_are_judged_with_the_epoch_where_they_break(study: Study) -> None:
    ratios = [1.0, 1.1, 1.2, 1.3, 1.4, 1.2, 1.1, 1.5]
    history: list[Row] = [("epoch", "emergence_ratio")]
    history += list(enumerate(ratios, 1))
    routing: list[Row] = [("epoch", "w1", "w2")]
    routing += [(epoch, 0.5 + epoch / 20, 0.5 - epoch / 20) for epoch in range(1, 9)]
    study.system(plain(history=history, routing=routing))
    assert study.score().code == 0
    page = {row["Pattern"]: row for row in study.page("Patterns")}
    falls, rises = page["routing entropy falls"], page["emergence ratio rises"]
    assert (falls["Finding"], falls["Breaks_At"]) == ("as expected", None)
    assert (rises["Breaks_At"], rises["Back_At"]) == ("6", "8")
    assert "breaks at epoch 6, back at 8" in str(study.summary()["Expected: emergence ratio rises"][1])


def test_a_system_without_any_of_these_has_no_page_for_them(study: Study) -> None:
    study.lone(ensemble(0.9, 0.6))
    assert study.score().code == 0
    assert not {"Splits", "Targets", "Patterns", "Experts", "Alerts"} & set(sheet_names(study.workbook()))
