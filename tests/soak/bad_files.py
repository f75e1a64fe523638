"""Nineteen good models, and one of each kind of bad file: the nineteen are as they are without it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.helpers.files import digests
from tests.helpers.hostile import KINDS, Hostile
from tests.helpers.runs import called_in
from tests.helpers.studies import ANSWERS, Place
from tests.soak.cases import CORRUPT, TRACEBACK, Fault, Row, Trials, case_name

GOOD = [f"good_{number:02}" for number in range(19)]


def folder_with(root: Path, kinds: Sequence[Hostile]) -> Place:
    """A folder with the good models and some bad files."""
    place = Place(root, called_in(root))
    place.references()
    for number, name in enumerate(GOOD):
        place.model(name, {idiom: f"{answer} {number}" for idiom, answer in ANSWERS.items()})
    for kind in kinds:
        kind.make(place.outs / kind.file)
    return place


def reports_of_good_models(place: Place) -> dict[str, str]:
    """The digests of the good models' reports."""
    return {name: digest for name, digest in digests(place.res).items() if name.startswith("good_")}


def undisturbed(root: Path) -> dict[str, str]:
    """The digests of the good models' reports where there is nothing else."""
    place = folder_with(root, [])
    assert place.score().code == 0
    reports = reports_of_good_models(place)
    assert len(reports) == 2 * len(GOOD)
    return reports


def wrong_beside(root: Path, kinds: Sequence[Hostile], reports: dict[str, str], case: str) -> Fault | None:
    """What is wrong with a run on the good models and some bad files; None if each costs only itself, and is named."""
    place = folder_with(root, kinds)
    ended = place.score("-v")
    if ended.code != 3 or "Traceback" in ended.err or "bug" in ended.err:
        return Fault(TRACEBACK, case, f"exit {ended.code}: {ended.err[-2000:]}")
    problems = {line["file"]: line for line in place.problems() if line["effect"].endswith("skipped")}
    for kind in kinds:
        line = problems.pop(kind.file, None)
        if line is None or kind.said not in line["message"] or line["effect"] != kind.effect:
            return Fault(CORRUPT, case, f"{kind.file}: {line}, and {kind.said!r} was to be said")
        if kind.file not in ended.err:
            return Fault(CORRUPT, case, f"{kind.file} is not named on the screen")
    if problems or reports_of_good_models(place) != reports:
        return Fault(CORRUPT, case, f"others are touched: {sorted(problems) or 'the reports of good models'}")
    return None


def in_turn(folder: Path, numbers: Sequence[int]) -> Trials:
    """Case 0 is all kinds at once, each other one a kind by itself."""
    reports = undisturbed(folder / "undisturbed")
    for number in numbers:
        kinds = [KINDS[number - 1]] if number else KINDS
        root = folder / str(number)
        root.mkdir()
        yield wrong_beside(root, kinds, reports, case_name(BAD_FILES.name, number))
        shutil.rmtree(root)


BAD_FILES = Row(
    "bad-files",
    f"a hostile file among 19 good ones: {len(KINDS)} kinds in turn, and all at once",
    "the reports of the 19 byte-identical, exit 3, the file named with its limit",
    "folders",
    3,
    1 + len(KINDS),
    11,
    in_turn,
)
