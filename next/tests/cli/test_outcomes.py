"""How runs end: exit codes, statuses, what is kept and what is said."""

import gzip
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from filelock import FileLock

from .conftest import Study

RESULTS = "results/information_density"
SCORESHEET = str(Path(sys.executable).with_name("scoresheet"))


def bomb() -> bytes:
    """Return a small xlsx with a cell in the last row and column, which aborts the reader."""
    import io

    content = io.BytesIO()
    frame = pd.DataFrame({"Idiom": ["x"], "Prediction": ["y"]})
    frame.to_excel(content, index=False)
    changed = io.BytesIO()
    with zipfile.ZipFile(content) as old, zipfile.ZipFile(changed, "w") as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename == "xl/worksheets/sheet1.xml":
                cell = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
                data = data.replace(b"</sheetData>", cell)
            new.writestr(item, data)
    return changed.getvalue()


BAD_FILES: dict[str, tuple[str, bytes, str]] = {
    "not a workbook": ("bad.xlsx", b"PK\x03\x04 not a zip", "cannot be read"),
    "a reader's bomb": ("bad.xlsx", bomb(), "bad.xlsx"),
    "extra fields": ("bad.csv", b"Idiom,Prediction\na,b,c\n", "line 2"),
    "not utf-8": ("bad.csv", b"Idiom,Prediction\na,caf\xe9 au lait\n", "--encoding"),
    "no prediction": ("bad.csv", b"Idiom,Remark\na,b\n", "no column for prediction"),
    "empty": ("bad.csv", b"", "bad.csv"),
    "deep json": ("bad.json", b"[" * 100_000, "bad.json"),
    "repeated keys": ("bad.csv", b"Idiom,Prediction\nidiom 1,x\nidiom 1,y\n", "more than once"),
    "duplicate headers": ("bad.csv", b"Idiom,Prediction,Prediction\na,b,c\n", "Prediction"),
    "expands a thousandfold": ("bad.csv.gz", gzip.compress(b"\n" * 200_000_000), "bad.csv.gz"),
}


def reports_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.glob("m*_s_info.*")}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_file_costs_only_itself(two_models: Study, kind: str) -> None:
    name, content, says = BAD_FILES[kind]
    good = (two_models.folder / "runs/close.csv").read_bytes()
    for number in range(19):
        two_models.text(f"many/m{number:02}.csv", good)
    assert two_models.run("sinfo", "many", "refs", "--no-workbooks").code == 0
    expected = reports_of(two_models.folder / RESULTS)
    two_models.text(f"many/{name}", content)
    result = two_models.run("sinfo", "many", "refs", "--no-workbooks")
    assert result.code == 3, result.err
    assert says in result.text
    assert reports_of(two_models.folder / RESULTS) == expected
    assert two_models.results().loc["bad", "Status"] == "failed"
    assert "exit 3: reports are written, 1 of 20 models was skipped" in result.text


def test_a_model_that_hangs_ends_at_its_time_limit(two_models: Study) -> None:
    good = (two_models.folder / "runs/close.csv").read_bytes()
    for number in range(19):
        two_models.text(f"many/m{number:02}.csv", good)
    # short sentences of few words are the worst case of ROUGE-L: about a minute
    endless = "a b c. b d a. " * 10_000
    two_models.csv("refs/more.csv", "idiom,explanation", [["endless", endless]])
    two_models.run("sinfo", "many", "refs", "--no-workbooks")
    expected = reports_of(two_models.folder / RESULTS)
    two_models.csv("many/slow.csv", "Idiom,Prediction", [["endless", endless + "a"]])
    result = two_models.run("sinfo", "many", "refs", "--timeout", "3", "--no-workbooks")
    assert result.code == 3, result.err
    assert "--timeout" in result.text
    assert reports_of(two_models.folder / RESULTS) == expected


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["sinfo", "nowhere"], 2, "no file or folder nowhere"),
        (["sinfo", "runs"], 2, "no column for reference"),
        (["sinfo", "runs", "refs", "--column", "x=y"], 2, "x is not a role"),
        (["sinfo", "runs", "refs", "--column", "prediction=Predicton"], 2, "Predicton"),
        (["sinfo", "runs", "refs", "--accept", "all"], 2, "--accept all: it is one of"),
        (["sinfo", "runs", "refs", "--against", "nobody"], 2, "no such model"),
        (["sinfo", "runs", "refs", "--ci", "95"], 2, "between 0 and 1"),
        (["sinfo", "runs", "refs", "--by", "topic"], 2, "no column topic for --by"),
        (["sinfo", "runs", "refs", "--language", "xx"], 2, "unknown language"),
        (["sinfo", "runs", "refs", "--where", "Idiom"], 2, "COLUMN OP VALUE"),
        (["sinfo", "runs", "refs", "--rouge", "best"], 2, "rouge"),
        (["sinfo", "runs", "runs"], 2, "no column for reference"),
        (["sinfo", "runs", "refs", "--max-file-mb", "0"], 2, "--max-file-mb"),
        (["check", "sinfa"], 2, "did you mean sinfo"),
        (["check", "scores", "runs", "refs"], 2, "reads no references"),
    ],
)
def test_wrong_usage_is_exit_2_and_nothing_is_written(
    two_models: Study, arguments: list[str], code: int, says: str
) -> None:
    result = two_models.run(*arguments)
    assert (result.code, says in result.text) == (code, True), result.err
    assert not list(two_models.folder.glob("results/*/*.csv"))


def test_a_run_without_a_score_leaves_old_reports(two_models: Study) -> None:
    two_models.run("sinfo", "runs", "refs")
    old = reports_of(two_models.folder / RESULTS)
    for name in ("close", "far"):
        two_models.text(f"runs/{name}.csv", b"Idiom,Prediction\nidiom 1,...\n")
    result = two_models.run("sinfo", "runs", "refs")
    assert result.code == 4
    assert reports_of(two_models.folder / RESULTS) == old


def test_reports_of_failed_models_stay_and_of_removed_ones_go(two_models: Study) -> None:
    two_models.run("sinfo", "runs", "refs")
    two_models.text("runs/far.csv", b"\xff\xfe\x00")
    assert two_models.run("sinfo", "runs", "refs").code == 3
    assert (two_models.folder / RESULTS / "far_s_info.csv").exists()
    (two_models.folder / "runs/far.csv").unlink()
    assert two_models.run("sinfo", "runs", "refs").code == 0
    assert not (two_models.folder / RESULTS / "far_s_info.csv").exists()


def test_files_of_others_are_not_touched(two_models: Study) -> None:
    foreign = two_models.text(f"{RESULTS}/s_info_results.csv", "mine")
    result = two_models.run("sinfo", "runs", "refs")
    assert result.code == 2
    assert "s_info_results.csv" in result.text
    assert foreign.read_text() == "mine"


def test_a_results_folder_belongs_to_one_command(two_models: Study) -> None:
    two_models.run("sinfo", "runs", "refs", "-o", "out")
    two_models.csv("s.csv", "item,score", [["a", 1], ["b", 2]])
    result = two_models.run("scores", "s.csv", "-o", "out")
    assert result.code == 2
    assert "sinfo" in result.text


def test_an_input_is_never_written_over(two_models: Study) -> None:
    result = two_models.run("sinfo", "runs", "refs", "-o", "runs")
    assert result.code in (0, 2)
    assert (two_models.folder / "runs/close.csv").read_text().startswith("Idiom,Prediction")


def test_another_run_in_the_folder_is_exit_75(two_models: Study) -> None:
    two_models.run("sinfo", "runs", "refs")
    (lock,) = (two_models.folder / RESULTS).glob(".*lock")
    with FileLock(lock):
        command = [SCORESHEET, "sinfo", "runs", "refs", "--wait", "0.1"]
        assert subprocess.run(command, check=False, capture_output=True).returncode == 75


def test_strict_does_not_let_a_guess_pass(two_models: Study) -> None:
    assert two_models.run("sinfo", "runs", "refs", "--strict").code == 0
    frame = pd.read_csv(two_models.folder / "runs/far.csv")
    frame.rename(columns={"Prediction": "output"}).assign(seed=1).to_csv(
        two_models.folder / "runs/far.csv", index=False
    )
    assert two_models.run("sinfo", "runs", "refs").code == 0
    strict = two_models.run("sinfo", "runs", "refs", "--strict", "-v")
    assert strict.code == 3
    assert "prediction was read from output" in strict.text
    assert "column seed is not used" in strict.text
    said = ["--column", "prediction=output", "--column", "prediction=Prediction"]
    ignored = ["--column", "ignore=seed"]
    assert two_models.run("sinfo", "runs", "refs", "--strict", *said, *ignored).code == 0


def test_a_column_that_is_gone_since_the_last_run_is_reported(two_models: Study) -> None:
    rows = [[f"idiom {n}", "say it again", "topic"] for n in range(8)]
    two_models.csv("out.csv", "id,output,topic", rows)
    two_models.run("sinfo", "out.csv", "refs", "--column", "cluster=topic")
    two_models.csv("out.csv", "id,reply", [row[:2] for row in rows])
    result = two_models.run("sinfo", "out.csv", "refs", "--column", "prediction=reply")
    assert "the last run read prediction from output" in result.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_interrupted_run_leaves_old_reports(two_models: Study, number: int) -> None:
    two_models.run("sinfo", "runs", "refs")
    old = reports_of(two_models.folder / RESULTS)
    endless = "a b c. b d a. " * 10_000
    two_models.csv("refs/more.csv", "idiom,explanation", [["endless", endless]])
    two_models.csv("runs/slow.csv", "Idiom,Prediction", [["endless", endless + "a"]])
    process = subprocess.Popen([SCORESHEET, "sinfo", "runs", "refs"], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not list((two_models.folder / RESULTS).glob(".scoresheet-staging-*")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    assert process.wait(30) == 128 + number
    assert reports_of(two_models.folder / RESULTS) == old


def test_runs_that_are_killed_leave_whole_reports(two_models: Study) -> None:
    command = [SCORESHEET, "sinfo", "runs", "refs", "-q"]
    two_models.run("sinfo", "runs", "refs")
    folder = two_models.folder / RESULTS
    new = reports_of(folder)
    for moment in range(15):
        process = subprocess.Popen(command, start_new_session=True)
        time.sleep(0.1 + 0.06 * moment)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert reports_of(folder) == new
    assert two_models.run("sinfo", "runs", "refs").code == 0
    assert not list(folder.glob(".scoresheet-staging*"))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("--help", 0),
        ("sinfo --help", 0),
        ("sinfo runs refs --format json", 5),
        ("sinfo runs refs", 5),
    ],
)
def test_an_answer_that_cannot_be_written_is_exit_5(
    two_models: Study, arguments: str, code: int
) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [SCORESHEET, *arguments.split()], check=False, stdout=full, stderr=subprocess.DEVNULL
        )
    assert result.returncode in (code, 5)


def test_a_full_disk_is_exit_5_and_leaves_old_reports(two_models: Study) -> None:
    two_models.run("sinfo", "runs", "refs")
    old = reports_of(two_models.folder / RESULTS)
    for size in (1, 4):  # kilobytes that a file may have: for reading, for a workbook
        command = f"ulimit -f {size}; exec {SCORESHEET} sinfo runs refs"
        result = subprocess.run(["bash", "-c", command], check=False, capture_output=True)
        assert result.returncode == 5, result.stderr
    assert reports_of(two_models.folder / RESULTS) == old


def test_a_reader_that_stops_reading_is_not_an_error(two_models: Study) -> None:
    command = f"{SCORESHEET} sinfo --help | head -1; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
