"""The second phase of a run: score each model in a worker, then compare them and write results."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.registry import load_family
from scoresheet.cli.report.answers import answer, status_parts, worst_unit
from scoresheet.cli.report.books import Provenance, RunTables, model_book, results_book
from scoresheet.cli.report.files import metrics_json, write_csv
from scoresheet.cli.report.tables import breakdown_table, comparison_table, headline_table
from scoresheet.cli.report.text import show
from scoresheet.cli.report.workbook import write_workbook
from scoresheet.cli.run.decide import ModelInput, Run, lost_columns, mapping_record, tables_of
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.reading import read_part
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.results_folder import ResultsFolder
from scoresheet.metrics.compare import Comparison, compare_models
from scoresheet.metrics.family import Scores
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem, Refusal, problem_frame
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.summary import average_runs, estimate_mean, summarize

SHOWN_PAIRS = 45  # pairs of ten models
DROPPED = ("Result", "Detectable", "W_T_L", "Shared")  # columns of pairs, on a narrow screen


@dataclass
class ModelResult:
    """The result of one model, small enough to travel back; `values` is a file of its units."""

    model: str
    results: dict[str, Any]
    sheets: pd.DataFrame
    measures: tuple[Measure, ...]
    problems: list[Problem]
    values: Path
    breakdowns: pd.DataFrame


def score_model(
    request: Request,
    given: dict[str, Path],
    made: Provenance,
    audited: int,
    model: ModelInput,
    report: Path,
    problems: Sequence[Problem],
) -> ModelResult | Refusal:
    """Score one model and write its reports; or return why not.

    `audited` rows are scored again by other means; `report` is the path of the reports without
    extension; `problems` are those of the model's files.
    """
    family = load_family(request.family)
    tables = {name: read_part(path) for name, path in given.items()}
    tables["outputs"] = pd.concat([pd.read_pickle(p.path) for p in model.parts], ignore_index=True)
    expected = None
    if "references" in tables:
        expected = int(tables["references"][family.table("references").key].nunique())
    try:
        scores = summarize(
            family.score(tables, request.options),
            family,
            ci=request.ci,
            aggregate=request.aggregate,
            expected=expected,
        )
        if family.audit:
            family.audit(scores.units, request.options, audited, request.seed)
    except Refusal as refusal:
        return refusal
    if model.partial and scores.results["Status"] in ("ok", "low coverage"):
        scores.results["Status"] = "partial"
    write_csv(scores.units, report.with_name(f"{report.name}.csv"))
    if request.workbooks:
        book = model_book(family, model.name, scores, [*problems, *scores.problems], made)
        write_workbook(book, report.with_name(f"{report.name}.xlsx"))
    values = average_runs(scores.units, family.unit, scores.measures)
    kept = [c for c in ("Sheet", family.unit, "Cluster") if c in values]
    path = model.parts[0].path.with_suffix(".values.pkl")
    values[[*kept, *(m.name for m in scores.measures)]].to_pickle(path)
    by = _breakdowns(scores, family.unit, request).assign(**{"Model Name": model.name})
    return ModelResult(
        model.name, scores.results, scores.sheets, scores.measures, scores.problems, path, by
    )


def _breakdowns(scores: Scores, unit: str, request: Request) -> pd.DataFrame:
    """Return the headline measure for each value of each --by column."""
    measure = scores.measures[0]
    rows = []
    for header in request.tidy.by:
        for value, units in scores.units.groupby(f"By {header}", sort=True):
            averaged = average_runs(units, unit, scores.measures)
            mean = estimate_mean(
                averaged, measure, unit, ci=request.ci, aggregate=request.aggregate
            )
            count = units.loc[units[measure.name].notna(), unit].nunique()
            rows.append((header, str(value), count, mean.value, mean.low, mean.high, mean.note))
    columns = ["By", "Value", "Units", measure.name, "CI_Low", "CI_High", "Note"]
    return pd.DataFrame(rows, columns=columns)


def write_results(
    run: Run, folder: ResultsFolder, scored: Sequence[ModelResult], made: Provenance
) -> RunOutcome:
    """Compare the models, write the results into the staging folder and return the outcome."""
    family, request, measures = run.family, run.request, scored[0].measures
    results = _results_table(run.models, scored)
    values = {result.model: pd.read_pickle(result.values) for result in scored}
    comparison = _compare(run, values, measures[0]) if len(scored) > 1 else None
    sentences, emphasis = answer(family, results, measures[0], comparison, made.units, request.ci)
    by = pd.concat([result.breakdowns for result in scored], ignore_index=True)
    by_header = {header: by[by["By"] == header] for header in request.tidy.by}
    breakdowns = [breakdown_table(f, h, measures[0], request.ci) for h, f in by_header.items()]
    run.problems += lost_columns(run.files, (folder.previous or {}).get("mapping"))
    for table in tables_of(run.files) if request.strict else ():
        notes = table.mapping.strict_notes()
        run.problems += [replace(note, file=table.source.name) for note in notes]
    units = pd.concat([frame[family.unit] for frame in values.values()]).nunique()
    found = (tuple(sentences), tuple(run.problems), tuple(breakdowns))
    tables = RunTables(results, measures, comparison, *found, int(units))
    frames = {f"{family.stem}_results": results, "problems": problem_frame(run.problems)}
    if comparison is not None:
        frames["comparisons"] = comparison.pairs
    if len(by):
        first = ["Model Name", "By", "Value"]
        columns = [*first, *(c for c in by.columns if c not in first)]
        frames["by"] = pd.concat(by_header.values())[columns]
    for name, frame in frames.items():
        write_csv(frame, folder.staging / f"{name}.csv")
    numbers = metrics_json(results, {result.model: result.sheets for result in scored})
    (folder.staging / "metrics.json").write_text(numbers, encoding="utf-8")
    if request.workbooks:
        book = results_book(family, tables, made)
        write_workbook(book, folder.staging / f"{family.stem}_results.xlsx")
    outcome = _outcome(run, tables, made)
    outcome.emphasis = emphasis
    outcome.worst_unit = _worst_text(values, family.unit, measures[0])
    return outcome


def _results_table(models: dict[str, ModelInput], scored: Sequence[ModelResult]) -> pd.DataFrame:
    """Return a row for each model, in which only Rows and Status are filled if it failed."""
    found = {result.model: result.results for result in scored}
    rows = [{"Model Name": name, **found[name]} for name in models if name in found]
    empty = {measure.name: math.nan for measure in scored[0].measures}
    for name in [name for name in models if name not in found]:
        count = sum(part.rows for part in models[name].parts)
        rows.append({"Model Name": name, **empty, "Rows": count, "Scored": 0, "Status": "failed"})
    table = pd.DataFrame(rows)
    last = ["Rows", "Scored", "Coverage", "Answered", "Status", "Note"]
    columns = [c for c in table.columns if c not in last]
    return table[[*columns, *(c for c in last if c in table)]]


def _compare(run: Run, values: dict[str, pd.DataFrame], measure: Measure) -> Comparison:
    frames, name = values.values(), measure.name
    unit = "Cluster" if all("Cluster" in frame for frame in frames) else run.family.unit
    codes = pd.factorize(pd.concat([frame[unit] for frame in frames]))[0]
    ends = np.cumsum([len(frame) for frame in frames])
    rows = {
        model: Rows(
            frame[name].to_numpy(float) if name in frame else [],
            codes[end - len(frame) : end],
            pd.factorize(frame["Sheet"])[0],
        )
        for (model, frame), end in zip(values.items(), ends, strict=True)
    }
    request = run.request
    return compare_models(
        rows, measure, ci=request.ci, aggregate=request.aggregate, against=request.against
    )


def _outcome(run: Run, tables: RunTables, made: Provenance) -> RunOutcome:
    family, request, results = run.family, run.request, tables.results
    failed = tuple(results.loc[results["Status"] == "failed", "Model Name"])
    effects = [problem.effect for problem in run.problems]
    code, reason = Exit.OK, ""
    if failed or "skipped" in effects:
        code = Exit.PARTIAL
        what = f"{len(failed)} of {len(results)} {family.word}s" if failed else "some input"
        reason = f"reports are written, {what} {'was' if len(failed) < 2 else 'were'} skipped"
    elif request.strict and effects:
        code, reason = Exit.PARTIAL, "reports are written, --strict does not allow the problems"
    counts = {"scored": len(results) - len(failed), "failed": len(failed)}
    counts |= {"rows": effects.count("row"), "notes": effects.count("note")}
    outcome = RunOutcome(
        family.name,
        code,
        reason,
        folder=str(request.out),
        signature=made.signature,
        mapping=list(made.mapping),
        answer=list(tables.sentences),
        headline=headline_table(family, results, tables.measures, tables.comparison, request.ci),
        breakdowns=list(tables.breakdowns),
        dropped={"headline": family.dropped, "comparison": DROPPED},
        failed=failed,
        problems=list(run.problems),
        status=status_parts(counts, family.word),
        workbook=str(request.out / f"{family.stem}_results.xlsx") if request.workbooks else "",
        results=results,
        mapping_record=mapping_record(run.files),
    )
    if tables.comparison is not None:
        outcome.comparisons = tables.comparison.pairs
        if 0 < len(outcome.comparisons) <= SHOWN_PAIRS:
            outcome.comparison = comparison_table(tables.comparison, made.units, request.ci)
    return outcome


def _worst_text(values: dict[str, pd.DataFrame], unit: str, measure: Measure) -> str:
    lowest = worst_unit(values, unit, measure)
    if lowest is None or not measure.better:
        return ""
    model, place, value = lowest
    word = "Highest" if measure.better == "lower" else "Lowest"
    return f"{word}: {place}, {measure.label} {show(value, measure.format)} ({model})."
