"""The models of a run together: on the idioms they share, and whether a sample of all rows equals the library."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from scoresheet.metrics.compare import ComparedBy, PairedComparison
from scoresheet.metrics.families.sinfo.audit import audit_of_run
from scoresheet.metrics.families.sinfo.measures import COMPARED_MEASURES, IDIOMS, S_INFO
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.result import SinfoResult
from scoresheet.metrics.families.sinfo.schema import IDIOM
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.records import dataclass


@dataclass(frozen=True, kw_only=True)
class SinfoComparison(Comparison):
    """Every two models, and the audit of a run."""


MATCHED_KEY: Final = "Key"  # the column of the key that a row was loosely matched to


def compared_by(options: SinfoOptions, columns: Collection[str]) -> ComparedBy:
    """Return that models are compared by idiom, or by what it was loosely matched to."""
    return ComparedBy(
        measures=tuple(measure.name for measure in COMPARED_MEASURES),
        headline=S_INFO.name,
        units=IDIOMS,
        first=S_INFO.better,
        better=S_INFO.better,
        key=(MATCHED_KEY if options.match == "loose" and MATCHED_KEY in columns else IDIOM.name,),
    )


def compare_models(
    results: Mapping[str, SinfoResult], paired: PairedComparison, options: SinfoOptions
) -> SinfoComparison:
    """Return the models over the idioms they share, and the audit over the samples of all models."""
    samples = (result.sample for result in results.values())
    return SinfoComparison(paired=paired, audit=audit_of_run(samples, options))
