"""What --column says about one table."""

import fnmatch
import itertools
import re
from collections.abc import Sequence

import pandas as pd

from scoresheet.cli.input.cells import at_path
from scoresheet.cli.input.grammar import (
    PLACES,
    has_two_readings,
    join_names,
    nearest,
    pattern_of,
    split_names,
    usage,
)
from scoresheet.cli.input.mapping import Draft, Filling
from scoresheet.cli.input.source import Source
from scoresheet.metrics.role import Role, normal


def fill_said(draft: Draft, source: Source) -> None:
    """Fill the roles that --column names, and set aside the columns to ignore."""
    for said in draft.said:
        if said.role == "ignore":
            draft.taken |= dict.fromkeys(_matching(draft.frame, split_names(said.source)), "ignore")
    # patterns come last: they are about the headers that are not named for a role
    ordered = sorted(draft.said, key=lambda said: _is_pattern(said.source))
    for role_name in dict.fromkeys(said.role for said in ordered if said.role != "ignore"):
        sources = [said.source for said in draft.said if said.role == role_name]
        role = draft.table.role(role_name)
        found = [f for s in sources if (f := _resolve(draft, role, s, source))]
        if len(found) > 1:  # a place or nothing is for the tables that have none of the columns
            found = [f for f in found if f.how not in ("place", "none")] or found
        if not found:
            _refuse_unknown(draft, role_name, sources)
        elif len(found) > 1:
            options = [draft.option(role_name, s) for s in sources]
            message = f"{role_name} was given twice, and this table has both: {', '.join(sources)}"
            draft.refuse("two-headers", role_name, message, "\n".join(["use one", *options]))
        else:
            _take(draft, found[0])


def place_name(word: str, source: Source) -> str:
    """Return how people call the place that `@file`, `@path` and so on read."""
    if word == "@path":
        return "folder name" if source.nested else "file name"
    return PLACES[word]


def _take(draft: Draft, filling: Filling) -> None:
    for header in filling.headers:
        if (other := draft.taken.get(header, "ignore")) != "ignore":
            message = f"column {header} was given two roles: {other} and {filling.role}"
            draft.refuse("two-roles", filling.role, message, "give each role a column of its own")
    names: tuple[str, ...] = (filling.role,)
    if "{" in filling.source and filling.how in ("pattern", "place"):
        names = pattern_of(filling.source)[1]
    for name in names:
        if name in draft.fills and draft.fills[name].source != filling.source:
            message = f"{name} was given twice: {draft.fills[name].typed()} and {filling.source}"
            draft.refuse("two-roles", name, message, f"leave {name} out of one of them")
    if filling.how == "pattern":
        _take_pattern(draft, filling, names)
    elif len(names) == 1:
        draft.fill(filling)
    else:
        for name in names:
            draft.fill(Filling(name, "place", (), filling.source, filling.shown, said=True))


def _resolve(draft: Draft, role: Role, text: str, source: Source) -> Filling | None:
    frame = draft.frame
    if text in frame.columns:
        return Filling(role.name, "header", (text,), said=True, own_name=role.is_named(text))
    if text.startswith("@"):
        return _resolve_special(draft, role, text, source)
    if _is_pattern(text):
        pattern, parts = pattern_of(text)
        others = [r for r in draft.table.roles if r.name not in (role.name, *parts)]
        headers = tuple(
            header
            for header in draft.free()
            if pattern.fullmatch(header) and not any(other.takes(header) for other in others)
        )
        return Filling(role.name, "pattern", headers, text, said=True) if headers else None
    names = split_names(text)
    headers = _all_matching(frame, names)
    if headers and len(names) == 1 and "*" not in text:
        return Filling(role.name, "header", headers, said=True, own_name=role.is_named(headers[0]))
    if headers:
        if not role.lists:
            raise usage(f"--column {role.name}={text}: {role.name} takes one column")
        return Filling(role.name, "headers", headers, text, said=True)
    base = _base_of_path(frame, text)
    return Filling(role.name, "header", (base,), text, said=True) if base else None


def _resolve_special(draft: Draft, role: Role, text: str, source: Source) -> Filling | None:
    word, _, rest = text.partition(":")
    if word in PLACES:
        shown = place_name(word, source)
        if rest:
            roles = pattern_of(rest)[1]
            _refuse_unknown_roles(draft, text, roles)
            if role.name not in roles:
                raise usage(f"--column {role.name}={text}: the pattern needs {{{role.name}}}")
            shown += f" {rest}"
        return Filling(role.name, "place", (), text, shown, said=True)
    if word == "@header" and rest:
        headers = _all_matching(draft.frame, split_names(rest))
        return Filling(role.name, "names", headers, said=True) if headers else None
    if word == "@header":
        if not role.open:
            raise usage(f"--column {role.name}=@header: name the headers, as in @header:a,b")
        return Filling(role.name, "names", (), "@header", said=True)
    if word in ("@cells", "@none"):
        return Filling(role.name, "cells" if word == "@cells" else "none", said=True)
    known = ", ".join([*PLACES, "@header", "@cells", "@none"])
    raise usage(f"--column {role.name}={text}: {word} is not one of {known}")


def _is_pattern(text: str) -> bool:
    return not text.startswith("@") and "{" in text and "}" in text


def _refuse_unknown_roles(draft: Draft, text: str, roles: Sequence[str]) -> None:
    for name in roles or ("",):
        if name not in draft.table.role_names:
            known = ", ".join(draft.table.role_names)
            raise usage(f"{text}: {{{name}}} is not a role; roles: {known}")


def _matching(frame: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the headers that names stand for: exactly, else without case, else as patterns."""
    found: list[str] = []
    for name in names:
        same = [h for h in frame.columns if normal(h) == normal(name)]
        like = [h for h in frame.columns if "*" in name and fnmatch.fnmatchcase(h, name)]
        found += [name] if name in frame.columns else same if len(same) == 1 else like
    return list(dict.fromkeys(found))


def _all_matching(frame: pd.DataFrame, names: Sequence[str]) -> tuple[str, ...]:
    """Return the headers that names stand for; none unless each name stands for some."""
    complete = all(_matching(frame, [name]) for name in names)
    return tuple(_matching(frame, names)) if complete else ()


def _base_of_path(frame: pd.DataFrame, path: str) -> str:
    """Return the column that a path begins with, if the path leads to something in a cell."""
    pieces = path.split(".")
    for length in range(len(pieces) - 1, 0, -1):
        base = ".".join(pieces[:length])
        if base in frame.columns:
            return base if any(at_path(cell, pieces[length:]) != "" for cell in frame[base]) else ""
    return ""


def _refuse_unknown(draft: Draft, role: str, sources: Sequence[str]) -> None:
    headers = [str(h) for h in draft.frame.columns]
    options = []
    for source in sources:
        prefix = "@header:" if source.startswith("@header:") else ""
        names = split_names(source.removeprefix(prefix))
        known = [(_matching(draft.frame, [name]) or [nearest(name, headers)])[0] for name in names]
        if all(known) and not _is_pattern(source):
            options.append(draft.option(role, prefix + join_names(known)))
        # the roles that those headers and their cells would have filled are not missing
        draft.refused.update(pattern_of(source)[1] if _is_pattern(source) else ())
        if source.startswith("@header"):
            draft.refused.update(name for name in draft.table.cells if isinstance(name, str))
    hint = "\n".join(options) or f"columns: {', '.join(headers[:40])}"
    draft.refuse("unknown-header", role, f"no column {', '.join(sources)} for {role}", hint)
    draft.fills[role] = Filling(role, "none", said=True)


def _take_pattern(draft: Draft, filling: Filling, names: tuple[str, ...]) -> None:
    """Fill the roles in a pattern of headers, and the role of the cells below them."""
    pattern = pattern_of(filling.source)[0]
    _refuse_unknown_roles(draft, filling.source, names)
    if filling.role in names:
        raise usage(f"--column {filling.role}={filling.source}: the cells are the {filling.role}")
    doubtful = [header for header in filling.headers if has_two_readings(pattern, header)]
    seen = dict.fromkeys(m.groups() for h in filling.headers if (m := pattern.fullmatch(h)))
    grid = itertools.product(*(dict.fromkeys(part) for part in zip(*seen, strict=True)))
    missing = [dict(zip(names, values, strict=True)) for values in grid if values not in seen]
    if doubtful:
        message = f"header {doubtful[0]} fits {filling.source} in more than one way"
        hint = "rename the headers so that they fit in one way"
        if len(doubtful) < len(filling.headers):
            hint += f", or leave them out\n{draft.option('ignore', join_names(doubtful))}"
        draft.refuse("two-ways", filling.role, message, hint)
    elif missing:
        first = re.sub(r"\{([a-z_]+)\}", lambda name: missing[0][name[1]], filling.source)
        more = f" and {len(missing) - 1} more are" if len(missing) > 1 else " is"
        message = f"{', '.join(filling.headers)} fit {filling.source}, but {first}{more} missing"
        hint = "add the missing columns, or leave others out, as in --column ignore=NAME"
        draft.refuse("gaps", filling.role, message, hint)
    for name in names:
        draft.fill(Filling(name, "pattern", filling.headers, filling.source, said=True))
    draft.fill(Filling(filling.role, "cells", (), filling.source, said=True))
