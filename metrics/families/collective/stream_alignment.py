"""Which stream each row or column of the other sheets is about, in the predictions' spelling."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.collective.names import matching_stream
from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.schema import HISTORY, PARAMETERS
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Noted, Problem, note
from scoresheet.metrics.text_columns import coded_cells


def align_streams(predictions: Predictions, tables: Mapping[str, NumericTable]) -> Noted[dict[str, NumericTable]]:
    """Return the sheets by role, with streams named as in the predictions, without those that were left out.

    A sheet in which two names mean one stream is not used: nobody could say which of them counts.
    """
    everyone = [*predictions.streams, *predictions.left_out]
    aligned: dict[str, NumericTable] = {}
    problems: list[Problem] = []
    for role, table in tables.items():
        names = stream_names(table)
        meant = {name: matching_stream(name, everyone) for name in names.values if name}
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
        aligned[role] = _renamed(table, names, meant, lost)
    return Noted(aligned, tuple(problems))


def stream_names(table: NumericTable) -> Coded[str]:
    """Return the stream that each row is about, or each column where these name streams; '' for none."""
    key, prefix = table.sheet.stream_key, table.sheet.stream_prefix
    written = coded_cells(table.names if key is None else table.cells(key))
    return written.mapped(lambda name: name.removeprefix(prefix) if name.startswith(prefix) else "")


def _twins(meant: Mapping[str, str]) -> list[str]:
    """Return names that mean the same, the first such; none if all differ."""
    by_stream: dict[str, list[str]] = {}
    for name, stream in meant.items():
        by_stream.setdefault(stream, []).append(name)
    stream, names = next(((stream, names) for stream, names in by_stream.items() if len(names) > 1), ("", []))
    return sorted(names, key=lambda name: (name != stream, name))


def _renamed(table: NumericTable, streams: Coded[str], meant: Mapping[str, str], lost: Collection[str]) -> NumericTable:
    """Return a sheet under the predictions' names of streams, without the rows or columns of those that are lost."""
    key, prefix = table.sheet.stream_key, table.sheet.stream_prefix
    is_lost = np.fromiter((name in lost for name in streams.values), bool, len(streams.values))
    kept = np.flatnonzero(~is_lost[streams.codes]) if len(streams) else np.zeros(0, np.int64)
    if key is None:
        names = [_own_name(table.names[place], prefix, meant) for place in kept.tolist()]
        return replace(table, names=names, values=table.values[:, kept])
    keys = dict(table.keys)
    if key.name in keys:
        keys[key.name] = coded_cells(keys[key.name]).mapped(lambda name: _own_name(name, prefix, meant))
    if len(kept) == len(streams):
        return replace(table, keys=keys)
    return replace(
        table,
        keys={name: cells.take(kept) for name, cells in keys.items()},
        values=table.values[kept],
        rows=[table.rows[position] for position in kept.tolist()],
    )


def _own_name(written: str, prefix: str, meant: Mapping[str, str]) -> str:
    """Return the predictions' name of a stream; what names none stays as it is."""
    stream = meant.get(written.removeprefix(prefix), "") if written.startswith(prefix) else ""
    return prefix + stream if stream else written
