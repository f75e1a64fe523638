"""Scoring of one ensemble: its gain, its members, its conditions and failures."""

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.collective import CollectiveOptions
from scoresheet.metrics.collective import further as f
from scoresheet.metrics.collective import measures as m
from scoresheet.metrics.collective.alerts import alerts, dashboard, history
from scoresheet.metrics.collective.panels import Ensemble, Panel, notes, read_ensemble
from scoresheet.metrics.collective.votes import BLANK, MOST_FOR_SHAPLEY
from scoresheet.metrics.family import Scores, Tables, carried_along
from scoresheet.metrics.measure import measure_of
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.stats import Estimate
from scoresheet.metrics.stats.means import Rows, mean_estimate
from scoresheet.metrics.stats.paired import gain_and_rho, holm, paired_difference
from scoresheet.metrics.summary import LOW_COVERAGE

HEADLINE, SHEET = "Gain", "predictions"
ATTACKS = ("adv", "fgsm", "pgd")  # how the names of adversarial conditions begin
MOST_SHOWN = 30  # members


def score(tables: Tables, options: CollectiveOptions) -> Scores:
    """Score one ensemble: compare it with its best member, and say what each member adds."""
    ensemble, lost = read_ensemble(tables, options)
    main = ensemble.panels[ensemble.main]
    if main.cases.empty:
        raise Refusal(Problem("no-label", "skipped", "no sample has a label"))
    model = str(main.cases["model"].iloc[0])
    own, problems = f.own_tables(tables, model)
    accuracy = _mean(main.correct, main, options.ci)
    shown: f.Frames = {"Streams": _streams(main, options.ci), "Pairs": _pairs(main)}
    shown["Conditions"], robust = _conditions(ensemble.by_condition, options.ci)
    shown["Failure"], half = _failure(main, shown["Streams"], options.seed)
    results = _headline(main, options) | robust | {"Half_Accuracy": half}
    results |= {f"Mean_{name}": shown["Pairs"][name].mean() for name in PAIRED}
    entropy = _further(own, options, shown, results, problems)
    millions, dataset = math.nan, ""
    if "parameters" in own:
        millions, dataset = f.parameters(own["parameters"], problems)
    results |= {"Params_M": millions, "Efficiency": m.efficiency(accuracy.value, millions)}
    if "targets" in own:
        frames, numbers = f.targets(own["targets"], [dataset, model], accuracy)
        shown, results = shown | frames, results | numbers
    over = history(own, shown, ensemble)
    results |= dashboard(over, results)
    found = alerts(ensemble, over, results, entropy, options.ci)
    shown |= {"History by epoch": over, "Alerts": found}
    results["Alerts"] = int((found["State"] == "raised").sum())
    results |= {"Collective_Accuracy_Low": accuracy.low, "Collective_Accuracy_High": accuracy.high}
    units = _units(ensemble, main)
    sheets = _sheets(ensemble, main)
    test = sheets["Collective_Accuracy"].iloc[1] if len(sheets) > 2 else math.nan
    results |= {"Test_Accuracy": test, "Dataset": dataset, **_counts(units, tables)}
    undefined = {measure_of(function).name: math.nan for function in m.FUNCTIONS}
    return Scores(
        units,
        [*lost, *problems, *notes(ensemble)],
        sheets,
        undefined | results,
        {name: frame for name, frame in shown.items() if len(frame)},
    )


def _mean(right: Any, panel: Panel, ci: float) -> Estimate:
    return mean_estimate(Rows(np.asarray(right, float), panel.units), bounds=(0, 1), ci=ci)


def _headline(main: Panel, options: CollectiveOptions) -> dict[str, Any]:
    """Return the gain over the best member, or over --member, with all that belongs to it."""
    votes, right = main.votes, main.votes.right
    counts, n = right.sum(axis=0), len(right)
    best = int(counts.argmax())  # the leftmost of equals
    rivals = list(range(len(votes.members)))
    if options.member:
        if options.member not in votes.members:
            known = ", ".join(votes.members[:20])
            message = f"--member {options.member}: the members are {known}"
            raise Refusal(Problem("usage", "skipped", message))
        rivals = [votes.members.index(options.member)]
    names = [votes.members[rival] for rival in rivals]
    gain, ratio = gain_and_rho(
        votes.correct, right[:, rivals], names=names, units=main.units, ci=options.ci
    )
    beats = "yes" if gain.low > 0 else "no" if gain.high < 0 else "undecided"
    band = measure_of(m.emergence_ratio)
    results: dict[str, Any] = {
        # of whole counts, so that no rounding error is shown
        HEADLINE: float(100 * (int(votes.correct.sum()) - int(counts[rivals].max())) / n),
        "Collective_Accuracy": m.collective_accuracy(votes.correct),
        "Best_Stream": votes.members[best],
        "Best_Accuracy": m.best_accuracy(right),
        "CI_Low": 100 * gain.low,
        "CI_High": 100 * gain.high,
        "P_Value": gain.p,
        "Headline": HEADLINE,
        "Emergence_Ratio": ratio.value,
        "Emergence_Ratio_Low": ratio.low,
        "Emergence_Ratio_High": ratio.high,
        "Band": band.band(ratio.value),
        "Ratio_Verdict": band.verdict(ratio.low, ratio.high),
        "Beats_Best": beats,
        "Ratio_Ceiling": m.ratio_ceiling(m.best_accuracy(right)),
        "Oracle_Accuracy": m.oracle_accuracy(right),
        "Fused_Accuracy": votes.accuracy_of(range(len(votes.members))),
        "Ties": int(votes.fused[1].sum()),
        "Streams": len(votes.members),
        "Units": gain.units,
        "Note": gain.note or ratio.note,
    }
    if options.member:
        results |= {"Member": options.member, "Member_Accuracy": float(counts[rivals[0]] / n)}
    return results


# --- members, conditions, failures ----------------------------------------------------------


def _streams(main: Panel, ci: float) -> pd.DataFrame:
    """Return the accuracy of each member, its test against the collective, and what it adds."""
    votes, everyone = main.votes, range(len(main.votes.members))
    together, k = votes.accuracy_of(everyone), len(everyone)
    nothing = [math.nan] * k
    values = m.shapley(votes.all_accuracies()) if k <= MOST_FOR_SHAPLEY else nothing
    gradients = m.gradient_contributions(votes) if "logit" in main.cases else nothing
    rows = []
    for j, name in enumerate(votes.members):
        own = votes.right[:, j].astype(float)
        alone = _mean(own, main, ci)
        pair = paired_difference(Rows(main.correct, main.units), Rows(own, main.units))
        row = {"Stream": name, "Accuracy": alone.value, "CI_Low": alone.low, "CI_High": alone.high}
        row |= {"Gain_Over": 100 * pair.difference, "P_Value": pair.p}
        row |= {"Only_Collective": pair.wins, "Only_Stream": pair.losses}
        row["Contribution"] = together - votes.accuracy_of([i for i in everyone if i != j])
        row |= {"Shapley": values[j], "Gradient": gradients[j]}
        rows.append(row | {"Blank": int((votes.votes[:, j] == BLANK).sum())})
    return pd.DataFrame(rows)


PAIRED = ("Q", "Disagreement", "Double_Fault")


def _pairs(main: Panel) -> pd.DataFrame:
    """Return how two members err together, for every pair of up to 30 members."""
    members = list(zip(main.votes.members, main.votes.right.T, strict=True))[:MOST_SHOWN]
    rows = [(a, b, *m.error_diversity(x, y)) for (a, x), (b, y) in combinations(members, 2)]
    return pd.DataFrame(rows, columns=["Stream", "Other_Stream", *PAIRED])


def _conditions(panels: Mapping[str, Panel], ci: float) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return each condition on the samples that it shares with the clean one, and robustness."""
    (first, clean), *others = panels.items()
    if not others:
        return pd.DataFrame(), {}
    whole = Rows(clean.correct, clean.units)
    samples = clean.cases["sample"]
    tests = [paired_difference(Rows(p.correct, p.units), whole) for _, p in others]
    adjusted, levels = holm([test.p for test in tests], ci)
    rows: list[dict[str, Any]] = [
        {"Condition": first, "Samples": len(samples), "Accuracy": clean.accuracy}
    ]
    for (name, panel), test, p, level in zip(others, tests, adjusted, levels, strict=True):
        on = panel.correct[panel.cases["sample"].isin(samples)]
        below = clean.correct[samples.isin(panel.cases["sample"])]
        low, high = test.interval(ci if math.isnan(level) else level)
        row = {"Condition": name, "Samples": len(panel.cases), "Shared": len(on)}
        row |= {"Accuracy": m.collective_accuracy(on), "Clean": m.collective_accuracy(below)}
        row |= {"Delta": 100 * test.difference, "CI_Low": 100 * low, "CI_High": 100 * high}
        row |= {"P_Holm": p, "Best_Accuracy": panel.best, "Note": test.note}
        attack = name.casefold().startswith(ATTACKS)
        rows.append(row | {"Kind": "attack" if attack else "shift"})
    frame = pd.DataFrame(rows).fillna({"Note": "", "Kind": ""})
    shifts, attacks = (frame[frame["Kind"] == kind] for kind in ("shift", "attack"))
    return frame, {
        "Robustness": m.robustness(shifts["Accuracy"], shifts["Clean"]),
        "Adversarial_Robustness": m.adversarial_robustness(attacks["Accuracy"], attacks["Clean"]),
    }


def _failure(main: Panel, streams: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, float]:
    """Return the fused accuracy when one member fails, and when half of them do."""
    votes, k = main.votes, len(streams)
    together = votes.accuracy_of(range(k))
    frame = pd.DataFrame({"Failing": streams["Stream"], "Delta": -100 * streams["Contribution"]})
    frame["Accuracy"] = together - streams["Contribution"]
    none = pd.DataFrame([{"Failing": "nothing", "Delta": 0.0, "Accuracy": together}])
    if k < 2:
        return none, math.nan
    found = votes.failures(seed)
    half = m.half_accuracy(found)
    row = {"Failing": f"any {k // 2} of {k}", "Delta": 100 * (half - together), "Accuracy": half}
    row |= {"Least": found.min(), "Most": found.max(), "Ways": found.size}
    return pd.concat([none, frame, pd.DataFrame([row])], ignore_index=True), half


def _further(
    own: f.Frames,
    options: CollectiveOptions,
    shown: f.Frames,
    results: dict[str, Any],
    problems: list[Problem],
) -> Estimate | None:
    """Add the tables and numbers of routing, anchors and fingerprints; return the entropy."""
    entropy = None
    for name in [name for name in ("routing", "anchors", "fingerprints") if name in own]:
        try:
            if name == "routing":
                frames, numbers, entropy = f.routing(own[name], options)
            else:
                frames, numbers = (f.anchors if name == "anchors" else f.fingerprints)(own[name])
        except ValueError as error:
            file = str(own[name]["file"].iloc[0])
            problems.append(Problem("unusable", "skipped", f"{name}: {error}", file))
        else:
            shown |= frames
            results |= numbers
    return entropy


# --- units, sheets, problems ----------------------------------------------------------------


def _units(ensemble: Ensemble, main: Panel) -> pd.DataFrame:
    """Return a row for each sample: who voted what, and whether the collective was right."""
    votes, names = main.votes, np.array([*ensemble.classes, ""], dtype=object)
    best = votes.right[:, int(votes.right.sum(axis=0).argmax())]
    k = len(votes.members)
    columns: dict[str, Any] = {
        "Collective_Accuracy": main.correct,
        HEADLINE: 100 * (main.correct - best),
        "Label": names[votes.labels],
        "Collective": names[votes.fused[0] if votes.own is None else votes.own],
        "Right_Votes": [f"{count}/{k}" for count in votes.right.sum(axis=1).tolist()],
        "Tied": np.where(votes.fused[1], "yes", ""),
    }
    for member, own in zip(votes.members[:MOST_SHOWN], votes.votes.T, strict=False):
        columns[f"Vote {member}"] = names[own]
    found = pd.DataFrame(columns, index=main.cases.index).assign(Problem="")
    cases = pd.concat([main.cases, main.lost]) if len(main.lost) else main.cases
    frame = found.reindex(cases.index) if len(main.lost) else found
    frame.loc[main.lost.index, "Problem"] = "no label"
    texts = list(columns)[2:]
    frame[texts] = frame[texts].fillna("")
    frame.insert(0, "Sheet", ensemble.main.split or SHEET)
    frame.insert(1, "Sample", cases["sample"])
    frame = frame.assign(Row=cases["row"], **carried_along(cases))
    return frame.sort_index().reset_index(drop=True)


def _counts(units: pd.DataFrame, tables: Tables) -> dict[str, Any]:
    scored = units["Problem"] == ""
    coverage, answered = float(scored.mean()), math.nan
    if "references" in tables:
        keys = tables["references"]["sample"].nunique()
        answered = units.loc[scored, "Sample"].nunique() / keys
    status = "low coverage" if coverage < LOW_COVERAGE else "ok"
    counts = {"Rows": len(units), "Scored": int(scored.sum()), "Coverage": coverage}
    if "Run" in units:
        runs = units.groupby("Run")[HEADLINE].mean()
        counts |= {"Runs": len(runs), "Run_SD": runs.std()}
    return {**counts, "Answered": answered, "Status": status}


def _sheets(ensemble: Ensemble, main: Panel) -> pd.DataFrame:
    """Return a row for the split of the headline, one for the test split, and Overall."""
    found = [(ensemble.main.split or SHEET, main)]
    found += [ensemble.test] if ensemble.test else []
    records = [
        {
            "Sheet": name,
            f"Average_{HEADLINE}": m.gain(panel.accuracy, panel.best),
            "Collective_Accuracy": panel.accuracy,
            "Best_Accuracy": panel.best,
            "Emergence_Ratio": m.emergence_ratio(panel.accuracy, panel.best),
            "Oracle_Accuracy": m.oracle_accuracy(panel.votes.right),
            "Rows": len(panel.cases) + len(panel.lost),
            "Scored": len(panel.cases),
        }
        for name, panel in [*found, ("Overall", main)]
    ]
    return pd.DataFrame(records)
