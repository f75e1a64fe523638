"""XlsxWriter made quick where a run spends its time: the rows of large tables, shared strings, and compression."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

import xlsxwriter.workbook
from xlsxwriter.packager import Packager
from xlsxwriter.sharedstrings import SharedStrings
from xlsxwriter.utility import xl_col_to_name, xl_range, xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from scoresheet.cli.write.cell_maker import cell_maker
from scoresheet.cli.write.cell_text import escape_markup
from scoresheet.cli.write.cells import CellEnds
from scoresheet.cli.write.deflate import deflated
from scoresheet.cli.write.spilled import Part, new_store, pieces_of

_SWAPPING: Final = threading.Lock()
_TOGETHER: Final = 1_000  # strings or rows that are written at once


class FastSheet(Worksheet):
    """XlsxWriter's worksheet with a body of columns below its first row; all else is the library's own."""

    # the library sets these, and annotates them as the None they start with
    fh: Any
    dim_rowmax: Any
    ends: CellEnds  # of the workbook

    def __init__(self) -> None:
        super().__init__()
        self._body = new_store()
        self._rows = 0  # of the body

    def number_formats(self) -> None:
        """Give the formats of the columns and cells there are the numbers that the library would as it writes them.

        It numbers formats as it meets them: those of the columns, then those of the cells, row by row. So this is
        asked of the sheets of a workbook in order, and of each before its body, whose cells carry the numbers.
        """
        columns = [info.column_format for _, info in sorted(self.col_info.items())]
        cells = [cell.format for _, row in sorted(self.table.items()) for _, cell in sorted(row.items())]
        for style in dict.fromkeys([*columns, *cells]):
            if style is not None:
                style._get_xf_index()

    def append(self, columns: list[list[Any]], formats: Sequence[Any], heights: list[float]) -> None:
        """Put these columns below what there is already; a height of 0 is one line."""
        starts = [
            (f'<c r="{xl_col_to_name(place)}', f'" s="{style._get_xf_index()}"') for place, style in enumerate(formats)
        ]
        self._body.add(cell_maker().block(columns, self.ends).xml(self._rows + 2, starts, heights))
        self._rows += len(heights)
        self._check_dimensions(self._rows, len(columns) - 1)
        self.ends.forget_single_strings()

    def _write_rows(self) -> None:
        """Write the header as the library does, then the body."""
        if not self._rows:
            super()._write_rows()
            return
        last, self.dim_rowmax = self.dim_rowmax, 0
        super()._write_rows()
        self.dim_rowmax = last
        self.fh.put(self._body)

    def _write_sparklines(self, sparkline: Mapping[str, Any]) -> None:
        """Write the small bars of all rows, some rows at a time."""
        self._xml_start_tag("x14:sparklines")
        drawn = zip(sparkline["ranges"], sparkline["locations"], strict=True)
        while some := list(islice(drawn, _TOGETHER)):
            for cells, at in some:
                shown = escape_markup(cells)
                self.fh.write(f"<x14:sparkline><xm:f>{shown}</xm:f><xm:sqref>{at}</xm:sqref></x14:sparkline>")
            self.fh.store()
        self._xml_end_tag("x14:sparklines")

    def draw_bars(self, rows: Sequence[int], place: int, columns: tuple[int, int], options: Mapping[str, Any]) -> None:
        """Draw small bars in the cells of a column, each from the cells of other columns of its row."""
        self.add_sparkline(rows[0], place, {**options, "range": xl_range(rows[0], columns[0], rows[0], columns[1])})
        drawn = self.sparklines[-1]
        sheet = drawn["ranges"][0].rpartition("!")[0]
        # the library would have a list of the names of all these cells
        drawn["count"] = len(rows)
        drawn["locations"] = _Names(rows, lambda row: xl_rowcol_to_cell(row, place))
        drawn["ranges"] = _Names(rows, lambda row: f"{sheet}!{xl_range(row, columns[0], row, columns[1])}")


class _Names(Sequence[str]):
    """The names of cells or ranges, made as they are asked for."""

    def __init__(self, rows: Sequence[int], name: Callable[[int], str]) -> None:
        self._rows, self._name = rows, name

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._name(self._rows[index])


class FastBook(xlsxwriter.workbook.Workbook):
    """XlsxWriter's workbook, of quick sheets."""

    # the library sets it, and does not say to what
    str_table: Any

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._ends = CellEnds(self.str_table)
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file, once it is written."""
        return self._digest.hexdigest()

    def add_page(self, name: str) -> FastSheet:
        """Return a new sheet."""
        sheet = self.add_worksheet(name, FastSheet)
        assert isinstance(sheet, FastSheet)  # noqa: S101 - tells the type checker what the line above says
        sheet.ends = self._ends
        return sheet

    def _get_packager(self) -> Packager:
        return _SpillingPackager()

    def _store_workbook(self) -> None:
        # the library offers no option for its zip; whoever else uses it in this process must not notice
        with _SWAPPING:
            usual = xlsxwriter.workbook.ZipFile  # type: ignore[attr-defined]
            xlsxwriter.workbook.ZipFile = partial(_FastZip, self._digest)  # type: ignore[attr-defined, assignment]
            try:
                super()._store_workbook()
            finally:
                xlsxwriter.workbook.ZipFile = usual  # type: ignore[attr-defined]


class _FastZip(zipfile.ZipFile):
    """A zip that compresses quickly.

    A part is written when its sizes are known, so that the file is written from its beginning to its end: `digest`
    hears of all its bytes on their way.
    """

    fp: Any
    filelist: Any
    NameToInfo: Any

    def __init__(self, digest: Any, path: Path, *arguments: Any, **named: Any) -> None:
        self._stream = _Digested(path, digest)
        super().__init__(self._stream, *arguments, **named)

    def writestr(self, zinfo_or_arcname: Any, data: Any, compress_type: Any = None, compresslevel: Any = None) -> None:
        """Add a part."""
        part, squeezed = zinfo_or_arcname, new_store()
        part.CRC = 0
        for piece in deflated(_weighed(part, data.pieces() if isinstance(data, Part) else [data])):
            squeezed.add(piece)
        part.compress_size = len(squeezed)
        if max(part.file_size, part.compress_size) > zipfile.ZIP64_LIMIT:
            raise zipfile.LargeZipFile("a part of the workbook is larger than a zip can hold")
        part.header_offset = self.fp.tell()
        part.external_attr = 0o600 << 16
        self.fp.write(part.FileHeader())
        for piece in pieces_of(squeezed):
            self.fp.write(piece)
        self.filelist.append(part)
        self.NameToInfo[part.filename] = part
        self.start_dir = self.fp.tell()

    def close(self) -> None:
        """Write the list of parts, and close the file."""
        was_open = self.fp is not None
        super().close()
        if was_open:
            self._stream.close()


def _weighed(part: zipfile.ZipInfo, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a part; once they are all out, it has their size and their checksum."""
    for piece in pieces:
        part.file_size += len(piece)
        part.CRC = zlib.crc32(piece, part.CRC)
        yield piece


class _Digested(io.BufferedWriter):
    """A file that is written from its beginning to its end, and its digest."""

    def __init__(self, path: Path, digest: Any) -> None:
        super().__init__(io.FileIO(path, "w"))
        self._digest = digest

    def write(self, data: Any) -> int:
        """Write some bytes."""
        self._digest.update(data)
        return super().write(data)


class _SpillingPackager(Packager):
    """The library's packager; what is large does not stay in memory, and shared strings are written without detours."""

    def _filename(self, xml_filename: str) -> Part:
        part = Part()
        self.filenames.append((part, xml_filename, True))
        return part

    def _write_shared_strings_file(self) -> None:
        table = self.workbook.str_table  # type: ignore[attr-defined]
        if not table.count:
            return
        strings = _FastStrings()
        strings.string_table = table
        strings._set_xml_writer(self._filename("xl/sharedStrings.xml"))
        strings._assemble_xml_file()


class _FastStrings(SharedStrings):
    """The library's table of shared strings; those of printable characters alone are written without its detours."""

    fh: Any
    string_table: Any

    def _write_sst_strings(self) -> None:
        strings = iter(self.string_table.string_array)
        while some := list(islice(strings, _TOGETHER)):
            made = f"<si><t>{'</t></si><si><t>'.join(some)}</t></si>"
            if _are_plain("".join(some)) and "<t> " not in made and " </t>" not in made:
                self.fh.write(made)
            else:
                for string in some:
                    self._write_si(string)
            self.fh.store()

    def _write_si(self, string: str) -> None:
        if "_x" in string or "<" in string or not string.isprintable():
            super()._write_si(string)
            return
        if "&" in string or ">" in string:
            string = string.replace("&", "&amp;").replace(">", "&gt;")
        space = ' xml:space="preserve"' if string[:1] == " " or string[-1:] == " " else ""
        self.fh.write(f"<si><t{space}>{string}</t></si>")


def _are_plain(strings: str) -> bool:
    """Return whether nothing in some strings need be written in another way."""
    return strings.isprintable() and not any(mark in strings for mark in ("_x", "<", ">", "&"))
