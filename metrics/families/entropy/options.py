"""How texts are measured; the help text lives beside each option."""

from __future__ import annotations

from dataclasses import dataclass

from scoresheet.metrics.families.entropy.blocks import TOKENIZERS
from scoresheet.metrics.families.entropy.measures import Rules
from scoresheet.metrics.families.entropy.semantic import DEFINITIONS, VECTORS
from scoresheet.metrics.families.entropy.vocabularies import VOCABULARIES
from scoresheet.metrics.options import Options, option


@dataclass(frozen=True, kw_only=True)
class EntropyOptions(Options):
    """How texts are measured."""

    tokenizer: str = option(
        "auto",
        "Words: 'auto' takes runs of letters and digits and cuts unspaced scripts into characters; 'whitespace' "
        "cuts no run; 'chars'; 'words' segments Chinese (extra 'words'); 'bpe' takes the tokens of a vocabulary (extra "
        "'tokens').",
        choices=TOKENIZERS,
        sign="tok",
        always=True,
    )
    vocabulary: str = option("o200k_base", "The vocabulary of --tokenizer bpe.", choices=VOCABULARIES, sign="vocab")
    vectors: str = option(
        "tfidf",
        "What sentences are compared by: TF-IDF over the text's own sentences, or static embeddings (extra 'embed').",
        choices=VECTORS,
        sign="vec",
        always=True,
    )
    definition: str = option(
        "offdiagonal",
        "Semantic diversity: 'offdiagonal' is 1 less the mean cosine of two sentences; 'seed' has each sentence's "
        "cosine with itself in the mean.",
        choices=DEFINITIONS,
        sign="def",
        always=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vocabulary != VOCABULARIES[0] and self.tokenizer != "bpe":
            raise ValueError(
                f"vocabulary {self.vocabulary} is of no use with tokenizer {self.tokenizer}; add --tokenizer bpe"
            )

    def rules(self) -> Rules:
        """Return what the measures are told."""
        return Rules(
            tokenizer=self.tokenizer,
            vocabulary=self.vocabulary,
            definition=self.definition,
            vectors=self.vectors,
        )
