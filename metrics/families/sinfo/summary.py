"""From scored rows to sheet averages, from sheet averages to the model's score, and models side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from scoresheet.metrics.core import Chart, Column, Detail, Page, Report
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.rows import BANDS
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.stats.bands import band
from scoresheet.metrics.stats.bootstrap import Intervals, bootstrap_means
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.tables import frame_of_rows, object_frame

OVERALL: Final = "Overall"
SUMMARY: Final = (
    Column("Sheet", "The arrangement; the last row, Overall, is the model's score.", "key"),
    Column("Average_S_Info", "Mean S_Info of the scored rows.", "score", better="higher"),
    Column("Average_P_ROUGE", "Mean ROUGE-L precision of the scored rows.", "score", better="higher"),
    Column("Average_BP", "Mean brevity penalty; low means the predictions are too short.", "score", better="higher"),
    Column("CI_Low", "Lower end of the 95 % bootstrap interval over idioms.", "score"),
    Column("CI_High", "Upper end of the 95 % bootstrap interval over idioms.", "score"),
    Column("Rows", "Rows read.", "count"),
    Column("Scored", "Rows in the mean.", "count"),
    Column("Coverage", "Share of the rows with a computed score.", "share"),
    Column("Band", "low below 0.5, moderate below 0.8, high from 0.8.", "label"),
)
_MEASURES: Final = (("Average_S_Info", "S_Info"), ("Average_P_ROUGE", "P_ROUGE"), ("Average_BP", "BP"))


def summarise_model(model: str, details: Sequence[Detail], options: SinfoOptions) -> Report:
    """Return a model's report: a line per sheet and the overall line."""
    pooled = options.aggregate == "rows"
    intervals = _intervals(details, pooled=pooled, seed=options.seed)
    lines = [
        _line(detail.sheet.name, [detail.table], ends) for detail, ends in zip(details, intervals.sheets, strict=True)
    ]
    overall = _line(OVERALL, [detail.table for detail in details], intervals.overall)
    if not pooled:
        overall |= {name: mean(line[name] for line in lines) for name, _ in _MEASURES}
        overall["Band"] = band(overall["Average_S_Info"], BANDS)
    page = Page(
        title="Summary",
        table=object_frame({column.name: [line[column.name] for line in (*lines, overall)] for column in SUMMARY}),
        columns=SUMMARY,
        chart=Chart("Average S_Info by sheet, with 95 % intervals", "Sheet", "Average_S_Info", "CI_Low", "CI_High"),
        total_rows=1,
    )
    measures = {
        "S_Info": overall["Average_S_Info"],
        "CI_Low": overall["CI_Low"],
        "CI_High": overall["CI_High"],
    }
    return Report(
        model=model,
        status="ok" if overall["Scored"] else "unscored",
        measures=measures,
        rows=overall["Rows"],
        scored=overall["Scored"],
        computed=sum(_computed(detail.table) for detail in details),
        summary=page,
        numbers={
            **measures,
            "P_ROUGE": overall["Average_P_ROUGE"],
            "BP": overall["Average_BP"],
            "Bands": _band_shares(details),
            "Sheets": {line["Sheet"]: _numbers(line) for line in lines},
        },
    )


def compare_models(reports: Sequence[Report]) -> Page:
    """Return a page with the models as rows: why each scored as it did, and its average on every sheet."""
    sheets = list(dict.fromkeys(name for report in reports for name in report.numbers.get("Sheets", {})))
    columns = (
        Column("Model", "The model.", "key"),
        Column("S_Info", "Overall information density.", "score", better="higher"),
        Column("P_ROUGE", "Overall ROUGE-L precision; low means wordy or off the point.", "score", better="higher"),
        Column("BP", "Overall brevity penalty; low means too short.", "score", better="higher"),
        *(Column(f"{name}_rows", f"Share of scored rows in the band {name}.", "share") for _, name in BANDS),
        *(Column(f"S_Info: {name}", "Average S_Info on this sheet.", "score", better="higher") for name in sheets),
    )
    lines = []
    for report in reports:
        numbers = report.numbers
        of_sheets = numbers.get("Sheets", {})
        lines.append(
            [report.model]
            + [numbers.get(name, math.nan) for name in ("S_Info", "P_ROUGE", "BP")]
            + [numbers.get("Bands", {}).get(name, math.nan) for _, name in BANDS]
            + [of_sheets.get(name, {}).get("S_Info", math.nan) for name in sheets]
        )
    return Page("Models", frame_of_rows([column.name for column in columns], lines), columns)


def _line(name: str, tables: Sequence[pd.DataFrame], ends: tuple[float, float]) -> dict[str, Any]:
    rows = sum(len(each) for each in tables)
    computed = sum(_computed(each) for each in tables)
    means = {shown: mean(value for each in tables for value in each[column]) for shown, column in _MEASURES}
    return {
        "Sheet": name,
        **means,
        "CI_Low": ends[0],
        "CI_High": ends[1],
        "Rows": rows,
        "Scored": sum(int(each["S_Info"].notna().sum()) for each in tables),
        "Coverage": computed / rows if rows else math.nan,
        "Band": band(means["Average_S_Info"], BANDS),
    }


def _computed(scored: pd.DataFrame) -> int:
    return int(scored["P_ROUGE"].notna().sum())


def _numbers(line: Mapping[str, Any]) -> dict[str, float]:
    names = dict(_MEASURES)
    return {names.get(name, name): value for name, value in line.items() if name not in ("Sheet", "Band")}


def _band_shares(details: Sequence[Detail]) -> dict[str, float]:
    bands = [name for detail in details for name in detail.table["Band"] if name]
    return {name: bands.count(name) / len(bands) if bands else math.nan for _, name in BANDS}


def _intervals(details: Sequence[Detail], *, pooled: bool, seed: int) -> Intervals:
    """Return the bootstrap over idioms: drawn once for all sheets, sorted so that row order cannot matter."""
    scored = [
        (join_key(idiom), sheet, value)
        for sheet, detail in enumerate(details)
        for idiom, value in zip(detail.table["Idiom"], detail.table["S_Info"], strict=True)
        if not math.isnan(value)
    ]
    places = {key: place for place, key in enumerate(sorted({key for key, _, _ in scored}))}
    sums = np.zeros((len(places), len(details)))
    counts = np.zeros_like(sums)
    for key, sheet, value in scored:
        sums[places[key], sheet] += value
        counts[places[key], sheet] += 1
    return bootstrap_means(sums, counts, pooled=pooled, seed=seed)
