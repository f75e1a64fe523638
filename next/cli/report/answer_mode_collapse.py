"""What a run of mode-collapse says: sentences, the worst cell, and the tables of the screen."""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.report import AnyChart, Bars, Column, Lines, Page, Points, Tone
from scoresheet.cli.report.tables import ci_label
from scoresheet.cli.report.text import show, show_interval
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Scores
from scoresheet.metrics.mode_collapse.score import worst_cell

MOST, MOST_CELLS, MOST_CURVES = 3, 30, 6  # sentences, bars, curves


def answer(
    results: pd.DataFrame, _measure: object, comparison: Comparison | None, _units: str, ci: float
) -> tuple[list[str], tuple[str, ...]]:
    """Return a sentence for each model, the even ones together, and the words in bold."""
    scored = results[results["Effective_Options"].notna()].set_index("Model Name", drop=False)
    order = comparison.order if comparison else scored.index
    rows = scored.loc[[name for name in order if name in scored.index]].to_dict("records")
    even = [row for row in rows if str(row["Finding"]).startswith("not") and not row["Worst_Cell"]]
    sentences = [model_sentence(r["Model Name"], r, None, ci) for r in rows if r not in even]
    if even:
        sentences.append(f"{', '.join(row['Model Name'] for row in even)}: {even[0]['Finding']}.")
    if len(sentences) > MOST:
        sentences[MOST - 1 :] = [f"{len(rows) - MOST + 1} more models are in the table."]
    return sentences or ["No model could be scored."], tuple(row["Model Name"] for row in rows)


def model_sentence(model: str, row: Mapping[Any, Any], _measure: object, ci: float) -> str:
    """Return what is found about one model."""
    interval = show_interval(row["CI_Low"], row["CI_High"], "options")
    reason = f"{ci_label(ci)} {interval}" if interval else row["Note"]
    effective = show(row["Effective_Options"], "options")
    if row["Sheets"] > 1:
        mean = f"{effective} options on average over {row['Sheets']:.0f} sheets ({reason})."
        return f"{model} behaves like {mean}{_worst_text(row, ' Most uneven: {}, {} in {}.')}"
    if not str(row["Finding"]).startswith("not"):
        share, count = show(row["Top_Share"], "share"), show(row["N"], "count")
        chose = f"{model} chose {row['Top_Choice']} in {share} of {count} samples"
        options = show(row["Options"], "count")
        return f"{chose} and behaves like {effective} of {options} options ({reason})."
    worst = _worst_text(row, " at the root, but under {} it chose {} in {}")
    return f"{model}: {row['Finding']}{worst}."


def _worst_text(row: Mapping[Any, Any], form: str = "{}, {} in {}") -> str:
    share = show(row["Worst_Share"], "share")
    return form.format(row["Worst_Cell"], row["Worst_Choice"], share) if row["Worst_Cell"] else ""


def headline_table(page: Page, rows: pd.DataFrame) -> Page:
    """Return the headline table with the choice and share of the worst cell, in red."""
    cells = [
        _worst_text(r, "{}: {} {}") for r in rows.fillna({"Worst_Cell": ""}).to_dict("records")
    ]
    red = [(place, "Worst_Cell") for place, cell in enumerate(cells) if cell]
    tones: dict[tuple[int, str], Tone] = dict.fromkeys(red, "bad")
    texts = {
        "Top_Choice": Column("Top_Choice", "Top choice", role="text", width=18),
        "N": Column("N", "N", "count", "measure"),  # whole also where a model has none
        "Worst_Cell": Column("Worst_Cell", "Worst cell", role="text", width=18),
    }
    shown = [column for column in page.columns if tones or column.name != "Worst_Cell"]
    columns = tuple(texts.get(column.name, column) for column in shown)
    return replace(page, frame=page.frame.assign(Worst_Cell=cells), columns=columns, tones=tones)


def comparison_table(page: Page, comparison: Comparison, ci: float) -> Page:
    """Return the table of pairs: who repeats more, without counts of cells where there is one."""
    pairs = comparison.pairs
    found = (pairs["Model"] + " repeats more").where(
        pairs["P_Holm"] < 1 - ci, "no difference found"
    )
    results = pairs["Note"].mask(pairs["Note"] == "", found)
    single = (pairs["Shared"] < 2).all()
    hidden = ("Shared", "W_T_L", "Detectable") if single else ()
    columns = tuple(column for column in page.columns if column.name not in hidden)
    title = f"Difference in repeat share {'at the root' if single else 'over sheets'}"
    return replace(page, title=title, frame=page.frame.assign(Result=results), columns=columns)


def worst_unit(model: str, scores: Scores, _values: object) -> tuple[float, str, str, str] | None:
    """Return the share of the top choice in the most uneven cell, a sentence, sheet and cell."""
    if not (cell := worst_cell(scores.units)):
        return None
    sentence = f"Most uneven: {_worst_text(scores.results)} ({model})."
    return cell["Top_Share"], sentence, cell["Sheet"], cell["Cell"]


def charts(
    _results: object, _measure: object, units: Mapping[str, pd.DataFrame], _tables: object
) -> list[AnyChart]:
    """Return the shares in the most uneven cells, Gini against chance, Lorenz curves."""
    cells = pd.concat([rows.assign(Model=model) for model, rows in units.items()])
    cells = cells.dropna(subset="Gini").sort_values("Gini", ascending=False, kind="stable")
    several, sizes = cells["Sheet"].nunique() > len(units), cells["Options"].unique()
    bars, curves = [], {"even": ("even", [0.0, 1.0], [0.0, 1.0])}
    for cell in cells.to_dict("records"):
        counts = sorted(json.loads(cell["Counts"]).items(), key=lambda option: -option[1])
        place = filter(None, [cell["Model"], cell["Sheet"] if several else "", cell["Parent"]])
        bars.append((", ".join(place), tuple((name, n / cell["N"]) for name, n in counts)))
        heights = [0.0, *accumulate(n / cell["N"] for _, n in reversed(counts))]
        widths = np.linspace(0, 1, len(heights)).tolist()
        curves.setdefault(cell["Model"], (cell["Model"], widths, heights))
    points = [(str(m), list(r["Gini_Even"]), list(r["Gini"])) for m, r in cells.groupby("Model")]
    points.append(("even, 95% point", list(cells["Gini_Even"]), list(cells["Gini_Even_95"])))
    labels = "Lorenz curves of the most uneven cells", "Share of options", "Share of choices"
    even = 1 / sizes[0] if len(sizes) == 1 else None
    return [
        Bars("Shares of choices", tuple(bars[:MOST_CELLS]), even),
        Points("Gini against chance", "Mean of an even chooser", "Gini", tuple(points)),
        Lines(*labels, tuple(curves.values())[:MOST_CURVES], rival="even"),
    ]
