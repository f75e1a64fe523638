"""Every command, option, column, page and word that docs/seeds.md names is there: what a run writes decides."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

import scoresheet
import scoresheet.metrics
from scoresheet.cli.commands import Command, all_commands, command_named
from scoresheet.cli.report.page import Page
from scoresheet.cli.report.paired_comparison import COMPARISON_COLUMNS
from scoresheet.cli.run.model_reports import own_stem
from scoresheet.cli.run.results_table import result_columns
from scoresheet.cli.run.run_reports import run_files
from scoresheet.cli.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/seeds.md"
COMMANDS = [command.name for command in all_commands()]
EVERYWHERE = "For all of them"
# Named on the page, and on the way here with the other changes of this release; a name that has arrived fails the test.
PENDING: Mapping[str, frozenset[str]] = {}


class Known(NamedTuple):
    """What a command has: columns by page, '' for those of no page in particular, and other names."""

    columns: Mapping[str, frozenset[str]]
    files: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """All columns."""
        return frozenset().union(*self.columns.values())


def _sections() -> dict[str, list[str]]:
    """Return the cells that say where something is, by command; the last table is about all of them."""
    found: dict[str, list[str]] = {}
    for part in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading = part.partition("\n")[0]
        command = re.search(r"`scoresheet ([\w-]+)`", heading)
        rows = re.findall(r"^\| (.*) \|$", part, flags=re.MULTILINE)[1:]
        found[command[1] if command else heading] = [re.split(r"(?<!\\) \| ", row)[1] for row in rows]
    return {name: cells for name, cells in found.items() if cells}


def _places(cell: str) -> Iterator[tuple[str, str]]:
    """Yield every column of a cell with the page it is said to be on, '' for none; a page ends at a semicolon."""
    for part in cell.split(";"):
        page = ""
        for bold, name in re.findall(r"\*\*(.+?)\*\*:|`([^`]+)`", part):
            page = bold or page
            if name and not name.startswith(("--", "scoresheet ")):
                yield page, name


SECTIONS = _sections()


def _systems() -> dict[str, dict[str, pd.DataFrame]]:
    """Return an ensemble with everything that the sample data have not: splits, attacks, targets and logits."""
    samples = [f"s{number}" for number in range(12)]
    rows = [
        {"sample": f"{split}{sample}", "label": "ab"[number % 2], "split": split, "condition": condition}
        | {stream: "ab"[(number + number // every) % 2] for stream, every in (("one", 3), ("two", 4), ("three", 5))}
        for split in ("validation", "test")
        for condition in ("clean", "adversarial")
        for number, sample in enumerate(samples)
    ]
    predictions = pd.DataFrame(rows)
    logits = pd.DataFrame(
        [
            {"sample": row["sample"], "stream": stream, "a": float(row[stream] == "a"), "b": 0.5}
            for row in rows
            if row["condition"] == "clean"
            for stream in ("one", "two", "three")
        ]
    )
    sheets = {
        "predictions": predictions,
        "logits": logits,
        "targets": pd.DataFrame({"dataset": ["boats"], "baseline": [0.5], "target": [0.9]}),
        "parameters": pd.DataFrame({"name": ["dataset"], "value": ["boats"]}),
    }
    return {"attacked": sheets}


def _votes() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"item": f"i{number}", "judge": judge, "label": "ABT"[(number + shift) % 3], "first": "AB"[number % 2]}
            for number in range(12)
            for shift, judge in enumerate(("anna", "ben", "cleo"))
        ]
    ).replace({"label": {"T": "Tie"}})


def _studies(command: Command) -> Iterator[scoresheet.Scores]:
    """Yield the sample data scored, and beside them what they do not show."""
    references = ROOT / command.references if command.references else None
    yield scoresheet.score(command.name, ROOT / command.outputs, references)
    if command.name == "collective":
        yield scoresheet.score("collective", _systems(), fusion="mean")
    if command.name == "disagree":
        yield scoresheet.score("disagree", _votes(), level="nominal")


@cache
def _known(name: str) -> Known:
    command = command_named(name)
    schema, reporter = command.family.schema, command.reporter
    columns: dict[str, set[str]] = {"": {column.name for column in schema.columns()}}
    documented = reporter.documented
    for each in (result_columns(documented.results), documented.summary, documented.sheet):
        columns[""] |= {column.name for column in each}
    for table in (*schema.tables.values(), *((schema.references,) if schema.references else ())):
        columns[""] |= {column.name for column in table.columns}
    columns["Comparison"] = {column.name for column in COMPARISON_COLUMNS}
    files = {"metrics.json", "problems.csv", "manifest.json", *run_files(reporter)}
    for scores in _studies(command):
        columns[""] |= set(map(str, scores.table)) | set(map(str, scores.units))
        options: Any = scores._run.plan.options
        pages: list[Page] = [*reporter.run_pages(scores._run.comparison, scores.results, options)]
        for model, result in scores.results.items():
            own = reporter.model_pages(model, result, options)
            pages += [own.summary, *own.more]
            for sheet in own.sheets:
                columns[""] |= {column.name for column in sheet.columns}
            stem = own_stem(reporter, model).replace(model, "{model}", 1)
            files |= {f"{stem}.xlsx", f"{stem}.csv", *([f"{stem}.md"] if own.markdown else [])}
            files |= {f"{stem}_{picture.name}.svg" for picture in own.pictures}
        for page in pages:
            columns.setdefault(page.title, set()).update(column.name for column in page.columns)
    return Known({page: frozenset(names) for page, names in columns.items()}, frozenset(files))


def _is_column(name: str, columns: frozenset[str]) -> bool:
    """Return whether a name is a column; k and <name> stand for what a run has several of."""
    if name in columns:
        return True
    pattern = re.sub(r"<\\?\w+\\?>", ".+", re.escape(name))
    pattern = re.sub(r"(@|_)k(?=_|$)", r"\1\\d+", pattern)
    return any(re.fullmatch(pattern, column) for column in columns)


def _missing(section: str) -> set[str]:
    """Return the columns, files and functions that a table names and its command has not."""
    commands = COMMANDS if section == EVERYWHERE else [section]
    missing = set()
    for page, name in (place for cell in SECTIONS[section] for place in _places(cell)):
        if name in scoresheet.metrics.__all__ or name in ("history", "targets"):  # of Python, or a sheet that is read
            continue
        for command in commands:
            known = _known(command)
            columns = known.columns.get(page, frozenset()) if page else known.names
            if name not in known.files and not _is_column(name, columns):
                missing.add(f"{page}: {name}" if page else name)
    return missing


def test_the_page_has_a_table_for_every_command_and_one_for_all() -> None:
    assert sorted(SECTIONS) == sorted([*COMMANDS, EVERYWHERE])
    assert all(len(cells) > 2 for cells in SECTIONS.values())


@pytest.mark.parametrize("section", [*COMMANDS, EVERYWHERE])
def test_every_column_and_file_is_one_that_a_run_writes(section: str) -> None:
    assert _missing(section) == set(PENDING.get(section, ()))


@pytest.mark.parametrize("section", [*COMMANDS, EVERYWHERE])
def test_every_option_is_one_of_the_command_and_takes_the_value_named(section: str) -> None:
    for command in map(command_named, COMMANDS if section == EVERYWHERE else [section]):
        fields = {field.name: field for each in (command.options, Settings) for field in dataclasses.fields(each)}
        for name, value in re.findall(r"`--([\w-]+) ?([^`]*)`", " ".join(SECTIONS[section])):
            if f"--{name}" in PENDING.get(section, ()):
                continue
            field = fields.get(name.replace("-", "_"))
            assert field is not None, f"{command.name} has no --{name}"
            choices = field.metadata["choices"]
            assert not value or not choices or value in choices, f"--{name} takes no {value}"


@pytest.mark.parametrize("section", COMMANDS)
def test_every_page_is_one_that_a_run_writes(section: str) -> None:
    named = set(re.findall(r"\*\*(.+?)\*\*", " ".join(SECTIONS[section])))
    pending = {name.removesuffix(":") for name in PENDING.get(section, ()) if name.endswith(":")}
    assert named - set(_known(section).columns) == pending


def test_every_word_in_italics_is_said_somewhere() -> None:
    text = re.sub(r"\*\*.+?\*\*", "", PAGE.read_text(encoding="utf-8"))
    said = set(_literals())
    for word in re.findall(r"(?<![*\w])\*([^*\s][^*\n]*)\*(?!\*)", text):
        assert word == "italics" or word in said, word


def _literals() -> Iterator[str]:
    for folder in ("cli/report", "metrics"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def test_the_recipe_sends_every_number_of_a_run(tmp_path: Path) -> None:
    (recipe,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    space: dict[str, Any] = {}
    exec(recipe, space)
    (tmp_path / "metrics.json").write_text(
        json.dumps({"m": {"Gini": 0.5, "Verdict": "low", "Levels": {"0": {"N": 3}}, "P_Value": None}}), encoding="utf-8"
    )
    sent: list[dict[str, float]] = []
    space["send"](str(tmp_path), sent.append)
    assert sent == [{"m/Gini": 0.5, "m/Levels/0/N": 3}]
