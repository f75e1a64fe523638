"""The entropy family: how much texts say, how much they repeat themselves and each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.compare import ComparedBy, ComparedUnits, PairedComparison, Pairing
from scoresheet.metrics.families.entropy.compare import (
    COMPARED_BY,
    EntropyComparison,
    compare_models,
    scored_texts,
    units_noun,
)
from scoresheet.metrics.families.entropy.inputs import TextSheet, parse_sheet
from scoresheet.metrics.families.entropy.measures import MEASURES
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.problems import KINDS
from scoresheet.metrics.families.entropy.result import EntropyResult, combine_sheets
from scoresheet.metrics.families.entropy.schema import SCHEMA
from scoresheet.metrics.families.entropy.score import EntropySheet, score_sheet
from scoresheet.metrics.families.entropy.vocabularies import bpe_vocabulary, sentence_embedder
from scoresheet.metrics.family import Family, Given, Sheet, compared_units
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.spread import Spread
from scoresheet.metrics.text.rouge_tokenizer import chinese_segmenter

if TYPE_CHECKING:
    import pandas as pd


class Entropy(Family[EntropyOptions, TextSheet, None, EntropySheet, EntropyResult, EntropyComparison]):
    """Entropy, repetition and diversity of texts."""

    name = "entropy"
    options = EntropyOptions
    schema = SCHEMA
    measures = MEASURES
    problem_kinds = KINDS

    def require(self, options: EntropyOptions) -> None:
        """Load the optional packages that the options need."""
        if options.tokenizer == "words":
            chinese_segmenter()
        if options.tokenizer == "bpe":
            bpe_vocabulary(options.vocabulary)
        if options.vectors == "static":
            sentence_embedder()

    def parse(self, sheet: Sheet, options: EntropyOptions, *, referenced: bool) -> Noted[TextSheet]:
        """Return the texts of a sheet."""
        return parse_sheet(sheet)

    def context(self, given: Given[TextSheet], options: EntropyOptions) -> Noted[None]:
        """Return nothing: a text is measured by itself."""
        return Noted(None)

    def score(self, parsed: TextSheet, context: None, options: EntropyOptions) -> Noted[EntropySheet]:
        """Return the measures of each text."""
        return score_sheet(parsed, options)

    def score_in_blocks(
        self, parsed: TextSheet, context: None, options: EntropyOptions, spread: Spread
    ) -> Noted[EntropySheet]:
        """Return the same, the texts in blocks."""
        return score_sheet(parsed, options, spread)

    def combine(self, sheets: Sequence[EntropySheet], context: None, options: EntropyOptions) -> Noted[EntropyResult]:
        """Return the means over texts and sheets, and what holds for each sheet as a whole."""
        return combine_sheets(sheets, options)

    def compared_by(self, options: EntropyOptions, columns: Collection[str]) -> ComparedBy:
        """Return that models are compared by id."""
        return COMPARED_BY

    def read_units(self, table: pd.DataFrame, by: ComparedBy, options: EntropyOptions) -> ComparedUnits | None:
        """Return the scored texts by id."""
        return super().read_units(scored_texts(table), by, options)

    def compare_units(
        self, models: Mapping[str, ComparedUnits | None], by: ComparedBy, options: EntropyOptions, pairing: Pairing
    ) -> PairedComparison:
        """Return models by the ids that they share, which are prompts where they stand for several texts."""
        return super().compare_units(models, replace(by, units=units_noun(models.values())), options, pairing)

    def compare(
        self, results: Mapping[str, EntropyResult], options: EntropyOptions, pairing: Pairing
    ) -> EntropyComparison:
        """Return models side by side."""
        units = compared_units(results)
        return compare_models(results, self.compare_units(units, COMPARED_BY, options, pairing))


FAMILY: Final = Entropy()
