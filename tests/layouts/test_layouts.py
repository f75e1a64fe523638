"""Does one command score the tables that people have, and does the same content always give the same number?"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from scoresheet.cli.commands import command_named
from tests.helpers.files import read_csv
from tests.helpers.runs import Run
from tests.helpers.workbooks import empty_workbooks
from tests.layouts import page
from tests.layouts.layout import Layout

CASES = [
    pytest.param(layout, id=f"{family}: {layout.name}") for family in page.families() for layout in page.layouts(family)
]


@pytest.mark.parametrize("layout", CASES)
def test_one_command_gives_the_numbers_of_the_content(layout: Layout, run: Run, tmp_path: Path) -> None:
    layout.write(tmp_path)
    words = shlex.split(layout.words)
    with empty_workbooks():
        done = run(*words, "-o", "res")
    assert done.code == 0, done.err
    reporter = command_named(words[0]).reporter
    headline = layout.measure or reporter.result_columns([], command_named(words[0]).options()).headline.name
    lines = read_csv(tmp_path / "res" / f"{reporter.stem}_results.csv")
    found = {line["Model Name"]: float(line[headline]) for line in lines}
    assert found == pytest.approx(dict(layout.expected), abs=1e-9)
    kinds = {problem["kind"] for problem in read_csv(tmp_path / "res" / "problems.csv")}
    assert set(layout.said) <= kinds


def test_the_page_of_the_docs_lists_them_all() -> None:
    assert page.PAGE.read_text("utf-8") == page.page(), "run `make docs`"


def test_every_command_has_five_layouts_or_more() -> None:
    assert {family: len(page.layouts(family)) for family in page.families() if len(page.layouts(family)) < 5} == {}
