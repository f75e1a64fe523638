"""Traps that streams, epochs and sheets of an ensemble can hold."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import statistics
from itertools import combinations
from typing import TYPE_CHECKING

import openpyxl
import pytest

from .files import Run, digests, sheet_names, sheet_rows, sheet_text, write_csv
from .test_collective_inputs import (
    HEAD,
    HISTORY_PAGE,
    PLAIN,
    Row,
    Sheets,
    Study,
    Votes,
    headline,
    plain,
    told,
    votes_of,
    winner,
)
from .test_collective_outputs import EVERYTHING, drawn_texts
from .test_mode_collapse_outputs import on_its_own, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture
def study(tmp_path: Path, run: Run) -> Study:
    """An empty study."""
    return Study(tmp_path, run)


# --- names that mean something elsewhere ------------------------------------------------------------------------------

HOSTILE = ("<b>bold</b>", "a|b", "*c*", "R&D", "q\"uo'te", "😀", "ctl\x01x", "=1+1", "line\nbreak", "[x](http://y)")
OURS = (
    "Accuracy",
    "Stream",
    "Shapley",
    "Overall",
    "Without",
    "Wrong with Accuracy",
    "Failing",
    "nothing",
    "Best_Stream",
)
TAKEN = ("Entropy", "Rows", "Band")


def seen(name: str) -> str:
    """A name as reports show it."""
    return name.replace("\x01", "\\x01")


def named(names: Sequence[str], samples: int = 12, classes: str = "xyz") -> list[Row]:
    """Predictions of streams with these names."""
    draw = random.Random(len(names))
    rows: list[Row] = [
        (f"s{n}", classes[n % len(classes)], *draw.choices(classes, k=len(names))) for n in range(samples)
    ]
    return [(*HEAD, *names), *rows]


def dressed(names: Sequence[str], weights: Sequence[str] = ("w1", "w2", "w3")) -> Sheets:
    """A system of streams with these names, with every sheet that names streams or has columns of its own."""
    return {
        "predictions": named(names),
        "routing": [("stream", *weights), *((name, 0.5, 0.3, 0.2) for name in names)],
        "anchors": [("stream", "Share", "Dead"), *((name, n + 1, 2) for n, name in enumerate(names))],
        "fingerprints": [("stream", "f1", "f2"), *((name, math.cos(n), math.sin(n)) for n, name in enumerate(names))],
        "history": [("epoch", *(f"acc:{name}" for name in names)), (1, *[0.5] * len(names)), (2, *[0.6] * len(names))],
        "parameters": [("name", "value"), ("dataset", "<i>|*d*")],
    }


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Streams with hostile names (h), with names of our columns (o), in two cases (c), many (k) and very many (l)."""
    root = tmp_path_factory.mktemp("hostile")
    study = Study(root, on_its_own(root))
    study.system(dressed(HOSTILE), "h")
    study.system(dressed(OURS, TAKEN), "o")
    study.system({"predictions": named(("cat", "Cat", "CAT"))}, "c")
    study.lone(named([f"m{n}" for n in range(11)]), "k")
    study.lone(named([f"m{n}" for n in range(70)], 30), "l")
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


@pytest.mark.parametrize(("model", "names"), [("h", HOSTILE), ("o", OURS), ("c", ("cat", "Cat", "CAT"))])
def test_streams_of_any_name_have_the_numbers_of_their_columns(hostile: Study, model: str, names: tuple[str]) -> None:
    votes = votes_of(named(names))
    assert told(hostile.line(model), headline(votes))
    lines = hostile.streams(model)
    assert list(lines) == ["'=1+1" if name == "=1+1" else seen(name) for name in names]
    for measure, wanted in (("Accuracy", votes.accuracies()), ("Contribution", votes.contributions())):
        values = [float(line[measure]) for line in lines.values()]
        assert values == pytest.approx(list(wanted.values()), abs=1e-12)


@pytest.mark.parametrize(("model", "names"), [("h", HOSTILE), ("o", OURS)])
def test_every_page_has_columns_of_different_names_and_a_line_for_each_stream(
    hostile: Study, model: str, names: tuple[str]
) -> None:
    for page in ("Streams", "Routing", "Anchors", "Fingerprints", HISTORY_PAGE, "Conditions", "Failure"):
        if page not in sheet_names(hostile.workbook(model)):
            assert page == "Conditions"  # there is only one
            continue
        head = [str(name) for name in sheet_rows(hostile.workbook(model), page)[0]]
        assert len({name.casefold() for name in head}) == len(head), page
    for page in ("Streams", "Routing", "Fingerprints"):
        shown = [row["Stream"] for row in hostile.page(page, model)]
        assert sorted(map(str, shown)) == sorted(map(seen, names))


def test_weights_called_like_our_columns_are_shown_beside_them(hostile: Study) -> None:
    head, first, *_ = sheet_rows(hostile.workbook("o"), "Routing")
    assert len(head) == 8 + 3
    assert first[-3:] == [0.5, 0.3, 0.2]
    assert first[head.index("Entropy")] == pytest.approx(-math.fsum(w * math.log(w) for w in (0.5, 0.3, 0.2)))
    assert [row["Anchor"] for row in hostile.page("Anchors", "o")] == ["Share", "Dead"]


def test_nothing_a_table_names_becomes_a_formula_or_a_link(hostile: Study) -> None:
    book = openpyxl.load_workbook(hostile.workbook("h"))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert "f" not in {cell.data_type for cell in cells}
    assert "=1+1" in {cell.value for cell in cells}
    assert not [cell for cell in cells if cell.hyperlink and cell.hyperlink.target]
    book.close()


def unescaped(text: str) -> str:
    """Markdown as a reader sees it."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


def test_the_markdown_report_escapes_what_would_be_markup(hostile: Study) -> None:
    text = (hostile.res / "h_collective.md").read_text("utf-8")
    lines = text.splitlines()
    assert unescaped(lines[0]) == "## Results for <i>|*d*"
    assert not re.search(r"(?<!\\)<[a-z/]", text)
    assert not re.search(r"(?<!\\)\*", text)
    assert not re.search(r"(?<!\\)\[", text)
    rows = [re.split(r"(?<!\\)\|", line) for line in lines if line.startswith("|")]
    assert {len(row) for row in rows} == {5}  # three cells, and nothing before and behind
    shown = {unescaped(row[1].strip()) for row in rows}
    assert {name.replace("\x01", "\\x01") for name in HOSTILE if "\n" not in name} <= shown
    assert any(name.startswith("line") and name.endswith("break") for name in shown)


def test_no_report_holds_a_control_character(hostile: Study) -> None:
    for path in hostile.res.glob("h_collective*"):
        if path.suffix != ".xlsx":
            assert not re.search("[\x00-\x08\x0b-\x1f]", path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")), (
                path
            )


@pytest.mark.parametrize("kind", ["emergence", "routing", "fingerprints"])
def test_pictures_name_streams_of_any_name(hostile: Study, kind: str) -> None:
    texts = drawn_texts(hostile.res / f"h_collective_{kind}.svg")
    assert {seen(name) for name in HOSTILE if "\n" not in name} <= set(texts)


def test_a_second_sample_column_is_refused_and_named(study: Study) -> None:
    study.lone(PLAIN)
    study.lone([(*HEAD, "Sample", "a"), ("s1", "x", "x", "x")], "n")
    assert study.score().code == 3
    (problem,) = study.problems(model="n")
    assert "'Sample'" in problem["message"] or "'sample'" in problem["message"]
    assert study.line("n")["Status"] == "failed"


def test_collective_with_spaces_around_it_is_the_collective(study: Study) -> None:
    study.lone([(*HEAD, "collective ", "a"), ("s1", "x", "x", "y"), ("s2", "y", "y", "y")])
    assert study.score().code == 0
    assert list(study.streams()) == ["a"]
    assert study.value("Emergence_Ratio") == 2


def test_a_column_may_be_said_to_be_the_label_or_the_collective(study: Study) -> None:
    study.lone([("sample", "what", "a", "all"), ("s1", "x", "y", "x"), ("s2", "y", "y", "y")])
    assert study.score("--column", "label=what", "--column", "collective=all").code == 0
    assert list(study.streams()) == ["a"]
    assert study.value("Emergence_Ratio") == 2


# --- many streams -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "count", "samples"), [("k", 11, 12), ("l", 70, 30)])
def test_above_ten_streams_there_are_contributions_and_no_shapley_values(
    hostile: Study, model: str, count: int, samples: int
) -> None:
    names = [f"m{n}" for n in range(count)]
    votes = votes_of(named(names, samples))
    assert told(hostile.line(model), headline(votes))
    assert list(hostile.streams(model)) == names
    assert hostile.each("Accuracy", model) == pytest.approx(votes.accuracies())
    assert hostile.each("Contribution", model) == pytest.approx(votes.contributions(), abs=1e-12)
    assert set(hostile.each("Shapley", model).values()) == {None}
    problem = hostile.problem("many-streams", model)
    assert (problem["effect"], "10" in problem["message"]) == ("note", True)
    assert [(row["Stream"], row["Other_Stream"]) for row in hostile.page("Pairs", model)] == list(
        combinations(names, 2)
    )
    drawn = set(drawn_texts(hostile.res / f"{model}_collective_emergence.svg"))
    assert set(names) <= drawn or (len(names) > 20 and set(names) & drawn)  # of very many only some have room


def test_ten_streams_have_shapley_values_that_sum_to_the_accuracy(hostile: Study) -> None:
    values = hostile.each("Shapley", "h")
    assert len(values) == 10
    assert math.fsum(v or 0 for v in values.values()) == pytest.approx(votes_of(named(HOSTILE)).fused_accuracy())


def test_half_of_many_streams_are_a_thousand_ways_at_most(hostile: Study) -> None:
    for model, count, failing in (("k", 11, "any 5 of 11"), ("l", 70, "any 35 of 70")):
        row = hostile.page("Failure", model)[-1]
        assert row["Failing"] == failing
        assert row["Ways"] == min(1000, math.comb(count, count // 2))
        least, mean, most = (float(str(row[name])) for name in ("Least", "Accuracy", "Most"))
        assert 0 <= least <= mean <= most <= 1
    votes = votes_of(named([f"m{n}" for n in range(11)]))
    halves = [votes.fused_accuracy(kept) for kept in combinations(votes.streams, 6)]
    row = hostile.page("Failure", "k")[-1]
    assert (row["Accuracy"], row["Least"], row["Most"]) == pytest.approx(
        (statistics.fmean(halves), min(halves), max(halves))
    )


# --- the order of rows ------------------------------------------------------------------------------------------------


def mixed_up(sheets: Sheets, seed: int) -> Sheets:
    """The same rows of every sheet in another order."""
    draw = random.Random(seed)
    return {name: [rows[0], *draw.sample(rows[1:], len(rows) - 1)] for name, rows in sheets.items()}


def test_the_order_of_the_rows_of_no_sheet_matters(study: Study) -> None:
    draw = random.Random(8)
    pairs = [(row[0], name) for row in PLAIN[1:] for name in "abc"]
    logits: list[Row] = [
        ("sample", "stream", "x", "y", "z"),
        *((*p, *(draw.gauss(0, 1) for _ in "xyz")) for p in pairs),
    ]
    weights: list[Row] = [
        ("name", "value"),
        *((f"weight:{name}", n) for n, name in enumerate("abc", 1)),
        ("params_m", 3),
    ]
    options: tuple[str, ...]
    for name, sheets, options in (
        ("votes", EVERYTHING, ("--ties", "random")),
        ("means", plain(probabilities=logits, parameters=weights), ("--fusion", "weighted-mean", "--logits")),
    ):
        found = []
        for seed in range(3):
            shutil.rmtree(study.outs, ignore_errors=True)
            study.system(mixed_up(sheets, seed) if seed else sheets)
            assert study.score(*options, res=f"{name}{seed}").code == 0
            made = digests(study.root / f"{name}{seed}")
            own = {
                key: value for key, value in made.items() if not key.endswith(".xlsx")
            }  # those have digests of inputs
            own.pop("problems.csv")  # it has the numbers of rows
            found.append(own)
        assert {"m_collective.csv", "m_collective.md", "metrics.json", "collective_results.csv"} <= set(found[0])
        assert found[1] == found[0]
        assert found[2] == found[0]


# --- epochs and classes that are numbers ------------------------------------------------------------------------------


def test_an_epoch_is_the_same_in_every_sheet_however_it_is_written(study: Study) -> None:
    rows: list[Row] = [("s1", "x", 1, "x", "y"), ("s1", "x", 2, "x", "x")]
    study.system(
        {"predictions": [(*HEAD, "epoch", "a", "b"), *rows], "history": [("epoch", "val_loss"), ("1.0", 3), ("2.0", 2)]}
    )
    assert study.score().code == 0
    page = study.page(HISTORY_PAGE)
    assert [(row["val_loss"], row["acc:a"], row["acc:b"]) for row in page] == [(3, 1, 0), (2, 1, 1)]


def test_class_columns_are_numbers_where_classes_are(study: Study) -> None:
    shares: list[Row] = [("sample", "stream", "1.0", "2.0"), ("s1", "a", 0.9, 0.1), ("s2", "a", 0.2, 0.8)]
    study.system({"predictions": [(*HEAD, "a"), ("s1", 1, 2), ("s2", 2, 1)], "probabilities": shares})
    assert study.score("--fusion", "mean").code == 0
    assert study.value("Collective_Accuracy") == 1


def test_streams_that_differ_in_case_have_weights_of_their_own(study: Study) -> None:
    rows = named(("cat", "Cat", "CAT"))
    weights: list[Row] = [("name", "value"), ("weight:CAT", 5), ("weight:cat", 1), ("weight:Cat", 2)]
    study.system({"predictions": rows, "parameters": weights})
    assert study.score("--fusion", "weighted").code == 0
    votes: Votes = votes_of(rows)
    wanted = [winner(row, weights=[1, 2, 5])[0] for row in zip(*votes.streams.values(), strict=True)]
    assert study.value("Collective_Accuracy") == pytest.approx(votes.accuracy(wanted))


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
    study = Study(root, on_its_own(root))
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
    assert watched.line("beyond")["Alerts"] == "4"


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
    ended = study.score("--fail-on", "alert")
    assert ended.code == 10
    assert "dead_stream" in ended.err
    assert study.line()["Alerts"] == "1"
    assert (study.res / "m_collective.md").exists()
    printed = study.score("--fail-on", "alert", "--json")
    assert printed.code == 10
    lines = json.loads(printed.out, parse_constant=refuse)["models"]
    assert {line["Model Name"]: line["Alerts"] for line in lines} == {"m": 1, "n": 0}
    assert study.score("--fail-on", "never").code == 0


def test_without_an_alert_fail_on_changes_nothing(study: Study) -> None:
    study.lone(hundred(5))
    assert study.score("--fail-on", "alert").code == 0


def test_predictions_of_several_epochs_have_alerts_of_their_own(study: Study) -> None:
    votes = {1: ("x", "x", ""), 2: ("x", "", "x"), 3: ("x", "x", "x")}
    rows: list[Row] = [(f"s{n}", "x", epoch, *row) for n in (1, 2) for epoch, row in votes.items()]
    study.lone([(*HEAD, "epoch", "a", "b", "c"), *rows])
    assert study.score().code == 0
    assert study.alerts() == [("dead_stream", "2"), ("dead_stream", "1")]
    second, first = (str(row["What"]) for row in study.page("Alerts"))
    assert re.search(r"\bc\b", first)
    assert re.search(r"\bb\b", second)


# --- old reports ------------------------------------------------------------------------------------------------------


def pictures(study: Study, model: str) -> set[str]:
    """The kinds of pictures of a system that are there."""
    return {path.stem.removeprefix(f"{model}_collective_") for path in study.res.glob(f"{model}_collective_*.svg")}


def test_prune_removes_pictures_of_a_system_that_is_gone_and_spares_those_of_one_that_failed(study: Study) -> None:
    every = {"emergence", "routing", "fingerprints"}
    gone, failed = study.system(dressed("abc"), "gone"), study.system(dressed("abc"), "failed")
    study.system(dressed("abc"))
    assert study.score().code == 0
    assert [pictures(study, name) for name in ("gone", "failed", "m")] == [every] * 3
    shutil.rmtree(gone)
    write_csv(failed / "predictions.csv", [*PLAIN, *PLAIN[1:]])
    write_csv(study.res / "gone_collective_mine.csv", [("mine",)])
    ended = study.score()
    assert ended.code == 3
    assert pictures(study, "gone") == every
    assert "gone_collective_routing.svg" in ended.err
    assert study.score("--prune").code == 3
    assert [pictures(study, name) for name in ("gone", "failed", "m")] == [set(), every, every]
    assert [path.name for path in study.res.glob("gone_*")] == ["gone_collective_mine.csv"]
    assert {"failed_collective.md", "failed_collective.xlsx"} <= {path.name for path in study.res.iterdir()}


def test_a_picture_whose_sheet_is_gone_is_named_and_pruned(study: Study) -> None:
    path = study.system(dressed("abc"))
    assert study.score().code == 0
    (path / "routing.csv").unlink()
    ended = study.score()
    assert ended.code == 0
    assert "m_collective_routing.svg" in ended.err
    assert study.score("--prune").code == 0
    assert pictures(study, "m") == {"emergence", "fingerprints"}
    left = json.loads((study.res / "manifest.json").read_text("utf-8"))["left"]
    assert left == []


def test_without_arguments_the_usual_folders_are_used(study: Study) -> None:
    write_csv(study.root / "data" / "collective" / "m.csv", PLAIN)
    assert study.run("collective").code == 0
    assert (study.root / "results" / "collective" / "m_collective_emergence.svg").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--fusion", "median"),
        ("--ties", "last"),
        ("--dead-anchor", "-1"),
        ("--dead-anchor", "nan"),
        ("--fail-on", "alarm"),
    ],
)
def test_an_option_that_cannot_be_meant_is_a_usage_error_that_names_it(study: Study, words: tuple[str, str]) -> None:
    study.lone(PLAIN)
    ended = study.score(*words)
    assert ended.code == 2
    assert words[0] in ended.err
    assert not study.res.exists()


def test_nothing_but_refused_systems_leaves_nothing_to_score(study: Study) -> None:
    study.lone([*PLAIN, *PLAIN[1:]])
    assert study.score().code == 4
    assert not study.res.exists()
