"""Which column is which: names choose, values only refuse."""

import shlex
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

from scoresheet.cli.input import cells as see
from scoresheet.cli.input.frames import Rules
from scoresheet.cli.input.grammar import few, join_names
from scoresheet.cli.input.mapping import Filling, Reading, named_headers
from scoresheet.cli.input.said import fill_said
from scoresheet.metrics.problem import Refusal
from scoresheet.metrics.role import ASKED, ID_WORDS, NOT_RIVALS, Table, normal

_IDS = {normal(word) for word in ID_WORDS}
_ASKED = {normal(word) for word in ASKED}
_NOT_RIVALS = {normal(word) for word in NOT_RIVALS}
# What the cells of a column can hold that fills a role of each kind.
_SUITS = {
    "text": ("text", "list"),
    "number": ("number",),
    "label": ("label", "number", "list"),
    "key": ("label", "number", "text"),
}


def map_columns(table: Reading, rules: Rules, worksheets: int) -> None:
    """Fill the roles of a table, or refuse with what to type.

    `worksheets` is how many tables the file has.
    """
    declared = table.declared
    fill_said(table, [one for one in rules.said if one.table == declared.name])
    _fill_by_words(table, rules.given)
    _fill_from_headers(table)
    if declared.name == "outputs":
        _fill_places(table, worksheets)
    for role in declared.roles:
        word = role.from_name(table.source.stem) if role.from_name else ""
        if word and role.name not in table.fills:
            table.fill(Filling(role.name, "place", shown="file name", values=(word,)))
    _refuse_missing(table, rules.given)
    if not any(role.kind == "text" and role.name in table.refused for role in declared.roles):
        _refuse_rivals(table)  # else what looks like a rival may be what is missing
    if table.problems:
        raise Refusal(*table.problems)


@lru_cache(maxsize=64)
def _declared(table: Table) -> dict[str, str]:
    """Return the role that each declared word names; no word names two."""
    return {
        normal(word): role.name
        for role in table.roles
        for word in (*([role.name] if role.own_name else []), *role.seed, *role.words)
    }


_normal = lru_cache(maxsize=4096)(normal)  # the tables of a run have the same headers


def _fill_by_words(table: Reading, given: Collection[str]) -> None:
    words, named = _declared(table.declared), defaultdict(list)
    for header in table.free():
        named[words.get(_normal(header), "")].append(header)
    for role in table.declared.roles:
        if role.elsewhere and role.elsewhere in given:
            continue
        found, filling = named[role.name], table.fills.get(role.name)
        said = filling.headers if filling and filling.how == "header" else ()
        ids = [header for header in said or found if _normal(header) in _IDS]
        asked = [header for header in found if _normal(header) in _ASKED]
        if asked and len(ids) == 1 and (said or len(found) == 1 + len(asked)):
            table.asked = table.asked or asked[0]
            table.taken.setdefault(table.asked, "asked")
            found = ids
        if len(found) == 1 and not filling:
            table.fill(Filling(role.name, "header", (found[0],)))
        elif found and not filling:
            table.taken |= dict.fromkeys(found, role.name)
            count = "two" if len(found) == 2 else len(found)
            message = f"{count} columns could be the {role.name}"
            hint = ["name the one you mean", *(table.option(role.name, name) for name in found)]
            table.refuse("two-headers", role.name, message, *hint, columns=found)
    if table.declared.single and len(table.cells) == 1 and not table.taken:
        table.fill(Filling(table.declared.single, "header", tuple(table.cells)))


def _fill_from_headers(table: Reading) -> None:
    """Fill bare `@header` roles with what is left over, and the role of the cells."""
    declared, free = table.declared, tuple(table.free())
    opened = table.opened()
    if declared.open_values and opened and free and declared.cells[0] not in table.fills:
        table.fill(Filling(opened[0], "names", free))
    elif declared.open_values:
        table.values = free
    for role, filling in list(table.fills.items()):
        if filling.source == "@header":
            rest = tuple(table.free())
            table.fill(Filling(role, "names", rest, said=True))
            _refuse_unlike(table, role, rest)
    wide = [filling for filling in table.fills.values() if filling.how == "names"]
    below = [filling.role for filling in table.fills.values() if filling.how == "cells"]
    if len({f.source or f.role for f in wide}) > 1 or len(below) > 1 or (below and not wide):
        roles = [*(filling.role for filling in wide), *below]
        message = f"{' and '.join(roles)}: headers fill one role and the cells below them another"
        advice = "use one pattern, as in --column 'score={model}_{judge}', or name the headers"
        table.refuse("cells", roles[0], message, advice)
    elif wide and not below:
        _fill_cells(table, wide[0])


def _fill_cells(table: Reading, wide: Filling) -> None:
    """Fill the first free role that the cells of a wide table can fill."""
    groups = [(entry,) if isinstance(entry, str) else entry for entry in table.declared.cells]
    free = [[name for name in names if name not in table.fills] for names in groups]
    names = next(filter(None, free), [])
    if len(names) == 1:
        table.fill(Filling(names[0], "cells"))
        return
    options = [table.option(name, "@cells") for name in names]
    message = f"the cells could be {' or '.join(names)}"
    if not names:
        message = "the cells below the named headers have no role left to fill"
        named = table.option(wide.role, wide.typed())
        options = [f"{named} {table.option(names[0], '@cells')}" for names in groups[:1]]
    table.refuse("cells", wide.role, message, "say which role they fill", *options)


def _fill_places(table: Reading, worksheets: int) -> None:
    """Fill model and sheet from the places of the file, where nothing else does."""
    nested = table.source.nested
    used = {f.source.partition(":")[0] for f in table.fills.values() if f.how == "place"}
    if table.fills.get("model", Filling("model", "none")).how == "none":
        word = "@folder" if "@file" in used else "@path"
        word = "@file" if "@folder" in used and nested else word
        table.fill(table.place("model", word))
        used.add("@file" if word == "@path" and not nested else word)
    words = ["@file"] if nested and "@file" not in used else []
    words += ["@sheet"] if worksheets > 1 and "@sheet" not in used else []
    if words and "sheet" not in table.fills and "sheet" in table.declared.role_names:
        table.fill(table.place("sheet", " ".join(words)))


def _refuse_unlike(table: Reading, role: str, headers: Sequence[str]) -> None:
    """Refuse a bare @header unless all columns hold numbers on one scale, or the same labels."""
    if not headers:
        table.refuse("missing", role, f"no columns are left over for {role}")
    looks = {header: table.look(header) for header in headers}
    groups = [[h for h in headers if see.are_alike(looks[one], looks[h])] for one in headers]
    if any(len(group) < len(headers) for group in groups):
        alike = max(groups, key=len)
        found = ", ".join(f"{header} ({look[0]})" for header, look in looks.items())
        message = f"the columns left over for {role} do not look alike: {found}"
        options = [table.option(role, named_headers(alike))] if len(alike) > 1 else []
        advice = f"name the columns you mean, as in --column {role}=@header:A,B"
        table.refuse("not-alike", role, message, advice, *options)


def _refuse_rivals(table: Reading) -> None:
    """Refuse a text that was found by its name while an unknown column also holds texts."""
    by_name = {
        role.name: filling.headers[0]
        for role in table.declared.roles
        if role.kind == "text" and (filling := table.fills.get(role.name))
        if filling.how == "header" and not filling.said
    }
    free = [h for h in table.free() if _normal(h) not in _NOT_RIVALS and h not in table.values]
    rivals = [header for header in free if by_name and see.holds_text(table.cells[header])]
    for role, header in by_name.items() if rivals else ():
        message = f"{header} was read as the {role}, but {' and '.join(rivals)} also holds texts"
        options = [table.option(role, name) for name in (header, *rivals)]
        options.append(table.option("ignore", join_names(rivals)))
        hint = (f"name the {role}, or leave out what is not", *options)
        table.refuse("rival", role, message, *hint, columns=[header, *rivals])


def _refuse_missing(table: Reading, given: Collection[str]) -> None:
    """Refuse a table in which needed roles are empty, with what could fill them."""
    declared, below = table.declared, table.declared.cells[:1]
    groups: list[tuple[str, ...]] = [] if _is_numbered(table) else [*declared.one_of]
    groups[:0] = [(r.name,) for r in declared.roles if r.needed and r.elsewhere not in given]
    known = {name for name, filling in table.fills.items() if filling.how != "none"} | table.refused
    missing = [names for names in groups if not known.intersection(names)]
    lacks_cells = any(names[0] in below for names in missing)
    opened, wide, hint = _wide_layout(table) if lacks_cells else ("", [], "")
    for names in missing:
        role = declared.role(names[0])
        if role.name in below and opened and declared.role(opened).needed:
            continue  # the headers say what is below them
        free = table.free() if role.name in below else [h for h in table.free() if h not in wide]
        free = [header for header in free if table.look(header)[0] in _SUITS[role.kind]]
        options = [table.option(name, header) for header in free[:2] for name in names[:2]]
        if wide and (role.name in below or role.name == opened):
            options.insert(0, hint)
        elif role.open and not options and table.fills.keys() & set(below):
            options.append(table.option(role.name, "@file"))
        advice = "name the column that holds it" if options else f"add a column {role.name}"
        lines = table.source.format == "jsonl"  # elsewhere a path can begin further up
        for header in table.free() if lines and not options else ():
            cell = next(see.filled(table.cells[header]), None)
            if isinstance(cell, list) and isinstance(cell[0], dict):
                advice = "turn the objects in the lists into rows"
                options.append(f"--records {shlex.quote(header)}")
        if role.elsewhere:
            advice = f"name the {role.elsewhere} after the outputs, or {advice}"
        message = f"no column for {' or '.join(names)}; found {few(list(table.cells), 40)}"
        table.refuse("missing", role.name, message, advice, *options)


def _is_numbered(table: Reading) -> bool:
    """Return whether lists are read of which each element gets its position as a number."""
    lists = (role.name for role in table.declared.roles if role.lists == "rows")
    filling = table.fills.get(next(lists, "")) if table.declared.numbered else None
    headers = filling.headers if filling else ()
    return len(headers) > 1 or any(see.holds_lists(table.cells[header]) for header in headers)


def _wide_layout(table: Reading) -> tuple[str, list[str], str]:
    """Return the role that headers could fill, these headers, and what to type."""
    below, opened = table.declared.role(str(table.declared.cells[0])), table.opened()
    model = table.fills.get("model")
    if below.kind == "text" and model and model.how == "place":
        opened.append("model")
    looks = {header: table.look(header) for header in table.free()}
    for suit in ("label", "number") if below.kind == "label" else (below.kind,):
        headers = [header for header, look in looks.items() if look[0] == suit]
        if opened and len(headers) > 1:
            hint = table.option(opened[0], named_headers(headers))
            numbers = [number for header in headers for number in looks[header][1]]
            if suit != below.kind and not all(map(float.is_integer, numbers)):
                pattern = f"--column 'probability={{{opened[0]}}}_{{class}}'"
                hint = f"say what is in the headers, as in {pattern}"
            return opened[0], headers, hint
    return "", [], ""
