"""Is our JSON the text that the standard library makes of a value, with undefined numbers as null?"""

from __future__ import annotations

import json
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scoresheet.cli.write.csv_json import as_json

SHOWN = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")))
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | SHOWN
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(SHOWN, inner))


@settings(max_examples=30)
@given(VALUES)
def test_a_value_is_written_as_the_standard_library_writes_it(value: object) -> None:
    assert as_json(value) == json.dumps(value, indent=2, ensure_ascii=False)


def test_numbers_that_are_none_are_null_and_those_of_arrays_are_numbers() -> None:
    value = {"a": [math.nan, -math.inf, np.float64(0.1)], "b": (1, True), 3: {}}
    assert json.loads(as_json(value)) == {"a": [None, None, 0.1], "b": [1, True], "3": {}}


def test_keys_that_look_the_same_once_written_are_one() -> None:
    assert as_json({"\a": 1, "\\x07": 2}) == '{\n  "\\\\x07": 2\n}'
