"""Columns of texts looked at as bytes: what is found is what their strings say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.metrics.columns import BATCH, Coded, Listed
from scoresheet.metrics.decimal_columns import plain_decimals
from scoresheet.metrics.families.collective.numeric_sheets import _every_number
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.stored_columns import ByteStore, Texts, TextWriter
from scoresheet.metrics.text_columns import (
    coded_cells,
    filled_cells,
    key_column,
    paired_texts,
    sorted_places,
    text_ranks,
)
from tests.helpers.soak import examples

CELLS = st.lists(
    st.one_of(
        st.sampled_from(["", " ", "a", "b", "ab", "\0", "a\0", "é", "e\u0301", "\ud800", "猫", "\u2003x", "12345678"]),
        st.text(st.characters(), max_size=10),
        st.text("ab,~! ", max_size=70),
    ),
    max_size=30,
)
NUMBERS = st.lists(
    st.one_of(
        st.integers(0, 10**6).map(lambda whole: f"{whole / 10**6}"),
        st.floats(0, 1).map(lambda share: f"{share:.9f}"),
        st.floats(0, 9.99).map(lambda share: f"{share:.14f}"),
    ),
    min_size=12,
    max_size=40,
)
ODD = ["0.", ".", ".5", "1", "1e-06", "-0.5", "-0.0", "+0.5", " 0.5", "0.5 ", "00.5", "0..5", "0.5\0", "1.5e0", "٣.5"]


def stored(cells: list[str]) -> Texts:
    """Return texts whose strings are not kept beside their bytes."""
    texts = Texts.of(cells)
    return Texts(texts._store, texts._starts, texts._sizes)


@examples(300)
@given(CELLS)
def test_cells_are_told_apart_as_their_strings_are(cells: list[str]) -> None:
    found, wanted = coded_cells(stored(cells)), Coded.of(cells)
    assert (found.values, found.codes.tolist()) == (wanted.values, wanted.codes.tolist())
    again = coded_cells(Coded(["unused", *wanted.values], wanted.codes + 1))
    assert (again.values, again.codes.tolist()) == (wanted.values, wanted.codes.tolist())


@examples(300)
@given(CELLS)
def test_texts_are_ordered_as_their_strings_are(cells: list[str]) -> None:
    different = sorted(set(cells))
    ranks = [different.index(cell) for cell in cells]
    for own in (stored(cells), cells, Coded.of(cells), Listed(cells), stored(different)):
        wanted = ranks if len(own) == len(cells) and list(own) == cells else list(range(len(different)))
        assert text_ranks(own).tolist() == wanted
    assert [cells[place] for place in sorted_places(stored(cells)).tolist()] == sorted(cells)


@examples(300)
@given(CELLS)
def test_blank_cells_and_keys_are_those_of_the_strings(cells: list[str]) -> None:
    filled = [bool(cell.strip()) for cell in cells]
    for own in (stored(cells), cells, Coded.of(cells)):
        assert filled_cells(own).tolist() == filled
    assert list(key_column(stored(cells))) == list(map(join_key, cells))


@examples(100)
@given(CELLS, st.lists(st.sampled_from(["", "x", "猫", "a\0", "y" * 70]), min_size=1, max_size=3))
def test_pairs_of_texts_are_those_of_the_strings(cells: list[str], seconds: list[str]) -> None:
    many = cells * (BATCH // max(len(cells), 1) + 1)
    for firsts in (cells, many):
        others = Coded.of([seconds[place % len(seconds)] for place in range(len(firsts))])
        wanted = [f"{one}\n{other}" for one, other in zip(firsts, others, strict=True)]
        assert list(paired_texts(stored(firsts), others, "\n")) == wanted


@examples(200)
@given(NUMBERS, st.lists(st.sampled_from(ODD[:8]), max_size=1), st.integers(0, 11))
def test_decimals_are_the_numbers_that_python_reads(cells: list[str], odd: list[str], place: int) -> None:
    cells[place:place] = odd
    found = _every_number(stored(cells))
    if "." in odd:
        assert found is None
    else:
        assert found is not None
        assert list(map(repr, found.tolist())) == [repr(float(cell) + 0.0) for cell in cells]


@pytest.mark.parametrize("odd", ODD)
def test_a_cell_written_in_another_way_is_left_to_python(odd: str) -> None:
    cells = ["0.125", "0.5", "0.75"] * 9 + [odd]
    plain = plain_decimals(stored(cells))
    known = odd == "0."
    if plain is None:  # a NUL is nowhere looked for
        assert "\0" in odd
    else:
        assert plain.others.tolist() == ([] if known else [27])
        assert np.array_equal(plain.values[:27], [float(cell) for cell in cells[:27]])


def test_columns_of_other_numbers_are_left_to_python() -> None:
    assert plain_decimals(stored(["1", "2", "3"])) is None
    assert plain_decimals(stored(["0.5", "12.5", "123.5"])) is None
    assert plain_decimals(stored(["0.1234567890123456"])) is None
    assert plain_decimals(stored([])) is None
    assert _every_number(stored(["0.5"] * 20 + ["0_1.5"])) is None


@pytest.mark.parametrize("held", [0, 2**24])
def test_texts_in_any_order_are_read_in_few_pieces(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [f"text {number}" * 3 for number in range(30_000)]
    writer = TextWriter(ByteStore(held))
    writer.add(cells)
    order = np.random.default_rng(0).permutation(len(cells))
    reads = []
    read = ByteStore.read

    def counted(store: ByteStore, start: int, stop: int) -> bytes:
        reads.append(start)
        return read(store, start, stop)

    monkeypatch.setattr(ByteStore, "read", counted)
    assert list(writer.texts().take(order)) == [cells[place] for place in order.tolist()]
    assert len(reads) < 100
