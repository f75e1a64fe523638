"""The families that are installed: ours and those of other packages."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

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
    """Return the command of a family without loading what scores it.

    The package of a family's module has the record `COMMAND`; without one the family itself is
    loaded.
    """
    command: Command = _loaded(name, _command)
    return command


@cache
def load_family(name: str) -> "Family":
    """Return a family by the name of its command."""
    family: Family = _loaded(name, EntryPoint.load)
    return family


def load_all(
    load: Callable[[str], Any], failed: Callable[[str], object] = lambda _: None
) -> Iterator[Any]:
    """Yield what `load` returns for every family; `failed` gets the reason where it cannot."""
    for name in family_entries():
        try:
            yield load(name)
        except Exception as error:  # noqa: BLE001 a package that is broken costs only itself
            failed(str(error))


def _command(entry: EntryPoint) -> Any:
    package = entry.module.rpartition(".")[0]
    command = getattr(import_module(package), "COMMAND", None) if package else None
    return command or entry.load().command


def _loaded(name: str, load: Callable[[EntryPoint], Any]) -> Any:
    """Return what is loaded of a family; refuse an unknown name, and a package that is broken."""
    entry = family_entries().get(name)
    try:
        if entry:
            return load(entry)
        reason = f"is not a command that scores; there are {', '.join(family_entries())}"
    except Exception as error:  # noqa: BLE001
        reason = f"cannot be loaded: {error}"
    from scoresheet.cli.input.grammar import nearest, usage  # they import pandas

    near = "" if entry else nearest(name, [*family_entries()])
    raise usage(f"{name or 'an empty name'} {reason}", f"did you mean {near}?" if near else "")
