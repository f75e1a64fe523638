"""JSON: an object per line, a list of objects, or an object of lists; numbers kept as they are written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from scoresheet.cli.input.formats.csv_files import SHEET, decode_text
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.formats.text_files import file_bytes, first_bytes
from scoresheet.cli.input.formats.types import Content, NestedCell, ReadRules
from scoresheet.metrics.messages import pluralize
from scoresheet.metrics.problems import reject

# a list of objects, or an object whose first value is a list: what else is called .json is no table
_TABLE: Final = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(?:\[\s*\{|\{\s*\"[^\"]*\"\s*:\s*\[)")
_DEEPEST: Final = 8  # objects in objects that a header reaches into

Object = dict[str, object]


def read_jsonlines(path: Path, rules: ReadRules) -> Content:
    """Return the one table of a JSON Lines file; a key that a line lacks is an empty cell."""
    return _content(list(_lines(decode_text(file_bytes(path), rules.encoding))), rules.paths)


def read_json(path: Path, rules: ReadRules) -> Content:
    """Return the one table of a JSON file: a list of objects, or an object with a list for each column."""
    value = _parsed(decode_text(file_bytes(path), rules.encoding), "the file")
    if isinstance(value, _Pairs):
        return _content(_of_columns(value), rules.paths)
    if not isinstance(value, list):
        reject("not-a-table", "neither a list of objects nor an object of lists")
    objects = [(number, _object(each, f"element {number}")) for number, each in enumerate(value, start=1)]
    return _content(objects, rules.paths)


def looks_like_table(path: Path) -> bool:
    """Return whether a JSON file begins as a table does."""
    return _TABLE.match(first_bytes(path)) is not None


def _content(objects: Sequence[tuple[int, Object]], paths: Sequence[str]) -> Content:
    # into lists lead only the headers that were named: a list may be as long as it likes
    into_lists = [path for path in paths if any(map(str.isdecimal, path.split(".")))]
    # a key that is written with dots wins over what lies in objects
    flat = [(number, _in_lists(each, into_lists) | dict(_leaves(each)) | each) for number, each in objects]
    names = list(dict.fromkeys(name for _, each in flat for name in each))
    builder = TableBuilder(SHEET, refusal="file skipped")
    records = ((number, [_cell(each.get(name)) for name in names]) for number, each in flat)
    table = builder.build([(0, names), *records], strict=True, blanks=True)
    if table is None:
        reject("no-rows", "the file has no objects")
    texts: dict[tuple[str, str], tuple[str, ...]] = {}  # rows are mostly of one shape
    for number, each in flat:
        for name, value in each.items():
            if isinstance(value, list):  # and so are objects
                shape = _shape(value)
                if (name, shape) not in texts:
                    texts[name, shape] = tuple(_texts(value, name))
                table.nested_cells[number, name] = NestedCell(shape, texts[name, shape])
    return Content([table], builder.problems)


def _leaves(value: Object, above: str = "", depth: int = 0) -> Iterator[tuple[str, object]]:
    """Yield an object's values by key, and what lies in objects below it by keys joined with dots."""
    for key, each in value.items():
        yield above + key, each
        if isinstance(each, _Pairs) and depth < _DEEPEST:
            yield from _leaves(dict(each), f"{above}{key}.", depth + 1)


def _in_lists(value: Object, paths: Sequence[str]) -> Object:
    """Return what paths with numbers in them lead to, of lists the element of that number, from 0."""
    found: Object = {}
    for path in paths:
        here: object = _Pairs(value.items())
        for step in path.split("."):
            if isinstance(here, _Pairs):
                here = dict(here).get(step)
            elif isinstance(here, list) and step.isdecimal() and int(step) < len(here):
                here = here[int(step)]
            else:
                here = None
        if here is not None:
            found[path] = here
    return found


def _texts(value: object, above: str, depth: int = 0) -> Iterator[str]:
    """Yield the paths to texts and numbers inside a list or an object; of a list to those in its first element.

    >>> list(_texts(_Pairs([("n", 1), ("choices", [_Pairs([("text", "hi")]), 2])]), "reply"))
    ['reply.n', 'reply.choices.0.text']
    """
    if isinstance(value, _Pairs) or (isinstance(value, list) and value):
        pairs = value if isinstance(value, _Pairs) else [("0", value[0])]
        for key, each in pairs if depth <= _DEEPEST else ():
            yield from _texts(each, f"{above}.{key}", depth + 1)
    elif not isinstance(value, list) and _cell(value).strip():
        yield above


def _lines(text: str) -> Iterator[tuple[int, Object]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _object(_parsed(line, f"line {number}"), f"line {number}")


def _parsed(text: str, where: str) -> object:
    try:
        return json.loads(text, parse_float=_Number, parse_int=_Number, object_pairs_hook=_Pairs)
    except (json.JSONDecodeError, RecursionError) as error:
        reject("not-a-table", f"{where} is not JSON: {error}")


def _object(value: object, where: str) -> Object:
    if not isinstance(value, _Pairs):
        reject("not-a-table", f"{where} is not an object with column names")
    found = dict(value)
    if len(found) < len(value):
        reject("duplicate-header", f"{where} has the same key twice")
    return found


def _of_columns(pairs: _Pairs) -> list[tuple[int, Object]]:
    """Return the rows of an object whose values are columns."""
    columns = _object(pairs, "the file")
    lists = {name: column for name, column in columns.items() if type(column) is list}
    if len(lists) < len(columns) or len({len(column) for column in lists.values()}) > 1:
        reject("not-a-table", "an object is a table only if each of its values is a list, all of one length")
    rows = zip(*lists.values(), strict=True)
    return [(number, dict(zip(lists, row, strict=True))) for number, row in enumerate(rows, start=1)]


class _Number(str):
    """A number as it is written."""


class _Pairs(list[tuple[str, object]]):
    """An object's keys and values, in order and with repetitions."""


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return str(value)
        case _:
            return "TRUE" if value is True else "FALSE" if value is False else _nested(value)


def _shape(value: object) -> str:
    """Return what a cell holds that is no text and no number.

    >>> _shape(_Pairs([("style", 3)])), _shape([1, 2]), _shape([_Pairs([("role", "user"), ("content", "hi")])])
    ('an object (style)', 'a list of 2', 'a list of 1 object (role, content)')
    """
    if isinstance(value, _Pairs):
        return f"an object ({_keys(value)})"
    if not isinstance(value, list):
        return "a list of 0"
    if value and all(isinstance(each, _Pairs) for each in value):
        return f"a list of {pluralize(len(value), 'object')} ({_keys(value[0])})"
    return f"a list of {len(value)}"


def _keys(pairs: _Pairs) -> str:
    return ", ".join(key for key, _ in pairs[:5])


def _nested(value: object) -> str:
    """Return JSON text that says the same as the file's."""
    match value:
        case _Number():
            return str(value)
        case _Pairs():
            return (
                "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {_nested(each)}" for key, each in value) + "}"
            )
        case list():
            return "[" + ", ".join(map(_nested, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
