"""Rows of a workbook are heard of as it is written: when their cells are made, and when they are packed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoresheet.cli.report.page import Column, Page, PageTable
from scoresheet.cli.write import spilled
from scoresheet.cli.write.about import About
from scoresheet.cli.write.workbook import Workbook, write_workbook


def test_rows_are_heard_of_as_they_are_made_and_as_they_are_packed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(spilled, "_PIECE", 4_096)
    columns = (Column("a", "A number.", "score"), Column("b", "A text.", "text"))
    page = Page("s", PageTable({"a": [row / 7 for row in range(2_000)], "b": ["text"] * 2_000}), columns)
    problems = Page("Problems", PageTable({"b": []}), columns[1:])
    heard: list[int] = []
    write_workbook(tmp_path / "m.xlsx", Workbook("m", [], problems, About([]), [page]), heard.append)
    assert sum(heard) == 4_000
    assert len(heard) > 20
