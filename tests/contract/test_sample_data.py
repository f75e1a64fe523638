"""Do the samples of tables as people have them come to what was worked out apart from the tool?"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from rouge import Rouge

from tests.helpers.files import read_csv
from tests.helpers.runs import Run

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture
def beside_data(run: Run, tmp_path: Path) -> Run:
    """The command in a folder that has the sample data."""
    (tmp_path / "data").symlink_to(DATA)
    return run


def lines(path: str) -> list[dict[str, str]]:
    """The objects of a JSON Lines file."""
    return [json.loads(line) for line in (DATA / path).read_text("utf-8").splitlines()]


def headlines(folder: Path, stem: str, measure: str) -> dict[str, float]:
    """One measure of every model."""
    return {line["Model Name"]: float(line[measure]) for line in read_csv(folder / f"{stem}_results.csv")}


def s_info(answer: str, reference: str) -> float:
    """BP × ROUGE-L precision of one explanation, by the package and the formula of the definitions."""
    precision: float = Rouge().get_scores(answer, reference)[0]["rouge-l"]["p"]
    return precision * min(1.0, math.exp(1 - len(reference) / len(answer)))


def test_one_long_file_of_answers_is_three_models(beside_data: Run, tmp_path: Path) -> None:
    ended = beside_data("sinfo", "data/long_outputs/answers.jsonl", "--by", "topic", "-o", "res")
    assert ended.code == 0, ended.err
    assert "model column 'model': 3 models in 1 file (heron, magpie, wren)" in ended.err
    scores = defaultdict(list)
    for line in lines("long_outputs/answers.jsonl"):
        if line["output"]:
            scores[line["model"]].append(s_info(line["output"], line["reference"]))
    expected = {model: math.fsum(own) / len(own) for model, own in scores.items()}
    assert headlines(tmp_path / "res", "s_info", "S_Info") == pytest.approx(expected, abs=1e-9)
    parts = {(line["Model Name"], line["topic"]) for line in read_csv(tmp_path / "res" / "s_info_by_topic.csv")}
    assert len(parts) == 3 * 3


def test_recommended_films_are_as_far_apart_as_their_genres(beside_data: Run, tmp_path: Path) -> None:
    words = ("data/recommendations", "--features", "data/recommendation_tables/films.csv")
    ended = beside_data("diversity", *words, "-o", "res")
    assert ended.code == 0, ended.err
    films = {line["movieId"]: line["genres"] for line in read_csv(DATA / "recommendation_tables/films.csv")}
    genres = {film: set() if names.startswith("(") else set(names.split("|")) for film, names in films.items()}
    expected = {}
    for path in sorted((DATA / "recommendations").glob("*.csv")):
        shown = defaultdict(list)
        for line in read_csv(path):
            if genres[line["movieId"]]:
                shown[line["userId"]].append(genres[line["movieId"]])
        means = [
            np.mean([1 - len(one & other) / len(one | other) for one, other in combinations(own, 2)])
            for own in shown.values()
        ]
        expected[path.stem] = float(np.mean(means))
    assert headlines(tmp_path / "res", "diversity", "ILD@10") == pytest.approx(expected, abs=1e-9)
    assert expected["compass"] > expected["echo"]


def test_scores_that_judges_wrote_in_words_are_read(beside_data: Run, tmp_path: Path) -> None:
    ended = beside_data("disagree", "data/written_judgements", "--parse-scores", "--scale", "1:5", "-o", "res")
    assert ended.code == 0, ended.err
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for line in lines("written_judgements/letters.jsonl"):
        (number,) = re.findall(r"(?:Score: |Rating: |^)(\d)", line["score"], flags=re.MULTILINE)
        found[line["judge"]][line["item"]] = float(number)
    ratings = np.array([list(own.values()) for own in found.values()])
    alpha = krippendorff.alpha(reliability_data=ratings, level_of_measurement="interval")
    assert headlines(tmp_path / "res", "disagreement", "Alpha") == pytest.approx({"letters": alpha}, abs=1e-9)
    hinted = beside_data("disagree", "data/written_judgements", "--scale", "1:5", "--dry-run")
    assert (hinted.code, "--parse-scores reads it" in hinted.err) == (4, True)


def test_every_sample_is_in_the_readme() -> None:
    readme = (DATA / "README.md").read_text("utf-8")
    assert [path.name for path in DATA.iterdir() if path.is_dir() and f"{path.name}/" not in readme] == []
