"""Comparing from Python: every two models on the units they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scoresheet.cli.report.paired_comparison import COMPARISON_COLUMNS, comparison_row
from scoresheet.metrics.checks import check_whole, checked_texts
from scoresheet.metrics.compare import ComparedUnits, KeyedValues, compare_units
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, check_confidence
from scoresheet.metrics.tables import frame_of_rows
from scoresheet.scores import Scores

if TYPE_CHECKING:
    from scoresheet.metrics.family import ModelResult, ScoredSheet


def compare(
    *scores: Scores, measures: Sequence[str] = (), confidence: float = CONFIDENCE_LEVEL, seed: int = 0
) -> pd.DataFrame:
    """Return every two models on the units they share, with the columns of the command's comparison CSV.

    Parameters
    ----------
    *scores : Scores
        One result (its models among themselves) or several of one family, such as last night's and tonight's.
    measures : sequence of str, optional
        Measures of the units to compare; by default every number that all units have. The family's headline, or the
        first where it is not among them, is corrected by itself; the others are exploratory.
    confidence : float, optional
        Level of the intervals, and one minus the level of the findings.
    seed : int, optional
        Seed of the intervals and of the randomisation test.

    Returns
    -------
    DataFrame
        A line per pair of models and measure.

    Raises
    ------
    ValueError
        If nothing is given, or what is no result of `score`; the families differ, a measure is no number that all units
        have, or the confidence or the seed is none.

    Examples
    --------
    >>> import pandas as pd
    >>> from scoresheet import score
    >>> references = pd.DataFrame({"idiom": ["spill the beans"], "explanation": ["to tell a secret to somebody"]})
    >>> short, long = (
    ...     pd.DataFrame({"Idiom": ["spill the beans"], "Prediction": [text]})
    ...     for text in ("to tell a secret", "to tell a secret to somebody")
    ... )
    >>> compare(score("sinfo", {"short": short, "long": long}, references), measures=["S_Info"])["Finding"].tolist()
    ['too few units to tell']
    """
    if wrong := [each for each in scores if not isinstance(each, Scores)]:
        raise ValueError(f"compare takes what score returned, not {wrong[0]!r}")
    if len({each.signature.partition("|")[0] for each in scores}) != 1:
        raise ValueError(f"compare needs results of one family, not {[each.signature for each in scores]}")
    check_confidence(confidence)
    check_whole("seed", seed)
    models: dict[str, ComparedUnits | None] = {}
    known = _common_measures([result for each in scores for result in each.results.values()])
    names = checked_texts("measures", measures) or known
    if not names:
        return frame_of_rows([column.name for column in COMPARISON_COLUMNS], [])
    if unknown := [name for name in names if name not in known]:
        raise ValueError(
            f"there is no measure {unknown[0]!r} to compare by; all units have {', '.join(known) or 'none'}"
        )
    for position, each in enumerate(scores, start=1):
        for model, result in each.results.items():
            shown = model if len(scores) == 1 else f"{model} ({position})"
            models[shown] = _compared_units(result, names)
    usual = scores[0].comparison_headline
    paired = compare_units(
        models,
        names,
        headline=usual if usual in names else names[0],
        better=None,
        units="units",
        confidence=confidence,
        seed=seed,
    )
    rows = [comparison_row(each) for each in paired.differences]
    return frame_of_rows([column.name for column in COMPARISON_COLUMNS], rows).infer_objects()


def _common_measures(results: Sequence[ModelResult[ScoredSheet]]) -> list[str]:
    """Return the measures that are numbers in every sheet that has units."""
    tables = [units.measures for result in results for units in result.comparable_units().values()]
    return [
        name
        for name in (tables[0] if tables else ())
        if not any(isinstance(value, str) for measures in tables for value in measures.get(name, [""]))
    ]


def _compared_units(result: ModelResult[ScoredSheet], measures: Sequence[str]) -> ComparedUnits | None:
    keyed = {}
    for sheet, units in result.comparable_units().items():
        keys = ["\x1f".join(parts) for parts in zip(*units.keys.values(), strict=True)]
        keyed[sheet] = KeyedValues(keys, np.column_stack([units.array(name) for name in measures]))
    return ComparedUnits.of_sheets(keyed)
