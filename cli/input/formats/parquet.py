"""Parquet, for those who installed the extra."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

from scoresheet.cli.input.formats.cells import as_text
from scoresheet.cli.input.formats.csv_files import SHEET
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.formats.types import Content, ReadRules
from scoresheet.cli.input.guard import open_regular
from scoresheet.cli.input.limits import MIB, Limits, refuse_over
from scoresheet.metrics.problems import reject

_UNPACKED: Final = 0.3  # of the work on a file, until its values are there; then its cells are made
_TOGETHER: Final = 1_000  # rows between two words on how many are read


def read_parquet(path: Path, rules: ReadRules) -> Content:
    """Return the one table of a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        reject("missing-extra", "reading Parquet needs an optional package: pip install 'scoresheet[parquet]'")
    try:
        with open_regular(path) as stream:
            _check_size(pyarrow.parquet.read_metadata(stream), rules.limits)
            table = pyarrow.parquet.read_table(stream)
    except (pyarrow.ArrowException, OSError) as error:
        reject("not-a-table", f"not a readable Parquet file: {error}")
    builder = TableBuilder(SHEET, refusal="file skipped", limits=rules.limits)
    hear = rules.on_share or (lambda _: None)
    columns = []
    for number, column in enumerate(table.columns):
        hear(_UNPACKED * number / table.num_columns)
        columns.append(column.to_pylist())

    def rows() -> Iterator[tuple[object, ...]]:
        for number, row in enumerate(zip(*columns, strict=True)):
            if number % _TOGETHER == 0:
                hear(_UNPACKED + (1 - _UNPACKED) * number / table.num_rows)
            yield row

    records = ((number, [as_text(value) for value in row]) for number, row in enumerate(rows(), start=2))
    built = builder.build(chain([(1, table.column_names)], records), strict=True)
    if built is None:
        reject("no-rows", "the file has no columns")
    return Content([built], builder.problems)


def _check_size(about: Any, limits: Limits) -> None:
    """Refuse what the file's own account of itself says is too much: a few bytes can be many rows."""
    if about.num_columns > limits.columns:
        refuse_over(limits, "columns", about.num_columns, "the file has")
    if about.num_rows * about.num_columns > limits.cells:
        refuse_over(limits, "cells", about.num_rows * about.num_columns, "the file has")
    unpacked = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
    if unpacked > limits.expanded_mb * MIB:
        refuse_over(limits, "expanded_mb", unpacked / MIB, "unpacked, the file has")
