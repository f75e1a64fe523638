"""Parquet, for those who installed the extra."""

from __future__ import annotations

from pathlib import Path

from scoresheet.cli.input.formats.cells import as_text
from scoresheet.cli.input.formats.csv_files import SHEET
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.formats.types import Content, ReadRules
from scoresheet.metrics.problems import reject


def read_parquet(path: Path, _: ReadRules) -> Content:
    """Return the one table of a Parquet file."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        reject("missing-extra", "reading Parquet needs an optional package: pip install 'scoresheet[parquet]'")
    try:
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        reject("not-a-table", f"not a readable Parquet file: {error}")
    builder = TableBuilder(SHEET, refusal="file skipped")
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    records = ((number, [as_text(value) for value in row]) for number, row in enumerate(rows, start=2))
    built = builder.build([(1, table.column_names), *records], strict=True)
    if built is None:
        reject("no-rows", "the file has no columns")
    return Content([built], builder.problems)
