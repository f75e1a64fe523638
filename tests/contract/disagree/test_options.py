"""Which options of `disagree` contradict each other or can have no effect?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.disagree import judged
from tests.helpers.runs import Run


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--level", "nominal", "--scale", "1:5"), "--scale"),
        (("--level", "nominal", "--mad-floor", "0.1"), "--mad-floor"),
        (("--level", "nominal", "--consensus-threshold", "0.6"), "--consensus-threshold"),
        (("--consensus-threshold", "1.2"), "the most is 1"),
        (("--high-threshold", "7"), "the most is 1"),
        (("--mad-floor", "2"), "the most is 1"),
        (("--consensus-threshold", "0.5", "--high-threshold", "0.6"), "above the consensus-threshold"),
        (("--scale", "1:5", "--recommend", "2:4"), "scale 0..1"),
    ],
)
def test_options_that_would_do_nothing_or_nonsense_are_slips(
    run: Run, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    ended = judged(run, tmp_path, "item,a,b|q1,.1,.2|q2,.8,.9", *options)
    assert (ended.code, said in ended.err) == (2, True)
    assert not (tmp_path / "out").exists()
