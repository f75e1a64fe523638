"""The mode-collapse family: whether a model keeps choosing the same thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.compare import ComparedBy, ComparedUnits, PairedComparison, Pairing
from scoresheet.metrics.families.mode_collapse.compare import COMPARED_BY, ModeCollapseComparison, compare_roots
from scoresheet.metrics.families.mode_collapse.context import ModeCollapseContext, make_context
from scoresheet.metrics.families.mode_collapse.inputs import ChoiceSheet, parse_sheet
from scoresheet.metrics.families.mode_collapse.measures import MEASURES
from scoresheet.metrics.families.mode_collapse.options import ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.problems import KINDS
from scoresheet.metrics.families.mode_collapse.result import ModeCollapseResult, combine_sheets, roots_of_units
from scoresheet.metrics.families.mode_collapse.schema import SCHEMA
from scoresheet.metrics.families.mode_collapse.score import LEVEL_KEY, ModeCollapseSheet, score_sheet
from scoresheet.metrics.family import Family, Given, Sheet
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.spread import Spread

if TYPE_CHECKING:
    import pandas as pd


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

    def score_in_blocks(
        self, parsed: ChoiceSheet, context: ModeCollapseContext, options: ModeCollapseOptions, spread: Spread
    ) -> Noted[ModeCollapseSheet]:
        """Return the same; what is drawn of each cell is left to `spread`."""
        return score_sheet(parsed, context, options, spread)

    def combine(
        self, sheets: Sequence[ModeCollapseSheet], context: ModeCollapseContext, options: ModeCollapseOptions
    ) -> Noted[ModeCollapseResult]:
        """Return the levels' means and the verdict at the root."""
        for sheet in sheets:
            sheet.keep_curves(options.seed)
        return combine_sheets(sheets, options)

    def compared_by(self, options: ModeCollapseOptions, columns: Collection[str]) -> ComparedBy:
        """Return that models are compared by their choices at the roots."""
        return COMPARED_BY

    def read_units(self, table: pd.DataFrame, by: ComparedBy, options: ModeCollapseOptions) -> ComparedUnits | None:
        """Return the choices at the roots."""
        return super().read_units(table[table[LEVEL_KEY] == "0"].reset_index(drop=True), by, options)

    def compare_units(
        self, models: Mapping[str, ComparedUnits | None], by: ComparedBy, options: ModeCollapseOptions, pairing: Pairing
    ) -> PairedComparison:
        """Return the models by the Ginis of their choices."""
        return compare_roots({model: roots_of_units(own) for model, own in models.items()}, options, pairing).paired

    def unit_counts(self, units: ComparedUnits, by: ComparedBy) -> Counter[tuple[str, str]]:
        """Return how many samples each root cell has: which option they fall on is no loss."""
        return Counter({(sheet, ""): sum(counts.values()) for sheet, counts in roots_of_units(units).items()})

    def compare(
        self, results: Mapping[str, ModeCollapseResult], options: ModeCollapseOptions, pairing: Pairing
    ) -> ModeCollapseComparison:
        """Return the models ranked, and their differences tested."""
        return compare_roots({model: result.roots for model, result in results.items()}, options, pairing)


FAMILY: Final = ModeCollapse()
