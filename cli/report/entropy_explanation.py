"""How the measures of a text came about, for people: which words and phrases repeat."""

from __future__ import annotations

import math
from typing import Final

from scoresheet.cli.report.explanation import Block, Explainer, shown_number
from scoresheet.cli.report.page import Column
from scoresheet.metrics.families.entropy import measures as named
from scoresheet.metrics.families.entropy.explain import EntropyExplanation, explain_text
from scoresheet.metrics.families.entropy.inputs import TextSheet
from scoresheet.metrics.families.entropy.options import AS_PRINTED, EntropyOptions
from scoresheet.metrics.messages import percent, pluralize

_MOST: Final = 12  # words and phrases on screen; --json has all
_WORDS: Final = (
    Column("Word", "The word.", "key"),
    Column("Count", "How often it stands in the text.", "count"),
    Column("Share", "Its share p.", "share"),
    Column("Bits", "-p·log2(p), what it adds to the entropy.", "score"),
)
_PHRASES: Final = (Column("Phrase", "The phrase.", "key"), Column("Count", "How often it stands there.", "count"))


def _blocks(found: EntropyExplanation) -> list[Block]:
    if not found.words:
        return [Block("The text", (found.problem or "the text has no words",))]
    rest = found.words[_MOST:]
    more = math.fsum(word.bits for word in rest)
    said = (f"{len(rest)} more words add {shown_number(more)} bits; --json has them",) if rest else ()
    words = tuple((each.word, each.count, each.share, each.bits) for each in found.words[:_MOST])
    phrases = tuple((each.phrase, each.count) for each in found.phrases[:_MOST])
    repeated = len(found.phrases) - len(phrases)
    hidden = (f"{repeated} more repeated phrases; --json has them",) if repeated > 0 else ()
    return [
        Block("The words, the commonest first", said, _WORDS, words),
        Block("Phrases said more than once", hidden, _PHRASES, phrases)
        if phrases
        else Block("No phrase is said twice"),
        Block("The numbers", tuple(_lines(found))),
    ]


def _lines(found: EntropyExplanation) -> list[str]:
    measures = found.measures
    bits = math.fsum(word.bits for word in found.words)
    lines = [
        f"{measures[named.WORDS.name]} words, {measures[named.UNIQUE_WORDS.name]} different",
        f"{named.WORD_ENTROPY.name} = Σ bits = {shown_number(bits)}",
    ]
    if found.windows:
        value = float(measures[named.ENTROPY_AT_LENGTH.name])
        each = ", ".join(shown_number(window.entropy) for window in found.windows[:_MOST])
        cut = ", …" if len(found.windows) > _MOST else ""
        lines.append(
            f"{named.ENTROPY_AT_LENGTH.name} = the mean over {pluralize(len(found.windows), 'window')} of "
            f"{found.window} words ({each}{cut}) = {shown_number(value)}"
        )
    else:
        lines.append(f"{named.ENTROPY_AT_LENGTH.name}: undefined, the text has fewer than {found.window} words")
    if found.longest_phrase:
        lines.append(f"the longest phrase said twice: {found.longest_phrase}")
    share = float(measures[named.REPEATED_RUNS.name])
    rule = (
        "by its commonest word and pair, as printed"
        if found.repetition == AS_PRINTED
        else f"repetitive from {percent(found.repetitive_from)}"
    )
    lines.append(
        f"{named.REPEATED_RUNS.name}: {share:.1%} of the words stand in runs of {found.run} that stood before; {rule}: "
        f"{named.REPETITIVE.name} = {measures[named.REPETITIVE.name]}"
    )
    return lines


EXPLAINER: Final[Explainer[EntropyOptions, TextSheet, None, EntropyExplanation]] = Explainer(
    unit="text", keys=("Id",), has_rows=True, explain=explain_text, blocks=_blocks
)
