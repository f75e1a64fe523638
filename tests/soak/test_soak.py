"""The short column of docs/reliability.md: the first cases of each row, in every test run; and is the page in form?"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.soak import record
from tests.soak.cases import CORRUPT, FAULTS, Fault, Row
from tests.soak.record import ROWS, Shard

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks, pipes and files of the system")


@pytest.mark.processes
@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_the_first_cases_of_each_row_hold(row: Row, tmp_path: Path) -> None:
    found = list(row.run(tmp_path, range(row.short)))
    assert len(found) >= row.short
    assert [fault for fault in found if fault] == []


def test_the_long_column_is_no_shorter_than_it_says() -> None:
    wanted = {"kills": 3_000, "pairs": 500, "workbooks": 10_000, "tables": 50_000, "texts": 0x110000, "bad-files": 31}
    assert {name: min(ROWS[name].long, least) for name, least in wanted.items()} == wanted
    assert {name: ROWS[name].short for name in ("kills", "pairs", "workbooks", "tables", "texts")} == {
        "kills": 60,
        "pairs": 10,
        "workbooks": 200,
        "tables": 500,
        "texts": 1_000,
    }


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_shards_hold_every_case_once(row: Row) -> None:
    assert [case for shard in row.shards() for case in shard] == list(range(row.long))


def shard(row: str, first: int, code: str, *faults: Fault) -> Shard:
    """A shard of a row that was done."""
    tests = record.tests_of(ROWS[row])
    return Shard(row, first, ROWS[row].shard, code, tests, "1.0", "2024-01-31", ROWS[row].shard, 6.0, list(faults))


def test_a_shard_counts_for_its_own_code_alone_unless_others_are_wanted(tmp_path: Path) -> None:
    state = tmp_path / ".soak" / "shards.jsonl"
    size = ROWS["kills"].shard
    for each in (
        shard("kills", 0, "old"),
        shard("kills", size, "old"),
        shard("kills", 0, "now"),
        shard("kills", 7, "now"),
    ):
        record.keep(each, state)
    assert len(state.read_text("utf-8").splitlines()) == 4
    known = record.shards_in(state)
    assert list(record.counted(known, "now", older=False)) == [("kills", 0)]
    both = record.counted(known, "now", older=True)
    assert {key: each.code for key, each in both.items()} == {("kills", 0): "now", ("kills", size): "old"}
    assert "codes `now`, `old`" in record.part(both.values(), "now")
    assert record.counted([replace(each, tests="others") for each in known], "now", older=True) == {}


def test_the_tests_of_a_row_are_told_by_all_the_modules_it_is_made_of() -> None:
    digests = {name: record.tests_of(row) for name, row in ROWS.items()}
    assert digests["kills"] == digests["pairs"]  # of one module
    assert digests["kills"] != digests["steps"] != digests["workbooks"]


def test_a_fault_is_kept_with_the_case_to_repeat_it_by(tmp_path: Path) -> None:
    fault = Fault(CORRUPT, "kills:3", "m.csv is lost")
    record.keep(shard("kills", 0, "now", fault), tmp_path / "shards.jsonl")
    (kept,) = record.shards_in(tmp_path / "shards.jsonl")
    assert kept.faults == [fault]
    (line,) = [line for line in record.table([kept]) if line.startswith(f"| {ROWS['kills'].title} ")]
    assert "| 60 kills | 3,000 | 1 | 0 | 0 | 0 | `kills:0` to `kills:2999` | 0.1 |" in line
    json.loads((tmp_path / "shards.jsonl").read_text("utf-8"))


def test_the_page_holds_a_line_for_each_row_and_no_fault() -> None:
    text = record.PAGE.read_text("utf-8")
    generated = text.partition(record.BEGIN)[2].partition(record.END)[0].strip()
    about, *lines = [line for line in generated.splitlines() if line.startswith(("Version ", "| "))]
    assert about.startswith("Version ")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert tuple(cells[0]) == record.HEADER
    assert [(line[0], line[1]) for line in cells[2:]] == [(row.title, row.passes) for row in ROWS.values()]
    first = record.HEADER.index(FAULTS[0])
    assert {cell for line in cells[2:] for cell in line[first : first + len(FAULTS)]} == {"0"}


def test_a_page_without_a_place_for_the_table_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"reliability\.md has no place"):
        record.page("# Reliability\n", "x")
    assert "x" in record.page(f"# Reliability\n\n{record.BEGIN}\n\nold\n\n{record.END}\n", "x")
