"""Nineteen good models, and one of each kind of bad file: the nineteen are as they are without it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.helpers.files import digests
from tests.helpers.hostile import KINDS, Hostile
from tests.helpers.runs import called_in
from tests.helpers.soak import first
from tests.helpers.studies import ANSWERS, Place

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pipes and files of the system")
GOOD = [f"good_{number:02}" for number in range(19)]


def folder_with(root: Path, kinds: list[Hostile]) -> Place:
    """A folder with the good models and some bad files."""
    place = Place(root, called_in(root))
    place.references()
    for number, name in enumerate(GOOD):
        place.model(name, {idiom: f"{answer} {number}" for idiom, answer in ANSWERS.items()})
    for kind in kinds:
        kind.make(place.outs / kind.file)
    return place


def reports_of_good_models(place: Place) -> dict[str, str]:
    return {name: digest for name, digest in digests(place.res).items() if name.startswith("good_")}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The digests of the good models' reports where there is nothing else."""
    place = folder_with(tmp_path_factory.mktemp("undisturbed"), [])
    assert place.score().code == 0
    reports = reports_of_good_models(place)
    assert len(reports) == 2 * len(GOOD)
    return reports


def check(place: Place, kinds: list[Hostile], undisturbed: dict[str, str]) -> None:
    ended = place.score("-v")
    assert ended.code == 3
    assert "Traceback" not in ended.err
    assert "bug" not in ended.err
    problems = {line["file"]: line for line in place.problems() if line["effect"].endswith("skipped")}
    assert set(problems) == {kind.file for kind in kinds}
    for kind in kinds:
        assert kind.said in problems[kind.file]["message"], kind.file
        assert problems[kind.file]["effect"] == kind.effect
        assert kind.file in ended.err
    assert reports_of_good_models(place) == undisturbed


def test_all_kinds_of_bad_files_together_cost_only_themselves(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    assert len(KINDS) >= 30
    check(folder_with(tmp_path, KINDS), KINDS, undisturbed)


@pytest.mark.parametrize("kind", first(2, KINDS), ids=lambda kind: str(kind.file))
def test_a_bad_file_in_turn_costs_only_itself(kind: Hostile, tmp_path: Path, undisturbed: dict[str, str]) -> None:
    check(folder_with(tmp_path, [kind]), [kind], undisturbed)
