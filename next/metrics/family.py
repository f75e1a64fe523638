"""Families: what each one reads, computes and returns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from scoresheet.metrics import Command
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.measure import Measure, measure_of
from scoresheet.metrics.problem import Problem
from scoresheet.metrics.role import Table
from scoresheet.metrics.stats import Estimate

Tables = Mapping[str, pd.DataFrame]


@dataclass
class Scores:
    """What a family returns for one model: named tables.

    `units` has a row per row of the model: keys, texts, measures and notes, with `Sheet` first and
    the unit's column named by `Family.unit`. `sheets` and `results` are filled by `summarize`
    unless the family computes both. `measures` are given where they depend on the data.
    """

    units: pd.DataFrame
    problems: list[Problem] = field(default_factory=list)
    sheets: pd.DataFrame = field(default_factory=pd.DataFrame)
    results: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    measures: tuple[Measure, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """How the value of one unit was computed: sentences, and tables by name."""

    sentences: tuple[str, ...]
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """The tables that a command reads, its measures and the functions that score.

    `functions` compute the measures, the headline first. `stem` begins the names of reports.
    `unit` is the column of `units` that names what is paired, `unit_role` the role it comes from;
    with `unit_by_sheet` a name in two sheets means two units; `unnamed` is what people call a unit
    where no column names it. A row is scored if it has the measure `scored`, or the headline.
    `shown` and `dropped` name the columns of the headline table and those that a narrow screen
    drops, first to last. `texts` are columns of texts in `units`, `counted` those whose values are
    counted per sheet, with the values. `audit` scores some rows again by other means. `survey`
    returns what all models need to know of a model's outputs: `score` gets that of all models,
    without duplicates, as the table "survey". `adapt` changes the declaration of a table for the
    options. `estimate` returns the headline of some units, where it is not their mean, with the
    options and the confidence level. `compare` replaces the paired test of the headline: it takes
    the columns of each model's units that begin with a name in `compared`, the confidence level
    and the model of --against. `explain` takes what `score` takes, a sheet (empty for all) and a
    unit. `method`, and `inference` where it is not the usual one, are for the methods section of a
    paper.
    """

    command: Command
    title: str
    stem: str
    unit: str
    unit_role: str
    tables: tuple[Table, ...]
    functions: tuple[Callable[..., Any], ...]
    score: Callable[[Tables, Any], Scores]
    signature: Callable[[Any], dict[str, str]]
    shown: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    counted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    word: str = "model"
    formula: str = ""
    method: str = ""
    inference: str = ""
    unit_by_sheet: bool = False
    unnamed: str = ""
    scored: str = ""
    audit: Callable[[pd.DataFrame, Any, int, int], None] | None = None
    survey: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    adapt: Callable[[Table, Any], Table] | None = None
    estimate: Callable[[pd.DataFrame, Any, float], Estimate] | None = None
    compare: Callable[[Mapping[str, pd.DataFrame], float, str], Comparison] | None = None
    compared: tuple[str, ...] = ()
    explain: Callable[[Tables, Any, str, str], Explanation] | None = None

    @property
    def name(self) -> str:
        """Return the name of the command."""
        return self.command.name

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Return the declared measures, the headline first."""
        return tuple(measure_of(function) for function in self.functions)

    @property
    def outputs(self) -> Table:
        """Return the declaration of the table of model outputs."""
        return self.tables[0]

    def table(self, name: str) -> Table:
        """Return the declaration of a table."""
        return next(table for table in self.tables if table.name == name)


def carried_along(rows: pd.DataFrame) -> dict[str, Any]:
    """Return the columns of units that every family keeps of its rows: run, cluster, breakdowns."""
    kept = {"run": "Run", "cluster": "Cluster", "asked": "Asked"}
    kept |= {name: f"By {name[3:]}" for name in rows.columns if name.startswith("by:")}
    return {new: rows[old].to_numpy() for old, new in kept.items() if old in rows}
