"""The small languages: --column, --where, --extract. The longer tables are in grammar.toml."""

import tomllib
from pathlib import Path

import pandas as pd
import pytest

from scoresheet.cli.input.grammar import extractor, filter_rows, parse_columns, parse_where
from scoresheet.metrics.problem import Refusal
from scoresheet.metrics.role import Role, Table, outputs
from tests.input.conftest import Refused

CASES = tomllib.loads((Path(__file__).parent / "cases/grammar.toml").read_text(encoding="utf-8"))
TABLES = (
    outputs((Role("model"), Role("idiom"), Role("prediction"))),
    Table("references", (Role("idiom"), Role("reference"))),
)


@pytest.mark.parametrize(("typed", "table", "role", "source"), CASES["column"])
def test_column_names_a_table_a_role_and_a_source(
    typed: str, table: str, role: str, source: str
) -> None:
    (said,) = parse_columns([typed], TABLES)
    assert (said.table, said.role, said.source) == (table, role, source)


def test_all_wrong_columns_are_reported_together_with_the_nearest_name() -> None:
    typed = ["predicton=reply", "refrences.reference=x", "model", "references.model=m"]
    with pytest.raises(Refusal) as caught:
        parse_columns(typed, TABLES)
    problems = caught.value.problems
    assert [problem.kind for problem in problems] == ["usage"] * 4
    assert problems[0].hint == "--column prediction=reply"
    assert problems[1].hint == "--column references.reference=x"
    assert "ROLE=SOURCE" in problems[2].message
    assert "roles: idiom, reference, ignore" in problems[3].message


@pytest.mark.parametrize(
    "typed",
    [
        *("item=@nowhere", "score=@header", "score=a,b", "item=@file:{nothing}", "item=@file:x"),
        *("item=@file:{model}", "score={score}_{item}", "score={judge}_{judge}"),
        *("score=b_{who}", "item=@file:{item}_{item}"),
    ],
)
def test_sources_that_cannot_be_read_are_usage_errors(refused: Refused, typed: str) -> None:
    assert refused("disagree", "item a b b_k; i 1 2 3", f"--column {typed}")[0].kind == "usage"


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


@pytest.mark.parametrize(("where", "rows"), CASES["where"])
def test_where_keeps_the_rows_that_match(where: str, rows: list[int]) -> None:
    assert list(filter_rows(PEOPLE, parse_where(where)).index) == rows


@pytest.mark.parametrize("where", ["name", "name = Ann", "name == rock and roll", "and", "== 3"])
def test_where_that_is_not_a_condition_is_a_usage_error(where: str) -> None:
    with pytest.raises(Refusal) as caught:
        filter_rows(PEOPLE, parse_where(where))
    assert caught.value.problems[0].kind in ("usage", "unknown-header")


def test_where_names_the_nearest_column_and_what_it_holds(refused: Refused) -> None:
    cells = "item score split; a 1 x; b 2 y"
    (problem,) = refused("scores", cells, "--where 'spilt == x'")
    assert (problem.kind, problem.hint) == ("unknown-header", "--where 'split == x'")
    (problem,) = refused("scores", cells, "--where 'split == z'")
    assert (problem.kind, problem.hint) == ("no-rows", "column split holds x, y")


# --- extract, and cells that are not read ---------------------------------------------------


@pytest.mark.parametrize(("how", "text", "answer"), CASES["extract"])
def test_extract_takes_the_answer(how: str, text: str, answer: str) -> None:
    assert extractor(how)(text) == answer


def test_a_wrong_expression_is_a_usage_error() -> None:
    with pytest.raises(Refusal, match="not a regular expression"):
        extractor("([")


@pytest.mark.parametrize(("cells", "hint"), CASES["numbers"])
def test_cells_that_are_not_numbers_are_refused(refused: Refused, cells: str, hint: str) -> None:
    table = "item score; " + "; ".join(f"i{at} {cell}" for at, cell in enumerate(cells.split()))
    (problem,) = refused("scores", table)
    assert problem.kind == "not-numbers"
    assert problem.hint.startswith(hint)


def test_loose_keys_that_become_one_are_repeated(refused: Refused) -> None:
    (problem,) = refused("scores", "item score; Q1 1; q01 2", "--match loose")
    assert problem.kind == "repeated"
