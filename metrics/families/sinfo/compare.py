"""The models of a run together: whether a sample of all their rows equals the reference library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoresheet.metrics.families.sinfo.audit import audit_of_run
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.result import SinfoResult
from scoresheet.metrics.family import Comparison


@dataclass(frozen=True, kw_only=True)
class SinfoComparison(Comparison):
    """The audit of a run."""


def compare_models(results: Mapping[str, SinfoResult], options: SinfoOptions) -> SinfoComparison:
    """Return the audit over the samples of all models."""
    samples = [sample for result in results.values() for sample in result.samples]
    return SinfoComparison(audit=audit_of_run(samples, options))
