"""One table, laid out as users lay it out: every layout gives the same rows.

The cases are in the folder cases; conftest.py has the notation of tables. A line of a case is a
table, a file with its table, or an option.
"""

import re
from typing import Any

import pytest

from tests.input.conftest import Load, Rows, blocks, parsed, text_rows


def cases() -> list[Any]:
    found = []
    family = roles = expected = ""
    for block in blocks("layouts.txt"):
        head = re.match(r"([a-z-]+): (.*)\n(.*)", block)
        if head:
            family, roles, expected = head.groups()
        else:
            name, *lines = block.splitlines()
            tables, options = parsed(lines)
            found.append(
                pytest.param(family, roles, expected, tables, options, id=f"{family}, {name}")
            )
    return found


@pytest.mark.parametrize(("family", "roles", "expected", "tables", "options"), cases())
def test_every_layout_gives_the_same_rows(
    rows: Rows, family: str, roles: str, expected: str, tables: Any, options: list[str]
) -> None:
    assert rows(roles, family, tables, *options) == expected


@pytest.mark.parametrize("block", blocks("further_tables.txt") + blocks("cells.txt"))
def test_every_table_is_read_as_it_should(load: Load, block: str) -> None:
    head, *lines, last = block.splitlines()
    kinds = [kind for line in lines if line.startswith("! ") for kind in line[2:].split()]
    tables, options = parsed([line for line in lines if not line.startswith("! ")])
    family, table = head.partition(":")[0].split()
    roles, _, expected = last.partition(": ")
    loaded = load(family, tables, *options, table=table)
    assert text_rows(loaded.long, roles) == expected
    assert [problem.kind for problem in loaded.problems] == kinds


@pytest.mark.parametrize("block", blocks("said.txt"))
def test_one_line_says_what_was_read_as_what(load: Load, block: str) -> None:
    family, *lines, line = block.splitlines()
    tables, options = parsed(lines)
    given = ("references",) if "references." in block else ()
    mapping = load(family, tables, *options, given=given).mapping
    assert " · ".join(mapping.phrases()) == line
