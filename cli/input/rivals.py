"""Headers that could be one of our columns too, beside the one that was taken: none is passed over in silence."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from shlex import quote

from scoresheet.cli.input.header_matching import Renamings, candidates, fold_header, headers_of
from scoresheet.cli.input.loading import LoadedSheet
from scoresheet.metrics.keys import join_keys
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Problem, note
from scoresheet.metrics.schema import InputColumn, TableSchema


def rival_notes(loaded: LoadedSheet, schema: TableSchema, renamed: Renamings) -> list[Problem]:
    """Return a note for each column that other headers of the table could be too, and how to take one of them.

    It is said aloud where it makes a difference: where another text would be scored, or other rows belong together.
    """
    taken = {column: header for header, column in headers_of(loaded.grid, schema, renamed).items() if header}
    headers = loaded.grid.headers
    notes = []
    for column, header in taken.items():
        if not (column.fallbacks or (column.kind == "text" and column.required)):
            continue
        others = [
            other for other in candidates(column, headers, renamed) if other != header and other not in taken.values()
        ]
        if others:
            differ = [other for other in others if not _are_alike(loaded, column, header, other)]
            kind = "several-candidates" if differ else "other-columns"
            notes.append(note(kind, _message(column, header, differ or others), column=column.name))
    return notes


def same_groups(one: Sequence[Hashable], other: Sequence[Hashable]) -> bool:
    """Return whether two columns put the same rows together, whatever they call them.

    >>> same_groups(["p1", "p1", "p2"], ["why?", "why?", "how?"]), same_groups(["p1", "p2"], ["why?", "why?"])
    (True, False)
    """
    return len(set(one)) == len(set(other)) == len(set(zip(one, other, strict=True)))


def _are_alike(loaded: LoadedSheet, column: InputColumn, one: str, other: str) -> bool:
    """Return whether it makes no difference which of two headers is taken: the same cells, or the same groups of rows.

    Two ids that group the rows of this sheet alike may yet differ in whether another model's rows have them too.
    """
    cells, others = (join_keys(loaded.grid.cells(header)) for header in (one, other))
    if column.kind == "text" or fold_header(other).endswith("id"):
        return cells == others
    return same_groups(cells, others)


def _message(column: InputColumn, header: str, others: Sequence[str]) -> str:
    way = quote(f"{column.name}={others[0]}")
    return f"{header!r} was taken for it, and {join_names(map(repr, others))} could be too: --column {way} takes that"
