"""One table as a family scores it: mapped, tidied, and refused where its values look wrong."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from typing import Any

import pandas as pd

from scoresheet.cli.input import grammar
from scoresheet.cli.input.cells import is_nan, loose
from scoresheet.cli.input.columns import map_columns
from scoresheet.cli.input.mapping import PART, ROW, Long, Place, Raw
from scoresheet.cli.input.source import refusal
from scoresheet.cli.input.tidy import LoadRules, tidy
from scoresheet.metrics.checks import divides
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import Table

# Checks that --accept overrules.
ACCEPTABLE = (
    *("same-as-reference", "not-classes", "one-judge", "one-stream", "one-subtopic"),
    *("uneven-features", "all-different", "nothing-shared"),
)


def load_table(
    table: Table,
    frame: pd.DataFrame,
    place: Place,
    rules: LoadRules,
    *,
    worksheets: int = 1,
    references: pd.DataFrame | None = None,
    key: str = "",
) -> Long:
    """Return the long table, or refuse with every problem that was found.

    `references` are the run's references, joined by the role `key`, for the checks that need them.
    """
    if table.name == "outputs":
        frame = grammar.filter_rows(frame, rules.where)
    columns = zip(frame.columns.tolist(), frame.to_numpy(dtype=object).T, strict=True)
    raw = Raw({header: list(cells) for header, cells in columns}, frame.index.tolist(), place)
    mapping = map_columns(table, raw, rules.said, worksheets=worksheets, given=rules.given)
    long = Long(table, raw, mapping)
    tidy(long, rules)
    _drop_repeats(long, rules.repeats)
    if problems := list(_doubts(long, key, references, rules)):
        raise Refusal(*problems)
    return long


# --- rows that occur more than once ---------------------------------------------------------


def unique_keys(table: Table, long: Container[str]) -> list[list[str]]:
    """Return the columns that identify a row, as alternatives."""
    if table.unique_with and table.unique_with not in long:
        return []
    common = [name for name in ("model", "sheet", "run", PART) if name in long]
    # an alternative counts only where its last role is filled: query+rank needs a rank
    return [
        [*common, *(role for role in roles if role in long)]
        for roles in table.unique
        if len(table.unique) == 1 or roles[-1] in long
    ]


def _drop_repeats(long: Long, repeats: str) -> None:
    """Keep the first of rows that occur more than once, or refuse them, naming what differs."""
    before, named = len(long), [f.role for f in long.mapping.fillings if f.how == "names"]
    for keys in unique_keys(long.table, long.columns):
        # headers that are values tell the cells of a row apart
        apart = [[str(cell) for cell in long.columns[role]] for role in named if role not in keys]
        rows = list(zip(*(long.columns[key] for key in keys), *apart, strict=True))
        # an empty rank or level (NaN) is not a key: cells of a wide table can be empty
        known = [at for at, row in enumerate(rows) if not any(map(is_nan, row))]
        first = {rows[at]: at for at in reversed(known)}
        if len(first) == len(known):
            continue
        if repeats != "first":
            counts = Counter(rows[at] for at in known)
            raise _repeated(long, keys, [at for at in known if counts[rows[at]] > 1])
        long.take([at for at, row in enumerate(rows) if first.get(row, at) == at])
    if len(long) < before:
        message = f"{before - len(long)} repeated rows were left out, the first of each was kept"
        long.note("repeated", message)


def _repeated(long: Long, keys: list[str], again: list[int]) -> Refusal:
    what = ", ".join(
        f"{long.header(key) or key} {value if isinstance(value, str) else f'{value:g}'}"
        for key in keys
        if key not in ("model", "sheet", PART)
        for value in [long.columns[key][again[0]]]
    )
    message = f"{what or 'a row'} occurs more than once ({len(again)} rows)"
    columns = [long.columns[key] for key in keys]
    for header in long.mapping.unused if long.table.name == "outputs" else ():
        by_row = dict(zip(long.raw.rows, map(str, long.raw.cells[header]), strict=True))
        cells = [by_row[row] for row in long.columns[ROW]]
        divided = len(set(zip(*columns, cells, strict=True))) == len(long)
        if divided and divides(long.raw.cells[header]):
            advice = f"say what {header} is, or keep some of the rows"
            roles = ("model", "sheet", "split", "run", "where")
            options = [*_options(long, [(role, header) for role in roles]), "--repeats first"]
            return refusal("repeated", f"{message}; {header} tells them apart", advice, *options)
    advice = "remove the repeated rows, or keep the first of each"
    return refusal("repeated", message, advice, "--repeats first")


def _options(long: Long, columns: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield what can be typed: columns for roles that no column fills, cells of wide tables."""
    wide = any(filling.how in ("names", "pattern") for filling in long.mapping.fillings)
    for role, source in columns:
        filling = long.mapping.filling(role)
        known = role in long.table.role_names
        is_free = known and (not filling or filling.how in ("place", "cells"))
        if role == "where":
            yield grammar.where_option(source, "==", str(long.raw.cells[source][0]))
        elif role == "ignore":
            yield long.option(role, grammar.join_names([source]))
        elif is_free and (wide or source != "@cells"):
            yield long.option(role, source)


# --- values that look wrong -----------------------------------------------------------------


def _doubts(
    long: Long, key: str, references: pd.DataFrame | None, rules: LoadRules
) -> Iterator[Problem]:
    """Yield what the checks of the table find, and what the references have no key for."""
    further: dict[str, dict[str, list[Any]]] = {name: {} for name in rules.given}
    if references is not None and len(references) and len(long):
        further["references"] = {str(n): references[n].tolist() for n in references}
        yield from _no_match(long, key, set(further["references"][key]))
    places = {filling.role for filling in long.mapping.fillings if filling.how == "place"}
    headers = (*long.mapping.unused, *long.mapping.values) if long.table.checks else ()
    cells = {h: dict(zip(long.raw.rows, long.raw.cells[h], strict=True)) for h in headers}
    for check in long.table.checks:
        doubt = check(long.columns, cells, further)
        # if each file or worksheet has one judge, the run looks at all of them
        from_place = doubt is not None and doubt.kind.removeprefix("one-") in places
        if doubt and not from_place and doubt.kind not in rules.accept:
            hint = [doubt.advice, *_options(long, doubt.options)]
            hint += [f"--accept {doubt.kind}"] if doubt.kind in ACCEPTABLE else []
            lines = "\n".join(filter(None, hint))
            yield Problem(doubt.kind, "skipped", doubt.message, hint=lines)


def _no_match(long: Long, key: str, known: set[str]) -> Iterator[Problem]:
    keys, word = long.columns[key], long.header(key) or key
    if known.intersection(keys):
        return
    message = f"no {word} of this table is in the references (first: {keys[0]!r})"
    hint = f"use the keys of the references, such as {min(known)!r}"
    if set(map(loose, keys)) & set(map(loose, known)):
        hint = "--match loose"
    for header, cells in long.raw.cells.items():
        if 2 * sum(str(cell).strip() in known for cell in cells) > len(cells):
            message += f"; column {header} holds their keys"
            hint = long.option(key, header)
            break
    yield Problem("no-match", "refused", message, hint=hint)
