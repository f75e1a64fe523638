"""JSON, JSON Lines and Parquet: objects become dotted columns, lists stay in their cell."""

import json
import unicodedata
from collections.abc import Iterator, Mapping
from typing import TextIO, TypeGuard

import pandas as pd

from scoresheet.cli.input import frames
from scoresheet.cli.input.discover import Source
from scoresheet.cli.input.frames import FileTables, Rules
from scoresheet.metrics.problem import Refusal, refusal

Row = dict[str, object]
Outer = dict[tuple[str, str], object]  # cells of the objects around a row, by path and name


def read_json(text: TextIO, source: Source, rules: Rules) -> FileTables:
    """Return the table of a list of objects, an object of lists, or one object per line.

    With `--records` the lists at that path are the rows. The index counts the rows; in a file with
    one object per line it is the line.
    """
    if source.format == "jsonl":
        lines = {n: _parse(line, n) for n, line in enumerate(text, 1) if line.strip()}
    else:
        value = _parse(text.read())
        lines = dict(enumerate([value] if rules.records else _objects(value), 1))
    if rules.records:
        lines = dict(enumerate(_records(list(lines.values()), rules.records), 1))
    return FileTables({"": _frame(lines)})


def read_parquet(source: Source, _: Rules) -> FileTables:
    """Return the table of a Parquet file; structs are read like objects in JSON."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError:
        hint = "pip install 'scoresheet[parquet]'"
        raise refusal("missing-extra", "Parquet files need pyarrow", hint) from None
    try:
        with ParquetFile(source.path) as file:
            about, names = file.metadata, file.schema_arrow.names
            size = sum(about.row_group(at).total_byte_size for at in range(about.num_row_groups))
            frames.refuse_expanded(source, max(size, about.num_rows * about.num_columns))
            frames.refuse_names(names)
            schema = file.schema_arrow.remove_metadata()  # of pandas: which column is its index
        columns = [name for name in names if not name.startswith("__index_level_")]
        # as Arrow keeps them, whole numbers stay so next to missing ones
        frame = pd.read_parquet(
            source.path, "pyarrow", columns=columns, schema=schema, dtype_backend="pyarrow"
        )
    except pa.ArrowException as error:
        raise refusal("unreadable", f"the file cannot be read: {error}") from error
    rows = pa.Table.from_pandas(frame, preserve_index=False).to_pylist()  # lists stay lists
    return FileTables({"": _frame(dict(enumerate(rows, 1)))})


def _parse(text: str, line: int = 0) -> object:
    """Return a JSON value in which numbers are text, as a person would type them."""

    def unique(pairs: list[tuple[str, object]]) -> Row:
        names = [unicodedata.normalize("NFC", name).strip() or "(no name)" for name, _ in pairs]
        frames.refuse_names(names)
        return dict(zip(names, (value for _, value in pairs), strict=True))

    try:
        value = json.loads(
            text,
            object_pairs_hook=unique,
            parse_int=str,
            parse_float=lambda token: frames.cell_text(float(token)),
            parse_constant=str,
        )
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        message = f"line {line or 1}: a text has half of a character, {error.object[error.start]!r}"
        raise refusal("encoding", message) from error
    except json.JSONDecodeError as error:
        message = f"line {line or error.lineno}: this is not valid JSON ({error.msg})"
        hint = "name the file .json if it is one value, .jsonl if each line is an object"
        raise refusal("unreadable", message, hint) from error
    return value


def _objects(value: object) -> list[Row]:
    """Return the rows of a list of objects or of an object of lists of one length."""
    if _is_table(value) or value == []:
        return value
    if isinstance(value, dict) and all(isinstance(cells, list) for cells in value.values()):
        columns = list(value.values())
        objects = any(isinstance(cell, dict) for cells in columns for cell in cells)
        if len(set(map(len, columns))) == 1 and not objects:
            return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    raise _other_shape("this is not a list of objects or an object of lists of one length", value)


def _other_shape(message: str, value: object) -> Refusal:
    """Return the refusal that names the paths that `--records` could take."""
    paths = list(dict.fromkeys(_table_paths(value)))[:10]
    message += f"; there are lists of objects at {', '.join(paths)}" if paths else ""
    return refusal("json-shape", message, f"--records {paths[0]}" if paths else "")


def _table_paths(value: object, at: str = "") -> Iterator[str]:
    if at and _is_table(value):
        yield at
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _table_paths(inner, f"{at}.{name}".lstrip("."))
    elif isinstance(value, list):
        for inner in value[:20]:
            yield from _table_paths(inner, at)


def _is_table(value: object) -> TypeGuard[list[Row]]:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _records(values: list[object], records: str) -> list[Row]:
    """Return the objects in the lists at a path, each with the cells of the objects around it.

    An outer name that an inner object also has gets its path, or `outer`, as a prefix.
    """
    found: list[tuple[Outer, Row]] = []

    def descend(value: object, path: list[str], at: str, outer: Outer) -> None:
        if isinstance(value, list) and path:
            for inner in value:
                descend(inner, path, at, outer)
        elif isinstance(value, dict) and path and path[0] in value:
            around = _flat({name: cell for name, cell in value.items() if name != path[0]})
            here = {(at, name): cell for name, cell in around.items() if isinstance(cell, str)}
            descend(value[path[0]], path[1:], f"{at}.{path[0]}".strip("."), outer | here)
        elif not path and (_is_table(value) or value == []):
            found.extend((outer, _flat(row)) for row in value)
        else:
            raise _other_shape(f"there is not a list of objects at {records}", values)

    descend(values, records.split("."), "", {})
    taken = {name for _, row in found for name in row}
    names = {}
    for at, name in dict.fromkeys(key for outer, _ in found for key in outer):
        names[at, name] = f"{at or 'outer'}.{name}" if name in taken else name
        taken.add(name)
    return [{names[key]: cell for key, cell in outer.items()} | row for outer, row in found]


def _flat(row: Row, prefix: str = "") -> Row:
    """Return a row in which objects are dotted names and scalars are text."""
    flat: Row = {}
    for name, value in row.items():
        path = prefix + name
        cells = _flat(value, f"{path}.") if isinstance(value, dict) else {path: _cell(value)}
        if twice := flat.keys() & cells.keys():
            frames.refuse_names([*twice, *twice])
        flat |= cells
    return flat


def _cell(value: object) -> object:
    """Return a scalar as text, and a list or an object with its scalars as text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list | tuple):
        return [_cell(item) for item in value]
    if isinstance(value, dict):
        return {name: _cell(item) for name, item in value.items()}
    return frames.cell_text(value)


def _frame(numbered: Mapping[int, object]) -> pd.DataFrame:
    """Return the frame of objects that may have different names; blank ones are dropped."""
    rows: dict[int, Row] = {}
    names: dict[str, None] = {}
    for number, value in numbered.items():
        if not isinstance(value, dict):
            raise refusal("json-shape", f"line {number}: this is not an object")
        row = _flat(value)
        if any(not isinstance(cell, str) or cell.strip() for cell in row.values()):
            rows[number] = row
            names |= dict.fromkeys(row)
    if not rows:
        raise refusal("empty", "the file has no rows")
    frames.refuse_size(len(rows), len(names), sum(map(len, rows.values())))
    columns = {name: [row.get(name, "") for row in rows.values()] for name in names}
    for parent in {name[: name.rindex(".")] for name in names if "." in name} & columns.keys():
        if not any(columns[parent]):  # null where other rows have an object
            del columns[parent]
    return pd.DataFrame(columns, index=pd.Index(list(rows), dtype="int64"), dtype=object)
