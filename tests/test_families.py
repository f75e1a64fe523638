"""What holds for every family; a new one is found here by itself."""

from __future__ import annotations

import dataclasses
import importlib.metadata
from pathlib import Path

import pytest

from scoresheet.cli.commands import COMMANDS, Command
from tests.conftest import Run

ROOT = Path(__file__).resolve().parent.parent
each_command = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.family.name)


@each_command
def test_what_a_family_declares_fits_together(command: Command) -> None:
    family = command.family
    detail = {column.name for column in family.detail}
    assert set(family.units) <= detail
    assert family.headline in family.results
    assert family.headline.better
    columns = (*family.inputs, *family.references, *family.results, *family.detail, *family.summary)
    assert all(column.about for column in columns)
    assert family.key in {column.name for column in family.inputs} | {""}


@each_command
def test_every_option_that_can_change_a_number_is_in_the_signature(command: Command) -> None:
    family = command.family
    unsigned = {field.name for field in dataclasses.fields(family.options) if not field.metadata["sign"]}
    assert unsigned <= {"audit", "power", "power_gini", "fail_on"}  # these change no number of a report
    signature = family.signature(family.options(), importlib.metadata.version("scoresheet"))
    assert signature.startswith(family.name + "|")
    assert family.signature(family.options(seed=3), "1").split("|")[-2:] == ["seed:3", "v:1"]


@each_command
def test_the_sample_data_runs_with_no_arguments(command: Command, run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    done = run(command.family.name)
    assert done.code == 0
    assert (tmp_path / command.results / f"{command.family.stem}_results.xlsx").exists()
    assert (tmp_path / command.results / "manifest.json").exists()
