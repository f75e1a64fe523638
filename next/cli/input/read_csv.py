"""CSV and TSV: pandas reads, after the csv module has checked that every row fits the header."""

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TextIO

import pandas as pd

from scoresheet.cli.input.source import (
    MAX_EMPTY_CELLS,
    FileTables,
    ReadRules,
    Source,
    header_notes,
    make_frame,
    note,
    refusal,
)
from scoresheet.metrics.problem import Problem

if TYPE_CHECKING:
    from _csv import Reader

SEPARATORS = "\t,;|"
_QUOTED = re.compile(r'(^|[\t,;|])"[^"]*(?:""[^"]*)*"')
_UNCLOSED = re.compile(r'(?:^|[\t,;|])"')


def read_csv(text: TextIO, source: Source, rules: ReadRules) -> FileTables:
    """Return the one table of a delimited text.

    The separator is decided on the header only. The index is the row in a spreadsheet: a cell
    with line breaks does not add to it.
    """
    csv.field_size_limit(2**31 - 1)
    records = _records(iter(text))
    first, row, above = rules.header_row or 1, 0, 0
    for record in records:
        row += 1
        if row >= first and "".join(record).strip(SEPARATORS + '" \r\n'):
            break
        above += len(record)
    else:
        message = f"there is no row {first} that could be the header"
        raise refusal(source, "empty" if first == 1 else "header-row", message)
    problems = header_notes(source, rules, row, map(_cells, [record, *islice(records, 20)]))
    hint = problems[-1].hint if problems else ""
    separator, width = _separator(record), len(_cells(record))
    text.seek(0)
    if not _is_plain(islice(text, above, None), separator, width):
        text.seek(0)
        reader = csv.reader(islice(text, above, None), delimiter=separator, strict=True)
        problems += _check_rows(source, reader, width, row, above, hint)
    text.seek(0)
    for _ in islice(text, above):  # pandas' skiprows would count a cell with line breaks once
        pass
    grid = pd.read_csv(
        text,
        sep=separator,
        header=None,
        names=range(width),
        skip_blank_lines=False,
        dtype=object,
        keep_default_na=False,
        na_filter=False,
    )
    frame, _ = make_frame(source, grid, row, hint=hint)
    return FileTables({"": frame}, problems)


def _is_plain(lines: Iterable[str], separator: str, width: int) -> bool:
    """Return whether there are no quotes, and every line has as many fields as the header."""
    return all(line.count(separator) == width - 1 and '"' not in line for line in lines)


def _check_rows(
    source: Source, reader: "Reader", width: int, row: int, above: int, hint: str
) -> list[Problem]:
    """Refuse rows that do not fit the header, which pandas would join, shift or pad in silence."""
    short: list[int] = []
    padded = 0
    line = above + 1
    try:
        for number, cells in enumerate(reader, row):
            if len(cells) != width and any(map(str.strip, cells)):
                if len(cells) > width:
                    message = f"line {line}: {len(cells)} fields, but the header has {width}"
                    hint = hint or "put quotes around each cell that contains the separator"
                    raise refusal(source, "extra-fields", message, hint)
                short.append(number)
                padded += width - len(cells)
            line = above + reader.line_num + 1
    except csv.Error:
        message = f"line {line}: a quoted cell is not closed, or text follows its closing quote"
        quotes = 'write a quote inside a quoted cell twice ("")'
        raise refusal(source, "quotes", message, quotes) from None
    if padded > MAX_EMPTY_CELLS:
        message = f"the header has {width:,} columns, but most rows are far shorter"
        raise refusal(source, "too-large", message, hint)
    if not short:
        return []
    shown = ", ".join(map(str, short[:5])) + (" …" if len(short) > 5 else "")
    message = f"rows with fewer fields than the header: {len(short):,} (row {shown})"
    return [note(source, "short-row", f"{message}; the missing cells are empty")]


def _records(lines: Iterator[str]) -> Iterator[list[str]]:
    """Yield the lines of each record: a quoted cell may hold line breaks."""
    for first in lines:
        line, record = first, [first]
        while '"' in line and _UNCLOSED.search(_bare(line)) and len(record) < 10_000:
            record.append(next(lines, ""))
            line = record[-1] and '"' + record[-1]
        yield record


def _bare(text: str) -> str:
    return _QUOTED.sub(r"\1", text) if '"' in text else text


def _separator(record: list[str]) -> str:
    """Return the separator that occurs most often outside quotes.

    >>> _separator(['id;"text, with, commas";score'])
    ';'
    """
    bare = _bare("".join(record))
    best = max(SEPARATORS, key=bare.count)
    return best if best in bare else ","


def _cells(record: list[str]) -> list[str]:
    return next(csv.reader(record, delimiter=_separator(record)), [])
