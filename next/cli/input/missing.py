"""What a table lacks: the needed roles that nothing fills, and the options that could fill them."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from scoresheet.cli.input.describe import look
from scoresheet.cli.input.grammar import join_names
from scoresheet.cli.input.mapping import Draft, Filling
from scoresheet.metrics.role import Role

# What the cells of a column can hold that fills a role of each kind.
_SUITS = {
    "text": ("text", "list"),
    "number": ("number",),
    "label": ("label", "number", "list"),
    "key": ("label", "number", "text"),
}


class Wide(NamedTuple):
    """A table that looks wide: the role of the headers, the headers, and the role of the cells."""

    role: str
    headers: tuple[str, ...]
    cells: Role
    is_clear: bool

    def hint(self, draft: Draft) -> str:
        """Return the option that reads the headers, or words where they hold several things."""
        if self.is_clear:
            return draft.option(self.role, f"@header:{join_names(self.headers)}")
        pattern = f"probability={{{self.role}}}_{{class}}"
        return f"or say what is in the headers, as in --column '{pattern}'"


def refuse_missing(draft: Draft, given: Collection[str]) -> None:
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
    wide = _wide_layout(draft, [roles[0] for roles in missing])
    for roles in missing:
        in_cells = wide and roles[0] == wide.cells and draft.table.role(wide.role).needed
        if not in_cells:  # what is below the headers needs no column of its own
            _refuse_absent(draft, roles, wide)


def _wide_layout(draft: Draft, missing: Sequence[Role]) -> Wide | None:
    cells = next((role for role in missing if role.name in draft.table.cells[:1]), None)
    opened = [r.name for r in draft.table.roles if r.open and r.name not in draft.fills]
    model = draft.fills.get("model", Filling("model", "none"))
    if cells and cells.kind == "text" and model.how == "place":
        opened.append("model")
    if not cells or not opened:
        return None
    looks = {header: look(header, draft.frame[header]) for header in draft.free()}
    of_kind = tuple(header for header, seen in looks.items() if seen.kind == cells.kind)
    numbers = tuple(header for header, seen in looks.items() if seen.kind == "number")
    if len(of_kind) > 1:
        return Wide(opened[0], of_kind, cells, is_clear=True)
    if cells.kind == "label" and len(numbers) > 1:
        whole = all(looks[header].whole for header in numbers)
        return Wide(opened[0], numbers, cells, is_clear=whole)
    return None


def _is_numbered(draft: Draft) -> bool:
    """Return whether lists are read of which each element gets its position as a number."""
    for role in draft.table.roles:
        filling = draft.fills.get(role.name)
        if draft.table.numbered and role.lists == "rows" and filling and filling.headers:
            one = filling.how == "header" and not filling.source
            return filling.how == "headers" or (one and draft.kind_of(filling.headers[0]) == "list")
    return False


def _refuse_absent(draft: Draft, roles: Sequence[Role], wide: Wide | None) -> None:
    """Refuse a table without any of these roles, with the options that could fill one."""
    role = roles[0]
    single = [h for h in draft.free() if not wide or h not in wide.headers or role == wide.cells]
    fitting = [header for header in single if draft.kind_of(header) in _SUITS[role.kind]]
    options = [draft.option(r.name, header) for header in fitting[:3] for r in roles[:2]]
    if role.lists == "rows" and len(fitting) > 1:
        options.insert(0, draft.option(role.name, join_names(fitting)))
    if wide and role.name in (wide.role, wide.cells.name):
        options.insert(0, wide.hint(draft))
    elif role.open and not options and any(name in draft.fills for name in draft.table.cells[:1]):
        options.append(draft.option(role.name, "@file"))
    found = ", ".join(str(h) for h in draft.frame.columns[:40])
    advice = "name the column that holds it" if options else f"add a column {role.name}"
    if role.elsewhere:
        advice = f"name the {role.elsewhere} after the outputs, or {advice}"
    shown = " or ".join(role.name for role in roles)
    message = f"no column for {shown}; found {found}"
    draft.refuse("missing", role.name, message, "\n".join([advice, *options]))
