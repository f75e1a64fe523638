"""The numbers of an ensemble against naive twins and other packages."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import softmax
from sklearn.decomposition import PCA
from sklearn.metrics import accuracy_score
from sklearn.metrics.pairwise import cosine_similarity
from statsmodels.stats.proportion import proportion_confint

from scoresheet.metrics.collective import measures as m
from scoresheet.metrics.collective.votes import fuse_majority
from scoresheet.metrics.measure import measure_of

from .conftest import long, naive_accuracy, naive_majority, naive_shapley, placed, scored

Given = tuple[list[str], dict[str, list[str]]]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (m.emergence_ratio(0.85, 0.12), 7.083333),
        (m.routing_entropy([[0.7, 0.1, 0.1, 0.1]])[0], 0.940448),
        (m.fingerprint_diversity([[1, 0], [1, 1]]), 0.292893),
        (m.fingerprint_diversity([[1, 0], [-1, 0]]), 0),
        (m.fingerprint_diversity([[1, 0, 0], [0, 1, 0], [1, 1, 0]]), 0.528595),
        (m.efficiency(0.8468, 60), 1.411333),
        (m.efficiency(0.76, 428), 0.177570),
        (m.efficiency(0.8468, 60) / m.efficiency(0.76, 428), 7.948035),
        (m.random_diversity(2), 0.363380),
        (m.random_diversity(64), 0.899874),
        (m.emergence_ratio(0.5, 0), math.inf),
        (m.emergence_ratio(0, 0), math.nan),
    ],
)
def test_the_values_of_the_definitions(values: float, expected: float) -> None:
    assert values == pytest.approx(expected, abs=5e-7, nan_ok=True)


@pytest.mark.parametrize(
    ("ratio", "band"),
    [(0.99, "failure"), (1, "marginal"), (2, "strong"), (10, "strong"), (10.1, "extraordinary")],
)
def test_the_bands_of_the_ratio(ratio: float, band: str) -> None:
    assert measure_of(m.emergence_ratio).band(ratio) == band


# --- votes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_majority_equals_counting_by_hand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, classes = int(rng.integers(1, 8)), int(rng.integers(2, 5))
    rows = rng.integers(-1, classes, size=(50, k))
    found, tied = (part[:, 0] for part in fuse_majority(rows, np.ones((k, 1), bool)))
    names = [["" if code < 0 else str(code) for code in row] for row in rows.tolist()]
    expected = [naive_majority(row) for row in names]
    assert ["" if code < 0 else str(code) for code in found.tolist()] == [e[0] for e in expected]
    assert tied.tolist() == [e[1] for e in expected]


@pytest.mark.parametrize("ties", ["first", "wrong"])
def test_ablation_shapley_and_failure_equal_brute_force(votes: Given, ties: str) -> None:
    labels, given = votes
    rows = list(zip(*given.values(), strict=True))
    found = scored(long(labels, given), ties=ties)
    streams, k = found.tables["Streams"], len(given)
    together = naive_accuracy(labels, rows, ties)
    without = [
        together - naive_accuracy(labels, [row[:j] + row[j + 1 :] for row in rows], ties)
        for j in range(k)
    ]
    assert streams["Contribution"].tolist() == pytest.approx(without, abs=1e-12)
    shapley = naive_shapley(labels, rows, ties)
    assert streams["Shapley"].tolist() == pytest.approx(shapley, abs=1e-12)
    assert streams["Shapley"].sum() == pytest.approx(found.results["Collective_Accuracy"])
    halves = [
        naive_accuracy(labels, [[row[j] for j in kept] for row in rows], ties)
        for kept in combinations(range(k), 2)
    ]
    assert found.results["Half_Accuracy"] == pytest.approx(np.mean(halves), abs=1e-12)


def test_accuracies_and_oracle_equal_scikit_learn(votes: Given) -> None:
    labels, given = votes
    found = scored(long(labels, given))
    accuracies = [accuracy_score(labels, own) for own in given.values()]
    assert found.tables["Streams"]["Accuracy"].tolist() == pytest.approx(accuracies)
    assert found.results["Best_Accuracy"] == pytest.approx(max(accuracies))
    assert found.results["Best_Stream"] == [*given][int(np.argmax(accuracies))]
    rows = zip(labels, *given.values(), strict=True)
    oracle = np.mean([label in own for label, *own in rows])
    assert found.results["Oracle_Accuracy"] == pytest.approx(oracle)
    fused = [naive_majority(row)[0] for row in zip(*given.values(), strict=True)]
    assert found.results["Collective_Accuracy"] == pytest.approx(accuracy_score(labels, fused))
    low, high = proportion_confint(round(60 * accuracies[0]), 60, method="beta")
    ends = found.tables["Streams"][["CI_Low", "CI_High"]].iloc[0]
    assert [*ends] == pytest.approx([low, high], abs=0.01)


def test_the_test_against_a_member_is_a_paired_t_test(votes: Given) -> None:
    labels, given = votes
    found = scored(long(labels, given))
    fused = found.units["Collective_Accuracy"]
    for row in found.tables["Streams"].to_dict("records"):
        right = np.array([a == b for a, b in zip(given[row["Stream"]], labels, strict=True)])
        counts = int((fused > right).sum()), int((fused < right).sum())
        assert (row["Only_Collective"], row["Only_Stream"]) == counts
        p = stats.ttest_rel(fused, right).pvalue
        assert row["P_Value"] == pytest.approx(p, rel=0.1)  # the degrees of freedom differ


def test_error_diversity_equals_the_formulas_of_deslib(votes: Given) -> None:
    labels, given = votes
    pairs = scored(long(labels, given)).tables["Pairs"]
    for row in pairs.to_dict("records"):
        x, y = (np.array(given[row[name]]) == labels for name in ("Stream", "Other_Stream"))
        n11, n00, n10, n01 = (x & y).sum(), (~x & ~y).sum(), (x & ~y).sum(), (~x & y).sum()
        assert row["Q"] == pytest.approx((n11 * n00 - n01 * n10) / (n11 * n00 + n01 * n10))
        assert row["Disagreement"] == pytest.approx((n10 + n01) / 60)
        assert row["Double_Fault"] == pytest.approx(n00 / 60)


# --- probabilities and logits ---------------------------------------------------------------


def scores_table(labels: Sequence[str], values: np.ndarray, name: str) -> pd.DataFrame:
    """Return a table with a row for each sample, member and class."""
    rows = [
        {"sample": f"s{i}", "label": labels[i], "stream": f"m{j}", "class": "abc"[c], name: value}
        for (i, j, c), value in np.ndenumerate(values)
    ]
    return placed(pd.DataFrame(rows).assign(model="m"))


@pytest.mark.parametrize("name", ["probability", "logit"])
def test_mean_fusion_equals_the_mean_by_hand(name: str) -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(40, 5, 3))
    values = values if name == "logit" else softmax(values, axis=2)
    labels = rng.choice(list("abc"), 40).tolist()
    found = scored(scores_table(labels, values, name), fusion="mean")
    codes = np.array(["abc".index(label) for label in labels])

    def accuracy(members: Sequence[int]) -> float:
        total = values[:, list(members)].sum(axis=1)
        return float((total.argmax(axis=1) == codes).mean()) if members else 0.0

    everyone = range(5)
    assert found.results["Collective_Accuracy"] == pytest.approx(accuracy(everyone))
    without = [accuracy(everyone) - accuracy([i for i in everyone if i != j]) for j in everyone]
    streams = found.tables["Streams"]
    assert streams["Contribution"].tolist() == pytest.approx(without)
    weights = [1 / (5 * math.comb(4, size)) for size in everyone]
    shapley = [
        sum(
            weights[size] * (accuracy([*chosen, j]) - accuracy(chosen))
            for size in everyone
            for chosen in combinations([i for i in everyone if i != j], size)
        )
        for j in everyone
    ]
    assert streams["Shapley"].tolist() == pytest.approx(shapley)
    alone = [(values[:, j].argmax(axis=1) == codes).mean() for j in everyone]
    assert streams["Accuracy"].tolist() == pytest.approx(alone)
    mean = softmax(values.mean(axis=1), axis=1)
    gradient = np.linalg.norm((mean - np.eye(3)[codes]) / 5, axis=1).mean()
    assert streams["Gradient"].tolist() == pytest.approx(
        [gradient] * 5 if name == "logit" else [math.nan] * 5, nan_ok=True
    )


def test_a_member_without_all_scores_does_not_count_for_the_sample() -> None:
    values = np.array([[[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.2, 0.7, 0.1]]] * 8)
    values[:, 2, 0] = math.nan
    found = scored(scores_table(["a"] * 8, values, "probability"), fusion="mean")
    assert found.results["Collective_Accuracy"] == 1.0  # (.9 + .1) / 2 > (.05 + .8) / 2
    assert found.tables["Streams"]["Blank"].tolist() == [0, 0, 8]


# --- further tables -------------------------------------------------------------------------


def test_fingerprints_equal_scikit_learn() -> None:
    vectors = np.random.default_rng(2).normal(size=(6, 4))
    similar = m.fingerprint_similarity(vectors)
    assert similar == pytest.approx(cosine_similarity(vectors))
    table = pd.DataFrame(vectors, columns=list("wxyz")).assign(stream=list("abcdef"))
    outputs = long(["x", "y"] * 4, {"a": ["x"] * 8, "b": ["y"] * 8})
    shown = scored(outputs, {"fingerprints": placed(table)}).tables["Fingerprints"]
    axes = PCA(n_components=2).fit_transform(vectors)
    assert np.abs(shown[["PC1", "PC2"]].to_numpy()) == pytest.approx(np.abs(axes))


def test_routing_and_anchors_equal_scipy() -> None:
    rng = np.random.default_rng(4)
    weights = rng.dirichlet(np.ones(4), size=12)
    rows = [
        {"sample": f"s{i // 2}", "stream": "ab"[i % 2], "expert": f"e{j}", "weight": value}
        for (i, j), value in np.ndenumerate(weights)
    ]
    use = pd.DataFrame(rng.random((2, 5)), columns=list("vwxyz")).assign(stream=["a", "b"])
    outputs = long(["x", "y"] * 4, {"a": ["x"] * 8, "b": ["y"] * 8})
    further = {"routing": placed(pd.DataFrame(rows)), "anchors": placed(use)}
    found = scored(outputs, further).results
    entropy = np.mean([stats.entropy(row) for row in weights])
    assert found["Routing_Entropy"] == pytest.approx(entropy)
    assert found["Routing_Entropy_Share"] == pytest.approx(entropy / math.log(4))
    assert found["Load_CV"] == pytest.approx(stats.variation(weights.mean(axis=0)))
    means = weights[::2].mean(axis=0), weights[1::2].mean(axis=0)
    assert found["Routing_Overlap"] == pytest.approx(np.minimum(*means).sum())
    assert found["Anchor_Entropy"] == pytest.approx(stats.entropy(use[list("vwxyz")].mean()))
