"""Files and texts for programs and papers: CSV, JSON, Markdown and LaTeX."""

import csv
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd

from scoresheet.cli.report import Column, Page
from scoresheet.cli.report.text import MINUS, cell_text
from scoresheet.cli.run.outcome import RunOutcome

MODEL = "Model Name"
ROWS_AT_ONCE = 10_000  # of a CSV file, so that a large table is not copied whole

# A spreadsheet may run a cell that starts with one of these as a formula.
_RISKY = frozenset("=+-@\t\r\n")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

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


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table at full precision, as UTF-8 with line feeds; undefined numbers are empty."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        # The csv module puts quotes around carriage returns only if lines end with one.
        lines = SimpleNamespace(write=lambda line: file.write(f"{line[:-2]}\n"))
        writer = csv.writer(lines, lineterminator="\r\n")
        writer.writerow(guard(str(name)) for name in frame.columns)
        for start in range(0, len(frame), ROWS_AT_ONCE):
            block = frame.iloc[start : start + ROWS_AT_ONCE]
            writer.writerows(zip(*(_csv_cells(values) for _, values in block.items()), strict=True))


def _csv_cells(values: pd.Series) -> list[Any]:
    if values.hasnans:
        values = values.astype(object).where(values.notna(), "")
    return [guard(cell) if isinstance(cell, str) else cell for cell in values.tolist()]


def guard(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula; numbers stay as they are.

    >>> guard("=1+1"), guard("-0.5"), guard("- 5"), guard("plain")
    ("'=1+1", '-0.5', "'- 5", 'plain')
    """
    return f"'{text}" if text[:1] in _RISKY and not _NUMBER.fullmatch(text) else text


def to_json(outcome: RunOutcome) -> str:
    """Return everything a script needs to know about a run."""
    return _dump(
        {
            "signature": outcome.signature,
            "mapping": outcome.mapping_record,
            "results": _records(outcome.results),
            "comparisons": _records(outcome.comparisons),
            "gates": [],
            "problems": [asdict(problem) for problem in outcome.problems],
            "exit_code": int(outcome.exit_code),
        }
    )


def metrics_json(results: pd.DataFrame, sheets: Mapping[str, pd.DataFrame]) -> str:
    """Return the numbers of every model, and of each of its sheets, for experiment trackers."""
    models: dict[str, Any] = {}
    for record in _records(_numbers(results, MODEL)):
        name = record.pop(MODEL)
        rows = _records(_numbers(sheets[name], "Sheet")) if name in sheets else []
        models[name] = {**record, "sheets": {row.pop("Sheet"): row for row in rows}}
    return _dump({"schema": 1, "models": models})


def _numbers(frame: pd.DataFrame, key: str) -> pd.DataFrame:
    """Return the key and the columns that hold numbers only."""
    kinds = {
        name: cells.infer_objects().dtype.kind if cells.dtype == object else cells.dtype.kind
        for name, cells in frame.items()
    }
    return frame[[key, *(name for name, kind in kinds.items() if kind in "iuf")]]


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as JSON values; infinite ones are null and listed under `infinite`."""
    records = []
    names = [str(name) for name in frame.columns]
    for row in zip(*(cells.tolist() for _, cells in frame.items()), strict=True):
        cells = [None if pd.isna(cell) else cell for cell in row]
        record: dict[str, Any] = dict(zip(names, cells, strict=True))
        infinite = [name for name, cell in record.items() if cell in (math.inf, -math.inf)]
        record |= dict.fromkeys(infinite)
        records.append({**record, "infinite": infinite} if infinite else record)
    return records


def _dump(content: Any) -> str:
    # Escapes keep the text printable on every stream. Only numpy's numbers have no JSON of theirs.
    return json.dumps(content, indent=2, allow_nan=False, default=lambda n: n.item()) + "\n"


def escape_markdown(text: str) -> str:
    """Return a text that Markdown shows as it is, inside a table."""
    text = _MARKDOWN.sub(lambda match: f"\\{match[0]}", _BLANKS.sub(" ", text))
    return _ADDRESS.sub(lambda match: f"\\{match[0]}", text)


def escape_latex(text: str) -> str:
    """Return a text that LaTeX prints as it is."""
    return _LATEX_SPECIAL.sub(lambda match: _LATEX[match[0]], _BLANKS.sub(" ", text))


def _cell_texts(page: Page) -> list[list[str]]:
    """Return the header and the rows of a page as people read them."""
    columns = [
        [
            column.label,
            *(cell_text(value, column, minus=MINUS) for value in page.frame[column.name]),
        ]
        for column in page.columns
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def markdown_table(page: Page) -> str:
    """Return a page as a Markdown table."""
    rules = ["---:" if column.on_the_right else ":---" for column in page.columns]
    header, *rows = [[escape_markdown(text) for text in row] for row in _cell_texts(page)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (header, rules, *rows))


def latex_table(page: Page, *, caption: str, notes: str) -> str:
    """Return a page as a booktabs table, the best value of each measure in bold."""
    header, *rows = [[escape_latex(text) for text in row] for row in _cell_texts(page)]
    for position, column in enumerate(page.columns):
        for row in _best_rows(page, column):
            rows[row][position] = rf"\textbf{{{rows[row][position]}}}"
    alignment = "".join("r" if column.on_the_right else "l" for column in page.columns)
    lines = [
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
    ]
    return "\n".join(lines) + "\n"


def _best_rows(page: Page, column: Column) -> list[int]:
    """Return the rows that show the best value of a measure, if there is anything to choose."""
    values = page.frame[column.name].tolist()
    numbers = [value for value in values if not isinstance(value, str) and not pd.isna(value)]
    if not column.better or len(numbers) < 2:
        return []
    # Values that look the same are equally good to the reader.
    best = cell_text((max if column.better == "higher" else min)(numbers), column)
    return [row for row, value in enumerate(values) if cell_text(value, column) == best]
