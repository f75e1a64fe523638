"""What does a worker that dies, or a bug of ours, cost?"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.app import main
from scoresheet.cli.input import loading
from scoresheet.cli.input.formats.by_extension import read_file
from scoresheet.cli.input.loading import LoadedSheet
from scoresheet.cli.input.matched_sheets import matched_sheet
from scoresheet.cli.run import model_worker as model
from scoresheet.cli.run import side_tables as references
from scoresheet.cli.run.model_reports import write_model
from tests.helpers.runs import COMMAND, Run
from tests.helpers.studies import problems_in, statuses_in

pytestmark = [pytest.mark.processes, pytest.mark.patched]


GOOD = "Idiom,Prediction\na,one two\nb,four five\n"


def test_the_file_that_killed_a_worker_is_the_one_named(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "outs/m").mkdir()
    for name in "abc":
        (folder / f"outs/m/{name}.csv").write_text(GOOD, encoding="utf-8")
    original = read_file

    def deadly(path: Path, rules: object) -> object:
        if path.name == "b.csv":
            os._exit(9)
        return original(path, rules)  # type: ignore[arg-type]

    monkeypatch.setattr(loading, "read_file", deadly)
    assert run("sinfo", "outs", "refs", "-o", "res").code == 3
    (problem,) = [line for line in problems_in(folder) if line["kind"] == "worker-died"]
    assert problem["file"] == "m/b.csv"


def test_a_bug_in_scoring_one_model_is_reported_and_the_others_are_written(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "outs/cursed.csv").write_text(GOOD, encoding="utf-8")
    original = write_model

    def failing(plan: Any, context: Any, outcome: Any, *rest: Any) -> Any:
        if outcome.model == "cursed":
            raise ZeroDivisionError("of the test")
        return original(plan, context, outcome, *rest)

    monkeypatch.setattr(model, "write_model", failing)
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert done.code == 1
    assert "ZeroDivisionError: of the test" in done.err
    assert "This is a bug in scoresheet" in done.err
    assert statuses_in(folder) == {"cursed": "failed", "good": "ok"}


def test_a_bug_in_reading_a_reference_is_reported_as_one(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "refs/cursed.csv").write_text("idiom,explanation\nc,x\n", encoding="utf-8")
    original = matched_sheet

    def failing(sheet: LoadedSheet, *rest: Any) -> Any:
        if sheet.source == "cursed.csv":
            raise ZeroDivisionError("of the test")
        return original(sheet, *rest)

    monkeypatch.setattr(references, "matched_sheet", failing)
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert done.code == 1
    assert "ZeroDivisionError: of the test" in done.err
    assert statuses_in(folder) == {"good": "ok"}


def test_few_file_handles_or_little_memory_are_said_and_are_no_bug(folder: Path) -> None:
    words = " ".join([*COMMAND, "sinfo", "outs", "refs", "-o", "res"])
    for limit, short in (("-n 8", "ulimit -n"), ("-v 200000", "ulimit -v")):
        done = subprocess.run(
            ["sh", "-c", f"ulimit {limit} && exec {words}"], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 5, done.stderr
        assert short in done.stderr
        assert "bug" not in done.stderr


def test_a_working_folder_that_is_gone_is_a_usage_error(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    here = Path.cwd()
    os.chdir(gone)
    gone.rmdir()
    try:
        done = main(["sinfo", "outs", "refs"])
    finally:
        os.chdir(here)
    assert done == 2
