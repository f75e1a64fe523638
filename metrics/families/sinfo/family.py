"""The sinfo family: information density of explanations against references."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any, Final

from scoresheet.metrics.core import Audit, Column, Detail, Family, Given, Joined, Page, Report
from scoresheet.metrics.families.sinfo.audit import compare_with_rouge
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.references import BY_DETECTOR, Chooser, prepared_references
from scoresheet.metrics.families.sinfo.rows import scored_sheet
from scoresheet.metrics.families.sinfo.summary import SUMMARY, compare_models, summarise_model
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.text.rouge_tokenizer import chinese_segmenter
from scoresheet.metrics.text.scripts_and_languages import language_detector

IDIOM: Final = Column(
    "Idiom", "What the row explains; the key that finds the references.", "key", ("phrase", "expression")
)
PREDICTION: Final = Column(
    "Prediction", "The explanation the model wrote.", "text", ("response", "output", "answer", "model_output")
)
EXPLANATION: Final = Column(
    "explanation",
    "The reference explanation; several may be joined by ||.",
    "text",
    ("reference", "meaning", "definition"),
)
LANGUAGE: Final = Column("language", "The language of the reference.", "label", ("lang",), required=False)

P_ROUGE: Final = Column(
    "P_ROUGE", "ROUGE-L precision: share of the prediction's words found in the reference.", "score", better="higher"
)
BREVITY: Final = Column(
    "BP",
    "Brevity penalty: exp(1 - r/c) when the prediction is shorter (c < r), else 1; low means too short.",
    "score",
    better="higher",
)
S_INFO: Final = Column(
    "S_Info", "Information density, BP × P_ROUGE; empty where it is undefined.", "score", better="higher"
)


class Sinfo(Family[SinfoOptions]):
    """Information density of explanations against references."""

    name = "sinfo"
    stem = "s_info"
    title = "Information density (S_Info)"
    method = (
        ("S_Info", "BP × P_ROUGE for each row; outer white space is stripped first."),
        (
            "P_ROUGE",
            "ROUGE-L precision. By default exactly that of PyPI rouge 1.0.1: distinct words in the union of the "
            "sentence LCSs / distinct words of the prediction.",
        ),
        ("BP", "c, r: lengths of prediction and reference. c >= r gives 1, else exp(1 - r/c). Low means too short."),
        (
            "Sheet average",
            "Mean of the scored rows. Rows without prediction or reference have no score and are listed.",
        ),
        ("Overall", "Mean of the sheet averages (of all rows under --aggregate rows)."),
        (
            "Interval",
            "95 % percentile bootstrap, 2,000 resamples over idioms, seeded; an idiom is drawn with all its rows.",
        ),
        ("Bands", "low below 0.5, moderate from 0.5, high from 0.8."),
    )
    options = SinfoOptions
    inputs = (IDIOM, PREDICTION)
    references = (Column("idiom", "The idiom explained.", "key", IDIOM.aliases), EXPLANATION, LANGUAGE)
    key = "Idiom"
    summary = SUMMARY
    detail = (
        IDIOM,
        Column("Reference", "The reference that gave the score (all of them under --references-by mean)."),
        PREDICTION,
        P_ROUGE,
        BREVITY,
        S_INFO,
        Column("Band", "low below 0.5, moderate below 0.8, high from 0.8.", "label"),
        Column("Language", "Language of the references used, where it is known.", "label"),
        Column("References", "How many references the prediction was held to.", "count"),
        Column("Problem", "Why the row has no score, or what was noted about it."),
    )
    units = ("Idiom", "P_ROUGE", "BP", "S_Info")
    headline = S_INFO
    results = (
        S_INFO,
        Column("CI_Low", "Lower end of the 95 % bootstrap interval over idioms.", "score"),
        Column("CI_High", "Upper end of the 95 % bootstrap interval over idioms.", "score"),
    )

    def require(self, options: SinfoOptions) -> None:
        """Load the optional packages that the options need."""
        if options.tokenizer == "words":
            chinese_segmenter()
        if options.language == BY_DETECTOR:
            language_detector()

    def prepare(self, given: Given, options: SinfoOptions) -> tuple[Chooser, list[Problem]]:
        """Return the references made ready, and who chooses among them."""
        prepared, problems = prepared_references(
            given.references, separator=options.reference_separator, tokenizer=options.tokenizer
        )
        return Chooser(prepared, options.language), problems

    def score(self, joined: Joined, prepared: Any, options: SinfoOptions) -> Detail:
        """Return P_ROUGE, BP and S_Info of each row."""
        return scored_sheet(joined, prepared, options)

    def summarise(self, model: str, details: Sequence[Detail], options: SinfoOptions) -> Report:
        """Return the sheet averages and their mean."""
        return summarise_model(model, details, options)

    def compare(self, reports: Sequence[Report], options: SinfoOptions) -> tuple[Page, ...]:
        """Return the models side by side, sheet by sheet."""
        return (compare_models(reports),)

    def audit(self, samples: Sequence[Any], options: SinfoOptions) -> Audit | None:
        """Return how the sampled rows compare with PyPI `rouge`; the other definitions have no such library."""
        if options.rouge != "rouge" or not options.audit:
            return None
        pairs = heapq.nsmallest(options.audit, (pair for sample in samples for pair in sample.pairs))
        return compare_with_rouge(pairs, too_long=sum(sample.too_long for sample in samples))
