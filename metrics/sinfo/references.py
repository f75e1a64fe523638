"""References: what a cell of the reference table holds, and which of a key's references a prediction is held to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.keys import join_key
from scoresheet.metrics.languages import detected, language_named, narrows, writing, writing_of
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.rouge_l import Text

if TYPE_CHECKING:
    import pandas as pd

BY_SCRIPT: Final = "auto"  # --language: the script of the prediction decides
BY_DETECTOR: Final = "detect"  # --language: among languages of one script, the offline detector decides


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference text with its language: declared, else what its script tells."""

    text: Text
    language: str
    written: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The references a prediction is held to; `doubt` says why they are not simply those of its language."""

    references: tuple[Reference, ...]
    doubt: str = ""

    def languages(self) -> str:
        """Return the languages of the references, as the report shows them."""
        return "|".join(dict.fromkeys(reference.language for reference in self.references if reference.language))


def prepared_references(
    table: pd.DataFrame, *, separator: str, tokenizer: str
) -> tuple[list[tuple[Reference, ...]], list[Problem]]:
    """Return the references in each row of the reference table, and a note on keys whose rows differ.

    The table has the columns idiom, explanation, language and source; a language column wins over the file's name.
    """
    prepared: list[tuple[Reference, ...]] = []
    texts: dict[tuple[str, str], set[str]] = {}
    for idiom, cell, language, source in zip(
        table["idiom"], table["explanation"], table["language"], table["source"], strict=True
    ):
        declared = language or language_named(source.rpartition("/")[2].rpartition(".")[0]) or ""
        here = references_in(cell, declared, separator=separator, tokenizer=tokenizer)
        prepared.append(here)
        for each in here[:1]:
            texts.setdefault((join_key(idiom), each.language), set()).add(cell.strip())
    return prepared, _note_on_differing({key for (key, _), cells in texts.items() if len(cells) > 1})


def _note_on_differing(keys: set[str]) -> list[Problem]:
    if not keys:
        return []
    some = ", ".join(sorted(keys)[:3]) + (", …" if len(keys) > 3 else "")
    message = f"{len(keys)} keys have several rows with differing references; all of them count: {some}"
    return [Problem(kind="several-references", message=message, effect="note")]


def references_in(cell: str, language: str, *, separator: str, tokenizer: str) -> tuple[Reference, ...]:
    """Return the references in one cell; wordless parts are none."""
    parts = cell.split(separator) if separator else [cell]
    texts = (Text(part, tokenizer) for part in parts)
    return tuple(reference(text, language) for text in texts if not text.wordless)


def reference(text: Text, declared: str) -> Reference:
    """Return a text as a reference in its declared language, or the one that its script tells."""
    language = language_named(declared) or declared.strip() or writing(text.text)
    return Reference(text, language, writing_of(language) or writing(text.text))


def distinct(references: Iterable[Reference]) -> tuple[Reference, ...]:
    """Return the references without repetitions of the same text in the same language."""
    return tuple({(each.text.text, each.language): each for each in references}.values())


def chosen(prediction: Text, references: Sequence[Reference], language: str = BY_SCRIPT) -> Choice:
    """Return the references in the prediction's language, or all of them with the doubt said.

    >>> both = [reference(Text("to overdo it"), "en"), reference(Text("多此一举"), "zh")]
    >>> chosen(Text("做了多余的事"), both).languages()
    'zh'
    """
    everything = tuple(references)
    if language not in (BY_SCRIPT, BY_DETECTOR):
        wanted = language_named(language) or language
        right = tuple(each for each in everything if narrows(each.language, wanted))
        return Choice(right) if right else Choice(everything, f"no reference in {wanted}")
    if len({each.written for each in everything}) == 1 and len({each.language for each in everything}) == 1:
        return _single(prediction, everything)
    written = writing(prediction.text)
    right = tuple(each for each in everything if each.written == written)
    if not right:
        return Choice(everything, f"prediction written in {written or 'no letters'}, no such reference")
    languages = list(dict.fromkeys(each.language for each in right))
    if len(languages) == 1:
        return Choice(right)
    if language == BY_DETECTOR:
        best = detected(prediction.text, languages)
        nearer = tuple(each for each in right if narrows(each.language, best))
        languages = list(dict.fromkeys(each.language for each in nearer))
        if len(languages) == 1:
            return Choice(nearer)
        right = nearer or right
    return Choice(right, f"{' and '.join(languages)} cannot be told apart by script")


def _single(prediction: Text, everything: tuple[Reference, ...]) -> Choice:
    written, expected = writing(prediction.text), everything[0].written
    if written and expected and written != expected:
        return Choice(everything, f"prediction written in {written}, references only in {everything[0].language}")
    return Choice(everything)
