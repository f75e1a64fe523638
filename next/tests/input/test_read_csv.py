import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.cli.input.source import ReadRules
from tests.input.files import assert_matches, read, refused, shown

# what a file holds, and its frame
READ: dict[str, tuple[bytes | str, str]] = {
    "plain": ("a,b\n1,2\n3,4\n", "a|b / 2 1|2 / 3 3|4"),
    "no newline at the end": ("a,b\n1,2", "a|b / 2 1|2"),
    "Windows line ends": ("a,b\r\n1,2\r\n", "a|b / 2 1|2"),
    "old Mac line ends": ("a,b\r1,2\r", "a|b / 2 1|2"),
    "values that pandas would change": (
        "a,b,c,d\nNA,null,None,nan\n001,1e5,TRUE,1.0\n",
        "a|b|c|d / 2 NA|null|None|nan / 3 001|1e5|TRUE|1.0",
    ),
    "blanks around a cell stay": ("a,b\n x , y\n", "a|b / 2  x | y"),
    "blanks around a header go": ("  a , b\n1,2\n", "a|b / 2 1|2"),
    "a quote inside quotes": ('a,b\n"say ""hi""",2\n', 'a|b / 2 say "hi"|2'),
    "a quote inside a bare cell": ('a,b\n5" disk,2\n', 'a|b / 2 5" disk|2'),
    "line breaks in cells count as one row": (
        'a,b\n"x\ny\r\nz",1\nw,2\n',
        "a|b / 2 x\ny\r\nz|1 / 3 w|2",
    ),
    "a line break in a header": ('"a\nid",b\n1,2\n', "a\nid|b / 2 1|2"),
    "one column, blank lines are not rows": (
        "text\nhello\n\n\nworld\n",
        "text / 2 hello / 5 world",
    ),
    "blank rows are dropped": ("a,b\n1,2\n,\n  , \n3,4\n", "a|b / 2 1|2 / 5 3|4"),
    "blank rows above": ("\n,,\na,b\n1,2\n", "a|b / 4 1|2"),
    "a blank row longer than the header": ("a,b\n1,2\n,,, ,\n3,4\n", "a|b / 2 1|2 / 4 3|4"),
    "header only": ("a,b\n", "a|b"),
    "an empty column without a header": ("a,,b\n1,,2\n", "a|b / 2 1|2"),
    "a column without a header": ("a,,b\n1,x,2\n", "a|(column B)|b / 2 1|x|2"),
    "semicolons, with commas in quotes": (
        'id;"a, b, c";d\n1;"x, y";2,5\n',
        "id|a, b, c|d / 2 1|x, y|2,5",
    ),
    "tabs with commas in the header": ("a, first\tb\n1\t2\n", "a, first|b / 2 1|2"),
    "pipes": ("a|b\n1|2;3\n", "a|b / 2 1|2;3"),
    "the data does not decide the separator": ('a,b\n"x;y;z;w",";;;"\n', "a|b / 2 x;y;z;w|;;;"),
    "a decomposed header is composed": ("re\u0301ponse,b\n1,2\n", "réponse|b / 2 1|2"),
    "a byte order mark": (b"\xef\xbb\xbfa,b\n1,\xc3\xa9\n", "a|b / 2 1|é"),
    "UTF-16": ("a,b\n1,é\n".encode("utf-16"), "a|b / 2 1|é"),
    "big-endian UTF-16": (b"\xfe\xff" + "a,b\n1,é\n".encode("utf-16-be"), "a|b / 2 1|é"),
    "other line separators are text": ("a,b\nx\u2028y,\x0b\x1e.\n", "a|b / 2 x\u2028y|\x0b\x1e."),
}


@pytest.mark.parametrize("case", READ)
def test_a_file_is_read_as_text(tmp_path: Path, case: str) -> None:
    data, expected = READ[case]
    file = read(tmp_path, data, "m.csv")
    assert shown(file.tables[""]) == expected
    assert file.problems == []
    assert list(file.tables) == [""]


REFUSED: dict[str, tuple[bytes | str, str]] = {
    "a long row": ('a,b\n"x\ny",2\n1,2,3\n', "extra-fields | line 4: 3 fields | quotes"),
    "a long row in UTF-16": ("a,b\n1,2\n1,2,3\n".encode("utf-16"), "extra-fields | line 3"),
    "commas in a one-column file": ("text\nhello, world\n", "extra-fields | line 2 | quotes"),
    "a title above the header": (
        "Results of May\n\nidiom,prediction\na,b\n",
        "extra-fields | line 3 | --header-row 3",
    ),
    "a quote that is not closed": ('a,b\n1,2\n"x,3\n4,5\n', 'quotes | line 3 | ("")'),
    "a quote that the next cell closes": ('a,b\n"x,1\n"y",2\n', 'quotes | line 2 | ("")'),
    "text after a closing quote": ('a,b\n"x"y,1\n', 'quotes | line 2 | ("")'),
    "a header quote that is not closed": ('"a,b\n1,2\n', 'quotes | line 1 | ("")'),
    "two columns of one name, decomposed": ("é,e\u0301\n1,2\n", "duplicate-headers | é | rename"),
    "a merged title above the header": (
        "May,May\nidiom,prediction\n",
        "duplicate-headers | May | --header-row 2",
    ),
    "NUL": (b"a,b\n1,\x002\n", "nul | NUL"),
    "UTF-16 without a mark": (
        "a,b\n1,2\n".encode("utf-16-le"),
        "nul | UTF-16 | --encoding utf-16-le",
    ),
    "empty": (b"", "empty | empty"),
    "only blank lines": (b"\n\n \n", "empty | no row 1"),
    "only a byte order mark": (b"\xef\xbb\xbf", "empty | no row 1"),
    "too many columns": (",".join(map(str, range(20000))), "too-large | 20,000"),
    "a huge header over short rows": (
        ",".join(map(str, range(16000))) + "\n" + "1\n" * 2000,
        "too-large | 2,001 rows of 16,000 columns",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_is_refused_with_its_line_and_a_hint(tmp_path: Path, case: str) -> None:
    data, expected = REFUSED[case]
    assert_matches(refused(tmp_path, data, "m.csv"), expected)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "déjà vu"),
        ("cp1251", "добрый день"),
        ("shift_jis", "日本語のテキスト"),
        ("gb18030", "画蛇添足是成语"),
        ("euc_kr", "그림의 떡"),
    ],
)
def test_a_wrong_encoding_is_refused_with_how_the_text_reads_in_others(
    tmp_path: Path, encoding: str, text: str
) -> None:
    data = f"id,text\n1,ok\n2,{text}\n".encode(encoding)
    problem = refused(tmp_path, data, "m.csv")
    assert_matches(problem, f"encoding | line 3: byte 0x | --encoding {encoding}")
    assert f"“{text.removeprefix('d')}” in {encoding}" in problem.message
    frame = read(tmp_path, data, "m.csv", ReadRules(encoding=encoding)).tables[""]
    assert frame["text"].tolist() == ["ok", text]


def test_the_header_row_of_the_hint_reads_the_file(tmp_path: Path) -> None:
    data = 'Results\n"of\nMay"\n\nmodel name,Prediction\nm,p\n\nn,q\n'
    assert refused(tmp_path, data, "m.csv").hint == "--header-row 4"
    frame = read(tmp_path, data, "m.csv", ReadRules(header_row=4)).tables[""]
    assert shown(frame) == "model name|Prediction / 5 m|p / 7 n|q"


NOTED = {
    "short rows": (
        "a,b,c\n1\n\n1,2,3\n4,5\n",
        "a|b|c / 2 1|| / 4 1|2|3 / 5 4|5|",
        "short-row | 2 rows | ",
    ),
    "a likelier header": (
        "May,2024\nidiom,prediction\nx,y\n",
        "May|2024 / 2 idiom|prediction / 3 x|y",
        "header-row | row 2 | --header-row 2",
    ),
    "the row with most words is likelier": (
        "x,y\nprediction,7\nidiom,prediction\n",
        "x|y / 2 prediction|7 / 3 idiom|prediction",
        "header-row | row 3 | --header-row 3",
    ),
}


@pytest.mark.parametrize("case", NOTED)
def test_what_is_worth_knowing_is_noted(tmp_path: Path, case: str) -> None:
    data, expected, noted = NOTED[case]
    file = read(tmp_path, data, "m.csv")
    assert shown(file.tables[""]) == expected
    (problem,) = file.problems
    assert problem.effect == "note"
    assert_matches(problem, noted)


@pytest.mark.parametrize(
    "data",
    ["model_name,x\nidiom,prediction\n", "a,b\n" + "1,2\n" * 20 + "idiom,prediction\n"],
    ids=["row 1 has a declared word", "more than 20 rows below"],
)
def test_no_header_row_is_suggested(tmp_path: Path, data: str) -> None:
    assert read(tmp_path, data, "m.csv").problems == []


@pytest.mark.parametrize(
    ("rules", "kind", "hint"),
    [
        (ReadRules(header_row=9), "header-row", ""),
        (ReadRules(encoding="utf-9"), "encoding", "--encoding utf-8"),
        (ReadRules(encoding="hex"), "encoding", "--encoding utf-8"),
        (ReadRules(encoding="ascii"), "encoding", "--encoding utf-8"),
        (ReadRules(max_file_mb=0), "too-large", "--max-file-mb 1"),
    ],
)
def test_options_that_do_not_fit_the_file(
    tmp_path: Path, rules: ReadRules, kind: str, hint: str
) -> None:
    problem = refused(tmp_path, "a,b\n1,é\n", "m.csv", rules)
    assert (problem.kind, problem.hint) == (kind, hint)


def test_a_byte_order_mark_decides_over_the_option(tmp_path: Path) -> None:
    data = "é,b\n1,2\n".encode("utf-8-sig")
    file = read(tmp_path, data, "m.csv", ReadRules(encoding="cp1252"))
    assert shown(file.tables[""]) == "é|b / 2 1|2"


@pytest.mark.parametrize("name", ["m.tsv", "M.TSV", "m.csv.gz", "M.CSV.GZ", "m.tsv.gz"])
def test_the_extension_does_not_decide_the_separator(tmp_path: Path, name: str) -> None:
    data = b"a;b\n1;2\n"
    file = read(tmp_path, gzip.compress(data) if name.lower().endswith("gz") else data, name)
    assert shown(file.tables[""]) == "a|b / 2 1|2"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (gzip.compress(b"a,b\n" + b"0" * (65 * 2**20)), "too-large"),
        (gzip.compress(b"a,b\n1,2\n" * 1000)[:-20], "unreadable"),
        (b"a,b\n1,2\n", "unreadable"),
        (b"\x1f\x8b\x08\x00" + b"x" * 50, "unreadable"),
        (gzip.compress(b""), "empty"),
    ],
    ids=["bomb", "cut", "not gzip", "damaged", "empty"],
)
def test_a_gz_file_that_cannot_be_read_is_named(tmp_path: Path, data: bytes, kind: str) -> None:
    assert refused(tmp_path, data, "m.csv.gz").kind == kind


def test_a_large_cell_and_a_large_number_of_blank_lines_are_read(tmp_path: Path) -> None:
    data = "a,b\n" + "\n" * 200_000 + "x" * 5_000_000 + ',"' + "y\n" * 100_000 + '"\n'
    frame = read(tmp_path, data, "m.csv").tables[""]
    assert frame.index.tolist() == [200_002]
    assert frame["a"].str.len().tolist() == [5_000_000]
    assert frame["b"].str.len().tolist() == [200_000]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(st.lists(st.tuples(texts, texts, texts), max_size=6), st.sampled_from(",;\t|"))
def test_any_text_survives_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], separator: str
) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerows([("a, b", "c", "d"), *rows])
    file = read(tmp_path_factory.mktemp("csv"), out.getvalue(), "m.csv", ReadRules())
    kept = [list(row) for row in rows if "".join(row).strip()]
    assert file.tables[""].to_numpy().tolist() == kept
    assert file.problems == []
