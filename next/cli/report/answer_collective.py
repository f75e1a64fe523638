"""What collective says: whether an ensemble beats its best member; its report and charts."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from scoresheet.cli.report import AnyChart, Chart, Column, Heat, Lines, Page, Points, Tone
from scoresheet.cli.report.files import escape_markdown, markdown_table
from scoresheet.cli.report.tables import ci_label
from scoresheet.cli.report.text import show, show_interval
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Scores

Row = Mapping[Any, Any]  # of the results
Tables = Mapping[str, Mapping[str, pd.DataFrame]]  # by model and title
MOST = 3  # sentences
BARS = ("Stream", "Accuracy", "CI_Low", "CI_High")
TONES: dict[Any, Tone] = {"yes": "good", "no": "bad", "undecided": "middle"}


def answer(
    results: pd.DataFrame, _measure: object, comparison: Comparison | None, _units: str, ci: float
) -> tuple[list[str], tuple[str, ...]]:
    """Return a sentence for each ensemble, the most accurate first, and the words in bold."""
    scored = results[results["Collective_Accuracy"].notna()].set_index("Model Name", drop=False)
    order = comparison.order if comparison else scored.index
    rows = scored.loc[[name for name in order if name in scored.index]].to_dict("records")
    sentences = [model_sentence(row["Model Name"], row, None, ci) for row in rows[:MOST]]
    if len(rows) > MOST:
        sentences.append(f"{len(rows) - MOST} more ensembles are in the table.")
    return sentences or ["No ensemble could be scored."], tuple(row["Model Name"] for row in rows)


def model_sentence(model: str, row: Row, _measure: object, ci: float) -> str:
    """Return whether one ensemble beats its best member, by how much, and its alerts."""
    who, rival, below = "its best member", row["Best_Stream"], row["Best_Accuracy"]
    if isinstance(row.get("Member"), str):
        who, rival, below = "the member", row["Member"], row["Member_Accuracy"]
    interval = show_interval(row["CI_Low"], row["CI_High"], "points")
    why = str(row["Note"]).split("; ")[0]  # of several members, the first
    reason = f" ({ci_label(ci)} {interval})" if interval else f" ({why})"
    gain = show(abs(row["Gain"]), "points").removeprefix("+")
    if row["Beats_Best"] != "undecided":
        verb, what = ("beats", "gain") if row["Gain"] > 0 else ("does not beat", "loss")
        shares = [show(share, "accuracy") for share in (row["Collective_Accuracy"], below)]
        text = f"{model} {verb} {who}: {shares[0]} against {shares[1]} for {rival}"
        text += f", a {what} of {gain} points{reason}."
    else:
        place = f"{gain} points {'above' if row['Gain'] > 0 else 'below'}"
        place = place if row["Gain"] else "as accurate as"
        text = f"{model}: undecided. It is {place} {who}, {rival}{reason}."
    alerts = int(row["Alerts"])
    return f"{text} See Alerts: {alerts} raised." if alerts else text


def worst_unit(model: str, scores: Scores, _values: object) -> tuple[float, str, str, str]:
    """Return how few votes are right on the worst sample, a sentence, its sheet and name."""
    found = scores.units.loc[scores.units["Problem"] == "", ["Sample", "Right_Votes"]]
    pairs = [(*map(int, text.split("/")), name) for name, text in found.to_numpy().tolist()]
    right, members, sample = min(pairs, key=lambda pair: pair[0])
    text = f"Fewest right votes: {sample}, {right} of {members} members ({model})."
    return 1 - right / members, text, "", sample


def headline_table(page: Page, rows: pd.DataFrame) -> Page:
    """Return the headline table with the verdicts in colour; --member is shown as the rival."""
    frame, rival = page.frame, "Best member"
    if "Member" in rows:
        rival = "Member"
        frame = frame.assign(Best_Stream=rows["Member"], Best_Accuracy=rows["Member_Accuracy"])
    texts = {
        "Best_Stream": Column("Best_Stream", rival, role="text", width=18),
        "Beats_Best": Column("Beats_Best", "Beats best", role="verdict"),
    }
    empty = [name for name in ("Robustness",) if frame[name].isna().all()]
    shown = [texts.get(c.name, c) for c in page.columns if c.name not in empty]
    found = enumerate(frame["Beats_Best"])
    tones = {(place, "Beats_Best"): TONES[word] for place, word in found if word in TONES}
    raised = (rows["Alerts"] > 0).any()
    dropped = tuple(name for name in page.dropped if name != "Alerts" or not raised)
    return replace(page, frame=frame, columns=tuple(shown), tones=tones, dropped=dropped)


# --- the report of the source document ------------------------------------------------------


def report(model: str, scores: Scores, ci: float) -> str:
    """Return the report on one ensemble as Markdown, with the headings of the source document."""
    row, tables = scores.results, scores.tables
    known = not math.isnan(row["Params_M"])
    core = {
        "Collective Accuracy": f"{row['Collective_Accuracy']:.2%}",
        "Best Individual Accuracy": f"{row['Best_Accuracy']:.2%} ({row['Best_Stream']})",
        "Emergence Ratio (ρ)": show(row["Emergence_Ratio"], "number"),
        "Parameters": f"{row['Params_M']:g}M" if known else "–",
        "Efficiency": f"{row['Efficiency']:.2f}% per M params" if known else "–",
    }
    streams = tables["Streams"][["Stream", "Accuracy", "Contribution"]]
    names = ["Condition", "Accuracy", "Delta"]
    shifts = tables.get("Conditions", pd.DataFrame()).reindex(columns=names)
    shifts["Delta"] /= 100
    alerts = tables["Alerts"][["Alert", "State"]]
    alerts = alerts[~alerts["State"].isin(["not raised", "unknown"])]
    diagnostics = {
        "Fingerprint Diversity": row["Fingerprint_Diversity"],
        "Anchor Utilization Entropy": row["Anchor_Entropy"],
        "Average Routing Entropy": row["Routing_Entropy"],
    }
    lines = [f"- {name}: {show(value, 'number')}" for name, value in diagnostics.items()]
    parts = [
        f"## Results for {escape_markdown(row['Dataset'] or model)}\n",
        escape_markdown(model_sentence(model, row, None, ci)) + "\n",
        _section("Core Metrics", pd.DataFrame(core.items()), "Metric", "Value"),
        _section("Per-Stream Breakdown", streams, "Stream", "Individual Acc", "Contribution"),
        _section("Robustness", shifts, "Condition", "Accuracy", "Δ from Clean"),
        "### Diagnostics\n\n" + "\n".join(lines) + "\n",
        _section("Alerts and Patterns", alerts, "What", "State"),
    ]
    return "\n".join(filter(None, parts))


def _section(title: str, frame: pd.DataFrame, *labels: str) -> str:
    """Return a table under its heading; the second column can be a share, the third a change."""
    texts = frame.set_axis([*labels], axis=1).astype(object)
    for label, form in zip(labels[1:], ("{:.2%}", "{:+.2%}"), strict=False):
        texts[label] = [
            value if isinstance(value, str) else "–" if math.isnan(value) else form.format(value)
            for value in texts[label]
        ]
    page = Page("", texts, tuple(Column(label, label) for label in labels))
    return f"### {title}\n\n{markdown_table(page)}" if len(texts) else ""


# --- charts ---------------------------------------------------------------------------------


def charts(results: pd.DataFrame, _measure: object, _units: object, tables: Tables) -> Any:
    """Return for each ensemble its emergence, members, conditions, routing and fingerprints."""
    found: list[AnyChart] = []
    for row in results[results["Collective_Accuracy"].notna()].to_dict("records"):
        model, own = row["Model Name"], tables.get(row["Model Name"], {})
        over = own.get("History by epoch", pd.DataFrame())
        if {"collective_acc", "emergence_ratio"} <= {*over} and len(over) > 1:
            found += _over_epochs(model, row["Best_Stream"], over)
        ends = ("Collective_Accuracy", "Collective_Accuracy_Low", "Collective_Accuracy_High")
        bars = [("ensemble", *(row[name] for name in ends)), *_records(own, "Streams", *BARS)]
        found.append(Chart(f"{model}: final accuracy", tuple(bars), (0.0, 1.0), "accuracy"))
        if shifts := _records(own, "Conditions", "Condition", "Delta", "CI_Low", "CI_High"):
            found.append(Chart(f"{model}: change from clean", shifts, format="points"))
        experts = own.get("Experts", pd.DataFrame({"Expert": []})).set_index("Expert")
        if len(weights := experts.filter(regex="^In ").T.rename(lambda name: name[3:])):
            cells = tuple(weights.itertuples(index=False, name=None))
            title, names = f"{model}: routing weights", tuple(weights.index)
            found.append(Heat(title, names, tuple(weights.columns), cells))
        if points := _records(own, "Fingerprints", "Stream", "PC1", "PC2"):
            clouds = tuple((str(name), [x], [y]) for name, x, y in points)
            found.append(Points(f"{model}: fingerprints", "PC1", "PC2", clouds))
    return found


def _records(own: Mapping[str, pd.DataFrame], title: str, *names: str) -> tuple[Any, ...]:
    """Return the complete rows of some columns of a table, none where it lacks them."""
    table = own.get(title, pd.DataFrame()).reindex(columns=[*names]).dropna()
    return tuple(table.itertuples(index=False, name=None))


def _over_epochs(model: str, best: str, over: pd.DataFrame) -> list[AnyChart]:
    """Return the accuracies over training, and the emergence ratio."""
    lines = {"ensemble": "collective_acc"}
    lines |= {str(name)[4:]: str(name) for name in over.filter(regex="^acc:")}
    epochs, ratio = over["Epoch"].tolist(), over["emergence_ratio"].tolist()
    series = tuple((name, epochs, over[column].tolist()) for name, column in lines.items())
    return [
        Lines(f"{model}: accuracy over training", "Epoch", "Accuracy", series, "ensemble", best),
        Lines(f"{model}: emergence ratio", "Epoch", "Ratio", (("ratio", epochs, ratio),), "ratio"),
    ]
