"""Errors for programs that wait for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scoresheet.cli.exits import Stop
from scoresheet.cli.terminal.messages import show_error


@contextmanager
def errors_in_json(*, wanted: bool) -> Iterator[None]:
    """Print why there is no answer as JSON too, where it is wanted; the error goes on."""
    try:
        yield
    except Stop as stop:
        if wanted:
            show_error(stop)
        raise
