"""Which weights and targets of subtopics count, and what is said of the rest?"""

from __future__ import annotations

import pytest

from tests.helpers.diversity import RANKING, Lab

# --- what is said -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("option", "column"), [("intents", "weight"), ("targets", "share")])
def test_notes_on_a_table_of_weights_name_its_file(trio: Lab, option: str, column: str) -> None:
    trio.put("more/w.csv", f"query,subtopic,{column} / q,x,3 / q,X,1 / Q,x,1")
    ended = trio.tables(f"--{option}", "more/w.csv")
    assert ended.code == 0
    notes = trio.problems("weights-normalised") + trio.problems("unmatched-weights")
    assert [note["file"] for note in notes] == ["w.csv"] * 3
    assert "note: more/w.csv" in ended.err
    assert "note: refs" not in ended.err
    assert [note["message"].partition("did you mean ")[2] for note in notes] == ["", "'q'?", "'x'?"]


@pytest.mark.parametrize("option", ["--intents", "--targets"])
def test_what_a_table_of_weights_names_and_no_judgment_does_is_noted(lab: Lab, option: str) -> None:
    lab.put("outs/m.csv", RANKING)
    column = "weight" if option == "--intents" else "share"
    lab.put("w.csv", f"query,subtopic,{column}\nq1,A,50%\nq1,a,0.5\nq99,a,1\n")
    assert lab.tables(option, "w.csv").code == 0
    queries, subtopics = lab.messages("unmatched-weights")
    assert "q99" in queries
    assert "q1: A" in subtopics
    assert not lab.messages("weights-normalised")  # 50% beside 0.5 is 1


def test_a_row_of_weights_without_a_subtopic_is_a_usage_error(lab: Lab) -> None:
    lab.put("outs/m.csv", RANKING)
    lab.put("w.csv", "query,subtopic,weight\nq1,,1\n")
    assert lab.score("--intents", "w.csv").code == 2
