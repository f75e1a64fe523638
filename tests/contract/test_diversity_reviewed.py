"""`scoresheet diversity`: what a second look found wrong, each as it was met."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from scoresheet.metrics import diversity_of_run, intra_list_diversity
from scoresheet.metrics.diversity.distances import cosine_blocks, unit_vectors

from .files import Result, Run, sheet_rows
from .studies import Workplace

RANKED = "query,item,rank / q,a,1 / q,b,2 / q,c,3"
JUDGED = "query,subtopic,item,relevance / q,x,a,1 / q,y,b,1 / q,x,c,1"


@dataclass(frozen=True)
class Study(Workplace):
    """Rankings in `outs`, judgments in `refs`; lines of a table are written with a stroke between them."""

    stem: ClassVar[str] = "diversity"

    def put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(" / ", "\n") + "\n", encoding="utf-8")

    def score(self, *options: str, refs: str = "refs") -> Result:
        return self.run("diversity", "outs", *([refs] if refs else []), "-o", "res", *options)

    def value(self, measure: str, model: str = "m") -> str:
        return self.results()[model][measure]

    def messages(self, kind: str) -> list[str]:
        return [problem["message"] for problem in self.problems(kind)]

    def about(self, model: str = "m") -> dict[str, str]:
        """The About page as a mapping."""
        rows = [[str(cell) for cell in row if cell is not None] for row in sheet_rows(self.workbook(model), "About")]
        return {row[0]: row[1] for row in reversed(rows) if len(row) > 1}


@pytest.fixture
def study(tmp_path: Path, run: Run) -> Study:
    study = Study(tmp_path, run)
    study.put("outs/m.csv", RANKED)
    study.put("refs/q.csv", JUDGED)
    return study


def test_features_are_not_named_beside_a_distance_of_subtopics(study: Study) -> None:
    study.put("f.csv", "item,f / a,1 / b,2")
    ended = study.score("--features", "f.csv", "--distance", "subtopics")
    assert ended.code == 2
    assert "--features" in ended.err


@pytest.mark.parametrize("size", [1.5e308, 1e-310, 5e-324])
def test_features_of_any_size_have_a_direction(size: float) -> None:
    rows = np.array([[size, size], [size, size], [1.0, 1.0], [size, -size]])
    assert intra_list_diversity(rows, [3, 4]) == pytest.approx({3: 0, 4: 0.5}, abs=1e-12)
    units, present = unit_vectors(rows)
    assert present.all()
    assert cosine_blocks(units)(0, 3, 3) == pytest.approx(np.zeros((3, 3)), abs=1e-12)


def test_extreme_features_leave_eild_defined(study: Study) -> None:
    study.put("f.csv", "item,f,g / a,1.5e308,1.5e308 / b,1.5e308,1.5e308 / c,1,1")
    assert study.score("--features", "f.csv").code == 0
    assert [float(study.value(f"{name}@5")) for name in ("ILD", "EILD", "EILD_Norm")] == pytest.approx([0, 0, 0])


@pytest.mark.parametrize("grade", [1e-17, 5e-324])
def test_the_smallest_grade_above_0_is_relevant(grade: float) -> None:
    judgments = [("q", "x", "a", grade), ("q", "y", "b", 3.0)]
    found = diversity_of_run({"q": ["a", "b"]}, judgments, cutoffs=[1])["q"]
    assert found["S_Recall@1"] == 0.5
    assert found["alpha_nDCG@1"] == 1


def test_a_small_grade_keeps_its_probability() -> None:
    judgments = [("q", "x", "a", 1e-12), ("q", "y", "b", 3.0)]
    found = diversity_of_run({"q": ["a"]}, judgments, cutoffs=[1])["q"]
    assert found["ERR_IA@1"] == pytest.approx(1e-12 * math.log(2) / 8 / 2, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.run", "q Q0 a 9 5 t / q Q0 b 1 5 t / q Q0 c 2 4 t"),
        ("m.csv", "query,item,rank,score / q,a,1,1 / q,b,2, / q,c,3,9"),
    ],
)
def test_rank_and_score_disagree_also_across_ties_and_blanks(study: Study, name: str, text: str) -> None:
    (study.outs / "m.csv").unlink()
    study.put(f"outs/{name}", text)
    assert study.score().code == 0
    assert len(study.problems("rank-and-score")) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.run", "q Q0 b 1 5 t / q Q0 a 2 5 t / q Q0 c 3 4 t"),
        ("m.csv", "query,item,rank,score / q,a,1,9 / q,b,1,1 / q,c,2,1 / q,d,3, / q,e,4,0"),
    ],
)
def test_ties_in_rank_or_score_are_no_disagreement(study: Study, name: str, text: str) -> None:
    (study.outs / "m.csv").unlink()
    study.put(f"outs/{name}", text)
    assert study.score().code == 0
    assert not study.problems("rank-and-score")


def test_subtopics_whose_names_hold_commas_can_be_told_apart(study: Study) -> None:
    study.put("refs/q.csv", 'query,subtopic,item / q,"red, hot",a / q,cold,a')
    assert study.score().code == 0
    assert study.page("Subtopics")[0]["Adds"] == "cold | red, hot"
