"""The families that are installed: ours and those of other packages."""

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from scoresheet.metrics import Command

if TYPE_CHECKING:  # it imports pandas, which --help does not need
    from scoresheet.metrics.family import Family

GROUP = "scoresheet.families"
# The order in which --help lists them; others follow.
ORDER = ["sinfo", "mode-collapse", "diversity", "disagree", "entropy", "collective", "scores"]


@cache
def family_entries() -> dict[str, EntryPoint]:
    """Return the entry point of every family by the name of its command."""
    entries = sorted(entry_points(group=GROUP), key=lambda e: e.module.startswith("scoresheet."))
    found = {entry.name: entry for entry in entries}  # no other package can replace one of ours
    return {name: found[name] for name in [*ORDER, *sorted(found.keys() - ORDER)] if name in found}


def load_command(name: str) -> Command:
    """Return the command of a family without loading what scores it, or refuse an unknown name.

    The package of a family's module has the record `COMMAND`; without one the family itself is
    loaded.
    """
    if name not in family_entries():
        from scoresheet.cli.input.grammar import nearest, usage  # they import pandas

        near = nearest(name, [*family_entries()])
        known = f"{name} is not one of {', '.join(family_entries())}"
        raise usage(known, f"did you mean {near}?" if near else "")
    package = family_entries()[name].module.rpartition(".")[0]
    command = getattr(import_module(package), "COMMAND", None) if package else None
    return command or load_family(name).command


@cache
def load_family(name: str) -> "Family":
    """Return a family by the name of its command."""
    family: Family = family_entries()[name].load()
    return family
