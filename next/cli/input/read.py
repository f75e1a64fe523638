"""Reading: every file is checked, opened and read here; what cannot be read is a refusal."""

import codecs
import csv
import gzip
import io
import math
import re
import zlib
from contextlib import suppress
from itertools import islice
from typing import IO, TextIO, cast
from zipfile import BadZipFile

import pandas as pd

from scoresheet.cli.input.read_excel import read_excel
from scoresheet.cli.input.read_json import read_json, read_parquet
from scoresheet.cli.input.source import (
    FileTables,
    ReadRules,
    Source,
    header_notes,
    is_blank,
    make_frame,
    refusal,
    refuse_expanded,
    refuse_size,
)
from scoresheet.metrics.problem import Problem, Refusal, located

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
_QUOTED = re.compile(r'(^|[\t,;|])"[^"]*(?:""[^"]*)*"', re.MULTILINE)
# The columns of formats without a header.
_FIELDS = {
    "trec_run": ("query", "Q0", "item", "", "score", "tag"),  # the score orders, not the rank
    "trec_qrels": ("query", "subtopic", "item", "relevance"),
    "list": ("option",),
}


def read_tables(source: Source, rules: ReadRules) -> FileTables:
    """Return the tables of a file as text cells; a file that cannot be read raises Refusal.

    The index of a frame is the row of the spreadsheet, the header being row 1; where there is no
    header it is the line, or the number of the object.
    """
    try:
        found = _read(source, rules)
    except Refusal as refused:
        raise Refusal(*(located(p, source.name, "") for p in refused.problems)) from refused
    except _UNREADABLE as error:
        message = f"the file cannot be read: {error}"
        raise Refusal(Problem("unreadable", "skipped", message, source.name)) from error
    found.problems = [located(problem, source.name, "") for problem in found.problems]
    return found


def _read(source: Source, rules: ReadRules) -> FileTables:
    _check_file(source, rules)
    if source.format == "excel":
        return read_excel(source, rules)
    if source.format == "parquet":
        return read_parquet(source)
    encoding = _check_text(source, rules)
    with io.TextIOWrapper(_open(source), encoding, newline="") as text:
        if source.format == "csv":
            return _read_csv(text, rules)
        if source.format in ("json", "jsonl"):
            return read_json(text, source, rules)
        return _read_fields(text, source.format)


def _check_file(source: Source, rules: ReadRules) -> None:
    about = source.path.stat()
    megabytes = math.ceil(about.st_size / 2**20)
    if not about.st_size:
        raise refusal("empty", "the file is empty")
    if megabytes > rules.max_file_mb:
        message = f"the file has {megabytes:,} MB; at most {rules.max_file_mb:,} MB are read"
        raise refusal("too-large", message, f"--max-file-mb {megabytes}")


def _open(source: Source) -> IO[bytes]:
    zipped = source.path.suffix.lower() == ".gz"
    return cast(IO[bytes], gzip.open(source.path)) if zipped else source.path.open("rb")


def _check_text(source: Source, rules: ReadRules) -> str:
    """Return the encoding of a text, all of which is checked; a byte order mark decides first."""
    with _open(source) as file:
        head = file.read(4)
        marks = (name for mark, name in _BYTE_ORDER_MARKS.items() if head.startswith(mark))
        encoding = next(marks, rules.encoding)
        file.seek(0)
        try:
            text = io.TextIOWrapper(file, encoding)
            while part := text.read(2**20):
                refuse_expanded(source, file.tell())
                if "\0" in part:
                    message = "the file has NUL characters: it is not a text, or it is UTF-16"
                    hint = "--encoding utf-16-le" if head[1::2] == b"\0\0" else ""
                    raise refusal("nul", message, hint)
        except LookupError:
            message = f"there is no text encoding {encoding}"
            raise refusal("encoding", message, "--encoding utf-8") from None
        except UnicodeDecodeError as error:
            start = file.tell() - len(error.object) + error.start
            raise _not_decoded(source, encoding, start) from error
    return encoding


def _not_decoded(source: Source, encoding: str, start: int) -> Refusal:
    """Return the refusal that shows how the text reads in each encoding that can read it."""
    with _open(source) as file:
        before, rest = file.read(start), file.readline(2**16)
    begun = before[len(before.rstrip(bytes(range(128, 256)))) :]
    readings: dict[str, str] = {}
    for name in _ENCODINGS:
        with suppress(UnicodeDecodeError):
            if "utf-8" not in readings:  # what is valid UTF-8 is hardly anything else
                readings[name] = (begun + rest).decode(name).strip()[:20]
    line = before.count(b"\n") + 1
    message = f"line {line}: byte 0x{rest[0]:02X} is not valid {encoding}"
    shown = ", ".join(f"“{text}” in {name}" for name, text in readings.items())
    message += f"; the text is {shown}" if shown else ""
    options = [f"--encoding {name}" for name in readings]
    if len(options) > 1:
        options = ["choose the encoding in which the text reads right", *options]
    return refusal("encoding", message, "\n".join(options))


def _read_csv(text: TextIO, rules: ReadRules) -> FileTables:
    """Return the one table of a delimited text.

    The separator is decided on the header only. The index is the row in a spreadsheet: a cell
    with line breaks does not add to it.
    """
    csv.field_size_limit(2**31 - 1)
    first, above = rules.header_row or 1, 0
    reader = csv.reader(text)  # rows above the header are the same with any separator
    for row, cells in enumerate(reader, 1):
        if row >= first and "".join(cells).strip(_SEPARATORS + '" '):
            break
        above = reader.line_num
    else:
        message = f"there is no row {first} that could be the header"
        raise refusal("empty" if first == 1 else "header-row", message)
    text.seek(0)
    for _ in range(above):  # the skiprows of pandas counts a cell with line breaks once
        text.readline()
    header = text.tell()
    separator = _separator(text.read(2**16))
    text.seek(header)
    opening = list(islice(csv.reader(text, delimiter=separator), 21))
    width, problems = len(opening[0]), header_notes(rules, row, opening)
    hint = problems[0].hint if problems else ""
    text.seek(header)
    problems += _check_rows(text, separator, width, row, above, hint)
    text.seek(header)
    frame = pd.read_csv(
        text,
        sep=separator,
        header=None,
        names=range(width),
        usecols=range(width),  # a blank row may be longer
        skip_blank_lines=False,
        dtype=object,
        keep_default_na=False,
        na_filter=False,
    )
    return FileTables({"": make_frame(frame.to_numpy(), row, hint)[0]}, problems)


def _separator(text: str) -> str:
    """Return the separator that occurs most often in the first line, outside quotes.

    >>> _separator('id;"text, with, commas";score')
    ';'
    """
    header = io.StringIO(_QUOTED.sub(r"\1", text), newline=None).readline()
    best = max(_SEPARATORS, key=header.count)
    return best if best in header else ","


def _check_rows(
    text: TextIO, separator: str, width: int, row: int, above: int, hint: str
) -> list[Problem]:
    """Refuse rows that do not fit the header, which pandas would join or shift in silence."""
    reader = csv.reader(text, delimiter=separator, strict=True)
    rows, filled, short = 0, 0, []
    line = above + 1
    try:
        for rows, cells in enumerate(reader, 1):
            filled += len(cells)
            if len(cells) != width and not is_blank(cells):
                if len(cells) > width:
                    message = f"line {line}: {len(cells)} fields, but the header has {width}"
                    hint = hint or "put quotes around each cell that contains the separator"
                    raise refusal("extra-fields", message, hint)
                short.append(row + rows - 1)
            line = above + reader.line_num + 1
    except csv.Error:
        message = f"line {line}: a quoted cell is not closed, or text follows its closing quote"
        quotes = 'write a quote inside a quoted cell twice ("")'
        raise refusal("quotes", message, quotes) from None
    refuse_size(rows, width, filled, hint)
    if not short:
        return []
    message = f"{len(short):,} rows have fewer fields than the header (the first is row {short[0]})"
    return [Problem("short-row", "note", f"{message}; the missing cells are empty")]


def _read_fields(text: TextIO, format_: str) -> FileTables:
    """Return the table of a TREC run, of judgments or of a plain list; the index is the line."""
    names, rows = _FIELDS[format_], {}
    for number, line in enumerate(text, 1):
        fields = [line.strip()] if format_ == "list" else line.split()
        if is_blank(fields):
            continue
        if len(fields) != len(names):
            message = f"line {number}: {len(fields)} fields, but this format has {len(names)}"
            raise refusal("trec-fields", message)
        rows[number] = fields
    if not rows:
        raise refusal("empty", "the file has no lines with text")
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=names, dtype=object)
    return FileTables({"": frame.drop(columns=["Q0", ""], errors="ignore")})
