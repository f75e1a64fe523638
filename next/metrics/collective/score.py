"""Scoring of one ensemble: its gain, its members, its conditions and failures."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.collective import CollectiveOptions
from scoresheet.metrics.collective import measures as m
from scoresheet.metrics.collective.further import Numbers, further_tables
from scoresheet.metrics.collective.training import add_training
from scoresheet.metrics.collective.votes import BLANK, TEST, Ensemble, Flags, read_ensemble
from scoresheet.metrics.family import Explanation, Scores, Tables, carried_along
from scoresheet.metrics.measure import measure_of
from scoresheet.metrics.problem import Problem, refusal, row_problems
from scoresheet.metrics.stats.paired import gain_and_rho, holm, paired_difference
from scoresheet.metrics.summary import RUN, coverage_of

HEADLINE, SHEET = "Gain", "predictions"
ATTACKS = ("adv", "fgsm", "pgd")  # how the names of adversarial conditions begin
MOST_SHOWN = 30  # members
MOST_SUBSETS = 1000  # of failing members; more are drawn at random
MOST_FOR_SHAPLEY = 10  # members
PAIRED = ("Q", "Disagreement", "Double_Fault")


def score(tables: Tables, options: CollectiveOptions) -> Scores:
    """Score one ensemble: compare it with its best member, and say what each member adds."""
    ensemble, problems = read_ensemble(tables, options)
    main = ensemble.at(*ensemble.main)
    if main.cases.empty:
        raise refusal("no-label", "no sample has a label")
    model = str(main.cases["model"].iloc[0])
    streams, failure = _members(main, options)
    shown = {"Streams": streams, "Pairs": _pairs(main)}
    shown |= {"Conditions": _conditions(ensemble, options.ci), "Failure": failure}
    results = _headline(main, options) | _robustness(shown["Conditions"])
    results |= {f"Mean_{name}": shown["Pairs"][name].mean() for name in PAIRED}
    fused = shown["Failure"]["Accuracy"].tolist()
    half = fused[-1] if len(main.members) > 1 else math.nan
    results |= {"Fused_Accuracy": fused[0], "Half_Accuracy": half}
    further = further_tables(tables, model, options.ci)
    add_training(further, ensemble, results, options.ci)
    units = _units(ensemble, main)
    sheets = _sheets(ensemble)
    results |= further.numbers
    results["Efficiency"] = m.efficiency(results["Collective_Accuracy"], results["Params_M"])
    accuracies = sheets["Collective_Accuracy"].tolist()  # of a test split before Overall
    results["Test_Accuracy"] = accuracies[1] if len(accuracies) > 2 else math.nan
    references = tables.get("references")
    keys = None if references is None else references["sample"].nunique()
    results |= coverage_of(units["Problem"] == "", units["Sample"], keys)
    if RUN in units:
        runs = units.groupby(RUN)[HEADLINE].mean()
        results |= {"Runs": len(runs), "Run_SD": runs.std()}
    undefined = {measure_of(function).name: math.nan for function in m.FUNCTIONS}
    shown = {name: frame for name, frame in (shown | further.shown).items() if len(frame)}
    problems += [*further.problems, *_notes(ensemble)]
    return Scores(units, problems, sheets, undefined | results, shown)


def _headline(main: Ensemble, options: CollectiveOptions) -> Numbers:
    """Return the gain over the best member, or over --member, with all that belongs to it."""
    right, correct, names = main.right, main.correct, list(main.members)
    counts, n = right.sum(axis=0), len(right)
    best = int(counts.argmax())  # the leftmost of equals
    rivals = list(range(len(names)))
    if options.member:
        if options.member not in names:
            known = ", ".join(names[:20])
            raise refusal("usage", f"--member {options.member}: the members are {known}")
        rivals = [names.index(options.member)]
    gain, ratio = gain_and_rho(
        correct,
        right[:, rivals],
        names=[names[rival] for rival in rivals],
        units=main.cases["unit"],
        ci=options.ci,
    )
    band, accuracy = measure_of(m.emergence_ratio), main.estimate(correct, options.ci)
    results: Numbers = {
        # of whole counts, so that no rounding error is shown
        HEADLINE: float(100 * (int(correct.sum()) - int(counts[rivals].max())) / n),
        "Collective_Accuracy": m.collective_accuracy(correct),
        "Collective_Accuracy_Low": accuracy.low,
        "Collective_Accuracy_High": accuracy.high,
        "Best_Stream": names[best],
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
        "Beats_Best": "yes" if gain.low > 0 else "no" if gain.high < 0 else "undecided",
        "Ratio_Ceiling": m.ratio_ceiling(m.best_accuracy(right)),
        "Oracle_Accuracy": m.oracle_accuracy(right),
        "Ties": int(main.cases["tied"].sum()),
        "Streams": len(names),
        "Units": gain.units,
        "Note": gain.note or ratio.note,
    }
    if options.member:
        results |= {"Member": options.member, "Member_Accuracy": float(counts[rivals[0]] / n)}
    return results


# --- members, conditions, failures ----------------------------------------------------------


def half_sets(k: int, seed: int) -> Flags:
    """Return the members left when half of them fail, members by sets: all, or 1,000 random."""
    left, generator = k - k // 2, np.random.default_rng(seed)
    if math.comb(k, left) > MOST_SUBSETS:
        chosen = np.array([generator.permutation(k)[:left] for _ in range(MOST_SUBSETS)])
    else:
        chosen = np.array(list(combinations(range(k), left)))
    sets = np.zeros((len(chosen), k), dtype=bool)
    np.put_along_axis(sets, chosen, True, axis=1)
    return sets.T


def _members(main: Ensemble, options: CollectiveOptions) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of what each member is worth, and of what is left when members fail."""
    k, right = len(main.members), main.right
    halves = half_sets(k, options.seed)
    sets, subsets = np.hstack([np.ones((k, 1), bool), ~np.eye(k, dtype=bool), halves]), None
    if k <= MOST_FOR_SHAPLEY:  # bit j of a position is for member j
        bits = 2 ** np.arange(k)
        subsets = main.fused_accuracy((np.arange(2**k) & bits[:, None]) > 0)
    found = main.fused_accuracy(sets) if subsets is None else subsets[bits @ sets]
    together, without, left = found[0], found[1 : k + 1], found[k + 1 :]
    alone = [main.estimate(own, options.ci) for own in right.T]
    collective = main.rows(main.correct)
    pairs = [paired_difference(collective, main.rows(own)) for own in right.T]
    streams = pd.DataFrame(
        {
            "Stream": main.members,
            "Accuracy": [estimate.value for estimate in alone],
            "CI_Low": [estimate.low for estimate in alone],
            "CI_High": [estimate.high for estimate in alone],
            "Gain_Over": [100 * pair.difference for pair in pairs],
            "P_Value": [pair.p for pair in pairs],
            "Only_Collective": [pair.wins for pair in pairs],
            "Only_Stream": [pair.losses for pair in pairs],
            "Contribution": together - without,
            "Shapley": math.nan if subsets is None else m.shapley(subsets),
            "Gradient": math.nan,
            "Blank": (main.votes == BLANK).sum(axis=0),
        }
    )
    if "logit" in main.cases and main.scores is not None:
        streams["Gradient"] = m.gradient_contributions(main.scores, main.labels)
    failing, accuracies = ["nothing", *main.members], np.append(together, without)
    failure = pd.DataFrame({"Failing": failing, "Accuracy": accuracies})
    if k > 1:
        row = {"Failing": f"any {k // 2} of {k}", "Accuracy": m.half_accuracy(left)}
        row |= {"Least": left.min(), "Most": left.max(), "Ways": left.size}
        failure = pd.concat([failure, pd.DataFrame([row])], ignore_index=True)
    failure.insert(1, "Delta", 100 * (failure["Accuracy"] - together))
    return streams, failure


def _pairs(main: Ensemble) -> pd.DataFrame:
    """Return how two members err together, for every pair of up to 30 members."""
    first, second = np.triu_indices(min(len(main.members), MOST_SHOWN), 1)
    names = np.array(main.members, dtype=object)
    columns = m.error_diversity(main.right)
    found = {name: values[first, second] for name, values in zip(PAIRED, columns, strict=True)}
    return pd.DataFrame({"Stream": names[first], "Other_Stream": names[second], **found})


def _conditions(ensemble: Ensemble, ci: float) -> pd.DataFrame:
    """Return each condition on the samples that it shares with the clean one."""
    final = ensemble.final()
    first, *names = final.cases["condition"].unique()
    clean, *others = (final.of(final.cases["condition"] == name) for name in (first, *names))
    samples, whole = clean.cases["sample"], clean.rows(clean.correct)
    tests = [paired_difference(panel.rows(panel.correct), whole) for panel in others]
    adjusted, levels = holm([test.p for test in tests], ci)
    rows: list[Numbers] = [
        {"Condition": first, "Samples": len(samples), "Accuracy": clean.correct.mean()}
    ]
    for name, panel, test, p, level in zip(names, others, tests, adjusted, levels, strict=True):
        on = panel.correct[panel.cases["sample"].isin(samples)]
        below = clean.correct[samples.isin(panel.cases["sample"])]
        low, high = test.interval(ci if math.isnan(level) else level)
        row = {"Condition": name, "Samples": len(panel.cases), "Shared": len(on)}
        row |= {"Accuracy": m.collective_accuracy(on), "Clean": m.collective_accuracy(below)}
        row |= {"Delta": 100 * test.difference, "CI_Low": 100 * low, "CI_High": 100 * high}
        row |= {"P_Holm": p, "Best_Accuracy": m.best_accuracy(panel.right), "Note": test.note}
        attack = name.casefold().startswith(ATTACKS)
        rows.append(row | {"Kind": "attack" if attack else "shift"})
    return pd.DataFrame(rows if others else []).fillna({"Note": "", "Kind": ""})


def _robustness(conditions: pd.DataFrame) -> Numbers:
    if conditions.empty:
        return {}
    parts = [conditions[conditions["Kind"] == kind] for kind in ("shift", "attack")]
    shifts, attacks = ((part["Accuracy"], part["Clean"]) for part in parts)
    return {
        "Robustness": m.robustness(*shifts),
        "Adversarial_Robustness": m.adversarial_robustness(*attacks),
    }


# --- units, sheets, problems ----------------------------------------------------------------


def _units(ensemble: Ensemble, main: Ensemble) -> pd.DataFrame:
    """Return a row for each sample: who voted what, and whether the collective was right."""
    names, right = np.array([*main.classes, ""], dtype=object), main.right
    best = right[:, int(right.sum(axis=0).argmax())]
    columns: dict[str, Any] = {
        "Collective_Accuracy": main.correct,
        HEADLINE: 100 * (main.correct - best),
        "Label": names[main.labels],
        "Collective": names[main.cases["decision"]],
        "Right_Votes": [f"{count}/{right.shape[1]}" for count in right.sum(axis=1).tolist()],
        "Tied": np.where(main.cases["tied"], "yes", ""),
    }
    for member, own in zip(main.members[:MOST_SHOWN], main.votes.T, strict=False):
        columns[f"Vote {member}"] = names[own]
    found = pd.DataFrame(columns, index=main.cases.index).assign(Problem="")
    lost = pd.DataFrame({"Problem": "no label"}, index=ensemble.lost.index)
    frame = pd.concat([found, lost]).fillna(dict.fromkeys([*columns][2:], ""))
    cases = pd.concat([main.cases, ensemble.lost])
    frame.insert(0, "Sheet", ensemble.main[0] or SHEET)
    frame.insert(1, "Sample", cases["sample"])
    frame = frame.assign(Row=cases["row"], **carried_along(cases))
    return frame.sort_index().reset_index(drop=True)


def _sheets(ensemble: Ensemble) -> pd.DataFrame:
    """Return a row for the split of the headline, one for the test split, and Overall."""
    found, (split, condition, epoch) = ensemble.accuracies, ensemble.main
    found = found[found["condition"] == condition]
    main = found[(found["split"] == split) & (found["epoch"] == epoch)]
    tests = found[(found["split"].str.casefold() == TEST) & (found["split"] != split)]
    found = pd.concat([main, tests.tail(1), main])
    sheets = pd.DataFrame(
        {
            "Sheet": [split or SHEET, *tests["split"].tail(1), "Overall"],
            f"Average_{HEADLINE}": m.gain(found["collective"], found["best"]),
            "Collective_Accuracy": found["collective"],
            "Best_Accuracy": found["best"],
            "Emergence_Ratio": list(map(m.emergence_ratio, found["collective"], found["best"])),
            "Oracle_Accuracy": found["any"],
            "Rows": found["rows"].astype(int),
            "Scored": found["scored"],
        }
    )
    return sheets.reset_index(drop=True)


def _notes(ensemble: Ensemble) -> list[Problem]:
    """Return the notes on predictions that count as wrong and on ties, and the lost samples."""
    final = ensemble.final()
    main = final.cases[final.cases["condition"] == ensemble.main[1]]
    blank, own = final.votes == BLANK, final.cases["own"]
    unknown = final.votes[~blank & ~np.isin(final.votes, final.labels)]
    shown = final.classes[unknown[0]] if unknown.size else ""
    empty = int((own & (final.cases["decision"] == BLANK)).sum())
    votes, decisions = f"of {blank.size} predictions are", f"of {len(main)} predictions of the"
    found = {
        "blank-prediction": (blank.sum(), f"{votes} empty and wrong"),
        "unknown-class": (unknown.size, f"{votes} wrong, not being labels ({shown})"),
        "blank-collective": (empty, f"{decisions} collective are empty and wrong"),
        "tied-votes": (0 if own.any() else main["tied"].sum(), f"of {len(main)} votes are tied"),
    }
    file = str(main["file"].iloc[0])
    said = [Problem(k, "note", f"{n} {text}", file) for k, (n, text) in found.items() if n]
    lost = Problem("no-label", "row", "the sample has no label")
    return said + row_problems(ensemble.lost, np.ones(len(ensemble.lost), bool), lost)


def explain(tables: Tables, options: CollectiveOptions, _sheet: str, unit: str) -> Explanation:
    """Return who voted what on one sample, under each condition, and how it was decided."""
    ensemble, _ = read_ensemble(tables, options)
    final = ensemble.final()
    found = final.of(final.cases["sample"] == unit)
    if found.cases.empty:
        known = ", ".join(final.cases["sample"][:5])
        raise ValueError(f"no sample {unit!r} has a label; there are {known} …")
    names, word = np.array([*ensemble.classes, ""], dtype=object), np.array(["no", "yes"])
    cases, right, k = found.cases, found.right.astype(int), len(found.members)
    votes = {
        "Condition": cases["condition"].repeat(k),
        "Stream": found.members * len(cases),
        "Prediction": names[found.votes].ravel(),
        "Right": word[right].ravel(),
    }
    decision = {
        "Condition": cases["condition"],
        "Label": names[found.labels],
        "Collective": names[cases["decision"]],
        "Right": word[cases["correct"].astype(int)],
        "Right_Votes": right.sum(axis=1),
        "Tied": word[cases["tied"].astype(int)],
    }
    how = "the largest mean score" if options.fusion == "mean" else "the most votes"
    said = f"The collective predicts the class with {how}; a tie is decided by --ties."
    if final.cases["own"].any():
        said = "The collective's prediction is its own column; the votes are shown next to it."
    frames = {"Votes": pd.DataFrame(votes), "Decision": pd.DataFrame(decision)}
    return Explanation((said, "An empty prediction is wrong."), frames)
