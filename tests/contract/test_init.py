"""scoresheet init: templates that can be filled in, and scored as they are."""

from __future__ import annotations

import tomllib
from pathlib import Path

import openpyxl
import pytest

from scoresheet.cli.commands import Command, all_commands
from scoresheet.metrics.options import own_first
from tests.helpers.runs import Run

COMMANDS = all_commands()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_template_can_be_scored_as_it_is(command: Command, run: Run, tmp_path: Path) -> None:
    done = run("init", command.name, "study")
    assert done.code == 0
    listed = [tmp_path / line for line in done.out.splitlines()]
    assert {path for path in (tmp_path / "study").rglob("*") if path.is_file()} == set(listed)
    words = done.err.strip().split()[1:]  # the command to score it
    scored = run(*words, "--strict")
    assert scored.code == 0, scored.err
    assert run("verify", words[-1]).out.endswith("it holds\n")
    settings = tomllib.loads((tmp_path / "study/scoresheet.toml").read_text("utf-8"))
    job = settings["job"][command.name]
    assert job["command"] == command.name
    places = [tmp_path / "study" / job[name] for name in ("outputs", "references") if name in job]
    assert [str(place.relative_to(tmp_path)) for place in places] == words[1:-2]
    assert all(place.is_dir() for place in places)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_header_has_its_note_and_is_one_that_is_read(command: Command, run: Run, tmp_path: Path) -> None:
    run("init", command.name)
    template = command.template
    assert template is not None
    for folder, sheets in (("outputs", template.outputs), ("references", template.references)):
        for name, sheet in sheets.items():
            page = openpyxl.load_workbook(tmp_path / folder / f"{name}.xlsx").worksheets[0]
            assert [cell.value for cell in page[1]] == sheet.headers
            assert all(cell.comment and cell.comment.text for cell in page[1])
            assert page.max_row == len(sheet.rows) + 1
            ruled = {str(rule.sqref)[0] for rule in page.data_validations.dataValidation}
            assert len(ruled) == len({*sheet.choices, *sheet.numbers})
            schema = command.family.schema
            known = {column.name for column in schema.columns()}
            assert {column.name for column in sheet.columns} <= known
            table = schema.of_sheet(sheet.name) if folder == "outputs" else schema.references
            assert table is not None
            required = {column.name for column in table.columns if column.required}
            assert required <= set(sheet.headers)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_settings_with_every_comment_taken_are_the_defaults(command: Command, run: Run, tmp_path: Path) -> None:
    run("init", command.name)
    text = (tmp_path / "scoresheet.toml").read_text("utf-8")
    options = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("# ") and " = " in line]
    settings = tomllib.loads("\n".join(options))
    fields = own_first(command.options)
    assert settings == {field.name.replace("_", "-"): field.default for field in fields}


def test_nothing_is_ever_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "study/outputs").mkdir(parents=True)
    mine = tmp_path / "study/scoresheet.toml"
    mine.write_text("mine", encoding="utf-8")
    done = run("init", "entropy", "study")
    assert done.code == 2
    assert "scoresheet.toml: is there already" in done.err
    assert mine.read_text("utf-8") == "mine"
    assert list((tmp_path / "study/outputs").iterdir()) == []
    mine.unlink()
    (tmp_path / "study/outputs/yours.csv").write_text("id,text\n1,hello there world\n", encoding="utf-8")
    assert run("init", "entropy", "study").code == 0
    assert run("init", "entropy", "study").code == 2


def test_what_cannot_be_is_said(run: Run, tmp_path: Path) -> None:
    assert "there are collective, disagree" in run("init", "nothing").err
    (tmp_path / "file").write_text("x", encoding="utf-8")
    done = run("init", "sinfo", "file")
    assert done.code == 5
    assert "file: cannot be written" in done.err
