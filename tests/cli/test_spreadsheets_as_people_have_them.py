"""Titles above the header, merged cells, notes, remarks and averages: what people have, and what they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from openpyxl import Workbook

from tests.contract.files import read_csv, write_book, write_csv
from tests.contract.studies import problems_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

RANKED = [("query", "item", "rank"), ("q", "a", 1), (None, "b", 2), (None, "c", 3), ("p", "a", 1)]
JUDGED = [("query", "subtopic", "item", "relevance"), ("q", "x", "a", 1), ("q", "y", "c", 1), ("p", "x", "a", 1)]
SCORES = [("item", "ann", "bob", "cleo"), ("q1", 1, 2, 1), ("q2", 4, 5, 4), ("q3", 3, 3, 3), ("q4", 2, 2, 1)]


def test_rows_below_a_merged_key_are_told_so_whatever_the_command(run: Run, tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in RANKED:
        sheet.append(list(row))
    sheet.merge_cells("A2:A4")
    (tmp_path / "outs").mkdir()
    book.save(tmp_path / "outs/m.xlsx")
    write_csv(tmp_path / "refs/r.csv", JUDGED)
    done = run("diversity", "outs", "refs", "-o", "res")
    assert done.code == 0
    assert "rows 2 to 4 are one merged cell; unmerge it and fill each row" in done.err
    assert [(line["row"], line["column"]) for line in problems_of(tmp_path / "res", "empty-key")] == [
        ("3", "query"),
        ("4", "query"),
    ]


def test_a_header_under_a_title_is_pointed_at(run: Run, tmp_path: Path) -> None:
    rows = [("Holiday experiment", None, None), (None, None, None), *RANKED]
    write_book(tmp_path / "outs/m.xlsx", {"Sheet1": rows})
    write_csv(tmp_path / "refs/r.csv", JUDGED)
    done = run("diversity", "outs", "refs", "-o", "res")
    assert done.code == 4
    assert "row 3 looks like the header: delete what stands above it" in done.err


def test_a_sheet_of_notes_can_be_left_out_as_its_message_says(run: Run, tmp_path: Path) -> None:
    filled = [RANKED[0], *((row[0] or "q", *row[1:]) for row in RANKED[1:])]
    write_book(tmp_path / "outs/m.xlsx", {"runs": filled, "My notes": [("Remember",), ("to ask Kim",)]})
    write_csv(tmp_path / "refs/r.csv", JUDGED)
    done = run("diversity", "outs", "refs", "-o", "res")
    assert done.code == 3
    assert "leave the sheet out with --skip-sheet 'My notes'" in done.err
    assert run("diversity", "outs", "refs", "-o", "res", "--skip-sheet", "My notes").code == 0


def test_every_column_that_is_missing_is_named_with_its_option(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "refs/r.csv", JUDGED)
    write_csv(tmp_path / "outs/m.csv", [("thema", "ding", "rank"), ("q", "a", 1)])
    done = run("diversity", "outs", "refs", "-o", "res")
    assert "name yours with --column query=HEADER --column item=HEADER" in done.err


def test_whoever_declared_a_scale_is_not_asked_to_declare_one(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m.csv", [*SCORES, ("q5", 55, 2, 3)])
    assert "Declare yours with --scale" in run("disagree", "outs", "-o", "res").err
    told = run("disagree", "outs", "-o", "res", "--scale", "1:5").err
    assert "Correct these cells" in told
    assert "Declare" not in told


@pytest.mark.parametrize("name", ["Average", "TOTAL:", "平均"])
def test_an_item_that_is_called_as_a_summary_is_said_aloud(run: Run, tmp_path: Path, name: str) -> None:
    write_csv(tmp_path / "outs/m.csv", [*SCORES, (name, 2.5, 3, 2.25)])
    done = run("disagree", "outs", "-o", "res", "--scale", "1:5")
    assert done.code == 0
    assert f"the item {name!r} counts as one; if it sums up the others, delete its row" in done.err
    assert [line["row"] for line in problems_of(tmp_path / "res", "summary-row")] == ["6"]


def test_nobody_is_called_odd_for_a_small_rise_of_alpha(run: Run, tmp_path: Path) -> None:
    close = [(f"q{place}", place / 20, place / 20, min(1, place / 20 + 0.03 * (place % 3))) for place in range(1, 20)]
    apart = [(*row[:3], 1 - row[3]) for row in close]
    for name, rows in (("close", close), ("apart", apart)):
        write_csv(tmp_path / f"outs/{name}.csv", [("item", "ann", "bob", "cleo"), *rows])
    assert run("disagree", "outs", "-o", "res").code == 0
    lines = {line["Model Name"]: line["Odd_Judge"] for line in read_csv(tmp_path / "res/disagreement_results.csv")}
    assert lines == {"close": "", "apart": "cleo"}


def test_a_column_of_remarks_among_streams_is_said_aloud(run: Run, tmp_path: Path) -> None:
    rows = [(f"s{place}", "xy"[place % 2], "x", "y", "fine" if place % 2 else "") for place in range(6)]
    write_csv(tmp_path / "outs/m.csv", [("sample", "label", "A", "B", "remarks"), *rows])
    done = run("collective", "outs", "-o", "res")
    assert done.code == 0
    assert "if it is no stream, name those that are with --streams" in done.err


def test_texts_are_paired_by_their_prompts(run: Run, tmp_path: Path) -> None:
    for model, texts in (("a", ("one two three", "four five six")), ("b", ("one one one", "two two two"))):
        write_csv(tmp_path / f"outs/{model}.csv", [("Prompt", "Answer"), *zip(("p1", "p2"), texts, strict=True)])
    assert run("entropy", "outs", "-o", "res").code == 0
    assert [line["Id"] for line in read_csv(tmp_path / "res/a_entropy.csv")] == ["p1", "p2"]
