"""Workbooks: xlsx, xlsm, xls, xlsb, ods; calamine first, openpyxl as the second reader for xlsx."""

from __future__ import annotations

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress, count
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ExpatError

from scoresheet.cli.input.formats.archive_guard import checked_archive
from scoresheet.cli.input.formats.cells import as_text
from scoresheet.cli.input.formats.plain_sheets import PlainSheet, plain_sheets
from scoresheet.cli.input.formats.sheet_guard import check_ods
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.formats.types import LEFT_OUT, Content, ReadRules, Table, is_parser_failure, left_out
from scoresheet.cli.input.formats.xlsx_scan import SheetScan, odd_address, repeated_address, scan_sheets
from scoresheet.metrics.problems import InputError, Problem, reject
from scoresheet.metrics.records import dataclass

OPEN_XML: Final = (".xlsx", ".xlsm")
ARCHIVES: Final = (*OPEN_XML, ".xlsb", ".ods")
# what archives and XML that are not whole raise; an archive that another program encrypted is a RuntimeError
_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, KeyError, ParseError, ExpatError, NotImplementedError, RuntimeError, EOFError),
)


@dataclass(frozen=True)
class RawSheet:
    """A worksheet as a reader gives it: all rows from the first, cells of any type."""

    name: str
    hidden: str  # why it is not read; '' for a visible worksheet that patterns do not leave out
    rows: Sequence[Sequence[object]]
    merged: Sequence[tuple[tuple[int, int], tuple[int, int]]]
    plain: PlainSheet | None = None  # what it holds, instead of rows


def read_workbook(path: Path, rules: ReadRules) -> Content:
    """Return the visible worksheets of a workbook; what is left out is listed."""
    open_xml = path.suffix.lower() in OPEN_XML
    scans, plain = _checked(path, rules, open_xml=open_xml)
    raw_sheets, problems = _raw_sheets(path, rules, scans, open_xml=open_xml) if plain is None else (plain, [])
    if not open_xml:
        message = f"formulas without a stored value cannot be told from empty cells in {path.suffix} files"
        problems.append(Problem(kind="unchecked-formulas", message=message, effect="note"))
    named = Counter(raw.name for raw in raw_sheets if raw.hidden != LEFT_OUT)
    repeated = {name for name, count in named.items() if count > 1}
    tables: list[Table] = []
    for number, raw in enumerate(raw_sheets):
        if rules.on_share is not None:
            rules.on_share(number / len(raw_sheets))
        if raw.hidden == LEFT_OUT:
            problems.append(left_out(raw.name))
            continue
        if raw.name in repeated:
            # readers find a sheet by its name, and would give the cells of one for those of the other
            message = "another worksheet of the file has the same name, and they cannot be told apart; rename one"
            problems.append(Problem(kind="same-name", message=message, effect="sheet skipped", sheet=raw.name))
            continue
        if raw.hidden:
            problems.append(Problem(kind="hidden-sheet", message=raw.hidden, effect="note", sheet=raw.name))
            continue
        builder = TableBuilder(raw.name, refusal="sheet skipped", rules=rules)
        try:
            table = _table(raw, scans.get(raw.name, SheetScan()), builder, path)
        except InputError as refusal:
            problems.append(refusal.problem)
            continue
        problems += builder.problems
        if table is None:
            problems.append(
                Problem(kind="empty-sheet", message="the sheet has no cells", effect="note", sheet=raw.name)
            )
        else:
            tables.append(table)
    return Content(tables, problems)


def _checked(path: Path, rules: ReadRules, *, open_xml: bool) -> tuple[dict[str, SheetScan], list[RawSheet] | None]:
    """Return the scans of an xlsx workbook's sheets, or the sheets if all are plain; what harms readers is refused."""
    kind = "Excel workbook" if open_xml else "workbook"
    suffix = path.suffix.lower()
    try:
        if suffix not in ARCHIVES:
            return {}, None
        with checked_archive(path, rules.limits) as archive:
            if suffix == ".ods":
                check_ods(archive, rules.limits)
            if not open_xml:
                return {}, None
            plain = _raw_plain(archive, rules)
            return (scan_sheets(archive, rules.limits), None) if plain is None else ({}, plain)
    except (*_DAMAGED, OSError) as error:
        reject("not-a-table", f"not a readable {kind} ({_said(error)}); open it in Excel and save it again")


def _raw_plain(archive: zipfile.ZipFile, rules: ReadRules) -> list[RawSheet] | None:
    """Return the sheets of a workbook if all are plain."""
    if rules.reader == "openpyxl" or rules.header_row:  # a row that was named counts even if it is empty
        return None
    sheets = plain_sheets(archive, rules.limits)
    if not sheets:
        return None
    out = [rules.leaves_out(rules.pattern_prefix + sheet.name) for sheet in sheets]
    return [
        RawSheet(sheet.name, LEFT_OUT if is_out else "", [], [], sheet)
        for sheet, is_out in zip(sheets, out, strict=True)
    ]


def _raw_sheets(
    path: Path, rules: ReadRules, scans: Mapping[str, SheetScan], *, open_xml: bool
) -> tuple[list[RawSheet], list[Problem]]:
    if rules.reader == "openpyxl" and open_xml:
        return list(_by_openpyxl(path, rules, scans)), []
    try:
        return list(_by_calamine(path, rules)), []
    except BaseException as error:
        if not is_parser_failure(error):
            raise
        reason = _said(error)
        if not open_xml:
            if "password" in reason.casefold():
                reject("not-a-table", "the file is password-protected; open it, remove the password, and save it again")
            reject("not-a-table", f"not a readable workbook ({reason}); open it and save it as .xlsx")
        sheets = list(_by_openpyxl(path, rules, scans))
    message = f"calamine could not read the file ({reason}); openpyxl did"
    return sheets, [Problem(kind="reader", message=message, effect="note")]


def _by_calamine(path: Path, rules: ReadRules) -> Iterator[RawSheet]:
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    with CalamineWorkbook.from_path(path) as workbook:
        for about in workbook.sheets_metadata:
            if rules.leaves_out(rules.pattern_prefix + about.name):
                # which of the others are wanted is seen when a column has split them
                yield RawSheet(about.name, LEFT_OUT, [], [])
            elif about.typ != SheetTypeEnum.WorkSheet:
                yield RawSheet(about.name, "the sheet holds a chart or macro and no table", [], [])
            elif about.visible != SheetVisibleEnum.Visible:
                yield RawSheet(about.name, "the sheet is hidden; unhide it to have it scored", [], [])
            else:
                sheet = workbook.get_sheet_by_name(about.name)
                rows = sheet.to_python(skip_empty_area=False)
                yield RawSheet(about.name, "", rows, sheet.merged_cell_ranges or [])


def _by_openpyxl(path: Path, rules: ReadRules, scans: Mapping[str, SheetScan]) -> Iterator[RawSheet]:
    from openpyxl.worksheet.worksheet import Worksheet

    from scoresheet.cli.input.formats.openpyxl_strings import load_workbook, shown_value

    for name, scan in scans.items():
        if odd := odd_address(path, scan.part):
            reject("not-a-table", f"the sheet {name!r} has a cell at {odd!r}, an address that no worksheet has")
    try:
        workbook = load_workbook(path)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file makes openpyxl raise anything at all
        reject("not-a-table", f"not a readable Excel workbook ({_said(error)}); open it in Excel and save it again")
    for title in workbook.sheetnames:
        sheet: object = workbook[title]
        if rules.leaves_out(rules.pattern_prefix + title):
            yield RawSheet(title, LEFT_OUT, [], [])
        elif not isinstance(sheet, Worksheet):
            yield RawSheet(title, "the sheet holds a chart or macro and no table", [], [])
        elif sheet.sheet_state != "visible":
            yield RawSheet(title, "the sheet is hidden; unhide it to have it scored", [], [])
        else:
            merged = [
                ((area.min_row - 1, area.min_col - 1), (area.max_row - 1, area.max_col - 1))
                for area in sheet.merged_cells.ranges
            ]
            rows = [[shown_value(cell) for cell in row] for row in sheet.values]
            yield RawSheet(title, "", rows, merged)


def _table(raw: RawSheet, scan: SheetScan, builder: TableBuilder, path: Path) -> Table | None:
    if raw.plain is not None:
        return builder.build_of_columns(raw.plain.numbers, raw.plain.columns)
    numbers, columns = _text_columns(raw.rows, scan.errors, builder.rules.header_row)
    if sum(len(cells) - cells.count("") for cells in columns) < scan.values:
        _refuse_repeated(raw.name, repeated_address(path, scan.part))
    table = builder.build_of_columns(numbers, columns)
    if table is None:
        return None
    header = numbers.index(builder.header_row)
    names = {place: cells[header].strip() for place, cells in enumerate(columns)}
    errors = {(row, names[column]): shown for (row, column), shown in scan.errors.items() if names.get(column)}
    merged = tuple(
        (top + 1, bottom + 1, names[left])
        for (top, left), (bottom, right) in raw.merged
        if bottom > top and left == right and names.get(left)
    )
    # what stands above the header, or in no column of the table, is of no concern
    empty = {(row, names.get(column, "")): at for (row, column), at in scan.uncalculated.items()}
    uncalculated = {
        (row, header): at for (row, header), at in empty.items() if not row or (header and row > builder.header_row)
    }
    return replace(table, error_cells=errors, merged=merged, uncalculated=uncalculated)


def _text_columns(
    rows: Sequence[Sequence[object]], errors: Mapping[tuple[int, int], str], header_row: int
) -> tuple[Sequence[int], list[list[str]]]:
    """Return the numbers of rows that have any cell, and the columns of these as text, with what error cells show."""
    columns = [_texts(cells) for cells in zip(*rows, strict=True)]
    for (row, column), shown in errors.items():
        if 0 < row <= len(rows) and 0 <= column < len(columns):
            columns[column][row - 1] = shown  # readers give '', and the row would look unanswered
    if any(map(all, columns)):
        return range(1, len(rows) + 1), columns
    # one cell in the last row of a worksheet makes a million rows of nothing
    kept = [any(cells) or number == header_row for number, cells in enumerate(zip(*columns, strict=True), start=1)]
    return list(compress(count(1), kept)), [list(compress(cells, kept)) for cells in columns]


def _texts(cells: Sequence[object]) -> list[str]:
    return [cell if cell.__class__ is str else as_text(cell) for cell in cells]


def _refuse_repeated(sheet: str, address: str) -> None:
    if address:
        message = f"two cells are both at {address}, and only one can be read; open the file in Excel and save it again"
        reject("not-a-table", message, sheet=sheet, effect="sheet skipped")


def _said(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
