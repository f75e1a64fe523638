"""Which definition was used, and does the report say so?"""

from __future__ import annotations

import pytest

from tests.helpers.diversity import RANKING, Lab

# --- grades -----------------------------------------------------------------------------------------------------------


def test_about_says_how_eild_is_discounted(trio: Lab) -> None:
    assert trio.score().code == 0
    assert "0.85" in trio.about()["ILD, EILD"]
    assert "0.85" in trio.about()["EILD_Norm@5"]


# --- what ndeval is ---------------------------------------------------------------------------------------------------


def test_about_describes_the_definition_that_was_used(trio: Lab) -> None:
    assert trio.score().code == 0
    assert "at most 1" in trio.about()["Ideal"]
    assert trio.score("--definition", "ndeval").code == 0
    about = trio.about()
    assert "can exceed 1" in about["Ideal"]
    assert "can exceed 1" in about["alpha_nDCG@5"]
    assert "(1−α)^(i−1)/i" in about["ERR_IA"]
    assert not [text for text in about.values() if "at most 1" in text]


def test_under_ndeval_targets_serve_proportionality_alone(trio: Lab) -> None:
    assert trio.tables("--definition", "ndeval").code == 0
    before = trio.results()["m"]
    trio.put("t.csv", "query,subtopic,share / q,x,0.25 / q,y,0.25 / q,w,0.5")
    assert trio.tables("--definition", "ndeval", "--targets", "t.csv").code == 0
    after = trio.results()["m"]
    assert {name.split("@")[0] for name in after if after[name] != before[name]} == {"Proportionality"}
    # shares 2/3 and 1/3 against 1/4 and 1/4, and a half that is elsewhere
    assert float(after["Proportionality@5"]) == pytest.approx(1 - (5 / 12 + 1 / 12 + 1 / 2) / 2)
    trio.put("t.csv", "subtopic,share / w,1")
    assert trio.tables("--definition", "ndeval", "--targets", "t.csv").code == 0
    assert float(trio.value("Proportionality@5")) == 0


def test_the_tools_definition_refuses_what_it_does_not_know(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    assert lab.score("--definition", "ndeval", "--graded").code == 2
