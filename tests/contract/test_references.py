"""Which reference belongs to a row, and what is said where there is none?"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.helpers.runs import Run


def test_when_no_reference_can_be_read_only_that_is_said(run: Run, folder: Path) -> None:
    (folder / "refs/r.csv").write_text("idiom,explantion\na,one\n", encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert done.code == 4
    assert "did you mean 'explantion'?" in done.err
    assert "row not scored" not in done.err


@pytest.mark.parametrize("key", ["A", "ａ", " a.", "“a”"])
def test_a_key_that_nearly_matches_is_suggested(key: str, run: Run, folder: Path) -> None:
    (folder / "outs/good.csv").write_text(f"Idiom,Prediction\n{key},one two\nb,four\n", encoding="utf-8")
    assert f"no reference for {key.strip()!r}; did you mean 'a'?" in run("sinfo", "outs", "refs", "-o", "res").err


def test_with_missing_zero_and_no_usable_reference_nothing_is_scored(run: Run, folder: Path) -> None:
    (folder / "refs/r.csv").write_text("foo,bar\n1,2\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res", "--missing", "zero").code == 4
    assert not (folder / "res").exists()


def test_the_sides_of_a_join_may_name_their_key_differently(run: Run, folder: Path) -> None:
    (folder / "outs/good.csv").write_text("qid,Prediction\na,one two\n", encoding="utf-8")
    (folder / "refs/r.csv").write_text("term,explanation\na,one two three\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res", "--column", "Idiom=qid", "--column", "idiom=term").code == 0


def test_outputs_and_references_in_each_others_place_are_asked_about(run: Run, folder: Path) -> None:
    (folder / "outs").rename(folder / "my outs")
    done = run("sinfo", "refs", "my outs", "-o", "res")
    assert done.code == 4
    (line,) = [line for line in done.err.splitlines() if "swapped" in line]
    assert line == "are outputs and references swapped? In the other order: scoresheet sinfo 'my outs' refs"
    assert run(*shlex.split(line.rpartition("scoresheet ")[2]), "-o", "res").code == 0


@pytest.mark.parametrize(
    ("outs", "refs"),
    [
        ("Idiom,Prediction\na,one\n", "idiom,explantion\na,one\n"),
        ("Idiom,Predict\na,one\n", "idiom,explanation\na,one\n"),
        ("Idiom,Prediction\na,one\n", "idiom,explanation\nz,one\n"),
    ],
)
def test_what_would_be_no_better_in_the_other_order_is_not_asked_about(
    run: Run, folder: Path, outs: str, refs: str
) -> None:
    (folder / "outs/good.csv").write_text(outs, encoding="utf-8")
    (folder / "refs/r.csv").write_text(refs, encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert (done.code, "swapped" in done.err) == (4, False)
