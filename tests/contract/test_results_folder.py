"""What happens to reports that are already there?"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tests.helpers.files import digests, write_bytes
from tests.helpers.runs import Run, held_lock
from tests.helpers.studies import ANSWERS, Place


def test_an_out_path_that_is_a_file_is_5_and_the_file_stays(place: Place) -> None:
    place.references()
    place.model("m")
    write_bytes(place.res, b"precious")
    ended = place.score()
    assert ended.code == 5
    assert "res" in ended.err
    assert "Traceback" not in ended.err
    assert place.res.read_bytes() == b"precious"


def test_an_out_path_below_a_file_is_5_and_the_file_stays(place: Place) -> None:
    place.references()
    place.model("m")
    write_bytes(place.res, b"precious")
    ended = place.score(res="res/deeper/still")
    assert ended.code == 5
    assert "Traceback" not in ended.err
    assert place.res.read_bytes() == b"precious"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_cannot_be_written_is_5_and_old_reports_stay(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score().code == 0
    before = digests(place.res)
    place.res.chmod(0o500)
    try:
        assert place.score("--missing", "zero").code == 5
    finally:
        place.res.chmod(0o700)
    assert digests(place.res) == before


@pytest.mark.parametrize("taken", ["m_s_info.xlsx", "s_info_results.csv", "problems.csv"])
def test_a_folder_in_a_reports_place_is_5_and_old_reports_stay(place: Place, taken: str) -> None:
    place.references()
    place.model("m")
    place.model("n")
    assert place.score().code == 0
    (place.res / taken).unlink()
    (place.res / taken).mkdir()
    write_bytes(place.res / taken / "precious.txt", b"precious")
    before = digests(place.res)
    place.model("m", ANSWERS | {"break the ice": "x"})
    place.model("n", ANSWERS | {"break the ice": "x"})
    ended = place.score()
    assert ended.code == 5
    assert "Traceback" not in ended.err
    assert digests(place.res) == before


def test_folders_above_the_out_path_are_made(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score(res="a/b/res").code == 0
    assert (place.root / "a/b/res/manifest.json").exists()


def test_a_second_run_into_a_held_folder_is_75_at_once_and_changes_nothing(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score().code == 0
    before = digests(place.res)
    place.model("m", ANSWERS | {"break the ice": "x"})
    with held_lock(place.res):
        ended = place.score()
        assert ended.code == 75
        assert "--wait" in ended.err
        assert digests(place.res) == before


def test_a_run_that_waited_in_vain_is_75(place: Place) -> None:
    place.references()
    place.model("m")
    with held_lock(place.res):
        assert place.score("--wait", "1").code == 75
        assert digests(place.res) == {}


def test_a_run_that_waits_long_enough_goes_on(place: Place) -> None:
    place.references()
    place.model("m")
    with held_lock(place.res) as holder:
        assert holder.stdin is not None
        release = threading.Timer(1.0, holder.stdin.close)
        release.start()
        ended = place.score("--wait", "60")
        release.join()
    assert ended.code == 0
    assert len(place.scores()) == 3


def test_a_lock_file_nobody_holds_stops_nobody(place: Place) -> None:
    place.references()
    place.model("m")
    write_bytes(place.res / ".scoresheet.lock", b"")
    assert place.score().code == 0


def test_reports_of_models_that_are_gone_stay_and_are_named(place: Place) -> None:
    place.references()
    gone = place.model("gone")
    place.model("m")
    assert place.score().code == 0
    before = digests(place.res)
    gone.unlink()
    ended = place.score()
    assert ended.code == 0
    assert "gone_s_info" in ended.err
    assert list(place.results()) == ["m"]
    after = digests(place.res)
    reports = {name: digest for name, digest in before.items() if name.startswith("gone")}
    assert len(reports) == 2
    assert {name: after[name] for name in reports} == reports


def test_prune_removes_old_reports_and_no_other_file(place: Place) -> None:
    place.references()
    gone = place.model("gone")
    place.model("m")
    assert place.score().code == 0
    gone.unlink()
    write_bytes(place.res / "notes_s_info.xlsx", b"mine")
    write_bytes(place.res / "notes.txt", b"mine")
    assert place.score("--prune").code == 0
    names = {path.name for path in place.res.iterdir()}
    assert not {name for name in names if name.startswith("gone")}
    assert {"notes.txt", "notes_s_info.xlsx", "m_s_info.xlsx"} <= names


def test_a_failed_models_old_report_is_not_mistaken_for_a_new_one(place: Place) -> None:
    place.references()
    place.model("good")
    path = place.model("m")
    assert place.score().code == 0
    before = digests(place.res)
    path.write_bytes(b"\xff\xfe\xff")
    ended = place.score()
    assert ended.code == 3
    assert place.results()["m"]["Status"] == "failed"
    after = digests(place.res)
    assert "m_s_info.csv" not in after or after["m_s_info.csv"] == before["m_s_info.csv"]
    assert "m_s_info" in ended.err or "m_s_info.csv" not in after


def test_temporary_files_of_a_killed_run_do_not_stay(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score().code == 0
    names = {path.name for path in place.res.iterdir()}
    assert place.score().code == 0
    assert {path.name for path in place.res.iterdir()} == names


OUTPUTS = "Idiom,Prediction\na,one two\nb,four five\n"


def test_reports_left_by_earlier_runs_are_named_until_they_are_pruned(run: Run, folder: Path) -> None:
    (folder / "outs/n.csv").write_text(OUTPUTS, encoding="utf-8")
    run("sinfo", "outs", "refs", "-o", "res")
    (folder / "outs/n.csv").unlink()
    for _ in range(3):
        assert "res/n_s_info.xlsx: not of this run" in run("sinfo", "outs", "refs", "-o", "res").err
    assert "res/n_s_info.xlsx: removed" in run("sinfo", "outs", "refs", "-o", "res", "--prune").err
    assert not (folder / "res/n_s_info.xlsx").exists()
    assert "n_s_info" not in run("sinfo", "outs", "refs", "-o", "res").err


GOOD = "Idiom,Prediction\na,one two\nb,four five\n"


def test_pruning_spares_the_last_report_of_a_model_that_failed_this_time(run: Run, folder: Path) -> None:
    (folder / "outs/m.csv").write_text(GOOD, encoding="utf-8")
    run("sinfo", "outs", "refs", "-o", "res")
    (folder / "outs/m.csv").write_bytes(b"\xff\xff\x00")
    assert run("sinfo", "outs", "refs", "-o", "res", "--prune").code == 3
    assert (folder / "res/m_s_info.xlsx").exists()
