"""What became of an earlier run, on the screen or as JSON."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.earlier.verifying import Verification
from scoresheet.cli.terminal.printing import print_answer
from scoresheet.cli.terminal.tables import one_line
from scoresheet.cli.write.csv_json import as_json

_FEW: Final = 12  # changes of a kind on screen; --json has all


def show_verification(found: Verification, *, json: bool) -> bool:
    """Print what was looked at, and what changed; return whether that could be done."""
    return print_answer(as_json(found.as_numbers()) if json else verification_text(found))


def verification_text(found: Verification) -> str:
    """Return a line for each thing that was looked at, what changed below it, and the verdict."""
    width = max(len(check.what) for check in found.checks)
    lines = [f"{found.folder}: scoresheet {found.command}"]
    for check in found.checks:
        state = f"{len(check.changed)} changed" if check.changed else "unchanged"
        said = f"{check.checked}: {state}" if not check.checked.startswith("nothing") else check.checked
        lines.append(f"  {check.what:<{width}}  {said}")
        lines += [f"  {'':<{width}}    {each}" for each in check.changed[:_FEW]]
        if len(check.changed) > _FEW:
            lines.append(f"  {'':<{width}}    … and {len(check.changed) - _FEW} more; --json has them")
    lines.append("it holds" if found.holds else "it does not hold: see what changed")
    return "\n".join(map(one_line, lines))
