"""The units in which two models differ most."""

from collections.abc import Callable
from functools import lru_cache

import pandas as pd

from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family
from scoresheet.metrics.summary import SHEET, unit_keys

MOST = 10  # pairs, and units each way


def unit_differences(
    comparison: Comparison, units: Callable[[str], pd.DataFrame], family: Family
) -> pd.DataFrame:
    """Return the units that differ most between the best model and others, or those of --against.

    `units` returns the units of a model by its name. Of each pair come first the units in which
    the first model is furthest ahead, with both means and both texts. Empty where the measure is
    not one of single units.
    """
    pairs, measure = comparison.pairs, comparison.measure.name
    units = lru_cache(maxsize=2)(units)  # one model is in all pairs
    if len(pairs) and pairs["Other_Model"].nunique() > 1:  # not those of --against
        pairs = pairs[pairs["Model"] == pairs["Model"].iloc[0]]
    frames = {}
    for pair in pairs[:MOST].to_dict("records"):
        model, other = pair["Model"], pair["Other_Model"]
        found = _largest(units(model), units(other), family, measure)
        if len(found):
            frames[model, other] = found
    if not frames:
        return pd.DataFrame()
    return pd.concat(frames, names=["Model", "Other_Model"]).droplevel(2).reset_index()


def _largest(a: pd.DataFrame, b: pd.DataFrame, family: Family, measure: str) -> pd.DataFrame:
    """Return the units of two models whose means of a measure differ most each way."""
    if measure not in a or measure not in b:
        return pd.DataFrame()
    frames = [rows.set_index(unit_keys(rows, family)) for rows in (a, b)]
    own, others = (frame.groupby(level=0)[measure].mean() for frame in frames)
    gaps = (own - others).dropna().sort_values(ascending=False, kind="stable")
    chosen = [*gaps[gaps > 0].index[:MOST], *gaps[gaps < 0].index[::-1][:MOST]]
    first, second = (frame[~frame.index.duplicated()].loc[chosen] for frame in frames)
    sheet = [SHEET] if family.unit_by_sheet and a[SHEET].nunique() > 1 else []
    found = first[[*sheet, family.unit]].assign(Difference=gaps[chosen])
    found[measure], found[f"Other_{measure}"] = own[chosen], others[chosen]
    for text in family.texts:
        found[text] = first[text]
        if not first[text].equals(second[text]):
            found[f"Other_{text}"] = second[text]
    return found
