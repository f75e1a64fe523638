"""What a run of mode-collapse says: sentences, the worst cell, and the tables of the screen."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from scoresheet.cli.report import Column, Page, Tone
from scoresheet.cli.report.tables import ci_label
from scoresheet.cli.report.text import show, show_interval
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Scores
from scoresheet.metrics.mode_collapse.score import worst_cell

Row = Mapping[Any, Any]  # of the results
MOST = 3  # sentences


def answer(
    results: pd.DataFrame, _measure: object, comparison: Comparison | None, _units: str, ci: float
) -> tuple[list[str], tuple[str, ...]]:
    """Return a sentence for each model, the even ones together, and the words in bold."""
    scored = results[results["Effective_Options"].notna()].set_index("Model Name", drop=False)
    order = comparison.order if comparison else scored.index
    rows = scored.loc[[name for name in order if name in scored.index]].to_dict("records")
    if not rows:
        return ["No model could be scored."], ()
    even = [row["Model Name"] for row in rows if _is_even(row) and not row["Worst_Cell"]]
    others = [row for row in rows if row["Model Name"] not in even]
    sentences = [model_sentence(row["Model Name"], row, None, ci) for row in others]
    if even:
        finding = next(row["Finding"] for row in rows if row["Model Name"] in even)
        sentences.append(f"{', '.join(even)}: {finding}.")
    if len(sentences) > MOST:
        left = len(rows) - MOST + 1
        sentences[MOST - 1 :] = [f"{left} more models are in the table."]
    return sentences, tuple(row["Model Name"] for row in rows)


def _is_even(row: Row) -> bool:
    return str(row["Finding"]).startswith("not")


def model_sentence(model: str, row: Row, _measure: object, ci: float) -> str:
    """Return what is found about one model."""
    interval = show_interval(row["CI_Low"], row["CI_High"], "options")
    reason = f"{ci_label(ci)} {interval}" if interval else row["Note"]
    effective = show(row["Effective_Options"], "options")
    share, count = show(row["Top_Share"], "share"), show(row["N"], "count")
    if row["Sheets"] > 1:
        text = (
            f"{model} behaves like {effective} options on average over {row['Sheets']:.0f} sheets"
        )
        return (
            f"{text} ({reason}). Most uneven: {_worst_text(row)}."
            if row["Worst_Cell"]
            else f"{text} ({reason})."
        )
    if not _is_even(row):
        options = show(row["Options"], "count")
        chose = f"{model} chose {row['Top_Choice']} in {share} of {count} samples"
        return f"{chose} and behaves like {effective} of {options} options ({reason})."
    if not row["Worst_Cell"]:
        return f"{model}: {row['Finding']}."
    worst = show(row["Worst_Share"], "share")
    under = f"under {row['Worst_Cell']} it chose {row['Worst_Choice']} in {worst}"
    return f"{model}: {row['Finding']} at the root, but {under}."


def _worst_text(row: Row) -> str:
    return f"{row['Worst_Cell']}, {row['Worst_Choice']} in {show(row['Worst_Share'], 'share')}"


def headline_table(page: Page, rows: pd.DataFrame) -> Page:
    """Return the headline table with the choice and share of the worst cell, in red."""
    cells = [
        f"{row['Worst_Cell']}: {row['Worst_Choice']} {show(row['Worst_Share'], 'share')}"
        if isinstance(row["Worst_Cell"], str) and row["Worst_Cell"]
        else ""
        for row in rows.to_dict("records")
    ]
    tones: dict[tuple[int, str], Tone] = {
        (place, "Worst_Cell"): "bad" for place, cell in enumerate(cells) if cell
    }
    texts = {
        name: Column(name, name.replace("_", " ").capitalize(), role="text", width=18)
        for name in ("Top_Choice", "Worst_Cell")
    }
    texts["N"] = Column("N", "N", "count", "measure")  # whole also where a model has none
    shown = [column for column in page.columns if tones or column.name != "Worst_Cell"]
    columns = tuple(texts.get(column.name, column) for column in shown)
    return replace(page, frame=page.frame.assign(Worst_Cell=cells), columns=columns, tones=tones)


def comparison_table(page: Page, comparison: Comparison, ci: float) -> Page:
    """Return the table of pairs: who repeats more, without counts of cells where there is one."""
    results = [
        pair["Note"]
        or (f"{pair['Model']} repeats more" if pair["P_Holm"] < 1 - ci else "no difference found")
        for pair in comparison.pairs.to_dict("records")
    ]
    single = (comparison.pairs["Shared"] < 2).all()
    hidden = ("Shared", "W_T_L", "Detectable") if single else ()
    columns = tuple(column for column in page.columns if column.name not in hidden)
    title = f"Difference in repeat share {'at the root' if single else 'over sheets'}"
    return replace(page, title=title, frame=page.frame.assign(Result=results), columns=columns)


def worst_unit(model: str, scores: Scores, _values: object) -> tuple[float, str, str, str] | None:
    """Return the share of the top choice in the most uneven cell, a sentence, sheet and cell."""
    row = scores.results
    if not row["Worst_Cell"]:
        return None
    sentence = f"Most uneven: {_worst_text(row)} ({model})."
    cell = worst_cell(scores.units)
    return row["Worst_Share"], sentence, cell["Sheet"], cell["Cell"]
