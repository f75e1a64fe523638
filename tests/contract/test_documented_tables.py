"""Does every command that the docs show below a picture of a table score that table?"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from scoresheet.cli.commands import command_names
from tests.helpers.documented_tables import shown_commands, write_shown_tables
from tests.helpers.files import read_csv
from tests.helpers.runs import Run

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [DOCS / "file-formats.md", DOCS / "quick-start.md"]
# of a layout that the reader is to fill in, on a page that shows it as a tree
SKETCHED = ("runs/outputs",)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_scores_the_table_above_it(page: Path, run: Run, tmp_path: Path) -> None:
    assert write_shown_tables(page, tmp_path)
    commands = [shlex.split(command)[1:] for command in shown_commands(page)]
    tried = [words for words in commands if not words[1].startswith(SKETCHED)]
    for number, words in enumerate(tried):
        ended = run(*words, *(() if words[0] == "check" else ("-o", f"res{number}")))
        assert ended.code == 0, (words, ended.err)
        if words[0] != "check":
            (results,) = (tmp_path / f"res{number}").glob("*_results.csv")
            assert {line["Status"] for line in read_csv(results)} == {"ok"}, words
    assert {words[0] for words in tried} >= set(command_names())
