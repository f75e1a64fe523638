"""The references of each prediction: several per key, in several languages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.metrics.problem import Problem, row_problems
from scoresheet.metrics.text.languages import (
    language_in_name,
    matching_languages,
    script_language,
)
from scoresheet.metrics.text.tokens import has_words

SEPARATOR = "||"


def pair_with_references(
    rows: pd.DataFrame, references: pd.DataFrame | None, language: str
) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the references of each row: its position in `rows`, the reference, the language.

    References come from the rows themselves or from the table of references, by idiom. Where a
    row has references in several languages, those in the prediction's language are used.
    """
    if "reference" in rows:
        keys = pd.Series(np.arange(len(rows)))
        known = split_references(keys, rows["reference"], None)
        own_keys: pd.Series = keys
    else:
        if references is None:
            raise ValueError("sinfo needs references, in the outputs or in a table of their own")
        known = split_references(
            references["idiom"], references["reference"], references.get("language")
        )
        own_keys = rows["idiom"].reset_index(drop=True)
    wanted = pd.DataFrame({"key": own_keys, "row": np.arange(len(rows))})
    pairs = wanted.merge(known, on="key", how="inner").drop(columns="key")
    return _in_language(pairs, rows, language)


def split_references(
    keys: pd.Series, cells: pd.Series, languages: pd.Series | None
) -> pd.DataFrame:
    """Return one row per reference that has words; equal ones of a key count once.

    A cell is a list, or a text that separates references with ||.
    """
    parts = [_parts(cell) for cell in cells]
    counts = [len(part) for part in parts]
    table = pd.DataFrame(
        {
            "key": np.repeat(keys.to_numpy(), counts),
            "reference": [text for part in parts for text in part],
            "language": "" if languages is None else np.repeat(languages.to_numpy(), counts),
        }
    )
    table["language"] = table["language"].map(
        {label: _language_code(label) for label in table["language"].unique()}
    )
    return table.drop_duplicates(["key", "reference", "language"], ignore_index=True)


def _parts(cell: Any) -> list[str]:
    texts: Sequence[str] = cell if isinstance(cell, list) else str(cell).split(SEPARATOR)
    stripped = [str(text).strip() for text in texts]
    return [text for text in stripped if has_words(text)]


def _language_code(label: str) -> str:
    """Return the code of a language's name, or the label itself where it is not known."""
    return language_in_name(str(label)) or str(label)


def _in_language(
    pairs: pd.DataFrame, rows: pd.DataFrame, language: str
) -> tuple[pd.DataFrame, list[Problem]]:
    declared = [code for code in pairs["language"].unique() if code]
    if not declared:
        return pairs, []
    own = _prediction_languages(pairs, rows, language)
    offered = pairs.groupby("row")["language"].agg(_distinct)
    chosen = {
        (code, choice): _choose(code, choice)
        for code, choice in set(zip(own, offered, strict=True))
    }
    usable = pd.Series(
        [chosen[pair] for pair in zip(own, offered, strict=True)], index=offered.index
    )
    wanted = pairs["row"].map(usable)
    across = (usable.map(len) == 0) & np.array([code != "" for code in own], dtype=bool)
    asked_for = language != "auto"
    # an unknown script is scored against what there is, unless a language was asked for
    keep = [
        (not codes and not asked_for) or code in codes
        for code, codes in zip(pairs["language"], wanted, strict=True)
    ]
    notes: list[Problem] = []
    shared = usable.map(len) > 1
    if not asked_for:
        mixed = rows.iloc[across.index[across]]
        message = "the prediction and its reference are in different scripts"
        notes += row_problems(mixed, "across-scripts", message, effect="note")
    if shared.any():
        codes = ", ".join(sorted({code for codes in usable[shared] for code in codes}))
        message = f"references in {codes} share a script; all of them were used"
        hint = f"name the language, e.g. --language {usable[shared].iloc[0][0]}"
        notes.append(Problem("shared-script", "note", message, hint=hint))
    return pairs[keep].reset_index(drop=True), notes


def _distinct(codes: pd.Series) -> Any:
    return tuple(dict.fromkeys(codes))


def _prediction_languages(pairs: pd.DataFrame, rows: pd.DataFrame, language: str) -> list[str]:
    """Return the language of each paired row's prediction, in the order of their positions."""
    positions = np.unique(pairs["row"])
    if language != "auto":
        return [language] * len(positions)
    found = rows.iloc[positions]
    stated = found["language"] if "language" in rows else pd.Series("", index=found.index)
    return [
        _language_code(code) if code else script_language(text)
        for code, text in zip(stated, found["prediction"], strict=True)
    ]


def _choose(code: str, offered: tuple[str, ...]) -> tuple[str, ...]:
    """Return the offered languages that a prediction may be in."""
    if code in offered:
        return (code,)
    try:
        return tuple(matching_languages(code, [o for o in offered if o])) if code else ()
    except ValueError:  # a label that is not a language we know can only match itself
        return ()
