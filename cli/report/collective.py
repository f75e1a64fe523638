"""The reports of collective: a system's answer, its streams, and what it logs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from scoresheet.cli.report import collective_columns as columns
from scoresheet.cli.report.collective_answer import answer_in_words
from scoresheet.cli.report.collective_markdown import markdown_report
from scoresheet.cli.report.collective_numbers import by_condition, load_by_expert
from scoresheet.cli.report.collective_pages import RATIO_EDGES, further_pages, stream_cells, summary_page
from scoresheet.cli.report.collective_panels import BY_CONDITION, BY_STREAM, LOAD, system_panels
from scoresheet.cli.report.collective_pictures import pictures_of
from scoresheet.cli.report.intervals import describe_bootstrap
from scoresheet.cli.report.pictures import Panel
from scoresheet.cli.report.reporter import (
    DocumentedColumns,
    Line,
    ModelPages,
    Numbers,
    ReadNumbers,
    Reporter,
    ResultColumns,
)
from scoresheet.metrics.families.collective import measures
from scoresheet.metrics.families.collective.compare import SAMPLES_TABLE
from scoresheet.metrics.families.collective.contribution import MOST_EXACT
from scoresheet.metrics.families.collective.emergence import SAMPLES
from scoresheet.metrics.families.collective.options import ALERT, CollectiveOptions
from scoresheet.metrics.families.collective.result import CollectiveResult
from scoresheet.metrics.families.collective.schema import PREDICTIONS
from scoresheet.metrics.family import Comparison
from scoresheet.metrics.tables import HeldTable

if TYPE_CHECKING:
    import pandas as pd

METHOD: Final = (
    ("Emergence ratio", "Accuracy of the collective / accuracy of the best stream, no epsilon. 0/0 is undefined."),
    ("Headline", "The clean condition at its last epoch; a blank prediction is wrong."),
    ("Collective", "The column collective if there is one, else the streams fused by --fusion, ties by --ties."),
    ("McNemar", "Exact binomial test of the collective against each stream; McNemar_P is that against the best."),
    (
        "More than its best member",
        "yes: every stream is shown to be beaten, each by its own test. no: any stream is shown to be better, after "
        "Holm's correction over the streams. Else not shown.",
    ),
    ("Contribution", "Accuracy of all streams fused, less that of all but one, fused again."),
    ("Shapley", f"Exact, over all coalitions of up to {MOST_EXACT} streams; nobody scores 0."),
    ("Pairs", "Q = (ad − bc)/(ad + bc) of hits; disagreement; double fault."),
    ("Routing entropy", "−Σ w ln w per row, in nats, never below 0; mean over rows of the last epoch."),
    ("Anchor entropy", "Entropy of the anchors' shares of the mean use, in nats."),
    ("Load", "Mean weight of each expert at the last epoch; balance is the share of ln K of its entropy."),
    (
        "Robustness",
        "Mean accuracy under the other conditions / the clean one, on the samples that each shares with it.",
    ),
    ("Alerts", "What is so at the last epoch; what later epochs have made good is history, on the page Alerts."),
    ("Patterns", "Kendall's test of the values with their order."),
    ("Targets", "Exact binomial interval of the accuracy, on the split test where there is one."),
    ("Efficiency", "Percent of accuracy per million parameters."),
)


class CollectiveReporter(Reporter[CollectiveOptions, None, CollectiveResult, Comparison]):
    """Shows ensembles and their streams."""

    stem = "collective"
    title = "Ensembles and their members"
    keeps_columns = False  # a stream is a column of the table
    tables = (SAMPLES_TABLE,)
    documented = DocumentedColumns(
        results=tuple(columns.RESULTS.values()), summary=columns.SUMMARY, sheet=columns.STREAMS
    )

    def method(self, context: None, options: CollectiveOptions) -> tuple[Line, ...]:
        """Return how the numbers were made, and how fingerprints are compared."""
        what = "the cosine with its sign" if options.signed else "|cosine|"
        return (
            *METHOD,
            ("Interval", _describe_interval(options.ci)),
            ("Fingerprints", f"1 − mean over every two streams of {what}."),
        )

    def result_columns(self, results: Collection[CollectiveResult], options: CollectiveOptions) -> ResultColumns:
        """Return the emergence ratio with its interval, and everything beside it."""
        return ResultColumns(
            measures=tuple(columns.RESULTS.values()),
            headline=columns.RESULTS[measures.RATIO.name],
            terminal=columns.TERMINAL,
            interval=(columns.RESULTS[measures.CI_LOW.name], columns.RESULTS[measures.CI_HIGH.name]),
            edges=RATIO_EDGES,
        )

    def model_pages(self, model: str, result: CollectiveResult, options: CollectiveOptions) -> ModelPages:
        """Return the report as pages, as Markdown and in pictures; what was read is not shown again."""
        return ModelPages(
            summary=summary_page(result, options.ci),
            more=further_pages(result),
            markdown=markdown_report(model, result, options.ci),
            pictures=pictures_of(result),
        )

    def numbers(self, result: CollectiveResult, options: CollectiveOptions) -> Numbers:
        """Return the measures that are numbers, by stream and by condition too."""
        found = result.contributions
        by_stream = zip(
            result.streams, result.headline.streams, found.contribution, found.shapley, result.tests, strict=True
        )
        return {
            **{name: value for name, value in result.measures.items() if not isinstance(value, str)},
            "Fused_Accuracy": found.accuracy,
            BY_STREAM: {
                stream: {
                    measures.ACCURACY.name: accuracy,
                    measures.CONTRIBUTION.name: contribution,
                    measures.SHAPLEY.name: shapley,
                    measures.STREAM_P.name: test.p_value,
                    measures.STREAM_P_BETTER.name: test.p_better,
                }
                for stream, accuracy, contribution, shapley, test in by_stream
            },
            BY_CONDITION: by_condition(result),
            "By_Split": {
                name: {measures.ACCURACY.name: split.accuracy, measures.RATIO.name: split.ratio}
                for name, split in result.splits.items()
            },
            LOAD: load_by_expert(result),
            "Targets": {
                target.name: {"Value": target.value, "Difference": target.difference} for target in result.targets
            },
            "Patterns": {pattern.what: {"Tau": pattern.tau, "P_Value": pattern.p_value} for pattern in result.patterns},
        }

    def answer(
        self, comparison: Comparison, results: Mapping[str, CollectiveResult], options: CollectiveOptions
    ) -> str:
        """Return which ensembles are more than their best member, and with several, which is right most often."""
        return answer_in_words(comparison.paired, results, options.ci)

    def unit_table(self, result: CollectiveResult, options: CollectiveOptions) -> HeldTable:
        """Return a row per stream."""
        cells = {column.name: list(values) for column, values in stream_cells(result).items()}
        return HeldTable({columns.SHEET.name: [PREDICTIONS] * len(result.streams), **cells})

    def model_panels(self, numbers: ReadNumbers, units: pd.DataFrame) -> tuple[Panel, ...]:
        """Return the streams, the experts and the conditions."""
        return system_panels(numbers)

    def further_tables(self, result: CollectiveResult, options: CollectiveOptions) -> Mapping[str, HeldTable]:
        """Return the samples of the headline: what each stream and the collective said, and who was right."""
        return {SAMPLES_TABLE: result.hits.table()}

    def fails_on_alerts(self, options: CollectiveOptions) -> bool:
        """Return whether alerts shall fail a run."""
        return options.fail_on == ALERT


def _describe_interval(confidence: float) -> str:
    return (
        f"{describe_bootstrap(SAMPLES, confidence)}, paired, seeded. The lower end is the least over streams of the "
        "lower end of the collective's accuracy over the stream's, the upper end the least of the upper ends, each at "
        "a level divided by their number. One sample that only the collective gets right, and one that only the "
        "streams do, are added to those drawn from."
    )


REPORTER: Final = CollectiveReporter()
