"""Permutations: every total is kept, and cells are dealt independently of each other."""

from __future__ import annotations

import numpy as np
import pytest

from scoresheet.metrics.families.mode_collapse.permutation_test import permuted_counts


@pytest.mark.parametrize(("ours", "theirs"), [([5, 3, 0], [1, 1, 6]), ([900, 700, 3], [400, 500, 8])])
def test_dealing_anew_keeps_every_total(ours: list[int], theirs: list[int]) -> None:
    dealt, rest = permuted_counts(ours, theirs)
    assert (dealt.sum(axis=1) == sum(ours)).all()
    assert ((dealt + rest) == np.add(ours, theirs)).all()
    assert (dealt >= 0).all()
    assert (rest >= 0).all()
    expected = np.add(ours, theirs) * sum(ours) / (sum(ours) + sum(theirs))
    assert dealt.mean(axis=0) == pytest.approx(expected, rel=0.05, abs=0.2)


def test_cells_with_their_own_stream_are_dealt_independently() -> None:
    first, _ = permuted_counts([5, 5], [5, 5], stream=0)
    second, _ = permuted_counts([5, 5], [5, 5], stream=1)
    assert abs(np.corrcoef(first[:, 0], second[:, 0])[0, 1]) < 0.05
