"""The sinfo family: information density of explanations against references."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from scoresheet.metrics.compare import ComparedBy, Pairing
from scoresheet.metrics.families.sinfo.compare import SinfoComparison, compare_models, compared_by
from scoresheet.metrics.families.sinfo.context import SinfoContext, references_beside, references_by_key
from scoresheet.metrics.families.sinfo.inputs import PredictionSheet, parse_sheet
from scoresheet.metrics.families.sinfo.measures import MEASURES
from scoresheet.metrics.families.sinfo.options import BY_DETECTOR, SinfoOptions
from scoresheet.metrics.families.sinfo.problems import KINDS
from scoresheet.metrics.families.sinfo.result import SinfoResult, combine_sheets
from scoresheet.metrics.families.sinfo.schema import SCHEMA
from scoresheet.metrics.families.sinfo.score import SinfoSheet, score_sheet
from scoresheet.metrics.family import Family, Given, Sheet, compared_units
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.spread import Spread
from scoresheet.metrics.text.rouge_tokenizer import chinese_segmenter
from scoresheet.metrics.text.scripts_and_languages import language_detector


class Sinfo(Family[SinfoOptions, PredictionSheet, SinfoContext, SinfoSheet, SinfoResult, SinfoComparison]):
    """Information density of explanations against references."""

    name = "sinfo"
    options = SinfoOptions
    schema = SCHEMA
    measures = MEASURES
    problem_kinds = KINDS

    def require(self, options: SinfoOptions) -> None:
        """Load the optional packages that the options need."""
        if options.tokenizer == "words":
            chinese_segmenter()
        if options.language == BY_DETECTOR:
            language_detector()

    def two_pass(self, options: SinfoOptions, *, referenced: bool) -> bool:
        """Return whether the references stand beside the predictions, in any model's sheets."""
        return not referenced

    def parse(self, sheet: Sheet, options: SinfoOptions, *, referenced: bool) -> Noted[PredictionSheet]:
        """Return the idioms and predictions of a sheet."""
        return parse_sheet(sheet, referenced=referenced)

    def context(self, given: Given[PredictionSheet], options: SinfoOptions) -> Noted[SinfoContext]:
        """Return the references by idiom."""
        table = references_beside(given.sheets) if given.sheets else given.reference_table
        return references_by_key(table, options)

    def score(self, parsed: PredictionSheet, context: SinfoContext, options: SinfoOptions) -> Noted[SinfoSheet]:
        """Return P_ROUGE, BP and S_Info of each row."""
        return score_sheet(parsed, context, options)

    def score_in_blocks(
        self, parsed: PredictionSheet, context: SinfoContext, options: SinfoOptions, spread: Spread
    ) -> Noted[SinfoSheet]:
        """Return the same; a row is scored by itself."""
        return score_sheet(parsed, context, options, spread)

    def combine(self, sheets: Sequence[SinfoSheet], context: SinfoContext, options: SinfoOptions) -> Noted[SinfoResult]:
        """Return the sheet averages and their mean."""
        return combine_sheets(sheets, context, options)

    def compared_by(self, options: SinfoOptions, columns: Collection[str]) -> ComparedBy:
        """Return that models are compared by idiom."""
        return compared_by(options, columns)

    def compare(self, results: Mapping[str, SinfoResult], options: SinfoOptions, pairing: Pairing) -> SinfoComparison:
        """Return the models on the idioms they share, and the audit of the run."""
        units = compared_units(results)
        paired = self.compare_units(units, compared_by(options, ()), options, pairing)
        return compare_models(results, paired, options)


FAMILY: Final = Sinfo()
