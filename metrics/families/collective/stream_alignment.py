"""Which stream each row or column of the other sheets is about, in the predictions' spelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoresheet.metrics.families.collective.names import matching_stream
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.schema import HISTORY, PARAMETERS
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted, Problem, note


def align_streams(predictions: Predictions, tables: Mapping[str, NumericTable]) -> Noted[dict[str, NumericTable]]:
    """Return the sheets by role, with streams named as in the predictions, without those that were left out.

    A sheet in which two names mean one stream is not used: nobody could say which of them counts.
    """
    everyone = [*predictions.streams, *predictions.left_out]
    aligned: dict[str, NumericTable] = {}
    problems: list[Problem] = []
    for role, table in tables.items():
        names = stream_names(table)
        meant = {name: matching_stream(name, everyone) for name in dict.fromkeys(names) if name}
        twins = _twins(meant)
        if twins:
            message = (
                f"{' and '.join(map(repr, twins))} of the sheet {role} both mean the stream {meant[twins[0]]!r}; "
                "write each stream as the predictions do"
            )
            problems.append(Problem(kind="duplicate-sample", message=message, effect="sheet skipped", sheet=role))
            continue
        unknown = [name for name, stream in meant.items() if stream not in everyone]
        # in a history: a line of training that nobody's predictions go on with
        leaves_out = predictions.chosen or table.sheet is HISTORY
        if unknown and table.sheet is not PARAMETERS:
            done = "they are left out" if leaves_out else "they count there all the same"
            message = f"streams of the sheet {role} that the predictions do not have: {join_names(unknown)}; {done}"
            problems.append(note("unknown-stream", message, sheet=role))
        lost = {name for name, stream in meant.items() if leaves_out and stream not in predictions.streams}
        aligned[role] = _renamed(table, [meant.get(name, "") for name in names], [name in lost for name in names])
    return Noted(aligned, tuple(problems))


def stream_names(table: NumericTable) -> list[str]:
    """Return the stream that each row is about, or each column where these name streams; '' for none."""
    key, prefix = table.sheet.stream_key, table.sheet.stream_prefix
    names = table.names if key is None else table.cells(key)
    return [name.removeprefix(prefix) if name.startswith(prefix) else "" for name in names]


def _twins(meant: Mapping[str, str]) -> list[str]:
    """Return names that mean the same, the first such; none if all differ."""
    by_stream: dict[str, list[str]] = {}
    for name, stream in meant.items():
        by_stream.setdefault(stream, []).append(name)
    stream, names = next(((stream, names) for stream, names in by_stream.items() if len(names) > 1), ("", []))
    return sorted(names, key=lambda name: (name != stream, name))


def _renamed(table: NumericTable, streams: Sequence[str], lost: Sequence[bool]) -> NumericTable:
    """Return a sheet under the predictions' names of streams, without the rows or columns of those that are lost."""
    key, prefix = table.sheet.stream_key, table.sheet.stream_prefix
    kept = [position for position, gone in enumerate(lost) if not gone]
    written = table.names if key is None else table.cells(key)
    names = [prefix + streams[position] if streams[position] else written[position] for position in kept]
    if key is None:
        return replace(table, names=names, values=table.values[:, kept])
    keys = {name: [cells[position] for position in kept] for name, cells in table.keys.items()}
    if key.name in keys:
        keys[key.name] = names
    return replace(table, keys=keys, values=table.values[kept], rows=[table.rows[position] for position in kept])
