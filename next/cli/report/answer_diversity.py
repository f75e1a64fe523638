"""What diversity says: how much of the subtopics each ranking covers, then who scores highest."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from scoresheet.cli.report import AnyChart, Column, Lines, Page
from scoresheet.cli.report.answers import ranking
from scoresheet.cli.report.tables import page_of
from scoresheet.cli.report.text import show
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.measure import Measure

FEW_JUDGED = 0.8  # where fewer of the items were judged, a sentence says so
NAMED = 3  # models


def answer(
    results: pd.DataFrame,
    measure: Measure,
    comparison: Comparison | None,
    units: str,
    ci: float,
) -> tuple[list[str], Sequence[str]]:
    """Return the sentences that answer the run's question, and the words to show in bold."""
    ranked, emphasis = ranking(results, measure, comparison, units, ci)
    k = measure.name.partition("@")[2]
    rows = results[results[measure.name].notna()].set_index("Model Name")
    return [*_covered(rows, k), *ranked, *_unjudged(rows, k), *_unanswered(rows, units)], emphasis


def _covered(rows: pd.DataFrame, k: str) -> list[str]:
    """Return how much of the subtopics the rankings cover: the most and the least."""
    if f"S_Recall@{k}" not in rows or rows[f"S_Recall@{k}"].isna().all():
        return []
    covered = rows[f"S_Recall@{k}"].dropna()
    most, least = (show(value, "share") for value in (covered.max(), covered.min()))
    if most == least:
        whose = " of every model" if len(covered) > 1 else ""
        return [f"The first {k} items{whose} cover {most} of the subtopics."]
    return [
        f"The first {k} items of {covered.idxmax()} cover {most} of the subtopics, those of "
        f"{covered.idxmin()} {least}."
    ]


def _unjudged(rows: pd.DataFrame, k: str) -> list[str]:
    """Return the models of which many items were not judged, so that they look worse."""
    judged = rows.get(f"Judged@{k}", pd.Series(dtype=float))
    few = judged[judged < FEW_JUDGED].sort_values().head(NAMED)
    return [
        f"{model}: only {show(share, 'share')} of its first {k} items were judged; the others "
        "count as not relevant."
        for model, share in few.items()
    ]


def _unanswered(rows: pd.DataFrame, units: str) -> list[str]:
    """Return the models without a ranking for some judged queries."""
    answered = rows["Answered"].dropna()
    few = answered[answered < 1].sort_values().head(NAMED)
    return [
        f"{model} has rankings for {show(share, 'share')} of the judged {units} only."
        for model, share in few.items()
    ]


def charts(
    results: pd.DataFrame,
    measure: Measure,
    units: Mapping[str, pd.DataFrame],
    tables: Mapping[str, Mapping[str, pd.DataFrame]],
) -> list[AnyChart]:
    """Return the headline by cut-off, and the share of the subtopics covered down to each rank."""
    stem, label = (text.partition("@")[0] for text in (measure.name, measure.label))
    parts = [str(name).partition("@") for name in results]
    at = sorted(int(k) for name, _, k in parts if name == stem and k.isdecimal())
    means = tuple(
        (row["Model Name"], at, [row[f"{stem}@{k}"] for k in at])
        for row in results.to_dict("records")
    )
    found: list[AnyChart] = [Lines(f"{label} by cut-off", "Cut-off", label, means)]
    covered = []
    for model in [model for model in tables if "Ranks" in tables[model]]:
        steps = tables[model]["Ranks"].pivot_table("Covered", ["Sheet", "Query"], "Rank")
        scored = units[model].dropna(subset=[measure.name])
        answered = (scored["Retrieved"] > 0).mean()  # the other queries cover nothing
        shares = steps.ffill(axis="columns").mean() * answered
        covered.append((model, shares.index.tolist(), shares.tolist()))
    if covered:
        title = "Share of the subtopics covered by rank"
        found.append(Lines(title, "Rank", "Share of the subtopics", tuple(covered)))
    return found


def sheets_table(sheets: pd.DataFrame, measures: Sequence[Measure]) -> Page:
    """Return the summary of one model: a row per sheet and cut-off, Overall last."""
    plain = sheets.rename(columns=lambda name: name.removeprefix("Average_"))
    at: dict[str, list[Measure]] = {}
    for measure in measures:
        at.setdefault(measure.name.partition("@")[2], []).append(measure)
    parts, bare = [], []
    for cutoff, found in sorted(at.items(), key=lambda entry: int(entry[0])):
        names = {measure.name: measure.name.partition("@")[0] for measure in found}
        bare = [replace(m, name=names[m.name], label=m.label.partition("@")[0]) for m in found]
        part = plain[["Sheet", *names]].rename(columns=names)
        part.insert(1, "Cut-off", int(cutoff))
        parts.append(part)
    frame = pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)
    return page_of("Summary", frame, bare, Column("Sheet", "Sheet", role="key"))
