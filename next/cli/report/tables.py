"""The tables that a run shows: headline, comparison, all measures, units, problems."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from math import nan
from typing import Any, Literal

import pandas as pd

from scoresheet.cli.report import Column, Page, Tone, own
from scoresheet.cli.report.text import show_interval, show_level
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem, problem_frame

# Columns that are not measures: as people read them, and those that count.
LABELS = {"Run_SD": "SD over runs", "CI_Low": "CI low", "CI_High": "CI high"}
COUNTS = ("Rows", "Scored", "Units", "Runs")
LAST = ("Scored", "To_Best")  # of the headline table


def ci_label(ci: float) -> str:
    """Return the label of an interval column: 95% CI."""
    return f"{show_level(ci)} CI"


def measure_column(measure: Measure, *, headline: bool = False) -> Column:
    """Return the column that shows a measure."""
    name, label, bounds = measure.name, measure.label, measure.bounds
    return Column(name, label, measure.format, "measure", headline, bounds, measure.better)


def label_of(name: object) -> str:
    """Return the name of a column as people read it."""
    return LABELS.get(str(name), str(name).replace("_", " "))


def page_of(
    title: str,
    frame: pd.DataFrame,
    measures: Sequence[Measure] = (),
    *known: Column,
    role: Literal["measure", "note"] = "measure",
) -> Page:
    """Return a frame as a page: each column as known, as its measure is declared, or plain.

    The first column is the key; `role` is that of plain counts and texts.
    """
    key = Column(str(frame.columns[0]), label_of(frame.columns[0]), role="key")
    columns = {column.name: column for column in (*map(measure_column, measures), key, *known)}
    for name, kind in ((str(name), cells.dtype.kind) for name, cells in frame.items()):
        plain = Column(name, label_of(name), "count" if kind in "iuf" else "text", role)
        if kind == "f" and name not in COUNTS:
            plain = Column(name, label_of(name), "number", "measure")
        columns.setdefault(name, plain)
    return Page(title, frame, tuple(columns[str(name)] for name in frame))


def _intervals(rows: pd.DataFrame, measure: Measure, stem: str = "CI") -> list[str]:
    ends = zip(rows[f"{stem}_Low"], rows[f"{stem}_High"], strict=True)
    return [show_interval(low, high, measure.format) for low, high in ends]


def _empty_columns(frame: pd.DataFrame) -> list[str]:
    columns = {name: cells.to_numpy(object) for name, cells in frame.items()}
    return [str(n) for n, cells in columns.items() if (pd.isna(cells) | (cells == "")).all()]


def at_cutoff(names: Sequence[str], headline: str) -> tuple[str, ...]:
    """Return names of columns: those that end with @ at the cut-off of the headline.

    >>> at_cutoff(("Headline", "CI", "ILD@"), "alpha_nDCG@10")
    ('alpha_nDCG@10', 'CI', 'ILD@10')
    """
    cutoff = headline.partition("@")[2]
    named = (headline if name == "Headline" else name for name in names)
    return tuple(name + cutoff if name.endswith("@") else name for name in named)


def in_order(results: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """Return the rows of all models, those of the order first."""
    names = dict.fromkeys([*order, *results["Model Name"]])
    return results.set_index("Model Name", drop=False).loc[[*names]].reset_index(drop=True)


def headline_table(
    family: Family,
    results: pd.DataFrame,
    measures: Sequence[Measure],
    comparison: Comparison | None,
    ci: float,
) -> Page:
    """Return the table of models that opens the screen and the workbook, best model first."""
    headline, others = measures[0], [measure.name for measure in measures[1:]]
    rows = in_order(results, comparison.order if comparison else ())
    to_best: dict[str, Any] = dict.fromkeys(rows["Model Name"], nan)
    if comparison and comparison.best:
        to_best = {n: comparison.to_best(n) for n in to_best} | {comparison.best: "best"}
    intervals = {"CI": _intervals(rows, headline)}
    for measure in measures[1:]:
        if f"{measure.name}_Low" in rows:
            intervals[f"CI {measure.name}"] = _intervals(rows, measure, measure.name)
    scored = [f"{n}/{m}" for n, m in zip(rows["Scored"], rows["Rows"], strict=True)]
    frame = rows.assign(**intervals, Scored=scored, To_Best=[*to_best.values()])
    if headline.bands:
        frame["Verdict"] = rows["Verdict"].fillna("")
    usual = (headline.name, "CI", *chain(*((name, f"CI {name}") for name in others)), "Verdict")
    shown = at_cutoff(family.shown, headline.name) or (*usual, "Runs", "Run_SD", *LAST)
    page = page_of(
        "Summary",
        frame[["Model Name", *(name for name in dict.fromkeys(shown) if name in frame)]],
        measures,
        Column("Model Name", family.word.capitalize(), role="key"),
        measure_column(headline, headline=True),
        *(Column(name, ci_label(ci), role="interval") for name in intervals),
        Column("Verdict", "Verdict", role="verdict"),
        Column("To_Best", "vs best", headline.format, "measure", signed=True),
    )
    dropped = at_cutoff(family.dropped, headline.name)
    page = replace(page, tones=_verdict_tones(page.frame, headline), dropped=dropped)
    changed = own(family, "headline_table")
    return changed(page, rows) if changed else page


def _verdict_tones(frame: pd.DataFrame, measure: Measure) -> dict[tuple[int, str], Tone]:
    """Return the colours of verdicts: the first and the last band are bad and good, or reverse."""
    if "Verdict" not in frame or not measure.better:
        return {}
    words = [word for _, word in measure.bands][:: 1 if measure.better == "higher" else -1]
    tones: dict[str, Tone] = dict.fromkeys(words, "middle")
    tones |= {words[0]: "bad", words[-1]: "good"}
    return {(r, "Verdict"): tones[word] for r, word in enumerate(frame["Verdict"]) if word in tones}


def comparison_table(comparison: Comparison, unit: str, ci: float, family: Family) -> Page:
    """Return the pairs of models, each with its interval at the level it was tested at."""
    pairs, format_, label = comparison.pairs, comparison.measure.format, ci_label(ci)
    intervals = _intervals(pairs, comparison.measure)
    if (pairs["Level"] - ci).abs().max() > 1e-9:
        shown, label = zip(intervals, pairs["Level"], strict=True), "CI (Holm level)"
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
        Column("CI", label, role="interval"),
        Column("P_Holm", "p (Holm)", "p", "measure"),
        Column("W_T_L", "W/T/L", role="measure"),
        Column("Detectable", "Detectable", format_, "measure"),
        Column("Result", "Result"),
    )
    title = f"Difference in {comparison.measure.label} on shared {unit}"
    page = Page(title, frame, columns, dropped=("Result", "Detectable", "W_T_L", "Shared"))
    changed = own(family, "comparison_table")
    return changed(page, comparison, ci) if changed else page


def differences_table(frame: pd.DataFrame, measure: Measure, family: Family) -> Page:
    """Return the units that differ most between two models, with the texts of both."""
    texts = [name for name in frame if str(name).removeprefix("Other_") in family.texts]
    return page_of(
        "Largest differences",
        frame,
        [measure],
        Column("Model", family.word.capitalize(), role="key"),
        Column("Other_Model", "vs", role="text", width=16),
        Column(family.unit, family.unit, role="text", width=22),
        Column("Difference", "Difference", measure.format, "measure", headline=True, signed=True),
        replace(measure_column(measure), name=f"Other_{measure.name}", label="Other"),
        *(Column(str(name), label_of(name), role="text") for name in texts),
    )


def _finding(pair: Mapping[Any, Any], ci: float) -> str:
    if pair["Note"]:
        return str(pair["Note"])
    if pair["P_Holm"] < 1 - ci:
        return f"{pair['Model'] if pair['Difference'] > 0 else pair['Other_Model']} is higher"
    return "no difference found"


def all_measures_table(results: pd.DataFrame, measures: Sequence[Measure], word: str) -> Page:
    """Return every number of every model, as in the results CSV."""
    frame = results.drop(columns=_empty_columns(results))
    known = [Column("Model Name", word.capitalize(), role="key")]
    known += [Column(name, name, "accuracy", "measure") for name in ("Coverage", "Answered")]
    stems = {"CI": replace(measures[0], label="CI"), **{m.name: m for m in measures[1:]}}
    for (stem, measure), end in product(stems.items(), ("Low", "High")):
        label = f"{measure.label} {end.lower()}"
        known.append(Column(f"{stem}_{end}", label, measure.format, "measure"))
    return page_of("All measures", frame, measures, *known, role="note")


def units_table(units: pd.DataFrame, family: Family, measures: Sequence[Measure]) -> Page:
    """Return every unit of a model, its sheet last; notes that it has nowhere are left out."""
    names = [name for name in units.columns if name != "Sheet"]
    frame = units[[*names, "Sheet"]].reset_index(drop=True)
    texts = (Column(name, name, role="text") for name in family.texts)
    headline = measure_column(measures[0], headline=True)
    page = page_of("", frame, measures, *texts, headline, role="note")
    empty = _empty_columns(frame)
    columns = tuple(c for c in page.columns if c.role != "note" or c.name not in empty)
    return replace(page, columns=columns)


def unit_pages(units: pd.DataFrame, family: Family, measures: Sequence[Measure]) -> list[Page]:
    """Return a page per sheet of the input, with a row for each unit; all have the same columns.

    The empty scores of a unit with a problem are coloured.
    """
    whole = units_table(units, family, measures)
    columns = tuple(column for column in whole.columns if column.name != "Sheet")
    empty = [c.name for c in columns if c.role == "measure" or c.name == "Problem"]
    pages = []
    for sheet, group in whole.frame.groupby("Sheet", sort=False):
        rows = group.reset_index(drop=True)
        bad = rows.index[rows["Problem"] != ""] if "Problem" in rows else ()
        tones: dict[tuple[int, str], Tone] = {
            (row, name): "middle" for row in bad for name in empty
        }
        pages.append(Page(str(sheet), rows, columns, tones, input_sheet=True))
    return pages


def sheets_table(sheets: pd.DataFrame, measures: Sequence[Measure]) -> Page:
    """Return the summary of one model: a row per sheet, Overall last."""
    average = f"Average_{measures[0].name}"
    headline = replace(measure_column(measures[0], headline=True), name=average, label=average)
    return page_of("Summary", sheets, measures, headline)


def problems_table(problems: Sequence[Problem]) -> Page:
    """Return every problem with its place."""
    frame = problem_frame(list(problems)).rename(columns=str.capitalize)
    frame["Row"] = frame["Row"].astype(object).where(frame["Row"] != 0, "")
    message = Column("Message", "Message", role="text")
    return page_of("Problems", frame, (), Column("Row", "Row", "count"), message, role="note")


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
