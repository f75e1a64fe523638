"""The measures of entropy, each declared once: of a text, of the texts of a sheet together, and over how many texts."""

from typing import Final

from scoresheet.metrics.families.entropy.constants import (
    DROP,
    FALLING,
    HUMAN_SHARE,
    REPEATED_SHARE,
    RISING,
    RUN_CHARACTERS,
    RUN_WORDS,
    SEMANTIC_BINS,
    VENDI_TEXTS,
    WINDOW,
)
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import flag, number_word, percent

# of a text
WORDS: Final = Measure(
    name="Words",
    field="words",
    about="Words; one-letter words do not count.",
    about_mean="Mean length in words.",
    quantity="count",
    highest=None,
    shown=("unit", "model"),
)
UNIQUE_WORDS: Final = Measure(
    name="Unique_Words", field="unique_words", about="Different words.", quantity="count", highest=None
)
ENTROPY_AT_LENGTH: Final = Measure(
    name="Entropy_At_Length",
    field="entropy_at_length",
    about=f"Mean word entropy in bits of the text's windows of {flag('window')} words (unless it says otherwise, "
    f"{WINDOW}), one after the other; empty for a text that fills none.",
    highest=None,
    shown=("unit", "model", "terminal"),
)
WORD_ENTROPY: Final = Measure(
    name="Word_Entropy",
    field="word_entropy",
    about="Entropy of the words in bits, −Σ p·log2 p: 0 if all are the same word. It grows with the length of a text.",
    highest=None,
    shown=("unit", "model"),
)
BIGRAM_ENTROPY: Final = Measure(
    name="Bigram_Entropy",
    field="bigram_entropy",
    about="The same over pairs of words that follow each other.",
    highest=None,
    shown=("unit", "model"),
)
TRIGRAM_ENTROPY: Final = Measure(
    name="Trigram_Entropy",
    field="trigram_entropy",
    about="The same over three words in a row.",
    highest=None,
    shown=("unit", "model"),
)
VOCAB_DIVERSITY: Final = Measure(
    name="Vocab_Diversity",
    field="vocab_diversity",
    about="Word entropy as a share of its maximum, log2 of the unique words; 0 if there is one.",
    shown=("unit", "model"),
)
UNIQUE_RATIO: Final = Measure(
    name="Unique_Ratio",
    field="unique_ratio",
    about="Unique words / words. It falls with the length of a text.",
    shown=("unit", "model"),
)
QUALITY_RATIO: Final = Measure(
    name="Quality_Ratio",
    field="quality_ratio",
    about="Word entropy / log2 of the length in white-space words (at least 1).",
    highest=None,
    shown=("unit", "model"),
)
SEMANTIC_DIVERSITY: Final = Measure(
    name="Semantic_Diversity",
    field="semantic_diversity",
    about="1 less the mean cosine of two sentences; empty for a single sentence.",
    better="higher",
    shown=("unit", "model"),
)
SEMANTIC_ENTROPY: Final = Measure(
    name="Semantic_Entropy",
    field="semantic_entropy",
    about=f"Entropy in bits of the sentences' cosines in {number_word(SEMANTIC_BINS)} bins; empty for a single "
    "sentence.",
    highest=None,
    shown=("unit", "model"),
)
ENTROPY_VARIANCE: Final = Measure(
    name="Entropy_Variance",
    field="entropy_variance",
    about="Variance of the word entropies of the text's chunks; empty without chunks.",
    highest=None,
)
ENTROPY_DROPS: Final = Measure(
    name="Entropy_Drops",
    field="entropy_drops",
    about=f"Chunks with less than {DROP:g} of the entropy of the chunk before.",
    quantity="count",
    highest=None,
)
ENTROPY_TREND: Final = Measure(
    name="Entropy_Trend",
    field="entropy_trend",
    about=f"Last third of the chunks against the first: decreasing below {FALLING:g}, increasing above {RISING:g} "
    "times.",
    quantity="label",
)
TOP_WORD_SHARE: Final = Measure(
    name="Top_Word_Share", field="top_word_share", about="Share of the commonest word.", quantity="share"
)
MAX_BIGRAM: Final = Measure(
    name="Max_Bigram",
    field="max_bigram",
    about="How often the commonest pair of words occurs.",
    quantity="count",
    highest=None,
)
REPEATED_RUNS: Final = Measure(
    name="Repeated_Share",
    field="repeated_share",
    about=f"Share of the words in runs of {number_word(RUN_WORDS)} words ({RUN_CHARACTERS} characters in an unspaced "
    "script; in a short text half of its words) that stood in the text before.",
    quantity="share",
)
REPETITIVE: Final = Measure(
    name="Repetitive",
    field="repetitive",
    about=f"Whether the text repeats itself: Repeated_Share is {percent(REPEATED_SHARE)} or more, or the printed rule "
    f"under {flag('repetition printed')}; of sheets and models, the share that do.",
    quantity="label",
)
TEXT_MEASURES: Final = (
    WORDS,
    UNIQUE_WORDS,
    ENTROPY_AT_LENGTH,
    WORD_ENTROPY,
    BIGRAM_ENTROPY,
    TRIGRAM_ENTROPY,
    VOCAB_DIVERSITY,
    UNIQUE_RATIO,
    QUALITY_RATIO,
    SEMANTIC_DIVERSITY,
    SEMANTIC_ENTROPY,
    ENTROPY_VARIANCE,
    ENTROPY_DROPS,
    ENTROPY_TREND,
    TOP_WORD_SHARE,
    MAX_BIGRAM,
    REPEATED_RUNS,
    REPETITIVE,
)

# of the texts of a sheet together
REPETITIVE_SHARE: Final = Measure(
    name="Repetitive",
    field="repetitive_share",
    about="Share of the texts that repeat themselves.",
    quantity="share",
    better="lower",
    shown=("model", "terminal"),
)
DISTINCT_1: Final = Measure(
    name="Distinct_1", field="distinct_1", about="Different words / words, all texts.", shown=("model",)
)
DISTINCT_2: Final = Measure(
    name="Distinct_2",
    field="distinct_2",
    about="Different pairs of words / pairs of words, all texts.",
    better="higher",
    shown=("model",),
)
DISTINCT_3: Final = Measure(
    name="Distinct_3",
    field="distinct_3",
    about="Different runs of three words / runs of three words, all texts.",
    shown=("model",),
)
SELF_REPETITION: Final = Measure(
    name="Self_Repetition",
    field="self_repetition",
    about="Mean share of a text's runs of four words that another text of the sheet has too.",
    better="lower",
    shown=("model",),
)
PAIRWISE_SIMILARITY: Final = Measure(
    name="Pairwise_Similarity",
    field="pairwise_similarity",
    about="Mean TF-IDF cosine of two texts of the sheet.",
    better="lower",
    shown=("model",),
)
VENDI: Final = Measure(
    name="Vendi",
    field="vendi",
    about="How many different texts the texts of the sheet amount to (Vendi score).",
    highest=None,
    shown=("model", "terminal"),
)
COMPRESSION_RATIO: Final = Measure(
    name="Compression_Ratio",
    field="compression_ratio",
    about="Bytes / compressed bytes of all texts; high: they repeat.",
    highest=None,
    shown=("model",),
)
CORPUS_MEASURES: Final = (
    REPETITIVE_SHARE,
    DISTINCT_1,
    DISTINCT_2,
    DISTINCT_3,
    SELF_REPETITION,
    PAIRWISE_SIMILARITY,
    VENDI,
    COMPRESSION_RATIO,
)

# over how many texts those measures are that not every text has; of a model, the sum of its sheets
COUNT_MEASURES: Final = tuple(
    Measure(name=name, field=field, about=about, quantity="count", highest=None, average="sum", shown=("model",))
    for name, field, about in (
        ("At_Length_Texts", "at_length", "Texts that fill a window, which Entropy_At_Length is over."),
        ("Semantic_Texts", "semantic", "Texts of two sentences or more, which Semantic_* are over."),
        ("Bigram_Texts", "bigram", "Texts of two words or more, which Bigram_Entropy is over."),
        ("Trigram_Texts", "trigram", "Texts of three words or more, which Trigram_Entropy is over."),
        ("Self_Repetition_Texts", "self_repetition", "Texts of four words or more, which Self_Repetition is over."),
        (
            "Vendi_Texts",
            "vendi",
            f"Texts that Vendi was computed from: all, or a seeded sample of {VENDI_TEXTS:,}.",
        ),
    )
)

# what a text's measures come to in a sheet, in the order of the results table
MEAN_MEASURES: Final = (
    ENTROPY_AT_LENGTH,
    WORD_ENTROPY,
    VOCAB_DIVERSITY,
    QUALITY_RATIO,
    SEMANTIC_DIVERSITY,
    SEMANTIC_ENTROPY,
    BIGRAM_ENTROPY,
    TRIGRAM_ENTROPY,
    UNIQUE_RATIO,
    WORDS,
)
MODEL_MEASURES: Final = (
    ENTROPY_AT_LENGTH,
    WORD_ENTROPY,
    VOCAB_DIVERSITY,
    QUALITY_RATIO,
    SEMANTIC_DIVERSITY,
    REPETITIVE_SHARE,
    DISTINCT_2,
    SELF_REPETITION,
    PAIRWISE_SIMILARITY,
    VENDI,
    COMPRESSION_RATIO,
    SEMANTIC_ENTROPY,
    BIGRAM_ENTROPY,
    TRIGRAM_ENTROPY,
    UNIQUE_RATIO,
    WORDS,
    DISTINCT_1,
    DISTINCT_3,
    *COUNT_MEASURES,
)
COMPARED_MEASURES: Final = (
    ENTROPY_AT_LENGTH,
    WORD_ENTROPY,
    BIGRAM_ENTROPY,
    VOCAB_DIVERSITY,
    SEMANTIC_ENTROPY,
    SEMANTIC_DIVERSITY,
    QUALITY_RATIO,
    REPETITIVE,
)
# what is said of a model by the interval of the share of its repetitive texts, held against human prose
REPETITION_BANDS: Final = ((0.0, "rare"), (HUMAN_SHARE, "frequent"))
OFTEN_REPETITIVE: Final = REPETITION_BANDS[-1][1]
REPETITION: Final = "Repetition"
REPETITIVE_INTERVAL: Final = ("Repetitive_CI_Low", "Repetitive_CI_High")
MEASURES: Final = (*TEXT_MEASURES, *CORPUS_MEASURES, *COUNT_MEASURES)
