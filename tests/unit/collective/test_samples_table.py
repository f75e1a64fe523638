"""The table of samples: what the collective and each stream said on each, and who was right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.files import read_csv, write_book
from tests.helpers.runs import Run

VOTES = [
    ("sample", "label", "one", "two", "three"),
    ("s1", "cat", "cat", "cat", "dog"),
    ("s2", "dog", "cat", "dog", ""),  # a tie, which the leftmost voter's class wins
    ("s3", "cow", "", "", ""),
    ("s4", "cow", "dog", "dog", "cow"),
]


def samples(folder: Path) -> list[dict[str, str]]:
    return read_csv(folder / "res/m_collective_samples.csv")


def test_votes_and_hits_stand_side_by_side(run: Run, tmp_path: Path) -> None:
    write_book(tmp_path / "outs/m.xlsx", {"predictions": VOTES})
    assert run("collective", "outs", "-o", "res").code == 0
    lines = samples(tmp_path)
    assert [(line["Sample"], line["Label"], line["Collective"], line["Correct"]) for line in lines] == [
        ("s1", "cat", "cat", "1"),
        ("s2", "dog", "cat", "0"),
        ("s3", "cow", "", "0"),
        ("s4", "cow", "dog", "0"),
    ]
    assert [line["Any_Correct"] for line in lines] == ["1", "1", "0", "1"]
    assert [line["Vote: two"] for line in lines] == ["cat", "dog", "", "dog"]
    assert [line["Correct: two"] for line in lines] == ["1", "1", "0", "0"]


@pytest.mark.parametrize(("ties", "second"), [("wrong", ""), ("class", "cat")])
def test_a_tie_is_shown_as_the_rule_has_it(run: Run, tmp_path: Path, ties: str, second: str) -> None:
    write_book(tmp_path / "outs/m.xlsx", {"predictions": VOTES})
    assert run("collective", "outs", "-o", "res", "--ties", ties).code == 0
    assert samples(tmp_path)[1]["Collective"] == second


def test_a_column_of_the_collective_and_fused_probabilities_say_what_they_say(run: Run, tmp_path: Path) -> None:
    own = [(*row, "cow" if place else "collective") for place, row in enumerate(VOTES)]
    write_book(tmp_path / "outs/m.xlsx", {"predictions": own})
    assert run("collective", "outs", "-o", "res").code == 0
    assert {line["Collective"] for line in samples(tmp_path)} == {"cow"}
    chances: list[tuple[object, ...]] = [("sample", "stream", "cat", "dog", "cow")]
    for sample, *_ in VOTES[1:]:
        chances += [(sample, "one", 0.5, 0.3, 0.2), (sample, "two", 0.1, 0.7, 0.2), (sample, "three", 0.3, 0.5, 0.2)]
    write_book(tmp_path / "outs/m.xlsx", {"predictions": VOTES, "probabilities": chances})
    assert run("collective", "outs", "-o", "res", "--fusion", "mean").code == 0
    lines = samples(tmp_path)
    assert {line["Collective"] for line in lines} == {"dog"}
    assert [line["Correct"] for line in lines] == ["0", "1", "0", "0"]
