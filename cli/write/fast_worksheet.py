"""XlsxWriter made quick where a run spends its time: the rows of large tables, and compression."""

from __future__ import annotations

import math
import re
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import xlsxwriter.workbook
from xlsxwriter.packager import Packager
from xlsxwriter.utility import xl_col_to_name, xl_range, xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from scoresheet.cli.write.cell_text import fit_cell
from scoresheet.cli.write.spilled import MOST_SHARED, Part, SpilledRows, forget_single_strings, format_mark

_LONG: Final = 60  # characters
_MOST_NUMBERS: Final = 2**16  # whose cells are remembered
_SWAPPING: Final = threading.Lock()
_LOOKS_ESCAPED: Final = re.compile(r"_(?=x[0-9a-fA-F]{4}_)")  # _x0041_ would be read as A

_OVERLAPPING: Final = re.compile(r"_x[0-9a-fA-F]{4}_(?=x[0-9a-fA-F]{4}_)")


def _escaped(text: str) -> str:
    if "_x" in text:
        text = _LOOKS_ESCAPED.sub("_x005F_", text)
    if "&" in text or "<" in text or ">" in text:
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text


def _stands_in_place(text: str, known: Mapping[str, object], *, full: bool) -> bool:
    """Return whether a string is written into its cell rather than the shared table."""
    if "_x" in text and _LOOKS_ESCAPED.search(text):
        # the library does not escape all of _x0041_x0042_; for the rest its table is what every program reads right
        return bool(_OVERLAPPING.search(text))
    return (len(text) > _LONG and text not in known) or (full and bool(text))


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
        self._body = SpilledRows()
        self._rows = 0  # of the body
        self._formats: list[Any] = []
        self.known: dict[str, str | None] = {}  # strings of the workbook, with the end of their cells
        self.numbers: dict[float, str] = {}  # the same of numbers: many of them repeat

    def append(self, columns: Sequence[Sequence[Any]], formats: Sequence[Any], heights: Sequence[float]) -> None:
        """Put these columns below what there is already, in formats that do not change; a height of 0 is one line."""
        self._formats = list(dict.fromkeys(formats))
        starts = [
            (f'<c r="{xl_col_to_name(place)}', f'" s="{format_mark(self._formats.index(style))}"')
            for place, style in enumerate(formats)
        ]
        ends = [list(self._ends(values)) for values in columns]  # a column's strings are numbered before the next one's
        rows = zip(heights, *ends, strict=True)
        self._body.add("".join(_row_xml(*row, starts) for row in enumerate(rows, start=self._rows + 2)).encode())
        self._rows += len(heights)
        self._check_dimensions(self._rows, len(columns) - 1)
        forget_single_strings(self.known, self.str_table.unique_count)
        if len(self.numbers) > _MOST_NUMBERS:
            self.numbers.clear()

    def _ends(self, values: Sequence[Any]) -> Iterator[str]:
        """Yield what follows a cell's address and style; '' for a cell that is not written."""
        known, numbers, table = self.known, self.numbers, self.str_table
        index_of = table._get_shared_string_index
        for value in values:
            if isinstance(value, str):
                end = known.get(value)
                if end is None:  # a string never seen, or a long one seen once
                    shown = fit_cell(value)
                    if _stands_in_place(value, known, full=table.unique_count >= MOST_SHARED):
                        if len(value) > _LONG:
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
        if not self._rows:
            super()._write_rows()
            return
        last, self.dim_rowmax = self.dim_rowmax, 0
        super()._write_rows()
        self.dim_rowmax = last
        for rows in self._body.blocks([style._get_xf_index() for style in self._formats]):
            self.fh.put(rows)

    def draw_bars(self, rows: Sequence[int], place: int, columns: tuple[int, int], options: Mapping[str, Any]) -> None:
        """Draw small bars in the cells of a column, each from the cells of other columns of its row."""
        self.add_sparkline(rows[0], place, {**options, "range": xl_range(rows[0], columns[0], rows[0], columns[1])})
        drawn = self.sparklines[-1]
        sheet = drawn["ranges"][0].rpartition("!")[0]
        # the library would have a list of the names of all these cells
        drawn["count"] = len(rows)
        drawn["locations"] = _Names(rows, lambda row: xl_rowcol_to_cell(row, place))
        drawn["ranges"] = _Names(rows, lambda row: f"{sheet}!{xl_range(row, columns[0], row, columns[1])}")


def _row_xml(number: int, row: Sequence[Any], starts: Sequence[tuple[str, str]]) -> str:
    height, *ends = row
    shape = f' ht="{height:g}" customHeight="1"' if height else ""
    cells = [f"{start}{number}{style}{end}" for (start, style), end in zip(starts, ends, strict=True) if end]
    return f'<row r="{number}"{shape}>{"".join(cells)}</row>'


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

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._known: dict[str, str | None] = {}

    def add_page(self, name: str) -> FastSheet:
        """Return a new sheet."""
        sheet = self.add_worksheet(name, FastSheet)
        assert isinstance(sheet, FastSheet)  # noqa: S101 - tells the type checker what the line above says
        sheet.known = self._known
        return sheet

    def _get_packager(self) -> Packager:
        return _SpillingPackager()

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
        if not isinstance(data, Part):
            super().writestr(zinfo_or_arcname, data, compress_type, compresslevel or 1)
            return
        zinfo_or_arcname.file_size = data.size()
        zinfo_or_arcname._compresslevel = 1
        with self.open(zinfo_or_arcname, "w") as archived:
            data.copy_to(archived)


class _SpillingPackager(Packager):
    """The library's packager; what is large does not stay in memory."""

    def _filename(self, xml_filename: str) -> Part:
        part = Part()
        self.filenames.append((part, xml_filename, True))
        return part
