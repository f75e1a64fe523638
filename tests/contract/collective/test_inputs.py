"""Which sheets of an ensemble does `collective` read, what counts as a prediction, and what does it say of the rest?"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence

import pytest

from tests.helpers.collective import (
    ANCHORS,
    FILE_SKIPPED,
    HEAD,
    HISTORY_PAGE,
    NOT_SCORED,
    NOTE,
    PLAIN,
    PRINTS,
    ROUTING,
    SHEET_SKIPPED,
    Row,
    Sheets,
    Study,
    Votes,
    diversity,
    headline,
    nats,
    plain,
    told,
    votes_of,
)
from tests.helpers.files import sheet_names
from tests.helpers.runs import called_in

# --- many systems, scored together ------------------------------------------------------------------------------------


def cut(rows: Sequence[Row], *names: str) -> list[Row]:
    """A table with only these columns."""
    places = [rows[0].index(name) for name in names]
    return [tuple(row[place] for place in places) for row in rows]


BLANKS: list[Row] = [
    (*HEAD, "a", "b"),
    ("s1", "x", "x", "q"),
    ("s2", "y", "y", ""),
    ("s3", "w", "x", " "),
    ("s4", "x", "", ""),
    ("s5", "y", "q", "y"),
]
SPELT: dict[str, Sheets] = {
    "spelt_upper": {"PREDICTIONS": PLAIN, "ROUTING": ROUTING, "Anchors": ANCHORS, "FingerPrints": PRINTS},
    "spelt_single": {"prediction": PLAIN, "Routing": ROUTING, "anchor": ANCHORS, "Fingerprint": PRINTS},
    "spelt_loose": {"Predic_tions": PLAIN, "Rout-ing": ROUTING, "an chors": ANCHORS, "finger_prints": PRINTS},
    "spelt_other": {"my data": PLAIN, "routing": ROUTING, "anchors": ANCHORS, "fingerprints": PRINTS},
}
ALIASES: dict[str, list[Row]] = {
    "alias_id": [("Sample ID", "target", "a", "b", "c"), *PLAIN[1:]],
    "alias_item": [("ITEM", "Truth", "a", "b", "c"), *PLAIN[1:]],
    "alias_gold": [("id", "gold", "a", "b", "c"), *PLAIN[1:]],
}
SYSTEMS: dict[str, Sheets] = {
    **SPELT,
    **{name: {"predictions": rows} for name, rows in ALIASES.items()},
    "full": plain(routing=ROUTING, anchors=ANCHORS, fingerprints=PRINTS),
    "unknown_sheet": plain(notes=[("who", "what"), ("me", "this")]),
    "two_tables": plain(extra=[(*HEAD, "zz"), ("s1", "x", "y")]),
    "blanks": {"predictions": BLANKS},
    "numbers": {
        "predictions": [(*HEAD, "a", "b"), ("s1", "1", "1.0", "01"), ("s2", "2", "2e0", "1"), ("s3", 3, "", 3)]
    },
    "mixed": {"predictions": [(*HEAD, "a", "b"), ("s1", "1", "1.0", "1"), ("s2", "cat", "cat", "cat")]},
    "spaces": {"predictions": [(*HEAD, "a", "b"), ("s1", "café", " cafe\u0301", "Café"), ("s2", "b", "b", " b ")]},
    "keys": {"predictions": [(*HEAD, "a"), ("s1", "x", "x"), (" ", "x", "x"), ("s3", "", "x"), ("s4", "y", "x")]},
    "one": {"predictions": [(*HEAD, "a"), ("s1", "x", "x"), ("s2", "x", "y"), ("s3", "y", "y")]},
    "zero": {"predictions": [(*HEAD, "collective", "a", "b"), ("s1", "x", "y", "y", "y"), ("s2", "y", "x", "x", "")]},
    "infinite": {"predictions": [(*HEAD, "Fused", "a", "b"), ("s1", "x", "x", "y", "y"), ("s2", "y", "x", "x", "")]},
    "column": {
        "predictions": [
            (*HEAD, "Ensemble", "a", "b", "c"),
            *((s, label, "xyzxzx"[place], *votes) for place, (s, label, *votes) in enumerate(PLAIN[1:])),
        ]
    },
    "conditions": {
        "predictions": [
            (*HEAD, "condition", "a", "b", "c"),
            *((s, label, "" if s in ("s1", "s2") else "clean", *votes) for s, label, *votes in map(tuple, PLAIN[1:])),
            ("s1", "x", "noise", "x", "x", "y"),
            ("s2", "y", "noise", "x", "x", "y"),
            ("s1", "x", "blur", "x", "x", "y"),
            ("s2", "y", "blur", "y", "x", "y"),
            ("s3", "z", "blur", "z", "x", "z"),
        ]
    },
    "epochs": {
        "predictions": [
            (*HEAD, "epoch", "a", "b"),
            *((f"s{n}", "x", epoch, *votes) for n in "12" for epoch, votes in (("10", "xx"), ("9", "xy"))),
        ]
    },
    "epoch_names": {
        "predictions": [
            (*HEAD, "epoch", "a", "b"),
            *((f"s{n}", "x", epoch, *votes) for n in "12" for epoch, votes in (("ep 10", "xx"), ("ep 9", "yx"))),
        ]
    },
    "epoch_late": {
        "predictions": [
            (*HEAD, "condition", "epoch", "a", "b"),
            ("s1", "x", "clean", 1, "x", "x"),
            ("s1", "x", "clean", 2, "x", "y"),
            ("s1", "x", "noise", 3, "y", "y"),
        ]
    },
    "edge": plain(routing=[("stream", "w1", "w2"), ("a", 0.5, 0.5001), ("b", 0.5, 0.49991)]),
    "routing_epochs": plain(
        routing=[
            ("sample", "stream", "slot", "layer", "epoch", "w1", "w2", "why"),
            ("s1", "a", 1, "l1", 9, 0.5, 0.5, "so"),
            ("s1", "a", 1, "l1", 10, 0.9, 0.1, "so"),
            ("s1", "b", 1, "l1", 10, 0.2, 0.8, ""),
            ("s2", "b", 1, "l1", 10, 0.4, 0.6, ""),
        ]
    ),
    "routing_bare": plain(routing=[("w1", "w2"), (0.5, 0.5), (1, 0)]),
    "no_use": plain(anchors=[("stream", "k1", "k2"), ("a", 0, 0), ("b", 0, 0)]),
    "zero_print": plain(fingerprints=[("stream", "f1", "f2"), ("a", 1, 0), ("b", 0, 0), ("c", 1, 1)]),
    "one_print": plain(fingerprints=[("stream", "f1", "f2"), ("a", 1, 0)]),
    "opposite": plain(fingerprints=[("stream", "f1", "f2"), ("a", 1, 0), ("b", -1, 0)]),
    "bad_cells": plain(
        anchors=[("stream", "k1", "k2"), ("a", 0.5, "many"), ("b", 0.5, 0.25)],
        history=[("epoch", "train_loss", "val_loss"), (1, 0.5, 1), (2, "low", 1), (3, 0.5, "")],
        parameters=[("name", "value"), ("params_m", "lots")],
    ),
    "params": plain(parameters=[("Name", "VALUE"), ("Params_M", 60), ("dataset", "words")]),
    "params_zero": plain(parameters=[("name", "value"), ("params_m", 0)]),
    "history": plain(
        history=[
            ("EPOCH", "Train Loss", "val-loss", "Collective_Acc", "EmergenceRatio", "Learning rate", "Acc: a", "why"),
            (10, 1, 2, 0.5, 1.5, 0.1, 0.25, "so"),
            (9, 3, 4, 0.25, 1.25, 0.2, 0.5, ""),
        ]
    ),
}
REFUSED: dict[str, Sheets] = {
    "no_predictions": {"routing": ROUTING},
    "no_streams": {"predictions": [(*HEAD, "collective"), ("s1", "x", "x")]},
    "twice": {"predictions": [*PLAIN, (" s1", "x", "x", "x", "x")]},
    "twice_epoch": {
        "predictions": [(*HEAD, "condition", "epoch", "a"), ("s", "x", "", 1, "x"), ("s", "x", "clean", 1, "x")]
    },
    "not_clean": {"predictions": [(*HEAD, "condition", "a"), ("s", "x", "blur", "x"), ("s", "x", "Fog", "x")]},
}
SKIPPED: dict[str, Sheets] = {
    "sums": plain(routing=[("stream", "w1", "w2"), ("a", 0.5, 0.5), ("b", 0.5, 0.4), ("c", 0.6, 0.4002)]),
    "negative": plain(routing=[("stream", "w1", "w2"), ("a", 1.5, -0.5), ("b", 0.5, 0.5)]),
    "negative_use": plain(anchors=[("stream", "k1", "k2"), ("a", 0.5, 0.5), ("b", 0.5, -0.1)]),
    "twice_print": plain(fingerprints=[*PRINTS, ("b", 1, 1, 1)]),
    "twice_history": plain(history=[("epoch", "train_loss"), (1, 1), (2, 2), (1, 2)]),
}


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Every system above, and the plain one as a lone CSV and as a workbook."""
    root = tmp_path_factory.mktemp("zoo")
    study = Study(root, called_in(root))
    for name, sheets in (SYSTEMS | REFUSED | SKIPPED).items():
        study.system(sheets, name)
    study.lone(PLAIN, "lone")
    study.book({"Sheet1": PLAIN}, "book")
    study.book({"Predictions": PLAIN, "Routing": ROUTING, "ANCHORS": ANCHORS, "fingerprints": PRINTS}, "full_book")
    ended = study.score()
    assert ended.code == 3, ended.err
    return study


# --- files and sheets -------------------------------------------------------------------------------------------------


def test_a_lone_csv_has_the_numbers_that_a_person_would_work_out(zoo: Study) -> None:
    votes = votes_of(PLAIN)
    line = zoo.line("lone")
    assert told(line, headline(votes))
    # six samples could be those of almost any ratio
    assert (line["Best_Stream"], line["Band"], line["Status"]) == ("a", "failure to extraordinary", "ok")
    assert zoo.each("Accuracy", "lone") == pytest.approx(votes.accuracies())
    assert zoo.each("Contribution", "lone") == pytest.approx(votes.contributions(), abs=1e-12)
    assert zoo.each("Shapley", "lone") == pytest.approx(votes.shapley(), abs=1e-12)
    assert not zoo.problems(model="lone")


def numbers_of(study: Study, name: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """What a system's line and those of its streams say, names of files and sheets apart."""
    line = {key: value for key, value in study.line(name).items() if key not in ("Model Name", "Rows", "Scored")}
    return line, [{k: v for k, v in row.items() if k != "Sheet"} for row in study.streams(name).values()]


@pytest.mark.parametrize("name", ["book", *ALIASES])
def test_every_format_and_spelling_of_columns_gives_the_same_numbers(zoo: Study, name: str) -> None:
    assert numbers_of(zoo, name) == numbers_of(zoo, "lone")


@pytest.mark.parametrize("name", ["full_book", *SPELT])
def test_sheets_are_found_whatever_the_case_spaces_and_number_of_their_names(zoo: Study, name: str) -> None:
    assert numbers_of(zoo, name) == numbers_of(zoo, "full")
    assert zoo.kinds(name) == zoo.kinds("full") == ["dead-anchors"]


def test_a_sheet_that_is_none_of_ours_is_skipped_and_the_others_count(zoo: Study, study: Study) -> None:
    problem = zoo.problem("unknown-sheet", "unknown_sheet")
    assert (problem["sheet"], problem["effect"]) == ("notes", SHEET_SKIPPED)
    assert "--skip-sheet" in problem["message"]
    assert zoo.line("unknown_sheet")["Status"] == "partial"
    assert told(zoo.line("unknown_sheet"), headline(votes_of(PLAIN)))
    study.system(SYSTEMS["unknown_sheet"])
    assert study.tables("--skip-sheet", "notes").code == 0
    assert study.line()["Status"] == "ok"


def test_the_sheet_called_predictions_wins_over_another_that_looks_like_it(zoo: Study) -> None:
    assert told(zoo.line("two_tables"), headline(votes_of(PLAIN)))
    problem = zoo.problem("unknown-sheet", "two_tables")
    assert (problem["sheet"], problem["effect"]) == ("extra", SHEET_SKIPPED)


def test_a_system_without_predictions_fails_and_names_the_sheets_it_has(zoo: Study) -> None:
    problem = zoo.problem("missing-sheet", "no_predictions")
    assert problem["effect"] == FILE_SKIPPED
    assert "predictions" in problem["message"]
    assert "routing" in problem["message"]
    assert zoo.line("no_predictions")["Status"] == "failed"


def test_predictions_without_a_stream_cannot_be_scored(zoo: Study) -> None:
    (problem,) = zoo.problems(model="no_streams")
    assert "stream" in problem["message"]
    assert zoo.line("no_streams")["Status"] == "failed"


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_system_has_a_line_without_numbers_and_no_reports(zoo: Study, name: str) -> None:
    line = zoo.line(name)
    assert line["Status"] == "failed"
    assert (line["Collective_Accuracy"], line["Emergence_Ratio"], line["Alerts"]) == ("", "", "")
    assert not list(zoo.res.glob(f"{name}_collective*"))


# --- predictions ------------------------------------------------------------------------------------------------------


def test_a_blank_prediction_is_wrong_and_noted_for_its_stream_with_its_rows(zoo: Study) -> None:
    found = {p["column"]: p for p in zoo.problems("blank-prediction", "blanks")}
    assert {p["effect"] for p in found.values()} == {NOTE}
    assert sorted(found) == ["a", "b"]
    assert "1 of 5" in found["a"]["message"]
    assert "row 5" in found["a"]["message"]
    assert "3 of 5" in found["b"]["message"]
    assert "3, 4, 5" in found["b"]["message"]
    votes = votes_of([tuple(str(cell).strip() for cell in row) for row in BLANKS])
    assert zoo.each("Accuracy", "blanks") == pytest.approx(votes.accuracies())
    assert told(zoo.line("blanks"), headline(votes))


def test_a_class_that_is_no_label_is_wrong_and_noted_for_its_stream(zoo: Study) -> None:
    found = {p["column"]: p for p in zoo.problems("unknown-class", "blanks")}
    assert sorted(found) == ["a", "b"]
    assert {p["effect"] for p in found.values()} == {NOTE}
    assert all("'q'" in p["message"] and "1 of 5" in p["message"] for p in found.values())
    assert "row 6" in found["a"]["message"]


def test_a_label_that_nobody_ever_predicts_is_noted(zoo: Study) -> None:
    problem = zoo.problem("never-predicted", "blanks")
    assert (problem["effect"], problem["message"].rpartition(": ")[2]) == (NOTE, "w")
    assert not zoo.problems("never-predicted", "full")


def test_classes_that_are_all_numbers_are_compared_as_numbers(zoo: Study) -> None:
    assert zoo.each("Accuracy", "numbers") == pytest.approx({"a": 2 / 3, "b": 2 / 3})
    assert zoo.value("Ties", "numbers") == 1
    assert zoo.kinds("numbers") == ["blank-prediction"]


def test_one_class_that_is_no_number_makes_all_of_them_text(zoo: Study) -> None:
    assert zoo.each("Accuracy", "mixed") == {"a": 0.5, "b": 1}
    assert "'1.0'" in zoo.problem("unknown-class", "mixed")["message"]


def test_classes_are_stripped_and_composed_but_keep_their_case(zoo: Study) -> None:
    assert zoo.each("Accuracy", "spaces") == {"a": 1, "b": 0.5}


def test_a_row_without_sample_or_label_is_not_scored(zoo: Study) -> None:
    places = {p["kind"]: (p["row"], p["column"], p["effect"]) for p in zoo.problems(model="keys")}
    assert places == {"empty-key": ("3", "sample", NOT_SCORED), "empty-label": ("4", "label", NOT_SCORED)} | {
        "never-predicted": ("", "label", NOTE)
    }
    line = zoo.line("keys")
    assert (line["Samples"], line["Rows"], line["Scored"], float(line["Coverage"])) == ("2", "4", "2", 0.5)
    assert zoo.each("Accuracy", "keys") == {"a": 0.5}


@pytest.mark.parametrize(("name", "sample", "rows"), [("twice", "s1", (2, 8)), ("twice_epoch", "s", (2, 3))])
def test_a_sample_that_is_there_twice_refuses_the_system(zoo: Study, name: str, sample: str, rows: tuple[int]) -> None:
    problem = zoo.problem("duplicate-sample", name)
    assert problem["effect"] == FILE_SKIPPED
    assert f"'{sample}'" in problem["message"]
    assert all(str(row) in problem["message"] for row in rows)


def test_one_stream_alone_is_its_own_collective(zoo: Study) -> None:
    line = zoo.line("one")
    assert told(line, headline(votes_of(SYSTEMS["one"]["predictions"])))
    assert (line["Emergence_Ratio"], line["Band"], line["McNemar_P"]) == ("1.0", "too few samples", "1.0")
    assert line["CI_Note"] == "too few samples for an interval: 3, at least 5 are needed"
    assert zoo.streams("one")["a"]["Contribution"] == ""
    assert zoo.each("Shapley", "one") == pytest.approx({"a": 2 / 3})


def test_nothing_over_nothing_is_undefined(zoo: Study) -> None:
    line = zoo.line("zero")
    assert (line["Collective_Accuracy"], line["Best_Accuracy"], line["Best_Stream"]) == ("0.0", "0.0", "a")
    assert (line["Emergence_Ratio"], line["Band"], line["CI_Low"], line["CI_High"]) == ("", "", "", "")
    assert line["Status"] == "ok"


def test_something_over_nothing_is_infinite(zoo: Study) -> None:
    line = zoo.line("infinite")
    assert (line["Collective_Accuracy"], line["Best_Accuracy"]) == ("0.5", "0.0")
    assert (line["Emergence_Ratio"], line["Band"]) == ("inf", "too few samples")
    assert zoo.summary("infinite")["Largest ρ possible"][0] == "inf"


def test_the_collective_column_is_the_headline_and_contributions_are_those_of_the_fused_vote(zoo: Study) -> None:
    votes = votes_of(PLAIN)
    assert told(zoo.line("column"), headline(votes, "xyzxzx"))
    assert zoo.each("Contribution", "column") == pytest.approx(votes.contributions(), abs=1e-12)
    assert "Ensemble" not in zoo.streams("column")
    value, what = zoo.summary("column")["Fused Accuracy"]
    assert value == f"{votes.fused_accuracy():.2%}"
    assert f"{100 * (votes.fused_accuracy() - votes.accuracy('xyzxzx')):.2f}" in str(what)


# --- conditions and epochs --------------------------------------------------------------------------------------------


def by_condition(name: str, shared_with: str = "") -> Votes:
    """The votes of one condition of the system called conditions, or those on samples of another; blank is clean."""
    head, *rows = SYSTEMS["conditions"]["predictions"]
    shared = {row[0] for row in rows if (row[2] or "clean") == (shared_with or name)}
    return votes_of([head, *(row for row in rows if (row[2] or "clean") == name and row[0] in shared)], skip=3)


def robustness(clean: str, *others: str) -> float:
    """The mean accuracy under the other conditions over the clean one, on the samples that each shares with it."""
    shifted = [by_condition(name, clean).fused_accuracy() for name in others]
    return statistics.fmean(shifted) / statistics.fmean(by_condition(clean, name).fused_accuracy() for name in others)


def test_a_blank_condition_is_clean_and_the_clean_one_is_the_headline(zoo: Study) -> None:
    assert told(zoo.line("conditions"), headline(by_condition("clean")))
    assert zoo.line("conditions")["Rows"] == "11"


def test_every_condition_has_its_accuracies_and_what_it_costs(zoo: Study) -> None:
    page = {str(row["Condition"]): row for row in zoo.page("Conditions", "conditions")}
    assert next(iter(page)) == "clean"
    assert sorted(page) == ["blur", "clean", "noise"]
    for name, row in page.items():
        votes = by_condition(name)
        on_shared, clean = by_condition(name, "clean"), by_condition("clean", name).fused_accuracy()
        assert row["Accuracy"] == pytest.approx(votes.fused_accuracy())
        assert (row["Shared"], row["On_Shared"], row["Clean_On_Shared"]) == pytest.approx(
            (len(on_shared.labels), on_shared.fused_accuracy(), clean)
        )
        assert row["Delta"] == pytest.approx(on_shared.fused_accuracy() - clean)
        assert row["Emergence_Ratio"] == pytest.approx(headline(votes)["Emergence_Ratio"])
        assert {s: row[f"Accuracy of {s}"] for s in "abc"} == pytest.approx(votes.accuracies())
        assert row["Samples"] == len(votes.labels)
    assert zoo.value("Robustness", "conditions") == pytest.approx(robustness("clean", "noise", "blur"))
    assert "noise has 2 of the 6" in zoo.problem("samples-differ", "conditions")["message"]


def test_without_shifted_conditions_robustness_is_undefined(zoo: Study) -> None:
    assert zoo.value("Robustness", "lone") is None


def test_conditions_without_a_clean_one_refuse_the_system_and_name_them(zoo: Study) -> None:
    problem = zoo.problem("no-clean", "not_clean")
    assert problem["effect"] == FILE_SKIPPED
    assert all(word in problem["message"] for word in ("--clean", "blur", "Fog"))


def test_any_condition_may_be_named_the_clean_one(study: Study) -> None:
    head, *rows = SYSTEMS["conditions"]["predictions"]
    study.lone([head, *((*row[:2], row[2] or "clean", *row[3:]) for row in rows)])
    study.system(REFUSED["not_clean"], "n")
    assert study.tables("--clean", "blur").code == 0
    assert told(study.line(), headline(by_condition("blur")))
    assert study.value("Robustness") == pytest.approx(robustness("blur", "noise", "clean"))
    assert study.line("n")["Collective_Accuracy"] == "1.0"


@pytest.mark.parametrize("name", ["epochs", "epoch_names"])
def test_the_last_epoch_is_the_headline_and_10_comes_after_9(zoo: Study, name: str) -> None:
    assert zoo.each("Accuracy", name) == {"a": 1, "b": 1}
    page = zoo.page(HISTORY_PAGE, name)
    assert [str(row["Epoch"]).removeprefix("ep ") for row in page] == ["9", "10"]
    first = {"epochs": {"acc:a": 1, "acc:b": 0}, "epoch_names": {"acc:a": 0, "acc:b": 1}}[name]
    assert {key: page[0][key] for key in first} == first
    assert zoo.line(name)["Samples"] == "2"


def test_the_last_epoch_is_that_of_the_clean_condition(zoo: Study) -> None:
    assert zoo.each("Accuracy", "epoch_late") == {"a": 1, "b": 0}
    assert [str(row["Epoch"]) for row in zoo.page(HISTORY_PAGE, "epoch_late")] == ["1", "2"]


# --- streams by name --------------------------------------------------------------------------------------------------


def test_streams_may_be_named_and_other_columns_are_none(study: Study) -> None:
    study.lone([(*row, "note") for row in PLAIN])
    assert study.tables("--streams", "a, c").code == 0
    assert list(study.streams()) == ["a", "c"]
    assert told(study.line(), headline(votes_of(cut(PLAIN, *HEAD, "a", "c"))))


def test_a_stream_that_is_named_and_not_there_is_named_again(study: Study) -> None:
    study.lone(PLAIN)
    study.lone(cut(PLAIN, *HEAD, "a", "b"), "n")
    ended = study.tables("--streams", "a,c")
    assert ended.code == 3
    assert study.results()["n"]["Status"] == "failed"
    (problem,) = study.problems(model="n")
    assert re.search(r"\bc\b", problem["message"])
    assert "--streams" in problem["message"]


# --- routing, anchors, fingerprints -----------------------------------------------------------------------------------


def test_routing_entropy_is_the_mean_over_rows_in_nats(zoo: Study) -> None:
    wanted = statistics.fmean(nats([float(str(w)) for w in row[1:]]) for row in ROUTING[1:])
    assert zoo.value("Routing_Entropy", "full") == pytest.approx(wanted)
    assert zoo.value("Routing_Entropy_Share", "full") == pytest.approx(wanted / math.log(3))
    assert zoo.value("Routing_Entropy", "routing_bare") == pytest.approx(math.log(2) / 2)


def test_routing_entropy_is_that_of_the_last_epoch_and_texts_are_no_weights(zoo: Study) -> None:
    rows = [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]]
    assert zoo.value("Routing_Entropy", "routing_epochs") == pytest.approx(statistics.fmean(map(nats, rows)))
    problem = zoo.problem("other-columns", "routing_epochs")
    assert (problem["column"], problem["effect"]) == ("why", NOTE)
    page = zoo.page("Routing", "routing_epochs")
    assert [(str(row["Epoch"]), row["Stream"], row["Rows"]) for row in page] == [
        ("9", "a", 1),
        ("10", "a", 1),
        ("10", "b", 2),
    ]
    assert page[2]["Entropy"] == pytest.approx(statistics.fmean(map(nats, rows[1:])))
    assert (page[2]["w1"], page[2]["w2"]) == pytest.approx((0.3, 0.7))
    assert [row["Overlap"] for row in page] == [None, pytest.approx(0.4), pytest.approx(0.4)]


def test_a_sum_within_a_ten_thousandth_is_1(zoo: Study) -> None:
    assert zoo.value("Routing_Entropy", "edge") == pytest.approx(math.log(2), abs=1e-4)
    assert not zoo.problems(model="edge")


@pytest.mark.parametrize(("name", "sheet", "count"), [("sums", "routing", "2 of 3"), ("negative", "routing", "1 of 2")])
def test_weights_that_do_not_sum_to_1_skip_the_sheet_and_name_its_rows(
    zoo: Study, name: str, sheet: str, count: str
) -> None:
    problem = zoo.problem("bad-weights", name)
    assert (problem["sheet"], problem["effect"]) == (sheet, SHEET_SKIPPED)
    assert count in problem["message"]
    assert ("3, 4" if name == "sums" else "2") in problem["message"].partition(":")[2]
    line = zoo.line(name)
    assert (line["Status"], line["Routing_Entropy"], line["Routing_Entropy_Share"]) == ("partial", "", "")
    assert told(line, headline(votes_of(PLAIN)))
    assert not (zoo.res / f"{name}_collective_routing.svg").exists()
    assert "Routing" not in sheet_names(zoo.workbook(name))


def test_weights_may_be_divided_by_their_sum(study: Study) -> None:
    study.system(SKIPPED["sums"])
    assert study.tables().code == 3
    study.system(SKIPPED["negative"], "n")
    study.system(plain(routing=[("stream", "w1", "w2"), ("a", 0, 0), ("b", 2, 6), ("c", -1, 2)]), "o")
    assert study.tables("--normalise").code == 0
    rows = [[0.5, 0.5], [0.5 / 0.9, 0.4 / 0.9], [0.6 / 1.0002, 0.4002 / 1.0002]]
    assert study.value("Routing_Entropy") == pytest.approx(statistics.fmean(map(nats, rows)))
    assert study.problem("weights-normalised")["effect"] == NOTE
    assert study.value("Routing_Entropy", "n") == pytest.approx(math.log(2))
    assert study.value("Routing_Entropy", "o") == pytest.approx(nats([0.25, 0.75]))
    bad = {model: study.problems("bad-weights", model) for model in "no"}
    assert {p["effect"] for found in bad.values() for p in found} == {NOT_SCORED}
    assert sorted(p["row"] for p in bad["o"]) == ["2", "4"]
    assert [p["row"] for p in bad["n"]] == ["2"]


def test_anchor_entropy_is_that_of_the_shares_of_the_mean_use(zoo: Study) -> None:
    use = [statistics.fmean(float(str(row[k])) for row in ANCHORS[1:]) for k in (1, 2, 3)]
    shares = [one / sum(use) for one in use]
    assert zoo.value("Anchor_Entropy", "full") == pytest.approx(nats(shares))
    page = zoo.page("Anchors", "full")
    assert [row["Share"] for row in page] == pytest.approx(shares)
    assert [row["Dead"] for row in page] == [None, None, "dead"]
    assert "k3" in zoo.problem("dead-anchors", "full")["message"]


def test_an_anchor_is_dead_below_the_share_that_is_given(study: Study) -> None:
    study.system(plain(anchors=[("stream", "k1", "k2", "k3"), ("a", 5, 4.9, 0.1), ("b", 5, 4, 1)]))
    assert study.score().code == 0
    assert [row["Dead"] for row in study.page("Anchors")] == [None, None, None]  # the third has 0.055
    assert study.score("--dead-anchor", "0.055").code == 0
    assert [row["Dead"] for row in study.page("Anchors")] == [None, None, None]
    assert study.score("--dead-anchor", "0.056").code == 0
    assert [row["Dead"] for row in study.page("Anchors")] == [None, None, "dead"]


def test_a_use_below_0_skips_the_anchors_and_no_use_at_all_has_no_entropy(zoo: Study) -> None:
    problem = zoo.problem("bad-weights", "negative_use")
    assert (problem["sheet"], problem["effect"]) == ("anchors", SHEET_SKIPPED)
    assert zoo.value("Anchor_Entropy", "negative_use") is None
    assert zoo.value("Anchor_Entropy", "no_use") is None
    assert zoo.line("no_use")["Status"] == "ok"


def test_fingerprints_are_as_diverse_as_their_angles(zoo: Study) -> None:
    vectors = [[float(str(value)) for value in row[1:]] for row in PRINTS[1:]]
    assert zoo.value("Fingerprint_Diversity", "full") == pytest.approx(diversity(vectors))
    assert diversity(vectors) == pytest.approx(0.528595, abs=1e-6)
    assert zoo.value("Fingerprint_Diversity", "zero_print") == pytest.approx(0.292893, abs=1e-6)
    assert zoo.value("Fingerprint_Diversity", "opposite") == 0
    assert zoo.value("Fingerprint_Diversity", "one_print") is None
    drawn = [
        name for name in ("full", "one_print", "lone") if (zoo.res / f"{name}_collective_fingerprints.svg").exists()
    ]
    assert drawn == ["full"]


def test_a_fingerprint_without_direction_is_left_out_and_noted(zoo: Study) -> None:
    problem = zoo.problem("bad-number", "zero_print")
    assert (problem["sheet"], problem["row"], problem["effect"]) == ("fingerprints", "3", NOTE)
    assert re.search(r"\bb\b", problem["message"])


def test_a_stream_with_two_fingerprints_skips_their_sheet(zoo: Study) -> None:
    (problem,) = zoo.problems(model="twice_print")
    assert (problem["sheet"], problem["effect"]) == ("fingerprints", SHEET_SKIPPED)
    assert re.search(r"\bb\b", problem["message"])
    assert (zoo.line("twice_print")["Status"], zoo.value("Fingerprint_Diversity", "twice_print")) == ("partial", None)


def test_signed_fingerprints_may_be_more_than_1_apart(study: Study) -> None:
    study.system(SYSTEMS["opposite"])
    study.system(SYSTEMS["full"], "n")
    assert study.tables("--signed").code == 0
    assert study.value("Fingerprint_Diversity") == 2
    vectors = [[float(str(value)) for value in row[1:]] for row in PRINTS[1:]]
    assert study.value("Fingerprint_Diversity", "n") == pytest.approx(diversity(vectors, signed=True))


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_a_cell_that_should_be_a_number_is_noted_and_left_out(zoo: Study) -> None:
    found = {(p["sheet"], p["row"], p["column"]) for p in zoo.problems("bad-number", "bad_cells")}
    assert found == {("anchors", "2", "k2"), ("history", "3", "train_loss"), ("parameters", "2", "value")}
    assert {p["effect"] for p in zoo.problems("bad-number", "bad_cells")} == {NOTE}
    assert zoo.value("Anchor_Entropy", "bad_cells") == pytest.approx(nats([2 / 3, 1 / 3]))
    assert [row["train_loss"] for row in zoo.page(HISTORY_PAGE, "bad_cells")] == [0.5, None, 0.5]
    assert zoo.line("bad_cells")["Efficiency"] == ""


def test_a_weight_that_is_no_number_is_named(study: Study) -> None:
    study.system(plain(routing=[("stream", "w1", "w2"), ("a", 0.5, 0.5), ("b", 0.5, "half")]))
    study.tables()
    problem = study.problem("bad-weights")
    assert (problem["sheet"], problem["effect"]) == ("routing", SHEET_SKIPPED)
    assert "row 3, column w2: 'half' is not a number" in problem["message"]


def test_efficiency_is_percent_of_accuracy_per_million_parameters(zoo: Study) -> None:
    accuracy = votes_of(PLAIN).fused_accuracy()
    assert zoo.value("Params_M", "params") == 60
    assert zoo.value("Efficiency", "params") == pytest.approx(100 * accuracy / 60)
    assert zoo.value("Efficiency", "params_zero") is None
    assert (zoo.value("Params_M", "full"), zoo.value("Efficiency", "full")) == (None, None)


def test_a_history_is_sorted_by_epoch_whatever_the_spelling_of_its_columns(zoo: Study) -> None:
    page = zoo.page(HISTORY_PAGE, "history")
    assert [str(row["Epoch"]) for row in page] == ["9", "10"]
    wanted = {
        "train_loss": [3, 1],
        "val_loss": [4, 2],
        "collective_acc": [0.25, 0.5],
        "emergence_ratio": [1.25, 1.5],
        "learning_rate": [0.2, 0.1],
        "acc:a": [0.5, 0.25],
    }
    assert {name: [row.get(name) for row in page] for name in wanted} == wanted
    assert zoo.problem("other-columns", "history")["column"] == "why"


def test_an_epoch_that_is_there_twice_skips_the_history(zoo: Study) -> None:
    (problem,) = zoo.problems(model="twice_history")
    assert (problem["sheet"], problem["effect"]) == ("history", SHEET_SKIPPED)
    assert "epoch 1" in problem["message"]
    assert zoo.line("twice_history")["Status"] == "partial"
    assert HISTORY_PAGE not in sheet_names(zoo.workbook("twice_history"))


# --- nothing to score -------------------------------------------------------------------------------------------------


def test_nothing_but_refused_systems_leaves_nothing_to_score(study: Study) -> None:
    study.lone([*PLAIN, *PLAIN[1:]])
    assert study.score().code == 4
    assert not study.res.exists()


# --- the folder of one system -----------------------------------------------------------------------------------------


def test_a_system_may_be_named_by_its_own_folder(study: Study) -> None:
    sheets: Sheets = {"predictions": PLAIN, "fingerprints": [("stream", "u"), ("a", 1), ("b", 2), ("c", 3)]}
    study.system(sheets, "moe")
    assert study.run("collective", "outs", "-o", "above").code == 0
    assert study.run("collective", "outs/moe", "-o", "res").code == 0
    assert study.problems("one-system")[0]["message"] == (
        "fingerprints.csv, predictions.csv are the sheets of one system, moe"
    )
    for name in ("collective_results.csv", "moe_collective.csv"):
        assert (study.res / name).read_bytes() == (study.res.parent / "above" / name).read_bytes()


@pytest.mark.parametrize("other", ["zoo", "predictions_2"])
def test_a_folder_that_has_any_other_file_is_one_of_systems(study: Study, other: str) -> None:
    study.lone(PLAIN, "predictions")
    study.lone(PLAIN, other)
    assert study.tables().code == 0
    assert sorted(study.results()) == sorted(["predictions", other])


# --- long logs --------------------------------------------------------------------------------------------------------


def test_a_log_of_two_systems_is_refused_with_a_way_out_that_works(study: Study) -> None:
    log: list[Row] = [("system", "sample", "label", "model", "prediction")]
    for system, said in (("one", "x"), ("two", "y")):
        log += [(system, sample, "x", model, said) for sample in ("s1", "s2") for model in "ab"]
    study.lone(log)
    ended = study.tables()
    assert ended.code == 4
    assert "the sample 's1' has two predictions of 'a' (clean), in rows 2 and 6" in ended.err
    assert "--model-column system" in ended.err
    assert study.tables("--model-column", "system").code == 0
    assert {model: line["Collective_Accuracy"] for model, line in study.results().items()} == {
        "one": "1.0",
        "two": "0.0",
    }


def test_a_log_has_as_many_rows_as_samples_and_is_no_part_of_them(study: Study) -> None:
    study.lone([("sample", "label", "model", "prediction"), *(("s1", "x", model, "x") for model in "abc")])
    assert study.tables("--strict").code == 0
    assert (study.line()["Rows"], study.line()["Scored"], study.line()["Status"]) == ("1", "1", "ok")


# --- renamed columns: what --column names holds on every sheet that has it, and is asked of none that has not ---------


def _renamed_system(*, predictions: str = "sample", probabilities: str = "sample") -> Sheets:
    rows = [("s1", "a", 0.9, 0.1), ("s1", "b", 0.2, 0.8), ("s2", "a", 0.4, 0.6), ("s2", "b", 0.3, 0.7)]
    return {
        "predictions": [(predictions, "label", "a", "b"), ("s1", "x", "x", "y"), ("s2", "y", "y", "y")],
        "probabilities": [(probabilities, "stream", "x", "y"), *rows],
    }


@pytest.mark.parametrize(("predictions", "probabilities"), [("sid", "sid"), ("sid", "sample"), ("sample", "sid")])
def test_a_renamed_key_is_found_on_every_sheet_that_has_it(study: Study, predictions: str, probabilities: str) -> None:
    study.system(_renamed_system(predictions=predictions, probabilities=probabilities))
    assert study.tables("--column", "sample=sid", "--fusion", "mean").code == 0
    assert study.value("Collective_Accuracy") == 1.0
    assert not [problem for problem in study.problems() if problem["kind"] == "missing-column"]


def test_a_renamed_key_that_no_sheet_has_is_a_usage_error(study: Study) -> None:
    study.system(_renamed_system(predictions="sample", probabilities="sample"))
    ended = study.tables("--column", "sample=sid", "--fusion", "mean")
    assert ended.code == 2
    assert "no file has the column 'sid', which --column names as sample" in ended.err


def test_a_renamed_key_reaches_the_sheets_of_a_workbook_that_have_it_and_nothing_is_said_of_the_others(
    study: Study,
) -> None:
    routing: list[Row] = [("sid", "expert", "weight"), ("s1", "a", 0.5), ("s1", "b", 0.5), ("s2", "a", 1)]
    study.book({**_renamed_system(predictions="sid"), "routing": routing, "history": [("epoch", "loss"), (1, 0.5)]})
    ended = study.tables("--column", "sample=sid", "--fusion", "mean")
    assert (ended.code, study.line()["Status"]) == (0, "ok")
    assert study.value("Routing_Entropy") == pytest.approx(math.log(2) / 2)
    assert study.problems("renaming") == []


def test_of_two_systems_the_one_without_the_header_is_named_once(study: Study) -> None:
    study.system(_renamed_system(predictions="sid", probabilities="sid"), "one")
    study.system(_renamed_system(), "other")
    assert study.tables("--column", "sample=sid").code == 0
    (problem,) = study.problems("renaming")
    assert problem["file"] == "other/predictions.csv"
    assert "no column 'sid', which --column names as sample" in problem["message"]


@pytest.mark.parametrize("key", ["sample", "nr"], ids=["another was taken", "nothing was taken"])
def test_a_header_that_no_sheet_has_writes_nothing_however_many_sheets_could_not_have_had_it(
    study: Study, key: str
) -> None:
    system = _renamed_system(predictions=key, probabilities=key)
    study.book({**system, "history": [("epoch", "loss"), (1, 0.5)], "parameters": [("name", "value"), ("params_m", 1)]})
    ended = study.tables("--column", "sample=sid")
    assert (ended.code, study.res.exists()) == (2, False)
    assert "no file has the column 'sid', which --column names as sample" in ended.err


def test_a_renamed_epoch_of_the_history_is_not_asked_of_the_predictions(study: Study) -> None:
    history: list[Row] = [("step", "train_loss"), (1, 0.9), (2, 0.8), (3, 0.7)]
    study.book({**_renamed_system(), "history": history})
    assert study.score("--column", "epoch=step").code == 0
    assert [row["Epoch"] for row in study.page(HISTORY_PAGE)] == ["1", "2", "3"]


def test_a_renamed_stream_is_found_where_streams_are_named(study: Study) -> None:
    study.system({"predictions": PLAIN, "fingerprints": [("net", "u", "v"), ("a", 1, 0), ("b", 0, 1), ("c", 1, 1)]})
    assert study.tables().code == 3
    assert study.tables("--column", "stream=net", res="other").code == 0


def test_two_headers_that_could_be_the_stream_are_refused_with_a_way_out(study: Study) -> None:
    study.system({"predictions": PLAIN, "fingerprints": [("Stream", "STREAM", "u"), ("a", 1, 2), ("b", 2, 1)]})
    assert study.tables().code == 3
    (problem,) = (problem for problem in study.problems() if problem["kind"] == "ambiguous-column")
    assert "--column stream=Stream" in problem["message"]
    assert study.tables("--column", "stream=Stream", res="other").code == 0


def test_a_column_that_is_missing_is_named_beside_the_first_row_as_the_file_has_it(study: Study) -> None:
    study.system({"predictions": PLAIN, "probabilities": [("nr", "Model", "x", "y"), ("s1", "a", 1, 0)]})
    assert study.tables().code == 3
    (problem,) = (problem for problem in study.problems() if problem["kind"] == "missing-column")
    assert "the first row has nr, Model, x, y; name yours with --column sample=HEADER" in problem["message"]


@pytest.mark.parametrize("epochs", [(), ("", "")], ids=["a header alone", "no epoch in any row"])
def test_a_history_without_a_single_epoch_costs_its_rows_and_nothing_else(
    study: Study, epochs: tuple[str, ...]
) -> None:
    study.system({"predictions": PLAIN, "history": [("epoch", "train_loss"), *((epoch, 0.5) for epoch in epochs)]})
    assert study.score().code == 0
    assert HISTORY_PAGE not in sheet_names(study.workbook())
    assert len(study.problems("empty-key")) == len(epochs)
