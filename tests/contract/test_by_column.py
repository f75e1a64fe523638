"""Are the results by a user's column those of a run on its rows alone, and do columns come along to the units?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.files import (
    Table,
    digests,
    header,
    read_csv,
    sheet_names,
    sheet_rows,
    write_book,
    write_bytes,
    write_csv,
)
from tests.helpers.runs import Run, called_in
from tests.helpers.studies import Place
from tests.helpers.workbooks import empty_workbooks

pytestmark = pytest.mark.usefixtures("no_workbooks")

Row = Sequence[Any]

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
IDIOMS = [f"idiom {number}" for number in range(12)]
SINFO: list[Row] = [
    ("Idiom", "Prediction", "group"),
    *((idiom, " ".join(WORDS[: number % 5 + 1]), "ab"[number % 2]) for number, idiom in enumerate(IDIOMS)),
]
SINFO_REFERENCES: list[Row] = [("idiom", "explanation"), *((idiom, " ".join(WORDS[:6])) for idiom in IDIOMS)]
CHOICES: list[Row] = [
    ("level", "choice", "group"),
    *(("0", "xxyz"[number % 4] if number < 8 else "x", "ab"[number % 3 == 0]) for number in range(16)),
]
RANKINGS: list[Row] = [
    ("query", "item", "rank", "group"),
    *((f"q{q}", item, rank, "ab"[q % 2]) for q in range(4) for rank, item in enumerate("wxyz"[q:] + "wxyz"[:q], 1)),
]
JUDGMENTS: list[Row] = [
    ("query", "subtopic", "item", "relevance"),
    *((f"q{q}", sub, item, 1) for q in range(4) for sub, item in (("1", "w"), ("2", "y"), ("1", "z"))),
]
SCORES: list[Row] = [
    ("item", "judge", "score", "group"),
    *((f"i{n}", judge, (n * 3 + k * n) % 7 / 10, "ab"[n % 2]) for n in range(8) for k, judge in enumerate("xyz")),
]
TEXTS: list[Row] = [
    ("text", "group"),
    *((" ".join(WORDS[n % 4 : n % 4 + 5 + n]), "ab"[n % 2]) for n in range(6)),
]
VOTES: list[Row] = [
    ("sample", "label", "s1", "s2", "group"),
    *((f"v{n}", "pq"[n % 2], "pq"[n % 2], "pq"[n % 3 == 0], "ab"[n // 6]) for n in range(12)),
]
CASES: dict[str, tuple[list[Row], list[Row], tuple[str, ...]]] = {
    "sinfo": (SINFO, SINFO_REFERENCES, ()),
    "mode-collapse": (CHOICES, [], ()),
    "diversity": (RANKINGS, JUDGMENTS, ()),
    "disagree": (SCORES, [], ("--scale", "0:1")),
    "entropy": (TEXTS, [], ()),
    "collective": (VOTES, [], ()),
}


def scored(root: Path, command: str, rows: Sequence[Row], *options: str, res: str) -> Path:
    """Score one model's table, and return the folder of results."""
    _, references, own = CASES[command]
    write_csv(root / res / "outs" / "m.csv", rows)
    places = [f"{res}/outs"]
    if references:
        write_csv(root / res / "refs" / "r.csv", references)
        places.append(f"{res}/refs")
    with empty_workbooks():
        ended = called_in(root)(command, *places, "-o", f"{res}/res", *own, *options)
    assert ended.code == 0, ended.err
    return root / res / "res"


def results(folder: Path, pattern: str = "*_results.csv") -> Table:
    """The one table of this name."""
    (path,) = folder.glob(pattern)
    return read_csv(path)


@pytest.mark.parametrize("command", CASES)
def test_the_results_by_a_column_are_those_of_a_run_on_its_rows(tmp_path: Path, command: str) -> None:
    rows = CASES[command][0]
    whole = scored(tmp_path, command, rows, "--by", "group", res="whole")
    parts = {line["group"]: line for line in results(whole, "*_by_group.csv")}
    assert sorted(parts) == ["a", "b"]
    for value, part in parts.items():
        own = [row[:-1] for row in rows if row[-1] in ("group", value)]
        (line,) = results(scored(tmp_path, command, own, res=f"only_{value}"))
        shared = [name for name in part if name in line]
        assert len(shared) > 4
        assert {name: part[name] for name in shared} == {name: line[name] for name in shared}


@pytest.mark.parametrize("command", [command for command in CASES if command != "collective"])
def test_a_column_comes_along_to_the_units(tmp_path: Path, command: str) -> None:
    rows = CASES[command][0]
    kept = scored(tmp_path, command, rows, "--keep", "group", res="kept")
    plain = scored(tmp_path, command, rows, res="plain")
    (path,) = (each for each in kept.glob("m_*.csv") if not each.stem.endswith(("_samples", "_counts")))
    units, bare = read_csv(path), read_csv(plain / path.name)
    assert [name for name in units[0] if name not in bare[0]] == ["group"]
    assert [{name: value for name, value in unit.items() if name != "group"} for unit in units] == bare
    assert {part for unit in units for part in unit["group"].split(" | ")} >= {"a", "b"}


def test_the_units_of_an_ensemble_are_no_rows_and_keep_no_columns(place: Place) -> None:
    write_csv(place.outs / "m.csv", VOTES)
    ended = place.run("collective", "outs", "-o", "res", "--keep", "group")
    assert ended.code == 2
    assert "--keep group: the units of collective are of no rows of their own" in ended.err


@pytest.fixture
def ready(place: Place) -> Place:
    """References, and two models of which one has no such column."""
    write_csv(place.refs / "r.csv", SINFO_REFERENCES)
    write_csv(place.outs / "m.csv", SINFO)
    return place


def test_every_unit_has_the_value_of_its_row(ready: Place) -> None:
    assert ready.score("--keep", "group").code == 0
    groups = {row[0]: row[2] for row in SINFO[1:]}
    assert all(unit["group"] == groups[unit["Idiom"]] for unit in ready.detail())


@pytest.mark.usefixtures("workbooks")
def test_it_is_on_a_page_in_csv_in_json_and_in_the_manifest(ready: Place) -> None:
    assert ready.score("--by", "group").code == 0
    assert "s_info_by_group.csv" in {path.name for path in ready.res.iterdir()}
    lines = read_csv(ready.res / "s_info_by_group.csv")
    assert [(line["Model Name"], line["group"], line["Rows"]) for line in lines] == [("m", "a", "6"), ("m", "b", "6")]
    assert {"S_Info", "CI_Low", "CI_High", "Scored", "Coverage"} <= set(lines[0])
    assert "By group" in sheet_names(ready.res / "s_info_results.xlsx")
    assert [row[1] for row in sheet_rows(ready.res / "s_info_results.xlsx", "By group")][:3] == ["group", "a", "b"]
    by = json.loads((ready.res / "metrics.json").read_text("utf-8"))["m"]["By"]["group"]
    assert by["a"]["S_Info"] == pytest.approx(float(lines[0]["S_Info"]))
    manifest = json.loads((ready.res / "manifest.json").read_text("utf-8"))
    assert "s_info_by_group.csv" in [each["file"] for each in manifest["outputs"]]


@pytest.mark.usefixtures("workbooks")
def test_the_other_reports_are_what_they_are_without(ready: Place) -> None:
    assert ready.score(res="plain").code == 0
    assert ready.score("--by", "group").code == 0
    plain, parted = digests(ready.root / "plain"), digests(ready.res)
    for name in ("s_info_results.csv", "m_s_info.csv", "problems.csv"):
        assert plain[name] == parted[name]


def test_a_blank_cell_is_a_value_of_its_own_and_case_of_the_header_does_not_matter(ready: Place) -> None:
    write_csv(
        ready.outs / "m.csv", [SINFO[0], *((*row[:2], " " if n < 2 else row[2]) for n, row in enumerate(SINFO[1:]))]
    )
    assert ready.score("--by", "GROUP").code == 0
    lines = read_csv(ready.res / "s_info_by_GROUP.csv")
    assert [(line["GROUP"], line["Rows"]) for line in lines] == [("(blank)", "2"), ("a", "5"), ("b", "5")]


def test_several_columns_and_models_and_sheets(ready: Place) -> None:
    head, *rows = SINFO
    more = [(*head, "kind"), *((*row, "uv"[n > 5]) for n, row in enumerate(rows))]
    write_book(ready.outs / "n.xlsx", {"one": more[:7], "two": [more[0], *more[7:]]})
    ended = ready.score("--by", "group", "--by", "kind", "--keep", "kind", "--keep", "group")
    assert ended.code == 0, ended.err
    by_group = [(line["Model Name"], line["group"]) for line in read_csv(ready.res / "s_info_by_group.csv")]
    assert by_group == [("m", "a"), ("m", "b"), ("n", "a"), ("n", "b")]
    assert [(line["Model Name"], line["kind"]) for line in read_csv(ready.res / "s_info_by_kind.csv")] == [
        ("n", "u"),
        ("n", "v"),
    ]
    assert header(ready.res / "n_s_info.csv")[-2:] == ["kind", "group"]
    assert "note: outs/m.csv[Sheet1]: no column 'kind' for --by in this sheet" in ended.err


def test_a_column_that_no_file_has_is_a_usage_error_and_nothing_is_written(ready: Place) -> None:
    for option in ("--by", "--keep"):
        ended = ready.score(option, "gruop")
        assert ended.code == 2
        assert f"{option} gruop: no file has such a column; did you mean 'group'?" in ended.err
    assert not list(ready.res.glob("*.csv"))


def test_a_column_named_twice_counts_once(ready: Place) -> None:
    assert ready.score("--by", "group", "--by", "Group", "--keep", "group", "--keep", "group").code == 0
    assert [path.name for path in ready.res.glob("*_by_*")] == ["s_info_by_group.csv"]
    assert header(ready.res / "m_s_info.csv").count("group") == 1


def test_the_columns_of_one_file_name_do_not_overwrite_each_other(ready: Place) -> None:
    head, *rows = SINFO
    write_csv(ready.outs / "m.csv", [(*head[:2], "a/b", "a_b", "Sheet name"), *((*row, row[2], "x") for row in rows)])
    assert ready.score("--by", "a/b", "--by", "a_b").code == 0
    assert len(list(ready.res.glob("s_info_by_*.csv"))) == 2


def test_the_columns_that_split_models_and_sheets_can_be_asked_for(ready: Place) -> None:
    head, *rows = SINFO
    write_csv(ready.outs / "m.csv", [(*head, "Sheet"), *((*row, "uv"[n > 5]) for n, row in enumerate(rows))])
    ended = ready.score("--by", "Sheet")
    assert ended.code == 0, ended.err
    assert [(line["Sheet"], line["Rows"]) for line in read_csv(ready.res / "s_info_by_Sheet.csv")] == [
        ("u", "6"),
        ("v", "6"),
    ]


def test_a_table_of_others_is_not_replaced(ready: Place) -> None:
    mine = write_bytes(ready.res / "s_info_by_group.csv", b"mine")
    assert ready.score("--by", "group").code == 2
    assert mine.read_bytes() == b"mine"


@pytest.mark.processes
@pytest.mark.usefixtures("workbooks")
def test_it_is_the_same_for_any_number_of_workers(run: Run, ready: Place) -> None:
    write_csv(ready.outs / "n.csv", SINFO[:7])
    for jobs in ("1", "2"):
        assert (
            run("sinfo", "outs", "refs", "-o", f"res{jobs}", "--by", "group", "--keep", "group", "-j", jobs).code == 0
        )
    assert digests(ready.root / "res1") == digests(ready.root / "res2")


def test_sinfo_knows_the_language_of_each_row_where_no_column_says_it(place: Place) -> None:
    idioms = {"break the ice": "to begin to talk", "画蛇添足": "做了多余的事", "猿も木から落ちる": "だれでも失敗する"}
    answers = ("to begin to talk now", "多余的事", "だれでも失敗する")
    body = list(zip(idioms, answers, strict=True))
    write_csv(place.refs / "r.csv", [("idiom", "explanation"), *idioms.items()])
    write_csv(place.outs / "m.csv", [("Idiom", "Prediction"), *body, ("nobody knows it", "at all")])
    ended = place.score("--by", "Language", "--keep", "language")
    assert ended.code == 0, ended.err
    kept = [unit["language"] for unit in place.detail()]
    assert len(set(kept)) == len(kept)
    lines = read_csv(place.res / "s_info_by_Language.csv")
    assert [line["Language"] for line in lines] == [name or "(blank)" for name in kept]
    assert [line["S_Info"] for line in lines] == [unit["S_Info"] for unit in place.detail()]
    named = [("Idiom", "Prediction", "language"), *((*row, "mine") for row in body)]
    write_csv(place.outs / "m.csv", named)
    assert place.score("--by", "Language").code == 0
    assert [line["Language"] for line in read_csv(place.res / "s_info_by_Language.csv")] == ["mine"]


def test_other_commands_know_no_language(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "m.csv", TEXTS)
    ended = run("entropy", "m.csv", "--by", "language", "-o", "res")
    assert (ended.code, "no file has such a column" in ended.err) == (2, True)
