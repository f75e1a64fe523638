"""Is the collective more than its best member, and is that shown against all of them?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest  # type: ignore[import-untyped]
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from scoresheet.metrics.families.collective.best_member import BEATEN, BETTER, NOT_SHOWN, more_than_best, stream_tests


def drawn(seed: int, collective: float, *streams: float, samples: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.random(samples) < collective, rng.random((samples, len(streams))) < np.array(streams)


@pytest.mark.parametrize("seed", range(5))
def test_each_stream_has_the_exact_test_and_holms_correction_for_being_better(seed: int) -> None:
    collective, streams = drawn(seed, 0.6, 0.55, 0.7, 0.75, 0.4)
    tests = stream_tests(collective, streams, confidence=0.95)
    one_sided = []
    for test, stream in zip(tests, streams.T, strict=True):
        won, lost = int((collective & ~stream).sum()), int((stream & ~collective).sum())
        assert (test.only_collective, test.only_stream) == (won, lost)
        assert test.p_value == pytest.approx(binomtest(won, won + lost).pvalue)
        one_sided.append(test.p_value if lost > won else 1.0)
    assert [test.p_better for test in tests] == pytest.approx(multipletests(one_sided, method="holm")[1])
    assert [test.finding == BETTER for test in tests] == [test.p_better < 0.05 for test in tests]


def test_it_is_yes_only_if_every_stream_is_beaten() -> None:
    assert more_than_best(stream_tests(*drawn(1, 0.9, 0.5, 0.5, 0.4), confidence=0.95)) == "yes"
    tests = stream_tests(*drawn(1, 0.9, 0.5, 0.9, 0.4), confidence=0.95)
    assert [test.finding for test in tests] == [BEATEN, NOT_SHOWN, BEATEN]
    assert more_than_best(tests) == "not shown"


def test_it_is_no_if_any_stream_is_better_however_many_are_beaten() -> None:
    tests = stream_tests(*drawn(2, 0.6, 0.2, 0.9, 0.3), confidence=0.95)
    assert [test.finding for test in tests] == [BEATEN, BETTER, BEATEN]
    assert more_than_best(tests) == "no"


def test_the_luckiest_of_many_equal_streams_is_not_called_better() -> None:
    collective, streams = drawn(28, 0.6, *[0.6] * 20, samples=60)
    best = int(streams.mean(axis=0).argmax())
    tests = stream_tests(collective, streams, confidence=0.95)
    assert tests[best].p_value < 0.05  # which would be something, had it not been chosen for it
    assert more_than_best(tests) == "not shown"


def test_the_level_is_that_of_the_run() -> None:
    collective, streams = drawn(3, 0.66, 0.55, samples=100)
    (test,) = stream_tests(collective, streams, confidence=0.95)
    assert test.finding == NOT_SHOWN
    (bold,) = stream_tests(collective, streams, confidence=0.5)
    assert bold.finding == BEATEN
