"""Which stream each row or column of the other sheets is about, in the predictions' spelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoresheet.metrics.families.collective.names import STREAM, WEIGHT, matched
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.families.collective.readings import Numbers
from scoresheet.metrics.families.collective.sheets import HISTORY, PARAMETERS, PREDICTIONS
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import Problem


def of_members(sheets: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """Return the sheets with streams named as in the predictions, without those that --streams leaves out.

    A sheet in which two names mean one stream is not used: nobody could say which of them counts.
    """
    predictions: Predictions = sheets[PREDICTIONS]
    everyone = [*predictions.streams, *predictions.left_out]
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for role, sheet in sheets.items():
        if role == PREDICTIONS:
            found[role] = sheet
            continue
        names = _said(sheet)
        meant = {name: matched(name, everyone) for name in dict.fromkeys(names) if name}
        twins = _twins(meant)
        if twins:
            message = (
                f"{' and '.join(map(repr, twins))} of the sheet {role} both mean the stream {meant[twins[0]]!r}; "
                "write each stream as the predictions do"
            )
            problems.append(Problem(kind="duplicate-sample", message=message, effect="sheet skipped", sheet=role))
            continue
        unknown = [name for name, stream in meant.items() if stream not in everyone]
        gone = predictions.chosen or role == HISTORY  # a line of training that nobody's predictions go on with
        if unknown and role != PARAMETERS:
            done = "they are left out" if gone else "they count there all the same"
            message = f"streams of the sheet {role} that the predictions do not have: {join_names(unknown)}; {done}"
            problems.append(Problem(kind="unknown-stream", message=message, effect="note", sheet=role))
        lost = {name for name, stream in meant.items() if gone and stream not in predictions.streams}
        found[role] = _renamed(sheet, [meant.get(name, "") for name in names], [name in lost for name in names])
    return found, problems


def _twins(meant: Mapping[str, str]) -> list[str]:
    """Return names that mean the same, the first such; none if all differ."""
    by_stream: dict[str, list[str]] = {}
    for name, stream in meant.items():
        by_stream.setdefault(stream, []).append(name)
    found = next(((stream, names) for stream, names in by_stream.items() if len(names) > 1), ("", []))
    return sorted(found[1], key=lambda name: (name != found[0], name))


def _said(sheet: Numbers) -> list[str]:
    """Return the stream that each row is about, of a history each column; '' for none."""
    if sheet.role == HISTORY:
        return [name[len(STREAM) :] if name.startswith(STREAM) else "" for name in sheet.names]
    if sheet.role == PARAMETERS:
        return [name[len(WEIGHT) :] if name.startswith(WEIGHT) else "" for name in sheet.keys["name"]]
    return sheet.keys.get("stream", [""] * len(sheet.rows))


def _renamed(sheet: Numbers, streams: Sequence[str], lost: Sequence[bool]) -> Numbers:
    kept = [place for place, gone in enumerate(lost) if not gone]
    if sheet.role == HISTORY:
        names = [f"{STREAM}{streams[place]}" if streams[place] else sheet.names[place] for place in kept]
        return replace(sheet, names=names, values=sheet.values[:, kept])
    key, before = ("name", WEIGHT) if sheet.role == PARAMETERS else ("stream", "")
    keys = {name: [cells[place] for place in kept] for name, cells in sheet.keys.items()}
    if key in keys:
        own = [streams[place] for place in kept]
        keys[key] = [before + stream if stream else said for stream, said in zip(own, keys[key], strict=True)]
    return replace(sheet, keys=keys, values=sheet.values[kept], rows=[sheet.rows[place] for place in kept])
