"""What holds for every family; a new one is found here by itself."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

import scoresheet
from scoresheet.cli.commands import Command, all_commands
from tests.helpers.runs import Run

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parent.parent
each_command = pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.name)


@each_command
def test_what_a_family_declares_fits_together(command: Command) -> None:
    family, reporter = command.family, command.reporter
    assert (command.name, command.options) == (family.name, family.options)
    assert command.references_required == (family.schema.references_required and bool(family.schema.references)) or (
        not command.references
    )
    shown = reporter.result_columns([], family.options())
    assert shown.headline in shown.measures
    # texts that are richer in words are not better for it
    assert (shown.headline.better is None) == (command.name == "entropy")
    assert set(shown.terminal) <= set(shown.measures)
    documented = reporter.documented
    assert all(column.about for column in (*documented.results, *documented.summary, *documented.sheet))
    assert all(column.about for column in family.schema.columns())


@each_command
def test_every_option_that_can_change_a_number_is_in_the_signature(command: Command) -> None:
    unsigned = {field.name for field in dataclasses.fields(command.options) if not field.metadata["sign"]}
    assert unsigned <= {"audit", "power", "power_gini", "fail_on"}  # these change no number of a report
    assert list(command.options(seed=3).signature())[-1] == "seed:3"


@each_command
def test_the_sample_data_runs_with_no_arguments(command: Command, run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    done = run(command.name)
    assert done.code == 0
    assert (tmp_path / command.results / f"{command.reporter.stem}_results.xlsx").exists()
    assert (tmp_path / command.results / "manifest.json").exists()


@each_command
def test_no_measure_of_the_sample_data_lies_beyond_its_declared_bounds(command: Command) -> None:
    scores = scoresheet.score(command.name, ROOT / command.outputs, _sample(command.references))
    bounded = {each.name: each for each in command.family.measures if each.quantity in ("score", "share", "chance")}
    seen = 0
    for result in scores.results.values():
        units = result.units()
        columns: dict[str, list[object]] = {name: [value] for name, value in result.measures.items()}
        columns |= {str(name): units[name].tolist() for name in units}
        for name, column in columns.items():
            measure = bounded.get(name.partition("@")[0])  # a measure may stand there at several cut-offs
            if measure is None:
                continue
            values = [value for value in column if isinstance(value, float) and not math.isnan(value)]
            seen += len(values)
            highest = math.inf if measure.highest is None else measure.highest
            assert all(measure.lowest - 1e-9 <= value <= highest + 1e-9 for value in values), name
    assert seen


def _sample(place: str) -> Path | None:
    return ROOT / place if place else None
