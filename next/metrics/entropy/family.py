"""entropy: is a text informative or repetitive."""

from scoresheet.metrics.entropy import COMMAND, TABLES, EntropyOptions
from scoresheet.metrics.entropy.measures import VOCABULARY
from scoresheet.metrics.entropy.score import OF_SETS, OF_TEXTS, explain, score, survey
from scoresheet.metrics.family import Family


def signature(options: EntropyOptions) -> dict[str, str]:
    """Return the settings that a score depends on, in short."""
    tokens = VOCABULARY if options.tokenizer == "tokens" else options.tokenizer
    return {"tok": tokens, "vec": options.vectors, "window": str(options.window)}


FAMILY = Family(
    command=COMMAND,
    title="Entropy and repetition",
    stem="entropy",
    unit="Id",
    unit_role="id",
    tables=TABLES,
    functions=(*OF_TEXTS, *OF_SETS),
    score=score,
    signature=signature,
    shown=(
        *("Segment_Entropy", "CI", "Word_Entropy", "Semantic_Diversity", "Repetitive"),
        *("Distinct_2", "Vendi", "Scored", "To_Best"),
    ),
    dropped=("Word_Entropy", "Semantic_Diversity", "To_Best", "Vendi", "Distinct_2"),
    texts=("Text",),
    scored="Word_Entropy",
    unnamed="text",
    survey=survey,
    explain=explain,
    formula="Segment_Entropy = mean entropy of windows of words, in bits; higher is more varied.",
    method=(
        "Segment entropy is the mean Shannon entropy, in bits, of consecutive windows of words. "
        "A text is repetitive if a quarter or more of its words lie in runs of five words that "
        "occurred before in the text (after Rae et al. 2021)."
    ),
)
