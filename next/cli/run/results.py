"""After scoring: the models compared, the results written, and what the manifest keeps."""

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scoresheet.cli.report.answers import answer_of, status_parts
from scoresheet.cli.report.books import Provenance, results_book
from scoresheet.cli.report.files import metrics_json, write_csv
from scoresheet.cli.report.tables import (
    breakdown_table,
    comparison_table,
    differences_table,
    headline_table,
)
from scoresheet.cli.report.workbook import write_workbook
from scoresheet.cli.run.baseline import CHANGE, change_table, check_gates
from scoresheet.cli.run.decide import Run, lost_columns, typed_columns
from scoresheet.cli.run.gates import NEW, Gate
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.cli.run.results_folder import ResultsFolder
from scoresheet.cli.run.tasks import ModelResult, tables_of
from scoresheet.metrics.differences import unit_differences
from scoresheet.metrics.problem import problem_frame
from scoresheet.metrics.summary import compare_units

LAST = ["Rows", "Scored", "Coverage", "Answered", "Status", "Note"]  # columns of the results


def report_names(models: Iterable[str], stem: str) -> dict[str, str]:
    """Return the file name of each model's reports, safe on every system and each different.

    >>> report_names(["gpt-4.1", "a/b"], "s_info")["gpt-4.1"]
    'gpt-4.1_s_info'
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for model in models:
        clean = re.sub(r'[<>:"/\\|?*\x00-\x1f\x7f]', "_", model).strip(" .")[:80] or "model"
        reserved = re.fullmatch(r"(?i)con|prn|aux|nul|com\d|lpt\d", clean)
        if clean != model or reserved or clean.casefold() in taken:
            clean += "-" + hashlib.sha256(model.encode("utf-8", "replace")).hexdigest()[:8]
        taken.add(clean.casefold())
        names[model] = f"{clean}_{stem}"
    return names


def write_results(
    run: Run, folder: ResultsFolder, scored: Sequence[ModelResult], made: Provenance
) -> tuple[RunOutcome, dict[str, Any]]:
    """Compare the models and write the results into the staging folder.

    Returns the outcome, and what the manifest keeps: enough to run, verify and compare again.
    """
    family, request, problems, ci = run.family, run.request, run.problems, run.request.ci
    measures = scored[0].scores.measures
    problems += lost_columns(run.files, folder.previous)
    for table in tables_of(run.files) if request.strict else ():
        notes = table.mapping.strict_notes()
        problems += [replace(note, file=table.source.name) for note in notes]
    changes = {result.model: result.change for result in scored if result.change}
    results = _results_table(run, scored)
    gates = check_gates(request, run.baseline, changes, results, measures)
    comparison, differences = None, pd.DataFrame()
    if len(scored) > 1:
        comparison = compare_units(
            {result.model: result.compared for result in scored},
            family,
            measures[0],
            ci=ci,
            aggregate=request.aggregate,
            against=request.against,
        )
        kept = {name: model.kept for name, model in run.models.items()}
        differences = unit_differences(comparison, lambda name: pd.read_pickle(kept[name]), family)
    by = pd.DataFrame([row for result in scored for row in result.breakdowns])
    sentences, emphasis = answer_of(family)(results, measures[0], comparison, made.units, ci)
    failed = tuple(results.loc[results["Status"] == "failed", "Model Name"])
    pages = change_table(run.baseline, changes, made.units, ci) if run.baseline else []
    for header in request.load.by:
        pages.append(breakdown_table(by[by["By"] == header], header, measures[0], ci))
    outcome = RunOutcome(
        *_exit(run, len(failed), gates),
        folder=request.out,
        signature=made.signature,
        mapping=list(made.mapping),
        answer=sentences,
        emphasis=emphasis,
        headline=headline_table(family, results, measures, comparison, ci),
        breakdowns=pages,
        failed=failed,
        problems=problems,
        ignored=run.ignored,
        status=status_parts(problems, len(scored), len(failed), family.word),
        worst_unit=max((result.worst for result in scored if result.worst), default=(0, ""))[1],
        order=comparison.order if comparison else (),
        results=results,
        comparisons=comparison.pairs if comparison else pd.DataFrame(),
        mapping_record=typed_columns(run.files),
        gates=gates,
    )
    frames = {"by": by, "differences": differences}
    frames = {name: frame for name, frame in frames.items() if len(frame)}
    frames |= {f"{family.stem}_results": results, "problems": problem_frame(problems)}
    if comparison:
        frames["comparisons"] = comparison.pairs
        if len(differences):
            outcome.differences = differences_table(differences, comparison.measure, family)
        if len(comparison.pairs) and comparison.pairs["Shared"].any():
            outcome.comparison = comparison_table(comparison, made.units, ci, family)
    for name, frame in frames.items():
        write_csv(frame, folder.staging / f"{name}.csv")
    numbers = metrics_json(results, {result.model: result.scores.sheets for result in scored})
    (folder.staging / "metrics.json").write_text(numbers, encoding="utf-8")
    if not request.no_workbooks:
        workbook = f"{family.stem}_results.xlsx"
        units = np.unique(np.concatenate([result.units for result in scored])).size
        book = results_book(family, outcome, measures, units, made)
        write_workbook(book, folder.staging / workbook)
        outcome.workbook = str(Path(request.out, workbook))
    counts = {"models": len(results), "failed": len(failed), "problems": len(problems)}
    counts |= {name.lower(): int(results[name].sum()) for name in ("Rows", "Scored")}
    return outcome, {
        "version": made.version,
        "command": family.name,
        "signature": made.signature,
        "arguments": request.arguments,
        "read_as": made.mapping,
        "mapping": outcome.mapping_record,
        "inputs": {str(file.source.path): file.sha256 for file in run.files},
        "units": made.units,
        "reports": report_names(run.models, family.stem),
        "measures": [asdict(measure) for measure in measures],
        "answer": sentences,
        "order": outcome.order,
        "compared": comparison.measure.name if comparison else "",
        "counts": counts,
        "gates": [asdict(gate) for gate in gates],
        "exit_code": int(outcome.exit_code),
    }


def _results_table(run: Run, scored: Sequence[ModelResult]) -> pd.DataFrame:
    """Return a row for each model, in which only Rows and Status are filled if it failed."""
    rows = []
    for result in scored:
        change = result.change or ({"Change_Note": NEW} if run.baseline else {})
        shown = {name: value for name, value in change.items() if name.startswith("Change")}
        rows.append({"Model Name": result.model, **result.scores.results, **shown})
    for name in [name for name in run.models if name not in {row["Model Name"] for row in rows}]:
        count = sum(part.rows for part in run.models[name].parts)
        rows.append({"Model Name": name, "Rows": count, "Scored": 0, "Status": "failed"})
    table = pd.DataFrame(rows)
    if run.baseline:
        table[[name for name in CHANGE if name not in table]] = math.nan
    return table[[*table.columns.difference(LAST, sort=False), *table.columns.intersection(LAST)]]


def _exit(run: Run, failed: int, gates: Sequence[Gate]) -> tuple[Exit, str]:
    lost = [gate for gate in gates if gate.state == "failed"]
    effects = {p.effect for p in run.problems if p.kind != "manifest"}
    if lost:
        more = f" and {len(lost) - 1} more" if lost[1:] else ""
        return Exit.GATE, f"scored and written, a gate failed: {lost[0]}{more}"
    if failed or "skipped" in effects:
        what = f"{failed} of {len(run.models)} {run.family.word}s" if failed else "some input"
        verb = "was" if failed < 2 else "were"
        return Exit.PARTIAL, f"reports are written, {what} {verb} skipped"
    if run.request.strict and effects:
        return Exit.PARTIAL, "reports are written, --strict does not allow the problems"
    return Exit.OK, ""
