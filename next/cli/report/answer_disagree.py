"""What disagree says: how far each panel agrees, who differs, how many items need review."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.report import AnyChart, Column, Distribution, Heat, Page, Tone
from scoresheet.cli.report.answers import count
from scoresheet.cli.report.tables import ci_label
from scoresheet.cli.report.text import show, show_interval
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.measure import Measure

Row = Mapping[Any, Any]  # of the results
MOST = 4  # panels with a sentence
SKEWED = 0.8  # with more agreement, a low alpha needs an explanation
SHOWN = 12, 20  # items and judges of a heat map


def answer(
    results: pd.DataFrame, measure: Measure, comparison: Comparison | None, units: str, ci: float
) -> tuple[list[str], tuple[str, ...]]:
    """Return a sentence for each panel, those with outliers last, and the words in bold."""
    scored = results[results["Status"] != "failed"].set_index("Model Name", drop=False)
    names = comparison.order if comparison else tuple(scored.index)
    order = tuple(name for name in names if name in scored.index)
    if not order:
        return ["No panel could be scored."], ()
    last = len(order) <= MOST  # of more panels those with outliers are not left out
    rows = scored.loc[[*order]].to_dict("records")
    rows.sort(key=lambda row: bool(row["Outlier_Judges"]) == last)
    sentences = [model_sentence(row["Model Name"], row, measure, ci) for row in rows]
    if len(sentences) > MOST:
        sentences[MOST - 1 :] = [f"{len(sentences) - MOST + 1} more panels are in the table."]
    if comparison is not None and not comparison.pairs.get("Shared", pd.Series(dtype=int)).any():
        sentences.append(f"The panels share no {units}, so they are not compared.")
    return sentences, order


def model_sentence(panel: str, row: Row, _measure: Measure, ci: float) -> str:
    """Return what is found about one panel."""
    alpha, interval = row["Alpha"], show_interval(row["CI_Low"], row["CI_High"], "short")
    agreement, value = show(row["Agreement"], "share"), show(alpha, "short")
    if pd.isna(alpha):
        reason = row["Note"] or "no item has two scores"
        return f"{panel}: alpha is undefined ({reason}); observed agreement {agreement}."
    if row["Outlier_Judges"]:
        moves = "rises" if row["Alpha_Without"] > alpha else "changes"
        text = f"{panel}: outlier {row['Findings']}; without them alpha {moves} from {value} to"
        to_review = f"{row['To_Review']:.0f} of {count(int(row['Items']), 'item')}"
        return f"{text} {show(row['Alpha_Without'], 'short')}. {to_review} need review."
    reason = f"{ci_label(ci)} {interval}" if interval else row["Note"]
    text = f"{panel}: alpha {value} ({reason}){', ' if row['Verdict'] else ''}{row['Verdict']}."
    if row["Agreement"] <= SKEWED or alpha >= 0.667 or pd.isna(row.get("AC1", np.nan)):
        return text
    text += f" The judges agree in {agreement} of pairs, but one label is so frequent"
    return f"{text} that chance explains most of it (AC1 {show(row['AC1'], 'short')})."


def headline_table(page: Page, rows: pd.DataFrame) -> Page:
    """Return the headline table with the outlier judges, and the items to review, marked."""
    outliers = rows["Outlier_Judges"].fillna("")
    named = [at for at, judges in enumerate(outliers) if judges]
    tones: dict[tuple[int, str], Tone] = {
        (at, name): "middle" for at in named for name in ("To_Review", "Outlier_Judges")
    }
    own = {name: Column(name, name, "count", "measure") for name in ("Judges", "Items")}
    own["To_Review"] = Column("To_Review", "To review", "count", "measure")
    own["Outlier_Judges"] = Column("Outlier_Judges", "Outlier judges", role="text", width=18)
    shown = [column for column in page.columns if named or column.name != "Outlier_Judges"]
    columns = tuple(own.get(column.name, column) for column in shown)
    frame = page.frame.assign(Outlier_Judges=outliers.to_numpy())
    return replace(page, frame=frame, columns=columns, tones=page.tones | tones)


def comparison_table(page: Page, comparison: Comparison, ci: float) -> Page:
    """Return the table of pairs of panels that share items: whose judges agree more."""
    pairs = comparison.pairs.to_dict("records")
    results = [
        pair["Note"]
        or (f"{pair['Model']} agrees more" if pair["P_Holm"] < 1 - ci else "no difference found")
        for pair in pairs
    ]
    frame = page.frame.assign(Result=results)[[pair["Shared"] > 0 for pair in pairs]]
    columns = tuple(column for column in page.columns if column.name != "Detectable")
    return replace(page, frame=frame.reset_index(drop=True), columns=columns)


def worst_unit(
    panel: str, _scores: object, values: pd.DataFrame
) -> tuple[float, str, str, str] | None:
    """Return the widest spread over the items of a panel, a sentence, and its sheet and item."""
    labelled = "Majority_Share" in values
    spread = 1 - values["Majority_Share"] if labelled else values["Std_Dev"]
    if not spread.max() > 0:
        return None
    row = values.loc[[spread.idxmax()]].to_dict("records")[0]
    place = f"{row['Item']} in {row['Sheet']}" if values["Sheet"].nunique() > 1 else row["Item"]
    text = f"Widest spread: {place}, sd {show(row.get('Std_Dev'), 'number')}"
    if labelled:
        text = f"Least agreement: {place}, majority {show(row['Majority_Share'], 'share')}"
    return float(spread.max()), f"{text} ({panel}).", row["Sheet"], row["Item"]


def charts(
    _results: object, _measure: object, units: Mapping[str, pd.DataFrame], _tables: object
) -> list[AnyChart]:
    """Return the spread of the items and the judges of each panel."""
    scored = {name: own for name, own in units.items() if "Std_Dev" in own}
    spread = tuple((name, own["Std_Dev"].dropna().tolist()) for name, own in scored.items())
    title = "Spread of the judges' scores per item (SD)"
    found: list[AnyChart] = [Distribution(title, spread)] if spread else []
    return found + [_heat(name, own) for name, own in list(scored.items())[:MOST]]


def _heat(panel: str, units: pd.DataFrame) -> Heat:
    """Return each judge's score minus the mean of the others, widest spread first."""
    widest = units.sort_values("Std_Dev", ascending=False, kind="stable").head(SHOWN[0])
    scores = widest[[name for name in widest if str(name).startswith("Score_")]].iloc[:, : SHOWN[1]]
    size = scores.count(axis=1) - 1
    others = scores.rsub(scores.sum(axis=1), axis=0).div(size.where(size > 0), axis=0)
    judges = tuple(str(name).removeprefix("Score_") for name in scores)
    items, title = tuple(widest["Item"].astype(str)), f"{panel}: score minus the others' mean"
    return Heat(
        title, judges, items, tuple(map(tuple, (scores - others).T.to_numpy(float).tolist()))
    )
