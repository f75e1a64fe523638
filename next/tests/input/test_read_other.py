import datetime as dt
import gzip
import json
import math
import os
import sys
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

from scoresheet.cli.input.frames import Rules
from scoresheet.cli.input.read import read_tables
from scoresheet.metrics.problem import Refusal
from tests.input.files import CASES, RULES, assert_matches, refused, save, shown
from tests.input.files import read as read_file


def read(folder: Path, data: bytes | str, name: str, rules: Rules = RULES) -> pd.DataFrame:
    file = read_file(folder, data, name, rules)
    assert file.problems == []
    return file.tables[""]


@pytest.mark.parametrize(("data", "expected"), CASES["json"].values(), ids=CASES["json"])
def test_json_is_read_as_text(tmp_path: Path, data: str, expected: str) -> None:
    assert shown(read(tmp_path, data, "m.json")) == expected
    assert shown(read(tmp_path, gzip.compress(data.encode()), "m.json.gz")) == expected
    assert shown(read(tmp_path, data.encode("utf-16"), "m.json")) == expected


def test_json_lines_keep_their_line_numbers(tmp_path: Path) -> None:
    data = '{"a": 1}\n\n{"b": {"c": [1]}}\r\n  \n{"a": "x\u2028y"}'
    expected = "a|b.c / 1 1| / 3 |['1'] / 5 x\u2028y|"
    assert shown(read(tmp_path, data, "m.jsonl")) == expected
    assert shown(read(tmp_path, gzip.compress(data.encode()), "m.jsonl.gz")) == expected


@pytest.mark.parametrize(
    ("data", "path", "expected"), CASES["records"].values(), ids=CASES["records"]
)
def test_records_turn_an_inner_list_into_rows(
    tmp_path: Path, data: str, path: str, expected: str
) -> None:
    rules = Rules(records=path)
    assert shown(read(tmp_path, data, "m.json", rules)) == expected
    value = json.loads(data)
    lines = [json.dumps(line) for line in (value if isinstance(value, list) else [value])]
    assert shown(read(tmp_path, "\n".join(lines), "m.jsonl", rules)) == expected


def keys(count: int) -> str:
    return "\n".join(f'{{"k{number}": 1}}' for number in range(count))


# the file, its name, --records, the refusal
ODD: dict[str, tuple[bytes | str, str, str, str]] = {
    "deep": ("[" * 100000, "m.json", "", "unreadable | recursion"),
    "not UTF-8": ('{"a": "é"}'.encode("cp1252"), "m.jsonl", "", "encoding | cp1252"),
    "a key per line": (keys(20_000), "m.jsonl", "", "too-large | 20,000 columns"),
    "more cells than values": (keys(5_000), "m.jsonl", "", "too-large | most cells are empty"),
    "a bomb of blanks": (gzip.compress(b" " * 65 * 2**20), "m.json.gz", "", "too-large"),
}


@pytest.mark.parametrize("case", [*CASES["refused"], *ODD])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, case: str) -> None:
    data, name, path, expected = (CASES["refused"] | ODD)[case]
    assert_matches(refused(tmp_path, data, name, Rules(records=path)), expected)


def test_the_path_of_the_hint_reads_the_file(tmp_path: Path) -> None:
    nested = CASES["refused"]["another shape"][0]
    path = refused(tmp_path, nested, "m.json").hint.removeprefix("--records ")
    frame = read(tmp_path, nested, "m.json", Rules(records=path))
    assert shown(frame) == "n|a / 1 1|1"


@pytest.mark.parametrize("name", CASES["lines"])
def test_trec_files_and_lists_have_no_header(tmp_path: Path, name: str) -> None:
    data, expected = CASES["lines"][name]
    assert shown(read(tmp_path, data, name)) == expected


def test_parquet_is_read_like_json(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": ["a", None, "a"],
            "whole": [1.0, math.nan, 0.1],
            "ok": [True, False, None],
            "day": [dt.datetime(2024, 3, 1), dt.datetime(2024, 3, 1, 9, 5), None],
            "price": [Decimal("1.50"), None, None],
            "raw": [b"caf\xc3\xa9", None, b""],
            "scores": [{"by": ["kim"], "style": 3}, None, {"by": [], "style": None}],
            "list": [["x", "y"], [], None],
        },
    ).set_index("id")
    frame.to_parquet(tmp_path / "m.parquet")
    data = (tmp_path / "m.parquet").read_bytes()
    expected = (
        "whole|ok|day|price|raw|scores.by|scores.style|list|id"
        " / 1 1|true|2024-03-01|1.50|café|['kim']|3|['x', 'y']|a"
        " / 2 |false|2024-03-01 09:05:00|||||[]|"
        " / 3 0.1|||||[]|||a"
    )
    assert shown(read(tmp_path, data, "m.parquet")) == expected


def test_a_small_parquet_file_with_a_huge_table_is_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({str(number): pyarrow.nulls(8_000_000) for number in range(10)})
    parquet.write_table(table, tmp_path / "m.parquet")
    data = (tmp_path / "m.parquet").read_bytes()
    assert refused(tmp_path, data, "m.parquet").kind == "too-large"


@pytest.mark.parametrize("name", ["m.csv", "m.xlsx", "m.json", "m.parquet", "m.run"])
def test_files_that_are_too_large_or_gone_are_not_opened(tmp_path: Path, name: str) -> None:
    def read_again() -> str:
        with pytest.raises(Refusal) as caught:
            read_tables(source, RULES)
        problem = caught.value.problems[0]
        return f"{problem.kind} {problem.hint}"

    source = save(tmp_path, b"x", name)
    os.truncate(source.path, 30 * 2**30)  # sparse
    assert read_again() == "too-large --max-file-mb 30720"
    source.path.unlink()
    assert read_again() == "unreadable "


def test_parquet_without_pyarrow_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    problem = refused(tmp_path, b"PAR1", "m.parquet")
    assert_matches(problem, "missing-extra | pyarrow | pip install 'scoresheet[parquet]'")
