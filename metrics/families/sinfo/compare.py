"""The models of a run together: on the idioms they share, and whether a sample of all rows equals the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoresheet.metrics.compare import compare_units
from scoresheet.metrics.families.sinfo.audit import audit_of_run
from scoresheet.metrics.families.sinfo.measures import COMPARED_MEASURES, IDIOMS, S_INFO
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.result import SinfoResult
from scoresheet.metrics.family import Comparison


@dataclass(frozen=True, kw_only=True)
class SinfoComparison(Comparison):
    """Every two models, and the audit of a run."""


def compare_models(results: Mapping[str, SinfoResult], options: SinfoOptions) -> SinfoComparison:
    """Return every two models over the idioms they share, and the audit over the samples of all models."""
    samples = [sample for result in results.values() for sample in result.samples]
    paired = compare_units(
        {model: result.compared for model, result in results.items()},
        [measure.name for measure in COMPARED_MEASURES],
        headline=S_INFO.name,
        better=S_INFO.better,
        units=IDIOMS,
        confidence=options.ci,
        seed=options.seed,
    )
    return SinfoComparison(paired=paired, audit=audit_of_run(samples, options))
