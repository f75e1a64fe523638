"""How runs end: exit codes, statuses, what is kept and what is said."""

import gzip
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from .conftest import RESULTS, RUN, Study

SCORESHEET = str(Path(sys.executable).with_name("scoresheet"))
ENDLESS = "a b c. b d a. " * 10_000  # the worst case of ROUGE-L: about a minute

BAD_FILES: dict[str, tuple[bytes, str]] = {
    "zip.xlsx": (b"PK\x03\x04 not a zip", "cannot be read"),
    "fields.csv": (b"Idiom,Prediction\na,b,c\n", "line 2"),
    "latin.csv": (b"Idiom,Prediction\na,caf\xe9 au lait\n", "--encoding"),
    "remark.csv": (b"Idiom,Remark\na,b\n", "no column for prediction"),
    "empty.csv": (b"", "empty.csv"),
    "deep.json": (b"[" * 100_000, "deep.json"),
    "keys.csv": (b"Idiom,Prediction\nidiom 1,x\nidiom 1,y\n", "more than once"),
    "headers.csv": (b"Idiom,Prediction,Prediction\na,b,c\n", "Prediction"),
    "bomb.csv.gz": (gzip.compress(b"\n" * 200_000_000), "bomb.csv.gz"),
}


def reports_of(study: Study, names: str = "*_s_info.*") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (study.folder / RESULTS).glob(names)}


def run_before_a_slow_model(study: Study) -> dict[str, bytes]:
    """Return the reports of a run, to which a model is added that takes a minute."""
    study.csv("refs/more.csv", "idiom,explanation", [["endless", ENDLESS]])
    assert study.run(*RUN).code == 0
    study.csv("runs/slow.csv", "Idiom,Prediction", [["endless", ENDLESS + "a"]])
    return reports_of(study)


def test_bad_files_cost_only_themselves(two_models: Study) -> None:
    assert two_models.run(*RUN).code == 0
    expected = reports_of(two_models)
    for name, (content, _) in BAD_FILES.items():
        two_models.text(f"runs/{name}", content)
    result = two_models.run(*RUN, "-v")
    assert result.code == 3, result.err
    assert [says for _, says in BAD_FILES.values() if says not in result.text] == []
    assert reports_of(two_models) == expected
    assert set(two_models.results()["Status"]) == {"ok", "failed"}
    assert "exit 3: reports are written, 9 of 11 models were skipped" in result.text


def test_a_model_that_hangs_ends_at_its_time_limit(two_models: Study) -> None:
    run_before_a_slow_model(two_models)
    tables = reports_of(two_models, "*_s_info.csv")  # workbooks also count the other models
    result = two_models.run(*RUN, "--timeout", "3")
    assert (result.code, "--timeout" in result.text) == (3, True), result.err
    assert reports_of(two_models, "*_s_info.csv") == tables


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("sinfo nowhere", "no file or folder nowhere"),
        ("sinfo runs", "no column for reference"),
        ("sinfo runs refs --column prediction=Predicton", "Predicton"),
        ("sinfo runs refs --accept all", "--accept all: it is one of"),
        ("sinfo runs refs --against nobody", "no such model"),
        ("sinfo runs refs --ci 95", "between 0 and 1"),
        ("sinfo runs refs --by topic", "no column topic for --by"),
        ("sinfo runs refs --language xx", "unknown language"),
        ("sinfo runs refs --rouge best", "rouge"),
        ("sinfo runs refs --max-file-mb 0", "--max-file-mb"),
        ("check sinfa", "did you mean sinfo"),
        ("-- sinfo", "must be the first argument"),
        ("check scores runs refs", "reads no references"),
    ],
)
def test_wrong_usage_is_exit_2_and_nothing_is_written(
    two_models: Study, arguments: str, says: str
) -> None:
    before = sorted(two_models.folder.rglob("*.csv"))
    result = two_models.run(*arguments.split())
    assert (result.code, says in result.text) == (2, True), result.err
    assert sorted(two_models.folder.rglob("*.csv")) == before


def test_a_run_without_a_score_leaves_old_reports(two_models: Study) -> None:
    two_models.run(*RUN)
    old = reports_of(two_models)
    for name in ("close", "far"):
        two_models.text(f"runs/{name}.csv", "Idiom,Prediction\nidiom 1,...\n")
    assert two_models.run(*RUN).code == 4
    assert reports_of(two_models) == old


def test_reports_of_failed_models_stay_and_of_removed_ones_go(two_models: Study) -> None:
    two_models.run(*RUN)
    two_models.text("runs/far.csv", b"\xff\xfe\x00")
    assert two_models.run(*RUN).code == 3
    assert set(reports_of(two_models, "far*")) == {"far_s_info.csv", "far_s_info.xlsx"}
    assert two_models.results().loc["far", "Status"] == "failed"
    (two_models.folder / "runs/far.csv").unlink()
    assert two_models.run(*RUN).code == 0
    assert not reports_of(two_models, "far*")


def test_reports_are_never_read_as_models(two_models: Study) -> None:
    old = sorted((two_models.folder / "runs").iterdir())
    for outputs in ("runs", "runs/*.csv"):
        refused = two_models.run("sinfo", outputs, "refs", "-o", "runs", "--no-workbooks")
        assert (refused.code, "holds tables that this run reads" in refused.text) == (2, True)
    assert sorted((two_models.folder / "runs").iterdir()) == old
    for _ in range(2):  # the second run finds the reports of the first below the outputs
        assert two_models.run("sinfo", "runs", "refs", "-o", "runs/out", "--no-workbooks").code == 0
    assert set(two_models.results("runs/out").index) == {"close", "far"}


def test_another_run_in_the_folder_is_exit_75(two_models: Study) -> None:
    two_models.run(*RUN)
    (lock,) = (two_models.folder / RESULTS).glob(".*lock")
    with FileLock(lock):
        assert two_models.run(*RUN, "--wait", "0.1").code == 75


def test_strict_does_not_let_a_guess_pass(two_models: Study) -> None:
    path = two_models.folder / "runs/far.csv"
    two_models.text("runs/far.csv", path.read_text().replace("Prediction", "output"))
    assert two_models.run(*RUN).code == 0
    strict = two_models.run(*RUN, "--strict", "-v")
    assert (strict.code, "prediction was read from output" in strict.text) == (3, True)
    columns = ["--column", "prediction=output", "--column", "prediction=Prediction"]
    assert two_models.run(*RUN, "--strict", *columns).code == 0


def test_a_column_that_is_gone_since_the_last_run_is_reported(two_models: Study) -> None:
    rows = [[f"idiom {n}", "say it again", "topic"] for n in range(8)]
    two_models.csv("out.csv", "id,output,topic", rows)
    two_models.run("sinfo", "out.csv", "refs", "--column", "cluster=topic")
    two_models.csv("out.csv", "id,reply", [row[:2] for row in rows])
    result = two_models.run("sinfo", "out.csv", "refs", "--column", "prediction=reply")
    assert "the last run read prediction from output" in result.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_run_leaves_old_reports(two_models: Study, number: int) -> None:
    old = run_before_a_slow_model(two_models)
    process = subprocess.Popen([SCORESHEET, *RUN], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not list((two_models.folder / RESULTS).glob(".scoresheet-staging-*")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    assert process.wait(30) == (-number if number == signal.SIGKILL else 128 + number)
    assert reports_of(two_models) == old


@pytest.mark.parametrize(
    "arguments", ["--help", "sinfo runs refs --format json", "sinfo runs refs"]
)
def test_an_answer_that_cannot_be_written_is_exit_5(two_models: Study, arguments: str) -> None:
    with Path("/dev/full").open("w") as full:
        command = [SCORESHEET, *arguments.split()]
        assert subprocess.run(command, check=False, stdout=full).returncode == 5


def test_a_full_disk_is_exit_5_and_leaves_old_reports(two_models: Study) -> None:
    two_models.run("sinfo", "runs", "refs")
    old = reports_of(two_models)
    for size in (1, 4):  # kilobytes that a file may have: for reading, for a workbook
        command = f"ulimit -f {size}; exec {SCORESHEET} sinfo runs refs"
        result = subprocess.run(["bash", "-c", command], check=False, capture_output=True)
        assert result.returncode == 5, result.stderr
    assert reports_of(two_models) == old


def test_a_reader_that_stops_reading_is_not_an_error(two_models: Study) -> None:
    command = f"{SCORESHEET} sinfo --help | head -1; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
