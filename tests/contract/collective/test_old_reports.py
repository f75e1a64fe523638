"""What becomes of pictures and reports that an earlier run wrote?"""

from __future__ import annotations

import json
import shutil

from tests.helpers.collective import PLAIN, Study, dressed
from tests.helpers.files import write_csv

# --- old reports ------------------------------------------------------------------------------------------------------


def pictures(study: Study, model: str) -> set[str]:
    """The kinds of pictures of a system that are there."""
    return {path.stem.removeprefix(f"{model}_collective_") for path in study.res.glob(f"{model}_collective_*.svg")}


def test_prune_removes_pictures_of_a_system_that_is_gone_and_spares_those_of_one_that_failed(study: Study) -> None:
    every = {"emergence", "routing", "fingerprints"}
    gone, failed = study.system(dressed("abc"), "gone"), study.system(dressed("abc"), "failed")
    study.system(dressed("abc"))
    assert study.score().code == 0
    assert [pictures(study, name) for name in ("gone", "failed", "m")] == [every] * 3
    shutil.rmtree(gone)
    write_csv(failed / "predictions.csv", [*PLAIN, *PLAIN[1:]])
    write_csv(study.res / "gone_collective_mine.csv", [("mine",)])
    ended = study.score()
    assert ended.code == 3
    assert pictures(study, "gone") == every
    assert "gone_collective_routing.svg" in ended.err
    assert study.score("--prune").code == 3
    assert [pictures(study, name) for name in ("gone", "failed", "m")] == [set(), every, every]
    assert [path.name for path in study.res.glob("gone_*")] == ["gone_collective_mine.csv"]
    assert {"failed_collective.md", "failed_collective.xlsx"} <= {path.name for path in study.res.iterdir()}


def test_a_picture_whose_sheet_is_gone_is_named_and_pruned(study: Study) -> None:
    path = study.system(dressed("abc"))
    assert study.score().code == 0
    (path / "routing.csv").unlink()
    ended = study.score()
    assert ended.code == 0
    assert "m_collective_routing.svg" in ended.err
    assert study.score("--prune").code == 0
    assert pictures(study, "m") == {"emergence", "fingerprints"}
    left = json.loads((study.res / "manifest.json").read_text("utf-8"))["left"]
    assert left == []
