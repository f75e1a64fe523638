"""The entropy family: how much texts say, how much they repeat themselves and each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from scoresheet.metrics.core import Column, Detail, Family, Given, Joined, Page, Report
from scoresheet.metrics.families.entropy.columns import (
    DETAIL,
    HEADLINE,
    ID,
    MEASURES,
    RESULTS,
    SUMMARY,
    TEXT,
    detail_columns,
)
from scoresheet.metrics.families.entropy.compare import comparisons_page
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.scoring import scored_sheet
from scoresheet.metrics.families.entropy.summary import summarise_model
from scoresheet.metrics.families.entropy.vocabularies import embedder, encoding
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.text.rouge_tokenizer import chinese_segmenter

_CUT: Final = {
    "auto": "a script without spaces is cut into characters; other one-letter words do not count",
    "whitespace": "no run is cut; one-letter words do not count",
    "chars": "every character is one",
    "words": "Chinese is cut by a segmenter; one-letter words of spaced scripts do not count",
}


class Entropy(Family[EntropyOptions]):
    """Entropy, repetition and diversity of texts."""

    name = "entropy"
    stem = "entropy"
    title = "Entropy of texts"
    method = (
        ("Entropy", "H = −Σ p·log2 p over words, pairs and runs of three, in bits; undefined for too few words."),
        ("Vocab_Diversity", "H / log2(unique words), 0 for one unique word. Unique_Ratio: unique words / words."),
        ("Quality_Ratio", "H / max(log2(white-space words), 1); words instead where a script has no spaces."),
        (
            "Chunks",
            "max(20, length // 10) white-space words, a new one every half chunk; only full ones. A drop is below 0.8 "
            "of the chunk before; the trend compares the last third with the first.",
        ),
        (
            "Repetitive",
            "By white-space words. Under 6: never. 6 to 19: top word above 25 %, or a pair twice. From 20, under three "
            "chunks: above 20 %, or a pair twice. Three chunks or more: above 20 %, a pair three times, or chunks of "
            "variance below 0.1 with two drops.",
        ),
        (
            "Sentences",
            "End at . ! ? 。！？; cosines of every two. Semantic_Entropy: their entropy in ten equal bins over 0 to 1.",
        ),
        (
            "Self_Repetition",
            "Of a text's runs of four words those that another text of the sheet has; mean over texts.",
        ),
        (
            "Vendi",
            "exp of the entropy of the eigenvalues of K/n, K the TF-IDF cosines of the sheet's texts; a seeded sample "
            "of 2,000 where there are more.",
        ),
        ("Compression_Ratio", "UTF-8 bytes of the texts joined by line breaks / bytes by zlib at level 9."),
        ("Means", "Over the texts of a sheet for which a measure is defined, then over sheets."),
        ("Interval", "95 % percentile bootstrap over rows, 2,000 resamples, seeded."),
    )
    options = EntropyOptions
    inputs = (TEXT, ID)
    summary = SUMMARY
    detail = DETAIL
    units = ("Id", *MEASURES)
    headline = HEADLINE
    results = RESULTS

    def require(self, options: EntropyOptions) -> None:
        """Load the optional packages that the options need."""
        if options.tokenizer == "words":
            chinese_segmenter()
        if options.tokenizer == "bpe":
            encoding(options.vocabulary)
        if options.vectors == "static":
            embedder()

    def prepare(self, given: Given, options: EntropyOptions) -> tuple[Any, list[Problem]]:
        """Return nothing: a text is measured by itself."""
        return None, []

    def facts(self, prepared: Any, options: EntropyOptions) -> tuple[tuple[str, str], ...]:
        """Return what a word is in this run, and how sentences are compared."""
        words = f"tokens of the vocabulary {options.vocabulary}, of the text as it is"
        if options.tokenizer != "bpe":
            words = f"lower case; runs of letters, marks, digits and underscores; {_CUT[options.tokenizer]}"
        vectors = (
            "TF-IDF, words weighed by the sentences of the text" if options.vectors == "tfidf" else "static embeddings"
        )
        diagonal = "each sentence with itself included" if options.definition == "seed" else "every two different ones"
        return (
            ("Words", words),
            ("Vectors", vectors),
            ("Semantic_Diversity", f"1 less the mean cosine of sentences, {diagonal}"),
        )

    def score(self, joined: Joined, prepared: Any, options: EntropyOptions) -> Detail:
        """Return the measures of each text."""
        return scored_sheet(joined, options)

    def summarise(self, model: str, details: Sequence[Detail], options: EntropyOptions) -> Report:
        """Return the means over texts and sheets, and what holds for each sheet as a whole."""
        return summarise_model(model, details, options)

    def brief(self, reports: Sequence[Report], options: EntropyOptions) -> tuple[Column, ...]:
        """Return the few measures that fit on a line."""
        shown = ("Word_Entropy", "CI_Low", "CI_High", "Vocab_Diversity", "Repetitive", "Vendi")
        return tuple(column for column in RESULTS if column.name in shown)

    def detailed(self, details: Sequence[Detail], options: EntropyOptions) -> tuple[Column, ...]:
        """Return the columns of a text, with as many chunks as the longest text of the model has."""
        return detail_columns(max((detail.extra.chunks for detail in details), default=0))

    def compare(self, reports: Sequence[Report], options: EntropyOptions) -> tuple[Page, ...]:
        """Return every two models side by side."""
        return (comparisons_page(reports, options.seed),)
