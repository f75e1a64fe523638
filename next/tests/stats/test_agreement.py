import math
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from numpy.typing import ArrayLike
from scipy import stats

from scoresheet.metrics.stats import Floats
from scoresheet.metrics.stats.agreement import LEVELS, alpha_difference, icc, krippendorff_alpha
from scoresheet.metrics.stats.judges import correlation, judge_findings

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


def panel(seed: int, items: int, judges: int, missing: float = 0.2) -> Floats:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, (items, 1))
    ratings = np.clip(truth + rng.integers(-1, 2, (items, judges)), 1, 5).astype(float)
    ratings[rng.random(ratings.shape) < missing] = NAN
    return np.asarray(ratings)


def log_interval(value: float, without: list[float], rows: Floats) -> tuple[float, float]:
    """The interval of log(1 - value) as section 7 of the definitions writes it."""
    logs, n = np.log(1 - np.array(without)), len(without)
    s = (logs - logs.mean()) ** 2
    satterthwaite = 2 * s.sum() ** 2 / ((s**2).sum() - s.sum() ** 2 / n)
    df = min(n - 1, satterthwaite, rows.sum() ** 2 / (rows**2).sum() - 1)
    reach = stats.t.ppf(0.975, df) * math.sqrt((n - 1) / n * s.sum())
    low, high = (1 - math.exp(math.log(1 - value) + sign * reach) for sign in (1, -1))
    return max(-1, low), high


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
def test_alpha_matches_krippendorff_also_without_each_item(level: Any, seed: int) -> None:
    ratings = panel(seed, 15, 4)
    if seed == 3:
        ratings = np.round(ratings + np.random.default_rng(0).random(ratings.shape), 1)
    rated = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    value, *without = (
        float(krippendorff.alpha(matrix.T, level_of_measurement=level))
        for matrix in [rated] + [np.delete(rated, i, axis=0) for i in range(len(rated))]
    )
    offset = 1e6 if level == "interval" else 0  # keeps its digits far from 0
    estimate = krippendorff_alpha(ratings + offset, level=level)
    expected = value, *log_interval(value, without, (~np.isnan(rated)).sum(axis=1))
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(expected, abs=1e-8)


@pytest.mark.filterwarnings("ignore")  # pingouin's own
@pytest.mark.parametrize(("n", "k"), [(12, 3), (8, 2)])
def test_icc_matches_pingouin_also_without_each_item(n: int, k: int) -> None:
    ratings = np.random.default_rng(1).normal(size=(n, k)) + np.arange(n)[:, None] / 5

    def reference(matrix: Floats) -> list[float]:
        frame = pd.DataFrame(matrix).melt(ignore_index=False).reset_index()
        values = pingouin.intraclass_corr(frame, "index", "variable", "value")["ICC"]
        return [float(values[1]), float(values[4])]

    single, average = icc(ratings)
    assert [single.value, average.value] == pytest.approx(reference(ratings), rel=1e-9)
    without = [reference(np.delete(ratings, i, axis=0))[0] for i in range(n)]
    low, high = log_interval(single.value, without, np.ones(n))
    assert (single.low, single.high) == pytest.approx((low, high), rel=1e-9)
    assert average.high == pytest.approx(k * high / (1 + (k - 1) * high), rel=1e-9)
    with_gaps = np.vstack([ratings, [[NAN] + [5] * (k - 1)]])
    assert str(icc(with_gaps)) == str((single, average))


ROUNDED = np.column_stack([np.linspace(0, 1, 20) + 0.1 + 0.2, np.linspace(0, 1, 20) + 0.3])


@pytest.mark.parametrize(
    ("ratings", "value", "alpha_note", "icc_note"),
    [
        (np.full((9, 3), 0.1), NAN, "all ratings are equal", "all ratings are equal"),
        (np.ones((9, 1)), NAN, "no item has two ratings", "fewer than 3 complete"),
        ([[1, NAN], [NAN, 2]], NAN, "no item has two ratings", "fewer than 3 complete"),
        (ROUNDED, 1, "no interval: 0 items have any dis", "no interval: 0 items have any dis"),
    ],
)
def test_ratings_that_cannot_disagree_have_a_note(
    ratings: ArrayLike, value: float, alpha_note: str, icc_note: str
) -> None:
    levels = ["interval"] if value == 1 else LEVELS  # the others see differences in the last digit
    for estimate in (krippendorff_alpha(ratings, level=level) for level in levels):
        assert estimate.value == pytest.approx(value, nan_ok=True)
        assert estimate.note.startswith(alpha_note)
    for estimate in icc(ratings):
        assert estimate.value == pytest.approx(value, nan_ok=True)
        assert estimate.note.startswith(icc_note)


def test_icc_of_judges_who_oppose_each_other_has_no_lower_end() -> None:
    x, noise = np.random.default_rng(1).normal(size=(2, 20))
    single, average = icc(np.column_stack([x, noise / 9 - x]))
    assert single.low == -1
    assert math.isnan(average.low)
    assert average.note.startswith("no lower end")


@pytest.mark.parametrize("seed", range(12))
def test_the_difference_of_alphas_agrees_with_its_p_value_and_flips_its_sign(seed: int) -> None:
    a = panel(seed, 30, 3, missing=0.1)
    noise = np.random.default_rng(seed).integers(-2, 3, a.shape)
    b = np.clip(a + noise * (seed % 3 + 1), 1, 5)
    forth, back = alpha_difference(a, b), alpha_difference(b, a)
    assert forth.value == pytest.approx(krippendorff_alpha(a).value - krippendorff_alpha(b).value)
    assert (forth.p < 0.05) == (forth.low > 0 or forth.high < 0)
    assert forth.low < forth.value < forth.high
    assert (back.low, back.high, back.p) == pytest.approx((-forth.high, -forth.low, forth.p))


def test_the_difference_of_alphas_needs_six_items_with_disagreement() -> None:
    ratings, equal = panel(1, 10, 3, missing=0), np.tile(np.arange(10.0)[:, None], 3)
    few = alpha_difference(ratings[:5], ratings[:5])
    assert few.note == "no test: 5 items, at least 6 are needed"
    note = alpha_difference(equal, ratings).note
    assert note == "no test: 0 items have any disagreement, at least 6 are needed"


def scores(judges: int = 5, items: int = 40, seed: int = 1) -> Floats:
    rng = np.random.default_rng(seed)
    return rng.normal(3, 1, (items, 1)) + rng.normal(0, 0.5, (items, judges))


@pytest.mark.parametrize(
    ("judges", "changes", "words"),
    [
        (5, {}, [""] * 5),
        (3, {1: (1, 1)}, ["", "lenient", ""]),
        # reversed judges leave the panel before offsets are tested
        (6, {0: (-1, 8), 3: (-1, 6), 5: (1, 1)}, ["reversed", "", "", "reversed", "", "lenient"]),
        # of two judges either could be the outlier
        (2, {1: (-1, 9)}, ["", ""]),
    ],
)
def test_unusual_judges_are_named_and_the_others_are_not(
    judges: int, changes: dict[int, tuple[float, float]], words: list[str]
) -> None:
    ratings = scores(judges)
    for judge, (sign, shift) in changes.items():
        ratings[:, judge] = sign * ratings[:, judge] + shift
    findings = judge_findings(ratings)
    assert [finding.word for finding in findings] == words
    assert all(math.isfinite(finding.offset.low) for finding in findings)


def test_a_word_never_contradicts_the_interval() -> None:
    for seed in range(60):
        ratings, noise = scores(4, items=10, seed=seed), np.random.default_rng(seed).normal(size=10)
        ratings[:, 2] = 6 - ratings[:, 2] + noise / 2 if seed % 2 else ratings[:, 2] + 0.5
        for finding in judge_findings(ratings):
            offset, r = finding.offset, finding.correlation
            assert (finding.word == "reversed") == (r.high < 0)
            if finding.word != "reversed":
                assert bool(finding.word) == (offset.low > 0 or offset.high < 0)


def test_the_offset_is_the_mean_distance_from_the_others() -> None:
    ratings = scores(3, seed=2)
    ratings[4, 0] = ratings[5, 1] = NAN
    finding = judge_findings(ratings)[0]
    gaps = ratings[:, 0] - np.nanmean(ratings[:, 1:], axis=1)
    assert finding.offset.value == pytest.approx(np.nanmean(gaps))
    assert finding.offset.units == 39


@pytest.mark.parametrize("shape", [(0, 3), (3, 3), (10, 1), (10, 0)])
def test_a_panel_too_small_to_test_has_notes(shape: tuple[int, int]) -> None:
    findings = judge_findings(np.random.default_rng(0).random(shape))
    assert len(findings) == shape[1]
    assert all(finding.offset.note and finding.correlation.note for finding in findings)


def test_a_correlation_matches_scipy_and_is_finite_where_it_is_perfect() -> None:
    x, y = scores(2).T
    expected = stats.pearsonr(x, y)
    interval, estimate = expected.confidence_interval(0.9), correlation(x, y, ci=0.9)
    assert estimate.value == pytest.approx(expected.statistic)
    assert (estimate.low, estimate.high) == pytest.approx((interval.low, interval.high))
    perfect = correlation(x, -x)
    assert -1 <= perfect.low <= perfect.high < -0.99
    assert correlation(x, [0.1 + 0.2] * 40).note == "constant"
