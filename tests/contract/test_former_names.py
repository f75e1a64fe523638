"""Words that were changed are understood for a release, and say what they are called now."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoresheet.metrics import diversity_of_run, text_entropy
from tests.helpers.files import read_csv, write_csv
from tests.helpers.runs import Run

pytestmark = pytest.mark.usefixtures("no_workbooks")

RANKING = [("query", "item", "rank", "subtopics"), ("q", "a", 1, "x"), ("q", "b", 2, "x|y"), ("q", "c", 3, "")]
TEXTS = [("text",), ("The sky is blue. The sea is deep. The sky is blue.",)]


@pytest.mark.parametrize(("command", "rows"), [("diversity", RANKING), ("entropy", TEXTS)])
def test_the_definition_that_was_called_seed_is_the_printed_one(
    run: Run, tmp_path: Path, command: str, rows: list[tuple[object, ...]]
) -> None:
    write_csv(tmp_path / "outs/m.csv", rows)
    old, new = (run(command, "outs", "-o", word, "--definition", word) for word in ("seed", "printed"))
    assert (old.code, new.code) == (0, 0)
    assert "note: --definition seed is called printed now" in old.err
    assert "is called" not in new.err
    results = f"{command}_results.csv"
    assert read_csv(tmp_path / "seed" / results) == read_csv(tmp_path / "printed" / results)


def test_python_understands_it_too() -> None:
    text = "The sky is blue. The sea is deep."
    old, new = (text_entropy(text, definition=word).semantic_diversity for word in ("seed", "printed"))
    assert old == new != text_entropy(text).semantic_diversity
    run, judgments = {"q": ["a", "b"]}, [("q", "x", "a", 1), ("q", "y", "b", 1)]
    assert diversity_of_run(run, judgments, definition="seed") == diversity_of_run(run, judgments, definition="printed")


def test_the_column_of_the_judge_may_still_be_named_as_strategy(run: Run, tmp_path: Path) -> None:
    scores = [("q1", "ann", 0.2), ("q1", "bob", 0.4), ("q2", "ann", 0.9), ("q2", "bob", 0.7)]
    write_csv(tmp_path / "outs/m.csv", [("item", "who", "score"), *scores])
    for name in ("strategy", "judge"):
        assert run("disagree", "outs", "-o", name, "--column", f"{name}=who").code == 0
        (line,) = read_csv(tmp_path / name / "disagreement_results.csv")
        assert line["Judges"] == "2"


@pytest.mark.parametrize("header", ["judge", "strategy", "rater"])
def test_the_judge_is_found_by_any_of_its_names(run: Run, tmp_path: Path, header: str) -> None:
    write_csv(tmp_path / "outs/m.csv", [("item", header, "score"), ("q1", "ann", 0.2), ("q1", "bob", 0.4)])
    assert run("disagree", "outs", "-o", "res").code == 0
    (line,) = read_csv(tmp_path / "res/disagreement_results.csv")
    assert line["Judges"] == "2"
