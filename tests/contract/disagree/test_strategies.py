"""How do strategies make an ensemble out of one judge?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.helpers.disagree import FULL, SHEET_SKIPPED, Row, Study, alike, judged, problems, read, spread, table
from tests.helpers.files import sheet_rows, write_csv
from tests.helpers.runs import Run

pytestmark = pytest.mark.usefixtures("no_workbooks")


def test_strategies_weigh_a_dimension_however_its_name_is_written(study: Study) -> None:
    headers = {"plain": "cultural_authenticity", "blank": "Cultural Authenticity", "dash": "cultural-authenticity"}
    for name, header in headers.items():
        study.panel([("item", header, "other"), ("q1", 0.8, 0.2), ("q2", 0.3, 0.9)], name)
    table(
        study.root / "strategies.csv",
        "strategy,emphasis,threshold,bias,cultural_authenticity,notes|s,.5,0,0,.25,why|t,.5,0,0,,",
    )
    assert study.score("--strategies", "strategies.csv").code == 0
    weighed = (0.25 * 0.8 + 0.2) / 1.25
    for name in headers:
        assert study.value("Mean", model=name) == pytest.approx((weighed + 0.5) / 2), name


def test_weights_of_dimensions_that_are_not_there_are_noted(run: Run, tmp_path: Path) -> None:
    table(tmp_path / "strategies.csv", "strategy,emphasis,threshold,bias,fluensy|s,.5,.5,0,.25|t,.6,.5,0,")
    assert judged(run, tmp_path, "item,fluency|q1,0.8|q2,0.3", "--strategies", "strategies.csv").code == 0
    assert any("fluensy" in message for message in problems(tmp_path, "other-columns"))


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("s,1.5,.5,0,", "emphasis"),
        ("s,.5,-1,0,", "threshold"),
        ("s,.5,.5,2,", "bias"),
        ("s,.5,.5,-1.01,", "bias"),
        ("s,.5,.5,-1,30", "fluency"),
    ],
)
def test_a_strategy_beyond_its_range_is_refused_by_row_and_column(
    run: Run, tmp_path: Path, row: str, column: str
) -> None:
    table(tmp_path / "strategies.csv", f"strategy,emphasis,threshold,bias,fluency|ok,1,0,1,1|{row}")
    ended = judged(run, tmp_path, "item,fluency|q1,0.8|q2,0.3", "--strategies", "strategies.csv")
    assert ended.code not in (0, 1)
    assert f"strategies.csv row 3, column {column}" in ended.err


DEFAULT = ("--strategies", "default")
TABLE = ("strategy", "emphasis", "threshold", "bias")


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


@pytest.mark.usefixtures("workbooks")
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


@pytest.mark.usefixtures("workbooks")
def test_a_table_of_strategies_may_be_ones_own(study: Study) -> None:
    one_judge(study, q1=ONE, q2=TWO)
    rows: list[Row] = [(name, *s[:3], s.weights.get("style", "")) for name, s in OWN.items()]
    write_csv(study.root / "own.csv", [(*TABLE, "style"), *rows])
    assert study.score("--strategies", "own.csv").code == 0
    for item, ratings in (("q1", ONE), ("q2", TWO)):
        assert alike(read(study.item(item)), spread([overall(s, ratings) for s in OWN.values()]))
    assert list(made(study)) == list(OWN)
    assert all(name in about(study) for name in OWN)


@pytest.mark.usefixtures("workbooks")
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
