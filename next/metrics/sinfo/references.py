"""The references of each prediction: several per key, in several languages."""

from collections import defaultdict
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import pandas as pd

from scoresheet.metrics.family import Tables
from scoresheet.metrics.problem import Problem, row_problems
from scoresheet.metrics.text import has_words
from scoresheet.metrics.text.languages import language_in_name, matching_languages, script_language

SEPARATOR = "||"


class Reference(NamedTuple):
    """A text that predictions are compared with, and the code of its language, if it is known."""

    text: str
    language: str = ""


def references_of_rows(
    tables: Tables, language: str
) -> tuple[list[list[Reference]], list[Problem]]:
    """Return the references of each row of the outputs, and notes about their languages.

    References come from the rows themselves or from the table of references, by idiom. Where a
    row has references in several languages, those in the prediction's language are used.
    """
    rows = tables["outputs"]
    if "reference" in rows:
        found = [split_references(cell) for cell in rows["reference"]]
    else:
        table, known = tables["references"], defaultdict[str, list[Reference]](list)
        labels = table["language"] if "language" in table else repeat("")
        for key, cell, label in zip(table["idiom"], table["reference"], labels, strict=False):
            known[key] += split_references(cell, _language_code(label))
        unique = {key: list(dict.fromkeys(references)) for key, references in known.items()}
        found = [unique.get(key, []) for key in rows["idiom"]]
    several = any(reference.language for references in found for reference in references)
    return _in_language(found, rows, language) if several else (found, [])


def split_references(cell: Any, language: str = "") -> list[Reference]:
    """Return the references with words in a cell: a list, or texts that || separates.

    >>> [reference.text for reference in split_references("let go|| . ||give up||let go")]
    ['let go', 'give up']
    """
    parts = cell if isinstance(cell, list) else cell.split(SEPARATOR)
    texts = dict.fromkeys(str(part).strip() for part in parts)
    return [Reference(text, language) for text in texts if has_words(text)]


@lru_cache(maxsize=1024)
def _language_code(label: str) -> str:
    """Return the code of a language's name, or the label itself where it is not known."""
    return language_in_name(str(label)) or str(label)


def _in_language(
    found: list[list[Reference]], rows: pd.DataFrame, language: str
) -> tuple[list[list[Reference]], list[Problem]]:
    asked_for = language != "auto"
    stated = rows["language"] if "language" in rows and not asked_for else repeat("")
    used, other_script, together = [], [], []
    for label, text, references in zip(stated, rows["prediction"], found, strict=False):
        own = _language_code(language if asked_for else label) or script_language(text)
        codes = matching_languages(own, (ref.language for ref in references))
        # Where none fits, all are used, unless a language was asked for.
        any_language = not codes and not asked_for
        used.append([ref for ref in references if any_language or ref.language in codes])
        other_script.append(bool(any_language and own and references))
        together += [codes] if len(codes) > 1 else []
    message = "the prediction and its reference are in different scripts"
    notes = row_problems(rows, other_script, Problem("across-scripts", "note", message))
    if together:
        names = ", ".join(sorted({code for codes in together for code in codes}))
        message = f"references in {names} share a script; all of them were used"
        hint = f"name the language, e.g. --language {together[0][0]}"
        notes.append(Problem("shared-script", "note", message, hint=hint))
    return used, notes
