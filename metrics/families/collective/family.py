"""The collective family: whether an ensemble is more than its best member, who contributes, and how it holds."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from scoresheet.metrics.core import Column, Detail, Family, Given, Joined, Report, Table
from scoresheet.metrics.families.collective.checks import check_numbers
from scoresheet.metrics.families.collective.columns import RATIO, RESULTS, STREAMS, SUMMARY
from scoresheet.metrics.families.collective.emergence import emergence_band
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.pages import pages_of, pictures_of, summary_page, units_of
from scoresheet.metrics.families.collective.predictions import read_predictions
from scoresheet.metrics.families.collective.readings import read_numbers
from scoresheet.metrics.families.collective.sheets import (
    GUESSED,
    INPUTS,
    PREDICTIONS,
    PROBABILITIES,
    named_role,
    role_of,
)
from scoresheet.metrics.families.collective.system import System, system_of
from scoresheet.metrics.families.collective.template import markdown
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.tables import object_frame


class Collective(Family[CollectiveOptions]):
    """Ensembles and their streams."""

    name = "collective"
    stem = "collective"
    title = "Ensembles and their members"
    method = (
        ("Emergence ratio", "Accuracy of the collective / accuracy of the best stream, no epsilon. 0/0 is undefined."),
        ("Headline", "The clean condition at its last epoch; a blank prediction is wrong."),
        ("Collective", "The column collective if there is one, else the streams fused by --fusion, ties by --ties."),
        (
            "Interval",
            "95 % percentile bootstrap over samples, paired, the best stream chosen anew; 2,000 resamples, seeded.",
        ),
        ("McNemar", "Exact binomial test of the collective against its best stream."),
        ("Contribution", "Accuracy of all streams fused, less that of all but one, fused again."),
        ("Shapley", "Exact, over all coalitions of up to 10 streams; nobody scores 0."),
        ("Pairs", "Q = (ad − bc)/(ad + bc) of hits; disagreement; double fault."),
        ("Routing entropy", "−Σ w ln w per row, in nats, never below 0; mean over rows of the last epoch."),
        ("Anchor entropy", "Entropy of the anchors' shares of the mean use, in nats."),
        ("Robustness", "Mean accuracy under the other conditions / the clean one."),
        ("Efficiency", "Percent of accuracy per million parameters."),
    )
    options = CollectiveOptions
    inputs = INPUTS
    keeps_others = True
    summary = SUMMARY
    detail = STREAMS
    units = tuple(column.name for column in STREAMS[:4])
    unit_is_row = False
    page_per_sheet = False
    headline = RATIO
    results = RESULTS

    def table_of(self, sheet: str) -> Table:
        """Return that only predictions have columns of ours; elsewhere a class or an anchor may be called like one."""
        return Table(INPUTS if named_role(sheet) in (PREDICTIONS, "") else (), keeps_others=True)

    def check(self, joined: Joined, options: CollectiveOptions, *, referenced: bool) -> Any:
        """Return the role of a sheet and what it holds; refuse one that nobody can make sense of."""
        role = role_of(joined)
        if role in (PREDICTIONS, GUESSED):
            return role, read_predictions(joined, options)
        numbers = read_numbers(joined, role, logits=options.logits and role == PROBABILITIES)
        check_numbers(numbers, normalise=options.normalise)
        return role, numbers

    def unused_columns(self, joined: Joined) -> Collection[str]:
        """Return the columns that are no streams, or hold nothing of what their sheet is about."""
        _, reading = joined.reading
        left_out: Collection[str] = reading.left_out
        return left_out

    def prepare(self, given: Given, options: CollectiveOptions) -> tuple[Any, list[Problem]]:
        """Return nothing: a system is told by its own files."""
        return None, []

    def facts(self, prepared: Any, options: CollectiveOptions) -> tuple[tuple[str, str], ...]:
        """Return how fingerprints are compared."""
        what = "the cosine with its sign" if options.signed else "|cosine|"
        return (("Fingerprints", f"1 − mean over every two streams of {what}."),)

    def score(self, joined: Joined, prepared: Any, options: CollectiveOptions) -> Detail:
        """Return what was read; the sheets of a system are looked at together."""
        _, reading = joined.reading
        return Detail(joined.sheet, object_frame({}), tuple(reading.problems), extra=joined.reading)

    def summarise(self, model: str, details: Sequence[Detail], options: CollectiveOptions) -> Report:
        """Return what the sheets of a system come to."""
        sheets: dict[str, Any] = {}
        doubled = []
        # one that is called predictions goes before one that only looks like them
        for detail in sorted(details, key=lambda detail: detail.extra[0] == GUESSED):
            role, reading = detail.extra
            role = PREDICTIONS if role == GUESSED else role
            if role in sheets:
                message = f"there are two sheets of {role}; {detail.sheet.name!r} was not used"
                doubled.append(
                    Problem(kind="unknown-sheet", message=message, effect="sheet skipped", sheet=detail.sheet.name)
                )
            else:
                sheets[role] = reading
        return _report(model, system_of(sheets, options), doubled)

    def brief(self, reports: Sequence[Report], options: CollectiveOptions) -> tuple[Column, ...]:
        """Return what fits a terminal."""
        shown = ("Collective_Accuracy", "Emergence_Ratio", "CI_Low", "CI_High", "Band", "McNemar_P", "Alerts")
        return tuple(column for column in RESULTS if column.name in shown)

    def gate(self, reports: Sequence[Report], options: CollectiveOptions) -> list[str]:
        """Return the alerts, if these shall fail a run."""
        if options.fail_on != "alert":
            return []
        return [f"{report.model}: {alert}" for report in reports for alert in report.alerts]


def _report(model: str, system: System, doubled: Sequence[Problem]) -> Report:
    head = system.headline
    routing, anchors, prints = system.routing, system.anchors, system.fingerprints
    measures: dict[str, float | str] = {
        "Collective_Accuracy": head.accuracy,
        "Best_Stream": system.streams[system.best],
        "Best_Accuracy": head.streams[system.best],
        "Emergence_Ratio": head.ratio,
        "CI_Low": system.interval[0],
        "CI_High": system.interval[1],
        "Band": emergence_band(head.ratio),
        "Oracle_Accuracy": system.oracle,
        "McNemar_P": system.mcnemar,
        "Ties": system.ties,
        "Params_M": system.parameters.get("params_m", math.nan),
        "Efficiency": system.efficiency,
        "Routing_Entropy": routing.entropy if routing else math.nan,
        "Routing_Entropy_Share": routing.share if routing else math.nan,
        "Anchor_Entropy": anchors.entropy if anchors else math.nan,
        "Fingerprint_Diversity": prints.diversity if prints else math.nan,
        "Robustness": system.robustness,
        "Alerts": len(system.alerts),
        "Samples": head.samples,
        "Streams": len(system.streams),
    }
    found = system.contributions
    return Report(
        model=model,
        status="ok",
        measures=measures,
        rows=system.rows,
        scored=system.labelled,
        computed=system.labelled,
        summary=summary_page(system),
        pages=pages_of(system),
        numbers={
            **{name: value for name, value in measures.items() if not isinstance(value, str)},
            "Fused_Accuracy": found.accuracy,
            "By_Stream": {
                name: {
                    "Accuracy": head.streams[place],
                    "Contribution": found.contribution[place],
                    "Shapley": found.shapley[place],
                }
                for place, name in enumerate(system.streams)
            },
            "By_Condition": {
                condition.name: {"Accuracy": condition.accuracy, "Emergence_Ratio": condition.ratio}
                for condition in system.conditions
            },
        },
        units=units_of(system),
        problems=(*doubled, *system.problems),
        text=markdown(model, system),
        pictures=pictures_of(system),
        alerts=tuple(
            f"{alert.name}{f' at epoch {alert.epoch}' if alert.epoch else ''}: {alert.what}" for alert in system.alerts
        ),
    )
