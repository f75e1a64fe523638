"""One bad thing among good ones: it is named, and the good ones are scored."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from scoresheet.cli.input.formats.by_extension import read_file
from scoresheet.cli.input.join import collect_references
from scoresheet.cli.run import model_worker as model
from scoresheet.cli.run import side_tables as references
from scoresheet.cli.run.model_reports import write_model
from scoresheet.metrics.core import Sheet
from tests.conftest import Run

GOOD = "Idiom,Prediction\na,one two\nb,four five\n"


def _statuses(study: Path) -> dict[str, str]:
    with (study / "res/s_info_results.csv").open(encoding="utf-8") as stream:
        return {line["Model Name"]: line["Status"] for line in csv.DictReader(stream)}


def _problems(study: Path) -> list[dict[str, str]]:
    with (study / "res/problems.csv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_a_file_that_cannot_be_opened_costs_only_itself(run: Run, study: Path) -> None:
    (study / "outs/bad.csv").symlink_to("/proc/self/mem")  # a regular file that no one can read from its start
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert done.code == 3
    assert _statuses(study) == {"bad": "failed", "good": "ok"}


@pytest.mark.parametrize("text", ["a" + "\n" * 12_000 + "b", "\n".join("word" * 30 for _ in range(3000))])
def test_an_answer_of_very_many_lines_is_scored(text: str, run: Run, study: Path) -> None:
    with (study / "outs/long.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["Idiom", "Prediction"], ["a", text]])
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0


@pytest.mark.parametrize("name", ["' 'x", "x' ' '", "'", " '' ", "a\u3000'"])
def test_no_name_of_a_sheet_ends_a_run(name: str, run: Run, study: Path) -> None:
    rows = [["Sheet", "Idiom", "Prediction"], [name, "a", "one"], ["other", "a", "one"]]
    with (study / "outs/odd.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_file_name_that_is_no_text_is_written_out(run: Run, study: Path) -> None:
    (study / "outs/m").mkdir()
    Path(os.fsdecode(os.fsencode(study / "outs/m") + b"/p\xff.csv")).write_text(GOOD, encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0
    assert "S_Info: p\\udcff" in [
        cell.value for cell in openpyxl.load_workbook(study / "res/s_info_results.xlsx")["Models"][1]
    ]


def test_with_missing_zero_and_no_usable_reference_nothing_is_scored(run: Run, study: Path) -> None:
    (study / "refs/r.csv").write_text("foo,bar\n1,2\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res", "--missing", "zero").code == 4
    assert not (study / "res").exists()


@pytest.mark.parametrize("pattern", ["run1/*", "run1/perm*", "*perm*"])
def test_patterns_see_the_names_that_reports_show(pattern: str, run: Run, study: Path) -> None:
    (study / "outs/m").mkdir()
    book = openpyxl.Workbook()
    book.active.title = "perm"  # type: ignore[union-attr]
    for row in (["Idiom", "Prediction"], ["a", "one two"]):
        book.active.append(row)  # type: ignore[union-attr]
    book.create_sheet("notes").append(["no", "columns"])
    book.save(study / "outs/m/run1.xlsx")
    assert run("sinfo", "outs", "refs", "-o", "res", "--sheet", pattern, "--skip-sheet", "*notes").code == 0
    assert _statuses(study)["m"] == "ok"


def test_the_file_that_killed_a_worker_is_the_one_named(run: Run, study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (study / "outs/m").mkdir()
    for name in "abc":
        (study / f"outs/m/{name}.csv").write_text(GOOD, encoding="utf-8")
    original = read_file

    def deadly(path: Path, rules: object) -> object:
        if path.name == "b.csv":
            os._exit(9)
        return original(path, rules)  # type: ignore[arg-type]

    monkeypatch.setattr(model, "read_file", deadly)
    assert run("sinfo", "outs", "refs", "-o", "res").code == 3
    (problem,) = [line for line in _problems(study) if line["kind"] == "worker-died"]
    assert problem["file"] == "m/b.csv"


def test_a_bug_in_scoring_one_model_is_reported_and_the_others_are_written(
    run: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (study / "outs/cursed.csv").write_text(GOOD, encoding="utf-8")
    original = write_model

    def failing(plan: object, outcome: object, details: object) -> object:
        if outcome.report.model == "cursed":  # type: ignore[attr-defined]
            raise ZeroDivisionError("of the test")
        return original(plan, outcome, details)  # type: ignore[arg-type]

    monkeypatch.setattr(model, "write_model", failing)
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert done.code == 1
    assert "ZeroDivisionError: of the test" in done.err
    assert "This is a bug in scoresheet" in done.err
    assert _statuses(study) == {"cursed": "failed", "good": "ok"}


def test_a_bug_in_reading_a_reference_is_reported_as_one(
    run: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (study / "refs/cursed.csv").write_text("idiom,explanation\nc,x\n", encoding="utf-8")
    original = collect_references

    def failing(sheets: list[Sheet], *rest: Any) -> Any:
        if sheets and sheets[0].source == "cursed.csv":
            raise ZeroDivisionError("of the test")
        return original(sheets, *rest)

    monkeypatch.setattr(references, "collect_references", failing)
    done = run("sinfo", "outs", "refs", "-o", "res")
    assert done.code == 1
    assert "ZeroDivisionError: of the test" in done.err
    assert _statuses(study) == {"good": "ok"}


def test_pruning_spares_the_last_report_of_a_model_that_failed_this_time(run: Run, study: Path) -> None:
    (study / "outs/m.csv").write_text(GOOD, encoding="utf-8")
    run("sinfo", "outs", "refs", "-o", "res")
    (study / "outs/m.csv").write_bytes(b"\xff\xff\x00")
    assert run("sinfo", "outs", "refs", "-o", "res", "--prune").code == 3
    assert (study / "res/m_s_info.xlsx").exists()


def test_jsonl_keeps_nested_values_and_refuses_a_key_twice(run: Run, study: Path) -> None:
    (study / "outs/n.jsonl").write_text('{"Idiom": "a", "Prediction": ["one", 2.50, {"x": true}]}\n', encoding="utf-8")
    (study / "outs/twice.jsonl").write_text('{"Idiom": "a", "Prediction": "x", "Prediction": "y"}\n', encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res").code == 3
    sheet = openpyxl.load_workbook(study / "res/n_s_info.xlsx")["Sheet1"]
    assert sheet["C2"].value == '["one", 2.50, {"x": true}]'
    assert _statuses(study)["twice"] == "failed"


def test_both_readers_read_an_escaped_character_alike(run: Run, study: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(study / "outs/x.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Idiom", "Prediction"])
        sheet.write_row(1, 0, ["a", "one\rtwo"])
    texts = []
    for reader in ("calamine", "openpyxl"):
        assert run("sinfo", "outs", "refs", "-o", "res", "--reader", reader).code == 0
        texts.append((study / "res/x_s_info.csv").read_text(encoding="utf-8"))
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "arguments",
    [["x" * 300, "refs"], ["outs", "y" * 300], ["outs", "refs", "--wait", "nan"], ["outs", "refs", "-o", ""]],
)
@pytest.mark.usefixtures("study")
def test_odd_arguments_are_usage_errors(arguments: list[str], run: Run) -> None:
    done = run("sinfo", *arguments)
    assert done.code == 2
    assert "Traceback" not in done.err


@pytest.mark.usefixtures("study")
def test_an_out_path_that_is_too_long_cannot_be_written(run: Run) -> None:
    assert run("sinfo", "outs", "refs", "-o", "z" * 300).code == 5


def test_a_header_alone_with_a_sheet_column_is_listed(run: Run, study: Path) -> None:
    (study / "outs/h.csv").write_text("Sheet,Idiom,Prediction\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0
    assert "no-rows" in {line["kind"] for line in _problems(study) if line["file"] == "h.csv"}


def test_what_changes_the_reading_is_in_the_signature(run: Run, study: Path) -> None:
    run("sinfo", "outs", "refs", "-o", "res", "--limit", "1", "--sheet", "S*", "--column", "Prediction=prediction")
    signature = json.loads((study / "res/manifest.json").read_text(encoding="utf-8"))["signature"]
    assert signature.endswith("|sheet:S*|column:Prediction=prediction|limit:1")


def test_json_is_printed_even_when_there_is_nothing_to_score(run: Run, study: Path) -> None:
    (study / "empty").mkdir()
    done = run("sinfo", "empty", "refs", "--json")
    assert done.code == 4
    assert json.loads(done.out)["exit_code"] == 4


def test_the_sides_of_a_join_may_name_their_key_differently(run: Run, study: Path) -> None:
    (study / "outs/good.csv").write_text("qid,Prediction\na,one two\n", encoding="utf-8")
    (study / "refs/r.csv").write_text("term,explanation\na,one two three\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res", "--column", "Idiom=qid", "--column", "idiom=term").code == 0


def test_nohup_is_respected(study: Path) -> None:
    rows = "".join(f"i{number},{'word ' * 150}\n" for number in range(3000))
    (study / "outs/good.csv").write_text("Idiom,Prediction\n" + rows, encoding="utf-8")
    (study / "refs/r.csv").write_text("idiom,explanation\n" + rows, encoding="utf-8")
    command = [sys.executable, "-m", "scoresheet.cli", "sinfo", "outs", "refs", "-o", "res", "-q"]
    process = subprocess.Popen(
        command,
        cwd=study,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),  # noqa: PLW1509
    )
    time.sleep(0.7)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=60) == 0


def test_a_signal_at_any_moment_leaves_whole_reports_and_no_stage(study: Path) -> None:
    command = [sys.executable, "-m", "scoresheet.cli", "sinfo", "outs", "refs", "-o", "res", "-q"]
    started = time.monotonic()
    subprocess.run(command, cwd=study, check=True)
    usual = time.monotonic() - started  # the moments are shares of this, whatever the machine
    before = {path.name: path.read_bytes() for path in (study / "res").iterdir() if path.name != "manifest.json"}
    codes = set()
    for step in range(16):
        process = subprocess.Popen(command, cwd=study, start_new_session=True, stderr=subprocess.PIPE)
        time.sleep(usual * (0.35 + step * 0.04))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM if step % 2 else signal.SIGINT)
        _, said = process.communicate(timeout=60)
        codes.add(process.returncode)
        assert process.returncode in (0, 130, 143, -signal.SIGINT, -signal.SIGTERM), said
        after = {path.name: path.read_bytes() for path in (study / "res").iterdir() if path.name != "manifest.json"}
        assert {name: data for name, data in after.items() if not name.startswith(".")} == before
        if process.returncode >= 0:
            assert not [name for name in after if name.startswith(".scoresheet-stage")]
    assert codes & {130, 143}, "no signal came while the tool was at work"
