"""The tables that a run shows: headline, comparison, all measures, units, problems."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from scoresheet.cli.report.numbers import show, show_interval
from scoresheet.cli.report.pages import Column, Page, Tone, measure_column
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem, problem_frame

# Columns of reports that are not measures, as people read them.
LABELS = {
    "To_Best": "vs best",
    "Other_Model": "vs",
    "P_Holm": "p (Holm)",
    "W_T_L": "W/T/L",
    "Run_SD": "SD over runs",
    "Only_Model": "Only in first",
    "Only_Other": "Only in second",
    "CI_Low": "CI low",
    "CI_High": "CI high",
}


def label_of(name: str) -> str:
    """Return a column's name as people read it.

    >>> label_of("Best_Stream"), label_of("P_Holm")
    ('Best stream', 'p (Holm)')
    """
    return LABELS.get(name, name.replace("_", " "))


def ci_label(ci: float) -> str:
    """Return the label of an interval column.

    >>> ci_label(0.95), ci_label(0.999)
    ('95% CI', '99.9% CI')
    """
    return f"{show(ci, 'accuracy').replace('.0%', '%')} CI"


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
    by_name = {measure.name: measure for measure in measures}
    headline = measures[0]
    shown = family.shown or _default_columns(measures, results)
    order = list(comparison.order) if comparison else []
    names = [n for n in order if n in set(results["Model Name"])]
    names += [n for n in results["Model Name"] if n not in names]
    rows = results.set_index("Model Name").loc[names]
    frame = pd.DataFrame({"Model Name": names})
    columns = [Column("Model Name", family.word.capitalize(), role="key")]
    for name in shown:
        column, cells = _headline_column(name, rows, by_name, comparison, (ci, of))
        frame[column.name] = cells
        columns.append(column)
    tones: dict[tuple[int, str], Tone] = {}
    if "Verdict" in frame:
        words = [word for _, word in headline.bands]
        tones = {
            (i, "Verdict"): _tone(words.index(word), len(words), headline.better)
            for i, word in enumerate(frame["Verdict"])
            if word in words
        }
    return Page("Summary", frame, tuple(columns), tones)


def _default_columns(measures: Sequence[Measure], results: pd.DataFrame) -> tuple[str, ...]:
    names: list[str] = []
    for i, measure in enumerate(measures):
        names += [measure.name, "CI" if i == 0 else f"CI {measure.name}"]
    more = ["Verdict"] if measures[0].bands else []
    more += ["Runs", "Run_SD"] if "Runs" in results else []
    return (*names, *more, "Scored", "To_Best")


def _headline_column(
    name: str,
    rows: pd.DataFrame,
    measures: Mapping[str, Measure],
    comparison: Comparison | None,
    style: tuple[float, str],
) -> tuple[Column, list[Any]]:
    ci, of = style
    headline = next(iter(measures.values()))
    if name in measures:
        column = measure_column(measures[name], headline=name == headline.name)
        return column, rows[name].tolist()
    if name.startswith("CI"):
        measure = measures.get(name[3:], headline)
        ends = ("CI_Low", "CI_High") if measure is headline else _ends(measure.name)
        texts = [
            show_interval(low, high, measure.format)
            for low, high in zip(rows[ends[0]], rows[ends[1]], strict=True)
        ]
        return Column(name, ci_label(ci), role="interval"), texts
    if name == "Scored":
        counts = zip(rows["Scored"], rows["Rows"], strict=True)
        cells = ["" if pd.isna(all_) else f"{int(n)}{of}{int(all_)}" for n, all_ in counts]
        return Column("Scored", "Scored", "text", "measure"), cells
    if name == "To_Best":
        column = Column("To_Best", label_of(name), headline.format, "measure", signed=True)
        return column, [_to_best(model, comparison) for model in rows.index]
    if name == "Verdict":
        return Column("Verdict", "Verdict", role="verdict"), rows["Verdict"].fillna("").tolist()
    format_ = "number" if rows[name].dtype.kind == "f" else "text"
    return Column(name, label_of(name), format_, "measure"), rows[name].tolist()  # type: ignore[arg-type]


def _ends(name: str) -> tuple[str, str]:
    return f"{name}_Low", f"{name}_High"


def _to_best(model: str, comparison: Comparison | None) -> Any:
    if comparison is None or not comparison.best:
        return float("nan")
    return "best" if model == comparison.best else comparison.to_best(model)


def _tone(position: int, count: int, better: str) -> Tone:
    tones: list[Tone] = ["bad", *(["middle"] * (count - 2)), "good"]  # type: ignore[list-item]
    return tones[position if better == "higher" else count - 1 - position] if better else ""


def comparison_table(comparison: Comparison, unit: str, ci: float, limit: int = 0) -> Page:
    """Return the pairs of models, each with its interval at the level it was tested at."""
    pairs = comparison.pairs.head(limit) if limit else comparison.pairs
    levels = pairs["Level"].round(9).nunique() > 1 or (pairs["Level"] - ci).abs().max() > 1e-9
    format_ = comparison.measure.format
    interval = [
        show_interval(low, high, format_, level=level if levels else None)
        for low, high, level in zip(pairs["CI_Low"], pairs["CI_High"], pairs["Level"], strict=True)
    ]
    frame = pairs[["Model", "Other_Model", "Shared", "Difference"]].assign(
        CI=interval,
        P_Holm=pairs["P_Holm"],
        W_T_L=[
            f"{wins}/{ties}/{losses}"
            for wins, ties, losses in zip(
                pairs["Wins"], pairs["Ties"], pairs["Losses"], strict=True
            )
        ],
        Detectable=pairs["Detectable"],
        Result=[finding(row, ci) for row in pairs.to_dict("records")],
    )
    columns = (
        Column("Model", "Model", role="key"),
        Column("Other_Model", "vs", role="text", width=16),
        Column("Shared", "Shared", "count", "measure"),
        Column("Difference", "Difference", format_, "measure", headline=True, signed=True),
        Column("CI", "CI (Holm level)" if levels else ci_label(ci), role="interval"),
        Column("P_Holm", "p (Holm)", "p", "measure"),
        Column("W_T_L", "W/T/L", "text", "measure"),
        Column("Detectable", "Detectable", format_, "measure"),
        Column("Result", "Result", role="note"),
    )
    title = f"Difference in {comparison.measure.label} on shared {unit}"
    return Page(title, frame.reset_index(drop=True), columns)


def finding(pair: Mapping[Any, Any], ci: float) -> str:
    """Return what a comparison found, in words."""
    if pair["Note"]:
        return str(pair["Note"])
    if pair["P_Holm"] < 1 - ci:
        higher = pair["Model"] if pair["Difference"] > 0 else pair["Other_Model"]
        return f"{higher} is higher"
    return "no difference found"


def all_measures_table(results: pd.DataFrame, measures: Sequence[Measure], word: str) -> Page:
    """Return every number of every model, as in the results CSV."""
    by_name = {measure.name: measure for measure in measures}
    empty = [name for name in results.columns if results[name].isin(["", None]).all()]
    results = results.drop(columns=[*empty, *results.columns[results.isna().all()]])
    columns = []
    for name in results.columns:
        if name == "Model Name":
            columns.append(Column(name, word.capitalize(), role="key"))
        elif name in by_name:
            columns.append(measure_column(by_name[name]))
        elif name in ("Coverage", "Answered"):
            columns.append(Column(name, name, "accuracy", "measure"))
        elif results[name].dtype.kind == "f" and name not in ("Rows", "Scored", "Units", "Runs"):
            columns.append(Column(name, label_of(name), "number", "measure"))
        else:
            kind = results[name].dtype.kind
            format_ = "count" if kind in "if" else "text"
            columns.append(Column(name, label_of(name), format_, "note"))  # type: ignore[arg-type]
    return Page("All measures", results, tuple(columns))


def unit_pages(units: pd.DataFrame, family: Family, measures: Sequence[Measure]) -> list[Page]:
    """Return a page per sheet of the input, with a row for each unit."""
    by_name = {measure.name: measure for measure in measures}
    columns = []
    for position, name in enumerate(c for c in units.columns if c != "Sheet"):
        if name in by_name:
            columns.append(measure_column(by_name[name], headline=name == measures[0].name))
        elif position == 0:
            columns.append(Column(name, name, role="key"))
        elif name in family.texts:
            columns.append(Column(name, name, role="text"))
        else:
            numeric = units[name].dtype.kind in "iu"
            columns.append(Column(name, label_of(name), "count" if numeric else "text", "note"))
    pages = []
    for sheet, rows in units.groupby("Sheet", sort=False):
        frame = rows.drop(columns="Sheet").reset_index(drop=True)
        bad = frame.index[frame["Problem"] != ""] if "Problem" in frame else ()
        pages.append(Page(str(sheet), frame, tuple(columns), {}, tuple(bad), input_sheet=True))
    return pages


def sheets_table(sheets: pd.DataFrame, measures: Sequence[Measure]) -> Page:
    """Return the summary of one model: a row per sheet, Overall last."""
    headline = measures[0]
    by_name = {measure.name: measure for measure in measures}
    columns = [Column("Sheet", "Sheet", role="key")]
    for name in sheets.columns[1:]:
        if name == f"Average_{headline.name}":
            column = Column(name, name, headline.format, "measure", True, bounds=headline.bounds)
        elif name in by_name:
            column = measure_column(by_name[name])
        else:
            column = Column(name, label_of(name), "count", "measure")
        columns.append(column)
    return Page("Summary", sheets, tuple(columns))


def problems_table(problems: Sequence[Problem]) -> Page:
    """Return every problem with its place."""
    columns = [Column("file", "File", role="key"), Column("sheet", "Sheet", width=16)]
    columns += [Column("row", "Row", "count"), Column("column", "Column", width=16)]
    columns += [Column("kind", "Kind", width=16), Column("message", "Message", role="text")]
    frame = problem_frame(list(problems))
    frame["row"] = frame["row"].astype(object).where(frame["row"] != 0, "")
    return Page("Problems", frame, (*columns, Column("effect", "Effect")))


def breakdown_table(frame: pd.DataFrame, header: str, measure: Measure, ci: float) -> Page:
    """Return the results of each model by the values of a column."""
    shown = frame.assign(
        CI=[
            show_interval(low, high, measure.format)
            for low, high in zip(frame["CI_Low"], frame["CI_High"], strict=True)
        ]
    )
    columns = (
        Column("Model Name", "Model", role="key"),
        Column("Value", header, role="text", width=18),
        Column("Units", "n", "count", "measure"),
        measure_column(measure, headline=True),
        Column("CI", ci_label(ci), role="interval"),
    )
    names = [column.name for column in columns]
    return Page(f"By {header} (exploratory)", shown[names].reset_index(drop=True), columns)
