"""One HTML page for the results of any number of jobs: it needs no network and runs no user text.

The page gets its content as JSON and shows it as text only; page.js makes the rest.
"""

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import pandas as pd

from scoresheet.cli.report import Distribution, Page, tables
from scoresheet.cli.report.answers import explain_command, status_parts
from scoresheet.cli.report.books import Provenance, about
from scoresheet.cli.report.charts import MOST_MODELS, charts_of, drawing
from scoresheet.cli.report.text import MINUS, cell_text, show, show_interval, unbroken
from scoresheet.cli.run.recorded import Recorded
from scoresheet.metrics.measure import Measure

START = b"<!doctype html>"  # of every page
MOST_UNITS = 200  # of one model and view
MOST_PROBLEMS = 500
EMPTY = {"", "–"}  # cells that say nothing
HOW = "How it was computed"


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
    content = [
        {"name": job.name, "state": job.state, "message": job.message}
        | (_results(job.recorded) if job.recorded else {})
        for job in jobs
    ]
    data = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    template, style, script = (
        files(__name__).joinpath(f"page.{kind}").read_text(encoding="utf-8")
        for kind in ("html", "css", "js")
    )
    parts = {"title": html.escape(title), "style": style, "script": script}
    for name in ("style", "script"):
        digest = hashlib.sha256(parts[name].encode()).digest()
        parts[f"{name}-hash"] = base64.b64encode(digest).decode()
    parts["data"] = data.replace("<", "\\u003c")
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda found: parts[found[1]], template)


def _results(recorded: Recorded) -> dict[str, Any]:
    """Return all that the page shows of one results folder."""
    family, measures, made = recorded.family, recorded.measures, recorded.manifest
    ci, results, comparison = recorded.request.ci, recorded.results, recorded.comparison
    pages = []
    if comparison and comparison.pairs["Shared"].any():
        pages.append(tables.comparison_table(comparison, made["units"], ci, family))
    if recorded.has("by"):
        parts = recorded.table("by").groupby("By")
        pages += [tables.breakdown_table(rows, str(by), measures[0], ci) for by, rows in parts]
    if comparison and recorded.has("differences"):
        differences = recorded.table("differences")
        pages.append(tables.differences_table(differences, comparison.measure, family))
    models = tables.in_order(results, made["order"]).query("Scored > 0")["Model Name"]
    units = {model: recorded.units(model) for model in models[:MOST_MODELS]}
    charts, problems = charts_of(recorded), recorded.problems
    if (spread := _spread(units, measures)) and not any(type(c) is Distribution for c in charts):
        charts.insert(1, spread)
    failed = results.loc[results["Status"] == "failed", "Model Name"].tolist()
    status = status_parts(problems, len(results) - len(failed), len(failed), family.word)
    read_as, version = tuple(made["read_as"]), made["version"]
    provenance = Provenance(made["signature"], read_as, version, ci, made["units"])
    return {
        **_number(recorded),
        "title": family.title,
        "sentences": [unbroken(sentence, MINUS) for sentence in made["answer"]],
        "gates": [_gate(gate) for gate in made["gates"]],
        "status": " · ".join(status),
        "failed": failed,
        "headline_name": measures[0].name,
        "headline": _table(tables.headline_table(family, results, measures, comparison, ci)),
        "tables": [_table(page) for page in pages],
        "measures": _table(tables.all_measures_table(results, measures, family.word)),
        "charts": [_numbers(drawing(chart)) for chart in charts],
        "units": [_units(model, frame, recorded) for model, frame in units.items()],
        "unit": made["units"],
        "problems": _table(tables.problems_table(problems[:MOST_PROBLEMS])),
        "problem_count": len(problems),
        "about": about(family, measures, provenance),
    }


def _numbers(spec: dict[str, Any]) -> Any:
    """Return a chart as JSON can hold it: an undefined number is null."""
    text = json.dumps(spec, default=vars)
    return json.loads(text, parse_float=lambda n: round(float(n), 6), parse_constant=lambda _: None)


def _gate(gate: Mapping[str, Any]) -> dict[str, Any]:
    """Return a gate with its value as text and the column that it is about."""
    name = re.split("[<>=!]", gate["condition"].rpartition(":")[2])[0].strip()
    value = show(gate["value"], "number", minus=MINUS)
    return {**gate, "name": re.sub(r"\.(low|high)$", "", name), "text": gate["note"] or value}


def _number(recorded: Recorded) -> dict[str, str]:
    """Return the number of a card: that of a failed gate, else the headline of the first model."""
    rows = tables.in_order(recorded.results, recorded.manifest["order"])
    row, headline = rows.iloc[0], recorded.measures[0]
    measure, rows = headline, rows.set_index("Model Name", drop=False)
    failed = [gate for gate in recorded.manifest["gates"] if gate["state"] == "failed"]
    for gate in map(_gate, failed[:1]):
        row = rows.loc[gate["model"]] if gate["model"] in rows.index else row
        named = [measure for measure in recorded.measures if measure.name == gate["name"]]
        if not named:  # Coverage, Change …
            return {"number": gate["text"], "whose": f"{gate['name']} of {gate['model']}"}
        measure = named[0]
    stem = "CI" if measure is headline else measure.name
    low, high = (row.get(f"{stem}_{end}", math.nan) for end in ("Low", "High"))
    interval = show_interval(low, high, measure.format).replace("-", MINUS)
    verdict = row.get("Verdict") if measure is headline else ""
    return {
        "number": show(row[measure.name], measure.format, minus=MINUS),
        "interval": interval and f"{tables.ci_label(recorded.request.ci)} {interval}",
        "whose": f"{measure.label} of {row['Model Name']}" + (f", {verdict}" if verdict else ""),
    }


def _ranking(units: Mapping[str, pd.DataFrame], measures: Sequence[Measure]) -> Measure | None:
    """Return the first measure with a better direction that all units have: it ranks them."""
    directed = (measure for measure in measures if measure.better)
    return next((m for m in directed if all(m.name in frame for frame in units.values())), None)


def _spread(units: Mapping[str, pd.DataFrame], measures: Sequence[Measure]) -> Distribution | None:
    """Return how the values of each model's units are spread."""
    measure = _ranking(units, measures)
    if not units or not measure:
        return None
    rows = tuple((model, frame[measure.name].dropna().tolist()) for model, frame in units.items())
    return Distribution(f"{measure.label} of each unit", rows, measure.format)


def _units(model: str, units: pd.DataFrame, recorded: Recorded) -> dict[str, Any]:
    """Return the units of a model in two views: the worst first, and those without a score."""
    family, measures = recorded.family, recorded.measures
    ranked, unscored, word = units.index, units.index[:0], "all"
    if measure := _ranking({model: units}, measures):
        highest = measure.better == "lower"
        values = units[measure.name].sort_values(ascending=not highest, kind="stable")
        ranked, unscored = values.dropna().index, values.index[values.isna()]
        word = "highest first" if highest else "lowest first"
        measures = (measure, *(other for other in measures if other is not measure))
    chosen = units.loc[[*ranked[:MOST_UNITS], *unscored[:MOST_UNITS]]]
    several = chosen["Sheet"].nunique() > 1
    if family.explain:
        sheets = chosen["Sheet"] if several else [""] * len(chosen)
        places = zip(sheets, chosen[family.unit], strict=True)
        commands = [explain_command(recorded.folder, model, *place) for place in places]
        chosen = chosen.assign(**{HOW: commands})
    shown = {*tables.at_cutoff(family.shown, recorded.measures[0].name), measures[0].name}
    shown.add(chosen.columns[1])
    shown |= {*family.texts, *family.counted, *(["Sheet"] if several else [])}
    return {
        "model": model,
        "views": [[word, len(ranked)], [f"not scored ({len(unscored)})", len(unscored)]],
        **_table(tables.units_table(chosen, family, measures), shown),
    }


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
