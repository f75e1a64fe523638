"""What collective says: whether an ensemble beats its best member; its report and charts."""

import math
from collections.abc import Mapping, Sequence
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
    millions: float = row["Params_M"]
    size = "–" if math.isnan(millions) else f"{millions:g}M"
    core = [
        ("Collective Accuracy", _percent(row["Collective_Accuracy"])),
        ("Best Individual Accuracy", f"{_percent(row['Best_Accuracy'])} ({row['Best_Stream']})"),
        ("Emergence Ratio (ρ)", show(row["Emergence_Ratio"], "number")),
        ("Parameters", size),
        ("Efficiency", "–" if size == "–" else f"{row['Efficiency']:.2f}% per M params"),
    ]
    streams = tables["Streams"][["Stream", "Accuracy", "Contribution"]].to_numpy().tolist()
    members = [(name, _percent(own), _percent(added, "+")) for name, own, added in streams]
    names = ["Condition", "Accuracy", "Delta"]
    conditions = tables.get("Conditions", pd.DataFrame(columns=names))[names].to_numpy().tolist()
    shifted = [(name, _percent(own), _percent(delta / 100, "+")) for name, own, delta in conditions]
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
        _section("Core Metrics", ("Metric", "Value"), core),
        _section("Per-Stream Breakdown", ("Stream", "Individual Acc", "Contribution"), members),
        _section("Robustness", ("Condition", "Accuracy", "Δ from Clean"), shifted),
        "### Diagnostics\n\n" + "\n".join(lines) + "\n",
        _section("Alerts and Patterns", ("What", "State"), alerts.to_numpy().tolist()),
    ]
    return "\n".join(filter(None, parts))


def _percent(value: float, sign: str = "") -> str:
    return "–" if math.isnan(value) else f"{100 * value:{sign}.2f}%"


def _section(title: str, labels: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    columns = tuple(Column(label, label) for label in labels)
    table = markdown_table(Page("", pd.DataFrame(rows, columns=list(labels)), columns))
    return f"### {title}\n\n{table}" if len(rows) else ""


# --- charts ---------------------------------------------------------------------------------


def charts(results: pd.DataFrame, _measure: object, _units: object, tables: Tables) -> Any:
    """Return for each ensemble its emergence, members, conditions, routing and fingerprints."""
    found: list[AnyChart] = []
    for row in results[results["Collective_Accuracy"].notna()].to_dict("records"):
        model, own = row["Model Name"], tables.get(row["Model Name"], {})
        found += _over_epochs(
            model, row["Best_Stream"], own.get("History by epoch", pd.DataFrame())
        )
        ends = ("Collective_Accuracy", "Collective_Accuracy_Low", "Collective_Accuracy_High")
        bars = [("ensemble", *(row[name] for name in ends))]
        bars += _records(own, "Streams", ["Stream", "Accuracy", "CI_Low", "CI_High"])
        found.append(Chart(f"{model}: final accuracy", tuple(bars), (0.0, 1.0), "accuracy"))
        if shifts := _records(own, "Conditions", ["Condition", "Delta", "CI_Low", "CI_High"]):
            found.append(Chart(f"{model}: change from clean", tuple(shifts), format="points"))
        if "Experts" in own and len(
            of := own["Experts"].set_index("Expert").filter(regex="^In ").T
        ):
            names = tuple(str(name).removeprefix("In ") for name in of.index)
            values = tuple(map(tuple, of.to_numpy(float).tolist()))
            found.append(Heat(f"{model}: routing weights", names, tuple(of.columns), values))
        if points := _records(own, "Fingerprints", ["Stream", "PC1", "PC2"]):
            clouds = tuple((str(name), [x], [y]) for name, x, y in points)
            found.append(Points(f"{model}: fingerprints", "PC1", "PC2", clouds))
    return found


def _records(own: Mapping[str, pd.DataFrame], title: str, names: list[str]) -> list[Any]:
    """Return the complete rows of some columns of a table, if it has them."""
    table = own.get(title, pd.DataFrame())
    return list(table[names].dropna().itertuples(False, None)) if {*names} <= {*table} else []


def _over_epochs(model: str, best: str, history: pd.DataFrame) -> list[AnyChart]:
    """Return the accuracies over training, and the emergence ratio."""
    names = [str(name) for name in history if str(name).startswith("acc:")]
    if "collective_acc" not in history or "emergence_ratio" not in history or len(history) < 2:
        return []
    epochs = history["Epoch"].tolist()
    lines = {"ensemble": "collective_acc", **{name[4:]: name for name in names}}
    series = tuple((name, epochs, history[column].tolist()) for name, column in lines.items())
    ratio = (("ratio", epochs, history["emergence_ratio"].tolist()),)
    return [
        Lines(f"{model}: accuracy over training", "Epoch", "Accuracy", series, "ensemble", best),
        Lines(f"{model}: emergence ratio", "Epoch", "Ratio", ratio, "ratio"),
    ]
