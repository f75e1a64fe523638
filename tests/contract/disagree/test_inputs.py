"""Which tables of judgements does `disagree` read, what counts as a score, and what does it say of the rest?"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

import pytest

from tests.helpers.disagree import (
    FILE_SKIPPED,
    FULL,
    LONG,
    NOT_SCORED,
    SHEET_SKIPPED,
    SPREAD,
    Row,
    Study,
    alike,
    cv,
    read,
    spread,
)
from tests.helpers.files import write_book, write_csv
from tests.helpers.runs import called_in

WEIGHED = (*FULL, "confidence", "cultural_relevance")


# --- many panels, scored together -------------------------------------------------------------------------------------

SCORES: dict[tuple[str, str, str], float] = {
    ("q1", "a", "x"): 0.8,
    ("q1", "a", "y"): 0.6,
    ("q1", "b", "x"): 0.7,
    ("q1", "b", "y"): 0.9,
    ("q1", "c", "x"): 0.2,
    ("q1", "c", "y"): 0.5,
    ("q2", "a", "x"): 0.4,
    ("q2", "a", "y"): 0.45,
    ("q2", "b", "x"): 0.35,
    ("q2", "b", "y"): 0.5,
    ("q2", "c", "x"): 0.1,
    ("q2", "c", "y"): 0.85,
}
ITEMS, JUDGES, DIMENSIONS = ("q1", "q2"), ("a", "b", "c"), ("x", "y")
ALIASES: dict[str, Row] = {
    "plain": ("item", "strategy", "dimension", "score"),
    "rater": ("item_id", "rater", "criterion", "rating"),
    "loose": ("Response-ID", "ANNOTATOR", " Aspect ", "Value"),
    "question": ("question id", "Evaluator", "Dimension", "label"),
    "short": ("ID", "Judge", "DIMENSION", "grade"),
}


def long_rows(dimensions: Sequence[str] = DIMENSIONS) -> list[Row]:
    """A row per score."""
    return [(*key, value) for key, value in SCORES.items() if key[2] in dimensions]


def by_dimension() -> list[Row]:
    """A row per item and judge."""
    rows: list[Row] = [(i, j, *(SCORES[i, j, d] for d in DIMENSIONS)) for i in ITEMS for j in JUDGES]
    return [("item", "judge", *DIMENSIONS), *rows]


def by_judge() -> list[Row]:
    """A row per item and dimension."""
    rows: list[Row] = [(i, d, *(SCORES[i, j, d] for j in JUDGES)) for d in DIMENSIONS for i in ITEMS]
    return [("item", "dimension", *JUDGES), *rows]


TABLES: dict[str, list[Row]] = {
    **{f"alias_{name}": [head, *long_rows()] for name, head in ALIASES.items()},
    "by_dimension": by_dimension(),
    "by_judge": by_judge(),
    "one_long": [LONG, *((i, j, s) for i, j, _, s in long_rows(["x"]))],
    "one_by_judge": [("item", *JUDGES), *((i, *(SCORES[i, j, "x"] for j in JUDGES)) for i in ITEMS)],
    "weights": [
        WEIGHED,
        ("vector", "a", "x", 0.8, 0.9, 0.7),
        ("vector", "a", "y", 0.6, 0.5, 0.3),
        ("vector", "a", "z", 0.9, 0.8, 0.9),
        ("vector", "b", "x", 0.5, "", ""),
        ("vector", "b", "y", 0.8, "80%", ""),
        ("vector", "b", "z", 0.1, 0, 1),
        ("naught", "a", "x", 0.8, 0, 1),
        ("naught", "a", "y", 0.7, 1, 0),
        ("naught", "b", "x", 0.6, 1, 1),
        ("bad", "a", "x", 0.6, "high", 1),
        ("bad", "b", "x", 0.6, 1, -1),
        ("bad", "c", "x", 0.6, "inf", 1),
        ("bad", "d", "x", 0.6, 1, "nan"),
        ("bad", "e", "x", 0.25, 2, 3),
    ],
    "wide_weights": [
        ("item", "judge", "x", "y", "Confidence", "Relevance"),
        ("q1", "a", 0.2, 0.4, 0.5, 0.4),
        ("q1", "b", 0.6, 0.5, "", ""),
        ("q1", "c", 0.6, 0.5, "low", 1),
    ],
    "gaps": [
        FULL,
        ("q1", "a", "x", 0.4),
        ("q1", "a", "y", 0.6),
        ("q1", "b", "x", 0.8),
        ("q1", "b", "y", ""),
        ("q2", "a", "x", 0.7),
        ("q3", "a", "x", ""),
    ],
    "wide_gaps": [
        ("item", "judge", "x", "y"),
        ("q1", "a", 0.4, 0.6),
        ("q1", "b", 0.8, ""),
        ("q2", "a", 0.7, " "),
        ("q3", "a", "", ""),
    ],
    "judge_gaps": [("item", "a", "b", "c"), ("q1", 0.4, "", 0.5), ("q2", 0.7, "", ""), ("q3", "", "", "")],
    "few": [
        LONG,
        *(("equal", judge, 0.1) for judge in JUDGES),
        *(("zero", judge, 0) for judge in JUDGES),
        ("one", "b", 0.35),
        ("none", "a", "?"),
    ],
    "tie": [LONG, ("q1", "a", 0.5), ("q1", "b", "Tie"), ("q1", "c", 0.7), ("q1", "d", "nan"), ("q1", "e", "inf")],
    "wide_tie": [("item", "a", "b"), ("q1", 0.5, 0.3), ("q2", 0.7, "Tie"), ("q3", 0.5, 0.4)],
    "texts": [
        ("item", "judge", "x", "why", "half"),
        ("q1", "a", 0.5, "good", 0.9),
        ("q1", "b", 0.6, "1", "no"),
    ],
    "keys": [LONG, ("", "a", 0.9), ("q1", " ", 0.9), ("q1", "a", 0.5), (" q1 ", "b", 0.6)],
}
REFUSED: dict[str, list[Row]] = {
    "twice": [FULL, ("q1", "a", "x", 0.5), ("q1", "b", "x", 0.5), ("q1", "a", "x", 0.5), ("q1", "a", "y", 0.5)],
    "twice_spelt": [LONG, ("café", "a", 0.5), ("cafe\u0301 ", " a", 0.6)],
    "twice_wide": [("item", "a", "b"), ("q1", 0.5, 0.5), ("q2", 0.5, 0.5), ("q1", 0.5, 0.5)],
    "off": [LONG, ("q1", "a", 4), ("q1", "b", 0.5), ("q2", "a", 0.7), ("q2", "b", -2)],
    "no_item": [("judge", "score"), ("a", 0.5)],
    "no_scores": [("item", "judge", "why"), ("q1", "a", "good"), ("q1", "b", "bad")],
}


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Every table above, and one as a workbook."""
    root = tmp_path_factory.mktemp("zoo")
    study = Study(root, called_in(root))
    for name, rows in (TABLES | REFUSED).items():
        study.panel(rows, name)
    write_book(study.outs / "book.xlsx", {"Sheet1": [FULL, *long_rows()]})
    ended = study.score()
    assert ended.code == 3, ended.err
    return study


# --- three layouts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("item", ITEMS)
def test_an_item_has_the_numbers_that_a_person_would_work_out(zoo: Study, item: str) -> None:
    overall = [statistics.fmean([SCORES[item, judge, d] for d in DIMENSIONS]) for judge in JUDGES]
    line = zoo.item(item, model="alias_plain")
    assert alike(read(line), spread(overall))
    assert line["Judges"] == "3"
    for dimension in DIMENSIONS:
        scores = [SCORES[item, judge, dimension] for judge in JUDGES]
        assert float(line[f"Mean_{dimension}"]) == pytest.approx(statistics.fmean(scores))
        assert float(line[f"Disagreement_{dimension}"]) == pytest.approx(cv(scores))


@pytest.mark.parametrize("name", ["by_dimension", "by_judge", "book", *(f"alias_{name}" for name in ALIASES)])
def test_every_layout_spelling_and_format_gives_the_same_numbers(zoo: Study, name: str) -> None:
    assert zoo.items(name) == zoo.items("alias_plain")
    own = {"Model Name", "Rows", "Scored"}
    wanted = {key: value for key, value in zoo.results()["alias_plain"].items() if key not in own}
    assert {key: value for key, value in zoo.results()[name].items() if key not in own} == wanted
    for page in ("Dimensions", "Judges", "Pairs", "Flags"):
        assert zoo.page(page, name) == zoo.page(page, "alias_plain")
    # what was read as what, and that so few items have no interval
    assert {problem["kind"] for problem in zoo.problems(model=name)} <= {"columns-are", "no-interval"}


def test_rows_are_those_of_the_table_whatever_its_layout(zoo: Study) -> None:
    names = ("alias_plain", "by_dimension", "by_judge")
    assert [(zoo.results()[name]["Rows"], zoo.results()[name]["Scored"]) for name in names] == [
        ("12", "12"),
        ("6", "6"),
        ("4", "4"),
    ]


def test_a_panel_without_dimensions_is_the_same_in_a_row_per_score_and_in_a_column_per_judge(zoo: Study) -> None:
    assert zoo.items("one_long") == zoo.items("one_by_judge")
    for item in ITEMS:
        wanted = spread([SCORES[item, judge, "x"] for judge in JUDGES])
        assert alike(read(zoo.item(item, model="one_by_judge")), wanted)
    kinds = [problem["kind"] for problem in zoo.problems(model="one_by_judge")]
    assert kinds == ["columns-are", "no-interval"]


def shuffled_panel(seed: int) -> tuple[list[Row], list[Row]]:
    """A panel of judges with gaps and weights, and the same rows in another order."""
    draw = random.Random(seed)
    keys = [(f"i{i}", f"j{j}", f"d{d}") for i in range(7) for j in range(4) for d in range(2)]
    rows: list[Row] = [
        (*key, draw.choice(["", round(draw.random(), 2), draw.randint(0, 4) / 7]), draw.random(), draw.randint(0, 2))
        for key in keys
        if draw.random() < 0.8
    ]
    return rows, draw.sample(rows, len(rows))


def test_the_order_of_the_rows_changes_no_number(study: Study) -> None:
    for seed in range(6):
        for name, rows in zip(("given", "other"), shuffled_panel(seed), strict=True):
            write_csv(study.outs / name / f"s{seed}.csv", [WEIGHED, *rows])
    assert study.score().code == 0
    given, other = (
        sorted(study.items(name), key=lambda line: (line["Sheet"], line["Item"])) for name in ("given", "other")
    )
    assert given == other
    assert {line["Sheet"] for line in given} == {f"s{seed}" for seed in range(6)}
    lines = [study.results()[name] | {"Model Name": ""} for name in ("given", "other")]
    assert lines[0] == lines[1]
    for page in ("Summary", "Dimensions", "Judges", "Pairs"):
        assert study.page(page, "given") == study.page(page, "other")


# --- weights ----------------------------------------------------------------------------------------------------------


def test_a_judges_overall_score_is_weighted_by_confidence_and_relevance_which_are_1_if_blank(zoo: Study) -> None:
    first = (0.8 * 0.63 + 0.6 * 0.15 + 0.9 * 0.72) / (0.63 + 0.15 + 0.72)
    assert first == pytest.approx(0.828, abs=5e-4)
    second = (0.5 * 1 + 0.8 * 0.8 + 0.1 * 0) / (1 + 0.8)
    line = zoo.item("vector", model="weights")
    assert alike(read(line), spread([first, second]))
    assert float(line["Confidence_y"]) == pytest.approx((0.5 + 0.8) / 2)
    assert float(line["Relevance_z"]) == pytest.approx((0.9 + 1) / 2)


def test_cultural_competence_is_relevance_weighted_by_confidence_and_its_consensus_1_less_its_cv(zoo: Study) -> None:
    competence = [(0.9 * 0.7 + 0.5 * 0.3 + 0.8 * 0.9) / (0.9 + 0.5 + 0.8), 1.0]
    line = zoo.item("vector", model="weights")
    assert float(line["Cultural_Competence"]) == pytest.approx(statistics.fmean(competence))
    assert float(line["Cultural_Consensus"]) == pytest.approx(1 - cv(competence))


def test_a_judge_whose_weights_are_all_0_has_no_overall_score_there(zoo: Study) -> None:
    line = zoo.item("naught", model="weights")
    assert line["Judges"] == "1"
    assert alike(read(line), spread([0.6]))
    (note,) = zoo.problems("zero-weights", "weights")
    assert (note["row"], note["effect"]) == ("8", "note")
    assert "naught" in note["message"]


def test_a_weight_that_is_no_number_of_0_or_more_costs_its_row(zoo: Study) -> None:
    listed = {p["row"]: p for p in zoo.problems("bad-weight", "weights")}
    assert sorted(listed) == ["11", "12", "13", "14"]
    assert {p["effect"] for p in listed.values()} == {NOT_SCORED}
    line = zoo.item("bad", model="weights")
    assert line["Judges"] == "1"
    assert alike(read(line), spread([0.25]))
    for row, column, text in (
        ("11", "confidence", "high"),
        ("12", "cultural_relevance", "-1"),
        ("13", "confidence", "inf"),
    ):
        assert listed[row]["column"] == column
        assert text in listed[row]["message"]


def test_weights_of_a_row_hold_for_all_of_its_dimensions(zoo: Study) -> None:
    line = zoo.item(model="wide_weights")
    assert alike(read(line), spread([0.3, 0.55]))
    names = ("Confidence_x", "Confidence_y", "Relevance_x", "Relevance_y", "Cultural_Competence")
    assert [float(line[name]) for name in names] == pytest.approx([0.75, 0.75, 0.7, 0.7, 0.7])
    assert [(row, effect) for row, _, effect in zoo.places("bad-weight", "wide_weights")] == [("4", NOT_SCORED)]


def test_columns_of_weights_are_shown_only_where_the_sheet_has_them(zoo: Study) -> None:
    assert not [name for name in zoo.item(model="by_judge") if name.startswith(("Confidence", "Relevance", "Cultural"))]


# --- missing scores and few judges ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gaps", "wide_gaps"])
def test_judges_are_compared_over_dimensions_all_of_them_scored_and_a_missing_judge_is_not_in_an_items_mean(
    zoo: Study, name: str
) -> None:
    assert alike(read(zoo.item(model=name)), spread([0.4, 0.8]))  # over y, which both scored
    assert alike(read(zoo.item("q2", model=name)), spread([0.7]))
    assert alike(read(zoo.item("q3", model=name)), spread([]))
    line = zoo.item(model=name)
    assert float(line["Mean_y"]) == pytest.approx(0.6)
    assert line["Disagreement_y"] == ""


def test_blank_scores_are_listed_row_by_row_in_a_long_table(zoo: Study) -> None:
    assert zoo.places("blank-score", "gaps") == [("5", "score", NOT_SCORED), ("7", "score", NOT_SCORED)]
    assert (zoo.results()["gaps"]["Scored"], zoo.results()["gaps"]["Rows"]) == ("4", "6")


def test_blank_scores_are_counted_by_column_in_a_wide_table_and_a_blank_row_is_listed(zoo: Study) -> None:
    assert sorted(zoo.places("blank-score", "wide_gaps")) == [
        ("", "x", "note"),
        ("", "y", "note"),
        ("5", "", NOT_SCORED),
    ]
    (y,) = (p["message"] for p in zoo.problems("blank-score", "wide_gaps") if p["column"] == "y")
    assert all(text in y for text in ("3 of 4", "3, 4, 5"))
    assert zoo.results()["wide_gaps"]["Scored"] == "3"


def test_a_judge_without_any_score_does_not_take_part(zoo: Study) -> None:
    assert zoo.results()["judge_gaps"]["Judges"] == "2"
    assert [line["Judges"] for line in zoo.items("judge_gaps")] == ["2", "1", "0"]
    assert alike(read(zoo.item(model="judge_gaps")), spread([0.4, 0.5]))


def test_one_judge_agrees_with_itself_and_is_flagged(zoo: Study) -> None:
    line = zoo.item("one", model="few")
    assert alike(read(line), spread([0.35]))
    assert (line["Judges"], line["Flags"], line["Severity"]) == ("1", "single_strategy_only", "medium")
    assert (line["Outliers"], line["Robust_Outliers"], line["Recommended"]) == ("cannot fire", "", "b")


def test_an_item_that_no_judge_scored_is_a_failure(zoo: Study) -> None:
    line = zoo.item("none", model="few")
    assert alike(read(line), spread([]))
    assert (line["Judges"], line["Flags"], line["Severity"]) == ("0", "ensemble_failure", "high")
    assert (line["Robust_Outliers"], line["Recommended"]) == ("", "")


def test_judges_who_all_say_the_same_agree_exactly_though_a_tenth_has_no_exact_sum(zoo: Study) -> None:
    line = zoo.item("equal", model="few")
    names = ("Variance", "Std_Dev", "CV", "Consensus", "Reliability")
    assert [float(line[name]) for name in names] == [0, 0, 0, 1, 1]
    assert (line["Flags"], line["Robust_Outliers"]) == ("", "")


def test_a_mean_of_0_leaves_consensus_undefined_and_is_noted(zoo: Study) -> None:
    line = zoo.item("zero", model="few")
    assert alike(read(line), spread([0, 0, 0]))
    assert line["Consensus"] == line["Reliability"] == line["CV"] == line["Flags"] == ""
    (note,) = (p for p in zoo.problems("zero-mean", "few") if p["row"])
    assert (note["row"], note["effect"]) == ("5", "note")
    assert "zero" in note["message"]


def test_the_means_of_a_panel_are_over_items_of_two_judges_or_more_where_defined(zoo: Study) -> None:
    line = zoo.results()["few"]
    assert (float(line["Consensus"]), float(line["Reliability"])) == (1, 1)  # of the item called equal alone
    assert (line["Items"], line["Flagged"], line["High"]) == ("4", "2", "1")


# --- words where numbers are wanted -----------------------------------------------------------------------------------


def test_a_score_that_is_no_number_costs_its_row_and_the_way_to_labels_is_named(zoo: Study) -> None:
    assert zoo.places("bad-score", "tie") == [(row, "score", NOT_SCORED) for row in ("3", "5", "6")]
    message = zoo.problems("bad-score", "tie")[0]["message"]
    assert "Tie" in message
    assert "--level nominal" in message
    assert alike(read(zoo.item(model="tie")), spread([0.5, 0.7]))


def test_a_cell_of_a_wide_table_that_is_no_number_counts_as_missing(zoo: Study) -> None:
    assert zoo.places("bad-score", "wide_tie") == [("3", "b", "note")]
    assert "Tie" in zoo.problems("bad-score", "wide_tie")[0]["message"]
    assert alike(read(zoo.item("q2", model="wide_tie")), spread([0.7]))
    assert zoo.results()["wide_tie"]["Scored"] == "3"


def test_columns_of_which_not_more_than_half_is_numbers_are_noted_and_not_used(zoo: Study) -> None:
    why, half = zoo.problems("numbers-not-used", "texts")
    assert [(note["effect"], note["column"]) for note in (why, half)] == [("note", "why"), ("note", "half")]
    assert all("1 of its 2 filled cells" in note["message"] for note in (why, half))
    assert [name for name in zoo.item(model="texts") if name.startswith("Mean_")] == ["Mean_x"]
    assert alike(read(zoo.item(model="texts")), spread([0.5, 0.6]))


# --- keys, duplicates, and what costs a file --------------------------------------------------------------------------


def test_a_row_without_an_item_or_a_judge_is_not_scored_and_keys_are_stripped(zoo: Study) -> None:
    assert [(row, effect) for row, _, effect in zoo.places("empty-key", "keys")] == [
        ("2", NOT_SCORED),
        ("3", NOT_SCORED),
    ]
    assert [line["Item"] for line in zoo.items("keys")] == ["q1"]
    assert alike(read(zoo.item(model="keys")), spread([0.5, 0.6]))


@pytest.mark.parametrize(("name", "rows"), [("twice", "24"), ("twice_spelt", "23"), ("twice_wide", "24")])
def test_a_judge_who_scores_twice_refuses_the_file(zoo: Study, name: str, rows: str) -> None:
    (problem,) = zoo.problems(model=name)
    assert (problem["kind"], problem["effect"]) == ("duplicate-rating", FILE_SKIPPED)
    assert all(row in problem["message"] for row in rows)
    assert zoo.status()[name] == "failed"
    assert not zoo.workbook(name).exists()


def test_a_score_outside_the_scale_refuses_the_file_with_count_rows_and_the_way_on(zoo: Study) -> None:
    (problem,) = zoo.problems(model="off")
    assert (problem["kind"], problem["effect"]) == ("out-of-scale", FILE_SKIPPED)
    for text in ("2 of 4", "row 2", "row 5", "0:1", "--scale", "--out-of-scale"):
        assert text in problem["message"]


@pytest.mark.parametrize(
    ("name", "kind", "named"), [("no_item", "missing-column", "item"), ("no_scores", "no-scores", "why")]
)
def test_a_sheet_without_items_or_scores_is_skipped(zoo: Study, name: str, kind: str, named: str) -> None:
    (problem,) = zoo.problems(model=name)
    assert (problem["kind"], problem["effect"]) == (kind, SHEET_SKIPPED)
    assert named in problem["message"]


def test_a_refused_file_costs_only_itself(zoo: Study) -> None:
    assert zoo.status() == {
        **dict.fromkeys(("book", *TABLES), "ok"),
        **dict.fromkeys(REFUSED, "failed"),
        "tie": "partial",  # less than half of its rows has a score
        "keys": "partial",  # many rows do not say what or who they are about
    }
    measures = ("Alpha", "Consensus", "Items", "Judges", "Flagged", "Coverage")
    assert {zoo.results()[name][measure] for name in REFUSED for measure in measures} == {""}


def test_a_refused_file_alone_leaves_nothing_to_score(study: Study) -> None:
    study.panel(REFUSED["off"])
    ended = study.score()
    assert ended.code == 4
    for text in ("outs/m.csv", "2 of 4", "row 2", "row 5", "--scale"):
        assert text in ended.err
    assert not study.res.exists()


BARE: dict[str, Row] = {"long": LONG, "wide": ("item", "judge", "x"), "judges": ("item", "a", "b")}


def test_a_header_without_rows_is_listed_and_unscored(study: Study) -> None:
    for name, head in BARE.items():
        study.panel([head], name)
    study.panel(TABLES["tie"])
    ended = study.score()
    assert ended.code == 0, ended.err
    listed = sorted((p["file"], p["effect"]) for p in study.problems("no-rows"))
    assert listed == sorted((f"{name}.csv", "note") for name in BARE)
    assert study.status() == dict.fromkeys(BARE, "unscored") | {"m": "partial"}


def test_a_header_without_rows_in_a_folder_costs_the_others_nothing(study: Study) -> None:
    write_csv(study.outs / "m" / "bare.csv", [LONG])
    write_csv(study.outs / "m" / "full.csv", [LONG, ("q1", "a", 0.5), ("q1", "b", 0.6)])
    ended = study.score()
    assert ended.code == 0, ended.err
    assert alike(read(study.item(sheet="full")), spread([0.5, 0.6]))
    assert [(p["file"], p["effect"]) for p in study.problems("no-rows")] == [("m/bare.csv", "note")]


def test_headers_alone_leave_nothing_to_score(study: Study) -> None:
    study.panel([LONG])
    ended = study.score()
    assert ended.code == 4, ended.err
    assert not study.res.exists()


# --- the scale --------------------------------------------------------------------------------------------------------


def test_scores_are_mapped_from_the_scale_and_alpha_takes_them_as_given(study: Study) -> None:
    given = {"q1": (3, 5, 4.5), "q2": (1, 2, 1), "q3": (2, 2, 3)}
    study.panel([("item", *JUDGES), *((item, *scores) for item, scores in given.items())])
    assert study.score("--scale", "1:5", "--level", "ratio").code == 0
    for item, scores in given.items():
        assert alike(read(study.item(item)), spread([(s - 1) / 4 for s in scores]))
    assert float(study.results()["m"]["Alpha"]) == pytest.approx(alpha_ratio(list(given.values())))


def alpha_ratio(units: Sequence[Sequence[float]]) -> float:
    """Krippendorff's alpha at the ratio level of units without gaps."""

    def unlike(values: Sequence[float]) -> float:
        return sum(((v - w) / (v + w)) ** 2 for v in values for w in values)

    pool = [value for unit in units for value in unit]
    observed = sum(unlike(unit) / (len(unit) - 1) for unit in units) / len(pool)
    return 1 - observed / (unlike(pool) / len(pool) / (len(pool) - 1))


def out_of_scale(study: Study) -> None:
    """Scores outside 0 to 1 in all three layouts."""
    study.panel([LONG, ("q1", "a", 4), ("q1", "b", 0.5), ("q2", "a", 0.7), ("q2", "b", -2)], "long")
    study.panel([("item", "a", "b"), ("q1", 4, 0.5), ("q2", 0.7, -2)], "judges")
    study.panel([("item", "judge", "x", "y"), ("q1", "a", 4, 0.4), ("q1", "b", 0.5, -2)], "dimensions")


OFF = {
    "long": [("2", "score"), ("5", "score")],
    "judges": [("2", "a"), ("3", "b")],
    "dimensions": [("2", "x"), ("3", "y")],
}


@pytest.fixture(scope="module", params=["blank", "clip"])
def going_on(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Study]:
    """The panels of scores outside the scale, scored all the same."""
    root = tmp_path_factory.mktemp(str(request.param))
    study = Study(root, called_in(root))
    out_of_scale(study)
    ended = study.score("--strict", "--out-of-scale", request.param)
    # of the long table a row that loses its only score is not scored
    assert ended.code == {"blank": 3, "clip": 0}[request.param], ended.err
    return request.param, study


@pytest.mark.parametrize("name", OFF)
def test_scores_outside_the_scale_are_noted_with_row_and_column_where_the_run_goes_on(
    going_on: tuple[str, Study], name: str
) -> None:
    how, study = going_on
    effect = NOT_SCORED if (how, name) == ("blank", "long") else "note"
    assert study.places("out-of-scale", name) == [(row, column, effect) for row, column in OFF[name]]
    messages = [p["message"] for p in study.problems("out-of-scale", name)]
    assert ["4" in messages[0], "-2" in messages[1]] == [True, True]


def test_scores_outside_the_scale_are_left_out_or_moved_to_its_end(going_on: tuple[str, Study]) -> None:
    how, study = going_on
    first = {"blank": [0.5], "clip": [1, 0.5]}[how]
    second = {"blank": [0.7], "clip": [0.7, 0]}[how]
    for name in ("long", "judges"):
        assert alike(read(study.item("q1", model=name)), spread(first))
        assert alike(read(study.item("q2", model=name)), spread(second))
    both = {"blank": [], "clip": [(1 + 0.4) / 2, 0.25]}[how]
    nothing = {"Consensus": None, "Reliability": None} if how == "blank" else {}  # no dimension that both scored
    assert alike(read(study.item("q1", model="dimensions")), spread(both) | nothing)


@pytest.mark.parametrize("scale", ["5:1", "1:1", "1", "low:high", "0:inf", "nan:1", "1:2:3", ""])
def test_a_scale_without_a_lower_and_a_higher_end_is_a_usage_error(study: Study, scale: str) -> None:
    study.panel(TABLES["tie"])
    ended = study.score("--scale", scale)
    assert ended.code == 2
    assert "--scale" in ended.err


# --- columns that are named -------------------------------------------------------------------------------------------

MIXED: list[Row] = [
    ("item", "judge", "x", "y", "why", "rating", "confidence"),
    ("q1", "a", 0.5, 70, "good", 0.9, 0.5),
    ("q1", "b", 0.4, 60, "bad", 0.1, 1),
]


@pytest.mark.parametrize(
    ("dimensions", "overall"),
    [("x", [0.5, 0.4]), (" X , Rating ", [0.7, 0.25]), ("confidence,x", [0.5, 0.7])],
)
def test_dimensions_may_be_named_even_those_that_are_otherwise_ours(
    study: Study, dimensions: str, overall: list[float]
) -> None:
    study.panel(MIXED)
    assert study.score("--dimensions", dimensions).code == 0
    line = study.item()
    assert alike(read(line), spread(overall))
    shown = [name.removeprefix("Mean_") for name in line if name.startswith("Mean_")]
    assert sorted(map(str.lower, shown)) == sorted(dimensions.replace(" ", "").lower().split(","))


def test_a_score_column_makes_a_table_long_and_the_other_numbers_are_noted(study: Study) -> None:
    study.panel(MIXED)
    assert study.score().code == 0
    assert alike(read(study.item()), spread([0.9, 0.1]))
    (note,) = study.problems("other-columns")
    assert note["effect"] == "note"
    assert all(text in note["message"] for text in ("x", "y", "--dimensions"))


def test_a_named_dimension_that_is_not_there_skips_the_sheet(study: Study) -> None:
    study.panel(MIXED)
    study.panel([("item", "judge", "x", "z"), ("q1", "a", 0.5, 0.6), ("q1", "b", 0.5, 0.6)], "n")
    ended = study.score("--dimensions", "x,z")
    assert ended.code == 3
    (problem,) = study.problems("missing-column")
    assert (problem["file"], problem["effect"]) == ("m.csv", SHEET_SKIPPED)
    assert "z" in problem["message"]
    assert study.status() == {"m": "failed", "n": "ok"}


def test_columns_may_be_named(study: Study) -> None:
    study.panel([("question", "who", "points", "sure"), ("q1", "a", 0.2, 0), ("q1", "b", 0.4, 1)])
    names = ("item=question", "strategy=who", "score=points", "confidence=sure")
    assert study.score(*(word for name in names for word in ("--column", name))).code == 0
    assert alike(read(study.item()), spread([0.4]))
    assert study.item()["Recommended"] == "b"


# --- sheets and folders -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Panels of several sheets: a workbook, a folder, a column of sheets, and ones with a sheet that is refused."""
    root = tmp_path_factory.mktemp("rounds")
    study = Study(root, called_in(root))
    first: list[Row] = [("item", "judge", "x", "y"), ("q1", "a", 0.5, 0.6), ("q1", "b", 0.4, 0.8)]
    second: list[Row] = [("item", "judge", "y", "z"), ("q1", "a", 0.5, 0.6), ("q1", "c", 0.1, 0.3), ("q2", "c", 0, 1)]
    write_book(study.outs / "book.xlsx", {"r1": first, "r2": second})
    write_csv(study.outs / "folder" / "r1.csv", first)
    write_csv(study.outs / "folder" / "r2.csv", second)
    study.panel([("Sheet", *LONG), ("r1", "q1", "a", 0.5), ("r2", "q1", "a", 0.6), ("r1", "q1", "b", 0.4)], "column")
    off = [LONG, ("q1", "a", 50), ("q1", "b", 0.5)]
    write_csv(study.outs / "partly" / "r1.csv", first)
    write_csv(study.outs / "partly" / "r2.csv", off)
    write_book(study.outs / "whole.xlsx", {"r1": first, "r2": off})
    ended = study.score()
    assert ended.code == 3, ended.err
    return study


def test_each_sheet_is_analysed_on_its_own(rounds: Study) -> None:
    for model in ("book", "folder"):
        assert alike(read(rounds.item(sheet="r1", model=model)), spread([0.55, 0.6]))
        assert alike(read(rounds.item(sheet="r2", model=model)), spread([0.55, 0.2]))
        assert alike(read(rounds.item("q2", sheet="r2", model=model)), spread([0.5]))
    assert rounds.items("book") == rounds.items("folder")


def test_the_line_of_a_panel_is_the_mean_over_its_sheets(rounds: Study) -> None:
    line = rounds.results()["book"]
    for measure in ("Consensus", "Reliability"):
        wanted = [spread(scores)[measure] or 0 for scores in ([0.55, 0.6], [0.55, 0.2])]
        assert float(line[measure]) == pytest.approx(statistics.fmean(wanted))
    assert (line["Items"], line["Judges"], line["Rows"]) == ("3", "3", "5")
    summary = {str(row["Sheet"]): row for row in rounds.page("Summary", "book")}
    assert list(summary) == ["r1", "r2", "Overall"]
    assert summary["Overall"]["Consensus"] == pytest.approx(float(line["Consensus"]))


def test_dimensions_that_differ_between_sheets_each_have_a_column(rounds: Study) -> None:
    line = rounds.item(sheet="r1", model="book")
    assert [name for name in line if name.startswith(("Dis", "Mean_"))] == [
        f"{measure}_{dimension}" for measure in ("Disagreement", "Mean") for dimension in "xyz"
    ]
    assert float(line["Disagreement_x"]) == pytest.approx(cv([0.5, 0.4]))
    assert line["Disagreement_z"] == line["Mean_z"] == ""
    lines = [(row["Sheet"], row["Dimension"]) for row in rounds.page("Dimensions", "book")]
    assert sorted(map(str, lines)) == sorted(
        str((sheet, name)) for sheet, names in (("r1", "xy"), ("r2", "yz")) for name in [*names, "Overall"]
    )


def test_a_column_of_sheets_tells_rounds_apart(rounds: Study) -> None:
    assert alike(read(rounds.item(sheet="r1", model="column")), spread([0.5, 0.4]))
    assert alike(read(rounds.item(sheet="r2", model="column")), spread([0.6]))


def test_a_refused_csv_of_a_folder_costs_only_itself_and_a_refused_sheet_its_workbook(rounds: Study) -> None:
    refused = [(p["file"], p["sheet"], p["effect"]) for p in rounds.problems("out-of-scale")]
    assert refused == [("partly/r2.csv", "r2", FILE_SKIPPED), ("whole.xlsx", "r2", FILE_SKIPPED)]
    assert (rounds.status()["partly"], rounds.status()["whole"]) == ("partial", "failed")
    assert [line["Sheet"] for line in rounds.items("partly")] == ["r1"]
    assert math.isclose(rounds.value("Mean", model="partly") or 0, 0.575)


# --- labels -----------------------------------------------------------------------------------------------------------

LABELS = {"q1": ("A", "Tie", "A"), "q2": (" Tie ", "Tie", "Tie"), "q3": ("B", "B", ""), "q4": ("A", "", "")}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The same labels in a row each and in a column per judge, and with a column of remarks."""
    root = tmp_path_factory.mktemp("labelled")
    study = Study(root, called_in(root))
    wide: list[Row] = [(item, *labels) for item, labels in LABELS.items()]
    pairs = [(item, judge, label) for item, *labels in wide for judge, label in zip(JUDGES, labels, strict=True)]
    study.panel([("item", "judge", "label"), *(row for row in pairs if row[2])], "long")
    study.panel([("item", *JUDGES), *wide], "judges")
    study.panel([LONG, ("q1", "a", 500), ("q1", "b", -3), ("q2", "a", 500), ("q2", "b", 500)], "numbers")
    ended = study.score("--level", "nominal")
    assert ended.code == 0, ended.err
    return study


def alpha_nominal(units: Sequence[Sequence[str]]) -> float:
    """Krippendorff's alpha of labels, blank ones left out."""

    def unlike(labels: Sequence[str]) -> int:
        return sum(v != w for v in labels for w in labels)

    told = [[label.strip() for label in unit if label.strip()] for unit in units]
    kept = [unit for unit in told if len(unit) > 1]
    pool = [label for unit in kept for label in unit]
    observed = sum(unlike(unit) / (len(unit) - 1) for unit in kept) / len(pool)
    return 1 - observed / (unlike(pool) / len(pool) / (len(pool) - 1))


@pytest.mark.parametrize("name", ["long", "judges"])
def test_labels_have_alpha_and_agreement_of_pairs_and_no_means(labelled: Study, name: str) -> None:
    line = labelled.results()[name]
    assert float(line["Alpha"]) == pytest.approx(alpha_nominal(list(LABELS.values())))
    assert line["Consensus"] == line["Reliability"] == line["ICC_2_1"] == ""
    pairs = {(p["Judge"], p["Other_Judge"]): p for p in labelled.page("Pairs", name) if p["Dimension"] == "Overall"}
    assert {pair: (p["Items"], p["Agreement"]) for pair, p in pairs.items()} == {
        ("a", "b"): (3, pytest.approx(2 / 3)),
        ("a", "c"): (2, 1),
        ("b", "c"): (2, pytest.approx(1 / 2)),
    }
    for item in labelled.items(name):
        assert not {item.get(measure, "") for measure in (*SPREAD, "Outliers", "Recommended")} - {""}
    assert [item["Judges"] for item in labelled.items(name)] == ["3", "3", "2", "1"]
    assert [item["Flags"] for item in labelled.items(name)] == ["", "", "", "single_strategy_only"]


def test_the_scale_plays_no_part_for_labels(labelled: Study) -> None:
    assert not labelled.problems("out-of-scale")
    wanted = alpha_nominal([("500", "-3"), ("500", "500")])
    assert float(labelled.results()["numbers"]["Alpha"]) == pytest.approx(wanted, abs=1e-12)


# --- nothing to score -------------------------------------------------------------------------------------------------


def test_no_usable_score_in_any_panel_leaves_nothing_to_score(study: Study) -> None:
    study.panel([LONG, ("q1", "a", ""), ("q1", "b", "?")])
    assert study.score().code == 4
    assert not study.res.exists()
