"""References: what a cell of the reference table holds, and which of a key's references a prediction is held to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import pandas as pd

from scoresheet.metrics.core import SOURCE
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Problem
from scoresheet.metrics.text.rouge_l import Text
from scoresheet.metrics.text.scripts_and_languages import (
    detect_language,
    detect_script,
    is_variant_of,
    language_named,
    script_of,
)

BY_SCRIPT: Final = "auto"  # --language: the script of the prediction decides
BY_DETECTOR: Final = "detect"  # --language: among languages of one script, the offline detector decides


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference text with its language: declared, else what its script tells."""

    text: Text
    language: str
    written: str


class Choice(NamedTuple):
    """The references a prediction is held to; `doubt` says why they are not simply those of its language."""

    references: tuple[Reference, ...]
    texts: tuple[Text, ...]
    languages: str  # as the report shows them
    words: int  # of the longest reference
    doubt: str

    @classmethod
    def of(cls, references: Sequence[Reference], doubt: str = "") -> Choice:
        """Return the choice of these references."""
        languages = dict.fromkeys(each.language for each in references if each.language)
        once = {each.text.text: each for each in reversed(references)}  # the first of equal texts
        kept = tuple(each for each in references if once[each.text.text] is each)
        texts = tuple(each.text for each in kept)
        words = max((text.length() for text in texts), default=0)
        return cls(kept, texts, "|".join(languages), words, doubt)


class Chooser:
    """Chooses references for the predictions of a run; those of one key and one script share their choice."""

    def __init__(self, prepared: Sequence[tuple[Reference, ...]], language: str) -> None:
        self._prepared = prepared
        self._language = language
        self._references: dict[tuple[int, ...], tuple[Reference, ...]] = {}
        self._choices: dict[tuple[tuple[int, ...], str], Choice] = {}

    def references(self, matches: tuple[int, ...]) -> tuple[Reference, ...]:
        """Return the distinct references in the matched rows of the reference table."""
        if matches not in self._references:
            self._references[matches] = distinct(each for place in matches for each in self._prepared[place])
        return self._references[matches]

    def choice(self, prediction: Text, matches: tuple[int, ...]) -> Choice:
        """Return the references that the prediction is held to."""
        if self._language == BY_DETECTOR:
            return chosen(prediction, self.references(matches), self._language)
        written = detect_script(prediction.text)
        found = self._choices.get((matches, written))
        if found is None:
            found = chosen_by_script(written, self.references(matches), self._language)
            self._choices[matches, written] = found
        return found


def prepared_references(
    table: pd.DataFrame, *, separator: str, tokenizer: str
) -> tuple[list[tuple[Reference, ...]], list[Problem]]:
    """Return the references in each row of the reference table, and a note on keys whose rows differ.

    The table has the columns idiom, explanation, language and source; a language column wins over the file's name.
    """
    prepared: list[tuple[Reference, ...]] = []
    texts: dict[tuple[str, str], set[str]] = {}
    for idiom, cell, language, source in zip(
        table["idiom"], table["explanation"], table["language"], table[SOURCE], strict=True
    ):
        file = source.rpartition("/")[2].rpartition(".")[0]
        here = references_in(cell, language, file, separator=separator, tokenizer=tokenizer)
        prepared.append(here)
        for each in here[:1]:
            texts.setdefault((join_key(idiom), each.language), set()).add(cell.strip())
    return prepared, _note_on_differing({key for (key, _), cells in texts.items() if len(cells) > 1})


def _note_on_differing(keys: set[str]) -> list[Problem]:
    if not keys:
        return []
    some = join_names(sorted(keys))
    message = f"{len(keys)} keys have several rows with differing references: {some}"
    return [Problem(kind="several-references", message=message, effect="note")]


def references_in(cell: str, language: str, file: str = "", *, separator: str, tokenizer: str) -> tuple[Reference, ...]:
    """Return the references in one cell; wordless parts are none."""
    parts = cell.split(separator) if separator else [cell]
    texts = (Text(part, tokenizer) for part in parts)
    return tuple(reference(text, language, file) for text in texts if not text.wordless)


def reference(text: Text, declared: str, file: str = "") -> Reference:
    """Return a text as a reference in its declared language, else the one its file is named after, else its script's.

    A file's name only hints: where the text is plainly written otherwise (uk_idioms in Latin letters), it is dropped.
    """
    written = detect_script(text.text)
    hinted = language_named(file) or ""
    if written and script_of(hinted) != written:
        hinted = ""
    language = language_named(declared) or declared.strip() or hinted or written
    return Reference(text, language, script_of(language) or written)


def distinct(references: Iterable[Reference]) -> tuple[Reference, ...]:
    """Return the references without repetitions of the same text in the same language."""
    return tuple({(each.text.text, each.language): each for each in references}.values())


def chosen(prediction: Text, references: Sequence[Reference], language: str = BY_SCRIPT) -> Choice:
    """Return the references in the prediction's language, or all that may be, with the doubt said.

    >>> both = [reference(Text("to overdo it"), "en"), reference(Text("多此一举"), "zh")]
    >>> chosen(Text("做了多余的事"), both).languages
    'zh'
    """
    choice = chosen_by_script(detect_script(prediction.text), references, language)
    languages = {each.language for each in choice.references}
    if language != BY_DETECTOR or len(languages) == 1 or len({each.written for each in choice.references}) > 1:
        return choice
    best = detect_language(prediction.text, sorted(languages))
    nearer = [each for each in choice.references if is_variant_of(each.language, best)]
    return _among_alike(nearer) if nearer else choice


def chosen_by_script(written: str, references: Sequence[Reference], language: str = BY_SCRIPT) -> Choice:
    """Return the references for a prediction that is written in this way, unless its language is named."""
    if language not in (BY_SCRIPT, BY_DETECTOR):
        wanted = language_named(language) or language
        named = [each for each in references if is_variant_of(each.language, wanted)]
        return Choice.of(named) if named else Choice.of(references, f"no reference in {wanted}")
    right = [each for each in references if each.written == written]
    if right:
        return _among_alike(right)
    if not written or not any(each.written for each in references):
        return Choice.of(references)  # no letters on one side: nothing speaks for or against any of them
    languages = ", ".join(dict.fromkeys(each.language for each in references))
    return Choice.of(references, f"prediction written in {written}, references only in {languages}")


def _among_alike(references: Sequence[Reference]) -> Choice:
    """Return references that are written alike, with the doubt said if they are of several languages."""
    languages = list(dict.fromkeys(each.language for each in references))
    if len(languages) == 1:
        return Choice.of(references)
    return Choice.of(references, f"{' and '.join(languages)} cannot be told apart by script")
