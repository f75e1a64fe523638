"""Lines of a CSV made of arrays: the same bytes as those of lists, and left to these where a field is not plain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.cli.write import csv_json
from scoresheet.cli.write.csv_json import write_columns
from scoresheet.cli.write.csv_padded import padded_columns, padded_lines
from scoresheet.metrics.columns import Coded, Column, NumberColumn
from scoresheet.metrics.stored_columns import Texts
from tests.helpers.soak import examples

TEXTS = st.one_of(
    st.sampled_from(["", "a", "long", "=1+1", "-1.5", "'x", "-x", "a,b", '"', "a\nb", "\r", "猫", "\0", "x" * 70, " "]),
    st.text(st.characters(codec="utf-8"), max_size=8),
)
ROWS = 7


def columns_of(draw: st.DrawFn) -> list[Column[object]]:
    found: list[Column[object]] = []
    for kind in draw(st.lists(st.sampled_from(["codes", "texts", "numbers", "plain"]), min_size=1, max_size=5)):
        if kind == "numbers":
            whole = st.sampled_from([-128, -1, 0, 1, 9, 127])
            numbers = draw(st.lists(whole, min_size=ROWS, max_size=ROWS))
            found.append(NumberColumn(np.array(numbers, draw(st.sampled_from([np.int8, np.int64])))))
        else:
            cells = st.sampled_from(["", "b", "two words"]) if kind == "plain" else TEXTS
            own = draw(st.lists(cells, min_size=ROWS, max_size=ROWS))
            found.append(Coded.of(own) if kind == "codes" else Texts.of(own))
    return found


@st.composite
def tables(draw: st.DrawFn) -> list[Column[object]]:
    return columns_of(draw)


@examples(200)
@given(tables(), st.booleans())
def test_lines_of_arrays_are_those_of_lists(
    tmp_path_factory: pytest.TempPathFactory, columns: list[Column[object]], raw: bool
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    header = [f"c{place}" for place in range(len(columns))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_json, "_BLOCK", 3)
        write_columns(folder / "arrays.csv", header, columns, raw=raw)
        write_columns(folder / "lists.csv", header, list(map(list, columns)), raw=raw)
    assert (folder / "arrays.csv").read_bytes() == (folder / "lists.csv").read_bytes()


def lines_of(columns: Sequence[Column[object]], *, raw: bool = False) -> bytes | None:
    padded = padded_columns(columns, raw=raw)
    return None if padded is None else padded_lines(padded, 0, len(columns[0]))


def test_plain_columns_are_made_of_arrays() -> None:
    numbers = NumberColumn(np.array([-3, 12], np.int8))
    columns: list[Column[object]] = [Texts.of(["s1", "s10"]), Coded.of(["cat", ""]), numbers]
    assert lines_of(columns) == b"s1,cat,-3\ns10,,12\n"
    assert lines_of([*columns[::-1]]) == b"-3,cat,s1\n12,,s10\n"


def test_numbers_with_a_point_and_a_single_column_are_left_to_lists(tmp_path: Path) -> None:
    names = Coded.of(["a", ""])
    assert lines_of([names, NumberColumn(np.array([0.5, 1.0]))]) is None
    assert lines_of([names, NumberColumn(np.array([True, False]))]) is None
    assert lines_of([names]) is None
    write_columns(tmp_path / "one.csv", ["only"], [names])
    assert (tmp_path / "one.csv").read_text() == 'only\na\n""\n'
