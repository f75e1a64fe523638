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

from scoresheet.cli.input.read import read_tables
from scoresheet.cli.input.source import ReadRules
from scoresheet.metrics.problem import Refusal
from tests.input.files import RULES, assert_matches, refused, save, shown
from tests.input.files import read as read_file


def read(folder: Path, data: bytes | str, name: str, rules: ReadRules = RULES) -> pd.DataFrame:
    file = read_file(folder, data, name, rules)
    assert file.problems == []
    return file.tables[""]


JSON = {
    "a list of objects": ('[{"a": "x", "b": "y"}]', "a|b / 1 x|y"),
    "an object of lists": ('{"a": ["x", "y"], "b": [1, [2, 3]]}', "a|b / 1 x|1 / 2 y|['2', '3']"),
    "scalars are text, as a person would type them": (
        '[{"a": 12, "b": 12.0, "c": 0.1, "d": true, "e": false, "f": null, "g": "NA", "h": 1e3}]',
        "a|b|c|d|e|f|g|h / 1 12|12|0.1|true|false||NA|1000",
    ),
    "constants that are not JSON stay text": (
        '[{"a": NaN, "b": -Infinity, "c": 123456789012345678901234567890}]',
        "a|b|c / 1 NaN|-Infinity|123456789012345678901234567890",
    ),
    "objects become dotted columns, lists stay": (
        '[{"id": 1, "scores": {"style": 3, "by": {"kim": null}}, "texts": ["x", {"t": 1.0}]}]',
        "id|scores.style|scores.by.kim|texts / 1 1|3||['x', {'t': '1'}]",
    ),
    "different keys are a union": ('[{"a": 1}, {"b": 2, " a ": 3}, {}]', "a|b / 1 1| / 2 3|2"),
    "null where others have an object": (
        '[{"a": 1, "s": {"x": 2}}, {"a": 3, "s": null}]',
        "a|s.x / 1 1|2 / 2 3|",
    ),
    "a key without a name": ('[{"": 1}]', "(no name) / 1 1"),
}


@pytest.mark.parametrize("case", JSON)
def test_json_is_read_as_text(tmp_path: Path, case: str) -> None:
    data, expected = JSON[case]
    assert shown(read(tmp_path, data, "m.json")) == expected
    assert shown(read(tmp_path, gzip.compress(data.encode()), "m.json.gz")) == expected
    assert shown(read(tmp_path, data.encode("utf-16"), "m.json")) == expected


def test_json_lines_keep_their_line_numbers(tmp_path: Path) -> None:
    data = '{"a": 1}\n\n{"b": {"c": [1]}}\r\n  \n{"a": "x\u2028y"}'
    expected = "a|b.c / 1 1| / 3 |['1'] / 5 x\u2028y|"
    assert shown(read(tmp_path, data, "m.jsonl")) == expected
    assert shown(read(tmp_path, gzip.compress(data.encode()), "m.jsonl.gz")) == expected


# file, path, frame
RECORDS = {
    "outer scalars are repeated": (
        '{"model": "m", "tags": [1], "samples": [{"id": 1}, {"id": 2, "t": {"u": 3}}]}',
        "samples",
        "model|id|t.u / 1 m|1| / 2 m|2|3",
    ),
    "a deeper path": (
        '{"run": 7, "results": {"model": "m", "n": {"all": 1}, "samples": [{"id": 1}]}}',
        "results.samples",
        "run|model|n.all|id / 1 7|m|1|1",
    ),
    "lists on the way": (
        '[{"q": "a", "turns": [{"s": [{"t": 1}, {"t": 2}]}]}, {"q": "b", "turns": []}]',
        "turns.s",
        "q|t / 1 a|1 / 2 a|2",
    ),
    "a name that is inside and outside": (
        '{"id": 7, "r": {"id": 8, "s": [{"id": 1}, {"x": 2}]}}',
        "r.s",
        "outer.id|r.id|id|x / 1 7|8|1| / 2 7|8||2",
    ),
}


@pytest.mark.parametrize("case", RECORDS)
def test_records_turn_an_inner_list_into_rows(tmp_path: Path, case: str) -> None:
    data, path, expected = RECORDS[case]
    rules = ReadRules(records=path)
    assert shown(read(tmp_path, data, "m.json", rules)) == expected
    value = json.loads(data)
    lines = [json.dumps(line) for line in (value if isinstance(value, list) else [value])]
    assert shown(read(tmp_path, "\n".join(lines), "m.jsonl", rules)) == expected


def keys(count: int) -> str:
    return "\n".join(f'{{"k{number}": 1}}' for number in range(count))


NESTED = '{"n": 1, "results": {"samples": [{"a": 1}], "more": [{"deep": [{"b": 1}]}]}}'
# name, file, path, refusal
REFUSED: dict[str, tuple[str, bytes | str, str, str]] = {
    "another shape": (
        "m.json",
        NESTED,
        "",
        "json-shape | results.samples, results.more, results.more.deep | --records results.samples",
    ),
    "a path that is not there": ("m.json", NESTED, "x", "json-shape | at x | --records results"),
    "a path to a scalar": ("m.json", NESTED, "n", "json-shape | at n | --records results"),
    "a line without the list": ("m.jsonl", '{"s": [{}]}\n{}', "s", "json-shape | at s"),
    "a list of one name": ("m.json", '{"s": [{"a": 1}]}', "", "json-shape | at s | --records s"),
    "lists of different lengths": ("m.json", '{"a": [1], "b": []}', "", "json-shape"),
    "a list of lists": ("m.json", '[["a"], [1]]', "", "json-shape"),
    "a list of numbers": ("m.json", "[1, 2]", "", "json-shape"),
    "an empty object": ("m.json", "{}", "", "json-shape"),
    "an empty list": ("m.json", "[]", "", "empty | no rows"),
    "empty objects": ("m.json", "[{}, {}]", "", "empty | no rows"),
    "an empty file of lines": ("m.jsonl", "\n\n", "", "empty | no rows"),
    "broken": ("m.json", '[{"a": 1},\n{"a" 2}]', "", "unreadable | line 2"),
    "lines called json": ("m.json", "{}\n{}", "", "unreadable | line 2 | .jsonl if"),
    "json called lines": ("m.jsonl", '[\n{"a": 1}]', "", "unreadable | line 1 | .json if"),
    "a broken line": ("m.jsonl", '{"a": 1}\n{"a": \n', "", "unreadable | line 2"),
    "a line that is not an object": ("m.jsonl", '{"a": 1}\n[1]\n', "", "json-shape | line 2"),
    "deep": ("m.json", "[" * 100000, "", "unreadable | nested too deeply"),
    "a key twice": ("m.json", '[{"a": 1, "a": 2}]', "", "duplicate-headers | name a"),
    "a key twice, dotted": ("m.json", '[{"a.b": 1, "a": {"b": 2}}]', "", "duplicate-headers | a.b"),
    "NUL": ("m.json", b'[{"a": "\x00"}]', "", "nul | NUL"),
    "not UTF-8": ("m.jsonl", '{"a": "é"}'.encode("cp1252"), "", "encoding | cp1252"),
    "half of a character": ("m.jsonl", '{}\n{"a": "\\ud83d"}', "", "encoding | line 2"),
    "a key per line": ("m.jsonl", keys(20_000), "", "too-large | 20,000 columns"),
    "far more cells than values": ("m.jsonl", keys(5_000), "", "too-large | most cells are empty"),
    "a bomb of blanks": ("m.json.gz", gzip.compress(b" " * 65 * 2**20), "", "too-large"),
    "a short run line": ("m.run", "q Q0 d 1 9 t\nq Q0 d\n", "", "trec-fields | line 2: 3"),
    "a run with a blank in a name": ("m.run", "q Q0 d x 1 9 t", "", "trec-fields | line 1"),
    "a list of blanks": ("m.txt", " \n\n", "", "empty"),
    "not Parquet": ("m.parquet", b"PAR1 is not enough PAR1", "", "unreadable"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, case: str) -> None:
    name, data, path, expected = REFUSED[case]
    assert_matches(refused(tmp_path, data, name, ReadRules(records=path)), expected)


def test_the_path_of_the_hint_reads_the_file(tmp_path: Path) -> None:
    path = refused(tmp_path, NESTED, "m.json").hint.removeprefix("--records ")
    frame = read(tmp_path, NESTED, "m.json", ReadRules(records=path))
    assert shown(frame) == "n|a / 1 1|1"


LINES = {
    "bm25.run": (
        "q1 Q0 d1 1 9.50 bm25\n\n q2\tQ0 d2  2 -1 bm25\r\n",
        "query|item|score|tag / 1 q1|d1|9.50|bm25 / 3 q2|d2|-1|bm25",
    ),
    "judged.qrels": (
        "q1 0 d1 1\nq1 2 d1 0\n",
        "query|subtopic|item|relevance / 1 q1|0|d1|1 / 2 q1|2|d1|0",
    ),
    "options.txt": ("\ufeff red \n\nlight blue, or so\n", "option / 1 red / 3 light blue, or so"),
}


@pytest.mark.parametrize("name", LINES)
def test_trec_files_and_lists_have_no_header(tmp_path: Path, name: str) -> None:
    data, expected = LINES[name]
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


def test_a_text_that_parquet_repeats_is_kept_once(tmp_path: Path) -> None:
    pd.DataFrame({"a": ["x" * 100_000] * 300}).to_parquet(tmp_path / "m.parquet")
    frame = read(tmp_path, (tmp_path / "m.parquet").read_bytes(), "m.parquet")
    assert len({id(cell) for cell in frame["a"]}) == 1


def test_a_small_parquet_file_with_a_huge_table_is_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({str(number): pyarrow.nulls(8_000_000) for number in range(10)})
    parquet.write_table(table, tmp_path / "m.parquet")
    data = (tmp_path / "m.parquet").read_bytes()
    assert refused(tmp_path, data, "m.parquet").kind == "too-large"


@pytest.mark.parametrize("name", ["m.csv", "m.xlsx", "m.json", "m.parquet", "m.run"])
def test_pipes_and_files_that_are_too_large_or_gone_are_not_opened(
    tmp_path: Path, name: str
) -> None:
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
    os.mkfifo(source.path)
    assert read_again() == "not-a-file "


def test_parquet_without_pyarrow_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    problem = refused(tmp_path, b"PAR1", "m.parquet")
    assert_matches(problem, "missing-extra | pyarrow | pip install 'scoresheet[parquet]'")
