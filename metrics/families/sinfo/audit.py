"""The audit: a seeded sample of a run's rows scored again with PyPI `rouge` itself."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.family import Audit
from scoresheet.metrics.installed import version

MAX_WORDS: Final = 400  # the library is quadratic and recursive: 1,000 words end it, 5,000 take a minute


class OfferedRow(NamedTuple):
    """A scored row that the audit may choose."""

    draw: float
    place: int  # in its sheet
    winner: int  # which of its references gave the score; -1 where it is the mean of several


class AuditOffer(NamedTuple):
    """The rows of a sheet that the audit may choose, and how many were too long to offer."""

    source: str  # the file that the sheet is of
    rows: tuple[OfferedRow, ...]  # those with the lowest draws, the lowest first
    too_long: int


class AuditPair(NamedTuple):
    """One scored pair; the pairs of a run with the lowest draws are its sample, whatever process scored them."""

    draw: float
    where: str
    prediction: str
    reference: str
    precision: float


class AuditSample(NamedTuple):
    """Scored pairs of a model, or of all, and how many rows were too long to be among them."""

    pairs: Sequence[AuditPair]
    too_long: int


def audit_of_run(samples: Iterable[AuditSample], options: SinfoOptions) -> Audit | None:
    """Return how the sampled rows of all sheets compare with the library; None where there is none to ask."""
    if not options.audits:
        return None
    sample = merged_sample(samples, options)
    return compare_with_rouge(sample.pairs, too_long=sample.too_long)


def merged_sample(samples: Iterable[AuditSample], options: SinfoOptions) -> AuditSample:
    """Return what several samples offer together, no more of it than the audit of a run can ask for."""
    every = list(samples)
    pairs = heapq.nsmallest(options.audit, (pair for sample in every for pair in sample.pairs))
    return AuditSample(tuple(pairs), sum(sample.too_long for sample in every))


def compare_with_rouge(pairs: Sequence[AuditPair], *, too_long: int) -> Audit:
    """Return how many of the pairs the library scores to the same bits."""
    from rouge import Rouge

    library = Rouge(metrics=["rouge-l"])
    mismatches = []
    for pair in pairs:
        expected = library.get_scores(pair.prediction, pair.reference)[0]["rouge-l"]["p"]
        if expected != pair.precision:
            mismatches.append(f"{pair.where}: rouge gives {expected!r}, scoresheet {pair.precision!r}")
    return Audit(f"rouge {version('rouge')}", len(pairs), too_long, MAX_WORDS, tuple(mismatches))
