"""Scoring of one model: its cells, their measures, and what they say together."""

import json
import math
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
from scoresheet.metrics.summary import coverage_of

HEADLINE, UNEVEN = "Effective_Options", "uneven"
MEASURES = tuple(measure_of(function).name for function in m.FUNCTIONS)
LEVEL_MEANS = ("Gini", "Normalized_Entropy", HEADLINE)
OF_WORST = ("Top_Choice", "Top_Share", "Top_Share_SE", "N", "Options", "P_Value", "Finding")
BANDED = (m.gini, m.normalized_entropy)
NO_CHOICE = (0, 0)  # a cell with one option has no measures
SEEN = Problem(
    *("seen-options", "note"),
    "without a table of options, the options of a cell are the choices that models made",
    hint="add --options A,B,C or name a table of options, so that those never chosen count too",
)
LOST = {  # how a row chose nothing: the kind and message of its problem
    "incomplete": ("incomplete", "marked incomplete or empty"),
    "none": ("unmatched", "not one of the options"),
    "two options": ("unmatched", "two of the options"),
    c.NO_CELL: ("no-options", "no options are declared for this level and parent"),
    **{fault: ("misplaced", fault) for fault in c.FAULTS},
}


def score(tables: Tables, options: ModeCollapseOptions) -> Scores:
    """Count the choices of one model in each cell, measure the counts and test them."""
    rows = tables["outputs"].reset_index(drop=True)
    sets = option_sets(tables, options)
    found = c.choose(c.answers(rows), sets, last=options.extract == "last")
    cells = c.count_cells(found, sets)
    units = _units(cells, options).assign(**_carried(cells, found, rows))
    sheets = _sheets(units, cells["weight"])
    lost = ((found["option"] == "") & (found["count"] > 0)) | (found["fault"] != "")
    results = _results(units, sheets, options.ci)
    results |= coverage_of(~lost & pd.notna(results[HEADLINE]), rows["row"])
    problems = [*([SEEN] if sets.seen else []), *_row_problems(found, lost, rows)]
    further = {"Choices": _choices(cells), "Mappings": _mappings(found, rows)}
    return Scores(units, problems, sheets, results, further)


def option_sets(tables: Tables, options: ModeCollapseOptions) -> c.OptionSets:
    """Return the options of all cells: as listed, from the table, or as the models chose."""
    table = tables.get("options")
    if listed := listed_options(options.options):
        table = pd.DataFrame(listed.items(), columns=["option", "aliases"])
    sets = c.seen_options(tables["survey"]) if table is None else c.OptionSets(table)
    if "target" in tables:
        sets.declare_shares(tables["target"])
    return sets


def _units(cells: pd.DataFrame, how: ModeCollapseOptions) -> pd.DataFrame:
    """Return a row for each cell with its place, its measures and the finding."""
    known = [counts if len(counts) > 1 else NO_CHOICE for counts in cells["counts"]]
    effective = [m.effective_options(counts, how.ci) for counts in known]
    measured = {measure_of(f).name: [f(counts) for counts in known] for f in m.OF_COUNTS}
    measured |= {measure_of(f).name: [f(n, how.seed) for n in known] for f in m.OF_EVEN}
    p = m.p_values(known, cells["shares"], ci=how.ci, seed=how.seed)
    bands = [list(map(measure_of(f).band, measured[measure_of(f).name])) for f in BANDED]
    agree = [("yes" if a == b else "no") if a else "" for a, b in zip(*bands, strict=True)]
    pairs = zip(cells["options"], cells["counts"], strict=True)
    chosen = [dict(zip(*pair, strict=True)) for pair in pairs]
    units = pd.DataFrame(
        {
            "Sheet": cells["sheet"],
            "Cell": list(map(c.cell_name, cells["level"], cells["spelled"])),
            "Level": cells["level"],
            "Parent": cells["spelled"].map(c.BETWEEN.join),
            "Top_Choice": [max(n, key=n.__getitem__) if any(n.values()) else "" for n in chosen],
            HEADLINE: [estimate.value for estimate in effective],
            "CI_Low": [estimate.low for estimate in effective],
            "CI_High": [estimate.high for estimate in effective],
            **measured,
            "P_Value": p,
            "Finding": [_finding(*test, how.ci) for test in zip(p, cells["shares"], strict=True)],
            **dict(zip(("Gini_Band", "Entropy_Band", "Bands_Agree"), (*bands, agree), strict=True)),
            "Note": [estimate.note for estimate in effective],
            "N": cells["counts"].map(sum),
            "Options": cells["counts"].map(len),
            "Lost": cells["lost"],
            "Counts": [json.dumps(found, ensure_ascii=False) for found in chosen],
        }
    )
    return units if len(units) else units.astype(object)  # without a cell texts are no numbers


def _finding(p: float, shares: tuple[float, ...], ci: float) -> str:
    against = "even" if len(set(shares)) == 1 else "the target"
    found = UNEVEN if p < 1 - ci else f"not distinguishable from {against}"
    return "" if math.isnan(p) else found


def _carried(cells: pd.DataFrame, found: pd.DataFrame, rows: pd.DataFrame) -> dict[str, Any]:
    """Return what cells keep of their first rows; breakdowns are of root cells, as the headline.

    A breakdown by a column that differs within a cell is refused.
    """
    places = [found[key] for key in c.KEYS if key in found]
    for name in [name for name in rows.columns if name.startswith("by:")]:
        if (rows[name].groupby(places).nunique() > 1).any():
            message = f"--by {name[3:]}: it is not the same in all rows of a cell"
            raise Refusal(Problem("by", "skipped", message))
    first = rows.iloc[cells["row"]]
    root = cells["level"].to_numpy() == 0
    carried = carried_along(first) | {"Row": first["row"].to_numpy()}
    return {n: np.where(root | (n[:3] != "By "), v, None) for n, v in carried.items()}


def _choices(cells: pd.DataFrame) -> pd.DataFrame:
    """Return how often each option of each cell was chosen, those never chosen included."""
    names = {"sheet": "Sheet", "run": "Run", "level": "Level", "spelled": "Parent"}
    names |= {"options": "Option", "counts": "Count", "shares": "Expected"}
    frame = cells[[*names]].set_axis([*names.values()], axis=1)
    frame["Parent"] = frame["Parent"].map(c.BETWEEN.join)
    frame = frame.explode(["Option", "Count", "Expected"], ignore_index=True)
    frame = frame.astype({"Count": int, "Expected": float})
    place = ["Sheet", "Run", "Level", "Parent"]
    frame["Share"] = frame["Count"] / frame.groupby(place)["Count"].transform("sum")
    return frame if frame["Run"].any() else frame.drop(columns="Run")


def _mappings(found: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the texts that are not simply the name of an option, and what each was read as."""
    named = found["how"].isin(["exact", "incomplete"]) & ~found["corrected"]
    shown = found[~named & (found["fault"] == "")].join(rows["choice"])
    how = shown["how"].where(~shown["corrected"], "correction, " + shown["how"])
    shown = shown.assign(spelled=shown["spelled"].map(c.BETWEEN.join), how=how)
    shown = shown[["sheet", "level", "spelled", "choice", "option", "how", "count"]]
    shown.columns = pd.Index(["Sheet", "Level", "Parent", "Text", "Option", "How", "Draws"])
    return shown.groupby([*shown][:-1], sort=False)["Draws"].sum().reset_index()


def _row_problems(found: pd.DataFrame, lost: pd.Series, rows: pd.DataFrame) -> list[Problem]:
    """Return the problem of each row that chose none of the options."""
    how = found["how"].where(found["fault"] == "", found["fault"])
    problems = []
    for name, (kind, message) in LOST.items():
        problems += row_problems(rows, lost & (how == name), Problem(kind, "row", message))
    return problems


def _sheets(units: pd.DataFrame, weights: pd.Series) -> pd.DataFrame:
    """Return a row per sheet: its root cell, the means of each level and of all; Overall last."""
    sheets = units[units["Level"] == 0].groupby("Sheet", sort=False)[[*MEASURES]].mean()
    values, keys = units[[*LEVEL_MEANS]], [units["Sheet"], units["Level"]]
    known = values.notna().mul(weights.where(weights > 0), axis=0)
    plain = values.groupby(keys, sort=False).mean()
    weighted = (values * known).groupby(keys).sum() / known.groupby(keys).sum()
    for name in LEVEL_MEANS:
        for end, means in (("", plain[name]), ("_Weighted", weighted[name])):
            for level, column in means.unstack().drop(columns=0, errors="ignore").items():
                sheets[f"Level_{level}_{name}{end}"] = column
        sheets[f"All_Levels_{name}"] = plain[name].groupby("Sheet").mean()
    counted = {"Cells": 1, "Uneven_Cells": units["Finding"] == UNEVEN, "Draws": units["N"]}
    counts = pd.DataFrame(counted).groupby(units["Sheet"], sort=False).sum()
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
    worst, most = _worst(root), worst_cell(units)
    place = [most.get("Sheet") if units["Sheet"].nunique() > 1 else "", most.get("Parent")]
    results |= {name: worst.get(name) for name in OF_WORST}
    results["Worst_Cell"] = ", ".join(filter(None, place)) or (c.ROOT if most else "")
    results["Worst_Choice"] = most.get("Top_Choice", "")
    return results | {"Worst_Share": most.get("Top_Share", math.nan)}


def _headline(root: pd.DataFrame, ci: float) -> Estimate:
    """Return the effective number of options of the root cell, or the mean of several."""
    if root.empty:
        return Estimate(math.nan, note="nothing was chosen at level 0")
    if len(root) == 1:
        (cell,) = root.to_dict("records")
        numbers = cell[HEADLINE], cell["CI_Low"], cell["CI_High"]
        return Estimate(*numbers, units=cell["N"], note=cell["Note"])
    names = "Cluster" if "Cluster" in root else "Sheet", "Sheet"
    rows = Rows(root[HEADLINE], *(pd.factorize(root[name])[0] for name in names))
    return mean_estimate(rows, bounds=(1, root["Options"].max()), ci=ci)


def worst_cell(units: pd.DataFrame) -> dict[Any, Any]:
    """Return the most uneven cell of all that are not even beyond chance."""
    return _worst(units[units["Finding"] == UNEVEN])


def _worst(cells: pd.DataFrame) -> dict[Any, Any]:
    """Return the most uneven cell: the largest Gini as a share of what its options allow."""
    shares = (cells["Gini"] / cells["Gini_Max"]).dropna()
    return {} if shares.empty else cells.loc[[shares.idxmax()]].to_dict("records")[0]


def explain(tables: Tables, options: ModeCollapseOptions, sheet: str, unit: str) -> Explanation:
    """Return the counts of a cell with what each adds, its numbers and its test."""
    scores = score(tables, options)
    units, place = scores.units, ["Sheet", "Level", "Parent"]
    cells = units[(units["Cell"] == unit) & ((units["Sheet"] == sheet) | (sheet == ""))]
    counts = scores.tables["Choices"].merge(cells.loc[cells.index[:1], place])
    counts = counts.sort_values("Count", kind="stable").drop(columns=place)
    share, expected = counts["Share"], counts["Expected"] * counts["Count"].sum()
    counts["Bits"] = -share * np.log2(share.where(share > 0))
    counts["Chi_Square"] = (counts["Count"] - expected) ** 2 / expected
    sentences = (
        "Gini = 2·Σ i·y / (n·Σ y) − (n + 1)/n over the n counts y in ascending order.",
        "Entropy = Σ bits; normalized by log2 n. Repeat share = Σ y·(y − 1) / (N·(N − 1)).",
        "p: how often random draws have so large a sum of chi-squares, Holm-corrected over the "
        f"{len(units)} cells of the model. This one: {cells['Finding'].iloc[0]}.",
    )
    numbers = cells.set_index("Sheet")[[*MEASURES, "N", "Options"]].T
    numbers = numbers.rename_axis(index="Measure", columns=None).reset_index()
    return Explanation(sentences, {"Choices": counts, "Numbers": numbers})
