import math
from collections.abc import Callable

import pytest

from scoresheet.metrics.stats.agreement import (
    alpha_difference,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
)
from scoresheet.metrics.stats.counts import even_test, gini, gini_if_even, gini_max, repeat_share
from scoresheet.metrics.stats.ensembles import (
    dead_member,
    emergence_drop,
    expert_threshold,
    gain_over_best,
    rho,
)
from scoresheet.metrics.stats.estimate import band_of
from scoresheet.metrics.stats.judges import robust_outliers
from scoresheet.metrics.stats.means import bounded_mean, proportion, unbounded_mean
from scoresheet.metrics.stats.paired import (
    PairedDifference,
    baseline_level,
    holm,
    smallest_detectable_difference,
)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda: bounded_mean([0.5, 1.2]), "1.2"),
        (lambda: bounded_mean([0.5], bounds=(1, 0)), r"\(1, 0\)"),
        (lambda: bounded_mean([0.5], bounds=(0, math.inf)), "inf"),
        (lambda: bounded_mean([0.5], ci=95), "95"),
        (lambda: bounded_mean([0.5], aggregate="mean"), "mean"),
        (lambda: unbounded_mean([math.inf]), "inf"),
        (lambda: unbounded_mean([[1.0]]), r"\(1, 1\)"),
        (lambda: unbounded_mean([1.0, 2.0], [0]), r"\(1,\)"),
        (lambda: unbounded_mean([1.0], [-1]), "-1"),
        (lambda: unbounded_mean([1.0], [0.5]), "float64"),
        (lambda: proportion([0, 2]), "2"),
        (lambda: baseline_level(0.95, 0), "0"),
        (lambda: holm([1.5]), "1.5"),
        (lambda: holm([0.5, 0.5], comparisons=1), "1 comparisons"),
        (lambda: smallest_detectable_difference(PairedDifference(0), power=1.0), "1.0"),
        (lambda: gini([1, -2]), "-2"),
        (lambda: gini([1, math.nan]), "nan"),
        (lambda: gini([]), r"\(0,\)"),
        (lambda: gini_max(0), "0"),
        (lambda: repeat_share([2.5, 3]), "2.5"),
        (lambda: repeat_share([5, 3], ci=1), "1"),
        (lambda: even_test([5, 3], [1, 1, 1]), "2 shares"),
        (lambda: even_test([5, 3], [0, 0]), "above 0"),
        (lambda: gini_if_even(5, 0), "0"),
        (lambda: krippendorff_alpha([1, 2]), r"\(2,\)"),
        (lambda: krippendorff_alpha([[1, math.inf]]), "inf"),
        (lambda: krippendorff_alpha([[1, 2]], level="cardinal"), "cardinal"),
        (lambda: krippendorff_alpha([[1, -2]], level="ratio"), "-2"),
        (lambda: alpha_difference([[1, 2]], [[1, 2]] * 2), "1 and 2"),
        (lambda: gwet_ac1([[1, 2]], categories=1), "1"),
        (lambda: cohen_kappa([1], [1, 2]), r"\(2,\)"),
        (lambda: cohen_kappa([1], [1], weights="linear"), "linear"),
        (lambda: gain_over_best([0.5], [[1]]), "0.5"),
        (lambda: gain_over_best([math.nan], [[1]]), "nan"),
        (lambda: gain_over_best([1], [1]), r"\(1,\)"),
        (lambda: gain_over_best([1, 0], [[1]]), r"\(2,\)"),
        (lambda: rho([1], [[1]], names=["a", "b"]), "not 2"),
        (lambda: dead_member(5, 3), "5 of 3"),
        (lambda: dead_member(0, 3, members=0), "0 members"),
        (lambda: expert_threshold(0), "0"),
        (lambda: emergence_drop([1], [1, 0], rho_before=1, rho_last=1), "1 and 2"),
        (lambda: robust_outliers([[1.0]], floor=0), "0"),
        (lambda: band_of(0.3, [(0.5, "a"), (0.2, "b")]), r"\[0.5, 0.2\]"),
    ],
)
def test_wrong_input_is_refused_with_its_value(call: Callable[[], object], value: str) -> None:
    with pytest.raises(ValueError, match=value):
        call()
