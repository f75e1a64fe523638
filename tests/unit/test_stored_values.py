"""Values that were put away are what they were, and models that were put away compare as they would have."""

from __future__ import annotations

import math
import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest

from scoresheet.cli.run.plan import Outcome, SheetAccount
from scoresheet.metrics import stored_columns, stored_values
from scoresheet.metrics.compare import MOST_MODELS, ComparedUnits, KeyedValues, PairedComparison, compare_units
from scoresheet.metrics.families.entropy.inputs import TextSheet
from scoresheet.metrics.families.sinfo.result import SinfoResult
from scoresheet.metrics.family import ModelResult, ScoredSheet, compared_units
from scoresheet.metrics.stored_columns import ByteStore, Texts, TextWriter
from scoresheet.metrics.stored_values import ValueStore


class _Result(ModelResult[ScoredSheet]):
    """A result with nothing but what models are compared by."""

    def slim(self) -> _Result:
        return self


@pytest.mark.parametrize("held", [0, 2**20])
def test_values_are_given_back_as_they_were(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    monkeypatch.setattr(stored_values, "HELD_BYTES", held)
    store = ValueStore()
    numbers = list(range(1_000))
    mapping, sequence = store.mapping({"a": [1, math.inf], "b": "猫"}), store.sequence(iter(numbers))
    assert dict(mapping) == {"a": [1, math.inf], "b": "猫"}
    assert "c" not in mapping
    assert list(sequence) == numbers
    assert [sequence[0], sequence[-1], sequence[130]] == [0, 999, 130]
    assert sequence[60:200:7] == numbers[60:200:7]
    with pytest.raises(IndexError):
        sequence[1_000]
    assert sequence.batch(63, 65) == [63, 64]
    assert len(store.sequence([])) == 0
    assert not store.mapping({})


def test_an_outcome_that_is_put_away_is_small_and_says_the_same() -> None:
    sheets = tuple(SheetAccount(f"sheet {number}", 10, 9, ignored=("a header",) * 40) for number in range(30))
    pages = {"Summary": [{"Score": float(line)} for line in range(200)]}
    outcome: Outcome[SinfoResult] = Outcome("m", "ok", numbers={"by": {"x": 0.5}}, pages=pages, sheets=sheets)
    kept = outcome.put_away(ValueStore())
    assert (dict(kept.numbers), dict(kept.pages), list(kept.sheets)) == (outcome.numbers, pages, list(sheets))
    assert replace(kept, numbers={}, pages={}, sheets=()) == replace(outcome, numbers={}, pages={}, sheets=())
    assert sum(map(sys.getsizeof, (kept.numbers, kept.pages, kept.sheets))) < len(pickle.dumps(outcome)) / 10


def _models(number: int) -> dict[str, _Result]:
    """Models of two sheets, each with gaps of its own; one that has nothing, one that others share nothing with."""
    rng = np.random.default_rng(3)
    found = {}
    for model in range(number):
        sheets = {}
        for sheet in ("one", "two"):
            values = rng.random((12, 2)) + model / number
            values[model % 12, model % 2] = math.nan
            sheets[sheet] = KeyedValues([f"k{key}" for key in range(model % 3, 12)], values[model % 3 :])
        found[f"m{model:02}"] = ComparedUnits.of_sheets(sheets)
    found["m05"] = None
    found["m07"] = ComparedUnits.of_sheets({"one": KeyedValues(["other"], np.array([[0.5, 0.5]]))})
    return {
        model: _Result(sheets=(), measures={}, rows=0, scored=0, computed=0, has_score=True, compared=own)
        for model, own in found.items()
    }


@pytest.mark.parametrize("number", [9, MOST_MODELS + 4])
def test_models_that_are_put_away_compare_as_they_would_have(number: int) -> None:
    models = _models(number)
    store = ValueStore()

    def compared(results: dict[str, _Result]) -> PairedComparison:
        units = compared_units(results)
        return compare_units(units, ["a", "b"], headline="a", better="higher", units="items")

    plain, stored = compared(models), compared({model: own.put_away(store) for model, own in models.items()})
    assert repr(list(stored.differences)) == repr(list(plain.differences))
    assert repr(stored.standings) == repr(plain.standings)
    assert stored.picked == (number > MOST_MODELS)
    assert len(stored.ranked) == number - 2


def test_texts_of_a_long_sheet_are_not_kept_block_by_block() -> None:
    cells = [f"text {number}" for number in range(stored_columns._LISTED + 1)]
    writer = TextWriter(ByteStore())
    writer.add(cells)
    texts, rows = writer.texts(), range(len(cells))
    sheet = TextSheet(name="s", rows=len(rows), row_numbers=rows, ids=[""] * len(rows), texts=texts, unusable_rows={})
    found: list[str] = []
    for block in sheet.blocks():
        found += block.usable()
        assert isinstance(block.texts, Texts)
        assert block.texts._listed is None
    assert found == cells == list(texts)


@pytest.mark.parametrize("extra", [0, 1])
def test_parts_of_a_long_column_keep_no_texts_however_often_they_are_gone_through(extra: int) -> None:
    cells = [f"text {number}" for number in range(stored_columns._LISTED + extra)]
    writer = TextWriter(ByteStore())
    writer.add(cells)
    texts = writer.texts()
    for part in (texts[10:20], texts.take(np.arange(10, 20)), texts[5:30][5:15]):
        assert isinstance(part, Texts)
        assert list(part) == list(part) == cells[10:20]
        assert (part._listed is None) == bool(extra)
