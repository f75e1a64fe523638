"""Panels: alpha, agreement, labels, judges, dimensions, sheets, runs and a gold judge."""

import math
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from sklearn.metrics import cohen_kappa_score

from scoresheet.metrics.disagree.gold import kappa
from scoresheet.metrics.disagree.panel import compare, gwet_ac1, observed_agreement
from scoresheet.metrics.problem import Refusal
from scoresheet.metrics.stats import Floats
from scoresheet.metrics.stats.agreement import alpha_difference, krippendorff_alpha

from .conftest import panel, scored

LEVELS = ("nominal", "ordinal", "interval", "ratio")
NAN = math.nan


def ratings(seed: int, items: int = 20, judges: int = 4, missing: float = 0.2) -> Floats:
    rng = np.random.default_rng(seed)
    found = np.clip(rng.integers(1, 6, (items, 1)) + rng.integers(-1, 2, (items, judges)), 1, 5)
    return np.where(rng.random(found.shape) < missing, NAN, found)


def by_name(table: pd.DataFrame) -> dict[str, dict[Any, Any]]:
    """The rows of a table by their first column."""
    return {row[table.columns[0]]: row for row in table.to_dict("records")}


def naive_pairs(matrix: Floats) -> list[list[tuple[float, float]]]:
    """The pairs of ratings of each item that has any."""
    items = (row[~np.isnan(row)].tolist() for row in matrix)
    return [list(combinations(values, 2)) for values in items if len(values) > 1]


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_that_of_krippendorff_in_200_random_tables(level: Any) -> None:
    differences = []
    for seed in range(200):
        matrix = ratings(seed, items=8 + seed % 20, judges=2 + seed % 4)
        expected = krippendorff.alpha(matrix.T, level_of_measurement=level)
        found = krippendorff_alpha(matrix, level=level).value
        differences.append(abs(found - expected))
    assert max(differences) < 1e-12


@pytest.mark.parametrize("level", LEVELS)
def test_the_alpha_of_a_run_is_that_of_krippendorff(level: Any) -> None:
    matrix = ratings(1)
    result = panel(*matrix.tolist(), level=level, scale=("1:5",))
    expected = krippendorff.alpha(matrix.T, level_of_measurement=level)
    assert result.results["Alpha"] == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore")  # pingouin's own
@pytest.mark.parametrize("seed", range(5))
def test_icc_is_that_of_pingouin(seed: int) -> None:
    matrix = ratings(seed, missing=0)
    long = pd.DataFrame(matrix).stack().reset_index().set_axis(["item", "judge", "score"], axis=1)
    expected = pingouin.intraclass_corr(long, "item", "judge", "score").set_index("Type")["ICC"]
    found = panel(*matrix.tolist(), scale=("1:5",)).results
    names = ("ICC2", "ICC2k") if "ICC2" in expected else ("ICC(A,1)", "ICC(A,k)")
    assert [found["ICC_2_1"], found["ICC_2_k"]] == pytest.approx([expected[n] for n in names])


@pytest.mark.parametrize("seed", range(5))
def test_agreement_and_ac1_are_those_of_their_naive_twins(seed: int) -> None:
    matrix = ratings(seed)
    pairs = naive_pairs(matrix)
    close = np.mean([np.mean([1 - abs(a - b) / 4 for a, b in own]) for own in pairs])
    assert observed_agreement(matrix, 4) == pytest.approx(close)
    equal = float(np.mean([np.mean([a == b for a, b in own]) for own in pairs]))
    assert observed_agreement(matrix) == pytest.approx(equal)
    rows = [row[~np.isnan(row)] for row in matrix if not np.isnan(row).all()]
    labels = np.unique(np.concatenate(rows))
    shares = [np.mean([np.mean(row == label) for row in rows]) for label in labels]
    chance = sum(share * (1 - share) for share in shares) / (len(labels) - 1)
    assert gwet_ac1(matrix, labels) == pytest.approx((equal - chance) / (1 - chance))


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_scikit_learn(seed: int) -> None:
    a, b = ratings(seed, items=40, judges=2, missing=0).T
    assert kappa(a, b, labelled=True) == pytest.approx(cohen_kappa_score(a, b))
    weighted = cohen_kappa_score(a, b, weights="quadratic", labels=range(1, 6))
    assert kappa(a, b, labelled=False) == pytest.approx(weighted)


def test_ranks_of_very_many_different_scores_have_no_interval() -> None:
    matrix = np.random.default_rng(0).random((20_000, 2)).cumsum(axis=1)
    found = krippendorff_alpha(matrix, level="ordinal")
    expected = krippendorff.alpha(matrix[:500].T, level_of_measurement="ordinal")
    assert krippendorff_alpha(matrix[:500], level="ordinal").value == pytest.approx(expected)
    assert found.note.startswith("no interval: too many different values for ranks")
    assert alpha_difference(matrix, matrix * 2, level="ordinal").note.startswith(
        "no test: too many"
    )


def test_equal_ratings_have_agreement_and_no_alpha() -> None:
    for level in LEVELS:
        found = panel([0.5, 0.5], [0.5, 0.5], level=level).results
        assert math.isnan(found["Alpha"])
        assert found["Agreement"] == 1
        assert found["Verdict"] == ""


# --- sheets, runs, clusters -----------------------------------------------------------------


def long(matrix: Floats, **columns: Any) -> pd.DataFrame:
    rows = pd.DataFrame(matrix).stack().reset_index().set_axis(["item", "judge", "score"], axis=1)
    return rows.astype({"item": str, "judge": str}).assign(**columns)


@pytest.mark.parametrize("name", ["sheet", "run"])
def test_alpha_is_the_mean_over_sheets_and_runs(name: str) -> None:
    first, second = ratings(1), ratings(2)
    rows = pd.concat([long(first, **{name: "x"}), long(second, **{name: "y"})], ignore_index=True)
    found = scored(rows, scale=("1:5",))
    each = [krippendorff_alpha(matrix).value for matrix in (first, second)]
    assert found.results["Alpha"] == pytest.approx(np.mean(each))
    if name == "sheet":
        assert found.sheets["Sheet"].tolist() == ["x", "y", "Overall"]
        assert found.sheets["Alpha"].tolist() == pytest.approx([*each, np.mean(each)])
    else:
        assert found.results["Runs"] == 2
        assert found.results["Run_SD"] == pytest.approx(np.std(each, ddof=1))
        assert found.results["Items"] == 20
        assert found.results["To_Review"] <= 20 < (found.units["Flags"] != "").sum()


def without(matrix: Floats, units: Any, sheets: Any) -> list[float]:
    """log(1 - alpha) without each unit, where alpha is the mean over sheets."""
    found = []
    for unit in np.unique(units):
        kept = units != unit
        each = [krippendorff_alpha(matrix[kept & (sheets == s)]).value for s in np.unique(sheets)]
        found.append(math.log(1 - np.nanmean(each)))
    return found


@pytest.mark.parametrize("kind", ["sheets", "clusters", "both"])
def test_the_interval_leaves_out_units_over_sheets(kind: str) -> None:
    matrix, n = ratings(3, items=24), np.arange(24)
    sheets = n % 2 if kind != "clusters" else n * 0
    units = n // 3 if kind == "clusters" else n // 2 if kind == "both" else n
    found = krippendorff_alpha(matrix, units=units, sheets=sheets)
    logs: Floats = np.array(without(matrix, units, sheets))
    error = math.sqrt((len(logs) - 1) / len(logs) * ((logs - logs.mean()) ** 2).sum())
    centre = math.log(1 - found.value)
    reach = math.log(1 - found.low) - centre
    assert centre - math.log(1 - found.high) == pytest.approx(reach)
    assert 1.9 < reach / error < 3  # Student's t with Satterthwaite's df
    assert found.units == len(logs)


# --- judges and dimensions ------------------------------------------------------------------

TRUTH = np.linspace(0.25, 0.75, 12)
NOISE = np.random.default_rng(0).normal(0, 0.03, (12, 4))


def four(change: Any) -> Any:
    """Items that three judges agree about, with what the fourth makes of the truth."""
    scores = TRUTH[:, None] + NOISE
    scores[:, 3] = change(TRUTH) + NOISE[:, 3]
    return np.clip(scores, 0, 1).tolist()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda x: x, ""),
        (lambda x: x + 0.2, "lenient"),
        (lambda x: x - 0.2, "strict"),
        (lambda x: 1 - x, "reversed"),
    ],
)
def test_a_judge_who_differs_is_named(change: Any, word: str) -> None:
    result = panel(*four(change))
    judges = by_name(result.tables["Judges"])
    assert [judge["Finding"] for judge in judges.values()] == ["", "", "", word]
    assert result.results["Outlier_Judges"] == ("d" if word else "")
    if word:
        assert result.results["Findings"] == f"d {word}"
        assert judges["d"]["Alpha_Without"] == pytest.approx(result.results["Alpha_Without"])
        assert judges["d"]["Alpha_Change"] > 0.05
    assert judges["a"]["r_b"] == pytest.approx(np.corrcoef(np.array(four(change)).T)[0, 1])


def test_what_is_odd_about_a_judge_is_noted() -> None:
    judges = panel(*[[0.2 + n / 20, 0.5, 0.5 + n / 1000] for n in range(12)]).tables["Judges"]
    assert judges["Note"].tolist() == [
        *("", "always the same"),
        "spans less than 2% of the scale: is it on another one?",
    ]


def test_each_dimension_has_its_own_alpha() -> None:
    tone, fact = ratings(4, missing=0), ratings(5, missing=0)
    rows = pd.concat([long(tone, dimension="tone"), long(fact, dimension="fact")])
    result = scored(rows.reset_index(drop=True), scale=("1:5",))
    table = result.tables["Dimensions"].set_index("Dimension")
    expected = [krippendorff_alpha(matrix).value for matrix in (tone, fact, (tone + fact) / 2)]
    assert table["Alpha"].to_dict() == pytest.approx(dict(zip(table.index, expected, strict=True)))
    assert table["Mean"]["tone"] == pytest.approx((tone.mean() - 1) / 4)
    assert table["Ratings"].tolist() == [80, 80, 80]


# --- labels ---------------------------------------------------------------------------------


def test_labels_have_a_majority_and_its_share() -> None:
    units = panel(["good", "good", "bad"], ["good", "bad"], ["1", ""], level="nominal").units
    assert units["Majority"].tolist() == ["good", "", "1"]
    assert units["Majority_Share"].tolist() == pytest.approx([2 / 3, 0.5, 1])
    assert units["Flags"].tolist() == ["", "no majority", "one judge"]
    assert units["Label_c"].tolist() == ["bad", "", ""]


def test_sheets_without_pairs_or_labels_have_no_agreement() -> None:
    rows = long(ratings(1, items=4)).assign(sheet="full")
    rows["score"] = ["good" if score > 3 else "bad" for score in rows["score"]]
    alone = rows[rows["judge"] == "1"].assign(sheet="alone")
    empty = rows.assign(sheet="empty", score="")
    found = scored(pd.concat([rows, alone, empty], ignore_index=True), level="nominal")
    sheets = by_name(found.sheets)
    for name in ("Alpha", "Agreement", "AC1"):
        assert math.isnan(sheets["alone"][name])
        assert math.isnan(sheets["empty"][name])
        assert sheets["full"][name] == sheets["Overall"][name]


def test_numbers_as_labels_are_equal_whatever_they_look_like() -> None:
    found = panel(["1", "1.0"], ["2", "2"], ["1", "2.0"], level="nominal").results
    assert found["Agreement"] == pytest.approx(2 / 3)


def test_labels_that_are_all_missing_in_a_dimension_have_no_alpha() -> None:
    rows = pd.DataFrame({"item": [*"iijj"], "judge": [*"abab"], "dimension": "x", "score": ""})
    found = scored(rows, level="nominal")
    assert found.results["Status"] == "unscored"
    assert set(found.units["Flags"]) == {"no judge"}


def test_labels_in_several_dimensions_are_refused() -> None:
    rows = pd.DataFrame({"item": "i", "judge": [*"aabb"], "dimension": [*"xyxy"], "score": "good"})
    with pytest.raises(Refusal) as refused:
        scored(rows, level="nominal")
    assert "--column sheet=dimension" in refused.value.problems[0].hint


def test_judges_with_different_scales_are_compared_on_one() -> None:
    matrix = ratings(6, judges=2, missing=0)
    same = panel(*matrix.tolist(), scale=("1:5",))
    matrix[:, 1] = (matrix[:, 1] - 1) * 25
    other = panel(*matrix.tolist(), scale=("1:5", "b=0:100"))
    assert other.results["Alpha"] == pytest.approx(same.results["Alpha"])
    assert [problem.kind for problem in other.problems] == ["scales"]


def test_an_item_column_that_tells_judges_apart_is_refused() -> None:
    rows = pd.DataFrame({"item": [*"abcd"], "judge": [*"xyxy"], "score": 0.5})
    with pytest.raises(Refusal, match="no item has scores of two judges"):
        scored(rows)


# --- against a gold judge, and panel against panel ------------------------------------------


def test_every_judge_is_compared_with_the_gold_one() -> None:
    rows = [["y", "y", "n"], ["y", "y", "y"], ["n", "n", "y"], ["y", "n", "y"], ["n", "", "y"]]
    result = panel(*rows, level="nominal", gold="a")
    table = result.tables["Against gold"].set_index("Judge")
    assert table["Agreement"].to_dict() == {"b": 0.75, "c": 0.4}
    assert table["Items"].to_dict() == {"b": 4, "c": 5}
    assert table["Constant_Agreement"].tolist() == [0.75, 0.6]
    assert table["Kappa"]["b"] == pytest.approx(cohen_kappa_score([*"yyny"], [*"yynn"]))
    confusion = result.tables["Confusion"].query("Judge == 'c'")
    assert confusion[["Gold", "Given", "Items"]].to_numpy().tolist() == [
        ["n", "y", 2],
        ["y", "n", 1],
        ["y", "y", 2],
    ]
    assert result.units["Differs_From_Gold"].tolist() == ["c", "", "c", "b", "c"]


def test_offset_and_distance_from_the_gold_judge() -> None:
    matrix = np.clip(ratings(7, items=30, judges=1, missing=0), 2, 4)
    noisy = matrix + np.random.default_rng(1).integers(-1, 2, (30, 1))
    result = panel(*np.hstack([matrix, matrix + 1, noisy]).tolist(), scale=("1:5",), gold="a")
    table = by_name(result.tables["Against gold"])
    assert [*table] == ["c", "b"]  # the closest first
    found = [table["b"][name] for name in ("Offset", "Mean_Distance", "Correlation", "Agreement")]
    assert found == pytest.approx([1, 1, 1, 0])
    expected = 1 - np.abs(noisy - matrix).mean()
    assert table["b"]["To_Closest"] == pytest.approx(expected)
    assert table["b"]["P_Holm"] < 0.05
    with pytest.raises(Refusal, match="human is not one of the judges a"):
        panel(*matrix.tolist(), scale=("1:5",), gold="human")


@pytest.mark.parametrize("level", LEVELS)
def test_panels_are_compared_over_the_items_they_share(level: Any) -> None:
    tables = {"close": ratings(8, items=30, missing=0), "far": ratings(9, items=30, missing=0)}
    units = {
        name: panel(*matrix.tolist(), scale=("1:5",), level=level).units
        for name, matrix in tables.items()
    }
    units["far"] = units["far"].iloc[5:]
    pair = dict(compare(units).pairs.iloc[0])
    a, b = (tables[pair[name]][5:] for name in ("Model", "Other_Model"))
    expected = alpha_difference(a, b, level=level)
    assert pair["Shared"] == 25
    assert pair["Difference"] == pytest.approx(expected.value)
    assert [pair["CI_Low"], pair["CI_High"]] == pytest.approx([expected.low, expected.high])
    assert pair["P_Value"] == pytest.approx(expected.p)
    assert pair["Difference"] > 0
    assert pair["Wins"] + pair["Ties"] + pair["Losses"] == 25
