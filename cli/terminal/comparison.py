"""What scoresheet compare prints: a table of pairs, a sentence for each, and what has changed."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Final

from scoresheet.cli.report.paired_comparison import screen_table
from scoresheet.cli.run.comparing import LOST_COLUMNS, PAIR_COLUMNS, TABLE, Compared
from scoresheet.cli.terminal.messages import changes_text, formatted_table, gate_sentences
from scoresheet.cli.terminal.printing import print_answer
from scoresheet.cli.terminal.tables import fit_to_width, one_line, text_table
from scoresheet.cli.write.csv_json import as_json

_SPARE: Final = ("Other_Lost", "Lost", "CI_Low", "CI_High", "P_Holm", "Shared")  # what a narrow screen can do without
_MANY: Final = 50  # pairs printed


def show_comparison(compared: Compared, style: str, *, code: int, files: Sequence[str]) -> bool:
    """Print a comparison in one of the formats, and return whether that went well."""
    if style == "json":
        return print_answer(as_json(compared.record(code, files)))
    if style == "table":
        return print_answer(_table(compared))
    said = [compared.answer, *compared.sentences(), *gate_sentences(compared.gates)]
    title = f"Comparison of {', '.join(compared.folders)}"
    return print_answer(formatted_table(style, PAIR_COLUMNS, compared.rows(), title=title, sentences=said))


def _table(compared: Compared) -> str:
    paired = compared.paired
    columns, rows = screen_table(paired)
    every = [*columns[:-1], *LOST_COLUMNS, columns[-1]]
    pairs = paired.of_headline()
    lines = [
        [*row[:-1], *compared.lost[pair.model, pair.other], row[-1]] for row, pair in zip(rows, pairs, strict=True)
    ]
    more = f"\n… {len(lines) - _MANY:,} more pairs: see {TABLE} of -o DIR, or --json" if lines[_MANY:] else ""
    screen = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns
    shown = lines[:_MANY]
    table = fit_to_width(every, shown, _SPARE, width)[0] if screen else text_table(every, shown)
    who = "every two models" if len(compared.folders) == 1 else "models"
    if paired.picked:
        who = f"each model against the best, {paired.against}, picked on these very data, which the p-values know"
    elif paired.against:
        who = f"each model against {paired.against}"
    title = one_line(f"{paired.headline}, {who}, on the {paired.units} that both have")
    sentences = [one_line(each) for each in filter(None, [compared.answer, *compared.sentences()[:_MANY]])]
    if screen:  # it would break them in the middle of a word
        sentences = ["\n".join(textwrap.wrap(each, width, break_on_hyphens=False)) for each in sentences]
    parts = [f"{title}\n{table}{more}"] if lines else []
    parts += [changes_text(compared.baseline)] if compared.baseline else []
    return "\n\n".join([*parts, "\n".join(sentences)])
