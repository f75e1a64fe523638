"""Reading: every file is checked, opened and read here; what cannot be read is a refusal."""

import codecs
import csv
import gzip
import io
import math
import re
import zlib
from contextlib import suppress
from typing import TextIO
from zipfile import BadZipFile

import pandas as pd

from scoresheet.cli.input import frames
from scoresheet.cli.input.discover import Source
from scoresheet.cli.input.frames import AS_IT_IS, FileTables, Rules
from scoresheet.cli.input.read_excel import read_excel
from scoresheet.cli.input.read_json import read_json, read_parquet
from scoresheet.metrics.problem import Problem, Refusal, located, refusal

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_ENCODINGS = ("utf-8", "cp1252", "cp1251", "shift_jis", "gb18030", "euc_kr")
_UNREADABLE = (
    *(OSError, EOFError, UnicodeError, RecursionError, NotImplementedError),
    *(zlib.error, BadZipFile),
)
_SEPARATORS = "\t,;|"
_WORD = re.compile(r'[^\s",;|\ufeff]')
_QUOTED = re.compile(r'(^|[\t,;|])"[^"]*(?:""[^"]*)*"', re.MULTILINE)
# The columns of formats without a header.
_FIELDS = {
    "trec_run": ("query", "Q0", "item", "", "score", "tag"),  # the score orders, not the rank
    "trec_qrels": ("query", "subtopic", "item", "relevance"),
    "list": ("option",),
}


def read_tables(source: Source, rules: Rules) -> FileTables:
    """Return the tables of a file as text cells; a file that cannot be read raises Refusal.

    The index of a frame is the row of the spreadsheet, the header being row 1; where there is no
    header it is the line, or the number of the object.
    """
    readers = {"excel": read_excel, "parquet": read_parquet}
    try:
        _check_size(source, rules)
        found = readers.get(source.format, _read_text)(source, rules)
    except Refusal as refused:
        raise Refusal(*(located(p, source.name, "") for p in refused.problems)) from refused
    except _UNREADABLE as error:
        message = f"the file cannot be read: {error}"
        raise Refusal(Problem("unreadable", "skipped", message, source.name)) from error
    found.problems = [located(problem, source.name, "") for problem in found.problems]
    return found


def _check_size(source: Source, rules: Rules) -> None:
    size = source.path.stat().st_size
    megabytes = math.ceil(size / 2**20)
    if not size:
        raise refusal("empty", "the file is empty")
    if megabytes > rules.max_file_mb:
        message = f"the file has {megabytes:,} MB; at most {rules.max_file_mb:,} MB are read"
        raise refusal("too-large", message, f"--max-file-mb {megabytes}")


def _read_text(source: Source, rules: Rules) -> FileTables:
    """Return the tables of a text, all of which is checked; a byte order mark decides first."""
    content = io.BytesIO()
    opened = gzip.open if source.path.suffix.lower() == ".gz" else open
    with opened(source.path, "rb") as file:
        while part := file.read(2**20):
            content.write(part)
            frames.refuse_expanded(source, content.tell())
    data = content.getvalue()
    marks = (name for mark, name in _BYTE_ORDER_MARKS.items() if data.startswith(mark))
    encoding = next(marks, rules.encoding)
    _check_encoding(data, encoding)
    content.seek(0)
    with io.TextIOWrapper(content, encoding, newline="") as text:
        if source.format == "csv":
            return _read_csv(text, rules)
        if source.format in ("json", "jsonl"):
            return read_json(text, source, rules)
        return _read_fields(text, source.format)


def _check_encoding(data: bytes, encoding: str) -> None:
    """Refuse a text with how it reads in each encoding that can read it."""
    try:
        if "\0" in data.decode(encoding):
            message = "the file has NUL characters: it is not a text, or it is UTF-16"
            raise refusal("nul", message, "--encoding utf-16-le" if data[1:4:2] == b"\0\0" else "")
    except LookupError:
        message = f"there is no text encoding {encoding}"
        raise refusal("encoding", message, "--encoding utf-8") from None
    except UnicodeDecodeError as error:
        start = error.start + len(data) - len(error.object)  # it counts without the mark
        before, rest = data[:start], data[start:].partition(b"\n")[0]
        begun = before[len(before.rstrip(bytes(range(128, 256)))) :]
        readings: dict[str, str] = {}
        for name in _ENCODINGS:
            with suppress(UnicodeDecodeError):
                if "utf-8" not in readings:  # what is valid UTF-8 is hardly anything else
                    readings[name] = (begun + rest[: 2**16]).decode(name).strip()[:20]
        line = before.count(b"\n") + 1
        message = f"line {line}: byte 0x{data[start]:02X} is not valid {encoding}"
        shown = ", ".join(f"“{text}” in {name}" for name, text in readings.items())
        message += f"; the text is {shown}" if shown else ""
        options = [f"--encoding {name}" for name in readings]
        if len(options) > 1:
            options.insert(0, "choose the encoding in which the text reads right")
        raise refusal("encoding", message, *options) from error


def _read_csv(text: TextIO, rules: Rules) -> FileTables:
    """Return the one table of a delimited text; the separator is decided on the header only.

    A row is one of the spreadsheet: a cell with line breaks does not add to it.
    """
    csv.field_size_limit(2**31 - 1)
    first, above = rules.header_row or 1, 0
    reader = csv.reader(text)  # rows above the header are the same with any separator
    for row, cells in enumerate(reader, 1):
        if row >= first and _WORD.search("".join(cells)):
            break
        above = reader.line_num
    else:
        message = f"there is no row {first} that could be the header"
        raise refusal("empty" if first == 1 else "header-row", message)
    text.seek(0)
    for _ in range(above):
        text.readline()
    header = text.tell()
    while text.read(1) == "\ufeff":  # pandas would skip one of several marks
        header = text.tell()
    text.seek(header)
    separator = _separator(text.read(2**16))
    text.seek(header)
    widths, notes = _check_rows(text, separator, row, above, rules)
    text.seek(header)
    columns = range(widths[row])  # a blank row may have more
    frame = pd.read_csv(
        text, sep=separator, names=columns, usecols=columns, skip_blank_lines=False, **AS_IT_IS
    )
    frame.index += row
    return FileTables({"": frames.make_frame(frame.loc[list(widths)], notes)}, notes)


def _check_rows(
    text: TextIO, separator: str, row: int, above: int, rules: Rules
) -> tuple[dict[int, int], list[Problem]]:
    """Return the width of each row that is not blank, and notes about them.

    Refuses what pandas would read in silence. The header is that `row`, below the lines `above`.
    """
    reader = csv.reader(text, delimiter=separator, strict=True)
    opening: dict[int, list[str]] = {}
    widths: dict[int, int] = {}
    line, fault = above + 1, ""
    try:
        for number, cells in enumerate(reader, row):
            if not frames.is_blank(cells):
                widths[number] = len(cells)
                if len(opening) < frames.OPENING:
                    opening[number] = cells
                if len(cells) > widths[row]:
                    fault = (
                        fault
                        or f"line {line}: {len(cells)} fields, but the header has {widths[row]}"
                    )
            line = above + reader.line_num + 1
    except csv.Error:
        if not fault:  # else the row comes first
            message = f"line {line}: a quoted cell is not closed, or text follows its closing quote"
            quotes = 'write a quote inside a quoted cell twice ("")'
            raise refusal("quotes", message, quotes) from None
    notes = frames.header_notes(rules, opening)
    hint = notes[0].hint if notes else ""
    if fault:
        quotes = "put quotes around each cell that contains the separator"
        raise refusal("extra-fields", fault, hint or quotes)
    frames.refuse_size(len(widths), widths[row], sum(widths.values()), hint)
    if short := [number for number, width in widths.items() if width < widths[row]]:
        message = f"{len(short):,} rows have fewer fields than the header"
        message += f" (the first is row {short[0]}); the missing cells are empty"
        notes.append(Problem("short-row", "note", message))
    return widths, notes


def _separator(text: str) -> str:
    """Return the separator that occurs most often in the first line, outside quotes.

    >>> _separator('id;"text, with, commas";score')
    ';'
    """
    header = io.StringIO(_QUOTED.sub(r"\1", text), newline=None).readline()
    best = max(_SEPARATORS, key=header.count)
    return best if best in header else ","


def _read_fields(text: TextIO, format_: str) -> FileTables:
    """Return the table of a TREC run, of judgments or of a plain list; the index is the line."""
    names, rows = _FIELDS[format_], {}
    for number, line in enumerate(text, 1):
        fields = [line.strip()] if format_ == "list" else line.split()
        if frames.is_blank(fields):
            continue
        if len(fields) != len(names):
            message = f"line {number}: {len(fields)} fields, but this format has {len(names)}"
            raise refusal("trec-fields", message)
        rows[number] = fields
    if not rows:
        raise refusal("empty", "the file has no lines with text")
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=names, dtype=object)
    return FileTables({"": frame.drop(columns=["Q0", ""], errors="ignore")})
