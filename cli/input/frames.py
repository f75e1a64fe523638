"""Data frames as inputs: a frame becomes the sheets that a reader would have made of its CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from scoresheet.cli.input.discover import ModelInput, Source
from scoresheet.cli.input.formats.cells import as_text
from scoresheet.cli.input.formats.csv_files import SHEET
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.formats.types import Content, ReadRules, Table
from scoresheet.cli.input.limits import NO_LIMITS
from scoresheet.cli.input.loading import LoadedFiles, LoadedSheet, take_content
from scoresheet.cli.input.splitting import split_sheets
from scoresheet.metrics.problems import InputError, Problem, reject


def frame_model(
    name: str, frames: pd.DataFrame | Mapping[str, pd.DataFrame], rules: ReadRules
) -> tuple[ModelInput, LoadedFiles]:
    """Return a model whose sheets are frames; a frame that cannot be used costs its sheet."""
    loaded = LoadedFiles()
    source = Source(Path(name), name)
    model = ModelInput(name, (source,))
    content = Content([], [])
    for title, frame in ({SHEET: frames} if isinstance(frames, pd.DataFrame) else frames).items():
        try:
            table, problems = _table(frame, str(title))
        except InputError as error:
            loaded.problems.append(error.problem.at(file=name, sheet=str(title)))
            continue
        content.tables.append(table)
        content.problems.extend(problems)
    take_content(content, source, model, replace(rules, limits=NO_LIMITS), loaded)
    return model, loaded


def frame_sheets(frame: pd.DataFrame, source: str) -> tuple[list[LoadedSheet], list[Problem]]:
    """Return a frame as a sheet, or as one per value of its `Sheet` column; InputError if its header is none."""
    table, problems = _table(frame, SHEET)
    return [
        LoadedSheet("", each.name, each.grid, source) for each in split_sheets([table], ReadRules(limits=NO_LIMITS))
    ], problems


def _table(frame: pd.DataFrame, title: str) -> tuple[Table, list[Problem]]:
    builder = TableBuilder(title, refusal="sheet skipped", limits=NO_LIMITS)
    table = builder.build(_records(frame), strict=False)
    if table is None:
        reject("no-rows", "the frame has no columns and no rows", sheet=title, effect="sheet skipped")
    return table, builder.problems


def _records(frame: pd.DataFrame) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the header and the rows as text, numbered as a spreadsheet would; the frame's own index is no column."""
    yield 1, [str(name) for name in frame.columns]
    columns = [frame.iloc[:, place].tolist() for place in range(frame.shape[1])]
    for number, cells in enumerate(zip(*columns, strict=True), start=2):
        yield number, [as_text(None if _is_missing(cell) else cell) for cell in cells]


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value))
