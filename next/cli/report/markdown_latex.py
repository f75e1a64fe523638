"""Tables for documents and papers: Markdown and LaTeX."""

import re

from scoresheet.cli.report.numbers import MINUS, cell_text, is_missing
from scoresheet.cli.report.pages import Column, Page

_MARKDOWN = re.compile(r"[\\`*_\[\]<>&|~$]")
# Renderers turn bare addresses into links; an escaped colon or dot prevents it.
_ADDRESS = re.compile(r"(:)(?=//)|(?<=\bwww)(\.)", re.IGNORECASE)
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")

_NAMED = {"\\": "textbackslash", "~": "textasciitilde", "^": "textasciicircum", "|": "textbar"}
_NAMED |= {"<": "textless", ">": "textgreater", '"': "textquotedbl", "…": "ldots"}
_LATEX = {character: f"\\{character}" for character in "${}%&#_"}
_LATEX |= {character: f"\\{name}{{}}" for character, name in _NAMED.items()}
_LATEX |= {"–": "--", "−": "$-$", "∞": r"$\infty$", "×": r"$\times$"}
# After \\ at the end of a row, [ and * would be read as its arguments; -- would be a dash.
_LATEX |= {"[": "{[}", "*": "{*}", "-": "-{}"}
_LATEX_SPECIAL = re.compile("-(?=-)|[" + re.escape("".join(_LATEX).replace("-", "")) + "]")


def cell_texts(page: Page) -> list[list[str]]:
    """Return the rows of a page as people read them."""
    texts = [
        [cell_text(value, column, minus=MINUS) for value in page.frame[column.name].tolist()]
        for column in page.columns
    ]
    return [list(row) for row in zip(*texts, strict=True)]


def escape_markdown(text: str) -> str:
    r"""Return a text that Markdown shows as it is, inside a table.

    >>> escape_markdown("a|b *c* https://x.org")
    'a\\|b \\*c\\* https\\://x.org'
    """
    text = _MARKDOWN.sub(lambda match: f"\\{match[0]}", _BLANKS.sub(" ", text))
    return _ADDRESS.sub(lambda match: f"\\{match[0]}", text)


def markdown_table(page: Page) -> str:
    """Return a page as a Markdown table."""
    rules = ["---:" if column.on_the_right else ":---" for column in page.columns]
    header = [escape_markdown(column.label) for column in page.columns]
    rows = [[escape_markdown(text) for text in row] for row in cell_texts(page)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rules, *rows))


def escape_latex(text: str) -> str:
    r"""Return a text that LaTeX prints as it is.

    >>> escape_latex("50% of a_b {c}")
    '50\\% of a\\_b \\{c\\}'
    """
    return _LATEX_SPECIAL.sub(lambda match: _LATEX[match[0]], _BLANKS.sub(" ", text))


def latex_table(page: Page, *, caption: str, notes: str) -> str:
    """Return a page as a booktabs table, the best value of each measure in bold."""
    rows = [[escape_latex(text) for text in row] for row in cell_texts(page)]
    for position, column in enumerate(page.columns):
        for row in _best_rows(page, column):
            rows[row][position] = rf"\textbf{{{rows[row][position]}}}"
    header = [escape_latex(column.label) for column in page.columns]
    alignment = "".join("r" if column.on_the_right else "l" for column in page.columns)
    return "\n".join(
        [
            r"% needs \usepackage{booktabs} and \usepackage[T1]{fontenc}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape_latex(caption)}}}",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            rf"{' & '.join(header)} \\",
            r"\midrule",
            *(rf"{' & '.join(row)} \\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
            *([rf"\par\smallskip{{\footnotesize {escape_latex(notes)}}}"] if notes else []),
            r"\end{table}",
            "",
        ]
    )


def _best_rows(page: Page, column: Column) -> list[int]:
    """Return the rows that show the best value of a measure, if there is anything to choose."""
    values = page.frame[column.name].tolist()
    numbers = [value for value in values if not isinstance(value, str) and not is_missing(value)]
    if not column.better or len(numbers) < 2:
        return []
    # Values that look the same are equally good to the reader.
    best = cell_text((max if column.better == "higher" else min)(numbers), column)
    return [row for row, value in enumerate(values) if cell_text(value, column) == best]
