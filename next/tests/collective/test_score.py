"""What is said of one ensemble: headline, conditions, splits, training, alerts, refusals."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from scoresheet.metrics.collective import CollectiveOptions
from scoresheet.metrics.collective import measures as m
from scoresheet.metrics.collective.score import explain
from scoresheet.metrics.problem import Refusal
from scoresheet.metrics.stats.paired import gain_and_rho

from .conftest import long, placed, scored

LABELS = ["a", "b", "c", "a", "b"] * 6


def voted(share: float, seed: int) -> list[str]:
    """Return votes of which a share is right."""
    rng = np.random.default_rng(seed)
    return [x if rng.random() < share else "abc"["abc".index(x) - 1] for x in LABELS]


MEMBERS = {
    name: voted(share, at) for at, (name, share) in enumerate([("p", 0.6), ("q", 0.7), ("r", 0.5)])
}


def alert(scores: Any, name: str) -> dict[str, Any]:
    table = scores.tables["Alerts"]
    (row,) = table[table["Alert"] == name].to_dict("records")
    return dict(row)


# --- headline -------------------------------------------------------------------------------


def test_the_gain_is_that_over_all_members_and_of_one_that_was_named() -> None:
    outputs = long(LABELS, MEMBERS)
    found = scored(outputs).results
    right = np.array(
        [[x == y for x, y in zip(own, LABELS, strict=True)] for own in MEMBERS.values()]
    )
    units = scored(outputs).units
    gain, ratio = gain_and_rho(units["Collective_Accuracy"], right.T.astype(float))
    assert (found["CI_Low"], found["CI_High"]) == pytest.approx((100 * gain.low, 100 * gain.high))
    assert found["Emergence_Ratio_Low"] == pytest.approx(ratio.low)
    named = scored(outputs, member="r").results
    assert named["Member_Accuracy"] == right[2].mean()
    assert named["Gain"] == pytest.approx(100 * (named["Collective_Accuracy"] - right[2].mean()))
    assert named["Best_Stream"] == found["Best_Stream"] == "q"


@pytest.mark.parametrize(
    ("collective", "beats"),
    [(LABELS, "yes"), (["c", "a", "b"] * 10, "no"), (MEMBERS["q"], "undecided")],
)
def test_it_beats_the_best_member_where_the_whole_interval_says_so(
    collective: Sequence[str], beats: str
) -> None:
    outputs = long(LABELS, MEMBERS)
    outputs["collective"] = np.repeat(np.array(collective, dtype=object), 3)
    assert scored(outputs).results["Beats_Best"] == beats


def test_no_member_is_right() -> None:
    outputs = long(["a", "b"] * 6, {"p": ["b", "a"] * 6, "q": ["b", "a"] * 6})
    assert math.isnan(scored(outputs).results["Emergence_Ratio"])
    outputs["collective"] = outputs["label"]
    assert scored(outputs).results["Emergence_Ratio"] == math.inf


def test_ties_and_blanks() -> None:
    votes = {"p": ["a", "", "b", "b"], "q": ["b", "a", "b", ""], "r": ["", "b", "a", ""]}
    labels = ["a", "b", "a", "a"]
    first = scored(long(labels, votes))
    assert first.units["Tied"].tolist() == ["yes", "yes", "", ""]
    assert first.units["Collective"].tolist() == ["a", "a", "b", "b"]
    assert first.results["Collective_Accuracy"] == 0.25
    assert scored(long(labels, votes), ties="wrong").results["Collective_Accuracy"] == 0
    assert first.tables["Streams"]["Blank"].tolist() == [1, 1, 2]
    kinds = {problem.kind: problem.message for problem in first.problems}
    assert kinds["blank-prediction"] == "4 of 12 predictions are empty and wrong"
    assert kinds["tied-votes"] == "2 of 4 votes are tied"


def test_samples_are_joined_by_name_and_a_missing_prediction_is_wrong() -> None:
    outputs = long(LABELS, MEMBERS)
    shuffled = outputs.sample(frac=1, random_state=1)
    order = dict(zip(MEMBERS, range(3), strict=True))
    shuffled = shuffled.sort_values("stream", key=lambda names: names.map(order), kind="stable")
    assert (
        scored(shuffled).results["Collective_Accuracy"]
        == scored(outputs).results["Collective_Accuracy"]
    )
    without = outputs.drop(index=0)  # the label of s0 is in the other rows
    blank = scored(without).tables["Streams"].set_index("Stream")["Blank"]
    assert blank.to_dict() == {"p": 1, "q": 0, "r": 0}


def test_a_sample_without_a_label_is_listed_and_lowers_the_coverage() -> None:
    outputs = long(["", *LABELS[1:]], MEMBERS)
    found = scored(outputs)
    assert (found.results["Rows"], found.results["Scored"]) == (30, 29)
    assert [*found.units[["Sample", "Problem"]].iloc[0]] == ["s0", "no label"]
    assert [p.row for p in found.problems if p.effect == "row"] == [2]


def test_clusters_are_the_units_of_the_interval() -> None:
    outputs = long(LABELS, MEMBERS)
    outputs["cluster"] = (outputs.index // 15).astype(str)
    found = scored(outputs).results
    assert found["Units"] == 6
    assert found["Gain"] == scored(outputs.drop(columns="cluster")).results["Gain"]


# --- splits, conditions, epochs -------------------------------------------------------------


def several(column: str, parts: dict[Any, dict[str, list[str]]]) -> pd.DataFrame:
    tables = [long(LABELS, votes).assign(**{column: name}) for name, votes in parts.items()]
    return pd.concat(tables, ignore_index=True)


WORSE = {name: voted(0.4, 9 + at) for at, name in enumerate(MEMBERS)}


@pytest.mark.parametrize("name", ["validation", "val", "dev", "Valid", ""])
def test_the_headline_is_of_the_validation_split_with_the_test_split_next_to_it(name: str) -> None:
    outputs = several("split", {"train": WORSE, name: MEMBERS, "test": WORSE})
    found = scored(outputs)
    alone = scored(long(LABELS, MEMBERS)).results["Collective_Accuracy"]
    assert found.results["Collective_Accuracy"] == alone
    assert (
        found.results["Test_Accuracy"] == scored(long(LABELS, WORSE)).results["Collective_Accuracy"]
    )
    assert found.sheets["Sheet"].tolist() == [name or "predictions", "test", "Overall"]
    other = scored(outputs, split="train").results["Collective_Accuracy"]
    assert other == found.results["Test_Accuracy"]


def test_conditions_are_compared_on_the_samples_they_share() -> None:
    parts = {"clean": MEMBERS, "fog": WORSE, "PGD-20": WORSE, "rain": MEMBERS}
    outputs = several("condition", parts)
    outputs = outputs[(outputs["condition"] != "fog") | (outputs["sample"] < "s2")]
    table = scored(outputs).tables["Conditions"].set_index("Condition")
    shared = outputs.loc[outputs["condition"] == "fog", "sample"].nunique()
    assert table["Shared"].tolist()[1:] == [shared, 30, 30]
    assert table.loc["rain", "Delta"] == 0
    assert table.loc["PGD-20", "Kind"] == "attack"
    accuracy = table["Accuracy"]
    results = scored(outputs).results
    assert results["Adversarial_Robustness"] == pytest.approx(
        accuracy["PGD-20"] / accuracy["clean"]
    )
    shifts = table.loc[["fog", "rain"]]
    robustness = shifts["Accuracy"].mean() / shifts["Clean"].mean()
    assert results["Robustness"] == pytest.approx(robustness)
    assert scored(outputs, clean="rain").tables["Conditions"]["Condition"].tolist()[0] == "rain"


def test_the_last_epoch_counts_and_the_history_has_all() -> None:
    outputs = several("epoch", {1.0: WORSE, 2.0: MEMBERS})
    found = scored(outputs)
    last = scored(long(LABELS, MEMBERS)).results
    assert found.results["Collective_Accuracy"] == last["Collective_Accuracy"]
    history = found.tables["History by epoch"]
    assert history["Epoch"].tolist() == [1, 2]
    assert history["emergence_ratio"].iloc[1] == pytest.approx(last["Emergence_Ratio"])
    logged = pd.DataFrame({"epoch": [1.0, 2.0, 3.0], "val_loss": [3.0, 2.0, 1.0]})
    history = scored(outputs, {"history": placed(logged)}).tables["History by epoch"]
    assert history["val_loss"].tolist() == [3, 2, 1]
    assert history["collective_acc"].notna().tolist() == [True, True, False]


# --- alerts ---------------------------------------------------------------------------------


def test_a_logged_drop_is_the_rule_of_the_paper() -> None:
    history = pd.DataFrame({"epoch": [1.0, 2.0], "emergence_ratio": [2.0, 1.0]})
    logged = scored(long(LABELS, MEMBERS), {"history": placed(history)})
    state = alert(logged, "emergence_drop")["State"]
    assert state == "threshold crossed (rule of the paper)"
    assert logged.results["Alerts"] == 0


def test_a_collective_that_collapses_raises_the_drop() -> None:
    outputs = several("epoch", {1.0: MEMBERS, 2.0: MEMBERS})
    outputs["collective"] = np.where(outputs["epoch"] == 1, outputs["label"], "a")
    found = scored(outputs)
    assert alert(found, "emergence_drop")["State"] == "raised"
    assert found.results["Alerts"] == 1


@pytest.mark.parametrize(
    ("samples", "state", "note"),
    [(900, "raised", ""), (60, "crossed, not beyond chance", "too few to tell")],
)
def test_a_dead_member_needs_enough_samples(samples: int, state: str, note: str) -> None:
    labels = ["a", "b"] * (samples // 2)
    votes = {"dead": ["b", "a"] * (samples // 2), "good": labels}
    found = scored(long(labels, votes))
    table = found.tables["Alerts"].set_index("Stream")
    assert table.loc["dead", "State"] == state
    assert note in table["Note"]["dead"]
    assert found.results["Alerts"] == int(state == "raised")


def test_collapsed_fingerprints_are_the_rule_of_the_paper() -> None:
    table = pd.DataFrame({"stream": ["p", "q"], "x": [1.0, 1.0], "y": [0.0, 0.1]})
    found = scored(long(LABELS, MEMBERS), {"fingerprints": placed(table)})
    row = alert(found, "collapsed_fingerprints")
    assert row["State"] == "threshold crossed (rule of the paper)"
    assert row["Value"] == found.results["Fingerprint_Diversity"] < 0.5
    assert found.results["Alerts"] == 0


@pytest.mark.parametrize(("angle", "state"), [(0.2, "seen"), (0.21, "not seen")])
def test_the_target_of_the_fingerprint_diversity_is_shown(angle: float, state: str) -> None:
    further = math.sqrt(1 - (angle - 0.005) ** 2)
    table = pd.DataFrame({"stream": ["p", "q"], "x": [1.0, angle - 0.005], "y": [0.0, further]})
    found = scored(long(LABELS, MEMBERS), {"fingerprints": placed(table)})
    row = alert(found, "fingerprint_diversity on target")
    assert (row["State"], row["Threshold"]) == (state, 0.8)
    assert row["Value"] == pytest.approx(1.005 - angle)
    assert found.results["Alerts"] == 0


def test_an_anchor_with_less_than_a_hundredth_of_the_use_is_dead() -> None:
    use = {"low": [0.0, 0.019], "edge": [0.02, 0.0], "high": [0.98, 0.981], "none": [0.0, 0.0]}
    table = placed(pd.DataFrame({"stream": ["p", "q"], **use}))
    found = scored(long(LABELS, MEMBERS), {"anchors": table})
    anchors = found.tables["Anchors"].set_index("Anchor")
    assert anchors["Dead"].to_dict() == {"low": "dead", "edge": "", "high": "", "none": "dead"}
    assert anchors["Share"].tolist() == pytest.approx([0.0095, 0.01, 0.9805, 0])
    assert found.results["Dead_Anchors"] == 2
    wrong = table.assign(low=[-0.1, 0.1])
    refused = scored(long(LABELS, MEMBERS), {"anchors": wrong})
    assert "anchors: expected anchor use of 0 or more, not -0.1" in refused.problems[0].message
    assert math.isnan(refused.results["Anchor_Entropy"])


@pytest.mark.parametrize(("experts", "state"), [(12, "raised"), (4, "not raised")])
def test_diffuse_routing_is_raised_where_it_can_be_reached(experts: int, state: str) -> None:
    rows = [
        {"sample": f"s{i}", "expert": f"e{j}", "weight": 1 / experts}
        for i in range(30)
        for j in range(experts)
    ]
    found = scored(long(LABELS, MEMBERS), {"routing": placed(pd.DataFrame(rows))})
    row = alert(found, "high_routing_entropy")
    assert row["State"] == state
    assert ("reach at most" in row["Note"]) == (experts == 4)


def test_a_dead_expert_needs_enough_samples() -> None:
    def experts(samples: int) -> list[str]:
        weights = [[0.5, 0.5, 0.0]] * samples
        table = pd.DataFrame(weights, columns=["e1", "e2", "e3"]).assign(
            sample=[f"s{at}" for at in range(samples)]
        )
        table = table.melt("sample", var_name="expert", value_name="weight")
        found = scored(long(LABELS, MEMBERS), {"routing": placed(table)})
        return found.tables["Experts"]["Dead"].tolist()

    assert experts(2000) == ["", "dead", "dead"]  # the first of equal weights is the largest
    assert experts(50) == ["", "", ""]


@pytest.mark.parametrize(
    ("losses", "words"),
    [
        ([3, 2, 1, 1.5, 3, 4], ["rising"]),
        ([3, 2, 1, 1, 1.001, 1.002], ["flat"]),
        ([1, 2, 1, 2, 1, 1.9], ["oscillating"]),
        ([6, 5, 4, 3, 2, 1], []),
        ([1, 2], []),
    ],
)
def test_the_warnings_of_a_loss_curve(losses: list[float], words: list[str]) -> None:
    assert m.loss_warnings(losses) == words


def test_warnings_and_patterns_are_listed_and_do_not_count_as_alerts() -> None:
    history = pd.DataFrame(
        {
            "epoch": np.arange(1.0, 7),
            "train_loss": [3.0, 2, 1, 1, 1, 1],
            "routing_entropy": [2.0, 2, 1, 1, 0.5, 0.5],
            "emergence_ratio": [1.0, 1, 1.5, 2, 2, 2],
            "learning_rate": [0.1] * 6,
        }
    )
    found = scored(long(LABELS, MEMBERS), {"history": placed(history)})
    table = found.tables["Alerts"].set_index("Alert")["State"]
    assert table["train_loss flat"] == "warning"
    assert table[["routing_entropy falls", "emergence_ratio rises"]].tolist() == ["seen", "seen"]
    assert found.results["Alerts"] == 0
    assert found.results["Routing_Entropy"] == 0.5
    assert found.results["Learning_Rate"] == 0.1


# --- parameters, targets --------------------------------------------------------------------


def test_parameters_and_targets() -> None:
    names = pd.DataFrame({"name": ["params", "dataset"], "value": ["2,000,000", "Birds"]})
    table = {"dataset": ["m", "birds"], "baseline": [99.0, 20.0], "target": [99.0, 99.5]}
    further = {"parameters": placed(names), "targets": placed(pd.DataFrame(table))}
    found = scored(long(LABELS, MEMBERS), further).results
    assert found["Efficiency"] == pytest.approx(50 * found["Collective_Accuracy"])
    assert (found["Baseline_Reached"], found["Target_Reached"]) == ("yes", "no")
    row = alert(scored(long(LABELS, MEMBERS), further), "target reached")
    assert (row["State"], row["Threshold"], row["Note"]) == ("no", 0.995, "birds")
    assert row["Value"] == found["Collective_Accuracy"]
    further["parameters"] = placed(names.iloc[:1].assign(value="a lot"))
    other = scored(long(LABELS, MEMBERS), further)  # then the row of the ensemble's name counts
    assert math.isnan(other.results["Efficiency"])
    assert other.results["Baseline_Reached"] == "no"
    assert "params is 'a lot'" in other.problems[0].message


# --- explanation, refusals ------------------------------------------------------------------


def test_the_explanation_says_who_voted_what() -> None:
    outputs = several("condition", {"clean": MEMBERS, "fog": WORSE})
    found = explain({"outputs": outputs}, CollectiveOptions(), "", "s4")
    assert found.tables["Votes"]["Prediction"].tolist() == [
        own[4] for votes in (MEMBERS, WORSE) for own in votes.values()
    ]
    assert found.tables["Decision"]["Label"].tolist() == ["b", "b"]
    with pytest.raises(ValueError, match="no sample 's99' has a label"):
        explain({"outputs": outputs}, CollectiveOptions(), "", "s99")


def refused(outputs: pd.DataFrame, further: Any = None, **options: Any) -> str:
    with pytest.raises(Refusal) as refusal:
        scored(outputs, further, **options)
    return str(refusal.value)


def test_what_cannot_be_scored_is_refused_with_the_reason() -> None:
    outputs = long(LABELS, MEMBERS)
    assert "--member x: the members are p, q, r" in refused(outputs, member="x")
    assert "needs a column of probabilities" in refused(outputs, fusion="mean")
    assert "--split x" in refused(outputs, split="x")
    assert "which condition is the headline of? fog, rain" in refused(
        several("condition", {"fog": MEMBERS, "rain": MEMBERS})
    )
    assert "which split" in refused(several("split", {"train": MEMBERS, "test": MEMBERS}))
    assert "no sample has a label" in refused(outputs.assign(label=""))
    twice = outputs.copy()
    twice.loc[0, "label"] = "b"
    assert "sample s0 has two labels" in refused(twice)
    assert "need a column class" in refused(outputs.assign(probability=0.5))
    names = placed(pd.DataFrame({"id": ["a", "b"], "name": ["b", "a"]}))
    assert "an id and the name of a different class" in refused(outputs, {"classes": names})
