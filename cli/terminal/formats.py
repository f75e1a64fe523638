"""Rows as Markdown, LaTeX and CSV: for a step summary, a paper, a pipe. What a model wrote is text in each of them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any, Final

from scoresheet.cli.report.page import Column
from scoresheet.cli.terminal.tables import Rows, one_line, printable, shown_value
from scoresheet.cli.write.cell_text import csv_safe
from scoresheet.cli.write.markdown_text import escape_markdown

_WORDS: Final = ("key", "text", "label")
_FURTHER_MARKS: Final = r"[$&]|^[+-]"  # beyond what is markup anywhere: formulas, entities, lists
_NUMBERED: Final = r"^([0-9]{1,9})([.)])"
_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",  # at the beginning of a line it would be an argument of the line break before it
    "]": "{]}",
}
_LIGATURE: Final = r"([-`',])(?=\1)"  # two of these become one other sign


def markdown_table(columns: Sequence[Column], rows: Rows) -> str:
    """Return rows as a Markdown table, numbers at the right."""
    head = [markdown_text(column.name) for column in columns]
    rule = [":--" if column.kind in _WORDS else "--:" for column in columns]
    body = [
        [
            markdown_text(value) if isinstance(value, str) else shown_value(value, column)
            for value, column in zip(row, columns, strict=True)
        ]
        for row in rows
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *body])


def markdown_text(text: str) -> str:
    r"""Return a text so that Markdown shows it as it is.

    >>> print(markdown_text("a|b_c <b>"))
    a\|b\_c \<b\>
    """
    escaped = re.sub(_FURTHER_MARKS, r"\\\g<0>", escape_markdown(one_line(text)))
    return re.sub(_NUMBERED, r"\1\\\2", escaped)


def latex_table(columns: Sequence[Column], rows: Rows) -> str:
    """Return rows as a LaTeX tabular with the rules of booktabs."""
    places = "".join("l" if column.kind in _WORDS else "r" for column in columns)
    head = [latex_text(column.name) for column in columns]
    body = [
        [latex_text(shown_value(value, column)) for value, column in zip(row, columns, strict=True)] for row in rows
    ]
    lines = [f"{' & '.join(line)} \\\\" for line in [head, *body]]
    return "\n".join(
        [
            "% \\usepackage{booktabs}",
            f"\\begin{{tabular}}{{{places}}}",
            "\\toprule",
            lines[0],
            "\\midrule",
            *lines[1:],
            "\\bottomrule",
            "\\end{tabular}",
        ]
    )


def latex_text(text: str) -> str:
    r"""Return a text so that LaTeX prints it as it is.

    >>> print(latex_text("50 % of a_b & {c}"))
    50 \% of a\_b \& \{c\}
    """
    escaped = "".join(_LATEX.get(character, character) for character in one_line(text))
    return re.sub(_LIGATURE, r"\1{}", escaped).replace("–", "--")


def csv_table(columns: Sequence[Column], rows: Rows, *, raw: bool = False) -> str:
    """Return rows as CSV, numbers with all their digits, undefined ones empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_csv_cell(column.name, raw=raw) for column in columns])
    writer.writerows([_csv_cell(value, raw=raw) for value in row] for row in rows)
    return stream.getvalue().rstrip("\n")


def _csv_cell(value: Any, *, raw: bool) -> Any:
    if isinstance(value, str):
        shown = printable(value)
        return shown if raw else csv_safe(shown)
    return None if value != value else value  # noqa: PLR0124 - NaN
