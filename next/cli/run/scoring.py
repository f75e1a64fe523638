"""The second phase of a run, one model at a time: load, score, write its reports."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from scoresheet.cli.registry import load_family
from scoresheet.cli.report.books import Provenance, model_book
from scoresheet.cli.report.delimited import write_csv
from scoresheet.cli.report.workbook import write_workbook
from scoresheet.cli.run.request import Request
from scoresheet.metrics.family import Family, Scores
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem, Refusal
from scoresheet.metrics.summary import average_runs, estimate_mean, summarize


@dataclass(frozen=True)
class ModelTask:
    """One model to score: its parts, the tables it is scored against, where reports go."""

    request: Request
    model: str
    parts: tuple[Path, ...]
    given: dict[str, Path]
    staging: Path
    file: str
    made: Provenance
    problems: tuple[Problem, ...] = ()
    audited: int = 0
    expected: int | None = None
    partial: bool = False
    values: Path | None = None


@dataclass
class ModelResult:
    """What became of one model, small enough to travel back."""

    model: str
    results: dict[str, Any]
    sheets: pd.DataFrame
    measures: tuple[Measure, ...]
    problems: list[Problem]
    values: Path
    breakdowns: dict[str, pd.DataFrame] = field(default_factory=dict)


def score_model(task: ModelTask) -> ModelResult | Refusal:
    """Score one model and write its reports to the staging folder; or return why not."""
    try:
        return _score_model(task)
    except Refusal as refusal:
        return refusal


def _score_model(task: ModelTask) -> ModelResult:
    request = task.request
    family = load_family(request.family)
    frames = [pd.read_pickle(path) for path in task.parts]
    outputs = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    tables = {"outputs": outputs}
    tables |= {name: pd.read_pickle(path) for name, path in task.given.items()}
    scores = summarize(
        family.score(tables, request.options),
        family,
        ci=request.ci,
        aggregate=request.aggregate,
        expected=task.expected,
    )
    if family.audit and task.audited:
        family.audit(scores.units, request.options, task.audited, request.seed)
    if task.partial and scores.results["Status"] in ("ok", "low coverage"):
        scores.results["Status"] = "partial"
    problems = [*task.problems, *scores.problems]
    write_csv(scores.units, task.staging / f"{task.file}.csv")
    if request.workbooks:
        book = model_book(family, task.model, scores, problems, task.made)
        write_workbook(book, task.staging / f"{task.file}.xlsx")
    averaged = average_runs(scores.units, family.unit, scores.measures)
    path = task.values or task.parts[0].with_name(f"{task.file}.values.pkl")
    kept = [c for c in ("Sheet", family.unit, "Cluster") if c in averaged]
    averaged[[*kept, *(m.name for m in scores.measures)]].to_pickle(path)
    return ModelResult(
        task.model,
        scores.results,
        scores.sheets,
        scores.measures,
        scores.problems,
        path,
        _breakdowns(scores, family, request),
    )


def _breakdowns(scores: Scores, family: Family, request: Request) -> dict[str, pd.DataFrame]:
    """Return for each --by column the headline measure of each of its values."""
    measure = scores.measures[0]
    tables = {}
    for header in request.tidy.by:
        rows = []
        for value, units in scores.units.groupby(f"By {header}", sort=True):
            averaged = average_runs(units, family.unit, scores.measures)
            found = estimate_mean(
                averaged, measure, family.unit, ci=request.ci, aggregate=request.aggregate
            )
            count = units.loc[units[measure.name].notna(), family.unit].nunique()
            rows.append(
                {
                    "Value": str(value),
                    "Units": count,
                    measure.name: found.value,
                    "CI_Low": found.low,
                    "CI_High": found.high,
                    "Note": found.note,
                }
            )
        tables[header] = pd.DataFrame(rows)
    return tables


def failed_row(model: str, measures: tuple[Measure, ...], rows: int) -> dict[str, Any]:
    """Return the row of a model that could not be scored: empty, and said to be failed."""
    empty = {measure.name: math.nan for measure in measures}
    return {"Model Name": model, **empty, "Rows": rows, "Scored": 0, "Status": "failed"}
