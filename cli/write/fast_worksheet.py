"""XlsxWriter made quick where a run spends its time: the rows of large tables, shared strings, and compression."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Sequence
from io import StringIO
from typing import Any, Final

import xlsxwriter.workbook
from xlsxwriter.packager import Packager
from xlsxwriter.sharedstrings import SharedStrings
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from scoresheet.cli.write.cell_maker import Block, cell_maker
from scoresheet.cli.write.cells import CellEnds

_SWAPPING: Final = threading.Lock()


class FastSheet(Worksheet):
    """XlsxWriter's worksheet with a body of columns below its first row; all else is the library's own."""

    # the library sets these, and annotates them as the None they start with
    fh: Any
    dim_rowmax: Any
    ends: CellEnds  # of the workbook

    def __init__(self) -> None:
        super().__init__()
        self._body: list[tuple[Block, list[float]]] = []
        self._formats: Sequence[Any] = ()
        self._rows = 0

    def append(self, columns: list[list[Any]], formats: Sequence[Any], heights: list[float]) -> None:
        """Put these columns below what there is already, in formats that do not change; a height of 0 is one line."""
        self._body.append((cell_maker().block(columns, self.ends), heights))
        self._formats = formats
        self._rows += len(heights)
        self._check_dimensions(self._rows, len(columns) - 1)

    def _write_rows(self) -> None:
        """Write the header as the library does, then the body."""
        if not self._body:
            super()._write_rows()
            return
        last, self.dim_rowmax = self.dim_rowmax, 0
        super()._write_rows()
        self.dim_rowmax = last
        starts = [
            (f'<c r="{xl_col_to_name(place)}', f'" s="{style._get_xf_index()}"')
            for place, style in enumerate(self._formats)
        ]
        row = 2
        for block, heights in self._body:
            self.fh.put(block.xml(row, starts, heights))
            row += len(heights)


class FastBook(xlsxwriter.workbook.Workbook):
    """XlsxWriter's workbook, of quick sheets; it must be one in memory."""

    # the library sets it, and does not say to what
    str_table: Any

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._ends = CellEnds(self.str_table._get_shared_string_index)

    def add_page(self, name: str) -> FastSheet:
        """Return a new sheet."""
        sheet = self.add_worksheet(name, FastSheet)
        assert isinstance(sheet, FastSheet)  # noqa: S101 - tells the type checker what the line above says
        sheet.ends = self._ends
        return sheet

    def _get_packager(self) -> Packager:
        return _FastPackager()

    def _store_workbook(self) -> None:
        # the library offers no option for its zip; whoever else uses it in this process must not notice
        with _SWAPPING:
            usual = xlsxwriter.workbook.ZipFile  # type: ignore[attr-defined]
            xlsxwriter.workbook.ZipFile = _FastZip  # type: ignore[attr-defined]
            try:
                super()._store_workbook()
            finally:
                xlsxwriter.workbook.ZipFile = usual  # type: ignore[attr-defined]


class _Part(StringIO):
    """A part of a workbook as it is written: the library writes text, we add bytes."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []
        self._pieces: list[bytes] = []
        self.write = self._texts.append  # type: ignore[assignment] # the library writes thousands of small ones

    def put(self, xml: bytes) -> None:
        """Add what is encoded already."""
        self._pieces += ["".join(self._texts).encode(), xml]
        self._texts.clear()

    def getvalue(self) -> bytes:  # type: ignore[override]
        """Return the whole part."""
        self.put(b"")
        return b"".join(self._pieces)


class _FastPackager(Packager):
    """The library's packager; parts are bytes, and shared strings written in one go."""

    filenames: list[tuple[_Part, str, bool]]

    def _filename(self, xml_filename: str) -> _Part:
        part = _Part()
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

    def _write_si(self, string: str) -> None:
        if "_x" in string or "<" in string or not string.isprintable():
            super()._write_si(string)
            return
        if "&" in string or ">" in string:
            string = string.replace("&", "&amp;").replace(">", "&gt;")
        space = ' xml:space="preserve"' if string[:1] == " " or string[-1:] == " " else ""
        self.fh.write(f"<si><t{space}>{string}</t></si>")


class _FastZip(zipfile.ZipFile):
    """A zip that compresses at level 1: a quarter of the time of the library's own choice for a sixth more bytes."""

    def writestr(self, zinfo_or_arcname: Any, data: Any, compress_type: Any = None, compresslevel: Any = None) -> None:
        """Add a part."""
        super().writestr(zinfo_or_arcname, data, compress_type, compresslevel or 1)
