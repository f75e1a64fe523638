import math
from collections.abc import Callable

import pytest

from scoresheet.metrics.stats import agreement, counts, paired
from scoresheet.metrics.stats.means import Rows, mean_estimate


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda: mean_estimate(Rows([0.5, 1.2]), bounds=(0, 1)), "1.2"),
        (lambda: mean_estimate(Rows([0.5]), ci=95), "95"),
        (lambda: mean_estimate(Rows([math.inf])), "inf"),
        (lambda: paired.holm([1.5]), "1.5"),
        (lambda: counts.gini([1, -2]), "-2"),
        (lambda: counts.gini([]), r"\(0,\)"),
        (lambda: agreement.krippendorff_alpha([1, 2]), r"\(2,\)"),
        (lambda: agreement.krippendorff_alpha([[1, 2]], level="cardinal"), "cardinal"),
        (lambda: agreement.krippendorff_alpha([[1, -2]], level="ratio"), "-2"),
        (lambda: agreement.alpha_difference([[1, 2]], [[1, 2]] * 2), "1 and 2"),
    ],
)
def test_wrong_input_is_refused_with_its_value(call: Callable[[], object], value: str) -> None:
    with pytest.raises(ValueError, match=value):
        call()
