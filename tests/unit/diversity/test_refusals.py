"""What the public functions of diversity are given that cannot be: refused, with the value."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from scoresheet.metrics import diversity_of_run, expected_intra_list_diversity, intra_list_diversity

RUN = {"q": ["A", "B"]}
JUDGED = [("q", "a", "A", 1.0), ("q", "b", "B", 1.0)]
SQUARE = np.array([[0.0, 1.0], [1.0, 0.0]])
WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: diversity_of_run(RUN, JUDGED, cutoffs=[]), r"\[\]"),
    (lambda: diversity_of_run(RUN, JUDGED, cutoffs=[5, 0]), r"\[5, 0\]"),
    (lambda: diversity_of_run(RUN, JUDGED, alpha=-0.1), "-0.1"),
    (lambda: diversity_of_run(RUN, [("q", "a", "A", math.nan)]), "grade of 'A' for 'q' is nan"),
    (lambda: diversity_of_run(RUN, [("q", "a", "A", math.inf)]), "grade of 'A' for 'q' is inf"),
    (lambda: diversity_of_run(RUN, [("q", "a", "A", 61.0)]), "61"),
    (lambda: diversity_of_run(RUN, JUDGED, intents={"q": {"a": -1.0, "b": 2.0}}), "intents: .* 'a' .* -1.0"),
    (lambda: diversity_of_run(RUN, JUDGED, targets={"q": {"a": math.nan}}), "targets: .* 'a' .* nan"),
    (lambda: diversity_of_run(RUN, JUDGED, targets={"q": {"a": 0.0, "b": 0.0}}), "targets: .* sum to nothing"),
    (lambda: intra_list_diversity(SQUARE, []), r"\[\]"),
    (lambda: intra_list_diversity(SQUARE, [0]), r"\[0\]"),
    (lambda: intra_list_diversity(np.array([[1.0, math.nan]]), [2]), "nan"),
    (lambda: intra_list_diversity(np.zeros((2, 2, 2)), [2]), r"\(2, 2, 2\)"),
    (lambda: expected_intra_list_diversity(SQUARE[:1], [1], [2]), r"\(1, 2\)"),
    (lambda: expected_intra_list_diversity(-SQUARE, [1, 1], [2]), "-1"),
    (lambda: expected_intra_list_diversity(SQUARE * math.nan, [1, 1], [2]), "nan"),
    (lambda: expected_intra_list_diversity(SQUARE, [1], [2]), r"2 items and relevance of shape \(1,\)"),
    (lambda: expected_intra_list_diversity(SQUARE, [1, 1.5], [2]), "1.5"),
    (lambda: expected_intra_list_diversity(SQUARE, [1, math.nan], [2]), "nan"),
    (lambda: expected_intra_list_diversity(SQUARE, [1, 1], [2], discount=0), "0"),
    (lambda: expected_intra_list_diversity(SQUARE, [1, 1], []), r"\[\]"),
]


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_what_cannot_be_is_refused_with_the_value(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_negative_grades_and_empty_lists_are_no_mistakes() -> None:
    assert diversity_of_run(RUN, [*JUDGED, ("q", "c", "C", -2.0)])["q"]["S_Recall@5"] == 1
    assert diversity_of_run({"q": []}, JUDGED)["q"]["S_Recall@5"] == 0
    assert math.isnan(intra_list_diversity(np.zeros((0, 3)), [5])[5])
