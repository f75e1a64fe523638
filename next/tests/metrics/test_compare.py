"""Comparisons of models and summaries of one model, as functions."""

import math
import re
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from scoresheet.metrics.compare import compare_models
from scoresheet.metrics.family import Scores
from scoresheet.metrics.measure import Measure, measure
from scoresheet.metrics.sinfo.family import FAMILY as SINFO
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.summary import summarize
from scoresheet.metrics.text import words

HIGHER = Measure("m", "M", "A measure.", better="higher")


def models(count: int, units: int = 20, seed: int = 1) -> dict[str, Rows]:
    rng = np.random.default_rng(seed)
    base = rng.normal(size=units)
    codes = np.arange(units)
    return {
        f"m{i:02}": Rows(base + 0.1 * i + rng.normal(scale=0.3, size=units), codes, codes * 0)
        for i in range(count)
    }


@pytest.mark.parametrize(("count", "pairs"), [(2, 1), (5, 10), (30, 435), (31, 30)], ids=str)
def test_all_pairs_up_to_thirty_models_then_each_against_the_best(count: int, pairs: int) -> None:
    comparison = compare_models(models(count), HIGHER)
    assert len(comparison.pairs) == pairs
    if count > 30:
        assert set(comparison.pairs["Model"]) == {comparison.best}
        # still corrected by all pairs, because the best was picked on these data
        assert comparison.pairs["Level"].max() == pytest.approx(1 - 0.05 / 465, abs=1e-3)


def test_ranking_is_on_the_units_that_all_models_share() -> None:
    rows = {
        "easy": Rows([1.0, 1.0, 0.2, 0.2], [0, 1, 2, 3]),
        "hard": Rows([0.3, 0.3, math.nan], [2, 3, 4]),
    }
    comparison = compare_models(rows, HIGHER)
    assert comparison.order == ("hard", "easy")
    (pair,) = comparison.pairs.to_dict("records")
    assert (pair["Shared"], pair["Only_Model"], pair["Only_Other"]) == (2, 0, 2)
    assert pair["Note"]


def test_lower_can_be_better_and_a_measure_may_have_no_direction() -> None:
    rows = models(3)
    lower = Measure("m", "M", "A measure.", better="lower")
    assert compare_models(rows, lower).order == compare_models(rows, HIGHER).order[::-1]
    assert compare_models(rows, Measure("m", "M", "A measure.")).best == ""


# The measures that the tables below have, whatever else sinfo measures.
FAMILY = replace(SINFO, functions=SINFO.functions[:3])


def units(**columns: object) -> pd.DataFrame:
    frame = pd.DataFrame({"Sheet": ["a", "a", "b"], "Idiom": ["x", "y", "x"], **columns})
    return frame.assign(Component="")


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (units(S_Info=0.5, BP=1.0), "declared and not computed: P_ROUGE"),
        (units(S_Info=0.5, BP=1.0, P_ROUGE=0.5, More=0.1), "computed and not declared: More"),
    ],
)
def test_a_measure_is_declared_and_computed_or_an_error(frame: pd.DataFrame, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        summarize(Scores(frame), FAMILY)


def test_the_measure_that_contributing_adds_reaches_the_results() -> None:
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    function, column = map(dedent, re.findall(r"   ```python\n(.*?)   ```", text, re.DOTALL))
    names: dict[str, Any] = {"measure": measure, "words": words, "math": math, "np": np}
    exec("from __future__ import annotations\n" + function, names)
    names["m"] = SimpleNamespace(number_share=names["number_share"])
    names |= {"information": np.array([1.0, 0.5, math.nan]), "predictions": ["3 of 4", "a", "5"]}
    frame = units(S_Info=names["information"], BP=1.0, P_ROUGE=0.5, **eval(f"{{{column}}}", names))
    assert frame["Number_Share"].tolist() == pytest.approx([2 / 3, 0, math.nan], nan_ok=True)
    family = replace(FAMILY, functions=(*FAMILY.functions, names["number_share"]))
    found = summarize(Scores(frame), family)
    assert found.results["Number_Share"] == pytest.approx(1 / 3)
    assert found.measures[-1].sentence.startswith("Return the share of each text's words")


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.1, 0.4, "low"),
        (0.1, 0.5, ""),
        (0.5 - 1e-10, 0.79, "moderate"),
        (0.5 - 1e-8, 0.6, ""),
        (0.6, 0.8 - 1e-10, ""),
        (0.9, math.inf, "high"),
        (math.nan, 0.4, ""),
        (0.1, math.nan, ""),
    ],
)
def test_a_band_word_needs_the_whole_interval(low: float, high: float, word: str) -> None:
    bands = ((-math.inf, "low"), (0.5, "moderate"), (0.8, "high"))
    assert Measure("m", "", "", bands=bands).verdict(low, high) == word
