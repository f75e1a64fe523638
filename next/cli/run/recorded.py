"""Results of an earlier run, read back from their folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from scoresheet.cli.input.grammar import few, usage
from scoresheet.cli.registry import load_command, load_family
from scoresheet.cli.report.files import read_csv, table_title
from scoresheet.cli.run.request import Request, request_of
from scoresheet.cli.run.results_folder import MANIFEST, read_manifest
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem

# Columns of names, even if all of them are numbers, and of numbers, even if all are undefined.
KEYS = frozenset(
    {"Model Name", "Model", "Other_Model", "Sheet", "Run", "Cluster", "Parent", "Value", "Option"}
    | {"Text", "Item", "Query", "Judge", "Dimension", "Stream", "Condition", "Anchor"}
    | {"file", "sheet", "column", "kind", "message", "effect"}
)
NUMBERS = {"CI_Low", "CI_High", "Difference", "P_Value", "P_Holm", "Detectable"}
NUMBERS |= {"Coverage", "Answered"}


@dataclass(frozen=True)
class Recorded:
    """The results folder of an earlier run, with the measures of its results, the headline first.

    Raises Refusal where a report that is asked for is missing.
    """

    folder: Path
    manifest: Mapping[str, Any]
    family: Family
    measures: tuple[Measure, ...]

    @cached_property
    def request(self) -> Request:
        """Return the request that would make these results again."""
        return request_of(load_command(self.family.name), self.manifest["arguments"])

    @cached_property
    def results(self) -> pd.DataFrame:
        """Return the row of each model."""
        return self.table(f"{self.family.stem}_results")

    @property
    def scored(self) -> list[str]:
        """Return the models that have a score."""
        return list(self.results.loc[self.results["Scored"] > 0, "Model Name"])

    @cached_property
    def comparison(self) -> Comparison | None:
        """Return the pairs of models, None where there are none."""
        if not self.has("comparisons"):
            return None
        order = tuple(self.manifest["order"])
        named = [measure for measure in self.measures if measure.name == self.manifest["compared"]]
        return Comparison(named[0], order, self.table("comparisons"))

    @cached_property
    def problems(self) -> list[Problem]:
        """Return what was wrong with the inputs."""
        rows = self.table("problems").to_dict("records")
        return [
            Problem(**{str(n): v for n, v in row.items()} | {"row": int(row["row"])})
            for row in rows
        ]

    def units(self, model: str) -> pd.DataFrame:
        """Return every unit of a model."""
        reports = self.manifest["reports"]
        if model not in reports:
            raise usage(f"{model} is not a model of {self.folder}: there are {few(list(reports))}")
        return self.table(reports[model])

    def tables(self, model: str) -> dict[str, pd.DataFrame]:
        """Return the further tables of a model by their titles, without those that are empty."""
        folder = f"{self.manifest['reports'][model]}/"
        names = [name for name in self.manifest["outputs"] if name.startswith(folder)]
        found = {table_title(n.removeprefix(folder)): self.table(n[:-4]) for n in sorted(names)}
        return {title: table for title, table in found.items() if len(table)}

    def has(self, name: str) -> bool:
        """Return whether the run wrote a table of this name."""
        return f"{name}.csv" in self.manifest["outputs"]

    def table(self, name: str) -> pd.DataFrame:
        """Return a table that the run wrote."""
        names = [measure.name for measure in self.measures]
        numbers = {*NUMBERS, *(name + end for name in names for end in ("", "_Low", "_High"))}
        path = self.folder / f"{name}.csv"
        try:
            return read_csv(path, numbers, {self.family.unit, *self.family.texts, *KEYS})
        except FileNotFoundError:
            raise usage(f"{path} is missing: run {self.family.name} again") from None


def open_recorded(folder: Path) -> Recorded:
    """Return the results in a folder, or refuse one that has none."""
    manifest = read_manifest(folder / MANIFEST)
    if manifest is None:
        raise usage(f"{folder} holds no results: its {MANIFEST} is missing or damaged")
    measures = [Measure(**_tupled(declared)) for declared in manifest["measures"]]
    return Recorded(folder, manifest, load_family(manifest["command"]), tuple(measures))


def _tupled(value: Any) -> Any:
    """Return what JSON gave back with tuples in place of lists."""
    if isinstance(value, dict):
        return {name: _tupled(part) for name, part in value.items()}
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
