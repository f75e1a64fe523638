"""Rows around the data: titles above the header, totals and remarks below, cells merged or never calculated."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from tests.helpers.files import Formula, read_csv, table_text, write_book, write_bytes, write_csv
from tests.helpers.runs import called_in
from tests.helpers.studies import ANSWERS, Place, answers
from tests.helpers.tables import objects

pytestmark = pytest.mark.usefixtures("no_workbooks")

TITLES: list[Sequence[Any]] = [("Results, final; draft 3",), (), ("made by Kim", "in May")]
HEAD, *BODY = answers()


def padded(rows: Sequence[Sequence[Any]], width: int = 2) -> list[tuple[Any, ...]]:
    """The rows with empty cells to the right."""
    return [(*row, *[""] * (width - len(row))) for row in rows]


def merged(path: Path, rows: Sequence[Sequence[Any]], area: str) -> Path:
    """A workbook in which some cells are one."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    sheet.merge_cells(area)
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return path


@pytest.fixture
def ready(place: Place) -> Place:
    """References, and no model yet."""
    place.references()
    return place


@pytest.fixture(scope="module")
def titled(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The same answers below titles in every format that can have any, and plain ones, in one run."""
    root = tmp_path_factory.mktemp("titled")
    place = Place(root, called_in(root))
    place.references()
    place.model("plain")
    rows = [*TITLES, *answers()]
    write_book(place.outs / "book.xlsx", {"Sheet1": rows})
    for name, sep in (
        ("comma.csv", ","),
        ("semicolon.csv", ";"),
        ("tab.csv", "\t"),
        ("bar.csv", "|"),
        ("tsv.tsv", "\t"),
    ):
        text = table_text([rows[0]], "\x1f") + table_text(rows[1:], sep)  # a title as it is, not quoted
        write_bytes(place.outs / name, text.encode())
        write_bytes(place.outs / f"padded_{name}", table_text(padded(rows), sep).encode())
    write_bytes(place.outs / "packed.csv.gz", gzip.compress(table_text(rows).encode()))
    ended = place.score("--strict")
    assert ended.code == 0, ended.err
    return place


def test_a_header_below_titles_is_found_in_every_format(titled: Place) -> None:
    results = titled.results()
    assert len(results) == 13
    assert {(line["S_Info"], line["Rows"], line["Status"]) for line in results.values()} == {
        (results["plain"]["S_Info"], "3", "ok")
    }


def test_the_row_of_the_header_is_noted_and_the_rows_keep_their_numbers(titled: Place) -> None:
    lines = titled.problems("header-row")
    assert {line["file"] for line in lines} == {path.name for path in titled.outs.iterdir()} - {"plain.csv"}
    assert {line["message"] for line in lines} == {
        "row 4 is the header, the first with the needed columns; 2 rows above it left out"
    }
    for model in titled.results():
        assert [unit["Row"] for unit in titled.detail(model)] == (
            ["2", "3", "4"] if model == "plain" else ["5", "6", "7"]
        )


def test_a_header_beyond_twenty_rows_is_not_looked_for_and_can_be_named(ready: Place) -> None:
    write_csv(ready.outs / "m.csv", [*([("title", "x")] * 20), *answers()])
    ended = ready.score()
    assert ended.code == 4
    assert "the first row has title, x" in ended.err
    assert ready.score("--header-row", "21").code == 0
    assert [unit["Row"] for unit in ready.detail()] == ["22", "23", "24"]
    write_csv(ready.outs / "m.csv", [*([("title", "x")] * 19), *answers()])
    assert ready.score().code == 0


def test_a_named_header_row_holds_though_another_would_do(ready: Place) -> None:
    lower = [
        ("Idiom", "Prediction", "x"),
        ("old", "old", "x"),
        ("Prediction", "", "Idiom"),
        ("very rarely", "", BODY[1][0]),
    ]
    write_csv(ready.outs / "m.csv", lower)
    assert ready.score("--header-row", "3").code == 0
    assert [unit["Row"] for unit in ready.detail()] == ["4"]


def test_a_header_row_that_is_not_there_is_said(ready: Place) -> None:
    ready.model("m")
    ended = ready.score("--header-row", "40")
    assert ended.code == 4
    assert "there is no row 40 to be the header" in ended.err
    assert ready.score("--header-row", "-1").code == 2


def test_references_below_titles_are_found_too(place: Place) -> None:
    place.model("m", ANSWERS)
    write_csv(place.refs / "r.csv", [("Reference, list",), ("idiom", "explanation"), *ANSWERS.items()])
    assert place.score("--header-row", "1").code == 0  # of the outputs: the references have their own
    assert place.scores() == [1.0, 1.0, 1.0]


# --- below -----------------------------------------------------------------------------------------------------------

TAILS: dict[str, list[tuple[str, str]]] = {
    "total": [("Total", "")],
    "number": [("Grand Total:", "3")],
    "average": [("average", "4.5 %"), ("Total", "12")],
    "remark": [("Note: the second is a guess", "")],
    "chinese": [("合计", "3")],
}


@pytest.mark.parametrize("missing", ["zero", "nan", "error"])
def test_a_row_that_sums_up_or_remarks_is_no_row_of_the_data(ready: Place, missing: str) -> None:
    ready.model("plain")
    for name, tail in TAILS.items():
        write_csv(ready.outs / f"{name}.csv", [*answers(), *tail])
    write_book(ready.outs / "book.xlsx", {"Sheet1": [*answers(), ("Total", None)]})
    ended = ready.score("--missing", missing, "--strict")
    assert ended.code == 0, ended.err
    assert {(line["S_Info"], line["Rows"]) for line in ready.results().values()} == {
        (ready.results()["plain"]["S_Info"], "3")
    }
    assert [(line["file"], line["row"]) for line in ready.problems("summary-row")] == [
        ("average.csv", "5"),
        ("average.csv", "6"),
        ("book.xlsx", "5"),
        ("chinese.csv", "5"),
        ("number.csv", "5"),
        ("remark.csv", "5"),
        ("total.csv", "5"),
    ]
    assert {line["effect"] for line in ready.problems("summary-row")} == {"note"}


def test_an_answer_about_a_total_is_data(ready: Place) -> None:
    write_csv(ready.refs / "more.csv", [("idiom", "explanation"), ("total", "the whole"), ("mean", "not kind")])
    write_csv(ready.outs / "m.csv", [HEAD, ("total", "the whole"), *BODY])
    write_csv(ready.outs / "n.csv", [*answers(), ("mean", "not kind")])
    assert ready.score().code == 0
    assert ready.problems("summary-row") == []
    assert {line["Rows"] for line in ready.results().values()} == {"4"}


TABLES: dict[str, tuple[list[Sequence[Any]], list[Sequence[Any]]]] = {
    "disagree": (
        [("item", "anna", "bert"), *((f"i{n}", n % 3 / 10, n % 4 / 10) for n in range(6))],
        [("Mean", "0.1", "0.2"), ("SD", "0.05", "0.1")],
    ),
    "diversity": (
        [("query", "item", "rank", "subtopics"), ("q", "a", 1, "s|t"), ("q", "b", 2, "t")],
        [("Total", "", 2, "")],
    ),
    "mode-collapse": ([("level", "choice", "count"), (0, "a", 3), (0, "b", 1)], [("Total", "", 4)]),
    "collective": (
        [("sample", "label", "s1", "s2"), *((f"v{n}", "pq"[n % 2], "p", "pq"[n % 3 == 0]) for n in range(6))],
        [("Average", "", "0.5", "0.6")],
    ),
}


@pytest.mark.parametrize("command", TABLES)
def test_every_command_tells_totals_from_data_and_says_so(place: Place, command: str) -> None:
    rows, tail = TABLES[command]
    write_csv(place.outs / "plain.csv", rows)
    write_csv(place.outs / "summed.csv", [*rows, *tail])
    ended = place.run(command, "outs", "-o", "res", "--strict")
    assert ended.code == 0, ended.err
    assert "sums up or remarks on the rows above; it is no row of the data" in ended.err
    (results,) = place.res.glob("*_results.csv")
    plain, summed = (list(line.values())[1:] for line in read_csv(results))
    assert plain == summed
    assert len(place.problems("summary-row")) == len(tail)


def test_items_that_only_might_sum_up_are_data(place: Place) -> None:
    rows = [("item", "anna", "bert"), ("a", 0.1, 0.2), ("mean", 0.2, 0.4), ("b", 0.5, 0.6), ("n", 0.3, 0.3)]
    write_csv(place.outs / "m.csv", rows)
    assert place.run("disagree", "outs", "-o", "res").code == 0
    (line,) = place.problems("summary-row")
    assert line["message"].startswith("the item 'mean' counts as one")
    (result,) = read_csv(place.res / "disagreement_results.csv")
    assert result["Items"] == "4"


# --- formulas --------------------------------------------------------------------------------------------------------


def test_a_formula_that_was_never_calculated_refuses_a_sheet_only_where_it_is_needed(ready: Place) -> None:
    head = (*HEAD, "Length")
    beside = [head, *((*row, Formula(f"=LEN(B{n})")) for n, row in enumerate(BODY, 2))]
    above = [("Made on", Formula("=TODAY()"), None), *([(*row, 1) for row in answers()])]
    within = [head, *((row[0], Formula('="a"'), 1) for row in BODY)]
    for name, rows in (("beside", beside), ("above", above), ("within", within)):
        write_book(ready.outs / f"{name}.xlsx", {"Sheet1": rows})
    assert ready.score().code == 3
    assert {name: line["Status"] for name, line in ready.results().items()} == {
        "above": "ok",
        "beside": "ok",
        "within": "failed",
    }
    lines = {line["file"]: line for line in ready.problems("formula-without-value")}
    assert {file: line["effect"] for file, line in lines.items()} == {
        "beside.xlsx": "note",
        "within.xlsx": "sheet skipped",
    }
    assert lines["beside.xlsx"]["column"] == "Length"
    assert "cell B2 and 2 more" in lines["within.xlsx"]["message"]


# --- merged cells ----------------------------------------------------------------------------------------------------

RANKED: list[Sequence[Any]] = [("query", "item", "rank"), ("q", "a", 1), (None, "b", 2), (None, "c", 3), ("p", "a", 1)]
JUDGED = [("query", "subtopic", "item", "relevance"), ("q", "x", "a", 1), ("q", "y", "c", 1), ("p", "x", "a", 1)]


def test_fill_down_gives_the_rows_below_their_key_in_every_format(place: Place) -> None:
    write_csv(place.refs / "r.csv", JUDGED)
    filled = [RANKED[0], *((row[0] or "q", *row[1:]) for row in RANKED[1:])]
    write_csv(place.outs / "full.csv", filled)
    write_csv(place.outs / "blank.csv", [["" if cell is None else cell for cell in row] for row in RANKED])
    write_bytes(
        place.outs / "lines.jsonl",
        "\n".join(str(each).replace("'", '"').replace("None", "null") for each in objects(RANKED)).encode(),
    )
    merged(place.outs / "merged.xlsx", RANKED, "A2:A4")
    write_csv(
        place.outs / "long.csv",
        [("model", *RANKED[0]), *(("x" if n == 0 else "", *row) for n, row in enumerate(RANKED[1:]))],
    )
    assert place.run("diversity", "outs", "refs", "-o", "res", "--fill-down", "--strict").code == 0
    lines = read_csv(place.res / "diversity_results.csv")
    assert [line.pop("Model Name") for line in lines] == ["blank", "full", "lines", "merged", "x"]
    assert all(line == lines[1] for line in lines)
    assert lines[1]["Rows"] == "4"


def test_without_it_the_rows_have_no_key_and_the_message_names_it(place: Place) -> None:
    write_csv(place.refs / "r.csv", JUDGED)
    merged(place.outs / "merged.xlsx", RANKED, "A2:A4")
    ended = place.run("diversity", "outs", "refs", "--dry-run")
    assert "rows 2 to 4 are one merged cell; --fill-down gives each its value" in ended.err


def test_fill_down_leaves_texts_alone(ready: Place) -> None:
    write_csv(ready.outs / "m.csv", [HEAD, BODY[0], (BODY[1][0], ""), BODY[2]])
    assert ready.score("--fill-down", "--missing", "nan").code == 0
    assert ready.results()["m"]["Scored"] == "2"


# --- files joined end to end -----------------------------------------------------------------------------------------


def test_a_header_that_stands_among_the_rows_again_is_no_row_and_no_model(ready: Place) -> None:
    head = ("model", *HEAD)
    rows = [head, *(("x", *row) for row in BODY), head, *(("y", *row) for row in BODY), head]
    write_csv(ready.outs / "joined.csv", rows)
    others = [row if row == head else (f"b-{row[0]}", *row[1:]) for row in rows]
    write_book(ready.outs / "book.xlsx", {"Sheet1": others})
    ended = ready.score("--strict")
    assert ended.code == 0
    assert set(ready.results()) == {"x", "y", "b-x", "b-y"}
    again = [len(BODY) + 2, 2 * len(BODY) + 3]
    assert f"row {again[0]}: the header stands here again" in ended.err
    assert [int(line["row"]) for line in ready.problems("repeated-header")] == [*again, *again]
    assert {line["Coverage"] for line in ready.results().values()} == {"1.0"}


def test_a_mark_before_a_header_further_down_hides_it_not(ready: Place) -> None:
    text = table_text(answers())
    write_bytes(ready.outs / "m.csv", (text + "\ufeff" + text).encode())
    assert ready.score().code == 0
    assert [line["row"] for line in ready.problems("repeated-header")] == [str(len(BODY) + 2)]
    assert len(ready.scores()) == 2 * len(BODY)


def test_a_header_in_another_order_further_down_refuses_the_file(ready: Place) -> None:
    write_csv(ready.outs / "m.csv", [HEAD, *BODY, HEAD[::-1], *(row[::-1] for row in BODY)])
    ended = ready.score()
    assert ended.code == 4
    assert f"row {len(BODY) + 2} has the names of the header in another order" in ended.err


def test_no_choice_is_made_of_a_header_in_the_middle(place: Place) -> None:
    head, *rows = [("choice",), *[("Rome",)] * 6, *[("Oslo",)] * 2]
    write_csv(place.outs / "m.csv", [head, *rows])
    write_csv(place.outs / "joined.csv", [head, *rows[:3], head, *rows[3:]])
    assert place.run("mode-collapse", "outs", "-o", "res").code == 0
    lines = {line["Model Name"]: line["Gini"] for line in read_csv(place.res / "mode_collapse_results.csv")}
    assert lines == {"m": "0.25", "joined": "0.25"}
