"""entropy: is a text informative or repetitive."""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from scoresheet.metrics import Command, option
from scoresheet.metrics.checks import pooled
from scoresheet.metrics.role import ASKED, ITEM, MODEL, WROTE, Role, outputs

PACKAGES = {"tokens": "bpe_openai", "embed": "wordllama"}  # of the extras of these names


@dataclass(frozen=True)
class EntropyOptions:
    """How texts are measured."""

    tokenizer: Literal["words", "chars", "tokens"] = option(
        "words", "What entropy is over: words, characters, BPE tokens (extra tokens)."
    )
    vectors: Literal["tfidf", "overlap", "embed"] = option(
        "tfidf", "How texts are compared: TF-IDF, shared words, static embeddings (extra embed)."
    )
    window: int = option(50, "Words of the windows of Segment_Entropy.", metavar="N")

    def __post_init__(self) -> None:
        if self.window < 2:
            raise ValueError(f"--window must be 2 or more, not {self.window}")
        for name, value in (("tokenizer", self.tokenizer), ("vectors", self.vectors)):
            if value in PACKAGES and find_spec(PACKAGES[value]) is None:
                install = f"pip install 'scoresheet[{value}]'"
                raise ValueError(f"--{name} {value} needs the extra {value}: {install}")


COMMAND = Command(
    "entropy",
    "Entropy and repetition of texts: informative, repetitive, or all alike.",
    EntropyOptions,
    {"outputs": "data/responses"},
    "results/entropy",
    ("responses",),
)


TABLES = (
    outputs(
        (
            Role("model", words=MODEL),
            Role("sheet"),
            Role("id", words=(*ITEM, *ASKED)),
            Role("text", "text", WROTE, needed=True, lists="rows"),
        ),
        cells=("text",),
        checks=(pooled,),
    ),
)
