"""References: what a cell of the reference table holds, and which of a key's references a prediction is held to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scoresheet.metrics.families.sinfo.options import BY_DETECTOR, BY_SCRIPT, SinfoOptions
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.text.rouge_l import Text
from scoresheet.metrics.text.scripts_and_languages import (
    detect_language,
    detect_script,
    is_variant_of,
    language_named,
    script_of,
)


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference text with its language: declared, else what its script tells."""

    text: Text
    language: str
    script: str  # of the text
    words: int  # of the text, which is cut here and not in each worker


class SelectedReferences(NamedTuple):
    """The references a prediction is held to; `ambiguity` says why they are not simply those of its language."""

    references: tuple[Reference, ...]
    texts: tuple[Text, ...]
    shown: str  # all of the texts
    languages: str  # as the report shows them
    words: int  # of the longest reference
    ambiguity: str
    mismatch: bool = False  # whether all of them are written otherwise than the prediction
    usable: bool = True  # whether a score can be had by them

    @classmethod
    def of(
        cls, references: Sequence[Reference], ambiguity: str = "", *, mismatch: bool = False, usable: bool = True
    ) -> SelectedReferences:
        """Return the selection of these references."""
        languages = dict.fromkeys(each.language for each in references if each.language)
        once = {each.text.text: each for each in reversed(references)}  # the first of equal texts
        kept = tuple(each for each in references if once[each.text.text] is each)
        texts = tuple(each.text for each in kept)
        words = max((each.words for each in kept), default=0)
        shown = texts[0].text if len(texts) == 1 else " || ".join(each.text for each in texts)
        return cls(kept, texts, shown, "|".join(languages), words, ambiguity, mismatch, usable)


Asked = tuple[str, str | None]  # a key, and what its references are selected by; None: nothing, the first is shown


class ReferenceSelector:
    """Selects references for the predictions of a run; those of one key and one script share their selection."""

    def __init__(self, by_key: Mapping[str, tuple[Reference, ...]], language: str) -> None:
        self._by_key = by_key
        self._language = language
        self._selected: dict[Asked, SelectedReferences] = {}

    def references(self, key: str) -> tuple[Reference, ...]:
        """Return the distinct references of a key."""
        return self._by_key.get(key, ())

    def selected(self, prediction: Text, key: str) -> SelectedReferences:
        """Return the references that the prediction is held to."""
        (clue,) = self.clues([prediction.text])
        return self.selections([(key, clue)])[0]

    def clues(self, predictions: Iterable[str]) -> list[str]:
        """Return what the references of each prediction are selected by: its script, or for a detector all of it."""
        return list(predictions) if self._language == BY_DETECTOR else list(map(detect_script, predictions))

    def selections(self, asked: Sequence[Asked]) -> list[SelectedReferences]:
        """Return the references that predictions with these clues are held to, for each key and clue."""
        known = list(map(self._selected.get, asked))
        return [found or self._selection(each) for found, each in zip(known, asked, strict=True)]

    def _selection(self, asked: Asked) -> SelectedReferences:
        key, clue = asked
        references = self.references(key)
        if clue is None or not references:
            return SelectedReferences.of(references[:1], usable=False)
        if self._language == BY_DETECTOR:
            return select_references(Text(clue), references, self._language)
        return self._selected.setdefault(asked, select_by_script(clue, references, self._language))


def references_in(cell: str, language: str, file: str, options: SinfoOptions) -> tuple[Reference, ...]:
    """Return the references in one cell; wordless parts are none."""
    parts = cell.split(options.reference_separator) if options.reference_separator else [cell]
    texts = (Text(options.compared(part), options.tokenizer) for part in parts)
    return tuple(reference(text, language, file) for text in texts if not text.wordless)


def reference(text: Text, declared: str, file: str = "") -> Reference:
    """Return a text as a reference in its declared language, else the one its file is named after, else its script's.

    A file's name only hints: where the text is plainly written otherwise (uk_idioms in Latin letters), it is dropped.
    """
    script = detect_script(text.text)
    hinted = language_named(file) or ""
    if script and script_of(hinted) != script:
        hinted = ""
    language = language_named(declared) or declared.strip() or hinted or script
    return Reference(text, language, script_of(language) or script, text.length())


def distinct(references: Iterable[Reference]) -> tuple[Reference, ...]:
    """Return the references without repetitions of the same text in the same language."""
    return tuple({(each.text.text, each.language): each for each in references}.values())


def select_references(
    prediction: Text, references: Sequence[Reference], language: str = BY_SCRIPT
) -> SelectedReferences:
    """Return the references in the prediction's language, or all that may be, with the ambiguity said.

    >>> both = [reference(Text("to overdo it"), "en"), reference(Text("多此一举"), "zh")]
    >>> select_references(Text("做了多余的事"), both).languages
    'zh'
    """
    choice = select_by_script(detect_script(prediction.text), references, language)
    languages = {each.language for each in choice.references}
    if language != BY_DETECTOR or len(languages) == 1 or len({each.script for each in choice.references}) > 1:
        return choice
    best = detect_language(prediction.text, sorted(languages))
    nearer = [each for each in choice.references if is_variant_of(each.language, best)]
    return _same_script(nearer) if nearer else choice


def select_by_script(script: str, references: Sequence[Reference], language: str = BY_SCRIPT) -> SelectedReferences:
    """Return the references for a prediction that is written in this way, unless its language is named."""
    if language not in (BY_SCRIPT, BY_DETECTOR):
        wanted = language_named(language) or language
        named = [each for each in references if is_variant_of(each.language, wanted)]
        return SelectedReferences.of(named) if named else SelectedReferences.of(references, f"no reference in {wanted}")
    right = [each for each in references if each.script == script]
    if right:
        return _same_script(right)
    if not script or not any(each.script for each in references):
        return SelectedReferences.of(references)  # no letters on one side: nothing speaks for or against any of them
    languages = ", ".join(dict.fromkeys(each.language for each in references))
    why = f"prediction written in {script}, references only in {languages}"
    return SelectedReferences.of(references, why, mismatch=True)


def _same_script(references: Sequence[Reference]) -> SelectedReferences:
    """Return references that are written alike, with the ambiguity said if they are of several languages."""
    languages = list(dict.fromkeys(each.language for each in references))
    if len(languages) == 1:
        return SelectedReferences.of(references)
    return SelectedReferences.of(references, f"{' and '.join(languages)} cannot be told apart by script")
