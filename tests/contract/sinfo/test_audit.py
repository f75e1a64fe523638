"""The audit: a wrong number stops the run before anything is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scoresheet.metrics.families.sinfo import row_scores
from tests.helpers.files import digests
from tests.helpers.runs import Run


def _inputs(folder: Path) -> None:
    (folder / "outs").mkdir()
    (folder / "refs").mkdir()
    rows = [f"idiom {number},it means thing {number} and more" for number in range(40)]
    (folder / "outs/m.csv").write_text("Idiom,Prediction\n" + "\n".join(rows), encoding="utf-8")
    (folder / "refs/r.csv").write_text("idiom,explanation\n" + "\n".join(rows), encoding="utf-8")


@pytest.mark.patched
def test_a_number_that_differs_from_the_library_is_a_bug_and_nothing_is_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _inputs(tmp_path)
    assert run("sinfo", "outs", "refs", "-o", "res", "-j", "1").code == 0
    before = digests(tmp_path / "res")
    monkeypatch.setattr(
        row_scores, "rouge_precisions", lambda texts, *_: (np.full(len(texts), 0.123), np.full(len(texts), 5))
    )
    done = run("sinfo", "outs", "refs", "-o", "res", "-j", "1", "--fresh")
    assert done.code == 1
    assert "the audit failed" in done.err
    assert "0.123" in done.err
    assert digests(tmp_path / "res") == before


def test_the_audit_checks_as_many_rows_as_asked_and_says_so(run: Run, tmp_path: Path) -> None:
    _inputs(tmp_path)
    assert (
        "7 of 7 sampled rows equal rouge 1.0.1" in run("sinfo", "outs", "refs", "-o", "res", "--audit", "7", "-v").err
    )
    assert "40 of 40" in run("sinfo", "outs", "refs", "-o", "res", "--audit", "999", "-v").err


@pytest.mark.parametrize("arguments", [["--audit", "0"], ["--rouge", "lin"], ["--rouge", "charset"]])
def test_without_a_library_to_compare_with_there_is_no_audit(arguments: list[str], run: Run, tmp_path: Path) -> None:
    _inputs(tmp_path)
    done = run("sinfo", "outs", "refs", "-o", "res", "-v", *arguments)
    assert done.code == 0
    assert "audit" not in done.err


def test_texts_over_400_words_are_scored_but_not_sampled(run: Run, tmp_path: Path) -> None:
    _inputs(tmp_path)
    long = "word " * 1500
    (tmp_path / "outs/m.csv").write_text(f"Idiom,Prediction\nidiom 1,{long}\nidiom 2,it means", encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res", "-v")
    assert "1 of 1 sampled rows equal rouge 1.0.1 bit for bit; 1 rows over 400 words were not sampled" in done.err


@pytest.mark.parametrize("rouge", ["rouge", "lin", "charset"])
def test_a_model_without_rows_is_unscored_by_every_kind_of_rouge(rouge: str, run: Run, tmp_path: Path) -> None:
    _inputs(tmp_path)
    (tmp_path / "outs/empty.csv").write_text("Idiom,Prediction\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res", "--rouge", rouge).code == 0
    assert (tmp_path / "res/m_s_info.xlsx").exists()
