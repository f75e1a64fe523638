"""The report of a system in words and figures: the same lines for the workbook's first page and for Markdown."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from scoresheet.metrics.families.collective.alerts import MOST_ENTROPY
from scoresheet.metrics.families.collective.diagnostic_sheets import Anchors, Routing
from scoresheet.metrics.families.collective.diagnostics import BALANCED_UP_TO, DIFFUSE, HIGH_DIVERSITY, routing_band
from scoresheet.metrics.families.collective.emergence import emergence_band
from scoresheet.metrics.families.collective.names import PARAMS_M
from scoresheet.metrics.families.collective.result import CollectiveResult
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, SIGNIFICANCE_LEVEL, confidence_percent

_NONE: Final = "–"
_FEW: Final = 20  # alerts shown one by one


class ReportLine(NamedTuple):
    """One line of the report."""

    measure: str
    value: str
    meaning: str


class _MarkdownTable(NamedTuple):
    """How a block is headed in Markdown."""

    title: str
    header: ReportLine


_CORE: Final = "Core metrics"
_STREAMS: Final = "Per-stream breakdown"
_ROBUSTNESS: Final = "Robustness"
_DIAGNOSTICS: Final = "Diagnostics"
_TABLES: Final = {
    _CORE: _MarkdownTable("Core Metrics", ReportLine("Metric", "Value", "Note")),
    _STREAMS: _MarkdownTable("Per-Stream Breakdown", ReportLine("Stream", "Individual Acc", "What it adds")),
    _ROBUSTNESS: _MarkdownTable("Robustness", ReportLine("Condition", "Accuracy", "Note")),
}  # what is in none is a list


def report_blocks(result: CollectiveResult) -> list[tuple[str, list[ReportLine]]]:
    """Return the report block by block, those that have something to say."""
    blocks = [
        (_CORE, _core_lines(result)),
        (_STREAMS, _stream_lines(result)),
        (_ROBUSTNESS, _robustness_lines(result)),
        (_DIAGNOSTICS, _diagnostic_lines(result)),
    ]
    return [(title, lines) for title, lines in blocks if lines]


def _core_lines(result: CollectiveResult) -> list[ReportLine]:
    head, (low, high) = result.headline, result.interval
    ends = (
        f", {confidence_percent(CONFIDENCE_LEVEL)} interval {format_ratio(low)} to {format_ratio(high)}"
        if not math.isnan(low)
        else ""
    )
    lines = [
        _answer_line(result),
        ReportLine("Collective Accuracy", format_percent(head.accuracy), _source_of_collective(result)),
        ReportLine("Best Individual Accuracy", format_percent(head.best_accuracy), result.best_stream),
        ReportLine(
            "Emergence Ratio (ρ)",
            format_ratio(head.ratio),
            f"{emergence_band(head.ratio) or 'undefined: nobody is ever right'}{ends}",
        ),
        ReportLine(
            "Largest ρ possible",
            format_ratio(1 / head.best_accuracy) if head.best_accuracy else "inf",
            "a perfect collective of these streams, 1 / best",
        ),
        ReportLine("Oracle Accuracy", format_percent(result.oracle), "any stream is right"),
        ReportLine(
            "McNemar p-value", format_chance(result.mcnemar), f"the collective against {result.best_stream}, exact"
        ),
    ]
    if result.has_column:
        apart = 100 * (result.contributions.accuracy - head.accuracy)
        meaning = f"{apart:+.2f} points from the file's own collective"
        lines.append(ReportLine("Fused Accuracy", format_percent(result.contributions.accuracy), meaning))
    if result.ties:
        meaning = f"of {head.samples:,} samples, settled as --ties says"
        lines.append(ReportLine("Tied votes", f"{result.ties:,}", meaning))
    params = result.parameters.get(PARAMS_M, math.nan)
    if not math.isnan(params):
        lines.append(ReportLine("Parameters", f"{params:g}M", ""))
        lines.append(ReportLine("Efficiency", f"{result.efficiency:.4g}% per M params", ""))
    return lines


def _answer_line(result: CollectiveResult) -> ReportLine:
    """Return the answer to the question of this report, as far as there is one."""
    head = result.headline
    answer = "yes" if head.ratio > 1 else "no"
    apart = f"{100 * (head.accuracy - head.best_accuracy):+.2f} points, p {format_chance(result.mcnemar)}"
    shown = result.mcnemar < SIGNIFICANCE_LEVEL
    return ReportLine("More than its best member?", answer if shown else "not shown", apart)


def _source_of_collective(result: CollectiveResult) -> str:
    way = "the file's own column collective" if result.has_column else "the streams, fused"
    epoch = f", epoch {result.headline.epoch}" if result.headline.epoch else ""
    return f"{way}; {result.headline.samples:,} samples{epoch}"


def _stream_lines(result: CollectiveResult) -> list[ReportLine]:
    found = result.contributions
    lines = []
    for name, accuracy, added, shapley in zip(
        result.streams, result.headline.streams, found.contribution, found.shapley, strict=True
    ):
        meaning = f"contribution {format_delta(added)}" if not math.isnan(added) else "alone: no contribution to tell"
        meaning += f", Shapley {100 * shapley:.2f}%" if not math.isnan(shapley) else ""
        lines.append(ReportLine(name, format_percent(accuracy), meaning))
    return lines


def _robustness_lines(result: CollectiveResult) -> list[ReportLine]:
    clean, *others = result.conditions
    if not others:
        return []
    lines = [ReportLine(clean.name, format_percent(clean.accuracy), "")]
    lines += [
        ReportLine(
            condition.name,
            format_percent(condition.accuracy),
            f"Δ from {clean.name} {format_delta(condition.accuracy - clean.accuracy)}, "
            f"ρ {format_ratio(condition.ratio)}",
        )
        for condition in others
    ]
    shifted = [condition.name for condition in others if not math.isnan(condition.accuracy)]
    without = [condition.name for condition in others if math.isnan(condition.accuracy)]
    meaning = f"mean accuracy of {join_names(shifted, most=8)} / {clean.name}" if shifted else ""
    meaning += f"{'; ' if meaning else ''}no accuracy: {join_names(without, most=8)}" if without else ""
    return [*lines, ReportLine("Robustness", format_ratio(result.robustness), meaning)]


def _diagnostic_lines(result: CollectiveResult) -> list[ReportLine]:
    lines = []
    if result.fingerprints:
        diversity = format_figure(result.fingerprints.diversity)
        lines.append(ReportLine("Fingerprint Diversity", diversity, f"above {HIGH_DIVERSITY:g} is high"))
    if result.anchors:
        entropy = format_figure(result.anchors.entropy)
        lines.append(ReportLine("Anchor Utilization Entropy", entropy, _anchors_meaning(result.anchors)))
    if result.routing:
        entropy = format_figure(result.routing.entropy)
        lines.append(ReportLine("Average Routing Entropy", entropy, _routing_meaning(result.routing)))
    if result.half_failure:
        half, streams = result.half_failure, len(result.streams)
        ends = f"{format_percent(half.least)} to {format_percent(half.most)}"
        meaning = f"mean over {half.subsets:,} ways, {ends}"
        lines.append(ReportLine(f"{streams - half.kept} of {streams} streams gone", format_percent(half.mean), meaning))
    lines += [ReportLine("Loss", "warning", text) for text in result.training.warnings()]
    lines += [
        ReportLine(f"Alert {alert.name}", f"epoch {alert.epoch}" if alert.epoch else "now", alert.message)
        for alert in result.alert_list[:_FEW]
    ]
    more = len(result.alert_list) - _FEW
    return [*lines, ReportLine("Alerts", f"{more:,} more", "see the page Alerts")] if more > 0 else lines


def _anchors_meaning(anchors: Anchors) -> str:
    if math.isnan(anchors.entropy):
        return "undefined: no anchor is used at all"
    dead = f"dead: {', '.join(anchors.dead)}" if anchors.dead else "no anchor is dead"
    most = math.log(len(anchors.names))
    return f"{format_percent(anchors.entropy / most)} of ln {len(anchors.names)}; {dead}" if most else dead


def _routing_meaning(routing: Routing) -> str:
    """Return how sharp the routing is, and which bands so few experts cannot reach."""
    experts = len(routing.experts)
    most = math.log(experts)
    meaning = f"{routing_band(routing.entropy)}; {format_percent(routing.share)} of ln {experts} = {most:.3f}"
    if most <= BALANCED_UP_TO:
        meaning += f"; above {BALANCED_UP_TO:g}, {DIFFUSE}, cannot be reached"
    return meaning + (f"; the alert above {MOST_ENTROPY:g} cannot fire" if most <= MOST_ENTROPY else "")


def markdown_report(model: str, result: CollectiveResult) -> str:
    """Return the report as Markdown."""
    lines = [f"## Results for {_escaped(result.dataset or model)}", ""]
    for title, block in report_blocks(result):
        table = _TABLES.get(title)
        if table is None:
            lines += [f"### {title}", "", *map(_list_item, block), ""]
        else:
            rows = map(_table_row, (table.header, *block))
            lines += [f"### {table.title}", "", next(rows), "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _list_item(line: ReportLine) -> str:
    measure, value, meaning = map(_escaped, line)
    return f"- {measure}: {value}" + (f" ({meaning})" if line.meaning else "")


def _table_row(line: ReportLine) -> str:
    return "| " + " | ".join(map(_escaped, line)) + " |"


def _escaped(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    escaped = "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in text)
    return " ".join(escaped.split())


def format_percent(value: float) -> str:
    """Return a share as people read it."""
    return _NONE if math.isnan(value) else f"{100 * value:.2f}%"


def format_delta(value: float) -> str:
    """Return a difference of shares with its sign."""
    return _NONE if math.isnan(value) else f"{100 * value:+.2f}%"


def format_ratio(value: float) -> str:
    """Return a ratio; what is infinite says so."""
    return _NONE if math.isnan(value) else "inf" if math.isinf(value) else f"{value:.3f}"


def format_figure(value: float) -> str:
    """Return a plain figure."""
    return _NONE if math.isnan(value) else f"{value:.3f}"


def format_chance(value: float) -> str:
    """Return a p-value, which is never 0."""
    return _NONE if math.isnan(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"
