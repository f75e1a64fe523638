"""Is every byte that the commands print and write what it was? What is meant to change, `make golden` writes down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.cases import CASES, usual_cases
from tests.golden.record import EXACT, MADE_WITH, Digests, digests_of, outputs_of, recorded, surroundings

# said by the package of --tokenizer bpe, when it opens its data
pytestmark = pytest.mark.filterwarnings("ignore:open_binary is deprecated")

LOOK = """
What differs only as (exact) is the same but for digits after the ninth decimal, or the packing of a workbook.
If that was meant, `make golden` writes the digests anew; the diff of digests.json says what changed.
If not, look at it: keep the outputs of now and of before, and hold them against each other,
    .venv/bin/python -m tests.golden.record --keep now {name}
    git stash   (or in a worktree of an earlier commit: git worktree add ../before HEAD)
    .venv/bin/python -m tests.golden.record --keep before {name}
    git stash pop; diff -r before now   (workbooks are unpacked there, a folder each)"""


@pytest.fixture(scope="module")
def known() -> dict[str, Digests]:
    """The digests that were written down."""
    return recorded()


USUAL = usual_cases()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in USUAL else [pytest.mark.soak]) for name in CASES]
)
def test_every_output_is_to_the_byte_what_it_was(tmp_path: Path, known: dict[str, Digests], name: str) -> None:
    before, here = known[MADE_WITH], surroundings()
    others = [f"{key} {value}, here {here.get(key)}" for key, value in before.items() if value != here.get(key)]
    found, expected = digests_of(outputs_of(CASES[name], tmp_path)), known.get(name, {})
    if others:  # other routines, other last digits; another zlib, other bytes of the same parts
        found, expected = _portable(found), _portable(expected)
    lines = _differences(expected, found)
    if others:
        lines.append(f"the digests were made with {'; '.join(others)}: that alone may be why")
    if found != expected:
        pytest.fail("\n".join([f"{name}: {CASES[name].lines}", *lines, LOOK.format(name=name)]), pytrace=False)


def test_no_digests_are_kept_of_cases_that_are_gone(known: dict[str, Digests]) -> None:
    assert set(known) - {MADE_WITH} == set(CASES), "run `make golden`"


def _portable(digests: Digests) -> Digests:
    return {name: digest for name, digest in digests.items() if not name.endswith(EXACT)}


def _differences(expected: Digests, found: Digests) -> list[str]:
    """Return a line for each output that is new, gone or different."""
    lines = []
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            lines.append(f"  gone:      {name}")
        elif name not in expected:
            lines.append(f"  new:       {name}")
        elif expected[name] != found[name]:
            codes = f" ({expected[name]}, now {found[name]})" if name.endswith("exit code") else ""
            lines.append(f"  different: {name}{codes}")
    return lines
