"""Scoring of one panel: its items, sheets, dimensions, judges and flags."""

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
from scoresheet.metrics.stats import FEWEST, Floats
from scoresheet.metrics.stats.judges import JudgeFinding, judge_findings
from scoresheet.metrics.summary import LOW_COVERAGE

MEANS = ("Consensus", "Reliability", "Majority_Share")  # over items
NARROW = 0.02  # scores that span less of the scale may be on another one
MOST_CORRELATED = 20  # judges that have a column of correlations each


def score(tables: Tables, options: DisagreeOptions) -> Scores:
    """Return how far the judges of one panel agree, over all items and item by item."""
    rows = tables["outputs"].reset_index(drop=True)
    ratings, problems = read_ratings(rows, options)
    units, flags, measures = item_units(ratings, options)
    panel, names = ratings.panel, ratings.items["sheet"]
    by_sheet = {n: np.flatnonzero(names == n) for n in names.unique()}
    records = {n: _numbers(panel, units, at, options.ci) for n, at in by_sheet.items()}
    overall = _numbers(panel, units, np.arange(len(units)), options.ci)
    overall |= {
        name: average(own[name] for own in records.values()) for name in MEANS if name in units
    }
    sheets = pd.DataFrame(
        [{"Sheet": n, **own} for n, own in [*records.items(), ("Overall", overall)]]
    )
    judges, findings = _judges(ratings, panel, options)
    coverage = ratings.counts["Scored"] / ratings.counts["Rows"]
    status = "ok" if coverage >= LOW_COVERAGE - TOLERANCE else "low coverage"
    results = {**overall, "Headline": "Alpha", **ratings.counts, "Coverage": coverage}
    results["Status"] = status if coverage else "unscored"
    results |= _outliers(ratings, panel, findings)
    if "run" in ratings.items:
        runs = [panel.of(at).alpha().value for at in ratings.items.groupby("run").indices.values()]
        results |= {"Runs": len(runs), "Run_SD": pd.Series(runs).std(skipna=False)}
    further = {"Dimensions": _dimensions(ratings, options), "Judges": judges}
    if options.gold:
        against, differs = against_gold(ratings, options)
        further |= against
        units = units.assign(**differs)
    further["Flags"] = flags
    declared = tuple(measure_of(of) for of in (OF_LABELS if ratings.labels else OF_SCORES))
    return Scores(
        units, problems, sheets.drop(columns="Units"), results, further, declared + measures
    )


def _numbers(panel: Panel, units: pd.DataFrame, at: Any, ci: float) -> dict[str, Any]:
    """Return the agreement over some items, and their means and counts."""
    own, here = panel.of(at), units.loc[at]
    judged = here[here["Judges"] > 1]  # of one judge or none there is nothing to agree on
    review = here["Flags"].str.contains("low consensus|no majority", regex=True)
    return {
        **own.agreement(ci),
        **{name: average(judged[name]) for name in MEANS if name in units},
        "Judges": own.present().shape[1],
        "Items": len(here.drop_duplicates(["Sheet", "Item"])),
        "To_Review": int(review.sum()),
    }


def _dimensions(ratings: Ratings, options: DisagreeOptions) -> pd.DataFrame:
    """Return the agreement of the judges in each dimension, and in their overall scores."""
    matrices = {
        name: (ratings.matrix("score", at), None if ratings.labels else ratings.matrix("value", at))
        for at, name in enumerate(ratings.dimensions)
        if name
    }
    matrices["Overall"] = (ratings.given, None if ratings.labels else ratings.overall)
    records = []
    for name, (given, values) in matrices.items():
        known = ~np.isnan(given)
        record: dict[str, Any] = {"Dimension": name, "Items": known.any(axis=1).sum()}
        record |= {"Ratings": known.sum()}
        record |= ratings.panel._replace(ratings=given).agreement(options.ci)
        if values is not None:
            found = statistics(values)
            record |= {"Mean": found["Mean"].mean(), "Disagreement": found["CV"].mean()}
        records.append(record)
    return pd.DataFrame(records).drop(columns="Units")


def _judges(
    ratings: Ratings, panel: Panel, options: DisagreeOptions
) -> tuple[pd.DataFrame, list[JudgeFinding]]:
    """Return what each judge did: the finding, offset and correlation, and alpha without them."""
    means = pd.DataFrame(panel.ratings).groupby(panel.units).mean()
    tested = len(ratings.judges) > 1 and not ratings.labels
    findings = judge_findings(means.to_numpy(float), ci=options.ci) if tested else []
    whole, rows, records = panel.alpha().value, ratings.rows, []
    for at, judge in enumerate(ratings.judges):
        scores = ratings.overall[:, at]
        given = scores[~np.isnan(scores)]
        record: dict[str, Any] = {"Judge": judge, "Items": len(given)}
        if not ratings.labels:
            ends = (given.min(), given.max()) if len(given) else (np.nan, np.nan)
            record |= {"Mean": average(given), "Min": ends[0], "Max": ends[1]}
        if findings:
            record |= {"Finding": findings[at].word}
            for name, found in (
                ("Offset", findings[at].offset),
                ("Correlation", findings[at].correlation),
            ):
                record |= {name: found.value, f"{name}_Low": found.low, f"{name}_High": found.high}
                record |= {f"{name}_P": found.p}
        without = panel.of(judges=np.arange(len(ratings.judges)) != at).alpha().value
        record |= {"Alpha_Without": without, "Alpha_Change": without - whole}
        if "cultural_relevance" in rows:
            own = rows[rows["judge"] == at]
            total = weights_of(own, WEIGHTS[:1]).sum()
            record["Cultural_Competence"] = weights_of(own).sum() / (total or np.nan)
        records.append(record | {"Note": _note(given, labelled=bool(ratings.labels))})
    table = pd.DataFrame(records)
    if findings and len(ratings.judges) <= MOST_CORRELATED:
        names = [f"r_{judge}" for judge in ratings.judges]
        table = table.join(means.corr().set_axis(names, axis="columns"))
    return table, findings


def _note(given: Floats, *, labelled: bool) -> str:
    """Return what the scores of a judge are, where that alone is worth a look."""
    spread = float(np.ptp(given)) if given.size >= FEWEST else 1.0
    if spread == 0:
        return "always the same"
    narrow = not labelled and spread < NARROW
    return f"spans {spread:.1%} of the scale: is it on another scale?" if narrow else ""


def _outliers(ratings: Ratings, panel: Panel, findings: list[JudgeFinding]) -> dict[str, Any]:
    """Return the judges that differ from the panel, with the word, and alpha without them."""
    words = {
        j: found.word for j, found in zip(ratings.judges, findings, strict=False) if found.word
    }
    kept = [judge not in words for judge in ratings.judges]
    return {
        "Outlier_Judges": ", ".join(words),
        "Findings": ", ".join(f"{judge} {word}" for judge, word in words.items()),
        "Alpha_Without": panel.of(judges=kept).alpha().value if words else np.nan,
    }
