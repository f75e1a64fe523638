"""Files written for a test, read as a run reads them, and shown as short texts."""

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from scoresheet.cli.input.discover import Source, discover
from scoresheet.cli.input.frames import FileTables, Rules
from scoresheet.cli.input.read import read_tables
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.role import normal

READ = Path(__file__).parent / "cases" / "read.toml"
CASES: dict[str, dict[str, Any]] = tomllib.loads(READ.read_text(encoding="utf-8"))
RULES = Rules(words=frozenset(map(normal, ("idiom", "prediction", "reference", "model_name"))))


def save(folder: Path, data: bytes | str, name: str) -> Source:
    """Write a file and return it as it is discovered."""
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    (source,) = discover(str(folder / name), trec=True, lists=True).sources
    return source


def read(folder: Path, data: bytes | str, name: str, rules: Rules = RULES) -> FileTables:
    """Return the tables of a file."""
    return read_tables(save(folder, data, name), rules)


def refused(folder: Path, data: bytes | str, name: str, rules: Rules = RULES) -> Problem:
    """Return why a file is not read."""
    with pytest.raises(Refusal) as caught:
        read(folder, data, name, rules)
    problem = caught.value.problems[0]
    assert (problem.file, problem.effect) == (name, "skipped")
    return problem


def shown(frame: pd.DataFrame) -> str:
    """Return columns and numbered rows as `a|b / 2 x|y`."""
    rows = [f"{number} " + "|".join(map(str, row)) for number, *row in frame.itertuples()]
    return " / ".join(["|".join(frame.columns), *rows])


def assert_matches(problem: Problem, expected: str) -> None:
    """Compare a problem with `kind | part of its message | part of its hint`."""
    kind, message, hint = [*expected.split(" | "), "", ""][:3]
    assert problem.kind == kind
    assert message in problem.message
    assert hint in problem.hint
