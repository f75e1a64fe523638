"""How texts are measured; the help text lives beside each option."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.families.entropy.constants import SHORTEST_WINDOW, WINDOW
from scoresheet.metrics.messages import flag
from scoresheet.metrics.options import Options, option
from scoresheet.metrics.records import dataclass

TOKENIZERS: Final = ("auto", "whitespace", "chars", "words", "bpe")
VOCABULARIES: Final = ("o200k_base", "cl100k_base")
VECTORS: Final = ("tfidf", "static")
NO_VECTORS: Final = "none"  # leaves the semantic measures undefined; for Python alone
WITH_DIAGONAL: Final = "printed"
DEFINITIONS: Final = ("offdiagonal", WITH_DIAGONAL)
AS_PRINTED: Final = "printed"
REPETITION_RULES: Final = ("runs", AS_PRINTED)
FORMER_DEFINITIONS: Final = {"seed": WITH_DIAGONAL}  # it stood beside the seed of random numbers


@dataclass(frozen=True, kw_only=True)
class EntropyOptions(Options):
    """How texts are measured."""

    tokenizer: str = option(
        TOKENIZERS[0],
        "Words: 'auto' takes runs of letters and digits and cuts unspaced scripts into characters; 'whitespace' "
        "cuts no run; 'chars'; 'words' segments Chinese (extra 'words'); 'bpe' takes the tokens of a vocabulary (extra "
        "'tokens').",
        choices=TOKENIZERS,
        sign="tok",
        always=True,
        common="What a word is.",
    )
    vocabulary: str = option(
        VOCABULARIES[0], f"The vocabulary of {flag('tokenizer bpe')}.", choices=VOCABULARIES, sign="vocab"
    )
    vectors: str = option(
        VECTORS[0],
        "What sentences are compared by: TF-IDF over the text's own sentences, or static embeddings (extra 'embed').",
        choices=VECTORS,
        sign="vec",
        always=True,
        common="What sentences are compared by.",
    )
    definition: str = option(
        DEFINITIONS[0],
        f"Semantic diversity: '{DEFINITIONS[0]}' is 1 less the mean cosine of two sentences; '{WITH_DIAGONAL}' has "
        "each sentence's cosine with itself in the mean.",
        choices=DEFINITIONS,
        former=FORMER_DEFINITIONS,
        sign="def",
        always=True,
    )
    window: int = option(
        WINDOW,
        "Words of the windows that Entropy_At_Length is the mean over; a text with fewer has none.",
        sign="win",
        always=True,
        minimum=SHORTEST_WINDOW,
        common="Words of the windows of Entropy_At_Length.",
    )
    repetition: str = option(
        REPETITION_RULES[0],
        f"When a text is Repetitive: '{REPETITION_RULES[0]}' goes by the share of its words in runs that stood before; "
        f"'{AS_PRINTED}' by its commonest word and pair, which most human texts of some length are repetitive by.",
        choices=REPETITION_RULES,
        sign="rep",
        always=True,
        common="When a text is Repetitive.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vocabulary != VOCABULARIES[0] and self.tokenizer != "bpe":
            raise ValueError(
                f"vocabulary {self.vocabulary} is of no use with tokenizer {self.tokenizer}; "
                f"add {flag('tokenizer bpe')}"
            )
