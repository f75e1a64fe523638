"""Scores of many rows at once are to the bit those of each row by itself."""

from __future__ import annotations

import pickle
import random
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pytest

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.sinfo.context import references_by_key
from scoresheet.metrics.families.sinfo.inputs import parse_sheet
from scoresheet.metrics.families.sinfo.options import COMBINATIONS, LENGTHS, SinfoOptions
from scoresheet.metrics.families.sinfo.row_scores import row_scores
from scoresheet.metrics.families.sinfo.s_info import score_against
from scoresheet.metrics.families.sinfo.score import score_sheet
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.schema import SOURCE
from scoresheet.metrics.text.rouge_l import DEFINITIONS, Text

B = TypeVar("B")
WORDS = ["to", "do", "too", "much", "and", "ruin", "it.", "é", "画蛇", "添足", "...", "x" * 40]


def _text(rng: random.Random) -> str:
    return "a " + " ".join(rng.choices(WORDS, k=rng.randint(1, 12))).strip()


@pytest.mark.parametrize(("rouge", "length", "by"), list(product(DEFINITIONS, LENGTHS, COMBINATIONS)))
@pytest.mark.parametrize("most", [1, 3])
def test_scores_of_many_rows_are_those_of_each(rouge: str, length: str, by: str, most: int) -> None:
    rng = random.Random(f"{rouge} {length} {by} {most}")
    options = SinfoOptions(rouge=rouge, length=length, references_by=by)
    references = [tuple(Text(_text(rng)) for _ in range(rng.randint(1, most))) for _ in range(9)]
    texts = [_text(rng) for _ in range(40)]
    wanted = Coded(references, np.array([rng.randrange(len(references)) for _ in texts], dtype=np.int32))
    found = row_scores(texts, wanted, options)
    for place, (text, own) in enumerate(zip(texts, wanted, strict=True)):
        alone = score_against(Text(text), own, rouge=rouge, length=length, references_by=by)
        assert (found.p_rouge[place], found.bp[place], found.s_info[place]) == alone[:3]
        assert found.winners[place] == (-1 if alone.winner is None else alone.winner)
        assert found.words[place] == Text(text).length()


def test_no_rows_have_no_scores() -> None:
    found = row_scores([], Coded([], np.zeros(0, np.int32)), SinfoOptions())
    assert list(map(len, found)) == [0] * 5


class _Pickled:
    """Blocks scored as by other processes; counts how many answers' references are held."""

    def __init__(self) -> None:
        self.held: list[int] = []

    def at_once(self, _blocks: int, /) -> int:
        return 2

    def done(self, _rows: int, /) -> None: ...

    def __call__(self, work: Callable[[Any], B], blocks: Sequence[Any], /) -> Iterator[B]:
        handed: list[weakref.ref[object]] = []
        for block in blocks:
            answer: Any = pickle.loads(pickle.dumps(work(block)))
            handed.append(weakref.ref(answer.references))
            yield answer
            del answer
            self.held.append(sum(each() is not None for each in handed))


def test_references_that_come_with_each_block_of_another_process_are_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoresheet.metrics.spread.BLOCK_ROWS", 5)
    names = [f"idiom {number % 4}" for number in range(23)]
    said = "to do too much and ruin it"
    references = pd.DataFrame({"idiom": names[:4], "explanation": said, "language": "", SOURCE: "r.csv"})
    options, spread = SinfoOptions(), _Pickled()
    context = references_by_key(references, options).value
    rows = pd.DataFrame({"Idiom": names, "Prediction": ["to do too much"] * 23}, index=range(2, 25))
    sheet = parse_sheet(Sheet("s", rows, absent=frozenset({"Reference"})), referenced=True).value
    assert list(score_sheet(sheet, context, options, spread).value.references) == [said] * 23
    assert spread.held == [1] * 5  # the last one, as long as no other has come
