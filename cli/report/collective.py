"""The reports of collective: a system's answer, its streams, and what it logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from scoresheet.cli.report import collective_columns as columns
from scoresheet.cli.report.collective_markdown import markdown_report
from scoresheet.cli.report.collective_pages import further_pages, stream_cells, summary_page
from scoresheet.cli.report.collective_pictures import pictures_of
from scoresheet.cli.report.intervals import confidence
from scoresheet.cli.report.reporter import DocumentedColumns, Line, ModelPages, Numbers, Reporter, ResultColumns
from scoresheet.metrics.families.collective import measures
from scoresheet.metrics.families.collective.contribution import MOST_EXACT
from scoresheet.metrics.families.collective.options import ALERT, CollectiveOptions
from scoresheet.metrics.families.collective.result import CollectiveResult
from scoresheet.metrics.families.collective.schema import PREDICTIONS
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.tables import object_frame

METHOD: Final = (
    ("Emergence ratio", "Accuracy of the collective / accuracy of the best stream, no epsilon. 0/0 is undefined."),
    ("Headline", "The clean condition at its last epoch; a blank prediction is wrong."),
    ("Collective", "The column collective if there is one, else the streams fused by --fusion, ties by --ties."),
    (
        "Interval",
        f"{confidence()} percentile bootstrap over samples, paired, the best stream chosen anew; {RESAMPLES:,} "
        "resamples, seeded.",
    ),
    ("McNemar", "Exact binomial test of the collective against its best stream."),
    ("Contribution", "Accuracy of all streams fused, less that of all but one, fused again."),
    ("Shapley", f"Exact, over all coalitions of up to {MOST_EXACT} streams; nobody scores 0."),
    ("Pairs", "Q = (ad − bc)/(ad + bc) of hits; disagreement; double fault."),
    ("Routing entropy", "−Σ w ln w per row, in nats, never below 0; mean over rows of the last epoch."),
    ("Anchor entropy", "Entropy of the anchors' shares of the mean use, in nats."),
    ("Robustness", "Mean accuracy under the other conditions / the clean one."),
    ("Efficiency", "Percent of accuracy per million parameters."),
)


class CollectiveReporter(Reporter[CollectiveOptions, None, CollectiveResult, Comparison]):
    """Shows ensembles and their streams."""

    stem = "collective"
    title = "Ensembles and their members"
    keeps_columns = False  # a stream is a column of the table
    documented = DocumentedColumns(
        results=tuple(columns.RESULTS.values()), summary=columns.SUMMARY, sheet=columns.STREAMS
    )

    def method(self, context: None, options: CollectiveOptions) -> tuple[Line, ...]:
        """Return how the numbers were made, and how fingerprints are compared."""
        what = "the cosine with its sign" if options.signed else "|cosine|"
        return (*METHOD, ("Fingerprints", f"1 − mean over every two streams of {what}."))

    def result_columns(self, results: Sequence[CollectiveResult], options: CollectiveOptions) -> ResultColumns:
        """Return the emergence ratio with its interval, and everything beside it."""
        return ResultColumns(
            measures=tuple(columns.RESULTS.values()),
            headline=columns.RESULTS[measures.RATIO.name],
            terminal=columns.TERMINAL,
            interval=(columns.RESULTS[measures.CI_LOW.name], columns.RESULTS[measures.CI_HIGH.name]),
        )

    def model_pages(self, model: str, result: CollectiveResult, options: CollectiveOptions) -> ModelPages:
        """Return the report as pages, as Markdown and in pictures; what was read is not shown again."""
        return ModelPages(
            summary=summary_page(result),
            more=further_pages(result),
            markdown=markdown_report(model, result),
            pictures=pictures_of(result),
        )

    def numbers(self, result: CollectiveResult, options: CollectiveOptions) -> Numbers:
        """Return the measures that are numbers, by stream and by condition too."""
        found = result.contributions
        by_stream = zip(result.streams, result.headline.streams, found.contribution, found.shapley, strict=True)
        return {
            **{name: value for name, value in result.measures.items() if not isinstance(value, str)},
            "Fused_Accuracy": found.accuracy,
            "By_Stream": {
                stream: {
                    measures.ACCURACY.name: accuracy,
                    measures.CONTRIBUTION.name: contribution,
                    measures.SHAPLEY.name: shapley,
                }
                for stream, accuracy, contribution, shapley in by_stream
            },
            "By_Condition": {
                condition.name: {measures.ACCURACY.name: condition.accuracy, measures.RATIO.name: condition.ratio}
                for condition in result.conditions
            },
        }

    def unit_table(self, result: CollectiveResult, options: CollectiveOptions) -> pd.DataFrame:
        """Return a row per stream."""
        cells = {column.name: list(values) for column, values in stream_cells(result).items()}
        return object_frame({columns.SHEET.name: [PREDICTIONS] * len(result.streams), **cells})

    def failed_gates(self, results: Mapping[str, CollectiveResult], options: CollectiveOptions) -> list[str]:
        """Return the alerts, if these shall fail a run."""
        if options.fail_on != ALERT:
            return []
        return [f"{model}: {alert}" for model, result in results.items() for alert in result.alerts]


REPORTER: Final = CollectiveReporter()
