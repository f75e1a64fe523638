"""Scores of many rows at once are to the bit those of each row by itself."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.sinfo.options import COMBINATIONS, LENGTHS, SinfoOptions
from scoresheet.metrics.families.sinfo.row_scores import row_scores
from scoresheet.metrics.families.sinfo.s_info import score_against
from scoresheet.metrics.text.rouge_l import DEFINITIONS, Text

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
