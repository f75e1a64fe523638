"""The page on the architecture names every type on the road from file to report, and none that is not there."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
ROAD = (
    "cli.calls",
    "cli.endings",
    "cli.commands.command",
    "cli.config.defaults",
    "cli.config.files",
    "cli.settings",
    "cli.input.discover",
    "cli.input.formats.types",
    "cli.input.grid",
    "cli.input.limits",
    "cli.input.loading",
    "cli.input.remote",
    "cli.report.explanation",
    "cli.report.page",
    "cli.report.reporter",
    "cli.run.allowance",
    "cli.run.baseline",
    "cli.run.engines.engine",
    "cli.run.engines.foreman",
    "cli.run.gates",
    "cli.run.outcomes",
    "cli.run.ownership",
    "cli.run.plan",
    "cli.run.pool",
    "cli.run.remote_results",
    "cli.run.request",
    "cli.run.results_folder",
    "cli.run.side_tables",
    "cli.run.unchanged",
    "cli.write.workbook",
    "metrics.columns",
    "metrics.compare",
    "metrics.explanation",
    "metrics.family",
    "metrics.measures",
    "metrics.options",
    "metrics.problems",
    "metrics.schema",
    "metrics.spread",
    "metrics.stored_columns",
    "metrics.stored_values",
    "metrics.tables",
    "metrics.text_words",
    "metrics.units",
)
# said by the words around them: charts are parts of a page, and errors are no types of a value
NOT_MET = {"Usage", "Chart", "StackedChart", "LineChart", "Histogram", "Schema", "DocumentedColumns", "ModelLine"}


def types_on_the_road() -> set[str]:
    found = set()
    for name in ROAD:
        module = importlib.import_module(f"scoresheet.{name}")
        for kind, value in inspect.getmembers(module, inspect.isclass):
            own = value.__module__ == module.__name__ and not kind.startswith("_")
            if own and not issubclass(value, BaseException):
                found.add(kind)
    return found - NOT_MET


def test_every_type_that_a_row_meets_is_on_the_page() -> None:
    named = set(re.findall(r"`([A-Z]\w+)`s?", PAGE))
    assert types_on_the_road() <= named, types_on_the_road() - named


def test_the_page_names_no_type_that_is_not_there() -> None:
    table = PAGE[PAGE.index("## The stages") : PAGE.index("## The two contracts")]
    named = set(re.findall(r"`([A-Z]\w+)`s?", table)) - {"Numbers"}  # a name for nested mappings
    assert named <= types_on_the_road(), named - types_on_the_road()


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:cli|metrics|tests|\.build)/[\w/.]+?)/?`", PAGE))))
def test_every_path_on_the_page_is_there(path: str) -> None:
    assert (ROOT / path).exists(), path
