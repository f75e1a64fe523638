"""JSON: an object per line, a list of objects, or an object of lists; numbers kept as they are written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Final, TypeVar

from scoresheet.cli.input.formats.csv_files import SHEET, check_lines, decode_text
from scoresheet.cli.input.formats.table_builder import TableBuilder
from scoresheet.cli.input.formats.text_files import file_bytes, first_bytes
from scoresheet.cli.input.formats.types import Content, NestedCell, ReadRules
from scoresheet.cli.input.limits import Limits, refuse_over
from scoresheet.metrics.messages import pluralize
from scoresheet.metrics.problems import reject

# a list of objects, or an object whose first value is a list: what else is called .json is no table
_TABLE: Final = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(?:\[\s*\{|\{\s*\"[^\"]*\"\s*:\s*\[)")
_BRACKETS: Final = re.compile(r'[\[\]{}]|"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)  # and texts, in which they mean nothing
_PARSED: Final = 0.6  # of the work on a file, until its objects are known; then its cells are made
_TOGETHER: Final = 1_000  # objects between two words on how many are read
_DEEPEST: Final = 8  # objects in objects that a header reaches into

Object = dict[str, object]
T = TypeVar("T")


def read_jsonlines(path: Path, rules: ReadRules) -> Content:
    """Return the one table of a JSON Lines file; a key that a line lacks is an empty cell."""
    text = decode_text(file_bytes(path, rules.limits), rules.encoding)
    check_lines(text, rules.limits)
    lines = text.count("\n") + 1
    return _content(list(_lines(_heard(text.split("\n"), lines, rules, (0.0, _PARSED)), rules.limits)), rules)


def read_json(path: Path, rules: ReadRules) -> Content:
    """Return the one table of a JSON file: a list of objects, or an object with a list for each column."""
    text = decode_text(file_bytes(path, rules.limits), rules.encoding)
    value = _parsed(text, "the file", rules.limits, _object_hook(text, rules))
    if isinstance(value, _Pairs):
        return _content(_of_columns(value), rules)
    if not isinstance(value, list):
        reject("not-a-table", "neither a list of objects nor an object of lists")
    objects = [(number, _object(each, f"element {number}")) for number, each in enumerate(value, start=1)]
    return _content(objects, rules)


def looks_like_table(path: Path) -> bool:
    """Return whether a JSON file begins as a table does."""
    return _TABLE.match(first_bytes(path)) is not None


def _content(objects: Sequence[tuple[int, Object]], rules: ReadRules) -> Content:
    # into lists lead only the headers that were named: a list may be as long as it likes
    into_lists = [path for path in rules.paths if any(map(str.isdecimal, path.split(".")))]
    # a key that is written with dots wins over what lies in objects
    flat = [(number, _in_lists(each, into_lists) | dict(_leaves(each)) | each) for number, each in objects]
    names = list(dict.fromkeys(name for _, each in flat for name in each))
    _check_size(flat, names, rules.limits)
    builder = TableBuilder(SHEET, refusal="file skipped", limits=rules.limits)
    heard = _heard(flat, len(flat), rules, (_PARSED, 1.0))
    records = ((number, [_cell(each.get(name)) for name in names]) for number, each in heard)
    table = builder.build(chain([(0, names)], records), strict=True, blanks=True)
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


def _heard(items: Iterable[T], of: int, rules: ReadRules, share: tuple[float, float]) -> Iterator[T]:
    """Yield items, of which there are so many; somebody hears of them, which are from one share to another of all."""
    first, last = share
    for number, item in enumerate(items):
        if rules.on_share is not None and number % _TOGETHER == 0:
            rules.on_share(first + (last - first) * number / of)
        yield item


def _object_hook(text: str, rules: ReadRules) -> Callable[[list[tuple[str, object]]], _Pairs]:
    """Return what makes an object of a text: there are about as many as opening braces, so that a share is known."""
    on_share, of = rules.on_share, max(text.count("{"), 1)
    if on_share is None or of < _TOGETHER:
        return _Pairs
    made = count()

    def pairs(found: list[tuple[str, object]]) -> _Pairs:
        number = next(made)
        if number % _TOGETHER == 0:
            on_share(_PARSED * min(number / of, 1.0))
        return _Pairs(found)

    return pairs


def _lines(lines: Iterable[str], limits: Limits) -> Iterator[tuple[int, Object]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _object(_parsed(line, f"line {number}", limits), f"line {number}")


def _parsed(
    text: str, where: str, limits: Limits, hook: Callable[[list[tuple[str, object]]], _Pairs] | None = None
) -> object:
    try:
        value: object = json.loads(text, parse_float=_Number, parse_int=_Number, object_pairs_hook=hook or _Pairs)
        depth = _depth(value)
    except RecursionError:
        depth = _depth_of_text(text)
    except json.JSONDecodeError as error:
        reject("not-a-table", f"{where} is not JSON: {error}")
    if depth > limits.json_depth:
        refuse_over(limits, "json_depth", depth, f"lists and objects in each other: {where} has")
    return value


def _check_size(flat: Sequence[tuple[int, Object]], names: Sequence[str], limits: Limits) -> None:
    """Refuse more different keys than there may be columns, more cells than are read, and longer ones.

    A line that lacks a key of another has an empty cell: few bytes can be a table that fills any memory.
    """
    if len(names) > limits.columns:
        refuse_over(limits, "columns", len(names), "the different keys of the file make")
    if len(names) * len(flat) > limits.cells:
        refuse_over(limits, "cells", len(names) * len(flat), "as a table the file has")
    for number, each in flat:
        for value in each.values():
            if isinstance(value, str) and len(value) > limits.cell_chars:
                refuse_over(limits, "cell_chars", len(value), f"a text of object {number:,} has")


def _depth(value: object) -> int:
    """Return how deep lists and objects lie in each other.

    >>> _depth([_Pairs([("a", [1, []])]), 2])
    4
    """
    depth = 0
    layer = [value] if isinstance(value, list) else []
    while layer:
        depth += 1
        inner = (item for each in layer for item in ([pair[1] for pair in each] if isinstance(each, _Pairs) else each))
        layer = [item for item in inner if isinstance(item, list)]
    return depth


def _depth_of_text(text: str) -> int:
    """Return the same of a text that lies too deep to be parsed.

    >>> _depth_of_text('[{"a[": [1, []]}, {}]')
    4
    """
    depth = deepest = 0
    for found in _BRACKETS.finditer(text):
        character = found[0]
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


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
