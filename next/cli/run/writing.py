"""The end of a run: compare the models, write the results, say what they came to."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.report.answers import answer, status_parts, worst_unit
from scoresheet.cli.report.books import Provenance, RunTables, results_book
from scoresheet.cli.report.delimited import write_csv
from scoresheet.cli.report.json_output import metrics_json
from scoresheet.cli.report.numbers import show
from scoresheet.cli.report.pages import Page
from scoresheet.cli.report.tables import breakdown_table, comparison_table, headline_table
from scoresheet.cli.report.workbook import write_workbook
from scoresheet.cli.run.decide import ModelInput, lost_columns, mapping_record
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.scoring import ModelResult, failed_row
from scoresheet.cli.run.state import Run
from scoresheet.metrics.compare import Comparison, compare_models
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem, problem_frame
from scoresheet.metrics.stats.means import Rows

SHOWN_PAIRS = 45  # pairs of ten models


def write_results(
    run: Run,
    results: dict[str, ModelResult | None],
    models: dict[str, ModelInput],
    made: Provenance,
) -> tuple[RunOutcome, dict[str, Any]]:
    """Compare the models and write the results into the staging folder.

    Returns the outcome and the manifest.
    """
    family, request = run.family, run.request
    scored = [result for result in results.values() if result is not None]
    measures = scored[0].measures
    table = _results_table(results, models, measures)
    values = {result.model: pd.read_pickle(result.values) for result in scored}
    comparison = _compare(run, values, measures) if len(scored) > 1 else None
    sentences, emphasis = answer(family, table, measures[0], comparison, made.units, request.ci)
    breakdowns, by = _breakdowns(run, scored)
    run.problems += _strict_and_lost(run)
    count = pd.concat([frame[family.unit] for frame in values.values()]).nunique()
    tables = RunTables(
        table,
        measures,
        comparison,
        tuple(sentences),
        tuple(run.problems),
        tuple(breakdowns),
        int(count),
    )
    _write_files(run, tables, made, by, {r.model: r.sheets for r in scored})
    lowest = worst_unit(values, family.unit, measures[0])
    outcome = _outcome(run, tables, made, emphasis, lowest)
    return outcome, _manifest(run, made, outcome)


def _results_table(
    results: dict[str, ModelResult | None],
    models: dict[str, ModelInput],
    measures: Sequence[Measure],
) -> pd.DataFrame:
    rows = [
        failed_row(name, tuple(measures), sum(part.rows for part in models[name].parts))
        if result is None
        else {"Model Name": name, **result.results}
        for name, result in results.items()
    ]
    rows.sort(key=lambda row: row["Status"] == "failed")  # the first row decides the columns
    table = pd.DataFrame(rows)
    last = ["Rows", "Scored", "Coverage", "Answered", "Status", "Note"]
    columns = [c for c in table.columns if c not in last]
    return table[[*columns, *(c for c in last if c in table)]]


def _compare(run: Run, values: dict[str, pd.DataFrame], measures: Sequence[Measure]) -> Comparison:
    unit = "Cluster" if all("Cluster" in frame for frame in values.values()) else run.family.unit
    codes = pd.factorize(pd.concat([frame[unit] for frame in values.values()]))[0]
    ends = np.cumsum([len(frame) for frame in values.values()])
    rows = {
        model: Rows(
            frame[measures[0].name].to_numpy(float) if measures[0].name in frame else [],
            codes[end - len(frame) : end],
            pd.factorize(frame["Sheet"])[0],
        )
        for (model, frame), end in zip(values.items(), ends, strict=True)
    }
    return compare_models(
        rows,
        measures[0],
        ci=run.request.ci,
        aggregate=run.request.aggregate,
        against=run.request.against,
    )


def _breakdowns(run: Run, scored: Sequence[ModelResult]) -> tuple[list[Page], pd.DataFrame]:
    """Return the pages of --by, and the same as one table."""
    pages, frames = [], []
    for header in run.request.tidy.by:
        parts = [
            result.breakdowns[header].assign(**{"Model Name": result.model, "By": header})
            for result in scored
        ]
        frame = pd.concat(parts, ignore_index=True)
        pages.append(breakdown_table(frame, header, scored[0].measures[0], run.request.ci))
        frames.append(frame)
    first = ["Model Name", "By", "Value"]
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=first)
    return pages, table[[*first, *(c for c in table.columns if c not in first)]]


def _strict_and_lost(run: Run) -> list[Problem]:
    mappings = [table.mapping for file in run.files for table in file.tables]
    previous = (run.results.previous or {}).get("mapping", {})
    notes = lost_columns(mappings, previous if isinstance(previous, dict) else {})
    if run.request.strict:
        for file in run.files:
            for table in file.tables:
                strict = table.mapping.strict_notes()
                notes += [replace(note, file=file.source.name) for note in strict]
    return notes


def _write_files(
    run: Run,
    tables: RunTables,
    made: Provenance,
    by: pd.DataFrame,
    sheets: dict[str, pd.DataFrame],
) -> None:
    stage, stem = run.results.staging, run.family.stem
    write_csv(tables.results, stage / f"{stem}_results.csv")
    write_csv(problem_frame(list(tables.problems)), stage / "problems.csv")
    if tables.comparison is not None:
        write_csv(tables.comparison.pairs, stage / "comparisons.csv")
    if len(by):
        write_csv(by, stage / "by.csv")
    (stage / "metrics.json").write_text(metrics_json(tables.results, sheets), encoding="utf-8")
    if run.request.workbooks:
        book = results_book(run.family, tables, made)
        write_workbook(book, stage / f"{stem}_results.xlsx")


def _outcome(
    run: Run,
    tables: RunTables,
    made: Provenance,
    emphasis: tuple[str, ...],
    lowest: tuple[str, str, float] | None,
) -> RunOutcome:
    family, request, results = run.family, run.request, tables.results
    failed = tuple(results.loc[results["Status"] == "failed", "Model Name"])
    skipped = [p for p in run.problems if p.effect == "skipped"]
    code, reason = Exit.OK, ""
    if failed or skipped:
        code = Exit.PARTIAL
        what = f"{len(failed)} of {len(results)} {family.word}s" if failed else "some input"
        reason = f"reports are written, {what} {'was' if len(failed) < 2 else 'were'} skipped"
    elif request.strict and run.problems:
        code, reason = Exit.PARTIAL, "reports are written, --strict does not allow the problems"
    counts = {
        "scored": len(results) - len(failed),
        "failed": len(failed),
        "rows": sum(p.effect == "row" for p in run.problems),
        "notes": sum(p.effect == "note" for p in run.problems),
    }
    comparison = tables.comparison
    pairs = comparison.pairs if comparison is not None else pd.DataFrame()
    shows_pairs = comparison is not None and 0 < len(pairs) <= SHOWN_PAIRS
    measure = tables.measures[0]
    name = f"{family.stem}_results.xlsx"
    return RunOutcome(
        family.name,
        code,
        reason,
        folder=str(request.out),
        signature=made.signature,
        mapping=list(made.mapping),
        answer=list(tables.sentences),
        emphasis=emphasis,
        headline=headline_table(family, results, tables.measures, comparison, request.ci),
        comparison=comparison_table(comparison, made.units, request.ci)
        if comparison is not None and shows_pairs
        else None,
        breakdowns=list(tables.breakdowns),
        dropped={
            "headline": family.dropped,
            "comparison": ("Result", "Detectable", "W_T_L", "Shared"),
        },
        failed=failed,
        problems=list(run.problems),
        status=status_parts(counts, family.word),
        workbook=str(request.out / name) if request.workbooks else "",
        worst_unit=_worst_text(lowest, measure),
        results=results,
        comparisons=pairs,
        mapping_record=mapping_record(run.files),
    )


def _worst_text(lowest: tuple[str, str, float] | None, measure: Measure) -> str:
    if lowest is None or not measure.better:
        return ""
    model, unit, value = lowest
    word = "Highest" if measure.better == "lower" else "Lowest"
    return f"{word}: {unit}, {measure.label} {show(value, measure.format)} ({model})."


def _manifest(run: Run, made: Provenance, outcome: RunOutcome) -> dict[str, Any]:
    inputs = {str(file.source.path): file.sha256 for file in run.files}
    rows = outcome.results[["Rows", "Scored"]].fillna(0).sum()
    return {
        "version": made.version,
        "command": run.family.name,
        "signature": made.signature,
        "arguments": {
            "inputs": run.request.inputs,
            "columns": [said.option for said in run.request.said],
            "ci": run.request.ci,
            "seed": run.request.seed,
        },
        "mapping": outcome.mapping_record,
        "inputs": inputs,
        "counts": {
            "models": len(outcome.results),
            "failed": len(outcome.failed),
            "rows": int(rows["Rows"]),
            "scored": int(rows["Scored"]),
            "problems": len(run.problems),
        },
        "gates": [],
        "exit_code": int(outcome.exit_code),
        "seconds": round(time.monotonic() - run.started, 3),
    }
