"""The units in which two models differ most."""

from collections.abc import Callable
from functools import lru_cache

import pandas as pd

from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family
from scoresheet.metrics.summary import SHEET, unit_keys

MOST = 10  # units each way


def largest_differences(
    units: pd.DataFrame, other: pd.DataFrame, family: Family, measure: str
) -> pd.DataFrame:
    """Return the units that differ most each way: both means of a measure, and both texts.

    The units in which the first model is furthest ahead come first. Empty where the measure is
    not one of single units.
    """
    if measure not in units or measure not in other:
        return pd.DataFrame()
    frames = [rows.set_index(unit_keys(rows, family)) for rows in (units, other)]
    own, others = (frame.groupby(level=0)[measure].mean() for frame in frames)
    gaps = (own - others).dropna().sort_values(ascending=False, kind="stable")
    ahead, behind = gaps[gaps > 0].index[:MOST], gaps[gaps < 0].index[::-1][:MOST]
    chosen = [*ahead, *behind]
    first, second = (frame[~frame.index.duplicated()].loc[chosen] for frame in frames)
    names = [*([SHEET] if family.unit_by_sheet and units[SHEET].nunique() > 1 else []), family.unit]
    found = first[names].assign(
        Difference=gaps[chosen],
        **{measure: own[chosen], f"Other_{measure}": others[chosen]},
    )
    for text in family.texts:
        found[text] = first[text]
        if not first[text].equals(second[text]):
            found[f"Other_{text}"] = second[text]
    return found.reset_index(drop=True)


def unit_differences(
    comparison: Comparison, units: Callable[[str], pd.DataFrame], family: Family
) -> pd.DataFrame:
    """Return the units that differ most between the best model and others, or those of --against.

    `units` returns the units of a model by its name.
    """
    pairs, name = comparison.pairs, comparison.measure.name
    units = lru_cache(maxsize=2)(units)  # one model is in all pairs
    if pairs.empty:
        return pd.DataFrame()
    if pairs["Other_Model"].nunique() > 1:  # not those of --against
        pairs = pairs[pairs["Model"] == pairs["Model"].iloc[0]]
    frames = []
    for model, other in zip(pairs["Model"][:MOST], pairs["Other_Model"][:MOST], strict=True):
        found = largest_differences(units(model), units(other), family, name)
        if len(found):
            found.insert(0, "Model", model)
            found.insert(1, "Other_Model", other)
            frames.append(found)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
