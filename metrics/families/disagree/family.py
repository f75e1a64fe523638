"""The disagree family: whether judges agree, which items cannot be trusted, and which judge is odd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from scoresheet.metrics.families.disagree.compare import compare_panels
from scoresheet.metrics.families.disagree.context import Strategies, strategies_given
from scoresheet.metrics.families.disagree.inputs import Ratings, parse_sheet
from scoresheet.metrics.families.disagree.measures import MEASURES
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.problems import KINDS
from scoresheet.metrics.families.disagree.result import Panel, combine_sheets
from scoresheet.metrics.families.disagree.schema import SCHEMA
from scoresheet.metrics.families.disagree.score import SheetAgreement, score_ratings
from scoresheet.metrics.family import Comparison, Family, Given, Sheet
from scoresheet.metrics.problems import Noted


class Disagree(Family[DisagreeOptions, Ratings, Strategies, SheetAgreement, Panel, Comparison]):
    """Agreement and disagreement of judges."""

    name = "disagree"
    options = DisagreeOptions
    schema = SCHEMA
    measures = MEASURES
    problem_kinds = KINDS

    def parse(self, sheet: Sheet, options: DisagreeOptions, *, referenced: bool) -> Noted[Ratings]:
        """Return the ratings of a sheet."""
        return parse_sheet(sheet, options)

    def context(self, given: Given[Ratings], options: DisagreeOptions) -> Noted[Strategies]:
        """Return the strategies, if judges are to be simulated."""
        return Noted(strategies_given(given, options))

    def score(self, parsed: Ratings, context: Strategies, options: DisagreeOptions) -> Noted[SheetAgreement]:
        """Return what the judges of each item come to, and how far they agree."""
        return score_ratings(parsed, context, options)

    def combine(self, sheets: Sequence[SheetAgreement], context: Strategies, options: DisagreeOptions) -> Noted[Panel]:
        """Return the panel's health."""
        return combine_sheets(sheets, options)

    def compare(self, results: Mapping[str, Panel], options: DisagreeOptions) -> Comparison:
        """Return every two panels over the items they share."""
        return compare_panels(results, options)


FAMILY: Final = Disagree()
