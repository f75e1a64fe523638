"""Plain lists: a text file with one value a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scoresheet.cli.input.formats.csv_files import SHEET, decode_text
from scoresheet.cli.input.formats.text_files import file_bytes, first_bytes
from scoresheet.cli.input.formats.types import Content, ReadRules, Table
from scoresheet.cli.input.grid import Grid
from scoresheet.metrics.columns import row_numbers
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.problems import Problem, reject

_LONGEST: Final = 60  # characters of a line that is a name and no sentence
_MARK: Final = r"(?:[-*•–·]|\(?(\d{1,3})[.)])\s+"  # before every item of a list
_SENTENCE_ENDS: Final = (".", ":", ";", "!", "?", "。", "：", "！", "？")


def looks_like_list(path: Path) -> bool:
    """Return whether a text file begins with short lines that are no sentences, two or more."""
    text = first_bytes(path).decode("utf-8", errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and all(len(line) <= _LONGEST and not line.endswith(_SENTENCE_ENDS) for line in lines)


def read_list(path: Path, rules: ReadRules) -> Content:
    """Return the lines of a file as the one column of a table; blank lines are none.

    A heading, and bullets or numbers before every line, are no part of the values; a line alone is split at commas.
    """
    lines = decode_text(file_bytes(path, rules.limits), rules.encoding).splitlines()
    numbered = [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    if not numbered:
        reject("no-rows", "the file has no line that is filled")
    if len(numbered) == 1 and "," in numbered[0][1]:
        numbered = [(numbered[0][0], part.strip()) for part in numbered[0][1].split(",") if part.strip()]
    elif len(numbered) > 1 and numbered[0][1].casefold().rstrip(":") in (rules.list_header, f"{rules.list_header}s"):
        numbered = numbered[1:]
    if _are_marked([line for _, line in numbered]):
        numbered = [(number, re.sub(_MARK, "", line, count=1)) for number, line in numbered]
    values = [line for _, line in numbered]
    grid = Grid({rules.list_header: values}, row_numbers([number for number, _ in numbered]))
    message = f"{pluralize(len(values), 'line')}, each taken for one {rules.list_header} ({join_names(values)})"
    return Content([Table(SHEET, grid)], [Problem(kind="plain-list", message=message, effect="note")])


def _are_marked(lines: Sequence[str]) -> bool:
    """Return whether all lines have a bullet before them, or numbers from 1 on.

    >>> _are_marked(["1. Japan", "2. Peru"]), _are_marked(["- Japan", "- Peru"]), _are_marked(["1. FC A", "1. FC B"])
    (True, True, False)
    """
    marks = [re.match(_MARK, line) for line in lines]
    if not all(marks):
        return False
    numbers = [mark[1] for mark in marks if mark]
    return not any(numbers) or numbers == [str(number) for number in range(1, len(lines) + 1)]
