"""Over training: the history, its warnings, the four alerts of the seed, and the targets."""

import math
from typing import Any

import pandas as pd

from scoresheet.metrics.collective import measures as m
from scoresheet.metrics.collective.further import Further, Numbers, values_of
from scoresheet.metrics.collective.votes import Ensemble
from scoresheet.metrics.stats import Estimate
from scoresheet.metrics.stats.counts import dead_member
from scoresheet.metrics.stats.paired import paired_difference

DEAD, DROP, COLLAPSED, DIFFUSE = 0.01, 0.9, 0.5, 2.0  # the thresholds of the seed
DIVERSE = 0.8  # the seed's target of the fingerprint diversity
LOGGED = ("train_loss", "val_loss", "learning_rate", "gradient_norm")
TARGETS = ("baseline", "target", "state_of_the_art")
COLUMNS = ("Alert", "Stream", "State", "Value", "Threshold", "CI_Low", "CI_High", "Epoch", "Note")


def add_training(found: Further, ensemble: Ensemble, results: Numbers, ci: float) -> None:
    """Add the tables and numbers of the history, the targets and the alerts.

    An alert with counts is raised where its whole interval crosses the threshold.
    """
    numbers, over = found.numbers, _history(found, ensemble)
    reached = _targets(found, results)
    numbers |= {f"{row['Alert'].split()[0].capitalize()}_Reached": row["State"] for row in reached}
    for name in (*LOGGED, "routing_entropy", "fingerprint_diversity"):
        if name in over and name.title() not in numbers:
            numbers[name.title()] = float(over[name].iloc[-1])
    rows = [_drop(ensemble, over, ci)]
    members = ensemble.at(*ensemble.main).right
    for name, hits in zip(ensemble.members, members.sum(axis=0).tolist(), strict=True):
        dead = dead_member(hits, len(members), threshold=DEAD, members=members.shape[1], ci=ci)
        rows.append({**_alert("dead_stream", dead.value, DEAD, dead), "Stream": name})
    diversity = numbers.get("Fingerprint_Diversity", math.nan)
    rows.append(_alert("collapsed_fingerprints", diversity, COLLAPSED))
    entropy = numbers.get("Routing_Entropy", math.nan)
    row = _alert("high_routing_entropy", entropy, DIFFUSE, found.entropy, above=True)
    if found.entropy and (reach := math.log(numbers["Experts"])) <= DIFFUSE:
        row["Note"] = f"{numbers['Experts']} experts reach at most {reach:.3f}"
    rows += [row, *_patterns(over, diversity), *reached]
    alerts = pd.DataFrame(rows).reindex(columns=COLUMNS)
    numbers["Alerts"] = int((alerts["State"] == "raised").sum())
    alerts = alerts.fillna({"Stream": "", "Note": ""})
    found.shown |= {"History by epoch": over, "Alerts": alerts}


def _history(found: Further, ensemble: Ensemble) -> pd.DataFrame:
    """Return a row per epoch: what was logged, completed by what votes and routing say."""
    table = pd.DataFrame()
    if "history" in found.own:
        table = values_of(found.own["history"], "epoch")
    votes = ensemble.by_epoch().rename(columns={"collective": "collective_acc"})
    routed = {"Entropy": "routing_entropy", "Overlap": "routing_overlap"}
    routing = found.shown.get("Routing", pd.DataFrame(columns=["Epoch", *routed]))
    routing = routing.set_index("Epoch")[[*routed]].rename(columns=routed).dropna(axis=1, how="all")
    for part in (votes.filter(regex="^(collective_acc$|acc:)"), routing):
        if len(part) > 1:
            order = list(dict.fromkeys([*table.columns, *part.columns]))
            table = table.combine_first(part)[order]
    accuracies = table.filter(regex="^acc:")
    if "collective_acc" in table and accuracies.shape[1]:
        best = accuracies.max(axis=1, skipna=False)
        ratio = pd.Series(list(map(m.emergence_ratio, table["collective_acc"], best)), table.index)
        table["emergence_ratio"] = table.get("emergence_ratio", ratio).fillna(ratio)
    return table.sort_index().rename_axis("Epoch").reset_index() if len(table) else table


def _alert(
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


def _drop(ensemble: Ensemble, over: pd.DataFrame, ci: float) -> Numbers:
    """Return the alert of the emergence ratio against the epoch before.

    Where votes of both epochs are there, the collective's accuracy must also be lower.
    """
    name, votes = "emergence_drop", ensemble.by_epoch()
    if len(votes) < 2:
        ratios = over["emergence_ratio"].dropna() if "emergence_ratio" in over else pd.Series()
        if len(ratios) < 2:
            return _alert(name, math.nan, math.nan)
        before, now = ratios.iloc[-2:]
        return _alert(name, now, DROP * before) | {"Epoch": over["Epoch"].loc[ratios.index[-1]]}
    before, now = map(m.emergence_ratio, votes["collective"].tail(2), votes["best"].tail(2))
    panels = [ensemble.at(*ensemble.main[:2], epoch) for epoch in votes.index[-2:]]
    earlier, last = (panel.rows(panel.correct) for panel in panels)
    pair = paired_difference(last, earlier)
    low, high = pair.interval(ci)
    row = _alert(name, now, DROP * before) | {"CI_Low": low, "CI_High": high}
    if now < DROP * before:
        row["State"] = "raised" if high < 0 else "crossed, not beyond chance"
    return row | {"Note": pair.note or "the interval is of the change in the collective's accuracy"}


def _patterns(over: pd.DataFrame, diversity: float) -> list[Numbers]:
    """Return the warnings of the loss curves, and whether the expected patterns are seen."""
    rows: list[Numbers] = []
    for name in [name for name in ("train_loss", "val_loss") if name in over]:
        last = over[name].iloc[-1]
        rows += [
            {"Alert": f"{name} {word}", "State": "warning", "Value": last}
            for word in m.loss_warnings(over[name])
        ]
    for name, sign, verb in (("routing_entropy", -1, "falls"), ("emergence_ratio", 1, "rises")):
        change = m.change(over[name]) if name in over else math.nan
        if not math.isnan(change):
            state = "seen" if sign * change > 0 else "not seen"
            note = "mean of the last third minus that of the first; a description, not a test"
            rows.append({"Alert": f"{name} {verb}", "State": state, "Value": change, "Note": note})
    if not math.isnan(diversity):
        state = "seen" if diversity > DIVERSE else "not seen"
        row = {"Alert": "fingerprint_diversity on target", "State": state, "Value": diversity}
        rows.append(row | {"Threshold": DIVERSE})
    return rows


def _targets(found: Further, results: Numbers) -> list[Numbers]:
    """Return for the first data set or ensemble that has targets whether they are reached.

    A target above 1 is a percentage. It is reached where the whole interval is at or above it.
    """
    if "targets" not in found.own:
        return []
    rows: Any = found.own["targets"]
    rows = rows.set_index(rows["dataset"].str.casefold())
    names = [name.casefold() for name in (found.numbers["Dataset"], found.model)]
    name = next((name for name in names if name in rows.index), "")
    value, *ends = (results[f"Collective_Accuracy{end}"] for end in ("", "_Low", "_High"))
    reached: list[Numbers] = []
    for target in TARGETS if name else ():
        limit = float(rows.loc[name].get(target, math.nan))
        limit = limit / 100 if limit > 1 else limit
        state = "yes" if ends[0] >= limit else "no" if ends[1] < limit else "undecided"
        row = {"Alert": f"{target} reached", "State": state, "Value": value, "Threshold": limit}
        row |= {"CI_Low": ends[0], "CI_High": ends[1], "Note": rows.loc[name, "dataset"]}
        reached += [] if math.isnan(limit) else [row]
    return reached
