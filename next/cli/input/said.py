"""What --column says about one table."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from scoresheet.cli.input import grammar
from scoresheet.cli.input.cells import at_path
from scoresheet.cli.input.mapping import Filling, Reading
from scoresheet.metrics.role import Role, normal


def fill_said(table: Reading, said: Sequence[grammar.Said]) -> None:
    """Fill the roles that --column names, and set aside the columns to ignore."""
    sources: dict[str, list[str]] = defaultdict(list)
    for one in said:
        sources[one.role].append(one.source)
    for name in itertools.chain(*map(grammar.split_names, sources.pop("ignore", ()))):
        table.taken |= dict.fromkeys(_matching(table, name), "ignore")
    # patterns come last: they are about the headers that are not named for a role
    for name in sorted(sources, key=lambda name: any(map(_is_pattern, sources[name]))):
        typed, role = sources[name], table.declared.role(name)
        found = [f for source in typed if (f := _resolve(table, role, source))]
        # a place or nothing is for the tables that have none of the columns
        found = [f for f in found if f.how not in ("place", "none")] or found
        if len(found) > 1:
            message = f"{name} was given twice, and this table has both: {', '.join(typed)}"
            options = [table.option(name, source) for source in typed]
            table.refuse("two-headers", name, message, "use one", *options)
        elif found:
            _take(table, replace(found[0], said=True))
        else:
            _refuse_unknown(table, name, typed)


def _resolve(table: Reading, role: Role, source: str) -> Filling | None:
    """Return how a source would fill a role; None if this table has no such columns."""
    word, _, names = source.partition(":")
    if source in table.cells:
        return Filling(role.name, "header", (source,))
    if _is_pattern(source):
        own = {role.name, *grammar.roles_of(source)}
        others = [other for other in table.declared.roles if other.name not in own]
        fit = [header for header in table.free() if grammar.readings(source, header)]
        headers = tuple(h for h in fit if not any(other.takes(h) for other in others))
        return Filling(role.name, "names", headers, source, values=headers) if headers else None
    if word in grammar.PLACES:
        return table.place(role.name, word, names, source)
    if source in ("@cells", "@none"):
        return Filling(role.name, "cells" if source == "@cells" else "none")
    if source == "@header" and role.open:  # what is left over is known last
        return Filling(role.name, "names", (), source)
    if word == "@header" and names:
        headers = _all_matching(table, names)
        return Filling(role.name, "names", headers) if headers else None
    return _resolve_headers(table, role, source)


def _resolve_headers(table: Reading, role: Role, source: str) -> Filling | None:
    if source.startswith("@"):
        known = ", ".join([*grammar.PLACES, "@header:NAMES", "@cells", "@none"])
        message = f"{role.name} takes a column or one of {known}"
        raise grammar.usage(f"--column {role.name}={source}: {message}")
    headers = _all_matching(table, source)
    if len(headers) == 1 and "*" not in source:
        return Filling(role.name, "header", headers)
    if headers and not role.lists:
        raise grammar.usage(f"--column {role.name}={source}: {role.name} takes one column")
    if headers:
        return Filling(role.name, "headers", headers, source)
    pieces = source.split(".")  # a path begins with a header and leads to something in a cell
    for length in range(len(pieces) - 1, 0, -1):
        base = ".".join(pieces[:length])
        if base in table.cells:
            found = any(at_path(cell, pieces[length:]) != "" for cell in table.cells[base])
            return Filling(role.name, "header", (base,), source) if found else None
    return None


def _take(table: Reading, filling: Filling) -> None:
    """Fill a role as it was said, and with it the other roles of a pattern."""
    role, source = filling.role, filling.source
    is_split = filling.how in ("names", "place") and ("{" in source or ":" in source)
    values = _parts(table, filling) if is_split else {role: filling.values}
    for header in filling.headers:
        if (other := table.taken.get(header, "ignore")) != "ignore":
            message = f"column {header} was given two roles: {other} and {role}"
            table.refuse("two-roles", role, message, "give each role a column of its own")
    for name in values:
        if name in table.fills and table.fills[name].source != source:
            message = f"{name} was given twice: {table.fills[name].typed()} and {source}"
            table.refuse("two-roles", name, message, f"leave {name} out of one of them")
        table.fill(replace(filling, role=name, values=values[name]))
    if role not in values:  # the cells below the headers of a pattern
        table.fill(Filling(role, "cells", (), source, said=True))


def _parts(table: Reading, filling: Filling) -> dict[str, tuple[str, ...]]:
    """Return the values of each role of a pattern, or refuse the names that do not fit it."""
    role, is_grid, known = filling.role, filling.how == "names", table.declared.role_names
    template = filling.source if is_grid else filling.source.partition(":")[2]
    names = grammar.roles_of(template)
    # a pattern of a place is about the role, a pattern of headers about the cells below them
    if (role in names) == is_grid or not set(names) <= set(known):
        expected = f"the roles in braces can be {', '.join(known)}"
        raise grammar.usage(f"--column {role}={filling.source} cannot be read; {expected}")
    found = {value: grammar.readings(template, value) for value in filling.values}
    twice = [value for value, parts in found.items() if len(parts) > 1]
    if is_grid:
        _check_grid(table, filling, found, twice)
    elif twice:
        message = f"the name {twice[0]} fits {template} in two ways"
        table.refuse("two-ways", names[0], message, "rename it, or move it away")
    elif not all(found.values()):
        message = f"the name {filling.values[0]} does not fit {template}"
        table.refuse("places", names[0], message, "rename it, or move it away")
    first = [parts[0] if parts else dict.fromkeys(names, value) for value, parts in found.items()]
    return {name: tuple(parts[name] for parts in first) for name in names}


def _check_grid(
    table: Reading, filling: Filling, found: dict[str, list[dict[str, str]]], twice: list[str]
) -> None:
    """Refuse headers that fit their pattern in two ways, or that leave gaps between them."""
    source, surplus = filling.source, twice
    kind, message = "two-ways", f"header {''.join(twice[:1])} fits {source} in two ways"
    advice = "rename the headers, or leave some out"
    if not twice:
        seen = {tuple(parts[0].values()): header for header, parts in found.items()}
        grid = itertools.product(*(dict.fromkeys(part) for part in zip(*seen, strict=True)))
        gaps = [parts for parts in grid if parts not in seen]
        surplus = [h for parts, h in seen.items() if parts[0] in {gap[0] for gap in gaps}]
        first = " and ".join(gaps[0]) if gaps else ""
        kind, message = "gaps", f"the headers that fit {source} are incomplete: none for {first}"
        advice = "add the missing columns, or leave others out"
    if surplus:
        some = len(surplus) < len(found)
        options = [table.option("ignore", grammar.join_names(surplus))] if some else []
        table.refuse(kind, filling.role, message, advice, *options)


def _refuse_unknown(table: Reading, role: str, sources: Sequence[str]) -> None:
    headers, options = list(table.cells), []
    for source in sources:
        # the roles that those headers and their cells would have filled are not missing
        if _is_pattern(source):
            table.refused.update(grammar.roles_of(source))
            continue
        prefix = "@header:" if source.startswith("@header:") else ""
        if prefix:
            table.refused.update(name for name in table.declared.cells if isinstance(name, str))
        names = grammar.split_names(source.removeprefix(prefix))
        known = [(*_matching(table, name), grammar.nearest(name, headers))[0] for name in names]
        if all(known):
            options.append(table.option(role, prefix + grammar.join_names(known)))
    hint = options or [f"columns: {grammar.few(headers, 40)}"]
    table.refuse("unknown-header", role, f"no column {', '.join(sources)} for {role}", *hint)
    table.fills[role] = Filling(role, "none", said=True)


def _is_pattern(source: str) -> bool:
    return not source.startswith("@") and "{" in source and "}" in source


def _matching(table: Reading, name: str) -> list[str]:
    """Return the headers that a name stands for: exactly, else without case, else as a pattern."""
    headers = table.cells
    same = [name] if name in headers else [h for h in headers if normal(h) == normal(name)]
    return same if len(same) == 1 else [h for h in headers if "*" in name and fnmatchcase(h, name)]


def _all_matching(table: Reading, names: str) -> tuple[str, ...]:
    """Return the headers that names stand for; none unless each name stands for some."""
    found = [_matching(table, name) for name in grammar.split_names(names)]
    return tuple(dict.fromkeys(itertools.chain(*found))) if all(found) else ()
