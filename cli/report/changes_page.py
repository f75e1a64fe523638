"""How the change of each model since an earlier run is shown: one set of columns for screen, page, CSV and JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from scoresheet.cli.report.page import Column, Page, PageTable

if TYPE_CHECKING:
    from scoresheet.cli.run.baseline import Baseline, Change

TITLE: Final = "Changes"
CHANGE_COLUMNS: Final = (
    Column("Model", "The model.", "key"),
    Column("Measure", "What is compared.", "key"),
    Column("Before", "Its mean in the earlier run, over the units that it has in both.", "score"),
    Column("Now", "Its mean now, over the same units.", "score"),
    Column("Change", "Now less before.", "score"),
    Column("CI_Low", "Lower end of the confidence interval of the change.", "score"),
    Column("CI_High", "Upper end of it.", "score"),
    Column("P_Worse", "Chance of such a change for the worse if nothing had changed: one-sided.", "chance"),
    Column("P_Holm", "The same after Holm's correction over the models.", "chance"),
    Column("Shared", "Units that it has in both.", "count"),
    Column("Units_Before", "What it had in the earlier run.", "count"),
    Column("Gone", "Share of that which it has no more.", "share"),
    Column("Finding", "Whether it is worse, and whether that is shown.", "label"),
)
_ON_SCREEN: Final = ("Model", "Before", "Now", "Change", "P_Holm", "Shared", "Gone", "Finding")


def change_row(change: Change, measure: str) -> list[object]:
    """Return the cells under CHANGE_COLUMNS."""
    test = change.pair.test if change.pair else None
    numbers = [math.nan] * 5 if test is None else [test.other_mean, test.mean, test.difference, test.low, test.high]
    return [
        change.model,
        measure,
        *numbers,
        change.p_worse,
        change.p_holm,
        0 if test is None else test.units,
        change.units_before,
        change.gone_share,
        change.finding,
    ]


def changes_page(baseline: Baseline) -> Page:
    """Return the page that holds each model against the earlier run."""
    names = [column.name for column in CHANGE_COLUMNS]
    rows = [change_row(change, baseline.measure) for change in baseline.changes]
    return Page(TITLE, PageTable.of_rows(names, rows), CHANGE_COLUMNS, sentence=baseline.sentence())


def changes_table(baseline: Baseline) -> tuple[tuple[Column, ...], list[list[object]]]:
    """Return the changes as a screen shows them."""
    places = [place for place, column in enumerate(CHANGE_COLUMNS) if column.name in _ON_SCREEN]
    rows = [change_row(change, baseline.measure) for change in baseline.changes]
    return tuple(CHANGE_COLUMNS[place] for place in places), [[row[place] for place in places] for row in rows]


def changes_record(baseline: Baseline) -> dict[str, object]:
    """Return the changes for machines, with every unit and model that is gone."""
    names = [column.name for column in CHANGE_COLUMNS]
    return {
        "folder": baseline.folder,
        "measure": baseline.measure,
        "differs": list(baseline.differs),
        "models": [
            {
                **dict(zip(names, change_row(change, baseline.measure), strict=True)),
                "Units_Gone": list(change.gone),
            }
            for change in baseline.changes
        ],
        "lost_models": baseline.lost_models,
        "new_models": list(baseline.new_models),
        "answer": baseline.sentence(),
    }


def how_changed(baseline: Baseline) -> str:
    """Return how models were held against the earlier run, for the page About."""
    tested = (
        f"{baseline.measure} over the {baseline.units} in both, paired; one-sided p-values, Holm's correction over the "
        "models"
    )
    if not baseline.directed:
        tested = f"{baseline.measure} has no direction: only models and units that are gone count"
    other = f" Made in another way: {'; '.join(baseline.differs)}." if baseline.differs else ""
    return f"Each model held against {baseline.folder}: {tested}.{other}"
