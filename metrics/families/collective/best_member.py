"""Whether the collective is more than its best member: a test against every stream, since nobody knows the best one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.stats.confidence import significance_level
from scoresheet.metrics.stats.holm import holm
from scoresheet.metrics.stats.mcnemar import mcnemar_p

YES, NO, NOT_SHOWN = "yes", "no", "not shown"
BEATEN: Final = "beaten"  # what is shown of a single stream
BETTER: Final = "better"


class StreamTest(NamedTuple):
    """The collective against one stream, on the same samples."""

    only_collective: int  # samples that only the collective gets right
    only_stream: int
    p_value: float  # McNemar's, two-sided
    p_better: float  # that the stream is better, corrected by Holm over the streams
    finding: str


def stream_tests(
    collective: NDArray[np.bool_], streams: NDArray[np.bool_], *, confidence: float
) -> tuple[StreamTest, ...]:
    """Return the collective against each stream.

    A stream is beaten by its own test: all of them must be for the collective to be more than its best member, so that
    nothing has to be corrected. That any stream is better is one of as many hypotheses as there are streams.
    """
    wins = [int((collective & ~stream).sum()) for stream in streams.T]
    losses = [int((stream & ~collective).sum()) for stream in streams.T]
    p_values = [mcnemar_p(won, lost) for won, lost in zip(wins, losses, strict=True)]
    ahead = [lost > won for won, lost in zip(wins, losses, strict=True)]
    corrected = holm([p if better else 1.0 for p, better in zip(p_values, ahead, strict=True)])
    level = significance_level(confidence)
    return tuple(
        StreamTest(won, lost, p, better, _finding(won > lost and p < level, better < level))
        for won, lost, p, better in zip(wins, losses, p_values, corrected, strict=True)
    )


def more_than_best(tests: Sequence[StreamTest]) -> str:
    """Return yes if every stream is beaten, no if any is better, and else that neither is shown.

    >>> clear, close = StreamTest(9, 0, 0.004, 1.0, BEATEN), StreamTest(3, 2, 1.0, 1.0, NOT_SHOWN)
    >>> more_than_best([clear]), more_than_best([clear, close])
    ('yes', 'not shown')
    """
    findings = [test.finding for test in tests]
    if BETTER in findings:
        return NO
    return YES if all(finding == BEATEN for finding in findings) else NOT_SHOWN


def _finding(beaten: bool, better: bool) -> str:
    if beaten:
        return BEATEN
    return BETTER if better else NOT_SHOWN
