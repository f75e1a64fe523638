"""ROUGE-L precision: bit for bit that of PyPI `rouge` 1.0.1, the textbook's, and the character-set form."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Final

from scoresheet.metrics.lcs import Positions, lcs_length, union_of_lcs
from scoresheet.metrics.options import check_choice
from scoresheet.metrics.tokens import TOKENIZERS, is_wordless, needs_cutting, sentences

LIBRARY: Final = "1.0.1"  # the release of PyPI `rouge` that the default equals
DEFINITIONS: Final = ("rouge", "lin", "charset")


class Text:
    """A text made ready to be compared many times: stripped, and cut into sentences of words at first need."""

    def __init__(self, text: str, tokenizer: str = "auto") -> None:
        check_choice("tokenizer", tokenizer, TOKENIZERS)
        self.text = text.strip()
        self.tokenizer = tokenizer
        self.wordless = is_wordless(self.text)

    @cached_property
    def sentences(self) -> list[list[str]]:
        """The words of each sentence."""
        return sentences(self.text, self.tokenizer)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The distinct words; a blank sentence's empty word counts, as in `rouge`."""
        return frozenset().union(*self.sentences)

    @cached_property
    def positions(self) -> Positions:
        """Where the words stand, for a text that is a reference."""
        return Positions.of(self.sentences)

    @cached_property
    def tokens(self) -> list[str]:
        """All words in order, without the empty ones."""
        return [word for sentence in self.sentences for word in sentence if word]

    def spaced(self) -> str:
        """Return the text as `rouge` must be given it to see these words."""
        if not needs_cutting(self.text, self.tokenizer):
            return self.text
        return ".".join(" ".join(words) or " " for words in self.sentences)


def rouge_l_precision(
    prediction: str | Text, reference: str | Text, *, rouge: str = "rouge", tokenizer: str = "auto"
) -> float:
    """Return the share of the prediction's words that a longest common subsequence finds in the reference.

    The default counts distinct words over the union of sentence LCSs, as PyPI `rouge` does; `lin` is the textbook's
    LCS / length; `charset` compares sets of characters. A wordless text on either side has no value.

    >>> rouge_l_precision("the cat sat on the mat", "the cat sat")
    0.6
    >>> rouge_l_precision("the cat sat on the mat", "the cat sat", rouge="lin")
    0.5
    """
    check_choice("rouge", rouge, DEFINITIONS)
    predicted, wanted = as_text(prediction, tokenizer), as_text(reference, tokenizer)
    if predicted.wordless or wanted.wordless:
        return math.nan  # a share of nothing has no value
    if rouge == "rouge":
        return len(union_of_lcs(predicted.sentences, wanted.positions)) / len(predicted.vocabulary)
    if rouge == "lin":
        return lcs_length(predicted.tokens, wanted.tokens) / len(predicted.tokens)
    characters = set(predicted.text)
    return len(characters & set(wanted.text)) / len(characters)


def as_text(text: str | Text, tokenizer: str) -> Text:
    """Return a text made ready, as it is if it was ready."""
    return text if isinstance(text, Text) else Text(text, tokenizer)
