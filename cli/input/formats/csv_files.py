"""CSV and TSV: no encoding guessed, no row shifted, no field dropped."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from scoresheet.cli.input.formats.delimited_records import DelimitedRecords
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.formats.text_files import (
    CHANGED,
    LineCounts,
    TextFile,
    extension_of,
    file_bytes,
    open_text_bytes,
)
from scoresheet.cli.input.formats.types import Content, ReadRules
from scoresheet.cli.input.limits import Limits
from scoresheet.metrics.problems import InputError, reject

SHEET: Final = "Sheet1"  # what a spreadsheet program calls the one sheet of a CSV
_SEPARATORS: Final = ",;\t|"
_SPECIAL: Final = re.compile(r'[",;\t|]|[\r\n]+')
_ENOUGH: Final = 10**6  # separators that leave no doubt
_HEAD: Final = 20_000_000  # characters in which a header is looked for
_NEAR: Final = 100_000  # of them in which most are found
_LONGEST_MARK: Final = 4  # bytes
_ASCII: Final = bytes(range(128))
_EAST_ASIAN: Final = ("gb18030", "big5", "shift_jis", "euc_kr")
_UNMARKED: Final = ("utf-16-le", "utf-16-be")
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_delimited(path: Path, rules: ReadRules) -> Content:
    """Return the one table of a CSV or TSV."""
    text = TextFile(path, rules.limits, _encoding_of(path, rules), rules.on_share)
    builder = TableBuilder(SHEET, refusal="file skipped", rules=rules)
    separator = _found_separator(text, extension_of(path), builder)
    table = builder.build(DelimitedRecords(text.pieces, separator, rules.limits), strict=True)
    if table is None:
        reject("no-rows", "the file has no header and no rows")
    return Content([table], builder.problems)


def _encoding_of(path: Path, rules: ReadRules) -> str:
    """Return the encoding of a file, which is read once for that, a piece at a time; what `decode_text` says holds."""
    with open_text_bytes(path, rules.limits) as stream:
        start = stream.read(_LONGEST_MARK)
    marked = next((name for mark, name in _MARKS if start.startswith(mark)), None)
    usual = LineCounts.of_file(path, rules.limits, marked or "utf-8")
    found = (marked or "utf-8", usual)
    if rules.encoding and (usual is None or (usual.nul and not marked)):
        found = (rules.encoding, LineCounts.of_file(path, rules.limits, rules.encoding))
    encoding, counts = found
    if counts is None or counts.nul:
        decode_text(file_bytes(path, rules.limits), rules.encoding)
        reject("encoding", CHANGED)  # it is good now
    counts.check(rules.limits)
    return encoding


def decode_text(data: bytes, encoding: str | None) -> str:
    """Return the bytes as text: UTF-16 by its mark, else UTF-8, else the named encoding; anything else is refused.

    A file that is good UTF-8 stays UTF-8 whatever was named: the encoding is for those that are not.
    """
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    try:
        text = data.decode(marked or "utf-8")
    except UnicodeDecodeError as error:
        if not encoding:
            _refuse_encoding(data, error.start)
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as other:
            reject(
                "encoding", f"line {_line(data, other.start)} is neither UTF-8 nor {encoding}; name another encoding"
            )
    if "\0" in text and encoding and not marked:  # UTF-16 without its mark may well be good UTF-8
        text = _decoded(data, encoding) or text
    if "\0" in text:
        named = max(_UNMARKED, key=lambda name: sum(map(_decoded(data, name).count, ",;\t\n ")))  # the right way round
        fits = not marked and "\0" not in (_decoded(data, named) or "\0")
        way = f"--encoding {named} reads it" if fits else "save it as UTF-8"
        reject("encoding", f"the text holds NUL characters: UTF-16 without its mark, or no text file; {way}")
    return text.removeprefix("\ufeff")


def _decoded(data: bytes, encoding: str) -> str:
    """Return bytes in an encoding, '' if they are not in it."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return ""


def _refuse_encoding(data: bytes, start: int) -> NoReturn:
    """Refuse bytes that are not UTF-8, with what likely encodings would make of them: people can tell, we cannot."""
    # Western text has a few bytes beyond ASCII, text in East Asian encodings consists of them
    western = len(data.translate(None, _ASCII)) * 5 < len(data)
    order = ("cp1252", *_EAST_ASIAN) if western else (*_EAST_ASIAN, "cp1252")
    line = data[data.rfind(b"\n", 0, start) + 1 :].split(b"\n", 1)[0].strip()
    readings = {name: text for name in order if (text := _read_as(data, line, name)) is not None}
    shown = ", ".join(f"{name} would read it {text!r}" for name, text in list(readings.items())[:3])
    reject(
        "encoding",
        f"line {_line(data, start)} is not UTF-8{'; ' if shown else ''}{shown}; say which with "
        "--encoding NAME, or save the file as UTF-8",
    )


def _read_as(data: bytes, line: bytes, encoding: str) -> str | None:
    try:
        data.decode(encoding)
        text = line.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text if len(text) <= 40 else text[:39] + "…"


def _line(data: bytes, start: int) -> int:
    return data.count(b"\n", 0, start) + 1


def check_lines(text: str, limits: Limits) -> None:
    """Refuse a text with a line longer than is read, or with more lines than there may be cells."""
    counts = LineCounts(limits.line_chars)
    counts.add(text)
    counts.check(limits)


def _found_separator(text: TextFile, suffix: str, builder: TableBuilder) -> str:
    """Return the separator by which a header is found; mostly it stands at the very beginning."""
    head = text.head(_NEAR)
    usual = _separator(head, suffix)
    with suppress(InputError):
        if builder.has_header(DelimitedRecords(lambda: iter([head]), usual, builder.limits)):
            return usual
    return _fitting_separator(text.head(_HEAD), suffix, builder)


def _fitting_separator(text: str, suffix: str, builder: TableBuilder) -> str:
    """Return the separator by which a header is found: a title above it may hold others, as "Results, final" does."""
    usual = _separator(text, suffix)
    # lines of nothing say nothing of a header, unless it is known by its number
    start = 0 if builder.rules.header_row else len(text) - len(text.lstrip("\r\n"))
    head = text[start:]
    for separator in (usual, *(each for each in _SEPARATORS if each != usual)):
        with suppress(InputError):  # such a table is refused when it is read
            if builder.has_header(DelimitedRecords(lambda: iter([head]), separator, builder.limits)):
                return separator
    return usual


def _separator(text: str, suffix: str) -> str:
    """Return the separator that the first line with any shows most often outside quotes; data never changes it."""
    counts = dict.fromkeys(_SEPARATORS, 0)
    quoted = False
    line = 0  # where it began
    for found in _SPECIAL.finditer(text):
        character = found[0][0]
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in counts:
            counts[character] += 1
            if counts[character] > _ENOUGH:
                break
        else:
            if any(counts.values()) and not text[line : found.start()].isspace():
                break
            line = found.end()
    preferred = "\t" if suffix == ".tsv" else ","
    best = max(counts.values())
    return preferred if counts[preferred] == best else max(counts, key=lambda character: counts[character])
