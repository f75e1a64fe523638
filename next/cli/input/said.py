"""What --column says about one table."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from scoresheet.cli.input import grammar
from scoresheet.cli.input.cells import at_path
from scoresheet.cli.input.mapping import Draft, Filling
from scoresheet.metrics.role import Role, normal


def fill_said(draft: Draft, said: Sequence[grammar.Said]) -> None:
    """Fill the roles that --column names, and set aside the columns to ignore."""
    sources: dict[str, list[str]] = defaultdict(list)
    for one in said:
        sources[one.role].append(one.source)
    for source in sources.pop("ignore", ()):
        for name in grammar.split_names(source):
            draft.taken |= dict.fromkeys(_matching(draft, name), "ignore")
    # patterns come last: they are about the headers that are not named for a role
    for name in sorted(sources, key=lambda name: any(map(_is_pattern, sources[name]))):
        typed, role = sources[name], draft.table.role(name)
        found = [f for source in typed if (f := _resolve(draft, role, source))]
        # a place or nothing is for the tables that have none of the columns
        found = [f for f in found if f.how not in ("place", "none")] or found
        if len(found) > 1:
            message = f"{name} was given twice, and this table has both: {', '.join(typed)}"
            options = [draft.option(name, source) for source in typed]
            draft.refuse("two-headers", name, message, "use one", *options)
        elif found:
            _take(draft, replace(found[0], said=True))
        else:
            _refuse_unknown(draft, name, typed)


def _resolve(draft: Draft, role: Role, source: str) -> Filling | None:
    """Return how a source would fill a role; None if this table has no such columns."""
    word, _, rest = source.partition(":")
    if source in draft.raw.cells:
        return Filling(role.name, "header", (source,))
    if _is_pattern(source):
        pattern, parts = grammar.pattern_of(source)
        others = [r for r in draft.table.roles if r.name not in (role.name, *parts)]
        fit = [header for header in draft.free() if pattern.fullmatch(header)]
        headers = tuple(h for h in fit if not any(other.takes(h) for other in others))
        return Filling(role.name, "pattern", headers, source) if headers else None
    if word in grammar.PLACES:
        return Filling(role.name, "place", (), source)
    if source in ("@cells", "@none"):
        return Filling(role.name, "cells" if source == "@cells" else "none")
    if word == "@header" and (rest or (role.open and source == word)):
        headers = _all_matching(draft, rest)
        typed = "" if rest else source
        return Filling(role.name, "names", headers, typed) if headers or typed else None
    if source.startswith("@"):
        known = ", ".join([*grammar.PLACES, "@header:NAMES", "@cells", "@none"])
        message = f"{role.name} takes a column or one of {known}"
        raise grammar.usage(f"--column {role.name}={source}: {message}")
    headers = _all_matching(draft, source)
    if len(headers) == 1 and "*" not in source:
        return Filling(role.name, "header", headers)
    if headers and not role.lists:
        raise grammar.usage(f"--column {role.name}={source}: {role.name} takes one column")
    if headers:
        return Filling(role.name, "headers", headers, source)
    base = _base_of_path(draft, source)
    return Filling(role.name, "header", (base,), source) if base else None


def _take(draft: Draft, filling: Filling) -> None:
    """Fill a role as it was said, and with it the other roles of a pattern."""
    source, names = filling.source, [filling.role]
    if filling.how == "pattern" or (filling.how == "place" and ":" in source):
        names, known = list(grammar.pattern_of(source)[1]), draft.table.role_names
        # a pattern of a place is about the role, a pattern of headers about the cells below them
        if (filling.role in names) == (filling.how == "pattern") or not set(names) <= set(known):
            expected = f"the roles in braces can be {', '.join(known)}"
            raise grammar.usage(f"--column {filling.role}={source} cannot be read; {expected}")
    for header in filling.headers:
        if (other := draft.taken.get(header, "ignore")) != "ignore":
            message = f"column {header} was given two roles: {other} and {filling.role}"
            draft.refuse("two-roles", filling.role, message, "give each role a column of its own")
    for name in names:
        if name in draft.fills and draft.fills[name].source != source:
            message = f"{name} was given twice: {draft.fills[name].typed()} and {source}"
            draft.refuse("two-roles", name, message, f"leave {name} out of one of them")
    if filling.how == "place":
        _take_place(draft, source, names)
    elif filling.how == "pattern":
        _check_grid(draft, filling)
        for name in names:
            draft.fill(replace(filling, role=name))
        draft.fill(Filling(filling.role, "cells", (), source, said=True))
    else:
        draft.fill(filling)


def _take_place(draft: Draft, source: str, names: Sequence[str]) -> None:
    """Fill roles with the name of a place, or with the parts of it that fit a pattern."""
    word, _, template = source.partition(":")
    value, shown = draft.raw.place.value(word), draft.raw.place.shown(word)
    parts = dict.fromkeys(names, value)
    if template:
        pattern, shown = grammar.pattern_of(template)[0], f"{shown} {template}"
        match = pattern.fullmatch(value)
        parts = match.groupdict() if match else parts
        advice = "rename it, or move it away"
        if not match:
            message = f"the name {value} does not fit {template}"
            draft.refuse("places", names[0], message, advice)
        elif grammar.has_two_readings(pattern, value):
            message = f"the name {value} fits {template} in two ways"
            draft.refuse("two-ways", names[0], message, advice)
    for name in names:
        draft.fill(Filling(name, "place", (), source, shown, parts[name], said=True))


def _check_grid(draft: Draft, filling: Filling) -> None:
    """Refuse headers that fit their pattern in two ways, or that leave gaps between them."""
    role, source, headers = filling.role, filling.source, filling.headers
    pattern = grammar.pattern_of(source)[0]
    surplus = [header for header in headers if grammar.has_two_readings(pattern, header)]
    kind, message = "two-ways", f"header {''.join(surplus[:1])} fits {source} in two ways"
    advice = "rename the headers, or leave some out"
    if not surplus:
        seen = {match.groups(): h for h in headers if (match := pattern.fullmatch(h))}
        grid = itertools.product(*(dict.fromkeys(part) for part in zip(*seen, strict=True)))
        gaps = [parts for parts in grid if parts not in seen]
        surplus = [h for parts, h in seen.items() if parts[0] in {gap[0] for gap in gaps}]
        first = " and ".join(gaps[0]) if gaps else ""
        kind, message = "gaps", f"the headers that fit {source} are incomplete: none for {first}"
        advice = "add the missing columns, or leave others out"
    if surplus:
        some = len(surplus) < len(headers)
        options = [draft.option("ignore", grammar.join_names(surplus))] if some else []
        draft.refuse(kind, role, message, advice, *options)


def _refuse_unknown(draft: Draft, role: str, sources: Sequence[str]) -> None:
    headers, options = list(draft.raw.cells), []
    for source in sources:
        # the roles that those headers and their cells would have filled are not missing
        if _is_pattern(source):
            draft.refused.update(grammar.pattern_of(source)[1])
            continue
        prefix = "@header:" if source.startswith("@header:") else ""
        if prefix:
            draft.refused.update(name for name in draft.table.cells if isinstance(name, str))
        names = grammar.split_names(source.removeprefix(prefix))
        known = [(*_matching(draft, name), grammar.nearest(name, headers))[0] for name in names]
        if all(known):
            options.append(draft.option(role, prefix + grammar.join_names(known)))
    hint = options or [f"columns: {grammar.few(headers, 40)}"]
    draft.refuse("unknown-header", role, f"no column {', '.join(sources)} for {role}", *hint)
    draft.fills[role] = Filling(role, "none", said=True)


def _is_pattern(source: str) -> bool:
    return not source.startswith("@") and "{" in source and "}" in source


def _matching(draft: Draft, name: str) -> list[str]:
    """Return the headers that a name stands for: exactly, else without case, else as a pattern."""
    headers = draft.raw.cells
    same = [name] if name in headers else [h for h in headers if normal(h) == normal(name)]
    return same if len(same) == 1 else [h for h in headers if "*" in name and fnmatchcase(h, name)]


def _all_matching(draft: Draft, names: str) -> tuple[str, ...]:
    """Return the headers that names stand for; none unless each name stands for some."""
    found = [_matching(draft, name) for name in grammar.split_names(names)]
    return tuple(dict.fromkeys(itertools.chain(*found))) if all(found) else ()


def _base_of_path(draft: Draft, path: str) -> str:
    """Return the column that a path begins with, if the path leads to something in a cell."""
    pieces = path.split(".")
    bases = {length: ".".join(pieces[:length]) for length in range(len(pieces) - 1, 0, -1)}
    length = next((length for length, base in bases.items() if base in draft.raw.cells), 0)
    cells = draft.raw.cells[bases[length]] if length else ()
    return bases[length] if any(at_path(cell, pieces[length:]) != "" for cell in cells) else ""
