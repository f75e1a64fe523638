"""One HTML page for the results of any number of jobs: it needs no network and runs no user text.

The page gets its content as JSON and shows it as text only; see page.js.
"""

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

import pandas as pd

from scoresheet.cli.report import AnyChart, Distribution, Page
from scoresheet.cli.report.answers import count, status_parts
from scoresheet.cli.report.books import Provenance, about
from scoresheet.cli.report.charts import MOST_MODELS, charts_of
from scoresheet.cli.report.html.drawn import drawn
from scoresheet.cli.report.tables import (
    all_measures_table,
    at_cutoff,
    breakdown_table,
    ci_label,
    comparison_table,
    headline_table,
    problems_table,
    units_table,
)
from scoresheet.cli.report.text import MINUS, cell_text, show, show_interval, unbroken
from scoresheet.cli.run.recorded import Recorded
from scoresheet.metrics.measure import Measure

START = b"<!doctype html>"  # of every page
MOST_UNITS = 200  # of one model and view
MOST_PROBLEMS = 500
MARKS = {"ok": ("good", "✓"), "partial": ("middle", "!"), "passed": ("", "✓")}
MARKS |= {"undecided": ("middle", "?")}
ROLES = ("key", "text", "headline", "measure", "interval", "verdict", "note")  # in this order
EMPTY = {"", "–"}  # cells that say nothing


@dataclass(frozen=True)
class Job:
    """A job of a night, or one results folder.

    `recorded` are its results if it has some, `state` is one or two words such as ok, partial,
    gate failed or failed, and `message` is what to say of a state that is not ok.
    """

    name: str
    recorded: Recorded | None
    state: str = "ok"
    message: str = ""


def report_page(jobs: Sequence[Job], title: str) -> str:
    """Return the page as one HTML text, the same for the same results."""
    states = [job.state for job in jobs]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    content = {
        "summary": f"{count(len(jobs), 'job')}: {counts}",
        "jobs": [_card(job) | (_results(job.recorded) if job.recorded else {}) for job in jobs],
    }
    data = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    folder = files(__name__)
    template, style, script = (
        (folder / f"page.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js")
    )
    parts = {"title": html.escape(title), "style": style, "script": script}
    parts |= {f"{name}-hash": _hash(parts[name]) for name in ("style", "script")}
    parts["data"] = data.replace("<", "\\u003c")
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda found: parts[found[1]], template)


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _card(job: Job) -> dict[str, Any]:
    """Return the card of a job: its state, its number, its gates and what went wrong."""
    tone, mark = MARKS.get(job.state, ("bad", "✗"))
    gates = job.recorded.manifest["gates"] if job.recorded else []
    failed = [gate for gate in gates if gate["state"] == "failed"]
    notes = _gates(gates)
    message = job.message or (job.recorded and tone == "middle" and _status(job.recorded))
    if message:
        notes.append({"mark": mark, "tone": "bad" if tone == "bad" else "", "text": message})
    card = {"name": job.name, "state": f"{mark} {job.state}", "tone": tone, "notes": notes}
    return card | (_number(job.recorded, *failed[:1]) if job.recorded else {})


def _gates(gates: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return a line for each model that fails a condition, else one for the condition."""
    notes = []
    for condition in dict.fromkeys(gate["condition"] for gate in gates):
        found = [gate for gate in gates if gate["condition"] == condition]
        failed = [gate for gate in found if gate["state"] == "failed"]
        numbers = [gate["value"] for gate in found if isinstance(gate["value"], float)]
        word, end = ("lowest", min) if "<" in condition else ("highest", max)
        shown = failed or found[:1]
        for gate in shown:
            tone, mark = MARKS.get(gate["state"], ("bad", "✗"))
            value = gate["note"] or show(gate["value"], "number", minus=MINUS)
            text = f"{gate['model']} {value}"
            if len(found) > 1 and not failed:
                one = numbers and show(end(numbers), "number", minus=MINUS)
                text = gate["note"] or (f"{word} {one}" if one else str(gate["state"]))
            spaced = re.sub(r"([<>=!]=|[<>])", r" \1 ", condition)
            notes.append({"mark": mark, "tone": tone, "text": f"fail if {spaced}: {text}"})
    return sorted(notes, key=lambda note: note["mark"] != "✗")


def _number(recorded: Recorded, gate: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return the number of a card: that of a failed gate, else the headline of the first model."""
    rows = recorded.results.set_index("Model Name", drop=False)
    headline, order = recorded.measures[0], recorded.manifest["order"]
    row, measure = rows.loc[order[0]] if order else rows.iloc[0], headline
    if gate:
        row = rows.loc[gate["model"]] if gate["model"] in rows.index else row
        name = gated_name(gate)
        found = [measure for measure in recorded.measures if measure.name == name]
        if not found and gate["value"] is not None:  # Coverage, Change …
            number = show(gate["value"], "number", minus=MINUS)
            return {"number": number, "beside": "", "whose": f"{name} of {row['Model Name']}"}
        measure = found[0] if found else headline
    stem = "CI" if measure is headline else measure.name
    low, high = (row.get(f"{stem}_{end}", math.nan) for end in ("Low", "High"))
    interval = show_interval(low, high, measure.format).replace("-", MINUS)
    verdict = row.get("Verdict") if measure is headline else ""
    return {
        "number": show(row[measure.name], measure.format, minus=MINUS),
        "beside": interval and f"{ci_label(recorded.request.ci)} {interval}",
        "whose": f"{measure.label} of {row['Model Name']}" + (f", {verdict}" if verdict else ""),
    }


def gated_name(gate: Mapping[str, Any]) -> str:
    """Return the column that a gate is about.

    >>> gated_name({"condition": "Model_A:S_Info.high<0.7"})
    'S_Info'
    """
    name = re.split("[<>=!]", gate["condition"].rpartition(":")[2])[0]
    return re.sub(r"\.(low|high)$", "", name.strip())


def _status(recorded: Recorded) -> str:
    results, problems = recorded.results, recorded.problems
    failed = int((results["Status"] == "failed").sum())
    word = recorded.family.word
    return " · ".join(status_parts(problems, len(results) - failed, failed, word))


def _results(recorded: Recorded) -> dict[str, Any]:
    """Return all that the page shows of one results folder."""
    family, measures, made = recorded.family, recorded.measures, recorded.manifest
    ci, results, comparison = recorded.request.ci, recorded.results, recorded.comparison
    headline = headline_table(family, results, measures, comparison, ci)
    models = headline.frame["Model Name"].tolist()
    problems = recorded.problems
    pages = []
    if comparison and comparison.pairs["Shared"].any():
        pages.append(comparison_table(comparison, made["units"], ci, family))
    if recorded.has("by"):
        parts = recorded.table("by").groupby("By")
        pages += [breakdown_table(rows, str(header), measures[0], ci) for header, rows in parts]
    scored = results.set_index("Model Name")["Scored"]
    units = {name: recorded.units(name) for name in models[:MOST_MODELS] if scored[name] > 0}
    charts = _with_distribution(charts_of(recorded), units, measures)
    gated = [gate for gate in made["gates"] if gated_name(gate) == measures[0].name]
    provenance = Provenance(
        made["signature"], tuple(made["read_as"]), made["version"], ci, made["units"]
    )
    return {
        "title": family.title,
        "sentences": [unbroken(sentence) for sentence in made["answer"]],
        "counts": f"{results['Scored'].sum():g} of {results['Rows'].sum():g} rows scored",
        "status": _status(recorded),
        "headline": _table(headline),
        "limit": gated[0]["limit"] if gated else None,
        "tables": [_table(page) for page in pages],
        "measures": _table(all_measures_table(results, measures, family.word)),
        "charts": [drawn(chart) for chart in charts],
        "units": [_units(name, frame, recorded) for name, frame in units.items()],
        "worst": _worst_model(units, measures),
        "unit": made["units"],
        "problems": _table(problems_table(problems[:MOST_PROBLEMS])),
        "problem_count": len(problems),
        "about": about(family, measures, provenance),
    }


def _with_distribution(
    charts: list[AnyChart], units: Mapping[str, pd.DataFrame], measures: Sequence[Measure]
) -> list[AnyChart]:
    """Return the charts with one of how the units' values are spread, if they have values."""
    measure = _ranking_measure(units, measures)
    if not measure or any(isinstance(chart, Distribution) for chart in charts):
        return charts
    rows = [(name, frame[measure.name].dropna().tolist()) for name, frame in units.items()]
    spread = Distribution(f"{measure.label} of each unit", tuple(rows), measure.format)
    return [*charts[:1], spread, *charts[1:]]


def _ranking_measure(
    units: Mapping[str, pd.DataFrame], measures: Sequence[Measure]
) -> Measure | None:
    """Return the first measure that units have a value of: the best or worst ones come first."""
    frames = list(units.values())
    return next((m for m in measures if all(m.name in frame for frame in frames)), None)


def _worst_model(units: Mapping[str, pd.DataFrame], measures: Sequence[Measure]) -> str:
    """Return the model with the worst unit, whose units are shown first."""
    worst = dict.fromkeys(units, math.inf)
    if measure := _ranking_measure(units, measures):
        sign = -1 if measure.better == "lower" else 1
        for model, frame in units.items():
            worst[model] = float((sign * frame[measure.name]).min())
    return min(worst, key=lambda model: worst[model], default="")


def _units(model: str, units: pd.DataFrame, recorded: Recorded) -> dict[str, Any]:
    """Return the units of a model in two views: the worst first, and those without a score."""
    family, measures = recorded.family, recorded.measures
    measure = _ranking_measure({model: units}, measures)
    ranked, unscored, word = units.index, units.index[:0], "all"
    if measure:
        highest = measure.better == "lower"
        values = units[measure.name].sort_values(ascending=not highest, kind="stable")
        ranked, unscored = values.dropna().index, values.index[values.isna()]
        word = "highest first" if highest else "lowest first"
    chosen = [ranked[:MOST_UNITS], unscored[:MOST_UNITS]]
    page = units_table(units.loc[[*chosen[0], *chosen[1]]], family, measures)
    columns = sorted(page.columns, key=lambda column: ROLES.index(column.role) - column.headline)
    page = replace(page, columns=tuple(columns))
    shown = {*at_cutoff(family.shown, measures[0].name), measures[0].name, "Sheet"}
    shown |= {page.columns[0].name, *family.texts, *family.counted}
    views = [{"label": word, "rows": len(chosen[0]), "of": len(ranked)}]
    if len(unscored):
        label = f"not scored ({len(unscored)})"
        views.append({"label": label, "rows": len(chosen[1]), "of": len(unscored)})
    return {"model": model, "views": views, **_table(page, shown)}


def _table(page: Page, shown: Collection[str] = ()) -> dict[str, Any]:
    """Return a page as texts, without its empty columns; those that are not `shown` are details."""
    cells = {
        column: [cell_text(value, column, minus=MINUS) for value in page.frame[column.name]]
        for column in page.columns
    }
    filled = [c for c in page.columns if c.role == "key" or not EMPTY.issuperset(cells[c])]
    columns = [
        {
            "label": column.label,
            "role": "headline" if column.headline else column.role,
            "right": column.on_the_right or column.role == "interval",
            "detail": bool(shown) and column.name not in shown,
        }
        for column in filled
    ]
    places = {column.name: place for place, column in enumerate(filled)}
    return {
        "title": page.title,
        "columns": columns,
        "rows": list(zip(*(cells[column] for column in filled), strict=True)),
        "tones": [[r, places[n], tone] for (r, n), tone in page.tones.items() if n in places],
    }
