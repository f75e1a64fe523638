"""Files and texts for programs and papers: CSV, JSON, Markdown and LaTeX."""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import pandas as pd

from scoresheet.cli.report import Column, Page
from scoresheet.cli.report.text import MINUS, cell_text
from scoresheet.cli.run.outcome import RunOutcome

ROWS_AT_ONCE = 10_000  # of a CSV file, so that a large table is not copied whole

# A spreadsheet may run a cell that starts with one of these as a formula.
_RISKY = frozenset("=+-@\t\r\n")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

# Renderers turn bare addresses into links; an escaped colon or dot prevents it.
_MARKDOWN = re.compile(r"[\\`*_\[\]<>&|~$]|:(?=//)|(?<=\bwww)\.", re.IGNORECASE)
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")

_NAMED = {"\\": "textbackslash", "~": "textasciitilde", "^": "textasciicircum", "|": "textbar"}
_NAMED |= {"<": "textless", ">": "textgreater", '"': "textquotedbl", "…": "ldots"}
_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "${}%&#_"}
    | {character: f"\\{name}{{}}" for character, name in _NAMED.items()}
    | {"–": "--", "−": "$-$", "∞": r"$\infty$", "×": r"$\times$", "\0": "{}"}
    # After \\ at the end of a row, these would be read as its arguments.
    | {"[": "{[}", "*": "{*}"}
)
_LATEX_TABLE = r"""% needs \usepackage{{booktabs}} and \usepackage[T1]{{fontenc}}
\begin{{table}}
\centering
\caption{{{caption}}}
\begin{{tabular}}{{{alignment}}}
\toprule
{header}
\midrule
{rows}
\bottomrule
\end{{tabular}}{notes}
\end{{table}}
"""


def table_file(title: str) -> str:
    """Return the file name of a further table of a model; `table_title` reverses it.

    >>> table_file("Against gold"), table_title("against_gold.csv")
    ('against_gold.csv', 'Against gold')
    """
    return f"{title.lower().replace(' ', '_')}.csv"


def table_title(file: str) -> str:
    """Return the title of the table that a file holds."""
    return file.removesuffix(".csv").replace("_", " ").capitalize()


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table at full precision, as UTF-8 with line feeds; undefined numbers are empty."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        _write_rows(frame, file)


def _write_rows(frame: pd.DataFrame, file: TextIO) -> None:
    # The csv module puts quotes around carriage returns only if lines end with one.
    lines = SimpleNamespace(write=lambda line: file.write(f"{line[:-2]}\n"))
    writer = csv.writer(lines, lineterminator="\r\n")
    writer.writerow(guard(str(name)) for name in frame.columns)
    for start in range(0, len(frame), ROWS_AT_ONCE):
        block = frame.iloc[start : start + ROWS_AT_ONCE]
        writer.writerows(zip(*(_csv_cells(values) for _, values in block.items()), strict=True))


def _csv_cells(values: pd.Series) -> list[Any]:
    """Return the cells of a column; few columns have a text that must be guarded."""
    texts = values.dtype.kind not in "biuf"
    if values.hasnans:
        values = values.astype(object).where(values.notna(), "")
    cells: list[Any] = values.tolist()
    if not texts or _RISKY.isdisjoint(str(cell)[:1] for cell in cells):
        return cells
    return [guard(cell) if isinstance(cell, str) else cell for cell in cells]


def guard(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula; numbers stay as they are.

    >>> guard("=1+1"), guard("-0.5"), guard("- 5"), guard("plain")
    ("'=1+1", '-0.5', "'- 5", 'plain')
    """
    return f"'{text}" if text[:1] in _RISKY and not _NUMBER.fullmatch(text) else text


def read_csv(path: Path, numbers: Collection[str], texts: Collection[str]) -> pd.DataFrame:
    """Return a table that `write_csv` wrote.

    Columns of either kind are named; another one has numbers if all of its cells can be numbers.
    """
    columns = dict(pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False).items())
    for name, cells in columns.items():
        columns[name] = cells.str.replace(r"^'(?=[=+\-@\t\r\n])", "", regex=True)
        kinds = (float,) if name in numbers else (float, int) if any(cells) else ()
        for kind in kinds if name not in texts else ():
            with suppress(ValueError):  # the last one that fits
                columns[name] = cells.where(cells != "", "nan").astype(kind)
    return pd.DataFrame(columns)


def formatted(outcome: RunOutcome, format: str) -> str:  # noqa: A002
    """Return the results as JSON, CSV, Markdown or LaTeX; empty where there are none."""
    if format == "json":
        return to_json(outcome)
    page, text = outcome.headline, io.StringIO()
    if page is None:
        return ""
    if format == "markdown":
        return markdown_table(page)
    if format == "latex":
        return latex_table(page, caption=outcome.signature, notes=" ".join(outcome.answer))
    _write_rows(outcome.results, text)
    return text.getvalue()


def to_json(outcome: RunOutcome) -> str:
    """Return everything a script needs to know about a run."""
    content = outcome.content or {
        "signature": outcome.signature,
        "mapping": outcome.mapping_record,
        "results": records(outcome.results),
        "comparisons": records(outcome.comparisons),
        "gates": [asdict(gate) for gate in outcome.gates],
        "problems": [asdict(problem) for problem in outcome.problems],
        "exit_code": int(outcome.exit_code),
    }
    return dump(content)


def metrics_json(results: pd.DataFrame, sheets: Mapping[str, pd.DataFrame]) -> str:
    """Return the numbers of every model, and of each of its sheets, for experiment trackers."""

    def numbers(frame: pd.DataFrame, key: str) -> dict[str, Any]:
        found = frame[[key]].join(frame.infer_objects().select_dtypes("number"))
        return {record.pop(key): record for record in records(found)}

    models = numbers(results, "Model Name")
    for name in models:
        models[name]["sheets"] = numbers(sheets[name], "Sheet") if name in sheets else {}
    return dump({"schema": 1, "models": models})


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows as JSON values; infinite ones are null and listed under `infinite`."""
    found, names = [], [str(name) for name in frame.columns]
    for row in zip(*(cells.tolist() for _, cells in frame.items()), strict=True):
        cells = [None if pd.isna(cell) else cell for cell in row]
        infinite = [n for n, c in zip(names, cells, strict=True) if c in (math.inf, -math.inf)]
        record: dict[str, Any] = dict(zip(names, cells, strict=True)) | dict.fromkeys(infinite)
        found.append(record | ({"infinite": infinite} if infinite else {}))
    return found


def dump(content: Any) -> str:
    """Return a value as JSON text that every stream can print."""
    # Escapes keep the text printable on every stream. Only numpy's numbers have no JSON of theirs.
    return json.dumps(content, indent=2, allow_nan=False, default=lambda n: n.item()) + "\n"


def _rows(page: Page, escape: Callable[[str], str]) -> list[list[str]]:
    """Return the header and the rows of a page as people read them."""
    columns = [
        [column.label, *(cell_text(cell, column, minus=MINUS) for cell in page.frame[column.name])]
        for column in page.columns
    ]
    return [[escape(text) for text in row] for row in zip(*columns, strict=True)]


def escape_markdown(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return _MARKDOWN.sub(r"\\\g<0>", _BLANKS.sub(" ", text))


def markdown_table(page: Page) -> str:
    """Return a page as a Markdown table."""
    table = _rows(page, escape_markdown)
    rules = ["---:" if column.on_the_right else ":---" for column in page.columns]
    return "".join(f"| {' | '.join(row)} |\n" for row in (table[0], rules, *table[1:]))


def escape_latex(text: str) -> str:
    """Return a text that LaTeX prints as it is."""
    return re.sub("-(?=-)", "-\0", _BLANKS.sub(" ", text)).translate(_LATEX)  # -- would be a dash


def latex_table(page: Page, *, caption: str, notes: str) -> str:
    """Return a page as a booktabs table, the best value of each measure in bold."""
    table = _rows(page, escape_latex)
    for position, column in enumerate(page.columns):
        for row in _best_rows(page, column):
            table[row + 1][position] = rf"\textbf{{{table[row + 1][position]}}}"
    header, *rows = (rf"{' & '.join(row)} \\" for row in table)
    return _LATEX_TABLE.format(
        caption=escape_latex(caption),
        alignment="".join("r" if column.on_the_right else "l" for column in page.columns),
        header=header,
        rows="\n".join(rows),
        notes=notes and f"\n\\par\\smallskip{{\\footnotesize {escape_latex(notes)}}}",
    )


def _best_rows(page: Page, column: Column) -> list[int]:
    """Return the rows that show the best value of a measure, if there is anything to choose."""
    values = page.frame[column.name].tolist()
    numbers = [value for value in values if not isinstance(value, str) and not pd.isna(value)]
    if not column.better or len(numbers) < 2:
        return []
    # Values that look the same are equally good to the reader.
    best = cell_text((max if column.better == "higher" else min)(numbers), column)
    return [row for row, value in enumerate(values) if cell_text(value, column) == best]
