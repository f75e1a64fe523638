"""The references of a run, by idiom, and which idiom a key that finds none may have meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from scoresheet.metrics.families.sinfo.inputs import PredictionSheet
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.families.sinfo.references import Reference, ReferenceSelector, distinct, references_in
from scoresheet.metrics.families.sinfo.schema import EXPLANATION, LANGUAGE, REFERENCE_IDIOM
from scoresheet.metrics.keys import join_key, unambiguous_keys
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import SOURCE
from scoresheet.metrics.tables import HeldTable, text_cells
from scoresheet.metrics.text.scripts_and_languages import is_language_header, language_named

if TYPE_CHECKING:
    from scoresheet.metrics.tables import Table


@dataclass(frozen=True)
class SinfoContext:
    """The references of a run."""

    selector: ReferenceSelector
    keys: frozenset[str]  # every key of the table, also of those whose references are wordless
    ordered_keys: tuple[str, ...]
    near_keys: Mapping[str, str]  # a key in its loosest form → the key as it is written


def references_by_key(table: Table, options: SinfoOptions) -> Noted[SinfoContext]:
    """Return the references of each key, and a note on keys whose rows differ.

    The table has the columns idiom, explanation, language and source; a language column wins over the file's name.
    """
    by_key: dict[str, list[Reference]] = {}
    cells_of: dict[tuple[str, str], set[str]] = {}
    for idiom, cell, language, source in _cells(table):
        key = join_key(idiom)
        file = source.rpartition("/")[2].rpartition(".")[0]
        here = references_in(cell, language, file, options)
        by_key.setdefault(key, []).extend(here)
        for each in here[:1]:
            cells_of.setdefault((key, each.language), set()).add(cell.strip())
    selector = ReferenceSelector({key: distinct(found) for key, found in by_key.items()}, options.language)
    near_keys = unambiguous_keys(by_key)
    differing = {key for (key, _), cells in cells_of.items() if len(cells) > 1}
    return Noted(SinfoContext(selector, frozenset(by_key), tuple(by_key), near_keys), _differing_references(differing))


def _cells(table: Table) -> Iterator[tuple[str, str, str, str]]:
    """Yield idiom, explanation, language and source; of a row without an explanation those under each language."""
    own = (REFERENCE_IDIOM.name, EXPLANATION.name, LANGUAGE.name, SOURCE)
    by_language = [header for header in map(str, table.columns) if header not in own and is_language_header(header)]
    wide = [text_cells(table, header) for header in by_language]
    for row, cells in enumerate(zip(*(text_cells(table, name) for name in own), strict=True)):
        idiom, cell, language, source = cells
        if cell.strip() or not by_language:
            yield idiom, cell, language, source
            continue
        for header, column in zip(by_language, wide, strict=True):
            if column[row].strip():
                yield idiom, column[row], language_named(header) or header, source


def references_beside(sheets: Sequence[PredictionSheet]) -> HeldTable:
    """Return the references that stand beside predictions as a table of references, each once."""
    rows = dict.fromkeys(
        (idiom, reference, "", "")
        for sheet in sheets
        for idiom, reference in zip(sheet.idioms, sheet.references, strict=False)
        if reference.strip()
    )
    names = (REFERENCE_IDIOM.name, EXPLANATION.name, LANGUAGE.name, SOURCE)
    return HeldTable({name: [row[position] for row in rows] for position, name in enumerate(names)})


def _differing_references(keys: set[str]) -> tuple[Problem, ...]:
    if not keys:
        return ()
    message = f"{len(keys)} keys have several rows with differing references: {join_names(sorted(keys))}"
    return (note("several-references", message),)
