"""The commit, and what it never does; an error at each of its steps: tests/soak."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.exits import Stop
from scoresheet.cli.input.manifests import MANIFEST
from scoresheet.cli.run.results_folder import locked_results


def _listing(files: dict[str, str]) -> str:
    outputs = [{"file": name, "sha256": hashlib.sha256(text.encode()).hexdigest()} for name, text in files.items()]
    return json.dumps({"tool": "scoresheet", "command": "sinfo", "outputs": outputs})


REPORTS = {
    "a.csv": "old a",
    "b.csv": "old b",
    "gone.csv": "old gone",
    "cache/a.json": "old a",
    "cache/gone.json": "old",
}
OLD = REPORTS | {MANIFEST: _listing(REPORTS)}
NEW = ("a.csv", "b.csv", "new.csv", "cache/a.json", "tables/a.csv")


def _folder(path: Path) -> Path:
    path.mkdir()
    for name, text in OLD.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    return path


def _content(path: Path) -> dict[str, str]:
    files = [each for each in path.rglob("*") if each.is_file()]
    folders = {each.name for each in path.iterdir() if each.is_dir()}
    assert folders == {each.parent.name for each in files} - {path.name}, "a folder that is empty"
    return {each.relative_to(path).as_posix(): each.read_text(encoding="utf-8") for each in files}


def _commit(path: Path) -> None:
    with locked_results(path, "sinfo", wait=0) as folder:
        for name in NEW:
            (folder.stage / name).parent.mkdir(exist_ok=True)
            (folder.stage / name).write_text(f"new {name[0]}", encoding="utf-8")
        folder.commit(NEW, {"outputs": []}, remove=["gone.csv"])


def _commit_damaged(path: Path) -> None:
    with locked_results(path, "sinfo", wait=0) as folder:
        (folder.stage / "a.xlsx").write_bytes(b"PK\x03\x04 half a zip")
        folder.commit(["a.xlsx"], {"outputs": []})


def test_a_commit_replaces_adds_and_removes(tmp_path: Path) -> None:
    path = _folder(tmp_path / "results")
    _commit(path)
    content = _content(path)
    assert content.pop(MANIFEST) == '{\n  "outputs": []\n}\n'
    assert content == {name: f"new {name[0]}" for name in NEW}  # and what was kept of one that is gone is gone


def test_a_link_that_cannot_be_made_is_a_copy_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", refused)
    path = _folder(tmp_path / "results")
    _commit(path)
    assert _content(path)["a.csv"] == "new a"


def test_what_a_killed_run_left_is_swept(tmp_path: Path) -> None:
    path = _folder(tmp_path / "results")
    (path / ".scoresheet-stage-dead").mkdir()
    (path / ".scoresheet-stage-dead" / "a.csv").write_text("half", encoding="utf-8")
    with locked_results(path, "sinfo", wait=0):
        pass
    assert _content(path) == OLD


def test_a_folder_that_was_made_for_nothing_is_removed(tmp_path: Path) -> None:
    with locked_results(tmp_path / "new" / "results", "sinfo", wait=0):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_workbook_in_the_stage_is_never_committed(tmp_path: Path) -> None:
    path = _folder(tmp_path / "results")
    with pytest.raises(Stop, match="not written whole"):
        _commit_damaged(path)
    assert _content(path) == OLD


def test_a_workbook_that_is_known_to_be_whole_is_not_read_again(tmp_path: Path) -> None:
    path = _folder(tmp_path / "results")
    with locked_results(path, "sinfo", wait=0) as folder:
        (folder.stage / "a.xlsx").write_text("as it was written", encoding="utf-8")
        folder.commit(["a.xlsx"], {"outputs": []}, whole=["a.xlsx"])
    assert _content(path)["a.xlsx"] == "as it was written"


@pytest.mark.parametrize("name", ["../outside.csv", "/etc/hostname", "", ".", "sub/inner.csv"])
def test_a_manifest_cannot_name_files_outside_its_folder_for_removal(name: str, tmp_path: Path) -> None:
    path = _folder(tmp_path / "results")
    (tmp_path / "outside.csv").write_text("precious", encoding="utf-8")
    (path / MANIFEST).write_text(_listing({name: "", "gone.csv": "old gone"}), encoding="utf-8")
    with locked_results(path, "sinfo", wait=0) as folder:
        assert [report.name for report in folder.earlier_reports([])] == ["gone.csv"]
