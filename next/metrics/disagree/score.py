"""Scoring of one panel: its items, sheets, dimensions, judges and flags."""

from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.disagree import DisagreeOptions
from scoresheet.metrics.disagree.gold import against_gold
from scoresheet.metrics.disagree.items import TOLERANCE, item_units, statistics
from scoresheet.metrics.disagree.panel import OF_LABELS, OF_SCORES, Panel, average
from scoresheet.metrics.disagree.ratings import Ratings, read_ratings
from scoresheet.metrics.family import Scores, Tables
from scoresheet.metrics.measure import measure_of
from scoresheet.metrics.stats import FEWEST
from scoresheet.metrics.stats.judges import JudgeFinding, judge_findings
from scoresheet.metrics.summary import LOW_COVERAGE

MEANS = ["Consensus", "Reliability", "Majority_Share"]  # over items
NARROW = 0.02  # scores that span less of the scale may be on another one
MOST_CORRELATED = 20  # judges that have a column of correlations each


def score(tables: Tables, options: DisagreeOptions) -> Scores:
    """Return how far the judges of one panel agree, over all items and item by item."""
    ratings, problems = read_ratings(tables["outputs"].reset_index(drop=True), options)
    units, flags, measures = item_units(ratings, options)
    panel, ci = ratings.panel, options.ci
    agreed = panel.agreement(ci)
    by_sheet = units.groupby("Sheet", sort=False).indices
    parts = {name: panel.of(at) for name, at in by_sheet.items()}
    records = [
        {"Sheet": name, **(own.agreement(ci) if len(parts) > 1 else agreed)}
        | _counts(own, units.iloc[by_sheet[name]])
        for name, own in parts.items()
    ]
    overall = agreed | _counts(panel, units)
    overall |= {name: average(own[name] for own in records) for name in MEANS if name in units}
    sheets = pd.DataFrame([*records, {"Sheet": "Overall", **overall}]).drop(columns="Units")
    means = ratings.given.groupby(panel.units).mean()  # over runs and clusters
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
        "Alpha_Without": panel.of(judges=kept).value() if words else np.nan,
        **ratings.counts,
        "Coverage": coverage,
        "Status": status if coverage else "unscored",
    }
    if "run" in ratings.items:
        runs = [panel.of(at).value() for at in ratings.items.groupby("run").indices.values()]
        results |= {"Runs": len(runs), "Run_SD": pd.Series(runs).std(skipna=False)}
    further = {"Dimensions": _dimensions(ratings, agreed, ci)}
    further["Judges"] = _judges(ratings, findings, means, agreed["Alpha"])
    if options.gold:
        against, units["Differs_From_Gold"] = against_gold(ratings, options)
        further |= against
    declared = tuple(measure_of(of) for of in (OF_LABELS if ratings.labels else OF_SCORES))
    further["Flags"] = flags
    return Scores(units, problems, sheets, results, further, declared + measures)


def _counts(panel: Panel, units: pd.DataFrame) -> dict[str, Any]:
    """Return the means over some items, and the numbers of judges, items and items to review."""
    judged = units[units["Judges"] > 1]  # of one judge or none there is nothing to agree on
    review = units["Flags"].str.contains("low consensus|no majority", regex=True)
    items, to_review = (
        len(own.drop_duplicates(["Sheet", "Item"])) for own in (units, units[review])
    )
    means = {name: average(judged[name]) for name in MEANS if name in units}
    return means | {"Judges": panel.present().shape[1], "Items": items, "To_Review": to_review}


def _dimensions(ratings: Ratings, overall: dict[str, Any], ci: float) -> pd.DataFrame:
    """Return the agreement of the judges in each dimension, and in their overall scores."""
    records = []
    for name in [*filter(None, ratings.dimensions), ""]:
        given, values = ratings.given, ratings.overall
        if name:
            given, values = (ratings.table(column, name) for column in ("score", "value"))
        record = {"Dimension": name or "Overall", "Items": given.notna().any(axis=1).sum()}
        record["Ratings"] = given.count().sum()
        own = ratings.panel._replace(ratings=given.to_numpy())
        record |= own.agreement(ci) if name else overall
        if not ratings.labels:
            found = statistics(values)
            record |= {"Mean": found["Mean"].mean(), "Disagreement": found["CV"].mean()}
        records.append(record)
    return pd.DataFrame(records).drop(columns="Units")


def _judges(
    ratings: Ratings, findings: list[JudgeFinding], means: pd.DataFrame, alpha: float
) -> pd.DataFrame:
    """Return what each judge did: the finding, offset and correlation, and alpha without them."""
    scores, judges = ratings.overall, ratings.judges
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
    table["Alpha_Without"] = [ratings.panel.of(judges=kept).value() for kept in others]
    table["Alpha_Change"] = table["Alpha_Without"] - alpha
    if "cultural_relevance" in ratings.rows:
        competence = ratings.competence("judge").reindex(range(len(judges)))
        table["Cultural_Competence"] = competence.to_numpy()
    odd = [count < FEWEST, spread == 0, (spread < NARROW) & (not ratings.labels)]
    notes = ["", "always the same", "spans less than 2% of the scale: is it on another one?"]
    table["Note"] = np.select(odd, notes, "")
    if findings and len(judges) <= MOST_CORRELATED:
        table = table.join(means.corr().add_prefix("r_"))
    return table.rename_axis("Judge").reset_index()
