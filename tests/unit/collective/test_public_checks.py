"""Do the public functions of the family refuse what they cannot mean, and name it?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scoresheet import metrics

NAN, INF = math.nan, math.inf
REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "no member": (metrics.emergence_ratio, (0.5, []), r"individual must not be empty"),
    "a percentage": (metrics.emergence_ratio, (85, [0.1]), "85"),
    "a negative accuracy": (metrics.emergence_ratio, (0.5, [-0.1]), "-0.1"),
    "no number": (metrics.emergence_ratio, (NAN, [0.1]), "nan"),
    "efficiency in percent": (metrics.efficiency, (84.68, 60), "84.68"),
    "negative parameters": (metrics.efficiency, (0.8, -1), "-1"),
    "unknown parameters": (metrics.efficiency, (0.8, NAN), "nan"),
    "no samples": (metrics.emergence_interval, ([], []), "shape"),
    "no streams": (metrics.emergence_interval, ([True], [[]]), "shape"),
    "other samples": (metrics.emergence_interval, ([True] * 6, [[True]] * 5), "6 samples"),
    "not right or wrong": (metrics.emergence_interval, ([2] * 6, [[True]] * 6), "2"),
    "undefined hits": (metrics.emergence_interval, ([True] * 6, [[NAN]] * 6), "nan"),
    "negative weights": (metrics.routing_entropy, ([[-0.5, 1.5]],), "-0.5"),
    "weights that do not sum to 1": (metrics.routing_entropy, ([[2, 2]],), "4"),
    "undefined weights": (metrics.routing_entropy, ([[NAN, 1]],), "nan"),
    "no weights": (metrics.routing_entropy, ([],), "shape"),
    "a row of weights": (metrics.routing_entropy, ([0.5, 0.5],), "shape"),
    "no fingerprints": (metrics.fingerprint_diversity, ([],), "shape"),
    "an endless fingerprint": (metrics.fingerprint_diversity, ([[INF, 0], [1, 0]],), "inf"),
    "no votes": (metrics.majority_vote, ([],), "shape"),
    "a row of votes": (metrics.majority_vote, ([1, 2],), "shape"),
    "a negative class": (metrics.majority_vote, ([[-2, 1]],), "-2"),
    "half a class": (metrics.majority_vote, ([[0.5, 1]],), "0.5"),
    "too few labels": (metrics.vote_contributions, ([[1, 1], [0, 1]], [1]), "2 samples"),
    "a negative label": (metrics.vote_contributions, ([[1, 1]], [-3]), "-3"),
    "hits of different lengths": (metrics.error_diversity, ([True], [True, False]), "1 samples"),
    "hits that are none": (metrics.error_diversity, ([3], [True]), "3"),
    "negative counts": (metrics.mcnemar_p, (-1, 3), "-1"),
    "half a sample": (metrics.mcnemar_p, (0.5, 3), "0.5"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused_and_named(name: str) -> None:
    function, given, said = REFUSED[name]
    with pytest.raises(ValueError, match=said.replace(".", r"\.")):
        function(*given)


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="95"):
        metrics.emergence_interval([True] * 6, [[True]] * 6, confidence=95)


@pytest.mark.parametrize(("one", "other"), [(0, 2_000), (0, 100_000), (5, 50_000), (0, 1_000)])
def test_mcnemar_is_never_certain(one: int, other: int) -> None:
    assert 0 < metrics.mcnemar_p(one, other) < 1e-200
    assert metrics.mcnemar_p(other, one) == metrics.mcnemar_p(one, other)


def test_codes_of_classes_keep_all_their_digits() -> None:
    large = 2**60
    winners, tied = metrics.majority_vote(np.array([[large, large + 1, large + 1]]))
    assert (winners.tolist(), tied.tolist()) == ([large + 1], [False])
