"""Short texts as numbers: what is found in bytes is what is found in strings."""

from __future__ import annotations

import pickle
from random import Random

import numpy as np
import pytest

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.diversity.rankings import rankings_in
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.numbers import parse_floats
from scoresheet.metrics.stored_columns import ByteStore, CellLines, Texts, TextWriter
from scoresheet.metrics.tables import HeldTable
from scoresheet.metrics.text_words import TextWords, chosen_texts, coded_runs, may_repeat, text_words, whole_numbers

LETTERS = "ab0123456789-"


def lined(cells: list[str], *, piece: int = 1_000, held: int = 2**20) -> Texts:
    """Cells as a file of short ones is read, some pieces of it in one store with another column's."""
    store = ByteStore(held)
    writer, other = TextWriter(store), TextWriter(store)
    for start in range(0, len(cells), piece):
        some = cells[start : start + piece]
        for each in (writer, other):
            each.add(CellLines("".join(f"{cell}\n" for cell in some).encode(), np.array(list(map(len, some)))))
    return writer.texts()


def known(cells: list[str]) -> TextWords:
    words = text_words(lined(cells))
    assert words is not None
    return words


def drawn(rng: Random, longest: int) -> list[str]:
    pool = ["".join(rng.choices(LETTERS, k=rng.randint(1, longest))) for _ in range(rng.randint(1, 40))]
    return [cell for cell in rng.choices(pool, k=rng.randint(1, 60)) for _ in range(rng.randint(1, 30))]


@pytest.mark.parametrize("seed", range(40))
def test_lined_cells_read_as_the_list_that_they_stand_for(seed: int) -> None:
    rng = Random(seed)
    cells = ["".join(rng.choices(LETTERS + " ", k=rng.randint(0, 12))) for _ in range(rng.randint(1, 5_000))]
    texts = lined(cells, piece=rng.choice([1, 7, 700]), held=rng.choice([0, 2**20]))
    start, stop = sorted(rng.choices(range(len(cells) + 1), k=2))
    places = np.array(rng.choices(range(len(cells)), k=50))
    assert texts.batch(start, stop) == cells[start:stop]
    assert list(texts[start:stop]) == cells[start:stop]
    assert list(texts.take(places)) == chosen_texts(texts, places) == [cells[place] for place in places]
    assert list(pickle.loads(pickle.dumps(texts))) == cells
    assert list(texts) == cells


@pytest.mark.parametrize("seed", range(60))
def test_what_is_found_in_bytes_is_what_is_found_in_strings(seed: int) -> None:
    rng = Random(seed)
    cells = drawn(rng, rng.choice([3, 8, 9, 32]))
    words = known(cells)
    found = coded_runs(lined(cells), words)
    if found is not None:
        slow = Coded.of(cells)
        assert (list(found.values), found.codes.tolist()) == (list(slow.values), slow.codes.tolist())
    groups = np.array([rng.randint(0, 300) for _ in cells], np.int32)
    pairs = list(zip(groups.tolist(), cells, strict=True))
    assert may_repeat(words, groups) == (len(set(pairs)) < len(pairs))
    numbers = whole_numbers(words)
    if numbers is None:
        assert not all(cell.isdigit() and len(cell) <= 8 for cell in cells)
    else:
        assert numbers.tolist() == parse_floats(cells).tolist()


@pytest.mark.parametrize("digits", range(1, 10))
def test_whole_numbers_are_read_from_bytes(digits: int) -> None:
    cells = [str(number).zfill(digits) for number in (0, 7, 9 * 10 ** (digits - 1), 10**digits - 1)]
    found = whole_numbers(known(cells))
    assert (found is None) == (digits > 8)
    assert found is None or found.tolist() == parse_floats(cells).tolist()


@pytest.mark.parametrize("odd", ["/", ":", "-1", "1.5", "a"])
def test_no_other_number_is_read_from_bytes(odd: str) -> None:
    assert whole_numbers(known(["1", "22", odd])) is None


@pytest.mark.parametrize("cells", [["a b", "c"], ["a\t", "c"], ["", ""], ["a" * 33]])
def test_blanks_nothing_and_long_texts_are_left_to_strings(cells: list[str]) -> None:
    assert text_words(lined(cells)) is None


@pytest.mark.parametrize("seed", range(80))
def test_rankings_are_the_same_from_bytes_and_from_strings(seed: int) -> None:
    rng = Random(seed)
    queries = [f"q{number}" for number in range(rng.randint(1, 8))]
    rows = [(query, f"d{rng.randint(0, 500)}", rank) for query in queries for rank in range(1, rng.randint(2, 30))]
    if rng.random() < 0.5:
        rng.shuffle(rows)
    if rng.random() < 0.3:
        rows.append((queries[0], "", 3))
    if rng.random() < 0.3:  # tied
        rows = [(query, item, min(rank, 3)) for query, item, rank in rows]
    columns = [list(map(str, column)) for column in zip(*rows, strict=True)]
    if seed % 5 == 0:  # some ranks are none, or all
        columns[2] = [rank if rng.random() < seed / 100 else "first" for rank in columns[2]]
    names = ("query", "item", "rank")
    absent = frozenset({"score", "text", "trec_rank"})
    depth = rng.randint(1, 12)
    slow, fast = (
        rankings_in(
            Sheet("s", HeldTable(dict(zip(names, own, strict=True)), range(2, len(rows) + 2)), absent=absent), depth
        )
        for own in (columns, [lined(column, piece=40) for column in columns])
    )
    assert fast.problems == slow.problems
    shown = [
        [
            (each.query, list(each.items), list(each.row_numbers), each.first_row, list(each.items[:depth]))
            for each in own
        ]
        for own in (fast.value, slow.value)
    ]
    assert shown[0] == shown[1]
