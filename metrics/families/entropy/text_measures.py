"""The measures of texts: as arrays with an element per text, and from Python text by text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.checks import check_whole, checked_texts
from scoresheet.metrics.families.entropy.blocks import Block, WordEncoder, batches
from scoresheet.metrics.families.entropy.constants import SHORTEST_WINDOW
from scoresheet.metrics.families.entropy.corpus import Corpus, CorpusDiversity, CountedWords
from scoresheet.metrics.families.entropy.local_entropy import (
    TRENDS,
    drops,
    local_entropies,
    trends,
    variances,
)
from scoresheet.metrics.families.entropy.ngrams import NgramCounter
from scoresheet.metrics.families.entropy.options import (
    AS_PRINTED,
    DEFINITIONS,
    FORMER_DEFINITIONS,
    NO_VECTORS,
    REPETITION_RULES,
    TOKENIZERS,
    VECTORS,
    VOCABULARIES,
    EntropyOptions,
)
from scoresheet.metrics.families.entropy.repetition import is_repetitive_as_printed, repeated_shares, repeats_runs
from scoresheet.metrics.families.entropy.semantic import similarities
from scoresheet.metrics.families.entropy.windows import entropies_at_length
from scoresheet.metrics.options import check_choice, todays_word
from scoresheet.metrics.records import dataclass

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

_DEFAULTS: Final = EntropyOptions()


@dataclass(frozen=True, kw_only=True)
class TextRules:
    """How texts are measured."""

    tokenizer: str = _DEFAULTS.tokenizer
    vocabulary: str = _DEFAULTS.vocabulary
    definition: str = _DEFAULTS.definition
    vectors: str = _DEFAULTS.vectors
    window: int = _DEFAULTS.window
    repetition: str = _DEFAULTS.repetition

    @classmethod
    def of(cls, options: EntropyOptions) -> TextRules:
        """Return the rules that the options set."""
        return cls(**{field.name: getattr(options, field.name) for field in fields(cls)})

    def encoder(self) -> WordEncoder:
        """Return what cuts texts into words."""
        return WordEncoder(self.tokenizer, self.vocabulary)


@dataclass(frozen=True)
class TextMeasures:
    """The measures of texts; undefined is NaN, as nearly everything is of a text without words."""

    words: Integers
    unique_words: Integers
    entropy_at_length: Numbers
    word_entropy: Numbers
    bigram_entropy: Numbers
    trigram_entropy: Numbers
    vocab_diversity: Numbers
    unique_ratio: Numbers
    quality_ratio: Numbers
    semantic_diversity: Numbers
    semantic_entropy: Numbers
    entropy_variance: Numbers
    entropy_drops: Numbers
    entropy_trend: Integers  # an index into TRENDS
    top_word_share: Numbers
    max_bigram: Integers
    repeated_share: Numbers
    repetitive: NDArray[np.bool_]
    local_entropy: Numbers  # a row per text: its chunks

    @classmethod
    def concatenated(cls, parts: Sequence[TextMeasures]) -> TextMeasures:
        """Return the measures of several blocks as one."""
        return cls(*(np.concatenate([getattr(part, name.name) for part in parts]) for name in fields(cls)))

    def array(self, field: str) -> Numbers | Integers | NDArray[np.bool_]:
        """Return a measure by its field."""
        values: Numbers | Integers | NDArray[np.bool_] = getattr(self, field)
        return values


class TextEntropy(NamedTuple):
    """The measures of one text; undefined is NaN, as nearly everything is of a text without words.

    Attributes
    ----------
    words, unique_words : int
        Words, and different ones.
    entropy_at_length : float
        The word entropy as texts of `window` words have it: the mean over the text's windows of so many words.
    word_entropy, bigram_entropy, trigram_entropy : float
        Shannon entropy in bits over words, and over two and three words in a row.
    vocab_diversity : float
        The word entropy over its maximum, log2 of the different words.
    unique_ratio : float
        Different words over words.
    quality_ratio : float
        The word entropy over max(log2(length), 1).
    semantic_diversity, semantic_entropy : float
        1 less the mean cosine of two sentences; the entropy in bits of these cosines in equal bins.
    entropy_variance, entropy_drops : float
        How the word entropy changes from chunk to chunk: its variance, and how often it falls far below that before.
    entropy_trend : {'', 'decreasing', 'stable', 'increasing'}
        How the last third of the chunks compares with the first.
    top_word_share : float
        The share of the commonest word.
    max_bigram : int
        How often the commonest two words in a row occur.
    repeated_share : float
        The share of the words that stand in runs which stood in the text before.
    repetitive : bool
        Whether the text repeats itself.
    local_entropy : tuple of float
        The word entropy of each chunk.
    """

    words: int
    unique_words: int
    entropy_at_length: float
    word_entropy: float
    bigram_entropy: float
    trigram_entropy: float
    vocab_diversity: float
    unique_ratio: float
    quality_ratio: float
    semantic_diversity: float
    semantic_entropy: float
    entropy_variance: float
    entropy_drops: float
    entropy_trend: str
    top_word_share: float
    max_bigram: int
    repeated_share: float
    repetitive: bool
    local_entropy: tuple[float, ...]


def block_measures(block: Block, counter: NgramCounter, rules: TextRules) -> TextMeasures:
    """Return the measures of the texts of a block whose words were counted."""
    totals = np.diff(block.words.offsets)
    empty = totals == 0
    types, bits = counter.tally.types, counter.tally.entropy
    bigrams = counter.ngrams(2)
    local = np.where(empty[:, None], np.nan, local_entropies(block))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares, unique_ratio = counter.tally.largest / totals, types / totals
        vocabulary = np.where(types > 1, bits / np.log2(types), np.where(empty, np.nan, 0.0))
    cosines = None if rules.vectors == NO_VECTORS else similarities(block, rules.vectors, rules.tokenizer)
    undefined = np.full(len(totals), np.nan)
    repeated, counted = _repeated_shares(block, counter, rules)
    if rules.repetition == AS_PRINTED:
        repetitive = ~empty & is_repetitive_as_printed(block.lengths, shares, bigrams.largest, local)
    else:
        repetitive = repeats_runs(counted, repeated)
    return TextMeasures(
        words=totals,
        unique_words=types,
        entropy_at_length=entropies_at_length(block.words, rules.window),
        word_entropy=bits,
        bigram_entropy=bigrams.entropy,
        trigram_entropy=counter.ngrams(3).entropy,
        vocab_diversity=vocabulary,
        unique_ratio=unique_ratio,
        quality_ratio=bits / np.maximum(np.log2(np.maximum(block.lengths, 1)), 1.0),
        semantic_diversity=cosines.diversity(rules.definition) if cosines else undefined,
        semantic_entropy=cosines.entropy() if cosines else undefined,
        entropy_variance=variances(local),
        entropy_drops=drops(local),
        entropy_trend=trends(local),
        top_word_share=shares,
        max_bigram=bigrams.largest,
        repeated_share=repeated,
        repetitive=repetitive,
        local_entropy=local,
    )


def _repeated_shares(block: Block, counter: NgramCounter, rules: TextRules) -> tuple[Numbers, Integers]:
    """Return the share of each text's words in runs that stood before, and how many words that is of.

    Tokens of a vocabulary hold spaces, capitals and full stops: a sentence said twice is not the same tokens twice. So
    there words are those of the default tokenizer.
    """
    if rules.tokenizer == "bpe":
        block = WordEncoder().block(block.texts)
        counter = NgramCounter(block.words)
    return repeated_shares(counter, block.by_character), np.diff(block.words.offsets)


def text_entropy(
    text: str,
    *,
    tokenizer: str = _DEFAULTS.tokenizer,
    vocabulary: str = _DEFAULTS.vocabulary,
    vectors: str = _DEFAULTS.vectors,
    definition: str = _DEFAULTS.definition,
    window: int = _DEFAULTS.window,
    repetition: str = _DEFAULTS.repetition,
) -> TextEntropy:
    """Return how much one text says: entropy of its words, word pairs and sentences, and whether it repeats itself.

    Parameters
    ----------
    text : str
        The text.
    tokenizer, vocabulary, vectors, definition : str, optional
        As `text_entropies` takes them.
    window : int, optional
        As `text_entropies` takes it.
    repetition : str, optional
        As `text_entropies` takes it.

    Returns
    -------
    TextEntropy
        The measures of the text.

    Raises
    ------
    ValueError
        If an option has a value that it cannot have, or the text is none.
    MissingExtra
        If an option needs a package that is not installed.

    Examples
    --------
    >>> fox = text_entropy("The quick brown fox jumps over the lazy dog")
    >>> round(fox.word_entropy, 6), fox.bigram_entropy, fox.repetitive
    (2.947703, 3.0, False)
    """
    return text_entropies(
        [text],
        tokenizer=tokenizer,
        vocabulary=vocabulary,
        vectors=vectors,
        definition=definition,
        window=window,
        repetition=repetition,
    )[0]


def text_entropies(
    texts: Sequence[str],
    *,
    tokenizer: str = _DEFAULTS.tokenizer,
    vocabulary: str = _DEFAULTS.vocabulary,
    vectors: str = _DEFAULTS.vectors,
    definition: str = _DEFAULTS.definition,
    window: int = _DEFAULTS.window,
    repetition: str = _DEFAULTS.repetition,
) -> list[TextEntropy]:
    """Return how much each text says: entropy of its words, word pairs and sentences, and whether it repeats itself.

    Parameters
    ----------
    texts : sequence of str, length n_texts
        The texts.
    tokenizer : {'auto', 'whitespace', 'chars', 'words', 'bpe'}, optional
        What a word is: runs of letters and digits, with unspaced scripts cut into characters; no run cut; every
        character; Chinese segmented; the tokens of a vocabulary.
    vocabulary : {'o200k_base', 'cl100k_base'}, optional
        The vocabulary of 'bpe'.
    vectors : {'tfidf', 'static', 'none'}, optional
        What sentences are compared by: TF-IDF over the text's own sentences, static embeddings, or nothing, which
        leaves out the semantic measures.
    definition : {'offdiagonal', 'seed'}, optional
        Whether semantic diversity has each sentence's cosine with itself in the mean: 'seed' has.
    window : int, optional
        The words of the windows that the entropy at equal length is the mean over: one after the other from the first
        word on, only full ones.
    repetition : {'runs', 'printed'}, optional
        When a text is repetitive: by the share of its words in runs that stood before, or by its commonest word and
        pair, which most human texts of some length are repetitive by.

    Returns
    -------
    list of TextEntropy, length n_texts
        The measures of each text; of none, none.

    Raises
    ------
    ValueError
        If an option has a value that it cannot have, or one of the texts is none.
    MissingExtra
        If an option needs a package that is not installed.

    Examples
    --------
    >>> [found.words for found in text_entropies(["two words", "", "三个字"])]
    [2, 0, 3]
    """
    check_choice("tokenizer", tokenizer, TOKENIZERS)
    check_choice("vocabulary", vocabulary, VOCABULARIES)
    check_choice("vectors", vectors, (*VECTORS, NO_VECTORS))
    definition = todays_word(definition, FORMER_DEFINITIONS)
    check_choice("definition", definition, DEFINITIONS)
    check_choice("repetition", repetition, REPETITION_RULES)
    if not isinstance(window, int) or window < SHORTEST_WINDOW:
        raise ValueError(f"window cannot be {window!r}; it is a whole number, and the least is {SHORTEST_WINDOW}")
    rules = TextRules(
        tokenizer=tokenizer,
        vocabulary=vocabulary,
        vectors=vectors,
        definition=definition,
        window=window,
        repetition=repetition,
    )
    encoder = rules.encoder()
    blocks = map(encoder.block, batches(checked_texts("texts", texts)))
    measures = TextMeasures.concatenated([block_measures(block, NgramCounter(block.words), rules) for block in blocks])
    return _text_by_text(measures)


def corpus_diversity(
    texts: Sequence[str],
    *,
    tokenizer: str = _DEFAULTS.tokenizer,
    vocabulary: str = _DEFAULTS.vocabulary,
    seed: int = _DEFAULTS.seed,
) -> CorpusDiversity:
    """Return how different texts are from each other.

    Parameters
    ----------
    texts : sequence of str
        The texts; those without words are left out.
    tokenizer : {'auto', 'whitespace', 'chars', 'words', 'bpe'}, optional
        What a word is, as in `text_entropies`.
    vocabulary : {'o200k_base', 'cl100k_base'}, optional
        The vocabulary of 'bpe'.
    seed : int, optional
        Seed of the sample that the Vendi score of very many texts is taken from.

    Returns
    -------
    CorpusDiversity
        The measures of all texts together; what needs two texts is NaN for one.

    Raises
    ------
    ValueError
        If an option has a value that it cannot have, one of the texts is none, or there is no text.
    MissingExtra
        If an option needs a package that is not installed.

    References
    ----------
    J. Li et al. (2016), A Diversity-Promoting Objective Function for Neural Conversation Models, NAACL.

    N. Salkar et al. (2022), Self-Repetition in Abstractive Neural Summarizers, AACL.

    D. Friedman, A. B. Dieng (2023), The Vendi Score: A Diversity Evaluation Metric for Machine Learning, TMLR.

    Examples
    --------
    >>> found = corpus_diversity(["red fox den", "red fox den", "sea sky"])
    >>> found.distinct_1, round(found.pairwise_similarity, 3)
    (0.625, 0.333)
    """
    check_choice("tokenizer", tokenizer, TOKENIZERS)
    check_choice("vocabulary", vocabulary, VOCABULARIES)
    check_whole("seed", seed)
    listed = checked_texts("texts", texts)
    if not listed:
        raise ValueError(f"there are no texts: {texts!r}")
    encoder, corpus = WordEncoder(tokenizer, vocabulary), Corpus()
    for block in map(encoder.block, batches(listed)):
        corpus.add(block.texts, CountedWords.of(block, NgramCounter(block.words)))
    return corpus.diversity(seed)


def _text_by_text(measures: TextMeasures) -> list[TextEntropy]:
    chunks = (~np.isnan(measures.local_entropy)).sum(axis=1).tolist()
    columns = {name: measures.array(name).tolist() for name in TextEntropy._fields}
    columns["entropy_trend"] = [TRENDS[index] for index in measures.entropy_trend.tolist()]
    columns["local_entropy"] = [
        tuple(local[:count]) for local, count in zip(measures.local_entropy.tolist(), chunks, strict=True)
    ]
    return [TextEntropy(*values) for values in zip(*columns.values(), strict=True)]
