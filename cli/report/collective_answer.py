"""What a run of collective says, in sentences that a person can quote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scoresheet.cli.report.collective_markdown import describe_answer, format_percent, format_ratio
from scoresheet.cli.report.paired_comparison import leading_sentence
from scoresheet.metrics.compare import PairedComparison
from scoresheet.metrics.families.collective.best_member import NO, NOT_SHOWN, YES
from scoresheet.metrics.families.collective.result import CollectiveResult
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.stats.confidence import confidence_percent

_SENTENCES: Final = {
    YES: "is more than its best member",
    NO: "is less than its best member",
    NOT_SHOWN: "is not shown to be more or less than its best member",
}


def answer_in_words(paired: PairedComparison, results: Mapping[str, CollectiveResult], confidence: float) -> str:
    """Return which ensembles are more than their best member, and with several, which is right most often."""
    if len(results) == 1:
        return next(_alone(model, result, confidence) for model, result in results.items())
    parts = []
    for answer, words in (
        (YES, "shown to be more than their best member"),
        (NO, "shown to be less"),
        (NOT_SHOWN, "not settled"),
    ):
        models = [model for model, result in results.items() if result.more_than_best == answer]
        if models:
            parts.append(f"{words}: {join_names(models)}")
    if not parts:
        return ""
    return " ".join(filter(None, [f"Of {len(results)} ensembles, {'; '.join(parts)}.", leading_sentence(paired)]))


def _alone(model: str, result: CollectiveResult, confidence: float) -> str:
    head, interval = result.headline, result.intervals.ratio
    ends = (
        f", {confidence_percent(confidence)} interval {format_ratio(interval.low)} to {format_ratio(interval.high)}"
        if interval.is_known
        else ""
    )
    return (
        f"{model} {_SENTENCES[result.more_than_best]}: it is right on {format_percent(head.accuracy)} of "
        f"{head.samples:,} samples, {result.best_stream} on {format_percent(head.best_accuracy)} (ratio "
        f"{format_ratio(head.ratio)}{ends}); {describe_answer(result)}."
    )
