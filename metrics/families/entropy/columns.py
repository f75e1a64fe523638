"""The columns of the entropy reports."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from scoresheet.metrics.core import Column
from scoresheet.metrics.families.entropy.local import MOST_CHUNKS

TEXT: Final = Column(
    "text", "The text.", "text", ("response", "prediction", "output", "answer", "completion", "generation")
)
ID: Final = Column(
    "id",
    "What the text is, or answers; by it the texts of two models are paired.",
    "label",
    ("item", "item_id", "prompt_id", "prompt", "question"),
    required=False,
)

WORD_ENTROPY: Final = Column(
    "Word_Entropy",
    "Entropy of the words in bits, −Σ p·log2 p: 0 if all are the same word.",
    "score",
    better="higher",
    relative=True,
)
WORDS: Final = Column("Words", "Words; one-letter words do not count.", "count")
BIGRAMS: Final = Column("Bigram_Entropy", "The same over pairs of words that follow each other.", "score")
TRIGRAMS: Final = Column("Trigram_Entropy", "The same over three words in a row.", "score")
VOCABULARY: Final = Column(
    "Vocab_Diversity",
    "Word entropy as a share of its maximum, log2 of the unique words; 0 if there is one.",
    "score",
    better="higher",
)
UNIQUE: Final = Column("Unique_Ratio", "Unique words / words.", "score", better="higher")
QUALITY: Final = Column(
    "Quality_Ratio", "Word entropy / log2 of the length in white-space words (at least 1).", "score"
)
SEMANTIC_DIVERSITY: Final = Column(
    "Semantic_Diversity",
    "1 less the mean cosine of two sentences; empty for a single sentence.",
    "score",
    better="higher",
)
SEMANTIC_ENTROPY: Final = Column(
    "Semantic_Entropy", "Entropy in bits of the sentences' cosines in ten bins; empty for a single sentence.", "score"
)

# a text
UNIT: Final = (
    WORDS,
    Column("Unique_Words", "Different words.", "count"),
    WORD_ENTROPY,
    BIGRAMS,
    TRIGRAMS,
    VOCABULARY,
    UNIQUE,
    QUALITY,
    SEMANTIC_DIVERSITY,
    SEMANTIC_ENTROPY,
    Column("Entropy_Variance", "Variance of the word entropies of the text's chunks; empty without chunks.", "score"),
    Column("Entropy_Drops", "Chunks with less than 0.8 of the entropy of the chunk before.", "count"),
    Column(
        "Entropy_Trend",
        "Last third of the chunks against the first: decreasing below 0.9, increasing above 1.1 times.",
        "label",
        middling=("decreasing",),
    ),
    Column("Top_Word_Share", "Share of the commonest word.", "share"),
    Column("Max_Bigram", "How often the commonest pair of words occurs.", "count"),
    Column(
        "Repetitive",
        "Whether the text repeats itself, by a rule for its length; of sheets and models, the share that do.",
        "label",
        middling=("yes",),
    ),
)
MEASURES: Final = tuple(column.name for column in UNIT)
_SPARK: Final = Column(
    "Local_Entropy", "The word entropies of the text's chunks, in order; the lowest is red.", "spark"
)
_REPEATED: Final = Column(
    "Repeated", "The longest phrase that stands twice or more (its first eight words), and how often.", "text"
)
_PROBLEM: Final = Column("Problem", "Why the row has no score.")
_LOCAL: Final = Column("Local_k", "Word entropy of the k-th chunk: what the small bars are drawn from.", "score")
ROW: Final = (Column("Id", "The id, where there is one.", "key"), Column("Text", "The text."))
# what one looks for stands beside the text, and not behind fifteen columns of numbers
_FIRST: Final = (UNIT[-1], _REPEATED)
DETAIL: Final = (*ROW, *_FIRST, _SPARK, *UNIT[:-1], _PROBLEM, _LOCAL)


def local_names(chunks: int = MOST_CHUNKS) -> tuple[str, ...]:
    """Return the columns of the first so many chunks."""
    return tuple(f"Local_{number}" for number in range(1, chunks + 1))


def detail_columns(chunks: int) -> tuple[Column, ...]:
    """Return the columns of a sheet's page where no text of the model has more chunks."""
    names = local_names(chunks)
    spark = (replace(_SPARK, drawn_from=names),) if chunks > 1 else ()
    return (*ROW, *_FIRST, *spark, *UNIT[:-1], _PROBLEM, *(replace(_LOCAL, name=name) for name in names))


# a sheet and a model
LOW: Final = Column("CI_Low", "Lower end of the 95 % bootstrap interval of Word_Entropy over rows (texts).", "score")
HIGH: Final = Column("CI_High", "Upper end of the 95 % bootstrap interval of Word_Entropy over rows (texts).", "score")
REPETITIVE: Final = Column("Repetitive", "Share of the texts that repeat themselves.", "share", better="lower")
MEANS: Final = (
    WORD_ENTROPY,
    VOCABULARY,
    QUALITY,
    SEMANTIC_DIVERSITY,
    SEMANTIC_ENTROPY,
    BIGRAMS,
    TRIGRAMS,
    UNIQUE,
    WORDS,
)
DISTINCT_2: Final = Column(
    "Distinct_2", "Different pairs of words / pairs of words, all texts.", "score", better="higher"
)
CORPUS: Final = (
    DISTINCT_2,
    Column(
        "Self_Repetition",
        "Mean share of a text's runs of four words that another text of the sheet has too.",
        "score",
        better="lower",
    ),
    Column("Pairwise_Similarity", "Mean TF-IDF cosine of two texts of the sheet.", "score", better="lower"),
    Column("Vendi", "How many different texts the texts of the sheet amount to (Vendi score).", "score"),
    Column("Compression_Ratio", "Bytes / compressed bytes of all texts; high: they repeat.", "score"),
    Column("Distinct_1", "Different words / words, all texts.", "score"),
    Column("Distinct_3", "Different runs of three words / runs of three words, all texts.", "score"),
)


# over how many texts those measures are that not every text has; of a model, the sum of its sheets
COUNTS: Final = (
    Column("Semantic_Texts", "Texts of two sentences or more, which Semantic_* are over.", "count"),
    Column("Bigram_Texts", "Texts of two words or more, which Bigram_Entropy is over.", "count"),
    Column("Trigram_Texts", "Texts of three words or more, which Trigram_Entropy is over.", "count"),
    Column("Self_Repetition_Texts", "Texts of four words or more, which Self_Repetition is over.", "count"),
    Column("Vendi_Texts", "Texts that Vendi was computed from: all, or a seeded sample of 2,000.", "count"),
)


def _mean(column: Column) -> Column:
    about = "Mean length in words." if column is WORDS else f"Mean over texts. {column.about}"
    return replace(column, about=about, kind="score")


RESULTS: Final = (
    _mean(WORD_ENTROPY),
    LOW,
    HIGH,
    *map(_mean, MEANS[1:4]),
    REPETITIVE,
    *CORPUS[:5],
    *map(_mean, MEANS[4:]),
    *CORPUS[5:],
    *COUNTS,
)
HEADLINE: Final = RESULTS[0]
SUMMARY: Final = (
    Column("Sheet", "The sheet; the last row, Overall, is the mean of the sheets.", "key"),
    *RESULTS,
    Column("Rows", "Rows read.", "count"),
    Column("Scored", "Rows in the mean.", "count"),
    Column("Coverage", "Share of the rows with a computed score.", "share"),
)
