"""Which column is which: names choose, values only refuse."""

from collections.abc import Collection, Sequence
from functools import lru_cache

import pandas as pd

from scoresheet.cli.input.cells import are_alike, describe, holds_text, look
from scoresheet.cli.input.grammar import PLACES, Said, join_names
from scoresheet.cli.input.mapping import Draft, Filling, Mapping
from scoresheet.cli.input.said import fill_said, place_name
from scoresheet.cli.input.source import Source
from scoresheet.metrics.problem import Refusal
from scoresheet.metrics.role import ASKED, ID_WORDS, NOT_RIVALS, Role, Table, normal

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
_takes = lru_cache(maxsize=4096)(Role.takes)  # the tables of a run have the same headers


def map_columns(
    table: Table,
    frame: pd.DataFrame,
    source: Source,
    said: Sequence[Said] = (),
    *,
    worksheets: int = 1,
    given: Collection[str] = (),
) -> Mapping:
    """Return which column fills which role of a table, or refuse with what to type.

    `worksheets` is how many tables the file has; `given` are the further tables of the run.
    """
    draft = Draft(table, frame, tuple(s for s in said if s.table == table.name))
    fill_said(draft, source)
    _fill_by_words(draft, given)
    _fill_from_headers(draft)
    if table.name == "outputs":
        _fill_places(draft, source, worksheets)
    for role in table.roles:
        if role.from_name and role.name not in draft.fills and role.from_name(source.stem):
            draft.fill(Filling(role.name, "file word"))
    _refuse_missing(draft, given)
    if not any(role.kind == "text" and role.name in draft.refused for role in table.roles):
        _refuse_rivals(draft)  # else what looks like a rival may be what is missing
    if draft.problems:
        raise Refusal(*draft.problems)
    order = {name: i for i, name in enumerate(table.role_names)}
    fillings = sorted(draft.fills.values(), key=lambda filling: order[filling.role])
    unused = tuple(h for h in draft.free() if h not in draft.values)
    return Mapping(table.name, tuple(fillings), unused, draft.values, draft.asked)


# --- words, headers, places -----------------------------------------------------------------


def _fill_by_words(draft: Draft, given: Collection[str]) -> None:
    for role in draft.table.roles:
        if role.elsewhere and role.elsewhere in given:
            continue
        found = [header for header in draft.free() if _takes(role, header)]
        filling = draft.fills.get(role.name)
        named = filling.headers if filling and filling.how == "header" else ()
        ids = [h for h in named or found if normal(h) in _IDS]
        asked = [h for h in found if normal(h) in _ASKED]
        if asked and len(ids) == 1 and (named or len(found) == 1 + len(asked)):
            draft.asked = draft.asked or asked[0]
            draft.taken.setdefault(draft.asked, "asked")
            found = ids
        if filling:
            continue
        if len(found) == 1:
            own = role.is_named(found[0])
            draft.fill(Filling(role.name, "header", (found[0],), own_name=own))
        elif found:
            _refuse_two(draft, role, found)
    only = list(draft.frame.columns)
    if draft.table.single and len(only) == 1 and not draft.taken:
        draft.fill(Filling(draft.table.single, "header", (only[0],)))


def _fill_from_headers(draft: Draft) -> None:
    """Fill bare `@header` roles with what is left over, and the role of the cells."""
    table = draft.table
    if table.open_values and table.cells and "weight" not in draft.fills:
        opened = next((r for r in table.roles if r.open and r.name not in draft.fills), None)
        if opened and draft.free():
            draft.fill(Filling(opened.name, "names", tuple(draft.free())))
    elif table.open_values:
        draft.values = tuple(draft.free())
    for role, filling in list(draft.fills.items()):
        if filling.how == "names" and filling.source == "@header":
            rest = tuple(draft.free())
            draft.fill(Filling(role, "names", rest, said=True))
            _refuse_unlike(draft, role, rest)
    wide = [f for f in draft.fills.values() if f.how in ("names", "pattern")]
    cells = [f.role for f in draft.fills.values() if f.how == "cells"]
    if len({f.source or f.role for f in wide}) > 1:
        message = f"the headers cannot be both {' and '.join(f.role for f in wide)}"
        advice = "say it with one pattern, as in --column 'score={model}_{judge}'"
        draft.refuse("cells", wide[0].role, message, advice)
    elif len(cells) > 1 or (cells and not wide):
        message = f"{' and '.join(cells)}: @cells needs one role that is read from headers"
        draft.refuse("cells", cells[0], message, "name the headers, as in --column judge=@header")
    elif wide and not cells:
        _fill_cells(draft, wide[0])


def _fill_cells(draft: Draft, wide: Filling) -> None:
    for entry in draft.table.cells:
        names = (entry,) if isinstance(entry, str) else entry
        free = [name for name in names if name not in draft.fills]
        if len(free) > 1:
            options = [draft.option(name, "@cells") for name in free]
            message = f"the cells could be {' or '.join(free)}"
            draft.refuse("cells", free[0], message, "\n".join(["name the one you mean", *options]))
            return
        if free:
            draft.fill(Filling(free[0], "cells"))
            return
    message = "the cells below the named headers have no role left to fill"
    hint = "name the role that they fill, as in --column score=@cells"
    first = draft.table.cells[0] if draft.table.cells else ""
    taken = draft.fills.get(first) if isinstance(first, str) else None
    if taken and taken.headers:
        message += f", because {taken.role} is read from {taken.headers[0]}"
        named = draft.option(wide.role, f"@header:{join_names(wide.headers)}")
        hint = f"leave {taken.headers[0]} out\n{named} {draft.option(taken.role, '@cells')}"
    draft.refuse("cells", "", message, hint)


def _fill_places(draft: Draft, source: Source, worksheets: int) -> None:
    """Fill model and sheet from the places of the file, where nothing else does."""
    used = {f.source.partition(":")[0] for f in draft.fills.values() if f.how == "place"}
    if draft.fills.get("model", Filling("model", "none")).how == "none":
        word = "@folder" if "@file" in used else "@path"
        word = "@file" if "@folder" in used and source.nested else word
        draft.fill(Filling("model", "place", (), word, place_name(word, source)))
        used.add("@file" if word == "@path" and not source.nested else word)
    if "sheet" in draft.fills or "sheet" not in draft.table.role_names:
        return
    words = ["@file"] if source.nested and "@file" not in used else []
    words += ["@sheet"] if worksheets > 1 and "@sheet" not in used else []
    if words:
        shown = " and ".join(PLACES[word] for word in words)
        draft.fill(Filling("sheet", "place", (), " ".join(words), shown))


# --- refusals -------------------------------------------------------------------------------


def _details(draft: Draft, headers: Sequence[str]) -> list[str]:
    width = max(len(header) for header in headers)
    return [f"{header:<{width}}  {describe(draft.frame[header].tolist())}" for header in headers]


def _refuse_two(draft: Draft, role: Role, headers: Sequence[str]) -> None:
    options = [draft.option(role.name, header) for header in headers]
    for header in headers:
        draft.taken.setdefault(header, role.name)
    count = "two" if len(headers) == 2 else str(len(headers))
    message = f"{count} columns could be the {role.name}"
    hint = "\n".join(["name the one you mean", *options])
    draft.refuse("two-headers", role.name, message, hint, _details(draft, headers))


def _refuse_unlike(draft: Draft, role: str, headers: Sequence[str]) -> None:
    """Refuse a bare @header unless all columns hold numbers on one scale, or the same labels."""
    if not headers:
        draft.refuse("missing", role, f"no columns are left over for {role}")
        return
    looks = {header: look(header, draft.frame[header]) for header in headers}
    groups = [[h for h in headers if are_alike(looks[one], looks[h])] for one in headers]
    alike = max(groups, key=len)
    if all(len(group) == len(headers) for group in groups):
        return
    found = ", ".join(f"{header} ({kind})" for header, (kind, _) in looks.items())
    message = f"the columns left over for {role} do not look alike: {found}"
    hint = f"name the columns you mean, as in --column {role}=@header:A,B"
    if len(alike) > 1:
        option = draft.option(role, f"@header:{join_names(alike)}")
        hint = f"name the columns you mean\n{option}"
    draft.refuse("not-alike", role, message, hint)


def _refuse_rivals(draft: Draft) -> None:
    by_name = {
        role.name: filling.headers[0]
        for role in draft.table.roles
        if role.kind == "text" and (filling := draft.fills.get(role.name))
        if filling.how == "header" and not filling.said
    }
    free = [h for h in draft.free() if normal(h) not in _NOT_RIVALS and h not in draft.values]
    rivals = [header for header in free if by_name and holds_text(draft.frame[header])]
    for role, header in by_name.items() if rivals else ():
        message = f"{header} was read as the {role}, but {' and '.join(rivals)} also holds texts"
        options = [draft.option(role, h) for h in (header, *rivals)]
        options.append(draft.option("ignore", join_names(rivals)))
        hint = "\n".join([f"name the {role}, or leave out what is not", *options])
        draft.refuse("rival", role, message, hint, _details(draft, [header, *rivals]))


def _refuse_missing(draft: Draft, given: Collection[str]) -> None:
    """Refuse a table in which needed roles are empty, with what could fill them."""
    filled = {name for name, filling in draft.fills.items() if filling.how != "none"}
    missing: list[tuple[Role, ...]] = [
        (role,)
        for role in draft.table.roles
        if role.needed and role.name not in filled and role.elsewhere not in given
    ]
    missing += [
        tuple(draft.table.role(name) for name in group)
        for group in draft.table.one_of
        if not filled.intersection(group) and not _is_numbered(draft)
    ]
    missing = [roles for roles in missing if roles[0].name not in draft.refused]
    cells = next((r[0] for r in missing if r[0].name in draft.table.cells[:1]), None)
    opened, headers, hint = _wide_layout(draft, cells) if cells else ("", [], "")
    for roles in missing:
        if roles[0] != cells:
            _refuse_absent(draft, roles, headers, hint if roles[0].name == opened else "")
        elif not headers or not draft.table.role(opened).needed:
            _refuse_absent(draft, roles, [], hint)  # else the headers say what is below them


def _wide_layout(draft: Draft, cells: Role) -> tuple[str, list[str], str]:
    """Return the role that headers could fill, the headers, and what to type for it."""
    opened = [role.name for role in draft.table.roles if role.open and role.name not in draft.fills]
    model = draft.fills.get("model")
    if cells.kind == "text" and model and model.how == "place":
        opened.append("model")
    looks = {header: look(header, draft.frame[header]) for header in draft.free()}
    suits = ("label", "number") if cells.kind == "label" else (cells.kind,)
    found = ([h for h, (kind, _) in looks.items() if kind == suit] for suit in suits)
    headers = next((headers for headers in found if len(headers) > 1), [])
    if not opened or not headers:
        return "", [], ""
    if looks[headers[0]][0] == "number" != cells.kind and any(
        (looks[header][1] % 1 != 0).any() for header in headers
    ):
        pattern = f"'probability={{{opened[0]}}}_{{class}}'"
        return opened[0], headers, f"say what is in the headers, as in --column {pattern}"
    return opened[0], headers, draft.option(opened[0], f"@header:{join_names(headers)}")


def _is_numbered(draft: Draft) -> bool:
    """Return whether lists are read of which each element gets its position as a number."""
    for role in draft.table.roles:
        filling = draft.fills.get(role.name)
        if draft.table.numbered and role.lists == "rows" and filling and filling.headers:
            one = filling.how == "header" and not filling.source
            return filling.how == "headers" or (one and draft.kind_of(filling.headers[0]) == "list")
    return False


def _refuse_absent(draft: Draft, roles: Sequence[Role], wide: list[str], hint: str) -> None:
    """Refuse a table without any of these roles, with the options that could fill one."""
    role = roles[0]
    free = [h for h in draft.free() if h not in wide]
    fitting = [header for header in free if draft.kind_of(header) in _SUITS[role.kind]]
    options = [draft.option(r.name, header) for header in fitting[:3] for r in roles[:2]]
    if hint:
        options.insert(0, hint)
    elif role.open and not options and any(name in draft.fills for name in draft.table.cells[:1]):
        options.append(draft.option(role.name, "@file"))
    found = ", ".join(str(h) for h in draft.frame.columns[:40])
    advice = "name the column that holds it" if options else f"add a column {role.name}"
    if role.elsewhere:
        advice = f"name the {role.elsewhere} after the outputs, or {advice}"
    shown = " or ".join(role.name for role in roles)
    message = f"no column for {shown}; found {found}"
    draft.refuse("missing", role.name, message, "\n".join([advice, *options]))
