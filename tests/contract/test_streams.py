"""What is printed where, and what if nobody can read it?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.files import digests, write_bytes
from tests.helpers.runs import COMMAND, SAID, Run, environment, forked, spawn
from tests.helpers.studies import ANSWERS, Place

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}
LONG = "a-model-with-a-name-that-is-much-longer-than-any-terminal-was-ever-wide-" * 2 + "v1.0"


def closed_stdout() -> None:
    """Let nobody read what this process prints."""
    reader, writer = os.pipe()
    os.close(reader)
    _print_to(writer)


def full_stdout() -> None:
    """Let what this process prints go to a device without room."""
    _print_to(os.open("/dev/full", os.O_WRONLY))


def _print_to(descriptor: int) -> None:
    os.dup2(descriptor, 1)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as Python opens it when it starts


def printed_to(stdout: Callable[[], None], root: Path, *options: str, anew: bool) -> tuple[int, str]:
    """Return the exit code and what is on stderr of a command with another stdout, forked or in an interpreter anew."""
    words = ("sinfo", "outs", "refs", *options)
    if anew:
        line = [*COMMAND, *words]
        done = subprocess.run(line, cwd=root, preexec_fn=stdout, stderr=subprocess.PIPE, timeout=60, check=False)
        return done.returncode, done.stderr.decode()
    with forked(root, *words, prepare=stdout) as child:
        child.join(60)
    return child.exitcode or 0, (root / SAID[1]).read_text("utf-8")


@pytest.mark.parametrize("options", [(), ("--json",), ("-v",), ("--dry-run",)])
def test_a_closed_stdout_changes_neither_reports_nor_exit_code(place: Place, options: tuple[str, ...]) -> None:
    place.references()
    place.model("m")
    place.model("n", ANSWERS | {"break the ice": ""})
    expected = place.score(*options)
    code, said = printed_to(closed_stdout, place.root, "-o", "again", *options, anew=not options)
    assert code == expected.code == 0
    assert digests(place.root / "again") == digests(place.res)
    for word in ("Traceback", "BrokenPipe", "Broken pipe", "Exception ignored"):
        assert word not in said


def test_stdout_and_stderr_that_do_not_exist_change_nothing(place: Place) -> None:
    place.references()
    place.model("m")
    words = f'exec "{COMMAND[0]}" -m scoresheet.cli sinfo outs refs -o res >&- 2>&-'
    assert subprocess.run(["sh", "-c", words], cwd=place.root, timeout=60, check=False).returncode == 0
    assert len(place.scores()) == 3


@pytest.mark.parametrize("options", [("--json",), ("--fail-if", "S_Info<1")], ids=" ".join)
def test_a_full_device_as_stdout_loses_no_report_and_is_74_before_any_gate(
    place: Place, options: tuple[str, ...]
) -> None:
    place.references()
    place.model("m")
    code, said = printed_to(full_stdout, place.root, "-o", "res", *options, anew="--json" in options)
    assert code == 74
    assert "the answer could not be printed" in said
    assert "Traceback" not in said
    assert len(place.scores()) == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"NO_COLOR": "1", "FORCE_COLOR": None},
        {"TERM": "dumb"},
        ASCII,
        {"HOME": None},
        {"HOME": "/nonexistent"},
        {"COLUMNS": "40"},
        {"COLUMNS": "1"},
    ],
    ids="-".join,
)
def test_a_bare_environment_changes_nothing(place: Place, changes: dict[str, str | None]) -> None:
    place.references({"爱不释手": "喜爱得舍不得放手", **ANSWERS})
    place.model("m", {"爱不释手": "喜爱得不想放手", "画蛇添足": "没有", **ANSWERS})
    assert place.score().code == 0
    ended = spawn(place.root, "-o", "again", "-v", **changes)
    assert ended.code == 0
    assert "Traceback" not in ended.err
    assert "\x1b" not in ended.out + ended.err
    assert f"{float(place.results()['m']['S_Info']):.3f}" in ended.out
    assert digests(place.root / "again") == digests(place.res)


def test_a_name_ascii_cannot_print_is_no_reason_to_stop(place: Place) -> None:
    place.references()
    place.model("模型")
    write_bytes(place.outs / "坏.xlsx", b"not a workbook")
    ended = spawn(place.root, "-o", "res", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert ended.code == 3
    assert "Traceback" not in ended.err
    assert place.workbook("模型").exists()
    assert "模型" in place.results()


def test_a_name_that_python_cannot_decode_is_written_out_and_reported(place: Place) -> None:
    place.references()
    place.model("模型")
    ended = spawn(place.root, "-o", "res", **ASCII)
    assert ended.code == 0
    assert "Traceback" not in ended.err
    (model,) = place.results()
    assert model.startswith("\\udce6")
    assert len(list(place.res.glob("*_s_info.xlsx"))) == 1


@pytest.mark.parametrize("name", [LONG, "[red]m", "[bold]m[not]", "a  b", "模型" * 30, ":smile:", "\\[x]"])
def test_names_are_printed_as_they_are_on_a_narrow_terminal(
    place: Place, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    place.references()
    place.model(name)
    write_bytes(place.outs / f"{name}-bad.xlsx", b"not a workbook")
    ended = place.score()
    assert ended.code == 3
    assert any(name in line for line in ended.out.splitlines())
    assert any(f"outs/{name}-bad.xlsx" in line for line in ended.err.splitlines())


def test_the_answer_is_on_stdout_and_problems_are_on_stderr(place: Place) -> None:
    place.references()
    place.model("good")
    write_bytes(place.outs / "bad.xlsx", b"not a workbook")
    ended = place.score()
    assert "good" in ended.out
    assert "bad.xlsx" in ended.err
    assert "bad.xlsx" not in ended.out


def test_colour_is_off_where_stdout_is_no_terminal(place: Place) -> None:
    place.references()
    place.model("m")
    ended = spawn(place.root, "-o", "res", TERM="xterm-256color", NO_COLOR=None)
    assert "\x1b" not in ended.out + ended.err


def test_json_is_readable_in_ascii(place: Place) -> None:
    place.references()
    place.model("模型")
    ended = spawn(place.root, "-o", "res", "--json", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert ended.code == 0
    assert "模型" in json.dumps(json.loads(ended.out), ensure_ascii=False)


def test_python_dash_m_and_the_environment_need_no_writable_home() -> None:
    done = subprocess.run(
        [*COMMAND, "--version"],
        env=environment(HOME="/nonexistent"),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert b"0.1.0" in done.stdout
    assert done.stderr == b""


@pytest.mark.parametrize("arguments", [["--dry-run"], []])
def test_nobody_is_sent_to_a_file_that_was_not_written(arguments: list[str], run: Run, folder: Path) -> None:
    (folder / "refs/r.csv").write_text("idiom,explanation\nz,nothing\n", encoding="utf-8")
    done = run("sinfo", "outs", "refs", "-o", "res", *arguments)
    assert done.code == 4
    assert "problems.csv" not in done.err


def test_a_json_dry_run_says_that_it_was_one(run: Run, folder: Path) -> None:
    answer = json.loads(run("sinfo", "outs", "refs", "-o", "res", "--json", "--dry-run").out)
    assert answer["dry_run"] is True
    assert answer["files"] == []
    assert not (folder / "res").exists()


def test_json_is_printed_even_when_there_is_nothing_to_score(run: Run, folder: Path) -> None:
    (folder / "empty").mkdir()
    done = run("sinfo", "empty", "refs", "--json")
    assert done.code == 4
    assert json.loads(done.out)["exit_code"] == 4
