"""A results folder belongs to one command, and a run touches only what it wrote itself."""

import hashlib
import json
import os
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.run.results_folder import WriteFailed, open_results, read_manifest
from scoresheet.metrics.problem import Problem, Refusal

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
OURS = {".scoresheet", ".scoresheet.lock", "manifest.json"}
FIVE = hashlib.sha256(b"5").hexdigest()


def forged(outputs: Any, **changes: Any) -> str:
    ours = {"schema": 1, "tool": "scoresheet", "command": "sinfo"}
    return json.dumps({**ours, "outputs": outputs, **changes})


def run(
    folder: Path,
    files: dict[str, str],
    command: str = "sinfo",
    inputs: Sequence[Path] = (),
    keep: Collection[str] = (),
) -> list[Problem]:
    """Write the files as reports and return the notes."""
    with open_results(folder, command, wait=0, inputs=inputs) as results:
        for name, text in files.items():
            path = results.staging / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        (results.parts / "tidy.pkl").write_text("intermediate")
        results.commit({"command": command, "counts": {"models": 2}}, keep=keep)
        return list(results.notes)


def snapshot(folder: Path) -> dict[str, Any]:
    """Return every path below a folder with its content; links lead nowhere."""
    paths = [path for path in folder.rglob("*") if path.is_symlink() or path.exists()]
    files = {path for path in paths if path.is_file() and not path.is_symlink()}
    return {p.relative_to(folder).as_posix(): p in files and p.read_bytes() for p in paths}


def files_of(folder: Path) -> set[str]:
    return {name for name, content in snapshot(folder).items() if content is not False}


def manifest_of(folder: Path) -> dict[str, Any]:
    return read_manifest(folder / "manifest.json") or {}


@needs_links
def test_a_run_writes_the_mark_the_reports_and_a_manifest_with_their_hashes(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "results"
    (tmp_path / "real").mkdir()
    (tmp_path / "deep").symlink_to(tmp_path / "real")  # a link above the folder is fine
    assert run(folder, {"b.csv": "5", "figures/a.png": "5"}) == []
    assert files_of(folder) == {"b.csv", "figures/a.png"} | OURS
    assert (folder / ".scoresheet").read_text() == "sinfo\n"
    text = (folder / "manifest.json").read_text()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=2) + "\n"
    outputs = {"b.csv": FIVE, "figures/a.png": FIVE}
    assert json.loads(text) == json.loads(forged(outputs, counts={"models": 2}))


def test_only_reports_of_vanished_models_go_unless_they_were_edited(tmp_path: Path) -> None:
    names = ("new.csv", "gone.csv", "figures/gone.png", "failed.csv", "edited.csv")
    run(tmp_path, dict.fromkeys(names, "5"))
    (tmp_path / "edited.csv").write_text("by hand")
    (tmp_path / "thesis.docx").write_text("mine")
    run(tmp_path, {"new.csv": "5"}, keep=["failed.csv", "never-there.csv"])
    assert files_of(tmp_path) == {"new.csv", "failed.csv", "edited.csv", "thesis.docx"} | OURS
    assert manifest_of(tmp_path)["outputs"] == {"new.csv": FIVE, "failed.csv": FIVE}
    run(tmp_path, {"new.csv": "5"})  # the model that failed is not among the inputs any more
    assert files_of(tmp_path) == {"new.csv", "edited.csv", "thesis.docx"} | OURS


def test_a_run_without_a_commit_or_with_a_damaged_workbook_changes_nothing(tmp_path: Path) -> None:
    run(tmp_path, {"a.csv": "old"})
    before = snapshot(tmp_path)
    with open_results(tmp_path, "sinfo", wait=0, inputs=[]) as results:
        (results.staging / "a.csv").write_text("new")
    assert snapshot(tmp_path) == before
    with pytest.raises(WriteFailed, match=r"a\.xlsx"):
        run(tmp_path, {"a.csv": "new", "a.xlsx": "not a workbook"})
    assert snapshot(tmp_path) == before


UNUSABLE = ["file", "file/below", "circle", "circle/below", "x" * 5000, "nul\0", "other command"]
UNUSABLE += ["linked.scoresheet", "linked.scoresheet.lock"]
NOT_OURS = ["other tool", "no mark", "foreign"]


@needs_links
@pytest.mark.parametrize("name", UNUSABLE + NOT_OURS)
def test_an_unusable_folder_is_refused_and_not_touched(tmp_path: Path, name: str) -> None:
    for folder in ("other tool", "linked.scoresheet", "linked.scoresheet.lock", "foreign"):
        (tmp_path / folder).mkdir()
    (tmp_path / "file").write_text("sinfo")
    (tmp_path / "circle").symlink_to(tmp_path / "back")
    (tmp_path / "back").symlink_to(tmp_path / "circle")
    run(tmp_path / "other command", {"a.csv": "other"}, "entropy")
    run(tmp_path / "no mark", {"b.csv": "1"})
    (tmp_path / "no mark" / ".scoresheet").unlink()
    (tmp_path / "other tool" / "manifest.json").write_text('{"name": "an add-on"}')
    for own in ("a.csv", "notes.txt", ".scoresheet.lock"):
        (tmp_path / "foreign" / own).touch()
    for link in (".scoresheet", ".scoresheet.lock"):
        (tmp_path / f"linked{link}" / link).symlink_to(tmp_path / "file")
    before = snapshot(tmp_path)
    with pytest.raises(Refusal) as refusal:
        run(tmp_path / name, {"a.csv": "new", "b.csv": "new"})
    [problem] = refusal.value.problems
    kind = "not-ours" if name in NOT_OURS else "results-folder"
    assert (problem.kind, problem.effect) == (kind, "refused")
    assert name != "foreign" or problem.message.endswith("would replace: a.csv")
    assert snapshot(tmp_path) == before


@needs_links
@pytest.mark.parametrize("name", ["link.csv", "folder.csv", "pipe.csv", "linked/x.csv", "in.csv"])
def test_a_report_replaces_only_regular_files_of_its_own_folder(tmp_path: Path, name: str) -> None:
    folder, outside = tmp_path / "results", tmp_path / "outside"
    run(folder, {"a.csv": "old"})
    outside.mkdir()
    (outside / "x.csv").write_text("mine")
    (folder / "link.csv").symlink_to(outside / "x.csv")
    (folder / "folder.csv").mkdir()
    os.mkfifo(folder / "pipe.csv")
    (folder / "linked").symlink_to(outside)
    (folder / "in.csv").write_text("input")
    before = snapshot(tmp_path)
    with pytest.raises(Refusal) as refusal:
        run(folder, {"a.csv": "new", name: "1"}, inputs=[folder / "in.csv"])
    assert [p.file for p in refusal.value.problems] == [str(folder / name)]
    assert snapshot(tmp_path) == before


DAMAGES = ["missing", "pipe", "device", "too large", "{", "[1, 2]", "[" * 200_000]
DAMAGES += ['{"outputs": {"a": "b"}}', forged({"../victim": FIVE}), forged({"/victim": FIVE})]
DAMAGES += [forged({"mine.txt": FIVE}, **{k: "x"}) for k in ("command", "tool", "schema")]
DAMAGES += [forged({"mine.txt": 12}), forged(["mine.txt"])]


@needs_links
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_lost_manifest_costs_only_its_own_knowledge(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "results"
    run(folder, {"a.csv": "old", "b.csv": "old"})
    for path in (tmp_path / "victim", folder / "mine.txt"):
        path.write_text("5")
    manifest = folder / "manifest.json"
    manifest.write_text(damage)
    if damage == "too large":
        os.truncate(manifest, 2**36)
    elif damage in ("missing", "pipe", "device"):
        manifest.unlink()
    if damage in ("pipe", "device"):
        os.mkfifo(manifest) if damage == "pipe" else manifest.symlink_to("/dev/zero")
    [note] = run(folder, {"a.csv": "5"})
    assert (note.kind, note.effect) == ("manifest", "note")
    assert (tmp_path / "victim").exists()
    assert files_of(folder) == {"a.csv", "b.csv", "mine.txt"} | OURS  # is b.csv ours? not known
    assert manifest_of(folder)["outputs"] == {"a.csv": FIVE}


@needs_links
def test_nothing_is_removed_through_a_link(tmp_path: Path) -> None:
    folder, left = tmp_path / "results", tmp_path / "results/.scoresheet-staging-0123"
    run(folder, {"a.csv": "old"})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/victim").write_text("5")
    left.mkdir()  # of a run that was killed
    for link in (left / "link", folder / ".scoresheet-staging-link", folder / "linked"):
        link.symlink_to(tmp_path / "outside")
    names = ("linked/victim", "a.csv/x", "nul\0", "\ud800", "manifest.json")
    (folder / "manifest.json").write_text(forged(dict.fromkeys(names, FIVE)))
    assert run(folder, {"a.csv": "new"}) == []
    assert (tmp_path / "outside/victim").exists()
    assert files_of(folder) == {"a.csv"} | OURS
    assert not left.exists()


def test_a_manifest_keeps_names_that_are_not_utf_8(tmp_path: Path) -> None:
    with open_results(tmp_path, "sinfo", wait=0, inputs=[]) as results:
        with pytest.raises(ValueError, match="not JSON compliant"):
            results.commit({"seconds": float("nan")})
        results.commit({"b": "caf\udce9", "a": "é"})
    assert {**manifest_of(tmp_path), "b": "caf\udce9", "a": "é"} == manifest_of(tmp_path)
    assert '"é"' in (tmp_path / "manifest.json").read_text(encoding="utf-8")
