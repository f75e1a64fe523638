"""Whose is a results folder, and what does a run do in one that is not its own?"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from scoresheet.cli.run import ownership
from tests.helpers.files import digests, header, snapshot, write_bytes, write_csv
from tests.helpers.runs import MANIFEST, forked, held_lock, spawn
from tests.helpers.studies import Place

MARK = ".scoresheet-command"
DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture
def ready(place: Place) -> Place:
    """A model and its references, not scored yet."""
    place.references()
    place.model("m")
    return place


# --- another command's, another tool's, the user's own ---------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--prune",), ("--dry-run",), ("--wait", "1")], ids=" ".join)
def test_a_run_into_another_commands_folder_is_a_usage_error_and_touches_nothing(
    ready: Place, options: tuple[str, ...]
) -> None:
    assert ready.run("entropy", "outs", "-o", "res").code == 0
    before = snapshot(ready.res)
    ended = ready.score(*options)
    assert ended.code == 2
    assert "scoresheet entropy" in ended.err
    assert "-o" in ended.err
    assert snapshot(ready.res) == before


def test_a_program_that_waits_for_json_is_told_so_too(ready: Place) -> None:
    assert ready.run("entropy", "outs", "-o", "res").code == 0
    told = json.loads(ready.score("--json").out)
    assert told["exit_code"] == 2
    assert "scoresheet entropy" in told["error"]


@pytest.mark.parametrize(
    "content",
    [
        b'{"name": "my extension", "version": 3}',
        b'{"tool": "bundler", "command": "sinfo", "outputs": []}',
        b'{"tool": "scoresheet"}',
        b'{"tool": "scoresheet", "command": "sinfo", "outputs": [{"sha256": "00"}]}',
        b'{"tool": "scoresheet", "command": "sinfo", "outputs": [{"file": 3}]}',
        b'["scoresheet"]',
        b'{"tool": "scoresheet", "command": "sinfo", "outp',
        b"",
        b"\xff\xfe\x00",
        b"[" * 200_000,
    ],
    ids=[
        "no tool",
        "another tool",
        "no command",
        "no name",
        "no text for a name",
        "a list",
        "half",
        "empty",
        "no text",
        "nested",
    ],
)
def test_a_folder_with_a_manifest_that_is_not_ours_is_refused_and_touched_by_nothing(
    ready: Place, content: bytes
) -> None:
    write_bytes(ready.res / MANIFEST, content)
    before = snapshot(ready.res)
    ended = ready.score()
    assert ended.code == 2
    assert f"res/{MANIFEST}" in ended.err
    assert "-o" in ended.err
    assert snapshot(ready.res) == before


def test_a_pipe_or_an_endless_file_in_the_manifests_place_is_refused(ready: Place) -> None:
    ready.res.mkdir()
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()):
        make(ready.res / MANIFEST)
        before = snapshot(ready.res)
        assert spawn(ready.root, "-o", "res").code == 2
        assert snapshot(ready.res) == before
        if (ready.res / MANIFEST).is_dir():
            (ready.res / MANIFEST).rmdir()
        else:
            (ready.res / MANIFEST).unlink()


@pytest.mark.parametrize("name", ["metrics.json", "problems.csv", "s_info_results.csv", "m_s_info.xlsx"])
def test_a_users_own_file_is_never_replaced(ready: Place, name: str) -> None:
    write_bytes(ready.res / name, b"mine")
    before = snapshot(ready.res)
    for options in ((), ("--prune",), ("--dry-run",)):
        ended = ready.score(*options)
        assert ended.code == 2
        assert f"res/{name}" in ended.err
        assert "-o" in ended.err
        assert snapshot(ready.res) == before


def test_a_users_own_link_is_never_replaced_wherever_it_leads(ready: Place) -> None:
    ready.res.mkdir()
    (ready.res / "metrics.json").symlink_to("nowhere")
    before = snapshot(ready.res)
    assert ready.score().code == 2
    assert snapshot(ready.res) == before


def test_a_users_own_file_with_the_name_of_a_new_models_report_is_never_replaced(ready: Place) -> None:
    assert ready.score().code == 0
    write_bytes(ready.res / "n_s_info.csv", b"mine")
    ready.model("n")
    before = snapshot(ready.res)
    ended = ready.score()
    assert ended.code == 2
    assert "res/n_s_info.csv" in ended.err
    assert snapshot(ready.res) == before


def test_a_users_own_file_with_a_name_that_only_scoring_tells_is_never_replaced(ready: Place) -> None:
    write_csv(ready.outs / "m.csv", [("sample", "label", "a", "b"), ("s1", "x", "x", "y"), ("s2", "y", "y", "y")])
    write_bytes(ready.res / "m_collective_emergence.svg", b"mine")
    before = snapshot(ready.res)
    ended = ready.run("collective", "outs", "-o", "res")
    assert ended.code == 2
    assert "m_collective_emergence.svg" in ended.err
    assert snapshot(ready.res) == before


def test_a_folder_that_became_anothers_while_a_run_waited_for_it_is_refused(ready: Place) -> None:
    def taken(stream: IO[str]) -> None:
        write_bytes(ready.res / MANIFEST, b'{"name": "my extension"}')
        stream.close()

    with held_lock(ready.res) as holder:
        assert holder.stdin is not None
        release = threading.Timer(1.0, taken, [holder.stdin])
        release.start()
        ended = ready.score("--wait", "60")
        release.join()
    assert ended.code == 2
    assert snapshot(ready.res) == {MANIFEST: b'{"name": "my extension"}'}


def test_files_that_a_run_does_not_need_the_names_of_are_no_hindrance(ready: Place) -> None:
    mine = {"notes.txt": b"mine", "x_s_info.csv": b"mine", "m_entropy.csv": b"mine", ".hidden": b"mine"}
    for name, content in mine.items():
        write_bytes(ready.res / name, content)
    assert ready.score().code == 0
    assert ready.score("--prune").code == 0
    assert {name: (ready.res / name).read_bytes() for name in mine} == mine


def test_a_report_that_the_user_changed_is_replaced_by_the_next_run(ready: Place) -> None:
    assert ready.score().code == 0
    before = digests(ready.res)
    write_bytes(ready.res / "m_s_info.xlsx", b"saved by a spreadsheet program")
    assert ready.score().code == 0
    assert digests(ready.res) == before


def test_a_report_that_is_left_may_be_made_again(ready: Place) -> None:
    ready.model("n")
    assert ready.score().code == 0
    before = digests(ready.res)
    (ready.outs / "n.csv").unlink()
    assert ready.score().code == 0
    ready.model("n")
    assert ready.score().code == 0
    assert digests(ready.res) == before


# --- what outlives an interruption; a kill at each step: tests/soak --------------------------------------------------


def kill_at(fatal: int) -> Callable[[], None]:
    """What makes a process kill itself just before this one of its removals and replacements."""

    def prepare() -> None:
        calls = itertools.count(1)

        def deadly(original: Callable[..., object]) -> Callable[..., object]:
            def called(*arguments: object, **keywords: object) -> object:
                if next(calls) == fatal:
                    os.kill(os.getpid(), signal.SIGKILL)
                return original(*arguments, **keywords)

            return called

        os.replace = deadly(os.replace)  # type: ignore[assignment]
        Path.unlink = deadly(Path.unlink)  # type: ignore[method-assign,assignment]

    return prepare


def killed_at(place: Place, call: int) -> bool:
    """Whether a run was killed just before this one of its removals and replacements."""
    with forked(place.root, "sinfo", "outs", "refs", "-o", "res", "-j", "1", prepare=kill_at(call)) as child:
        child.join(60)
        assert not child.is_alive(), "it hangs"
    return child.exitcode == -signal.SIGKILL


def test_a_folder_whose_run_was_killed_holds_no_models(ready: Place) -> None:
    assert killed_at(ready, 4)
    assert (ready.res / MARK).exists()
    shutil.move(ready.res, ready.outs / "res")
    ended = ready.score("-v")
    assert ended.code == 0
    assert list(ready.results()) == ["m"]
    assert "the results of an earlier run" in ended.err


def test_a_run_that_ends_well_leaves_no_mark(ready: Place) -> None:
    for _ in range(2):
        assert ready.score().code == 0
        assert [path.name for path in ready.res.iterdir() if path.name.startswith(".")] == []


def test_a_manifest_that_make_deleted_after_a_partial_run_does_not_lock_the_command_out(ready: Place) -> None:
    write_bytes(ready.outs / "bad.xlsx", b"not a workbook")
    for answer in ("one", "two", "three"):
        ready.model("m", {"break the ice": answer})
        assert ready.score().code == 3
        (ready.res / MANIFEST).unlink()  # as make does with the target of a recipe that fails
    mark = json.loads((ready.res / MARK).read_text("utf-8"))
    names = [each["file"] for each in (*mark["outputs"], *mark["left"])]
    assert len(names) == len(set(names)), "it grows from run to run"
    assert ready.run("entropy", "outs", "-o", "res").code == 2
    (ready.outs / "bad.xlsx").unlink()
    assert ready.score().code == 0
    assert not (ready.res / MARK).exists()


@pytest.mark.parametrize("content", [b"", b"{}", b'{"tool": "scoresheet", "command": "entropy", "outputs": []}'])
def test_a_mark_that_is_not_this_commands_is_refused(ready: Place, content: bytes) -> None:
    write_bytes(ready.res / MARK, content)
    before = snapshot(ready.res)
    assert ready.score().code == 2
    assert snapshot(ready.res) == before


# --- SCORESHEET_OUT --------------------------------------------------------------------------------------------------

FOLDERS = {
    "sinfo": "information_density",
    "mode-collapse": "mode_collapse",
    "diversity": "diversity",
    "disagree": "disagreement",
    "entropy": "entropy",
    "collective": "collective",
}


def test_with_a_folder_for_all_results_each_command_has_its_own_below_it(
    ready: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ready.root / "data").symlink_to(DATA)
    monkeypatch.setenv("SCORESHEET_OUT", "reports")
    for command, folder in FOLDERS.items():
        ended = ready.run(command, "--prune")
        assert ended.code == 0
        assert f"reports/{folder}/" in ended.err
    made = {path.parent.name for path in (ready.root / "reports").rglob(MANIFEST)}
    assert made == set(FOLDERS.values())
    assert {path.name for path in (ready.root / "reports").iterdir()} == made
    assert not (ready.root / "results").exists()


ONE_EACH = {
    "sinfo": "data/baseline_mean/Model_A.xlsx data/reference_explanations",
    "mode-collapse": "data/choices/diverse.csv data/choice_options",
    "diversity": "data/rankings/diversified.csv data/subtopics",
    "disagree": "data/judgements/careful.csv",
    "entropy": "data/responses/rich.csv",
    "collective": "data/collective/coin_flip.csv",
}


def test_of_six_commands_in_one_folder_none_prunes_what_is_anothers(
    ready: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ready.root / "data").symlink_to(DATA)
    monkeypatch.setenv("SCORESHEET_OUT", "reports")
    write_bytes(ready.root / "reports/notes.txt", b"mine")
    for command in FOLDERS:
        assert ready.run(command, "-q").code == 0
    for command, folder in FOLDERS.items():
        before = snapshot(ready.root / "reports")
        ended = ready.run(command, *ONE_EACH[command].split(), "--prune")
        assert ended.code == 0
        assert ": removed" in ended.err
        after = snapshot(ready.root / "reports")
        own = {name for name in before | after if name.startswith(folder)}
        assert {name for name in before if name not in after} < own
        assert {name: content for name, content in after.items() if name not in own} == {
            name: content for name, content in before.items() if name not in own
        }


def test_a_folder_that_is_named_wins_over_the_variable(ready: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORESHEET_OUT", "reports")
    assert ready.score().code == 0
    assert (ready.res / MANIFEST).exists()
    assert not (ready.root / "reports").exists()


def test_an_empty_variable_is_none(ready: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORESHEET_OUT", "")
    assert ready.run("sinfo", "outs", "refs").code == 0
    assert (ready.root / "results" / "information_density" / MANIFEST).exists()


def test_reports_that_lie_in_that_folder_itself_are_renewed_there_with_a_note(
    ready: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ready.score(res="reports").code == 0
    monkeypatch.setenv("SCORESHEET_OUT", "reports")
    ready.model("n")
    ended = ready.run("sinfo", "outs", "refs")
    assert ended.code == 0
    assert (ready.root / "reports" / "n_s_info.csv").exists()
    assert not (ready.root / "reports" / "information_density").exists()
    (note,) = [line for line in ended.err.splitlines() if "SCORESHEET_OUT" in line]
    assert "reports/information_density" in note
    other = ready.run("entropy", "outs")
    assert other.code == 0
    assert "SCORESHEET_OUT" not in other.err
    assert header(ready.root / "reports" / "entropy" / "entropy_results.csv")[0] == "Model Name"


def test_another_tools_manifest_in_that_folder_is_no_hindrance(ready: Place) -> None:
    write_bytes(ready.root / "reports" / MANIFEST, b'{"name": "my extension"}')
    ended = spawn(ready.root, SCORESHEET_OUT="reports")
    assert ended.code == 0
    assert (ready.root / "reports" / MANIFEST).read_bytes() == b'{"name": "my extension"}'
    assert (ready.root / "reports" / "information_density" / MANIFEST).exists()


def test_a_manifest_that_cannot_be_read_stops_the_run_and_nothing_is_touched(
    ready: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ready.score().code == 0
    before = snapshot(ready.res)

    def failing(path: Path) -> None:
        raise OSError(5, "Input/output error", str(path))

    monkeypatch.setattr(ownership, "read_record", failing)
    ended = ready.score()
    assert ended.code == 5, ended.err
    assert f"{MANIFEST}: cannot be read (Input/output error); existing reports are untouched" in ended.err
    assert snapshot(ready.res) == before
