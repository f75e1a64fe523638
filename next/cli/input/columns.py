"""Which column is which: names choose, values only refuse."""

import shlex
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

from scoresheet.cli.input import cells
from scoresheet.cli.input.grammar import Said, few, join_names
from scoresheet.cli.input.mapping import Draft, Filling, Mapping, Raw, named_headers
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


def map_columns(
    table: Table,
    raw: Raw,
    said: Sequence[Said] = (),
    *,
    worksheets: int = 1,
    given: Collection[str] = (),
) -> Mapping:
    """Return which column fills which role of a table, or refuse with what to type.

    `worksheets` is how many tables the file has; `given` are the further tables of the run.
    """
    draft = Draft(table, raw)
    fill_said(draft, [one for one in said if one.table == table.name])
    _fill_by_words(draft, given)
    _fill_from_headers(draft)
    if table.name == "outputs":
        _fill_places(draft, worksheets)
    for role in table.roles:
        word = role.from_name(raw.place.source.stem) if role.from_name else ""
        if word and role.name not in draft.fills:
            draft.fill(Filling(role.name, "place", shown="file name", value=word))
    _refuse_missing(draft, given)
    if not any(role.kind == "text" and role.name in draft.refused for role in table.roles):
        _refuse_rivals(draft)  # else what looks like a rival may be what is missing
    if draft.problems:
        raise Refusal(*draft.problems)
    fillings = tuple(draft.fills[name] for name in table.role_names if name in draft.fills)
    unused = tuple(header for header in draft.free() if header not in draft.values)
    return Mapping(table.name, fillings, unused, draft.values, draft.asked)


# --- words, headers, places -----------------------------------------------------------------


@lru_cache(maxsize=64)
def _declared(table: Table) -> dict[str, str]:
    """Return the role that each declared word names; no word names two."""
    return {
        normal(word): role.name
        for role in table.roles
        for word in (*([role.name] if role.own_name else []), *role.seed, *role.words)
    }


_normal = lru_cache(maxsize=4096)(normal)  # the tables of a run have the same headers


def _fill_by_words(draft: Draft, given: Collection[str]) -> None:
    words, named = _declared(draft.table), defaultdict(list)
    for header in draft.free():
        named[words.get(_normal(header), "")].append(header)
    for role in draft.table.roles:
        if role.elsewhere and role.elsewhere in given:
            continue
        found, filling = named[role.name], draft.fills.get(role.name)
        said = filling.headers if filling and filling.how == "header" else ()
        ids = [header for header in said or found if _normal(header) in _IDS]
        asked = [header for header in found if _normal(header) in _ASKED]
        if asked and len(ids) == 1 and (said or len(found) == 1 + len(asked)):
            draft.asked = draft.asked or asked[0]
            draft.taken.setdefault(draft.asked, "asked")
            found = ids
        if len(found) == 1 and not filling:
            draft.fill(Filling(role.name, "header", (found[0],)))
        elif found and not filling:
            draft.taken |= dict.fromkeys(found, role.name)
            message = f"{'two' if len(found) == 2 else len(found)} columns could be the {role.name}"
            options = [draft.option(role.name, header) for header in found]
            hint = ("name the one you mean", *options)
            draft.refuse("two-headers", role.name, message, *hint, columns=found)
    if draft.table.single and len(draft.raw.cells) == 1 and not draft.taken:
        draft.fill(Filling(draft.table.single, "header", tuple(draft.raw.cells)))


def _fill_from_headers(draft: Draft) -> None:
    """Fill bare `@header` roles with what is left over, and the role of the cells."""
    table, free = draft.table, tuple(draft.free())
    opened = [role.name for role in table.roles if role.open and role.name not in draft.fills]
    if table.open_values and opened and free and table.cells[0] not in draft.fills:
        draft.fill(Filling(opened[0], "names", free))
    elif table.open_values:
        draft.values = free
    for role, filling in list(draft.fills.items()):
        if filling.source == "@header":
            rest = tuple(draft.free())
            draft.fill(Filling(role, "names", rest, said=True))
            _refuse_unlike(draft, role, rest)
    wide = [filling for filling in draft.fills.values() if filling.how in ("names", "pattern")]
    below = [filling.role for filling in draft.fills.values() if filling.how == "cells"]
    if len({f.source or f.role for f in wide}) > 1 or len(below) > 1 or (below and not wide):
        roles = [*(filling.role for filling in wide), *below]
        message = f"{' and '.join(roles)}: headers fill one role and the cells below them another"
        advice = "use one pattern, as in --column 'score={model}_{judge}', or name the headers"
        draft.refuse("cells", roles[0], message, advice)
    elif wide and not below:
        _fill_cells(draft, wide[0])


def _fill_cells(draft: Draft, wide: Filling) -> None:
    """Fill the first free role that the cells of a wide table can fill."""
    groups = [(entry,) if isinstance(entry, str) else entry for entry in draft.table.cells]
    free = [[name for name in names if name not in draft.fills] for names in groups]
    names = next(filter(None, free), [])
    if len(names) == 1:
        draft.fill(Filling(names[0], "cells"))
        return
    message, advice = f"the cells could be {' or '.join(names)}", "name the one you mean"
    options = [draft.option(name, "@cells") for name in names]
    if not names:
        message = "the cells below the named headers have no role left to fill"
        advice, named = "say which role they fill", draft.option(wide.role, wide.typed())
        options = [f"{named} {draft.option(names[0], '@cells')}" for names in groups[:1]]
    draft.refuse("cells", names[0] if names else "", message, advice, *options)


def _fill_places(draft: Draft, worksheets: int) -> None:
    """Fill model and sheet from the places of the file, where nothing else does."""
    nested = draft.raw.place.source.nested
    used = {f.source.partition(":")[0] for f in draft.fills.values() if f.how == "place"}
    if draft.fills.get("model", Filling("model", "none")).how == "none":
        word = "@folder" if "@file" in used else "@path"
        word = "@file" if "@folder" in used and nested else word
        draft.fill_place("model", word)
        used.add("@file" if word == "@path" and not nested else word)
    words = ["@file"] if nested and "@file" not in used else []
    words += ["@sheet"] if worksheets > 1 and "@sheet" not in used else []
    if words and "sheet" not in draft.fills and "sheet" in draft.table.role_names:
        draft.fill_place("sheet", " ".join(words))


# --- refusals -------------------------------------------------------------------------------


def _refuse_unlike(draft: Draft, role: str, headers: Sequence[str]) -> None:
    """Refuse a bare @header unless all columns hold numbers on one scale, or the same labels."""
    if not headers:
        draft.refuse("missing", role, f"no columns are left over for {role}")
        return
    looks = {header: draft.look(header) for header in headers}
    groups = [[h for h in headers if cells.are_alike(looks[one], looks[h])] for one in headers]
    alike = max(groups, key=len)
    if any(len(group) < len(headers) for group in groups):
        found = ", ".join(f"{header} ({look.kind})" for header, look in looks.items())
        message = f"the columns left over for {role} do not look alike: {found}"
        hint = ["name the columns you mean", draft.option(role, named_headers(alike))]
        if len(alike) < 2:
            hint = [f"name the columns you mean, as in --column {role}=@header:A,B"]
        draft.refuse("not-alike", role, message, *hint)


def _refuse_rivals(draft: Draft) -> None:
    """Refuse a text that was found by its name while an unknown column also holds texts."""
    by_name = {
        role.name: filling.headers[0]
        for role in draft.table.roles
        if role.kind == "text" and (filling := draft.fills.get(role.name))
        if filling.how == "header" and not filling.said
    }
    free = [h for h in draft.free() if _normal(h) not in _NOT_RIVALS and h not in draft.values]
    rivals = [header for header in free if by_name and cells.holds_text(draft.raw.cells[header])]
    for role, header in by_name.items() if rivals else ():
        message = f"{header} was read as the {role}, but {' and '.join(rivals)} also holds texts"
        options = [draft.option(role, header), draft.option("ignore", join_names(rivals))]
        options[1:1] = [draft.option(role, rival) for rival in rivals]
        hint = (f"name the {role}, or leave out what is not", *options)
        draft.refuse("rival", role, message, *hint, columns=[header, *rivals])


def _refuse_missing(draft: Draft, given: Collection[str]) -> None:
    """Refuse a table in which needed roles are empty, with what could fill them."""
    table = draft.table
    known = {name for name, filling in draft.fills.items() if filling.how != "none"} | draft.refused
    groups: list[tuple[str, ...]] = [] if _is_numbered(draft) else [*table.one_of]
    groups[:0] = [(r.name,) for r in table.roles if r.needed and r.elsewhere not in given]
    missing = [names for names in groups if not known.intersection(names)]
    below = next((names for names in missing if names[0] in table.cells[:1]), ())
    opened, headers, hint = _wide_layout(draft, below[0]) if below else ("", [], "")
    for names in missing:
        if names != below:
            _refuse_absent(draft, names, headers, hint if names[0] == opened else "")
        elif not opened or not table.role(opened).needed:
            _refuse_absent(draft, names, [], hint)  # else the headers say what is below them


def _is_numbered(draft: Draft) -> bool:
    """Return whether lists are read of which each element gets its position as a number."""
    lists = (role.name for role in draft.table.roles if role.lists == "rows")
    filling = draft.fills.get(next(lists, "")) if draft.table.numbered else None
    return filling is not None and (
        filling.how == "headers"
        or (filling.typed() in draft.raw.cells and draft.look(filling.typed()).kind == "list")
    )


def _wide_layout(draft: Draft, below: str) -> tuple[str, list[str], str]:
    """Return the role that headers could fill, the headers, and what to type for it."""
    kind = draft.table.role(below).kind
    opened = [role.name for role in draft.table.roles if role.open and role.name not in draft.fills]
    model = draft.fills.get("model")
    if kind == "text" and model and model.how == "place":
        opened.append("model")
    looks = {header: draft.look(header) for header in draft.free()}
    for suit in ("label", "number") if kind == "label" else (kind,):
        headers = [header for header, look in looks.items() if look.kind == suit]
        if opened and len(headers) > 1:
            values = [value for header in headers for value in looks[header].values]
            hint = draft.option(opened[0], named_headers(headers))
            if suit == "number" != kind and not cells.are_whole(values):
                pattern = f"'probability={{{opened[0]}}}_{{class}}'"
                hint = f"say what is in the headers, as in --column {pattern}"
            return opened[0], headers, hint
    return "", [], ""


def _refuse_absent(draft: Draft, names: Sequence[str], wide: list[str], hint: str) -> None:
    """Refuse a table without any of these roles, with the options that could fill one."""
    role = draft.table.role(names[0])
    suits = _SUITS[role.kind]
    free = [h for h in draft.free() if h not in wide and draft.look(h).kind in suits]
    options = [draft.option(name, header) for header in free[:2] for name in names[:2]]
    if hint:
        options.insert(0, hint)
    elif role.open and not options and any(name in draft.fills for name in draft.table.cells[:1]):
        options.append(draft.option(role.name, "@file"))
    advice = "name the column that holds it" if options else f"add a column {role.name}"
    lines = draft.raw.place.source.format == "jsonl"  # elsewhere a path can begin further up
    for header in draft.free() if lines and not options else ():
        cell = next(cells.filled(draft.raw.cells[header]), None)
        if isinstance(cell, list) and isinstance(cell[0], dict):
            advice = "turn the objects in the lists into rows"
            options.append(f"--records {shlex.quote(header)}")
    if role.elsewhere:
        advice = f"name the {role.elsewhere} after the outputs, or {advice}"
    message = f"no column for {' or '.join(names)}; found {few(list(draft.raw.cells), 40)}"
    draft.refuse("missing", role.name, message, advice, *options)
