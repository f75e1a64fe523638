"""Template workbooks: a header with notes, a few rows, and rules for what cells may hold."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal

from scoresheet.cli.templates.template import NumberRange, TemplateSheet
from scoresheet.metrics.messages import spelled_for_shell

if TYPE_CHECKING:
    from openpyxl.worksheet.datavalidation import DataValidation

_ROWS: Final = 10_000  # to be filled in, that rules hold for
_WIDEST: Final = 60  # characters
_AUTHOR: Final = "scoresheet"


def template_workbook(sheet: TemplateSheet) -> bytes:
    """Return a workbook with one sheet to be filled in."""
    from openpyxl import Workbook
    from openpyxl.comments import Comment
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    page = book.worksheets[0]
    page.title = sheet.name
    page.append(sheet.headers)
    for row in sheet.rows:
        page.append(row)
    for place, (header, note) in enumerate(zip(sheet.headers, sheet.notes, strict=True), start=1):
        cell = page.cell(1, place)
        cell.font = Font(name="Calibri", size=11, bold=True)
        cell.comment = Comment(spelled_for_shell(note), _AUTHOR, width=320, height=100)
        longest = max(len(header), *(len(str(row[place - 1])) for row in sheet.rows))
        letter = get_column_letter(place)
        page.column_dimensions[letter].width = min(longest + 4, _WIDEST)
        for below in page[letter][1:]:
            below.alignment = Alignment(wrap_text=True, vertical="top")
    page.freeze_panes = "A2"
    for header, rule in _rules(sheet):
        letter = get_column_letter(sheet.headers.index(header) + 1)
        page.add_data_validation(rule)
        rule.add(f"{letter}2:{letter}{_ROWS}")
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _rules(sheet: TemplateSheet) -> Iterator[tuple[str, DataValidation]]:
    """Yield what each column may hold, where not everything will do; a list only suggests, since a user's differ."""
    from openpyxl.worksheet.datavalidation import DataValidation

    for header, names in sheet.choices.items():
        rule = DataValidation(type="list", formula1=f'"{",".join(names)}"', allow_blank=True, showErrorMessage=False)
        yield header, rule
    for header, numbers in sheet.numbers.items():
        yield header, _number_rule(numbers)


def _number_rule(numbers: NumberRange) -> DataValidation:
    from openpyxl.worksheet.datavalidation import DataValidation

    kind: Literal["whole", "decimal"] = "whole" if numbers.whole else "decimal"
    what = "a whole number" if numbers.whole else "a number"
    least = f"{numbers.least:g}"
    if numbers.most is None:
        rule = DataValidation(type=kind, operator="greaterThanOrEqual", formula1=least, allow_blank=True)
        rule.error = f"{what} of {least} or more"
    else:
        most = f"{numbers.most:g}"
        rule = DataValidation(type=kind, operator="between", formula1=least, formula2=most, allow_blank=True)
        rule.error = f"{what} from {least} to {most}"
    rule.errorTitle = _AUTHOR
    rule.showErrorMessage = True
    return rule
