"""What does --prune remove, and what does it believe of the manifest it finds?"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.files import sha256, write_bytes, write_csv
from tests.helpers.runs import MANIFEST, spawn
from tests.helpers.studies import Place, answers

PRECIOUS = {"thesis.docx": b"five years", ".env": b"KEY=1", "model.bin": b"weights"}
NESTED = b"[" * 200_000
HUGE = 65 * 2**20  # more than a manifest may have


def manifest(place: Place) -> Any:
    """What the manifest says."""
    return json.loads((place.res / MANIFEST).read_text("utf-8"))


def forged(names: list[str], content: bytes = b"", **record: object) -> bytes:
    """A manifest that lists files by these names and this content."""
    listed = [{"file": name, "sha256": hashlib.sha256(content).hexdigest()} for name in names]
    return json.dumps({"outputs": listed, "left": [], **record}).encode()


def without_one(place: Place) -> None:
    """Two models scored, and then one of them gone."""
    place.references()
    gone = place.model("gone")
    place.model("m")
    assert place.score().code == 0
    gone.unlink()


@pytest.mark.parametrize(
    "record",
    [{}, {"tool": "bundler"}, {"tool": "scoresheet"}, {"tool": "scoresheet", "command": "entropy"}],
    ids=["nobody's", "another tool's", "no command's", "another command's"],
)
def test_prune_removes_nothing_that_a_manifest_of_another_lists(place: Place, record: dict[str, object]) -> None:
    place.references()
    place.model("m")
    for name, content in PRECIOUS.items():
        write_bytes(place.res / name, content)
    outputs = [{"file": name, "sha256": sha256(place.res / name)} for name in PRECIOUS]
    write_bytes(place.res / MANIFEST, json.dumps({"outputs": outputs, **record}).encode())
    place.score("--prune")
    assert {name: (place.res / name).read_bytes() for name in PRECIOUS} == PRECIOUS


def test_prune_removes_no_report_of_another_command(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.run("entropy", "outs", "-o", "res").code == 0
    reports = [path for path in place.res.iterdir() if "entropy" in path.name]
    assert reports
    place.score("--prune")
    assert [path.name for path in reports if not path.exists()] == []


def test_prune_leaves_a_report_that_was_changed_since_and_says_so(place: Place) -> None:
    without_one(place)
    with (place.res / "gone_s_info.csv").open("a", encoding="utf-8") as report:
        report.write("my remarks\n")
    ended = place.score("--prune")
    assert ended.code == 0
    assert "my remarks" in (place.res / "gone_s_info.csv").read_text("utf-8")
    assert not (place.res / "gone_s_info.xlsx").exists()
    (line,) = [line for line in ended.err.splitlines() if "gone_s_info.csv" in line]
    assert "changed" in line
    assert "left" in line


def test_a_report_that_is_left_is_listed_with_its_hash(place: Place) -> None:
    without_one(place)
    before = {name: sha256(place.res / name) for name in ("gone_s_info.csv", "gone_s_info.xlsx")}
    for _ in range(2):
        assert place.score().code == 0
        assert {each["file"]: each["sha256"] for each in manifest(place)["left"]} == before


def test_a_report_that_was_left_can_be_pruned_later_unless_it_was_changed_meanwhile(place: Place) -> None:
    without_one(place)
    assert place.score().code == 0
    write_bytes(place.res / "gone_s_info.csv", b"mine now")
    assert place.score().code == 0
    assert place.score("--prune").code == 0
    assert (place.res / "gone_s_info.csv").read_bytes() == b"mine now"
    assert not (place.res / "gone_s_info.xlsx").exists()


def test_a_changed_report_goes_once_it_is_as_it_was(place: Place) -> None:
    without_one(place)
    report = place.res / "gone_s_info.csv"
    original = report.read_bytes()
    write_bytes(report, b"mine now")
    assert place.score("--prune").code == 0
    write_bytes(report, original)
    assert place.score("--prune").code == 0
    assert not report.exists()


def test_a_file_listed_without_a_hash_is_never_pruned(place: Place) -> None:
    without_one(place)
    record = manifest(place)
    record["left"] = ["old_s_info.csv"]
    write_bytes(place.res / "old_s_info.csv", b"of an earlier version")
    write_bytes(place.res / MANIFEST, json.dumps(record).encode())
    ended = place.score("--prune")
    assert ended.code == 0
    assert "old_s_info.csv" in ended.err
    assert (place.res / "old_s_info.csv").exists()


@pytest.mark.parametrize(
    "name", ["x" * 5_000, "a\0b", "\ud800", "", ".", "..", "../outside.csv", "/etc/hostname", "a/b"]
)
def test_no_name_in_a_manifest_leads_out_of_the_folder_or_ends_the_run(place: Place, name: str) -> None:
    without_one(place)
    write_bytes(place.root / "outside.csv", b"")
    listed = manifest(place)["outputs"]
    record = {**manifest(place), "outputs": [*listed, *json.loads(forged([name]))["outputs"]]}
    write_bytes(place.res / MANIFEST, json.dumps(record).encode())
    ended = place.score("--prune")
    assert (ended.code, "Traceback" in ended.err) == (0, False)
    assert (place.root / "outside.csv").exists()
    assert not (place.res / "gone_s_info.csv").exists()


def test_many_reports_that_are_left_are_counted_and_not_all_named(place: Place) -> None:
    place.references()
    place.model("m")
    names = [f"m{number}_s_info.csv" for number in range(2_000)]
    for name in names:
        write_bytes(place.res / name, b"x")
    write_bytes(place.res / MANIFEST, forged(names, b"x", tool="scoresheet", command="sinfo"))
    ended = place.score()
    assert ended.code == 0
    assert len(ended.err.splitlines()) < 60
    assert "1,950 more" in ended.err
    assert len(manifest(place)["left"]) == 2_000
    assert place.score("--prune").code == 0
    assert [name for name in names if (place.res / name).exists()] == []


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_folder(path: Path) -> None:
    path.mkdir()


def nested(path: Path) -> None:
    path.write_bytes(NESTED)


def huge(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(HUGE)


def half(path: Path) -> None:
    path.write_bytes(b'{"tool": "scoresheet", "comm')


def a_list(path: Path) -> None:
    path.write_bytes(b'["scoresheet"]')


def odd_entries(path: Path) -> None:
    path.write_bytes(b'{"tool": "scoresheet", "command": "sinfo", "outputs": [[1], 2, {"file": {}}], "left": 5}')


HARMFUL = [a_pipe, endless, a_folder, nested, huge, half, a_list]


@pytest.mark.parametrize("make", [*HARMFUL, odd_entries])
def test_whatever_is_called_manifest_in_a_results_folder_neither_hangs_nor_crashes_a_run(
    place: Place, make: Any
) -> None:
    place.references()
    place.model("m")
    place.res.mkdir()
    make(place.res / MANIFEST)
    ended = spawn(place.root, "-o", "res", "--prune")
    assert ended.code != 1
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("make", HARMFUL)
def test_whatever_is_called_manifest_in_a_models_folder_neither_hangs_nor_crashes_a_run(
    place: Place, make: Any
) -> None:
    place.references()
    write_csv(place.outs / "m" / "perm1.csv", answers())
    make(place.outs / "m" / MANIFEST)
    ended = spawn(place.root, "-o", "res")
    assert (ended.code, "Traceback" in ended.err) == (0, False)
    assert len(place.scores()) == 3
