"""Each judge against one that counts as right, such as a human; and how one item was computed."""

from typing import Any

import numpy as np
import pandas as pd

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
) -> tuple[dict[str, pd.DataFrame], pd.Series]:
    """Return the tables of the judges against the gold one, and who differs from it by item."""
    if options.gold not in ratings.judges:
        names = ", ".join(ratings.judges[:20])
        message = f"--gold: {options.gold} is not one of the judges {names}"
        raise Refusal(Problem("usage", "skipped", message))
    units, labelled = ratings.panel.units, bool(ratings.labels)
    gold = ratings.given[options.gold]
    gaps = ratings.given.sub(gold, axis=0).abs()
    gaps = gaps.mask(gaps <= ROUNDING * ratings.given.abs().max().max(), 0.0)
    records, confused, distances = [], [], {}
    for judge in (judge for judge in ratings.judges if judge != options.gold):
        gap = gaps[judge].dropna()
        if gap.empty:
            continue
        own, ours, right = units[gap.index], ratings.given[judge][gap.index], gold[gap.index]
        share = mean_estimate(Rows(gap == 0, own), bounds=(0, 1), ci=options.ci)
        record: dict[str, Any] = {"Judge": judge, "Items": len(gap), "Agreement": share.value}
        record |= {"Agreement_Low": share.low, "Agreement_High": share.high}
        record["Constant_Agreement"] = right.value_counts(normalize=True).max()
        record["Kappa"] = kappa(ours.to_numpy(), right.to_numpy(), labelled=labelled)
        if not labelled:
            offset = paired_difference(Rows(ours, own), Rows(right, own))
            ends = offset.interval(options.ci)
            record |= {"Offset": offset.difference, "Offset_Low": ends[0], "Offset_High": ends[1]}
            record["Correlation"] = correlation(ours, right, ci=options.ci).value
            record["Mean_Distance"] = gap.mean()
        distances[judge] = Rows(np.sign(gap) if labelled else gap, own)
        records.append(record)
        pairs = pd.DataFrame({"Judge": judge, "Gold": right, "Given": ours})
        confused.append(pairs.value_counts(sort=False).sort_index().rename("Items").reset_index())
    table = pd.DataFrame(records)
    if records:
        order = "Agreement" if labelled else "Mean_Distance"
        table = table.sort_values(order, ascending=not labelled, kind="stable", ignore_index=True)
        table = table.join(_to_closest([distances[judge] for judge in table["Judge"]], options.ci))
    nothing = pd.DataFrame(columns=["Judge", "Gold", "Given", "Items"])
    confusion = pd.concat(confused or [nothing])
    if confusion["Gold"].nunique() > MOST_LABELS:  # a continuous scale has no table
        confusion = confusion.iloc[:0]
    for name in ("Gold", "Given") if labelled else ():
        labels = [ratings.labels[int(code)] for code in confusion[name]]
        confusion = confusion.assign(**{name: labels})
    found = {"Against gold": table, "Confusion": confusion.reset_index(drop=True)}
    return found, names_of(gaps > 0)


def _to_closest(distances: list[Rows], ci: float) -> pd.DataFrame:
    """Return each judge's distance from gold minus that of the closest judge, the first."""
    found = [paired_difference(other, distances[0]) for other in distances[1:]]
    if not found:
        return pd.DataFrame()
    p, levels = holm([result.p for result in found], ci)
    ends = [
        r.interval(at) for r, at in zip(found, np.where(np.isnan(levels), ci, levels), strict=True)
    ]
    table = pd.DataFrame(ends, range(1, len(distances)), ["To_Closest_Low", "To_Closest_High"])
    table.insert(0, "To_Closest", [result.difference for result in found])
    return table.assign(P_Holm=p)


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
    overall = ratings.overall.set_axis(units["Sheet"])
    mean, sd = (units[name].to_numpy() for name in ("Mean", "Std_Dev"))
    apart = overall.sub(mean, axis=0).div(sd, axis=0)
    judges = pd.DataFrame({"Overall": overall.stack(), "SDs_From_Mean": apart.stack()})
    judges = judges.rename_axis(["Sheet", "Judge"]).reset_index()
    sentences = (
        "Overall score of a judge = Σ w·s / Σ w over the dimensions that all of the item's judges "
        "scored, w = confidence × cultural relevance.",
        "CV = SD / mean. Consensus = max(0, 1 − 2·CV). Reliability = consensus·(1 − min(1, "
        "5·variance)), + 0.1 if consensus > 0.8.",
    )
    return Explanation(sentences, {"Scores": given, "Judges": judges, "Item": item, "Flags": flags})
