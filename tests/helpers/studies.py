"""A study: a working directory with outputs in `outs`, scored into `res`, and what can be read there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tests.helpers.files import Rows, Table, read_csv, sheet_rows, write_book, write_csv
from tests.helpers.runs import Result, Run


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


def statuses_in(folder: Path) -> dict[str, str]:
    """The status of every model that `sinfo` scored into `res` of a folder."""
    return {line["Model Name"]: line["Status"] for line in read_csv(folder / "res/s_info_results.csv")}


def problems_in(folder: Path) -> Table:
    """The problems that a run into `res` of a folder wrote down."""
    return read_csv(folder / "res/problems.csv")


REFERENCES = {
    "break the ice": "to begin to talk with people one does not know yet",
    "once in a blue moon": "very rarely",
    "spill the beans": "to tell a secret to somebody who should not know it",
}
ANSWERS = {
    "break the ice": "to start to talk with people nobody knows",
    "once in a blue moon": "very rarely",
    "spill the beans": "tell the secret",
}


def answers(pairs: Mapping[str, str] = ANSWERS) -> list[tuple[str, str]]:
    """A model's table: header and one row per idiom."""
    return [("Idiom", "Prediction"), *pairs.items()]


@dataclass(frozen=True)
class Place:
    """A working directory with `outs` and `refs`, scored into `res`."""

    root: Path
    run: Run

    @property
    def outs(self) -> Path:
        return self.root / "outs"

    @property
    def refs(self) -> Path:
        return self.root / "refs"

    @property
    def res(self) -> Path:
        return self.root / "res"

    def model(self, name: str, pairs: Mapping[str, str] = ANSWERS) -> Path:
        """A lone CSV of answers."""
        return write_csv(self.outs / f"{name}.csv", answers(pairs))

    def book(self, name: str, sheets: Mapping[str, Rows], options: Mapping[str, bool] | None = None) -> Path:
        """A model's workbook."""
        return write_book(self.outs / f"{name}.xlsx", sheets, options)

    def references(self, pairs: Mapping[str, str] = REFERENCES) -> Path:
        """The reference explanations, in one CSV."""
        return write_csv(self.refs / "all.csv", [("idiom", "explanation"), *pairs.items()])

    def score(self, *options: str | Path, outs: str = "outs", refs: str = "refs", res: str = "res") -> Result:
        """Run `sinfo` in this process."""
        return self.run("sinfo", outs, refs, "-o", res, *options)

    def results(self) -> dict[str, dict[str, str]]:
        """The lines of the results table by model name."""
        return {line["Model Name"]: line for line in read_csv(self.res / "s_info_results.csv")}

    def detail(self, model: str = "m") -> Table:
        """The scored units of one model."""
        return read_csv(self.res / f"{model}_s_info.csv")

    def scores(self, model: str = "m") -> list[float]:
        """The S_Info of each unit of one model."""
        return [float(unit["S_Info"]) for unit in self.detail(model)]

    def workbook(self, model: str = "m") -> Path:
        """The path of one model's report workbook."""
        return self.res / f"{model}_s_info.xlsx"

    def problems(self, kind: str = "") -> Table:
        """The listed problems, all or of one kind."""
        return [line for line in read_csv(self.res / "problems.csv") if kind in ("", line["kind"])]
