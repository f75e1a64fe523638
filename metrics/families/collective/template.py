"""The report of a system in words and figures: the same lines for the workbook's first page and for Markdown."""

from __future__ import annotations

import math
from typing import Final

from scoresheet.metrics.families.collective.diagnostics import DIFFUSE, routing_band
from scoresheet.metrics.families.collective.emergence import emergence_band
from scoresheet.metrics.families.collective.history import HIGH_ENTROPY
from scoresheet.metrics.families.collective.logs import Anchors
from scoresheet.metrics.families.collective.system import System
from scoresheet.metrics.messages import join_names

_Line = tuple[str, str, str]
_NONE: Final = "–"
_FEW: Final = 20  # alerts told one by one


def blocks(system: System) -> list[tuple[str, list[_Line]]]:
    """Return the report block by block: lines of measure, value and what it means."""
    found = [
        ("Core metrics", _core(system)),
        ("Per-stream breakdown", _streams(system)),
        ("Robustness", _robustness(system)),
        ("Diagnostics", _diagnostics(system)),
    ]
    return [(title, lines) for title, lines in found if lines]


def _core(system: System) -> list[_Line]:
    head, (low, high) = system.headline, system.interval
    best = system.streams[system.best]
    ends = f", 95 % interval {ratio(low)} to {ratio(high)}" if not math.isnan(low) else ""
    lines = [
        ("More than its best member?", *_answer(system)),
        ("Collective Accuracy", percent(head.accuracy), _made(system)),
        ("Best Individual Accuracy", percent(head.streams[system.best]), best),
        (
            "Emergence Ratio (ρ)",
            ratio(head.ratio),
            f"{emergence_band(head.ratio) or 'undefined: nobody is ever right'}{ends}",
        ),
        (
            "Largest ρ possible",
            ratio(1 / head.streams[system.best]) if head.streams[system.best] else "inf",
            "a perfect collective of these streams, 1 / best",
        ),
        ("Oracle Accuracy", percent(system.oracle), "any stream is right"),
        ("McNemar p-value", chance(system.mcnemar), f"the collective against {best}, exact"),
    ]
    if system.has_column:
        apart = 100 * (system.contributions.accuracy - head.accuracy)
        what = f"{apart:+.2f} points from the file's own collective"
        lines.append(("Fused Accuracy", percent(system.contributions.accuracy), what))
    if system.ties:
        lines.append(("Tied votes", f"{system.ties:,}", f"of {head.samples:,} samples, settled as --ties says"))
    params = system.parameters.get("params_m", math.nan)
    if not math.isnan(params):
        lines.append(("Parameters", f"{params:g}M", ""))
        lines.append(("Efficiency", f"{system.efficiency:.4g}% per M params", ""))
    return lines


def _answer(system: System) -> tuple[str, str]:
    """Return the answer to the question of this report, as far as there is one."""
    head = system.headline
    apart = f"{100 * (head.accuracy - head.streams[system.best]):+.2f} points, p {chance(system.mcnemar)}"
    if system.mcnemar >= 0.05:
        return "not shown", apart
    return ("yes" if head.ratio > 1 else "no"), apart


def _made(system: System) -> str:
    way = "the file's own column collective" if system.has_column else "the streams, fused"
    epoch = f", epoch {system.headline.epoch}" if system.headline.epoch else ""
    return f"{way}; {system.headline.samples:,} samples{epoch}"


def _streams(system: System) -> list[_Line]:
    found = system.contributions
    lines = []
    for place, name in enumerate(system.streams):
        added = found.contribution[place]
        shapley = found.shapley[place]
        what = f"contribution {signed(added)}" if not math.isnan(added) else "alone: no contribution to tell"
        what += f", Shapley {100 * shapley:.2f}%" if not math.isnan(shapley) else ""
        lines.append((name, percent(system.headline.streams[place]), what))
    return lines


def _robustness(system: System) -> list[_Line]:
    if len(system.conditions) < 2:
        return []
    clean = system.headline.accuracy
    lines = [
        (
            condition.name,
            percent(condition.accuracy),
            f"Δ from {system.headline.name} {signed(condition.accuracy - clean)}, ρ {ratio(condition.ratio)}"
            if place
            else "",
        )
        for place, condition in enumerate(system.conditions)
    ]
    shifted = [condition for condition in system.conditions[1:] if not math.isnan(condition.accuracy)]
    without = [condition.name for condition in system.conditions[1:] if math.isnan(condition.accuracy)]
    what = (
        f"mean accuracy of {join_names((each.name for each in shifted), most=8)} / {system.headline.name}"
        if shifted
        else ""
    )
    what += f"{'; ' if what else ''}no accuracy: {join_names(without, most=8)}" if without else ""
    lines.append(("Robustness", ratio(system.robustness), what))
    return lines


def _diagnostics(system: System) -> list[_Line]:
    lines = []
    if system.fingerprints:
        lines.append(("Fingerprint Diversity", figure(system.fingerprints.diversity), "above 0.8 is high"))
    if system.anchors:
        lines.append(("Anchor Utilization Entropy", figure(system.anchors.entropy), _anchors(system.anchors)))
    if system.routing:
        lines.append(("Average Routing Entropy", figure(system.routing.entropy), routing_sentence(system)))
    if system.failure:
        lost = len(system.streams) - system.failure.kept
        ends = f"{percent(system.failure.least)} to {percent(system.failure.most)}"
        what = f"mean over {system.failure.subsets:,} ways, {ends}"
        lines.append((f"{lost} of {len(system.streams)} streams gone", percent(system.failure.mean), what))
    lines += [("Loss", "warning", text) for text in system.log.warnings()]
    lines += [
        (f"Alert {alert.name}", f"epoch {alert.epoch}" if alert.epoch else "now", alert.what)
        for alert in system.alerts[:_FEW]
    ]
    more = len(system.alerts) - _FEW
    return [*lines, ("Alerts", f"{more:,} more", "see the page Alerts")] if more > 0 else lines


def _anchors(anchors: Anchors) -> str:
    if math.isnan(anchors.entropy):
        return "undefined: no anchor is used at all"
    dead = f"dead: {', '.join(anchors.dead)}" if anchors.dead else "no anchor is dead"
    most = math.log(len(anchors.names))
    return f"{percent(anchors.entropy / most)} of ln {len(anchors.names)}; {dead}" if most else dead


def routing_sentence(system: System) -> str:
    """Return how sharp the routing is, and which bands so few experts cannot reach."""
    if system.routing is None:
        return ""
    experts = len(system.routing.experts)
    most = math.log(experts)
    said = f"{routing_band(system.routing.entropy)}; {percent(system.routing.share)} of ln {experts} = {most:.3f}"
    if most <= DIFFUSE:
        said += f"; above {DIFFUSE:g}, diffuse, cannot be reached"
    return said + (f"; the alert above {HIGH_ENTROPY:g} cannot fire" if most <= HIGH_ENTROPY else "")


def markdown(model: str, system: System) -> str:
    """Return the report as Markdown."""
    lines = [f"## Results for {_plain(system.dataset or model)}", ""]
    titles = {
        "Core metrics": ("Core Metrics", ("Metric", "Value", "Note")),
        "Per-stream breakdown": ("Per-Stream Breakdown", ("Stream", "Individual Acc", "What it adds")),
        "Robustness": ("Robustness", ("Condition", "Accuracy", "Note")),
    }
    for block, rows in blocks(system):
        if block not in titles:
            lines += ["### Diagnostics", ""]
            lines += [
                f"- {_plain(name)}: {_plain(value)}" + (f" ({_plain(what)})" if what else "")
                for name, value, what in rows
            ]
            lines.append("")
            continue
        title, header = titles[block]
        lines += [f"### {title}", "", _row(header), "|---|---|---|", *(_row(row) for row in rows), ""]
    return "\n".join(lines)


def _row(cells: tuple[str, str, str]) -> str:
    return "| " + " | ".join(_plain(cell) for cell in cells) + " |"


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    escaped = "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in text)
    return " ".join(escaped.split())


def percent(value: float) -> str:
    """Return a share as people read it."""
    return _NONE if math.isnan(value) else f"{100 * value:.2f}%"


def signed(value: float) -> str:
    """Return a difference of shares with its sign."""
    return _NONE if math.isnan(value) else f"{100 * value:+.2f}%"


def ratio(value: float) -> str:
    """Return a ratio; what is infinite says so."""
    return _NONE if math.isnan(value) else "inf" if math.isinf(value) else f"{value:.3f}"


def figure(value: float) -> str:
    """Return a plain figure."""
    return _NONE if math.isnan(value) else f"{value:.3f}"


def chance(value: float) -> str:
    """Return a p-value, which is never 0."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
