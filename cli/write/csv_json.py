"""CSV and JSON: full precision for machines."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scoresheet.cli.write.cell_text import UNSEEN, csv_safe, escape_control_characters


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]], *, raw: bool = False) -> None:
    """Write rows as UTF-8 CSV: floats with all their digits, undefined as empty, text that cannot run as a formula."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        shown = escape_control_characters if raw else lambda text: csv_safe(escape_control_characters(text))
        writer.writerow([shown(name) for name in header])  # a judge or a stream may be what a column is called by
        writer.writerows(
            # the writer itself gives numbers all their digits, and None an empty cell
            [shown(value) if isinstance(value, str) else None if value != value else value for value in row]  # noqa: PLR0124
            for row in rows
        )


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON; undefined and infinite numbers are null."""
    path.write_text(as_json(value) + "\n", encoding="utf-8")


def as_json(value: Any) -> str:
    """Return a value as readable JSON text; what cannot be seen in it is escaped as JSON does, and so still there."""
    text = json.dumps(_plain(value), ensure_ascii=False, indent=2, allow_nan=False)
    return text if text.isascii() else UNSEEN.sub(lambda unseen: json.dumps(unseen.group())[1:-1], text)


def _plain(value: Any) -> Any:
    match value:
        case Mapping():
            return {escape_control_characters(str(key)): _plain(each) for key, each in value.items()}
        case str():
            return escape_control_characters(value)
        case float():
            return float(value) if math.isfinite(value) else None
        case list() | tuple():
            return [_plain(each) for each in value]
        case _:
            return value
