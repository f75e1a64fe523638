import datetime as dt
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.cli.input.frames import Rules
from tests.input.files import assert_matches, read, refused, shown

Fill = Callable[[xlsxwriter.Workbook], None]
Rows = list[list[object]]


def book(*sheets: tuple[str, Rows], fill: Fill | None = None) -> bytes:
    out = io.BytesIO()
    workbook = xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_formulas": False})
    for name, rows in sheets:
        worksheet = workbook.add_worksheet(name)
        for number, row in enumerate(rows):
            worksheet.write_row(number, 0, row)
    if fill:
        fill(workbook)
    workbook.close()
    return out.getvalue()


def patched(data: bytes, part: str, old: bytes, new: bytes) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as archive,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as changed,
    ):
        for name in archive.namelist():
            content = archive.read(name)
            assert name != part or old in content
            changed.writestr(name, content.replace(old, new, 1) if name == part else content)
    return out.getvalue()


def ods(*rows: str) -> bytes:
    names = {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    }
    declared = " ".join(f'xmlns:{name}="{address}"' for name, address in names.items())
    content = (
        f"<office:document-content {declared}><office:body><office:spreadsheet>"
        f'<table:table table:name="May">{"".join(rows)}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return out.getvalue()


ROWS, COLUMNS = 'table:number-rows-repeated="%s"', 'table:number-columns-repeated="16384"'


def ods_row(*texts: str, repeated: str = "", cell: str = "") -> str:
    cells = (
        f'<table:table-cell {cell} office:value-type="string"><text:p>{text}</text:p>'
        "</table:table-cell>"
        for text in texts
    )
    return f"<table:table-row {repeated}>{''.join(cells)}</table:table-row>"


SHEET1 = "xl/worksheets/sheet1.xml"
TABLE: Rows = [["a", "b"], ["x", "y"]]
BOOK = book(("May", TABLE))
# It has the visible sheet Mai and the hidden sheet Old.
XLS = (Path(__file__).parent / "cases" / "old.xls").read_bytes()


def values(workbook: xlsxwriter.Workbook) -> None:
    sheet = workbook.add_worksheet("Values")
    formats = {
        1: (dt.datetime(2024, 3, 1), "yyyy-mm-dd"),
        2: (dt.datetime(2024, 3, 1, 12, 30), "yyyy-mm-dd hh:mm"),
        3: (dt.time(12, 30), "hh:mm"),
        4: (dt.timedelta(hours=36, seconds=5), "[h]:mm:ss"),
    }
    for row, (value, number_format) in formats.items():
        sheet.write_datetime(row, 0, value, workbook.add_format({"num_format": number_format}))
    sheet.write_row(0, 0, ["value", "note"])
    for row, value in enumerate((12, 12.0, 0.1, 1 / 3, 1e20, -7, True, "001", "NA", "#N/A"), 5):
        sheet.write(row, 0, value)
    for row, text in enumerate(("=1+1", "_x0041_", " a ", "a\nb", "https://x.org", "TRUE"), 15):
        sheet.write_string(row, 0, text)
    sheet.write_rich_string(21, 0, "bold", workbook.add_format({"bold": True}), "face")
    sheet.write_formula(22, 0, "=6*7", None, 42)
    sheet.write_formula(23, 0, '=""', None, "text")


def test_values_are_read_as_a_person_would_type_them(tmp_path: Path) -> None:
    frame = read(tmp_path, book(fill=values), "m.xlsx").tables["Values"]
    assert frame["value"].tolist() == [
        *("2024-03-01", "2024-03-01 12:30:00", "12:30:00", "36:00:05"),
        *("12", "12", "0.1", "0.3333333333333333", "1e+20", "-7", "TRUE", "001", "NA", "#N/A"),
        *("=1+1", "_x0041_", " a ", "a\nb", "https://x.org", "TRUE", "boldface", "42", "text"),
    ]
    assert set(frame["note"]) == {""}


# rows of the only sheet, expected frame
LAYOUTS: dict[str, tuple[Rows, str]] = {
    "plain": (TABLE, "a|b / 2 x|y"),
    "header only": ([["a", "b"]], "a|b"),
    "blank rows and columns around": (
        [[], [], ["", "a", "", "b"], [], ["", "x", "", "y"]],
        "a|b / 5 x|y",
    ),
    "a column without a header": ([["a"], ["x", "", "y"]], "a|(column C) / 2 x|y"),
    "a header that is a number": ([[1, 2.5], ["x", "y"]], "1|2.5 / 2 x|y"),
}


@pytest.mark.parametrize("case", LAYOUTS)
def test_the_layout_of_a_worksheet(tmp_path: Path, case: str) -> None:
    rows, expected = LAYOUTS[case]
    file = read(tmp_path, book(("May", rows)), "m.xlsx")
    assert shown(file.tables["May"]) == expected
    assert not file.problems


def test_a_likelier_header_below_a_title_is_suggested(tmp_path: Path) -> None:
    data = book(("May", [["May"], ["idiom", "b"], ["x", "y"]]))
    file = read(tmp_path, data, "m.xlsx")
    assert shown(file.tables["May"]) == "May|(column B) / 2 idiom|b / 3 x|y"
    assert_matches(file.problems[0], "header-row | row 2 | --header-row 2")
    file = read(tmp_path, data, "m.xlsx", Rules(header_row=2))
    assert (shown(file.tables["May"]), file.problems) == ("idiom|b / 3 x|y", [])


def odd_sheets(workbook: xlsxwriter.Workbook) -> None:
    workbook.add_worksheet("Hidden").hide()
    workbook.add_worksheet("Very hidden").very_hidden()
    chart = workbook.add_chart({"type": "bar"})
    chart.add_series({"values": "=May!$A$1:$A$2"})
    workbook.add_chartsheet("Chart").set_chart(chart)
    workbook.add_worksheet("Empty")
    workbook.add_worksheet("Blank").write_string(3, 0, "  ")
    filtered = workbook.add_worksheet("Filtered")
    filtered.write_column(0, 0, ["a", "x", "y"])
    filtered.set_row(1, options={"hidden": True})
    twice = workbook.add_worksheet("Twice")
    twice.write_row(0, 0, ["a", "a"])


def test_sheets_that_are_left_out_or_odd_are_listed(tmp_path: Path) -> None:
    file = read(tmp_path, book(("May", TABLE), ("Summary", TABLE), fill=odd_sheets), "m.xlsx")
    assert list(file.tables) == ["May", "Summary", "Filtered"]
    assert shown(file.tables["Filtered"]) == "a / 2 x / 3 y"
    assert [(p.kind, p.effect, p.sheet) for p in file.problems] == [
        ("hidden-sheet", "note", "Hidden"),
        ("hidden-sheet", "note", "Very hidden"),
        ("chart-sheet", "note", "Chart"),
        ("empty-sheet", "note", "Empty"),
        ("empty-sheet", "note", "Blank"),
        ("hidden-rows", "note", "Filtered"),
        ("duplicate-headers", "skipped", "Twice"),
    ]


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        (Rules(sheets=("run*",)), ["run1", "run2"]),
        (Rules(sheets=("run2", "May")), ["May", "run2"]),
        (Rules(skip_sheets=("*2",)), ["May", "run1"]),
        (Rules(sheets=("run*",), skip_sheets=("run1",)), ["run2"]),
        (Rules(sheets=("June",)), []),
    ],
)
def test_worksheets_are_chosen_by_name(tmp_path: Path, rules: Rules, names: list[str]) -> None:
    data = book(("May", TABLE), ("run1", TABLE), ("run2", TABLE))
    assert list(read(tmp_path, data, "m.xlsx", rules).tables) == names


def far(address: str) -> bytes:
    cell = f'<row r="9"><c r="{address}"><v>1</v></c></row></sheetData>'.encode()
    return patched(BOOK, SHEET1, b"</sheetData>", cell)


def bomb() -> bytes:
    out = io.BytesIO(BOOK)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/image.bin", bytes(70 * 2**20))
    return out.getvalue()


LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")


DOCTYPE = b'<!DOCTYPE x [<!ENTITY a "aaaa">]>'
PROLOG = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
HOSTILE = {
    "a cell in the last corner": (
        far("XFD1048576"),
        "too-large | 1,048,576 rows of 16,384 columns",
    ),
    "a cell beyond the last row": (far("A4294967295"), "too-large | 4,294,967,295 rows"),
    "a cell beyond the last column": (far("XFE2"), "too-large | 16,385 columns"),
    "an address of a million letters": (far("A" * 1000000 + "1"), "too-large"),
    "a zip bomb": (bomb(), "too-large | 64 MB"),
    "a DOCTYPE": (patched(BOOK, SHEET1, PROLOG, PROLOG + DOCTYPE), "unreadable | DOCTYPE"),
    "two worksheets of one name": (
        patched(book(("A", TABLE), ("B", TABLE)), "xl/workbook.xml", b'name="B"', b'name="A"'),
        "duplicate-sheets",
    ),
    "a password": (LOCKED, "unreadable | password"),
    "a cut xls": (XLS[:5000], "unreadable | cannot be read"),
    "not a workbook": (b"<html><table></table></html>", "unreadable | cannot be read"),
    "a cut archive": (BOOK[:-40], "unreadable | cannot be read"),
    "a damaged part": (BOOK.replace(b"PK\x03\x04", b"PK\x03\x05", 3), "unreadable"),
    "no worksheet with a table": (book(("A", []), ("B", [])), "empty | no table to read"),
    "two columns of one name": (book(("A", [["a", "a "]])), "duplicate-headers | name a"),
    "an ods cell repeated in both directions": (
        ods(ods_row("x", repeated=ROWS % 10**6, cell=COLUMNS)),
        "too-large | repeated",
    ),
    "an ods number repeated in both directions": (
        ods(f'<table:table-row {ROWS % 10**6}><table:table-cell office:value="1" {COLUMNS}/>'),
        "too-large | repeated",
    ),
    "an ods cell with a billion blanks": (
        ods(ods_row("a"), ods_row('<text:s text:c="1000000000"/>')),
        "too-large | repeated",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_or_damaged_workbook_is_refused_by_name(tmp_path: Path, case: str) -> None:
    data, expected = HOSTILE[case]
    assert_matches(refused(tmp_path, data, "m.xlsx"), expected)


def test_a_header_row_below_the_table_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, BOOK, "m.xlsx", Rules(header_row=9)).kind == "header-row"


def test_hostile_merged_ranges_do_not_matter(tmp_path: Path) -> None:
    merged = b'</sheetData><mergeCells><mergeCell ref="A2:A4294967295"/></mergeCells>'
    data = patched(BOOK, SHEET1, b"</sheetData>", merged)
    assert shown(read(tmp_path, data, "m.xlsx").tables["May"]) == "a|b / 2 x|y"


def test_openpyxl_reads_what_calamine_refuses(tmp_path: Path) -> None:
    strange = b'</row><row r="3"><c r="A3" t="e"><v>#STRANGE!</v></c><c r="B3"><v>7</v></c></row>'
    data = patched(BOOK, SHEET1, b"</row></sheetData>", strange + b"</sheetData>")
    file = read(tmp_path, data, "m.xlsx")
    assert shown(file.tables["May"]) == "a|b / 2 x|y / 3 |7"
    assert [problem.kind for problem in file.problems] == ["second-reader"]


def test_a_sheet_far_wider_than_a_header_is_read(tmp_path: Path) -> None:
    rows: Rows = [[f"column {number}" for number in range(16_384)], ["x"]]
    assert read(tmp_path, book(("May", rows)), "m.xlsx").tables["May"].shape == (1, 16_384)


@pytest.mark.parametrize("name", ["m.xls", "m.XLS", "m.xlsx"])
def test_old_workbooks_are_read_whatever_they_are_called(tmp_path: Path, name: str) -> None:
    file = read(tmp_path, XLS, name)
    assert list(file.tables) == ["Mai"]
    assert shown(file.tables["Mai"]) == "idiom|score|day|ok / 2 画蛇添足|12|2024-03-01|TRUE"


def test_an_ods_table_is_read(tmp_path: Path) -> None:
    padding = f"<table:table-row {ROWS % 1048573}><table:table-cell {COLUMNS}/></table:table-row>"
    data = ods(ods_row("a", "b"), ods_row("x", "y", repeated=ROWS % 2), padding)
    assert shown(read(tmp_path, data, "m.ods").tables["May"]) == "a|b / 2 x|y / 3 x|y"


def formulas() -> bytes:
    out = io.BytesIO()
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = "May"
    sheet.append(["", "a", "b", "c"])
    sheet.append(["", "x", "=1+1", ""])
    sheet.append(["", "=1/0", "y", "z"])
    sheet.append(["", "#DIV/0!", "", "z"])
    workbook.save(out)
    # What Excel stores for an error, and for a formula whose result is the empty text.
    data = out.getvalue()
    error = b'<c r="B3" t="e"><f>1/0</f><v>#DIV/0!</v></c>'
    data = patched(data, SHEET1, b'<c r="B3"><f>1/0</f><v /></c>', error)
    row = b'<row r="5"><c r="B5" t="str"><f>""</f><v></v></c><c r="D5"><v>1</v></c></row>'
    return patched(data, SHEET1, b"</sheetData>", row + b"</sheetData>")


def test_formulas_without_a_value_and_errors_are_found_behind_empty_cells(tmp_path: Path) -> None:
    file = read(tmp_path, formulas(), "m.xlsx")
    assert shown(file.tables["May"]) == "a|b|c / 2 x|| / 3 |y|z / 4 ||z / 5 ||1"
    found = {(2, "b"): "formula", (3, "a"): "#DIV/0!", (4, "a"): "#DIV/0!"}
    assert file.behind["May"] == found


def test_nothing_is_behind_cells_without_formulas(tmp_path: Path) -> None:
    for name, data in {"m.xlsx": BOOK, "m.xls": XLS, "m.ods": ods(ods_row("a"))}.items():
        assert not any(read(tmp_path, data, name).behind.values())


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@given(st.lists(st.tuples(texts, texts), max_size=6))
def test_any_text_survives_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    def fill(workbook: xlsxwriter.Workbook) -> None:
        sheet = workbook.add_worksheet("Texts")
        for number, row in enumerate([("first", "second"), *rows]):
            for at, text in enumerate(row):
                sheet.write_string(number, at, text)

    file = read(tmp_path_factory.mktemp("excel"), book(fill=fill), "m.xlsx")
    kept = [list(row) for row in rows if "".join(row).strip()]
    assert file.tables["Texts"].to_numpy().tolist() == kept
