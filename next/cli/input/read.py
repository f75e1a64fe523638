"""Reading: every file is checked, opened and read here; what cannot be read is a refusal."""

import codecs
import csv
import gzip
import io
import math
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import IO, TextIO, cast
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

from scoresheet.cli.input.read_excel import read_excel
from scoresheet.cli.input.read_json import read_json, read_parquet
from scoresheet.cli.input.source import (
    FileTables,
    ReadRules,
    Source,
    expanded_limit,
    header_notes,
    is_blank,
    make_frame,
    note,
    refusal,
)
from scoresheet.metrics.problem import Problem, Refusal

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins like UTF-16
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_ENCODINGS = ("utf-8", "cp1252", "cp1251", "shift_jis", "gb18030", "euc_kr")
_UNREADABLE = (OSError, EOFError, zlib.error, BadZipFile, ParseError, NotImplementedError)
_SEPARATORS = "\t,;|"
_QUOTED = re.compile(r'(^|[\t,;|])"[^"]*(?:""[^"]*)*"')
_UNCLOSED = re.compile(r'(?:^|[\t,;|])"')
# The columns of formats without a header; a field without a name is not read.
_FIELDS = {
    "trec_run": ("query", "", "item", "rank", "score", "tag"),
    "trec_qrels": ("query", "subtopic", "item", "relevance"),
    "list": ("option",),
}


def read_tables(source: Source, rules: ReadRules) -> FileTables:
    """Return the tables of a file as text cells; a file that cannot be read raises Refusal.

    The index of a frame is the row of the spreadsheet, the header being row 1; where there is no
    header it is the line, or the number of the object.
    """
    try:
        _check_file(source, rules)
        if source.format == "excel":
            return read_excel(source, rules)
        if source.format == "parquet":
            return read_parquet(source)
        with _open_text(source, rules) as text:
            if source.format == "csv":
                return _read_csv(text, source, rules)
            if source.format in ("json", "jsonl"):
                return read_json(text, source, rules)
            return _read_fields(text, source)
    except RecursionError:
        raise refusal(source, "unreadable", "the file is nested too deeply") from None
    except _UNREADABLE as error:
        raise refusal(source, "unreadable", f"the file cannot be read: {error}") from error


def _check_file(source: Source, rules: ReadRules) -> None:
    about = source.path.stat()
    megabytes = math.ceil(about.st_size / 2**20)
    if not stat.S_ISREG(about.st_mode):
        raise refusal(source, "not-a-file", "this is not a regular file, so it is not opened")
    if not about.st_size:
        raise refusal(source, "empty", "the file is empty")
    if megabytes > rules.max_file_mb:
        message = f"the file has {megabytes:,} MB; at most {rules.max_file_mb:,} MB are read"
        raise refusal(source, "too-large", message, f"--max-file-mb {megabytes}")


def _open_text(source: Source, rules: ReadRules) -> TextIO:
    """Return a text of which every byte was checked; a byte order mark decides the encoding."""
    zipped, limit = source.path.suffix.lower() == ".gz", expanded_limit(source)
    with gzip.open(source.path) if zipped else source.path.open("rb") as file:
        data = cast(IO[bytes], file).read(limit + 1)
    if len(data) > limit:
        message = "the file expands to more than 64 MB and 20 times its size"
        raise refusal(source, "too-large", message)
    marks = (name for mark, name in _BYTE_ORDER_MARKS.items() if data.startswith(mark))
    encoding = next(marks, rules.encoding)
    try:
        text = data.decode(encoding)
    except LookupError:
        message = f"there is no text encoding {encoding}"
        raise refusal(source, "encoding", message, "--encoding utf-8") from None
    except UnicodeDecodeError as error:
        raise _not_decoded(source, encoding, error) from error
    if "\0" in text:
        message = "the file has NUL characters: it is not a text, or it is UTF-16"
        latin = data[1:4:2] == b"\0\0"
        raise refusal(source, "nul", message, "--encoding utf-16-le" if latin else "")
    return io.TextIOWrapper(io.BytesIO(data), encoding, newline="")


def _not_decoded(source: Source, encoding: str, error: UnicodeDecodeError) -> Refusal:
    """Return the refusal that shows how the line reads in each encoding that can read it."""
    data, start = error.object, error.start
    number = data.count(b"\n", 0, start) + 1
    line = data[data.rfind(b"\n", 0, start) + 1 :].partition(b"\n")[0].strip()
    readings: dict[str, str] = {}
    for name in _ENCODINGS:
        with suppress(UnicodeDecodeError):
            if "utf-8" not in readings:  # what is valid UTF-8 is hardly anything else
                readings[name] = line.decode(name)[:60]
    message = f"line {number}: byte 0x{data[start]:02X} is not valid {encoding}"
    message += f"; likely encodings are {', '.join(readings)}" if readings else ""
    options = [f"--encoding {name}" for name in readings]
    hint = "\n".join(["choose the encoding in which the line reads right", *options])
    details = tuple(f"{name:<9}  {text}" for name, text in readings.items())
    return Refusal(Problem("encoding", "skipped", message, source.name, hint=hint, details=details))


def _read_csv(text: TextIO, source: Source, rules: ReadRules) -> FileTables:
    """Return the one table of a delimited text.

    The separator is decided on the header only. The index is the row in a spreadsheet: a cell
    with line breaks does not add to it.
    """
    csv.field_size_limit(2**31 - 1)
    records = _records(text)
    first, number, above = rules.header_row or 1, 0, 0
    for record in records:
        number += 1
        if number >= first and "".join(record).strip(_SEPARATORS + '" \r\n'):
            break
        above += len(record)
    else:
        message = f"there is no row {first} that could be the header"
        raise refusal(source, "empty" if first == 1 else "header-row", message)
    problems = header_notes(source, rules, number, map(_cells, [record, *islice(records, 20)]))
    hint = problems[0].hint if problems else ""
    width, short = len(_cells(record)), []
    text.seek(0)
    reader = csv.reader(islice(text, above, None), delimiter=_separator(record), strict=True)
    rows: dict[int, list[str]] = {}
    line = above + 1
    try:
        for row, cells in enumerate(reader, number):
            if not is_blank(cells):
                if len(cells) > width:
                    message = f"line {line}: {len(cells)} fields, but the header has {width}"
                    hint = hint or "put quotes around each cell that contains the separator"
                    raise refusal(source, "extra-fields", message, hint)
                if len(cells) < width:
                    short.append(row)
                    cells += [""] * (width - len(cells))
                rows[row] = cells
            line = above + reader.line_num + 1
    except csv.Error:
        message = f"line {line}: a quoted cell is not closed, or text follows its closing quote"
        quotes = 'write a quote inside a quoted cell twice ("")'
        raise refusal(source, "quotes", message, quotes) from None
    if short:
        shown = ", ".join(map(str, short[:5])) + (" …" if len(short) > 5 else "")
        message = f"rows with fewer fields than the header: {len(short):,} (row {shown})"
        problems.append(note(source, "short-row", f"{message}; the missing cells are empty"))
    frame, _ = make_frame(source, rows, hint=hint)
    return FileTables({"": frame}, problems)


def _records(lines: Iterator[str]) -> Iterator[list[str]]:
    """Yield the lines of each record: a quoted cell may hold line breaks."""
    for first in lines:
        line, record = first, [first]
        while '"' in line and _UNCLOSED.search(_QUOTED.sub(r"\1", line)) and len(record) < 10_000:
            record.append(next(lines, ""))
            line = record[-1] and '"' + record[-1]
        yield record


def _separator(record: list[str]) -> str:
    """Return the separator that occurs most often outside quotes.

    >>> _separator(['id;"text, with, commas";score'])
    ';'
    """
    bare = _QUOTED.sub(r"\1", "".join(record))
    best = max(_SEPARATORS, key=bare.count)
    return best if best in bare else ","


def _cells(record: list[str]) -> list[str]:
    return next(csv.reader(record, delimiter=_separator(record)), [])


def _read_fields(text: TextIO, source: Source) -> FileTables:
    """Return the table of a TREC run, of judgments or of a plain list; the index is the line."""
    names = _FIELDS[source.format]
    rows = {0: [name for name in names if name]}
    for number, line in enumerate(text, 1):
        fields = [line.strip()] if source.format == "list" else line.split()
        if is_blank(fields):
            continue
        if len(fields) != len(names):
            message = f"line {number}: {len(fields)} fields, but {source.stem} needs {len(names)}"
            raise refusal(source, "trec-fields", message)
        rows[number] = [cell for name, cell in zip(names, fields, strict=True) if name]
    if len(rows) == 1:
        raise refusal(source, "empty", "the file has no lines with text")
    return FileTables({"": make_frame(source, rows)[0]})
