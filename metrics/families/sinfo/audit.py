"""The audit: a seeded sample of a run's rows scored again with PyPI `rouge` itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from scoresheet.metrics.core import Audit

MAX_WORDS: Final = 400  # the library is quadratic and recursive: 1,000 words end it, 5,000 take a minute


class AuditPair(NamedTuple):
    """One scored pair; the pairs of a run with the lowest draws are its sample, whatever process scored them."""

    draw: float
    place: str
    prediction: str
    reference: str
    precision: float


def compare_with_rouge(pairs: Sequence[AuditPair], *, too_long: int) -> Audit:
    """Return how many of the pairs the library scores to the same bits."""
    from importlib.metadata import version

    from rouge import Rouge

    library = Rouge(metrics=["rouge-l"])
    mismatches = []
    for pair in pairs:
        expected = library.get_scores(pair.prediction, pair.reference)[0]["rouge-l"]["p"]
        if expected != pair.precision:
            mismatches.append(f"{pair.place}: rouge gives {expected!r}, scoresheet {pair.precision!r}")
    return Audit(f"rouge {version('rouge')}", len(pairs), too_long, tuple(mismatches))
