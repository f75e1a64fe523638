import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.cli.input.frames import Rules
from tests.input.files import CASES, assert_matches, read, refused, shown

LARGE = (
    [",".join(map(str, range(20000))), "too-large | 20,000"],
    [",".join(map(str, range(16000))) + "\n" + "1\n" * 2000, "too-large | 2,001 rows of 16,000"],
)


@pytest.mark.parametrize("case", CASES["csv"].values(), ids=CASES["csv"])
def test_a_file_is_read_as_text(tmp_path: Path, case: list[str]) -> None:
    text, expected, *encoding = case
    file = read(tmp_path, text.encode(*encoding), "m.csv")
    assert shown(file.tables[""]) == expected
    assert file.problems == []
    assert list(file.tables) == [""]


@pytest.mark.parametrize(
    "case", [*CASES["csv_refused"].values(), *LARGE], ids=[*CASES["csv_refused"], "wide", "short"]
)
def test_a_file_is_refused_with_its_line_and_a_hint(tmp_path: Path, case: list[str]) -> None:
    text, expected, *encoding = case
    assert_matches(refused(tmp_path, text.encode(*encoding), "m.csv"), expected)


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
    frame = read(tmp_path, data, "m.csv", Rules(encoding=encoding)).tables[""]
    assert frame["text"].tolist() == ["ok", text]


def test_the_header_row_of_the_hint_reads_the_file(tmp_path: Path) -> None:
    data = 'Results\n"of\nMay"\n\nmodel name,Prediction\nm,p\n\nn,q\n'
    assert refused(tmp_path, data, "m.csv").hint == "--header-row 4"
    frame = read(tmp_path, data, "m.csv", Rules(header_row=4)).tables[""]
    assert shown(frame) == "model name|Prediction / 5 m|p / 7 n|q"


@pytest.mark.parametrize(
    ("data", "expected", "noted"), CASES["csv_noted"].values(), ids=CASES["csv_noted"]
)
def test_what_is_worth_knowing_is_noted(
    tmp_path: Path, data: str, expected: str, noted: str
) -> None:
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
        (Rules(header_row=9), "header-row", ""),
        (Rules(encoding="utf-9"), "encoding", "--encoding utf-8"),
        (Rules(encoding="hex"), "encoding", "--encoding utf-8"),
        (Rules(encoding="ascii"), "encoding", "--encoding utf-8"),
        (Rules(max_file_mb=0), "too-large", "--max-file-mb 1"),
    ],
)
def test_options_that_do_not_fit_the_file(
    tmp_path: Path, rules: Rules, kind: str, hint: str
) -> None:
    problem = refused(tmp_path, "a,b\n1,é\n", "m.csv", rules)
    assert (problem.kind, problem.hint) == (kind, hint)


def test_a_byte_order_mark_decides_over_the_option(tmp_path: Path) -> None:
    data = "é,b\n1,2\n".encode("utf-8-sig")
    file = read(tmp_path, data, "m.csv", Rules(encoding="cp1252"))
    assert shown(file.tables[""]) == "é|b / 2 1|2"
    assert_matches(refused(tmp_path, data + b"\xe9,2\n", "m.csv"), "encoding | line 3: byte 0xE9 ")


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
    file = read(tmp_path_factory.mktemp("csv"), out.getvalue(), "m.csv", Rules())
    kept = [list(row) for row in rows if "".join(row).strip()]
    assert file.tables[""].to_numpy().tolist() == kept
    assert file.problems == []
