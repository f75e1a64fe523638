"""Pages for machines: each as a CSV, and each as lines of names and values for metrics.json."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

import numpy as np

from scoresheet.cli.input.manifests import TABLES
from scoresheet.cli.report.page import Page
from scoresheet.cli.write.csv_json import write_columns
from scoresheet.cli.write.names import file_stem
from scoresheet.cli.write.workbook import Workbook, named_pages
from scoresheet.metrics.units import Value

_LONGEST_NAME: Final = 240  # bytes; a hash and the extension come after it
LONGEST_PAGE: Final = 1_000  # lines of a page that metrics.json holds
Line = Mapping[str, Value | None]
Lines = Sequence[Line] | Mapping[str, int]  # of a page that is too long, how many there are


def write_tables(stage: Path, stem: str, workbook: Workbook, *, raw: bool) -> list[str]:
    """Write every page of a workbook as a CSV into the stage and return their names."""
    written = []
    (stage / TABLES).mkdir(exist_ok=True)
    for title, page in named_pages(workbook).items():
        name = f"{TABLES}/{_fitting(f'{stem}.{file_stem(title)}')}.csv"
        names = _shown_columns(page)
        write_columns(stage / name, names, [page.table[each] for each in names], raw=raw)
        written.append(name)
    return written


def _fitting(name: str) -> str:
    """Return a name that file systems take: a model's and a page's may be too long together."""
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return name.encode()[:_LONGEST_NAME].decode(errors="ignore") + "-" + digest


def page_lines(pages: Iterable[Page]) -> dict[str, Lines]:
    """Return the lines of pages by title."""
    return {
        page.title: {"Lines": len(page.table)} if len(page.table) > LONGEST_PAGE else lines_of(page) for page in pages
    }


def lines_of(page: Page, rows: Sequence[int] | None = None) -> list[Line]:
    """Return each line of a page, or those of some rows, as what its columns hold."""
    names = _shown_columns(page)
    some = [page.table[name] for name in names] if rows is None else page.table.cells_of(names, rows)
    plain = [_plain(column) for column in some]
    return [dict(zip(names, values, strict=True)) for values in zip(*plain, strict=True)]


def _plain(values: Sequence[object]) -> Sequence[Value | None]:
    """Return numbers as Python has them."""
    listed = list(values)
    if any(issubclass(kind, np.generic) for kind in set(map(type, listed))):
        listed = [value.item() if isinstance(value, np.generic) else value for value in listed]
    return cast("Sequence[Value | None]", listed)


def _shown_columns(page: Page) -> list[str]:
    """Return the columns whose cells hold something: bars are drawn from what others hold."""
    return [column.name for column in page.columns if column.kind != "spark"]
