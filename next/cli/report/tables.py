"""The tables that a run shows: headline, comparison, all measures, units, problems."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import pandas as pd

from scoresheet.cli.report import Column, Page, Tone
from scoresheet.cli.report.text import show_interval, show_level
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem, problem_frame

# Columns that are not measures: as people read them, and those that count.
LABELS = {"Run_SD": "SD over runs", "CI_Low": "CI low", "CI_High": "CI high"}
COUNTS = ("Rows", "Scored", "Units", "Runs")


def ci_label(ci: float) -> str:
    """Return the label of an interval column: 95% CI."""
    return f"{show_level(ci)} CI"


def measure_column(measure: Measure, *, headline: bool = False) -> Column:
    """Return the column that shows a measure."""
    name, label, bounds = measure.name, measure.label, measure.bounds
    return Column(name, label, measure.format, "measure", headline, bounds, measure.better)


def plain_column(values: pd.Series, role: Literal["measure", "note"]) -> Column:
    """Return the column of values that no measure declares; `role` is that of counts and texts."""
    name, kind = str(values.name), values.dtype.kind
    label = LABELS.get(name, name.replace("_", " "))
    if kind == "f" and name not in COUNTS:
        return Column(name, label, "number", "measure")
    return Column(name, label, "count" if kind in "iuf" else "text", role)


def headline_table(
    family: Family,
    results: pd.DataFrame,
    measures: Sequence[Measure],
    comparison: Comparison | None,
    ci: float,
    *,
    of: str = "/",
) -> Page:
    """Return the table of models that opens the screen and the workbook, best model first.

    `of` separates scored from all rows: `59/60` on the screen, `59 of 60` in the workbook.
    """
    places = {name: place for place, name in enumerate(comparison.order if comparison else ())}
    names = sorted(results["Model Name"], key=lambda name: places.get(name, len(places)))
    rows = results.set_index("Model Name").loc[names]
    headline, label = measures[0], ci_label(ci)
    known: dict[str, tuple[Column, Any]] = {
        headline.name: (measure_column(headline, headline=True), rows[headline.name]),
        "CI": (Column("CI", label, role="interval"), _intervals(rows, headline)),
    }
    for measure in measures[1:]:
        name, ends = f"CI {measure.name}", (f"{measure.name}_Low", f"{measure.name}_High")
        known[measure.name] = measure_column(measure), rows[measure.name]
        known[name] = Column(name, label, role="interval"), _intervals(rows, measure, *ends)
    if headline.bands:
        known["Verdict"] = Column("Verdict", "Verdict", role="verdict"), rows["Verdict"].fillna("")
    for name in ("Runs", "Run_SD"):
        if name in rows:
            known[name] = plain_column(rows[name], "measure"), rows[name]
    counts = zip(rows["Scored"], rows["Rows"], strict=True)
    known["Scored"] = Column("Scored", "Scored", role="measure"), [f"{n}{of}{m}" for n, m in counts]
    to_best = Column("To_Best", "vs best", headline.format, "measure", signed=True)
    differences: list[Any] = [float("nan")] * len(names)
    if comparison and comparison.best:
        differences = [comparison.to_best(model) for model in names]
        differences[0] = "best"
    known["To_Best"] = to_best, differences
    columns = [Column("Model Name", family.word.capitalize(), role="key")]
    cells = {"Model Name": names}
    for name in family.shown or known:
        column, values = known.get(name) or (plain_column(rows[name], "measure"), rows[name])
        columns.append(column)
        cells[name] = list(values)
    tones = _verdict_tones(cells.get("Verdict", []), headline)
    return Page("Summary", pd.DataFrame(cells), tuple(columns), tones)


def _intervals(
    rows: pd.DataFrame, measure: Measure, low: str = "CI_Low", high: str = "CI_High"
) -> list[str]:
    ends = zip(rows[low], rows[high], strict=True)
    return [show_interval(*pair, measure.format) for pair in ends]


def _verdict_tones(verdicts: Sequence[str], measure: Measure) -> dict[tuple[int, str], Tone]:
    """Return the colours of verdicts: the first and the last band are bad and good, or reverse."""
    words = [word for _, word in measure.bands]
    words = words if measure.better == "higher" else words[::-1]
    tones: dict[str, Tone] = dict.fromkeys(words, "middle")
    tones |= {words[-1]: "good", words[0]: "bad"} if words else {}
    shown = enumerate(verdicts if measure.better else ())
    return {(row, "Verdict"): tones[word] for row, word in shown if word in tones}


def comparison_table(comparison: Comparison, unit: str, ci: float) -> Page:
    """Return the pairs of models, each with its interval at the level it was tested at."""
    pairs, format_ = comparison.pairs, comparison.measure.format
    levels = pairs["Level"].round(9).nunique() > 1 or (pairs["Level"] - ci).abs().max() > 1e-9
    intervals = _intervals(pairs, comparison.measure)
    if levels:
        shown = zip(intervals, pairs["Level"], strict=True)
        intervals = [text and f"{text} ({show_level(level)})" for text, level in shown]
    counts = zip(pairs["Wins"], pairs["Ties"], pairs["Losses"], strict=True)
    frame = pairs.assign(
        CI=intervals,
        W_T_L=["/".join(map(str, count)) for count in counts],
        Result=[_finding(pair, ci) for pair in pairs.to_dict("records")],
    )
    columns = (
        Column("Model", "Model", role="key"),
        Column("Other_Model", "vs", role="text", width=16),
        Column("Shared", "Shared", "count", "measure"),
        Column("Difference", "Difference", format_, "measure", headline=True, signed=True),
        Column("CI", "CI (Holm level)" if levels else ci_label(ci), role="interval"),
        Column("P_Holm", "p (Holm)", "p", "measure"),
        Column("W_T_L", "W/T/L", role="measure"),
        Column("Detectable", "Detectable", format_, "measure"),
        Column("Result", "Result"),
    )
    return Page(f"Difference in {comparison.measure.label} on shared {unit}", frame, columns)


def _finding(pair: Mapping[Any, Any], ci: float) -> str:
    if pair["Note"]:
        return str(pair["Note"])
    if pair["P_Holm"] < 1 - ci:
        higher = pair["Model"] if pair["Difference"] > 0 else pair["Other_Model"]
        return f"{higher} is higher"
    return "no difference found"


def _columns(
    frame: pd.DataFrame,
    measures: Sequence[Measure],
    known: Sequence[Column],
    role: Literal["measure", "note"] = "note",
) -> tuple[Column, ...]:
    """Return a column for each of a frame: as known, as its measure is declared, or plain."""
    declared = {measure.name: measure_column(measure) for measure in measures}
    declared |= {column.name: column for column in known}
    return tuple(declared.get(name) or plain_column(frame[name], role) for name in frame.columns)


def _empty_columns(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if (frame[name].isna() | (frame[name] == "")).all()]


def all_measures_table(results: pd.DataFrame, measures: Sequence[Measure], word: str) -> Page:
    """Return every number of every model, as in the results CSV."""
    frame = results.drop(columns=_empty_columns(results))
    known = [Column("Model Name", word.capitalize(), role="key")]
    known += [Column(name, name, "accuracy", "measure") for name in ("Coverage", "Answered")]
    return Page("All measures", frame, _columns(frame, measures, known))


def unit_pages(units: pd.DataFrame, family: Family, measures: Sequence[Measure]) -> list[Page]:
    """Return a page per sheet of the input, with a row for each unit.

    All pages have the same columns; notes that the model has nowhere are left out.
    """
    frame = units.drop(columns="Sheet")
    known = [Column(frame.columns[0], frame.columns[0], role="key")]
    known += [Column(name, name, role="text") for name in family.texts]
    known.append(measure_column(measures[0], headline=True))
    empty = _empty_columns(frame)
    columns = tuple(
        column
        for column in _columns(frame, measures, known)
        if column.role != "note" or column.name not in empty
    )
    pages = []
    for sheet, group in frame.groupby(units["Sheet"], sort=False):
        rows = group.reset_index(drop=True)
        bad = rows.index[rows["Problem"] != ""] if "Problem" in rows else ()
        pages.append(Page(str(sheet), rows, columns, {}, tuple(bad), input_sheet=True))
    return pages


def sheets_table(sheets: pd.DataFrame, measures: Sequence[Measure]) -> Page:
    """Return the summary of one model: a row per sheet, Overall last."""
    headline, average = measures[0], f"Average_{measures[0].name}"
    known = [
        Column("Sheet", "Sheet", role="key"),
        Column(average, average, headline.format, "measure", True, headline.bounds),
    ]
    return Page("Summary", sheets, _columns(sheets, measures, known, "measure"))


def plain_table(title: str, frame: pd.DataFrame) -> Page:
    """Return a further table of a family as it is."""
    key = replace(plain_column(frame.iloc[:, 0], "note"), format="text", role="key")
    return Page(title, frame, _columns(frame, (), [key], "measure"))


def problems_table(problems: Sequence[Problem]) -> Page:
    """Return every problem with its place."""
    frame = problem_frame(list(problems))
    frame["row"] = frame["row"].astype(object).where(frame["row"] != 0, "")
    columns = (
        Column("file", "File", role="key"),
        Column("sheet", "Sheet", width=16),
        Column("row", "Row", "count"),
        Column("column", "Column", width=16),
        Column("kind", "Kind", width=16),
        Column("message", "Message", role="text"),
        Column("effect", "Effect"),
    )
    return Page("Problems", frame, columns)


def breakdown_table(frame: pd.DataFrame, header: str, measure: Measure, ci: float) -> Page:
    """Return the results of each model by the values of a column."""
    columns = (
        Column("Model Name", "Model", role="key"),
        Column("Value", header, role="text", width=18),
        Column("Units", "n", "count", "measure"),
        measure_column(measure, headline=True),
        Column("CI", ci_label(ci), role="interval"),
    )
    shown = frame.assign(CI=_intervals(frame, measure))
    return Page(f"By {header} (exploratory)", shown, columns)
