"""What a start costs: `--version`, `--help` and a tiny run, over importing what they cannot do without."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import bench_sinfo
from commands import Size
from harness import OURS, Figures, Line, Side, our_command, take_turns

GROUP = "start-up"
TYPER, PANDAS = "import typer", "import pandas"
SHORT = {"--version": ("--version",), "--help": ("--help",), "sinfo --help": ("sinfo", "--help")}


def lines(*, quick: bool) -> list[Line]:
    """Return a line for each way to start."""
    repeat = 3 if quick else 11
    found = [Line(GROUP, name, partial(_over_typer, words, repeat)) for name, words in SHORT.items()]
    return [*found, Line(GROUP, "a tiny run of sinfo", partial(_tiny_run, repeat))]


def _over_typer(words: Sequence[str], repeat: int, folder: Path) -> Figures:
    script = str(Path(sys.executable).with_name("scoresheet"))
    sides = {OURS: Side(lambda _: [script, *words]), TYPER: Side(_import("typer"))}
    return Figures(take_turns(sides, folder, repeat=repeat))


def _tiny_run(repeat: int, folder: Path) -> Figures:
    job = bench_sinfo.write(folder / "job", Size(1, 10))
    # as whoever imports it has it: numpy then starts a thread for each core, which a run of ours does not
    threads = {"OPENBLAS_NUM_THREADS": str(os.cpu_count())}
    sides = {OURS: Side(our_command("sinfo", job.arguments)), PANDAS: Side(_import("pandas"), threads)}
    return Figures(take_turns(sides, folder, repeat=repeat))


def _import(module: str) -> Callable[[Path], list[str]]:
    return lambda _: [sys.executable, "-c", f"import {module}"]
