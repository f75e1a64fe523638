"""What --column says about one table."""

import fnmatch
import itertools
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from scoresheet.cli.input.cells import at_path
from scoresheet.cli.input.grammar import (
    PLACES,
    Said,
    has_two_readings,
    join_names,
    nearest,
    pattern_of,
    split_names,
    usage,
)
from scoresheet.cli.input.mapping import Draft, Filling
from scoresheet.metrics.role import Role, normal


def fill_said(draft: Draft, said: Sequence[Said]) -> None:
    """Fill the roles that --column names, and set aside the columns to ignore."""
    sources: dict[str, list[str]] = defaultdict(list)
    for one in said:
        if one.role == "ignore":
            ignored = [h for name in split_names(one.source) for h in _matching(draft, name)]
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
        pattern, parts = pattern_of(source)
        others = [r for r in draft.table.roles if r.name not in (role.name, *parts)]
        fit = [header for header in draft.free() if pattern.fullmatch(header)]
        headers = tuple(h for h in fit if not any(other.takes(h) for other in others))
        return Filling(role.name, "pattern", headers, source) if headers else None
    headers = _all_matching(draft, split_names(source))
    if len(headers) == 1 and "*" not in source:
        return Filling(role.name, "header", headers)
    if headers and not role.lists:
        raise usage(f"--column {role.name}={source}: {role.name} takes one column")
    if headers:
        return Filling(role.name, "headers", headers, source)
    base = _base_of_path(draft, source)
    return Filling(role.name, "header", (base,), source) if base else None


def _resolve_word(draft: Draft, role: Role, source: str) -> Filling | None:
    word, _, rest = source.partition(":")
    if word in PLACES:
        return Filling(role.name, "place", (), source)
    if word == "@header" and rest:
        headers = _all_matching(draft, split_names(rest))
        return Filling(role.name, "names", headers) if headers else None
    if word == "@header":
        if not role.open:
            raise usage(f"--column {role.name}=@header: name the headers, as in @header:a,b")
        return Filling(role.name, "names", (), "@header")
    if word in ("@cells", "@none"):
        return Filling(role.name, "cells" if word == "@cells" else "none")
    known = ", ".join([*PLACES, "@header", "@cells", "@none"])
    raise usage(f"--column {role.name}={source}: {word} is not one of {known}")


def _take(draft: Draft, filling: Filling) -> None:
    """Fill a role as it was said, and with it the other roles of a pattern."""
    source, names = filling.source, [filling.role]
    if "{" in source and filling.how in ("pattern", "place"):
        names = _roles_of(draft, filling)
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
        draft.fill(Filling(filling.role, "cells", (), source, said=True))
    elif filling.how == "place":
        _take_place(draft, source, names)
    else:
        draft.fill(filling)


def _roles_of(draft: Draft, filling: Filling) -> list[str]:
    """Return the roles in a pattern of headers or of the name of a place."""
    names, in_place = pattern_of(filling.source)[1], filling.how == "place"
    for name in names or ("",):
        if name not in draft.table.role_names:
            known = ", ".join(draft.table.role_names)
            raise usage(f"{filling.source}: {{{name}}} is not a role; roles: {known}")
    if (filling.role in names) != in_place:
        reason = f"needs {{{filling.role}}}" if in_place else "is about the headers, not the cells"
        raise usage(f"--column {filling.role}={filling.source}: the pattern {reason}")
    return list(names)


def _take_place(draft: Draft, source: str, names: Sequence[str]) -> None:
    word, _, template = source.partition(":")
    value, shown = draft.raw.place.value(word), draft.raw.place.shown(word)
    values = dict.fromkeys(names, value)
    if template:
        pattern = pattern_of(template)[0]
        match = pattern.fullmatch(value)
        if not match:
            message = f"the name {value} does not fit {template}"
            draft.refuse("places", names[0], message, "rename it, or move it away")
        elif has_two_readings(pattern, value):
            message = f"the name {value} fits {template} in more than one way"
            draft.refuse("two-ways", names[0], message, "rename it so that it fits in one way")
        values = match.groupdict() if match else values
        shown += f" {template}"
    for name in names:
        draft.fill(Filling(name, "place", (), source, shown, values[name], said=True))


def _check_grid(draft: Draft, filling: Filling, names: Sequence[str]) -> None:
    """Refuse headers that fit their pattern in two ways, or that leave gaps between them."""
    role, source, headers = filling.role, filling.source, filling.headers
    pattern = pattern_of(source)[0]
    doubtful = [header for header in headers if has_two_readings(pattern, header)]
    seen = {match.groups(): h for h in headers if (match := pattern.fullmatch(h))}
    grid = itertools.product(*(dict.fromkeys(part) for part in zip(*seen, strict=True)))
    missing = [parts for parts in grid if parts not in seen]
    if doubtful:
        message = f"header {doubtful[0]} fits {source} in more than one way"
        advice = "rename the headers so that they fit in one way"
        if len(doubtful) < len(headers):
            ignored = draft.option("ignore", join_names(doubtful))
            draft.refuse("two-ways", role, message, f"{advice}, or leave them out", ignored)
        else:
            draft.refuse("two-ways", role, message, advice)
    elif missing:
        values = dict(zip(names, missing[0], strict=True))
        first = re.sub(r"\{([a-z_]+)\}", lambda name: values[name[1]], source)
        more = f" and {len(missing) - 1} more are" if len(missing) > 1 else " is"
        message = f"{', '.join(headers)} fit {source}, but {first}{more} missing"
        partial = [h for parts, h in seen.items() if parts[0] in {gap[0] for gap in missing}]
        options = [draft.option("ignore", join_names(partial))] if len(partial) < len(seen) else []
        advice = "add the missing columns, or leave others out"
        draft.refuse("gaps", role, message, advice, *options)


def _refuse_unknown(draft: Draft, role: str, sources: Sequence[str]) -> None:
    headers, options = list(draft.raw.cells), []
    for source in sources:
        # the roles that those headers and their cells would have filled are not missing
        if _is_pattern(source):
            draft.refused.update(pattern_of(source)[1])
            continue
        prefix = "@header:" if source.startswith("@header:") else ""
        if prefix:
            draft.refused.update(name for name in draft.table.cells if isinstance(name, str))
        names = split_names(source.removeprefix(prefix))
        known = [(*_matching(draft, name), nearest(name, headers))[0] for name in names]
        if all(known):
            options.append(draft.option(role, prefix + join_names(known)))
    hint = options or [f"columns: {', '.join(headers[:40])}"]
    draft.refuse("unknown-header", role, f"no column {', '.join(sources)} for {role}", *hint)
    draft.fills[role] = Filling(role, "none", said=True)


def _is_pattern(source: str) -> bool:
    return not source.startswith("@") and "{" in source and "}" in source


def _matching(draft: Draft, name: str) -> list[str]:
    """Return the headers that a name stands for: exactly, else without case, else as a pattern."""
    headers = draft.raw.cells
    same = [name] if name in headers else [h for h in headers if normal(h) == normal(name)]
    if len(same) == 1:
        return same
    return [header for header in headers if "*" in name and fnmatch.fnmatchcase(header, name)]


def _all_matching(draft: Draft, names: Sequence[str]) -> tuple[str, ...]:
    """Return the headers that names stand for; none unless each name stands for some."""
    found = [_matching(draft, name) for name in names]
    return tuple(dict.fromkeys(itertools.chain(*found))) if all(found) else ()


def _base_of_path(draft: Draft, path: str) -> str:
    """Return the column that a path begins with, if the path leads to something in a cell."""
    pieces = path.split(".")
    for length in range(len(pieces) - 1, 0, -1):
        base = ".".join(pieces[:length])
        if base in draft.raw.cells:
            found = (at_path(cell, pieces[length:]) for cell in draft.raw.cells[base])
            return base if any(value != "" for value in found) else ""
    return ""
