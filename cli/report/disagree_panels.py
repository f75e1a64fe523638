"""A panel of judges as a page in a browser draws it, from its reports read back: who gave what, who is lenient."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from scoresheet.cli.report.pictures import Bars, HeatMap, Panel
from scoresheet.cli.report.reporter import ReadNumbers
from scoresheet.metrics.families.disagree.measures import ITEM_KEY, STD_DEV, score_by

if TYPE_CHECKING:
    import pandas as pd

MOST_ITEMS: Final = 25  # rows of a heat map that can be taken in
MOST_SHEETS: Final = 4
JUDGES, LENIENCY, ALPHA_WITHOUT = "Judges", "Bias", "Alpha_Without"  # in metrics.json, below a sheet
_SCORE: Final = score_by("").name


def score_panels(units: pd.DataFrame) -> tuple[Panel, ...]:
    """Return who gave what, the items that divide the judges most first; nothing where scores are not by judge."""
    judges = [str(name) for name in units.columns if str(name).startswith(_SCORE)]
    if not judges or STD_DEV.name not in units.columns:
        return ()
    spread = [float(cell) if cell else -math.inf for cell in units[STD_DEV.name]]
    order = sorted(range(len(spread)), key=lambda row: -spread[row])[:MOST_ITEMS]
    several = units["Sheet"].nunique() > 1
    items, sheets = list(units[ITEM_KEY]), list(units["Sheet"])
    which = f"the {MOST_ITEMS} of {len(spread):,} items" if len(spread) > MOST_ITEMS else "items"
    return (
        HeatMap(
            f"Scores by judge, {which} that divide them most first",
            rows=tuple(f"{sheets[row]}: {items[row]}" if several else items[row] for row in order),
            columns=tuple(judge.removeprefix(_SCORE) for judge in judges),
            values=[[_number(units[judge].iloc[row]) for judge in judges] for row in order],
        ),
    )


def judge_panels(numbers: ReadNumbers) -> tuple[Panel, ...]:
    """Return how lenient each judge is, and the agreement without each, sheet by sheet."""
    sheets: Mapping[str, ReadNumbers] = numbers.get("Sheets", {})
    panels: list[Panel] = []
    for sheet, own in list(sheets.items())[:MOST_SHEETS]:
        where = f", {sheet}" if len(sheets) > 1 else ""
        for title, key in (("Leniency of each judge", LENIENCY), ("Alpha without the judge", ALPHA_WITHOUT)):
            known = {judge: each[key] for judge, each in own.get(JUDGES, {}).items() if each.get(key) is not None}
            panels += [Bars(title + where, key, known)] if known else []
    return tuple(panels)


def _number(cell: str) -> float:
    return float(cell) if cell else math.nan
