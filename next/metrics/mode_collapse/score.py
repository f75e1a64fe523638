"""Scoring of one model: its cells, their measures, and what they say together."""

import json
import math
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.family import Explanation, Scores, Tables, carried_along
from scoresheet.metrics.measure import measure_of
from scoresheet.metrics.mode_collapse import ModeCollapseOptions, listed_options
from scoresheet.metrics.mode_collapse import cells as c
from scoresheet.metrics.mode_collapse import measures as m
from scoresheet.metrics.problem import Problem, Refusal, row_problems
from scoresheet.metrics.stats import Estimate
from scoresheet.metrics.stats.means import Rows, mean_estimate
from scoresheet.metrics.summary import LOW_COVERAGE

HEADLINE, UNEVEN = "Effective_Options", "uneven"
MEASURES = tuple(measure_of(function).name for function in m.FUNCTIONS)
LEVEL_MEANS = ("Gini", "Normalized_Entropy", HEADLINE)
OF_WORST = ("Top_Choice", "Top_Share", "Top_Share_SE", "N", "Options", "P_Value", "Finding")
NO_CHOICE = (0, 0)  # a cell with one option has no measures
SEEN = Problem(
    *("seen-options", "note"),
    "without a table of options, the options of a cell are the choices that models made",
    hint="add --options A,B,C or name a table of options, so that those never chosen count too",
)
LOST = {  # the kind and message of problems by which a row chose nothing, and how it was found
    ("incomplete", "marked incomplete or empty"): ["incomplete"],
    ("unmatched", "not one of the options, or two of them"): ["none", "two options"],
    ("no-options", "no options are declared for this level and parent"): [c.NO_CELL],
}


def score(tables: Tables, options: ModeCollapseOptions) -> Scores:
    """Count the choices of one model in each cell, measure the counts and test them."""
    rows = tables["outputs"].reset_index(drop=True)
    sets = option_sets(tables, options)
    found = c.choose(c.answers(rows), sets, last=options.extract == "last")
    _check_breakdowns(found, rows)
    cells = c.count_cells(found, sets)
    units = _units(cells, rows, options)
    sheets = _sheets(units, cells["weight"])
    lost = ((found["option"] == "") & (found["count"] > 0)) | (found["fault"] != "")
    results = _results(units, sheets, options.ci)
    scored = 0 if math.isnan(results[HEADLINE]) else len(rows) - int(lost.sum())
    results |= {"Rows": len(rows), "Scored": scored, "Coverage": scored / max(1, len(rows))}
    status = "ok" if results["Coverage"] >= LOW_COVERAGE else "low coverage"
    results["Status"] = status if scored else "unscored"
    problems = [*([SEEN] if sets.seen else []), *_row_problems(found, lost, rows)]
    further = {"Choices": _choices(cells), "Mappings": _mappings(found, rows)}
    return Scores(units, problems, sheets, results, further)


def option_sets(tables: Tables, options: ModeCollapseOptions) -> c.OptionSets:
    """Return the options of all cells: as listed, from the table, or as the models chose."""
    table = tables.get("options")
    if options.options:
        listed = listed_options(options.options)
        table = pd.DataFrame(listed.items(), columns=["option", "aliases"])
    sets = c.seen_options(tables["survey"]) if table is None else c.declared_options(table)
    if "target" in tables:
        sets.declare_shares(tables["target"])
    return sets


def _check_breakdowns(found: pd.DataFrame, rows: pd.DataFrame) -> None:
    """Refuse a breakdown by a column that differs within a cell."""
    places = [found[key] for key in c.KEYS if key in found]
    for name in [name for name in rows.columns if name.startswith("by:")]:
        if (rows[name].groupby(places).nunique() > 1).any():
            message = f"--by {name[3:]}: it is not the same in all rows of a cell"
            raise Refusal(Problem("by", "skipped", message))


def _units(cells: pd.DataFrame, rows: pd.DataFrame, how: ModeCollapseOptions) -> pd.DataFrame:
    """Return a row for each cell with its place, its measures and the finding."""
    known = [counts if len(counts) > 1 else NO_CHOICE for counts in cells["counts"]]
    shares = [expected if len(expected) > 1 else () for expected in cells["shares"]]
    effective = [m.effective_options(counts, how.ci) for counts in known]
    measured = {measure_of(f).name: [f(counts) for counts in known] for f in m.OF_COUNTS}
    gini, entropy = (measure_of(f) for f in (m.gini, m.normalized_entropy))
    ginis, entropies = measured[gini.name], measured[entropy.name]
    bands = [(gini.band(a), entropy.band(b)) for a, b in zip(ginis, entropies, strict=True)]
    p = m.p_values(known, shares, ci=how.ci, seed=how.seed).tolist()
    pairs = zip(cells["options"], cells["counts"], strict=True)
    chosen = [dict(zip(options, counts, strict=True)) for options, counts in pairs]
    names = pd.Series(map(c.cell_name, cells["level"], cells["spelled"]), dtype=object)
    first = rows.iloc[cells["row"]].reset_index(drop=True)
    carried = carried_along(first)
    for name in [name for name in carried if name.startswith("By ")]:
        # breakdowns are of root cells, as the headline is
        carried[name] = pd.Series(carried[name]).where(cells["level"] == 0)
    return pd.DataFrame(
        {
            "Sheet": cells["sheet"],
            "Cell": names,
            "Level": cells["level"],
            "Parent": cells["spelled"].map(c.joined),
            "Top_Choice": [max(n, key=n.__getitem__) if any(n.values()) else "" for n in chosen],
            HEADLINE: [estimate.value for estimate in effective],
            "CI_Low": [estimate.low for estimate in effective],
            "CI_High": [estimate.high for estimate in effective],
            **measured,
            "Gini_Even": [m.gini_even(counts, how.seed) for counts in known],
            "Gini_Even_95": [m.gini_even_95(counts, how.seed) for counts in known],
            "P_Value": p,
            "Finding": [_finding(*pair, how.ci) for pair in zip(p, shares, strict=True)],
            "Gini_Band": [band for band, _ in bands],
            "Entropy_Band": [band for _, band in bands],
            "Bands_Agree": [("yes" if a == b else "no") if a else "" for a, b in bands],
            "Note": [estimate.note for estimate in effective],
            "N": cells["counts"].map(sum),
            "Options": cells["counts"].map(len),
            "Lost": cells["lost"],
            "Counts": [json.dumps(found, ensure_ascii=False) for found in chosen],
            "Row": first["row"],
            **carried,
        }
    )


def _finding(p: float, shares: tuple[float, ...], ci: float) -> str:
    if math.isnan(p):
        return ""
    against = "even" if len(set(shares)) == 1 else "the target"
    return UNEVEN if p < 1 - ci else f"not distinguishable from {against}"


def _choices(cells: pd.DataFrame) -> pd.DataFrame:
    """Return how often each option of each cell was chosen, those never chosen included."""
    place = ["Sheet", "Run", "Level", "Parent"]
    parents = cells["spelled"].map(c.joined)
    columns = (cells["sheet"], cells["run"], cells["level"], parents)
    found = (cells["options"], cells["counts"], cells["shares"])
    table = [
        (*key, *option)
        for *key, options, counts, shares in zip(*columns, *found, strict=True)
        for option in zip_longest(options, counts, shares, fillvalue=math.nan)
    ]
    frame = pd.DataFrame(table, columns=[*place, "Option", "Count", "Expected"])
    frame["Share"] = frame["Count"] / frame.groupby(place)["Count"].transform("sum")
    return frame if frame["Run"].any() else frame.drop(columns="Run")


def _mappings(found: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the texts that are not simply the name of an option, and what each was read as."""
    named = found["how"].isin(["exact", "incomplete"]) & ~found["corrected"]
    shown = found[~named & (found["fault"] == "")]
    keys = {
        "Sheet": shown["sheet"],
        "Level": shown["level"],
        "Parent": shown["spelled"].map(c.joined),
        "Text": rows["choice"].loc[shown.index],
        "Option": shown["option"],
        "How": shown["how"].where(~shown["corrected"], "correction, " + shown["how"]),
    }
    draws = pd.DataFrame({**keys, "Draws": shown["count"]})
    return draws.groupby([*keys], sort=False)["Draws"].sum().reset_index()


def _row_problems(found: pd.DataFrame, lost: pd.Series, rows: pd.DataFrame) -> list[Problem]:
    """Return the problem of each row that chose none of the options."""
    causes = [(kind, text, lost & found["how"].isin(hows)) for (kind, text), hows in LOST.items()]
    causes += [("misplaced", fault, found["fault"] == fault) for fault in c.FAULTS]
    each = [row_problems(rows, at, Problem(kind, "row", text)) for kind, text, at in causes]
    return [problem for problems in each for problem in problems]


def _sheets(units: pd.DataFrame, weights: pd.Series) -> pd.DataFrame:
    """Return a row per sheet: its root cell, the means of each level and of all; Overall last."""
    keys = [units["Sheet"], units["Level"]]
    sheets = units[units["Level"] == 0].groupby("Sheet", sort=False)[[*MEASURES]].mean()
    for name in LEVEL_MEANS:
        weight = weights.where((weights > 0) & units[name].notna())
        parts = (values.groupby(keys, sort=False) for values in (units[name] * weight, weight))
        total, size = (part.sum(min_count=1).unstack() for part in parts)
        plain = units[name].groupby(keys, sort=False).mean().unstack()
        for level in sorted({*units["Level"]} - {0}):
            sheets[f"Level_{level}_{name}"] = plain[level]
            sheets[f"Level_{level}_{name}_Weighted"] = total[level] / size[level]
        sheets[f"All_Levels_{name}"] = plain.mean(axis="columns")
    uneven = (units["Finding"] == UNEVEN).astype(int)
    counted = pd.DataFrame({"Cells": 1, "Uneven_Cells": uneven, "Draws": units["N"]})
    counts = counted.groupby(units["Sheet"], sort=False).sum()
    overall = {**sheets.mean(), **counts.sum(), "P_Value": math.nan}  # a mean of p says nothing
    table = pd.concat([sheets.join(counts), pd.DataFrame(overall, index=["Overall"])])
    table = table.rename(columns={HEADLINE: f"Average_{HEADLINE}"})
    return table.rename_axis("Sheet").reset_index()


def _results(units: pd.DataFrame, sheets: pd.DataFrame, ci: float) -> dict[str, Any]:
    """Return the model's row: its root cell, or the mean of several and the choice of the worst."""
    root = units[(units["Level"] == 0) & units[HEADLINE].notna()]
    (overall,) = sheets.tail(1).drop(columns="Sheet").to_dict("records")
    results = {str(name).removeprefix("Average_"): value for name, value in overall.items()}
    main = _headline(root, ci)
    results |= {"CI_Low": main.low, "CI_High": main.high, "Headline": HEADLINE}
    results |= {"Units": main.units, "Note": main.note, "Sheets": root["Sheet"].nunique()}
    if "Run" in root:
        means = root.groupby(["Run", "Sheet"])[HEADLINE].mean().groupby("Run").mean()
        results |= {"Runs": len(means), "Run_SD": means.std()}
    worst, most = _worst(root), _worst(units[units["Finding"] == UNEVEN])
    place = [most.get("Sheet") if units["Sheet"].nunique() > 1 else "", most.get("Parent")]
    return {
        **results,
        **{name: worst.get(name) for name in OF_WORST},
        "Worst_Cell": ", ".join(filter(None, place)) or (c.ROOT if most else ""),
        "Worst_Choice": most.get("Top_Choice", ""),
        "Worst_Share": most.get("Top_Share", math.nan),
    }


def _headline(root: pd.DataFrame, ci: float) -> Estimate:
    """Return the effective number of options of the root cell, or the mean of several."""
    if root.empty:
        return Estimate(math.nan, note="nothing was chosen at level 0")
    if len(root) == 1:
        cell = root.iloc[0]
        ends = cell["CI_Low"], cell["CI_High"]
        return Estimate(cell[HEADLINE], *ends, units=int(cell["N"]), note=str(cell["Note"]))
    names = "Cluster" if "Cluster" in root else "Sheet", "Sheet"
    rows = Rows(root[HEADLINE], *(pd.factorize(root[name])[0] for name in names))
    return mean_estimate(rows, bounds=(1, root["Options"].max()), ci=ci)


def _worst(cells: pd.DataFrame) -> dict[Any, Any]:
    """Return the most uneven cell: the largest Gini as a share of what its options allow."""
    shares = (cells["Gini"] / cells["Gini_Max"]).dropna()
    return {} if shares.empty else cells.loc[[shares.idxmax()]].to_dict("records")[0]


def explain(tables: Tables, options: ModeCollapseOptions, sheet: str, unit: str) -> Explanation:
    """Return the counts of a cell with what each adds, its numbers, and how they are made."""
    scores = score(tables, options)
    units, choices = scores.units, scores.tables["Choices"]
    cells = units[(units["Cell"] == unit) & ((units["Sheet"] == sheet) | (sheet == ""))]
    if cells.empty:
        known = ", ".join(units["Cell"].unique())
        raise ValueError(f"there is no cell {unit!r}; there are {known}")
    place = ["Sheet", "Level", "Parent"]
    counts = choices.merge(cells.loc[cells.index[:1], place]).sort_values("Count", kind="stable")
    share, expected = counts["Share"], counts["Expected"] * counts["Count"].sum()
    counts["Bits"] = -share * np.log2(share.where(share > 0))
    counts["Chi_Square"] = (counts["Count"] - expected) ** 2 / expected
    numbers = cells[[*MEASURES, "N", "Options", "Finding"]].T
    sentences = (
        "Gini = 2·Σ i·y / (n·Σ y) − (n + 1)/n over the n counts y in ascending order.",
        "Entropy = Σ bits; normalized by log2 n. Repeat share = Σ y·(y − 1) / (N·(N − 1)).",
        "p: how often random draws have so large a chi-square, Holm-corrected over all cells.",
    )
    return Explanation(sentences, {"Choices": counts.drop(columns=place), "Numbers": numbers})
