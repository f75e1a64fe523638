"""Do scores from Python keep the promises of the command: whose folder it is, and what was left out or mixed?"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from scoresheet.scores import Scores
from scoresheet.scoring import score
from tests.helpers.files import digests, write_bytes
from tests.helpers.runs import MANIFEST
from tests.helpers.studies import Place


@pytest.fixture
def ready(place: Place) -> Place:
    """A model and its references."""
    place.references()
    place.model("m")
    return place


def scored(place: Place) -> Scores:
    """What the command would find."""
    return score("sinfo", place.outs, place.refs)


def everything(folder: Path) -> dict[str, bytes]:
    """The files of a folder, dot files too."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_another_commands_folder_is_refused_and_untouched(ready: Place) -> None:
    assert ready.run("entropy", "outs", "-o", "res").code == 0
    before = everything(ready.res)
    with pytest.raises(ValueError, match="scoresheet entropy"):
        scored(ready).write(ready.res)
    assert everything(ready.res) == before


@pytest.mark.parametrize("name", [MANIFEST, "metrics.json", "m_s_info.csv"])
def test_a_users_own_file_is_never_replaced(ready: Place, name: str) -> None:
    write_bytes(ready.res / name, b"mine")
    with pytest.raises(ValueError, match=name):
        scored(ready).write(ready.res)
    assert everything(ready.res) == {name: b"mine"}


def test_the_commands_own_folder_is_renewed_as_the_command_does(ready: Place) -> None:
    gone = ready.model("gone")
    assert ready.score().code == 0
    gone.unlink()
    before = digests(ready.res)
    written = scored(ready).write(ready.res)
    assert all(path.exists() for path in written)
    record = json.loads((ready.res / MANIFEST).read_text("utf-8"))
    assert {each["file"] for each in record["left"]} == {"gone_s_info.csv", "gone_s_info.xlsx"}
    assert {name: digests(ready.res)[name] for name in ("m_s_info.csv", "gone_s_info.csv")} == {
        name: before[name] for name in ("m_s_info.csv", "gone_s_info.csv")
    }
    assert ready.score("--prune").code == 0
    assert not (ready.res / "gone_s_info.csv").exists()


def test_a_folder_that_cannot_be_written_is_an_error_of_the_system(ready: Place) -> None:
    write_bytes(ready.res, b"no folder")
    with pytest.raises(OSError, match="cannot be written"):
        scored(ready).write(ready.res)


def test_models_that_were_not_separated_are_told(ready: Place) -> None:
    outputs = pd.DataFrame({"Idiom": ["spill the beans"] * 2, "Prediction": ["a b", "c d"], "system": ["x", "y"]})
    found = score("sinfo", outputs, ready.refs)
    assert found.table["Status"].tolist() == ["partial"]
    assert "not-separated" in found.problems["kind"].tolist()


def test_files_that_are_no_models_are_told(ready: Place) -> None:
    (ready.outs / "loop").symlink_to("loop")
    (ready.refs / "lost.csv").symlink_to("nowhere")
    found = scored(ready).problems
    assert found[["file", "kind", "effect"]].to_numpy().tolist() == [
        ["loop", "not-read", "file skipped"],
        ["lost.csv", "not-read", "note"],
    ]
