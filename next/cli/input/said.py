"""What --column says about one table."""

import itertools
import re
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
        if one.role == "ignore":
            ignored = [
                h for name in grammar.split_names(one.source) for h in _matching(draft, name)
            ]
            draft.taken |= dict.fromkeys(ignored, "ignore")
        else:
            sources[one.role].append(one.source)
    # patterns come last: they are about the headers that are not named for a role
    for name in sorted(sources, key=lambda name: any(map(_is_pattern, sources[name]))):
        _fill_role(draft, draft.table.role(name), sources[name])


def _fill_role(draft: Draft, role: Role, sources: list[str]) -> None:
    found = [f for source in sources if (f := _resolve(draft, role, source))]
    # a place or nothing is for the tables that have none of the columns
    found = [f for f in found if f.how not in ("place", "none")] or found
    if len(found) > 1:
        message = f"{role.name} was given twice, and this table has both: {', '.join(sources)}"
        options = [draft.option(role.name, source) for source in sources]
        draft.refuse("two-headers", role.name, message, "use one", *options)
    elif not found:
        _refuse_unknown(draft, role.name, sources)
    else:
        _take(draft, replace(found[0], said=True))


def _resolve(draft: Draft, role: Role, source: str) -> Filling | None:
    """Return how a source would fill a role; None if this table has no such columns."""
    if source in draft.raw.cells:
        return Filling(role.name, "header", (source,))
    if source.startswith("@"):
        return _resolve_word(draft, role, source)
    if _is_pattern(source):
        pattern, parts = grammar.pattern_of(source)
        others = [r for r in draft.table.roles if r.name not in (role.name, *parts)]
        fit = [header for header in draft.free() if pattern.fullmatch(header)]
        headers = tuple(h for h in fit if not any(other.takes(h) for other in others))
        return Filling(role.name, "pattern", headers, source) if headers else None
    headers = _all_matching(draft, grammar.split_names(source))
    if len(headers) == 1 and "*" not in source:
        return Filling(role.name, "header", headers)
    if headers and not role.lists:
        raise grammar.usage(f"--column {role.name}={source}: {role.name} takes one column")
    if headers:
        return Filling(role.name, "headers", headers, source)
    base = _base_of_path(draft, source)
    return Filling(role.name, "header", (base,), source) if base else None


def _resolve_word(draft: Draft, role: Role, source: str) -> Filling | None:
    word, _, rest = source.partition(":")
    if word in grammar.PLACES:
        return Filling(role.name, "place", (), source)
    if source in ("@cells", "@none"):
        return Filling(role.name, "cells" if source == "@cells" else "none")
    if word == "@header" and rest:
        headers = _all_matching(draft, grammar.split_names(rest))
        return Filling(role.name, "names", headers) if headers else None
    if source == "@header" and role.open:
        return Filling(role.name, "names", (), source)
    known = ", ".join([*grammar.PLACES, "@header:NAMES", "@cells", "@none"])
    raise grammar.usage(
        f"--column {role.name}={source}: {role.name} takes a column or one of {known}"
    )


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
    if filling.how == "pattern":
        _check_grid(draft, filling, names)
        for name in names:
            draft.fill(replace(filling, role=name))
        filling = Filling(filling.role, "cells", (), source, said=True)
    if filling.how == "place":
        _take_place(draft, source, names)
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
        if not match or grammar.has_two_readings(pattern, value):
            kind, how = (
                ("two-ways", "fits {} in two ways") if match else ("places", "does not fit {}")
            )
            message = f"the name {value} {how.format(template)}"
            draft.refuse(kind, names[0], message, "rename it, or move it away")
    for name in names:
        draft.fill(Filling(name, "place", (), source, shown, parts[name], said=True))


def _check_grid(draft: Draft, filling: Filling, names: Sequence[str]) -> None:
    """Refuse headers that fit their pattern in two ways, or that leave gaps between them."""
    role, source, headers = filling.role, filling.source, filling.headers
    pattern = grammar.pattern_of(source)[0]
    doubtful = [header for header in headers if grammar.has_two_readings(pattern, header)]
    seen = {match.groups(): h for h in headers if (match := pattern.fullmatch(h))}
    grid = itertools.product(*(dict.fromkeys(part) for part in zip(*seen, strict=True)))
    gaps = [dict(zip(names, parts, strict=True)) for parts in grid if parts not in seen]
    partial = [h for parts, h in seen.items() if parts[0] in {gap[names[0]] for gap in gaps}]
    surplus = doubtful or partial
    some = 0 < len(surplus) < len(headers)
    options = [draft.option("ignore", grammar.join_names(surplus))] if some else []
    if doubtful:
        message = f"header {doubtful[0]} fits {source} in two ways"
        draft.refuse("two-ways", role, message, "rename the headers, or leave some out", *options)
    elif gaps:
        first = re.sub(r"\{([a-z_]+)\}", lambda part: gaps[0][part[1]], source)
        more = f" and {len(gaps) - 1} more are" if len(gaps) > 1 else " is"
        message = f"{grammar.few(headers)} fit {source}, but {first}{more} missing"
        advice = "add the missing columns, or leave others out"
        draft.refuse("gaps", role, message, advice, *options)


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


def _all_matching(draft: Draft, names: Sequence[str]) -> tuple[str, ...]:
    """Return the headers that names stand for; none unless each name stands for some."""
    found = [_matching(draft, name) for name in names]
    return tuple(dict.fromkeys(itertools.chain(*found))) if all(found) else ()


def _base_of_path(draft: Draft, path: str) -> str:
    """Return the column that a path begins with, if the path leads to something in a cell."""
    pieces = path.split(".")
    for length in range(len(pieces) - 1, 0, -1):
        cells = draft.raw.cells.get(base := ".".join(pieces[:length]))
        if cells is not None:
            found = any(at_path(cell, pieces[length:]) != "" for cell in cells)
            return base if found else ""
    return ""
