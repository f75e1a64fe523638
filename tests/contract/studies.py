"""A study: a working directory with outputs in `outs`, scored into `res`, and what can be read there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from .files import Run, Table, read_csv, sheet_rows


@dataclass(frozen=True)
class Workplace:
    """What the studies of all commands have in common; each adds how its inputs are written and it is run."""

    root: Path
    run: Run
    stem: ClassVar[str]  # in the names of the reports

    @property
    def outs(self) -> Path:
        return self.root / "outs"

    @property
    def res(self) -> Path:
        return self.root / "res"

    def results(self) -> dict[str, dict[str, str]]:
        """The lines of the results table by model name."""
        return {line["Model Name"]: line for line in read_csv(self.res / f"{self.stem}_results.csv")}

    def workbook(self, model: str = "m") -> Path:
        """The path of one model's report workbook."""
        return self.res / f"{model}_{self.stem}.xlsx"

    def page(self, name: str, model: str = "m") -> list[dict[str, object]]:
        """A page of a model's workbook, line by line."""
        return paged(self.workbook(model), name)

    def problems(self, kind: str = "", model: str = "") -> Table:
        """The listed problems, all or of one kind, of all models or of one."""
        lines = read_csv(self.res / "problems.csv")
        return [p for p in lines if kind in ("", p["kind"]) and model in ("", *_names(p["file"]))]


def problems_of(folder: Path, kind: str) -> Table:
    """The problems of one kind that a run wrote down in a results folder."""
    return [line for line in read_csv(folder / "problems.csv") if line["kind"] == kind]


def paged(book: Path, name: str) -> list[dict[str, object]]:
    """A page of a workbook, line by line."""
    head, *rows = sheet_rows(book, name)
    return [dict(zip(map(str, head), row, strict=True)) for row in rows]


def _names(file: str) -> tuple[str, str]:
    """The names a model can have by one of its files: a folder's, or a file's without its ending."""
    first = file.partition("/")[0]
    return first, first.rpartition(".")[0]
