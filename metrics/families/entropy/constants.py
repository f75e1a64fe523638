"""The numbers that the definitions of entropy hold; every sentence about them is made from here."""

from typing import Final

SHORTEST_CHUNK: Final = 20  # words
CHUNKS_A_TEXT: Final = 10  # a chunk is at least such a part of a text, and a new one begins every half chunk
MOST_CHUNKS: Final = 20  # that any length can give: a chunk is a tenth of the text, a step half a chunk
DROP: Final = 0.8  # of the chunk before: less is a drop
FALLING: Final = 0.9  # last third of the chunks over the first: below, the trend is decreasing
RISING: Final = 1.1

WINDOW: Final = 50  # words over which entropies are comparable, however long the texts are
SHORTEST_WINDOW: Final = 2

# when a text is repetitive
NEVER_REPETITIVE: Final = 6  # fewer words say nothing
RUN_WORDS: Final = 5  # a run of so many words that stood before is a repetition, and no turn of phrase
RUN_CHARACTERS: Final = 20  # the same where a word is a character: about as much text
REPEATED_SHARE: Final = 0.25  # of the words, in such runs: people's prose stays below 0.2, a twofold loop has 0.5
HUMAN_SHARE: Final = 0.05  # of human texts that may be called repetitive; a model's share is held against it

# when it is so by the rule as printed, by its white-space words
SHORT_TEXT: Final = 20  # up to here a text has its own rule
FEW_CHUNKS: Final = 3  # fewer, and the chunks say nothing
SHORT_TOP_SHARE: Final = 0.25  # of the commonest word
TOP_SHARE: Final = 0.2
FEW_BIGRAMS: Final = 2  # times that the commonest pair of words stands in a short text
MANY_BIGRAMS: Final = 3
FLAT_VARIANCE: Final = 0.1  # of the chunks' entropies
MANY_DROPS: Final = 2

SEMANTIC_BINS: Final = 10  # of the cosines, over 0 to 1
COMPRESSION_LEVEL: Final = 9  # of zlib: its highest
VENDI_TEXTS: Final = 2_000  # the most that eigenvalues are taken of
