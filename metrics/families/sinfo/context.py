"""The references of a run, by idiom, and which idiom a key that finds none may have meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.references import Reference, ReferenceSelector, distinct, references_in
from scoresheet.metrics.families.sinfo.schema import EXPLANATION, LANGUAGE, REFERENCE_IDIOM
from scoresheet.metrics.keys import join_key, loose_key
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.schema import SOURCE


@dataclass(frozen=True)
class SinfoContext:
    """The references of a run."""

    selector: ReferenceSelector
    keys: frozenset[str]  # every key of the table, also of those whose references are wordless
    ordered_keys: tuple[str, ...]
    near_keys: Mapping[str, str]  # a key without case, width and end marks → the key as it is written


def references_by_key(table: pd.DataFrame, options: SinfoOptions) -> Noted[SinfoContext]:
    """Return the references of each key, and a note on keys whose rows differ.

    The table has the columns idiom, explanation, language and source; a language column wins over the file's name.
    """
    by_key: dict[str, list[Reference]] = {}
    cells_of: dict[tuple[str, str], set[str]] = {}
    columns = (table[REFERENCE_IDIOM.name], table[EXPLANATION.name], table[LANGUAGE.name], table[SOURCE])
    for idiom, cell, language, source in zip(*columns, strict=True):
        key = join_key(idiom)
        file = source.rpartition("/")[2].rpartition(".")[0]
        here = references_in(cell, language, file, separator=options.reference_separator, tokenizer=options.tokenizer)
        by_key.setdefault(key, []).extend(here)
        for each in here[:1]:
            cells_of.setdefault((key, each.language), set()).add(cell.strip())
    selector = ReferenceSelector({key: distinct(found) for key, found in by_key.items()}, options.language)
    near_keys = {loose_key(key): key for key in by_key}
    differing = {key for (key, _), cells in cells_of.items() if len(cells) > 1}
    return Noted(SinfoContext(selector, frozenset(by_key), tuple(by_key), near_keys), _differing_references(differing))


def _differing_references(keys: set[str]) -> tuple[Problem, ...]:
    if not keys:
        return ()
    message = f"{len(keys)} keys have several rows with differing references: {join_names(sorted(keys))}"
    return (note("several-references", message),)
