"""A family that somebody adds: its folder, its reporter and its command are enough, and it cannot be silent."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.files import read_csv, write_csv
from tests.helpers.runs import Run

pytestmark = pytest.mark.processes

FAMILY = '''
"""The length family: words per text."""

from dataclasses import replace
from typing import Final

from scoresheet.metrics.families.length.options import SCHEMA, LengthOptions
from scoresheet.metrics.family import Comparison, Family, ModelResult, ParsedSheet, ScoredSheet
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.problems import Noted, ProblemKind, unscored_row
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.stats.means import mean
from scoresheet.metrics.units import Units

LENGTH: Final = Measure(name="Length", field="length", about="White-space words.", highest=None, better="higher")


@dataclass(frozen=True, kw_only=True)
class Texts(ParsedSheet):
    numbers: list
    texts: list


@dataclass(frozen=True, kw_only=True)
class Lengths(ModelResult):
    def slim(self):
        return replace(self, sheets=())


class Length(Family):
    name, options, schema, measures = "length", LengthOptions, SCHEMA, (LENGTH,)
    problem_kinds = {"no-words": ProblemKind("The text has no words.")}

    def parse(self, sheet, options, *, referenced):
        texts, numbers = sheet.frame["text"].tolist(), sheet.frame.index.tolist()
        return Noted(Texts(name=sheet.name, rows=len(texts), numbers=numbers, texts=texts))

    def context(self, given, options):
        return Noted(None)

    def score(self, parsed, context, options):
        lengths = [len(text.split()) or float("nan") for text in parsed.texts]
        rows = zip(parsed.numbers, lengths, strict=True)
        missing = [unscored_row("no-words", "no words", row=row) for row, length in rows if length != length]
        units = Units({}, {LENGTH.name: lengths}, parsed.numbers)
        scored = ScoredSheet(name=parsed.name, rows=parsed.rows, units=units)
        return Noted(scored, tuple(missing) if options.tell else ())

    def combine(self, sheets, context, options):
        lengths = [value for sheet in sheets for value in sheet.units.measures[LENGTH.name]]
        scored = sum(value == value for value in lengths)
        return Noted(
            Lengths(
                sheets=tuple(sheets), measures={LENGTH.name: mean(lengths)}, rows=len(lengths), scored=scored,
                computed=scored, has_score=scored > 0,
            )
        )

    def compare(self, results, options, pairing):
        return Comparison()


FAMILY: Final = Length()
'''
OPTIONS = '''
"""What length reads, and how it can be told."""

from typing import Final

from scoresheet.metrics.options import Options, option
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.schema import InputColumn, Schema, TableSchema

SCHEMA: Final = Schema(outputs=TableSchema((InputColumn("text", "The text."),)))


@dataclass(frozen=True, kw_only=True)
class LengthOptions(Options):
    tell: bool = option(True, "Whether rows without words are told.")
'''
REPORTER = '''
"""The reports of length."""

from typing import Final

from scoresheet.cli.report.page import Column, Page, PageTable
from scoresheet.cli.report.reporter import DocumentedColumns, ModelPages, Reporter, ResultColumns, column_of
from scoresheet.metrics.families.length.family import LENGTH

COLUMN: Final = column_of(LENGTH)


class LengthReporter(Reporter):
    stem, title = "length", "Length of texts"
    documented = DocumentedColumns((COLUMN,), (COLUMN,), (COLUMN,))

    def method(self, context, options):
        return (("Length", "White-space words."),)

    def result_columns(self, results, options):
        return ResultColumns((COLUMN,), COLUMN, (COLUMN,))

    def model_pages(self, model, result, options):
        pages = tuple(Page(sheet.name, PageTable(sheet.units.columns()), (COLUMN,)) for sheet in result.sheets)
        mean = result.measures[LENGTH.name]
        return ModelPages(Page("Summary", PageTable.of_rows([LENGTH.name], [[mean]]), (COLUMN,)), pages)

    def numbers(self, result, options):
        return dict(result.measures)


REPORTER: Final = LengthReporter()
'''
COMMAND = '''
"""scoresheet length."""

from typing import Final

from scoresheet.cli.commands.command import Command

COMMAND: Final = Command(
    name="length",
    options_path="scoresheet.metrics.families.length.options:LengthOptions",
    family_path="scoresheet.metrics.families.length.family:FAMILY",
    reporter_path="scoresheet.cli.report.length:REPORTER",
    summary="How long are the texts?",
    about="Counts words.",
    example="scoresheet length texts",
    outputs="data/texts",
    results="results/length",
)
'''
ADDED = {
    "metrics/families/length/__init__.py": '"""length."""\n',
    "metrics/families/length/family.py": FAMILY,
    "metrics/families/length/options.py": OPTIONS,
    "cli/report/length.py": REPORTER,
    "cli/commands/length.py": COMMAND,
}


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A family of three rooms beside ours, found where ours are; nothing else is told of it."""
    for name, text in ADDED.items():
        path = tmp_path / "added" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip(), encoding="utf-8")
    for folder in ("metrics/families", "cli/report", "cli/commands"):
        package = importlib.import_module("scoresheet." + folder.replace("/", "."))
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / "added" / folder)])
    yield tmp_path
    for name in [name for name in sys.modules if ".length" in name and name.startswith("scoresheet.")]:
        del sys.modules[name]


def test_a_family_of_three_rooms_is_a_command_with_reports(added: Path, run: Run) -> None:
    write_csv(added / "outs/short.csv", [("text",), ("one two",), ("",), ("one two three four",)])
    write_csv(added / "outs/long.csv", [("text",), ("one two three four five",)])
    done = run("length", "outs", "-o", "res")
    assert done.code == 0
    assert {line["Model Name"]: float(line["Length"]) for line in read_csv(added / "res/length_results.csv")} == {
        "long": 5.0,
        "short": 3.0,
    }
    assert [line["kind"] for line in read_csv(added / "res/problems.csv")] == ["no-words"]
    assert [line["Length"] for line in read_csv(added / "res/short_length.csv")] == ["2", "", "4"]
    assert (added / "res/manifest.json").exists()


@pytest.mark.usefixtures("added")
def test_its_help_is_found_with_the_others(run: Run) -> None:
    assert "--tell" in run("length", "--help-all").out


def test_a_row_that_is_left_out_in_silence_is_a_bug_and_told_as_one(added: Path, run: Run) -> None:
    write_csv(added / "outs/m.csv", [("text",), ("one two",), ("",)])
    done = run("length", "outs", "-o", "res", "--no-tell")
    assert done.code == 1
    assert "has no measure, and no problem says why" in done.err
