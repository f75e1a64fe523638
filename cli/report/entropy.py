"""The reports of entropy: a page per sheet with small bars along each text, the means, and models in pairs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from scoresheet.cli.report.intervals import ci_columns, describe_bootstrap
from scoresheet.cli.report.page import Column, Histogram, Page, PageTable
from scoresheet.cli.report.paired_comparison import leading_sentence
from scoresheet.cli.report.problems_page import problem_cells
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
    HUMAN_SHARE,
    MANY_BIGRAMS,
    MANY_DROPS,
    MOST_CHUNKS,
    NEVER_REPETITIVE,
    REPEATED_SHARE,
    RUN_CHARACTERS,
    RUN_WORDS,
    SEMANTIC_BINS,
    SHORT_TEXT,
    SHORT_TOP_SHARE,
    SHORTEST_CHUNK,
    TOP_SHARE,
    VENDI_TEXTS,
)
from scoresheet.metrics.families.entropy.measures import (
    CORPUS_MEASURES,
    ENTROPY_AT_LENGTH,
    ENTROPY_TREND,
    MEAN_MEASURES,
    MODEL_MEASURES,
    OFTEN_REPETITIVE,
    REPETITION,
    REPETITION_BANDS,
    REPETITIVE,
    REPETITIVE_INTERVAL,
    REPETITIVE_SHARE,
    TEXT_MEASURES,
)
from scoresheet.metrics.families.entropy.options import AS_PRINTED, WITH_DIAGONAL, EntropyOptions
from scoresheet.metrics.families.entropy.phrases import LONGEST
from scoresheet.metrics.families.entropy.result import EntropyResult, TextAverages
from scoresheet.metrics.families.entropy.score import EntropySheet
from scoresheet.metrics.measures import Measure, shown_in
from scoresheet.metrics.messages import join_names, number_word, percent, times_word
from scoresheet.metrics.stats.bands import describe_bands
from scoresheet.metrics.stats.confidence import Interval, confidence_percent
from scoresheet.metrics.stored_columns import Texts

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
    (
        "Entropy",
        "H = −Σ p·log2 p over words, pairs and runs of three, in bits; undefined for too few words. It grows with "
        "the length of a text, so neither more nor less of it is better.",
    ),
    ("Vocab_Diversity", "H / log2(unique words), 0 for one unique word. Unique_Ratio: unique words / words."),
    ("Quality_Ratio", "H / max(log2(white-space words), 1); words instead where a script has no spaces."),
    (
        "Chunks",
        f"max({SHORTEST_CHUNK}, length // {CHUNKS_A_TEXT}) white-space words, a new one every half chunk; only full "
        f"ones. A drop is below {DROP:g} of the chunk before; the trend compares the last third with the first.",
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

_REPETITION_RULES: Final = {
    "runs": (
        f"{percent(REPEATED_SHARE)} or more of the words stand in runs of {number_word(RUN_WORDS)} words that stood in "
        f"the text before ({RUN_CHARACTERS} where a word is a character; half of the words of a shorter text). Under "
        f"{NEVER_REPETITIVE} words: never."
    ),
    AS_PRINTED: (
        f"By white-space words. Under {NEVER_REPETITIVE}: never. {NEVER_REPETITIVE} to {SHORT_TEXT - 1}: top word "
        f"above {percent(SHORT_TOP_SHARE)}, or a pair {times_word(FEW_BIGRAMS)}. From {SHORT_TEXT}, under "
        f"{number_word(FEW_CHUNKS)} chunks: above {percent(TOP_SHARE)}, or a pair {times_word(FEW_BIGRAMS)}. "
        f"{number_word(FEW_CHUNKS).capitalize()} chunks or more: above {percent(TOP_SHARE)}, a pair "
        f"{times_word(MANY_BIGRAMS)}, or chunks of variance below {FLAT_VARIANCE:g} with "
        f"{number_word(MANY_DROPS)} drops."
    ),
}
_CLUSTERS: Final = "texts, or over prompts where an id stands for several texts"
_CI_LOW, _CI_HIGH, _CI_NOTE = ci_columns(_CLUSTERS, of=ENTROPY_AT_LENGTH.name)
_SHARE_LOW, _SHARE_HIGH = (
    Column(name, f"{end} end of the confidence interval of {REPETITIVE_SHARE.name}: exact, over {_CLUSTERS}.", "share")
    for name, end in zip(REPETITIVE_INTERVAL, ("Lower", "Upper"), strict=True)
)
_REPETITION: Final = Column(
    REPETITION,
    f"{describe_bands(REPETITION_BANDS)}, the most that the rule may call so of human prose; both words where the "
    f"interval of {REPETITIVE_SHARE.name} reaches into both.",
    "label",
    middling=(OFTEN_REPETITIVE,),
)
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
    return column_of(measure, middling=_MIDDLING.get(measure, ()))


# what one looks for stands beside the text, and not behind fifteen columns of numbers
_FIRST: Final = (_text_column(REPETITIVE), _REPEATED)
_OTHERS: Final = tuple(_text_column(measure) for measure in TEXT_MEASURES if measure is not REPETITIVE)


def _model_column(measure: Measure) -> Column:
    """Return what a measure of texts means as an average."""
    if measure not in MEAN_MEASURES:
        return column_of(measure)
    about = measure.about_mean or f"Mean over texts. {measure.about}"
    return replace(column_of(measure, about=about), kind="score")


_MODEL_COLUMNS: Final = {measure: _model_column(measure) for measure in MODEL_MEASURES}
_HEADLINE: Final = _MODEL_COLUMNS[ENTROPY_AT_LENGTH]
_BESIDE: Final = {
    ENTROPY_AT_LENGTH: (_CI_LOW, _CI_HIGH, _CI_NOTE),
    REPETITIVE_SHARE: (_SHARE_LOW, _SHARE_HIGH, _REPETITION),
}


def _with_beside(measures: Sequence[Measure]) -> tuple[Column, ...]:
    """Return the columns of measures of a model, each with what is said of it beside it."""
    return tuple(column for each in measures for column in (_MODEL_COLUMNS[each], *_BESIDE.get(each, ())))


RESULT_COLUMNS: Final = _with_beside(MODEL_MEASURES)
_OFF_SCREEN: Final = (_CI_NOTE, _SHARE_LOW, _SHARE_HIGH)  # the sentence under the table has what they say
_TERMINAL: Final = tuple(
    column for column in _with_beside(shown_in(MODEL_MEASURES, "terminal")) if column not in _OFF_SCREEN
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
            (
                ENTROPY_AT_LENGTH.name,
                f"Mean H of windows of {options.window} words, one after the other from the first word on, only full "
                "ones. Texts with fewer words are left out, and noted.",
            ),
            (REPETITIVE.name, _REPETITION_RULES[options.repetition]),
            (
                "Interval",
                f"{ENTROPY_AT_LENGTH.name}: {describe_bootstrap(_CLUSTERS, options.ci)}, seeded. "
                f"{REPETITIVE_SHARE.name}: exact (Clopper, Pearson) at the size that the clusters leave.",
            ),
            (REPETITION, f"{describe_bands(REPETITION_BANDS)}: where the whole interval lies, else both."),
            ("Words", words),
            ("Vectors", vectors),
            ("Semantic_Diversity", f"1 less the mean cosine of sentences, {diagonal}"),
        )

    def result_columns(self, results: Collection[EntropyResult], options: EntropyOptions) -> ResultColumns:
        """Return the means; on a terminal, the few that fit on a line."""
        return ResultColumns(RESULT_COLUMNS, _HEADLINE, _TERMINAL, (_CI_LOW, _CI_HIGH))

    def model_pages(self, model: str, result: EntropyResult, options: EntropyOptions) -> ModelPages:
        """Return the means, and a page per sheet with as many chunks as the longest text of the model has."""
        lines = {**result.by_sheet, OVERALL: result.overall}
        summary = Page(
            title="Summary",
            table=PageTable.of_rows(
                [column.name for column in SUMMARY_COLUMNS], [_summary_row(name, own) for name, own in lines.items()]
            ),
            columns=SUMMARY_COLUMNS,
            chart=entropy_histogram(result.sheets, options.window),
            total_rows=1,
        )
        columns = _page_columns(max((sheet.measures.chunks for sheet in result.sheets), default=0))
        return ModelPages(summary, tuple(_texts_page(sheet, columns) for sheet in result.sheets))

    def numbers(self, result: EntropyResult, options: EntropyOptions) -> Numbers:
        """Return the means of the model and of each sheet."""
        sheets = {name: _sheet_numbers(averages) for name, averages in result.by_sheet.items()}
        return {**_with_interval(result.overall), "Sheets": sheets}

    def answer(
        self, comparison: EntropyComparison, results: Mapping[str, EntropyResult], options: EntropyOptions
    ) -> str:
        """Return who is the richest at equal length and whether that is shown, and whose texts repeat themselves."""
        sentences = (_richest(comparison, results, options), _repetitive(results, options))
        return " ".join(sentence for sentence in sentences if sentence)

    def run_pages(
        self, comparison: EntropyComparison, results: Mapping[str, EntropyResult | None], options: EntropyOptions
    ) -> tuple[Page, ...]:
        """Return every two models, measure by measure."""
        names = [column.name for column in COMPARISON_COLUMNS]
        return (
            Page("Side by side", PageTable.of_rows(names, map(_comparison_row, comparison.pairs)), COMPARISON_COLUMNS),
        )


def _richest(comparison: EntropyComparison, results: Mapping[str, EntropyResult], options: EntropyOptions) -> str:
    """Return what is shown of entropy at equal length."""
    scores = {model: own.overall.measures[_HEADLINE.name] for model, own in results.items()}
    without = [model for model, score in scores.items() if math.isnan(score)]
    missing = f"{join_names(without)}: no text of {options.window} words, so no {_HEADLINE.name}." if without else ""
    known = [model for model, score in scores.items() if not math.isnan(score)]
    if len(known) == 1:
        (model,) = known
        mean = f"{scores[model]:.3f} bits{_between(results[model].overall.interval, options.ci)}"
        return f"{model} has a mean {_HEADLINE.name} of {mean}. {missing}".strip()
    if not known:
        return missing
    found = leading_sentence(comparison.paired)
    found = found or f"the models share no ids with a text of {options.window} words: none is shown to be the richest."
    return f"At equal length, {options.window} words: {found} {missing}".strip()


def _repetitive(results: Mapping[str, EntropyResult], options: EntropyOptions) -> str:
    """Return the models that repeat themselves more often than people, and those of which that is not shown."""
    name = REPETITIVE_SHARE.name
    shares = {
        model: (own.overall.measures[name], own.overall.repetition, _share_between(own.overall, options.ci))
        for model, own in results.items()
        if not math.isnan(own.overall.measures[name])
    }
    often: list[str] = []
    others: list[str] = []
    for model, (share, repetition, interval) in sorted(shares.items(), key=lambda each: -each[1][0]):
        (often if repetition == OFTEN_REPETITIVE else others).append(f"{model} {100 * share:.1f} %{interval}")
    parts = [
        f"{words}: {join_names(models)}"
        for words, models in (
            (f"Repetitive more often than human prose ({percent(HUMAN_SHARE)} at most)", often),
            ("not shown to be repetitive" if often else "No model is shown to be repetitive", others),
        )
        if models
    ]
    return f"{'; '.join(parts)}." if parts else ""


def _between(interval: Interval, confidence: float) -> str:
    if not interval.is_known:
        return f" ({interval.note})"
    return f" ({confidence_percent(confidence)} interval {interval.low:.3f} to {interval.high:.3f})"


def _share_between(averages: TextAverages, confidence: float) -> str:
    low, high, _ = averages.repetitive_interval
    if math.isnan(low):
        return f" ({averages.repetition})"
    return f" ({confidence_percent(confidence)} interval {100 * low:.1f} to {100 * high:.1f} %)"


def _with_interval(averages: TextAverages) -> dict[str, float | str]:
    values = averages.named()
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
    cells: dict[str, Sequence[object]] = {
        "Id": sheet.units.keys["Id"],
        "Text": sheet.texts,
        **sheet.units.measures,
        _SPARK.name: Texts.empty(len(rows)),
        _REPEATED.name: sheet.phrases,
        _PROBLEM.name: problem_cells(sheet.row_problems, rows),
    }
    # another sheet may have texts of more chunks
    cells |= {name: sheet.measures.chunk(place) for place, name in enumerate(_local_names(MOST_CHUNKS))}
    table = PageTable({column.name: cells[column.name] for column in columns})
    return Page(sheet.name, table, tuple(columns))


def entropy_histogram(sheets: Sequence[EntropySheet], window: int) -> Histogram | None:
    """Return how the entropies at equal length of a model's texts are spread, in bins of a round width."""
    values = np.concatenate([sheet.measures.array(ENTROPY_AT_LENGTH.field) for sheet in sheets])
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    width = next((width for width in _BIN_WIDTHS if (high - low) / width < _BINS - 1), _BIN_WIDTHS[-1])
    first, last = math.floor(low / width + 1e-9), math.floor(high / width + 1e-9)
    bins = np.floor(values / width + 1e-9).astype(np.int64) - first
    counts = np.bincount(bins, minlength=last - first + 1).tolist()
    names = tuple(f"{number * width:.4g}–{(number + 1) * width:.4g}" for number in range(first, last + 1))
    title = f"Word entropy of the model's texts at {window} words"
    return Histogram(title, names, tuple(counts), across="Bits", up="Texts")


REPORTER: Final = EntropyReporter()
