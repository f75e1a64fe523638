"""Which column is which: names choose, values only refuse."""

from collections.abc import Collection, Sequence

import pandas as pd

from scoresheet.cli.input.describe import describe, holds_text, look
from scoresheet.cli.input.grammar import PLACES, Said, join_names
from scoresheet.cli.input.mapping import Draft, Filling, Mapping
from scoresheet.cli.input.missing import refuse_missing
from scoresheet.cli.input.said import fill_said, place_name
from scoresheet.cli.input.source import Source
from scoresheet.metrics.problem import Refusal
from scoresheet.metrics.role import ASKED, ID_WORDS, NOT_RIVALS, Role, Table, normal

_IDS = {normal(word) for word in ID_WORDS}
_ASKED = {normal(word) for word in ASKED}


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
    refuse_missing(draft, given)
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
        found = [header for header in draft.free() if role.takes(header)]
        if role.name in draft.fills:
            _show_asked(draft, draft.fills[role.name], found)
            continue
        if len(found) > 1 and role.kind == "key":
            found = _prefer_id(draft, found)
        if len(found) == 1:
            own = role.is_named(found[0])
            draft.fill(Filling(role.name, "header", (found[0],), own_name=own))
        elif found:
            _refuse_two(draft, role, found)
    only = list(draft.frame.columns)
    if draft.table.single and len(only) == 1 and not draft.taken:
        draft.fill(Filling(draft.table.single, "header", (only[0],)))


def _prefer_id(draft: Draft, found: list[str]) -> list[str]:
    """Return the one id where the other headers are what was asked, else all headers."""
    ids = [h for h in found if normal(h) in _IDS]
    asked = [h for h in found if normal(h) in _ASKED]
    if len(ids) != 1 or not asked or len(ids) + len(asked) != len(found):
        return found
    draft.asked = asked[0]
    draft.taken[asked[0]] = "asked"
    return ids


def _show_asked(draft: Draft, filling: Filling, free: list[str]) -> None:
    """Show what was asked where --column named the id as the key."""
    asked = [h for h in free if normal(h) in _ASKED]
    if asked and filling.how == "header" and normal(filling.headers[0]) in _IDS:
        draft.asked = draft.asked or asked[0]
        draft.taken.setdefault(draft.asked, "asked")


def _refuse_two(draft: Draft, role: Role, headers: Sequence[str]) -> None:
    width = max(len(header) for header in headers)
    details = [f"{h:<{width}}  {describe(draft.frame[h])}" for h in headers]
    options = [draft.option(role.name, header) for header in headers]
    for header in headers:
        draft.taken.setdefault(header, role.name)
    count = "two" if len(headers) == 2 else str(len(headers))
    draft.refuse(
        "two-headers",
        role.name,
        f"{count} columns could be the {role.name}",
        "\n".join(["name the one you mean", *options]),
        details,
    )


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


def _refuse_unlike(draft: Draft, role: str, headers: Sequence[str]) -> None:
    """Refuse a bare @header unless all columns hold numbers on one scale, or the same labels."""
    if not headers:
        draft.refuse("missing", role, f"no columns are left over for {role}")
        return
    looks = {header: look(header, draft.frame[header]) for header in headers}
    groups = [[h for h in headers if looks[first].is_like(looks[h])] for first in headers]
    if all(len(group) == len(headers) for group in groups):
        return
    found = ", ".join(f"{header} ({looks[header].kind})" for header in headers)
    message = f"the columns left over for {role} do not look alike: {found}"
    alike = max(groups, key=len)
    if len(alike) > 1:
        option = draft.option(role, f"@header:{join_names(alike)}")
        hint = f"name the columns you mean\n{option}"
    else:
        hint = f"name the columns you mean, as in --column {role}=@header:A,B"
    draft.refuse("not-alike", role, message, hint)


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
    first = draft.table.cells[0] if draft.table.cells else ""
    taken = draft.fills[first] if isinstance(first, str) and first else Filling("", "none")
    message = "the cells below the named headers have no role left to fill"
    hint = "name the role that they fill, as in --column score=@cells"
    if taken.headers:
        message += f", because {taken.role} is read from {taken.headers[0]}"
        named = draft.option(wide.role, f"@header:{join_names(wide.headers)}")
        cells = draft.option(taken.role, "@cells")
        everything = join_names([*taken.headers, *wide.headers])
        hint = "\n".join(
            [
                f"leave {taken.headers[0]} out, or read it like the other headers",
                f"{named} {cells}",
                draft.option(wide.role, f"@header:{everything}"),
            ]
        )
    draft.refuse("cells", "", message, hint)


def _fill_places(draft: Draft, source: Source, worksheets: int) -> None:
    """Fill model and sheet from the places of the file, where nothing else does."""
    used = {f.source.partition(":")[0] for f in draft.fills.values() if f.how == "place"}
    if draft.fills.get("model", Filling("model", "none")).how == "none":
        word = "@folder" if "@file" in used else "@path"
        word = "@file" if "@folder" in used and source.nested else word
        shown = "folder name" if word == "@folder" else place_name(word, source)
        draft.fill(Filling("model", "place", (), word, shown))
        used.add("@file" if word == "@path" and not source.nested else word)
    if "sheet" in draft.fills or "sheet" not in draft.table.role_names:
        return
    words = ["@file"] if source.nested and "@file" not in used else []
    words += ["@sheet"] if worksheets > 1 and "@sheet" not in used else []
    if words:
        shown = " and ".join(PLACES[word] for word in words)
        draft.fill(Filling("sheet", "place", (), " ".join(words), shown))


# --- refusals -------------------------------------------------------------------------------


def _refuse_rivals(draft: Draft) -> None:
    quiet = {normal(word) for word in NOT_RIVALS}
    rivals = [h for h in draft.free() if normal(h) not in quiet and h not in draft.values]
    rivals = [header for header in rivals if holds_text(draft.frame[header])]
    found_by_name = [
        (role, draft.fills[role.name].headers[0])
        for role in draft.table.roles
        if role.kind == "text"
        and role.name in draft.fills
        and draft.fills[role.name].how == "header"
        and not draft.fills[role.name].said
    ]
    width = max((len(header) for header in rivals), default=0)
    for role, header in found_by_name if rivals else ():
        also = " and ".join(rivals)
        message = f"{header} was read as the {role.name}, but {also} also holds texts"
        details = [f"{h:<{width}}  {describe(draft.frame[h])}" for h in (header, *rivals)]
        options = [draft.option(role.name, h) for h in (header, *rivals)]
        options.append(draft.option("ignore", join_names(rivals)))
        hint = "\n".join([f"name the {role.name}, or leave out what is not", *options])
        draft.refuse("rival", role.name, message, hint, details)
