"""scoresheet verify: what changed since a run, and whether its numbers come out the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.commands import command_names
from scoresheet.cli.earlier import verifying
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.run.model_worker import score_model
from tests.helpers.runs import Run, called_in

ROOT = Path(__file__).resolve().parents[2]


def verification(run: Run, *words: str | Path) -> dict[str, Any]:
    done = run("verify", *words, "--json")
    told: dict[str, Any] = json.loads(done.out)
    assert told["exit_code"] == done.code
    assert done.code == (0 if told["holds"] else 10)
    return told


def changed(told: dict[str, Any]) -> dict[str, list[str]]:
    return {what: check["changed"] for what, check in told["checks"].items() if check["changed"]}


@pytest.mark.parametrize("command", command_names())
def test_a_demo_holds(command: str, tmp_path: Path) -> None:
    run = called_in(ROOT)
    assert run(command, "-o", tmp_path / "out", "-q").code == 0
    told = verification(run, tmp_path / "out")
    assert changed(told) == {}
    assert told["scored_again"]
    before = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert run("verify", tmp_path / "out").out.endswith("it holds\n")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == before  # nothing is written


def test_whatever_changed_is_named(folder: Path, run: Run) -> None:
    (folder / "outs/other.csv").write_text("Idiom,Prediction\na,one\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0
    assert changed(verification(run, "out")) == {}
    (folder / "out/other_s_info.csv").write_text("gone wrong\n", encoding="utf-8")
    (folder / "out/problems.csv").unlink()
    told = verification(run, "out")
    assert changed(told) == {"outputs": ["problems.csv: changed or gone", "other_s_info.csv: changed or gone"]}
    assert told["scored_again"] == ["good"]
    (folder / "outs/good.csv").write_text("Idiom,Prediction\na,one\n", encoding="utf-8")
    (folder / "outs/late.csv").write_text("Idiom,Prediction\na,one\n", encoding="utf-8")
    told = verification(run, "out")
    assert changed(told)["inputs"] == ["good.csv: changed", "late.csv: new"]
    assert told["scored_again"] == []
    (folder / "outs/other.csv").unlink()
    (folder / "refs/r.csv").write_text("idiom,explanation\na,one\n", encoding="utf-8")
    found = changed(verification(run, "out"))
    assert found["inputs"] == ["other.csv: gone", "good.csv: changed", "late.csv: new"]
    assert found["references"] == ["r.csv: changed"]


def test_a_number_that_does_not_come_out_again_is_named(folder: Path, run: Run) -> None:
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0
    units, manifest = folder / "out/good_s_info.csv", folder / "out/manifest.json"
    lines = units.read_text("utf-8").splitlines()
    lines[2] = lines[2].rsplit(",", 1)[0] + ",0.25"
    units.write_text("\n".join(lines) + "\n", encoding="utf-8")
    record = json.loads(manifest.read_text("utf-8"))
    for entry in record["outputs"]:
        if entry["file"] == units.name:
            entry["sha256"] = sha256(units)
    manifest.write_text(json.dumps(record), encoding="utf-8")
    (difference,) = changed(verification(run, "out"))["scored again"]
    assert difference.startswith("good: good_s_info.csv line 3, S_Info: 0.25, now 0.")
    record["version"] = "0.0.1"
    record["signature"] = record["signature"].replace("tok:auto", "tok:chars")
    manifest.write_text(json.dumps(record), encoding="utf-8")
    found = changed(verification(run, "out"))
    assert found["version"][0].startswith("0.0.1 made the results, this is ")
    assert found["signature"] == ["tok:chars: not any more", "tok:auto: new"]


def test_inputs_that_are_gone_are_said_and_no_error(folder: Path, run: Run) -> None:
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0
    for path in (folder / "outs").iterdir():
        path.unlink()
    (folder / "outs").rmdir()
    done = run("verify", "out")
    assert done.code == 10
    assert "outs: no such file or folder" in done.out


def test_the_sample_is_as_large_as_was_asked_for(folder: Path, run: Run) -> None:
    for number in range(6):
        (folder / f"outs/m{number}.csv").write_text("Idiom,Prediction\na,one two\nb,four\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0
    assert len(verification(run, "out", "--rows", "4")["scored_again"]) == 2
    assert len(verification(run, "out", "--rows", "0")["scored_again"]) == 1
    assert len(verification(run, "out")["scored_again"]) == 7
    drawn = {tuple(verification(run, "out", "--rows", "4", "--seed", str(seed))["scored_again"]) for seed in range(6)}
    assert len(drawn) > 1


def test_results_made_in_python_say_that_nothing_can_be_read_again(tmp_path: Path, run: Run) -> None:
    import pandas as pd

    import scoresheet

    frame = pd.DataFrame({"id": ["a"], "text": ["rain falls on the roof"]})
    scoresheet.score("entropy", frame).write(tmp_path / "out")
    done = run("verify", "out")
    assert done.code == 10
    assert "made from tables in Python" in done.out
    assert run("explain", "out", "--row", "2").code == 2


@pytest.mark.patched
@pytest.mark.usefixtures("folder")
def test_a_model_that_cannot_be_scored_any_more_does_not_hold(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0

    def failing(*_: object) -> None:
        raise ValueError("no more")

    monkeypatch.setattr(verifying, "score_model", failing)
    told = changed(verification(run, "out"))
    (said,) = told["scored again"]
    assert said.startswith("good: ")
    assert "ValueError: no more" in said


@pytest.mark.patched
@pytest.mark.usefixtures("folder")
def test_a_table_of_fewer_lines_is_said_by_its_size(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("sinfo", "outs", "refs", "-o", "out").code == 0

    def shorter(plan: Any, *rest: Any) -> Any:
        outcome = score_model(plan, *rest)
        table = plan.stage / "good_s_info.csv"
        table.write_text("".join(table.read_text("utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
        return outcome

    monkeypatch.setattr(verifying, "score_model", shorter)
    (said,) = changed(verification(run, "out"))["scored again"]
    assert said.startswith("good: good_s_info.csv: ")
    assert " lines of " in said
