"""The disagree family: whether judges agree, which items cannot be trusted, and which judge is odd."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.compare import ComparedBy, ComparedUnits, Pairing
from scoresheet.metrics.families.disagree.compare import compared_by, with_models
from scoresheet.metrics.families.disagree.context import Strategies, strategies_given
from scoresheet.metrics.families.disagree.inputs import Ratings, parse_sheet
from scoresheet.metrics.families.disagree.joined_sheets import joined_ratings
from scoresheet.metrics.families.disagree.measures import MEASURES
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.problems import KINDS
from scoresheet.metrics.families.disagree.result import Panel, combine_sheets
from scoresheet.metrics.families.disagree.schema import SCHEMA
from scoresheet.metrics.families.disagree.score import SheetAgreement, score_panel, score_ratings
from scoresheet.metrics.family import Comparison, Family, Given, Sheet, compared_units
from scoresheet.metrics.problems import Noted

if TYPE_CHECKING:
    import pandas as pd


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
        ratings = [sheet.ratings for sheet in sheets if sheet.ratings is not None]
        if not ratings:
            return combine_sheets(sheets, options)
        joined = score_panel(joined_ratings(ratings), context, options)
        combined = combine_sheets([joined.value], options)
        return Noted(combined.value, (*joined.problems, *combined.problems))

    def compared_by(self, options: DisagreeOptions, columns: Collection[str]) -> ComparedBy:
        """Return that panels are compared by item."""
        return compared_by(options)

    def read_units(self, table: pd.DataFrame, by: ComparedBy, options: DisagreeOptions) -> ComparedUnits | None:
        """Return the items, each with the model that it is of where there are several."""
        return super().read_units(with_models(table), by, options)

    def compare(self, results: Mapping[str, Panel], options: DisagreeOptions, pairing: Pairing) -> Comparison:
        """Return panels over the items they share."""
        units = compared_units(results)
        return Comparison(paired=self.compare_units(units, compared_by(options), options, pairing))


FAMILY: Final = Disagree()
