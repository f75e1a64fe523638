"""How do votes, weights and probabilities of streams make one prediction?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.collective import PREDICTIONS, line, shares, tabled
from tests.helpers.files import Rows, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import problems_of


@pytest.mark.parametrize(("ties", "accuracy"), [("first", "0.5"), ("wrong", "0.0"), ("class", "0.5")])
@pytest.mark.parametrize("columns", ["x,y", "y,x"])
def test_ties_of_means_are_settled_as_asked(run: Run, tmp_path: Path, ties: str, accuracy: str, columns: str) -> None:
    table = shares(*(f"s{n},{stream},.5,.5" for n in range(1, 5) for stream in "ab"), columns=columns)
    options = ("--fusion", "mean", "--ties", ties)
    assert tabled(run, tmp_path, *options, predictions=PREDICTIONS, probabilities=table).code == 0
    assert (line(tmp_path)["Collective_Accuracy"], line(tmp_path)["Ties"]) == (accuracy, "4")


def test_weights_count_by_their_proportions_alone(run: Run, tmp_path: Path) -> None:
    found = []
    for scale in (1, 1e-13):
        weights = f"name,value|weight:a,{3 * scale}|weight:b,{scale}"
        assert tabled(run, tmp_path, "--fusion", "weighted", predictions=PREDICTIONS, parameters=weights).code == 0
        found.append(line(tmp_path)["Collective_Accuracy"])
    assert found == ["0.75", "0.75"]
    refused = tabled(
        run, tmp_path, "--fusion", "weighted", predictions=PREDICTIONS, parameters="name,value|weight:a,0|weight:b,0"
    )
    assert (refused.code, "nothing but 0" in refused.err) == (4, True)


PREDICTED: Rows = [("sample", "label", "A", "B"), (1, "x", "x", "y"), (2, "y", "x", "y")]


def test_probabilities_of_samples_that_nobody_predicts_are_noted(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m/predictions.csv", PREDICTED)
    rows = [(sample, stream, 0.5, 0.5) for sample in (1, 2, 77) for stream in "AB"]
    write_csv(tmp_path / "outs/m/probabilities.csv", [("sample", "stream", "x", "y"), *rows])
    assert run("collective", "outs", "-o", "res", "--fusion", "mean").code == 0
    assert "samples of the sheet probabilities that the predictions do not have: 77" in [
        line["message"] for line in problems_of(tmp_path / "res", "missing-probabilities")
    ]
