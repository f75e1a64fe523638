"""A results folder read back: what its manifest says, and the tables that the run wrote, texts as they were."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd

from scoresheet.cli.commands import Command, command_named, command_names
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.manifests import MANIFEST, read_record
from scoresheet.cli.write.cell_text import csv_unguarded
from scoresheet.cli.write.names import file_stem
from scoresheet.metrics.tables import object_frame

NUMBERS: Final = "metrics.json"


@dataclass(frozen=True)
class EarlierResults:
    """The reports of one finished run, as they lie in a folder."""

    folder: Path
    record: Mapping[str, Any]  # the manifest

    @classmethod
    def of(cls, folder: str | Path) -> EarlierResults:
        """Return what a folder holds; Stop if there is no manifest of ours, or of a command that is not known."""
        path = Path(folder)
        if not path.is_dir():
            raise Stop(Exit.USAGE, f"{folder}: no such folder; name a folder of results, such as results/diversity")
        record = read_record(path / MANIFEST)
        if record is None:
            below = sorted(each.parent.name for each in path.glob(f"*/{MANIFEST}") if read_record(each))
            hint = f"; there are results below it: {', '.join(below[:6])}" if below else ""
            raise Stop(Exit.USAGE, f"{folder}: no results of scoresheet here (no {MANIFEST} of ours){hint}")
        if record.get("command") not in command_names():
            raise Stop(Exit.USAGE, f"{folder}: results of a command that is not known here: {record.get('command')}")
        return cls(path, record)

    @property
    def command(self) -> Command:
        """The command that made them."""
        return command_named(str(self.record["command"]))

    @property
    def signature(self) -> str:
        """How the numbers were made."""
        return str(self.record.get("signature", ""))

    @property
    def is_raw(self) -> bool:
        """Whether texts in its CSVs were written without the apostrophe that keeps them from running."""
        return bool(self.record.get("raw_csv"))

    @cached_property
    def outputs(self) -> dict[str, str]:
        """The files that the run wrote, each with its SHA-256."""
        return {str(entry["file"]): str(entry["sha256"]) for entry in self.record["outputs"]}

    @cached_property
    def results(self) -> pd.DataFrame:
        """The results table, a line per model, the best first."""
        return self.table(f"{self.command.reporter.stem}_results.csv")

    @property
    def models(self) -> list[str]:
        """The models, the best first."""
        return [str(name) for name in self.results["Model Name"]]

    def stem(self, model: str) -> str:
        """Return what the names of a model's reports begin with."""
        return f"{file_stem(model)}_{self.command.reporter.stem}"

    def units(self, model: str) -> pd.DataFrame:
        """Return the scored units of a model: texts as they were, see `table`."""
        return self.table(f"{self.stem(model)}.csv")

    def numbers(self) -> dict[str, Any]:
        """Return what metrics.json holds."""
        found: dict[str, Any] = json.loads(self._bytes(NUMBERS))
        return found

    def table(self, name: str) -> pd.DataFrame:
        """Return a CSV of the run as a table of texts, each as it was; what is a number is for the reader to say.

        A key such as 007 is none, which only somebody who knows the column can tell; see `as_numbers`.
        """
        reader = csv.reader(io.StringIO(self._bytes(name).decode("utf-8"), newline=""))
        header, *rows = reader
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
        texts = [list(cells) if self.is_raw else list(map(csv_unguarded, cells)) for cells in columns]
        return object_frame(dict(zip(header, texts, strict=True)))

    def changed(self) -> list[str]:
        """Return the files that are gone, or no longer what the run wrote."""
        return [name for name, digest in self.outputs.items() if not self._is_as_written(name, digest)]

    def _bytes(self, name: str) -> bytes:
        """Return a file that the run wrote; Stop if it did not, or the file is gone or changed."""
        if name not in self.outputs:
            raise Stop(Exit.USAGE, f"{self.folder / name}: the run that made this folder wrote no such file")
        if not self._is_as_written(name, self.outputs[name]):
            raise Stop(
                Exit.USAGE,
                f"{self.folder / name}: this file is gone or was changed after the run that wrote it; score again",
            )
        return (self.folder / name).read_bytes()

    def _is_as_written(self, name: str, digest: str) -> bool:
        path = self.folder / name
        return path.is_file() and sha256(path) == digest


def as_numbers(column: Iterable[str]) -> list[float]:
    """Return the cells of a column of numbers; an empty one is undefined.

    >>> as_numbers(["0.5", ""])
    [0.5, nan]
    """
    return [float(cell) if cell else math.nan for cell in column]
