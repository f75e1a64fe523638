"""Which folders and options does `collective` take, and which are slips?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.collective import PLAIN, Study
from tests.helpers.files import Rows, write_csv
from tests.helpers.runs import Run

# --- old reports ------------------------------------------------------------------------------------------------------


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


PREDICTED: Rows = [("sample", "label", "A", "B"), (1, "x", "x", "y"), (2, "y", "x", "y")]


def test_a_share_of_dead_anchors_is_at_most_one(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", PREDICTED)
    assert run("collective", "outs", "-o", "res", "--dead-anchor", "2").code == 2
