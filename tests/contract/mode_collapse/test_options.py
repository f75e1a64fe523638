"""Which options of `mode-collapse` contradict each other or need another?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.files import Rows, write_csv
from tests.helpers.mode_collapse import EVERYWHERE, PEOPLED, Study
from tests.helpers.runs import Run


def test_a_gini_for_power_without_power_is_a_usage_error(run: Run) -> None:
    done = run("mode-collapse", "--power-gini", "0.5")
    assert done.code == 2
    assert "--power" in done.err


def test_a_way_to_see_options_is_refused_beside_a_table_of_them(study: Study) -> None:
    study.options(PEOPLED)
    study.model(EVERYWHERE)
    assert study.score("--observed", "parent").code == 2


@pytest.mark.parametrize("more", [["outs"], ["--fuzzy", "50"], ["--target", "nowhere.csv"]])
def test_what_power_would_ignore_is_refused(study: Study, more: list[str]) -> None:
    study.model(EVERYWHERE)
    assert study.run("mode-collapse", "--power", *more).code == 2


ANSWERS: Rows = [("level", "choice"), *[(0, "Japan")] * 9, *[(0, "Peru")] * 3]


def test_fuzzy_matching_needs_options_to_match_with(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", ANSWERS)
    assert run("mode-collapse", "outs", "--fuzzy", "80", "-o", "res").code == 2
