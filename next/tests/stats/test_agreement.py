import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from scoresheet.metrics.stats.agreement import (
    LEVELS,
    alpha_difference,
    cohen_kappa,
    gwet_ac1,
    icc,
    krippendorff_alpha,
    observed_agreement,
)

NAN = math.nan
# Krippendorff's own example: four judges, twelve items
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T


def panel(seed: int, items: int, judges: int, missing: float = 0.2) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, (items, 1))
    ratings = np.clip(truth + rng.integers(-1, 2, (items, judges)), 1, 5).astype(float)
    ratings[rng.random(ratings.shape) < missing] = NAN
    return np.asarray(ratings)


@pytest.mark.parametrize(
    ("level", "value"),
    [("nominal", 0.7434), ("ordinal", 0.8154), ("interval", 0.8491), ("ratio", 0.7974)],
)
def test_alpha_of_the_published_example(level: str, value: float) -> None:
    estimate = krippendorff_alpha(EXAMPLE, level=level)
    assert estimate.value == pytest.approx(value, abs=5e-5)
    assert estimate.units == 11
    assert estimate.note.startswith("no interval: 3 items have any disagreement")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(4))
def test_alpha_matches_the_krippendorff_package_also_without_each_item(
    level: str, seed: int
) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    ratings = panel(seed, 15, 4)
    if seed == 3:
        ratings = np.round(ratings + np.random.default_rng(0).random(ratings.shape), 1)
    estimate = krippendorff_alpha(ratings, level=level)

    def reference(matrix: NDArray[np.float64]) -> float:
        return float(krippendorff.alpha(matrix.T, level_of_measurement=level))

    assert estimate.value == pytest.approx(reference(ratings), abs=1e-9)
    rated = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    n = len(rated)
    logs = np.array([math.log(1 - reference(np.delete(rated, i, axis=0))) for i in range(n)])
    s = (logs - logs.mean()) ** 2
    rows = (~np.isnan(rated)).sum(axis=1)
    df = min(
        n - 1,
        2 * s.sum() ** 2 / ((s**2).sum() - s.sum() ** 2 / n),
        rows.sum() ** 2 / (rows**2).sum() - 1,
    )
    reach = stats.t.ppf(0.975, df) * math.sqrt((n - 1) / n * s.sum())
    centre = math.log(1 - reference(ratings))
    assert estimate.low == pytest.approx(max(-1, 1 - math.exp(centre + reach)), abs=1e-8)
    assert estimate.high == pytest.approx(1 - math.exp(centre - reach), abs=1e-8)


@given(seed=st.integers(0, 500), level=st.sampled_from(LEVELS))
@settings(max_examples=30, deadline=None)
def test_the_order_of_items_and_judges_does_not_matter(seed: int, level: str) -> None:
    ratings = panel(seed, 12, 3)
    rng = np.random.default_rng(seed)
    shuffled = ratings[rng.permutation(12)][:, rng.permutation(3)]
    first, second = (krippendorff_alpha(x, level=level) for x in (ratings, shuffled))
    assert (second.value, second.low, second.high) == pytest.approx(
        (first.value, first.low, first.high), abs=1e-9, nan_ok=True
    )
    assert observed_agreement(shuffled) == pytest.approx(observed_agreement(ratings), nan_ok=True)


def test_alpha_of_interval_scores_keeps_its_digits_far_from_zero() -> None:
    ratings = panel(1, 20, 3, missing=0)
    near, far = krippendorff_alpha(ratings), krippendorff_alpha(ratings + 1e6)
    assert (far.value, far.low) == pytest.approx((near.value, near.low), abs=1e-8)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("ratings", "note", "agreement"),
    [
        (np.ones((9, 3)), "all ratings are equal", 1.0),
        ([[1, NAN], [NAN, 2]], "no item has two ratings", NAN),
        (np.empty((0, 3)), "no item has two ratings", NAN),
    ],
)
def test_alpha_is_undefined_where_nothing_can_disagree(
    ratings: NDArray[np.float64], note: str, agreement: float, level: str
) -> None:
    estimate = krippendorff_alpha(ratings, level=level)
    assert math.isnan(estimate.value)
    assert estimate.note == note
    assert observed_agreement(ratings) == pytest.approx(agreement, nan_ok=True)


def test_scores_that_differ_by_rounding_agree() -> None:
    ratings = np.column_stack([np.linspace(0, 1, 20) + 0.1 + 0.2, np.linspace(0, 1, 20) + 0.3])
    for estimate in (krippendorff_alpha(ratings), *icc(ratings)):
        assert estimate.value == pytest.approx(1)
        assert estimate.note.startswith("no interval: 0 items have any disagreement")


def test_observed_agreement_is_what_nominal_alpha_corrects() -> None:
    ratings = panel(7, 30, 4)
    rated = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    _, counts = np.unique(rated[~np.isnan(rated)], return_counts=True)
    n = counts.sum()
    expected = 1 - (counts * (counts - 1)).sum() / (n * (n - 1))
    alpha = 1 - (1 - observed_agreement(ratings)) / expected
    assert krippendorff_alpha(ratings, level="nominal").value == pytest.approx(alpha)


def test_the_difference_of_alphas_agrees_with_its_p_value_and_flips_its_sign() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        a = panel(seed, 30, 3, missing=0.1)
        b = np.clip(a + rng.integers(-2, 3, a.shape) * (seed % 4), 1, 5)
        forth, back = alpha_difference(a, b), alpha_difference(b, a)
        if forth.note:
            assert forth.note == "identical on all 30 items" or seed % 4 == 0
            continue
        assert (forth.p < 0.05) == (forth.low > 0 or forth.high < 0)
        assert forth.low < forth.value < forth.high
        assert (back.low, back.high, back.p) == pytest.approx((-forth.high, -forth.low, forth.p))


def test_the_difference_of_alphas_needs_six_items_with_disagreement() -> None:
    few, equal = panel(1, 5, 3, missing=0), np.tile(np.arange(10.0)[:, None], 3)
    assert alpha_difference(few, few).note == "no test: 5 items, at least 6 are needed"
    note = alpha_difference(equal, panel(1, 10, 3, missing=0)).note
    assert note == "no test: 0 items have any disagreement, at least 6 are needed"


@pytest.mark.filterwarnings("ignore")  # pingouin's own
@pytest.mark.parametrize(("seed", "shape"), [(1, (12, 3)), (2, (8, 2)), (3, (40, 6))])
def test_icc_matches_pingouin_also_without_each_item(seed: int, shape: tuple[int, int]) -> None:
    pingouin = pytest.importorskip("pingouin")
    ratings = np.random.default_rng(seed).normal(size=shape) + np.arange(shape[0])[:, None] / 5

    def reference(matrix: NDArray[np.float64]) -> tuple[float, float]:
        frame = pd.DataFrame(matrix).melt(ignore_index=False).reset_index()
        values = pingouin.intraclass_corr(frame, "index", "variable", "value")["ICC"]
        return float(values[1]), float(values[4])

    single, average = icc(ratings)
    assert (single.value, average.value) == pytest.approx(reference(ratings), rel=1e-9)
    n, k = shape
    if n > 12:
        return  # pingouin is slow
    logs = np.array([math.log(1 - reference(np.delete(ratings, i, axis=0))[0]) for i in range(n)])
    s = (logs - logs.mean()) ** 2
    df = min(n - 1, 2 * s.sum() ** 2 / ((s**2).sum() - s.sum() ** 2 / n))
    reach = stats.t.ppf(0.975, df) * math.sqrt((n - 1) / n * s.sum())
    low, high = (1 - math.exp(math.log(1 - single.value) + sign * reach) for sign in (1, -1))
    assert (single.low, single.high) == pytest.approx((max(-1, low), high), rel=1e-9)
    assert average.high == pytest.approx(k * high / (1 + (k - 1) * high), rel=1e-9)


def test_icc_of_judges_who_oppose_each_other_has_no_lower_end() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=20)
    single, average = icc(np.column_stack([x, rng.normal(size=20) / 9 - x]))
    assert single.low == -1
    assert math.isnan(average.low)
    assert average.note.startswith("no lower end")


@pytest.mark.parametrize(
    "ratings", [np.ones((8, 3)), np.ones((2, 3)), np.ones((8, 1)), np.full((8, 3), NAN)]
)
def test_icc_is_undefined_with_a_note_where_nothing_varies(ratings: NDArray[np.float64]) -> None:
    for estimate in icc(ratings):
        assert math.isnan(estimate.value)
        assert estimate.note


def test_icc_uses_complete_items_only() -> None:
    ratings = panel(3, 30, 3, missing=0)
    with_gaps = np.vstack([ratings, [[1, NAN, 5]] * 4])
    assert str(icc(with_gaps)) == str(icc(ratings))


def test_ac1_of_a_skewed_panel_stays_high_where_kappa_falls() -> None:
    # with two labels chance is 2 pi (1 - pi)
    ratings = np.array([[1, 1]] * 118 + [[1, 2]] * 5 + [[2, 1]] * 2)
    pi = (118 * 2 + 7) / 250
    chance = 2 * pi * (1 - pi)
    assert gwet_ac1(ratings) == pytest.approx((118 / 125 - chance) / (1 - chance))
    assert gwet_ac1(ratings) > 0.9
    assert cohen_kappa(*ratings.T) < 0


def test_ac1_of_the_published_example_with_missing_ratings() -> None:
    # Gwet's handbook, four raters and twelve units with five categories: 0.77544
    assert gwet_ac1(EXAMPLE) == pytest.approx(0.77544, abs=5e-6)


@pytest.mark.parametrize(
    ("ratings", "categories", "value"),
    [(np.ones((5, 2)), None, NAN), (np.ones((5, 2)), 2, 1.0), ([[1, NAN]], None, NAN)],
)
def test_ac1_with_one_label(
    ratings: NDArray[np.float64], categories: int | None, value: float
) -> None:
    assert gwet_ac1(ratings, categories=categories) == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_kappa_matches_statsmodels(seed: int) -> None:
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    ratings = panel(seed, 60, 2, missing=0)
    table, _ = rater.to_table(ratings.astype(int))
    assert cohen_kappa(*ratings.T) == pytest.approx(rater.cohens_kappa(table).kappa)
    quadratic = rater.cohens_kappa(table, wt="quadratic").kappa
    assert cohen_kappa(*ratings.T, weights="quadratic") == pytest.approx(quadratic)
    with_gaps = np.vstack([ratings, [[1, NAN], [NAN, 3]]])
    assert cohen_kappa(*with_gaps.T) == pytest.approx(cohen_kappa(*ratings.T))


@pytest.mark.parametrize("weights", ["none", "quadratic"])
@pytest.mark.parametrize("pair", [([], []), ([1, NAN], [NAN, 1]), ([0.1, 0.1], [0.1, 0.1])])
def test_kappa_without_variation_is_undefined(
    pair: tuple[list[float], list[float]], weights: str
) -> None:
    assert math.isnan(cohen_kappa(*pair, weights=weights))


def test_a_wider_level_gives_a_wider_interval() -> None:
    ratings = panel(9, 40, 3)
    estimates = [krippendorff_alpha(ratings, ci=ci) for ci in (0.5, 0.9, 0.99)]
    assert all(b.low < a.low < a.high < b.high for a, b in pairwise(estimates))
