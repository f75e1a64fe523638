"""The second phase of a run: score each model in a worker, then compare them and write results."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.cli.registry import load_family
from scoresheet.cli.report.answers import answer, status_parts, worst_unit
from scoresheet.cli.report.books import Provenance, model_book, results_book
from scoresheet.cli.report.files import metrics_json, table_file, write_csv
from scoresheet.cli.report.tables import breakdown_table, comparison_table, headline_table
from scoresheet.cli.report.workbook import write_workbook
from scoresheet.cli.run.decide import ModelInput, Run, lost_columns, typed_columns
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.reading import Paths, read_parts, read_shared, tables_of
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_folder import ResultsFolder
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family, Scores
from scoresheet.metrics.problem import Refusal, problem_frame
from scoresheet.metrics.summary import (
    average_runs,
    codes_of,
    compare_units,
    compared_rows,
    estimate_mean,
    summarize,
    unit_keys,
)


@dataclass
class ModelResult:
    """The result of one model, small enough to travel back: its scores without the units.

    `units` are the codes of its units, `compared` is what the comparison needs. `worst` is how bad
    the worst unit is, and what to say of it.
    """

    model: str
    scores: Scores
    units: NDArray[np.int64]
    compared: Any
    worst: tuple[float, str] | None
    breakdowns: list[dict[str, Any]]


def score_model(
    request: Request,
    given: dict[str, Paths],
    made: Provenance,
    audited: int,
    model: ModelInput,
    report: Path,
) -> ModelResult | Refusal:
    """Score one model and write its reports; or return why not.

    `audited` rows are scored again by other means; `report` is the path of the reports without
    extension.
    """
    family = load_family(request.family)
    tables = {name: read_shared(paths) for name, paths in given.items()}
    tables["outputs"] = read_parts(tuple(part.path for part in model.parts))
    expected = None
    if "references" in tables:
        expected = int(tables["references"][family.table("references").key].nunique())
    try:
        scores = family.score(tables, request.options)
        scores = summarize(
            scores, family, ci=request.ci, aggregate=request.aggregate, expected=expected
        )
        if family.audit:
            family.audit(scores.units, request.options, audited, request.seed)
    except Refusal as refusal:
        return refusal
    if model.partial and scores.results["Status"] in ("ok", "low coverage"):
        scores.results["Status"] = "partial"
    write_csv(scores.units, report.with_name(f"{report.name}.csv"))
    for name, table in scores.tables.items():
        report.mkdir(exist_ok=True)
        write_csv(table, report / table_file(name))
    if request.workbooks:
        made = replace(made, mapping=model.read_as)
        book = model_book(family, model.name, scores, [*model.problems, *scores.problems], made)
        write_workbook(book, report.with_name(f"{report.name}.xlsx"))
    values = average_runs(scores.units, family.unit, scores.measures)
    units = codes_of(unit_keys(values, family))
    compared = compared_rows(scores.units, family, scores.measures)
    worst = worst_unit(family, model.name, scores, values)
    breakdowns = _breakdowns(model.name, scores, family, request)
    small = replace(scores, units=pd.DataFrame(), tables={})
    return ModelResult(model.name, small, units, compared, worst, breakdowns)


def _breakdowns(
    model: str, scores: Scores, family: Family, request: Request
) -> list[dict[str, Any]]:
    """Return the headline measure for each value of each --by column."""
    measure = scores.measures[0]
    rows = []
    for header in request.load.by:
        for value, units in scores.units.groupby(f"By {header}", sort=True):
            if family.estimate:
                mean = family.estimate(units, request.options, request.ci)
            else:
                averaged = average_runs(units, family.unit, scores.measures)
                mean = estimate_mean(
                    averaged, measure, family, ci=request.ci, aggregate=request.aggregate
                )
            row: dict[str, Any] = {"Model Name": model, "By": header, "Value": str(value)}
            counted = units[units[family.scored or measure.name].notna()]
            row |= {"Units": len({*unit_keys(counted, family)})}
            row |= {measure.name: mean.value, "CI_Low": mean.low, "CI_High": mean.high}
            rows.append({**row, "Note": mean.note})
    return rows


def write_results(
    run: Run, folder: ResultsFolder, scored: Sequence[ModelResult], made: Provenance
) -> RunOutcome:
    """Compare the models, write the results into the staging folder and return the outcome."""
    family, request, ci = run.family, run.request, run.request.ci
    measures = scored[0].scores.measures
    run.problems += lost_columns(run.files, folder.previous)
    for table in tables_of(run.files) if request.strict else ():
        notes = table.mapping.strict_notes()
        run.problems += [replace(note, file=table.source.name) for note in notes]
    results = _results_table(run, scored)
    comparison = _compare(run, scored) if len(scored) > 1 else None
    by = pd.DataFrame([row for result in scored for row in result.breakdowns])
    sentences, emphasis = answer(family, results, measures[0], comparison, made.units, ci)
    failed = tuple(results.loc[results["Status"] == "failed", "Model Name"])
    outcome = RunOutcome(
        *_exit(run, len(failed)),
        folder=str(request.out),
        signature=made.signature,
        mapping=list(made.mapping),
        answer=sentences,
        emphasis=emphasis,
        headline=headline_table(family, results, measures, comparison, ci),
        breakdowns=[
            breakdown_table(by[by["By"] == header], header, measures[0], ci)
            for header in request.load.by
        ],
        failed=failed,
        problems=run.problems,
        status=status_parts(run.problems, len(scored), len(failed), family.word),
        worst_unit=max((result.worst for result in scored if result.worst), default=(0, ""))[1],
        measures=measures,
        order=comparison.order if comparison else (),
        results=results,
        mapping_record=typed_columns(run.files),
    )
    frames = {f"{family.stem}_results": results, "problems": problem_frame(run.problems)}
    if len(by):
        frames["by"] = by
    if comparison is not None:
        frames["comparisons"] = outcome.comparisons = comparison.pairs
        if len(comparison.pairs) and comparison.pairs["Shared"].any():
            outcome.comparison = comparison_table(comparison, made.units, ci, family)
    for name, frame in frames.items():
        write_csv(frame, folder.staging / f"{name}.csv")
    numbers = metrics_json(results, {result.model: result.scores.sheets for result in scored})
    (folder.staging / "metrics.json").write_text(numbers, encoding="utf-8")
    if request.workbooks:
        workbook = f"{family.stem}_results.xlsx"
        units = np.unique(np.concatenate([result.units for result in scored])).size
        book = results_book(family, outcome, measures, units, made)
        write_workbook(book, folder.staging / workbook)
        outcome.workbook = str(request.out / workbook)
    return outcome


def _results_table(run: Run, scored: Sequence[ModelResult]) -> pd.DataFrame:
    """Return a row for each model, in which only Rows and Status are filled if it failed."""
    rows = {
        result.model: {"Model Name": result.model, **result.scores.results} for result in scored
    }
    for model in run.models.values():
        count = sum(part.rows for part in model.parts)
        failed = {"Model Name": model.name, "Rows": count, "Scored": 0, "Status": "failed"}
        rows.setdefault(model.name, failed)
    table = pd.DataFrame(list(rows.values()))
    last = ["Rows", "Scored", "Coverage", "Answered", "Status", "Note"]
    columns = [name for name in table.columns if name not in last]
    return table[[*columns, *(name for name in last if name in table)]]


def _compare(run: Run, scored: Sequence[ModelResult]) -> Comparison:
    request = run.request
    found = {result.model: result.compared for result in scored}
    return compare_units(
        found,
        run.family,
        scored[0].scores.measures[0],
        ci=request.ci,
        aggregate=request.aggregate,
        against=request.against,
    )


def _exit(run: Run, failed: int) -> tuple[Exit, str]:
    effects, models = {problem.effect for problem in run.problems}, len(run.models)
    if failed or "skipped" in effects:
        what = f"{failed} of {models} {run.family.word}s" if failed else "some input"
        verb = "was" if failed < 2 else "were"
        return Exit.PARTIAL, f"reports are written, {what} {verb} skipped"
    if run.request.strict and effects:
        return Exit.PARTIAL, "reports are written, --strict does not allow the problems"
    return Exit.OK, ""
