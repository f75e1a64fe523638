"""The report of a system in words and figures: the same lines for the workbook's first page and for Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from scoresheet.cli.write.markdown_text import escape_markdown, markdown_row
from scoresheet.metrics.families.collective.alerts import MOST_ENTROPY
from scoresheet.metrics.families.collective.best_member import BEATEN, BETTER, NOT_SHOWN
from scoresheet.metrics.families.collective.conditions import Condition
from scoresheet.metrics.families.collective.diagnostic_sheets import Anchors, Routing
from scoresheet.metrics.families.collective.diagnostics import BALANCED_UP_TO, DIFFUSE, HIGH_DIVERSITY, routing_band
from scoresheet.metrics.families.collective.names import PARAMS_M
from scoresheet.metrics.families.collective.options import TEST
from scoresheet.metrics.families.collective.patterns import Pattern
from scoresheet.metrics.families.collective.result import CollectiveResult
from scoresheet.metrics.families.collective.shifts import Shift
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.stats.confidence import confidence_percent

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
_TARGETS: Final = "Targets"
_DIAGNOSTICS: Final = "Diagnostics"
_TABLES: Final = {
    _CORE: _MarkdownTable("Core Metrics", ReportLine("Metric", "Value", "Note")),
    _STREAMS: _MarkdownTable("Per-Stream Breakdown", ReportLine("Stream", "Individual Acc", "What it adds")),
    _ROBUSTNESS: _MarkdownTable("Robustness", ReportLine("Condition", "Accuracy", "Note")),
    _TARGETS: _MarkdownTable("Targets", ReportLine("Target", "Accuracy to reach", "Reached")),
}  # what is in none is a list


def report_blocks(result: CollectiveResult, confidence: float) -> list[tuple[str, list[ReportLine]]]:
    """Return the report block by block, those that have something to say."""
    blocks = [
        (_CORE, _core_lines(result, confidence)),
        (_STREAMS, _stream_lines(result)),
        (_ROBUSTNESS, _robustness_lines(result)),
        (_TARGETS, _target_lines(result)),
        (_DIAGNOSTICS, _diagnostic_lines(result)),
    ]
    return [(title, lines) for title, lines in blocks if lines]


def _core_lines(result: CollectiveResult, confidence: float) -> list[ReportLine]:
    head, interval = result.headline, result.intervals.ratio
    level = confidence_percent(confidence)
    ends = (
        f", {level} interval {format_ratio(interval.low)} to {format_ratio(interval.high)}"
        if interval.is_known
        else f": {interval.note}"
    )
    ceiling = f"; {level} upper end {format_ratio(result.intervals.ceiling)}" if interval.is_known else ""
    lines = [
        _answer_line(result),
        ReportLine("Collective Accuracy", format_percent(head.accuracy), _source_of_collective(result)),
        ReportLine("Best Individual Accuracy", format_percent(head.best_accuracy), result.best_stream),
        ReportLine(
            "Emergence Ratio (ρ)",
            format_ratio(head.ratio),
            f"{result.band}{ends}" if result.band else "undefined: nobody is ever right",
        ),
        ReportLine(
            "Largest ρ possible",
            format_ratio(1 / head.best_accuracy) if head.best_accuracy else "inf",
            f"a perfect collective of these streams, 1 / best{ceiling}",
        ),
        ReportLine("Oracle Accuracy", format_percent(result.oracle), "any stream is right"),
        ReportLine(
            "McNemar p-value", format_chance(result.mcnemar), f"the collective against {result.best_stream}, exact"
        ),
    ]
    if not math.isnan(result.test_accuracy):
        test = result.splits[TEST]
        meaning = f"the split {TEST}; {test.samples:,} samples, ρ {format_ratio(test.ratio)} there"
        lines.append(ReportLine("Test Accuracy", format_percent(test.accuracy), meaning))
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
    return ReportLine("More than its best member?", result.more_than_best, describe_answer(result))


def describe_answer(result: CollectiveResult) -> str:
    """Return what the answer rests on: how many streams are shown to be beaten, which are better or not settled."""
    head = result.headline
    by_finding = {
        finding: [name for name, test in zip(result.streams, result.tests, strict=True) if test.finding == finding]
        for finding in (BEATEN, BETTER, NOT_SHOWN)
    }
    apart = f"{100 * (head.accuracy - head.best_accuracy):+.2f} points from {result.best_stream}"
    beaten = f"{len(by_finding[BEATEN])} of {len(result.streams)} streams shown to be beaten"
    better = f", shown to be better: {join_names(by_finding[BETTER])}" if by_finding[BETTER] else ""
    open_ = f", not settled: {join_names(by_finding[NOT_SHOWN])}" if by_finding[NOT_SHOWN] else ""
    return f"{apart}; {beaten}{better}{open_}"


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
        ReportLine(condition.name, format_percent(condition.accuracy), _shift_meaning(clean, condition, shift))
        for condition, shift in zip(others, result.shifts, strict=True)
    ]
    lines.append(_ratio_line("Robustness", result.robustness, result.shifts, clean.name))
    if result.attacked:
        ratio = result.adversarial_robustness
        lines.append(_ratio_line("Adversarial robustness", ratio, result.attacked, clean.name))
    return lines


def _shift_meaning(clean: Condition, condition: Condition, shift: Shift) -> str:
    """Return how far a condition is from the clean one on the samples of both, and which samples these are."""
    parts = [f"Δ from {clean.name} {format_delta(shift.delta)}", f"ρ {format_ratio(condition.ratio)}", shift.finding]
    if shift.shared < max(clean.samples, condition.samples):
        parts.append(
            f"on {shift.shared:,} samples in common: {format_percent(shift.accuracy)} against "
            f"{format_percent(shift.clean)}; the accuracy beside is over all its {condition.samples:,}"
        )
    return ", ".join(part for part in parts if part)


def _ratio_line(name: str, ratio: float, shifts: Sequence[Shift], clean: str) -> ReportLine:
    known = [shift.condition for shift in shifts if not math.isnan(shift.accuracy)]
    unknown = [shift.condition for shift in shifts if math.isnan(shift.accuracy)]
    meaning = f"mean accuracy of {join_names(known, most=8)} / {clean}" if known else ""
    meaning += f"{'; ' if meaning else ''}no accuracy: {join_names(unknown, most=8)}" if unknown else ""
    return ReportLine(name, format_ratio(ratio), meaning)


def _target_lines(result: CollectiveResult) -> list[ReportLine]:
    return [
        ReportLine(
            target.name.replace("_", " "),
            format_percent(target.value),
            f"{target.reached}: {format_percent(target.accuracy)}, {format_delta(target.difference)}",
        )
        for target in result.targets
    ]


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
        balance = format_percent(result.routing.load_balance)
        lines.append(ReportLine("Load balance", balance, _load_meaning(result.routing)))
    if result.half_failure:
        half, streams = result.half_failure, len(result.streams)
        ends = f"{format_percent(half.least)} to {format_percent(half.most)}"
        meaning = f"mean over {half.subsets:,} ways, {ends}"
        lines.append(ReportLine(f"{streams - half.kept} of {streams} streams gone", format_percent(half.mean), meaning))
    lines += [ReportLine("Loss", "warning", text) for text in result.training.warnings()]
    lines += [ReportLine(f"Expected: {pattern.what}", pattern.finding, _break(pattern)) for pattern in result.patterns]
    lines += [
        ReportLine(f"Alert {alert.name}", f"epoch {alert.epoch}" if alert.epoch else "now", alert.message)
        for alert in result.alert_list[:_FEW]
    ]
    more = len(result.alert_list) - _FEW
    if more > 0:
        lines.append(ReportLine("Alerts", f"{more:,} more", "see the page Alerts"))
    if result.past_alerts:
        meaning = "later epochs recovered; see the page Alerts"
        lines.append(ReportLine("Alerts that are over", f"{len(result.past_alerts):,}", meaning))
    return lines


def _break(pattern: Pattern) -> str:
    """Return how a series went, and where it broke."""
    went = f"{format_figure(pattern.first)} to {format_figure(pattern.last)} over {pattern.epochs} epochs"
    if not pattern.breaks_at:
        return f"{went}; no break"
    back = f"back at {pattern.back_at}" if pattern.back_at else "and not back since"
    return f"{went}; breaks at epoch {pattern.breaks_at}, {back}"


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


def _load_meaning(routing: Routing) -> str:
    """Return how evenly the experts are used."""
    dead = f"dead: {join_names(routing.dead, most=8)}" if routing.dead else "no expert is dead"
    of = "of ln K of the mean load" if len(routing.loads) == 1 else "of ln K of the mean load, mean over layers"
    return f"{of}; coefficient of variation {format_figure(routing.load_variation)}; {dead}"


def markdown_report(model: str, result: CollectiveResult, confidence: float) -> str:
    """Return the report as Markdown."""
    lines = [f"## Results for {escape_markdown(result.dataset or model)}", ""]
    for title, block in report_blocks(result, confidence):
        table = _TABLES.get(title)
        if table is None:
            lines += [f"### {title}", "", *map(_list_item, block), ""]
        else:
            rows = map(markdown_row, (table.header, *block))
            lines += [f"### {table.title}", "", next(rows), "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _list_item(line: ReportLine) -> str:
    measure, value, meaning = map(escape_markdown, line)
    return f"- {measure}: {value}" + (f" ({meaning})" if line.meaning else "")


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
