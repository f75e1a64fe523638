"""How a score of sinfo came about, for people: the words in common, the lengths, the reference that won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scoresheet.cli.report.explanation import Block, Explainer, bands_in_words, shown_number
from scoresheet.metrics.families.sinfo.components import COMPONENTS
from scoresheet.metrics.families.sinfo.context import SinfoContext
from scoresheet.metrics.families.sinfo.explain import MarkedWord, ReferencePart, SinfoExplanation, explain_row
from scoresheet.metrics.families.sinfo.inputs import PredictionSheet
from scoresheet.metrics.families.sinfo.measures import BANDS, BREVITY, P_ROUGE, S_INFO
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.schema import IDIOM
from scoresheet.metrics.text.rouge_tokenizer import has_unspaced

_COUNTED: Final = {
    "rouge": "different words of the prediction are in a longest common subsequence of two sentences",
    "lin": "words of the prediction are in the longest common subsequence",
    "charset": "different characters of the prediction are in the reference too",
}
_UNITS: Final = {"chars": "characters", "tokens": "words"}


def _blocks(found: SinfoExplanation) -> list[Block]:
    blocks = []
    for number, part in enumerate(found.references, start=1):
        won = " (this one gave the score)" if part.won and len(found.references) > 1 else ""
        language = f", {part.language}" if part.language else ""
        blocks.append(Block(f"Reference {number} of {len(found.references)}{language}{won}", _lines(part, found)))
    return [*blocks, Block("The score", _score(found))]


def _lines(part: ReferencePart, found: SinfoExplanation) -> tuple[str, ...]:
    unit = _UNITS[found.length]
    longer = (
        f"c < r, so BP = exp(1 - r/c) = exp(1 - {part.r}/{part.c}) = {shown_number(part.bp)}"
        if part.is_short
        else "c >= r, so BP = 1"
    )
    return (
        f"prediction: {marked_text(part.prediction)}",
        f"reference:  {marked_text(part.reference)}",
        f"{P_ROUGE.name}: {part.matched} of {part.of} {_COUNTED[found.rouge]} ([marked]) = "
        f"{shown_number(part.p_rouge)}",
        f"{BREVITY.name}: the prediction has c = {part.c} {unit}, the reference r = {part.r}; {longer}",
        f"{S_INFO.name}: {shown_number(part.p_rouge)} × {shown_number(part.bp)} = {shown_number(part.s_info)}",
    )


def _score(found: SinfoExplanation) -> tuple[str, ...]:
    value = found.measures[S_INFO.name]
    lines = []
    if len(found.references) > 1:
        how = {
            "max": "the best of them counts",
            "first": "the first of them counts",
            "mean": f"{P_ROUGE.name}, {BREVITY.name} and {S_INFO.name} are the means over them",
        }[found.references_by]
        lines.append(f"{len(found.references)} references: {how}")
    if found.left_out:
        lines.append(
            f"{found.left_out} more of this idiom in other languages or repeated; the prediction is not held to them"
        )
    if isinstance(value, float):
        band = f", which is {found.band} ({bands_in_words(BANDS)})" if found.band else ""
        lines.append(f"{S_INFO.name} = {shown_number(value)}{band}")
    if found.component:
        lines.append(f"{found.component}: {COMPONENTS[found.component]}")
    if found.problem:
        lines.append(f"said of this row: {found.problem}")
    return tuple(lines)


def marked_text(words: Sequence[MarkedWord]) -> str:
    """Return words with those in common in brackets; characters of unspaced scripts stay together.

    >>> marked_text([MarkedWord("the", True), MarkedWord("cat", True), MarkedWord("sat", False)])
    '[the cat] sat'
    """
    runs: list[list[MarkedWord]] = []
    for word in words:
        if not word.word:  # of a blank sentence
            continue
        if runs and runs[-1][-1].common == word.common:
            runs[-1].append(word)
        else:
            runs.append([word])
    shown = [f"[{_joined(run)}]" if run[0].common else _joined(run) for run in runs]
    return " ".join(shown)


def _joined(run: Sequence[MarkedWord]) -> str:
    text = ""
    for word in run:
        tight = not text or (has_unspaced(text[-1]) and has_unspaced(word.word[0]))
        text += word.word if tight else f" {word.word}"
    return text


EXPLAINER: Final[Explainer[SinfoOptions, PredictionSheet, SinfoContext, SinfoExplanation]] = Explainer(
    unit="row", keys=(IDIOM.name,), has_rows=True, explain=explain_row, blocks=_blocks
)
