"""From items to sheets, from sheets to the panel of one file, and the pages that tell of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.core import Chart, Column, Detail, Page, Report
from scoresheet.metrics.families.disagree.columns import DIMENSIONS, FLAG, JUDGE, PAIR, RESULTS, SUMMARY, heat_map
from scoresheet.metrics.families.disagree.flags import by_severity
from scoresheet.metrics.families.disagree.notes import no_intervals
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.panel import COMPARED_JUDGES, OVERALL, Panel, View
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.stats.alpha_interval import ResampledAlpha, alphas_of_draws
from scoresheet.metrics.stats.bands import band
from scoresheet.metrics.stats.bootstrap import percentile_interval
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.tables import frame_of_rows, object_frame

_VERDICTS: Final = ((-math.inf, "unreliable"), (0.667, "tentative"), (0.8, "reliable"))
_AVERAGED: Final = ("Alpha", "ICC_2_1", "ICC_2_k", "Consensus", "Reliability")
_SUMMED: Final = ("Items", "Alpha_Items", "Alpha_Sheets", "Consensus_Items", "ICC_Items", "Flagged", "High")
_Ends = tuple[float, float]


def summarise_panel(model: str, details: Sequence[Detail], options: DisagreeOptions) -> Report:
    """Return a file's report: a line per sheet, and the mean over sheets."""
    ends, overall_ends, problems = _intervals(details, options)
    lines = [_line(detail, ends[place][-1]) for place, detail in enumerate(details)]
    total = _total(details, lines, overall_ends)
    page = Page(
        title="Summary",
        table=object_frame({column.name: [line[column.name] for line in (*lines, total)] for column in SUMMARY}),
        columns=SUMMARY,
        chart=Chart("Alpha by sheet, with 95 % intervals", "Sheet", "Alpha", "CI_Low", "CI_High"),
        total_rows=1,
    )
    measures = {column.name: total[column.name] for column in RESULTS}
    used = sum(detail.extra.used for detail in details)
    return Report(
        model=model,
        status="ok" if used else "unscored",
        measures=measures,
        rows=sum(len(detail.sheet.frame) for detail in details),
        scored=used,
        computed=used,
        summary=page,
        pages=(_dimensions(details, ends), *_judges(details, options), _pairs(details), _flags(details)),
        numbers={
            **_numbers(measures),
            "Sheets": {
                detail.sheet.name: {
                    **_numbers(line),
                    "By_Dimension": {
                        view.dimension: {
                            "Alpha": view.alpha,
                            "CI_Low": low,
                            "CI_High": high,
                            "Alpha_Items": view.alpha_items,
                            "Mean": view.mean,
                        }
                        for view, (low, high) in zip(detail.extra.views, own, strict=True)
                    },
                }
                for detail, line, own in zip(details, lines, ends, strict=True)
            },
        },
        problems=tuple(problems),
    )


def _numbers(values: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in values.items() if not isinstance(value, str)}


def _intervals(details: Sequence[Detail], options: DisagreeOptions) -> tuple[list[list[_Ends]], _Ends, list[Problem]]:
    """Return the interval of alpha of every sheet and view, that of the mean over sheets, and why there is none.

    An item is drawn with all its ratings, in every sheet and on every dimension at once.
    """
    panels: list[Panel] = [detail.extra for detail in details]
    keys = {item: place for place, item in enumerate(sorted({item for panel in panels for item in panel.items}))}
    named = [(detail.sheet.name, panel) for detail, panel in zip(details, panels, strict=True)]
    nothing = (math.nan, math.nan)
    if len(keys) < 2:
        notes = no_intervals(named, [False] * len(panels), [False] * len(panels), overall=False)
        return [[nothing] * len(panel.views) for panel in panels], nothing, notes
    tables = []
    for panel in panels:
        positions = np.array([keys[item] for item in panel.keys], dtype=np.int64)
        tables += [[(ResampledAlpha(given, options.level), positions) for given in view.given] for view in panel.views]
    drawn = alphas_of_draws([each for own in tables for each in own], len(keys), options.seed)
    columns = _columns(drawn, [len(own) for own in tables])
    usable = [all(each.can_draw for each, _ in own) for own in tables]
    ends = [percentile_interval(column) if enough else nothing for column, enough in zip(columns, usable, strict=True)]
    stops = np.cumsum([len(panel.views) for panel in panels]).tolist()
    grouped = [ends[stop - len(panel.views) : stop] for panel, stop in zip(panels, stops, strict=True)]
    drawable = [usable[stop - 1] for stop in stops]
    overall = [columns[stop - 1] for stop in stops if usable[stop - 1]]
    # whether every sheet that has an alpha, and so is in the mean, can be drawn from
    told = bool(overall) and all(
        has or math.isnan(panel.overall.alpha) for panel, has in zip(panels, drawable, strict=True)
    )
    crowded = [any(each.crowded for each, _ in tables[stop - 1]) for stop in stops]
    notes = no_intervals(named, drawable, crowded, overall=told)
    return grouped, percentile_interval(_means(np.column_stack(overall))) if told else nothing, notes


def _columns(drawn: NDArray[np.float64], widths: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return one column per view: its own, or the mean of those it is made of."""
    columns, start = [], 0
    for width in widths:
        columns.append(_means(drawn[:, start : start + width]))
        start += width
    return columns


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1))


def _line(detail: Detail, ends: _Ends) -> dict[str, Any]:
    panel: Panel = detail.extra
    view = panel.overall
    odd = view.odd
    severity = detail.table["Severity"].tolist()
    line = {
        "Sheet": detail.sheet.name,
        "Items": len(panel.items),
        "Judges": len(panel.judges),
        "Dimensions": len(panel.dimensions),
        "Alpha": view.alpha,
        "CI_Low": ends[0],
        "CI_High": ends[1],
        "Alpha_Items": view.alpha_items,
        "Alpha_Sheets": int(not math.isnan(view.alpha)),
        "Verdict": band(view.alpha, _VERDICTS),
        "ICC_2_1": view.correlation.single,
        "ICC_2_k": view.correlation.average,
        "ICC_Items": 0 if math.isnan(view.correlation.single) else view.correlation.items,
        "Consensus": math.nan,
        "Reliability": math.nan,
        "Consensus_Items": 0,
        "Flagged": sum(map(bool, severity)),
        "High": severity.count("high"),
        "Odd_Judge": odd.name if odd else "",
        "Odd_Influence": odd.influence if odd else math.nan,
    }
    if "Consensus" in detail.table:  # an item with one judge has a consensus by decree, which would flatter the panel
        several = [judges > 1 for judges in detail.table["Judges"].tolist()]
        for name in ("Consensus", "Reliability"):
            values = zip(detail.table[name].tolist(), several, strict=True)
            counted = [value for value, counts in values if counts]
            line[name] = mean(counted)
            line["Consensus_Items"] = sum(not math.isnan(value) for value in counted)
    return line


def _total(details: Sequence[Detail], lines: Sequence[dict[str, Any]], ends: _Ends) -> dict[str, Any]:
    averaged = {name: mean(line[name] for line in lines) for name in _AVERAGED}
    judges = {judge for detail in details for judge in detail.extra.judges}
    dimensions = {dimension for detail in details for dimension in detail.extra.dimensions}
    return {
        "Sheet": OVERALL,
        **{name: sum(line[name] for line in lines) for name in _SUMMED},
        "Judges": len(judges),
        "Dimensions": len(dimensions),
        **averaged,
        "CI_Low": ends[0],
        "CI_High": ends[1],
        "Verdict": band(averaged["Alpha"], _VERDICTS),
        "Odd_Judge": lines[0]["Odd_Judge"] if len({line["Odd_Judge"] for line in lines}) == 1 else "",
        "Odd_Influence": lines[0]["Odd_Influence"] if len(lines) == 1 else math.nan,
    }


def _dimensions(details: Sequence[Detail], ends: Sequence[Sequence[_Ends]]) -> Page:
    rows = []
    for detail, own in zip(details, ends, strict=True):
        for view, (low, high) in zip(detail.extra.views, own, strict=True):
            rows.append(
                (
                    detail.sheet.name,
                    view.dimension,
                    view.items,
                    view.ratings,
                    view.mean,
                    view.disagreement,
                    view.disagreement_items,
                    view.alpha,
                    low,
                    high,
                    view.alpha_items,
                    *(view.alphas[level] for level in ("nominal", "ordinal", "interval", "ratio")),
                    view.correlation.single,
                    view.correlation.average,
                    0 if math.isnan(view.correlation.single) else view.correlation.items,
                )
            )
    several = len(details) > 1
    chart = Chart(
        "Alpha by dimension, with 95 % intervals",
        "Dimension",
        "Alpha",
        "CI_Low",
        "CI_High",
        group="Sheet" if several else "",
    )
    return Page("Dimensions", frame_of_rows(_names(DIMENSIONS), rows), DIMENSIONS, chart=chart)


def _judges(details: Sequence[Detail], options: DisagreeOptions) -> tuple[Page, ...]:
    names = list(dict.fromkeys(judge for detail in details for judge in detail.extra.judges))
    names = names if len(names) <= COMPARED_JUDGES else []
    matrix = heat_map(names, nominal=options.nominal)
    rows = []
    for detail in details:
        panel: Panel = detail.extra
        for view in panel.told:
            rows += [
                (
                    detail.sheet.name,
                    view.dimension,
                    judge.name,
                    judge.items,
                    judge.mean,
                    judge.bias,
                    judge.alpha_without,
                    judge.influence,
                    panel.outlier_items.get(judge.name) if view is panel.overall else None,
                    *_matrix_row(panel, view, place, names),
                )
                for place, judge in enumerate(view.judges)
            ]
    columns = (*JUDGE, *matrix)
    return (Page("Judges", frame_of_rows(_names(columns), rows), columns),)


def _matrix_row(panel: Panel, view: View, place: int, names: Sequence[str]) -> list[float]:
    alike = dict(zip(panel.judges, view.judges[place].alike, strict=True))
    return [alike.get(name, math.nan) for name in names]


def _pairs(details: Sequence[Detail]) -> Page:
    rows = [
        (
            detail.sheet.name,
            view.dimension,
            pair.judge,
            pair.other,
            pair.items,
            pair.correlation,
            pair.difference,
            pair.agreement,
        )
        for detail in details
        for view in detail.extra.told
        for pair in view.pairs
    ]
    return Page("Pairs", frame_of_rows(_names(PAIR), rows), PAIR)


def _flags(details: Sequence[Detail]) -> Page:
    flags = [
        (detail.sheet.name, detail.extra.items[flag.item], flag) for detail in details for flag in detail.extra.flags
    ]
    return Page("Flags", frame_of_rows(_names(FLAG), by_severity(flags)), FLAG)


def _names(columns: Sequence[Column]) -> list[str]:
    return [column.name for column in columns]
