"""Do the same inputs give the same bytes, and does the manifest say so? Other surroundings: tests/soak."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from scoresheet.cli.run.pool import START_METHOD
from tests.helpers.files import digests, sha256, write_book, write_bytes, write_csv
from tests.helpers.runs import LOCK, MANIFEST, Run
from tests.helpers.studies import ANSWERS, REFERENCES, Place, answers


def fill(root: Path) -> None:
    """Several models of several kinds, with problems of several kinds."""
    write_csv(root / "refs" / "all.csv", [("idiom", "explanation"), *REFERENCES.items()])
    write_csv(root / "refs" / "chinese.csv", [("idiom", "explanation"), ("爱不释手", "喜爱得舍不得放手")])
    write_csv(root / "outs" / "a.csv", answers(ANSWERS | {"爱不释手": "喜爱得不想放手"}))
    write_csv(root / "outs" / "b.csv", answers(ANSWERS | {"break the ice": ""}))
    write_book(root / "outs" / "c.xlsx", {"perm1": answers(), "perm2": answers({"unknown": "x"}), "blank": []})
    for sheet in ("one", "two"):
        write_csv(root / "outs" / "d" / f"{sheet}.csv", answers())


def test_a_rerun_into_the_same_folder_changes_nothing_but_the_manifest(place: Place) -> None:
    fill(place.root)
    assert place.score().code == 0
    before = digests(place.res)
    assert place.score().code == 0
    assert digests(place.res) == before
    assert (place.res / MANIFEST).exists()


def hashes(value: object) -> set[str]:
    """Every SHA-256 somewhere inside a JSON value."""
    return set(re.findall(r"\b[0-9a-f]{64}\b", json.dumps(value)))


def read_from(manifest: dict[str, object]) -> object:
    """Everything the manifest says but its outputs: inputs and references, under whatever heading."""
    return {key: value for key, value in manifest.items() if key != "outputs"}


def test_the_manifest_holds_the_hash_of_every_input(place: Place) -> None:
    fill(place.root)
    assert place.score().code == 0
    inputs = read_from(json.loads((place.res / MANIFEST).read_text("utf-8")))
    files = [path for folder in (place.outs, place.refs) for path in folder.rglob("*") if path.is_file()]
    assert hashes(inputs) == {sha256(path) for path in files}
    assert [path.name for path in files if path.name not in json.dumps(inputs)] == []


def test_the_manifest_holds_the_hash_of_every_output(place: Place) -> None:
    fill(place.root)
    assert place.score().code == 0
    manifest = json.loads((place.res / MANIFEST).read_text("utf-8"))
    written = (path for path in place.res.rglob("*") if path.is_file())
    files = [path for path in written if path.name not in (MANIFEST, LOCK)]
    assert hashes(manifest["outputs"]) == {sha256(path) for path in files}
    assert [path.name for path in files if path.name not in json.dumps(manifest["outputs"])] == []


def test_the_manifest_holds_the_hash_of_a_bad_input_too(place: Place) -> None:
    fill(place.root)
    bad = write_bytes(place.outs / "bad.xlsx", b"not a workbook")
    assert place.score().code == 3
    assert sha256(bad) in hashes(read_from(json.loads((place.res / MANIFEST).read_text("utf-8"))))


def test_row_order_does_not_change_a_models_score(place: Place) -> None:
    place.references()
    place.model("m")
    place.model("n", dict(reversed(ANSWERS.items())))
    assert place.score().code == 0
    first, second = place.results().values()
    assert float(first["S_Info"]) == pytest.approx(float(second["S_Info"]), rel=1e-12)


def test_the_manifest_records_variables_that_set_options(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(START_METHOD, raising=False)
    monkeypatch.setenv("SCORESHEET_MISSING", "zero")
    run("sinfo", "outs", "refs", "-o", "res")
    manifest = json.loads((folder / "res/manifest.json").read_text(encoding="utf-8"))
    assert manifest["variables"] == {"SCORESHEET_MISSING": "zero"}
    assert "missing:zero" in manifest["signature"]


def test_what_changes_the_reading_is_in_the_signature(run: Run, folder: Path) -> None:
    run("sinfo", "outs", "refs", "-o", "res", "--limit", "1", "--sheet", "S*", "--column", "Prediction=prediction")
    signature = json.loads((folder / "res/manifest.json").read_text(encoding="utf-8"))["signature"]
    assert signature.endswith("|sheet:S*|column:Prediction=prediction|limit:1")
