"""Is what a column keeps apart ever scored together in silence, in any layout that is read?"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.run import model_worker
from tests.helpers.altered_tables import added, alter_table, alter_tags, headers, renamed
from tests.helpers.runs import Result, Run
from tests.layouts import page
from tests.layouts.layout import Layout

# those that split the tables of some family alone, the rest together
SEPARATING = (("model",), ("Sheet",), ("question",), ("system", "run"))
# names that tell models apart and that no family has for a column of its own, some for each layout in turn
WORDS = (
    *("llm", "checkpoint", "Model ID", "model_version", "models", "provider", "generator", "bot", "agent"),
    *("deployment", "backend", "assistant", "experiment", "Modell", "Modèle", "modelo", "modello", "модель"),
    *("模型", "モデル", "모델"),
)
LOOKING = ("--dry-run", "--json", "--no-compare")  # what is read and said of it; whether models differ is not asked
REACHED = "response.body.model"  # said of once where several of its kind say the same
NAMELESS = ("method", "variant", "name", "source", "系统", "run_id", "Verfahren")  # known by what stands under them
VALUES = ("north", "north", "south")  # in turn down the rows, in step with no column of a layout
LAYOUTS = [(family, layout) for family in page.families() for layout in page.layouts(family)]
WITH_MODELS = [
    pytest.param(place, family, layout, id=f"{family}: {layout.name}")
    for place, (family, layout) in enumerate(LAYOUTS)
    if "model-column" in layout.said
]


def outputs(root: Path, words: Sequence[str]) -> list[Path]:
    """The files that a layout's command reads as outputs."""
    place = root / words[1]
    return [path for path in sorted(place.rglob("*")) if path.is_file()] if place.is_dir() else [place]


def is_kept_apart(answer: dict[str, Any], column: str, values: Collection[str]) -> bool:
    """Whether each value of the column is a model or a sheet of its own, or the family's own key has it."""
    models = {each["model"] for each in answer["read"]}
    sheets = {each["sheet"].rpartition("/")[2] for each in answer["read"] if each["sheet_column"] == column}
    keys = [name for each in answer["read"] for name, header in each["columns"].items() if header == column]
    return set(values) <= models or set(values) <= sheets or bool(keys)


def is_said(done: Result, answer: dict[str, Any], column: str) -> bool:
    """Whether the screen names the column, and no model whose rows it tells apart is called ok."""
    told = {each["file"] for each in answer["problems"] if (each["kind"], each["column"]) == ("not-separated", column)}
    if told:
        status = {each["Model Name"]: each["Status"] for each in answer["models"]}
        touched = {each["model"] for each in answer["read"] if each["file"] in told}
        return f" column {column}: " in done.err and all(status[model] != "ok" for model in touched)
    # a stream of an ensemble, or what a panel judged: the family's own use of it is said
    used = not any(column in each["ignored"] for each in answer["read"])
    loud = [line for line in done.err.splitlines() if line.startswith(("note: ", "alert: "))]
    return used and any(re.search(rf"\b{column}\b", line) for line in loud)


def tells_rows_apart(answer: dict[str, Any], values: Collection[str]) -> bool:
    """Whether the sheets are so short that each row may have a value of its own, and nothing was pooled."""
    return all(each["rows"] <= len(set(values)) for each in answer["read"])


def pooled_in_silence(done: Result, columns: Sequence[str], values: Collection[str] = VALUES) -> list[str]:
    """The columns whose values were scored together, exit 0, and nothing of it on the screen."""
    if done.code:
        return []  # refused, or in part, which the exit code says
    answer = json.loads(done.out)
    if tells_rows_apart(answer, values):
        return []
    return [
        column for column in columns if not (is_kept_apart(answer, column, values) or is_said(done, answer, column))
    ]


@pytest.mark.parametrize(
    ("place", "layout"),
    [pytest.param(place, layout, id=f"{family}: {layout.name}") for place, (family, layout) in enumerate(LAYOUTS)],
)
def test_a_column_that_keeps_rows_apart_is_used_or_said_aloud(
    place: int, layout: Layout, run: Run, tmp_path: Path
) -> None:
    words = shlex.split(layout.words)
    layout.write(tmp_path)
    files = outputs(tmp_path, words)
    written = {path: path.read_bytes() for path in files}
    had = {name.casefold() for path in files for name in headers(path)}
    *alone, together = SEPARATING
    words_in_turn = (WORDS[place % len(WORDS)], WORDS[(place + len(WORDS) // 2) % len(WORDS)])
    for columns in (*alone, (*together, *words_in_turn)):
        new = [column for column in columns if column.casefold() not in had]
        for path, data in written.items():
            path.write_bytes(data)
        # of a TREC run, the tag is all there is
        changed = [alter_table(path, added(new, VALUES)) or alter_tags(path, VALUES) for path in files if new]
        assert any(changed) or not new
        assert pooled_in_silence(run(*words, *LOOKING), new) == [], (columns, layout.name)


@pytest.mark.parametrize(("place", "family", "layout"), WITH_MODELS)
def test_a_model_column_of_another_name_is_said_aloud(
    place: int, family: str, layout: Layout, run: Run, tmp_path: Path
) -> None:
    words = shlex.split(layout.words)
    layout.write(tmp_path)
    files = outputs(tmp_path, words)
    had = {name for path in files for name in headers(path)}
    keyed = family != "mode_collapse"  # samples of one question have nothing to be known by
    names = ("system", "run", "question", *WORDS, REACHED, *(NAMELESS if keyed else ()))
    others = [name for name in names if name not in had]
    column = others[place * 7 % len(others)]
    for path in files:
        alter_table(path, renamed("model", column))
    renames = "model" in had  # else the tags of a TREC run name the models
    assert not renames or pooled_in_silence(run(*words, *LOOKING), [column], layout.expected) == []


def test_it_would_be_noticed_if_nothing_were_said(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_worker, "unseparated_columns", lambda *_: [])
    (layout,) = [each for each in page.layouts("sinfo") if each.name == "a totals row below the data"]
    layout.write(tmp_path)
    words = shlex.split(layout.words)
    for path in outputs(tmp_path, words):
        alter_table(path, added(["system"], VALUES))
    assert pooled_in_silence(run(*words, *LOOKING), ["system"]) == ["system"]
