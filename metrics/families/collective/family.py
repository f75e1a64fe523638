"""The collective family: whether an ensemble is more than its best member, who contributes, and how it holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.compare import ComparedBy, ComparedUnits, Pairing
from scoresheet.metrics.families.collective.compare import COMPARED_BY, HITS
from scoresheet.metrics.families.collective.inputs import SystemSheet, parse_sheet
from scoresheet.metrics.families.collective.measures import MEASURES
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.collective.problems import KINDS
from scoresheet.metrics.families.collective.result import CollectiveResult, combine_sheets
from scoresheet.metrics.families.collective.schema import SCHEMA
from scoresheet.metrics.families.collective.score import ScoredSystemSheet, score_sheet
from scoresheet.metrics.family import Comparison, Family, Given, Sheet, compared_units
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.spread import Spread

if TYPE_CHECKING:
    import pandas as pd


class Collective(Family[CollectiveOptions, SystemSheet, None, ScoredSystemSheet, CollectiveResult, Comparison]):
    """Ensembles and their streams."""

    name = "collective"
    options = CollectiveOptions
    schema = SCHEMA
    measures = MEASURES
    problem_kinds = KINDS
    spreads_sheets = False  # what takes long is putting them together

    def parse(self, sheet: Sheet, options: CollectiveOptions, *, referenced: bool) -> Noted[SystemSheet]:
        """Return what a sheet holds, by its name or its columns."""
        return parse_sheet(sheet, options)

    def context(self, given: Given[SystemSheet], options: CollectiveOptions) -> Noted[None]:
        """Return nothing: a system is known by its own files."""
        return Noted(None)

    def score(self, parsed: SystemSheet, context: None, options: CollectiveOptions) -> Noted[ScoredSystemSheet]:
        """Return the sheet with its units."""
        return score_sheet(parsed)

    def combine(
        self, sheets: Sequence[ScoredSystemSheet], context: None, options: CollectiveOptions
    ) -> Noted[CollectiveResult]:
        """Return the system that the sheets make up together."""
        return combine_sheets(sheets, options)

    def combine_in_blocks(
        self, sheets: Sequence[ScoredSystemSheet], context: None, options: CollectiveOptions, spread: Spread
    ) -> Noted[CollectiveResult]:
        """Return the same; the coalitions of streams are left to `spread`."""
        return combine_sheets(sheets, options, spread)

    def compared_by(self, options: CollectiveOptions, columns: Collection[str]) -> ComparedBy:
        """Return that systems are compared by sample."""
        return COMPARED_BY

    def read_units(self, table: pd.DataFrame, by: ComparedBy, options: CollectiveOptions) -> ComparedUnits | None:
        """Return the samples with who was right on each."""
        return super().read_units(table.rename(columns=HITS), by, options)

    def compare(
        self, results: Mapping[str, CollectiveResult], options: CollectiveOptions, pairing: Pairing
    ) -> Comparison:
        """Return systems over the samples they share; each is held against its own streams elsewhere."""
        units = compared_units(results)
        return Comparison(paired=self.compare_units(units, COMPARED_BY, options, pairing))


FAMILY: Final = Collective()
