"""ROUGE-L precision: bit for bit that of PyPI `rouge` 1.0.1, the textbook's, and the character-set form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from scoresheet.metrics.checks import check_text
from scoresheet.metrics.options import check_choice
from scoresheet.metrics.text.kernel import Words, kernel
from scoresheet.metrics.text.lcs import lcs_length
from scoresheet.metrics.text.rouge_tokenizer import TOKENIZERS, Sentences, is_wordless, needs_cutting, sentences

LIBRARY: Final = "1.0.1"  # the release of PyPI `rouge` that the default equals
DEFINITIONS: Final = ("rouge", "lin", "charset")


class Text:
    """A text made ready to be compared many times: stripped, and cut into sentences of words at first need."""

    __slots__ = ("_sentences", "_words", "text", "tokenizer", "wordless")

    def __init__(self, text: str, tokenizer: str = "auto") -> None:
        if tokenizer not in TOKENIZERS or not isinstance(text, str):  # asked here, since nearly every text is one
            check_choice("tokenizer", tokenizer, TOKENIZERS)
            check_text("a text to compare", text)
        self.text = text.strip()
        self.tokenizer = tokenizer
        self.wordless = is_wordless(self.text)
        # segmenting takes a package that may be missing: that is said here, whatever is asked of the text later
        self._sentences: Sentences | None = sentences(self.text, tokenizer) if tokenizer == "words" else None
        self._words: Words | None = None

    def __reduce__(self) -> tuple[type[Text], tuple[str, str]]:
        return Text, (self.text, self.tokenizer)  # words of a kernel stay in their process

    @property
    def sentences(self) -> Sentences:
        """The words of each sentence."""
        if self._sentences is None:
            self._sentences = sentences(self.text, self.tokenizer)
        return self._sentences

    @property
    def words(self) -> Words:
        """The words as the kernel compares them; one that splits at white space needs no other tokeniser for that."""
        if self._words is None:
            self._words = kernel().words(self.source)
        return self._words

    @property
    def source(self) -> str | Sentences:
        """What the kernel makes its words of: the text itself, or sentences that another tokeniser cut."""
        return self.sentences if _is_cut(self.text, self.tokenizer) else self.text

    def tokens(self) -> list[str]:
        """Return all words in order, without the empty ones."""
        return [word for sentence in self.sentences for word in sentence if word]

    def length(self) -> int:
        """Return the number of words."""
        return self.words.count


def rouge_l_precision(
    prediction: str | Text, reference: str | Text, *, rouge: str = "rouge", tokenizer: str = "auto"
) -> float:
    """Return the share of the prediction's words that a longest common subsequence finds in the reference.

    Parameters
    ----------
    prediction, reference : str
        The two texts.
    rouge : {'rouge', 'lin', 'charset'}, optional
        The default counts distinct words over the union of sentence LCSs, bit for bit as PyPI `rouge` does; `lin`
        is the textbook's LCS / length; `charset` compares sets of characters.
    tokenizer : {'auto', 'whitespace', 'chars', 'words'}, optional
        How texts are cut into words: 'auto' cuts scripts written without spaces into characters, 'words' segments
        Chinese.

    Returns
    -------
    float
        The precision from 0 to 1; NaN if either text is wordless.

    Raises
    ------
    ValueError
        If `rouge` or `tokenizer` is none of these, or a text is none, as an empty cell of a data frame is.
    MissingExtra
        If the tokenizer is 'words' and its package is not installed.

    References
    ----------
    C.-Y. Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, ACL Workshop Text Summarization Branches
    Out.

    Examples
    --------
    >>> rouge_l_precision("the cat sat on the mat", "the cat sat")
    0.6
    >>> rouge_l_precision("the cat sat on the mat", "the cat sat", rouge="lin")
    0.5
    """
    check_choice("rouge", rouge, DEFINITIONS)
    return precision(as_text(prediction, tokenizer), as_text(reference, tokenizer), rouge)


def precision(predicted: Text, wanted: Text, rouge: str) -> float:
    """Return the same for texts made ready and a definition that was checked."""
    if predicted.wordless or wanted.wordless:
        return math.nan  # a share of nothing has no value
    if rouge == "rouge":
        words = predicted.words
        return words.union(wanted._words or wanted.words) / words.types  # a reference mostly has them already
    if rouge == "lin":
        return lcs_length(predicted.tokens(), wanted.tokens()) / len(predicted.tokens())
    characters = set(predicted.text)
    return len(characters & set(wanted.text)) / len(characters)


def sources(texts: Sequence[str], tokenizer: str) -> list[str | Sentences]:
    """Return what the kernel makes the words of each text of, as `Text.source`; there is no white space around them."""
    if tokenizer == "auto" and all(map(str.isascii, texts)):
        return list(texts)
    return [sentences(text, tokenizer) if _is_cut(text, tokenizer) else text for text in texts]


def spaced_text(text: str, tokenizer: str) -> str:
    """Return a text as `rouge` must be given it to see the words that the tokeniser cuts it into."""
    if not _is_cut(text, tokenizer):
        return text
    return ".".join(" ".join(words) or " " for words in sentences(text, tokenizer))


def _is_cut(text: str, tokenizer: str) -> bool:
    plain = tokenizer == "auto" and text.isascii()  # known without asking what the tokeniser does
    return not plain and needs_cutting(text, tokenizer)


def as_text(text: str | Text, tokenizer: str) -> Text:
    """Return a text made ready, as it is if it was ready."""
    return text if isinstance(text, Text) else Text(text, tokenizer)
