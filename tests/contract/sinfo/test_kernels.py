"""Both kernels write the same reports, and a user can see which one was used."""

from __future__ import annotations

import json

import pytest

from scoresheet.cli.input.formats import plain_sheets
from scoresheet.cli.write import cell_maker
from scoresheet.metrics.text import kernel
from tests.helpers.files import digests
from tests.helpers.kernels import KERNELS, PURE, using
from tests.helpers.runs import Run
from tests.helpers.studies import ANSWERS, Place, answers

UNSPACED = {"break the ice": "打破沉默。開口說話", "spill the beans": "to tell. . a secret\u3000at last"}


@pytest.mark.parametrize("rouge", ["rouge", "lin"])
def test_the_reports_are_the_same_bytes(place: Place, rouge: str) -> None:
    place.references()
    place.book("m", {"perm1": answers(), "perm2": answers(UNSPACED)})
    written, names = [], []
    for name in KERNELS:
        with using(name):
            assert place.score("--rouge", rouge).code == 0
            names.append(json.loads((place.res / "manifest.json").read_bytes())["kernel"])
            assert names[-1] == kernel.kernel_name()
        files = {name: digest for name, digest in digests(place.res).items() if not name.startswith("cache/")}
        assert files
        written.append(files)
    assert written[0] == written[1]
    assert names[0] != names[1] == "Python"
    assert "unchanged" not in place.score("--rouge", rouge).err  # what another kernel made does not stand


def test_version_says_which_kernel_is_used_where_more_is_asked_for(run: Run) -> None:
    assert run("--version").out.count("\n") == 1
    for name in KERNELS:
        with using(name):
            shown = run("--version", "-v")
            assert shown == run("--verbose", "--version")
            assert shown.out.startswith(run("--version").out)
            cells, sheets = cell_maker.cell_maker(), plain_sheets.sheet_reader()
            assert shown.out.splitlines()[1:] == [
                f"kernel: {kernel.kernel_name()} ({kernel.kernel().reason})",
                f"cells: {cells.name} ({cells.reason})",
                f"sheets: {sheets.name} ({sheets.reason})",
            ]
            assert shown.code == 0


def test_more_words_without_a_version_are_a_usage_error(run: Run) -> None:
    done = run("-v", "sinfo")
    assert done.code == 2
    assert "--version" in done.err


def test_the_variable_that_asks_for_the_twin_is_no_misspelt_option(place: Place) -> None:
    place.references()
    place.model("m", ANSWERS)
    with using(PURE):
        done = place.score()
    assert done.code == 0
    assert "SCORESHEET_PURE" not in done.err
