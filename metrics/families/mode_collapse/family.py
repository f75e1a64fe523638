"""The mode-collapse family: whether a model keeps choosing the same thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from scoresheet.metrics.families.mode_collapse.compare import ModeCollapseComparison, compare_models
from scoresheet.metrics.families.mode_collapse.context import ModeCollapseContext, make_context
from scoresheet.metrics.families.mode_collapse.inputs import ChoiceSheet, parse_sheet
from scoresheet.metrics.families.mode_collapse.measures import MEASURES
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.problems import KINDS
from scoresheet.metrics.families.mode_collapse.result import ModeCollapseResult, combine_sheets
from scoresheet.metrics.families.mode_collapse.schema import SCHEMA
from scoresheet.metrics.families.mode_collapse.score import ModeCollapseSheet, score_sheet
from scoresheet.metrics.family import Family, Given, Sheet
from scoresheet.metrics.problems import Noted


class ModeCollapse(
    Family[
        ModeCollapseOptions,
        ChoiceSheet,
        ModeCollapseContext,
        ModeCollapseSheet,
        ModeCollapseResult,
        ModeCollapseComparison,
    ]
):
    """Gini and entropy of repeated choices, per tree level and parent."""

    name = "mode-collapse"
    options = ModeCollapseOptions
    schema = SCHEMA
    measures = MEASURES
    problem_kinds = KINDS

    def two_pass(self, options: ModeCollapseOptions, *, referenced: bool) -> bool:
        """Without a table, the options are what the models chose."""
        return not referenced and not options.options

    def parse(self, sheet: Sheet, options: ModeCollapseOptions, *, referenced: bool) -> Noted[ChoiceSheet]:
        """Return the answers of a sheet."""
        return parse_sheet(sheet, options, referenced=referenced)

    def context(self, given: Given[ChoiceSheet], options: ModeCollapseOptions) -> Noted[ModeCollapseContext]:
        """Return the options of every cell."""
        return make_context(given, options)

    def score(
        self, parsed: ChoiceSheet, context: ModeCollapseContext, options: ModeCollapseOptions
    ) -> Noted[ModeCollapseSheet]:
        """Return the measures of each cell of a sheet."""
        return score_sheet(parsed, context, options)

    def combine(
        self, sheets: Sequence[ModeCollapseSheet], context: ModeCollapseContext, options: ModeCollapseOptions
    ) -> Noted[ModeCollapseResult]:
        """Return the levels' means and the verdict at the root."""
        return combine_sheets(sheets, options)

    def compare(
        self, results: Mapping[str, ModeCollapseResult], options: ModeCollapseOptions
    ) -> ModeCollapseComparison:
        """Return the models ranked, and their differences tested."""
        return compare_models(results, options)


FAMILY: Final = ModeCollapse()
