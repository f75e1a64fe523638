"""Each judge against one that counts as right, such as a human; and how one item was computed."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.disagree import DisagreeOptions
from scoresheet.metrics.disagree.items import MEASURES, item_units, names_of
from scoresheet.metrics.disagree.ratings import Ratings, read_ratings
from scoresheet.metrics.family import Explanation, Tables
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.stats import ROUNDING, Floats
from scoresheet.metrics.stats.judges import correlation
from scoresheet.metrics.stats.means import Rows, mean_estimate
from scoresheet.metrics.stats.paired import holm, paired_difference

MOST_LABELS = 20  # of a confusion table; more are a continuous scale


def kappa(given: Floats, gold: Floats, *, labelled: bool) -> float:
    """Return Cohen's kappa of labels, or of numbers with quadratic weights.

    >>> kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), labelled=True)
    0.5
    """
    if labelled:
        both = np.unique([given, gold])
        same = sum(((given == label).mean() * (gold == label).mean() for label in both), 0.0)
        observed, by_chance = float((given != gold).mean()), 1 - float(same)
    else:
        observed = float(((given - gold) ** 2).mean())
        by_chance = float(given.var() + gold.var() + (given.mean() - gold.mean()) ** 2)
    return 1 - observed / by_chance if by_chance > ROUNDING else float("nan")


def against_gold(
    ratings: Ratings, options: DisagreeOptions
) -> tuple[dict[str, pd.DataFrame], NDArray[np.object_]]:
    """Return the tables of the judges against the gold one, and who differs from it by item."""
    if options.gold not in ratings.judges:
        message = (
            f"--gold: {options.gold} is not one of the judges {', '.join(ratings.judges[:20])}"
        )
        raise Refusal(Problem("usage", "skipped", message))
    units = ratings.panel.units
    gold = ratings.given[:, ratings.judges.index(options.gold)]
    gaps = np.abs(ratings.given - gold[:, None])
    gaps[gaps <= ROUNDING * np.nanmax(np.abs(ratings.given))] = 0
    records, confused, distances = [], [], {}
    for judge, given, gap in zip(ratings.judges, ratings.given.T, gaps.T, strict=True):
        both = ~np.isnan(gap)
        if judge == options.gold or not both.any():
            continue
        ours, right, own = given[both], gold[both], units[both]
        share = mean_estimate(Rows(gap[both] == 0, own), bounds=(0, 1), ci=options.ci)
        record: dict[str, Any] = {"Judge": judge, "Items": both.sum(), "Agreement": share.value}
        record |= {"Agreement_Low": share.low, "Agreement_High": share.high}
        record["Constant_Agreement"] = pd.Series(right).value_counts(normalize=True).max()
        record["Kappa"] = kappa(ours, right, labelled=bool(ratings.labels))
        if not ratings.labels:
            offset = paired_difference(Rows(ours, own), Rows(right, own))
            ends = offset.interval(options.ci)
            record |= {"Offset": offset.difference, "Offset_Low": ends[0], "Offset_High": ends[1]}
            record["Correlation"] = correlation(ours, right, ci=options.ci).value
            record["Mean_Distance"] = gap[both].mean()
        distances[judge] = Rows(np.sign(gap) if ratings.labels else gap, units)
        records.append(record)
        pairs = pd.DataFrame({"Gold": right, "Given": ours}).value_counts(sort=False).sort_index()
        confused.append(pairs.rename("Items").reset_index().assign(Judge=judge))
    table = pd.DataFrame(records)
    if records:
        order = ["Agreement"] if ratings.labels else ["Mean_Distance"]
        table = table.sort_values(order, ascending=not ratings.labels, kind="stable")
        table = _compared(table.reset_index(drop=True), distances, options.ci)
    found = {"Against gold": table, "Confusion": _confusion(confused, ratings)}
    return found, names_of(gaps > 0, ratings.judges)


def _compared(table: pd.DataFrame, distances: dict[str, Rows], ci: float) -> pd.DataFrame:
    """Return the table with each judge's distance from gold minus that of the closest judge."""
    best, *others = table["Judge"]
    found = [paired_difference(distances[judge], distances[best]) for judge in others]
    p, levels = holm([result.p for result in found], ci) if found else ((), ())
    for at, (result, level) in enumerate(zip(found, levels, strict=True), 1):
        ends = result.interval(ci if np.isnan(level) else level)
        table.loc[at, ["To_Closest", "To_Closest_Low", "To_Closest_High"]] = (
            result.difference,
            *ends,
        )
        table.loc[at, "P_Holm"] = p[at - 1]
    return table


def _confusion(parts: list[pd.DataFrame], ratings: Ratings) -> pd.DataFrame:
    """Return how often each judge gave what, by what the gold judge gave."""
    columns = ["Judge", "Gold", "Given", "Items"]
    table = pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)
    if table["Gold"].nunique() > MOST_LABELS:  # a continuous scale has no table
        return table.iloc[:0]
    for name in ("Gold", "Given") if ratings.labels else ():
        table[name] = [ratings.labels[int(code)] for code in table[name]]
    return table.reset_index(drop=True)


def explain(tables: Tables, options: DisagreeOptions, sheet: str, unit: str) -> Explanation:
    """Return who gave what to an item, and what follows from it."""
    rows = tables["outputs"]
    chosen = rows[(rows["item"] == unit) & ((rows["sheet"] == sheet) | (sheet == ""))]
    ratings, _ = read_ratings(chosen.reset_index(drop=True), options)
    units, flags, _ = item_units(ratings, options)
    given = pd.DataFrame({"Judge": [ratings.judges[code] for code in ratings.rows["judge"]]})
    names = {"dimension": ratings.dimensions, "score": ratings.labels}
    for column in ("dimension", "score", "confidence", "cultural_relevance"):
        known = names.get(column)
        if known != ("",) and column in ratings.rows:
            values = ratings.rows[column].tolist()
            given[column.capitalize()] = [known[int(v)] for v in values] if known else values
    if ratings.labels:
        item = units[["Sheet", "Judges", "Majority", "Majority_Share", "Flags"]]
        sentence = "Majority share = judges with the commonest label / judges."
        return Explanation((sentence,), {"Scores": given, "Item": item, "Flags": flags})
    item = units[["Sheet", "Judges", *(measure.name for measure in MEASURES), "Flags"]]
    mean, sd = (units[[name]].to_numpy() for name in ("Mean", "Std_Dev"))
    with np.errstate(invalid="ignore"):  # 0 / 0 where all are equal
        apart = pd.DataFrame((ratings.overall - mean) / sd, units["Sheet"], list(ratings.judges))
    overall = pd.DataFrame(ratings.overall, units["Sheet"], list(ratings.judges))
    judges = pd.DataFrame({"Overall": overall.stack(), "SDs_From_Mean": apart.stack()})
    judges = judges.rename_axis(["Sheet", "Judge"]).reset_index()
    sentences = (
        "Overall score of a judge = Σ w·s / Σ w over the dimensions that all of the item's judges "
        "scored, w = confidence × cultural relevance.",
        "CV = SD / mean. Consensus = max(0, 1 − 2·CV). Reliability = consensus·(1 − min(1, "
        "5·variance)), + 0.1 if consensus > 0.8.",
    )
    return Explanation(sentences, {"Scores": given, "Judges": judges, "Item": item, "Flags": flags})
