"""An explanation on the screen, or as JSON."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress

from scoresheet.cli.earlier.explaining import ExplainedUnit
from scoresheet.cli.exits import Exit
from scoresheet.cli.report.explanation import Block
from scoresheet.cli.terminal.printing import print_answer
from scoresheet.cli.terminal.tables import fit_to_width, for_screen, one_line, wrap_text
from scoresheet.cli.write.csv_json import as_json


def show_explanation(found: ExplainedUnit, *, json: bool) -> bool:
    """Print how a number came about, and return whether that could be done.

    That it is another than reported is said on stderr too, aloud.
    """
    is_printed = print_answer(as_json(found.as_numbers()) if json else explanation_text(found))
    said = [f"note: changed since the run: {change}" for change in found.changed]
    said += [f"Error: this is not the number that was reported: {each}" for each in found.unequal]
    if found.exit_code == Exit.BUG:
        said.append("Nothing that it is made from changed, so this is a bug in scoresheet; please report it.")
    with suppress(OSError):  # nobody listens; the exit code says it too
        sys.stderr.writelines(for_screen(one_line(line), sys.stderr) + "\n" for line in said)
    return is_printed


def explanation_text(found: ExplainedUnit) -> str:
    """Return an explanation as text: a heading, then block by block."""
    unit = found.unit
    row = [f"row {unit.row}"] if unit.row is not None and found.model else []
    keys = [f"{name} {value}" for name, value in unit.keys.items() if value]
    heading = ", ".join(filter(None, (found.model, unit.sheet if found.model else "", *row, *keys)))
    parts = [one_line(f"{found.command}: {heading}" if heading else found.command)]
    return "\n\n".join([*parts, *map(_block_text, found.blocks)])


def _block_text(block: Block) -> str:
    width = shutil.get_terminal_size().columns
    lines = [one_line(line) for line in block.lines]
    if sys.stdout.isatty():
        lines = [wrap_text(line, width - 2, "  ").replace("\n", "\n  ") for line in lines]
    text = [one_line(block.title), *(f"  {line}" for line in lines)]
    if block.rows:
        text += [f"  {line}" for line in fit_to_width(block.columns, block.rows, (), width - 2)[0].splitlines()]
    return "\n".join(text)
