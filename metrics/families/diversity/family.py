"""The diversity family: rankings that cover what users meant."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from scoresheet.metrics.compare import ComparedBy, Pairing
from scoresheet.metrics.families.diversity.compare import DiversityComparison, compared_by
from scoresheet.metrics.families.diversity.context import DiversityContext, context_of_run
from scoresheet.metrics.families.diversity.inputs import RankingSheet, parse_sheet, pools_inline
from scoresheet.metrics.families.diversity.measures import MEASURES, RANKING_MEASURES, names_at
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.diversity.problems import KINDS
from scoresheet.metrics.families.diversity.result import DiversityResult, combine_sheets, system_notes
from scoresheet.metrics.families.diversity.schema import SCHEMA
from scoresheet.metrics.families.diversity.score import DiversitySheet, score_sheet
from scoresheet.metrics.family import Family, Given, Sheet, compared_units
from scoresheet.metrics.problems import Noted


class Diversity(
    Family[DiversityOptions, RankingSheet, DiversityContext, DiversitySheet, DiversityResult, DiversityComparison]
):
    """Measures of the diversity of rankings."""

    name = "diversity"
    options = DiversityOptions
    schema = SCHEMA
    measures = MEASURES
    problem_kinds = KINDS

    def two_pass(self, options: DiversityOptions, *, referenced: bool) -> bool:
        """Return whether judgments or texts in line are pooled over all models."""
        return pools_inline(options, referenced=referenced)

    def parse(self, sheet: Sheet, options: DiversityOptions, *, referenced: bool) -> Noted[RankingSheet]:
        """Return the rankings of a sheet, and what stands beside them."""
        return parse_sheet(sheet, options, referenced=referenced)

    def context(self, given: Given[RankingSheet], options: DiversityOptions) -> Noted[DiversityContext]:
        """Return the judgments by query, and what items are compared by."""
        return context_of_run(given, options)

    def score(
        self, parsed: RankingSheet, context: DiversityContext, options: DiversityOptions
    ) -> Noted[DiversitySheet]:
        """Return the measures of each query."""
        return score_sheet(parsed, context, options)

    def combine(
        self, sheets: Sequence[DiversitySheet], context: DiversityContext, options: DiversityOptions
    ) -> Noted[DiversityResult]:
        """Return the means over queries and sheets."""
        return Noted(combine_sheets(sheets, context, options), system_notes(sheets, options))

    def compared_by(self, options: DiversityOptions, columns: Collection[str]) -> ComparedBy:
        """Return that systems are compared by query, in the measures that their units have."""
        return compared_by(options, columns)

    def compare(
        self, results: Mapping[str, DiversityResult], options: DiversityOptions, pairing: Pairing
    ) -> DiversityComparison:
        """Return the differences between models, tested."""
        taken = next((result.taken for result in results.values()), RANKING_MEASURES)  # the same for all of a run
        by = compared_by(options, names_at((options.headline_cutoff(),), taken))
        units = compared_units(results)
        return DiversityComparison(paired=self.compare_units(units, by, options, pairing))


FAMILY: Final = Diversity()
