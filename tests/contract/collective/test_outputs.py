"""What is in the reports of `collective`, and are the numbers those that a person would work out?"""

from __future__ import annotations

import json
import math
import random
import statistics
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pytest

from tests.helpers.collective import (
    CURVES,
    DRAWN,
    EVERYTHING,
    FILE_SKIPPED,
    HEAD,
    HISTORY_PAGE,
    NAMES,
    NOTE,
    PLAIN,
    ROUTED,
    USE,
    VECTORS,
    Row,
    Sheets,
    Study,
    Votes,
    diversity,
    drawn_texts,
    headline,
    interval_by_hand,
    nats,
    number,
    plain,
    subsets,
    tabled,
    told,
    votes_of,
    winner,
)
from tests.helpers.files import digests, header, sheet_names, sheet_rows, sheet_text
from tests.helpers.json_values import leaves, nested, refuse
from tests.helpers.runs import Run, called_in

RESULTS_COLUMNS = [
    *("Model Name", "Collective_Accuracy", "Best_Stream", "Best_Accuracy", "Emergence_Ratio", "CI_Low", "CI_High"),
    *("CI_Note", "Band", "More_Than_Best", "Oracle_Accuracy", "McNemar_P", "Ties", "Params_M", "Efficiency"),
    *("Routing_Entropy", "Routing_Entropy_Share", "Anchor_Entropy", "Load_CV", "Load_Balance", "Dead_Experts"),
    *("Fingerprint_Diversity", "Robustness", "Adversarial_Robustness", "Test_Accuracy", "Target_Reached", "Alerts"),
    *("Samples", "Streams", "Rank", "Shared", "On_Shared", "Rows", "Scored", "Coverage", "Status"),
]
WORDS = ("Model Name", "Best_Stream", "CI_Note", "Band", "More_Than_Best", "Target_Reached", "Status")
COMPARED = ("Rank", "Shared", "On_Shared")  # with the other systems of the run
STREAM_COLUMNS = [
    *("Sheet", "Stream", "Accuracy", "Contribution", "Shapley", "McNemar_P", "P_Better", "Finding"),
]
PAGES = {
    "Streams": [*STREAM_COLUMNS[1:], "Without", *(f"Wrong with {name}" for name in NAMES)],
    "Pairs": ["Stream", "Other_Stream", "Accuracy", "Other_Accuracy", "Q", "Disagreement", "Double_Fault"],
    "Routing": ["Epoch", "Stream", "Layer", "Rows", "Entropy", "Share", "Band", "Overlap", "w1", "w2", "w3"],
    "Experts": ["Layer", "Expert", "Rows", "Load", "Dead"],
    "Anchors": ["Anchor", "Share", "Dead", *(f"In {name}" for name in sorted(NAMES))],
    "Fingerprints": ["Stream", *(f"With {name}" for name in sorted(NAMES))],
    "Conditions": [
        *("Condition", "Epoch", "Samples", "Accuracy", "Shared", "On_Shared", "Clean_On_Shared", "Delta", "P_Holm"),
        *("Finding", "Best_Accuracy", "Emergence_Ratio"),
        *(f"Accuracy of {name}" for name in NAMES),
    ],
    "Failure": ["Failing", "Accuracy", "Delta", "Least", "Most", "Ways"],
    HISTORY_PAGE: [
        *("Epoch", "train_loss", "val_loss", "collective_acc", "emergence_ratio", "fingerprint_diversity"),
        *(f"acc:{name}" for name in NAMES),
    ],
    "Patterns": ["Pattern", "Epochs", "First", "Last", "Tau", "P_Value", "Finding", "Breaks_At", "Back_At"],
    "Alerts": ["Alert", "Epoch", "Value", "Threshold", "State", "What"],
}


# --- a system with everything, scored once ----------------------------------------------------------------------------


def of(condition: str, epoch: int = 3) -> Votes:
    """The votes under one condition."""
    return votes_of([DRAWN[0], *(row for row in DRAWN[1:] if row[2:4] == (condition, epoch))], skip=4)


CLEAN = of("clean")


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A system with every sheet (m), and one that is a lone CSV (n)."""
    root = tmp_path_factory.mktemp("everything")
    study = Study(root, called_in(root))
    study.book(EVERYTHING)
    study.lone(PLAIN, "n")
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


# --- files, columns and pages -----------------------------------------------------------------------------------------


def test_a_run_writes_these_files_and_pictures_only_where_there_is_data(five: Study) -> None:
    names = {path.name for path in five.res.iterdir() if path.is_file()} - {".scoresheet.lock"}
    reports = {f"{model}_collective.{kind}" for model in "mn" for kind in ("csv", "xlsx", "md")}
    reports |= {f"{model}_collective_samples.csv" for model in "mn"}
    pictures = {f"m_collective_{kind}.svg" for kind in ("emergence", "routing", "fingerprints")}
    common = {"collective_results.csv", "collective_results.xlsx", "problems.csv", "metrics.json", "manifest.json"}
    common |= {"comparisons.csv"}
    assert names == reports | pictures | {"n_collective_emergence.svg"} | common


def test_the_manifest_lists_every_report_with_its_digest(five: Study) -> None:
    manifest = json.loads((five.res / "manifest.json").read_text("utf-8"))
    listed = {entry["file"]: entry["sha256"] for entry in manifest["outputs"]}
    assert listed == digests(five.res)
    assert {"m_collective.md", "m_collective_routing.svg"} <= set(listed)


def test_the_tables_have_these_columns_in_this_order(five: Study) -> None:
    assert header(five.res / "collective_results.csv") == RESULTS_COLUMNS
    assert sorted(map(str, sheet_rows(five.res / "collective_results.xlsx", "Summary")[0])) == sorted(RESULTS_COLUMNS)
    for model in "mn":
        assert header(five.res / f"{model}_collective.csv") == STREAM_COLUMNS


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_of_a_system_have_these_columns_in_this_order(five: Study, page: str) -> None:
    assert sheet_rows(five.workbook(), page)[0] == PAGES[page]


def test_the_workbook_has_pages_only_where_there_is_data(five: Study) -> None:
    assert sheet_names(five.workbook()) == ["Summary", *PAGES, "Problems", "About"]
    assert set(sheet_names(five.workbook("n"))) - {"Alerts"} == {
        *("Summary", "Streams", "Pairs", "Failure", "Problems", "About")
    }


def test_no_page_but_that_of_problems_is_empty(study: Study) -> None:
    study.lone([(*HEAD, "a"), ("s1", "x", "x"), ("s2", "y", "y")])
    assert study.score().code == 0
    names = [name for name in sheet_names(study.workbook()) if name != "Problems"]
    assert [name for name in names if len(sheet_rows(study.workbook(), name)) < 2] == []


# --- the headline -----------------------------------------------------------------------------------------------------


def test_the_line_of_a_system_has_the_numbers_that_a_person_would_work_out(five: Study) -> None:
    line, accuracies = five.line(), CLEAN.accuracies()
    assert told(line, headline(CLEAN))
    assert line["Best_Stream"] == max(accuracies, key=lambda name: accuracies[name])
    assert told(line, {"Params_M": 2.5, "Efficiency": 100 * CLEAN.fused_accuracy() / 2.5})
    last = [nats(weights) for (epoch, _), rows in ROUTED.items() for weights in rows if epoch == 3]
    entropy = statistics.fmean(last)
    assert told(line, {"Routing_Entropy": entropy, "Routing_Entropy_Share": entropy / math.log(3)})
    use = [statistics.fmean(column) for column in zip(*USE.values(), strict=True)]
    assert told(line, {"Anchor_Entropy": nats([one / sum(use) for one in use])})
    assert told(line, {"Fingerprint_Diversity": diversity(list(VECTORS.values()))})
    assert told(line, {"Robustness": of("fog").fused_accuracy() / CLEAN.fused_accuracy()})
    assert (line["Rows"], line["Scored"], float(line["Coverage"]), line["Status"]) == ("90", "90", 1, "ok")


def test_the_interval_is_that_of_its_rule(five: Study) -> None:
    line = five.line()
    low, high = float(line["CI_Low"]), float(line["CI_High"])
    fused = [one == label for one, label in zip(CLEAN.fused(), CLEAN.labels, strict=True)]
    wanted = interval_by_hand(fused, [CLEAN.right(name) for name in CLEAN.streams])
    # thirty samples allow few values; the ends of two simulations are at most a step or two apart
    assert (low, high) == pytest.approx(wanted, rel=0.06)


BANDS: dict[str, tuple[str, int, int, int]] = {
    "below": ("failure", 300, 400, 500),
    "one": ("failure to marginal", 400, 400, 500),
    "between": ("marginal", 480, 350, 500),
    "two": ("marginal to strong", 480, 240, 500),
    "five": ("strong", 450, 90, 500),
    "ten": ("strong to extraordinary", 480, 48, 500),
    "far": ("extraordinary", 480, 8, 500),
    "few": ("failure to extraordinary", 5, 1, 8),
    "four": ("too few samples", 4, 1, 4),
}


def test_the_band_is_that_of_the_whole_interval_or_both_that_its_ends_lie_in(study: Study) -> None:
    for name, (_, whole, part, of) in BANDS.items():
        rows: list[Row] = [(f"s{n}", "x", "x" if n < whole else "y", "x" if n < part else "y") for n in range(of)]
        study.lone([(*HEAD, "collective", "a"), *rows], name)
    assert study.tables().code == 0
    assert {name: line["Band"] for name, line in study.results().items()} == {n: b for n, (b, *_) in BANDS.items()}
    assert study.value("Emergence_Ratio", "ten") == pytest.approx(10)


# --- streams and pairs ------------------------------------------------------------------------------------------------


def test_a_stream_has_its_accuracy_contribution_and_shapley_value(five: Study) -> None:
    assert list(five.streams()) == list(NAMES)
    assert five.each("Accuracy") == pytest.approx(CLEAN.accuracies())
    assert five.each("Contribution") == pytest.approx(CLEAN.contributions(), abs=1e-12)
    assert five.each("Shapley") == pytest.approx(CLEAN.shapley(), abs=1e-12)
    assert math.fsum(v or 0 for v in five.each("Shapley").values()) == pytest.approx(CLEAN.fused_accuracy())


def test_the_page_of_streams_has_what_is_left_without_each_and_how_often_two_are_wrong(five: Study) -> None:
    whole, wanted = CLEAN.fused_accuracy(), CLEAN.contributions()
    for row in five.page("Streams"):
        name = str(row["Stream"])
        assert row["Without"] == pytest.approx(whole - wanted[name])
        for other in NAMES:
            both = [not (a or b) for a, b in zip(CLEAN.right(name), CLEAN.right(other), strict=True)]
            assert row[f"Wrong with {other}"] == (None if other == name else pytest.approx(statistics.fmean(both)))


def test_every_two_streams_have_their_error_diversity(five: Study) -> None:
    page = five.page("Pairs")
    assert [(row["Stream"], row["Other_Stream"]) for row in page] == list(combinations(NAMES, 2))
    for row in page:
        pairs = list(zip(CLEAN.right(str(row["Stream"])), CLEAN.right(str(row["Other_Stream"])), strict=True))
        both, one, other, none = (pairs.count(p) for p in ((True, True), (True, False), (False, True), (False, False)))
        assert row["Q"] == pytest.approx((both * none - one * other) / (both * none + one * other))
        assert row["Disagreement"] == pytest.approx((one + other) / len(pairs))
        assert row["Double_Fault"] == pytest.approx(none / len(pairs))


def test_q_is_undefined_where_two_streams_are_always_right(study: Study) -> None:
    study.lone([(*HEAD, "a", "b"), ("s1", "x", "x", "x"), ("s2", "y", "y", "y")])
    assert study.score().code == 0
    (pair,) = study.page("Pairs")
    assert (pair["Q"], pair["Disagreement"], pair["Double_Fault"]) == (None, 0, 0)


def test_the_page_of_failure_has_every_stream_and_half_of_them(five: Study) -> None:
    page, whole = {str(row["Failing"]): row for row in five.page("Failure")}, CLEAN.fused_accuracy()
    for name, wanted in CLEAN.contributions().items():
        assert (page[name]["Accuracy"], page[name]["Delta"]) == pytest.approx((whole - wanted, -wanted), abs=1e-12)
    halves = [CLEAN.fused_accuracy(kept) for kept in subsets(NAMES, 2)]
    row = page["any 2 of 4"]
    assert row["Ways"] == len(halves) == 6
    assert (row["Accuracy"], row["Least"], row["Most"]) == pytest.approx(
        (statistics.fmean(halves), min(halves), max(halves))
    )


def test_of_three_streams_one_fails_when_half_of_them_do(five: Study) -> None:
    votes = votes_of(PLAIN)
    kept = [votes.fused_accuracy(names) for names in subsets("abc", 2)]
    row = five.page("Failure", "n")[-1]
    assert (row["Failing"], row["Ways"]) == ("any 1 of 3", 3)
    assert row["Accuracy"] == pytest.approx(statistics.fmean(kept))


# --- conditions, routing, anchors, fingerprints, history --------------------------------------------------------------


def test_the_page_of_conditions_has_clean_first_and_the_others_against_it(five: Study) -> None:
    page = five.page("Conditions")
    assert [(row["Condition"], str(row["Epoch"]), row["Samples"]) for row in page] == [
        ("clean", "3", 30),
        ("fog", "3", 30),
    ]
    for row in page:
        votes = of(str(row["Condition"]))
        assert row["Accuracy"] == pytest.approx(votes.fused_accuracy())
        assert row["Delta"] == pytest.approx(votes.fused_accuracy() - CLEAN.fused_accuracy())
        assert {name: row[f"Accuracy of {name}"] for name in NAMES} == pytest.approx(votes.accuracies())
        assert row["Best_Accuracy"] == pytest.approx(max(votes.accuracies().values()))
        assert row["Emergence_Ratio"] == pytest.approx(headline(votes)["Emergence_Ratio"])


def test_the_page_of_routing_has_mean_weights_entropy_and_overlap_of_every_epoch(five: Study) -> None:
    page = five.page("Routing")
    assert sorted((int(str(row["Epoch"])), str(row["Stream"])) for row in page) == sorted(ROUTED)
    means = {key: [statistics.fmean(column) for column in zip(*rows, strict=True)] for key, rows in ROUTED.items()}
    for row in page:
        key = (int(str(row["Epoch"])), str(row["Stream"]))
        entropy = statistics.fmean(map(nats, ROUTED[key]))
        assert [row["w1"], row["w2"], row["w3"]] == pytest.approx(means[key])
        assert (row["Rows"], row["Entropy"], row["Share"]) == pytest.approx((2, entropy, entropy / math.log(3)))
        assert row["Band"] == ("sharp" if entropy < 0.5 else "balanced")
        pairs = combinations([means[key[0], name] for name in NAMES], 2)
        shared = [math.fsum(map(min, one, other)) for one, other in pairs]
        assert row["Overlap"] == pytest.approx(statistics.fmean(shared))


def test_the_summary_says_which_band_and_alert_so_few_experts_cannot_reach(five: Study) -> None:
    value, what = five.summary()["Average Routing Entropy"]
    assert value == f"{five.value('Routing_Entropy'):.3f}"
    assert "1.5" in str(what)
    assert str(what).count("cannot") == 2


def test_the_page_of_anchors_has_the_share_of_each_and_its_use_by_every_stream(five: Study) -> None:
    use = [statistics.fmean(column) for column in zip(*USE.values(), strict=True)]
    page = five.page("Anchors")
    assert [row["Anchor"] for row in page] == ["quay", "pier", "buoy"]
    assert [row["Share"] for row in page] == pytest.approx([one / sum(use) for one in use])
    assert [row["Dead"] for row in page] == [None, None, "dead"]
    for place, row in enumerate(page):
        assert {name: row[f"In {name}"] for name in NAMES} == pytest.approx({n: USE[n][place] for n in NAMES})


def test_the_page_of_fingerprints_has_the_cosine_of_every_two(five: Study) -> None:
    for row in five.page("Fingerprints"):
        one = VECTORS[str(row["Stream"])]
        for name, other in VECTORS.items():
            wanted = math.fsum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)
            assert row[f"With {name}"] == pytest.approx(wanted)


def test_the_page_of_history_has_the_sheet_and_what_the_predictions_say_of_the_rest(five: Study) -> None:
    page = five.page(HISTORY_PAGE)
    for place, name in enumerate(CURVES[0][1:], 1):
        assert [row[str(name)] for row in page] == [row[place] for row in CURVES[1:]]
    assert [page[0]["acc:sight"], page[0]["collective_acc"]] == [None, None]
    for epoch in (2, 3):
        row, votes = page[epoch - 1], of("clean", epoch)
        assert {name: row[f"acc:{name}"] for name in NAMES} == pytest.approx(votes.accuracies())
        assert row["collective_acc"] == pytest.approx(votes.fused_accuracy())


def test_the_page_of_alerts_has_value_and_threshold(five: Study) -> None:
    (alert,) = five.page("Alerts")
    assert (alert["Alert"], str(alert["Epoch"])) == ("emergence_drop", "2")
    assert (alert["Value"], alert["Threshold"]) == pytest.approx((1.2, 0.9 * 1.5))
    assert five.line()["Alerts"] == "1"
    assert five.line("n")["Alerts"] == "0"


# --- fusion and ties --------------------------------------------------------------------------------------------------

TIED: list[Row] = [
    (*HEAD, "a", "b", "c", "d"),
    ("s1", "y", "y", "x", "x", "y"),
    ("s2", "x", "y", "x", "x", "y"),
    ("s3", "x", "", "y", "x", ""),
    ("s4", "x", "", "", "", ""),
    ("s5", "z", "z", "z", "y", "x"),
    ("s6", "y", "x", "y", "z", "w"),
    ("s7", "w", "", "", "", "w"),
]
RULES = {"first": 3 / 7, "wrong": 2 / 7, "class": 4 / 7}  # s5 and s7 are clear; s1 is won by y or x, s2 by y or x, …


@pytest.mark.parametrize("ties", RULES)
def test_ties_go_where_the_rule_says(study: Study, ties: str) -> None:
    study.lone(TIED)
    assert study.tables("--ties", ties).code == 0
    votes = votes_of(TIED)
    assert study.value("Collective_Accuracy") == pytest.approx(votes.fused_accuracy(ties=ties))
    assert votes.fused_accuracy(ties=ties) == pytest.approx(RULES[ties])
    assert study.line()["Ties"] == "4"
    assert study.each("Contribution") == pytest.approx(votes.contributions(ties), abs=1e-12)
    assert study.each("Shapley") == pytest.approx(votes.shapley(ties), abs=1e-12)
    assert f"ties:{ties}" in json.loads((study.res / "manifest.json").read_text("utf-8"))["signature"]


def test_the_smallest_class_is_a_number_or_comes_first_in_natural_order(study: Study) -> None:
    study.lone([(*HEAD, "a", "b"), ("s1", 9, 10, 9), ("s2", 10, 10, 10)], "numbers")
    study.lone([(*HEAD, "a", "b"), ("s1", "k9", "k10", "k9"), ("s2", "k10", "k10", "k10")], "texts")
    assert study.tables("--ties", "class").code == 0
    assert [study.value("Collective_Accuracy", name) for name in ("numbers", "texts")] == [1, 1]


def test_a_random_winner_is_one_of_the_tied_and_depends_on_the_seed_alone(study: Study) -> None:
    rows: list[Row] = [(f"s{n:03}", "x" if n % 2 else "z", *("xy" if n % 2 else "yx")) for n in range(200)]
    study.lone([(*HEAD, "a", "b"), *rows])
    study.lone([(*HEAD, "a", "b"), *random.Random(3).sample(rows, len(rows))], "shuffled")
    assert study.score("--ties", "random").code == 0
    accuracy = study.value("Collective_Accuracy") or 0
    assert study.value("Collective_Accuracy", "shuffled") == accuracy
    assert 0.15 < accuracy < 0.35  # half of the hundred ties in which the truth is one of the two
    assert study.line()["Ties"] == "200"
    assert study.streams("shuffled") == study.streams()
    assert study.score("--ties", "random", "--seed", "2").code == 0
    assert 0.15 < (study.value("Collective_Accuracy") or 0) < 0.35
    assert study.value("Collective_Accuracy") != accuracy


WEIGHTS = {"a": 3.0, "b": 1.0, "c": 1.5}


def weighted(rows: Mapping[str, float] = WEIGHTS, **more: list[Row]) -> Sheets:
    """The plain predictions with weights of streams."""
    return plain(parameters=[("name", "value"), *((f"weight:{name}", w) for name, w in rows.items())], **more)


def test_weighted_votes_add_the_weights_of_their_streams(study: Study) -> None:
    study.system(weighted())
    study.system(weighted({"a": 1, "b": 1, "c": 1}), "even")
    study.system(weighted({"a": 2, "b": 1, "c": 1}), "tied")
    study.system(weighted({"a": 3, "c": 1}), "missing")
    study.system(weighted({"a": 3, "b": -1, "c": 1}), "negative")
    study.system(plain(), "none")
    assert study.tables("--fusion", "weighted").code == 3
    votes = votes_of(PLAIN)

    def fused(weights: Sequence[float]) -> float:
        rows = zip(*votes.streams.values(), strict=True)
        return votes.accuracy([winner(row, weights=weights)[0] for row in rows])

    assert study.value("Collective_Accuracy") == pytest.approx(fused([3, 1, 1.5]))
    assert study.value("Collective_Accuracy", "even") == pytest.approx(votes.fused_accuracy())
    assert study.value("Collective_Accuracy", "tied") == pytest.approx(fused([2, 1, 1]))
    assert study.value("Ties", "tied") == sum(
        row[1] == row[2] != row[0] for row in zip(*votes.streams.values(), strict=True)
    )
    assert "below 0" in study.problem("missing-weights", "negative")["message"]
    for name, streams in (("missing", "b"), ("none", "a, b, c")):
        problem = study.problem("missing-weights", name)
        assert problem["effect"] == FILE_SKIPPED
        assert problem["message"].endswith(f" {streams}")
        assert study.line(name)["Status"] == "failed"


PROBABLE: dict[tuple[str, str], tuple[float, float, float]] = {
    ("s1", "a"): (0.5, 0.3, 0.2),
    ("s1", "b"): (0.1, 0.8, 0.1),
    ("s1", "c"): (0.6, 0.3, 0.1),
    ("s2", "a"): (0.1, 0.8, 0.1),
    ("s2", "b"): (0.6, 0.3, 0.1),
    ("s2", "c"): (0.5, 0.4, 0.1),
    ("s3", "a"): (0.3, 0.3, 0.4),
    ("s3", "b"): (0.5, 0.4, 0.1),
    ("s4", "c"): (0.7, 0.2, 0.1),
    ("s5", "a"): (0.1, 0.7, 0.2),
    ("s5", "b"): (0.1, 0.4, 0.5),
    ("s5", "c"): (0.2, 0.2, 0.6),
}  # c says nothing of s3, a and b nothing of s4, and nobody anything of s6


def probable(head: Row = ("sample", "stream", "x", "y", "z")) -> list[Row]:
    """The probabilities as a sheet."""
    return [head, *((*key, *values) for key, values in PROBABLE.items())]


def averaged(streams: Sequence[str] = "abc", weights: Mapping[str, float] | None = None) -> float:
    """The accuracy of the mean of the probabilities above."""
    hits = []
    for sample, label, *_ in PLAIN[1:]:
        kept = [name for name in streams if (sample, name) in PROBABLE]
        scale = {name: (weights or {}).get(name, 1) if weights else 1 for name in kept}
        sums = [math.fsum(scale[n] * PROBABLE[str(sample), n][k] for n in kept) for k in range(3)]
        hits.append(bool(kept) and "xyz"[sums.index(max(sums))] == label)
    return statistics.fmean(hits)


def test_the_mean_of_probabilities_leaves_out_streams_that_say_nothing_of_a_sample(study: Study) -> None:
    study.system(plain(probabilities=probable()))
    study.system(plain(Probability=probable(("ID", "Stream", "x", "y", "z"))), "spelt")
    study.system(plain(), "none")
    ended = study.tables("--fusion", "mean")
    assert ended.code == 3
    for name in ("m", "spelt"):
        assert study.value("Collective_Accuracy", name) == pytest.approx(averaged())
        problem = study.problem("missing-probabilities", name)
        assert problem["effect"] == NOTE
        assert problem["message"].startswith("6 ")
    without = {one: averaged([name for name in "abc" if name != one]) for one in "abc"}
    assert study.each("Contribution") == pytest.approx({one: averaged() - w for one, w in without.items()}, abs=1e-12)
    assert math.fsum(v or 0 for v in study.each("Shapley").values()) == pytest.approx(averaged())
    assert study.line("none")["Status"] == "failed"
    assert "probabilities" in study.problem("missing-sheet", "none")["message"]
    assert "Gradient" not in header(study.res / "m_collective.csv")


def test_a_weighted_mean_of_probabilities_takes_the_weights_of_the_parameters(study: Study) -> None:
    study.system(weighted(probabilities=probable()))
    study.system(plain(probabilities=probable()), "none")
    assert study.tables("--fusion", "weighted-mean").code == 3
    assert study.value("Collective_Accuracy") == pytest.approx(averaged(weights=WEIGHTS))
    assert averaged(weights=WEIGHTS) != averaged()
    assert study.problem("missing-weights", "none")["effect"] == FILE_SKIPPED


def logit_rows() -> list[Row]:
    """A logit for every sample, stream and class."""
    draw = random.Random(2)
    pairs = [(row[0], name) for row in PLAIN[1:] for name in "abc"]
    return [("sample", "stream", "x", "y", "z"), *((*p, *(round(draw.gauss(0, 2), 2) for _ in "xyz")) for p in pairs)]


def gradient() -> tuple[float, float]:
    """The gradient form of every stream, and the accuracy of the mean of the logits."""
    sizes, hits = [], []
    for place, (_, label, *_) in enumerate(PLAIN[1:]):
        rows = logit_rows()[1 + 3 * place : 4 + 3 * place]
        means = [statistics.fmean(float(str(row[k])) for row in rows) for k in (2, 3, 4)]
        powers = [math.exp(mean) for mean in means]
        shares = [power / sum(powers) for power in powers]
        sizes.append(math.hypot(*(s - (name == label) for s, name in zip(shares, "xyz", strict=True))) / 3)
        hits.append("xyz"[means.index(max(means))] == label)
    return statistics.fmean(sizes), statistics.fmean(hits)


@pytest.mark.parametrize(("sheet", "options"), [("probabilities", ("--logits",)), ("logits", ()), ("Logit", ())])
def test_logits_are_averaged_and_have_a_gradient(study: Study, sheet: str, options: tuple[str, ...]) -> None:
    study.system(plain(**{sheet: logit_rows()}))
    ended = study.tables("--fusion", "mean", *options)
    assert ended.code == 0, ended.err
    size, accuracy = gradient()
    assert study.value("Collective_Accuracy") == pytest.approx(accuracy)
    assert header(study.res / "m_collective.csv") == [*STREAM_COLUMNS, "Gradient"]
    assert study.each("Gradient") == pytest.approx(dict.fromkeys("abc", size))


def test_a_sheet_of_logits_changes_no_number_of_a_vote(study: Study) -> None:
    study.system(plain(logits=logit_rows()))
    ended = study.tables()
    assert ended.code == 0, ended.err
    assert told(study.line(), headline(votes_of(PLAIN)))


# --- Markdown and pictures --------------------------------------------------------------------------------------------


def tables(text: str) -> dict[str, tuple[str, str]]:
    """The second and third cells of a Markdown report's tables by the first."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {row[0].strip(): (row[1].strip(), (row[2:] or [""])[0].strip()) for row in rows}


def test_the_markdown_report_follows_the_template(five: Study) -> None:
    text = (five.res / "m_collective.md").read_text("utf-8")
    assert text.startswith("## Results for senses \\| \\*30\\*\n")
    headings = [line.removeprefix("### ") for line in text.splitlines() if line.startswith("### ")]
    assert headings == ["Core Metrics", "Per-Stream Breakdown", "Robustness", "Diagnostics"]
    rows = tables(text)
    assert rows["Collective Accuracy"][0] == f"{CLEAN.fused_accuracy():.2%}"
    ratio = headline(CLEAN)["Emergence_Ratio"]
    assert rows["Emergence Ratio (ρ)"][0] == f"{ratio:.3f}"
    assert five.line()["Band"] in rows["Emergence Ratio (ρ)"][1]
    for name, accuracy in CLEAN.accuracies().items():
        assert rows[name][0] == f"{accuracy:.2%}"
    assert rows["fog"][0] == f"{of('fog').fused_accuracy():.2%}"
    assert f"Fingerprint Diversity: {diversity(list(VECTORS.values())):.3f}" in text
    assert "emergence\\_drop" in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_the_summary_of_the_workbook_says_what_the_markdown_report_says(five: Study) -> None:
    rows = tables((five.res / "m_collective.md").read_text("utf-8"))
    summary = five.summary()
    for name in ("Collective Accuracy", "Best Individual Accuracy", "Oracle Accuracy", "sight", "smell", "Robustness"):
        assert (summary[name][0], summary[name][1] or "") == rows[name]
    best = headline(CLEAN)["Best_Accuracy"]
    assert summary["Largest ρ possible"][0] == f"{1 / best:.3f}"


def test_a_report_without_a_data_set_is_called_by_its_system_and_says_nothing_of_what_is_missing(five: Study) -> None:
    text = (five.res / "n_collective.md").read_text("utf-8")
    assert text.startswith("## Results for n\n")
    for word in ("Robustness", "Parameters", "Fingerprint", "Anchor", "Routing", "nan", "None"):
        assert word not in text


@pytest.mark.parametrize("kind", ["emergence", "routing", "fingerprints"])
def test_a_picture_is_xml_and_names_the_streams(five: Study, kind: str) -> None:
    texts = drawn_texts(five.res / f"m_collective_{kind}.svg")
    assert set(NAMES) <= set(texts)
    if kind == "routing":
        assert {"w1", "w2", "w3"} <= set(texts)


# --- for machines -----------------------------------------------------------------------------------------------------


def test_metrics_json_holds_the_numbers_of_the_table_and_those_of_streams_and_conditions(five: Study) -> None:
    metrics = json.loads((five.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)
    assert set(metrics) == set("mn")
    assert {type(value) for value in leaves(nested(metrics))} <= {int, float, type(None)}
    names = [name for name in RESULTS_COLUMNS if name not in (*WORDS, *COMPARED)]
    for model, line in five.results().items():
        wanted = {name: number(line[name]) for name in names}  # what is infinite has no number in JSON
        wanted = {name: None if value is not None and math.isinf(value) else value for name, value in wanted.items()}
        assert {name: metrics[model][name] for name in names} == wanted
    streams = metrics["m"]["By_Stream"]
    assert {name: streams[name]["Accuracy"] for name in NAMES} == pytest.approx(CLEAN.accuracies())
    assert metrics["m"]["By_Condition"]["fog"]["Accuracy"] == pytest.approx(of("fog").fused_accuracy())
    assert metrics["m"]["Fused_Accuracy"] == pytest.approx(CLEAN.fused_accuracy())


def test_an_infinite_ratio_is_null_in_json_and_inf_in_csv(study: Study) -> None:
    study.lone([(*HEAD, "collective", "a"), ("s1", "x", "x", "y"), ("s2", "y", "y", "x")])
    ended = study.score("--json")
    assert ended.code == 0
    (line,) = json.loads(ended.out, parse_constant=refuse)["models"]
    assert (line["Collective_Accuracy"], line["Emergence_Ratio"]) == (1, None)
    metrics = json.loads((study.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)
    assert metrics["m"]["Emergence_Ratio"] is None
    assert study.line()["Emergence_Ratio"] == "inf"


def test_with_json_stdout_is_json_with_the_numbers_of_the_results_table(study: Study) -> None:
    study.lone([*PLAIN, ("s7", "", "x", "x", "x")])
    ended = study.tables("--json", "--strict")
    assert ended.code == 3  # a row that is not scored is a problem
    answer = json.loads(ended.out, parse_constant=refuse)
    (line,) = answer["models"]
    names = ("Collective_Accuracy", "Best_Accuracy", "Emergence_Ratio", "Coverage")
    assert {name: line[name] for name in names} == {name: number(study.line()[name]) for name in names}
    assert [problem["kind"] for problem in answer["problems"]] == ["empty-label"]


def test_notes_are_no_problem_to_strict(study: Study) -> None:
    study.lone([*PLAIN, ("s7", "q", "", "x", "p")])
    assert study.tables("--strict").code == 0
    assert {p["kind"] for p in study.problems()} == {"blank-prediction", "unknown-class", "never-predicted"}
    assert {p["effect"] for p in study.problems()} == {NOTE}


def test_a_dry_run_writes_nothing_and_returns_what_the_run_would(study: Study) -> None:
    study.lone(PLAIN)
    assert study.tables("--dry-run").code == 0
    study.lone([*PLAIN, *PLAIN[1:]], "twice")
    ended = study.tables("--dry-run")
    assert ended.code == 3
    assert "twice.csv" in ended.err
    assert "6 rows" in ended.out
    assert not study.res.exists()


def test_a_limit_reads_the_first_rows_of_each_sheet(study: Study) -> None:
    study.system(plain(routing=[("stream", "w1", "w2"), *[("a", 0.5, 0.5)] * 4, ("a", 1, 0)]))
    assert study.tables("--limit", "4", "--quiet").code == 0
    assert told(study.line(), headline(votes_of(PLAIN[:5])))
    assert study.value("Routing_Entropy") == pytest.approx(math.log(2))


def test_the_table_of_results_is_on_stdout_and_alerts_are_on_stderr(study: Study) -> None:
    study.lone([(*HEAD, "a", "b"), ("s1", "x", "x", "y"), ("s2", "y", "y", "x")])
    ended = study.tables()
    assert "Emergence_Ratio" in ended.out
    assert "dead_stream" in ended.err
    assert "dead_stream" not in ended.out


def signature(study: Study) -> str:
    """How the manifest says the numbers were made."""
    return str(json.loads((study.res / "manifest.json").read_text("utf-8"))["signature"])


def test_the_signature_names_fusion_ties_and_what_was_changed(five: Study, study: Study) -> None:
    assert signature(five).startswith("collective|fusion:majority|ties:first|v:")
    study.system(weighted(fingerprints=[("stream", "f1"), ("a", 1), ("b", -1)]))
    options = (
        "--fusion",
        "weighted",
        "--ties",
        "class",
        "--signed",
        "--normalise",
        "--dead-anchor",
        "0.2",
        "--seed",
        "7",
    )
    assert study.score(*options).code == 0
    parts = signature(study).split("|")
    assert {"fusion:weighted", "ties:class", "seed:7"} <= set(parts)
    assert all(any(word in part for part in parts) for word in ("signed", "normalise", "0.2"))
    assert signature(study) in sheet_text(study.workbook(), "About")


def test_a_second_run_gives_the_same_bytes_and_the_default_seed_is_0(five: Study) -> None:
    ended = five.score("-j", "2", "--seed", "0", res="again")
    assert ended.code == 0
    first = digests(five.res)
    assert len(first) == 19
    assert digests(five.root / "again") == first


def test_a_seed_changes_the_interval_and_nothing_else(five: Study, study: Study) -> None:
    study.book(EVERYTHING)
    assert study.score("--seed", "1").code == 0
    first, second = five.line(), study.line()
    ends = ("CI_Low", "CI_High")
    moving = (*ends, *COMPARED)  # alone it is compared with nobody
    assert {k: v for k, v in first.items() if k not in moving} == {k: v for k, v in second.items() if k not in moving}
    assert [float(first[name]) for name in ends] == pytest.approx([float(second[name]) for name in ends], abs=0.1)
    assert five.streams() == study.streams()


# --- what stands first ------------------------------------------------------------------------------------------------


def test_the_report_answers_its_question_first(run: Run, tmp_path: Path) -> None:
    rows = "|".join(f"s{n},x,{'x' if n % 2 else 'y'},{'y' if n % 2 else 'x'},x" for n in range(20))
    assert tabled(run, tmp_path, predictions=f"sample,label,a,b,collective|{rows}").code == 0
    report = (tmp_path / "out" / "m_collective.md").read_text(encoding="utf-8")
    answer = "+50.00 points from a; 2 of 2 streams shown to be beaten"
    assert f"| More than its best member? | yes | {answer} |" in report
