"""Traps that judges, dimensions and tables of strategies can hold."""

from __future__ import annotations

import json
import statistics
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import openpyxl
import pytest

from .files import Run, header, sheet_names, sheet_rows, write_book, write_csv
from .test_disagree_inputs import FULL, LONG, SHEET_SKIPPED, Row, Study, alike, read, spread
from .test_disagree_outputs import PAGES, far, robust
from .test_mode_collapse_outputs import on_its_own

if TYPE_CHECKING:
    from pathlib import Path

DEFAULT = ("--strategies", "default")
TABLE = ("strategy", "emphasis", "threshold", "bias")


@pytest.fixture
def study(tmp_path: Path, run: Run) -> Study:
    """An empty study."""
    return Study(tmp_path, run)


# --- strategies -------------------------------------------------------------------------------------------------------


class Strategy(NamedTuple):
    """What a strategy makes of a score, with the weights that it gives dimensions."""

    emphasis: float
    threshold: float
    bias: float
    weights: dict[str, float]


class Rating(NamedTuple):
    """What the one judge says of a dimension."""

    score: float
    confidence: float
    relevance: float


WEIGHTS = {
    "cultural_authenticity": 0.3,
    "traditional_accuracy": 0.3,
    "contextual_appropriateness": 0.2,
    "linguistic_competence": 0.2,
}
STRATEGIES = {
    "standard": Strategy(0.5, 0.5, 0, {}),
    "conservative": Strategy(0.3, 0.7, -0.2, {}),
    "aggressive": Strategy(0.7, 0.3, 0.2, {}),
    "cultural_focused": Strategy(0.9, 0.6, 0.1, {}),
    "dimension_weighted": Strategy(0.6, 0.5, 0, WEIGHTS),
}
OWN = {"harsh": Strategy(0.5, 0.85, -1, {}), "kind": Strategy(1, 0, 1, {"style": 0.5})}
ONE = {"cultural_authenticity": Rating(0.8, 0.9, 0.85), "traditional_accuracy": Rating(0.75, 0.8, 0.7)}
TWO = {"cultural_authenticity": Rating(0.2, 0.6, 0.4), "style": Rating(0.95, 0.9, 1)}


def clamped(value: float) -> float:
    """The nearest value from 0 to 1."""
    return min(1, max(0, value))


def overall(strategy: Strategy, ratings: dict[str, Rating]) -> float:
    """What a strategy makes of one judge's ratings of an item."""
    above = below = 0.0
    for dimension, (given, sure, relevance) in ratings.items():
        score, confidence = given + strategy.bias * 0.1, sure
        if strategy.emphasis > 0.5:
            score += (strategy.emphasis - 0.5) * relevance * 0.2
        confidence *= strategy.weights.get(dimension, 1)
        if confidence < strategy.threshold:
            confidence /= 2
        weight = clamped(confidence) * clamped(relevance)
        above += weight * clamped(score)
        below += weight
    return above / below


def one_judge(study: Study, **items: dict[str, Rating]) -> None:
    """A panel of one judge in a row per score."""
    rows: list[Row] = [(item, name, *rating) for item, ratings in items.items() for name, rating in ratings.items()]
    study.panel([("item", "dimension", "score", "confidence", "cultural_relevance"), *rows])


def made(study: Study, model: str = "m") -> dict[str, object]:
    """The mean overall score of each strategy."""
    return {str(row["Judge"]): row["Mean"] for row in study.page("Judges", model) if row["Dimension"] == "Overall"}


def about(study: Study, model: str = "m") -> str:
    """What About says of strategies, line by line."""
    lines = [[str(value) for value in row if value is not None] for row in sheet_rows(study.workbook(model), "About")]
    return "\n".join(" ".join(line) for line in lines if line and "Strategy" in line[0])


def test_the_default_strategies_make_an_ensemble_out_of_one_judge(study: Study) -> None:
    one_judge(study, q1=ONE)
    rows: list[Row] = [("item", *ONE), ("q1", *(rating.score for rating in ONE.values()))]
    study.panel(rows, "wide")
    study.panel([("item", "judge", *ONE), *((item, "gpt", *scores) for item, *scores in rows[1:])], "named")
    assert study.score(*DEFAULT).code == 0
    wanted = {name: overall(strategy, ONE) for name, strategy in STRATEGIES.items()}
    known = [0.778868, 0.758868, 0.830332, 0.851796, 0.7946]
    assert list(wanted.values()) == pytest.approx(known, abs=1e-6)
    assert made(study) == pytest.approx(wanted)
    assert alike(read(study.item()), spread(list(wanted.values())))
    assert [study.value("CV"), study.value("Consensus")] == pytest.approx([0.047134, 0.905731], abs=1e-6)
    assert study.results()["m"]["Judges"] == "5"
    sure = {name: Rating(rating.score, 1, 1) for name, rating in ONE.items()}
    for model in ("wide", "named"):
        assert made(study, model) == pytest.approx({name: overall(s, sure) for name, s in STRATEGIES.items()})
    told = about(study)
    assert all(name in told for name in STRATEGIES)
    (strict,) = (line for line in told.splitlines() if "conservative" in line)
    assert "strict" in strict
    assert "strategies:default" in json.loads((study.res / "manifest.json").read_text("utf-8"))["signature"]


def test_a_table_of_strategies_may_be_ones_own(study: Study) -> None:
    one_judge(study, q1=ONE, q2=TWO)
    rows: list[Row] = [(name, *s[:3], s.weights.get("style", "")) for name, s in OWN.items()]
    write_csv(study.root / "own.csv", [(*TABLE, "style"), *rows])
    assert study.score("--strategies", "own.csv").code == 0
    for item, ratings in (("q1", ONE), ("q2", TWO)):
        assert alike(read(study.item(item)), spread([overall(s, ratings) for s in OWN.values()]))
    assert list(made(study)) == list(OWN)
    assert all(name in about(study) for name in OWN)


def test_strategies_move_scores_that_are_mapped_from_their_scale(study: Study) -> None:
    one_judge(study, q1={name: Rating(1 + 4 * score, *weights) for name, (score, *weights) in ONE.items()})
    assert study.score(*DEFAULT, "--scale", "1:5").code == 0
    assert made(study) == pytest.approx({name: overall(strategy, ONE) for name, strategy in STRATEGIES.items()})


def test_strategies_want_the_scores_of_one_judge(study: Study) -> None:
    one_judge(study, q1=ONE)
    study.panel([FULL, ("q1", "a", "x", 0.5), ("q1", "b", "x", 0.5)], "two")
    assert study.score(*DEFAULT).code == 3
    (problem,) = study.problems("several-judges")
    assert (problem["file"], problem["effect"]) == ("two.csv", SHEET_SKIPPED)
    assert "2 judges" in problem["message"]
    assert study.status() == {"m": "ok", "two": "failed"}


BAD_TABLES: dict[str, list[Row]] = {
    "word": [TABLE, ("one", 0.5, "half", 0)],
    "blank": [TABLE, ("one", 0.5, 0.5, "")],
    "endless": [TABLE, ("one", "inf", 0.5, 0)],
    "weight": [(*TABLE, "style"), ("two", 0.5, 0.5, 0, 0.3), ("one", 0.5, 0.5, 0, "much")],
    "twice": [TABLE, ("one", 0.5, 0.5, 0), ("one", 0.6, 0.5, 0)],
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_table_of_strategies_with_unusable_numbers_is_a_usage_error_that_says_where(study: Study, name: str) -> None:
    one_judge(study, q1=ONE)
    write_csv(study.root / "own.csv", BAD_TABLES[name])
    ended = study.score("--strategies", "own.csv")
    assert ended.code == 2
    assert f"own.csv row {len(BAD_TABLES[name])}" in ended.err
    assert not study.res.exists()


@pytest.mark.parametrize("rows", [[], [TABLE], [TABLE[:3], ("one", 0.5, 0.5)]], ids=["empty", "header", "column"])
def test_a_table_without_strategies_leaves_nothing_to_score(study: Study, rows: list[Row]) -> None:
    one_judge(study, q1=ONE)
    write_csv(study.root / "own.csv", rows)
    ended = study.score("--strategies", "own.csv")
    assert ended.code == 4
    assert "own.csv" in ended.err
    assert "(or )" not in ended.err
    assert not study.res.exists()


def test_a_table_of_strategies_that_is_not_there_is_a_usage_error(study: Study) -> None:
    one_judge(study, q1=ONE)
    ended = study.score("--strategies", "nowhere.csv")
    assert ended.code == 2
    assert "nowhere.csv" in ended.err


def test_labels_cannot_be_moved_by_strategies(study: Study) -> None:
    one_judge(study, q1=ONE)
    assert study.score(*DEFAULT, "--level", "nominal").code == 2


# --- names that a spreadsheet takes for something else ----------------------------------------------------------------

NAMES = ("=1+1", "Mean", "Item", "Judge", "Sheet", "Overall", "@a", "b; c", "-1", "mean", "Mean_a/b")
ASPECTS = ("a/b", "a\nb", "Overall", "=x", "Items", "score")
MANY = tuple(f"j{n:02}" for n in range(40))


def points(i: int, j: int, d: int) -> float:
    """Some score from 0 to 1."""
    return (7 * i + 5 * j + 3 * d + 1) % 11 / 10


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Hostile judges (names), dimensions (aspects), items and sheets (sheets), and forty judges (many)."""
    root = tmp_path_factory.mktemp("hostile")
    study = Study(root, on_its_own(root))
    items = ("=2+2", "Overall", "q,1")
    study.panel([LONG, *((i, j, points(a, b, 0)) for a, i in enumerate(items) for b, j in enumerate(NAMES))], "names")
    keys = [
        ((item, judge, name), (a, b, c))
        for a, item in enumerate(items)
        for b, judge in enumerate("ab")
        for c, name in enumerate(ASPECTS)
    ]
    study.panel([FULL, *((*names, points(*numbers)) for names, numbers in keys)], "aspects")
    study.panel([("item", *MANY), *((f"q{i}", *(points(i, j, 0) for j in range(40))) for i in range(3))], "many")
    rows: list[Row] = [LONG, ("q1", "a", 0.5), ("q1", "b", 0.6)]
    pages = ("Judges", "Flags", "Pairs", "Dimensions", "Summary", "Problems", "About", "Overall")
    write_book(study.outs / "sheets.xlsx", dict.fromkeys(pages, rows))
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


def test_nothing_a_table_names_becomes_a_formula(hostile: Study) -> None:
    for model in ("names", "aspects"):
        book = openpyxl.load_workbook(hostile.workbook(model))
        cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
        assert "f" not in {cell.data_type for cell in cells}
        texts = {str(cell.value) for cell in cells}
        assert "=2+2" in texts
        assert ("=1+1" if model == "names" else "=x") in texts
        book.close()
    assert [line["Item"] for line in hostile.items("names") if "2+2" in line["Item"]] == ["'=2+2"]


def test_judges_of_any_name_each_have_a_line_and_a_column_of_correlations(hostile: Study) -> None:
    head, *_ = sheet_rows(hostile.workbook("names"), "Judges")
    own = PAGES["Judges"][:-5]
    assert head[: len(own)] == own
    assert len(head) == len({str(name) for name in head}) == len(own) + len(NAMES)
    lines = [row for row in hostile.page("Judges", "names") if row["Dimension"] == "Overall"]
    assert sorted(str(row["Judge"]) for row in lines) == sorted(NAMES)
    for row in lines:
        place = NAMES.index(str(row["Judge"]))
        assert row["Mean"] == pytest.approx(statistics.fmean(points(item, place, 0) for item in range(3)))


def test_items_of_any_name_are_items(hostile: Study) -> None:
    assert sorted(line["Item"] for line in hostile.items("names")) == ["'=2+2", "Overall", "q,1"]
    line = hostile.item("Overall", model="names")
    assert alike(read(line), spread([points(1, judge, 0) for judge in range(len(NAMES))]))
    assert line["Judges"] == str(len(NAMES))


def test_dimensions_of_any_name_have_their_columns_and_lines(hostile: Study) -> None:
    names = [f"{measure}_{name}" for measure in ("Disagreement", "Mean") for name in ASPECTS]
    head = header(hostile.res / "aspects_disagreement.csv")
    assert sorted(head[-len(names) :]) == sorted(names)
    line = hostile.item("q,1", model="aspects")
    for place, name in enumerate(ASPECTS):
        wanted = statistics.fmean(points(2, judge, place) for judge in range(2))
        assert float(line[f"Mean_{name}"]) == pytest.approx(wanted)
    rows = hostile.page("Dimensions", "aspects")
    shown = [str(row["Dimension"]) for row in rows]
    assert len(set(shown)) == len(shown) == len(ASPECTS) + 1
    assert set(ASPECTS) <= set(shown)
    means = [statistics.fmean(points(i, j, d) for i in range(3) for j in range(2)) for d in range(len(ASPECTS))]
    for name, wanted in zip(ASPECTS, means, strict=True):
        assert rows[shown.index(name)]["Mean"] == pytest.approx(wanted)


def test_sheets_called_like_a_page_keep_their_items(hostile: Study) -> None:
    names = [line["Sheet"] for line in hostile.items("sheets")]
    assert names == ["Judges", "Flags", "Pairs", "Dimensions", "Summary", "Problems", "About", "Overall"]
    assert len(sheet_names(hostile.workbook("sheets"))) == 7 + len(names)
    assert {row["Sheet"] for row in hostile.page("Judges", "sheets")} == set(names)
    assert [row["Sheet"] for row in hostile.page("Summary", "sheets")][-1] == "Overall"


def test_forty_judges_are_all_there(hostile: Study) -> None:
    assert hostile.results()["many"]["Judges"] == "40"
    head, *rows = sheet_rows(hostile.workbook("many"), "Judges")
    assert head == [*PAGES["Judges"][:-5], *MANY]
    pairs = [row for row in hostile.page("Pairs", "many") if row["Dimension"] == "Overall"]
    assert [(row["Judge"], row["Other_Judge"]) for row in pairs] == list(combinations(MANY, 2))
    for place, line in enumerate(hostile.items("many")):
        scores = {judge: points(place, number, 0) for number, judge in enumerate(MANY)}
        assert alike(read(line), spread(list(scores.values())))
        assert line["Outliers"] == "; ".join(far(scores))
        assert line["Robust_Outliers"] == "; ".join(robust(scores))
    assert any(line["Outliers"] for line in hostile.items("many"))
    assert len(rows) >= 40


# --- edges ------------------------------------------------------------------------------------------------------------


def test_a_value_at_its_threshold_has_not_crossed_it_whatever_binary_fractions_make_of_it(study: Study) -> None:
    at = {"q1": (0.35, 0.5, 0.65), "q2": (0.42, 0.6, 0.78), "q3": (0.21, 0.3, 0.39)}  # a CV of 0.3, consensus 0.4
    study.panel([("item", "a", "b", "c"), *((item, *scores) for item, scores in at.items())])
    assert study.score("--consensus-threshold", "0.4").code == 0
    assert [line["Flags"] for line in study.items()] == ["", "", ""]


def test_an_overall_score_at_the_end_of_what_is_recommended_is_recommended(study: Study) -> None:
    study.panel([("item", "a", "b", "c", "d"), ("q1", 2.8, 6.4, 2.79, 6.41)])  # 2.8 of 1 to 7 is 0.3, and 6.4 is 0.9
    assert study.score("--scale", "1:7", "--robust-threshold", "100").code == 0
    assert study.item()["Recommended"] == "a; b"


def test_the_ends_of_the_scale_are_on_it(study: Study) -> None:
    study.panel([("item", "a", "b"), ("q1", 0, 1), ("q2", "1.0", "1e0")])
    assert study.score("--strict").code == 0
    assert alike(read(study.item("q2")), spread([1, 1]))


def test_an_overall_score_that_rounding_moves_off_the_scale_is_no_reason_to_refuse(study: Study) -> None:
    rows: list[Row] = [("q1", judge, *([1] * 3), weight) for judge, weight in (("a", 0.1), ("b", 0.7), ("c", 0.3))]
    study.panel([("item", "judge", "x", "y", "z", "confidence"), *rows])
    assert study.score().code == 0
    assert (study.value("Max"), study.value("Variance"), study.value("Consensus")) == (1, 0, 1)


def test_two_judges_whose_scores_never_vary_have_no_correlation(study: Study) -> None:
    study.panel([("item", "a", "b"), ("q1", 0.1, 0.3), ("q2", 0.1, 0.6), ("q3", 0.1, 0.9)])
    assert study.score().code == 0
    (pair,) = (row for row in study.page("Pairs") if row["Dimension"] == "Overall")
    assert (pair["Correlation"], pair["Items"], pair["Agreement"]) == (None, 3, 0)
    assert pair["Mean_Difference"] == pytest.approx(-0.5)


def test_a_judge_who_is_alone_with_an_item_has_no_bias(study: Study) -> None:
    study.panel([LONG, ("q1", "a", 0.5), ("q2", "b", 0.5)])
    assert study.score().code == 0
    lines = [row for row in study.page("Judges") if row["Dimension"] == "Overall"]
    assert [(row["Judge"], row["Items"], row["Bias"]) for row in lines] == [("a", 1, None), ("b", 1, None)]
    assert [row["Flag"] for row in study.page("Flags")] == ["single_strategy_only"] * 2


def test_no_usable_score_in_any_panel_leaves_nothing_to_score(study: Study) -> None:
    study.panel([LONG, ("q1", "a", ""), ("q1", "b", "?")])
    assert study.score().code == 4
    assert not study.res.exists()
