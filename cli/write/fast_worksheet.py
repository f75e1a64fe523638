"""XlsxWriter made quick where a run spends its time: the rows of large tables, and compression."""

from __future__ import annotations

import math
import re
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import xlsxwriter.workbook
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from scoresheet.cli.write.cell_text import fit_cell

_LONG: Final = 60  # characters
_SWAPPING: Final = threading.Lock()
_LOOKS_ESCAPED: Final = re.compile(r"_(?=x[0-9a-fA-F]{4}_)")  # _x0041_ would be read as A

_OVERLAPPING: Final = re.compile(r"_x[0-9a-fA-F]{4}_(?=x[0-9a-fA-F]{4}_)")


def _escaped(text: str) -> str:
    if "_x" in text:
        text = _LOOKS_ESCAPED.sub("_x005F_", text)
    if "&" in text or "<" in text or ">" in text:
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text


def _stands_in_place(text: str, known: Mapping[str, object]) -> bool:
    """Return whether a string is written into its cell rather than the shared table."""
    if "_x" in text and _LOOKS_ESCAPED.search(text):
        # the library does not escape all of _x0041_x0042_; for the rest its table is what every program reads right
        return bool(_OVERLAPPING.search(text))
    return len(text) > _LONG and text not in known


class FastSheet(Worksheet):
    """XlsxWriter's worksheet with a body of columns below its first row; all else is the library's own.

    Numbers have sixteen digits and short strings stand in the shared table, as the library would write them. Long
    strings stand in their cells the first time: few of them repeat, and the shared table would look at each of them
    five times.
    """

    # the library sets these, and annotates them as the None they start with
    str_table: Any
    fh: Any
    dim_rowmax: Any

    def __init__(self) -> None:
        super().__init__()
        self._body: list[tuple[int, list[str]]] = []  # per column: its place and the end of each cell's XML
        self._formats: list[Any] = []
        self._heights: Sequence[float] = ()
        self.known: dict[str, str | None] = {}  # strings of the workbook, with the end of their cells
        self.numbers: dict[float, str] = {}  # the same of numbers: many of them repeat

    def fill(self, columns: Sequence[Sequence[Any]], formats: Sequence[Any], heights: Sequence[float]) -> None:
        """Put the columns below the header; a height of 0 leaves a row as it is."""
        self._body = [(place, list(self._ends(values))) for place, values in enumerate(columns)]
        self._formats = list(formats)
        self._heights = heights
        self._check_dimensions(len(heights), len(columns) - 1)

    def _ends(self, values: Sequence[Any]) -> Iterator[str]:
        """Yield what follows a cell's address and style; '' for a cell that is not written."""
        known, numbers = self.known, self.numbers
        index_of = self.str_table._get_shared_string_index
        for value in values:
            if isinstance(value, str):
                end = known.get(value)
                if end is None:  # a string never seen, or a long one seen once
                    shown = fit_cell(value)
                    if _stands_in_place(value, known):
                        known[value] = None
                        end = f' t="inlineStr"><is><t xml:space="preserve">{_escaped(shown)}</t></is></c>'
                    else:
                        end = known[value] = f' t="s"><v>{index_of(shown)}</v></c>' if value else ""
                yield end
            elif value is None or value != value:  # noqa: PLR0124 - NaN
                yield ""
            elif math.isinf(value):
                yield f' t="s"><v>{index_of("inf" if value > 0 else "-inf")}</v></c>'
            else:
                end = numbers.get(value)
                if end is None:
                    end = numbers[value] = f"><v>{value:.16G}</v></c>"
                yield end

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
            for (place, _), style in zip(self._body, self._formats, strict=True)
        ]
        rows = zip(self._heights, *(ends for _, ends in self._body), strict=True)
        for number, (height, *ends) in enumerate(rows, start=2):
            shape = f' ht="{height:g}" customHeight="1"' if height else ""
            cells = [f"{start}{number}{style}{end}" for (start, style), end in zip(starts, ends, strict=True) if end]
            self.fh.write(f'<row r="{number}"{shape}>{"".join(cells)}</row>')


class FastBook(xlsxwriter.workbook.Workbook):
    """XlsxWriter's workbook, of quick sheets."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._known: dict[str, str | None] = {}

    def add_page(self, name: str) -> FastSheet:
        """Return a new sheet."""
        sheet = self.add_worksheet(name, FastSheet)
        assert isinstance(sheet, FastSheet)  # noqa: S101 - tells the type checker what the line above says
        sheet.known = self._known
        return sheet

    def _store_workbook(self) -> None:
        # the library offers no option for its zip; whoever else uses it in this process must not notice
        with _SWAPPING:
            usual = xlsxwriter.workbook.ZipFile  # type: ignore[attr-defined]
            xlsxwriter.workbook.ZipFile = _FastZip  # type: ignore[attr-defined]
            try:
                super()._store_workbook()
            finally:
                xlsxwriter.workbook.ZipFile = usual  # type: ignore[attr-defined]


class _FastZip(zipfile.ZipFile):
    """A zip that compresses at level 1: a quarter of the time of the library's own choice for a sixth more bytes."""

    def writestr(self, zinfo_or_arcname: Any, data: Any, compress_type: Any = None, compresslevel: Any = None) -> None:
        """Add a part."""
        super().writestr(zinfo_or_arcname, data, compress_type, compresslevel or 1)
