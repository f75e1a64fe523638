"""The small languages: --column, --where, --extract, and how cells are read."""

import shlex
from typing import Any

import pandas as pd
import pytest

from scoresheet.cli.input.grammar import (
    extractor,
    filter_rows,
    join_names,
    parse_columns,
    parse_where,
    split_names,
    where_option,
)
from scoresheet.metrics.problem import Refusal
from scoresheet.metrics.role import Role, Table, outputs
from tests.input.conftest import Load, Refused

TABLES = (
    outputs((Role("model"), Role("idiom"), Role("prediction"))),
    Table("references", (Role("idiom"), Role("reference"))),
)
A, B, C = "one two three four", "five six seven eight", "nine ten eleven twelve"


@pytest.mark.parametrize(
    ("typed", "table", "role", "source"),
    [
        ("prediction=reply", "outputs", "prediction", "reply"),
        (" prediction = the reply ", "outputs", "prediction", "the reply"),
        ("outputs.model=@file", "outputs", "model", "@file"),
        ("references.reference=English", "references", "reference", "English"),
        ("references.ignore=a,b", "references", "ignore", "a,b"),
        ("prediction=a=b", "outputs", "prediction", "a=b"),
        ("cluster=passage", "outputs", "cluster", "passage"),
    ],
)
def test_column_names_a_table_a_role_and_a_source(
    typed: str, table: str, role: str, source: str
) -> None:
    (said,) = parse_columns([typed], TABLES)
    assert (said.table, said.role, said.source) == (table, role, source)


def test_all_wrong_columns_are_reported_together_with_the_nearest_name() -> None:
    with pytest.raises(Refusal) as caught:
        parse_columns(
            ["predicton=reply", "refrences.reference=x", "model", "references.model=m"], TABLES
        )
    problems = caught.value.problems
    assert [problem.kind for problem in problems] == ["usage"] * 4
    assert problems[0].hint == "--column prediction=reply"
    assert problems[1].hint == "--column references.reference=x"
    assert "ROLE=SOURCE" in problems[2].message
    assert "roles: idiom, reference, ignore" in problems[3].message


@pytest.mark.parametrize("names", [["a", "b"], ["Paris, France", "Rome"], ["a b", 'say "x"']])
def test_lists_of_names_can_hold_commas(names: list[str]) -> None:
    assert split_names(join_names(names)) == names


# --- where ----------------------------------------------------------------------------------

PEOPLE = pd.DataFrame(
    {
        "name": ["Ann", "O'Brien", "rock and roll", ""],
        "age": ["9", "10", "1e1", "x"],
        "my score": ["0.5", "", "2", "3"],
        "a == b": ["1", "2", "3", "4"],
    },
    dtype=object,
)


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("", [0, 1, 2, 3]),
        ("name == Ann", [0]),
        ("name == 'Ann'", [0]),
        ("name==Ann", [0]),
        ("name != Ann", [1, 2, 3]),
        ("age == 10", [1, 2]),
        ("age < 10", [0]),
        ("age >= 9", [0, 1, 2]),
        ("age != 10", [0, 3]),
        ("age == x", [3]),
        ("name == O'Brien and age == 10", [1]),
        ("age == 10 and name == O'Brien", [1]),
        ("age == 10 AND name == O'Brien", [1]),
        ("name == 'rock and roll'", [2]),
        ('name == "rock and roll" and age <= 10', [2]),
        ("'my score' > 1", [2, 3]),
        ("my score > 1", [2, 3]),
        ("my score < 3", [0, 2]),
        ("name == ''", [3]),
        ("'a == b' >= 3", [2, 3]),
        ("name > B", [1, 2]),
    ],
)
def test_where_keeps_the_rows_that_match(where: str, rows: list[int]) -> None:
    assert list(filter_rows(PEOPLE, parse_where(where)).index) == rows


@pytest.mark.parametrize("where", ["name", "name = Ann", "name == rock and roll", "and", "== 3"])
def test_where_that_is_not_a_condition_is_a_usage_error(where: str) -> None:
    with pytest.raises(Refusal) as caught:
        filter_rows(PEOPLE, parse_where(where))
    assert caught.value.problems[0].kind in ("usage", "unknown-header")


@pytest.mark.parametrize(
    ("column", "value"),
    [("name", "Ann"), ("name", "rock and roll"), ("a == b", "3"), ("name", ""), ("my score", "2")],
)
def test_a_printed_where_selects_the_rows_it_is_about(column: str, value: str) -> None:
    option, text = shlex.split(where_option(column, "==", value))
    assert option == "--where"
    kept = filter_rows(PEOPLE, parse_where(text))
    assert kept[column].tolist() == [value]


def test_where_names_the_nearest_column_and_what_it_holds(refused: Refused) -> None:
    cells = {"idiom": ["a", "b"], "prediction": [A, B], "reference": [B, C], "split": ["x", "y"]}
    (problem,) = refused("sinfo", cells, "--where 'spilt == x'")
    assert problem.kind == "unknown-header"
    assert problem.hint == "--where 'split == x'"
    (problem,) = refused("sinfo", cells, "--where 'split == z'")
    assert problem.kind == "no-rows"
    assert problem.hint == "column split holds x, y"


def test_where_comes_before_everything_else(load: Load) -> None:
    cells = {
        "idiom": ["a", "a", "b"],
        "prediction": [A, B, C],
        "reference": [B, C, A],
        "split": ["dev", "test", "test"],
    }
    long = load("sinfo", cells, "--where 'split == test'").long
    assert long["prediction"].tolist() == [B, C]
    assert long["row"].tolist() == [3, 4]


# --- extract --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "text", "answer"),
    [
        ("number", "4/5", "4"),
        ("number", "I give it 8 out of 10.", "8"),
        ("number", "Score: 8.5 / 10", "8.5"),
        ("number", "first 3, then 4", "4"),
        ("number", "it is -2", "-2"),
        ("number", "it is \u22122", "-2"),
        ("number", "between 3-4", "4"),
        ("number", "on 2024-05-01", "01"),
        ("number", "model GPT-4", "4"),
        ("number", "costs 1,234.5 dollars", "1234.5"),
        ("number", "1,234,567", "1234567"),
        ("number", "3,5 Punkte", "3,5"),
        ("number", "1e-3", "1e-3"),
        ("number", "none at all", ""),
        ("number", "<think>maybe 2</think> 5", "5"),
        ("number", "<think>maybe 2", ""),
        ("number", "maybe 2</think>5", "5"),
        ("number", '```json\n{"score": 4}\n```', "4"),
        ("number", "```4```", "4"),
        ("last", "Answer: no. On second thought, answer: yes", "yes"),
        ("last", "The final answer is 42", "42"),
        ("last", "**Final Answer:** Paris", "Paris"),
        ("last", "Final answer\nParis", "Paris"),
        ("last", "<THINK>answer: 3</THINK>Answer = 4", "4"),
        ("last", "I do not know", ""),
        ("last", "~~~\nanswer: x\n~~~", "x"),
        (r"\[\[(\w)\]\]", "so [[A]] wins", "A"),
        (r"[A-D]\b", "it is C", "C"),
        (r"x(\d)?", "x", ""),
        (r"\d+", "no digits", ""),
    ],
)
def test_extract_takes_the_answer(how: str, text: str, answer: str) -> None:
    assert extractor(how)(text) == answer


def test_a_wrong_expression_is_a_usage_error() -> None:
    with pytest.raises(Refusal, match="not a regular expression"):
        extractor("([")


@pytest.mark.parametrize(
    ("family", "cells", "option", "role", "values"),
    [
        (
            "scores",
            {"item": ["a", "b"], "score": ["4/5", "so 8 out of 10"]},
            "--extract number",
            "score",
            [4.0, 8.0],
        ),
        (
            "sinfo",
            {"idiom": ["a", "b"], "output": [f"hm. Answer: {A}", B], "gold": ["answer: x", "y"]},
            "--extract last",
            "prediction",
            [A, ""],
        ),
        (
            "mode-collapse",
            {"choice": ["<think>tea</think>Answer: tea, not milk"]},
            "--extract last",
            "choice",
            ["Answer: tea, not milk"],
        ),
    ],
)
def test_extract_is_for_what_models_wrote(
    load: Load, family: str, cells: dict[str, Any], option: str, role: str, values: list[Any]
) -> None:
    long = load(family, cells, option).long
    assert long[role].tolist() == values
    if family == "sinfo":
        assert long["reference"].tolist() == ["answer: x", "y"]


# --- cells ----------------------------------------------------------------------------------


def score_cells(*cells: str) -> dict[str, list[str]]:
    return {"item": [f"i{n}" for n in range(len(cells))], "score": list(cells)}


NUMBERS: dict[str, tuple[list[str], list[float | None], str]] = {
    "plain": (["1", " 2.5 ", "1e1", "-3"], [1, 2.5, 10, -3], ""),
    "empty": (["1", "", "  "], [1, None, None], ""),
    "decimal commas": (["1,5", "2", "0,125"], [1.5, 2, 0.125], "decimal-commas"),
    "three digits after a zero": (["0,125", "0,250"], [0.125, 0.25], "decimal-commas"),
    "true and false": (["TRUE", "false", ""], [1, 0, None], "true-false"),
}


@pytest.mark.parametrize(("cells", "values", "note"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_read(
    load: Load, cells: list[str], values: list[float | None], note: str
) -> None:
    loaded = load("scores", score_cells(*cells))
    found = [None if pd.isna(value) else value for value in loaded.long["score"]]
    assert found == values
    assert [problem.kind for problem in loaded.problems] == ([note] if note else [])


@pytest.mark.parametrize(
    ("cells", "hint"),
    [
        (["1", "2", "n/a", "3"], "--missing-values n/a"),
        (["1", "4/5", "3", "2"], "--extract number"),
        (["1", "inf", "3", "2"], "--missing-values inf"),
        (["4 (good)", "2 (bad)"], "--extract number"),
        (["1,234", "2,345"], "write numbers"),
        (["1,5", "2.5"], "write numbers"),
        (["yes", "no"], "write numbers"),
        (["TRUE", "1"], "write numbers"),
        (["good", "bad", "1"], "write numbers"),
    ],
)
def test_cells_that_are_not_numbers_are_refused(
    refused: Refused, cells: list[str], hint: str
) -> None:
    (problem,) = refused("scores", score_cells(*cells))
    assert problem.kind == "not-numbers"
    assert problem.hint.startswith(hint)


def test_missing_values_are_blank_everywhere(load: Load) -> None:
    cells = {"idiom": ["a", "b"], "prediction": [["N/A", A], ["ignore"]], "reference": ["N/A", B]}
    long = load("sinfo", cells, "--missing-values N/A,ignore").long
    assert long["prediction"].tolist() == ["", A, ""]
    assert long["reference"].tolist() == ["", "", B]


def test_numbers_stay_text_until_a_role_asks(load: Load) -> None:
    cells = {"item": ["001", "1e5", "NA", "TRUE"], "model": ["1.0"] * 4, "score": list("1234")}
    long = load("scores", cells).long
    assert long["item"].tolist() == ["001", "1e5", "NA", "TRUE"]
    assert long["model"].unique().tolist() == ["1.0"]


@pytest.mark.parametrize(
    ("key", "loose_key"),
    [("Q 007", "q7"), ("ｑ７", "q7"), ("0", "0"), ("000", "0"), ("1.05", "1.05"), ("007b", "7b")],
)
def test_loose_keys_ignore_case_width_spacing_and_zeros(
    load: Load, key: str, loose_key: str
) -> None:
    long = load("scores", {"item": [key], "score": ["1"]}, "--match loose").long
    assert long["item"].tolist() == [loose_key]
    assert load("scores", {"item": [key], "score": ["1"]}).long["item"].tolist() == [key]


def test_loose_keys_that_become_one_are_repeated(refused: Refused) -> None:
    (problem,) = refused("scores", {"item": ["Q1", "q01"], "score": ["1", "2"]}, "--match loose")
    assert problem.kind == "repeated"


@pytest.mark.parametrize("word", ["Total", "SUM", "mean", "Average "])
def test_rows_of_totals_at_the_end_are_left_out(load: Load, word: str) -> None:
    loaded = load("scores", {"item": ["a", "total", "Total", word], "score": ["1", "2", "3", "4"]})
    assert loaded.long["item"].tolist() == ["a"]
    assert {problem.kind for problem in loaded.problems} == {"totals"}


TOTAL_NAMES: dict[str, tuple[str, Any, list[str], int]] = {
    "an item before the last": ("scores", {"item": ["total", "a"], "score": ["1", "2"]}, [], 2),
    "the last header": ("scores", {"item": ["a"], "x": ["1"], "mean": ["2"]}, ["x,mean"], 2),
    "an answer": ("mode-collapse", {"choice": ["tea", "tea", "total"]}, [], 3),
    "a model": (
        "scores",
        {"model": ["a", "a", "mean", "mean"], "item": list("xyxy"), "score": list("1234")},
        [],
        4,
    ),
    "a file": ("scores", {"total.csv": {"item": ["a"], "score": ["1"]}}, [], 1),
}


@pytest.mark.parametrize(
    ("family", "cells", "wide", "count"), TOTAL_NAMES.values(), ids=TOTAL_NAMES
)
def test_other_things_called_total_are_kept(
    load: Load, family: str, cells: Any, wide: list[str], count: int
) -> None:
    options = [f"--column measure=@header:{names}" for names in wide]
    assert len(load(family, cells, *options).long) == count


def test_an_empty_key_is_a_problem_of_its_row(load: Load, refused: Refused) -> None:
    loaded = load("scores", {"item": ["a", " ", "c"], "score": ["1", "2", "3"]})
    assert loaded.long["item"].tolist() == ["a", "c"]
    (problem,) = loaded.problems
    assert (problem.kind, problem.effect, problem.row) == ("empty-key", "row", 3)
    # merged cells: most rows would be lost
    cells = {"model": ["m", "", ""], "item": list("abc"), "score": list("123")}
    (problem,) = refused("scores", cells)
    assert problem.kind == "empty-key"


LISTS: dict[str, tuple[list[Any], list[str]]] = {
    "lists": ([["a", "b"], ["c"]], ["a", "b", "c"]),
    "some lists": ([["a", "b"], "c", "d", "e"], ["a", "b", "c", "d", "e"]),
    "spelled as JSON": (['["a", "b"]', '["c"]'], ["a", "b", "c"]),
    "spelled as Python": (["['a', 'b']", "['c']"], ["a", "b", "c"]),
    "an empty list": ([["a"], []], ["a", ""]),
    "an empty list, spelled": (['["a"]', "[]", '["b"]'], ["a", "", "b"]),
    "null in a list": ([["a", None], ["b"]], ["a", "", "b"]),
    "brackets in a text": (["[laughs] a", "b", "c"], ["[laughs] a", "b", "c"]),
}


def test_the_header_of_a_list_of_options_is_noted(load: Load) -> None:
    loaded = load("mode-collapse", "tea; milk; water", table="options")
    assert [problem.kind for problem in loaded.problems] == ["one-column"]
    assert not load("mode-collapse", "choice; milk; water", table="options").problems


def test_a_choice_after_an_empty_step_is_a_problem_of_its_row(load: Load) -> None:
    loaded = load("mode-collapse", "a b; x y; _ z; x _", "--column level=@header:a,b")
    assert loaded.long["choice"].tolist() == ["x", "y", "", "x", ""]
    assert [(p.kind, p.row) for p in loaded.problems] == [("empty-step", 3)]


def test_a_few_cells_that_spell_a_list_are_noted(load: Load) -> None:
    loaded = load("entropy", {"id": list("abc"), "text": ["[1, 2]", "x", "y"]})
    assert loaded.long["text"].tolist() == ["[1, 2]", "x", "y"]
    assert loaded.problems[0].message == "1 of 3 cells of text spell a list and were read as texts"


@pytest.mark.parametrize(("cells", "texts"), LISTS.values(), ids=LISTS)
def test_a_list_in_a_cell_is_a_row_each(load: Load, cells: list[Any], texts: list[str]) -> None:
    items = [f"i{n}" for n in range(len(cells))]
    assert load("entropy", {"id": items, "text": cells}).long["text"].tolist() == texts
