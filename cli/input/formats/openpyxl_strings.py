"""openpyxl with strings as the file has them: it takes x005F_ out of shared ones, so that _x0041_ would become A."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.cell.text import Text
from openpyxl.reader.excel import ExcelReader
from openpyxl.utils.escape import unescape
from openpyxl.xml.constants import SHARED_STRINGS, SHEET_MAIN_NS
from openpyxl.xml.functions import iterparse


class _Reader(ExcelReader):
    """The library's reader of workbooks; only shared strings are read in another way."""

    def read_strings(self) -> None:
        """Read the shared strings, escapes and all."""
        package: Any = self.package
        part = package.find(SHARED_STRINGS)
        if part is None:
            return
        with self.archive.open(part.PartName[1:]) as stream:
            for _, element in iterparse(stream):
                if element.tag == f"{{{SHEET_MAIN_NS}}}si":
                    text: Any = Text.from_tree(element)
                    self.shared_strings.append(text.content)
                    element.clear()


def load_workbook(path: Path) -> Workbook:
    """Return a workbook with the values of its cells, strings with their escapes."""
    reader = _Reader(path, data_only=True)
    reader.read()
    return reader.wb


def shown_value(value: object) -> object:
    """Return a cell's value as a spreadsheet program shows it: _x0041_ is an A, and _x005F_x0041_ is _x0041_."""
    return unescape(value) if isinstance(value, str) else value
