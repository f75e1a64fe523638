"""Rows that occur more than once, and values that look wrong: what to type about them."""

from collections.abc import Container, Iterable, Iterator
from typing import Any

import pandas as pd

from scoresheet.cli.input import cells as see
from scoresheet.cli.input import grammar
from scoresheet.cli.input.frames import Rules
from scoresheet.cli.input.mapping import PART, ROW, Reading
from scoresheet.metrics.checks import divides
from scoresheet.metrics.problem import Problem, Refusal, refusal
from scoresheet.metrics.role import Table

# Checks that --accept overrules.
ACCEPTABLE = (
    *("same-as-reference", "not-classes", "one-judge", "one-stream", "one-subtopic"),
    *("uneven-features", "all-different", "nothing-shared"),
)


def unique_keys(declared: Table, columns: Container[str]) -> list[list[str]]:
    """Return the columns that identify a row, as alternatives."""
    if declared.unique_with and declared.unique_with not in columns:
        return []
    common = [name for name in ("model", "sheet", "run", PART) if name in columns]
    # an alternative counts only where its last role is filled: query+rank needs a rank
    return [
        [*common, *(role for role in roles if role in columns)]
        for roles in declared.unique
        if len(declared.unique) == 1 or roles[-1] in columns
    ]


def drop_repeats(table: Reading, repeats: str) -> None:
    """Keep the first of rows that occur more than once, or refuse them, naming what differs."""
    before = len(table)
    for keys in unique_keys(table.declared, table.columns):
        # headers that are values tell the cells of a row apart
        named = [f.role for f in table.fills.values() if f.how == "names" and f.role not in keys]
        apart = {role: list(map(str, table.columns[role])) for role in named}  # some are lists
        rows = pd.DataFrame({key: table.columns[key] for key in keys} | apart)
        rows = rows.dropna(subset=keys)  # an empty rank or level is not a key
        again = rows.duplicated(keep=False)
        if again.any() and repeats != "first":
            raise _repeated(table, keys, rows.index[again].tolist())
        repeated = set(rows.index[rows.duplicated()])
        table.take([at for at in range(len(table)) if at not in repeated])
    if len(table) < before:
        message = f"{before - len(table)} repeated rows were left out, the first of each was kept"
        table.note("repeated", message)


def _repeated(table: Reading, keys: list[str], again: list[int]) -> Refusal:
    what = ", ".join(
        f"{table.header(key) or key} {value if isinstance(value, str) else f'{value:g}'}"
        for key in keys
        if key not in ("model", "sheet", PART)
        for value in [table.columns[key][again[0]]]
    )
    message = f"{what or 'a row'} occurs more than once ({len(again)} rows)"
    columns = [table.columns[key] for key in keys]
    for header in table.mapping.unused if table.declared.name == "outputs" else ():
        by_row = dict(zip(table.rows, map(str, table.cells[header]), strict=True))
        cells = [by_row[row] for row in table.columns[ROW]]
        divided = len(set(zip(*columns, cells, strict=True))) == len(table)
        if divided and divides(table.cells[header]):
            advice = f"say what {header} is, or keep some of the rows"
            roles = ("model", "sheet", "split", "run", "where")
            options = [*_options(table, [(role, header) for role in roles]), "--repeats first"]
            return refusal("repeated", f"{message}; {header} tells them apart", advice, *options)
    advice = "remove the repeated rows, or keep the first of each"
    return refusal("repeated", message, advice, "--repeats first")


def _options(table: Reading, columns: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield what can be typed: columns for roles that no column fills, cells of wide tables."""
    wide = any(filling.how == "names" for filling in table.fills.values())
    for role, source in columns:
        filling = table.mapping.filling(role)
        is_free = not filling or filling.how in ("place", "cells")
        if role == "where":
            yield grammar.where_option(source, "==", str(table.cells[source][0]))
        elif role == "ignore":
            yield table.option(role, grammar.join_names([source]))
        elif role in table.declared.role_names and is_free and (wide or source != "@cells"):
            yield table.option(role, source)


def doubts(
    table: Reading, references: tuple[str, pd.DataFrame] | None, rules: Rules
) -> Iterator[Problem]:
    """Yield what the checks of the table find, and what the references have no key for."""
    further: dict[str, dict[str, list[Any]]] = {name: {} for name in rules.given}
    if references:
        key, frame = references
        further["references"] = {str(name): frame[name].tolist() for name in frame}
        yield from _no_match(table, key, set(frame[key]))
    checks, mapping = table.declared.checks, table.mapping
    places = {filling.role for filling in mapping.fillings if filling.how == "place"}
    headers = (*mapping.unused, *table.values) if checks else ()
    cells = {h: dict(zip(table.rows, table.cells[h], strict=True)) for h in headers}
    for check in checks:
        doubt = check(table.columns, cells, further)
        # if each file or worksheet has one judge, the run looks at all of them
        from_place = doubt is not None and doubt.kind.removeprefix("one-") in places
        if doubt and not from_place and doubt.kind not in rules.accept:
            hint = [doubt.advice, *_options(table, doubt.options)]
            hint += [f"--accept {doubt.kind}"] if doubt.kind in ACCEPTABLE else []
            lines = "\n".join(filter(None, hint))
            yield Problem(doubt.kind, "skipped", doubt.message, hint=lines)


def _no_match(table: Reading, key: str, known: set[str]) -> Iterator[Problem]:
    keys, word = table.columns[key], table.header(key) or key
    if not known or not keys or known.intersection(keys):
        return
    message = f"no {word} of this table is in the references (first: {keys[0]!r})"
    hint = f"use the keys of the references, such as {min(known)!r}"
    if set(map(see.loose, keys)) & set(map(see.loose, known)):
        hint = "--match loose"
    for header, cells in table.cells.items():
        if 2 * sum(str(cell).strip() in known for cell in cells) > len(cells):
            message += f"; column {header} holds their keys"
            hint = table.option(key, header)
            break
    yield Problem("no-match", "refused", message, hint=hint)
