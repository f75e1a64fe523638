"""Scoring of one panel: its items, sheets, dimensions, judges and flags."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.disagree import DisagreeOptions
from scoresheet.metrics.disagree.gold import against_gold
from scoresheet.metrics.disagree.items import TOLERANCE, item_units, statistics
from scoresheet.metrics.disagree.panel import OF_LABELS, OF_SCORES, Panel, average
from scoresheet.metrics.disagree.ratings import WEIGHTS, Ratings, read_ratings, weights_of
from scoresheet.metrics.family import Scores, Tables
from scoresheet.metrics.measure import measure_of
from scoresheet.metrics.stats import FEWEST
from scoresheet.metrics.stats.judges import JudgeFinding, judge_findings
from scoresheet.metrics.summary import LOW_COVERAGE

ITEM = ["Sheet", "Item"]
MEANS = ("Consensus", "Reliability", "Majority_Share")  # over items
NARROW = 0.02  # scores that span less of the scale may be on another one
MOST_CORRELATED = 20  # judges that have a column of correlations each


def score(tables: Tables, options: DisagreeOptions) -> Scores:
    """Return how far the judges of one panel agree, over all items and item by item."""
    ratings, problems = read_ratings(tables["outputs"].reset_index(drop=True), options)
    units, flags, measures = item_units(ratings, options)
    panel, ci = ratings.panel, options.ci
    by_sheet = units.groupby("Sheet", sort=False).indices.items()
    records = [{"Sheet": name, **_numbers(panel, units, at, ci)} for name, at in by_sheet]
    overall = _numbers(panel, units, np.arange(len(units)), ci)
    overall |= {name: average(own[name] for own in records) for name in MEANS if name in units}
    sheets = pd.DataFrame([*records, {"Sheet": "Overall", **overall}]).drop(columns="Units")
    means = pd.DataFrame(panel.ratings).groupby(panel.units).mean()  # over runs and clusters
    tested = len(ratings.judges) > 1 and not ratings.labels
    findings = judge_findings(means.to_numpy(float), ci=ci) if tested else []
    words = {judge: f.word for judge, f in zip(ratings.judges, findings, strict=False) if f.word}
    kept = [judge not in words for judge in ratings.judges]
    coverage = ratings.counts["Scored"] / ratings.counts["Rows"]
    status = "ok" if coverage >= LOW_COVERAGE - TOLERANCE else "low coverage"
    results = {
        **overall,
        "Headline": "Alpha",
        "Outlier_Judges": ", ".join(words),
        "Findings": ", ".join(f"{judge} {word}" for judge, word in words.items()),
        "Alpha_Without": panel.of(judges=kept).alpha().value if words else np.nan,
        **ratings.counts,
        "Coverage": coverage,
        "Status": status if coverage else "unscored",
    }
    if "run" in ratings.items:
        runs = [panel.of(at).alpha().value for at in ratings.items.groupby("run").indices.values()]
        results |= {"Runs": len(runs), "Run_SD": pd.Series(runs).std(skipna=False)}
    further = {"Dimensions": _dimensions(ratings, ci), "Judges": _judges(ratings, findings, means)}
    if options.gold:
        against, differs = against_gold(ratings, options)
        further, units = further | against, units.assign(Differs_From_Gold=differs)
    declared = tuple(measure_of(of) for of in (OF_LABELS if ratings.labels else OF_SCORES))
    further["Flags"] = flags
    return Scores(units, problems, sheets, results, further, declared + measures)


def _numbers(panel: Panel, units: pd.DataFrame, at: Any, ci: float) -> dict[str, Any]:
    """Return the agreement over some items, and their means and counts."""
    own, here = panel.of(at), units.iloc[at]
    judged = here[here["Judges"] > 1]  # of one judge or none there is nothing to agree on
    review = here["Flags"].str.contains("low consensus|no majority", regex=True)
    return {
        **own.agreement(ci),
        **{name: average(judged[name]) for name in MEANS if name in units},
        "Judges": own.present().shape[1],
        "Items": len(here.drop_duplicates(ITEM)),
        "To_Review": len(here[review].drop_duplicates(ITEM)),
    }


def _dimensions(ratings: Ratings, ci: float) -> pd.DataFrame:
    """Return the agreement of the judges in each dimension, and in their overall scores."""
    places = [at for at, name in enumerate(ratings.dimensions) if name]
    names = [ratings.dimensions[at] for at in places]
    value = "score" if ratings.labels else "value"
    matrices = [(ratings.matrix("score", at), ratings.matrix(value, at)) for at in places]
    records = []
    for given, values in [*matrices, (ratings.given, ratings.overall)]:
        known = ~np.isnan(given)
        record = {"Items": known.any(axis=1).sum(), "Ratings": known.sum()}
        record |= ratings.panel._replace(ratings=given).agreement(ci)
        if not ratings.labels:
            found = statistics(values)
            record |= {"Mean": found["Mean"].mean(), "Disagreement": found["CV"].mean()}
        records.append(record)
    table = pd.DataFrame(records).drop(columns="Units")
    table.insert(0, "Dimension", [*names, "Overall"])
    return table


def _judges(
    ratings: Ratings, findings: Sequence[JudgeFinding], means: pd.DataFrame
) -> pd.DataFrame:
    """Return what each judge did: the finding, offset and correlation, and alpha without them."""
    panel, rows, judges = ratings.panel, ratings.rows, list(ratings.judges)
    scores = pd.DataFrame(ratings.overall, columns=judges)
    spread, count = scores.max() - scores.min(), scores.count()
    table = pd.DataFrame({"Items": count})
    if not ratings.labels:
        table = table.assign(Mean=scores.mean(), Min=scores.min(), Max=scores.max())
    if findings:
        table["Finding"] = [found.word for found in findings]
    for name in ("Offset", "Correlation") if findings else ():
        each = [getattr(found, name.lower()) for found in findings]
        for end, attribute in {"": "value", "_Low": "low", "_High": "high", "_P": "p"}.items():
            table[name + end] = [getattr(estimate, attribute) for estimate in each]
    others = (np.arange(len(judges)) != at for at in range(len(judges)))
    table["Alpha_Without"] = [panel.of(judges=kept).alpha().value for kept in others]
    table["Alpha_Change"] = table["Alpha_Without"] - panel.alpha().value
    if "cultural_relevance" in rows:
        weights = weights_of(rows), weights_of(rows, WEIGHTS[:1])
        total, size = (np.bincount(rows["judge"], of, len(judges)) for of in weights)
        table["Cultural_Competence"] = total / np.where(size > 0, size, np.nan)
    narrow = (spread < NARROW) & (not ratings.labels)
    odd = [count < FEWEST, spread == 0, narrow]
    notes = ["", "always the same", "spans less than 2% of the scale: is it on another one?"]
    table["Note"] = np.select(odd, notes, "")
    if findings and len(judges) <= MOST_CORRELATED:
        pairs = means.corr().to_numpy()
        table = table.assign(**{f"r_{judge}": pairs[:, at] for at, judge in enumerate(judges)})
    return table.rename_axis("Judge").reset_index()
