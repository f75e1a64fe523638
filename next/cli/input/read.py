"""Reading: every file is checked, opened and read here; what cannot be read is a refusal."""

import codecs
import gzip
import io
import math
import re
import stat
import zlib
from typing import IO, cast
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

from scoresheet.cli.input.read_csv import read_csv
from scoresheet.cli.input.read_excel import read_excel
from scoresheet.cli.input.read_json import read_json, read_parquet
from scoresheet.cli.input.read_trec import read_trec
from scoresheet.cli.input.source import FileTables, ReadRules, Source, expanded_limit, refusal
from scoresheet.metrics.problem import Refusal

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins like UTF-16
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Encodings, the letters that a text in each would have, and their least share.
_SCRIPTS = (
    ("utf-8", r"[^\ufffd]", 1.0),
    ("shift_jis", r"[\u3040-\u30ff]", 0.3),
    ("euc_kr", r"[\uac00-\ud7a3]", 0.9),
    ("gb18030", r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uff60]", 0.9),
    ("cp1251", r"[\u0400-\u045f]", 0.9),
)
_UNREADABLE = (OSError, EOFError, zlib.error, BadZipFile, ParseError, NotImplementedError)


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
        encoding = _check_text(source, rules)
        with io.TextIOWrapper(_open(source), encoding, newline="") as text:
            if source.format == "csv":
                return read_csv(text, source, rules)
            if source.format in ("json", "jsonl"):
                return read_json(text, source, rules)
            return read_trec(text, source)
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


def _open(source: Source) -> IO[bytes]:
    zipped = source.path.suffix.lower() == ".gz"
    return cast(IO[bytes], gzip.open(source.path)) if zipped else source.path.open("rb")


def _check_text(source: Source, rules: ReadRules) -> str:
    """Return the encoding of a text, all of which is checked; a byte order mark decides first."""
    limit, size, lines = expanded_limit(source), 0, 0
    with _open(source) as file:
        chunk = file.read(2**20)
        marks = (name for mark, name in _BYTE_ORDER_MARKS.items() if chunk.startswith(mark))
        encoding = next(marks, rules.encoding)
        try:
            io.TextIOWrapper(io.BytesIO(), encoding)
            decoder = codecs.getincrementaldecoder(encoding)()
        except LookupError:
            message = f"there is no text encoding {encoding}"
            raise refusal(source, "encoding", message, "--encoding utf-8") from None
        while chunk:
            size += len(chunk)
            if size > limit:
                message = "the file expands to more than 64 MB and 20 times its size"
                raise refusal(source, "too-large", message)
            following = file.read(2**20)
            try:
                text = decoder.decode(chunk, final=not following)
            except UnicodeDecodeError as error:
                raise _not_decoded(source, encoding, error, lines) from error
            if "\0" in text:
                message = "the file has NUL characters: it is not a text, or it is UTF-16"
                half = chunk[1::2].count(0) > len(chunk) / 4  # of Latin letters
                raise refusal(source, "nul", message, "--encoding utf-16-le" if half else "")
            lines += chunk.count(b"\n")
            chunk = following
    return encoding


def _not_decoded(source: Source, encoding: str, error: UnicodeDecodeError, lines: int) -> Refusal:
    line = lines + error.object.count(b"\n", 0, error.start) + 1
    sample = error.object[error.object.rfind(b"\n", 0, error.start) + 1 :]
    likely = _likely_encodings(sample[: sample.rfind(b"\n") + 1] or sample)
    message = f"line {line}: byte 0x{error.object[error.start]:02X} is not valid {encoding}"
    message += f"; likely encodings are {', '.join(likely)}"
    return refusal(source, "encoding", message, f"--encoding {likely[0]}")


def _likely_encodings(sample: bytes) -> list[str]:
    """Return encodings in which a sample is a text, the likeliest first.

    >>> _likely_encodings("à la carte".encode("cp1252"))[0]
    'cp1252'
    >>> _likely_encodings("日本語とテキスト".encode("shift_jis"))[0]
    'shift_jis'
    """
    runs = re.findall(rb"[\x80-\xff]+", sample)
    western = sum(len(run) == 1 for run in runs) * 2 > len(runs)
    found = []
    for name, letters, share in _SCRIPTS:
        text = re.sub(r"[\0-\x7f]", "", sample.decode(name, "replace"))
        usual = len(re.findall(letters, text)) >= share * len(text)
        if usual and not (western and name in ("gb18030", "cp1251")):
            found.append(name)
    return [*found, "cp1252"]
