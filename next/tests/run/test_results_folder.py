"""A results folder belongs to one command, and a run touches only what it wrote itself."""

import errno
import hashlib
import json
import os
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.run.manifest import read_manifest, sha256_of, write_json_atomic
from scoresheet.cli.run.results_folder import Busy, WriteFailed, open_results
from scoresheet.metrics.problem import Problem, Refusal

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")


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
        return results.notes


def snapshot(folder: Path) -> dict[str, str | bytes]:
    """Return every path below a folder with its content, links as links."""
    found: dict[str, str | bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        else:
            found[name] = path.read_bytes() if path.is_file() else "other"
    return found


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


OURS = {".scoresheet", ".scoresheet.lock", "manifest.json"}


def test_a_run_writes_the_mark_the_reports_and_a_manifest_with_their_hashes(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "deep" / "results"
    assert run(folder, {"b.csv": "2", "figures/a.png": "1"}) == []
    assert files_of(folder) == {"b.csv", "figures/a.png"} | OURS
    assert (folder / ".scoresheet").read_text() == "sinfo\n"
    text = (folder / "manifest.json").read_text()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=2) + "\n"
    assert read_manifest(folder / "manifest.json") == {
        "schema": 1,
        "tool": "scoresheet",
        "command": "sinfo",
        "counts": {"models": 2},
        "outputs": {n: sha256_of(folder / n) for n in ("b.csv", "figures/a.png")},
    }


def test_reports_of_vanished_models_go_and_those_of_failed_or_edited_ones_stay(
    tmp_path: Path,
) -> None:
    names = ("new.csv", "gone.csv", "figures/gone.png", "failed.csv", "edited.csv")
    run(tmp_path, dict.fromkeys(names, "old"))
    (tmp_path / "edited.csv").write_text("by hand")
    (tmp_path / "thesis.docx").write_text("mine")
    run(tmp_path, {"new.csv": "new"}, keep=["failed.csv", "never-there.csv"])
    assert files_of(tmp_path) == {"new.csv", "failed.csv", "edited.csv", "thesis.docx"} | OURS
    manifest = read_manifest(tmp_path / "manifest.json")
    assert manifest is not None
    assert set(manifest["outputs"]) == {"new.csv", "failed.csv"}
    assert manifest["outputs"]["failed.csv"] == sha256_of(tmp_path / "failed.csv")
    run(tmp_path, {"new.csv": "new"})  # the model that failed is not among the inputs any more
    assert files_of(tmp_path) == {"new.csv", "edited.csv", "thesis.docx"} | OURS


def test_a_run_that_does_not_commit_changes_nothing(tmp_path: Path) -> None:
    run(tmp_path, {"a.csv": "old"})
    before = snapshot(tmp_path)
    with open_results(tmp_path, "sinfo", wait=0, inputs=[]) as results:
        (results.staging / "a.csv").write_text("new")
    assert snapshot(tmp_path) == before


@needs_links
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("file", "results-folder"),
        ("file/below", "results-folder"),
        ("circle", "results-folder"),
        ("circle/below", "results-folder"),
        ("x" * 5000, "results-folder"),
        ("nul\0", "results-folder"),
        ("other command", "results-folder"),
        ("linked.scoresheet", "results-folder"),
        ("linked.scoresheet.lock", "results-folder"),
        ("other tool", "not-ours"),
        ("no mark", "not-ours"),
    ],
)
def test_an_unusable_folder_is_refused_and_not_touched(
    tmp_path: Path, name: str, kind: str
) -> None:
    (tmp_path / "file").write_text("sinfo")
    (tmp_path / "circle").symlink_to(tmp_path / "back")
    (tmp_path / "back").symlink_to(tmp_path / "circle")
    run(tmp_path / "other command", {"a.csv": "other"}, "entropy")
    run(tmp_path / "no mark", {"b.csv": "1"})
    (tmp_path / "no mark" / ".scoresheet").unlink()
    for folder in ("other tool", "linked.scoresheet", "linked.scoresheet.lock"):
        (tmp_path / folder).mkdir()
    (tmp_path / "other tool" / "manifest.json").write_text('{"name": "an add-on"}')
    for link in (".scoresheet", ".scoresheet.lock"):
        (tmp_path / f"linked{link}" / link).symlink_to(tmp_path / "file")
    before = snapshot(tmp_path)
    with pytest.raises(Refusal) as refusal:
        run(tmp_path / name, {"a.csv": "new"})
    assert [(p.kind, p.effect) for p in refusal.value.problems] == [(kind, "refused")]
    assert snapshot(tmp_path) == before


@needs_links
def test_a_folder_inside_an_input_is_refused_also_through_a_link(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "link").symlink_to(data)
    for folder in (data, data / "results", tmp_path / "link" / "results"):
        with pytest.raises(Refusal, match="input of this run"):
            run(folder, {"a.csv": "1"}, inputs=[data])
    assert snapshot(tmp_path) == {"data": "other", "link": "-> " + str(data)}
    run(tmp_path / "link" / "results", {"a.csv": "1"})  # a link above the folder is fine
    assert (data / "results" / "a.csv").read_text() == "1"


def test_foreign_files_without_our_mark_are_named_and_nothing_is_touched(tmp_path: Path) -> None:
    for name in ("a.csv", "notes.txt"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(Refusal) as refusal:
        run(tmp_path, {"a.csv": "1", "b.csv": "2"})
    [problem] = refusal.value.problems
    assert (problem.kind, problem.details) == ("not-ours", ("a.csv",))
    assert files_of(tmp_path) == {"a.csv", "notes.txt", ".scoresheet.lock"}
    assert (tmp_path / "a.csv").read_text() == "mine"
    with open_results(tmp_path, "sinfo", wait=0, inputs=[]) as results:
        results.check_ours(["b.csv"])
        with pytest.raises(Refusal, match=r"a\.csv"):  # early, when the names are known
            results.check_ours(["b.csv", "a.csv"])
    run(tmp_path, {"b.csv": "2"})
    assert (tmp_path / "notes.txt").read_text() == "mine"


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


def forged(outputs: Any, **changes: Any) -> str:
    return json.dumps({"schema": 1, "tool": "scoresheet", "outputs": outputs} | changes)


VICTIM = hashlib.sha256(b"5").hexdigest()


@needs_links
@pytest.mark.parametrize(
    "damage",
    [
        "missing",
        "pipe",
        "link to a device",
        "too large",
        "{",
        "[1, 2]",
        "[" * 200_000,
        '{"outputs": {"a": "b"}}',
        forged({"../victim": VICTIM}),
        forged({"/victim": VICTIM}),
        forged({"mine.txt": VICTIM}, command="entropy"),
        forged({"mine.txt": VICTIM}, tool="other"),
        forged({"mine.txt": VICTIM}, schema=2),
        forged({"mine.txt": 12}),
        forged(["mine.txt"]),
    ],
)
def test_a_lost_or_damaged_manifest_costs_only_its_own_knowledge(
    tmp_path: Path, damage: str
) -> None:
    folder = tmp_path / "results"
    run(folder, {"a.csv": "old", "b.csv": "old"})
    for path in (tmp_path / "victim", folder / "mine.txt"):
        path.write_text("5")
    manifest = folder / "manifest.json"
    manifest.unlink()
    if damage == "pipe":
        os.mkfifo(manifest)
    elif damage == "link to a device":
        manifest.symlink_to("/dev/zero")
    elif damage == "too large":
        manifest.touch()
        os.truncate(manifest, 2**36)
    elif damage != "missing":
        manifest.write_text(damage)
    [note] = run(folder, {"a.csv": "new"})
    assert (note.kind, note.effect) == ("manifest", "note")
    assert (folder / "a.csv").read_text() == "new"
    for path in (tmp_path / "victim", folder / "mine.txt"):
        assert path.read_text() == "5"
    assert (folder / "b.csv").exists()  # nothing says any more that it is ours
    written = read_manifest(manifest)
    assert written is not None
    assert set(written["outputs"]) == {"a.csv"}


@needs_links
def test_a_forged_manifest_removes_nothing_through_a_link(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    run(folder, {"a.csv": "old"})
    (tmp_path / "victim").write_text("5")
    (folder / "linked").symlink_to(tmp_path)
    names = ("linked/victim", "a.csv/x", "nul\0", "\ud800", "manifest.json")
    (folder / "manifest.json").write_text(forged(dict.fromkeys(names, VICTIM)))
    assert run(folder, {"a.csv": "new"}) == []
    assert (tmp_path / "victim").exists()
    assert (folder / "manifest.json").exists()


def test_a_damaged_workbook_is_not_committed(tmp_path: Path) -> None:
    run(tmp_path, {"a.csv": "old"})
    before = snapshot(tmp_path)
    with pytest.raises(WriteFailed, match=r"a\.xlsx"):
        run(tmp_path, {"a.csv": "new", "a.xlsx": "not a workbook"})
    assert snapshot(tmp_path) == before


@needs_links
def test_staging_folders_of_killed_runs_are_swept_and_links_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    left = folder / ".scoresheet-staging-0123" / "reports"
    left.mkdir(parents=True)
    (left / "a.csv").touch()
    (left / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "mine").touch()
    (folder / ".scoresheet-staging-link").symlink_to(tmp_path / "outside")
    run(folder, {"a.csv": "1"})
    assert not left.parent.exists()
    assert (folder / ".scoresheet-staging-link").is_symlink()
    assert (tmp_path / "outside" / "mine").exists()


def test_a_folder_in_use_is_busy_and_free_afterwards(tmp_path: Path) -> None:
    with (
        open_results(tmp_path, "sinfo", wait=0, inputs=[]),
        pytest.raises(Busy, match="another run"),
    ):
        run(tmp_path, {"a.csv": "1"})
    run(tmp_path, {"a.csv": "1"})


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_without_permission_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    for folder in (tmp_path, tmp_path / "new"):
        with pytest.raises(WriteFailed, match=os.strerror(errno.EACCES)):
            run(folder, {"a.csv": "1"})


@needs_links
def test_a_folder_that_vanishes_during_the_run_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    with open_results(folder, "sinfo", wait=0, inputs=[]) as results:
        (results.staging / "a.csv").touch()
        folder.rename(tmp_path / "moved")
        folder.touch()
        with pytest.raises(WriteFailed):
            results.commit({})


def test_json_keeps_names_that_are_not_utf_8(tmp_path: Path) -> None:
    data = {"b": "caf\udce9", "a": "é"}
    write_json_atomic(tmp_path / "x.json", data)
    assert json.loads((tmp_path / "x.json").read_bytes()) == data
    assert '"é"' in (tmp_path / "x.json").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json_atomic(tmp_path / "x.json", float("nan"))
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
