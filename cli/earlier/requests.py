"""The request that an earlier run was made by, out of its manifest."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.results_reading import EarlierResults
from scoresheet.cli.run.request import Request
from scoresheet.cli.settings import Settings
from scoresheet.cli.urls import is_remote
from scoresheet.metrics.schema import Schema


def recorded_request(results: EarlierResults) -> Request[Any, Any, Any, Any, Any, Any]:
    """Return the request that results were made by; Stop if it was not written down, or cannot be understood here."""
    record = results.record.get("request")
    if not isinstance(record, Mapping):
        why = "they were made from tables in Python, or by an earlier version" if "request" in results.record else ""
        raise Stop(
            Exit.USAGE,
            f"{results.folder}: its manifest does not say which files were read, and how "
            f"({why or 'an earlier version made it'}); score again",
        )
    command = results.command
    try:
        directory = str(record["directory"])
        options = _with_places(dict(record["options"]), command.family.schema, directory, results.folder)
        settings = {name: _frozen(value) for name, value in record["settings"].items()}
        return Request(
            command.family,
            command.reporter,
            command.options(**{name: _frozen(value) for name, value in options.items()}),
            Settings(**settings, out=str(results.folder), progress=False),
            _place(str(record["outputs"]), directory, results.folder),
            _place(str(record["references"]), directory, results.folder),
            results.folder,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Stop(
            Exit.USAGE,
            f"{results.folder}: this version does not understand what its manifest says of the run ({error}); score "
            "again",
        ) from None


def _place(place: str, directory: str, folder: Path) -> str:
    """Return a place that was named relative to the directory of the run as it is named from here."""
    if not place or Path(place).is_absolute() or is_remote(place):
        return place
    of_run = (folder.resolve() / directory).resolve()
    return place if of_run == Path.cwd().resolve() else os.path.relpath(of_run / place)


def _with_places(options: dict[str, Any], schema: Schema, directory: str, folder: Path) -> dict[str, Any]:
    """Return options whose tables are named as they are from here."""
    named = {
        name: _place(str(options[name]), directory, folder)
        for name, table in schema.tables.items()
        if options.get(name) not in ("", table.built_in)
    }
    return options | named


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
