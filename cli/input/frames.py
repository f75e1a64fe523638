"""Data frames as inputs: a frame becomes the sheets that a reader would have made of its CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from scoresheet.cli.input.discover import ModelInput, Source
from scoresheet.cli.input.formats.cells import as_text
from scoresheet.cli.input.formats.csv_files import SHEET, split_by_sheet_column
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.loading import LoadedFiles, LoadedSheet
from scoresheet.metrics.problems import InputError, Problem, reject


def frame_model(name: str, frames: pd.DataFrame | Mapping[str, pd.DataFrame]) -> tuple[ModelInput, LoadedFiles]:
    """Return a model whose sheets are frames; a frame that cannot be used costs its sheet."""
    loaded = LoadedFiles()
    for title, frame in ({SHEET: frames} if isinstance(frames, pd.DataFrame) else frames).items():
        try:
            sheets, problems = frame_sheets(frame, str(title), model=name, source=name)
        except InputError as error:
            loaded.problems.append(error.problem.at(file=name, sheet=str(title)))
            continue
        loaded.sheets += sheets
        loaded.problems += [problem.at(file=name) for problem in problems]
    return ModelInput(name, (Source(Path(name), name),)), loaded


def frame_sheets(
    frame: pd.DataFrame, title: str = SHEET, *, model: str = "", source: str
) -> tuple[list[LoadedSheet], list[Problem]]:
    """Return a frame as a sheet, or as one per value of its `Sheet` column; InputError if its header is none."""
    builder = TableBuilder(title, refusal="sheet skipped")
    table = builder.build(_records(frame), strict=False)
    if table is None:
        reject("no-rows", "the frame has no columns and no rows", sheet=title, effect="sheet skipped")
    sheets = [LoadedSheet(model, each.name, each.frame, source) for each in split_by_sheet_column(table)]
    return sheets, builder.problems


def _records(frame: pd.DataFrame) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the header and the rows as text, numbered as a spreadsheet would; the frame's own index is no column."""
    yield 1, [str(name) for name in frame.columns]
    columns = [frame.iloc[:, place].tolist() for place in range(frame.shape[1])]
    for number, cells in enumerate(zip(*columns, strict=True), start=2):
        yield number, [as_text(None if _is_missing(cell) else cell) for cell in cells]


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value))
