"""Scoring of explanations against their references: several per key, in several languages."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from scoresheet.metrics.family import Scores, Tables, carried_along
from scoresheet.metrics.measure import measure_of
from scoresheet.metrics.problem import Problem, row_problems
from scoresheet.metrics.sinfo import SinfoOptions
from scoresheet.metrics.sinfo import measures as m
from scoresheet.metrics.stats import Floats
from scoresheet.metrics.text import fold_case_and_punctuation, has_words, tokenize, words
from scoresheet.metrics.text.languages import language_in_name, matching_languages, script_language

AUDITED_WORDS = 400  # the library is quadratic and recursive
NO_WORDS = "the prediction has no words"
SEPARATOR = "||"


class Reference(NamedTuple):
    """A text that predictions are compared with, and the code of its language, if it is known."""

    text: str
    language: str = ""


def score(tables: Tables, options: SinfoOptions) -> Scores:
    """Score every row of one model against its references."""
    rows = tables["outputs"]
    predictions = [text.strip() for text in rows["prediction"]]
    found, problems = _references_of_rows(tables, options.language)
    compared = as_compared([*predictions, *(ref.text for refs in found for ref in refs)], options)
    references = [[ref for ref in refs if has_words(compared[ref.text])] for refs in found]
    wordless = np.array([not has_words(compared[text]) for text in predictions], dtype=bool)
    missing = np.array([not refs for refs in references], dtype=bool)

    values = np.full((3, len(rows)), np.nan)
    shown = [Reference(refs[0].text if refs else "") for refs in references]
    scored = np.flatnonzero(~wordless & ~missing).tolist()
    groups = [(predictions[row], references[row]) for row in scored]
    values[:, scored], best = _score_groups(groups, compared, options)
    for row, reference in zip(scored, best, strict=True):
        shown[row] = reference
    p, bp, information = values
    if options.unanswered == "zero":
        information[wordless & ~missing] = 0.0

    band = measure_of(m.s_info).band
    units = {
        "Sheet": rows["sheet"].to_numpy(),
        "Idiom": rows["idiom"].to_numpy(),
        "Reference": [reference.text for reference in shown],
        "Prediction": predictions,
        "P_ROUGE": p,
        "BP": bp,
        "S_Info": information,
        "Row": rows["row"].to_numpy(),
        "Band": [band(value) for value in information.tolist()],
        "Component": m.component(p, bp),
        "Language": [reference.language for reference in shown],
        "Problem": np.select([wordless, missing], [NO_WORDS, "no reference"], "").tolist(),
    }
    unknown = missing & ~wordless
    hint = _loose_hint(rows["idiom"].to_numpy()[unknown], tables)
    no_reference = Problem("no-reference", "row", "no reference for this key", hint=hint)
    problems += row_problems(rows, wordless, Problem("no-words", "row", NO_WORDS))
    problems += row_problems(rows, unknown, no_reference)
    return Scores(pd.DataFrame(units | carried_along(rows)), problems)


def audit(units: pd.DataFrame, options: SinfoOptions, count: int, seed: int) -> None:
    """Score some rows again with the library `rouge`; a difference is a bug."""
    if options.rouge != "rouge" or options.references_by == "mean":
        return
    from rouge import Rouge

    library = Rouge(metrics=["rouge-l"])
    scored = units[units["P_ROUGE"].notna()]
    for row in scored.sample(min(count, len(scored)), random_state=seed).to_dict("records"):
        compared = as_compared([row["Prediction"], row["Reference"]], options)
        if max(len(text.split()) for text in compared.values()) > AUDITED_WORDS:
            continue
        both = compared[row["Prediction"]], compared[row["Reference"]]
        expected, found = library.get_scores(*both)[0]["rouge-l"]["p"], row["P_ROUGE"]
        if expected != found:
            message = f"row {row['Row']}: P_ROUGE is {found}, the library says {expected}"
            raise AssertionError(message)


def as_compared(texts: Iterable[str], options: SinfoOptions) -> dict[str, str]:
    """Return each text as it is compared, with white space between its words."""
    fold = fold_case_and_punctuation if options.normalize else str
    return {text: tokenize(fold(text), how=options.tokenizer) for text in set(texts)}


def lengths(texts: Iterable[str], compared: Mapping[str, str], options: SinfoOptions) -> list[int]:
    """Return the lengths that the brevity penalty compares, in characters or words."""
    if options.length == "chars":
        return [len(text) for text in texts]
    return [len(words(compared[text])) for text in texts]


def _score_groups(
    groups: Sequence[tuple[str, Sequence[Reference]]],
    compared: Mapping[str, str],
    options: SinfoOptions,
) -> tuple[Floats, list[Reference]]:
    """Return P_ROUGE, BP and S_Info of each prediction, and which of its references counts.

    That is the best, the first, or all of them, whose values are averaged.
    """
    pairs = [(text, ref.text) for text, refs in groups for ref in refs]
    texts = [prediction for prediction, _ in pairs], [reference for _, reference in pairs]
    tokens = [[compared[text] for text in column] for column in texts]
    p = m.precision(*(texts if options.rouge == "charset" else tokens), rouge=options.rouge)
    bp = m.brevity_penalty(*(lengths(column, compared, options) for column in texts))
    values = np.array([p, bp, m.s_info(bp, p)])
    sizes = np.array([len(refs) for _, refs in groups], dtype=int)
    starts = np.cumsum(sizes) - sizes
    if options.references_by == "mean":
        joined = [SEPARATOR.join(ref.text for ref in refs) for _, refs in groups]
        shown = [refs[0]._replace(text=t) for t, (_, refs) in zip(joined, groups, strict=True)]
        return np.add.reduceat(values, starts, axis=1) / sizes, shown
    best = starts
    if options.references_by == "max":  # a stable sort: the first of equal ones
        best = np.lexsort((-values[2], np.repeat(starts, sizes)))[starts]
    places = (best - starts).tolist()
    return values[:, best], [refs[i] for (_, refs), i in zip(groups, places, strict=True)]


def _loose_hint(keys: Iterable[str], tables: Tables) -> str:
    """Return what to type where references have keys that differ only in case and spaces."""
    others = tables["references"]["idiom"] if "references" in tables else ()
    known, wanted = ({k.casefold().replace(" ", "") for k in column} for column in (others, keys))
    return "--match loose" if known & wanted else ""


def _references_of_rows(
    tables: Tables, language: str
) -> tuple[list[list[Reference]], list[Problem]]:
    """Return the references of each row of the outputs, and notes about their languages.

    References come from the rows themselves or from the table of references, by idiom. Where a
    row has references in several languages, those in the prediction's language are used.
    """
    rows = tables["outputs"]
    if "reference" in rows:
        found = [_split_references(cell) for cell in rows["reference"]]
    else:
        table, known = tables["references"], defaultdict[str, list[Reference]](list)
        labels = table["language"] if "language" in table else repeat("")
        for key, cell, label in zip(table["idiom"], table["reference"], labels, strict=False):
            known[key] += _split_references(cell, _language_code(label))
        unique = {key: list(dict.fromkeys(references)) for key, references in known.items()}
        found = [unique.get(key, []) for key in rows["idiom"]]
    several = any(reference.language for references in found for reference in references)
    return _in_language(found, rows, language) if several else (found, [])


def _split_references(cell: Any, language: str = "") -> list[Reference]:
    """Return the references with words in a cell: a list, or texts that || separates.

    >>> [reference.text for reference in _split_references("let go|| . ||give up||let go")]
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
    """Return the references in a language, or in that of each prediction: all where none fits."""
    stated = rows["language"] if "language" in rows else repeat("")
    asked_for = "" if language == "auto" else language
    used, other_script, together = [], [], []
    for label, text, references in zip(stated, rows["prediction"], found, strict=False):
        own = _language_code(asked_for or label) or script_language(text)
        codes = matching_languages(own, (ref.language for ref in references))
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
