"""A results folder read back: what its manifest says, and the tables that the run wrote, texts as they were."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scoresheet.cli.commands import Command, command_named, command_names
from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.manifests import MANIFEST, read_record
from scoresheet.cli.urls import is_remote, without_secrets
from scoresheet.cli.write.cell_text import csv_unguarded
from scoresheet.cli.write.names import file_stem
from scoresheet.metrics.compare import ComparedBy, ComparedUnits, number_cells
from scoresheet.metrics.options import Options
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.tables import object_frame

if TYPE_CHECKING:
    import pandas as pd

NUMBERS: Final = "metrics.json"
COMPARE: Final = "compare"  # the tool that writes a folder of its own, which is read back by none


@dataclass(frozen=True)
class EarlierResults:
    """The reports of one finished run, as they lie in a folder."""

    folder: Path
    record: Mapping[str, Any]  # the manifest

    @classmethod
    def of(cls, folder: str | Path) -> EarlierResults:
        """Return what a folder holds; Stop if there is no manifest of ours, or of a command that is not known."""
        path = Path(folder)
        url = str(folder) if is_remote(str(folder)) else path.as_posix().replace(":/", "://", 1)
        if is_remote(url) and not path.is_dir():
            raise Stop(
                Exit.USAGE,
                f"{without_secrets(url)}: results are read from folders of this machine; copy this one first",
            )
        if not path.is_dir():
            raise Stop(Exit.USAGE, f"{folder}: no such folder; name a folder of results, such as results/diversity")
        record = read_record(path / MANIFEST)
        if record is None:
            records = {each.parent.name: read_record(each) for each in path.glob(f"*/{MANIFEST}")}
            below = sorted(name for name, own in records.items() if own and own.get("command") in command_names())
            hint = f"; there are results below it: {', '.join(below[:6])}" if below else ""
            raise Stop(Exit.USAGE, f"{folder}: no results of scoresheet here (no {MANIFEST} of ours){hint}")
        if record.get("command") == COMPARE:
            raise Stop(
                Exit.USAGE,
                f"{folder}: this is a comparison that scoresheet {COMPARE} wrote, and no results; name the folders "
                "that were compared",
            )
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

    @cached_property
    def options(self) -> Options:
        """The options that the numbers were made with."""
        kept = self.record.get("options")
        if not isinstance(kept, dict):
            raise Stop(
                Exit.USAGE,
                f"{self.folder}: these results are of version {self.record.get('version')}, which did not write down "
                "its options; score again",
            )
        fields = {field.name: field for field in dataclasses.fields(self.command.options)}
        own = {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}
        kind: type[Any] = self.command.options
        found: Options = kind(**{name: value for name, value in own.items() if name in fields})
        return found

    def has_units(self, model: str) -> bool:
        """Return whether the run has written units of a model: of one that failed it has not."""
        return f"{self.stem(model)}.csv" in self.outputs

    @cached_property
    def compared_by(self) -> ComparedBy:
        """By what its models are compared; Stop if its family compares nothing."""
        first = next((model for model in self.models if self.has_units(model)), None)
        columns = [] if first is None else self._header(f"{self.stem(first)}.csv")
        by = self.command.family.compared_by(self.options, columns)
        if by is None:
            raise Stop(Exit.USAGE, f"{self.folder}: models of {self.command.name} are not compared")
        return by

    def compared_units(self, model: str) -> ComparedUnits | None:
        """Return the units by which a model is compared; None where it has none."""
        if not self.has_units(model):
            return None
        by = self.compared_by
        table = self.table(f"{self.stem(model)}_{by.table}.csv") if by.table else self.units(model)
        return self.command.family.read_units(table, by, self.options)

    def _header(self, name: str) -> list[str]:
        return self._texts(next(csv.reader(io.StringIO(self._bytes(name).decode("utf-8"), newline=""))))

    def _texts(self, cells: Iterable[str]) -> list[str]:
        """Return texts as they were before they were kept from running."""
        return list(cells) if self.is_raw else list(map(csv_unguarded, cells))

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
        return object_frame(dict(zip(self._texts(header), map(self._texts, columns), strict=True)))

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
    return number_cells(column).tolist()  # type: ignore[no-any-return]
