"""What comes with optional packages, all of it offline: BPE vocabularies and static word vectors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.messages import flag
from scoresheet.metrics.problems import MissingExtra


class BpeVocabulary(Protocol):
    """What is used of a BPE vocabulary."""

    def encode_ordinary(self, text: str) -> Sequence[int]:
        """Return the tokens of a text; words that look like control tokens are text like any other."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""


@cache
def bpe_vocabulary(vocabulary: str) -> BpeVocabulary:
    """Return a BPE vocabulary from the wheel that carries it, or say which extra brings it."""
    try:
        import bpe_openai
    except ImportError:
        raise MissingExtra("the tokenizer 'bpe'", "tokens") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of how the package opens its own data
        found: BpeVocabulary = bpe_openai.get_encoding(vocabulary)
        return found


def bpe_encoder(vocabulary: str) -> Callable[[str], list[int]]:
    """Return what makes token ids of a text; words that look like control tokens are text like any other."""
    encode = bpe_vocabulary(vocabulary).encode_ordinary
    return lambda text: list(encode(encodable(text)))


def encodable(text: str) -> str:
    """Return a text that can be written as UTF-8: a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


@cache
def sentence_embedder() -> Callable[[Sequence[str]], NDArray[np.float64]]:
    """Return what makes a vector of a sentence: the mean of its tokens' vectors, as `wordllama` does.

    Weights and tokenizer are read from the wheel itself: the package's own loader looks for the tokenizer in a folder
    that the wheel lacks, and would download it.
    """
    found = find_spec("wordllama")
    if found is None or not found.submodule_search_locations or find_spec("tokenizers") is None:
        raise MissingExtra(flag("vectors static"), "embed")
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = found.submodule_search_locations[0]
    weights = load_file(f"{folder}/weights/l2_supercat_256.safetensors")["embedding.weight"].astype(np.float64)
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizers/l2_supercat_tokenizer_config.json")
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def embed(sentences: Sequence[str]) -> NDArray[np.float64]:
        vectors = np.zeros((len(sentences), weights.shape[1]))
        for row, sentence in enumerate(sentences):  # one by one: a batch would start threads in a worker
            ids = tokenizer.encode(encodable(sentence), add_special_tokens=False).ids
            if ids:
                vectors[row] = weights[np.minimum(ids, len(weights) - 1)].mean(axis=0)
        return vectors

    return embed
