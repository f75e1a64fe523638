"""What happens over training: the history, its warnings, and the four alerts of the seed."""

import math
from collections.abc import Sequence

import pandas as pd

from scoresheet.metrics.collective import measures as m
from scoresheet.metrics.collective.further import Frames, Numbers, values_of
from scoresheet.metrics.collective.panels import Ensemble, Panel
from scoresheet.metrics.stats import Estimate
from scoresheet.metrics.stats.counts import dead_member
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.stats.paired import paired_difference

DEAD, DROP, COLLAPSED, DIFFUSE = 0.01, 0.9, 0.5, 2.0  # the thresholds of the seed
LOGGED = ("train_loss", "val_loss", "learning_rate", "gradient_norm")
COLUMNS = ("Alert", "Stream", "State", "Value", "Threshold", "CI_Low", "CI_High", "Epoch", "Note")


def history(own: Frames, shown: Frames, ensemble: Ensemble) -> pd.DataFrame:
    """Return a row per epoch: what was logged, completed by what votes and routing say."""
    parts = [values_of(own["history"], "epoch")] if "history" in own else []
    panels = ensemble.by_epoch
    if len(panels) > 1:
        names = [f"acc:{name}" for name in ensemble.members]
        right = {epoch: panel.votes.right.mean(axis=0) for epoch, panel in panels.items()}
        votes = pd.DataFrame(right, index=names).T
        votes.insert(0, "collective_acc", [panel.accuracy for panel in panels.values()])
        parts.append(votes)
    if "Routing" in shown and len(shown["Routing"]) > 1:
        routed = {"Entropy": "routing_entropy", "Overlap": "routing_overlap"}
        table = shown["Routing"].set_index("Epoch")[[*routed]].rename(columns=routed)
        parts.append(table.dropna(axis=1, how="all"))
    table = pd.DataFrame()
    for part in parts:
        order = list(dict.fromkeys([*table.columns, *part.columns]))
        table = table.combine_first(part)[order]
    accuracies = table[[name for name in table if str(name).startswith("acc:")]]
    if "collective_acc" in table and accuracies.shape[1]:
        best = accuracies.max(axis=1, skipna=False)
        ratios = map(m.emergence_ratio, table["collective_acc"], best)
        ratio = pd.Series(list(ratios), table.index)
        table["emergence_ratio"] = table.get("emergence_ratio", ratio).fillna(ratio)
    return table.sort_index().rename_axis("Epoch").reset_index() if len(table) else table


def dashboard(table: pd.DataFrame, results: Numbers) -> Numbers:
    """Return the numbers of the dashboard that only the last epoch of the history has."""
    names = [*LOGGED]
    for name in ("routing_entropy", "fingerprint_diversity"):
        names += [name] if name.title() not in results else []
    return {name.title(): float(table[name].iloc[-1]) for name in names if name in table}


def alerts(
    ensemble: Ensemble,
    table: pd.DataFrame,
    results: Numbers,
    entropy: Estimate | None,
    ci: float,
) -> pd.DataFrame:
    """Return the four alerts, the warnings of the loss curves and the expected patterns.

    An alert with counts is raised where its whole interval crosses the threshold.
    """
    main = ensemble.panels[ensemble.main]
    rows = [_drop(list(ensemble.by_epoch.values()), table, ci)]
    for name, right in zip(ensemble.members, main.votes.right.T, strict=True):
        k, hits = len(ensemble.members), int(right.sum())
        found = dead_member(hits, right.size, threshold=DEAD, members=k, ci=ci)
        rows.append({**_row("dead_stream", found.value, DEAD, found), "Stream": name})
    diversity = results.get("Fingerprint_Diversity", math.nan)
    rows.append(_row("collapsed_fingerprints", diversity, COLLAPSED))
    value = results.get("Routing_Entropy", math.nan)
    row = _row("high_routing_entropy", value, DIFFUSE, entropy, above=True)
    if entropy and (reach := math.log(results["Experts"])) <= DIFFUSE:
        row["Note"] = f"{results['Experts']} experts reach at most {reach:.3f}"
    frame = pd.DataFrame([*rows, row, *_patterns(table)]).reindex(columns=COLUMNS)
    return frame.fillna({"Stream": "", "Note": ""})


def _row(
    name: str, value: float, limit: float, found: Estimate | None = None, *, above: bool = False
) -> Numbers:
    """Return an alert: tested if there is an interval, else by the rule of the paper."""
    crossed = value > limit if above else value < limit
    row: Numbers = {"Alert": name, "Value": value, "Threshold": limit, "State": "not raised"}
    if math.isnan(value):
        return row | {"State": "unknown"}
    if found is None:
        rule = "threshold crossed (rule of the paper)"
        return row | {"State": rule if crossed else "not raised"}
    sure = found.low > limit if above else found.high < limit
    state = "raised" if sure else "crossed, not beyond chance"
    ends = {"CI_Low": found.low, "CI_High": found.high, "Note": found.note}
    return row | ends | ({"State": state} if crossed else {})


def _drop(panels: Sequence[Panel], table: pd.DataFrame, ci: float) -> Numbers:
    """Return the alert of the emergence ratio against the epoch before.

    Where votes of both epochs are there, the collective's accuracy must also be lower.
    """
    name = "emergence_drop"
    if len(panels) < 2:
        ratios = table["emergence_ratio"].dropna() if "emergence_ratio" in table else pd.Series()
        if len(ratios) < 2:
            return _row(name, math.nan, math.nan)
        before, now = ratios.iloc[-2:]
        return _row(name, now, DROP * before) | {"Epoch": table["Epoch"].loc[ratios.index[-1]]}
    before, now = (m.emergence_ratio(panel.accuracy, panel.best) for panel in panels[-2:])
    earlier, last = (Rows(panel.correct, panel.units) for panel in panels[-2:])
    pair = paired_difference(last, earlier)
    row = _row(name, now, DROP * before) | dict(
        zip(("CI_Low", "CI_High"), pair.interval(ci), strict=True)
    )
    if now < DROP * before:
        row["State"] = "raised" if row["CI_High"] < 0 else "crossed, not beyond chance"
    return row | {"Note": pair.note or "the interval is of the change in the collective's accuracy"}


def _patterns(table: pd.DataFrame) -> list[Numbers]:
    """Return the warnings of the loss curves, and whether the expected patterns are seen."""
    rows: list[Numbers] = []
    for name in [name for name in ("train_loss", "val_loss") if name in table]:
        last = table[name].iloc[-1]
        rows += [
            {"Alert": f"{name} {word}", "State": "warning", "Value": last}
            for word in m.loss_warnings(table[name])
        ]
    for name, sign, verb in (("routing_entropy", -1, "falls"), ("emergence_ratio", 1, "rises")):
        change = m.change(table[name]) if name in table else math.nan
        if not math.isnan(change):
            state = "seen" if sign * change > 0 else "not seen"
            note = "mean of the last third minus that of the first; a description, not a test"
            rows.append({"Alert": f"{name} {verb}", "State": state, "Value": change, "Note": note})
    return rows
