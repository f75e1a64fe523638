"""Do values come back from JSON as the very values and types that they were?"""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoresheet.cli.run import typed_json
from scoresheet.cli.run.breakdown import Part
from scoresheet.cli.run.typed_json import digest, from_json, in_json_types, to_json, write_in_pieces
from scoresheet.metrics.compare import ComparedUnits, Standing
from scoresheet.metrics.problems import note
from scoresheet.metrics.stats.confidence import Interval
from scoresheet.metrics.stored_columns import Texts

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=()))
KEYS = st.text() | st.integers() | st.tuples(st.text(), st.integers())
VALUES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(KEYS, inner)
        | st.frozensets(st.text() | st.integers())
        | st.sets(st.text())
    ),
)


def _part(value: Any) -> Part:
    return Part("é", "", "", {"a": value, "b": Part("", "", "", {}, 0, 0, 0)}, value, 0, 0)  # type: ignore[dict-item]


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of one type, all the way down; NaN is NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return repr(one) == repr(other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


@given(VALUES)
def test_plain_values_come_back_as_they_were(value: object) -> None:
    assert same(from_json(to_json(value)), value)


@settings(max_examples=30)
@given(VALUES | st.lists(VALUES.map(_part)))
def test_pieces_are_the_text_that_is_made_at_once(value: object) -> None:
    stream = io.StringIO()
    write_in_pieces(in_json_types(value), stream)
    assert stream.getvalue() == to_json(value)


def test_what_is_long_is_written_some_at_a_time_and_makes_the_same_text() -> None:
    numbers, texts = np.arange(70_000.0), Texts.of([f"text {number}" for number in range(5_000)])
    value = {"a": (numbers, [texts, {"b": numbers[:3]}]), "c": [_part(texts), _part(numbers)], "d": list(range(9_000))}
    stream = io.StringIO()
    write_in_pieces(in_json_types(value), stream)
    assert stream.getvalue() == to_json(value)


@given(VALUES, VALUES)
def test_values_have_one_digest_if_they_are_the_same(one: object, other: object) -> None:
    assert digest(one) == digest(from_json(to_json(one)))
    assert (digest(one) == digest(other)) == (to_json(one) == to_json(other))


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1.5, math.nan], [-0.0, math.inf]]),
        np.array([], dtype=np.int64),
        np.array([True, False]),
        np.array(["ab", "c"]),
        np.arange(6).reshape(2, 3).T,
        np.float64(0.1),
        np.int8(-3),
        np.bool_(True),
    ],
    ids=repr,
)
def test_arrays_and_their_scalars_keep_type_and_bits(value: Any) -> None:
    back: Any = from_json(to_json(value))
    assert type(back) is type(value)
    assert (back.dtype, back.shape, back.tobytes()) == (value.dtype, value.shape, value.tobytes())


@given(VALUES)
def test_what_is_written_in_pieces_is_the_same_text(value: object) -> None:
    assert in_pieces(value) == to_json(value)


def test_long_arrays_and_texts_are_written_in_pieces_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed_json, "_BYTES", 6)
    monkeypatch.setattr(typed_json, "_ITEMS", 2)
    values = {
        "a": [np.arange(7.0), np.arange(6).reshape(2, 3).T, np.float64(2)],
        "b": Texts.of(["x", "ü", '"', "", "y"]),
    }
    assert in_pieces(values) == to_json(values)


def in_pieces(value: object) -> str:
    stream = io.StringIO()
    write_in_pieces(in_json_types(value), stream)
    return stream.getvalue()


def test_our_own_classes_come_back() -> None:
    units = ComparedUnits(("a", "b"), ("s",), np.array([0, 1]), np.array([0, 0]), np.array([[0.5], [math.nan]]))
    values = [note("no-rows", "none", row=3), Interval(0.1, 0.2, "few"), Standing(1, 2, 0.5, None), units]
    back: Any = from_json(to_json(values))
    assert back[:3] == values[:3]
    assert [type(each) for each in back] == [type(each) for each in values]
    assert back[3].values.tobytes() == units.values.tobytes()


def test_one_object_in_two_places_stays_one() -> None:
    one, equal = note("no-rows", "none"), note("no-rows", "none")
    back: Any = from_json(to_json({"a": one, "b": [one], "c": equal}))
    assert back["a"] is back["b"][0]
    assert back["a"] is not back["c"]


@pytest.mark.parametrize("value", [object(), len, {1: object()}, np.array([object()]), math, range(3), 1j])
def test_what_could_not_be_made_again_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"cannot be kept|can't be"):
        to_json(value)


@pytest.mark.parametrize(
    "encoded",
    [
        {"data": ["subprocess:Popen", {"args": "true"}]},
        {"data": ["scoresheet.cli.app:main", {"arguments": []}]},
        {"data": ["scoresheet.nowhere:Problem", {}]},
        {"data": ["scoresheet.metrics.problems:Problem", {"kind": "x"}]},
        {"data": ["scoresheet.metrics.problems:Problem", 1]},
        {"named": ["scoresheet.metrics.problems:Problem", []]},
        {"array": ["<f8", [3], ""]},
        {"array": ["O", [1], "AAAAAAAAAAA="]},
        {"again": 7},
        {"unheard of": 1},
        {},
        {"tuple": [], "mapping": {}},
        {"set": [[]]},
    ],
    ids=json.dumps,
)
def test_a_text_of_anybody_elses_is_refused_and_runs_nothing(encoded: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_json(json.dumps(encoded))


def test_a_digest_does_not_depend_on_the_process() -> None:
    code = (
        "from scoresheet.cli.run.typed_json import digest;"
        "print(digest([{'a', 'b', 'c', 'd'}, frozenset({('x', 1), ('y', 2)})]))"
    )
    words = [sys.executable, "-c", code]
    ran = [subprocess.run(words, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True) for seed in "12"]
    assert len({each.stdout for each in ran}) == 1


def test_objects_without_fields_have_a_digest_by_what_they_hold() -> None:
    from scoresheet.metrics.text.rouge_l import Text

    assert digest(Text("a b")) == digest(Text("a b")) != digest(Text("a c"))
    with pytest.raises(TypeError):
        to_json(Text("a b"))
