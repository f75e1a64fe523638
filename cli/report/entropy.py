"""The reports of entropy: a page per sheet with small bars along each text, the means, and models in pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from scoresheet.cli.report.intervals import ci_columns, describe_bootstrap
from scoresheet.cli.report.page import Column, Histogram, Page
from scoresheet.cli.report.reporter import (
    DocumentedColumns,
    Line,
    ModelPages,
    Numbers,
    Reporter,
    ResultColumns,
    column_of,
)
from scoresheet.metrics.families.entropy.compare import EntropyComparison, ModelPair
from scoresheet.metrics.families.entropy.constants import (
    CHUNKS_A_TEXT,
    COMPRESSION_LEVEL,
    DROP,
    FEW_BIGRAMS,
    FEW_CHUNKS,
    FLAT_VARIANCE,
    MANY_BIGRAMS,
    MANY_DROPS,
    MOST_CHUNKS,
    NEVER_REPETITIVE,
    SEMANTIC_BINS,
    SHORT_TEXT,
    SHORT_TOP_SHARE,
    SHORTEST_CHUNK,
    TOP_SHARE,
    VENDI_TEXTS,
)
from scoresheet.metrics.families.entropy.measures import (
    CORPUS_MEASURES,
    ENTROPY_TREND,
    MEAN_MEASURES,
    MODEL_MEASURES,
    REPETITIVE,
    REPETITIVE_SHARE,
    TEXT_MEASURES,
    WORD_ENTROPY,
)
from scoresheet.metrics.families.entropy.options import WITH_DIAGONAL, EntropyOptions
from scoresheet.metrics.families.entropy.phrases import LONGEST
from scoresheet.metrics.families.entropy.result import EntropyResult, TextAverages
from scoresheet.metrics.families.entropy.score import EntropySheet
from scoresheet.metrics.measures import Measure, interval_measures, shown_in
from scoresheet.metrics.messages import number_word, percent, times_word
from scoresheet.metrics.tables import frame_of_rows, object_frame

OVERALL: Final = "Overall"
_BINS: Final = 20  # of the histogram at most
_BIN_WIDTHS: Final = (0.1, 0.2, 0.25, 0.5, 1.0)  # bits
_WORDS_ARE: Final = {
    "auto": "a script without spaces is cut into characters; other one-letter words do not count",
    "whitespace": "no run is cut; one-letter words do not count",
    "chars": "every character is one",
    "words": "Chinese is cut by a segmenter; one-letter words of spaced scripts do not count",
}
METHOD: Final = (
    ("Entropy", "H = −Σ p·log2 p over words, pairs and runs of three, in bits; undefined for too few words."),
    ("Vocab_Diversity", "H / log2(unique words), 0 for one unique word. Unique_Ratio: unique words / words."),
    ("Quality_Ratio", "H / max(log2(white-space words), 1); words instead where a script has no spaces."),
    (
        "Chunks",
        f"max({SHORTEST_CHUNK}, length // {CHUNKS_A_TEXT}) white-space words, a new one every half chunk; only full "
        f"ones. A drop is below {DROP:g} of the chunk before; the trend compares the last third with the first.",
    ),
    (
        "Repetitive",
        f"By white-space words. Under {NEVER_REPETITIVE}: never. {NEVER_REPETITIVE} to {SHORT_TEXT - 1}: top word "
        f"above {percent(SHORT_TOP_SHARE)}, or a pair {times_word(FEW_BIGRAMS)}. From {SHORT_TEXT}, under "
        f"{number_word(FEW_CHUNKS)} chunks: above {percent(TOP_SHARE)}, or a pair {times_word(FEW_BIGRAMS)}. "
        f"{number_word(FEW_CHUNKS).capitalize()} chunks or more: above {percent(TOP_SHARE)}, a pair "
        f"{times_word(MANY_BIGRAMS)}, or chunks of variance below {FLAT_VARIANCE:g} with "
        f"{number_word(MANY_DROPS)} drops.",
    ),
    (
        "Sentences",
        "End at . ! ? 。！？; cosines of every two. Semantic_Entropy: their entropy in "
        f"{number_word(SEMANTIC_BINS)} equal bins over 0 to 1.",
    ),
    (
        "Self_Repetition",
        "Of a text's runs of four words those that another text of the sheet has; mean over texts.",
    ),
    (
        "Vendi",
        "exp of the entropy of the eigenvalues of K/n, K the TF-IDF cosines of the sheet's texts; a seeded sample "
        f"of {VENDI_TEXTS:,} where there are more.",
    ),
    (
        "Compression_Ratio",
        f"UTF-8 bytes of the texts joined by line breaks / bytes by zlib at level {COMPRESSION_LEVEL}.",
    ),
    ("Means", "Over the texts of a sheet for which a measure is defined, then over sheets."),
)

_CI_LOW, _CI_HIGH, _CI_NOTE = ci_columns("texts", of=WORD_ENTROPY.name)
_SPARK: Final = Column(
    "Local_Entropy", "The word entropies of the text's chunks, in order; the lowest is red.", "spark"
)
_REPEATED: Final = Column(
    "Repeated",
    f"The longest phrase that stands twice or more (its first {number_word(LONGEST)} words), and how often.",
    "text",
)
_PROBLEM: Final = Column("Problem", "Why the row has no score.")
_LOCAL: Final = Column("Local_k", "Word entropy of the k-th chunk: what the small bars are drawn from.", "score")
_KEYS: Final = (Column("Id", "The id, where there is one.", "key"), Column("Text", "The text."))
_MIDDLING: Final = {ENTROPY_TREND: ("decreasing",), REPETITIVE: ("yes",)}


def _text_column(measure: Measure) -> Column:
    return column_of(measure, relative=measure is WORD_ENTROPY, middling=_MIDDLING.get(measure, ()))


# what one looks for stands beside the text, and not behind fifteen columns of numbers
_FIRST: Final = (_text_column(REPETITIVE), _REPEATED)
_OTHERS: Final = tuple(_text_column(measure) for measure in TEXT_MEASURES if measure is not REPETITIVE)


def _model_column(measure: Measure) -> Column:
    """Return what a measure of texts means as an average."""
    if measure not in MEAN_MEASURES:
        return column_of(measure)
    about = measure.about_mean or f"Mean over texts. {measure.about}"
    return replace(column_of(measure, about=about, relative=measure is WORD_ENTROPY), kind="score")


_MODEL_COLUMNS: Final = {measure: _model_column(measure) for measure in MODEL_MEASURES}
_HEADLINE: Final = _MODEL_COLUMNS[WORD_ENTROPY]
RESULT_COLUMNS: Final = (
    _HEADLINE,
    _CI_LOW,
    _CI_HIGH,
    _CI_NOTE,
    *(column for measure, column in _MODEL_COLUMNS.items() if measure is not WORD_ENTROPY),
)
_TERMINAL: Final = (
    _HEADLINE,
    _CI_LOW,
    _CI_HIGH,
    *(_MODEL_COLUMNS[each] for each in shown_in(MODEL_MEASURES, "terminal") if each is not WORD_ENTROPY),
)
SUMMARY_COLUMNS: Final = (
    Column("Sheet", "The sheet; the last row, Overall, is the mean of the sheets.", "key"),
    *RESULT_COLUMNS,
    Column("Rows", "Rows read.", "count"),
    Column("Scored", "Rows in the mean.", "count"),
    Column("Coverage", "Share of the rows with a computed score.", "share"),
)
COMPARISON_COLUMNS: Final = (
    Column("Model", "One model.", "key"),
    Column("Other_Model", "The other.", "key"),
    Column("Measure", "The measure.", "label"),
    Column("Mean", "The model's mean.", "score"),
    Column("Other_Mean", "The other's mean.", "score"),
    Column("Difference", "The model's less the other's.", "score"),
    Column("Ratio", "The model's / the other's.", "score"),
    Column(
        "Entropy_Similarity",
        "Of the two models: mean of min/max of word, semantic and vocabulary entropy and semantic diversity.",
        "score",
    ),
)


class EntropyReporter(Reporter[EntropyOptions, None, EntropyResult, EntropyComparison]):
    """Shows how much texts say and repeat."""

    stem = "entropy"
    title = "Entropy of texts"
    documented = DocumentedColumns(
        results=RESULT_COLUMNS,
        summary=SUMMARY_COLUMNS,
        sheet=(*_KEYS, *_FIRST, _SPARK, *_OTHERS, _PROBLEM, _LOCAL),
    )

    def method(self, context: None, options: EntropyOptions) -> tuple[Line, ...]:
        """Return the definitions, what a word is in this run, and how sentences are compared."""
        words = f"tokens of the vocabulary {options.vocabulary}, of the text as it is"
        if options.tokenizer != "bpe":
            words = f"lower case; runs of letters, marks, digits and underscores; {_WORDS_ARE[options.tokenizer]}"
        vectors = (
            "TF-IDF, words weighed by the sentences of the text" if options.vectors == "tfidf" else "static embeddings"
        )
        with_diagonal = options.definition == WITH_DIAGONAL
        diagonal = "each sentence with itself included" if with_diagonal else "every two different ones"
        return (
            *METHOD,
            ("Interval", f"{describe_bootstrap('texts', options.ci)}, seeded."),
            ("Words", words),
            ("Vectors", vectors),
            ("Semantic_Diversity", f"1 less the mean cosine of sentences, {diagonal}"),
        )

    def result_columns(self, results: Sequence[EntropyResult], options: EntropyOptions) -> ResultColumns:
        """Return the means; on a terminal, the few that fit on a line."""
        return ResultColumns(RESULT_COLUMNS, _HEADLINE, _TERMINAL, (_CI_LOW, _CI_HIGH))

    def model_pages(self, model: str, result: EntropyResult, options: EntropyOptions) -> ModelPages:
        """Return the means, and a page per sheet with as many chunks as the longest text of the model has."""
        lines = {**result.by_sheet, OVERALL: result.overall}
        summary = Page(
            title="Summary",
            table=frame_of_rows(
                [column.name for column in SUMMARY_COLUMNS], [_summary_row(name, own) for name, own in lines.items()]
            ),
            columns=SUMMARY_COLUMNS,
            chart=entropy_histogram(result.sheets),
            total_rows=1,
        )
        columns = _page_columns(max((sheet.chunks for sheet in result.sheets), default=0))
        return ModelPages(summary, tuple(_texts_page(sheet, columns) for sheet in result.sheets))

    def numbers(self, result: EntropyResult, options: EntropyOptions) -> Numbers:
        """Return the means of the model and of each sheet."""
        sheets = {name: _sheet_numbers(averages) for name, averages in result.by_sheet.items()}
        return {**_with_interval(result.overall), "Sheets": sheets}

    def run_pages(
        self, comparison: EntropyComparison, results: Mapping[str, EntropyResult | None], options: EntropyOptions
    ) -> tuple[Page, ...]:
        """Return every two models, measure by measure."""
        names = [column.name for column in COMPARISON_COLUMNS]
        rows = [_comparison_row(pair) for pair in comparison.pairs]
        return (Page("Side by side", frame_of_rows(names, rows), COMPARISON_COLUMNS),)


def _with_interval(averages: TextAverages) -> dict[str, float | str]:
    values = {**averages.measures, **interval_measures(averages.interval)}
    return {column.name: values[column.name] for column in RESULT_COLUMNS}


def _sheet_numbers(averages: TextAverages) -> dict[str, float | str]:
    """Return a sheet's numbers by subject: of texts, of the texts together, over how many."""
    numbers = _with_interval(averages)
    of_texts = [measure.name for measure in MEAN_MEASURES]
    together = [each.name for each in MODEL_MEASURES if each in CORPUS_MEASURES and each is not REPETITIVE_SHARE]
    first = (*of_texts, *together, REPETITIVE_SHARE.name)
    return {**{name: numbers[name] for name in first}, **numbers, **_counts(averages)}


def _summary_row(name: str, averages: TextAverages) -> list[object]:
    return [name, *_with_interval(averages).values(), *_counts(averages).values()]


def _counts(averages: TextAverages) -> dict[str, float]:
    return {"Rows": averages.rows, "Scored": averages.scored, "Coverage": averages.coverage}


def _comparison_row(pair: ModelPair) -> list[object]:
    return [
        pair.model,
        pair.other,
        pair.measure,
        pair.mean,
        pair.other_mean,
        pair.difference,
        pair.ratio,
        pair.similarity,
    ]


def _local_names(chunks: int) -> tuple[str, ...]:
    return tuple(f"Local_{number}" for number in range(1, chunks + 1))


def _page_columns(chunks: int) -> tuple[Column, ...]:
    """Return the columns of a sheet's page where no text of the model has more chunks."""
    names = _local_names(min(chunks, MOST_CHUNKS))
    spark = (replace(_SPARK, drawn_from=names),) if chunks > 1 else ()
    return (*_KEYS, *_FIRST, *spark, *_OTHERS, _PROBLEM, *(replace(_LOCAL, name=name) for name in names))


def _texts_page(sheet: EntropySheet, columns: Sequence[Column]) -> Page:
    rows = sheet.units.rows or ()
    local = sheet.measures.local_entropy
    cells: dict[str, Sequence[object]] = {
        "Id": sheet.units.keys["Id"],
        "Text": sheet.texts,
        **sheet.units.measures,
        _SPARK.name: [""] * len(rows),
        _REPEATED.name: sheet.phrases,
        _PROBLEM.name: [sheet.row_problems.get(row, "") for row in rows],
        **{name: local[:, position].tolist() for position, name in enumerate(_local_names(local.shape[1]))},
    }
    table = object_frame({column.name: cells[column.name] for column in columns}, index=list(rows))
    return Page(sheet.name, table, tuple(columns))


def entropy_histogram(sheets: Sequence[EntropySheet]) -> Histogram | None:
    """Return how the word entropies of a model's texts are spread, in bins of a round width."""
    values = np.concatenate([sheet.measures.word_entropy[sheet.scored] for sheet in sheets])
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    width = next((width for width in _BIN_WIDTHS if (high - low) / width < _BINS - 1), _BIN_WIDTHS[-1])
    first, last = math.floor(low / width + 1e-9), math.floor(high / width + 1e-9)
    bins = np.floor(values / width + 1e-9).astype(np.int64) - first
    counts = np.bincount(bins, minlength=last - first + 1).tolist()
    names = tuple(f"{number * width:.4g}–{(number + 1) * width:.4g}" for number in range(first, last + 1))
    return Histogram("Word entropy of the model's texts, in bits", names, tuple(counts))


REPORTER: Final = EntropyReporter()
