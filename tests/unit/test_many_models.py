"""What a run of many models keeps of each: little in memory, and all of it when it is asked for."""

from __future__ import annotations

import gc
import json
import tracemalloc
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from scoresheet.cli.report.page import STORED_TOGETHER, Column, Page, PageTable
from scoresheet.cli.run import outcomes as outcomes_module
from scoresheet.cli.run.outcomes import Outcomes, by_model
from scoresheet.cli.run.page_tables import lines_of
from scoresheet.cli.run.plan import Outcome
from scoresheet.cli.write.about import About
from scoresheet.cli.write.csv_json import as_json, write_json
from scoresheet.cli.write.deflate import deflated_pieces
from scoresheet.cli.write.workbook import Workbook, write_workbook
from scoresheet.metrics import stored_values
from scoresheet.metrics.compare import ComparedUnits, KeyedValues
from scoresheet.metrics.family import ModelResult, ScoredSheet
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.stats.paired_draws import SystemSums
from scoresheet.metrics.stats.randomisation import paired_tests_of_all

COLUMNS = (Column("a", "A number.", "score"), Column("b", "A text.", "text"))


class _Result(ModelResult[ScoredSheet]):
    def slim(self) -> _Result:
        return self


def _outcome(number: int) -> Outcome[_Result]:
    """Return what came of a model; of every third one there is a problem, and of every fifth nothing else."""
    name = f"m{number:03}"
    units = ComparedUnits.of_sheets({"s": KeyedValues([f"k{key}" for key in range(50)], np.full((50, 2), number / 7))})
    result = _Result(
        sheets=(), measures={"Score": number / 7}, rows=5, scored=4, computed=4, has_score=True, compared=units
    )
    problems = () if number % 3 else (Problem(kind="bad", message=f"{name} is bad", effect="note"),)
    if number % 5 == 4:
        return Outcome(name, problems=problems)
    return Outcome(
        name, "ok", result, pages={"P": [{"x": number}] * 40}, problems=problems, inputs={f"{name}.csv": "0"}
    )


@pytest.mark.parametrize("few", [0, 64])
def test_outcomes_are_given_back_as_they_were_in_any_order(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes_module, "_FEW", few)
    plain = [_outcome(number) for number in range(40)]
    kept = Outcomes(reversed(plain))
    assert [outcome.model for outcome in kept] == [outcome.model for outcome in reversed(plain)]
    for ordered in (kept.ordered(str), kept[::-1]):
        assert list(map(_facts, ordered)) == list(map(_facts, plain))
    last_first = kept.ordered(lambda model: -int(model[1:]))
    assert [_facts(last_first[0]), len(last_first)] == [_facts(plain[-1]), 40]
    some = kept.only(lambda model: model < "m003")
    some.add(plain[9])
    assert [outcome.model for outcome in some] == ["m002", "m001", "m000", "m009"]
    assert len(kept) == 40


def _facts(outcome: Outcome[_Result]) -> tuple[object, ...]:
    result = outcome.result
    units = result.compared_units() if result else None
    values = None if units is None else units.means([*units.keys], ["s"]).tolist()
    own = (outcome.model, outcome.status, outcome.problems, dict(outcome.inputs), dict(outcome.pages))
    return (*own, result and dict(result.measures), outcome.rows, outcome.scored, values)


def test_results_are_of_the_models_that_have_one_and_by_name() -> None:
    kept = Outcomes(map(_outcome, range(12))).ordered(lambda model: -int(model[1:]))
    assert list(kept.results) == [f"m{number:03}" for number in range(11, -1, -1) if number % 5 != 4]
    assert kept.results["m003"].measures == {"Score": 3 / 7}
    assert "m004" not in kept.results
    for outcomes in (kept, list(kept)):
        found = by_model(outcomes, lambda outcome: outcome.status)
        assert (len(found), found["m004"], found["m005"]) == (12, "failed", "ok")


def test_a_model_more_takes_less_than_a_kilobyte() -> None:
    kept: Outcomes[_Result] = Outcomes(map(_outcome, range(100)))
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(100, 600):
            kept.add(_outcome(number))
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert taken / 500 < 1_000


def test_outcomes_that_nobody_holds_are_gone_at_once_and_so_are_their_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes_module, "_FEW", 0)
    monkeypatch.setattr(stored_values, "HELD_BYTES", 0)
    kept: Outcomes[_Result] = Outcomes(map(_outcome, range(3)))
    assert all(outcome.result is None or outcome.result.compared_units() for outcome in kept)
    gone = [weakref.ref(store) for store in (kept._store._bytes, kept._details._bytes)]
    gc.disable()  # what holds itself would stay, with its file open
    try:
        del kept
        assert [ref() for ref in gone] == [None, None]
    finally:
        gc.enable()


@pytest.mark.parametrize("rows", [0, 1, STORED_TOGETHER, STORED_TOGETHER + 1, 5 * STORED_TOGETHER - 3])
def test_a_table_of_many_rows_reads_as_one_of_few(rows: int) -> None:
    lines = [(row / 7, f"text {row % 9}") for row in range(rows)]
    page = Page("p", PageTable.of_rows(["a", "b"], iter(lines)), COLUMNS)
    assert (len(page.table), bool(page.table.together)) == (rows, rows > STORED_TOGETHER)
    assert [list(page.table[name]) for name in "ab"] == [[line[place] for line in lines] for place in (0, 1)]
    wanted = list(range(rows))[::-50]
    assert lines_of(page, wanted) == [dict(zip("ab", lines[row], strict=True)) for row in wanted]
    assert list(page.table.part(slice(2, 140)).rows("ab")) == lines[2:140]


@pytest.mark.parametrize("linked", [False, True])
def test_a_long_page_is_written_as_it_is(tmp_path: Path, *, linked: bool) -> None:
    lines = [(f"m{row}", row / 8) for row in range(3 * STORED_TOGETHER + 5)]
    columns = (Column("b", "A text.", "key"), Column("a", "A number.", "score"))
    links = {f"m{row}": f"external:m{row}.xlsx" for row in range(0, len(lines), 2)} if linked else {}
    page = Page("p", PageTable.of_rows(["b", "a"], lines), columns, links=links)
    problems = Page("Problems", PageTable({"b": []}), columns[:1])
    write_workbook(tmp_path / "m.xlsx", Workbook("m", [page], problems, About([])))
    sheet = openpyxl.load_workbook(tmp_path / "m.xlsx")["p"]
    assert list(sheet.iter_rows(values_only=True)) == [("b", "a"), *lines]
    found = {cell.value: cell.hyperlink.target for (cell,) in sheet["A2:A500"] if cell.hyperlink}
    assert found == {model: target.removeprefix("external:") for model, target in links.items()}


def test_a_long_list_in_a_file_of_json_is_written_as_a_short_one(tmp_path: Path) -> None:
    value = {"few": [1, {"a": [2]}], "many": [{"file": f"猫 {row}", "x": [row]} for row in range(1_200)], "no": []}
    write_json(tmp_path / "v.json", value)
    text = (tmp_path / "v.json").read_text(encoding="utf-8")
    assert text == as_json(value) + "\n"
    assert json.loads(text) == value


def test_what_is_compressed_does_not_depend_on_the_pieces_it_comes_in() -> None:
    data = bytes(np.random.default_rng(0).integers(97, 105, 700_001, dtype=np.uint8))

    def cut(size: int) -> Iterator[bytes]:
        return (data[start : start + size] for start in range(0, len(data), size))

    whole = b"".join(deflated_pieces([data]))
    assert all(b"".join(deflated_pieces(cut(size))) == whole for size in (1_000, 65_536, 2**18, 300_000))


def test_a_column_of_a_long_page_is_as_wide_as_one_of_its_first_rows_beyond_what_is_at_hand(tmp_path: Path) -> None:
    texts = ["short"] * (STORED_TOGETHER + 5) + ["a text that needs some more room"]
    columns = (Column("b", "A text.", "key"), Column("a", "A number.", "score"))
    problems = Page("Problems", PageTable({"b": []}), columns[:1])
    widths = []
    for table in (PageTable.of_rows(["b", "a"], [(text, 1.0) for text in texts]), PageTable({"b": texts, "a": texts})):
        write_workbook(tmp_path / "m.xlsx", Workbook("m", [Page("p", table, columns)], problems, About([])))
        widths.append(openpyxl.load_workbook(tmp_path / "m.xlsx")["p"].column_dimensions["A"].width)
    assert widths[0] == widths[1] > 30


def test_comparing_models_with_many_gaps_takes_little_room() -> None:
    rng = np.random.default_rng(0)
    pairs = []
    for _ in range(200):
        ours, theirs = rng.random((2, 14, 6))
        ours[rng.random(14) < 0.6, 0] = np.nan
        pairs.append((ours, theirs))
    tracemalloc.start()
    try:
        found = paired_tests_of_all(pairs, measures=6, confidence=0.95, seed=0, kept=SystemSums())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(found) == 200
    assert peak < 150 * 2**20  # and not 10,000 sums for each measure of each pair, several times over
