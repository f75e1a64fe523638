"""A worksheet to be: its columns and cells, how it looks on screen and on paper, and its part of a workbook's file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple

from scoresheet.cli.write.addresses import absolute_range, column_name, quoted_name
from scoresheet.cli.write.cell_maker import cell_maker
from scoresheet.cli.write.cell_text import XML_DECLARATION, attribute_text, element_text, fit_cell
from scoresheet.cli.write.cells import CellEnds
from scoresheet.cli.write.drawing import DEFAULT_COLUMN, DEFAULT_ROW, Picture, TextBox, drawing_xml
from scoresheet.cli.write.relations import Relation, file_relation
from scoresheet.cli.write.shared_strings import SharedStrings
from scoresheet.cli.write.spilled import new_store, pieces_of
from scoresheet.cli.write.styles import Style, StyleNumbers
from scoresheet.metrics.records import dataclass

_MOST_LINKS: Final = 65_530  # of a worksheet, Excel's rule
_MOST_BREAKS: Final = 1_023  # of a worksheet, Excel's rule
_SPANNED: Final = 16  # rows that say together from which column to which they reach
_TOGETHER: Final = 1_000  # small bars that are written at once
_ROWS_TOGETHER: Final = 128  # rows whose cells were written one by one, likewise
_INTERNAL, _EXTERNAL = "internal:", "external:"
_DIGIT, _PADDING = 7, 5  # pixels of a digit in Calibri, and beside the widest text of a column
_MARGINS: Final = {"left": 0.4, "right": 0.4, "top": 0.75, "bottom": 0.6, "header": 0.3, "footer": 0.3}  # inches
_KEPT: Final = 256  # widths that come again in other worksheets
_START: Final = (
    f'{XML_DECLARATION}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
)
_FROZEN: Final = (
    '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>'
    '<selection pane="topRight" activeCell="B1" sqref="B1"/><selection pane="bottomLeft" activeCell="A2" sqref="A2"/>'
    '<selection pane="bottomRight"/>'
)
_BARS: Final = (
    '<extLst><ext xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" '
    'uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}">'
    '<x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">'
)
# columns, since lines are not drawn by every program; all on one scale from 0, the least in another colour
_BARS_OF_A_COLUMN: Final = (
    '<x14:sparklineGroup manualMin="0" type="column" displayEmptyCellsAs="gap" low="1" minAxisType="custom" '
    'maxAxisType="group"><x14:colorSeries rgb="FF2F4B66"/><x14:colorNegative theme="5"/><x14:colorAxis rgb="FF000000"/>'
    '<x14:colorMarkers theme="4" tint="-0.499984740745262"/><x14:colorFirst theme="4" tint="0.39997558519241921"/>'
    '<x14:colorLast theme="4" tint="0.39997558519241921"/><x14:colorHigh theme="4"/><x14:colorLow rgb="FFC0504D"/>'
    "<x14:sparklines>"
)


class _Width(NamedTuple):
    """How wide a column is, and the number of how its cells look."""

    pixels: int  # 0: it is hidden
    style: int = 0
    kind: str = ""  # what tells apart columns that look the same


class _ClosedRow(NamedTuple):
    """The cells of a row: from which column to which they reach, and their XML."""

    first: int
    last: int
    xml: bytes


@dataclass(frozen=True)
class Rule:
    """How cells are coloured by what they hold."""

    kind: str
    more: str  # attributes and elements, in XML
    tint: str = ""  # the colour, where it is one of a workbook's


@dataclass(frozen=True)
class Printing:
    """How a worksheet is laid out on paper, which is A4."""

    title: str = ""
    across: bool = False
    scale: int = 100
    fits: bool = False  # the width of one page
    over_then_down: bool = False
    rows: Sequence[int] = ()  # that begin a page
    columns: Sequence[int] = ()

    def xml(self) -> str:
        """Return margins, paper, header, footer, and breaks."""
        scale = f' scale="{self.scale}"' if self.scale != 100 else ""
        fits = ' fitToHeight="0"' if self.fits else ""
        order = ' pageOrder="overThenDown"' if self.over_then_down else ""
        stands = "landscape" if self.across else "portrait"
        margins = " ".join(f'{side}="{inches}"' for side, inches in _MARGINS.items())
        return (
            f'<pageMargins {margins}/><pageSetup paperSize="9"{scale}{fits}{order} orientation="{stands}"/>'
            f"<headerFooter><oddHeader>&amp;L{element_text(self.title)}</oddHeader>"
            "<oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter>"
            f"{_breaks('rowBreaks', self.rows, 16_383)}{_breaks('colBreaks', self.columns, 1_048_575)}"
        )


def _breaks(name: str, starts: Sequence[int], last: int) -> str:
    """Return where pages begin."""
    ordered = sorted({*starts} - {0})[:_MOST_BREAKS]
    made = [f'<brk id="{start}" max="{last}" man="1"/>' for start in ordered]
    return f'<{name} count="{len(made)}" manualBreakCount="{len(made)}">{"".join(made)}</{name}>' if made else ""


@dataclass(frozen=True)
class _Bars:
    """Small bars in the cells of a column, each from the cells of other columns of its row."""

    rows: Sequence[int]
    place: int
    columns: tuple[int, int]


@dataclass(eq=False)
class Sheet:
    """A worksheet of a workbook whose strings and styles it shares with others."""

    name: str
    strings: SharedStrings
    ends: CellEnds
    numbers: StyleNumbers
    is_first: bool = False
    shows_grid: bool = True
    frozen: bool = False  # the first row and the first column
    filtered: tuple[int, int] | None = None  # rows and columns, below and with the header
    print_area: str = ""
    repeated_columns: int = 0  # on every printed page, as is the first row then
    printing: Printing = field(default_factory=Printing)
    drawn: list[Picture | TextBox] = field(default_factory=list)
    on_packed: Callable[[int], None] = lambda _: None  # hears of appended rows as they leave for the file

    def __post_init__(self) -> None:
        self.quoted = quoted_name(self.name)
        self._widths: dict[int, _Width] = {}
        self._heights: dict[int, int] = {}  # in pixels
        self._cells: dict[int, dict[int, str]] = {}  # by row and column: what follows the address
        self._closed: dict[int, _ClosedRow] = {}  # the cells of rows that nothing more is written into
        self._links: list[tuple[str, str, str]] = []  # cell, target, text
        self._rules: dict[str, list[str]] = {}  # by the cells that they colour
        self._rule_count = 0
        self._bars: list[_Bars] = []
        self._body = new_store()
        self._body_rows = 0
        self._body_columns = 0

    # what it shows

    def set_column(self, place: int, width: float, style: Style | None = None, kind: str = "") -> None:
        """Set the width of a column in characters, and how its cells look; columns of one kind are put together."""
        self._widths[place] = _Width(
            int(width * _DIGIT + 0.5) + _PADDING, self.numbers.of_cells(style) if style else 0, kind
        )

    def hide_column(self, place: int) -> None:
        """Show nothing of a column."""
        self._widths[place] = _Width(0)

    def set_height(self, row: int, points: float) -> None:
        """Set the height of a row."""
        self._heights[row] = int(points * 4 / 3 + 0.5)

    def write_text(self, row: int, place: int, text: str, style: Style | None = None) -> None:
        """Write a text, cut if it is too long for a cell."""
        self._write(row, place, f' t="s"><v>{self.strings.number(fit_cell(text))}</v></c>', style)

    def write_number(self, row: int, place: int, number: float, style: Style | None = None) -> None:
        """Write a number with sixteen digits."""
        self._write(row, place, f"><v>{number:.16G}</v></c>", style)

    def write_nothing(self, row: int, place: int, style: Style) -> None:
        """Write a cell that shows its look alone."""
        self._write(row, place, "/>", style)

    def _write(self, row: int, place: int, end: str, style: Style | None) -> None:
        look = f' s="{self.numbers.of_cells(style)}"' if style else ""
        cells = self._cells.get(row)
        if cells is None:
            cells = self._cells[row] = {}
        cells[place] = look + end

    def close_rows(self) -> None:
        """Put the cells of each row together: those of many rows, one by one, take several times as much."""
        for row, cells in self._cells.items():
            self._closed[row] = _ClosedRow(min(cells), max(cells), _cells_xml(row, cells).encode())
        self._cells = {}

    def link(self, row: int, place: int, target: str, text: str) -> None:
        """Make a cell that shows this text a link, to a cell of the workbook or to a file beside it."""
        if len(self._links) < _MOST_LINKS:
            self._links.append((f"{column_name(place)}{row + 1}", target, fit_cell(text)))

    def append(self, columns: list[list[Any]], styles: Sequence[Style], heights: list[float]) -> None:
        """Put these columns below the header and what was appended already; a height of 0 is one line."""
        numbers = [self.numbers.of_cells(style) for style in styles]
        starts = [(f'<c r="{column_name(place)}', f'" s="{number}"') for place, number in enumerate(numbers)]
        self._body.add(cell_maker().block(columns, self.ends).xml(self._body_rows + 2, starts, heights))
        self._body_rows += len(heights)
        self._body_columns = len(columns)
        self.ends.forget_single_strings()

    def add_rule(self, place: int, rows: int, rule: Rule) -> None:
        """Colour the cells of a column in so many rows."""
        name = column_name(place)
        self._rule_count += 1
        tint = f' dxfId="{self.numbers.of_tint(rule.tint)}"' if rule.tint else ""
        made = f'<cfRule type="{rule.kind}"{tint} priority="{self._rule_count}"{rule.more}</cfRule>'
        self._rules.setdefault(f"{name}2" if rows == 1 else f"{name}2:{name}{rows + 1}", []).append(made)

    def draw_bars(self, rows: Sequence[int], place: int, columns: tuple[int, int]) -> None:
        """Draw small bars in the cells of a column, each from the cells of other columns of its row."""
        self._bars.append(_Bars(rows, place, columns))

    # what it is in the workbook

    def defined_names(self) -> Iterator[tuple[str, str, bool]]:
        """Yield what a workbook knows of a sheet by name: a name, the cells, and whether nobody sees it."""
        if self.filtered:
            rows, columns = self.filtered
            yield "_xlnm._FilterDatabase", f"{self.quoted}!{absolute_range(0, 0, rows, columns - 1)}", True
        if self.print_area:
            yield "_xlnm.Print_Area", f"{self.quoted}!{self.print_area}", False
        if self.repeated_columns:
            last = column_name(self.repeated_columns - 1)
            yield "_xlnm.Print_Titles", f"{self.quoted}!$A:${last},{self.quoted}!$1:$1", False

    def relations(self, drawing: int) -> list[Relation]:
        """Return the files and parts that the sheet points to, in the order of their numbers."""
        files = [file_relation(target.removeprefix(_EXTERNAL)) for _, target, _ in self._links if _is_file(target)]
        own = [Relation("drawing", f"../drawings/drawing{drawing}.xml")] if self.drawn else []
        return [*files, *own]

    def drawing(self) -> bytes:
        """Return the part that says where its charts and its sentence stand."""
        widths = {place: width.pixels for place, width in self._widths.items()}
        return drawing_xml(self.drawn, widths, self._heights)

    def pieces(self) -> Iterator[bytes]:
        """Yield the sheet's part."""
        reaches = self._reaches()
        yield f"{_START}{self._head(reaches)}".encode()
        rows = self._rows(reaches)
        while some := "".join(islice(rows, _ROWS_TOGETHER)):
            yield some.encode()
        read = told = 0
        for piece in pieces_of(self._body):
            yield piece
            read += len(piece)
            packed = self._body_rows * read // len(self._body)
            self.on_packed(packed - told)
            told = packed
        yield self._tail().encode()
        yield from self._bar_pieces()
        yield b"</worksheet>"

    def _head(self, reaches: Mapping[int, tuple[int, int]]) -> str:
        """Return what stands before all rows, given how far they reach."""
        fits = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>' if self.printing.fits else ""
        grid = "" if self.shows_grid else ' showGridLines="0"'
        selected = ' tabSelected="1"' if self.is_first else ""
        view = f"<sheetView{grid}{selected} workbookViewId=" + (
            f'"0">{_FROZEN}</sheetView>' if self.frozen else '"0"/>'
        )
        start = "<sheetData>" if self._written() else "<sheetData/>"
        return (
            f'{fits}<dimension ref="{self._dimension(reaches.values())}"/><sheetViews>{view}</sheetViews>'
            f'<sheetFormatPr defaultRowHeight="15"/>{self._columns()}{start}'
        )

    def _dimension(self, reaches: Iterable[tuple[int, int]]) -> str:
        """Return from which cell to which the sheet reaches, given how far its rows do."""
        rows = self._written()
        if not rows:
            return "A1"
        places = [place for reach in reaches for place in reach]
        places += [place for place, width in self._widths.items() if width.style]
        places += [0] if self._heights else []
        first = f"{column_name(min(places))}{min(rows) + 1}"
        last = f"{column_name(max(*places, self._body_columns - 1))}{max(*rows, self._body_rows) + 1}"
        return first if first == last else f"{first}:{last}"

    def _columns(self) -> str:
        groups: list[tuple[int, int, _Width]] = []
        for place, width in sorted(self._widths.items()):
            if groups and groups[-1][1:] == (place - 1, width):
                groups[-1] = (groups[-1][0], place, width)
            else:
                groups.append((place, place, width))
        made = [f'<col min="{first + 1}" max="{last + 1}"{_width_xml(width)}/>' for first, last, width in groups]
        return f"<cols>{''.join(made)}</cols>" if made else ""

    def _written(self) -> set[int]:
        """Return the rows that are more than appended."""
        return self._heights.keys() | self._cells.keys() | self._closed.keys()

    def _rows(self, reaches: Mapping[int, tuple[int, int]]) -> Iterator[str]:
        for row in sorted(self._written()):
            height, reach = self._heights.get(row, DEFAULT_ROW), reaches.get(row // _SPANNED)
            number = row + 1
            span = f' spans="{reach[0] + 1}:{reach[1] + 1}"' if reach else ""
            shape = "" if height == DEFAULT_ROW else f' ht="{height * 0.75:.16g}" customHeight="1"'
            made = self._closed[row].xml.decode() if row in self._closed else _cells_xml(row, self._cells.get(row, {}))
            yield f'<row r="{number}"{span}{shape}' + (f">{made}</row>" if made else "/>")

    def _reaches(self) -> dict[int, tuple[int, int]]:
        """Return from which column to which some rows reach, by their place among all that are taken together."""
        found: dict[int, tuple[int, int]] = {}
        ends = {row: (closed.first, closed.last) for row, closed in self._closed.items()}
        ends |= {row: (min(cells), max(cells)) for row, cells in self._cells.items()}
        for row, (first, last) in ends.items():
            known = found.get(row // _SPANNED, (first, last))
            found[row // _SPANNED] = (min(first, known[0]), max(last, known[1]))
        return found

    def _tail(self) -> str:
        """Return what stands after all rows, but for small bars."""
        pieces = ["</sheetData>" if self._written() else ""]
        if self.filtered:
            rows, columns = self.filtered
            pieces.append(f'<autoFilter ref="A1:{column_name(columns - 1)}{rows + 1}"/>')
        pieces += [
            f'<conditionalFormatting sqref="{cells}">{"".join(rules)}</conditionalFormatting>'
            for cells, rules in self._rules.items()
        ]
        if self._links:
            pieces.append(f"<hyperlinks>{''.join(self._link_elements())}</hyperlinks>")
        pieces.append(self.printing.xml())
        if self.drawn:
            pieces.append(f'<drawing r:id="rId{len(self.relations(0))}"/>')
        return "".join(pieces)

    def _link_elements(self) -> Iterator[str]:
        number = 0
        for cell, target, text in self._links:
            if _is_file(target):
                number += 1
                anchor = target.partition("#")[2]
                location = f' location="{attribute_text(anchor)}"' if anchor else ""
                yield f'<hyperlink ref="{cell}" r:id="rId{number}"{location}/>'
            else:
                location = attribute_text(target.removeprefix(_INTERNAL))
                yield f'<hyperlink ref="{cell}" location="{location}" display="{attribute_text(text)}"/>'

    def _bar_pieces(self) -> Iterator[bytes]:
        """Yield the small bars of all rows, some rows at a time."""
        if not self._bars:
            return
        yield _BARS.encode()
        for bars in reversed(self._bars):
            yield _BARS_OF_A_COLUMN.encode()
            place, (first, last) = column_name(bars.place), map(column_name, bars.columns)
            rows, sheet = iter(bars.rows), element_text(self.quoted)
            while some := [row + 1 for row in islice(rows, _TOGETHER)]:
                drawn = [
                    f"<x14:sparkline><xm:f>{sheet}!{first}{row}:{last}{row}</xm:f>"
                    f"<xm:sqref>{place}{row}</xm:sqref></x14:sparkline>"
                    for row in some
                ]
                yield "".join(drawn).encode()
            yield b"</x14:sparklines></x14:sparklineGroup>"
        yield b"</x14:sparklineGroups></ext></extLst>"


def _cells_xml(row: int, cells: Mapping[int, str]) -> str:
    return "".join([f'<c r="{column_name(place)}{row + 1}"{end}' for place, end in sorted(cells.items())])


@lru_cache(_KEPT)
def _width_xml(width: _Width) -> str:
    if not width.pixels:
        return ' width="0" hidden="1" customWidth="1"'
    style = f' style="{width.style}"' if width.style else ""
    own = "" if width.pixels == DEFAULT_COLUMN else ' customWidth="1"'
    return f' width="{width.pixels * 256 // _DIGIT / 256:.16g}"{style}{own}'


def _is_file(target: str) -> bool:
    return target.startswith(_EXTERNAL)
