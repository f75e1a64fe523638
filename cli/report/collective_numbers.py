"""Nested numbers of one system for machines: what its pages on conditions and experts show."""

from __future__ import annotations

from scoresheet.cli.report import collective_columns as columns
from scoresheet.cli.report.reporter import Numbers
from scoresheet.metrics.families.collective import measures
from scoresheet.metrics.families.collective.result import CollectiveResult


def by_condition(result: CollectiveResult) -> dict[str, Numbers]:
    """Return each condition, and what it differs in from the clean one on the samples they share."""
    shifts = {shift.condition: shift for shift in result.shifts}
    found: dict[str, Numbers] = {}
    for condition in result.conditions:
        own: dict[str, float | int | None] = {
            measures.ACCURACY.name: condition.accuracy,
            measures.RATIO.name: condition.ratio,
        }
        if shift := shifts.get(condition.name):
            own |= {
                columns.SHARED.name: shift.shared,
                columns.ON_SHARED.name: shift.accuracy,
                columns.CLEAN_ON_SHARED.name: shift.clean,
                columns.CONDITION_DELTA.name: shift.delta,
                columns.CONDITION_P.name: shift.p_holm,
            }
        found[condition.name] = own
    return found


def load_by_expert(result: CollectiveResult) -> dict[str, Numbers]:
    """Return the load of each expert, by layer; one without a name is called all."""
    if result.routing is None:
        return {}
    experts = result.routing.experts
    return {load.layer or "all": dict(zip(experts, load.shares, strict=True)) for load in result.routing.loads}
