"""Forked processes that end as a command would."""

import multiprocessing
import sys
from collections.abc import Callable
from typing import Any

import pytest

from scoresheet.cli.run.results_folder import Busy, WriteFailed
from scoresheet.cli.run.signals import Interrupted, interruptible
from tests.cli.conftest import study

__all__ = ["study"]

on_linux = [
    pytest.mark.skipif(sys.platform != "linux", reason="sends signals to forked processes"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]


def exit_with_code(function: Callable[..., None], *args: Any) -> None:
    try:
        with interruptible():
            function(*args)
    except Interrupted as error:
        sys.exit(error.exit_code)
    except WriteFailed as error:
        sys.exit(75 if isinstance(error, Busy) else 5)


def start(function: Callable[..., None], *args: Any) -> Any:
    context = multiprocessing.get_context("fork")
    process = context.Process(target=exit_with_code, args=(function, *args))
    process.start()
    return process
